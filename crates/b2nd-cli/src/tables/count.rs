//! Computes statistics of the columns of a table, batch by batch.

use std::collections::HashSet;

use b2nd_arrow::{Content, RecordBatch, RecordBatchReader, Scalars, scalars};
use b2nd_view::elements::{Tally, columns, reader};

use crate::error::Result;
use crate::progress;
use crate::report::{FRACTIONS, Of, Report, SAMPLE};

/// The maximum memory for the distinct texts of a column, in bytes.
const MOST: usize = 1 << 26;

/// An estimate of the memory in bytes that a text needs in addition to its own bytes.
const EACH: usize = 32;

/// The statistics of a column, while they are computed.
struct Column {
    name: String,
    data_type: String,
    content: Content,
    shape: Vec<usize>,
    tally: Tally,
    nulls: u64,
    distinct: Distinct,
    /// The first numbers of the column, for its histogram.
    sample: Vec<f64>,
}

/// Returns a report for each column. `rows` is the number of rows.
pub(super) fn count(reader: impl RecordBatchReader, rows: u64, has_quantiles: bool) -> Result<Vec<Report>> {
    let bar = progress::rows(rows);
    // The columns are created from an empty batch, because a table without rows also has columns.
    let none = RecordBatch::new_empty(reader.schema());
    let mut columns: Vec<Column> = scalars(&none).into_iter().map(|of| Column::new(of, has_quantiles)).collect();
    for batch in reader {
        let batch = batch.map_err(b2nd_arrow::Error::from)?;
        columns.iter_mut().zip(scalars(&batch)).for_each(|(column, scalars)| column.add(scalars, has_quantiles));
        bar.inc(batch.num_rows() as u64);
    }
    Ok(columns.into_iter().map(|column| column.report(rows)).collect())
}

impl Column {
    fn new(of: Scalars, keeps: bool) -> Column {
        let Scalars { name, data_type, content, shape, .. } = of;
        let distinct = Distinct::default();
        Column { name, data_type, content, shape, tally: Tally::new(keeps), nulls: 0, distinct, sample: Vec::new() }
    }

    fn add(&mut self, more: Scalars, keeps: bool) {
        self.nulls += more.nulls;
        match &self.content {
            Content::Element(dtype) => {
                let mut bytes = Vec::new();
                more.values.for_each(|value| bytes.extend_from_slice(value));
                let size = dtype.itemsize();
                if let Some(read) = reader(dtype) {
                    let sample = bytes.chunks(size).take(SAMPLE - self.sample.len());
                    self.sample.extend(sample.map(|value| read(value).to_f64()));
                }
                let columns = columns(Some(dtype), size).unwrap_or_default();
                columns.iter().for_each(|column| self.tally.merge(column.tally(&bytes, size, 1, keeps)));
            }
            Content::Text | Content::Bytes => self.tally.add_bytes(more.values.inspect(|value| self.distinct.add(value)), 1),
            Content::Cell => self.tally.count += more.count,
        }
    }

    /// Converts the statistics to a report.
    fn report(mut self, rows: u64) -> Report {
        let read = if let Content::Element(dtype) = &self.content { reader(dtype) } else { None };
        let quantiles = read.and_then(|read| self.tally.quantiles(read, &FRACTIONS));
        let mut shape = vec![i64::try_from(rows).unwrap_or(i64::MAX)];
        shape.extend(self.shape.iter().filter_map(|&length| i64::try_from(length).ok()));
        let (name, distinct) = (self.data_type, self.distinct.count());
        let of = match self.content {
            Content::Element(dtype) => Of::Elements(Some(dtype)),
            Content::Text => Of::Texts(name, distinct),
            Content::Bytes => Of::Bytes(name, distinct),
            Content::Cell => Of::Cells(name),
        };
        let (column, nulls) = (Some(self.name), Some(self.nulls));
        Report { column, of, shape, tally: self.tally, nulls, quantiles, sample: self.sample, note: None }
    }
}

/// The distinct texts of a column, up to a limit of memory.
#[derive(Default)]
struct Distinct {
    /// The distinct texts so far. They are dropped if they need too much memory, and then no longer counted.
    seen: HashSet<Box<[u8]>>,
    /// The estimated memory of the distinct texts in bytes. It is more than [`MOST`] if there are too many.
    bytes: usize,
}

impl Distinct {
    fn add(&mut self, value: &[u8]) {
        if self.bytes > MOST || self.seen.contains(value) {
            return;
        }
        self.bytes = self.bytes.saturating_add(value.len() + EACH);
        if self.bytes > MOST {
            self.seen = HashSet::new();
        } else {
            self.seen.insert(value.into());
        }
    }

    fn count(&self) -> Option<u64> {
        (self.bytes <= MOST).then_some(self.seen.len() as u64)
    }
}

#[cfg(test)]
#[path = "../../tests/unit/count.rs"]
mod tests;
