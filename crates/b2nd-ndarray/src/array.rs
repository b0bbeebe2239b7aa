//! [`Array`]: an open array.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use b2nd::dtype::DType;
use b2nd::{Geometry, Grid};
use b2nd_frame::{File, Frame, Header, Pieces, Source};
use b2nd_store::{Bytes, Kind, Store};

use crate::codec;
use crate::error::{Error, Result};
use crate::flat::{self, Flat};
use crate::frame::{self, ArrayFrame};
use crate::read::area::whole;
use crate::read::buffers::Pool;

/// The names of the metalayers of files whose elements must be computed, or fetched from another file or a server.
const ELSEWHERE: [&str; 3] = ["b2o", "LazyArray", "proxy-source"];

/// An open array: a `.b2nd` file, the directory of a sparse frame, or a frame in memory or in another source of bytes. A frame of plain
/// bytes, which has no array metalayer, is opened as an array of one dimension ([`is_flat`](Array::is_flat)). If python-blosc2's
/// `pack_tensor` or `save_array` wrote the frame from a NumPy array of numbers, times or text, the array has its shape and dtype.
///
/// All methods that read take `&self`, so several threads can read at the same time. Opening an array usually reads only the frame's
/// header; the index of chunks is read when it is first needed. Decompressed data is not cached.
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
    /// The path that is added to errors, if the array has a path.
    pub(crate) path: Option<PathBuf>,
    pub(crate) geometry: Geometry,
    pub(crate) grid: Grid,
    pub(crate) itemsize: usize,
    pub(crate) dtype: Option<DType>,
    /// The bytes of the data that each chunk holds, if the frame has no array metalayer.
    pub(crate) flat: Option<Flat>,
    /// The array's metalayer, for codecs and filters that need the array's shapes.
    pub(crate) metalayer: Vec<u8>,
    pub(crate) scratch: Pool,
    /// Whether `with_pieces` created this array, so that its source holds only ranges that were fetched.
    pub(crate) is_fetched: bool,
}

impl Array {
    /// Opens an array: a `.b2nd` file, or a sparse frame's directory.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, contains neither an array nor plain bytes ([`Error::NoArray`](crate::Error::NoArray)), or has
    /// shapes that C-Blosc2 rejects.
    /// Files whose elements are computed (`b2o`, `LazyArray`) or stored elsewhere (`proxy-source`) fail with
    /// [`Error::Elsewhere`](crate::Error::Elsewhere). If the path is that of a store or of a file of another known format, the error
    /// usually names the format.
    ///
    /// The messages of these errors, and of errors of reading elements later, start with the path. Most of these errors have the variant
    /// [`Error::File`](crate::Error::File); [`Error::kind`](crate::Error::kind) returns the error inside.
    pub fn open(path: impl AsRef<Path>) -> Result<Array> {
        let path = path.as_ref();
        let array = frame::open(path).and_then(Array::try_from);
        Ok(array.map_err(|error| Error::in_file(path, frame::instead(path).unwrap_or(error)))?.in_file(path))
    }

    /// Opens the array in an open file. The array reads this file even if another file has its path by now. (The chunk files of a sparse
    /// frame are opened by their paths.) If [`File::open_shared`] opened the file, the array keeps its locks.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`open`](Array::open).
    pub fn new(file: File) -> Result<Array> {
        let (path, offset) = (file.path().to_owned(), file.position());
        let array = Array::from_source(Arc::new(file.into_source()), offset);
        Ok(array.map_err(|error| Error::in_file(&path, error))?.in_file(path))
    }

    pub(crate) fn of_file(file: &File) -> Result<Array> {
        let array = frame::of_file(file).and_then(Array::try_from).map_err(|error| Error::in_file(file.path(), error))?;
        Ok(array.in_file(file.path()))
    }

