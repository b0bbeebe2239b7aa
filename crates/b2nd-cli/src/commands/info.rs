//! `b2nd info` shows the metadata of frames and stores.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use b2nd_store::{Store, embedded};
use b2nd_view::Kind;
use b2nd_view::json::{self, FramePlace, Object};
use b2nd_view::page;
use b2nd_view::slice::Slice;
use b2nd_view::store::Table;
use b2nd_view::store::{Content, Leaf, StoreListing, StoreObject};
use b2nd_view::text::{columns, printable};
use clap::Args;
use serde::Serialize;
use serde_json::Value as Json;

use crate::error::{Error, Result};
use crate::hdf5;
use crate::output::{Output, cut, fitted, terminal};
use crate::paths::{Found, Leaves, Paths, is_listed};
use crate::zarr;

pub(super) mod tree;
use tree::Tree;

/// The minimum number of lines to which a page is cut.
const LEAST_LINES: usize = 8;

/// Paths and options of `info`.
#[derive(Args, Default)]
pub(crate) struct Info {
    #[command(flatten)]
    paths: Paths,

    /// Print a JSON object for each frame, store and leaf, on a line of its own.
    #[arg(long)]
    pub(super) json: bool,

    /// Do not cut the output to the height of the terminal, and print all metadata of each leaf of a store.
    #[arg(long, conflicts_with_all = ["json", "tree"])]
    full: bool,

    /// Print only the tree of a store, with the kind, dtype, shape, size and compression ratio of each leaf.
    #[arg(long, conflicts_with_all = ["json", "chunks", "slice"])]
    tree: bool,

    /// List the chunks. This reads their headers.
    #[arg(long)]
    chunks: bool,

    /// List the chunks that a slice touches, and how many blocks it touches in each. Slices are written as in Python: `0:10,5,:`.
    #[arg(long, value_name = "SLICE", allow_hyphen_values = true)]
    slice: Option<Slice>,
}

impl Info {
    /// Returns the paths if the output of `b2nd ls` is to be printed for them: each is Zarr or an ordinary directory, and no option asks
    /// for other output.
    pub(super) fn directories(&self) -> Option<&[PathBuf]> {
        let is_plain = !self.paths.recursive && !self.json && !self.tree && !self.has_leaves() && self.paths.offset.is_none();
        Some(&*self.paths.paths).filter(|paths| is_plain && paths.iter().all(|path| is_listed(path) || zarr::is_zarr(path)))
    }

    pub(crate) fn run(&mut self, output: &mut Output) -> io::Result<bool> {
        if self.slice.is_none() {
            self.slice = self.paths.take_slice();
        }
        self.paths.by_name = true;
        let (width, height) = terminal().unzip();
        // A line of the screen is needed for the next prompt.
        let height = height.filter(|_| !self.full).map(|height| height.saturating_sub(1).max(LEAST_LINES));
        let options = json::InfoOptions {
            chunks: self.chunks,
            slice: self.slice.clone(),
            width,
            height,
            full: self.full,
            chunk_list: None,
        };
        if self.json {
            return self.paths.each_at_once(Leaves::Each, output, &|found, out| object(found, &options, out));
        }
        let (mut pages, mut all) = (Pages { info: self, options: &options, is_first: true, store: None }, true);
        for path in &self.paths.paths {
            let Paths { recursive, is_shallow, offset, by_name, .. } = self.paths;
            let paths = Paths { recursive, is_shallow, offset, by_name, ..Paths::of(path) };
            all &= paths.each(Leaves::Each, &mut output.err, &mut |found| pages.add(found, &mut *output.out))?;
            pages.finish(&mut *output.out)?;
        }
        Ok(all)
    }

    /// Creates the options that print the trees of the stores at a path or below it.
    pub(super) fn tree(path: &Path, is_shallow: bool) -> Info {
        Info { paths: Paths { recursive: path.is_dir(), is_shallow, ..Paths::of(path) }, tree: true, ..Info::default() }
    }

    /// Returns true if each leaf of a store is shown on a page of its own.
    fn has_leaves(&self) -> bool {
        self.full || self.chunks || self.slice.is_some()
    }
}

/// The printer of the pages of frames, tables and stores that are found. The leaves of a store are collected for the page of the store,
/// unless each leaf has [a page of its own](Info::has_leaves).
struct Pages<'a> {
    info: &'a Info,
    options: &'a json::InfoOptions,
    is_first: bool,
    /// The store whose leaves are being collected: the store's name, the key of the group if only a group is shown, the store's listing,
    /// and the leaves that were read up to now.
    store: Option<(String, Option<String>, StoreListing, Tree)>,
}

