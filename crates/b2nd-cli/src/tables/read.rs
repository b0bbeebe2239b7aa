//! Reads tables, and prints them as text, CSV, JSON, Arrow and Parquet.

use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex};

use b2nd_arrow::{ArrayReader, BATCH_SIZE, CellReader, ErrorKind, Format, RecordBatchReader, Table, TextTable};
use b2nd_frame::Frame;
use b2nd_store::{Bytes, Store};
use b2nd_view::elements::significant;
use b2nd_view::slice::Slice;
use b2nd_view::text::{printable, shortened, size};
use indicatif::ProgressBar;

use crate::error::{Error, Result};
use crate::format::OutputFormat;
use crate::output::fitted;
use crate::progress;
use crate::report::Report;
use crate::screen::Cut;
use crate::values::{End, SelectedArray};

pub(crate) use super::compare::compare;
use super::count::count;
use super::{TablePart, TableRows, find};

/// The maximum number of characters that are shown of a column's type.
const TYPE: usize = 48;

/// The number of lines of the screen that are kept free for other things than rows, such as names and types.
const OTHER_LINES: usize = 5;

/// The maximum number of rows of a table that are formatted together.
const BATCH: usize = 1 << 13;

/// Opens the table that an argument names. Returns `None` if it names no table.
pub(super) fn table_at(word: &Path) -> Result<Option<Table>> {
    Ok(find(word)?.map(|(store, key)| Table::from_store(store, &key)).transpose()?)
}

/// Opens a table like [`table_at`], with all rows selected, and all readable columns except columns of objects.
pub(crate) fn open(word: &Path) -> Result<Option<Box<dyn TableRows>>> {
    let selected = |table: Table| {
        let (projection, all) = (all_columns(&table), table.rows());
        Box::new(Selected { of: Of::Table { table, projection }, has_chosen_columns: false, all, rows: 0..all }) as _
    };
    Ok(table_at(word)?.map(selected))
}

/// Opens an object array, a batch array or a list array. Returns `None` for other frames.
pub(crate) fn open_cells(source: Bytes) -> Result<Option<Box<dyn TableRows>>> {
    let selected = |reader: CellReader| {
        let all = reader.remaining();
        Box::new(Selected { of: Of::Cells(reader.into()), has_chosen_columns: false, all, rows: 0..all }) as _
    };
    Ok(cells_of(source)?.map(selected))
}

