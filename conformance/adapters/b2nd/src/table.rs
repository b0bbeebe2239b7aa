//! Reads tables whose columns are arrays.

use std::path::Path;

use b2nd_conformance::Fact;
use b2nd_ndarray::Array;
use b2nd_store::{Content, Folder, Store};
use serde_json::Value;

use crate::{Result, refuse};

pub(crate) fn read(path: &Path) -> Result {
    let store = Store::open(path)?;
    let found = store.list()?;
    let table = found.leaves.iter().find_map(|leaf| match &leaf.content {
        Content::Table(table) => Some(table),
        _ => None,
    });
    let Some(table) = table else { return Err(refuse("the store contains no table")) };
    if let Some(name) = table.missing.first() {
        return Err(refuse(format!("column {name}: its file is missing")));
    }
    let (_, live) = rows(&store, "_valid_rows.b2nd")?;
    let count = live.iter().filter(|&&byte| byte != 0).count();
    let text = |column: &Value, name: &str| column.get(name).and_then(Value::as_str).map(str::to_owned);
    let (mut columns, mut values) = (Vec::new(), Vec::new());
    for column in &table.columns {
        let (Some(name), Some(kind)) = (text(column, "name"), text(column, "kind")) else { continue };
        let (itemsize, bytes) = rows(&store, &format!("_cols/{name}.b2nd"))?;
        if bytes.len() != live.len() * itemsize {
            let found = bytes.len() / itemsize.max(1);
            return Err(refuse(format!(
                "column {name}: the number of elements, {found}, differs from that of _valid_rows, {}",
                live.len()
            )));
        }
        let kept = bytes.chunks(itemsize.max(1)).zip(&live).filter(|(_, live)| **live != 0);
        let kept: Vec<u8> = kept.flat_map(|(row, _)| row.to_vec()).collect();
        columns.push(Fact::List(vec![Fact::text(&name), Fact::text(kind)]));
        values.push(Fact::List(vec![Fact::text(name), Fact::digest(&kept)]));
    }
    if columns.is_empty() {
        return Err(refuse("the schema has no column with a name and a kind"));
    }
    Ok(Fact::map([
        ("rows", u64::try_from(count).map_or(Fact::Null, Fact::int)),
        ("columns", Fact::List(columns)),
        ("values", Fact::List(values)),
    ]))
}

/// Reads an array of a table. Returns the size of an element, and all bytes.
fn rows(store: &Store, file: &str) -> Result<(usize, Vec<u8>)> {
    let array = Array::from_frame(store.open(file)?.read(0..u64::MAX)?.into_owned())?;
    let bytes = array.read_bytes(&array.whole())?;
    Ok((array.itemsize(), bytes))
}