impl Pages<'_> {
    fn add(&mut self, found: &Found, out: &mut dyn Write) -> Result<bool> {
        if !self.info.has_leaves() {
            let is_leaf = !matches!(found, Found::Store { .. });
            if let ((_, Some(key)), Some((.., tree)), true) = (found.place(), &mut self.store, is_leaf) {
                tree.push((key.to_owned(), tree_cells(found)));
                return Ok(true);
            }
            self.finish(out).map_err(Error::Write)?;
            let said = match found {
                // If the store is a table, only the page of the table is printed.
                Found::Store { store, .. } if store.kind == Some(Kind::CTable) && !self.info.tree => return Ok(true),
                Found::Store { key, store, .. } => Some((*key, (*store).clone())),
                Found::Frame { place: FramePlace { key: None, .. }, frame } if Kind::of(frame.header(), None).is_store() => {
                    Some((None, embedded(frame)?))
                }
                _ => None,
            };
            if let Some((key, store)) = said {
                self.store = Some((found.name(), key.map(str::to_owned), store, Tree::default()));
                return Ok(true);
            }
            if self.info.tree {
                let line = [vec![printable(&found.name())], tree_cells(found)].concat();
                let line = columns(&[line], &[]).concat();
                return writeln!(out, "{}", cut(line)).map(|()| true).map_err(Error::Write);
            }
        }
        if let (Found::Frame { frame, .. }, Some(slice)) = (found, &self.info.slice) {
            if let Ok(Some(geometry)) = frame.header().geometry() {
                slice.select(geometry.shape()).map_err(Error::new)?;
            }
        }
        text(found, self.options, self.gap(), out)
    }

    /// Prints the store, after its leaves have been collected.
    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let Some((name, key, store, tree)) = self.store.take() else { return Ok(()) };
        // `tree` has no entry for a leaf that could not be read.
        let mut read = tree.into_iter().peekable();
        let cells = |leaf: &Leaf| match read.next_if(|(key, _)| *key == leaf.key) {
            Some((_, cells)) => (leaf.key.clone(), cells),
            None => (leaf.key.clone(), vec!["cannot be read".to_owned()]),
        };
        let tree = store.leaves.iter().map(cells).collect();
        let lines = tree::lines(&tree, key.as_deref());
        if self.info.tree {
            let kind = store.kind.map_or(if key.is_some() { "group" } else { store.format.unwrap_or("frames") }, Kind::name);
            let title = format!("{}  {kind}", printable(&name));
            return [title].into_iter().chain(lines).try_for_each(|line| writeln!(out, "{}", cut(line)));
        }
        let view = page::store(&store, &name, lines, self.options);
        writeln!(out, "{}{}", self.gap(), fitted(&view.text))
    }

    /// Returns the separator before a page: an empty line, or nothing before the first page.
    fn gap(&mut self) -> &'static str {
        if std::mem::take(&mut self.is_first) { "" } else { "\n" }
    }
}

/// Returns the texts that follow the name in a line of the tree.
pub(super) fn tree_cells(found: &Found) -> tree::Cells {
    match found {
        Found::Frame { frame, .. } => tree::of_frame(frame),
        Found::Leaf { leaf, store, .. } => tree::of_leaf(&counted(store, leaf)),
        Found::Store { .. } => tree::Cells::new(),
    }
}

/// A frame with the chunks of its HDF5 file, if it is a dataset.
#[derive(Serialize)]
struct WithChunks<'a> {
    #[serde(flatten)]
    object: Object<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chunks: Option<Vec<Json>>,
}

fn object(found: &Found, options: &json::InfoOptions, out: &mut dyn Write) -> Result<bool> {
    let mut complete = true;
    let written = match found {
        Found::Frame { place, frame } => {
            let chunks = if options.chunks { hdf5::chunks(place)? } else { None };
            let options = &json::InfoOptions { chunks: options.chunks && chunks.is_none(), ..options.clone() };
            let object = Object::new(frame, *place, options)?;
            complete = object.is_complete();
            json::write_line(out, &WithChunks { object, chunks })
        }
        Found::Store { path, key, store, .. } => json::write_line(out, &StoreObject::of_store(store, path, *key)),
        Found::Leaf { path, leaf, store } => json::write_line(out, &StoreObject::of_leaf(&counted(store, leaf), path)),
    };
    written.map_err(Error::Write)?;
    Ok(complete)
}

fn text(found: &Found, options: &json::InfoOptions, gap: &str, out: &mut dyn Write) -> Result<bool> {
    let mut unread = None;
    let view = match found {
        Found::Frame { place, frame } => {
            let chunks = if options.chunks { hdf5::chunks(place)? } else { None };
            let chunk_list = chunks.map(|chunks| hdf5::chunk_lines(&chunks));
            page::page(frame, &found.name(), &json::InfoOptions { chunk_list, ..options.clone() })?
        }
        Found::Store { store, .. } => page::store(store, &found.name(), Vec::new(), options),
        Found::Leaf { path, leaf, store } => {
            let is_table = matches!(leaf.content, Content::Table(_));
            let cells = if is_table { crate::tables::cells(store, &leaf.key) } else { Ok(None) };
            let cells = cells.unwrap_or_else(|error| {
                // If the store is on a server, the error is printed, because the server may have failed. Errors in a local file are
                // left to `b2nd check`.
                unread = path.contains("://").then_some(error);
                None
            });
            page::leaf(&counted(store, leaf), &found.name(), cells.as_deref(), options)
        }
    };
    writeln!(out, "{gap}{}", fitted(&view.text)).map_err(Error::Write)?;
    if let Some(error) = &unread {
        writeln!(out, "  types and nulls could not be read: {}", printable(&error.to_string())).map_err(Error::Write)?;
    }
    Ok(view.is_complete && unread.is_none())
}

/// Adds the number of rows to a table whose schema lacks this number.
pub(super) fn counted<'a>(store: &Arc<Store>, leaf: &'a Leaf) -> Cow<'a, Leaf> {
    match &leaf.content {
        Content::Table(table) if table.rows.is_none() => {
            let table = Table { rows: crate::tables::rows(store, &leaf.key), ..Table::clone(table) };
            Cow::Owned(Leaf { content: Content::Table(table.into()), ..leaf.clone() })
        }
        _ => Cow::Borrowed(leaf),
    }
}
