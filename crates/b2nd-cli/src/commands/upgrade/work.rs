//! Upgrades one frame: writes a temporary file, compares it with the old frame, and renames it.

use std::fs;
use std::ops::Range;
use std::path::Path;

use b2nd::ArrayMeta;
use b2nd_frame::{File, FileSource, FrameType, HeaderField, Source, rewrite_checked};

use super::plan::Upgrade;
use crate::error::{Error, Result};

/// The maximum number of bytes that are compared at a time.
const PART: u64 = 1 << 16;

/// Upgrades a frame into `target`, or in place. `progress` is called with the number of bytes of each part that was compared.
///
/// # Errors
///
/// Fails if the target exists, a file cannot be read or written, or the new frame differs from what was intended. After an error, no file
/// has changed.
pub(crate) fn run(source: &Path, upgrade: &Upgrade, target: Option<&Path>, progress: &dyn Fn(u64)) -> Result<()> {
    let old = File::open(source)?;
    let has_new_chunks = target.is_some() && old.header().frame_type() == FrameType::Sparse;
    let check = |new: &File| -> Result<()> {
        compare(&old, new, upgrade, progress)?;
        if has_new_chunks { compare_chunks(old.path(), new.path(), progress) } else { Ok(()) }
    };
    let check = |new: &File| check(new).map_err(b2nd_frame::Error::custom);
    Ok(rewrite_checked(source, target, |metalayers| upgrade.apply(metalayers), check)?)
}

/// Fails if the new frame differs from the old frame in more than the array metalayer.
pub(crate) fn compare(old: &File, new: &File, upgrade: &Upgrade, progress: &dyn Fn(u64)) -> Result<()> {
    let mut meant = old.header().clone();
    upgrade.apply(meant.metalayers_mut())?;
    if without_frame_len(&b2nd::to_vec(&meant)?) != without_frame_len(&b2nd::to_vec(new.header())?) {
        return Err(Error::new("the new header differs from the intended one"));
    }
    match new.header().array()? {
        Some(ArrayMeta::B2nd(meta)) if meta.into_owned() == upgrade.meta => {}
        _ => return Err(Error::new("the new array differs from the intended one")),
    }
    let trailer = new.trailer()?;
    if trailer != old.trailer()? {
        return Err(Error::new("the new trailer differs from the old one"));
    }
    let index = old.offsets()?;
    let same_index = new.offsets().is_ok_and(|new| new.iter().eq(index.iter()));
    // The data are the chunks and the index, which are between the header and the trailer.
    let length = new.header().frame_len().saturating_sub((new.header().header_len() + trailer.trailer_len()) as u64);
    let data = [old, new].map(|frame| (frame.path(), frame.header().header_len() as u64));
    if !same_index || !same_bytes(data, length, progress)? {
        return Err(Error::new("the new frame's chunks or index differ from the old one's"));
    }
    Ok(())
}

/// Returns the bytes of a header before and after the field that holds the length of the frame. This field is left out, because it changes
/// with the length of the metalayer.
fn without_frame_len(header: &[u8]) -> [&[u8]; 2] {
    let Range { start, end } = HeaderField::FRAME_LEN.value();
    [header.get(..start).unwrap_or_default(), header.get(end..).unwrap_or_default()]
}

/// Fails if a chunk file of the new sparse frame differs from the same file of the old one.
pub(crate) fn compare_chunks(old: &Path, new: &Path, progress: &dyn Fn(u64)) -> Result<()> {
    for entry in fs::read_dir(directory(old))? {
        let path = entry?.path();
        let (true, Some(name)) = (path.extension().is_some_and(|extension| extension == "chunk"), path.file_name()) else {
            continue;
        };
        let copy = directory(new).join(name);
        let [length, new_length] = [fs::metadata(&path)?.len(), fs::metadata(&copy)?.len()];
        if length != new_length || !same_bytes([(&path, 0), (&copy, 0)], length, progress)? {
            return Err(Error::new(format_args!("the new {} differs from the old one", Path::new(name).display())));
        }
    }
    Ok(())
}

/// Returns true if `length` bytes of both files are equal. For each file, `files` has the path and the position at which these bytes start.
fn same_bytes(files: [(&Path, u64); 2], length: u64, progress: &dyn Fn(u64)) -> Result<bool> {
    let [(one, start), (other, other_start)] = files;
    let [one, other] = [FileSource::open(one)?, FileSource::open(other)?];
    for at in (0..length).step_by(PART as usize) {
        let part = at..length.min(at + PART);
        if one.read(start + part.start..start + part.end)? != other.read(other_start + part.start..other_start + part.end)? {
            return Ok(false);
        }
        progress(part.end - part.start);
    }
    Ok(true)
}

fn directory(file: &Path) -> &Path {
    file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
