//! `b2nd stats` prints statistics of arrays, tables and lists.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use b2nd::dtype::DType;
use b2nd_ndarray::Array;
use b2nd_store::{Kind, Location};
use b2nd_view::elements::{Column, MOST_KEPT, Tally, columns, reader};
use b2nd_view::facts::{Fact, as_stored};
use b2nd_view::json::write_line;
use b2nd_view::slice::{Selection, Slice};
use b2nd_view::store::Content;
use clap::Args;

use crate::data::Data;
use crate::error::{Error, Result};
use crate::output::{Output, cut, fitted, named};
use crate::paths::{Found, Leaves, Paths, no_leaf};
use crate::progress;
use crate::report::{self, FRACTIONS, Of, Report, shape_text};
use crate::tables::{self, TablePart, TableRows};
use crate::tiles;
use crate::values::{Start, length, parse_dtype};

/// `b2nd stats`.
#[derive(Args)]
pub(crate) struct Stats {
    #[command(flatten)]
    paths: Paths,

    /// A slice of each array, written as in Python (such as `0:10,5,::2`), or rows of a table.
    #[arg(long, value_name = "SLICE", allow_hyphen_values = true)]
    slice: Option<Slice>,

    /// The dtype of the elements in frames without an array, as NumPy writes it: '<i4'. Without it, elements of 1 byte are integers, and
    /// longer elements have no min, max, mean and std.
    #[arg(long, value_name = "DTYPE", value_parser = parse_dtype)]
    dtype: Option<DType>,

    /// Columns of a table or fields of structures, by name.
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    columns: Vec<String>,

    /// Also compute the quartiles of real numbers and times, if there are at most 2^26 values.
    #[arg(long)]
    quantiles: bool,

    /// Print a JSON object for each array, field or column, on a line of its own.
    #[arg(long)]
    pub(super) json: bool,
}

/// An array or table whose statistics are computed.
struct Subject {
    path: String,
    key: Option<String>,
    /// The argument with which the array or table can be opened.
    word: PathBuf,
    /// The value of `--offset`, unless this is a table.
    offset: Option<u64>,
    is_table: bool,
}

impl Stats {
    pub(crate) fn run(&mut self, output: &mut Output) -> io::Result<bool> {
        if self.slice.is_none() {
            self.slice = self.paths.take_slice();
        }
        let (mut all, mut shown) = (true, 0_u64);
        for path in &self.paths.paths {
            let subjects = if path == Path::new("-") {
                // Standard input is expected to be a frame: it is not searched for the leaves of a store.
                let place = path.display().to_string();
                vec![Subject { path: place, key: None, word: path.clone(), offset: self.paths.offset, is_table: false }]
            } else if let Some(table) = self.table(path) {
                vec![table]
            } else {
                let mut subjects = Vec::new();
                let paths = Paths { recursive: self.paths.recursive, offset: self.paths.offset, ..Paths::of(path) };
                let (offset, mut notes) = (self.paths.offset, Vec::new());
                all &=
                    paths.each(Leaves::Each, &mut output.err, &mut |found| subject(found, offset, &mut subjects, &mut notes))?;
                output.err.write_all(&notes)?;
                subjects
            };
            for subject in subjects {
                match self.count(&subject, output, &mut shown) {
                    // If a leaf that was found in a store has no values, the leaf is skipped with a message.
                    Err(error) if subject.key.is_some() && path.as_os_str() != subject.word.as_os_str() && error.is_of_kind() => {
                        writeln!(output.err, "{}", named(&subject.word, format_args!("left out: {error}")))?;
                    }
                    done => all &= output.settle(&subject.word, done)?.is_some(),
                }
                output.out.flush()?;
            }
        }
        Ok(all)
    }

    fn count(&self, subject: &Subject, output: &mut Output, shown: &mut u64) -> Result<()> {
        let start = Start { offset: subject.offset, dtype: self.dtype.clone() };
        let part = TablePart { columns: self.columns.clone(), ..TablePart::default() };
        let open = if subject.is_table { Data::open } else { Data::in_frame };
        let values = match open(&subject.word, &start, &part, self.slice.as_ref())? {
            (Data::Rows(rows), _) => return self.count_rows(rows, subject, output, shown),
            (Data::Array(values), _) => values,
        };
        let mut columns = columns(values.array.dtype(), values.array.itemsize())?;
        let is_named = |column: &Column, name: &String| column.name.as_ref() == Some(name);
        if let Some(missing) = self.columns.iter().find(|name| !columns.iter().any(|column| is_named(column, name))) {
            return Err(Error::new(format_args!("there is no field {missing}: `b2nd info` lists the fields of structures")));
        }
        columns.retain(|column| self.columns.is_empty() || self.columns.iter().any(|name| is_named(column, name)));
        let tallies = tally_of(&values.array, &values.selection, &columns, self.quantiles)?;
        let attributes = values.array.attributes().ok();
        let report = |(column, mut tally): (Column, Tally)| {
            let mut shape = values.selection.shape();
            shape.extend(column.shape.iter().filter_map(|&length| i64::try_from(length).ok()));
            let read = column.dtype.as_ref().and_then(reader).filter(|_| self.quantiles);
            let quantiles = read.and_then(|read| tally.quantiles(read, &FRACTIONS));
            let range = column.dtype.as_ref().and_then(reader).zip(tally.range());
            let range = range.map(|(read, (min, max))| [min, max].map(|end| read(end).to_f64()));
            let note = as_stored(|name| attributes.as_ref()?.bytes(name).ok()?.map(Cow::Owned), range);
            let note = note.map(|Fact(label, text, _)| (label, text));
            Report {
                column: column.name,
                of: Of::Elements(column.dtype),
                shape,
                tally,
                nulls: None,
                quantiles,
                sample: Vec::new(),
                note,
            }
        };
        self.print(&columns.into_iter().zip(tallies).map(report).collect::<Vec<_>>(), subject, output, shown)
    }

