//! [`Remote`]: an array in an object store (feature `object_store`).

use std::ops::Range;
use std::sync::Arc;

use b2nd::frame::FrameType;
use futures_util::{StreamExt, TryStreamExt, stream};
use ndarray::{ArrayD, SliceInfoElem};
use object_store::path::Path;
use object_store::{GetOptions, GetResult, ObjectMeta, ObjectStore};

use crate::array::Array;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::parts::Parts;

/// The length that the first request asks for: most headers fit.
const FIRST_READ: u64 = 4096;

/// So many bytes between two chunks are fetched with them, rather than the chunks with two requests.
const GAP: u64 = 64 << 10;

/// So many requests for one slice are under way at once.
const AT_ONCE: usize = 16;

/// An array in an object store: S3, Google Cloud Storage, Azure, HTTP, memory, whatever [`object_store`] reaches.
///
/// Opening takes two requests, for the header and for the index. A slice takes one for each run of neighbouring chunks, up to 16 at
/// once. All of them ask for the object that was opened, and the tag, the time and the length in each answer are compared: if it is
/// replaced meanwhile, that is an error. (A server that gives no tag and no time lets an object of equal length pass.) The store's own
/// options set timeouts and retries.
///
/// ```
/// # futures_executor::block_on(async {
/// use std::sync::Arc;
/// use b2nd_ndarray::{Options, Remote, s};
/// use b2nd_ndarray::object_store::{ObjectStore, ObjectStoreExt, memory::InMemory};
///
/// let values = ndarray::Array2::from_shape_fn((100, 200), |(row, column)| (row * column) as f32);
/// let store: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
/// store.put(&"field.b2nd".into(), b2nd_ndarray::to_frame(&values, &Options::default())?.into()).await?;
///
/// let remote = Remote::open(store, "field.b2nd".into()).await?;
/// assert_eq!(remote.array().geometry().shape(), [100, 200]);
/// assert_eq!(remote.read::<f32>(&[7..8, 10..12]).await?, ndarray::array![[70.0, 77.0]].into_dyn());
/// assert_eq!(remote.slice::<f32>(s![-1, 10..14;2]).await?, ndarray::array![990.0, 1188.0].into_dyn());
///
/// // Where decompressing is to be done elsewhere than in the async runtime:
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
    /// Opens the array in an object.
    ///
    /// # Errors
    ///
    /// Those of [`Array::open`]; a request fails ([`Error::Request`], with its range); or the frame is sparse.
    pub async fn open(store: Arc<dyn ObjectStore>, path: Path) -> Result<Remote> {
        Remote::open_at(store, path, 0).await
    }

    /// Opens the array in a frame that starts at byte `offset` of an object, as in an archive.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Remote::open).
    pub async fn open_at(store: Arc<dyn ObjectStore>, path: Path, offset: u64) -> Result<Remote> {
        let mut object = Object { store, path, opened: None };
        let first = offset..offset.saturating_add(FIRST_READ);
        let answer = object.get(&first).await?;
        let length = answer.meta.size;
        object.opened = Some(answer.meta.clone());
        let parts = Arc::new(Parts::new(length));
        parts.add(offset, answer.bytes().await.map_err(|error| object.failed(&first, error))?.into());
        // Header and index, as far as they are at hand.
        let open = || -> Result<Array> {
            let array = Array::from_source(parts.clone(), offset)?;
            if array.header().frame_type() == FrameType::Sparse {
                let path = &object.path;
                let message = format!("{path}: the chunks of a sparse frame are objects of their own, and are not read here");
                return Err(b2nd::Error::custom(message).into());
            }
            array.store.offsets()?;
            Ok(array)
        };
        let array = loop {
            match (open(), parts.missing()) {
                (Err(_), Some(range)) => parts.add(range.start, object.fetch(&range).await?),
                (done, _) => break done?,
            }
        };
        Ok(Remote { object, length, array })
    }

    /// The array that header and index describe: shapes, type, attributes. Its values have to be [fetched](Remote::fetch) first.
    pub fn array(&self) -> &Array {
        &self.array
    }

    /// Fetches the chunks of a slice, still compressed. The slice can be read from the array that this returns.
    ///
    /// # Errors
    ///
    /// The slice is not inside the array, or a request fails ([`Error::Request`], with its range).
    pub async fn fetch(&self, slice: &[Range<i64>]) -> Result<Array> {
        let ranges = self.array.byte_ranges(slice, GAP)?;
        let parts = Arc::new(Parts::new(self.length));
        let requests = stream::iter(ranges).map(|range| async move {
            let bytes = self.object.fetch(&range).await?;
            Ok((range.start, bytes))
        });
        requests
            .buffer_unordered(AT_ONCE)
            .try_for_each(|(start, bytes)| {
                parts.add(start, bytes);
                std::future::ready(Ok::<(), Error>(()))
            })
            .await?;
        self.array.with_source(parts)
    }

    /// Reads a slice in ndarray's notation, as [`Array::slice`] does.
    ///
    /// # Errors
    ///
    /// Those of [`fetch`](Remote::fetch) and of [`Array::slice`].
    pub async fn slice<T: Element>(&self, slice: impl AsRef<[SliceInfoElem]>) -> Result<ArrayD<T>> {
        let ranges = self.array.bounds(slice.as_ref())?.ranges;
        self.fetch(&ranges).await?.slice(slice)
    }

    /// Reads a slice: fetches its chunks, and decompresses them in this task.
    ///
    /// # Errors
    ///
    /// Those of [`fetch`](Remote::fetch) and of [`Array::read`].
    pub async fn read<T: Element>(&self, slice: &[Range<i64>]) -> Result<ArrayD<T>> {
        self.fetch(slice).await?.read(slice)
    }
}

