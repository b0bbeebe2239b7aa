//! [`TextTable`]: rows as a text table.

use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;

use crate::error::Result;
use crate::export::text;
use crate::schema::numpy_dtype::is_complex;

/// The maximum length of a cell in characters, if the table has a maximum width.
const LONGEST: usize = 40;

/// The space between columns.
const GAP: &str = "  ";

/// Formats the batches of a table as text: first the names and the types of the columns, then a line for each row.
///
/// Columns are as wide as their longest cell so far, so that only one batch at a time has to be in memory.
pub struct TextTable {
    width: Option<usize>,
    lengths: Vec<usize>,
}

impl TextTable {
    /// Creates a text table whose lines have at most `width` characters: long cells are shortened, and some columns are omitted if not all
    /// columns fit. The first column is never omitted, even if it is too wide. Without a width, each line has all values of its row.
    pub fn new(width: Option<usize>) -> TextTable {
        TextTable { width, lengths: Vec::new() }
    }

    /// Formats the next batch.
    ///
    /// # Errors
    ///
    /// Fails if a value cannot be formatted.
    pub fn format(&mut self, batch: &RecordBatch) -> Result<String> {
        let options = text::options("NULL");
        let longest = self.width.map_or(usize::MAX, |_| LONGEST);
        let is_first = self.lengths.is_empty();
        self.lengths.resize(batch.num_columns(), 0);
        let mut columns = Vec::new();
        for ((field, column), length) in batch.schema().fields().iter().zip(batch.columns()).zip(&mut self.lengths) {
            let mut cells = Vec::new();
            if is_first {
                cells.extend([shortened(field.name(), longest), shortened(&type_name(field.data_type()), longest)]);
            }
            let formatter = text::formatter(column, &options)?;
            for row in 0..column.len() {
                cells.push(shortened(&formatter.value(row).try_to_string()?, longest));
            }
            *length = cells.iter().map(|cell| cell.chars().count()).fold(*length, usize::max);
            let is_number = field.data_type().is_numeric() || is_complex(field.data_type());
            columns.push((cells, *length, is_number));
        }
        let shown = fitting(&self.lengths, self.width);
        let mut text = String::new();
        for line in 0..batch.num_rows() + if is_first { 2 } else { 0 } {
            let mut written = String::new();
            for column in &shown {
                let (cell, length, is_number) = match column.and_then(|column| columns.get(column)) {
                    Some((cells, length, is_number)) => (cells.get(line).map_or("", String::as_str), *length, *is_number),
                    None => ("…", 1, false),
                };
                let pad = " ".repeat(length.saturating_sub(cell.chars().count()));
                if is_number {
                    written.extend([&pad, cell])
                } else {
                    written.extend([cell, &pad])
                }
                written.push_str(GAP);
            }
            text.push_str(written.trim_end());
            text.push('\n');
        }
        Ok(text)
    }
}

/// Returns the indices of the columns that fit into `width`, chosen alternately from both ends. A single `None` stands for all omitted
/// columns.
fn fitting(lengths: &[usize], width: Option<usize>) -> Vec<Option<usize>> {
    let all: Vec<_> = (0..lengths.len()).map(Some).collect();
    let total: usize = lengths.iter().map(|length| length + GAP.len()).sum();
    let Some(width) = width.filter(|&width| total > width + GAP.len()) else { return all };
    let (mut first, mut last) = (0, lengths.len());
    let mut left = width.saturating_sub(1);
    while first < last {
        let next = if first + last <= lengths.len() { first } else { last - 1 };
        let length = lengths.get(next).copied().unwrap_or(0) + GAP.len();
        if length > left && first > 0 {
            break;
        }
        left = left.saturating_sub(length);
        if next == first { first += 1 } else { last -= 1 }
    }
    let (head, tail) = (all.get(..first).unwrap_or_default(), all.get(last..).unwrap_or_default());
    if first == last { all } else { [head, &[None], tail].concat() }
}

fn type_name(data_type: &DataType) -> String {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 => "string".to_owned(),
        DataType::Binary | DataType::LargeBinary => "bytes".to_owned(),
        DataType::Boolean => "bool".to_owned(),
        DataType::Timestamp(_, Some(zone)) => format!("timestamp {zone}"),
        DataType::Timestamp(..) => "timestamp".to_owned(),
        DataType::Dictionary(..) => "dictionary".to_owned(),
        DataType::List(item) => format!("list {}", type_name(item.data_type())),
        DataType::FixedSizeList(item, length) => format!("{length} x {}", type_name(item.data_type())),
        DataType::Struct(parts) if is_complex(data_type) => {
            let bytes: usize = parts.iter().filter_map(|part| part.data_type().primitive_width()).sum();
            format!("complex{}", 8 * bytes)
        }
        DataType::Struct(fields) => format!("struct of {}", fields.len()),
        other => other.to_string().to_lowercase(),
    }
}

/// Shortens a text to one line of at most `longest` characters.
fn shortened(text: &str, longest: usize) -> String {
    let line = || text.chars().map(|char| if char.is_control() { ' ' } else { char });
    if line().nth(longest).is_some() { line().take(longest - 1).chain(['…']).collect() } else { line().collect() }
}