    /// Prints statistics of the columns of a table or of the values of a list, and messages about columns that are left out.
    fn count_rows(&self, rows: Box<dyn TableRows>, subject: &Subject, output: &mut Output, shown: &mut u64) -> Result<()> {
        let left_out = rows.left_out();
        self.print(&rows.count(self.quantiles)?, subject, output, shown)?;
        for line in left_out {
            writeln!(output.err, "{}", named(&subject.word, line)).map_err(Error::Write)?;
        }
        Ok(())
    }

    /// Returns the table that a path names by its key, or the table of which a whole store consists. For these, the store is not listed,
    /// because listing it can fail although the table can be read.
    fn table(&self, path: &Path) -> Option<Subject> {
        let location = Location::new(path.as_os_str());
        let is_one = self.paths.offset.is_none() && !self.paths.recursive;
        // Errors are ignored, because they are reported when the path is opened again.
        let (_, key) = is_one.then(|| tables::find(path)).and_then(Result::ok).flatten()?;
        (location.key().is_some() || key == "/").then(|| Subject {
            path: location.place().into_owned(),
            key: Some(key),
            word: path.to_owned(),
            offset: None,
            is_table: true,
        })
    }

    /// Prints a single report as a list, and several as a grid; with `--json`, prints each as an object.
    fn print(&self, reports: &[Report], subject: &Subject, output: &mut Output, shown: &mut u64) -> Result<()> {
        let (path, key, out) = (&*subject.path, subject.key.as_deref(), &mut output.out);
        if self.json {
            return reports.iter().try_for_each(|report| write_line(out, &report.object(path, key))).map_err(Error::Write);
        }
        let gap = if *shown == 0 { "" } else { "\n" };
        *shown += 1;
        if let [report] = reports {
            return write!(out, "{gap}{}", fitted(&report.text(path, key))).map_err(Error::Write);
        }
        let lines = report::grid(reports).into_iter().map(cut);
        let shape = reports.first().map_or_else(String::new, |report| shape_text(&report.shape));
        let title = format!("{gap}{}  {shape}", report::title(path, key, ""));
        [title].into_iter().chain(lines).try_for_each(|line| writeln!(out, "{line}")).map_err(Error::Write)
    }
}

/// Adds `found` to `subjects`, unless it is a reference or a store. The leaves of a store are found next.
fn subject(found: &Found, offset: Option<u64>, subjects: &mut Vec<Subject>, err: &mut dyn Write) -> Result<bool> {
    let offset = match found {
        Found::Store { key: Some(_), store, .. } if store.leaves.is_empty() => return Err(no_leaf()),
        Found::Store { .. } => return Ok(true),
        // The leaves of this store are found next.
        Found::Frame { frame, place } if place.key.is_none() && Kind::of(frame.header(), None) == Kind::EmbedStore => {
            return Ok(true);
        }
        Found::Frame { .. } => offset,
        Found::Leaf { leaf, .. } if matches!(leaf.content, Content::Table(_)) => None,
        Found::Leaf { .. } => {
            let sentence = "left out: it is a reference to an array on a server";
            writeln!(err, "{}", named(Path::new(&found.name()), sentence)).map_err(Error::Write)?;
            return Ok(true);
        }
    };
    let ((path, key), is_table) = (found.place(), matches!(found, Found::Leaf { .. }));
    subjects.push(Subject { path: path.to_owned(), key: key.map(str::to_owned), word: found.name().into(), offset, is_table });
    Ok(true)
}

/// Computes the statistics of the selected values of each column. If `keeps` is true, numbers are kept for quantiles, unless there are too
/// many values.
pub(crate) fn tally_of(array: &Array, selection: &Selection, columns: &[Column], keeps: bool) -> Result<Vec<Tally>> {
    let size = array.itemsize();
    let bar = progress::bytes(length(array, &selection.ranges) as u64);
    // Many pieces are counted at the same time, so if all pieces together have too many values, no piece keeps its values.
    let items: u64 = selection.lengths().iter().map(|length| length.unsigned_abs()).product();
    let keeps = |column: &Column| keeps && items.saturating_mul(column.offsets.len() as u64) <= MOST_KEPT as u64;
    let mut all: Vec<Tally> = columns.iter().map(|column| Tally::new(keeps(column))).collect();
    let make = |elements: &[u8], times: u64| {
        columns.iter().map(|column| column.tally(elements, size, times, keeps(column))).collect::<Vec<_>>()
    };
    tiles::each(array, selection, make, |tallies, read| {
        all.iter_mut().zip(tallies).for_each(|(all, tally)| all.merge(tally));
        bar.inc(read);
    })?;
    Ok(all)
}
