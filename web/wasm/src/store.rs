//! A store and its leaves, each as the object of JSON that the tool prints of it.

use b2nd::frame::{FIRST_READ, Source};
use b2nd::{Error, Result};
use b2nd_store::{self as store, Content, Folder, Frame, Kind, Leaf, SPARSE_FRAME, StoreListing, Table, Zip, is_of_source};
use b2nd_view::json;
use b2nd_view::store::StoreObject;
use serde::Serialize;
use serde_json::Value;

use crate::answer::to_json;
use crate::pieces::Files;

/// The store in a file or folder, if it is one, and what there is to say of it.
pub fn look(name: &str, files: &Files) -> Result<Option<(StoreListing, String)>> {
    if files.get(SPARSE_FRAME).is_some() {
        return Ok(None);
    }
    let Some(file) = files.get("") else { return of_folder(name, files).map(Some) };
    if store::is_zip(&file.read(0..FIRST_READ)?) {
        return of_folder(name, &Zip::open(&**file)?).map(Some);
    }
    // What is no frame at all has its error where its bytes are shown.
    match embeds(&**file) {
        Err(error) if is_of_source(&error) => Err(error),
        Ok(true) => {
            let embedded = store::embedded(&Frame::open(&**file)?)?;
            let store = StoreListing {
                kind: Some(embedded.kind),
                has_embed: true,
                attributes: embedded.attributes,
                groups: Vec::new(),
                leaves: embedded.leaves,
                duplicates: Vec::new(),
            };
            let text = describe(name, &store, files)?;
            Ok(Some((store, text)))
        }
        _ => Ok(None),
    }
}

/// True if a frame holds frames.
fn embeds(source: &dyn Source) -> Result<bool> {
    let frame = Frame::open(source)?;
    Ok(Kind::of(frame.header(), None) == Kind::EmbedStore)
}

fn of_folder(name: &str, folder: &dyn Folder) -> Result<(StoreListing, String)> {
    let store = store::list(folder)?;
    let text = describe(name, &store, folder)?;
    Ok((store, text))
}

fn describe(name: &str, store: &StoreListing, folder: &dyn Folder) -> Result<String> {
    // Of all leaves, before it fails: so that what is missing of each is fetched at once.
    let leaves: Vec<Result<String>> = store.leaves.iter().map(|leaf| of_leaf(name, leaf, folder)).collect();
    let leaves: Vec<String> = leaves.into_iter().collect::<Result<_>>()?;
    // By hand: values of serde_json would take a second copy of all that writes an object.
    Ok(format!(r#"{{"store":{},"leaves":[{}]}}"#, to_json(&StoreObject::of_store(store, name)), leaves.join(",")))
}

/// A leaf that cannot be read.
#[derive(Serialize)]
struct Unreadable<'a> {
    key: &'a str,
    member: Option<&'a str>,
    error: String,
}

fn of_leaf(name: &str, leaf: &Leaf, folder: &dyn Folder) -> Result<String> {
    let problem = |error: Error| match error {
        error if is_of_source(&error) => Err(error),
        error => Ok(to_json(&Unreadable { key: &leaf.key, member: leaf.member.as_deref(), error: error.to_string() })),
    };
    if let Some(object) = StoreObject::of_leaf(leaf, name) {
        let text = to_json(&object);
        return Ok(if let Content::Table(table) = &leaf.content { with_files(&text, table) } else { text });
    }
    let place = json::Place { path: name, key: Some(&leaf.key), member: leaf.member.as_deref(), offset: leaf.offset };
    let found = leaf.open(folder).and_then(|source| {
        let frame = Frame::open(&*source)?;
        let object = json::Object::new(&frame, place, &json::Options::default())?;
        Ok(to_json(&object))
    });
    found.or_else(problem)
}

/// The object of a table with two more fields: the paths of the columns' files below `_cols`, and the names of stale columns.
fn with_files(object: &str, table: &Table) -> String {
    let path = |column: &Value| Some(Table::file_name(column.get("name")?.as_str()?));
    let paths: Vec<Option<String>> = table.columns.iter().map(path).collect();
    let fields = object.strip_suffix('}').unwrap_or(object);
    format!(r#"{fields},"paths":{},"stale":{}}}"#, to_json(&paths), to_json(&table.stale))
}

/// The start of a leaf's frame in its file; what is embedded has no place of its own in one.
pub fn start(leaf: &Leaf) -> u64 {
    if let Content::Frame = leaf.content { leaf.offset } else { 0 }
}
