//! `b2nd info`: what is in frames and stores.

use std::io::Write;

use b2nd::Result;
use b2nd_ndarray::codec::Codec;
use b2nd_view::json::{self, Object};
use b2nd_view::page;
use b2nd_view::slice::Slice;
use b2nd_view::store::StoreObject;
use clap::Args;

use crate::output::Output;
use crate::visit::{Found, Leaves, Paths, unwritable};

/// What to show.
#[derive(Args)]
pub(crate) struct Info {
    #[command(flatten)]
    paths: Paths,

    /// Print a JSON object for each frame, on a line of its own.
    #[arg(long)]
    json: bool,

    /// List the chunks, which takes a look at each of them.
    #[arg(long)]
    chunks: bool,

    /// List the chunks that a part of the array touches, and how many of their blocks: 0:10,5,: as in Python.
    #[arg(long, value_name = "SLICE", allow_hyphen_values = true)]
    slice: Option<Slice>,
}

impl Info {
    pub(crate) fn run(&self, output: &mut Output) -> std::io::Result<bool> {
        let options = json::Options { chunks: self.chunks, slice: self.slice.clone() };
        let Output { out, err } = output;
        let mut shown = 0_u64;
        self.paths.each(Leaves::Each, err, &mut |found| {
            shown += 1;
            if self.json { object(found, &options, out) } else { text(found, &options, shown == 1, out) }
        })
    }
}

fn object(found: &Found, options: &json::Options, out: &mut dyn Write) -> Result<bool> {
    let mut complete = true;
    let written = match found {
        Found::Frame { place, frame } => {
            let object = Object::new(frame, *place, options, &mut Codec::default())?;
            complete = object.is_complete();
            json::write_line(out, &object)
        }
        Found::Store { path, store } => json::write_line(out, &StoreObject::of_store(store, path)),
        Found::Leaf { path, leaf } => json::write_line(out, &StoreObject::of_leaf(leaf, path)),
    };
    written.map_err(unwritable)?;
    Ok(complete)
}

fn text(found: &Found, options: &json::Options, is_first: bool, out: &mut dyn Write) -> Result<bool> {
    let view = match found {
        Found::Frame { frame, .. } => page::page(frame, &found.name(), options, &mut Codec::default())?,
        Found::Store { store, .. } => page::store(store, &found.name()),
        Found::Leaf { leaf, .. } => page::leaf(leaf, &found.name()),
    };
    let gap = if is_first { "" } else { "\n" };
    writeln!(out, "{gap}{}", view.text).map_err(unwritable)?;
    Ok(view.is_complete)
}
