//! Where an array's chunks come from: a contiguous frame in a [`Source`], or the directory of a sparse frame.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use b2nd::frame::{Chunk, ChunkHeader, File, FrameType, Header, Offset, Offsets};

use crate::error::Result;
use crate::source::Source;

/// How much the first read asks for: 99.8% of the headers seen fit.
pub(crate) const FIRST_READ: u64 = 4096;

pub(crate) enum Store {
    Contiguous(Contiguous),
    Sparse(File),
}

/// A frame that starts at byte `offset` of a source.
pub(crate) struct Contiguous {
    source: Arc<dyn Source>,
    offset: u64,
    header: Header,
    offsets: OnceLock<Arc<Offsets>>,
}

/// The bytes of a chunk, as many as were read.
pub(crate) struct Bytes<'a> {
    header: ChunkHeader,
    front: Vec<u8>,
    /// Where the chunk starts, if there is more to read.
    rest: Option<(&'a Contiguous, u64)>,
}

impl Store {
    pub(crate) fn open(path: &Path) -> Result<Store> {
        if path.is_dir() {
            return Ok(Store::Sparse(File::open(path)?));
        }
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        // Opening a pipe would wait for somebody to write.
        let metadata = fs::metadata(path).map_err(named).map_err(b2nd::Error::from)?;
        if !metadata.is_file() {
            return Err(b2nd::Error::from(named(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))).into());
        }
        let source = fs::File::open(path).map_err(named).map_err(b2nd::Error::from)?;
        Store::new(Arc::new(source), 0)
    }

    pub(crate) fn new(source: Arc<dyn Source>, offset: u64) -> Result<Store> {
        let header = read_header(&*source, offset)?;
        Ok(Store::Contiguous(Contiguous { source, offset, header, offsets: OnceLock::new() }))
    }

    pub(crate) fn of_file(file: File) -> Result<Store> {
        if file.header().frame_type() == FrameType::Sparse {
            return Ok(Store::Sparse(file));
        }
        let source = fs::File::open(file.path()).map_err(b2nd::Error::from)?;
        let (offset, header) = (file.offset(), file.header().clone());
        Ok(Store::Contiguous(Contiguous { source: Arc::new(source), offset, header, offsets: OnceLock::new() }))
    }

    /// The same frame in another source, which need not hold header and index again.
    #[cfg(feature = "object_store")]
    pub(crate) fn with_source(&self, source: Arc<dyn Source>) -> Result<Store> {
        match self {
            Store::Contiguous(Contiguous { offset, header, offsets, .. }) => {
                Ok(Store::Contiguous(Contiguous { source, offset: *offset, header: header.clone(), offsets: offsets.clone() }))
            }
            Store::Sparse(_) => {
                Err(b2nd::Error::custom("the frame is sparse: its chunks are files of their own, not in one source").into())
            }
        }
    }

    pub(crate) fn header(&self) -> &Header {
        match self {
            Store::Contiguous(frame) => &frame.header,
            Store::Sparse(file) => file.header(),
        }
    }

    /// The bytes of the source that hold a chunk, if any do.
    pub(crate) fn range(&self, number: u64) -> Result<Option<Range<u64>>> {
        let Store::Contiguous(frame) = self else { return Ok(None) };
        let range = frame.offsets()?.range(number);
        Ok(range.map(|range| range.start.saturating_add(frame.offset)..range.end.saturating_add(frame.offset)))
    }

    /// How many chunks the index has.
    pub(crate) fn nchunks(&self) -> Result<u64> {
        Ok(match self {
            Store::Sparse(file) => file.offsets()?.len(),
            Store::Contiguous(frame) => frame.offsets()?.len(),
        })
    }

    /// The chunk of this number: all of it, or its first `front` bytes where the rest can be read later.
    pub(crate) fn chunk(&self, number: u64, front: Option<u64>) -> Result<Bytes<'_>> {
        match self {
            Store::Sparse(file) => Bytes::all(file.chunk(number)?.into_bytes()),
            Store::Contiguous(frame) => frame.chunk(number, front),
        }
    }
}

impl Contiguous {
    fn offsets(&self) -> Result<&Offsets> {
        if let Some(offsets) = self.offsets.get() {
            return Ok(offsets);
        }
        let tail = self.read(self.header.tail_range())?;
        let offsets = Offsets::from_tail(&self.header, &tail)?;
        Ok(self.offsets.get_or_init(|| Arc::new(offsets)))
    }

