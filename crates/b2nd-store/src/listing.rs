//! [`StoreListing`]: the leaves, groups and attributes of a store of python-blosc2 (`.b2z`, `.b2d`, `.b2e`).
//!
//! A `.b2d` is a directory with files that are leaves, and a `.b2z` is a zip archive of such a directory: both are a [`Folder`]. A `.b2e`
//! is a frame whose data is frames. A folder can contain a `.b2e` with the name `embed.b2e`. The leaves in this file also belong to the
//! store.

use b2nd::RawValue;
use b2nd_frame::{Error, Result};

use crate::attributes::Attributes;
use crate::folder::{
    ATTRIBUTES, EMBED, EMBEDDED_ATTRIBUTES, Folder, LEAVES, LeftOut, TABLE, TABLE_ATTRIBUTES, folder_of, is_below, is_frame,
    named, readable,
};
use crate::frame::Frame;
use crate::kind::Kind;
use crate::leaf::{Content, Leaf};
use crate::table::Table;

/// The content of a store.
#[derive(Clone, Default)]
pub struct StoreListing {
    /// The kind of the store, such as `TreeStore`, `DictStore` or `CTable`, or `None` if it is not known, as for a folder of frames.
    pub kind: Option<Kind>,
    /// The format of the file, if it is not one of Blosc2: `HDF5 file`.
    pub format: Option<&'static str>,
    /// The attributes of the store.
    pub attributes: Attributes,
    /// Groups with a file or a leaf for attributes: the key of each group, and its attributes.
    pub groups: Vec<(String, Attributes)>,
    /// The leaves, in the order of their keys.
    pub leaves: Vec<Leaf>,
    /// Whether the store has a file `embed.b2e`, or is itself a frame whose data is frames. Without the file `embed.b2e`, python-blosc2
    /// cannot open a `.b2d` or a `.b2z`.
    pub has_embed: bool,
    /// The files of the folder that are left out, such as symbolic links, and members of an archive whose name is not UTF-8.
    pub left_out: Vec<LeftOut>,
}

/// Lists the leaves, groups and attributes of a store in a folder, such as a directory or an archive.
///
/// If bytes of a source have not been fetched yet ([`Missing`](b2nd_frame::ErrorKind::Missing)), the other files are still read, so that
/// the missing bytes of several files can be fetched together. If a file of attributes or of a table's metadata is not a valid frame, it is
/// listed as a leaf, and reading the leaf's frame returns the error.
///
/// # Errors
///
/// Fails if the folder or the metadata of the store cannot be read, or if the folder is not that of a store and contains no leaves.
pub fn list(folder: &dyn Folder) -> Result<StoreListing> {
    let (mut files, left_out) = folder.contents()?;
    files.sort_unstable();
    let has_embed = files.iter().any(|file| file == EMBED);
    let mut store = StoreListing { has_embed, left_out, ..StoreListing::default() };
    let tables: Vec<&str> = files.iter().filter_map(|file| folder_of(file, TABLE)).collect();
    let is_store = store.has_embed || !tables.is_empty();
    let mut waits = None;
    for file in &files {
        let listed = if folder_of(file, TABLE).is_none() && tables.iter().any(|table| is_below(file, table)) {
            Ok(()) // A part of a table.
        } else {
            store.add(file, &files, is_store, !tables.is_empty(), folder)
        };
        match listed {
            Err(error) if would_block(&error) => waits = Some(error),
            listed => listed.map_err(|error| named(file, error))?,
        }
    }
    if let Some(error) = waits {
        return Err(error);
    }
    if !is_store && store.leaves.is_empty() {
        return Err(nothing(&files, &store.left_out));
    }
    store.leaves.sort_by(|one, other| one.key.cmp(&other.key));
    Ok(store)
}

