//! `b2nd cat`: values of an array as text.

use std::io;
use std::path::PathBuf;

use b2nd_view::slice::Slice;
use clap::Args;

use crate::format::text;
use crate::output::Output;
use crate::values::{open_values, parts, ranges, settle};

/// Prints the values of an array: a line for each of the last dimension, an empty one between planes.
#[derive(Args)]
pub(crate) struct Cat {
    /// An array; as `b2nd info` takes it.
    file: PathBuf,

    /// A part of it: 0:10,5,: as in Python.
    #[arg(allow_hyphen_values = true)]
    slice: Option<Slice>,
}

impl Cat {
    pub(crate) fn run(&self, output: &mut Output) -> io::Result<bool> {
        let Some(array) = settle(&self.file, open_values(&self.file), output)? else { return Ok(false) };
        let Some(ranges) = settle(&self.file, ranges(&array, self.slice.as_ref()), output)? else { return Ok(false) };
        let Some(printer) = settle(&self.file, text::Printer::new(&array, &ranges), output)? else { return Ok(false) };
        let mut printer = printer;
        for part in parts(&array, &ranges) {
            match array.read_bytes(&part) {
                Ok(bytes) => printer.print(&bytes, &mut output.out)?,
                Err(error) => return settle::<()>(&self.file, Err(error.into()), output).map(|_| false),
            }
        }
        Ok(true)
    }
}
