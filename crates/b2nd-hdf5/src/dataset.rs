//! [`Dataset`]: the metadata of a dataset.

use std::ops::Range;
use std::sync::Arc;

use b2nd::dtype::DType;
use b2nd::{B2ndMeta, Geometry, Grid};
use b2nd_codec::ChunkHeader;
use b2nd_frame::{CodecId, Error, Frame, Header, Result, Source, Window};
use b2nd_store::Bytes;
use hdf5_reader::btree_v1::BTreeV1Key;
use hdf5_reader::chunk_index::ChunkEntry;
use hdf5_reader::filters::FILTER_FLETCHER32;
use hdf5_reader::io::Cursor;
use hdf5_reader::messages::dataspace::{DataspaceMessage, DataspaceType};
use hdf5_reader::messages::layout::{ChunkIndexing, DataLayout};
use hdf5_reader::messages::{HdfMessage, filter_pipeline::FilterDescription};
use hdf5_reader::{btree_v1, chunk_index, extensible_array, fixed_array};
use rmpv::Value;

use crate::dtype::dtype;
use crate::file::{Attribute, File, fault};
use crate::filters::{BLOSC, BLOSC2, filter_name};
use crate::{attributes, dims};

/// Data without chunks are read as an array whose chunks have at most this number of bytes, or one element.
const CHUNK: i64 = 1 << 18;

/// The number of chunks that a dataset may have although its file does not hold them.
const EMPTY_CHUNKS: u64 = 1 << 20;

/// A dataset of an HDF5 file.
#[non_exhaustive]
pub struct Dataset {
    /// The array's shape, chunkshape and blockshape. A dataset without chunks is divided into chunks of at most 256 KiB.
    pub geometry: Geometry,
    /// The dtype of the elements.
    pub dtype: DType,
    /// The attributes. If all dimensions have scales, as in files of netCDF-4, the names of the scales are the attribute `dims`.
    pub attributes: Vec<Attribute>,
    /// The filters, in the order in which they were applied.
    pub filters: Vec<FilterDescription>,
    pub(crate) file: File,
    pub(crate) grid: Grid,
    pub(crate) layout: Layout,
    /// The bytes of an element that was not written, or nothing if they are zeros.
    pub(crate) fill: Vec<u8>,
    first: Option<Header>,
}

/// A chunk that an HDF5 file holds.
#[non_exhaustive]
pub struct ChunkInfo {
    /// The number of the chunk in the dataset's grid, in C order.
    pub number: u64,
    /// The offset of the chunk in the file, in bytes.
    pub offset: u64,
    /// The length of the chunk in the file, in bytes.
    pub size: u64,
    /// The names of the filters that were applied to this chunk, in order. HDF5 can skip a filter for a chunk.
    pub filters: Vec<String>,
    /// The header of the frame that the chunk is, if Blosc2 was the first filter and no later filter changed the frame.
    pub frame: Option<Header>,
    /// The header of the Blosc chunk, if Blosc was the first filter and no later filter changed its output.
    pub blosc: Option<ChunkHeader>,
}

/// Where the data of a dataset are.
pub(crate) enum Layout {
    /// In C order, or nowhere yet.
    Flat(Option<Window<Bytes>>),
    /// In chunks, in the order of their numbers.
    Chunked(Vec<StoredChunk>),
}

/// Where a chunk is in the file.
#[derive(Clone, Copy)]
pub(crate) struct StoredChunk {
    pub(crate) number: u64,
    pub(crate) address: u64,
    pub(crate) size: u64,
    /// Has a bit for each filter that was not applied to this chunk.
    pub(crate) mask: u32,
}

