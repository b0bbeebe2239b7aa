//! `b2nd info`: what is in frames and stores. `b2nd chunks` and `b2nd slice` are options of it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use b2nd_store::Store;
use b2nd_view::json::{self, Object, Place};
use b2nd_view::page;
use b2nd_view::slice::Slice;
use b2nd_view::store::Table;
use b2nd_view::store::{Attributes, Content, Groups, Leaf, StoreObject};
use b2nd_view::text::{LABEL, count, printable, styled};
use b2nd_view::{Frame, Kind, Value};
use clap::Args;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::output::{Output, fitted, terminal};
use crate::paths::{Found, Leaves, Paths, ShowAtOnce};
use crate::screen::{self, Cut, End};
use crate::values::{Start, Values};

mod tree;
use tree::Tree;

/// The rows of values on a page.
const VALUE_ROWS: u64 = 6;

/// Paths and options of `info`.
#[derive(Args)]
pub(crate) struct Info {
    #[command(flatten)]
    paths: Paths,

    /// Print a JSON object for each frame, on a line of its own.
    #[arg(long)]
    json: bool,

    /// Print only metalayers and attributes, with their full values.
    #[arg(long, conflicts_with_all = ["chunks", "slice", "tree"])]
    meta: bool,

    /// Draw stores as trees, with the shape, dtype and compression ratio of each leaf.
    #[arg(long, conflicts_with_all = ["json", "chunks", "slice"])]
    tree: bool,

    /// With --tree: how many levels of groups are drawn.
    #[arg(long, value_name = "N", requires = "tree", value_parser = clap::value_parser!(u16).range(1..))]
    depth: Option<u16>,

    /// List the chunks. This reads the header of each.
    #[arg(long)]
    chunks: bool,

    /// List the chunks that a slice touches, with the number of blocks that it touches in each: 0:10,5,: as in Python.
    #[arg(long, value_name = "SLICE", allow_hyphen_values = true)]
    slice: Option<Slice>,

    /// Also print the first values of each array, or of --slice, like `b2nd head`.
    #[arg(long, conflicts_with_all = ["json", "meta", "tree"])]
    values: bool,
}

impl Info {
    /// The place that it is written to.
    pub(crate) fn output(&self) -> Output {
        if self.json { Output::plain() } else { Output::styled() }
    }

    /// `b2nd chunks`, and with a part `b2nd slice`.
    ///
    /// # Errors
    ///
    /// The options ask for something else as well.
    fn with_chunks(self, slice: Option<Slice>) -> Result<Info, &'static str> {
        if self.meta || self.tree || self.slice.is_some() {
            return Err("chunks are listed without --meta, --tree and --slice");
        }
        Ok(Info { chunks: slice.is_none() || self.chunks, slice, ..self })
    }

    pub(crate) fn run(&self, output: &mut Output) -> io::Result<bool> {
        let options = json::Options { chunks: self.chunks, slice: self.slice.clone(), width: width() };
        if self.json {
            let show: &ShowAtOnce = if self.meta { &meta_object } else { &|found, out| object(found, &options, out) };
            return self.paths.each_at_once(Leaves::Each, output, show);
        }
        let Output { out, err } = output;
        if self.tree {
            return self.trees(out, err);
        }
        let mut shown = 0_u64;
        self.paths.each(Leaves::Each, err, &mut |found| {
            if let (Found::Frame { frame, .. }, Some(slice)) = (found, &self.slice) {
                if let Ok(Some(geometry)) = frame.header().geometry() {
                    slice.select(geometry.shape()).map_err(Error::new)?;
                }
            }
            shown += 1;
            let is_complete = text(found, &options, self.meta, shown == 1, out)?;
            if let (true, Found::Frame { frame, .. }) = (self.values, found) {
                values(frame, Path::new(&found.name()), self.slice.as_ref(), out)?;
            }
            Ok(is_complete)
        })
    }

    fn trees(&self, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<bool> {
        let depth = self.depth.map(usize::from);
        let mut tree: Option<Tree> = None;
        let complete = self.paths.each(Leaves::Each, err, &mut |found| {
            let kind = |frame: &Frame| Kind::of(frame.header(), frame.trailer().ok());
            let next = match (found, tree.as_mut()) {
                (Found::Frame { place: Place { key: Some(key), .. }, frame }, Some(tree)) => {
                    tree.push(key, tree::label(frame, kind(frame)));
                    return Ok(true);
                }
                (Found::Leaf { leaf, .. }, Some(tree)) => {
                    tree.push(&leaf.key, leaf_label(leaf));
                    return Ok(true);
                }
                (Found::Frame { frame, .. }, _) => Tree::new(&found.name(), &tree::label(frame, kind(frame))),
                (Found::Leaf { leaf, .. }, None) => Tree::new(&found.name(), &leaf_label(leaf)),
                (Found::Store { store, .. }, _) => Tree::new(&found.name(), store.kind.map_or("frames", Kind::name)),
            };
            if let Some(done) = tree.replace(next) {
                done.draw(depth, width(), out).map_err(Error::Write)?;
            }
            Ok(true)
        })?;
        tree.iter().try_for_each(|tree| tree.draw(depth, width(), out))?;
        Ok(complete)
    }
}

