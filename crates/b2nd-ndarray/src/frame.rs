//! [`ArrayFrame`]: the frame that an array's chunks come from.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use b2nd_frame::{ChunkReader, File, FileSource, Frame, FrameType};
use b2nd_store::{Bytes, Store, foreign, is_store_directory, is_zip};

use crate::error::{Error, Result};

/// A frame in a source that several threads can read at the same time.
pub(crate) type ArrayFrame = Frame<Bytes>;

/// A chunk of an [`ArrayFrame`], read completely or only in part.
pub(crate) type StoredChunk<'a> = ChunkReader<'a, Bytes>;

/// A chunk up to this length, in bytes, is read in one call if all of its bytes are needed.
const AT_ONCE: u64 = 1 << 20;

pub(crate) fn open(path: &Path) -> Result<ArrayFrame> {
    Ok(Frame::open(Arc::new(FileSource::open(path)?) as Bytes)?)
}

fn it_is(what: &str) -> Option<Error> {
    Some(Error::custom(format_args!("it is {what}")))
}

/// Returns an error that describes a file that cannot be opened as an array, if it is a store or has another known format.
pub(crate) fn instead(path: &Path) -> Option<Error> {
    if path.is_dir() {
        return it_is(if is_store_directory(path) { STORE } else { foreign::describe_directory(path)? });
    }
    let source: Bytes = Arc::new(FileSource::open(path).ok()?);
    match (Store::from_source("", source.clone()).and_then(|store| store.list()), Frame::open(&*source)) {
        (Ok(_), _) => it_is(STORE),
        // The file is a frame, and the original error explains why it is not an array.
        (Err(_), Ok(_)) => None,
        (Err(error), Err(_)) if is_zip(&source.read(0..4).ok()?) => Some(error.into()),
        (Err(_), Err(_)) => it_is(foreign::describe_source(&*source)?),
    }
}

/// Adds the object's path to an error. If the object turns out to be a store or to have another known format, the error is replaced by one
/// that names the format.
#[cfg(feature = "object_store")]
pub(crate) fn explained_object(path: &str, source: &Bytes, error: Error) -> Error {
    use b2nd_store::Kind;

    let instead = match Frame::open(&**source) {
        Ok(frame) if Kind::of(frame.header(), None).is_store() => it_is(STORED),
        Ok(_) => None,
        Err(_) if source.read(0..4).is_ok_and(|first| is_zip(&first)) => it_is(ARCHIVE),
        Err(_) => foreign::describe_source(&**source).and_then(it_is),
    };
    Error::in_file(Path::new(path), instead.unwrap_or(error))
}

#[cfg(feature = "object_store")]
const ARCHIVE: &str =
    "a zip archive, such as a store of python-blosc2: `Remote::open_at` takes the byte at which a frame starts in it";

#[cfg(feature = "object_store")]
const STORED: &str = "a store of python-blosc2: download it, and open its arrays by key with `Array::from_store`";

const STORE: &str = "a store: open one of its arrays by its key, with `Array::from_store` or in the tool `b2nd` as STORE::KEY";

/// Opens the frame in an open file again, not by the path, which another file may have by now.
pub(crate) fn of_file(file: &File) -> Result<ArrayFrame> {
    Ok(Frame::open_at(Arc::new(file.source().try_clone()?) as Bytes, file.position())?)
}

/// Reads the chunk with this index. If `front` is given and the rest can be read later, only the first `front` bytes are read.
pub(crate) fn chunk(store: &ArrayFrame, number: u64, front: Option<u64>) -> b2nd_frame::Result<StoredChunk<'_>> {
    // In a sparse frame, every read would open the chunk's file again, so the whole chunk is read.
    let front = front.filter(|_| store.header().frame_type() == FrameType::Contiguous);
    let mut chunk = store.chunk_reader(number, front.unwrap_or(AT_ONCE))?;
    if front.is_none() {
        chunk.complete()?;
    }
    Ok(chunk)
}

/// Returns a range of bytes in the source that holds a chunk, or `None` if the chunk has no bytes there.
pub(crate) fn range(store: &ArrayFrame, number: u64) -> Result<Option<Range<u64>>> {
    if store.header().frame_type() == FrameType::Sparse {
        return Ok(None);
    }
    let range = store.offsets()?.range(number);
    Ok(range.map(|range| range.start.saturating_add(store.position())..range.end.saturating_add(store.position())))
}
