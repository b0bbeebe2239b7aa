//! Compares tables column by column.

use std::path::Path;

use b2nd_arrow::{Reader, RecordBatch};
use b2nd_view::text::{count, printable, thousands};

use super::Rows;
use crate::differences::{Lines, differ};
use crate::error::{Error, Result};

/// Compares the values of two tables. Adds a line for each column that differs, and a sentence to `unread` for each that was not compared.
///
/// # Errors
///
/// Fails if a table cannot be opened.
pub(crate) fn compare(name: &str, a: &Path, b: &Path, lines: &mut Lines, unread: &mut Vec<String>) -> Result<()> {
    let [mut a, mut b] = [open(a)?, open(b)?];
    if a.len() != b.len() {
        lines.one(' ', name, &format!("{}, not {}", count(a.len(), "row"), thousands(b.len())));
        return Ok(());
    }
    // If both tables have the same message about a column, it is printed only once.
    let mut refused = a.refused();
    refused.extend(b.refused());
    refused.sort_unstable();
    refused.dedup();
    unread.extend(refused.iter().map(|(column, why)| printable(&format!("{name}.{column} is not compared: {why}"))));
    let [one, other] = [a.schema(), b.schema()];
    for field in one.fields() {
        let Some((_, same)) = other.column_with_name(field.name()) else { continue };
        let column = format!("{name}.{}", printable(field.name()));
        if field.data_type() != same.data_type() {
            lines.both(&column, &field.data_type().to_string(), &same.data_type().to_string());
            continue;
        }
        match differing(&mut a, &mut b, field.name()) {
            Ok(None) => {}
            Ok(Some(what)) => lines.one(' ', &column, &what),
            Err(error) => unread.push(printable(&format!("{column}: {error}"))),
        }
    }
    Ok(())
}

/// Opens a table with all readable columns, including columns of objects.
fn open(word: &Path) -> Result<Rows> {
    let mut rows = Rows::open(word)?.ok_or_else(|| Error::new("it is a table that cannot be opened"))?;
    rows.objects()?;
    Ok(rows)
}

/// Describes how a column differs between the tables. Returns `None` if the values are equal.
fn differing(a: &mut Rows, b: &mut Rows, column: &str) -> Result<Option<String>> {
    let mut readers = Vec::new();
    for rows in [a, b] {
        rows.columns(&[column.to_owned()])?;
        readers.push(Batches { reader: rows.read()?, rest: None });
    }
    let [one, other] = readers.as_mut_slice() else { return Ok(None) };
    let mut found = Differing { count: 0, first: 0 };
    let mut at = 0;
    // The batches of two tables may have different lengths.
    while let (Some(a), Some(b)) = (one.rest()?, other.rest()?) {
        let length = a.num_rows().min(b.num_rows());
        found.add(&a.slice(0, length), &b.slice(0, length), at);
        at += length as u64;
        one.rest = Some(a.slice(length, a.num_rows() - length));
        other.rest = Some(b.slice(length, b.num_rows() - length));
    }
    Ok(differ(found.count, "row", &found.first.to_string()))
}

/// The batches of a column that remain: the reader, and the rest of a batch of which a part was compared.
struct Batches {
    reader: Reader,
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

/// The number of rows that differ, and the number of the first such row.
struct Differing {
    count: u64,
    first: u64,
}

impl Differing {
    /// Counts the rows that differ between two batches of equal length, which start at row `at`.
    fn add(&mut self, a: &RecordBatch, b: &RecordBatch, at: u64) {
        if a.columns() == b.columns() {
            return;
        }
        let rows = a.num_rows();
        if rows <= 1 {
            self.first = if self.count == 0 { at } else { self.first };
            self.count += 1;
            return;
        }
        let half = rows / 2;
        self.add(&a.slice(0, half), &b.slice(0, half), at);
        self.add(&a.slice(half, rows - half), &b.slice(half, rows - half), at + half as u64);
    }
}