/// `b2nd chunks`: the frames to show, with their chunks.
#[derive(Args)]
pub(crate) struct Chunks {
    #[command(flatten)]
    info: Info,
}

impl Chunks {
    /// The command that does it.
    ///
    /// # Errors
    ///
    /// The options ask for something else as well.
    pub(crate) fn info(self) -> Result<Info, &'static str> {
        self.info.with_chunks(None)
    }
}

/// `b2nd slice`: the frames to show, with the chunks and blocks that a part of their arrays touches.
#[derive(Args)]
pub(crate) struct SliceOf {
    #[command(flatten)]
    info: Info,

    /// The slice, as the last argument: a range or an index for each dimension, as in Python.
    #[arg(id = "part", value_name = "SLICE", required = true, allow_hyphen_values = true)]
    slice: Slice,
}

impl SliceOf {
    /// The command that does it.
    ///
    /// # Errors
    ///
    /// The options ask for something else as well.
    pub(crate) fn info(self) -> Result<Info, &'static str> {
        self.info.with_chunks(Some(self.slice))
    }
}

/// The first values of an array, for a page. Other frames have none.
fn values(frame: &Frame, word: &Path, slice: Option<&Slice>, out: &mut dyn Write) -> Result<()> {
    if !matches!(frame.header().array(), Ok(Some(_))) {
        return Ok(());
    }
    if word == Path::new("-") {
        return Err(Error::new("standard input is read once: b2nd cat - prints its values"));
    }
    let mut values = Values::open(word, &Start { offset: Some(frame.offset()), dtype: None }, slice)?;
    writeln!(out, "  {}", styled(LABEL, "values")).map_err(Error::Write)?;
    screen::print(&mut values, Cut { end: End::First, rows: Some(VALUE_ROWS) }, 4, out)
}

/// The width of the terminal, if the pages go to one.
fn width() -> Option<usize> {
    terminal().map(|(columns, _)| columns)
}

fn leaf_label(leaf: &Leaf) -> String {
    match &leaf.content {
        Content::Table(table) => {
            let rows = table.rows.map_or_else(String::new, |rows| format!("{} x ", count(rows, "row")));
            format!("ctable  {rows}{}", count(table.columns.len(), "column"))
        }
        Content::Remote { urlbase, path } => format!("remote_array  {} at {}", printable(path), printable(urlbase)),
        Content::Frame | Content::Embedded(_) => String::new(),
    }
}

/// `--meta --json`: names and values alone.
#[derive(Serialize)]
struct MetaObject<'a> {
    #[serde(flatten)]
    place: Place<'a>,
    kind: Option<Kind>,
    meta: BTreeMap<String, Option<Value<'a>>>,
    vlmeta: &'a Attributes,
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Groups<'a>>,
}

