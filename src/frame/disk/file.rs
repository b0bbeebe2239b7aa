//! [`File`]: a frame on disk.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::SPARSE_FRAME;
use super::lock::{Ask, Sidecars, open_shared};
use super::positioned::Positioned;
use super::storage::open_to_read;
use crate::error::{Error, ErrorKind, Result};
use crate::frame::chunk::{Chunk, ChunkHeader, EXTENDED, Offset, Offsets};
use crate::frame::header::{FrameType, Header};
use crate::frame::trailer::Trailer;

/// The length of the first read. 99.8% of the headers seen fit.
const FIRST_READ: usize = 4096;

/// How many bytes at the end are read to find the trailer.
const LAST_READ: u64 = 4096;

/// A chunk's place of at most this length is read at once, whatever length the chunk's header gives.
const READ_AT_ONCE: u64 = 1 << 20;

/// A frame on disk: a `.b2nd` or `.b2frame` file, or the directory of a sparse frame.
///
/// The file stays open: if another file replaces it, this still reads the old one. Every read names its position, so threads can share
/// a `File`. A sparse frame's chunks are opened when they are read.
///
/// ```
/// let file = b2nd::frame::File::open("tests/data/example.b2nd")?;
/// assert_eq!(file.header().array()?.map(|array| array.geometry().ndim()), Some(3));
/// # Ok::<(), b2nd::Error>(())
/// ```
#[derive(Debug)]
pub struct File {
    file: Positioned,
    path: PathBuf,
    offset: u64,
    header: Header,
    offsets: OnceLock<Offsets>,
    /// C-Blosc2's locks, if the file was opened shared.
    _sidecars: Option<Sidecars>,
}

impl File {
    /// Opens a frame for reading: a file, or a sparse frame's directory.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or does not start with a header of a supported version.
    pub fn open(path: impl AsRef<Path>) -> Result<File> {
        File::open_at(path, 0)
    }

    /// Opens a frame that starts at byte `offset` of a bigger file.
    ///
    /// # Errors
    ///
    /// Those of [`open`](File::open).
    pub fn open_at(path: impl AsRef<Path>, offset: u64) -> Result<File> {
        let path = path.as_ref();
        let open = |path: &Path| File::of(path.to_owned(), open_to_read(path)?, offset);
        match open(path) {
            // On some systems a directory opens as a file and fails to read. Checking first would cost a system call.
            Err(error) if matches!(error.kind(), ErrorKind::Io(_)) && path.is_dir() => {
                let path = path.join(SPARSE_FRAME);
                open(&path).map_err(|error| name_file(error, &path))
            }
            done => done.map_err(|error| name_file(error, path)),
        }
    }

    /// Opens a frame for reading and keeps editors out while it is open. It waits for a current [`Editor`](super::Editor), and new ones wait
    /// for it. It also takes C-Blosc2's lock, shared, if an `Editor` would take it. Any number of shared files can be open at once.
    ///
    /// # Errors
    ///
    /// Those of [`open`](File::open).
    pub fn open_shared(path: impl AsRef<Path>) -> Result<File> {
        let path = frame_file(path.as_ref());
        let open = || -> Result<File> {
            let real = fs::canonicalize(&path)?;
            let file = open_shared(&real)?;
            let sidecars = Sidecars::lock(&path, &real, Ask { exclusive: false, wait: true })?;
            Ok(File { _sidecars: Some(sidecars), ..File::of(path.clone(), file, 0)? })
        };
        open().map_err(|error| name_file(error, &path))
    }

    /// Reads the header of a frame in an open file.
    pub(super) fn of(path: PathBuf, file: fs::File, offset: u64) -> Result<File> {
        let file = Positioned::new(file);
        match read_header(&file, offset) {
            Ok(header) => Ok(File { path, file, offset, header, offsets: OnceLock::new(), _sidecars: None }),
            Err(error) => match file.file().metadata() {
                Ok(found) if !found.is_file() && !found.is_dir() => {
                    Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file").into())
                }
                _ => Err(error),
            },
        }
    }

    /// The frame's header, as it was when the file was opened.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Reads the frame's trailer, in one read of 4 KiB, or two if it is longer.
    ///
    /// # Errors
    ///
    /// The file cannot be read or is shorter than the frame, or the frame does not end with a trailer.
    pub fn trailer(&self) -> Result<Trailer> {
        let header_len = self.header.header_len() as u64;
        let end = self.header.frame_len();
        let mut start = end.saturating_sub(LAST_READ).max(header_len);
        let mut tail = self.read(start..end)?;
        // In a frame without data, the trailer follows the header.
        let is_behind = self.header.nbytes() == 0 && start > header_len;
        let length = Trailer::len_in(&tail).unwrap_or(0);
        if is_behind || length > tail.len() as u64 {
            start = if is_behind { header_len } else { end.saturating_sub(length).max(header_len) };
            tail = self.read(start..end.min(start.saturating_add(length)))?;
        }
        Trailer::after(&self.header, &tail).map_err(|error| error.shifted(usize::try_from(start).unwrap_or(0)))
    }

