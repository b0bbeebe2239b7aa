//! The formats in which values are written.

pub(crate) mod csv;
mod json;
pub(crate) mod npy;
mod text;

use std::io::{self, Write};
use std::path::Path;

use b2nd::dtype::DType;
use b2nd_view::elements;
use clap::ValueEnum;

use crate::error::{Error, Result};
use crate::piped::is_standard;

/// A format in which values are written. The ending of a file's name or `--format` selects it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum OutputFormat {
    /// Text: a line for each row of the last dimension.
    Text,
    /// NumPy's format.
    Npy,
    /// The bytes of the elements, in C order.
    Bin,
    /// Comma-separated values: a record for each element if the array has one dimension, otherwise for each row of the last
    /// dimension.
    Csv,
    /// Nested lists, or for a table an object for each row.
    Json,
    /// A line of JSON for each row.
    #[value(alias = "ndjson")]
    Jsonl,
    /// An Arrow file of a table or an array; on standard output, a stream.
    #[value(aliases = ["feather", "ipc"])]
    Arrow,
    /// An Arrow stream of a table or an array.
    #[value(alias = "arrows")]
    ArrowStream,
    /// A Parquet file of a table or an array.
    Parquet,
    /// A directory with a Zarr array.
    Zarr,
}

/// The endings of file names that select a format, for an error message.
const ENDINGS: &str = ".npy, .bin, .csv, .json, .jsonl, .ndjson, .txt, .arrow, .feather, .arrows, .parquet or .zarr";

/// The type and shape of the elements to write.
pub(crate) struct ElementInfo {
    pub(crate) dtype: Option<DType>,
    pub(crate) itemsize: usize,
    pub(crate) shape: Vec<i64>,
    /// The width of the terminal, if text is written to a terminal.
    pub(crate) width: Option<usize>,
}

/// A writer of elements in one format. It gets the elements in C order, in parts of any length.
pub(crate) trait Format {
    /// Writes the start of the output.
    fn start(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Writes the next elements.
    fn put(&mut self, elements: &[u8], out: &mut dyn Write) -> io::Result<()>;

    /// Writes the end of the output.
    fn end(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

impl OutputFormat {
    /// Returns the format for a file name. Standard output gets NumPy's format.
    pub(crate) fn of(path: &Path) -> Result<OutputFormat> {
        let end = path.extension().unwrap_or_default().to_string_lossy();
        match OutputFormat::from_str(&end, true) {
            Ok(format) if format != OutputFormat::Text => Ok(format),
            _ if end.eq_ignore_ascii_case("txt") => Ok(OutputFormat::Text),
            _ if is_standard(path) => Ok(OutputFormat::Npy),
            _ => {
                let name = path.display();
                Err(Error::new(format_args!("{name}: expected a name that ends in {ENDINGS}, or --format")))
            }
        }
    }

    /// Returns true if the format holds columns and rows.
    pub(crate) fn is_of_tables(self) -> bool {
        matches!(self, OutputFormat::Arrow | OutputFormat::ArrowStream | OutputFormat::Parquet)
    }

    /// Creates the writer of this format.
    pub(crate) fn begin(self, layout: ElementInfo) -> Result<Box<dyn Format>> {
        Ok(match self {
            OutputFormat::Text => Box::new(text::Text::new(layout)?),
            OutputFormat::Npy => Box::new(npy::Npy(npy::header(layout)?)),
            OutputFormat::Bin => Box::new(npy::Npy(Vec::new())),
            OutputFormat::Csv => Box::new(csv::Csv::new(layout)?),
            OutputFormat::Json | OutputFormat::Jsonl => Box::new(json::Json::new(layout, self == OutputFormat::Jsonl)?),
            OutputFormat::Arrow | OutputFormat::ArrowStream | OutputFormat::Parquet | OutputFormat::Zarr => {
                return Err(Error::new("only `b2nd export` writes this format"));
            }
        })
    }
}

impl ElementInfo {
    /// Returns the length of each dimension and the number of elements.
    fn lengths(&self) -> Result<(Vec<u64>, u64)> {
        let lengths = self.shape.iter().map(|&length| u64::try_from(length)).collect::<Result<Vec<_>, _>>()?;
        // If one length is 0, there are no elements, although the product of the other lengths may overflow.
        let items = if lengths.contains(&0) {
            Some(0)
        } else {
            lengths.iter().try_fold(1, |items: u64, &length| items.checked_mul(length))
        };
        Ok((lengths, items.ok_or_else(|| Error::new("there are too many elements to count"))?))
    }
}

/// Formats each field of an element that is a structure.
pub(crate) fn fields(dtype: &DType, bytes: &[u8], format: impl Fn(&DType, &[u8]) -> String) -> Vec<String> {
    elements::fields(dtype, bytes).map(|(field, bytes)| format(field.dtype(), bytes)).collect()
}
