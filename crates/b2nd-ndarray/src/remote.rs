//! [`Remote`]: an array in an object store (feature `object_store`).

use std::future::ready;
use std::ops::Range;
use std::sync::Arc;

use b2nd_frame::{FIRST_READ, FrameType, Pieces};
use b2nd_store::{AT_ONCE, Bytes, ObjectPart, get_range, requests, text::count};
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use ndarray::{ArrayBase, ArrayD, Data, Dimension, SliceInfoElem};
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, PutMode, PutOptions};

use crate::array::Array;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::frame;
use crate::options::Options;
use crate::read::chunks::ArrayChunk;
use crate::read::elements::Elements;
use crate::read::select::Select;
use crate::write::to_frame;

/// The maximum number of chunks that are fetched at the same time when chunks are streamed.
const AHEAD: usize = 4;

/// An array in an object store: S3, Google Cloud Storage, Azure, HTTP or another store of the crate [`object_store`].
///
/// Opening usually takes two requests: one for the header, and one for the index and the trailer. Reading a slice usually fetches a chunk
/// as a whole if the chunk has at most 1 MiB, or if the slice needs at least three quarters of its blocks. From other chunks, usually
/// only the blocks of the slice are fetched, in a second round of requests after the block tables. Ranges with at most 64 KiB between
/// them are fetched in one request, and ranges of more than 2 MiB in several. Each read sends up to eight requests at the same time.
///
/// Each response is compared with the first response by length, ETag, version and time, so reading usually returns an error if the object
/// has been replaced since it was opened. (If a server sends only the length, only the length is compared.) To set timeouts and retries,
/// use the options of the object store.
///
/// ```
/// # futures_executor::block_on(async {
/// use std::sync::Arc;
/// use b2nd_ndarray::{Options, Remote, s};
/// use b2nd_ndarray::object_store::{ObjectStore, memory::InMemory};
///
/// let values = ndarray::Array2::from_shape_fn((100, 200), |(row, column)| (row * column) as f32);
/// let store: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
/// Remote::put(&store, &"field.b2nd".into(), &values, &Options::default()).await?;
///
/// let remote = Remote::open(store, "field.b2nd".into()).await?;
/// assert_eq!(remote.array().geometry().shape(), [100, 200]);
/// assert_eq!(remote.read::<f32>(&[7..8, 10..12]).await?, ndarray::array![[70.0, 77.0]].into_dyn());
/// assert_eq!(remote.slice::<f32>(s![-1, 10..14;2]).await?, ndarray::array![990.0, 1188.0].into_dyn());
/// assert_eq!(remote.select::<f32>(&[[7, 3].into(), [0, -1].into()]).await?, ndarray::array![[0.0, 1393.0], [0.0, 597.0]].into_dyn());
///
/// // To decompress outside the async runtime:
/// let array = remote.fetch(&[7..8, 0..200]).await?;
/// assert_eq!(array.slice::<f32>(s![7, 10..12])?, ndarray::array![70.0, 77.0].into_dyn());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct Remote {
    object: Object,
    length: u64,
    array: Array,
}

impl Remote {
    /// Opens the array in the object at this path.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Array::open`]. Also fails if a request fails ([`Error::Request`], with the range), if the server does not
    /// support range requests, or if the frame is sparse.
    pub async fn open(store: Arc<dyn ObjectStore>, path: Path) -> Result<Remote> {
        Remote::open_at(store, path, 0).await
    }

    /// Opens the array in a frame that starts at byte `offset` of an object, such as a member of an archive.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`open`](Remote::open).
    pub async fn open_at(store: Arc<dyn ObjectStore>, path: Path, offset: u64) -> Result<Remote> {
        let mut object = Object { store, path, opened: None };
        let first = offset..offset.saturating_add(FIRST_READ);
        let part = object.get(&first).await?;
        let length = part.meta.size;
        object.opened = Some(part.meta);
        let pieces = Arc::new(Pieces::with_len(length));
        pieces.put(first, part.bytes)?;
        // Opening needs the header and the index; missing ranges are fetched before the next attempt.
        let open = || -> Result<Array> {
            let array = Array::from_source(pieces.clone(), offset)?;
            if array.header().frame_type() == FrameType::Sparse {
                return Err(Error::custom("the chunks of a sparse frame are separate objects, which `Remote` cannot read"));
            }
            // Attributes are in the trailer, which is fetched together with the index. An array with a damaged trailer can still be read.
            let _ = array.store.trailer();
            array.store.offsets()?;
            Ok(array)
        };
        let opened = object.fetch_for(&pieces, open).await?;
        let source: Bytes = pieces.clone();
        let array = opened.map_err(|error| frame::explained_object(object.path.as_ref(), &source, error))?;
        Ok(Remote { array: array.in_file(object.path.to_string()), object, length })
    }

