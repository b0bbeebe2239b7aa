//! Compares tables column by column.

use std::collections::BTreeSet;
use std::path::Path;

use b2nd_arrow::{BATCH_SIZE, Content, RecordBatch, Scalars, Table, TableReader, scalars};
use b2nd_view::elements::{Number, reader, text, time_unit};
use b2nd_view::text::{count, printable, quoted, thousands};

use super::implementation::table_at;
use crate::differences::{Differing, Lines, Tolerance, distance};
use crate::error::{Error, Result};

/// Compares the values of two tables. Adds lines to `lines` for each readable column that differs or is only in one of the tables, and a
/// sentence for each stored column that cannot be read. If the tables differ in their number of rows, adds only a line that says so.
///
/// # Errors
///
/// Fails if a table cannot be opened.
pub(crate) fn compare(name: &str, a: &Path, b: &Path, tolerance: &Tolerance, lines: &mut Lines) -> Result<()> {
    let [a, b] = [open(a)?, open(b)?];
    if a.rows() != b.rows() {
        lines.one(' ', name, &format!("{} in the first, {} in the second", count(a.rows(), "row"), thousands(b.rows())));
        return Ok(());
    }
    // The values of computed columns are not stored, so they are not compared. If both tables have the same message about a column, the
    // message is printed only once.
    let columns = a.columns().iter().chain(b.columns()).filter(|column| column.kind() != "computed");
    let refused: BTreeSet<_> = columns.filter_map(|column| Some((column.name(), column.data_type().err()?))).collect();
    lines.unread.extend(refused.iter().map(|(column, why)| printable(&format!("{name}.{column} is not compared: {why}"))));
    let [one, other] = [a.schema(), b.schema()];
    for field in one.fields() {
        let Some((_, same)) = other.column_with_name(field.name()) else { continue };
        let column = format!("{name}.{}", printable(field.name()));
        if field.data_type() != same.data_type() {
            lines.both(&column, &field.data_type().to_string(), &same.data_type().to_string());
            continue;
        }
        match differing([&a, &b], field.name(), tolerance) {
            Ok(differences) => lines.of_values(&column, differences),
            Err(error) => lines.unread.push(printable(&format!("{column}: {error}"))),
        }
    }
    for (sign, columns, others) in [('-', &one, &other), ('+', &other, &one)] {
        let is_only_here = |name: &str| others.column_with_name(name).is_none() && refused.iter().all(|column| column.0 != name);
        for field in columns.fields().iter().filter(|field| is_only_here(field.name())) {
            lines.one(sign, &format!("{name}.{}", printable(field.name())), &field.data_type().to_string());
        }
    }
    Ok(())
}

/// Opens a table with all readable columns, including columns of objects.
fn open(word: &Path) -> Result<Table> {
    let table = table_at(word)?.ok_or_else(|| Error::new(format_args!("{}: the table cannot be opened", word.display())))?;
    Ok(table.with_objects()?)
}

/// Returns lines that describe how a column differs between the tables, or nothing if no value differs.
fn differing(tables: [&Table; 2], column: &str, tolerance: &Tolerance) -> Result<Vec<String>> {
    let open = |table: &Table| -> Result<Batches> {
        let reader = table.read(&table.project([column])?, 0..table.rows(), BATCH_SIZE)?;
        Ok(Batches { reader, rest: None })
    };
    let [mut one, mut other] = [open(tables[0])?, open(tables[1])?];
    let mut found = Differing::default();
    let mut at = 0;
    // The batches of the two tables may have different lengths, so only the rows that both batches have are compared at a time.
    while let (Some(a), Some(b)) = (one.rest()?, other.rest()?) {
        let length = a.num_rows().min(b.num_rows());
        add(&mut found, &a.slice(0, length), &b.slice(0, length), at, tolerance);
        at += length as u64;
        one.rest = Some(a.slice(length, a.num_rows() - length));
        other.rest = Some(b.slice(length, b.num_rows() - length));
    }
    Ok(found.lines("row"))
}

/// What remains of a column: the reader of the next batches, and the rest of a batch that was compared in part.
struct Batches {
    reader: TableReader,
    rest: Option<RecordBatch>,
}

impl Batches {
    /// Returns the next rows that were not compared yet, or `None` at the end.
    fn rest(&mut self) -> Result<Option<RecordBatch>> {
        if let Some(rest) = self.rest.take().filter(|rest| rest.num_rows() != 0) {
            return Ok(Some(rest));
        }
        loop {
            match self.reader.next().transpose()? {
                Some(batch) if batch.num_rows() == 0 => {}
                next => return Ok(next),
            }
        }
    }
}

/// Counts the rows that differ between two batches of equal length, which start at row `at`.
fn add(differing: &mut Differing, a: &RecordBatch, b: &RecordBatch, at: u64, tolerance: &Tolerance) {
    if a.columns() == b.columns() {
        return;
    }
    let rows = a.num_rows();
    if rows > 1 {
        let half = rows / 2;
        add(differing, &a.slice(0, half), &b.slice(0, half), at, tolerance);
        return add(differing, &a.slice(half, rows - half), &b.slice(half, rows - half), at + half as u64, tolerance);
    }
    if is_near(a, b, tolerance) {
        return;
    }
    let at = || format!("[{at}]");
    match (cell(a), cell(b)) {
        (Some((one, number)), Some((other, second))) => {
            differing.add(|| vec![at(), one, other]);
            if let (Some(first), Some(second)) = (number, second) {
                differing.by(distance(first, second), at);
            }
        }
        _ => differing.add(|| vec![at()]),
    }
}

/// Returns true if a tolerance is given and the two rows are equal within it.
fn is_near(a: &RecordBatch, b: &RecordBatch, tolerance: &Tolerance) -> bool {
    let near = |(one, other): (Scalars, Scalars)| {
        let read = if let Content::Element(dtype) = &one.content { reader(dtype) } else { None };
        one.are_near(other, |one, other| read.as_ref().map_or(one == other, |read| tolerance.accepts(read(one), read(other))))
    };
    tolerance.is_given() && scalars(a).into_iter().zip(scalars(b)).all(near)
}

/// Returns the text of the only value of a row, and the value itself if it is a number and not a time. Returns `None` for other rows.
fn cell(row: &RecordBatch) -> Option<(String, Option<Number>)> {
    let mut all = scalars(row);
    let mut only = all.pop().filter(|only| all.is_empty() && only.nulls + only.count == 1 && only.content != Content::Cell)?;
    let Some(bytes) = only.values.next() else { return Some(("null".to_owned(), None)) };
    Some(match &only.content {
        Content::Element(dtype) => {
            let read = reader(dtype).filter(|_| time_unit(Some(dtype)).is_none());
            (text(dtype, bytes), read.map(|read| read(bytes)))
        }
        _ => (quoted(bytes), None),
    })
}
