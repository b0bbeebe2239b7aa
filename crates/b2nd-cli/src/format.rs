//! Formats that values are written in, a file for each.

mod csv;
mod json;
pub(crate) mod npy;
mod text;

use std::io::{self, Write};
use std::path::Path;

use b2nd::dtype::DType;
use clap::ValueEnum;

use crate::error::{Error, Result};

/// A format's name, which is also how its files end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Form {
    /// Lines of the last dimension, for people.
    Text,
    /// Numpy's file.
    Npy,
    /// Comma-separated values: a record for each element of one dimension, else for each line of the last.
    Csv,
    /// Nested lists; of a table an object for each row.
    Json,
    /// An Arrow file of a table, or of an array of one or two dimensions.
    Arrow,
    /// A Parquet file of a table, or of an array of one or two dimensions.
    Parquet,
}

/// The endings of names, for people.
const ENDINGS: &str = ".npy, .csv, .json, .txt, .arrow or .parquet";

/// Values to be written: their type, and the shape that they have as a file of their own.
pub(crate) struct Layout {
    pub(crate) dtype: Option<DType>,
    pub(crate) itemsize: usize,
    pub(crate) shape: Vec<i64>,
    /// The columns of the terminal that text goes to, if it goes to one.
    pub(crate) width: Option<usize>,
}

/// A writer of elements, which come in C order in parts of any length.
pub(crate) trait Format {
    /// Writes what comes before the first element.
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()>;

    /// Writes elements.
    fn put(&mut self, elements: &[u8], out: &mut dyn Write) -> io::Result<()>;

    /// Writes what comes after the last element.
    fn end(&mut self, out: &mut dyn Write) -> io::Result<()>;
}

impl Form {
    /// The format that the name of a file asks for; of standard output it is numpy's.
    pub(crate) fn of(path: &Path) -> Result<Form> {
        let end = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match end.as_str() {
            "npy" => Ok(Form::Npy),
            "csv" => Ok(Form::Csv),
            "json" => Ok(Form::Json),
            "txt" => Ok(Form::Text),
            "arrow" => Ok(Form::Arrow),
            "parquet" => Ok(Form::Parquet),
            "" if path == Path::new("-") => Ok(Form::Npy),
            _ => {
                let name = path.display();
                Err(Error::new(format_args!("{name}: expected a name that ends in {ENDINGS}, or --format")))
            }
        }
    }

    /// Begins to write values.
    pub(crate) fn begin(self, layout: Layout) -> Result<Box<dyn Format>> {
        Ok(match self {
            Form::Text => Box::new(text::Text::new(layout)?),
            Form::Npy => Box::new(npy::Npy::new(&layout)?),
            Form::Csv => Box::new(csv::Csv::new(layout)?),
            Form::Json => Box::new(json::Json::new(layout)?),
            Form::Arrow | Form::Parquet => return Err(Error::new("arrow and parquet take all of an array, not a slice of it")),
        })
    }
}

impl Layout {
    /// The lengths, and how many elements there are.
    fn lengths(&self) -> Result<(Vec<u64>, u64)> {
        let lengths = self.shape.iter().map(|&length| u64::try_from(length)).collect::<Result<Vec<_>, _>>()?;
        // Beside a length of 0 the others may be any, and their product more than a number holds.
        let items = if lengths.contains(&0) {
            Some(0)
        } else {
            lengths.iter().try_fold(1, |items: u64, &length| items.checked_mul(length))
        };
        Ok((lengths, items.ok_or_else(|| Error::new("there are more elements than can be counted"))?))
    }
}
