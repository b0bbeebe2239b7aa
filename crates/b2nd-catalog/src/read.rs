//! Reading: from a file to its rows, with as few range requests as it takes.

mod source;

use std::collections::HashMap;

use b2nd_ndarray::codec::Codec;
use b2nd_view::store::{self, Attributes, Content, Folder, Leaf, Zip};
use b2nd_view::{Frame, Kind, Source};
use futures::stream::{self, StreamExt};

use crate::place::{Object, Place};
use crate::row::{Extent, Row, UNREADABLE};
use source::{Disk, FETCHED, Opened};

/// The bytes of a store that are read at a time: small frames lie side by side in it.
const OF_STORE: u64 = 1 << 16;

/// The bytes of a frame's end that are read at a time. Most attributes fit.
const OF_TAIL: u64 = 1 << 15;

/// A file's rows: one, and of a store one more for each leaf.
pub async fn rows(object: &Object, extent: Extent) -> Vec<Row> {
    let mut files = match open(object, &mut Disk::default()) {
        Ok(files) => files,
        Err(error) => return vec![Row::of(object).failed(&error.into())],
    };
    loop {
        let rows = attempt(object, &files, extent);
        // The bytes that were asked for and not at hand. With them it is tried again.
        let fetches: Vec<_> = files.iter_mut().map(Opened::fetch).collect();
        let fetched: Vec<bool> = stream::iter(fetches).buffer_unordered(FETCHED).collect().await;
        if !fetched.contains(&true) {
            return rows;
        }
    }
}

/// The rows of files on a disk. It blocks.
pub fn rows_on_disk(objects: &[Object], extent: Extent) -> Vec<Row> {
    let mut rows = Vec::with_capacity(objects.len());
    let mut disk = Disk::default();
    for object in objects {
        match open(object, &mut disk) {
            Ok(files) => {
                rows.append(&mut attempt(object, &files, extent));
                disk.close(files);
            }
            Err(error) => rows.push(Row::of(object).failed(&error.into())),
        }
    }
    rows
}

fn open(object: &Object, disk: &mut Disk) -> std::io::Result<Vec<Opened>> {
    let is_store = !object.members.is_empty() || ends_in(object, &[".b2z", ".b2e"]);
    let at_least = if is_store { OF_STORE } else { OF_TAIL };
    let mut open = |file: &Object| match &file.place {
        Place::Disk(path) if object.members.is_empty() => Opened::on_disk(path, disk),
        Place::Disk(path) => Ok(Opened::Member { path: path.clone(), size: file.size.unwrap_or(0) }),
        Place::Remote(store, path) => Ok(Opened::remote(store.clone(), path.clone(), file, at_least)),
    };
    if object.members.is_empty() {
        return Ok(vec![open(object)?]);
    }
    object.members.iter().map(|(_, member)| open(member)).collect()
}

fn ends_in(object: &Object, endings: &[&str]) -> bool {
    endings.iter().any(|ending| object.url.ends_with(ending))
}

/// The rows, as far as bytes are at hand.
fn attempt(object: &Object, files: &[Opened], extent: Extent) -> Vec<Row> {
    let mut row = Row::of(object);
    let [file] = files else {
        let names = object.members.iter().map(|(name, _)| name.as_str());
        return of_folder(row, &Members(names.zip(files).collect()), extent);
    };
    if let Some((name, _)) = object.members.first() {
        return of_folder(row, &Members(HashMap::from([(name.as_str(), file)])), extent);
    }
    file.identify(&mut row);
    if ends_in(object, &[".b2z"]) {
        return match Zip::open(file) {
            Ok(zip) => of_folder(row, &zip, extent),
            Err(error) => vec![row.failed(&error)],
        };
    }
    if ends_in(object, &[".b2e"]) {
        return of_folder(row, &Members(HashMap::from([(EMBED, file)])), extent);
    }
    match Frame::open(file).and_then(|frame| row.describe(&frame, extent)) {
        Ok(()) => vec![row],
        Err(error) => vec![row.failed(&error)],
    }
}

/// The name under which a store's listing knows a frame that embeds others.
const EMBED: &str = "embed.b2e";

fn of_folder(mut row: Row, folder: &dyn Folder, extent: Extent) -> Vec<Row> {
    let codec = &mut Codec::default();
    let store = match store::list(folder, codec) {
        Ok(store) => store,
        Err(error) => return vec![row.failed(&error)],
    };
    let mut rows = vec![Row { kind: store.kind.map(Kind::name), ..row.clone() }];
    if extent.attributes
        && let Err(error) = rows[0].attach(&store.attributes)
    {
        rows[0] = row.clone().failed(&error);
    }
    // The size and the time are the store's: a leaf has none of its own.
    row.size = None;
    rows.extend(store.leaves.iter().map(|leaf| of_leaf(row.clone(), leaf, folder, extent)));
    rows
}

fn of_leaf(mut row: Row, leaf: &Leaf, folder: &dyn Folder, extent: Extent) -> Row {
    row.key = Some(leaf.key.clone());
    row.member = leaf.member.clone();
    let described = match &leaf.content {
        Content::Table(table) => {
            row.kind = Some(Kind::CTable.name());
            if extent.attributes { row.attach(&table.attributes) } else { Ok(()) }
        }
        Content::Remote { .. } => {
            row.kind = Some(Kind::RemoteArray.name());
            Ok(())
        }
        _ => leaf
            .open(folder, &mut Codec::default())
            .and_then(|source| Frame::open(&*source).and_then(|frame| row.describe(&frame, extent))),
    };
    row.offset = leaf.offset.try_into().ok();
    match described {
        Ok(()) => row,
        Err(error) => row.failed(&error),
    }
}

/// Files by their names.
struct Members<'a>(HashMap<&'a str, &'a Opened>);

impl Folder for Members<'_> {
    fn files(&self) -> b2nd::Result<Vec<String>> {
        Ok(self.0.keys().map(|&name| name.to_owned()).collect())
    }

    fn open(&self, file: &str) -> b2nd::Result<Box<dyn Source + '_>> {
        match self.0.get(file) {
            Some(opened) => Ok(Box::new(*opened)),
            None => Err(b2nd::Error::custom(format_args!("{file:?} is not in the store"))),
        }
    }
}

impl Row {
    /// The part of a row that is known before a file is read.
    fn of(object: &Object) -> Row {
        Row {
            url: object.url.clone(),
            size: object.size.and_then(|size| size.try_into().ok()),
            etag: object.etag.clone(),
            modified: object.modified,
            ..Row::default()
        }
    }

    fn failed(mut self, error: &b2nd::Error) -> Row {
        self.error = Some(match error.kind() {
            b2nd::ErrorKind::Io(error) => format!("{UNREADABLE}{error}"),
            _ => error.to_string(),
        });
        self
    }

    pub(crate) fn attach(&mut self, attributes: &Attributes) -> b2nd::Result<()> {
        self.attributes = Some(serde_json::to_string(attributes).map_err(std::io::Error::from)?);
        let string = |name| attributes.get(name).and_then(|value| value.as_str()).map(str::to_owned);
        self.units = string("units");
        self.long_name = string("long_name");
        self.dims = attributes.get("dims").and_then(|dims| serde_json::from_value(serde_json::to_value(dims).ok()?).ok());
        Ok(())
    }
}
