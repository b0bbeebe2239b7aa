//! [`DatasetFrame`]: a dataset as a sparse frame, whose chunks are made when they are read.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use b2nd::Geometry;
use b2nd_frame::{Chunk, ChunkHeader, Error, ErrorKind, Frame, Result, Source, Special, Target, Writer};
use b2nd_store::Bytes;
use hdf5_reader::cache::{ChunkCache, ChunkKey};
use hdf5_reader::error::Error as Fault;
use rmpv::Value;

use crate::dataset::{Dataset, Layout, complete};
use crate::file::{Attribute, fault};
use crate::filters::filter_name;

/// The number of bytes of chunks that are kept in memory, or of a single chunk if it is longer.
const CACHED: usize = 1 << 26;

/// The attribute of a frame with the dataset's filters, and with attributes that the frame's trailer cannot hold.
const HDF5: &str = "hdf5";

/// The attribute of a frame with the attributes that PyTables writes for itself.
const PYTABLES: &str = "pytables";

/// The starts of their names.
const OF_PYTABLES: [&str; 8] = ["CLASS", "EXTDIM", "FIELD_", "FLAVOR", "NROWS", "PYTABLES_FORMAT_VERSION", "TITLE", "VERSION"];

/// The number of attributes that a trailer can hold besides [`HDF5`] and [`PYTABLES`].
const ATTRIBUTES: usize = 14;

/// A dataset as a sparse frame. The header, the index and the trailer are in memory.
pub(crate) struct DatasetFrame {
    dataset: Dataset,
    front: Vec<u8>,
    chunks: ChunkCache,
}

impl DatasetFrame {
    pub(crate) fn open(dataset: Dataset) -> Result<Bytes> {
        let header = dataset.header()?;
        let nbytes = usize::try_from(header.chunksize()).unwrap_or(0);
        let mut writer = Writer::outline(header);
        let is_empty = matches!(dataset.layout, Layout::Chunked(_) | Layout::Flat(None));
        for number in 0..dataset.grid.nchunks() {
            match dataset.place(number) {
                Some(place) => writer.append_elsewhere(nbytes, place.size.min(u32::MAX.into()))?,
                None if is_empty && dataset.fill.is_empty() => writer.append_special(Special::Zeros, nbytes)?,
                None if is_empty => writer.append_elsewhere(nbytes, dataset.fill.len() as u64)?,
                None => writer.append_elsewhere(nbytes, nbytes as u64)?,
            }
        }
        let filters = dataset.filters.iter().map(|filter| filter_name(filter).into()).collect();
        set_attributes(
            &mut writer,
            &dataset.attributes,
            dataset.file.is_pytables,
            vec![("filters".into(), Value::Array(filters))],
        )?;
        let front = writer.finish()?;
        // A chunk is read in several parts.
        let chunks = ChunkCache::new(CACHED.max(nbytes.saturating_mul(2)), 1 << 10);
        Ok(Arc::new(DatasetFrame { dataset, front, chunks }))
    }

    /// Returns the header of an uncompressed chunk.
    fn stored_header(&self) -> Result<ChunkHeader> {
        let grid = &self.dataset.grid;
        let bytes = |items: i64| usize::try_from(items).unwrap_or(usize::MAX).saturating_mul(self.itemsize());
        let mut header = ChunkHeader::stored(bytes(grid.extchunknitems()), self.itemsize().clamp(1, 255))?;
        header.set_blocksize(bytes(grid.blocknitems()));
        Ok(header)
    }

    fn itemsize(&self) -> usize {
        self.dataset.dtype.itemsize()
    }

    /// Makes a chunk of the array from a chunk of the dataset.
    fn chunk(&self, number: u64) -> Result<Vec<u8>> {
        let dataset = &self.dataset;
        let Some(place) = dataset.place(number) else { return self.flat(number) };
        let blosc2 = dataset.blosc2(place);
        let rest = blosc2.map_or(0, |at| at + 1);
        let mut bytes = dataset.read(place, rest)?;
        if blosc2.is_some() {
            let frame = Frame::from_slice(&bytes)?;
            if let Some(range) = if dataset.fits(frame.header()) { frame.offsets()?.range(0) } else { None } {
                bytes.drain(..usize::try_from(range.start).unwrap_or(usize::MAX).min(bytes.len()));
                return Ok(bytes);
            }
        }
        let data = dataset.unfilter(bytes, place, 0..rest)?;
        let expected = dataset.chunk_len().unwrap_or(usize::MAX);
        if data.len() != expected {
            let found = data.len();
            return Err(Error::custom(format_args!("expected {expected} bytes from the filters, found {found}")));
        }
        self.stored(&data)
    }

