//! [`DatasetFrame`]: a dataset as a sparse frame, whose chunks are made when they are read.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use b2nd::Geometry;
use b2nd_frame::{Chunk, ChunkHeader, Frame, Result, Source, Special, Writer};
use b2nd_ndarray::Array;
use b2nd_store::Bytes;
use hdf5_reader::cache::{ChunkCache, ChunkKey};
use hdf5_reader::error::Error as Fault;
use rmpv::Value;

use crate::attributes::set_attributes;
use crate::dataset::Dataset;
use crate::error::fault;
use crate::file::File;
use crate::filters::filter_name;

/// The maximum number of bytes of chunks that are kept in memory, or twice the length of a chunk if that is more.
const CACHED: usize = 1 << 26;

/// A dataset as a sparse frame. The header, the index and the trailer are in memory.
pub(crate) struct DatasetFrame {
    dataset: Dataset,
    front: Vec<u8>,
    /// The lengths of a chunk and of a block of the array in bytes, with padding.
    nbytes: usize,
    blocksize: usize,
    chunks: ChunkCache,
}

impl File {
    /// Opens a dataset as an array.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`dataset`](File::dataset). Also fails if a frame cannot hold the array, for example because a padded chunk
    /// takes 2 GiB or more.
    pub fn array(&self, path: &str) -> Result<Array, b2nd_ndarray::Error> {
        Array::from_source(DatasetFrame::open(self.dataset(path)?)?, 0)
    }
}

impl DatasetFrame {
    pub(crate) fn open(dataset: Dataset) -> Result<Bytes> {
        let header = dataset.header()?;
        let [nbytes, blocksize] = [header.chunksize(), header.blocksize()].map(|length| usize::try_from(length).unwrap_or(0));
        let mut writer = Writer::outline(header);
        for number in 0..dataset.grid.nchunks() {
            match dataset.place(number) {
                Some(place) => writer.append_elsewhere(nbytes, place.size.min(u32::MAX.into()))?,
                None if dataset.fill.is_empty() => writer.append_special(Special::Zeros, nbytes)?,
                None => writer.append_elsewhere(nbytes, dataset.fill.len() as u64)?,
            }
        }
        let filters = dataset.filters.iter().map(|filter| filter_name(filter).into()).collect();
        let entries = vec![("filters".into(), Value::Array(filters))];
        set_attributes(&mut writer, &dataset.attributes, dataset.file.is_pytables, entries)?;
        let front = writer.finish()?;
        // A long chunk is read with several calls, so it must stay in the cache.
        let chunks = ChunkCache::new(CACHED.max(nbytes.saturating_mul(2)), 1 << 10);
        Ok(Arc::new(DatasetFrame { dataset, front, nbytes, blocksize, chunks }))
    }

    /// Makes a chunk of the array from a chunk of the dataset.
    fn chunk(&self, number: u64) -> Result<Vec<u8>> {
        let dataset = &self.dataset;
        let Some(place) = dataset.place(number) else { return self.filled() };
        let mut frame = dataset.chunk_frame(number)?;
        if let Some(bytes) = &mut frame {
            let frame = Frame::from_slice(bytes)?;
            if let Some(range) = if dataset.fits(frame.header()) { frame.offsets()?.range(0) } else { None } {
                return Ok(bytes.split_off(usize::try_from(range.start).unwrap_or(usize::MAX).min(bytes.len())));
            }
        }
        self.stored(&dataset.elements(place, frame)?)
    }

    /// Makes an uncompressed chunk from elements in C order.
    fn stored(&self, elements: &[u8]) -> Result<Vec<u8>> {
        let (geometry, itemsize) = (&self.dataset.geometry, self.dataset.dtype.itemsize());
        let mut header = ChunkHeader::stored(self.nbytes, itemsize.clamp(1, 255))?;
        header.set_blocksize(self.blocksize);
        let mut chunk = header.as_bytes().to_vec();
        chunk.resize(ChunkHeader::MAX_LEN + self.nbytes, 0);
        let shape: Vec<_> = geometry.chunkshape().iter().map(|&length| i64::from(length)).collect();
        let whole: Vec<_> = shape.iter().map(|&length| 0..length).collect();
        let grid = Geometry::new(&shape, geometry.chunkshape(), geometry.blockshape())?.grid()?;
        grid.pack(0, &whole, itemsize, elements, &mut chunk[ChunkHeader::MAX_LEN..])?;
        Ok(chunk)
    }

    /// Makes the chunk of elements that were not written.
    fn filled(&self) -> Result<Vec<u8>> {
        let fill = &self.dataset.fill;
        match fill.len() {
            ..=255 => Ok(Chunk::repeated(fill, self.nbytes)?.into_bytes()),
            length => self.stored(&fill.repeat(self.dataset.chunk_len() / length)),
        }
    }
}

impl Source for DatasetFrame {
    fn len(&self) -> Result<u64> {
        Ok(self.front.len() as u64)
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        self.front.read(range)
    }

    fn chunk_file(&self, number: u64, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        if range.is_empty() {
            return Ok(Cow::Borrowed(&[]));
        }
        let key = ChunkKey { dataset_addr: number, chunk_offsets: Default::default() };
        // The cache passes on errors of hdf5-reader, which have other kinds.
        let mut failed = None;
        let chunk = || self.chunk(number).map_err(|error| Fault::Other(failed.insert(error).to_string()));
        let chunk = self.chunks.get_or_insert_with(key, chunk).map_err(|error| failed.unwrap_or_else(|| fault(error)))?;
        Ok(Cow::Owned(chunk.read(range)?.into_owned()))
    }
}
