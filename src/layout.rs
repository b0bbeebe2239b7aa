//! [`Layout`]: where a type's bytes are, which follows from the type alone.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

mod describe;
mod draw;
mod node;
mod trace;

pub use describe::Described;
use node::{Lengths, Node, Shape, Variant};
use trace::{Run, Tracer};

/// The layout of a type: each entry's path, marker, offset and lengths.
///
/// Since the type picks the marker, a type says where its bytes are, without a value:
///
/// ```
/// #[derive(serde::Deserialize)]
/// struct Tile {
///     id: u32,
///     origin: (i16, i16),
///     name: String,
/// }
///
/// let layout = b2nd::layout::<Tile>()?;
/// let places: Vec<_> = layout.entries().iter().map(|entry| (entry.path(), entry.offset(), entry.marker())).collect();
/// assert_eq!(places, [
///     ("", Some(0), Some(0x93)),
///     ("id", Some(1), Some(0xce)),
///     ("origin", Some(6), Some(0x92)),
///     ("origin[0]", Some(7), Some(0xd1)),
///     ("origin[1]", Some(10), Some(0xd1)),
///     ("name", Some(13), Some(0xdb)),
/// ]);
/// assert_eq!((layout.min_len(), layout.max_len(), layout.is_fixed()), (18, None, false));
/// assert!(b2nd::layout::<(u32, [f64; 3])>()?.is_fixed(), "a metalayer of this type never grows");
/// # Ok::<(), b2nd::Error>(())
/// ```
///
/// `Display` draws it as Blosc2's specifications draw theirs, and `Serialize` gives the entries to other formats.
#[derive(Clone)]
pub struct Layout {
    root: Node,
    entries: Vec<Entry>,
}

/// A value's place in a [`Layout`].
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Entry {
    path: String,
    depth: usize,
    marker: Option<u8>,
    offset: Option<usize>,
    min_len: usize,
    max_len: Option<usize>,
    what: String,
}

/// Finds the layout of a type by deserializing it from small values, several times where one value does not show everything.
///
/// # Errors
///
/// The type takes none of the values, holds itself without end, or asks for something that this format has no bytes for. A type that is
/// converted from another (`try_from`) has the other's layout, whatever it thinks of the values.
pub fn layout<'de, T: Deserialize<'de>>() -> Result<Layout> {
    let trace = |root: &mut Node| {
        let run = Run::default();
        T::deserialize(Tracer::new(root, &run)).map(drop)
    };
    let mut root = Node::default();
    let mut before = 0;
    loop {
        let result = trace(&mut root);
        if result.is_ok() && root.is_complete() {
            break;
        }
        match (root.progress(), result) {
            (now, _) if now != before => before = now,
            _ if root.is_complete() => break,
            (_, Err(error)) => {
                return Err(Error::custom(format_args!("the layout of a type that takes none of the values tried: {error}")));
            }
            (_, Ok(())) => return Err(Error::custom("the layout of a type that asks for another value each time")),
        }
    }
    let takes_base = trace(&mut root.clone()).is_ok();
    let mut number = 0;
    while let Some(is_fixed) = probe(&root, number, takes_base, trace) {
        let mut index = 0;
        root.each(&mut |node| {
            if index == number {
                match &mut node.shape {
                    Shape::Fields { least, .. } if !is_fixed => *least = least.saturating_sub(1),
                    Shape::Fields { .. } => {}
                    _ => node.is_fixed = is_fixed,
                }
            }
            index += 1;
        });
        // Of a struct whose last field may be missing, another may be.
        let is_again = !is_fixed && nth(&mut root, number, |node| matches!(node.shape, Shape::Fields { least: 1.., .. }));
        number += usize::from(!is_again);
    }
    let mut entries = Vec::new();
    flatten(&root, String::new(), Some(0), 0, &mut entries);
    Ok(Layout { root, entries })
}

/// Tells of the node of this number whether its length is fixed, by a value that is longer. `None` if there is no such node.
fn probe(root: &Node, number: usize, takes_base: bool, trace: impl Fn(&mut Node) -> Result<()>) -> Option<bool> {
    let mut trial = root.clone();
    let mut count = 0;
    let mut is_probed = false;
    trial.each(&mut |node| {
        if count == number && node.may_be_probed() {
            node.is_probed = true;
            is_probed = true;
        }
        count += 1;
    });
    if number >= count {
        return None;
    }
    if !is_probed {
        return Some(false);
    }
    let is_refused = trace(&mut trial).is_err();
    let is_taken = nth(&mut trial, number, |node| node.is_taken);
    Some(if takes_base { is_refused } else { !is_taken })
}

fn nth(root: &mut Node, number: usize, is: impl Fn(&Node) -> bool) -> bool {
    let (mut index, mut found) = (0, false);
    root.each(&mut |node| {
        found |= index == number && is(node);
        index += 1;
    });
    found
}

impl Layout {
    /// The entries in their order: each list, struct and map before what is in it, the whole first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The length of the shortest value in bytes.
    pub fn min_len(&self) -> usize {
        self.root.lengths().2.min
    }

