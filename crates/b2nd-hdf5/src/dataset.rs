//! [`Dataset`]: the metadata of a dataset.

use std::sync::Arc;

use b2nd::dtype::DType;
use b2nd::{B2ndMeta, Geometry, Grid};
use b2nd_codec::ChunkHeader;
use b2nd_frame::{CodecId, Error, Frame, Header, Result, Source, Window};
use b2nd_store::Bytes;
use hdf5_reader::chunk_index::ChunkEntry;
use hdf5_reader::filters::FILTER_FLETCHER32;
use hdf5_reader::messages::HdfMessage;
use hdf5_reader::messages::dataspace::DataspaceType;
use hdf5_reader::messages::filter_pipeline::FilterDescription;
use hdf5_reader::messages::layout::DataLayout;
use rmpv::Value;

use crate::attributes::{self, Attribute};
use crate::chunk_index::entries;
use crate::dims;
use crate::dtype::{dtype, has_usual_numbers};
use crate::error::fault;
use crate::file::File;
use crate::filters::{BLOSC, BLOSC2, filter_name};

/// Data without chunks is read as an array whose chunks have at most this number of bytes, or one element.
const CHUNK: i64 = 1 << 18;

/// The number of chunks that a dataset may have even if the file holds none of them.
const EMPTY_CHUNKS: u64 = 1 << 20;

/// A dataset of an HDF5 file.
#[non_exhaustive]
pub struct Dataset {
    /// The array's shape, chunkshape and blockshape. A dataset without chunks is divided into chunks of at most 256 KiB, or of one element.
    pub geometry: Geometry,
    /// The dtype of the elements.
    pub dtype: DType,
    /// The attributes. If each dimension has a scale in the dataset's group or in a group that contains it, as in files of netCDF-4, the
    /// names of the scales are the attribute `dims`, unless the dataset has an attribute of this name.
    pub attributes: Vec<Attribute>,
    /// The filters, in the order in which they were applied.
    pub filters: Vec<FilterDescription>,
    pub(crate) file: File,
    pub(crate) grid: Grid,
    /// The bytes of an element that was not written, or nothing if they are zeros.
    pub(crate) fill: Vec<u8>,
    /// The bytes that contain the chunks: those of the file, or a copy of data that the metadata contains.
    bytes: Window<Bytes>,
    places: Places,
    first: Option<Header>,
}

/// A chunk that an HDF5 file holds.
#[non_exhaustive]
pub struct ChunkInfo {
    /// The index of the chunk in the dataset's grid, in C order.
    pub number: u64,
    /// The offset of the chunk in the file, in bytes.
    pub offset: u64,
    /// The length of the chunk in the file, in bytes.
    pub size: u64,
    /// The names of the filters that were applied to this chunk, in order. A filter without a name has its number. HDF5 can skip a
    /// filter for a chunk.
    pub filters: Vec<String>,
    /// The header of the chunk's frame, if Blosc2 was the first filter, all later filters are Fletcher32, and the header can be read.
    pub frame: Option<Header>,
    /// The header of the Blosc chunk, if Blosc was the first filter, all later filters are Fletcher32, and the header can be read.
    pub blosc: Option<ChunkHeader>,
}

/// The locations of a dataset's data.
enum Places {
    /// The locations of the written chunks, in the order of their indices.
    Chunked(Vec<Place>),
    /// The address of data in C order, or `None` if nothing was written.
    Flat(Option<u64>),
}

/// The location of a chunk in the file.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    number: u64,
    address: u64,
    pub(crate) size: u64,
    /// The filter mask: bit `n` is set if filter `n` was not applied to this chunk.
    mask: u32,
}

