//! `b2nd cat`: values of an array as text.

use std::io;
use std::path::PathBuf;

use b2nd_view::slice::Slice;
use b2nd_view::text::parse_offset;
use clap::Args;
use indicatif::ProgressBar;

use crate::format::Form;
use crate::output::Output;
use crate::values::Values;

/// Prints the values of an array: a line for each of the last dimension, an empty one between planes.
#[derive(Args)]
pub(crate) struct Cat {
    /// An array; as `b2nd info` takes it.
    file: PathBuf,

    /// A part of it: 0:10,5,::2 as in Python.
    #[arg(allow_hyphen_values = true)]
    slice: Option<Slice>,

    /// Print comma-separated values.
    #[arg(long)]
    csv: bool,

    /// Print nested lists of JSON.
    #[arg(long, conflicts_with = "csv")]
    json: bool,

    /// The byte at which the frame starts in its file, in decimal or as 0x….
    #[arg(long, value_name = "N", value_parser = parse_offset)]
    offset: Option<u64>,
}

impl Cat {
    pub(crate) fn run(&self, output: &mut Output) -> io::Result<bool> {
        let form = match self {
            Cat { csv: true, .. } => Form::Csv,
            Cat { json: true, .. } => Form::Json,
            _ => Form::Text,
        };
        let values = Values::open(&self.file, self.offset, self.slice.as_ref());
        let done = values.and_then(|values| values.write(form, &mut output.out, &ProgressBar::hidden()));
        Ok(output.settle(&self.file, done)?.is_some())
    }
}
