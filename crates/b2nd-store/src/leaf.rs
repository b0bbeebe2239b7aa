//! [`Leaf`]: an array, a table or something else in a store.

use b2nd::frame::Decompress;
use b2nd::{Error, Result};

use crate::folder::{Folder, named};
use crate::frame::Frame;
use crate::held;
use crate::source::Source;
use crate::table::Table;

/// An array, a table or something else in a store.
pub struct Leaf {
    /// Its name in Python: `/group/name`.
    pub key: String,
    /// The file that holds it; of a table that with its metadata.
    pub member: Option<String>,
    /// Where it starts: in the archive, or in the data of the frame that embeds it.
    pub offset: u64,
    /// What it is.
    pub content: Content,
}

/// What a leaf is.
pub enum Content {
    /// A frame in the file [`Leaf::member`].
    Frame,
    /// A frame of so many bytes in the data of the embedding frame, which is the file [`Leaf::member`] where there is one.
    Embedded(u64),
    /// A table of frames.
    Table(Table),
    /// A reference to an array on a server.
    Remote {
        /// The server.
        urlbase: String,
        /// The array there.
        path: String,
    },
}

impl Leaf {
    /// The frame's bytes. Those that are embedded are decompressed into memory.
    ///
    /// # Errors
    ///
    /// The bytes cannot be read, or the leaf is a table or a reference to a server.
    pub fn open<'f>(&self, folder: &'f dyn Folder, codec: &mut dyn Decompress) -> Result<Box<dyn Source + 'f>> {
        let member = self.member.as_deref().unwrap_or_default();
        match &self.content {
            Content::Frame => folder.open(member).map_err(|error| named(member, error)),
            Content::Embedded(length) => {
                let source = folder.open(member).map_err(|error| named(member, error))?;
                let frame = Frame::open(&*source, 0).map_err(|error| named(member, error))?;
                Ok(Box::new(held::data(&frame, self.offset, *length, codec).map_err(|error| named(member, error))?))
            }
            Content::Table(_) => Err(Error::custom(format_args!("{} is a table of several frames", self.key))),
            Content::Remote { urlbase, path } => Err(Error::custom(format_args!("{} is at {urlbase}, as {path}", self.key))),
        }
    }
}
