//! Findings of a store and of its tables, beyond those of their frames.

use std::collections::BTreeSet;
use std::path::Path;

use b2nd::{ErrorKind, Result};
use b2nd_store::{Folder, Frame, StoreListing, Table};
use serde_json::Value;

use super::{Finding, Findings, Limits, NO, UNKNOWN, YES, kinds};
use b2nd_store::text::quoted;

/// What a table's schema says of a column, whatever its kind is.
const COLUMN: &[&str] = &["name", "default", "cparams", "dparams", "chunks", "blocks"];

/// The findings of a store itself: a `.b2d` or `.b2z` without `embed.b2e`, names that several members of an archive have. `path` is its
/// path or address.
pub fn check_store(store: &StoreListing, path: &str) -> Vec<Finding> {
    let mut findings = Findings::new(&Limits::NONE);
    // Any other archive or directory is a folder with frames.
    let name = match path.split_once("://") {
        Some((_, address)) => address.split(['?', '#']).next().unwrap_or(address),
        None => path,
    };
    let is_named_so = Path::new(name).extension().is_some_and(|end| end == "b2d" || end == "b2z");
    if is_named_so && !store.has_embed {
        findings.add("store", None, "it has no embed.b2e, without which python-blosc2 opens no store", [None, None, NO]);
    }
    for name in &store.duplicates {
        let finding = "another member has the same name: the last counts";
        findings.add(format!("member {}", quoted(name.as_bytes())), None, finding, [None, None, YES]);
    }
    findings.all
}

/// The findings of a table in a store, beyond those of its frames: a schema that is none, no file that says which rows are live, columns that
/// the schema has and the store has not, files of columns that the schema does not have, or files under a name that later versions do not look for.
pub fn check_table(table: &Table) -> Vec<Finding> {
    let mut findings = Findings::new(&Limits::NONE);
    let schema = table.metadata.get("schema").and_then(|schema| schema.as_str());
    match schema.map(b2nd_store::json::parse) {
        Some(Ok(schema)) => findings.schema(&schema),
        Some(Err(error)) => findings.unreadable("schema", None, format!("it is not JSON: {error}"), [None, None, NO]),
        None => findings.unreadable("schema", None, "the table's metadata has no text under this name", [None, None, NO]),
    }
    if !table.has_valid_rows {
        findings.unreadable("_valid_rows.b2nd", None, "it is missing: nothing says which rows are live", [None, None, NO]);
    }
    for name in &table.missing {
        findings.unreadable(format!("column {}", quoted(name.as_bytes())), None, "no file holds it", [None, None, NO]);
    }
    for name in &table.plainly_named {
        let finding = "its file is named as python-blosc2 4.2.0 did it, and later versions look for another name";
        findings.add(format!("column {}", quoted(name.as_bytes())), None, finding, [None, None, NO]);
    }
    for name in &table.unowned {
        let finding = "it belongs to no column of the table: is a name damaged?";
        findings.add(format!("file {}", quoted(name.as_bytes())), None, finding, [None, None, YES]);
    }
    findings.all
}

impl Findings {
    /// The findings of a table's schema, by itself.
    fn schema(&mut self, schema: &Value) {
        let Some(columns) = schema.get("columns").and_then(Value::as_array) else {
            return self.unreadable("schema", None, "columns: expected a list", [None, None, NO]);
        };
        // What the number of rows is, `_valid_rows` says.
        if let Some(rows) = schema.get("n_rows").filter(|rows| !rows.is_null() && rows.as_u64().is_none()) {
            self.add("schema", None, format!("n_rows: expected 0 or more, found {rows}"), [None, None, YES]);
        }
        let (mut seen, mut twice) = (BTreeSet::new(), BTreeSet::new());
        for (number, column) in columns.iter().enumerate() {
            let Some(name) = column.get("name").and_then(Value::as_str) else {
                self.unreadable("schema", None, format!("columns[{number}] has no name"), [None, None, NO]);
                continue;
            };
            let place = format!("column {}", quoted(name.as_bytes()));
            if let Some(problem) = kinds::refused(column, COLUMN) {
                self.add(&place, None, problem, [None, None, NO]);
            }
            if !seen.insert(name) && twice.insert(name) {
                self.unreadable(place, None, "the schema names it more than once", [None, None, YES]);
            }
        }
    }
}

/// The findings of a file of a table: what `look` finds in its frame, each with the file in its place, or why there is no frame.
pub fn check_file(folder: &dyn Folder, file: &str, look: impl FnOnce(&Frame) -> Result<Vec<Finding>>) -> Vec<Finding> {
    let looked = folder.open(file).and_then(|source| look(&Frame::open(&*source)?));
    let mut findings = Findings::new(&Limits::NONE);
    match looked {
        Ok(found) => {
            let in_file = |finding: Finding| Finding { place: format!("{file}, {}", finding.place), ..finding };
            findings.all.extend(found.into_iter().map(in_file));
        }
        // The other files of the table are worth a look all the same.
        Err(error) if matches!(error.kind(), ErrorKind::Io(_)) => {
            findings.unreadable(file, None, format!("it cannot be read: {error}"), UNKNOWN);
        }
        Err(error) => findings.all.push(Finding::refused(file, &error)),
    }
    findings.all
}