    /// Returns the array with its shapes, dtype and attributes. To read values, use the methods of `Remote`, or the array that
    /// [`fetch`](Remote::fetch) returns.
    pub fn array(&self) -> &Array {
        &self.array
    }

    /// Writes an array to an object. An existing object is an error unless [`Options::overwrite`] is set.
    ///
    /// The object is written in one request, so a failed call leaves no incomplete object.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`to_frame`], and [`Error::Request`] if the request fails.
    pub async fn put<T: Element, S: Data<Elem = T>, D: Dimension>(
        store: &dyn ObjectStore,
        path: &Path,
        array: &ArrayBase<S, D>,
        options: &Options,
    ) -> Result<()> {
        let frame = to_frame(array, options)?;
        let range = 0..frame.len() as u64;
        let mode = if options.overwrite { PutMode::Overwrite } else { PutMode::Create };
        let put = store.put_opts(path, frame.into(), PutOptions { mode, ..PutOptions::default() }).await;
        put.map_err(|error| Error::Request { path: path.to_string(), range, source: error.into() })?;
        Ok(())
    }

    /// Fetches the compressed chunks in a slice, and returns an array from which this slice can be read.
    ///
    /// # Errors
    ///
    /// Fails if the slice is not inside the array, or if a request fails ([`Error::Request`], with the range).
    pub async fn fetch(&self, slice: &[Range<i64>]) -> Result<Array> {
        let pieces = Arc::new(Pieces::with_len(self.length));
        self.object.fetch_into(&pieces, self.array.byte_ranges(slice, 0)?).await?;
        Ok(self.array.with_pieces(pieces))
    }

    /// Reads from the array of fetched bytes, and fetches the missing bytes, until none are missing.
    async fn read_with<T>(&self, read: impl Fn(&Array) -> Result<T>) -> Result<T> {
        let pieces = Arc::new(Pieces::with_len(self.length));
        let array = self.array.with_pieces(pieces.clone());
        self.object.fetch_for(&pieces, || read(&array)).await?
    }

    /// Reads a slice in ndarray's notation, like [`Array::slice`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`fetch`](Remote::fetch) and [`Array::slice`].
    pub async fn slice<T: Element>(&self, slice: impl AsRef<[SliceInfoElem]>) -> Result<ArrayD<T>> {
        self.read_with(|array| array.slice(slice.as_ref())).await
    }

    /// Reads a slice. The calling task is blocked while it is decompressed.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`fetch`](Remote::fetch) and [`Array::read`].
    pub async fn read<T: Element>(&self, slice: &[Range<i64>]) -> Result<ArrayD<T>> {
        self.read_with(|array| array.read(slice)).await
    }

    /// Reads the elements of a slice as bytes, like [`Array::read_bytes`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`fetch`](Remote::fetch) and [`Array::read_bytes`].
    pub async fn read_bytes(&self, slice: &[Range<i64>]) -> Result<Vec<u8>> {
        self.read_with(|array| array.read_bytes(slice)).await
    }

    /// Reads the elements of a slice, of any known dtype, like [`Array::elements`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`fetch`](Remote::fetch) and [`Array::elements`].
    pub async fn elements(&self, slice: &[Range<i64>]) -> Result<Elements> {
        self.read_with(|array| array.elements(slice)).await
    }

    /// Reads the elements that are selected along each axis, like [`Array::select`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`fetch`](Remote::fetch) and [`Array::select`].
    pub async fn select<T: Element>(&self, selection: &[Select]) -> Result<ArrayD<T>> {
        self.read_with(|array| array.select(selection)).await
    }

    /// Reads the elements that are selected along each axis as bytes, like [`Array::select_bytes`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`fetch`](Remote::fetch) and [`Array::select_bytes`].
    pub async fn select_bytes(&self, selection: &[Select]) -> Result<Vec<u8>> {
        self.read_with(|array| array.select_bytes(selection)).await
    }

