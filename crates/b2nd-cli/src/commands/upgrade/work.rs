//! Upgrades one frame: writes a temporary file, compares it with the old frame, and renames it.

use std::error::Error;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use b2nd::ArrayMeta;
use b2nd::frame::{File, FrameType, HeaderField, Trailer, rewrite_checked};

use super::plan::Upgrade;

/// The number of bytes that are compared at a time.
const PART: usize = 1 << 16;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Upgrades a frame into `target`, or in place. `progress` receives the number of bytes compared.
///
/// # Errors
///
/// Fails if the target exists, a file cannot be read or written, or the new frame differs from what was intended. If it fails, nothing has
/// changed.
pub(crate) fn run(source: &Path, upgrade: &Upgrade, target: Option<&Path>, progress: &dyn Fn(u64)) -> Result<()> {
    let old = File::open(source)?;
    let has_new_chunks = target.is_some() && old.header().frame_type() == FrameType::Sparse;
    let check = |new: &File| -> Result<()> {
        compare(&old, new, upgrade, progress)?;
        if has_new_chunks { compare_chunks(old.path(), new.path(), progress) } else { Ok(()) }
    };
    let check = |new: &File| check(new).map_err(b2nd::Error::custom);
    Ok(rewrite_checked(source, target, |metalayers| upgrade.apply(metalayers), check)?)
}

pub(crate) fn refuse_to_overwrite(target: &Path) -> Result<()> {
    match fs::symlink_metadata(target) {
        Ok(_) => Err(format!("{} already exists", target.display()).into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Fails if the new frame differs from the old frame in more than the array metalayer.
pub(crate) fn compare(old: &File, new: &File, upgrade: &Upgrade, progress: &dyn Fn(u64)) -> Result<()> {
    let mut meant = old.header().clone();
    upgrade.apply(meant.metalayers_mut())?;
    if without_frame_len(&b2nd::to_vec(&meant)?) != without_frame_len(&b2nd::to_vec(new.header())?) {
        return Err("the new header differs from the intended one".into());
    }
    match new.header().array()? {
        Some(ArrayMeta::B2nd(meta)) if meta.into_owned() == upgrade.meta => {}
        _ => return Err("the new array differs from the intended one".into()),
    }
    let trailer = new.trailer()?;
    if trailer != old.trailer()? {
        return Err("the new trailer differs from the old one".into());
    }
    let index = old.offsets()?;
    let same_index = new.offsets().is_ok_and(|new| new.iter().eq(index.iter()));
    let length = data_len(new, &trailer);
    let [mut one, mut other] = [data(old)?, data(new)?];
    if !same_index || !same_bytes(&mut one, &mut other, length, progress)? {
        return Err("the new frame's chunks or index differ from the old one's".into());
    }
    Ok(())
}

/// Returns the bytes of a header before and after the length of the frame. This length is left out, because it changes with the length of
/// the metalayer.
fn without_frame_len(header: &[u8]) -> [&[u8]; 2] {
    let Range { start, end } = HeaderField::FRAME_LEN.value();
    [header.get(..start).unwrap_or_default(), header.get(end..).unwrap_or_default()]
}

/// Returns the length of everything between the header and the trailer of a new frame: the chunks and the index.
fn data_len(new: &File, trailer: &Trailer) -> u64 {
    new.header().frame_len().saturating_sub((new.header().header_len() + trailer.trailer_len()) as u64)
}

/// Opens the frame's file at the first chunk.
fn data(frame: &File) -> io::Result<fs::File> {
    let mut file = fs::File::open(frame.path())?;
    file.seek(SeekFrom::Start(frame.header().header_len() as u64))?;
    Ok(file)
}

/// Compares the chunk files of sparse frames.
pub(crate) fn compare_chunks(old: &Path, new: &Path, progress: &dyn Fn(u64)) -> Result<()> {
    for entry in fs::read_dir(directory(old))? {
        let path = entry?.path();
        let (true, Some(name)) = (path.extension().is_some_and(|extension| extension == "chunk"), path.file_name()) else {
            continue;
        };
        let [mut one, mut other] = [fs::File::open(&path)?, fs::File::open(directory(new).join(name))?];
        let [length, new_length] = [one.metadata()?.len(), other.metadata()?.len()];
        if length != new_length || !same_bytes(&mut one, &mut other, length, progress)? {
            return Err(format!("the new {} differs from the old one", Path::new(name).display()).into());
        }
    }
    Ok(())
}

/// Returns true if the next `length` bytes of both readers are equal.
fn same_bytes(one: &mut impl Read, other: &mut impl Read, length: u64, progress: &dyn Fn(u64)) -> io::Result<bool> {
    let mut parts = [vec![0; PART], vec![0; PART]];
    let mut left = length;
    while left != 0 {
        let part = left.min(PART as u64) as usize;
        let [a, b] = parts.each_mut().map(|buffer| &mut buffer[..part]);
        one.read_exact(a)?;
        other.read_exact(b)?;
        if a != b {
            return Ok(false);
        }
        left -= part as u64;
        progress(part as u64);
    }
    Ok(true)
}

fn directory(file: &Path) -> &Path {
    file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
