//! Stores of python-blosc2: what is in a `.b2z`, a `.b2d` and a `.b2e`.
//!
//! A `.b2d` is a directory with a file for each leaf, a `.b2z` the same as a zip archive: both are a [`Folder`]. A `.b2e` is one
//! frame whose data are frames; a folder can hold one, `embed.b2e`, whose leaves are the store's.

mod embedded;
mod object;
mod table;
mod zip;

use b2nd::frame::Decompress;
use b2nd::{Error, Result};
use serde::Serialize;

use crate::attributes;
use crate::frame::Frame;
use crate::json::readable;
use crate::kind::Kind;
use crate::source::Source;
use crate::value::Value;

pub use embedded::{Embedded, embedded};
pub use object::{Groups, StoreObject};
pub use table::Table;
pub use zip::Zip;

/// The member of a store that holds its smallest leaves, and says what kind of store it is.
const EMBED: &str = "embed.b2e";

/// The member that holds the attributes of a store or of a group.
const ATTRIBUTES: &str = "__vlmeta__.b2f";

/// The same where they are embedded.
const EMBEDDED_ATTRIBUTES: &str = "/__vlmeta__";

/// The member that makes a folder a table.
const TABLE: &str = "_meta.b2f";

/// The member that holds the attributes of a table.
const TABLE_ATTRIBUTES: &str = "_vlmeta.b2f";

/// How the members end that are leaves.
const LEAVES: [&str; 3] = [".b2nd", ".b2f", ".b2b"];

/// Files under names: a directory, or an archive.
pub trait Folder {
    /// The files' paths, relative to the folder, with `/` between names.
    ///
    /// # Errors
    ///
    /// They cannot be listed.
    fn files(&self) -> Result<Vec<String>>;

    /// One of these files.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    fn open(&self, file: &str) -> Result<Box<dyn Source + '_>>;

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

/// What is in a store.
pub struct Store {
    /// `TreeStore`, `DictStore` or `CTable`. `None` where the folder is no store, but holds frames.
    pub kind: Option<Kind>,
    /// The attributes of the store.
    pub attributes: Attributes,
    /// The attributes of its groups, each under its key.
    pub groups: Vec<(String, Attributes)>,
    /// The leaves, in the order of their keys.
    pub leaves: Vec<Leaf>,
}

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

/// Attributes: names, and MessagePack.
#[derive(Clone, Default)]
pub struct Attributes(Vec<(String, Vec<u8>)>);

impl Attributes {
    /// The vlmetalayers of a frame that can be read. A name that is not UTF-8 is given with escapes.
    ///
    /// # Errors
    ///
    /// The source fails, or the trailer cannot be read.
    pub fn of(frame: &Frame, codec: &mut dyn Decompress) -> Result<Attributes> {
        let attributes = attributes::of(&frame.tail()?.trailer, codec).into_iter();
        let named = |attribute: attributes::Attribute| {
            let name = match std::str::from_utf8(attribute.name) {
                Ok(name) => name.to_owned(),
                Err(_) => attribute.name.escape_ascii().to_string(),
            };
            Some((name, attribute.value.ok()?.into_owned()))
        };
        Ok(Attributes(attributes.filter_map(named).collect()))
    }

    /// The bytes of the attribute with this name.
    pub fn bytes(&self, name: &str) -> Option<&[u8]> {
        self.0.iter().find(|(found, _)| found == name).map(|(_, bytes)| bytes.as_slice())
    }

    /// The attribute with this name, where it is MessagePack.
    pub fn get(&self, name: &str) -> Option<Value<'_>> {
        self.bytes(name).and_then(Value::from_slice)
    }

    /// Names and values.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, Option<Value<'_>>)> {
        self.0.iter().map(|(name, bytes)| (name.as_str(), Value::from_slice(bytes)))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Attributes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// Lists a directory or an archive.
///
/// Where a source has not the bytes at hand ([`WouldBlock`](std::io::ErrorKind::WouldBlock)), the other files are looked at all the same,
/// so that it knows all that it must fetch. A file with attributes that is no good frame is listed as a leaf: whoever opens it finds
/// out why.
///
/// # Errors
///
/// The folder or the metadata of the store cannot be read.
pub fn list(folder: &dyn Folder, codec: &mut dyn Decompress) -> Result<Store> {
    let mut files = folder.files()?;
    files.sort_unstable();
    let mut store = Store { kind: None, attributes: Attributes::default(), groups: Vec::new(), leaves: Vec::new() };
    let tables: Vec<&str> = files.iter().filter_map(|file| folder_of(file, TABLE)).collect();
    let is_store = files.iter().any(|file| file == EMBED) || !tables.is_empty();
    let mut waits = None;
    for file in &files {
        let listed = if folder_of(file, TABLE).is_none() && tables.iter().any(|table| is_below(file, table)) {
            Ok(()) // A part of a table.
        } else {
            store.add(file, &files, is_store, folder, codec)
        };
        match listed {
            Err(error) if would_block(&error) => waits = Some(error),
            listed => listed.map_err(|error| named(file, error))?,
        }
    }
    if let Some(error) = waits {
        return Err(error);
    }
    store.leaves.sort_by(|one, other| one.key.cmp(&other.key));
    Ok(store)
}

impl Store {
    fn add(
        &mut self,
        file: &str,
        files: &[String],
        is_store: bool,
        folder: &dyn Folder,
        codec: &mut dyn Decompress,
    ) -> Result<()> {
        if let Some(group) = folder_of(file, TABLE) {
            let metadata = self.attributes_in(file, folder, codec);
            let beside = format!("{}{TABLE_ATTRIBUTES}", file.strip_suffix(TABLE).unwrap_or_default());
            let attributes = match files.binary_search(&beside) {
                Ok(_) => self.attributes_in(&beside, folder, codec)?,
                Err(_) => Attributes::default(),
            };
            let table = Table::new(metadata?, attributes, group, files);
            if group.is_empty() {
                self.kind = Some(Kind::CTable);
                self.attributes = table.attributes.clone();
            }
            let offset = offset(file, folder)?;
            self.leaves.push(Leaf { key: key(group), member: Some(file.to_owned()), offset, content: Content::Table(table) });
        } else if let Some(group) = folder_of(file, ATTRIBUTES) {
            let attributes = self.attributes_in(file, folder, codec)?;
            if group.is_empty() {
                self.attributes = attributes;
            } else {
                self.groups.push((key(group), attributes));
            }
        } else if file == EMBED {
            let source = folder.open(file)?;
            let embedded = embedded(&Frame::open(&*source, 0)?, codec)?;
            self.kind = self.kind.or(Some(embedded.kind));
            for leaf in embedded.leaves {
                self.add_embedded(Leaf { member: Some(file.to_owned()), ..leaf }, folder, codec)?;
            }
        } else if is_leaf(folder, file, is_store)? {
            self.add_frame(file, folder)?;
        }
        Ok(())
    }

