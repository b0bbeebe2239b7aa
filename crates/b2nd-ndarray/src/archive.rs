//! [`Array::from_store`]: an array in a store of python-blosc2, by its key.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use rawzip::{CompressionMethod, ReaderAt, ZipArchive};

use crate::array::Array;
use crate::error::Result;
use crate::source::Source;

/// How much of an archive's directory is read at once.
const BUFFER: usize = 1 << 16;

/// How far before its end an archive's directory is looked for: a comment may be 64 KiB long.
const SEARCHED: u64 = 1 << 17;

impl Array {
    /// Opens the array under a key of a store (`TreeStore`, `DictStore`): an archive (`.b2z`) or a directory (`.b2d`).
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
    /// No member has the key: what a store keeps embedded in its `embed.b2e`, and tables, are not found here. The archive cannot be read, or
    /// compresses the member itself; and those of [`open`](Array::open).
    pub fn from_store(path: impl AsRef<Path>, key: &str) -> Result<Array> {
        let path = path.as_ref();
        let name = format!("{}.b2nd", key.trim_start_matches('/'));
        let failed = |what: &dyn std::fmt::Display| b2nd::Error::custom(format_args!("{}: {what}", path.display()));
        let io = |error: io::Error| b2nd::Error::from(io::Error::new(error.kind(), format!("{}: {error}", path.display())));
        if path.is_dir() {
            // A name that leads out of the store is no key of it.
            let inside = Path::new(&name).components().all(|part| matches!(part, std::path::Component::Normal(_)));
            let member = path.join(&name);
            if !inside || !member.exists() {
                return Err(failed(&format_args!("it has no member {name:?}")).into());
            }
            return Array::open(member);
        }
        let file = Arc::new(fs::File::open(path).map_err(io)?);
        let length = file.length().map_err(io)?;
        let mut buffer = vec![0; BUFFER];
        let located = ZipArchive::with_max_search_space(SEARCHED).locate_in_reader(At(&*file), &mut buffer, length);
        let archive = located.map_err(|(_, error)| failed(&error))?;
        let mut entries = archive.entries(&mut buffer);
        while let Some(entry) = entries.next_entry().map_err(|error| failed(&error))? {
            if entry.file_path().as_ref() == name.as_bytes() {
                let (method, encrypted) = (entry.compression_method(), entry.flags().is_encrypted());
                if encrypted || method != CompressionMethod::STORE {
                    let how = if encrypted { "encrypted" } else { "compressed by the archive" };
                    return Err(failed(&format_args!("the member {name:?} is {how}, and read where it is only stored")).into());
                }
                let place = archive.get_entry(entry.wayfinder()).map_err(|error| failed(&error))?;
                let (start, end) = place.compressed_data_range();
                let array = Array::from_source(file, start)?;
                let (found, expected) = (array.header().frame_len(), end - start);
                if found > expected {
                    let message = format_args!("the frame in {name:?} says {found} bytes, the member has {expected}");
                    return Err(failed(&message).into());
                }
                return Ok(array);
            }
        }
        Err(failed(&format_args!("it has no member {name:?}")).into())
    }
}

/// A source as rawzip reads it.
struct At<'a>(&'a dyn Source);

impl ReaderAt for At<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let left = usize::try_from(self.0.length()?.saturating_sub(offset)).unwrap_or(usize::MAX);
        let length = buffer.len().min(left);
        self.0.read_at(offset, buffer.get_mut(..length).unwrap_or_default())?;
        Ok(length)
    }
}
