//! [`Elements`]: the elements of a file to import.

use std::fs;
use std::io::{self, Read, Seek};
use std::path::Path;

use b2nd::dtype::DType;
use iter_read::IterRead;

use crate::error::{Error, Result};

/// The elements of an imported file.
pub(super) struct Elements {
    pub(super) dtype: DType,
    pub(super) shape: Vec<i64>,
    /// A reader of the elements in C order.
    pub(super) data: Box<dyn Read>,
    /// The length of the elements in bytes.
    pub(super) length: u64,
}

/// Copies input that can be read only once to a temporary file, so that its length is known and its parts can be read in any order.
pub(super) fn spooled(mut from: impl Read) -> Result<fs::File> {
    let mut copy = || -> io::Result<_> {
        let mut file = tempfile::tempfile()?;
        io::copy(&mut from, &mut file)?;
        file.rewind().map(|()| file)
    };
    copy().map_err(|error| Error::new(format_args!("cannot copy standard input to {}: {error}", std::env::temp_dir().display())))
}

/// Opens a file. Fails if it is not a regular file, because reading a pipe or a device might never end.
pub(super) fn open(path: &Path) -> Result<fs::File> {
    let file = fs::metadata(path)?.is_file().then(|| fs::File::open(path));
    let found = if path.is_dir() { "directory" } else { "pipe or device; to read a pipe, give it as standard input (-)" };
    Ok(file.ok_or_else(|| Error::new(format_args!("expected a regular file, found a {found}")))??)
}

/// Returns the length in bytes of all elements of an array with this shape. `found` is the length of the elements in the file, if it is
/// known. Fails if the two lengths differ, or if the shape has a negative length or is too large.
pub(super) fn length_of(shape: &[i64], itemsize: usize, found: Option<u64>) -> Result<u64> {
    if let Some(length) = shape.iter().find(|&&length| length < 0) {
        return Err(Error::new(format_args!("shape: expected lengths of 0 or more, found {length}")));
    }
    let items = shape.iter().fold(1_u128, |items, &length| items.saturating_mul(length.unsigned_abs().into()));
    match (u64::try_from(items.saturating_mul(itemsize as u128)), found) {
        (Ok(length), Some(found)) if length != found => {
            let length = b2nd_view::text::count(length, "byte");
            Err(Error::new(format_args!("an array of this shape and dtype has {length}, found {found}")))
        }
        (Ok(length), _) => Ok(length),
        (Err(_), _) => Err(Error::new("the elements of this shape need 2^64 bytes or more, which no file can hold")),
    }
}

/// Returns a reader of bytes that come in pieces.
pub(super) fn joined(pieces: impl Iterator<Item = Result<Vec<u8>>>) -> impl Read {
    IterRead::new(pieces.map(|piece| piece.map_err(|error| io::Error::other(error.to_string()))))
}
