//! `b2nd diff` compares two frames or stores.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use b2nd_frame::Result;
use b2nd_store::Location;
use b2nd_view::json::{FramePlace, StoreObject};
use b2nd_view::store::Content;
use b2nd_view::text::{printable, thousands};
use b2nd_view::{Frame, Kind, json};
use clap::Args;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::differences::{Lines, Tolerance};
use crate::output::{Output, fitted, terminal};
use crate::paths::{Found, Leaves, Paths};
use crate::status::{FAILED, UNREADABLE};
use crate::tables;
use crate::values;

mod chunks;

/// Compares two frames or stores. The exit status is 0 if no difference is found, 1 if one is, 3 if something cannot be read or compared.
#[derive(Args)]
pub(crate) struct Diff {
    /// A frame or a store: a path, a URL, - or STORE::KEY, as for `b2nd info`.
    a: std::path::PathBuf,

    /// The frame or store to compare with.
    b: std::path::PathBuf,

    /// Also compare data: the values of arrays, which differ if their shapes or dtypes differ, the columns of tables, and the chunks
    /// of other frames.
    #[arg(long)]
    data: bool,

    /// Compare only data, not metadata, for example of a file and its `repack`.
    #[arg(long)]
    values: bool,

    #[command(flatten)]
    tolerance: Tolerance,
}

/// The fields of a frame's JSON object that give the location of the frame. They are not compared.
const PLACES: [&str; 4] = ["path", "key", "member", "offset"];

/// The frames, stores and leaves at a path by key, each with the kind of values to compare and the metadata as JSON. A store, and a single
/// frame or leaf, has the key `""`.
type Said = BTreeMap<String, (Comparable, Value)>;

/// The kind of values to compare.
#[derive(Clone, Copy, PartialEq)]
enum Comparable {
    /// No values. Used for a store itself (its leaves are compared one by one), for a reference to an array on a server, and for a frame
    /// whose values are computed or fetched instead of stored.
    None,
    /// The chunks of a frame, with or without an array.
    Chunks,
    /// The columns of a table.
    Table,
}

impl Diff {
    pub(crate) fn run(&self, output: &mut Output) -> io::Result<u8> {
        let mut said = Vec::new();
        for path in [&self.a, &self.b] {
            let mut frames = Said::new();
            // If the path names a leaf or a group, its key is removed from the start of all keys.
            let top = Location::new(path.as_os_str()).key().map(|key| format!("/{}", key.trim_matches('/'))).unwrap_or_default();
            let readable = Paths::of(path).each(Leaves::Each, &mut output.err, &mut |found| {
                let (key, said) = match found {
                    Found::Frame { place, frame } => (place.key, (of_frame(place, frame), describe(frame)?)),
                    Found::Store { store, .. } => (None, (Comparable::None, plain(&StoreObject::of_store(store, "", None))?)),
                    Found::Leaf { leaf, .. } => {
                        let is_table = matches!(leaf.content, Content::Table(_));
                        let values = if is_table { Comparable::Table } else { Comparable::None };
                        (Some(leaf.key.as_str()), (values, plain(&StoreObject::of_leaf(leaf, ""))?))
                    }
                };
                frames.insert(key.and_then(|key| key.strip_prefix(&*top)).unwrap_or_default().to_owned(), said);
                Ok(true)
            })?;
            if !readable {
                return Ok(UNREADABLE);
            }
            said.push(frames);
        }
        let mut lines = Lines::new(terminal().map(|(columns, _)| columns));
        if let [a, b] = said.as_slice() {
            self.frames(a, b, &mut lines);
        }
        let Output { out, err } = output;
        let Lines { lines, unread, .. } = lines;
        if !lines.is_empty() {
            let name = |path: &Path| printable(&path.to_string_lossy());
            writeln!(out, "--- {}\n+++ {}", name(&self.a), name(&self.b))?;
            lines.iter().try_for_each(|line| writeln!(out, "{}", fitted(line)))?;
        }
        unread.iter().try_for_each(|line| writeln!(err, "{line}"))?;
        if lines.is_empty() && unread.is_empty() && !self.compares_data() && std::io::stderr().is_terminal() {
            writeln!(err, "no difference in the metadata; values were not compared: --data compares those that are stored")?;
        }
        Ok(match (unread.is_empty(), lines.is_empty()) {
            (false, _) => UNREADABLE,
            (true, false) => FAILED,
            (true, true) => 0,
        })
    }

    /// Compares the frames, stores and leaves that have the same key at both paths, and reports keys that exist at only one path.
    fn frames(&self, a: &Said, b: &Said, lines: &mut Lines) {
        for key in a.keys().chain(b.keys()).collect::<BTreeSet<_>>() {
            let kind = |object: &Value| printable(object["kind"].as_str().or(object["format"].as_str()).unwrap_or("frames"));
            match (a.get(key), b.get(key)) {
                (Some((of, one)), Some((of_other, other))) => {
                    let before = lines.lines.len();
                    if !self.values {
                        compare(&printable(key), one, other, lines);
                    }
                    let is_array = [one, other].iter().any(|object| object["array"].is_object());
                    if self.compares_data() && (is_array || of == of_other && *of != Comparable::None) {
                        let differing = lines.lines.len();
                        let is_compared = self.values(key, *of, is_array, lines);
                        if is_compared && differing != before && lines.lines.len() == differing {
                            lines.one(' ', &name_of_values(key), "equal");
                        }
                    } else if self.values && of != of_other {
                        let kinds = format!("of different kinds: {} and {}", kind(one), kind(other));
                        lines.one(' ', &name_of_values(key), &kinds);
                    }
                }
                (Some((_, one)), None) => lines.one('-', &printable(key), &kind(one)),
                (None, Some((_, other))) => lines.one('+', &printable(key), &kind(other)),
                (None, None) => {}
            }
        }
    }

