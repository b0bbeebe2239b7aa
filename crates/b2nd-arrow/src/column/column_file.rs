//! [`ColumnFile`]: a contiguous frame, usually a file of a table, and the blocks of its chunks.

use std::ops::Range;

use b2nd_frame::{Chunk, ChunkReader, Decompressor, Frame, FrameType};
use b2nd_ndarray::Array;
use b2nd_store::attributes::MAX_VALUE;
use b2nd_store::{Bytes, Folder, Store};

use crate::column::text_builder::{MAX_BYTES, too_long};
use crate::error::{Error, ErrorKind, Result};

/// The maximum number of bytes that are read first from a chunk: its header and, usually, its whole block table.
const FRONT: u64 = 4096;

/// The maximum number of bytes of data for each compressed byte. Without it, a short damaged file could cause a large allocation.
/// Ordinary files have far lower ratios.
const MAX_RATIO: usize = 1 << 21;

/// A frame whose header has been read.
pub(crate) struct ColumnFile {
    frame: Frame<Bytes>,
    /// The approximate maximum number of decompressed bytes in memory at the same time.
    most: u64,
}

/// The blocks of a chunk, each compressed separately.
pub(crate) struct Blocks<'a> {
    file: &'a ColumnFile,
    chunk: ChunkReader<'a, Bytes>,
    front: Vec<u8>,
    count: usize,
}

impl ColumnFile {
    /// Opens a file of a store, if it exists.
    pub(crate) fn open(store: &Store, path: &str, most: u64) -> Result<Option<ColumnFile>> {
        let Some(source) = store.member(path)? else { return Ok(None) };
        let opened = Frame::open(source).map_err(Error::from).and_then(|frame| ColumnFile::new(frame, most));
        opened.map(Some).map_err(|error| Error::new(error.kind(), format_args!("{path}: {error}")))
    }

    pub(crate) fn new(frame: Frame<Bytes>, most: u64) -> Result<ColumnFile> {
        if frame.header().frame_type() == FrameType::Sparse {
            return Err(Error::new(ErrorKind::Refused, "the frame is sparse: expected a contiguous frame"));
        }
        Ok(ColumnFile { frame, most: most.min(MAX_BYTES) })
    }

    pub(crate) fn array(&self) -> Result<Array> {
        Ok(self.frame.clone().try_into()?)
    }

    pub(crate) fn dtype(&self) -> Result<String> {
        let meta = self.frame.header().array()?.ok_or_else(|| Error::damaged("the frame contains no array"))?;
        Ok(meta.dtype().unwrap_or("none").to_owned())
    }

    /// Returns an error if `bytes` exceeds `most`.
    pub(crate) fn allow(&self, bytes: u64) -> Result<()> {
        if bytes > self.most { Err(too_long(bytes, self.most)) } else { Ok(()) }
    }

    /// Returns the length of the frame in bytes.
    pub(crate) fn frame_len(&self) -> u64 {
        self.frame.header().frame_len()
    }

    /// Returns the length of the uncompressed data in bytes.
    pub(crate) fn data_len(&self) -> u64 {
        u64::try_from(self.frame.header().nbytes()).unwrap_or(0)
    }

    pub(crate) fn metalayer(&self, name: &str) -> Option<&[u8]> {
        self.frame.header().metalayers().get(name)
    }

    /// Returns the decompressed content of a vlmetalayer.
    pub(crate) fn vlmetalayer(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let Some(content) = self.frame.trailer()?.vlmetalayers().raw_chunk(name) else { return Ok(None) };
        let chunk = Chunk::from_slice(content)?;
        let (nbytes, cbytes) = (chunk.header().nbytes(), chunk.header().cbytes());
        if nbytes > MAX_VALUE || nbytes / MAX_RATIO > cbytes {
            return Err(Error::damaged(format_args!(
                "the vlmetalayer {name:?}: expected at most {MAX_VALUE} bytes and {MAX_RATIO} to 1, found {nbytes} from {cbytes}"
            )));
        }
        self.allow(nbytes as u64)?;
        Ok(Some(chunk.data()?))
    }

    pub(crate) fn nchunks(&self) -> Result<u64> {
        Ok(self.frame.offsets()?.len())
    }

    /// Decompresses a chunk.
    pub(crate) fn data(&self, number: u64) -> Result<Vec<u8>> {
        let chunk = self.frame.chunk(number)?;
        plausible(chunk.header().nbytes(), chunk.header().cbytes())?;
        self.allow(chunk.header().nbytes() as u64)?;
        Ok(chunk.data()?)
    }

    pub(crate) fn blocks(&self, number: u64) -> Result<Blocks<'_>> {
        let chunk = self.frame.chunk_reader(number, FRONT)?;
        let front = chunk.read_block_table()?.into_owned();
        let blocks = block_table(&front)?;
        if !blocks.are_variable() {
            return Err(Error::damaged("expected blocks of variable length, found blocks of fixed length"));
        }
        let count = blocks.count();
        Ok(Blocks { file: self, chunk, front, count })
    }
}

impl Blocks<'_> {
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Decompresses consecutive blocks, each separately.
    pub(crate) fn data(&self, blocks: Range<usize>) -> Result<Vec<Vec<u8>>> {
        let places = block_table(&self.front)?;
        let ranges = blocks.map(|block| places.range(block)).collect::<Result<Vec<_>, _>>().map_err(b2nd_frame::Error::from)?;
        let (start, end) = (ranges.iter().map(|range| range.start).min(), ranges.iter().map(|range| range.end).max());
        let (Some(start), Some(end)) = (start, end) else { return Ok(Vec::new()) };
        let bytes = self.chunk.read(start..end)?;
        Decompressor::lend(|decompressor| {
            let (mut data, mut total) = (Vec::new(), 0_u64);
            for range in ranges {
                let block = bytes.get(range.start - start..range.end - start).unwrap_or_default();
                let short = || Error::damaged(format_args!("a block: expected 4 bytes for its length, found {}", block.len()));
                let length = i32::from_le_bytes(*block.first_chunk().ok_or_else(short)?);
                let Ok(length @ 1..) = usize::try_from(length) else {
                    return Err(Error::damaged(format_args!("a block: expected a length of at least 1 byte, found {length}")));
                };
                plausible(length, block.len())?;
                total = total.saturating_add(length as u64);
                self.file.allow(total)?;
                let mut place = vec![0; length];
                decompressor.block(&places, block, None, &mut place).map_err(b2nd_frame::Error::from)?;
                data.push(place);
            }
            Ok(data)
        })
    }
}

fn block_table(front: &[u8]) -> b2nd_frame::Result<b2nd_frame::Blocks<'_>> {
    Ok(b2nd_frame::Blocks::new(front)?)
}

/// Returns an error if `nbytes` bytes of data in `cbytes` compressed bytes exceed [`MAX_RATIO`].
fn plausible(nbytes: usize, cbytes: usize) -> Result<()> {
    if nbytes / MAX_RATIO > cbytes {
        return Err(Error::damaged(format_args!("{nbytes} bytes are compressed to {cbytes}: the limit is {MAX_RATIO} to 1")));
    }
    Ok(())
}