impl File {
    /// Opens a dataset.
    ///
    /// # Errors
    ///
    /// Fails if the dataset does not exist or cannot be read, if it cannot be an array (for example, its elements have no fixed size or no
    /// dtype, it has no shape, it is virtual, or its data is in other files), or if its chunks are too large or too many.
    pub fn dataset(&self, path: &str) -> Result<Dataset> {
        let opened = self.hdf5.dataset(path).map_err(fault)?;
        let (mut layout, mut filters, mut fill) = (None, Vec::new(), Vec::new());
        for message in &self.hdf5.get_or_parse_header(opened.address()).map_err(fault)?.messages {
            match message {
                HdfMessage::Dataspace(space) if space.dataspace_type == DataspaceType::Null => {
                    return Err(Error::custom("the dataset has a null dataspace, which has no elements and no shape"));
                }
                HdfMessage::DataLayout(message) => layout = Some(message.layout.clone()),
                HdfMessage::FilterPipeline(message) => filters.clone_from(&message.filters),
                HdfMessage::FillValue(message) => fill = message.value.clone().unwrap_or_default(),
                HdfMessage::ExternalFiles(_) => return Err(Error::custom("the data is in other files, which are not read")),
                _ => {}
            }
        }
        let dtype = dtype(opened.dtype(), self.is_pytables)?;
        if !has_usual_numbers(opened.dtype(), &mut &opened.raw_datatype().map_err(fault)?[..]) {
            return Err(Error::custom("numbers with unused bits, and floats other than those of IEEE 754, are not supported"));
        }
        let itemsize = dtype.itemsize();
        if fill.len() != itemsize || fill.iter().all(|&byte| byte == 0) {
            fill.clear();
        }
        let shape = opened.shape().iter().map(|&length| i64::try_from(length)).collect::<Result<Vec<_>, _>>();
        let shape = shape.map_err(|_| Error::custom(format_args!("shape: {:?} does not fit int64", opened.shape())))?;
        let dims = opened.chunks();
        let chunkshape = match &dims {
            Some(dims) => dims.iter().map(|&length| i32::try_from(length).ok().filter(|&length| length > 0)).collect(),
            None => Some(flat_chunkshape(&shape, itemsize)),
        };
        let chunk = dims.unwrap_or_default();
        let unfit = || Error::custom(format_args!("chunkshape: expected lengths from 1 to 2^31 - 1, found {chunk:?}"));
        let chunkshape: Vec<_> = chunkshape.ok_or_else(unfit)?;
        let geometry = Geometry::new(&shape, &chunkshape, &chunkshape)?;
        let grid = geometry.grid()?;
        let mut bytes = self.window(0, u64::MAX);
        let places = match layout {
            Some(DataLayout::Chunked { address, chunk_indexing, .. }) => {
                let read = |at| entries(&self.hdf5, &opened, at, chunk_indexing.as_ref(), &chunk).map_err(fault);
                let entries = self.defined(address).map(read).transpose()?;
                let whole = u64::try_from(grid.chunknitems()).unwrap_or(0).saturating_mul(itemsize as u64);
                let place = |entry: ChunkEntry| {
                    let start = entry.offsets.iter().take(shape.len()).map(|&at| i64::try_from(at).unwrap_or(i64::MAX));
                    let number = grid.chunk_index(&start.collect::<Vec<_>>())?;
                    let size = if filters.is_empty() { whole } else { entry.size };
                    Some(Place { number, address: self.defined(entry.address)?, size, mask: entry.filter_mask })
                };
                let mut places: Vec<_> = entries.into_iter().flatten().filter_map(place).collect();
                places.sort_by_key(|place| place.number);
                places.dedup_by_key(|place| place.number);
                Places::Chunked(places)
            }
            Some(DataLayout::Compact { data }) => {
                bytes = Window::new(Arc::new(data), 0..u64::MAX);
                Places::Flat(Some(0))
            }
            Some(DataLayout::Contiguous { address, .. }) => Places::Flat(self.defined(address)),
            None => Places::Flat(None),
        };
        let mut all = attributes::values(&opened.attributes(), &opened.raw_attributes().map_err(fault)?);
        let names = dims::names(&self.hdf5, &self.scales, &opened, path)?;
        if let Some(names) = names.filter(|_| all.iter().all(|(name, _)| name != dims::DIMS)) {
            all.retain(|(name, _)| name != dims::LIST);
            all.insert(0, (dims::DIMS.to_owned(), Some(names.into_iter().map(Value::from).collect())));
        }
        let file = self.clone();
        let mut dataset = Dataset { geometry, dtype, attributes: all, filters, file, grid, fill, bytes, places, first: None };
        dataset.check_limits()?;
        dataset.first = dataset.written().first().and_then(|&place| dataset.frame_header(place));
        if let Some(blockshape) = dataset.first.as_ref().and_then(|header| dataset.blockshape(header)) {
            let geometry = Geometry::new(&shape, &chunkshape, &blockshape)?;
            let grid = geometry.grid()?;
            // In many dimensions, the padding of blocks can be longer than the data.
            if grid.extchunknitems() / 8 <= grid.chunknitems() {
                (dataset.geometry, dataset.grid) = (geometry, grid);
            }
        }
        Ok(dataset)
    }
}

impl Dataset {
    /// Checks that the memory for a chunk, and for the list of chunks, is bounded.
    fn check_limits(&self) -> Result<()> {
        let (chunk, limit) = (self.chunk_len(), self.file.limit);
        if chunk > limit {
            return Err(Error::custom(format_args!("reading the dataset needs a chunk of {chunk} bytes; the limit is {limit}")));
        }
        let written = match &self.places {
            Places::Chunked(places) => places.len() as u64,
            Places::Flat(_) => self.file.hdf5.storage().len() / CHUNK.unsigned_abs(),
        };
        let (count, limit) = (self.grid.nchunks(), EMPTY_CHUNKS.saturating_add(written.saturating_mul(64)));
        if count > limit {
            return Err(Error::custom(format_args!(
                "reading the dataset needs {count} chunks, but for the amount of data in its file, the limit is {limit}"
            )));
        }
        Ok(())
    }

