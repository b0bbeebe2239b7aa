//! [`Array::from_store`]: an array in a store of python-blosc2, by its key.

use std::path::{Path, PathBuf};

use b2nd::frame::Source;
use b2nd_store::Store;

use crate::array::Array;
use crate::error::{Error, Result};

impl Array {
    /// Opens the array under a key of a store (`TreeStore`, `DictStore`, `EmbedStore`): an archive (`.b2z`), a directory (`.b2d`) or a file
    /// (`.b2e`). A column of a table is under its own name: `/table/_cols/x`.
    ///
    /// ```
    /// let path = "../../tests/data/python-blosc2-4.14.1/treestore__dfltb2z.b2z";
    /// let array = b2nd_ndarray::Array::from_store(path, "/g1/n3")?;
    /// assert_eq!(array.read::<i64>(&[2..4])?, ndarray::array![2, 3].into_dyn());
    /// # Ok::<(), b2nd_ndarray::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Nothing has the key, or a table or a reference to a server has. The store cannot be read; and those of [`open`](Array::open).
    pub fn from_store(path: impl AsRef<Path>, key: &str) -> Result<Array> {
        let path = path.as_ref();
        let source = Store::open(path).and_then(|store| store.leaf(key));
        let source = source.map_err(|error| Error::in_file(path, error.into()))?;
        let leaf = PathBuf::from(format!("{}::/{}", path.display(), key.trim_start_matches('/')));
        let array = Array::from_source(source.clone(), 0).map_err(|error| Error::in_file(&leaf, error))?.in_file(leaf);
        let (found, expected) = (array.header().frame_len(), source.len()?);
        if found > expected {
            let message = format_args!("the frame says {found} bytes, the member has {expected}");
            return Err(array.error(b2nd::Error::custom(message)));
        }
        Ok(array)
    }
}