    /// The length of the longest value in bytes. `None` where a length is bounded by its marker alone.
    pub fn max_len(&self) -> Option<usize> {
        self.root.lengths().2.max
    }

    /// Tells whether all values have one length, so that a metalayer of the type always fits its place in a file.
    pub fn is_fixed(&self) -> bool {
        self.max_len() == Some(self.min_len())
    }
}

impl Entry {
    /// The path, such as `geo.origin[1]`; `steps[]` for each element of a list, `names[].key` and `names[].value` of a map, `kind.Circle`
    /// for the data of an enum's variant. The whole has the empty path.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The number of lists, structs and maps that the entry is inside of.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The marker. `None` where the value decides, as its count does of a list.
    pub fn marker(&self) -> Option<u8> {
        self.marker
    }

    /// The offset of the marker, where everything before it has a fixed length.
    pub fn offset(&self) -> Option<usize> {
        self.offset
    }

    /// The least length in bytes, with the marker and all that is inside.
    pub fn min_len(&self) -> usize {
        self.min_len
    }

    /// The greatest length. `None` where it is bounded by a marker alone.
    pub fn max_len(&self) -> Option<usize> {
        self.max_len
    }

    /// The entry in words: `int32`, `fixarray of 7`, `str32 or nil`.
    pub fn what(&self) -> &str {
        &self.what
    }
}

impl Serialize for Layout {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Whole<'a> {
            min_len: usize,
            max_len: Option<usize>,
            is_fixed: bool,
            entries: &'a [Entry],
        }
        let whole =
            Whole { min_len: self.min_len(), max_len: self.max_len(), is_fixed: self.is_fixed(), entries: self.entries() };
        whole.serialize(serializer)
    }
}

impl core::fmt::Debug for Layout {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Layout").field("entries", &self.entries).finish_non_exhaustive()
    }
}

/// The path of a field of a struct, or of a tuple.
fn field_path(path: &str, names: &[&str], index: usize, count: usize) -> String {
    // serde lists aliases as fields too. With more names than elements, the name at an index may belong to another field.
    match names.get(index) {
        Some(name) if names.len() == count => joined(path, name),
        _ => format!("{path}[{index}]"),
    }
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Adds the entries of a node, which begins at `start`.
fn flatten(node: &Node, path: String, start: Option<usize>, depth: usize, entries: &mut Vec<Entry>) {
    let (marker, head, whole) = node.lengths();
    // Of a newtype or an option there is no entry beside that of what it holds.
    entries.push(Entry {
        path: path.clone(),
        depth,
        marker,
        offset: start,
        min_len: whole.min,
        max_len: whole.max,
        what: draw::words(node),
    });
    let after = |start: Option<usize>, lengths: Lengths| {
        start.filter(|_| lengths.max == Some(lengths.min)).map(|start| start.saturating_add(lengths.min))
    };
    let mut add = |node: &Node, path: String, start| flatten(node, path, start, depth + 1, entries);
    match &node.shape {
        Shape::Unknown | Shape::Leaf(_) | Shape::Recursive(..) => {}
        Shape::Option(inner) => {
            for (node, path) in inside(inner, &path) {
                add(node, path, None);
            }
        }
        Shape::List(_, item) => add(item, format!("{path}[]"), None),
        Shape::Fields { fields, names, least, .. } => {
            let mut start = after(start, head);
            for (index, field) in fields.iter().enumerate() {
                add(field, field_path(&path, names, index, fields.len()), start);
                start = after(start, field.lengths().2).filter(|_| index < *least);
            }
        }
        Shape::Map(_, pair) => {
            add(&pair.0, format!("{path}[].key"), None);
            add(&pair.1, format!("{path}[].value"), None);
        }
        Shape::Enum { names, variants } => {
            for (name, variant) in names.iter().zip(variants) {
                if let Variant::Data(data) = variant {
                    let name_len = Lengths::of(1 + 5 + name.len());
                    add(data, joined(&path, name), after(start, name_len));
                }
            }
        }
        Shape::Embedded(inner) => add(inner, path, after(start, head)),
    }
}

/// The entries in an option's value, whose own entry is the option's.
fn inside<'n>(node: &'n Node, path: &str) -> Vec<(&'n Node, String)> {
    match &node.shape {
        Shape::Fields { fields, names, .. } => {
            fields.iter().enumerate().map(|(index, field)| (field, field_path(path, names, index, fields.len()))).collect()
        }
        Shape::List(_, item) => alloc::vec![(&**item, format!("{path}[]"))],
        Shape::Map(_, pair) => alloc::vec![(&pair.0, format!("{path}[].key")), (&pair.1, format!("{path}[].value"))],
        Shape::Enum { names, variants } => names
            .iter()
            .zip(variants)
            .filter_map(|(name, variant)| match variant {
                Variant::Data(data) => Some((data, joined(path, name))),
                _ => None,
            })
            .collect(),
        Shape::Option(inner) => inside(inner, path),
        Shape::Embedded(inner) => alloc::vec![(&**inner, path.to_owned())],
        _ => Vec::new(),
    }
}
