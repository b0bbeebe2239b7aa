//! [`Leaf`]: an array, a table or another object in a store.

use std::sync::Arc;

use b2nd_frame::{Error, Offset, Result};

use crate::attributes::MAX_VALUE;
use crate::folder::{Folder, LEAVES, named};
use crate::frame::{Bytes, Frame};
use crate::table::Table;
use crate::text::count;

/// An array, a table or another object in a store.
#[derive(Clone)]
pub struct Leaf {
    /// The leaf's key, such as `/group/name`.
    pub key: String,
    /// The file of the store that contains the leaf, or `None` if the store is a single frame. For a table, this is the file with its
    /// metadata.
    pub member: Option<String>,
    /// The offset of the leaf in bytes: in the archive, or in the data of the frame that embeds it. It is 0 for a file in a directory.
    pub offset: u64,
    /// The content of the leaf.
    pub content: Content,
}

/// The content of a leaf.
#[derive(Clone)]
pub enum Content {
    /// A frame in the file [`Leaf::member`]. Whether the file is a valid frame has not been checked.
    Frame,
    /// A frame with this number of bytes, embedded in the data of another frame. That frame is the file [`Leaf::member`], or the store
    /// itself if `member` is `None`.
    Embedded(u64),
    /// A table, which consists of several frames.
    Table(Box<Table>),
    /// A reference to an array on a server.
    Remote {
        /// The URL of the server, or an empty string if the store does not contain it.
        urlbase: String,
        /// The path of the array on the server.
        path: String,
    },
}

/// Finds the leaf with this key. Also accepts the key of a single file of a table, such as `/t/_cols/x`, although `leaves` does not list
/// the files of tables.
///
/// # Errors
///
/// Fails if there is no leaf with this key, or if an archive cannot be read. For a wrong key, the error usually lists up to five keys that
/// exist.
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
    let in_table = |leaf: &Leaf| match &leaf.content {
        Content::Table(table)
            if wanted.strip_prefix(leaf.key.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/')) =>
        {
            let column = wanted.rsplit('/').next().unwrap_or_default();
            table.names().any(|name| name == column).then(|| format!("{} has the column {column}", leaf.key))
        }
        _ => None,
    };
    if let Some(table) = leaves.iter().find_map(in_table) {
        return Err(Error::custom(format_args!(
            "it has no leaf {wanted}, but the table {table}: name the table, and select this column"
        )));
    }
    let prefix = format!("{}/", wanted.trim_end_matches('/'));
    let inside: Vec<_> = leaves.iter().filter(|leaf| leaf.key.starts_with(&prefix)).collect();
    let is_group = !inside.is_empty() && prefix != "/";
    let of = if is_group { inside } else { leaves.iter().collect() };
    if of.is_empty() {
        return Err(Error::custom(format_args!("it has no leaf {wanted}: the store has no leaves")));
    }
    let keys: Vec<_> = of.iter().take(5).map(|leaf| leaf.key.as_str()).collect();
    let (are, more) = (if of.len() == 1 { "leaf is" } else { "leaves are" }, if of.len() > keys.len() { ", …" } else { "" });
    if is_group {
        return Err(Error::custom(format_args!("{wanted} is a group: name one of its leaves, {}{more}", keys.join(", "))));
    }
    Err(Error::custom(format_args!("it has no leaf {wanted}; its {are} {}{more}", keys.join(", "))))
}

impl Leaf {
    /// Opens the frame that the leaf consists of. An embedded frame is decompressed into memory.
    ///
    /// # Errors
    ///
    /// Fails if the bytes cannot be read, or if the leaf is a table or a reference to data on a server.
    pub fn open(&self, folder: &dyn Folder) -> Result<Bytes> {
        let member = self.member.as_deref().unwrap_or_default();
        match &self.content {
            Content::Frame => folder.open(member),
            Content::Embedded(length) => {
                let source = folder.open(member).map_err(|error| named(member, error))?;
                let frame = Frame::open(&*source).map_err(|error| named(member, error))?;
                Ok(Arc::new(embedded_data(&frame, self.offset, *length).map_err(|error| named(member, error))?))
            }
            Content::Table(_) => Err(Error::custom(format_args!("{} is a table, not a frame", self.key))),
            Content::Remote { urlbase, path } => Err(Error::custom(format_args!(
                "{} is a reference to {path:?} on the server {urlbase:?}: the store does not contain its data",
                self.key
            ))),
        }
    }
}

/// Decompresses an embedded frame, which is a range of the data of another frame.
fn embedded_data(frame: &Frame, offset: u64, length: u64) -> Result<Vec<u8>> {
    let header = frame.header();
    let end = offset.checked_add(length).filter(|&end| u64::try_from(header.nbytes()).is_ok_and(|nbytes| end <= nbytes));
    let Some(end) = end else {
        let (length, nbytes) = (count(length, "byte"), count(header.nbytes(), "byte"));
        return Err(Error::custom(format_args!(
            "the leaf has {length} at offset {offset}, but the frame has only {nbytes} of data"
        )));
    };
    let Ok(chunksize @ 1..) = u64::try_from(header.chunksize()) else {
        return Err(Error::custom(format_args!(
            "the chunks of the leaf cannot be located: expected a chunksize of 1 or more, found {}",
            header.chunksize()
        )));
    };
    if length > MAX_VALUE as u64 {
        return Err(Error::custom(format_args!("the leaf has {length} bytes; the limit is {MAX_VALUE}")));
    }
    let offsets = frame.offsets()?;
    let mut data = Vec::new();
    for number in offset / chunksize..end.div_ceil(chunksize) {
        let first = number * chunksize;
        let place = |at: u64| usize::try_from(at.saturating_sub(first)).unwrap_or(usize::MAX);
        let (from, to) = (place(offset), place(end.min(first + chunksize)));
        match offsets.get(number) {
            Some(Offset::At(_)) => {
                let chunk = frame.chunk(number)?;
                let nbytes = chunk.header().nbytes();
                if nbytes > MAX_VALUE {
                    return Err(Error::custom(format_args!("chunk {number} has {nbytes} bytes; the limit is {MAX_VALUE}")));
                }
                let chunk = chunk.into_data()?;
                let Some(part) = chunk.get(from..to) else {
                    let [expected, found] = [to, chunk.len()].map(|length| count(length, "byte"));
                    return Err(Error::custom(format_args!("chunk {number}: expected {expected} or more, found {found}")));
                };
                data.extend_from_slice(part);
            }
            _ => data.resize(data.len() + (to - from), 0),
        }
    }
    Ok(data)
}