    /// A leaf, or the attributes of a group, which python-blosc2 embeds as well.
    fn add_embedded(&mut self, leaf: Leaf, folder: &dyn Folder, codec: &mut dyn Decompress) -> Result<()> {
        let Some(group) = leaf.key.strip_suffix(EMBEDDED_ATTRIBUTES) else {
            self.leaves.push(leaf);
            return Ok(());
        };
        let source = leaf.open(folder, codec);
        match readable(source.and_then(|source| Attributes::of(&Frame::open(&*source, 0)?, codec)))? {
            Ok(attributes) if group.is_empty() => self.attributes = attributes,
            Ok(attributes) => self.groups.push((group.to_owned(), attributes)),
            Err(_) => self.leaves.push(leaf),
        }
        Ok(())
    }

    fn add_frame(&mut self, file: &str, folder: &dyn Folder) -> Result<()> {
        let name = LEAVES.iter().find_map(|end| file.strip_suffix(end)).unwrap_or(file);
        let offset = offset(file, folder)?;
        self.leaves.push(Leaf { key: key(name), member: Some(file.to_owned()), offset, content: Content::Frame });
        Ok(())
    }

    /// The attributes in a file. If it is no good frame there are none, and the file is a leaf.
    fn attributes_in(&mut self, file: &str, folder: &dyn Folder, codec: &mut dyn Decompress) -> Result<Attributes> {
        let attributes = folder.open(file).and_then(|source| Attributes::of(&Frame::open(&*source, 0)?, codec));
        match readable(attributes)? {
            Ok(attributes) => Ok(attributes),
            Err(_) => self.add_frame(file, folder).map(|()| Attributes::default()),
        }
    }
}

/// Where a file starts, 0 where its place is no good: whoever opens it finds out why.
fn offset(file: &str, folder: &dyn Folder) -> Result<u64> {
    Ok(readable(folder.offset(file))?.unwrap_or(0))
}

fn would_block(error: &Error) -> bool {
    matches!(error.kind(), b2nd::ErrorKind::Io(error) if error.kind() == std::io::ErrorKind::WouldBlock)
}

/// Whether a file is a leaf: by its name, and in a folder that is no store also by its first bytes.
fn is_leaf(folder: &dyn Folder, file: &str, is_store: bool) -> Result<bool> {
    let is_named_so = LEAVES.iter().any(|end| file.ends_with(end));
    Ok(is_named_so || !is_store && is_frame(&folder.open(file)?.read(0..10)?))
}

/// Whether these are the first ten bytes of a frame: a fixarray and the magic.
pub fn is_frame(first: &[u8]) -> bool {
    matches!(first, [0x90..=0x9f, 0xa8, b'b', b'2', b'f', b'r', b'a', b'm', b'e', 0, ..])
}

/// Whether these are the first bytes of a zip archive.
pub fn is_zip(first: &[u8]) -> bool {
    matches!(first, [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..])
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
                Ok(Box::new(embedded::data(&frame, self.offset, *length, codec).map_err(|error| named(member, error))?))
            }
            Content::Table(_) => Err(Error::custom(format_args!("{} is a table of several frames", self.key))),
            Content::Remote { urlbase, path } => Err(Error::custom(format_args!("{} is at {urlbase}, as {path}", self.key))),
        }
    }
}

/// The folder of a file with this name, `""` for the outermost.
fn folder_of<'a>(file: &'a str, name: &str) -> Option<&'a str> {
    let folder = file.strip_suffix(name)?;
    if folder.is_empty() { Some(folder) } else { folder.strip_suffix('/') }
}

fn is_below(file: &str, folder: &str) -> bool {
    folder.is_empty() && file != EMBED && file != ATTRIBUTES
        || file.strip_prefix(folder).is_some_and(|rest| !folder.is_empty() && rest.starts_with('/'))
}

fn key(name: &str) -> String {
    format!("/{name}")
}

fn named(file: &str, error: Error) -> Error {
    match error.kind() {
        b2nd::ErrorKind::Io(_) => error,
        // A store that is one file has no members.
        _ if file.is_empty() => error,
        _ => Error::custom(format_args!("{}: {error}", crate::text::printable(file))),
    }
}
