//! Writes archives (`.b2z`).

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use b2nd_frame::NewFile;
use b2nd_store::{Bytes, Folder, Store};
use rawzip::ZipArchiveWriter;

use crate::error::{Error, Result};
use crate::staged::scratch;

/// The maximum number of bytes that are copied at a time.
const PART: u64 = 1 << 20;

/// Writes an archive that contains the members `names`. The function `member` gets the name of a member and a path, and writes the content
/// of the member to this path. A new file gets the attributes of `like`. Members are stored without compression, because python-blosc2 cannot read compressed members.
pub(crate) fn write(
    target: &Path,
    overwrite: bool,
    like: Option<&Path>,
    names: &[String],
    mut member: impl FnMut(&str, &Path) -> Result<()>,
) -> Result<()> {
    let mut file = if overwrite { NewFile::create(target)? } else { NewFile::create_new(target)? };
    like.map_or(Ok(()), |source| file.copy_attributes(source))?;
    // This temporary directory contains only the member that is being added.
    let scratch = scratch(target)?;
    let path = scratch.path().join("member.b2nd");
    let mut archive = ZipArchiveWriter::new(BufWriter::new(&mut file));
    for name in names {
        member(name, &path)?;
        let (mut entry, config) = archive.new_file(name).start()?;
        let mut writer = config.wrap(&mut entry);
        io::copy(&mut fs::File::open(&path)?, &mut writer)?;
        let (_, written) = writer.finish()?;
        entry.finish(written)?;
        fs::remove_file(&path)?;
    }
    archive.finish()?.flush()?;
    Ok(file.finish()?)
}

/// Opens a member of a store. Fails if the member no longer exists.
pub(crate) fn member(store: &Store, name: &str) -> Result<Bytes> {
    let removed = || Error::new(format_args!("{name} is no longer in the store: it was removed while the store was read"));
    store.member(name)?.ok_or_else(removed)
}

/// Copies a member of a store to a new file. Fails if `path` exists.
pub(crate) fn copy(source: &Bytes, path: &Path) -> Result<()> {
    let mut file = NewFile::create_new(path)?;
    let mut start: u64 = 0;
    loop {
        let part = source.read(start..start.saturating_add(PART))?;
        if part.is_empty() {
            return Ok(file.finish()?);
        }
        file.write_all(&part)?;
        start += part.len() as u64;
    }
}