    /// Returns the length of an unpadded chunk in bytes.
    pub(crate) fn chunk_len(&self) -> usize {
        usize::try_from(self.grid.chunknitems()).unwrap_or(usize::MAX).saturating_mul(self.dtype.itemsize())
    }

    /// Returns the header of a frame with this array. If the first written chunk is a frame, the header has its filters and, unless the
    /// codec is unknown, its codec.
    pub(crate) fn header(&self) -> Result<Header> {
        let header = Header::for_array(&B2ndMeta::new(self.geometry, self.dtype.to_string()))?;
        let Some(first) = &self.first else { return header.with_level(0) };
        let codec = first.codec();
        // Chunks with an unknown codec cannot be decompressed, but their dataset can be opened.
        let header = if matches!(codec, CodecId::Other(0..=31)) { header } else { header.with_codec(codec)? };
        let header = if codec.code() >= 32 { header.with_codec_meta(first.codec_meta())? } else { header };
        let header = header.with_level(first.level().min(9))?;
        let header = header.with_filters(&first.filters().collect::<Vec<_>>())?;
        Ok(if let Some(mode) = first.split_mode() { header.with_split_mode(mode) } else { header })
    }

    /// Iterates over the chunks that the file holds, in the order of their indices. For a dataset that is stored without chunks, there are
    /// none.
    pub fn chunks(&self) -> impl Iterator<Item = ChunkInfo> {
        self.written().iter().map(|&place| ChunkInfo {
            number: place.number,
            offset: self.file.base.saturating_add(place.address),
            size: place.size,
            filters: self.applied(place).into_iter().map(filter_name).collect(),
            frame: self.frame_header(place),
            blosc: self.blosc_header(place),
        })
    }

    fn written(&self) -> &[Place] {
        if let Places::Chunked(places) = &self.places { places } else { &[] }
    }

    fn frame_header(&self, place: Place) -> Option<Header> {
        let frame = self.output_of(BLOSC2, place)?;
        // Most headers are shorter than 512 bytes.
        let header = |length| Some(Frame::open(Window::new(&frame, 0..length)).ok()?.header().clone());
        header(512).or_else(|| header(place.size))
    }

    fn blosc_header(&self, place: Place) -> Option<ChunkHeader> {
        ChunkHeader::from_slice(&self.output_of(BLOSC, place)?.read(0..ChunkHeader::MAX_LEN as u64).ok()?).ok()
    }

    /// Returns the bytes of a chunk, if they are the output of this filter, perhaps followed by checksums.
    fn output_of(&self, filter: u16, place: Place) -> Option<Window<Bytes>> {
        let is_output = self.after(filter, place)?.iter().all(|other| other.id == FILTER_FLETCHER32);
        is_output.then(|| self.file.window(place.address, place.size))
    }

    /// Returns the filters that were applied to a chunk after `filter`, or `None` if `filter` was not the first.
    fn after(&self, filter: u16, place: Place) -> Option<Vec<&FilterDescription>> {
        let mut applied = self.applied(place);
        (applied.first()?.id == filter).then(|| applied.split_off(1))
    }

    /// Returns the Blosc2 frame of the chunk with this index, or `None` if the chunk was not written or Blosc2 was not its first filter.
    ///
    /// # Errors
    ///
    /// Fails if the chunk cannot be read, or if filters after Blosc2 fail, such as Fletcher32 for damaged data.
    pub fn chunk_frame(&self, number: u64) -> Result<Option<Vec<u8>>> {
        let Some(place) = self.place(number) else { return Ok(None) };
        self.after(BLOSC2, place).map(|others| self.unfilter(self.read(place)?, &others)).transpose()
    }

    /// Returns the location of a chunk, or `None` if the chunk was not written.
    pub(crate) fn place(&self, number: u64) -> Option<Place> {
        let start = match &self.places {
            Places::Chunked(all) => return all.get(all.binary_search_by_key(&number, |place| place.number).ok()?).copied(),
            Places::Flat(start) => (*start)?,
        };
        let itemsize = self.dtype.itemsize() as u64;
        let (mut first, mut size) = (0_u64, itemsize);
        for (axis, whole) in self.grid.chunk_extent(number)?.iter().zip(self.grid.shape()) {
            first = first.saturating_mul(whole.unsigned_abs()).saturating_add(axis.start.unsigned_abs());
            size = size.saturating_mul(axis.end.abs_diff(axis.start));
        }
        Some(Place { number, address: start.saturating_add(first.saturating_mul(itemsize)), size, mask: 0 })
    }