impl Dataset {
    pub(crate) fn open(file: &File, path: &str) -> Result<Dataset> {
        let opened = file.hdf5.dataset(path).map_err(fault)?;
        let header = file.hdf5.get_or_parse_header(opened.address()).map_err(fault)?;
        let (mut space, mut found, mut filters, mut fill) = (None, None, Vec::new(), Vec::new());
        for message in &header.messages {
            match message {
                HdfMessage::Dataspace(message) => space = Some(message),
                HdfMessage::DataLayout(message) => found = Some(&message.layout),
                HdfMessage::FilterPipeline(message) => filters.clone_from(&message.filters),
                HdfMessage::FillValue(message) => fill = message.value.clone().unwrap_or_default(),
                HdfMessage::ExternalFiles(_) => return Err(Error::custom("its data are in other files, which are not read")),
                _ => {}
            }
        }
        let (Some(space), Some(found)) = (space, found) else {
            return Err(Error::custom("the dataset has no dataspace or no layout"));
        };
        if space.dataspace_type == DataspaceType::Null {
            return Err(Error::custom("the dataset has a null dataspace, which has no elements and no shape"));
        }
        let dtype = dtype(opened.dtype(), file.is_pytables)?;
        if fill.len() != dtype.itemsize() || fill.iter().all(|&byte| byte == 0) {
            fill.clear();
        }
        let shape = space.dims.iter().map(|&length| i64::try_from(length)).collect::<Result<Vec<_>, _>>();
        let shape = shape.map_err(|_| Error::custom(format_args!("shape: {:?} does not fit int64", space.dims)))?;
        let itemsize = dtype.itemsize();
        let (geometry, layout) = match found {
            DataLayout::Compact { data } => {
                (flat_geometry(&shape, itemsize)?, Layout::Flat(Some(Window::new(Arc::new(data.clone()), 0..u64::MAX))))
            }
            DataLayout::Contiguous { address, .. } => {
                let bytes = file.defined(*address).map(|address| file.window(address, u64::MAX));
                (flat_geometry(&shape, itemsize)?, Layout::Flat(bytes))
            }
            DataLayout::Chunked { address, dims, chunk_indexing, .. } => {
                // Older files have the size of an element as the last dimension.
                let dims = dims.get(..shape.len()).unwrap_or(dims);
                let chunkshape: Option<Vec<_>> =
                    dims.iter().map(|&length| i32::try_from(length).ok().filter(|&it| it > 0)).collect();
                let chunkshape = chunkshape.ok_or_else(|| Error::custom(format_args!("chunks: {dims:?} does not fit int32")))?;
                let geometry = Geometry::new(&shape, &chunkshape, &chunkshape)?;
                let grid = geometry.grid()?;
                let entries = match file.defined(*address) {
                    Some(address) => file.entries(address, space, dims, itemsize, chunk_indexing.as_ref())?,
                    None => Vec::new(),
                };
                let size = u64::try_from(grid.chunknitems()).unwrap_or(0).saturating_mul(itemsize as u64);
                let place = |entry: ChunkEntry| {
                    let start: Vec<_> = entry.offsets.iter().map(|&at| i64::try_from(at).unwrap_or(i64::MAX)).collect();
                    let size = if filters.is_empty() { size } else { entry.size };
                    let (address, mask) = (file.defined(entry.address)?, entry.filter_mask);
                    Some(StoredChunk { number: grid.chunk_index(&start)?, address, size, mask })
                };
                let mut places: Vec<_> = entries.into_iter().filter_map(place).collect();
                places.sort_by_key(|place| place.number);
                places.dedup_by_key(|place| place.number);
                (geometry, Layout::Chunked(places))
            }
        };
        let mut all: Vec<_> = opened.attributes().iter().map(|it| (it.name.clone(), attributes::value(it))).collect();
        let names = dims::names(&file.hdf5, &file.scales, &opened, path);
        if let Some(names) = names.filter(|_| all.iter().all(|(name, _)| name != dims::DIMS)) {
            all.retain(|(name, _)| name != dims::LIST);
            all.insert(0, (dims::DIMS.to_owned(), Some(names.into_iter().map(Value::from).collect())));
        }
        let grid = geometry.grid()?;
        let mut dataset =
            Dataset { file: file.clone(), grid, layout, filters, fill, geometry, dtype, attributes: all, first: None };
        dataset.check_limits()?;
        dataset.first = match &dataset.layout {
            Layout::Chunked(places) => places.first().and_then(|place| dataset.frame_header(place)),
            Layout::Flat(_) => None,
        };
        if let Some(blockshape) = dataset.first.as_ref().and_then(|header| dataset.blockshape(header)) {
            let geometry = Geometry::new(&shape, dataset.geometry.chunkshape(), &blockshape)?;
            let grid = geometry.grid()?;
            // In many dimensions, the padding of blocks can be longer than the data.
            if grid.extchunknitems() / 8 <= grid.chunknitems() {
                (dataset.geometry, dataset.grid) = (geometry, grid);
            }
        }
        Ok(dataset)
    }

