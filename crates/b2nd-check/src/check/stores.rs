//! Finds problems of a store or a table that are not problems of a single frame.

use std::collections::BTreeSet;
use std::path::Path;

use b2nd_frame::{ErrorKind, Result};
use b2nd_store::{Folder, Frame, LeftOut, StoreListing, Table, readable};
use serde_json::Value;

use super::{Finding, Findings, Limits, NOT_FOR_PYTHON, READ_BY_PYTHON, UNKNOWN, kinds};
use b2nd_store::text::{quoted, shortened};

/// The keys that a column of any kind may have in a table's schema.
const COLUMN: &[&str] = &["name", "default", "cparams", "dparams", "chunks", "blocks"];

/// Checks a store, but not its leaves. Returns a finding if `embed.b2e` is missing in a `.b2d` or `.b2z`, and one for each file
/// that is left out. `path` is the path or URL of the store.
pub fn check_store(store: &StoreListing, path: &str) -> Vec<Finding> {
    let mut findings = Findings::new(&Limits::NONE);
    // An archive or directory whose name does not end in `.b2d` or `.b2z` is only a folder with frames, and needs no `embed.b2e`.
    let name = path.split_once("://").map_or(path, |(_, address)| address.split(['?', '#']).next().unwrap_or(address));
    let is_named_so = Path::new(name).extension().is_some_and(|end| end == "b2d" || end == "b2z");
    if is_named_so && !store.has_embed {
        findings.add("store", None, "it has no embed.b2e, without which python-blosc2 cannot open the store", NOT_FOR_PYTHON);
    }
    for LeftOut { name, why } in &store.left_out {
        findings.add(format!("member {}", quoted(name.as_bytes())), None, why.to_string(), READ_BY_PYTHON);
    }
    findings.all
}

/// Reads the members of an archive, and returns a finding for each that cannot be decoded, or whose content does not have the CRC-32 that
/// the archive stores.
///
/// # Errors
///
/// Fails if the archive cannot be read.
pub fn check_crcs(folder: &dyn Folder) -> Result<Vec<Finding>> {
    let mut findings = Findings::new(&Limits::NONE);
    for name in folder.files()? {
        if let Err(error) = readable(folder.verify(&name))? {
            findings.unreadable(format!("member {}", quoted(name.as_bytes())), None, error.to_string(), READ_BY_PYTHON);
        }
    }
    Ok(findings.all)
}

/// Checks a table in a store, but not the frames of the table. Returns findings if the schema is invalid, or if files are missing, belong
/// to no column, or have the names that only python-blosc2 4.2.0 used.
pub fn check_table(table: &Table) -> Vec<Finding> {
    let mut findings = Findings::new(&Limits::NONE);
    let schema = table.metadata.get("schema").and_then(|schema| schema.as_str());
    match schema.map(b2nd_store::json::parse) {
        Some(Ok(schema)) => findings.schema(&schema),
        Some(Err(error)) => findings.unreadable("schema", None, error, NOT_FOR_PYTHON),
        None => findings.unreadable("schema", None, "the table's metadata has no readable string \"schema\"", NOT_FOR_PYTHON),
    }
    if !table.has_valid_rows {
        findings.unreadable("_valid_rows.b2nd", None, "it is missing, so it is unknown which rows were deleted", NOT_FOR_PYTHON);
    }
    for name in &table.missing {
        findings.unreadable(format!("column {}", quoted(name.as_bytes())), None, "it has no readable file", NOT_FOR_PYTHON);
    }
    for name in &table.plainly_named {
        let finding = "its file has the name that python-blosc2 4.2.0 used; later versions expect another name";
        findings.add(format!("column {}", quoted(name.as_bytes())), None, finding, NOT_FOR_PYTHON);
    }
    for name in &table.unowned {
        let finding = "no column that could be read from the schema has this file; the file's name may be damaged, or the schema";
        findings.add(format!("file {}", quoted(name.as_bytes())), None, finding, READ_BY_PYTHON);
    }
    findings.all
}

impl Findings {
    /// Checks a table's schema.
    fn schema(&mut self, schema: &Value) {
        let found = |value: Option<&Value>| value.map_or_else(|| "none".to_owned(), |value| shortened(value.to_string(), 32));
        let Some(columns) = schema.get("columns").and_then(Value::as_array) else {
            let finding = format!("columns: expected a list, found {}", found(schema.get("columns")));
            return self.unreadable("schema", None, finding, NOT_FOR_PYTHON);
        };
        // With an invalid number of rows, python-blosc2 opens the table, but `len` usually fails, so the table counts as rejected.
        if let Some(rows) = schema.get("n_rows").filter(|rows| !rows.is_null() && rows.as_u64().is_none()) {
            let finding = format!("n_rows: expected an integer of 0 or more, found {}", found(Some(rows)));
            self.add("schema", None, finding, NOT_FOR_PYTHON);
        }
        let (mut seen, mut twice) = (BTreeSet::new(), BTreeSet::new());
        for (number, column) in columns.iter().enumerate() {
            let Some(name) = column.get("name").and_then(Value::as_str) else {
                let finding = format!("columns[{number}].name: expected a string, found {}", found(column.get("name")));
                self.unreadable("schema", None, finding, NOT_FOR_PYTHON);
                continue;
            };
            let place = format!("column {}", quoted(name.as_bytes()));
            if let Some(problem) = kinds::refused(column, COLUMN) {
                self.add(&place, None, problem, NOT_FOR_PYTHON);
            }
            if !seen.insert(name) && twice.insert(name) {
                self.unreadable(place, None, "the schema has this name more than once", READ_BY_PYTHON);
            }
        }
    }
}

/// Returns the findings of a file of a table, with the name of the file added to the place of each finding. `look` returns the findings of
/// the frame in the file. If the frame cannot be opened or `look` fails, the result is a single finding with the error.
pub fn check_file(folder: &dyn Folder, file: &str, look: impl FnOnce(&Frame) -> Result<Vec<Finding>>) -> Vec<Finding> {
    let looked = folder.open(file).and_then(|source| look(&Frame::open(&*source)?));
    let mut findings = Findings::new(&Limits::NONE);
    match looked {
        Ok(found) => {
            let in_file = |finding: Finding| Finding { place: format!("{file}, {}", finding.place), ..finding };
            findings.all.extend(found.into_iter().map(in_file));
        }
        // If this file cannot be read, the other files of the table can still be checked.
        Err(error) if matches!(error.kind(), ErrorKind::Io(_)) => {
            findings.unreadable(file, None, format!("it cannot be read: {error}"), UNKNOWN);
        }
        Err(error) => findings.all.push(Finding::refused(file, &error)),
    }
    findings.all
}
