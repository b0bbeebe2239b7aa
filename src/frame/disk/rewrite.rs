//! [`rewrite`]: the same chunks under another header.

use alloc::vec::Vec;
use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use super::editor::copy;
use super::file::{File, SPARSE_FRAME, name_file};
use super::storage::{Disk, Staged, Storage};
use crate::error::{Error, Result};
use crate::frame::chunk::{ChunkHeader, EXTENDED};
use crate::frame::header::{FrameType, Header};
use crate::frame::metalayers::{MAX_METALAYERS, Metalayers};

/// Writes a frame again with other metalayers: adds, removes, renames or lengthens what C-Blosc2 keeps fixed once a frame
/// holds data. Chunks are copied unread, in constant memory; what older trailers left in the file is dropped. Every new file has
/// the permissions of the one that it is copied from.
///
/// `source` and `target` are files, or sparse frames' directories. They may be the same: then the file (of a sparse frame,
/// `chunks.b2frame`) is replaced at once, as [`File::edit`] says. Otherwise a file at `target` is replaced, and a directory
/// must not exist.
///
/// # Errors
///
/// `source` is no frame, `edit` fails, more than 16 metalayers, or a file cannot be written: then `target` is as it was, or, where
/// nothing failed but to make its new name last, the new frame.
///
/// ```
/// # let path = std::env::temp_dir().join(format!("b2nd-rewrite-{}.b2nd", std::process::id()));
/// b2nd::frame::rewrite("tests/data/example.b2nd", &path, |metalayers| {
///     metalayers.insert("license", b"CC0".as_slice())?;
///     Ok(())
/// })?;
/// assert_eq!(b2nd::frame::File::open(&path)?.header().metalayers().get("license"), Some(b"CC0".as_slice()));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), b2nd::Error>(())
/// ```
pub fn rewrite(
    source: impl AsRef<Path>,
    target: impl AsRef<Path>,
    edit: impl FnOnce(&mut Metalayers) -> Result<()>,
) -> Result<()> {
    rewrite_in(Arc::new(Disk), source, target, edit)
}

/// The same in a storage of your own, which sees every write. Reading goes to the file system.
pub fn rewrite_in(
    storage: Arc<dyn Storage>,
    source: impl AsRef<Path>,
    target: impl AsRef<Path>,
    edit: impl FnOnce(&mut Metalayers) -> Result<()>,
) -> Result<()> {
    let (source, target) = (source.as_ref(), target.as_ref());
    let file = File::open(source)?;
    let mut header = file.header().clone();
    edit(header.metalayers_mut())?;
    let count = header.metalayers().len();
    if count > MAX_METALAYERS && count > file.header().metalayers().len() {
        return Err(header.metalayers().too_many());
    }
    match header.frame_type() {
        FrameType::Contiguous => write_frame(&storage, &file, header, target),
        FrameType::Sparse => {
            let directory = file.path().parent().unwrap_or(Path::new(""));
            if is_same(directory, target) || is_same(file.path(), target) {
                return write_frame(&storage, &file, header, file.path());
            }
            let staged = Staged::directory(storage.clone(), target).map_err(|error| name_file(error.into(), target))?;
            for entry in fs::read_dir(if directory.as_os_str().is_empty() { Path::new(".") } else { directory })? {
                let from = entry?.path();
                if from.extension().is_some_and(|extension| extension == "chunk") {
                    let Some(name) = from.file_name() else { continue };
                    let to = staged.path().join(name);
                    let mut chunk = storage.create(&to)?;
                    storage.copy_permissions(&from, &to)?;
                    let old = fs::File::open(&from)?;
                    let length = old.metadata()?.len();
                    copy(old, &mut chunk, length)?;
                    chunk.sync()?;
                }
            }
            write_frame(&storage, &file, header, &staged.path().join(SPARSE_FRAME))?;
            Ok(staged.finish()?)
        }
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    let one = if one.as_os_str().is_empty() { Path::new(".") } else { one };
    matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(one), Ok(other)) if one == other)
}

/// Writes header, chunks, index and trailer into one file.
fn write_frame(storage: &Arc<dyn Storage>, file: &File, mut header: Header, target: &Path) -> Result<()> {
    let trailer = file.trailer()?;
    let trailer = crate::to_vec(&trailer)?;
    // Up to here the frame is copied: the chunks, if it holds them, and the index.
    let start = file.header().header_len() as u64;
    let end = index_end(file, trailer.len() as u64)?;
    let frame_len = (header.header_len() as u64).checked_add(end - start).and_then(|len| len.checked_add(trailer.len() as u64));
    header.set_frame_len(frame_len.ok_or_else(|| Error::message("the frame is longer than 2^64 bytes"))?);

    let mut source = fs::File::open(file.path())?;
    source.seek(SeekFrom::Start(file.offset() + start))?;
    let (staged, mut new) = Staged::file(storage.clone(), target).map_err(|error| name_file(error.into(), target))?;
    storage.copy_permissions(file.path(), staged.path())?;
    new.write_all(&crate::to_vec(&header)?)?;
    copy(source, &mut new, end - start)?;
    new.write_all(&trailer)?;
    new.sync()?;
    drop(new);
    Ok(staged.finish()?)
}

/// Where in the frame the index ends, which is where the trailer of a frame that was never edited starts.
fn index_end(file: &File, trailer_len: u64) -> Result<u64> {
    let tail = file.header().tail_range();
    if file.header().nbytes() == 0 {
        return Ok(file.header().header_len() as u64);
    }
    let bytes: Vec<u8> = file.read(tail.start..tail.end.min(tail.start.saturating_add(EXTENDED as u64)))?;
    let index = ChunkHeader::from_slice(&bytes).map_err(|error| error.field("index"))?;
    let (end, limit) = (tail.start + index.cbytes() as u64, tail.end.saturating_sub(trailer_len));
    if end > limit {
        let needed = usize::try_from(end - limit).unwrap_or(usize::MAX);
        return Err(Error::end(needed, usize::try_from(limit).unwrap_or(usize::MAX)).field("index"));
    }
    Ok(end)
}
