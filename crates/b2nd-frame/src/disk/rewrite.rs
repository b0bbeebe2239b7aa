//! [`rewrite`]: changes the metalayers of a frame.

use std::fs;
use std::path::Path;

use b2nd_codec::ChunkHeader;

use super::SPARSE_FRAME;
use super::copy::copy;
use super::file::File;
use super::source::frame_file;
use super::staged::{Staged, directory};
use super::storage::{Handle, storage};
use crate::error::{Error, Result};
use crate::header::{FrameType, Header};
use crate::metalayers::{MAX_METALAYERS, Metalayers};

/// Changes the metalayers of a frame: `edit` can add, remove, rename or lengthen metalayers. `path` is a file, or the directory of a sparse
/// frame. The file (for a sparse frame, `chunks.b2frame`) is replaced atomically by a new file, as by
/// [`Editor::rewrite`](super::Editor::rewrite). Chunks stay unchanged, and those of a contiguous frame are copied in constant memory. Older
/// trailers that are no longer valid are left out.
///
/// # Errors
///
/// Returns the errors of [`File::edit`]. Also fails if the index or the trailer cannot be read, a file cannot be written, or `edit` fails,
/// leaves more than 16 metalayers and more than the frame had, or changes the metalayer of an array to one that cannot be decoded, that
/// does not match the chunks, or that moves, adds or removes elements. After an error, the file is unchanged, unless only the final sync
/// of the directory failed.
///
/// ```
/// # let path = std::env::temp_dir().join(format!("b2nd-rewrite-{}.b2nd", std::process::id()));
/// # std::fs::copy("../../tests/data/example.b2nd", &path)?;
/// b2nd_frame::rewrite(&path, |metalayers| {
///     metalayers.insert("license", b"CC0".as_slice())?;
///     Ok(())
/// })?;
/// assert_eq!(b2nd_frame::File::open(&path)?.header().metalayers().get("license"), Some(b"CC0".as_slice()));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), b2nd_frame::Error>(())
/// ```
pub fn rewrite(path: impl AsRef<Path>, edit: impl FnOnce(&mut Metalayers) -> Result<()>) -> Result<()> {
    File::edit(path)?.rewrite(edit)
}

/// Copies a frame and changes its metalayers, like [`rewrite`]. Each new file gets the permissions of its source, and the other attributes
/// that an [`Editor`](super::Editor) keeps.
///
/// If `source` and `target` are the same, this is [`rewrite`]. Otherwise, `target` must not exist, and the call also fails if another
/// process creates it meanwhile. This function waits while an editor has `source` open.
///
/// # Errors
///
/// Returns the errors of [`rewrite`]. Also fails if `target` exists and is not `source`, or if a chunk file of `source` cannot be read.
pub fn rewrite_to(
    source: impl AsRef<Path>,
    target: impl AsRef<Path>,
    edit: impl FnOnce(&mut Metalayers) -> Result<()>,
) -> Result<()> {
    let (source, target) = (frame_file(source.as_ref()), target.as_ref());
    let real = [&source, &frame_file(target)].map(fs::canonicalize);
    if matches!(&real, [Ok(source), Ok(target)] if source == target) {
        return rewrite(source, edit);
    }
    let file = File::open_shared(&source)?;
    let header = rewritten(&file, edit).map_err(|error| error.in_file(&source))?;
    let written = match header.frame_type() {
        FrameType::Contiguous => write_file(file, header, target),
        FrameType::Sparse => write_directory(file, header, target),
    };
    written.map_err(|error| error.in_file(target))
}

fn write_file(source: File, header: Header, target: &Path) -> Result<()> {
    let (staged, mut new) = Staged::new_file(target)?;
    staged.keep_attributes(source.path())?;
    write_frame(&source, header, &mut *new)?;
    new.sync()?;
    staged.rename()
}

fn write_directory(source: File, header: Header, target: &Path) -> Result<()> {
    let directory = directory(source.path());
    let staged = Staged::directory(target)?;
    staged.keep_attributes(directory)?;
    for entry in fs::read_dir(directory).map_err(|error| Error::from(error).in_file(directory))? {
        let from = entry?.path();
        if from.extension().is_some_and(|extension| extension == "chunk") {
            let Some(name) = from.file_name() else { continue };
            let to = staged.path().join(name);
            let mut chunk = storage().create(&to)?;
            storage().copy_attributes(&from, &to)?;
            let mut old = fs::File::open(&from).map_err(|error| Error::from(error).in_file(&from))?;
            let length = old.metadata()?.len();
            copy(&mut old, 0..length, &mut *chunk)?;
            // If the file ends in a hole, copying has not set the length of the new file yet.
            chunk.set_len(length)?;
            chunk.sync()?;
        }
    }
    write_file(source, header, &staged.path().join(SPARSE_FRAME))?;
    staged.rename()
}

/// Returns a copy of the frame's header, with the metalayers as `edit` has changed them.
pub(super) fn rewritten(file: &File, edit: impl FnOnce(&mut Metalayers) -> Result<()>) -> Result<Header> {
    file.trailer()?.check_editable()?;
    let mut header = file.header().clone();
    edit(header.metalayers_mut())?;
    let count = header.metalayers().len();
    if count > MAX_METALAYERS && count > file.header().metalayers().len() {
        return Err(header.metalayers().too_many());
    }
    header.check_replaced_array(file.header(), || Ok(file.offsets()?.len()))?;
    Ok(header)
}

/// Writes the header, the chunks of a contiguous frame, the index and the trailer to a new file.
pub(super) fn write_frame(file: &File, mut header: Header, new: &mut dyn Handle) -> Result<()> {
    let trailer = b2nd::to_vec(file.trailer()?)?;
    // Copy the bytes from the end of the header to the end of the index: the chunks, if the frame is contiguous, and the index. Bytes
    // between the index and the trailer, which edits can leave, are not copied.
    let start = file.header().header_len() as u64;
    let end = index_end(file, trailer.len() as u64).map_err(|error| error.in_file(file.path()))?;
    header.set_frame_len(header.header_len() as u64 + (end - start) + trailer.len() as u64);

    new.write_all(&b2nd::to_vec(&header)?)?;
    copy(&mut file.file().try_clone()?, start..end, new)?;
    new.write_all(&trailer)?;
    Ok(())
}

/// Returns the position at which the index ends, counted from the start of the frame. In a frame that was never edited, the trailer starts
/// at this position. Fails if the header of the index cannot be read, or the index overlaps the trailer, the last `trailer_len` bytes.
pub(super) fn index_end(file: &File, trailer_len: u64) -> Result<u64> {
    let tail = file.header().tail_range();
    if file.header().nbytes() == 0 {
        return Ok(file.header().header_len() as u64);
    }
    let bytes = file.read(tail.start..tail.end.min(tail.start.saturating_add(ChunkHeader::MAX_LEN as u64)))?;
    let index = ChunkHeader::from_slice(&bytes).map_err(|error| Error::from(error).field("index"))?;
    let room = tail.end.saturating_sub(trailer_len).saturating_sub(tail.start);
    if index.cbytes() as u64 > room {
        let at = usize::try_from(tail.start + 12).unwrap_or(usize::MAX);
        return Err(Error::mismatch("cbytes", format_args!("at most {room}"), index.cbytes(), at).field("index"));
    }
    Ok(tail.start + index.cbytes() as u64)
}
