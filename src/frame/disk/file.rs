//! [`File`]: a frame on disk.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::storage::Storage;
use crate::error::{Error, ErrorKind, Result, Segment};
use crate::frame::chunk::{Chunk, Decompress, Offset, Offsets};
use crate::frame::header::{FrameType, Header};
use crate::frame::trailer::Trailer;

/// How much the first read asks for: 99.8% of the headers seen fit.
const FIRST_READ: usize = 4096;

/// How much of the end is read to find a trailer in it.
const LAST_READ: u64 = 4096;

/// The file of a sparse frame's directory that holds header, index and trailer.
pub(in crate::frame) const SPARSE_FRAME: &str = "chunks.b2frame";

/// A frame on disk: a `.b2nd` or `.b2frame` file, or the directory of a sparse frame.
///
/// Opening reads the header and closes the file again; each further read opens it anew, so nothing stays open, and the file must
/// not be replaced by another meanwhile.
///
/// ```
/// let file = b2nd::frame::File::open("tests/data/example.b2nd")?;
/// assert_eq!(file.header().array()?.map(|array| array.geometry().ndim()), Some(3));
/// # Ok::<(), b2nd::Error>(())
/// ```
#[derive(Debug)]
pub struct File {
    path: PathBuf,
    offset: u64,
    pub(super) header: Header,
    offsets: OnceLock<Offsets>,
    /// Where edits go; a file that is opened to read has none.
    pub(super) storage: Option<Arc<dyn Storage>>,
}

impl File {
    /// Opens a frame to read: a file, or a sparse frame's directory.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or no header of a supported version is at its start.
    pub fn open(path: impl AsRef<Path>) -> Result<File> {
        File::open_at(path, 0)
    }

    /// Opens a frame that starts at byte `offset` of a bigger file.
    pub fn open_at(path: impl AsRef<Path>, offset: u64) -> Result<File> {
        let path = path.as_ref();
        let file = |path, header| File { path, offset, header, offsets: OnceLock::new(), storage: None };
        match read_header(path, offset) {
            Ok(header) => Ok(file(path.to_owned(), header)),
            // A directory opens as a file on some systems, and then does not read; asking first would cost a system call.
            Err(error) if matches!(error.kind(), ErrorKind::Io(_)) && path.is_dir() => {
                let path = path.join(SPARSE_FRAME);
                match read_header(&path, offset) {
                    Ok(header) => Ok(file(path, header)),
                    Err(error) => Err(name_file(error, &path)),
                }
            }
            Err(error) => Err(name_file(error, path)),
        }
    }

    /// The frame's header, as it was when the file was opened.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Reads the frame's trailer: one read of 4 KiB, or a second one where it is longer.
    ///
    /// # Errors
    ///
    /// The frame's end is not in the file, or no trailer is there.
    pub fn trailer(&self) -> Result<Trailer> {
        let header_len = self.header.header_len() as u64;
        let end = self.header.frame_len();
        let mut start = end.saturating_sub(LAST_READ).max(header_len);
        let mut tail = self.read(start..end)?;
        if let Some(length) = Trailer::len_in(&tail).filter(|&length| length > tail.len() as u64) {
            start = end.saturating_sub(length).max(header_len);
            tail = self.read(start..end)?;
        }
        Trailer::from_tail(&tail).map_err(|error| error.shifted(usize::try_from(start).unwrap_or(0)))
    }

    /// Where the chunks are. The index is read the first time and kept; `decompress` is asked only where it is compressed,
    /// and `()` refuses.
    pub fn offsets(&self, decompress: impl Decompress) -> Result<&Offsets> {
        if let Some(offsets) = self.offsets.get() {
            return Ok(offsets);
        }
        let tail = self.read(self.header.tail_range())?;
        let offsets = Offsets::from_tail(&self.header, &tail, decompress)?;
        Ok(self.offsets.get_or_init(|| offsets))
    }

    /// Reads a chunk by its number: one read, of the place that it has in the frame, or of its own file.
    ///
    /// # Errors
    ///
    /// There is no such chunk; its header disagrees with its place; the index is compressed, and [`offsets`](File::offsets) has
    /// not been asked for with a decompressor.
    pub fn chunk(&self, number: usize) -> Result<Chunk<'static>> {
        let offsets = self.offsets(())?;
        let (start, bytes) = match (offsets.at(number)?, self.header.frame_type()) {
            (Offset::Special(special), _) => return self.header.special_chunk(special, number),
            (Offset::At(at), FrameType::Contiguous) => {
                let header_len = self.header.header_len() as u64;
                let start = header_len.saturating_add(at);
                (start, self.read(start..header_len.saturating_add(offsets.limit(at)))?)
            }
            (Offset::At(at), FrameType::Sparse) => {
                let bytes = fs::read(self.path.with_file_name(chunk_name(at)));
                (0, bytes.map_err(|error| Error::from(error).in_chunk(number))?)
            }
        };
        self.header.checked_chunk(number, usize::try_from(start).unwrap_or(0), Chunk::from_vec(bytes))
    }

    /// Reads a part of the frame, in one read. Where the file ends before it does, nothing is allocated.
    pub(super) fn read(&self, range: Range<u64>) -> Result<Vec<u8>> {
        let mut file = fs::File::open(&self.path)?;
        let end = file.metadata()?.len().saturating_sub(self.offset);
        if end < range.end {
            let needed = usize::try_from(range.end - end).unwrap_or(usize::MAX);
            return Err(Error::end(needed, usize::try_from(end).unwrap_or(usize::MAX)).field("the frame"));
        }
        let length = range.end.saturating_sub(range.start);
        file.seek(SeekFrom::Start(self.offset.saturating_add(range.start)))?;
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
        file.take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The file that holds the header: the one that was opened, or `chunks.b2frame` of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the frame starts in its file, in bytes.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

/// The system's errors do not say which file they are about.
pub(in crate::frame) fn name_file(error: Error, path: &Path) -> Error {
    match error.kind() {
        ErrorKind::Io(_) => error.within(Segment::Key(path.display().to_string()), None),
        _ => error,
    }
}

/// The name of a sparse frame's chunk.
pub(in crate::frame) fn chunk_name(number: u64) -> String {
    format!("{number:08X}.chunk")
}

pub(in crate::frame) fn read_header(path: &Path, offset: u64) -> Result<Header> {
    let mut file = fs::File::open(path)?;
    if offset != 0 {
        file.seek(SeekFrom::Start(offset))?;
    }
    let mut first = [0; FIRST_READ];
    let length = read_some(&mut file, &mut first)?;
    let mut error = match Header::from_slice(&first[..length]) {
        Err(error) => error,
        done => return done,
    };
    // Longer than the first read, or the read was cut short: ask for what is missing, which after byte 15 is exact.
    let mut prefix = first[..length].to_vec();
    while let Some(needed) = error.needed() {
        let before = prefix.len();
        (&mut file).take(needed as u64).read_to_end(&mut prefix)?;
        if prefix.len() == before {
            break;
        }
        match Header::from_slice(&prefix) {
            Err(next) => error = next,
            done => return done,
        }
    }
    Err(error)
}

/// One read, tried again when a signal interrupts it.
fn read_some(file: &mut fs::File, buffer: &mut [u8]) -> Result<usize> {
    loop {
        match file.read(buffer) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            done => return done.map_err(Error::from),
        }
    }
}
