//! [`Table`]: a table of columns, each in files of its own.

use serde::Serialize;
use serde_json::Value;

use super::Attributes;

/// What the metadata of a `CTable` say.
#[derive(Serialize)]
pub struct Table {
    /// How many rows there are, where that is said.
    pub rows: Option<u64>,
    /// A description of each column: its `name` and `kind`, and more.
    pub columns: Vec<Value>,
    /// All of them, the schema too.
    #[serde(skip)]
    pub attributes: Attributes,
}

impl Table {
    pub(super) fn new(attributes: Attributes) -> Table {
        let schema = attributes.get("schema").and_then(|schema| schema.as_str()?.parse::<Value>().ok());
        let columns = schema.as_ref().and_then(|schema| schema.get("columns")?.as_array().cloned());
        let rows = schema.and_then(|schema| schema.get("n_rows")?.as_u64());
        Table { rows, columns: columns.unwrap_or_default(), attributes }
    }

    /// The names of the columns that have one.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().filter_map(|column| column.get("name")?.as_str())
    }
}