    /// Opens the array with this key in a store (`TreeStore`, `DictStore`, `EmbedStore`): an archive (`.b2z`), a directory (`.b2d`) or a
    /// file (`.b2e`). For example, `/table/_cols/x` is the key of column `x` in the table `/table`.
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
    /// Fails if the store cannot be read, has no such key, or has a table or a reference to a server under this key. Also returns the
    /// errors of [`open`](Array::open).
    pub fn from_store(path: impl AsRef<Path>, key: &str) -> Result<Array> {
        let path = path.as_ref();
        let source = Store::open(path).and_then(|store| store.leaf(key));
        let source = source.map_err(|error| Error::in_file(path, error.into()))?;
        let leaf = PathBuf::from(format!("{}::/{}", path.display(), key.trim_start_matches('/')));
        let array = Array::from_source(source.clone(), 0).map_err(|error| Error::in_file(&leaf, error))?.in_file(leaf);
        let (found, expected) = (array.header().frame_len(), source.len()?);
        if found > expected {
            return Err(
                array.error(Error::custom(format_args!("the frame's header says {found} bytes, but the leaf has {expected}")))
            );
        }
        Ok(array)
    }

    /// Opens the array in a frame in memory, such as an HDF5 chunk. A `Vec<u8>` is moved, a slice is copied.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`open`](Array::open), without a path.
    pub fn from_frame(frame: impl Into<Vec<u8>>) -> Result<Array> {
        Array::from_source(Arc::new(frame.into()), 0)
    }

    /// Opens the array in a frame that starts at byte `offset` of a [`Source`](b2nd_frame::Source).
    ///
    /// # Errors
    ///
    /// Returns the errors of [`open`](Array::open), without a path.
    pub fn from_source(source: Bytes, offset: u64) -> Result<Array> {
        Array::try_from(ArrayFrame::open_at(source, offset)?)
    }

    /// Returns the same array in a source that holds some of the same bytes.
    pub(crate) fn with_pieces(&self, pieces: Arc<Pieces>) -> Array {
        Array {
            store: self.store.with_source(pieces),
            path: self.path.clone(),
            dtype: self.dtype.clone(),
            flat: self.flat.clone(),
            metalayer: self.metalayer.clone(),
            scratch: Pool::default(),
            is_fetched: true,
            ..*self
        }
    }

    /// Sets the path that is added to errors of the array.
    pub(crate) fn in_file(self, path: impl Into<PathBuf>) -> Array {
        Array { path: Some(path.into()), ..self }
    }

