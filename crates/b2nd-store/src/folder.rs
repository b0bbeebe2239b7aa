//! [`Folder`]: files under names, and the names that mean something in a store.

use b2nd::{Error, ErrorKind, Result};

use crate::location::Bytes;

/// The member of a store that holds its smallest leaves, and says what kind of store it is.
pub(crate) const EMBED: &str = "embed.b2e";

/// The member that holds the attributes of a store or of a group.
pub(crate) const ATTRIBUTES: &str = "__vlmeta__.b2f";

/// The key of attributes that are embedded.
pub(crate) const EMBEDDED_ATTRIBUTES: &str = "/__vlmeta__";

/// The member that makes a folder a table.
pub(crate) const TABLE: &str = "_meta.b2f";

/// The member that holds the attributes of a table.
pub(crate) const TABLE_ATTRIBUTES: &str = "_vlmeta.b2f";

/// The endings of members that are leaves.
pub(crate) const LEAVES: [&str; 3] = [".b2nd", ".b2f", ".b2b"];

/// Files under names: a directory, an archive, or those that a client has of either.
pub trait Folder {
    /// The files' paths, relative to the folder, with `/` between names.
    ///
    /// # Errors
    ///
    /// They cannot be listed.
    fn files(&self) -> Result<Vec<String>>;

    /// The bytes of one of these files. `None` if there is no such file.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    fn member(&self, file: &str) -> Result<Option<Bytes>>;

    /// The bytes of one of these files, which has to be there.
    ///
    /// # Errors
    ///
    /// It is not there, or cannot be read.
    fn open(&self, file: &str) -> Result<Bytes> {
        self.member(file)?.ok_or_else(|| Error::custom(format_args!("{file:?} is not in the store")))
    }

    /// The names that more than one file has. The last of them counts.
    fn duplicates(&self) -> Vec<String> {
        Vec::new()
    }

    /// The offset in bytes at which a file starts in its archive; 0 if each is a file of its own.
    ///
    /// # Errors
    ///
    /// The archive cannot be read.
    fn offset(&self, file: &str) -> Result<u64> {
        let _ = file;
        Ok(0)
    }
}

/// Returns true if these are the first ten bytes of a frame: a fixarray and the magic.
pub fn is_frame(first: &[u8]) -> bool {
    matches!(first, [0x90..=0x9f, 0xa8, b'b', b'2', b'f', b'r', b'a', b'm', b'e', 0, ..])
}

/// Returns true if these are the first bytes of a zip archive.
pub fn is_zip(first: &[u8]) -> bool {
    matches!(first, [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..])
}

/// The folder of a file with this name, `""` for the outermost.
pub(crate) fn folder_of<'a>(file: &'a str, name: &str) -> Option<&'a str> {
    let folder = file.strip_suffix(name)?;
    if folder.is_empty() { Some(folder) } else { folder.strip_suffix('/') }
}

pub(crate) fn is_below(file: &str, folder: &str) -> bool {
    folder.is_empty() && file != EMBED && file != ATTRIBUTES
        || file.strip_prefix(folder).is_some_and(|rest| !folder.is_empty() && rest.starts_with('/'))
}

/// Adds the file of a store to an error.
pub(crate) fn named(file: &str, error: Error) -> Error {
    match file {
        _ if is_of_source(&error) => error,
        // A store that is one file has no members.
        "" => error,
        _ => Error::custom(format_args!("{}: {error}", crate::text::printable(file))),
    }
}

/// Returns true if an error is that of a source that failed or whose bytes have not been fetched yet, rather than of its content.
pub fn is_of_source(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Io(_) | ErrorKind::Missing { .. })
}

/// Separates the errors of a frame, which are reported, from those of its source, which end the reading.
///
/// # Errors
///
/// The source failed.
pub fn readable<T>(result: b2nd::Result<T>) -> b2nd::Result<b2nd::Result<T>> {
    match result {
        Err(error) if is_of_source(&error) => Err(error),
        result => Ok(result),
    }
}