/// Lists the leaves of a frame whose data is frames. The listing has the kind of the frame, even if the frame is the file `embed.b2e` of a
/// table.
///
/// # Errors
///
/// Fails if the frame cannot be read, if it has no list of embedded frames, or if an entry of the list has neither a position nor a path.
/// An empty `EmbedStore` needs no list.
pub fn embedded(frame: &Frame) -> Result<StoreListing> {
    let kind = Kind::of(frame.header(), None);
    let attributes = Attributes::of(frame)?;
    let metadata = attributes.get("estore_metadata");
    let mut leaves = Vec::new();
    let map = match metadata.and_then(|metadata| metadata.get("embed_map")) {
        // python-blosc2 opens an `EmbedStore` without the vlmetalayer `estore_metadata` as a store without leaves.
        None if kind == Kind::EmbedStore && metadata.is_none() => None,
        None => {
            let found = if metadata.is_some() { "a value without one" } else { "no value that can be read" };
            return Err(Error::custom(format_args!("estore_metadata: expected embed_map (list of frames), found {found}")));
        }
        map => map,
    };
    for (key, place) in map.iter().flat_map(RawValue::entries) {
        let Some(key) = key.as_str() else { continue };
        let number = |name| place.get(name).and_then(|value| value.as_u64());
        let text = |name| place.get(name).and_then(|value| value.as_str()).map(str::to_owned);
        let (offset, content) = match (number("offset"), number("length"), text("path")) {
            (Some(offset), Some(length), _) => (offset, Content::Embedded(length)),
            (_, _, Some(path)) => (0, Content::Remote { urlbase: text("urlbase").unwrap_or_default(), path }),
            _ => {
                let found = crate::value::text(&place, 80);
                return Err(Error::custom(format_args!("embed_map: {key:?}: expected offset and length or path, found {found}")));
            }
        };
        leaves.push(Leaf { key: key.to_owned(), member: None, offset, content });
    }
    leaves.sort_by(|one, other| one.key.cmp(&other.key));
    Ok(StoreListing { kind: Some(kind), attributes, leaves, has_embed: true, ..StoreListing::default() })
}

/// Returns the error for a folder without leaves.
fn nothing(files: &[String], left_out: &[LeftOut]) -> Error {
    if files.iter().any(|file| file.ends_with(".npy")) {
        return Error::custom("no Blosc2 frame was found in it: `b2nd import` converts .npy files (unpack an archive first)");
    }
    let left_out = left_out.first().map(|one| format!("; left out: {one}")).unwrap_or_default();
    Error::custom(format_args!(
        "no Blosc2 frame was found in it: it has no leaf, such as a .b2nd file or, in HDF5, a dataset{left_out}"
    ))
}

impl StoreListing {
    fn add(&mut self, file: &str, files: &[String], is_store: bool, has_tables: bool, folder: &dyn Folder) -> Result<()> {
        if let Some(group) = folder_of(file, TABLE) {
            let metadata = self.attributes_in(file, folder);
            let beside = format!("{}{TABLE_ATTRIBUTES}", file.strip_suffix(TABLE).unwrap_or_default());
            let attributes = match files.binary_search(&beside) {
                Ok(_) => self.attributes_in(&beside, folder)?,
                Err(_) => Attributes::default(),
            };
            let table = Table::new(metadata?, attributes, group, files);
            if group.is_empty() {
                self.kind = Some(Kind::CTable);
                self.attributes = table.attributes.clone();
            }
            self.add_leaf(key(group), file, Content::Table(table.into()), folder)?;
        } else if let Some(group) = folder_of(file, ATTRIBUTES) {
            let attributes = self.attributes_in(file, folder)?;
            self.set_attributes(&key(group), attributes);
        } else if file == EMBED {
            let source = folder.open(file)?;
            let frame = Frame::open(&*source)?;
            // The first versions of python-blosc2 with tables wrote an `embed.b2e` next to tables, without the list of embedded frames.
            if has_tables && Attributes::of(&frame)?.get("estore_metadata").is_none() {
                self.kind = self.kind.or(Some(Kind::of(frame.header(), None)));
                return Ok(());
            }
            let embedded = embedded(&frame)?;
            self.kind = self.kind.or(embedded.kind);
            for leaf in embedded.leaves {
                self.add_embedded(Leaf { member: Some(file.to_owned()), ..leaf }, folder)?;
            }
        } else if is_leaf(folder, file)? {
            let name = if is_store { without_ending(file) } else { file };
            let name = LEAVES.iter().find_map(|end| file.strip_suffix(end)).unwrap_or(name);
            self.add_leaf(key(name), file, Content::Frame, folder)?;
        }
        Ok(())
    }