    /// Adds the array's path, if it has one, to the error of `work`.
    pub(crate) fn with_path<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        work().map_err(|error| self.error(error))
    }

    /// Adds the array's path, if it has one, to an error.
    pub(crate) fn error(&self, error: impl Into<Error>) -> Error {
        match &self.path {
            Some(path) => Error::in_file(path, error.into()),
            None => error.into(),
        }
    }

    /// Returns the array's shape, chunkshape and blockshape.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Returns the grid of the array's chunks and blocks.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Returns the frame that holds the array.
    pub fn frame(&self) -> &Frame<Bytes> {
        &self.store
    }

    /// Returns the frame's header.
    pub fn header(&self) -> &Header {
        self.store.header()
    }

    /// Returns the dtype of the elements, including the unit of times. Returns `None` if the dtype is not known.
    pub fn dtype(&self) -> Option<&DType> {
        self.dtype.as_ref()
    }

    /// Returns the size of an element in bytes.
    pub fn itemsize(&self) -> usize {
        self.itemsize
    }

    /// Returns true if the frame does not describe an array, so that its data is read as an array of one dimension. Returns false for a
    /// frame that python-blosc2's `pack_tensor` or `save_array` wrote.
    pub fn is_flat(&self) -> bool {
        self.flat.is_some() && Kind::of(self.header(), self.store.trailer().ok()) == Kind::SChunk
    }

    /// Sets the dtype of the elements, for a frame that does not describe an array ([`is_flat`](Array::is_flat)).
    ///
    /// ```
    /// use b2nd_frame::{Chunk, Header, Sizes, Writer};
    /// use b2nd_ndarray::Array;
    ///
    /// let mut writer = Writer::new(Header::new(Sizes { typesize: 2, chunksize: 6, blocksize: 6 })?);
    /// for chunk in [[1, 0, 2, 0, 3, 0], [4, 0, 5, 0, 6, 0]] {
    ///     writer.append(&Chunk::store(&chunk, 2)?)?;
    /// }
    /// let array = Array::from_frame(writer.finish()?)?.with_dtype("<i2".parse()?)?;
    /// assert_eq!(array.read::<i16>(&[1..5])?.as_slice(), Some(&[2, 3, 4, 5][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if [`is_flat`](Array::is_flat) returns false, or if the length of the data is not a multiple of the dtype's size.
    pub fn with_dtype(self, dtype: DType) -> Result<Array> {
        let Some(flat) = self.flat.as_ref().filter(|_| self.is_flat()) else {
            let kind = Kind::of(self.header(), self.store.trailer().ok()).name();
            return Err(Error::custom(format_args!("a dtype can be given only for a frame of kind schunk, found kind {kind}")));
        };
        let blocksize = usize::try_from(self.header().blocksize()).unwrap_or(0);
        let geometry = flat.geometry(None, dtype.itemsize(), blocksize)?;
        let itemsize = dtype.itemsize();
        Ok(Array { geometry, grid: geometry.grid()?, itemsize, dtype: Some(dtype), ..self })
    }

    /// Returns the slice that covers the whole array: the full range of each dimension.
    pub fn whole(&self) -> Vec<Range<i64>> {
        whole(self.geometry.shape())
    }
}

impl TryFrom<Frame<Bytes>> for Array {
    type Error = Error;

    /// Opens the array in a frame that is already open. The header is not read again. The errors of the array have no path.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`open`](Array::open), without a path.
    fn try_from(store: Frame<Bytes>) -> Result<Array> {
        let header = store.header();
        if let Some(name) = ELSEWHERE.iter().find(|name| header.metalayers().get(name).is_some()) {
            return Err(Error::Elsewhere { metalayer: name });
        }
        let itemsize = usize::try_from(header.typesize()).unwrap_or(0);
        let (geometry, metalayer, dtype, itemsize, flat) = match header.array()? {
            // An unknown dtype is no error, because `read_bytes` needs no dtype.
            Some(meta) => (*meta.geometry(), codec::metalayer(&meta)?, meta.parse_dtype().ok().flatten(), itemsize, None),
            None => {
                let flat = Flat::of(&store)?.ok_or(Error::NoArray)?;
                // Data that is not a whole number of elements is read as bytes.
                let itemsize = if flat.len() % (itemsize.max(1) as u64) == 0 { itemsize } else { 1 };
                let (shape, dtype) = match flat::tensor(&store) {
                    Some((shape, dtype)) => (Some(shape), Some(dtype)),
                    // Elements of one byte are read as `|u1`. The dtype of longer elements is unknown.
                    None => (None, if itemsize == 1 { "|u1".parse().ok() } else { None }),
                };
                let itemsize = dtype.as_ref().map_or(itemsize, DType::itemsize).max(1);
                let geometry = flat.geometry(shape, itemsize, usize::try_from(header.blocksize()).unwrap_or(0))?;
                (geometry, flat::metalayer(&geometry)?, dtype, itemsize, Some(flat))
            }
        };
        let grid = geometry.grid()?;
        Ok(Array {
            store,
            path: None,
            geometry,
            grid,
            itemsize,
            dtype,
            flat,
            metalayer,
            scratch: Pool::default(),
            is_fetched: false,
        })
    }
}

impl std::fmt::Debug for Array {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let dtype = self.dtype.as_ref().map(DType::to_string);
        f.debug_struct("Array").field("geometry", &self.geometry).field("dtype", &dtype).finish_non_exhaustive()
    }
}
