//! [`Format`]: writes batches to files of other formats.

mod csv;
mod json;
mod milliseconds;
pub(crate) mod pretty;
mod text;

use std::io::Write;

use arrow_array::{RecordBatch, RecordBatchWriter};
use arrow_schema::SchemaRef;

use crate::error::{Error, ErrorKind, Result};
use crate::export::csv::Csv;
use crate::export::milliseconds::Milliseconds;

/// A format for tables. Timestamps and dates more than about 259,800 years from 1970, and longer durations, are written to CSV and JSON as
/// numbers with their unit, such as `9223372036854775807 s since 1970-01-01`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// An Arrow IPC file.
    Arrow,
    /// An Arrow IPC stream, which can be read before it is complete.
    ArrowStream,
    /// Comma-separated values. The first line contains the names of the columns. Complex numbers are `1.5-2.0j`, lists and structs are
    /// JSON, an empty text is `""`, and a null is an empty cell, or `""` if there is only one column.
    Csv,
    /// One JSON object per line, with all fields of a row. NaN and infinities are null. Bytes are `{"bytes":"00ff"}`, complex
    /// numbers are `{"complex":[1.5,-2.0]}`, and times are text.
    Json,
    /// Parquet, compressed with Snappy. Timestamps in seconds, which Parquet lacks, are written in milliseconds.
    Parquet,
}

impl Format {
    /// Returns the format for the ending of a file name (without the dot), or `None` if the ending is unknown.
    pub fn of(ending: &str) -> Option<Format> {
        match ending.to_ascii_lowercase().as_str() {
            "arrow" | "feather" | "ipc" => Some(Format::Arrow),
            "arrows" => Some(Format::ArrowStream),
            "csv" => Some(Format::Csv),
            "json" | "jsonl" | "ndjson" => Some(Format::Json),
            "parquet" => Some(Format::Parquet),
            _ => None,
        }
    }

    /// Writes batches one by one, and after each batch calls `written` with its number of rows. Does not keep batches in memory,
    /// except for Parquet, for which up to 2^17 rows are kept.
    ///
    /// # Errors
    ///
    /// Fails if there is no column, if a batch cannot be read, if the format cannot represent a type or a value, or if writing to `out`
    /// fails.
    pub fn write(
        self,
        schema: &SchemaRef,
        batches: impl Iterator<Item = std::result::Result<RecordBatch, arrow_schema::ArrowError>>,
        out: impl Write + Send,
        mut written: impl FnMut(u64),
    ) -> Result<()> {
        if schema.fields().is_empty() {
            return Err(Error::new(ErrorKind::Refused, "there are no columns to write"));
        }
        let each = |write: &mut dyn FnMut(&RecordBatch) -> Result<()>| -> Result<()> {
            for batch in batches {
                let batch = batch?;
                write(&batch)?;
                written(batch.num_rows() as u64);
            }
            Ok(())
        };
        match self {
            Format::Arrow => all(arrow_ipc::writer::FileWriter::try_new(out, schema)?, each)?,
            Format::ArrowStream => all(arrow_ipc::writer::StreamWriter::try_new(out, schema)?, each)?,
            Format::Json => all(json::lines(out), each)?,
            Format::Csv => {
                let mut writer = Csv::new(out, schema)?;
                each(&mut |batch| writer.write(batch))?;
            }
            Format::Parquet => {
                let properties = parquet::file::properties::WriterProperties::builder()
                    .set_compression(parquet::basic::Compression::SNAPPY)
                    .set_max_row_group_row_count(Some(1 << 17))
                    .build();
                let mut times = Milliseconds::new(schema);
                let writer = parquet::arrow::ArrowWriter::try_new(out, times.schema().clone(), Some(properties));
                let mut writer = writer.map_err(wrong)?;
                each(&mut |batch| writer.write(&times.next(batch)?).map_err(wrong))?;
                writer.close().map_err(wrong)?;
            }
        }
        Ok(())
    }
}

/// Writes batches with an Arrow [`RecordBatchWriter`]. `each` calls a function with each batch.
fn all(
    mut writer: impl RecordBatchWriter,
    each: impl FnOnce(&mut dyn FnMut(&RecordBatch) -> Result<()>) -> Result<()>,
) -> Result<()> {
    each(&mut |batch| Ok(writer.write(batch)?))?;
    Ok(writer.close()?)
}

fn wrong(error: parquet::errors::ParquetError) -> Error {
    let error = error.to_string();
    Error::new(ErrorKind::Io, error.strip_prefix("External: ").unwrap_or(&error))
}