    /// Checks that the memory for a chunk, and for the list of chunks, is bounded.
    fn check_limits(&self) -> Result<()> {
        let (chunk, limit) = (self.chunk_len().unwrap_or(usize::MAX), self.file.limit);
        if chunk > limit {
            return Err(Error::custom(format_args!("a chunk has {chunk} bytes; the limit is {limit}")));
        }
        let written = match &self.layout {
            Layout::Chunked(places) => places.len() as u64,
            _ => self.file.hdf5.storage().len() / CHUNK.unsigned_abs(),
        };
        let (count, limit) = (self.grid.nchunks(), EMPTY_CHUNKS.saturating_add(written.saturating_mul(64)));
        if count > limit {
            return Err(Error::custom(format_args!(
                "the dataset has {count} chunks, of which the file holds {written}; the limit is {limit}"
            )));
        }
        Ok(())
    }

    /// Returns the length of an unpadded chunk in bytes.
    pub(crate) fn chunk_len(&self) -> Option<usize> {
        usize::try_from(self.grid.chunknitems()).ok()?.checked_mul(self.dtype.itemsize())
    }

    /// Returns the header that a frame with this array has: with the codec and filters of the first chunk that is a frame.
    pub(crate) fn header(&self) -> Result<Header> {
        let header = Header::for_array(&B2ndMeta::new(self.geometry, self.dtype.to_string()))?;
        let Some(first) = &self.first else { return header.with_level(0) };
        let codec = first.codec();
        // Chunks with an unknown codec cannot be decompressed, but their dataset can be opened.
        let header = if matches!(codec, CodecId::Other(0..=31)) { header } else { header.with_codec(codec)? };
        let header = if codec.code() >= 32 { header.with_codec_meta(first.codec_meta())? } else { header };
        let header = header.with_level(first.level().min(9))?;
        let header = header.with_filters(&first.filters().collect::<Vec<_>>())?;
        if let Some(mode) = first.split_mode() { header.with_split_mode(mode) } else { Ok(header) }
    }

    /// Iterates over the chunks that the file holds, in the order of their numbers. Reads the header of each frame and Blosc chunk.
    pub fn chunks(&self) -> impl Iterator<Item = ChunkInfo> {
        let places: &[_] = if let Layout::Chunked(places) = &self.layout { places } else { &[] };
        places.iter().map(|place| ChunkInfo {
            number: place.number,
            offset: self.file.base.saturating_add(place.address),
            size: place.size,
            filters: self.applied(place, 0..self.filters.len()).filter_map(|at| self.filters.get(at)).map(filter_name).collect(),
            frame: self.frame_header(place),
            blosc: self.blosc_header(place),
        })
    }

    /// Opens the frame in a chunk, if Blosc2 was the first filter and no other filter changed the frame.
    fn frame_header(&self, place: &StoredChunk) -> Option<Header> {
        // Most headers are shorter than 512 bytes.
        let header = |length| Some(Frame::open(self.file.window(place.address, length)).ok()?.header().clone());
        if self.is_output_of(BLOSC2, place) { header(place.size.min(512)).or_else(|| header(place.size)) } else { None }
    }

    /// Reads the header of a Blosc chunk, if Blosc was the first filter and no other filter changed the chunk.
    fn blosc_header(&self, place: &StoredChunk) -> Option<ChunkHeader> {
        let length = place.size.min(ChunkHeader::MAX_LEN as u64);
        let read = || ChunkHeader::from_slice(&self.file.window(place.address, length).read(0..length).ok()?).ok();
        if self.is_output_of(BLOSC, place) { read() } else { None }
    }

