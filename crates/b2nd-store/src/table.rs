//! [`Table`]: a table in a store, in which each column has its own files.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use crate::attributes::Attributes;
use crate::folder::{LEAVES, is_below};
use crate::json;

/// The possible endings of the file with the values of a column: for an array, for lists or objects, and for the words of a dictionary.
const ENDS: [&str; 3] = [".b2nd", ".b2b", "_dict.b2b"];

/// The possible endings of the files of a column below `_cols`.
const FILES: [&str; 5] = [".b2nd", ".b2b", "_dict.b2b", ".utf8.b2nd", ".notnull.b2nd"];

/// The metadata of a `CTable`.
#[derive(Clone, Serialize)]
pub struct Table {
    /// The number of rows, or `None` if the schema does not contain it.
    pub rows: Option<u64>,
    /// A description of each column from the schema: `name`, `kind` and more. Columns whose values are computed when they are read come
    /// last. They have `col_deps` and no files.
    pub columns: Vec<Value>,
    /// The version of the metadata about sources, or `None` if no column of the table comes from a source, such as a remote array.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_bindings_version: Option<u64>,
    /// The names of the columns whose values come from a source, such as a remote array.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub source_columns: Vec<Value>,
    /// The names of columns whose values were computed from other columns and are out of date, because these other columns have changed
    /// since.
    #[serde(skip)]
    pub stale: Vec<String>,
    /// The names of columns for which the store has no file with values.
    #[serde(skip)]
    pub missing: Vec<String>,
    /// The names of columns whose files have names that only python-blosc2 4.2.0 used. Later versions of python-blosc2 expect other names,
    /// and do not find these files.
    #[serde(skip)]
    pub plainly_named: Vec<String>,
    /// The files below the table's folder `_cols` that do not belong to a column of the schema.
    #[serde(skip)]
    pub unowned: Vec<String>,
    /// Whether the file that marks deleted rows exists. Tables without it cannot be read.
    #[serde(skip)]
    pub has_valid_rows: bool,
    /// The files of the table whose names end in `.b2nd`, `.b2f` or `.b2b`, sorted by name.
    #[serde(skip)]
    pub files: Vec<String>,
    /// The metadata that python-blosc2 stores, such as the schema and the indexes.
    pub metadata: Attributes,
    /// The user's attributes.
    #[serde(skip)]
    pub attributes: Attributes,
}

impl Table {
    /// Describes a table in a folder of a store. `files` are all files of the store, sorted.
    pub(crate) fn new(metadata: Attributes, attributes: Attributes, folder: &str, files: &[String]) -> Table {
        let schema = metadata.get("schema").and_then(|schema| json::parse(schema.as_str()?).ok());
        let listed = |name| schema.as_ref().and_then(|schema| schema.get(name)?.as_array().cloned()).unwrap_or_default();
        let number = |name| schema.as_ref().and_then(|schema| schema.get(name)?.as_u64());
        let frames = files.iter().filter(|file| is_below(file, folder) && LEAVES.iter().any(|end| file.ends_with(end)));
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let has = |file: &str| files.binary_search(&format!("{prefix}{file}")).is_ok();
        let is_there = |name: &str| ENDS.iter().any(|end| has(&format!("_cols/{name}{end}")));
        let columns = listed("columns");
        let names = || columns.iter().filter_map(|column| column.get("name")?.as_str());
        let unfound = names().filter(|name| !is_there(&Table::file_name(name))).map(str::to_owned);
        let (plainly_named, missing) = unfound.partition(|name| is_there(name));
        Table {
            rows: number("n_rows"),
            source_bindings_version: number("source_bindings_version"),
            source_columns: listed("source_columns"),
            stale: schema.as_ref().map(Table::stale_columns).unwrap_or_default(),
            missing,
            plainly_named,
            unowned: Table::unowned(names(), &prefix, files),
            has_valid_rows: has("_valid_rows.b2nd"),
            files: frames.cloned().collect(),
            columns: [columns, listed("computed_columns")].concat(),
            metadata,
            attributes,
        }
    }

    /// Returns the names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().filter_map(|column| column.get("name")?.as_str())
    }

    /// Returns the names of columns whose values were computed from other columns and are out of date according to the schema, because
    /// these other columns have changed since.
    pub fn stale_columns(schema: &Value) -> Vec<String> {
        let listed = schema.get("materialized_columns").and_then(Value::as_array).into_iter().flatten();
        let stale = listed.filter(|column| column.get("stale").and_then(Value::as_bool) == Some(true));
        stale.filter_map(|column| Some(column.get("name")?.as_str()?.to_owned())).collect()
    }

    /// Returns the files below `_cols` that do not belong to the named columns. `folder` is the folder of the table, ending in
    /// `/`, or empty.
    pub fn unowned<'n>(names: impl Iterator<Item = &'n str>, folder: &str, files: &[String]) -> Vec<String> {
        let owned: BTreeSet<String> = names.flat_map(|name| [Table::file_name(name), name.to_owned()]).collect();
        let is_owned = |file: &str| FILES.iter().any(|end| file.strip_suffix(end).is_some_and(|name| owned.contains(name)));
        let is_unowned = |file: &&String| {
            let column = file.strip_prefix(folder).and_then(|file| file.strip_prefix("_cols/"));
            column.is_some_and(|column| !is_owned(column))
        };
        files.iter().filter(is_unowned).cloned().collect()
    }

    /// Returns the path of a column's files below `_cols`, without their endings. A dot in a column's name separates folders,
    /// unless a backslash precedes it. python-blosc2 4.2.0 used the column's name unchanged.
    ///
    /// ```
    /// assert_eq!(b2nd_store::Table::file_name(r"trip.begin\.lon"), "trip/begin%2Elon");
    /// ```
    pub fn file_name(column: &str) -> String {
        let mut path = String::new();
        let mut chars = column.chars();
        while let Some(char) = chars.next() {
            match char {
                '.' => path.push('/'),
                '\\' => path += &escaped(chars.next().unwrap_or('\\')),
                char => path += &escaped(char),
            }
        }
        path
    }
}

/// Escapes a character as `%` and two hexadecimal digits, if it has a special meaning in these paths.
fn escaped(char: char) -> String {
    if matches!(char, '%' | '/' | '.' | '\\') { format!("%{:02X}", u32::from(char)) } else { char.to_string() }
}
