//! The formats in which values are written.

mod csv;
mod json;
pub(crate) mod npy;
mod text;

use std::io::Write;
use std::path::Path;

use clap::ValueEnum;
use indicatif::ProgressBar;

use crate::error::{Error, Result};
use crate::piped::is_standard;
use crate::values::SelectedArray;

/// A format in which values are written. The ending of a file's name or an option can select it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum OutputFormat {
    /// Text: a line for each row of the last dimension, or for each element if the array has one dimension.
    Text,
    /// NumPy's format.
    Npy,
    /// The bytes of the elements, in C order.
    Bin,
    /// Comma-separated values: a record for each row of a table or of an array's last dimension, or for each element if the array
    /// has one dimension.
    Csv,
    /// Nested lists for an array, otherwise an object for each row.
    Json,
    /// A line of JSON for each row of a table, or for each index of an array's first dimension.
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

/// Endings of file names that select a format, for an error message.
const ENDINGS: &str = ".npy, .bin, .csv, .json, .jsonl, .ndjson, .txt, .arrow, .feather, .arrows, .parquet or .zarr";

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

    /// Returns true for Arrow and Parquet, in which an array is written as a table.
    pub(crate) fn is_of_tables(self) -> bool {
        matches!(self, OutputFormat::Arrow | OutputFormat::ArrowStream | OutputFormat::Parquet)
    }

    /// Writes the selected elements in this format. Fails for Arrow, Parquet and Zarr, which `b2nd export` writes in another way. `width`
    /// is the width of the terminal, for text.
    pub(crate) fn write(
        self,
        values: &SelectedArray,
        width: Option<usize>,
        out: &mut dyn Write,
        bar: &ProgressBar,
    ) -> Result<()> {
        match self {
            OutputFormat::Text => text::write(values, width, out, bar),
            OutputFormat::Npy => {
                out.write_all(&npy::header(values)?).map_err(Error::Write)?;
                values.each_part(bar, |elements| out.write_all(elements))
            }
            OutputFormat::Bin => values.each_part(bar, |elements| out.write_all(elements)),
            OutputFormat::Csv => csv::write(values, out, bar),
            OutputFormat::Json | OutputFormat::Jsonl => json::write(values, self == OutputFormat::Jsonl, out, bar),
            OutputFormat::Arrow | OutputFormat::ArrowStream | OutputFormat::Parquet | OutputFormat::Zarr => {
                Err(Error::new("only `b2nd export` writes this format"))
            }
        }
    }
}