    /// Returns true if a chunk is the output of this filter, perhaps with a checksum after it.
    fn is_output_of(&self, filter: u16, place: &StoredChunk) -> bool {
        let mut applied =
            self.applied(place, 0..self.filters.len()).filter_map(|at| self.filters.get(at)).map(|filter| filter.id);
        applied.next() == Some(filter) && applied.all(|other| other == FILTER_FLETCHER32)
    }

    /// Returns the frame that Blosc2 made of a chunk. Returns `None` if the chunk was not written, or not by Blosc2 before other filters.
    ///
    /// # Errors
    ///
    /// Fails if the chunk cannot be read, or if filters after Blosc2 fail, such as Fletcher32 for damaged data.
    pub fn chunk_frame(&self, number: u64) -> Result<Option<Vec<u8>>> {
        let found = self.place(number).and_then(|place| Some((place, self.blosc2(place)?)));
        found.map(|(place, at)| self.read(place, at + 1)).transpose()
    }

    pub(crate) fn place(&self, number: u64) -> Option<&StoredChunk> {
        let Layout::Chunked(places) = &self.layout else { return None };
        places.get(places.binary_search_by_key(&number, |place| place.number).ok()?)
    }

    /// Reads a chunk, and reverses the filters from `first`.
    pub(crate) fn read(&self, place: &StoredChunk, first: usize) -> Result<Vec<u8>> {
        let bytes = self.file.window(place.address, place.size).read(0..place.size)?.into_owned();
        complete(&bytes, place.size)?;
        self.unfilter(bytes, place, first..self.filters.len())
    }

    /// Reverses some of the filters.
    pub(crate) fn unfilter(&self, mut bytes: Vec<u8>, place: &StoredChunk, range: Range<usize>) -> Result<Vec<u8>> {
        // Filters before the last may have made a chunk a little longer.
        let limit = self.chunk_len().unwrap_or(0).saturating_mul(2).saturating_add(1 << 16);
        for at in self.applied(place, range).rev() {
            let Some(filter) = self.filters.get(at) else { continue };
            bytes = self.file.registry.apply_with_limit(filter, &bytes, self.dtype.itemsize(), Some(limit)).map_err(fault)?;
        }
        Ok(bytes)
    }

    /// Returns the position of the filter Blosc2, if it was the first that was applied to a chunk.
    pub(crate) fn blosc2(&self, place: &StoredChunk) -> Option<usize> {
        let first = self.applied(place, 0..self.filters.len()).next()?;
        (self.filters.get(first)?.id == BLOSC2).then_some(first)
    }

    /// Returns the positions of those filters that were applied to a chunk. Its mask has a bit for each of the first 32.
    fn applied(&self, place: &StoredChunk, range: Range<usize>) -> impl DoubleEndedIterator<Item = usize> {
        let mask = u64::from(place.mask);
        range.filter(move |&at| mask.checked_shr(at as u32).unwrap_or(0) & 1 == 0)
    }

    /// Returns the blockshape of a chunk's frame if the chunk can be a chunk of the array as it is.
    fn blockshape(&self, header: &Header) -> Option<Vec<i32>> {
        // The filter divides elements of an array type into those of its base type. Readers of an array expect its own typesize.
        if usize::try_from(header.typesize()) != Ok(self.dtype.itemsize()) {
            return None;
        }
        let chunkshape = self.geometry.chunkshape();
        if let Some(array) = header.array().ok()? {
            return is_whole(array.geometry(), chunkshape).then(|| array.geometry().blockshape().to_vec());
        }
        // A frame of one dimension has no metalayer.
        let [chunk] = chunkshape else { return None };
        let block = header.blocksize().checked_div(header.typesize())?;
        (block > 0 && chunk % block == 0 && block.checked_mul(header.typesize())? == header.blocksize()).then(|| vec![block])
    }

