//! `b2nd ls` lists frames, stores and Zarr arrays.

use std::io::{self, Write};
use std::path::PathBuf;

use b2nd_view::Kind;
use b2nd_view::text::{columns, count, printable};
use clap::Args;

use super::info::{Info, counted, tree, tree_cells};
use crate::error::Error;
use crate::output::{Output, cut, named};
use crate::paths::{Found, Leaves, Paths, is_listed};
use crate::zarr;

/// Lines of frames and stores are aligned and printed when this number of lines has been collected.
const ALIGNED: usize = 1000;

/// `b2nd ls`.
#[derive(Args)]
pub(crate) struct Ls {
    /// Frames, stores, directories with frames and stores, and Zarr arrays and groups.
    #[arg(default_value = ".", value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Also search the subdirectories of directories.
    #[arg(short, long)]
    recursive: bool,

    /// Draw the tree of each store.
    #[arg(long)]
    tree: bool,
}

impl Ls {
    pub(super) fn of(paths: &[PathBuf]) -> Ls {
        Ls { paths: paths.to_vec(), recursive: false, tree: false }
    }

    pub(crate) fn run(&self, output: &mut Output) -> io::Result<bool> {
        let (mut all, mut rows) = (true, Vec::new());
        for path in &self.paths {
            if self.tree {
                all &= Info::tree(path, !self.recursive).run(output)?;
                continue;
            }
            if path.is_dir() && zarr::is_zarr(path) {
                let arrays = output.settle(path, zarr::rows(path))?;
                all &= arrays.as_ref().is_some_and(|arrays| !arrays.is_empty());
                if let Some(hint) = arrays.as_ref().map(|arrays| zarr::hint(arrays.first())) {
                    writeln!(output.err, "{}", named(path, hint))?;
                }
                rows.extend(arrays.into_iter().flatten());
                continue;
            }
            let mut is_empty = true;
            let in_directory = is_listed(path);
            // In a directory, files that are neither frames nor stores are left out, unless they are named like them. A path that the user
            // names is never left out.
            let paths = Paths { recursive: in_directory, is_shallow: !self.recursive, by_name: true, ..Paths::of(path) };
            let leaves = if in_directory { Leaves::Itself } else { Leaves::Each };
            let Output { out, err } = &mut *output;
            all &= paths.each(leaves, err, &mut |found| {
                // A table that is a store of its own is listed once, as a leaf.
                if !in_directory && matches!(found, Found::Store { store, .. } if store.kind == Some(Kind::CTable)) {
                    return Ok(true);
                }
                is_empty = false;
                rows.push(row(found));
                if rows.len() >= ALIGNED {
                    print(&mut rows, out).map_err(Error::Write)?;
                }
                Ok(true)
            })?;
            if in_directory && is_empty {
                let below = if self.recursive { "" } else { " (-r also searches its subdirectories)" };
                writeln!(output.err, "{}: it has no readable frames or stores{below}", printable(&path.to_string_lossy()))?;
                all = false;
            }
        }
        print(&mut rows, &mut output.out)?;
        Ok(all)
    }
}

/// Returns the cells of what was found: name, kind, dtype, shape, size and ratio.
fn row(found: &Found) -> Vec<String> {
    let cells = match found {
        Found::Store { store, folder, .. } if store.kind == Some(Kind::CTable) => {
            store.leaves.first().map_or_else(Vec::new, |leaf| tree::of_leaf(&counted(folder, leaf)))
        }
        Found::Store { store, .. } => {
            let leaves = count(store.leaves.len(), "leaf").replace("leafs", "leaves");
            vec![store.kind.map_or(store.format.unwrap_or("group"), Kind::name).to_owned(), String::new(), leaves]
        }
        _ => tree_cells(found),
    };
    let name = found.name();
    [vec![printable(name.strip_prefix("./").unwrap_or(&name))], cells].concat()
}

fn print(rows: &mut Vec<Vec<String>>, out: &mut dyn Write) -> io::Result<()> {
    let lines = columns(rows, &[4, 5]);
    rows.clear();
    lines.into_iter().try_for_each(|line| writeln!(out, "{}", cut(line)))
}
