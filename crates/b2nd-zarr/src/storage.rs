//! [`B2ndStorage`]: provides a frame as the files of a Zarr array.

use std::ffi::OsStr;
use std::ops::Range;
use std::path::Path;

use b2nd::ArrayMeta;
use b2nd_frame::{Frame, FrameType, Offset, Special};
use b2nd_ndarray::Array;
use b2nd_store::{Bytes as SharedSource, Location};
use serde_json::json;
use zarrs::storage::byte_range::{ByteRange, ByteRangeIterator};
use zarrs::storage::{
    Bytes, ListableStorageTraits, MaybeBytesIterator, ReadableStorageTraits, StorageError, StoreKey, StoreKeys,
    StoreKeysPrefixes, StorePrefix,
};

use crate::error::{Error, Result};
use crate::new_metadata;

/// A storage through which the crate `zarrs` reads a b2nd array as a Zarr array, without converting the file. `zarr.json` is created from
/// the frame's metadata. The key of a chunk refers to a range of the frame's bytes, or to the chunk's file if the frame is sparse.
///
/// A chunk of zeros or of uninitialized elements that exists only as an entry in the index has no key, so it is read as the fill value,
/// which is zero. A chunk of NaN without bytes is created when it is read.
///
/// ```
/// use std::sync::Arc;
///
/// use b2nd_zarr::{B2ndStorage, zarrs::array::Array};
///
/// let storage = Arc::new(B2ndStorage::open("../../tests/data/grid/i4_2d.b2nd")?);
/// let array = Array::open(storage, "/")?;
/// let elements: Vec<i32> = array.retrieve_array_subset(&[0..2, 0..3])?;
/// assert_eq!(elements.len(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct B2ndStorage {
    pub(crate) array: Array,
    pub(crate) metadata: Bytes,
}

impl B2ndStorage {
    /// Opens an array by its path, or by its key in a store (`archive.b2z::/group/x`). With the feature `http` or `https` of the crate
    /// `b2nd-store`, also by its URL.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or contains no array, if the values of the array are computed or are in another file, or if Zarr
    /// has no data type for the elements.
    pub fn open(location: impl AsRef<Path>) -> Result<B2ndStorage> {
        let location = Location::new(AsRef::<OsStr>::as_ref(location.as_ref()));
        B2ndStorage::of(Array::from_source(location.frame()?, 0)?)
    }

    /// Opens the array in a frame.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`open`](B2ndStorage::open).
    pub fn new(frame: Frame<SharedSource>) -> Result<B2ndStorage> {
        B2ndStorage::of(frame.try_into()?)
    }

    pub(crate) fn of(array: Array) -> Result<B2ndStorage> {
        let header = array.header();
        let meta: ArrayMeta<&str> = header.array()?.ok_or(b2nd_ndarray::Error::NoArray)?;
        let (geometry, zarr) = (meta.geometry(), new_metadata::zarr_type(&meta)?);
        let compressor = json!({
            "cname": header.codec().to_string().to_lowercase(),
            "clevel": header.level(),
            "typesize": header.typesize().clamp(1, 255),
        });
        let compressor = serde_json::from_value(compressor).unwrap_or_else(|_| crate::Blosc2Codec::default());
        let compressor = serde_json::to_value(compressor).map_err(Error::zarr)?;
        let codecs = new_metadata::codecs(geometry, &zarr, &compressor);
        let mut attributes = new_metadata::attributes(&array)?;
        let names = new_metadata::take_names(&mut attributes, geometry.ndim());
        let metadata =
            new_metadata::array(geometry.shape(), &new_metadata::chunkshape(geometry), &zarr, codecs, attributes, names);
        Ok(B2ndStorage { metadata: serde_json::to_vec_pretty(&metadata).map_err(Error::zarr)?.into(), array })
    }

    /// Returns the index of the chunk with this key, or `None` if no chunk has this key.
    pub(crate) fn chunk(&self, key: &StoreKey) -> Option<u64> {
        let coordinates: Option<Vec<i64>> = key.as_str().split('/').skip(1).map(|part| part.parse().ok()).collect();
        // Keys such as `x/0` and `c/00` give the coordinates of a chunk, but are not its key.
        self.array.grid().chunk_from_coords(&coordinates?).filter(|&number| self.chunk_key(number).as_ref() == Some(key))
    }

    fn chunk_key(&self, number: u64) -> Option<StoreKey> {
        let coordinates = self.array.grid().chunk_coords(number)?;
        let key = coordinates.iter().fold("c".to_owned(), |key, coordinate| format!("{key}/{coordinate}"));
        StoreKey::new(key).ok()
    }