    /// Returns true if the frame has one chunk, whose data and blocks are those of a chunk of the array.
    pub(crate) fn fits(&self, header: &Header) -> bool {
        let itemsize = i64::try_from(self.dtype.itemsize()).unwrap_or(i64::MAX);
        self.blockshape(header).as_deref() == Some(self.geometry.blockshape())
            && header.nchunks() == Some(1)
            && self.grid.extchunknitems().checked_mul(itemsize) == Some(header.nbytes())
    }
}

/// Checks that bytes of the file have the expected length.
pub(crate) fn complete(bytes: &[u8], expected: u64) -> Result<()> {
    if (bytes.len() as u64) < expected {
        let found = bytes.len();
        return Err(Error::custom(format_args!("expected {expected} bytes, found {found}: the file is cut off")));
    }
    Ok(())
}

/// Returns true if an array consists of one chunk of this shape.
fn is_whole(array: &Geometry, chunkshape: &[i32]) -> bool {
    array.chunkshape() == chunkshape && array.shape().iter().copied().eq(chunkshape.iter().map(|&length| i64::from(length)))
}

/// Divides data in C order into contiguous chunks.
fn flat_geometry(shape: &[i64], itemsize: usize) -> Result<Geometry> {
    let (mut rows, mut chunkshape) = (CHUNK / i64::try_from(itemsize).unwrap_or(i64::MAX).max(1), vec![1; shape.len()]);
    for (chunk, &length) in chunkshape.iter_mut().zip(shape).rev() {
        *chunk = i32::try_from(length.clamp(1, rows.max(1))).unwrap_or(1);
        // Chunks of parts of rows have length 1 in the dimensions before.
        rows = if i64::from(*chunk) < length { 1 } else { rows / i64::from(*chunk) };
    }
    Ok(Geometry::new(shape, &chunkshape, &chunkshape)?)
}

impl File {
    /// Returns an address, or `None` if it is the one that means that nothing was written.
    fn defined(&self, address: u64) -> Option<u64> {
        (!Cursor::is_undefined_offset(address, self.hdf5.superblock().offset_size)).then_some(address)
    }

    /// Reads the index of a dataset's chunks.
    fn entries(
        &self,
        at: u64,
        space: &DataspaceMessage,
        dims: &[u32],
        itemsize: usize,
        indexing: Option<&ChunkIndexing>,
    ) -> Result<Vec<ChunkEntry>> {
        let (storage, superblock) = (self.hdf5.storage(), self.hdf5.superblock());
        let (offsets, lengths, shape, rank) = (superblock.offset_size, superblock.length_size, &space.dims, dims.len());
        let longest = space.max_dims.as_deref();
        let entries = match indexing {
            None => {
                let leaves =
                    btree_v1::collect_btree_v1_leaves_storage(storage, at, offsets, lengths, Some(rank as u32), dims, None);
                let entry = |(key, address)| match key {
                    BTreeV1Key::RawData { chunk_size, filter_mask, mut offsets } => {
                        offsets.truncate(rank);
                        Some(ChunkEntry { address, size: chunk_size.into(), filter_mask, offsets })
                    }
                    BTreeV1Key::Group { .. } => None,
                };
                leaves.map(|leaves| leaves.into_iter().filter_map(entry).collect())
            }
            Some(ChunkIndexing::SingleChunk { filtered_size, filters }) => {
                Ok(vec![chunk_index::single_chunk_entry(at, *filtered_size, *filters, rank)])
            }
            Some(ChunkIndexing::Implicit) => {
                chunk_index::collect_implicit_chunk_entries(at, shape, dims, itemsize, None, storage.len())
            }
            Some(ChunkIndexing::FixedArray { .. }) => {
                fixed_array::collect_fixed_array_chunk_entries_storage(storage, at, offsets, lengths, shape, dims, None)
            }
            Some(ChunkIndexing::ExtensibleArray { .. }) => extensible_array::collect_extensible_array_chunk_entries_storage(
                storage, at, offsets, lengths, shape, longest, dims, None,
            ),
            Some(ChunkIndexing::BTreeV2) => {
                chunk_index::collect_v2_chunk_entries_storage(storage, at, offsets, lengths, rank as u32, dims, None)
            }
        };
        entries.map_err(fault)
    }
}