    /// Adds a leaf, or the attributes of a group, which can be embedded like a leaf.
    fn add_embedded(&mut self, leaf: Leaf, folder: &dyn Folder) -> Result<()> {
        let Some(group) = leaf.key.strip_suffix(EMBEDDED_ATTRIBUTES) else {
            self.leaves.push(leaf);
            return Ok(());
        };
        let source = leaf.open(folder);
        match readable(source.and_then(|source| Attributes::of(&Frame::open(&*source)?)))? {
            Ok(attributes) => self.set_attributes(group, attributes),
            Err(_) => self.leaves.push(leaf),
        }
        Ok(())
    }

    fn add_leaf(&mut self, key: String, file: &str, content: Content, folder: &dyn Folder) -> Result<()> {
        // If the file's offset in the archive cannot be determined, 0 is stored here, and opening the file returns the error.
        let offset = readable(folder.offset(file))?.unwrap_or(0);
        self.leaves.push(Leaf { key, member: Some(file.to_owned()), offset, content });
        Ok(())
    }

    fn set_attributes(&mut self, group: &str, attributes: Attributes) {
        match group.trim_end_matches('/') {
            "" => self.attributes = attributes,
            group => self.groups.push((group.to_owned(), attributes)),
        }
    }

    /// Reads the attributes in a file. If the file is not a valid frame, it is listed as a leaf.
    fn attributes_in(&mut self, file: &str, folder: &dyn Folder) -> Result<Attributes> {
        let attributes = folder.open(file).and_then(|source| Attributes::of(&Frame::open(&*source)?));
        match readable(attributes)? {
            Ok(attributes) => Ok(attributes),
            Err(_) => {
                self.add_leaf(key(without_ending(file)), file, Content::Frame, folder)?;
                Ok(Attributes::default())
            }
        }
    }
}

fn would_block(error: &Error) -> bool {
    match error.kind() {
        b2nd_frame::ErrorKind::Missing { .. } => true,
        b2nd_frame::ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::WouldBlock,
        _ => false,
    }
}

/// Returns true if a file is a leaf: its name has the ending of a leaf, or its first bytes are those of a frame. Compressed members of an
/// archive are not decompressed for this.
fn is_leaf(folder: &dyn Folder, file: &str) -> Result<bool> {
    let is_named_so = LEAVES.iter().any(|end| file.ends_with(end));
    if is_named_so || !folder.is_stored(file) {
        return Ok(is_named_so);
    }
    match folder.open(file).and_then(|source| Ok(is_frame(&source.read(0..10)?))) {
        Err(error) if would_block(&error) => Err(error),
        // After any other error, the file is not listed as a leaf, but the store is listed.
        probed => Ok(probed.unwrap_or(false)),
    }
}

/// Returns the path of a file without the ending of its name, like Python's `os.path.splitext`.
fn without_ending(file: &str) -> &str {
    let name = file.rfind('/').map_or(0, |slash| slash + 1);
    match file[name..].trim_start_matches('.').rfind('.') {
        Some(_) => file.rsplit_once('.').map_or(file, |(path, _)| path),
        None => file,
    }
}

fn key(name: &str) -> String {
    format!("/{name}")
}
