//! Writes archives (`.b2z`).

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use b2nd_frame::NewFile;
use b2nd_store::{Bytes, Folder, LeftOut, Store, Why};
use rawzip::path::{EntryPath, ZipFilePath};
use rawzip::{Crc32Option, ZipArchiveWriter};

use crate::error::{Error, Result};
use crate::staged::scratch;

/// The maximum number of bytes that are copied at a time.
const PART: u64 = 1 << 20;

/// Writes an archive that contains the members `names` to the file `new`, which gets the name `target`. The function `member` gets the name
/// of a member and a path, and writes the content of the member to this path. It returns the CRC-32 of this content if another archive
/// stores it: damage to the content can then still be detected. Members are stored without compression, because python-blosc2 cannot read
/// compressed members.
pub(crate) fn write(
    target: &Path,
    new: NewFile,
    names: &[String],
    mut member: impl FnMut(&str, &Path) -> Result<Option<u32>>,
) -> Result<()> {
    // This temporary directory is for the member that is being added.
    let scratch = scratch(target)?;
    let path = scratch.path().join("member.b2nd");
    let mut archive = ZipArchiveWriter::new(BufWriter::new(new.file()));
    for name in names {
        // rawzip changes text such as `a:b`, `a\b` and `./a`, but it cannot mark bytes as UTF-8.
        let written = if name.is_ascii() { EntryPath::verbatim(name.as_bytes()) } else { ZipFilePath::from_str(name).into() };
        if !name.is_ascii() && ZipFilePath::from_str(name).as_str() != name {
            return Err(Error::new(format_args!("{name:?}: cannot zip non-ASCII names with :, \\ or empty, . or .. parts")));
        }
        let crc = member(name, &path)?.map_or(Crc32Option::Calculate, Crc32Option::Custom);
        let (mut entry, config) = archive.new_file(written).crc32(crc).start()?;
        let mut writer = config.wrap(&mut entry);
        io::copy(&mut fs::File::open(&path)?, &mut writer)?;
        let (_, written) = writer.finish()?;
        entry.finish(written)?;
        fs::remove_file(&path)?;
    }
    archive.finish()?.flush()?;
    Ok(new.finish()?)
}

/// Locks a store that is going to be replaced, if it is an archive, and reads it again, so that no change of another editor is lost.
pub(crate) fn lock(store: Store, path: &Path) -> Result<(Option<NewFile>, Store)> {
    if store.is_archive() { Ok((Some(NewFile::replace(path)?), Store::open(path)?)) } else { Ok((None, store)) }
}

/// Returns the names of all files of a store that is copied, sorted, and the names of links, which are not copied. Fails if other files of
/// the store cannot be copied.
pub(crate) fn names(store: &Store) -> Result<(Vec<String>, Vec<LeftOut>)> {
    let (names, left_out) = store.contents()?;
    match left_out.iter().find(|one| one.why != Why::Link) {
        Some(one) => Err(Error::new(format_args!("{one}; the new store would not contain it, so nothing was written"))),
        None => Ok((names, left_out)),
    }
}

/// Opens a member of a store. Fails if the member no longer exists.
pub(crate) fn member(store: &Store, name: &str) -> Result<Bytes> {
    let removed = || Error::new(format_args!("{name} is no longer in the store: it was removed while the store was read"));
    store.member(name)?.ok_or_else(removed)
}

/// Copies a member of a store to a new file. Fails if `path` exists.
pub(crate) fn copy(source: &Bytes, path: &Path) -> Result<()> {
    let file = NewFile::create_new(path)?;
    let mut start: u64 = 0;
    loop {
        let part = source.read(start..start.saturating_add(PART))?;
        if part.is_empty() {
            return Ok(file.finish()?);
        }
        file.file().write_all(&part)?;
        start += part.len() as u64;
    }
}