fn cells_of(source: Bytes) -> Result<Option<CellReader>> {
    let Ok(frame) = Frame::open(source) else { return Ok(None) };
    match CellReader::from_frame(frame) {
        Ok(reader) => Ok(Some(reader)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn all_columns(table: &Table) -> Vec<usize> {
    (0..table.schema().fields().len()).collect()
}

struct Selected {
    of: Of,
    has_chosen_columns: bool,
    /// The number of rows or values in the file, whether selected or not.
    all: u64,
    rows: Range<u64>,
}

enum Of {
    Table { table: Table, projection: Vec<usize> },
    Cells(Box<CellReader>),
}

impl Selected {
    /// Reads the selected rows. A table is read in batches of at most `most` rows.
    fn read(self, most: usize) -> Result<Box<dyn RecordBatchReader>> {
        Ok(match self.of {
            Of::Table { table, projection, .. } => Box::new(table.read(&projection, self.rows, most)?),
            Of::Cells(reader) => Box::new(reader.slice(self.rows)),
        })
    }

    fn has_columns(&self) -> bool {
        !matches!(&self.of, Of::Table { projection, .. } if projection.is_empty())
    }
}

impl TableRows for Selected {
    fn len(&self) -> u64 {
        self.rows.end - self.rows.start
    }

    fn select(&mut self, part: &TablePart, slice: Option<&Slice>) -> Result<bool> {
        if let Of::Table { table, projection, .. } = &mut self.of {
            if part.objects {
                *table = table.with_objects()?;
                *projection = all_columns(table);
            }
            self.has_chosen_columns = !part.columns.is_empty();
            if self.has_chosen_columns {
                *projection = table.project(part.columns.iter().map(String::as_str))?;
            }
        }
        let slice = part.rows.as_ref().or(slice);
        if let Some(slice) = slice {
            self.rows = rows_of(slice, self.all)?;
        }
        Ok(slice.is_some())
    }

    fn cut(&mut self, cut: Cut) {
        let count = cut.rows(OTHER_LINES);
        let Range { start, end } = self.rows;
        self.rows = match cut.end {
            End::First => start..end.min(start.saturating_add(count)),
            End::Last => start.max(end.saturating_sub(count))..end,
        };
    }

    fn left_out(&self) -> Vec<String> {
        let (Of::Table { table, .. }, false) = (&self.of, self.has_chosen_columns) else { return Vec::new() };
        let why = |column: &b2nd_arrow::ColumnInfo| {
            column.data_type().err().map(|why| format!("column {:?} is left out: {why}", column.name()))
        };
        table.columns().iter().filter_map(why).collect()
    }

    fn count(self: Box<Self>, has_quantiles: bool) -> Result<Vec<Report>> {
        let rows = self.len();
        count(self.read(BATCH_SIZE)?, rows, has_quantiles)
    }

    fn print(self: Box<Self>, width: Option<usize>, out: &mut dyn Write) -> Result<()> {
        let (part, whole) = match &self.of {
            Of::Table { projection, .. } => {
                let columns = counted(projection.len() as u64, "column");
                (format!("rows {}:{} of ", self.rows.start, self.rows.end), format!("{}, {columns}", counted(self.all, "row")))
            }
            Of::Cells(_) => (format!("{} of ", self.len()), counted(self.all, "value")),
        };
        let shown = if self.len() == self.all { whole } else { part + &whole };
        let left_out = self.left_out();
        if self.has_columns() {
            let mut table = TextTable::new(width);
            for batch in self.read(BATCH)? {
                out.write_all(table.format(&batch.map_err(b2nd_arrow::Error::from)?)?.as_bytes()).map_err(Error::Write)?;
            }
        }
        writeln!(out, "{shown}").map_err(Error::Write)?;
        left_out.iter().try_for_each(|line| writeln!(out, "{}", fitted(line))).map_err(Error::Write)
    }

    fn write(self: Box<Self>, form: OutputFormat, out: &mut (dyn Write + Send), bar: &ProgressBar) -> Result<()> {
        let format = format_of(form).ok_or_else(|| {
            Error::new(match self.of {
                Of::Table { .. } => "it is a table, which can only be exported as Arrow, Parquet, CSV or JSON",
                Of::Cells(_) => "it is not an array, so it can only be exported as Arrow, Parquet, CSV or JSON",
            })
        })?;
        if !self.has_columns() {
            return Err(Error::new([vec!["no column can be written".to_owned()], self.left_out()].concat().join("; ")));
        }
        write(format, self.read(BATCH_SIZE)?, out, |rows| bar.inc(rows))
    }
}

/// Returns the format as `b2nd_arrow` names it, or `None` if `b2nd_arrow` does not write it.
fn format_of(form: OutputFormat) -> Option<Format> {
    Some(match form {
        OutputFormat::Csv => Format::Csv,
        OutputFormat::Json | OutputFormat::Jsonl => Format::Json,
        OutputFormat::Arrow => Format::Arrow,
        OutputFormat::ArrowStream => Format::ArrowStream,
        OutputFormat::Parquet => Format::Parquet,
        OutputFormat::Npy | OutputFormat::Bin | OutputFormat::Text | OutputFormat::Zarr => return None,
    })
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Returns the range of rows that a slice selects in a table with `length` rows.
fn rows_of(slice: &Slice, length: u64) -> Result<Range<u64>> {
    let outside = |error: String| Error::new(format_args!("rows: {error}"));
    let selection = match slice.indices() {
        0 | 1 => slice.select(&[i64::try_from(length).unwrap_or(i64::MAX)]).map_err(outside)?,
        count => return Err(Error::new(format_args!("the slice has {count} indices, but rows need only one, such as 100:120"))),
    };
    let ([range], [1], [false]) = (selection.ranges.as_slice(), selection.steps.as_slice(), selection.reversed.as_slice()) else {
        return Err(Error::new("rows cannot have a step: give them as START:STOP, such as 100:120"));
    };
    Ok(u64::try_from(range.start).unwrap_or(0)..u64::try_from(range.end).unwrap_or(0))
}

/// Writes the selected elements as a table: the fields of structures as columns, other elements as one column.
pub(crate) fn write_array(values: SelectedArray, form: OutputFormat, out: &mut (dyn Write + Send)) -> Result<()> {
    let format = format_of(form).unwrap_or(Format::Arrow);
    let untyped = "the dtype is unknown: for frames without an array, use --dtype; for Caterva arrays, `b2nd upgrade --dtype`";
    let dtype = values.array.dtype().cloned().ok_or_else(|| Error::new(untyped))?;
    let (shape, bar) = (values.selection.shape(), progress::bytes(values.len()));
    let row = values.len() / shape.first().map_or(1, |rows| rows.unsigned_abs().max(1));
    let reader = ArrayReader::with(dtype, &shape, move |rows| values.read_rows(rows))?;
    write(format, reader, out, |rows| bar.inc(rows * row))
}

fn write(format: Format, reader: impl RecordBatchReader, out: impl Write + Send, done: impl FnMut(u64)) -> Result<()> {
    let failed = Mutex::new(None);
    let schema = reader.schema();
    let mut out = Noted { out, failed: &failed };
    let done = format.write(&schema, reader, &mut out, done);
    let flushed = out.flush();
    match failed.into_inner().ok().flatten() {
        Some(error) => Err(Error::Write(error)),
        None => done.map_err(Error::from).and(flushed.map_err(Error::Write)),
    }
}

/// A writer that keeps its first error, because the libraries for Arrow and Parquet do not return the error unchanged.
struct Noted<'a, W> {
    out: W,
    failed: &'a Mutex<Option<io::Error>>,
}

impl<W: Write> Noted<'_, W> {
    fn note<T>(&self, done: io::Result<T>) -> io::Result<T> {
        done.map_err(|error| {
            let kind = error.kind();
            if let Ok(mut failed) = self.failed.lock() {
                failed.get_or_insert(error);
            }
            kind.into()
        })
    }
}

impl<W: Write> Write for Noted<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.out.write(bytes);
        self.note(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.out.flush();
        self.note(done)
    }
}

/// Returns what `info` shows about the columns of a table, as cells: a heading, and a row for each column.
///
/// # Errors
///
/// Fails if the table cannot be opened.
pub(crate) fn cells(store: &Arc<Store>, key: &str) -> Result<Option<Vec<Vec<String>>>> {
    let table = Table::from_store(store.clone(), key)?;
    let capacity = capacity(&table);
    let mut rows = vec![["name", "type", "nulls", "bytes", "ratio", ""].map(str::to_owned).to_vec()];
    for (place, column) in table.columns().iter().enumerate() {
        let (kind, why) = match column.data_type() {
            Ok(kind) => (kind.to_string(), ""),
            Err(why) => (column.kind().to_owned(), why),
        };
        // The size is left empty if it is not known, for example because the column has no Arrow type.
        let (bytes, ratio) = match table.column_sizes(place) {
            Ok((packed @ 1.., plain)) => {
                // If possible, the ratio is computed from the rows that exist, not from all allocated rows.
                let of_rows = capacity.filter(|&capacity| capacity != 0 && plain % capacity == 0);
                let plain = of_rows.map_or(plain, |capacity| plain / capacity * table.rows());
                // A column of kind `utf8` has no ratio, because the used part of its data is not known without reading the column.
                let ratio = match column.kind() {
                    "utf8" => String::new(),
                    _ => format!("{}x", significant(plain as f64 / packed as f64, 3)),
                };
                (size(packed.into()), ratio)
            }
            _ => Default::default(),
        };
        // If nulls are stored as a special value, counting them would need all values.
        let nulls = table.null_count(place).ok().flatten().map_or_else(String::new, |count| count.to_string());
        rows.push(vec![printable(column.name()), shortened(kind, TYPE), nulls, bytes, ratio, printable(why)]);
    }
    Ok(Some(rows))
}

/// Returns the number of allocated rows, computed from the columns of numbers and times.
fn capacity(table: &Table) -> Option<u64> {
    let rooms = table.columns().iter().enumerate().filter_map(|(place, column)| {
        let width = column.data_type().ok()?.primitive_width().filter(|_| column.nulls() != "mask")? as u64;
        let (_, plain) = table.column_sizes(place).ok()?;
        (plain % width == 0).then_some(plain / width)
    });
    rooms.max()
}

/// Returns the number of live rows of a table, or `None` if the table cannot be opened.
pub(crate) fn rows(store: &Arc<Store>, key: &str) -> Option<u64> {
    Table::from_store(store.clone(), key).ok().map(|table| table.rows())
}