    fn compares_data(&self) -> bool {
        self.data || self.values || self.tolerance.is_given()
    }

    /// Compares values. Returns false if some of them could not be compared.
    fn values(&self, key: &str, of: Comparable, is_array: bool, lines: &mut Lines) -> bool {
        let inside = |path: &Path| match key {
            "" => path.to_owned(),
            key if Location::new(path.as_os_str()).key().is_some() => path.join(key.trim_start_matches('/')),
            key => format!("{}::{key}", path.display()).into(),
        };
        let name = name_of_values(key);
        let [a, b] = [inside(&self.a), inside(&self.b)];
        let before = lines.unread.len();
        let compared = match of {
            _ if is_array => values::compare(&a, &b, &self.tolerance),
            Comparable::Table => tables::compare(&name, &a, &b, &self.tolerance, lines).map(|()| Vec::new()),
            Comparable::Chunks | Comparable::None => chunks::compare(&a, &b, &self.tolerance),
        };
        match compared {
            Ok(differences) => lines.of_values(&name, differences),
            Err(error) => lines.unread.push(printable(&format!("{name}: not compared: {error}"))),
        }
        lines.unread.len() == before
    }
}

fn name_of_values(key: &str) -> String {
    if key.is_empty() { "values".to_owned() } else { format!("{}.values", printable(key)) }
}

/// Returns the kind of values of a frame that can be compared.
fn of_frame(place: &FramePlace, frame: &Frame) -> Comparable {
    let kind = Kind::of(frame.header(), None);
    // Frames of these kinds do not store their values: python-blosc2 computes or fetches them.
    let is_recipe = matches!(kind, Kind::LazyExpr | Kind::LazyUdf | Kind::RemoteArray);
    if is_recipe || kind.is_store() && place.key.is_none() { Comparable::None } else { Comparable::Chunks }
}

/// Returns the JSON of a store, table or reference without the fields for its location.
fn plain(object: &impl Serialize) -> Result<Value> {
    let mut object = serde_json::to_value(object).map_err(io::Error::from)?;
    if let Some(fields) = object.as_object_mut() {
        PLACES.iter().for_each(|place| drop(fields.remove(*place)));
    }
    Ok(object)
}

/// Returns a frame as JSON, with metalayers and attributes by name. Each metalayer and attribute has its value, or its bytes if the value
/// is null or cannot be decoded.
fn describe(frame: &Frame) -> Result<Value> {
    let mut object = json::frame(frame, "", &json::InfoOptions::default())?;
    let vlmetalayers = object.pointer_mut("/trailer/vlmetalayers").map(Value::take).unwrap_or_default();
    let Some(fields) = object.as_object_mut() else { return Ok(object) };
    PLACES.iter().for_each(|place| drop(fields.remove(*place)));
    fields.remove("trailer");
    if let Some(array) = fields.get_mut("array").and_then(Value::as_object_mut) {
        // These two fields are not compared, because they are computed from the shapes and the dtype.
        ["grid", "element"].iter().for_each(|field| drop(array.remove(*field)));
    }
    for (name, list) in [("metalayers", fields.get("metalayers").cloned().unwrap_or_default()), ("vlmetalayers", vlmetalayers)] {
        let named = |layer: &Value| {
            let name = layer["name"].as_str().or_else(|| layer["name_hex"].as_str()).unwrap_or_default().to_owned();
            let value = if layer["value"].is_null() { &layer["content"] } else { &layer["value"] };
            (name, value.clone())
        };
        let mut layers: Map<String, Value> = list.as_array().into_iter().flatten().map(named).collect();
        // The metalayer `b2nd` is compared as the field `array`.
        if fields.get("array").is_some_and(|array| !array.is_null()) && name == "metalayers" {
            layers.remove("b2nd");
        }
        fields.insert(name.to_owned(), Value::Object(layers));
    }
    Ok(object)
}

fn compare(name: &str, a: &Value, b: &Value, lines: &mut Lines) {
    if a == b {
        return;
    }
    if let (Value::Object(a), Value::Object(b)) = (a, b) {
        for key in a.keys().chain(b.keys()).collect::<BTreeSet<_>>() {
            let inner = if name.is_empty() { printable(key) } else { format!("{name}.{}", printable(key)) };
            match (a.get(key), b.get(key)) {
                (Some(a), Some(b)) => compare(&inner, a, b, lines),
                (Some(a), None) => lines.one('-', &inner, &text(a)),
                (None, Some(b)) => lines.one('+', &inner, &text(b)),
                (None, None) => {}
            }
        }
        return;
    }
    lines.both(name, &text(a), &text(b));
}

fn text(value: &Value) -> String {
    match value {
        Value::Number(number) if !number.is_f64() => thousands(number),
        other => printable(&other.to_string()),
    }
}