    /// Reads the chunk with this index, like [`Array::chunk`].
    ///
    /// # Errors
    ///
    /// Fails if there is no such chunk. Also returns the errors of [`read`](Remote::read).
    pub async fn chunk<T: Element>(&self, number: u64) -> Result<ArrayChunk<T>> {
        self.read_with(|array| array.chunk(number)).await
    }

    /// Streams the decoded chunks in the order of their indices, like [`Array::chunks`]. A few chunks are fetched ahead.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Array::chunks`]. Each item can have the errors of [`read`](Remote::read).
    pub fn chunks<T: Element>(&self) -> Result<impl Stream<Item = Result<ArrayChunk<T>>> + use<'_, T>> {
        let (numbers, _) = self.array.touched::<T>(&self.array.whole())?;
        Ok(stream::iter(numbers).map(|number| self.chunk(number)).buffered(AHEAD))
    }
}

/// An object, and the metadata of the first response, with which later responses are compared.
#[derive(Debug)]
struct Object {
    store: Arc<dyn ObjectStore>,
    path: Path,
    opened: Option<ObjectMeta>,
}

impl Object {
    /// Fetches a range of bytes. The first range may extend beyond the end of the object.
    async fn get(&self, range: &Range<u64>) -> Result<ObjectPart> {
        let opened = self.opened.as_ref();
        let tag = opened.and_then(|opened| opened.e_tag.as_deref());
        let part = get_range(&*self.store, &self.path, tag, range.clone()).await.map_err(|error| self.failed(range, error))?;
        if !part.has_ranges {
            return Err(self.failed(range, "the server does not support range requests: download the object, and open the file"));
        }
        // The response is checked too, because some stores ignore the ETag.
        if let Some(message) = opened.and_then(|opened| changed(opened, &part.meta)) {
            return Err(self.failed(range, message));
        }
        let (expected, found) = (range.end - range.start, part.bytes.len());
        if opened.is_some() && found as u64 != expected {
            let message = format!("expected {}, found {}", count(expected, "byte"), count(found, "byte"));
            return Err(self.failed(range, std::io::Error::new(std::io::ErrorKind::UnexpectedEof, message)));
        }
        Ok(part)
    }

    /// Calls `read` until it needs no bytes that are missing in `pieces`, which are fetched between the calls.
    async fn fetch_for<T>(&self, pieces: &Pieces, read: impl Fn() -> T) -> Result<T> {
        loop {
            let done = read();
            let missing = pieces.take_missing(0);
            if missing.is_empty() {
                return Ok(done);
            }
            self.fetch_into(pieces, missing).await?;
        }
    }

    /// Fetches ranges of bytes, several at the same time, and adds them to `pieces`.
    async fn fetch_into(&self, pieces: &Pieces, ranges: Vec<Range<u64>>) -> Result<()> {
        let fetched =
            stream::iter(requests(ranges)).map(|range| async move { Ok::<_, Error>((self.get(&range).await?.bytes, range)) });
        let fetched = fetched.buffer_unordered(AT_ONCE);
        fetched.try_for_each(|(bytes, range)| ready(pieces.put(range, bytes).map_err(Error::from))).await
    }

    fn failed(&self, range: &Range<u64>, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error::Request { path: self.path.to_string(), range: range.clone(), source: error.into() }
    }
}

/// Describes how the object has changed since it was opened. Returns `None` if it has not changed.
fn changed(opened: &ObjectMeta, now: &ObjectMeta) -> Option<String> {
    let have_tags = opened.e_tag.is_some() && now.e_tag.is_some();
    let fields = |meta: &ObjectMeta| {
        [
            ("length", meta.size.to_string()),
            ("ETag", meta.e_tag.clone().filter(|_| have_tags).unwrap_or_default()),
            ("version", format!("{:?}", meta.version.as_deref().unwrap_or_default())),
            ("modification time", meta.last_modified.to_rfc3339()),
        ]
    };
    let ((what, before), (_, after)) = fields(opened).into_iter().zip(fields(now)).find(|(before, after)| before != after)?;
    Some(format!("it has changed since it was opened: expected the {what} {before}, found {after}"))
}