    /// Returns the bytes that are stored under a key, or the range of the frame that contains them. Returns `None` if the key does not
    /// exist.
    fn value(&self, key: &StoreKey) -> b2nd_frame::Result<Option<Stored>> {
        if key.as_str() == new_metadata::FILE {
            return Ok(Some(Stored::Here(self.metadata.clone())));
        }
        let Some(number) = self.chunk(key) else { return Ok(None) };
        let offsets = self.array.frame().offsets()?;
        match offsets.get(number) {
            Some(Offset::Special(Special::Zeros | Special::Uninitialized)) | None => Ok(None),
            Some(Offset::At(_)) if self.array.frame().header().frame_type() == FrameType::Contiguous => {
                let header = self.array.frame().chunk_header(number)?;
                let start = offsets.range(number).map_or(0, |range| range.start);
                Ok(Some(Stored::InFrame(start..start + header.cbytes() as u64)))
            }
            Some(_) => Ok(Some(Stored::Here(self.array.frame().chunk(number)?.into_bytes().into()))),
        }
    }
}

/// The bytes that are stored under a key: in memory, or as a range of the frame's bytes.
enum Stored {
    Here(Bytes),
    InFrame(Range<u64>),
}

impl Stored {
    fn len(&self) -> u64 {
        match self {
            Stored::Here(bytes) => bytes.len() as u64,
            Stored::InFrame(range) => range.end - range.start,
        }
    }
}

pub(crate) fn failed(error: impl std::fmt::Display) -> StorageError {
    StorageError::Other(error.to_string())
}

impl ReadableStorageTraits for B2ndStorage {
    fn get_partial_many<'a>(
        &'a self,
        key: &StoreKey,
        byte_ranges: ByteRangeIterator<'a>,
    ) -> std::result::Result<MaybeBytesIterator<'a>, StorageError> {
        let Some(stored) = self.value(key).map_err(failed)? else { return Ok(None) };
        let read = move |range: ByteRange| {
            let length = stored.len();
            let (start, end) = (range.start(length), range.end(length));
            if start > end || end > length {
                return Err(StorageError::Other(format!("bytes {start}..{end} were requested, but the length is {length}")));
            }
            match &stored {
                Stored::Here(bytes) => Ok(bytes.slice(to_usize(start)?..to_usize(end)?)),
                Stored::InFrame(chunk) => {
                    let bytes = self.array.frame().read(chunk.start + start..chunk.start + end).map_err(failed)?;
                    Ok(bytes.into_owned().into())
                }
            }
        };
        Ok(Some(Box::new(byte_ranges.map(read))))
    }

    fn size_key(&self, key: &StoreKey) -> std::result::Result<Option<u64>, StorageError> {
        Ok(self.value(key).map_err(failed)?.map(|stored| stored.len()))
    }

    fn supports_get_partial(&self) -> bool {
        true
    }
}

fn to_usize(length: u64) -> std::result::Result<usize, StorageError> {
    usize::try_from(length).map_err(failed)
}

impl ListableStorageTraits for B2ndStorage {
    fn list(&self) -> std::result::Result<StoreKeys, StorageError> {
        let offsets = self.array.frame().offsets().map_err(failed)?;
        let is_stored =
            |number: &u64| !matches!(offsets.get(*number), Some(Offset::Special(Special::Zeros | Special::Uninitialized)) | None);
        let metadata = StoreKey::new(new_metadata::FILE).map_err(failed)?;
        Ok(std::iter::once(metadata)
            .chain((0..self.array.grid().nchunks()).filter(is_stored).filter_map(|number| self.chunk_key(number)))
            .collect())
    }

    fn list_prefix(&self, prefix: &StorePrefix) -> std::result::Result<StoreKeys, StorageError> {
        Ok(self.list()?.into_iter().filter(|key| key.has_prefix(prefix)).collect())
    }

    fn list_dir(&self, prefix: &StorePrefix) -> std::result::Result<StoreKeysPrefixes, StorageError> {
        let (mut keys, mut prefixes) = (StoreKeys::new(), std::collections::BTreeSet::new());
        for key in self.list_prefix(prefix)? {
            match key.as_str()[prefix.as_str().len()..].split_once('/') {
                Some((child, _)) => {
                    prefixes.insert(StorePrefix::new(format!("{}{child}/", prefix.as_str())).map_err(failed)?);
                }
                None => keys.push(key),
            }
        }
        Ok(StoreKeysPrefixes::new(keys, prefixes.into_iter().collect()))
    }

    fn size_prefix(&self, prefix: &StorePrefix) -> std::result::Result<u64, StorageError> {
        self.list_prefix(prefix)?.iter().try_fold(0, |sum, key| Ok(sum + self.size_key(key)?.unwrap_or(0)))
    }
}
