//! [`Array`]: an open array.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use b2nd::dtype::DType;
use b2nd::frame::{File, Header};
use b2nd::{Geometry, Grid};
use b2nd_store::Bytes;

use crate::codec;
use crate::error::{Error, Result};
use crate::flat::{self, Flat};
use crate::frame::{self, ArrayFrame};
use crate::read::buffers::Pool;

/// Metalayers of files whose elements are somewhere else: to be computed, or to be fetched.
const ELSEWHERE: [&str; 3] = ["b2o", "LazyArray", "proxy-source"];

/// An open array: a `.b2nd` file, a sparse frame's directory, or a frame anywhere else. The data of a frame without an array are one of
/// one dimension ([`is_flat`](Array::is_flat)).
///
/// Every method takes `&self`, and several threads may read at once. Opening reads the header, the first read the index too. No data
/// is kept.
///
/// ```
/// use b2nd_ndarray::{Array, s};
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("array.b2nd");
/// let values = ndarray::Array2::from_shape_fn((100, 200), |(row, column)| (row * column) as f32);
/// b2nd_ndarray::write(&path, &values, &Default::default())?;
///
/// let array = Array::open(&path)?;
/// assert_eq!(array.geometry().shape(), [100, 200]);
/// assert_eq!(array.read::<f32>(&array.whole())?, values.clone().into_dyn());
/// assert_eq!(array.slice::<f32>(s![7, 10..20;2])?, values.slice(s![7, 10..20;2]).into_dyn());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Array {
    pub(crate) store: ArrayFrame,
    /// The file, if there is one, for errors.
    pub(crate) path: Option<PathBuf>,
    pub(crate) geometry: Geometry,
    pub(crate) grid: Grid,
    pub(crate) itemsize: usize,
    pub(crate) dtype: Option<DType>,
    /// Where the data of a frame without an array are.
    pub(crate) flat: Option<Flat>,
    /// The array's metalayer: some codecs and filters ask for the shapes.
    pub(crate) metalayer: Vec<u8>,
    pub(crate) scratch: Pool,
}

impl Array {
    /// Opens an array: a `.b2nd` file, or a sparse frame's directory.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or holds no array ([`Error::NoArray`](crate::Error::NoArray)). C-Blosc2 would refuse the shapes. Or
    /// the elements are elsewhere ([`Error::Elsewhere`](crate::Error::Elsewhere)), as in a recipe (`b2o`, `LazyArray`) or a proxy
    /// (`proxy-source`). The error for a store or a file of another format says what it is.
    ///
    /// These errors, and those of reading, are in an [`Error::File`](crate::Error::File) with the path; [`Error::kind`](crate::Error::kind)
    /// returns the error itself.
    pub fn open(path: impl AsRef<Path>) -> Result<Array> {
        let path = path.as_ref();
        let array = frame::open(path).and_then(Array::of).map_err(|error| frame::explained(path, error))?;
        Ok(array.in_file(path))
    }

    /// Opens the array in an open file.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Array::open).
    pub fn new(file: File) -> Result<Array> {
        let array = frame::of_file(&file).and_then(Array::of).map_err(|error| Error::in_file(file.path(), error))?;
        Ok(array.in_file(file.path()))
    }

    /// Opens the array in a frame in memory, such as an HDF5 chunk. A `Vec<u8>` is kept, a slice is copied.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Array::open).
    pub fn from_frame(frame: impl Into<Vec<u8>>) -> Result<Array> {
        Array::from_source(Arc::new(frame.into()), 0)
    }

    /// Opens the array in a frame that starts at byte `offset` of a [`Source`](b2nd::frame::Source).
    ///
    /// # Errors
    ///
    /// Those of [`open`](Array::open).
    pub fn from_source(source: Bytes, offset: u64) -> Result<Array> {
        Array::of(ArrayFrame::open_at(source, offset)?)
    }

    /// This array, with its chunks in another source.
    #[cfg(feature = "object_store")]
    pub(crate) fn with_source(&self, source: Bytes) -> Result<Array> {
        Ok(Array { path: self.path.clone(), ..Array::of(self.store.with_source(source))? })
    }

    /// This array, whose errors have this path.
    pub(crate) fn in_file(self, path: impl Into<PathBuf>) -> Array {
        Array { path: Some(path.into()), ..self }
    }

    /// An error about the array, with the path of its file.
    pub(crate) fn error(&self, error: impl Into<Error>) -> Error {
        match &self.path {
            Some(path) => Error::in_file(path, error.into()),
            None => error.into(),
        }
    }

    fn of(store: ArrayFrame) -> Result<Array> {
        let header = store.header();
        if let Some(name) = ELSEWHERE.iter().find(|name| header.metalayers().get(name).is_some()) {
            return Err(Error::Elsewhere { metalayer: name });
        }
        let Some(meta) = header.array()? else {
            let flat = Flat::of(&store)?.ok_or(Error::NoArray)?;
            let itemsize = usize::try_from(header.typesize()).unwrap_or(0).max(1);
            let geometry = flat.geometry(itemsize, usize::try_from(header.blocksize()).unwrap_or(0))?;
            let (grid, dtype, metalayer) = (geometry.grid()?, flat::dtype(header), flat::metalayer(&geometry)?);
            let (path, flat, scratch) = (None, Some(flat), Pool::default());
            return Ok(Array { store, path, geometry, grid, itemsize, dtype, flat, metalayer, scratch });
        };
        let (geometry, metalayer) = (*meta.geometry(), codec::metalayer(&meta)?);
        let grid = geometry.grid()?;
        // A dtype that nobody knows says nothing of where elements stand: read_bytes works.
        let dtype = meta.parse_dtype().ok().flatten();
        let itemsize = usize::try_from(header.typesize()).unwrap_or(0);
        Ok(Array { store, path: None, geometry, grid, itemsize, dtype, flat: None, metalayer, scratch: Pool::default() })
    }

    /// The array's shape, chunkshape and blockshape.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The grid of its chunks and blocks.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The frame's header.
    pub fn header(&self) -> &Header {
        self.store.header()
    }

    /// The type of the elements, of times with their unit. `None` if the file has no dtype or an unknown one.
    pub fn dtype(&self) -> Option<&DType> {
        self.dtype.as_ref()
    }

    /// The size of an element in bytes.
    pub fn itemsize(&self) -> usize {
        self.itemsize
    }

    /// The whole array as a slice: the range of each dimension.
    pub fn whole(&self) -> Vec<Range<i64>> {
        self.geometry.shape().iter().map(|&length| 0..length).collect()
    }
}

impl std::fmt::Debug for Array {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let dtype = self.dtype.as_ref().map(DType::to_string);
        f.debug_struct("Array").field("geometry", &self.geometry).field("dtype", &dtype).finish_non_exhaustive()
    }
}