    fn chunk(&self, number: u64, front: Option<u64>) -> Result<Bytes<'_>> {
        let offsets = self.offsets()?;
        let Some(range) = offsets.range(number) else {
            let Some(Offset::Special(special)) = offsets.get(number) else {
                let message = format_args!("chunk {number} is out of range: the frame has {}", offsets.len());
                return Err(b2nd::Error::custom(message).into());
            };
            let size = |field: i32| usize::try_from(field).unwrap_or(0);
            let (nbytes, typesize) = (size(self.header.chunksize()), size(self.header.typesize()));
            return Bytes::all(Chunk::special(special, nbytes, typesize)?.into_bytes());
        };
        let place = range.end - range.start;
        let front = front.filter(|&front| front < place);
        let bytes = self.read(range.start..range.start + front.unwrap_or(place))?;
        let header = ChunkHeader::from_slice(&bytes)?;
        if header.cbytes() as u64 > place {
            let found = header.cbytes();
            return Err(b2nd::Error::custom(format_args!("it says {found} bytes, its place in the frame has {place}")).into());
        }
        Ok(Bytes { header, front: bytes, rest: front.map(|_| (self, range.start)) })
    }

    fn read(&self, range: Range<u64>) -> Result<Vec<u8>> {
        // What a damaged header claims may be more than there is, and more than memory holds.
        let end = self.source.length().map_err(b2nd::Error::from)?.saturating_sub(self.offset);
        if range.end > end {
            let needed = range.end - end;
            let message = format_args!("unexpected end of input at byte {end}: the frame needs {needed} more bytes");
            return Err(b2nd::Error::custom(message).into());
        }
        let mut bytes = vec![0; usize::try_from(range.end - range.start).unwrap_or(0)];
        self.read_at(range.start, &mut bytes)?;
        Ok(bytes)
    }

    fn read_at(&self, start: u64, buffer: &mut [u8]) -> Result<()> {
        Ok(self.source.read_at(self.offset.saturating_add(start), buffer).map_err(b2nd::Error::from)?)
    }
}

impl Bytes<'_> {
    fn all(bytes: Vec<u8>) -> Result<Bytes<'static>> {
        Ok(Bytes { header: ChunkHeader::from_slice(&bytes)?, front: bytes, rest: None })
    }

    pub(crate) fn header(&self) -> &ChunkHeader {
        &self.header
    }

    /// The bytes at the front of the chunk that have been read.
    pub(crate) fn front(&self) -> &[u8] {
        &self.front
    }

    /// A part of what has been read.
    pub(crate) fn get(&self, range: Range<usize>) -> Option<&[u8]> {
        self.front.get(range)
    }

    /// Appends a part of the chunk to `buffer`; false where the chunk ends before it does.
    pub(crate) fn append(&self, range: Range<usize>, buffer: &mut Vec<u8>) -> Result<bool> {
        if range.start > range.end || range.end > self.header.cbytes() {
            return Ok(false);
        }
        if let Some(bytes) = self.front.get(range.clone()) {
            buffer.extend_from_slice(bytes);
            return Ok(true);
        }
        let Some((frame, start)) = self.rest else { return Ok(false) };
        let before = buffer.len();
        buffer.resize(before + range.len(), 0);
        frame.read_at(start + range.start as u64, &mut buffer[before..])?;
        Ok(true)
    }

    /// Reads what is missing of the chunk.
    pub(crate) fn complete(&mut self) -> Result<&[u8]> {
        if let Some((frame, start)) = self.rest.take() {
            self.front = frame.read(start..start + self.header.cbytes() as u64)?;
        }
        Ok(&self.front)
    }
}

/// Reads the header of the frame at this offset: 4 KiB, and the rest where that was not enough.
fn read_header(source: &dyn Source, offset: u64) -> Result<Header> {
    let end = source.length().map_err(b2nd::Error::from)?.saturating_sub(offset);
    let mut prefix = Vec::new();
    let mut wanted = FIRST_READ.min(end);
    loop {
        let have = prefix.len();
        prefix.resize(usize::try_from(wanted).unwrap_or(0), 0);
        let rest = prefix.get_mut(have..).unwrap_or_default();
        source.read_at(offset.saturating_add(have as u64), rest).map_err(b2nd::Error::from)?;
        match Header::from_slice(&prefix) {
            Err(error) if error.needed().is_some_and(|needed| needed > 0) && wanted < end => {
                wanted = wanted.saturating_add(error.needed().unwrap_or(0) as u64).min(end);
            }
            done => return Ok(done?),
        }
    }
}
