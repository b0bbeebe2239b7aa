//! Tables and batches of values, where this program was built without what reads them.

use std::path::Path;

use b2nd_store::{Frame, Kind, Location, Source};

use crate::error::{Error, Result};

/// The file that makes a folder a table.
const TABLE: &str = "_meta.b2f";

/// Refuses a table, and says which program reads it.
pub(crate) fn refuse(word: &Path) -> Result<()> {
    let location = Location::new(word.as_os_str());
    let file = match location.key().map(|key| key.trim_matches('/')) {
        None | Some("") => TABLE.to_owned(),
        Some(key) => format!("{key}/{TABLE}"),
    };
    if location.path().is_none() {
        return Ok(());
    }
    // What cannot be opened is refused by whoever opens it next.
    let files = location.open().and_then(|target| target.with_folder(|folder| folder.files()));
    match files {
        Ok(Some(Ok(files))) if files.contains(&file) => Err(not_read()),
        _ => Ok(()),
    }
}

/// The error about a table.
pub(crate) fn not_read() -> Error {
    without("a table")
}

/// The error about a frame without an array, if that feature reads its values.
pub(crate) fn cells(source: &dyn Source) -> Option<Error> {
    let frame = Frame::open(source).ok()?;
    let what = match Kind::of(frame.header(), None, &mut ()) {
        Kind::ObjectArray => "an object array",
        Kind::BatchArray => "a batch array",
        Kind::ListArray => "a list array",
        _ => return None,
    };
    Some(without(what))
}

fn without(what: &str) -> Error {
    let install = "cargo install --path crates/b2nd-cli --features arrow";
    Error::new(format_args!("it is {what}, and this b2nd was built without the feature arrow: {install}"))
}
