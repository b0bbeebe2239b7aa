//! [`Csv`]: batches as comma-separated values.

use std::io::Write;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_schema::{Field, Schema};

use crate::error::{Error, Result};
use crate::export::json;
use crate::export::text;
use crate::schema::numpy_dtype::is_complex;

/// The number of bytes after which the collected lines are written.
const AT_ONCE: usize = 1 << 16;

/// A writer of comma-separated values: a record of the names of the columns, and a record for each row.
pub(crate) struct Csv<W>(W);

impl<W: Write> Csv<W> {
    /// Creates a writer, and writes the names of the columns.
    pub(crate) fn new(mut out: W, schema: &Schema) -> Result<Csv<W>> {
        let names: Vec<_> = schema.fields().iter().map(|field| in_cell(field.name())).collect();
        out.write_all((names.join(",") + "\n").as_bytes())?;
        Ok(Csv(out))
    }

    /// Writes rows. Lists and structs are written as JSON; complex numbers, which are structs too, are written as text.
    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let columns = batch.columns().iter().map(|column| match column.data_type() {
            nested if nested.is_nested() && !is_complex(nested) => json_of(column),
            _ => Ok(column.clone()),
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        // Many readers skip blank lines, so the null of a single column is quoted.
        let options = text::options(if columns.len() == 1 { "\"\"" } else { "" });
        let formatters = columns.iter().map(|column| Ok((column, text::formatter(column, &options)?)));
        let formatters = formatters.collect::<Result<Vec<_>>>()?;
        let (mut lines, mut cell) = (String::new(), String::new());
        for row in 0..batch.num_rows() {
            for (at, (column, formatter)) in formatters.iter().enumerate() {
                if at > 0 {
                    lines.push(',');
                }
                cell.clear();
                formatter.value(row).write(&mut cell)?;
                if column.data_type().is_numeric() || column.is_null(row) {
                    lines.push_str(&cell);
                } else {
                    lines.push_str(&in_cell(&cell));
                }
            }
            lines.push('\n');
            if lines.len() >= AT_ONCE {
                self.0.write_all(lines.as_bytes())?;
                lines.clear();
            }
        }
        Ok(self.0.write_all(lines.as_bytes())?)
    }
}

/// Quotes a text for a cell if necessary. An empty cell means null, so an empty text is quoted.
fn in_cell(text: &str) -> String {
    let needs_quotes = text.contains([',', '"', '\n', '\r']) || text.trim() != text || text.is_empty();
    if needs_quotes { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// Converts each value to JSON; nulls stay nulls.
fn json_of(column: &ArrayRef) -> Result<ArrayRef> {
    const BEFORE: &str = "{\"v\":";
    let field = Field::new("v", column.data_type().clone(), true);
    let batch = RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![column.clone()])?;
    let mut writer = json::lines(Vec::new());
    writer.write(&batch)?;
    writer.finish()?;
    let lines = String::from_utf8(writer.into_inner()).map_err(Error::damaged)?;
    let value = |line: &str| line.strip_prefix(BEFORE).and_then(|line| line.strip_suffix('}')).map(str::to_owned);
    let mut lines = lines.lines();
    let values = (0..column.len()).map(|row| lines.next().and_then(value).filter(|_| !column.is_null(row)));
    Ok(Arc::new(values.collect::<StringArray>()))
}
