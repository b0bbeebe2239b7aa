//! [`File`]: a frame on disk.

use alloc::borrow::ToOwned;
use alloc::string::ToString;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::header::Header;
use crate::error::{Error, ErrorKind, Result, Segment};

/// How much the first read asks for: 99.8% of the headers seen fit.
const FIRST_READ: usize = 4096;

/// The file of a sparse frame's directory that holds header, index and trailer.
const SPARSE_FRAME: &str = "chunks.b2frame";

/// A frame on disk: a `.b2nd` or `.b2frame` file, or the directory of a sparse frame.
///
/// Opening reads the header and closes the file again.
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
    header: Header,
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
        match read_header(path, offset) {
            Ok(header) => Ok(File { path: path.to_owned(), offset, header }),
            // A directory opens as a file on some systems, and then does not read; asking first would cost a system call.
            Err(error) if matches!(error.kind(), ErrorKind::Io(_)) && path.is_dir() => {
                let path = path.join(SPARSE_FRAME);
                match read_header(&path, offset) {
                    Ok(header) => Ok(File { path, offset, header }),
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
fn name_file(error: Error, path: &Path) -> Error {
    match error.kind() {
        ErrorKind::Io(_) => error.within(Segment::Key(path.display().to_string()), None),
        _ => error,
    }
}

fn read_header(path: &Path, offset: u64) -> Result<Header> {
    let mut file = fs::File::open(path)?;
    if offset != 0 {
        file.seek(SeekFrom::Start(offset))?;
    }
    let mut first = [0; FIRST_READ];
    let length = read_some(&mut file, &mut first)?;
    let error = match Header::from_slice(&first[..length]) {
        Err(error) if error.is_eof() => error,
        done => return done,
    };
    // Longer than the first read, or the read was cut short: ask for what is missing, which after byte 15 is exact.
    let mut prefix = first[..length].to_vec();
    let mut error = error;
    while let Some(needed) = error.needed() {
        let before = prefix.len();
        (&mut file).take(needed as u64).read_to_end(&mut prefix)?;
        if prefix.len() == before {
            break;
        }
        match Header::from_slice(&prefix) {
            Err(next) if next.is_eof() => error = next,
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
