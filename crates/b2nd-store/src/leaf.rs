//! [`Leaf`]: an array, a table or something else in a store.

use std::sync::Arc;

use b2nd::{Error, Result};

use crate::folder::{Folder, LEAVES, named};
use crate::frame::Frame;
use crate::held;
use crate::location::Bytes;
use crate::table::Table;

/// An array, a table or something else in a store.
#[derive(Clone)]
pub struct Leaf {
    /// Its name in Python: `/group/name`.
    pub key: String,
    /// The file that holds it; of a table that with its metadata.
    pub member: Option<String>,
    /// The byte at which it starts: in the archive, or in the data of the frame that embeds it.
    pub offset: u64,
    /// Its content.
    pub content: Content,
}

/// The content of a leaf.
#[derive(Clone)]
pub enum Content {
    /// A frame in the file [`Leaf::member`].
    Frame,
    /// A frame of so many bytes in the data of the embedding frame, which is the file [`Leaf::member`] where there is one.
    Embedded(u64),
    /// A table of frames.
    Table(Box<Table>),
    /// A reference to an array on a server.
    Remote {
        /// The server.
        urlbase: String,
        /// The array there.
        path: String,
    },
}

/// Finds the leaf with this key. A file of a table is one too, although it is not listed: `/t/_cols/x`.
///
/// # Errors
///
/// There is none; the error names some that there are.
pub fn find(leaves: &[Leaf], folder: &dyn Folder, key: &str) -> Result<Leaf> {
    let name = key.trim_start_matches('/');
    let wanted = format!("/{name}");
    if let Some(leaf) = leaves.iter().find(|leaf| leaf.key == wanted) {
        return Ok(leaf.clone());
    }
    let files =
        leaves.iter().filter_map(|leaf| if let Content::Table(table) = &leaf.content { Some(&table.files) } else { None });
    let is_it = |file: &&String| LEAVES.iter().any(|end| file.strip_suffix(end) == Some(name));
    if let Some(file) = files.flatten().find(is_it) {
        return Ok(Leaf { key: wanted, offset: folder.offset(file)?, member: Some(file.clone()), content: Content::Frame });
    }
    let keys: Vec<_> = leaves.iter().take(5).map(|leaf| leaf.key.as_str()).collect();
    let more = if leaves.len() > keys.len() { ", …" } else { "" };
    Err(Error::custom(format_args!("there is no {wanted} in it; there are {}{more}", keys.join(", "))))
}

impl Leaf {
    /// The frame's bytes. Those that are embedded are decompressed into memory.
    ///
    /// # Errors
    ///
    /// The bytes cannot be read, or the leaf is a table or a reference to a server.
    pub fn open(&self, folder: &dyn Folder) -> Result<Bytes> {
        let member = self.member.as_deref().unwrap_or_default();
        match &self.content {
            Content::Frame => folder.open(member).map_err(|error| named(member, error)),
            Content::Embedded(length) => {
                let source = folder.open(member).map_err(|error| named(member, error))?;
                let frame = Frame::open(&*source).map_err(|error| named(member, error))?;
                Ok(Arc::new(held::data(&frame, self.offset, *length).map_err(|error| named(member, error))?))
            }
            Content::Table(_) => Err(Error::custom(format_args!("{} is a table of several frames", self.key))),
            Content::Remote { urlbase, path } => Err(Error::custom(format_args!("{} is at {urlbase}, as {path}", self.key))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Leaf;

    /// A store may have a million of them, and few are tables.
    #[test]
    fn a_leaf_is_no_larger_than_its_names() {
        assert!(size_of::<Leaf>() <= 6 * size_of::<String>(), "{}", size_of::<Leaf>());
    }
}
