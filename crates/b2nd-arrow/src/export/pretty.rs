//! [`table`]: rows as a text table.

use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;

use crate::error::Result;
use crate::export::times;

/// The longest cell, in characters.
const LONGEST: usize = 40;

/// The space between columns.
const GAP: &str = "  ";

/// Formats a batch as a table: names, types and rows, in at most `width` characters per line. Columns in the middle are omitted if
/// they do not fit.
///
/// # Errors
///
/// Fails if a value cannot be formatted.
pub fn table(batch: &RecordBatch, width: Option<usize>) -> Result<String> {
    let options = times::options("NULL");
    let mut columns = Vec::new();
    for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
        let mut cells = vec![shortened(field.name()), shortened(&type_name(field.data_type()))];
        let formatter = times::formatter(column, &options)?;
        for row in 0..column.len() {
            cells.push(shortened(&formatter.value(row).try_to_string()?));
        }
        let length = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
        let is_number = field.data_type().is_numeric();
        columns.push((cells, length, is_number));
    }
    let shown = fitting(&columns.iter().map(|(_, length, _)| *length).collect::<Vec<_>>(), width);
    let mut text = String::new();
    for line in 0..batch.num_rows() + 2 {
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

/// Returns the columns that fit, from both ends inwards. `None` marks the omitted ones.
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
        DataType::Struct(fields) => format!("struct of {}", fields.len()),
        other => other.to_string().to_lowercase(),
    }
}

/// Shortens a text to one line of at most [`LONGEST`] characters.
fn shortened(text: &str) -> String {
    let line: String = text.chars().map(|char| if char.is_control() { ' ' } else { char }).take(LONGEST + 1).collect();
    if line.chars().count() > LONGEST { line.chars().take(LONGEST - 1).chain(['…']).collect() } else { line }
}

#[cfg(test)]
mod tests {
    use super::fitting;

    #[test]
    fn columns_in_the_middle_give_way_to_those_at_the_ends() {
        assert_eq!(fitting(&[3, 3, 3], None), [Some(0), Some(1), Some(2)]);
        assert_eq!(fitting(&[3, 3, 3], Some(13)), [Some(0), Some(1), Some(2)]);
        assert_eq!(fitting(&[3, 3, 3, 3], Some(13)), [Some(0), None, Some(3)]);
        assert_eq!(fitting(&[90, 3], Some(20)), [Some(0), None]);
    }
}