/// An object, as it was when it was opened.
#[derive(Debug)]
struct Object {
    store: Arc<dyn ObjectStore>,
    path: Path,
    opened: Option<ObjectMeta>,
}

impl Object {
    async fn get(&self, range: &Range<u64>) -> Result<GetResult> {
        let if_match = self.opened.as_ref().and_then(|opened| opened.e_tag.clone());
        let options = GetOptions { if_match, range: Some(range.clone().into()), ..GetOptions::default() };
        let answer = self.store.get_opts(&self.path, options).await.map_err(|error| self.failed(range, error))?;
        // Not every store minds if_match.
        match self.opened.as_ref().and_then(|opened| changed(opened, &answer.meta)) {
            Some(message) => Err(self.failed(range, message)),
            None => Ok(answer),
        }
    }

    /// All bytes of a range.
    async fn fetch(&self, range: &Range<u64>) -> Result<Vec<u8>> {
        let bytes = self.get(range).await?.bytes().await.map_err(|error| self.failed(range, error))?;
        let expected = range.end - range.start;
        if bytes.len() as u64 != expected {
            let message = format!("expected {expected} bytes, found {}", bytes.len());
            return Err(self.failed(range, std::io::Error::new(std::io::ErrorKind::UnexpectedEof, message)));
        }
        Ok(bytes.into())
    }

    fn failed(&self, range: &Range<u64>, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error::Request { path: self.path.to_string(), range: range.clone(), source: error.into() }
    }
}

/// The difference between what an answer and the first one say of the object.
fn changed(opened: &ObjectMeta, now: &ObjectMeta) -> Option<String> {
    let tags = opened.e_tag.as_ref().zip(now.e_tag.as_ref());
    let (what, before, after) = if opened.size != now.size {
        ("length", opened.size.to_string(), now.size.to_string())
    } else if let Some((before, after)) = tags.filter(|(before, after)| before != after) {
        ("tag", before.clone(), after.clone())
    } else if opened.version != now.version {
        ("version", format!("{:?}", opened.version), format!("{:?}", now.version))
    } else if opened.last_modified != now.last_modified {
        ("time", opened.last_modified.to_rfc3339(), now.last_modified.to_rfc3339())
    } else {
        return None;
    };
    Some(format!("it was replaced while it was read: expected the {what} {before}, found {after}"))
}
