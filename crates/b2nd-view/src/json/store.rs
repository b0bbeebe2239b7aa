//! Stores, and leaves that are not frames, as JSON.

use serde::Serialize;

use b2nd_store::{Attributes, Content, Kind, Leaf, StoreListing, Table};

/// The empty attributes that are shown for an array on a server.
static NO_ATTRIBUTES: Attributes = Attributes::new();

/// A JSON object for a store or a group, a table, or a reference to an array on a server.
#[derive(Default, Serialize)]
pub struct StoreObject<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    member: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    kind: Option<Kind>,
    /// The format of a file of another library, such as `HDF5 file`.
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'static str>,
    vlmeta: Option<&'a Attributes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    leaves: Option<usize>,
    /// The attributes of groups. They serialize to an object that has a member for each group, named by the group's key.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "by_key")]
    groups: Option<&'a [(String, Attributes)]>,
    #[serde(flatten)]
    table: Option<&'a Table>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remote: Option<[&'a str; 2]>,
}

fn by_key<S: serde::Serializer>(groups: &Option<&[(String, Attributes)]>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(groups.iter().copied().flatten().map(|(key, attributes)| (key, attributes)))
}

impl<'a> StoreObject<'a> {
    /// Creates the object for a store, or for the group with this key in a store.
    pub fn of_store(store: &'a StoreListing, path: &'a str, key: Option<&'a str>) -> StoreObject<'a> {
        StoreObject {
            path,
            key,
            kind: store.kind,
            format: store.format,
            vlmeta: Some(&store.attributes),
            leaves: Some(store.leaves.len()),
            groups: Some(&store.groups),
            ..StoreObject::default()
        }
    }

    /// Creates the object for a table or for a reference to an array on a server. Returns `None` if the leaf is a frame.
    pub fn of_leaf(leaf: &'a Leaf, path: &'a str) -> Option<StoreObject<'a>> {
        let (kind, vlmeta, table, remote) = match &leaf.content {
            Content::Frame | Content::Embedded(_) => return None,
            Content::Table(table) => (Kind::CTable, &table.attributes, Some(&**table), None),
            Content::Remote { urlbase, path } => {
                (Kind::RemoteArray, &NO_ATTRIBUTES, None, Some([urlbase.as_str(), path.as_str()]))
            }
        };
        Some(StoreObject {
            path,
            key: Some(&leaf.key),
            member: leaf.member.as_deref(),
            offset: Some(leaf.offset),
            kind: Some(kind),
            vlmeta: Some(vlmeta),
            table,
            remote,
            ..StoreObject::default()
        })
    }
}