    /// The chunk index, which is read at the first call and kept.
    ///
    /// # Errors
    ///
    /// Those of [`Offsets::from_tail`], or the file cannot be read.
    pub fn offsets(&self) -> Result<&Offsets> {
        if let Some(offsets) = self.offsets.get() {
            return Ok(offsets);
        }
        let index = match self.header.nbytes() {
            0 => Vec::new(),
            _ => self.read_chunk(self.header.tail_range())?,
        };
        let offsets = Offsets::from_tail(&self.header, &index).map_err(|error| error.complete("the place of the index"))?;
        Ok(self.offsets.get_or_init(|| offsets))
    }

    /// Reads the chunk with this number, from its place in the frame or from its own file.
    ///
    /// # Errors
    ///
    /// There is no such chunk, its header disagrees with the index or the frame's header, the index is damaged, or the file cannot be read.
    pub fn chunk(&self, number: u64) -> Result<Chunk<'static>> {
        let offsets = self.offsets()?;
        let (start, bytes) = match (offsets.expect(number)?, self.header.frame_type()) {
            (Offset::Special(special), _) => return self.header.special_chunk(special, number),
            (Offset::At(_), FrameType::Contiguous) => {
                let place = offsets.range(number).unwrap_or_default();
                (place.start, self.read_chunk(place)?)
            }
            (Offset::At(at), FrameType::Sparse) => {
                let bytes = fs::read(self.path.with_file_name(chunk_name(at)));
                (0, bytes.map_err(|error| Error::from(error).in_chunk(number))?)
            }
        };
        self.header.checked_chunk(number, usize::try_from(start).unwrap_or(0), Chunk::from_vec(bytes))
    }

    /// Reads the chunk at the front of a range, and never beyond its end: in one read if the range is short. The caller checks the chunk.
    fn read_chunk(&self, place: Range<u64>) -> Result<Vec<u8>> {
        let length = place.end.saturating_sub(place.start);
        if length <= READ_AT_ONCE {
            return self.read(place);
        }
        let header = self.read(place.start..place.start + EXTENDED as u64)?;
        match ChunkHeader::from_slice(&header) {
            Ok(header) => self.read(place.start..place.start + length.min(header.cbytes() as u64)),
            Err(_) => Ok(header),
        }
    }

    /// Reads a range of bytes, counted from the start of the frame, such as [`Offsets::range`] or a part of it.
    ///
    /// # Errors
    ///
    /// The file ends before the range does (nothing is then allocated), or it cannot be read.
    pub fn read(&self, range: Range<u64>) -> Result<Vec<u8>> {
        let end = self.file.len()?.saturating_sub(self.offset);
        if end < range.end {
            let needed = usize::try_from(range.end - end).unwrap_or(usize::MAX);
            return Err(Error::end(needed, usize::try_from(end).unwrap_or(usize::MAX)).field("the frame"));
        }
        let length = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(usize::MAX);
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(length).map_err(|_| Error::out_of_memory(length))?;
        bytes.resize(length, 0);
        let done = self.file.read_exact_at(&mut bytes, self.offset.saturating_add(range.start));
        done.map_err(|error| name_file(error.into(), &self.path))?;
        Ok(bytes)
    }

    /// The open file.
    pub(super) fn file(&self) -> &fs::File {
        self.file.file()
    }

    /// The path of the file that holds the header: the file that was opened, or `chunks.b2frame` in the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The offset in bytes at which the frame starts in its file.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

/// Adds the file to an error, since the system's errors do not name it.
fn name_file(error: Error, path: &Path) -> Error {
    match error.kind() {
        ErrorKind::Io(_) => error.in_file(path),
        _ => error,
    }
}

/// The file that holds a frame's header: the given one, or `chunks.b2frame` in the given directory.
pub(super) fn frame_file(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(SPARSE_FRAME) } else { path.to_owned() }
}

/// The file name of a sparse frame's chunk.
pub(super) fn chunk_name(number: u64) -> String {
    format!("{number:08X}.chunk")
}

/// Reads the header at byte `offset`.
fn read_header(file: &Positioned, offset: u64) -> Result<Header> {
    let mut first = [0; FIRST_READ];
    let length = file.read_at(&mut first, offset)?;
    let mut error = match Header::from_slice(&first[..length]) {
        Err(error) => error,
        done => return done,
    };
    // Longer than the first read, or the read was cut short: ask for what is missing, which after byte 15 is exact.
    let mut prefix = first[..length].to_vec();
    while let Some(needed) = error.needed() {
        let (before, there) = (prefix.len(), file.len()?.saturating_sub(offset));
        // Read nothing of a header that is longer than the file.
        if there < (before + needed) as u64 {
            break;
        }
        prefix.resize(before + needed, 0);
        file.read_exact_at(&mut prefix[before..], offset.saturating_add(before as u64))?;
        match Header::from_slice(&prefix) {
            Err(next) => error = next,
            done => return done,
        }
    }
    Err(error)
}