fn meta_object(found: &Found, out: &mut dyn Write) -> Result<bool> {
    let none = Attributes::default();
    let of_frame;
    let path = |path| Place { path, ..Place::default() };
    let object = match *found {
        Found::Frame { place, frame } => {
            of_frame = Attributes::of(frame)?;
            let kind = Kind::of(frame.header(), Some(frame.trailer()?));
            let named = |(name, content): (&[u8], _)| (String::from_utf8_lossy(name).into_owned(), Value::from_slice(content));
            let meta = frame.header().metalayers().iter().map(named).collect();
            MetaObject { place, kind: Some(kind), meta, vlmeta: &of_frame, groups: None }
        }
        Found::Store { path: store_path, store } => MetaObject {
            place: path(store_path),
            kind: store.kind,
            meta: BTreeMap::new(),
            vlmeta: &store.attributes,
            groups: Some(Groups::of(store)),
        },
        Found::Leaf { path: store_path, leaf, .. } => {
            let place = Place { key: Some(&leaf.key), member: leaf.member.as_deref(), ..path(store_path) };
            let (kind, vlmeta) = match &leaf.content {
                Content::Table(table) => (Kind::CTable, &table.attributes),
                _ => (Kind::RemoteArray, &none),
            };
            MetaObject { place, kind: Some(kind), meta: BTreeMap::new(), vlmeta, groups: None }
        }
    };
    json::write_line(out, &object).map_err(Error::Write)?;
    Ok(true)
}

fn object(found: &Found, options: &json::Options, out: &mut dyn Write) -> Result<bool> {
    let mut complete = true;
    let written = match found {
        Found::Frame { place, frame } => {
            let object = Object::new(frame, *place, options)?;
            complete = object.is_complete();
            json::write_line(out, &object)
        }
        Found::Store { path, store } => json::write_line(out, &StoreObject::of_store(store, path)),
        Found::Leaf { path, leaf, store } => json::write_line(out, &StoreObject::of_leaf(&counted(store, leaf), path)),
    };
    written.map_err(Error::Write)?;
    Ok(complete)
}

fn text(found: &Found, options: &json::Options, meta: bool, is_first: bool, out: &mut dyn Write) -> Result<bool> {
    let mut unread = None;
    let view = match found {
        Found::Frame { frame, .. } if meta => page::meta(frame, &found.name())?,
        Found::Frame { frame, .. } => page::page(frame, &found.name(), options)?,
        Found::Store { store, .. } => page::store(store, &found.name(), options.width),
        Found::Leaf { path, leaf, store } => {
            let cells = cells(store, leaf).unwrap_or_else(|error| {
                // A server may have failed meanwhile. What is wrong with a table on a disk, `check` says.
                unread = path.contains("://").then_some(error);
                None
            });
            page::leaf(&counted(store, leaf), &found.name(), cells.as_deref(), options.width)
        }
    };
    let gap = if is_first { "" } else { "\n" };
    writeln!(out, "{gap}{}", fitted(&view.text)).map_err(Error::Write)?;
    if let Some(error) = &unread {
        writeln!(out, "  types and nulls could not be read: {}", printable(&error.to_string())).map_err(Error::Write)?;
    }
    Ok(view.is_complete && unread.is_none())
}

/// A leaf whose rows are counted where it is a table that does not say how many it has, as those of python-blosc2 before 4.4.
fn counted<'a>(store: &Arc<Store>, leaf: &'a Leaf) -> Cow<'a, Leaf> {
    match &leaf.content {
        Content::Table(table) if table.rows.is_none() => {
            let table = Table { rows: crate::tables::rows(store, &leaf.key), ..Table::clone(table) };
            Cow::Owned(Leaf { content: Content::Table(table.into()), ..leaf.clone() })
        }
        _ => Cow::Borrowed(leaf),
    }
}

/// A row of cells for each column of a table: more than the schema says.
fn cells(store: &Arc<Store>, leaf: &Leaf) -> Result<Option<Vec<Vec<String>>>> {
    if matches!(leaf.content, Content::Table(_)) { crate::tables::cells(store, &leaf.key) } else { Ok(None) }
}
