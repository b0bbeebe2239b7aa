//! Compares tables with their expected contents: Arrow files with what python-blosc2 exports.

use std::fs::File;
use std::path::Path;

use arrow_array::{Array, RecordBatch};
use arrow_ipc::reader::FileReader;
use arrow_schema::{ArrowError, DataType, Field};
use b2nd_arrow::Table;

/// All rows of an Arrow file as one batch.
pub(crate) fn truth(path: &Path) -> RecordBatch {
    let reader = FileReader::try_new(File::open(path).unwrap(), None).unwrap();
    let schema = reader.schema();
    let batches: Vec<RecordBatch> = reader.map(|batch| batch.unwrap()).collect();
    arrow_select::concat::concat_batches(&schema, &batches).unwrap()
}

/// Reads a whole table in batches of this size, and joins them.
pub(crate) fn whole(table: &Table, batch_size: usize) -> Result<RecordBatch, ArrowError> {
    let all: Vec<usize> = (0..table.schema().fields().len()).collect();
    let batches = table.read(&all, 0..u64::MAX, batch_size)?.collect::<Result<Vec<_>, _>>()?;
    arrow_select::concat::concat_batches(&table.schema(), &batches)
}

/// Describes the differences between a table and the expected contents. Computed columns are only in the expected contents.
/// Complex columns are only in the table, because `to_arrow()` rejects them.
pub(crate) fn differences(found: &RecordBatch, truth: &RecordBatch, computed: &[&str]) -> Vec<String> {
    let mut differences = Vec::new();
    let schema = found.schema();
    // python-blosc2 cannot convert complex numbers, nor bools in lists that it wrote itself, as integers.
    let is_left_out = |field: &Field| match field.data_type() {
        DataType::List(item) if *item.data_type() == DataType::Boolean => truth.column_by_name(field.name()).is_none(),
        other => is_complex(other),
    };
    let kept = schema.fields().iter().enumerate().filter(|(_, field)| !is_left_out(field)).map(|(at, _)| at);
    let found = &found.project(&kept.collect::<Vec<_>>()).unwrap();
    let fields: Vec<_> =
        truth.schema().fields().iter().filter(|field| !computed.contains(&field.name().as_str())).cloned().collect();
    let names: Vec<_> = fields.iter().map(|field| field.name().clone()).collect();
    let found_names: Vec<_> = found.schema().fields().iter().map(|field| field.name().clone()).collect();
    if names != found_names {
        return vec![format!("columns {found_names:?}, expected {names:?}")];
    }
    for field in &fields {
        let found_field = found.schema().field_with_name(field.name()).unwrap().clone();
        if found_field != **field || found_field.dict_is_ordered() != field.dict_is_ordered() {
            differences.push(format!("field {found_field:?}, expected {field:?}"));
            continue;
        }
        let (one, other) = (found.column_by_name(field.name()).unwrap(), truth.column_by_name(field.name()).unwrap());
        if one.len() != other.len() {
            differences.push(format!("column {:?}: {} rows, expected {}", field.name(), one.len(), other.len()));
        } else if one.to_data() != other.to_data() {
            let row = (0..one.len()).find(|&row| one.slice(row, 1).to_data() != other.slice(row, 1).to_data());
            let row = row.unwrap_or(0);
            let (one, other) = (one.slice(row, 1), other.slice(row, 1));
            differences.push(format!("column {:?}, row {row}: {one:?}, expected {other:?}", field.name()));
        }
    }
    differences
}

fn is_complex(data_type: &DataType) -> bool {
    match data_type {
        DataType::FixedSizeList(item, _) => is_complex(item.data_type()),
        DataType::Struct(parts) => parts.iter().all(|part| !part.is_nullable()),
        _ => false,
    }
}
