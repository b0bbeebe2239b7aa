//! Describes a store and its leaves as JSON objects, most fields of which the tool prints too.

use b2nd_frame::{Error, Result};
use b2nd_store::{Content, Frame, Leaf, Store, StoreListing, Table, is_of_source};
use b2nd_view::json;
use b2nd_view::store::StoreObject;
use serde::Serialize;
use serde_json::Value;

use crate::answer::to_json;

/// Lists a store, and describes it in JSON.
pub(crate) fn describe(store: &Store) -> Result<(StoreListing, String)> {
    let listing = store.list()?;
    // All leaves are read before an error is returned, so that the missing ranges of all leaves are fetched at the same time.
    let leaves: Vec<Result<String>> = listing.leaves.iter().map(|leaf| of_leaf(store, leaf)).collect();
    let leaves: Vec<String> = leaves.into_iter().collect::<Result<_>>()?;
    // The JSON is put together as text. For `serde_json::Value`s, the serialization code would be compiled for a second serializer.
    let object = to_json(&StoreObject::of_store(&listing, store.name(), None));
    let text = format!(r#"{{"store":{object},"leaves":[{}]}}"#, leaves.join(","));
    Ok((listing, text))
}

/// A leaf that cannot be read.
#[derive(Serialize)]
struct Unreadable<'a> {
    key: &'a str,
    member: Option<&'a str>,
    error: String,
}

fn of_leaf(store: &Store, leaf: &Leaf) -> Result<String> {
    let problem = |error: Error| match error {
        error if is_of_source(&error) => Err(error),
        error => Ok(to_json(&Unreadable { key: &leaf.key, member: leaf.member.as_deref(), error: error.to_string() })),
    };
    if let Some(object) = StoreObject::of_leaf(leaf, store.name()) {
        let text = to_json(&object);
        return Ok(if let Content::Table(table) = &leaf.content { with_files(&text, table) } else { text });
    }
    let place =
        json::FramePlace { path: store.name(), key: Some(&leaf.key), member: leaf.member.as_deref(), offset: leaf.offset };
    let found = leaf.open(store).and_then(|source| {
        let frame = Frame::open(&*source)?;
        let object = json::Object::new(&frame, place, &json::InfoOptions::default())?;
        Ok(to_json(&object))
    });
    found.or_else(problem)
}

/// Adds two fields to the JSON object of a table: `paths`, the path of each column's files below `_cols` without their endings, and
/// `stale`, the names of stale columns.
fn with_files(object: &str, table: &Table) -> String {
    let path = |column: &Value| Some(Table::file_name(column.get("name")?.as_str()?));
    let paths: Vec<Option<String>> = table.columns.iter().map(path).collect();
    let fields = object.strip_suffix('}').unwrap_or(object);
    format!(r#"{fields},"paths":{},"stale":{}}}"#, to_json(&paths), to_json(&table.stale))
}

/// Returns the offset of a leaf's frame in the archive. Returns 0 if the store is not an archive, or if the leaf is not a frame with a file
/// of its own.
pub(crate) fn start(leaf: &Leaf) -> u64 {
    if let Content::Frame = leaf.content { leaf.offset } else { 0 }
}