    /// Reads the elements of a chunk in C order. `frame` is the frame in the chunk, if Blosc2 was the first filter.
    pub(crate) fn elements(&self, place: Place, frame: Option<Vec<u8>>) -> Result<Vec<u8>> {
        let applied = self.applied(place);
        let mut elements = match frame {
            Some(frame) => self.unfilter(frame, applied.get(..1).unwrap_or_default())?,
            None => self.unfilter(self.read(place)?, &applied)?,
        };
        let expected = self.chunk_len();
        if matches!(self.places, Places::Flat(_)) {
            // Add the padding of a chunk at the end of the array.
            elements.resize(expected, 0);
        }
        if elements.len() != expected {
            let found = elements.len();
            return Err(Error::custom(format_args!("expected a decoded chunk of {expected} bytes, found {found}")));
        }
        Ok(elements)
    }

    /// Reads a chunk as it is in the file.
    fn read(&self, place: Place) -> Result<Vec<u8>> {
        let bytes = self.bytes.read(place.address..place.address.saturating_add(place.size))?.into_owned();
        let (expected, found) = (place.size, bytes.len());
        if (found as u64) < expected {
            return Err(Error::custom(format_args!("expected {expected} bytes, found {found}: the file is damaged or cut off")));
        }
        Ok(bytes)
    }

    /// Reverses filters.
    fn unfilter(&self, mut bytes: Vec<u8>, filters: &[&FilterDescription]) -> Result<Vec<u8>> {
        // Filters before the last may have made a chunk a little longer.
        let limit = self.chunk_len().saturating_mul(2).saturating_add(1 << 16);
        for filter in filters.iter().rev() {
            bytes = self.file.registry.apply_with_limit(filter, &bytes, self.dtype.itemsize(), Some(limit)).map_err(fault)?;
        }
        Ok(bytes)
    }

    /// Returns the filters applied to a chunk. Its mask marks which of the first 32 were skipped. Data without chunks has no filters.
    fn applied(&self, place: Place) -> Vec<&FilterDescription> {
        if matches!(self.places, Places::Flat(_)) {
            return Vec::new();
        }
        let is_applied = |(at, _): &(usize, _)| place.mask.checked_shr(*at as u32).unwrap_or(0) & 1 == 0;
        self.filters.iter().enumerate().filter(is_applied).map(|(_, filter)| filter).collect()
    }

    /// Returns the blockshape of a chunk's frame if the frame's chunk can be used as a chunk of the array.
    fn blockshape(&self, header: &Header) -> Option<Vec<i32>> {
        // If the elements have an array type, the filter stores the typesize of its base type. Readers expect that of the whole element.
        if usize::try_from(header.typesize()) != Ok(self.dtype.itemsize()) {
            return None;
        }
        let chunkshape = self.geometry.chunkshape();
        if let Some(array) = header.array().ok()? {
            return is_whole(array.geometry(), chunkshape).then(|| array.geometry().blockshape().to_vec());
        }
        // For one dimension, the filter writes no array metalayer.
        let [chunk] = chunkshape else { return None };
        let block = header.blocksize().checked_div(header.typesize())?;
        (block > 0 && chunk % block == 0 && block.checked_mul(header.typesize())? == header.blocksize()).then(|| vec![block])
    }

    /// Returns true if the frame has one chunk, with as much data as a chunk of the array, and with the array's blockshape.
    pub(crate) fn fits(&self, header: &Header) -> bool {
        let itemsize = i64::try_from(self.dtype.itemsize()).unwrap_or(i64::MAX);
        self.blockshape(header).as_deref() == Some(self.geometry.blockshape())
            && header.nchunks() == Some(1)
            && self.grid.extchunknitems().checked_mul(itemsize) == Some(header.nbytes())
    }
}

/// Returns true if an array consists of one chunk of this shape.
fn is_whole(array: &Geometry, chunkshape: &[i32]) -> bool {
    array.chunkshape() == chunkshape && array.shape().iter().copied().eq(chunkshape.iter().map(|&length| i64::from(length)))
}

/// Returns a chunkshape with which the elements of each chunk are contiguous in data in C order.
fn flat_chunkshape(shape: &[i64], itemsize: usize) -> Vec<i32> {
    let (mut rows, mut chunkshape) = (CHUNK / i64::try_from(itemsize).unwrap_or(i64::MAX).max(1), vec![1; shape.len()]);
    for (chunk, &length) in chunkshape.iter_mut().zip(shape).rev() {
        *chunk = i32::try_from(length.clamp(1, rows.max(1))).unwrap_or(1);
        // If a chunk holds only a part of a row, its length is 1 in all preceding dimensions.
        rows = if i64::from(*chunk) < length { 1 } else { rows / i64::from(*chunk) };
    }
    chunkshape
}
