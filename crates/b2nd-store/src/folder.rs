//! [`Folder`]: a set of named files, and the file names that have a meaning in a store.

use std::fmt;

use b2nd_frame::{Error, ErrorKind, Result, Source};
use rawzip::Crc32;

use crate::frame::Bytes;
use crate::text::printable;

/// The maximum number of bytes that [`Folder::verify`] reads at a time.
const PART: u64 = 1 << 20;

/// The file of a store that contains leaves as embedded frames. Its metalayers determine the kind of the store, unless the store itself is
/// a table.
pub(crate) const EMBED: &str = "embed.b2e";

/// The file that contains the attributes of a store or of a group.
pub(crate) const ATTRIBUTES: &str = "__vlmeta__.b2f";

/// The key of attributes that are stored in `embed.b2e`. The key of their group precedes it.
pub(crate) const EMBEDDED_ATTRIBUTES: &str = "/__vlmeta__";

/// The file that contains the metadata of a table. A folder with this file is a table.
pub(crate) const TABLE: &str = "_meta.b2f";

/// The file that contains the user's attributes of a table.
pub(crate) const TABLE_ATTRIBUTES: &str = "_vlmeta.b2f";

/// The endings of file names by which leaves are recognized. Files with other names can also be leaves, if they are frames.
pub(crate) const LEAVES: [&str; 3] = [".b2nd", ".b2f", ".b2b"];

/// A file or directory that a folder contains, but that [`Folder::files`] leaves out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The path of the file, relative to the folder. Bytes that are not UTF-8 are replaced.
    pub name: String,
    /// The reason why the file is left out.
    pub why: Why,
}

/// The reason why a file is [`LeftOut`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is a symbolic link. Links are not followed, since they can point to any file.
    Link,
    /// Its name is not UTF-8.
    NotUtf8,
    /// Its name starts with `/` or has a part `..`, so it could name a file outside of the folder.
    Outside,
    /// A later member of the archive has the same name. The later one is used, as by Python's `zipfile`.
    Duplicate,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", printable(&self.name), self.why)
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::Link => "it is a symbolic link, which is not followed",
            Why::NotUtf8 => "its name is not UTF-8",
            Why::Outside => "its name starts with / or has a part \"..\", so it could name a file outside of the store",
            Why::Duplicate => "another member has the same name: the last one is used",
        })
    }
}

/// A set of named files, such as a directory or an archive. It may be remote, with only a part of its bytes fetched so far.
pub trait Folder {
    /// Returns the paths of the files, relative to the folder, with `/` between names.
    ///
    /// # Errors
    ///
    /// Fails if the files cannot be listed.
    fn files(&self) -> Result<Vec<String>> {
        Ok(self.contents()?.0)
    }

    /// Opens a file. Returns `None` if there is no file with this name.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    fn member(&self, file: &str) -> Result<Option<Bytes>>;

    /// Opens a file that must exist.
    ///
    /// # Errors
    ///
    /// Fails if the file does not exist or cannot be read.
    fn open(&self, file: &str) -> Result<Bytes> {
        self.member(file)?.ok_or_else(|| Error::custom(format_args!("{file:?} is not in the store")))
    }

    /// Returns the files that `files` lists, and those that it leaves out.
    ///
    /// # Errors
    ///
    /// Fails if the files cannot be listed.
    fn contents(&self) -> Result<(Vec<String>, Vec<LeftOut>)>;

    /// Returns false if a file is compressed or encrypted, so that its first bytes cannot be read without decoding it.
    fn is_stored(&self, _file: &str) -> bool {
        true
    }

    /// Returns the CRC-32 of a file's content that the folder stores, or `None` if it stores none.
    fn crc(&self, _file: &str) -> Option<u32> {
        None
    }

    /// Reads all of a file, and compares its content with the stored [`crc`](Folder::crc). Does nothing if there is none.
    ///
    /// # Errors
    ///
    /// Fails if the content has a different CRC-32, or cannot be read.
    fn verify(&self, file: &str) -> Result<()> {
        let Some(expected) = self.crc(file) else { return Ok(()) };
        let (bytes, mut crc, mut start) = (self.open(file)?, Crc32::new(), 0_u64);
        loop {
            let part = bytes.read(start..start.saturating_add(PART))?;
            if part.is_empty() {
                return same_crc(file, expected, crc.checksum());
            }
            crc.update(&part);
            start += part.len() as u64;
        }
    }

    /// Returns the offset of a file in its archive, in bytes, or 0 if the folder is not an archive.
    ///
    /// # Errors
    ///
    /// Fails if the archive cannot be read, is damaged or does not contain the file.
    fn offset(&self, _file: &str) -> Result<u64> {
        Ok(0)
    }
}

/// Fails if the CRC-32 of a member of an archive is not the one that the archive stores.
pub(crate) fn same_crc(file: &str, expected: u32, found: u32) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    let name = printable(file);
    Err(Error::custom(format_args!("{name}: the archive is damaged: expected the CRC-32 {expected:08x}, found {found:08x}")))
}

/// Returns true if a file that starts with these bytes is a frame. At least ten bytes are needed. A frame starts with a MessagePack array
/// whose first element is the string `b2frame\0`.
pub fn is_frame(first: &[u8]) -> bool {
    matches!(first, [0x90..=0x9f, 0xa8, b'b', b'2', b'f', b'r', b'a', b'm', b'e', 0, ..])
}

/// Returns true if a file that starts with these bytes is a zip archive.
pub fn is_zip(first: &[u8]) -> bool {
    matches!(first, [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..])
}

/// Returns the folder that contains the path `file`, or `None` if the last part of the path is not `name`. The root folder is `""`.
pub(crate) fn folder_of<'a>(file: &'a str, name: &str) -> Option<&'a str> {
    let folder = file.strip_suffix(name)?;
    if folder.is_empty() { Some(folder) } else { folder.strip_suffix('/') }
}

pub(crate) fn is_below(file: &str, folder: &str) -> bool {
    folder.is_empty() && file != EMBED && file != ATTRIBUTES
        || file.strip_prefix(folder).is_some_and(|rest| !folder.is_empty() && rest.starts_with('/'))
}

/// Adds the name of a file in a store to an error about the file's content. Other errors are returned unchanged.
pub(crate) fn named(file: &str, error: Error) -> Error {
    // The name is empty for a store that is a single frame, such as a `.b2e`, because it has no members.
    if file.is_empty() || is_of_source(&error) { error } else { Error::custom(format_args!("{}: {error}", printable(file))) }
}

/// Returns true if the cause of an error is the source, which failed or has not fetched the necessary bytes yet. Returns false for other
/// errors, such as those of invalid content.
pub fn is_of_source(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Io(_) | ErrorKind::Missing { .. })
}

/// Separates errors of a frame's content from errors of its source. Errors of the content are in the inner result, errors of the source in
/// the outer one.
///
/// # Errors
///
/// Fails if the source cannot be read.
pub fn readable<T>(result: b2nd_frame::Result<T>) -> b2nd_frame::Result<b2nd_frame::Result<T>> {
    match result {
        Err(error) if is_of_source(&error) => Err(error),
        result => Ok(result),
    }
}