    /// Makes an uncompressed chunk from elements in C order.
    fn stored(&self, data: &[u8]) -> Result<Vec<u8>> {
        let header = self.stored_header()?;
        let (mut chunk, start) = (header.as_bytes().to_vec(), header.as_bytes().len());
        chunk.resize(start + header.nbytes(), 0);
        let geometry = &self.dataset.geometry;
        let shape: Vec<_> = geometry.chunkshape().iter().map(|&length| i64::from(length)).collect();
        let whole: Vec<_> = shape.iter().map(|&length| 0..length).collect();
        let grid = Geometry::new(&shape, geometry.chunkshape(), geometry.blockshape())?.grid()?;
        grid.pack(0, &whole, self.itemsize(), data, chunk.get_mut(start..).unwrap_or_default())?;
        Ok(chunk)
    }

    /// Makes the chunk of elements that were not written.
    fn filled(&self) -> Result<Vec<u8>> {
        let fill = &self.dataset.fill;
        let nbytes = self.stored_header()?.nbytes();
        match fill.len() {
            0 => Ok(Chunk::special(Special::Zeros, nbytes, 1)?.into_bytes()),
            1..=255 => Ok(Chunk::repeated(fill, nbytes)?.into_bytes()),
            _ => self.stored(&fill.repeat(self.dataset.chunk_len().unwrap_or(0) / fill.len())),
        }
    }

    /// Reads a chunk of data that are stored in C order. Such a chunk is contiguous.
    fn flat(&self, number: u64) -> Result<Vec<u8>> {
        let (grid, itemsize) = (&self.dataset.grid, self.itemsize() as u64);
        let extent = grid.chunk_extent(number).ok_or_else(|| Error::custom(format_args!("chunk {number} is out of range")))?;
        let (mut first, mut length) = (0_u64, itemsize);
        for (axis, whole) in extent.iter().zip(grid.shape()) {
            first = first.saturating_mul(whole.unsigned_abs()).saturating_add(axis.start.unsigned_abs());
            length = length.saturating_mul(axis.end.abs_diff(axis.start));
        }
        let first = first.saturating_mul(itemsize);
        let Layout::Flat(Some(bytes)) = &self.dataset.layout else { return self.filled() };
        let mut data = bytes.read(first..first.saturating_add(length))?.into_owned();
        complete(&data, length)?;
        // The padding at the end of the array.
        data.resize(self.dataset.chunk_len().unwrap_or(0), 0);
        self.stored(&data)
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
        let chunk = || {
            let is_of_source = |error: &Error| matches!(error.kind(), ErrorKind::Io(_));
            let fault = |error| if is_of_source(&error) { Fault::Io(error.into()) } else { Fault::Other(error.to_string()) };
            self.chunk(number).map_err(fault)
        };
        let chunk = self.chunks.get_or_insert_with(key, chunk).map_err(fault)?;
        Ok(Cow::Owned(chunk.read(range)?.into_owned()))
    }
}

/// Sets the attributes of a frame. Those that a trailer cannot hold, because there are too many or their names are too long, are entries of
/// the attribute [`HDF5`], after `entries`. Those that PyTables writes for itself are entries of [`PYTABLES`].
pub(crate) fn set_attributes<T: Target>(
    writer: &mut Writer<T>,
    all: &[Attribute],
    is_pytables: bool,
    mut entries: Vec<(Value, Value)>,
) -> Result<()> {
    let (mut others, mut pytables, mut unread, mut count) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for (name, value) in all {
        match value {
            Some(value) if is_pytables && OF_PYTABLES.iter().any(|start| name.starts_with(start)) => {
                pytables.push((name.as_str().into(), value.clone()));
            }
            None => unread.push(Value::from(name.as_str())),
            Some(value)
                if ![HDF5, PYTABLES].contains(&name.as_str())
                    && count < ATTRIBUTES
                    && writer.set_vlmetalayer_bytes(name, &packed(value)?).is_ok() =>
            {
                count += 1
            }
            Some(value) => others.push((name.as_str().into(), value.clone())),
        }
    }
    if !pytables.is_empty() {
        writer.set_vlmetalayer_bytes(PYTABLES, &packed(&Value::Map(pytables))?)?;
    }
    if !others.is_empty() {
        entries.push(("attributes".into(), Value::Map(others)));
    }
    if !unread.is_empty() {
        entries.push(("unsupported attributes".into(), Value::Array(unread)));
    }
    if entries.is_empty() { Ok(()) } else { writer.set_vlmetalayer_bytes(HDF5, &packed(&Value::Map(entries))?) }
}

fn packed(value: &Value) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    rmpv::encode::write_value(&mut bytes, value).map_err(Error::custom)?;
    Ok(bytes)
}
