//! Reads the values that are in Arrow IPC or in tables, whose frames can be sound although the values cannot be read.

use std::sync::Arc;

use b2nd_store::{Frame, Store, value};

use crate::check::{CheckOptions, Finding, Limits};

/// Reads the values of a frame whose batches are in Arrow IPC. Returns a finding if they cannot be read, or if the feature `arrow` is
/// disabled. Does nothing for other frames, if [`CheckOptions::data`] is false, or if one of `findings`, the findings of the frame, is
/// [`unreadable`](Finding::unreadable).
pub fn check_values(frame: &Frame, options: &CheckOptions, findings: &[Finding]) -> Option<Finding> {
    let batches = frame.header().metalayers().get("batcharray").and_then(value::read);
    let is_arrow = batches.and_then(|batches| batches.get("serializer")?.as_str()) == Some("arrow");
    let is_read = is_arrow && options.data && !findings.iter().any(|finding| finding.unreadable);
    if is_read { unread::cells(frame, &options.limits) } else { None }
}

/// Reads the columns of the table with this key, except those that have no Arrow type, such as columns of objects. Returns a finding for
/// each column that cannot be read, or for a table that cannot be opened. Also returns a finding if `rows`, the number of rows in the
/// schema, is wrong. Without the feature `arrow`, returns a finding that the rows were not read.
pub fn check_rows(store: &Arc<Store>, key: &str, rows: Option<u64>, limits: &Limits) -> Vec<Finding> {
    unread::rows(store, key, rows, limits)
}

#[cfg(feature = "arrow")]
mod unread {
    use std::sync::Arc;
    use std::time::Instant;

    use b2nd_arrow::{CellReader, Error, ErrorKind, Result, Table, TableOptions};
    use b2nd_frame::{FrameType, Offsets, Writer};
    use b2nd_store::{Bytes, Frame, Store};

    use crate::check::{Finding, Limits};

    fn finding(place: String, finding: String) -> Finding {
        Finding { place, finding, unreadable: true, ..Finding::default() }
    }

    pub(super) fn cells(frame: &Frame, limits: &Limits) -> Option<Finding> {
        let (most, deadline) = (limits.max_memory, limits.deadline());
        let is_sparse = frame.header().frame_type() == FrameType::Sparse;
        let chunks = 0..frame.offsets().ok().filter(|_| is_sparse).map_or(0, Offsets::len);
        // The chunks of a sparse frame are copied twice.
        let lengths = chunks.filter_map(|number| Some(2 * frame.chunk_header(number).ok()?.cbytes() as u64));
        let length = lengths.fold(frame.header().frame_len(), u64::saturating_add);
        if length > most {
            let needed = format!("reading the values needs {length} bytes of memory; the limit is {most}");
            return Some(finding("values".to_owned(), needed));
        }
        let read = || -> Result<bool> {
            let source: Bytes = Arc::new(if is_sparse { joined(frame)? } else { frame.read(0..length)?.into_owned() });
            let batches = match CellReader::new(source) {
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(true),
                batches => batches?,
            };
            for batch in batches {
                batch?;
                if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        let why = match read() {
            Ok(true) => return None,
            Ok(false) => format!("they could not be read within the time limit of {:?}", limits.max_time.unwrap_or_default()),
            Err(error) => error.to_string().lines().next().unwrap_or_default().to_owned(),
        };
        Some(finding("values".to_owned(), why))
    }

    /// Copies the chunks of a sparse frame to a contiguous frame in memory.
    fn joined(frame: &Frame) -> b2nd_frame::Result<Vec<u8>> {
        let mut writer = Writer::new(frame.header().clone());
        writer.skip_array_check();
        writer.set_trailer(frame.trailer()?.clone());
        for number in 0..frame.offsets()?.len() {
            writer.copy_chunk(frame, number)?;
        }
        writer.finish()
    }

    pub(super) fn rows(store: &Arc<Store>, key: &str, rows: Option<u64>, limits: &Limits) -> Vec<Finding> {
        let of_column = |error: Error| {
            let place = error.column().map_or_else(|| "table".to_owned(), |column| format!("column {column:?}"));
            let row = error.row().map_or_else(String::new, |row| format!("row {row}: "));
            finding(place, row + error.message())
        };
        let options = TableOptions { max_memory: limits.max_memory, ..TableOptions::default() };
        let table = match Table::from_store(store.clone(), key).and_then(|table| table.with(options)) {
            Ok(table) => table,
            Err(error) => return vec![of_column(error)],
        };
        let mut findings: Vec<_> = table.verify_until(limits.deadline()).into_iter().map(of_column).collect();
        if let Some(said) = rows.filter(|&said| said != table.rows()) {
            let sentence = format!("n_rows: expected {} as in _valid_rows.b2nd, found {said}", table.rows());
            // python-blosc2 opens such a table and reads its columns, but `len` returns the number in the schema.
            findings.push(Finding { python_blosc2: Some(true), unreadable: false, ..finding("schema".to_owned(), sentence) });
        }
        findings
    }
}

#[cfg(not(feature = "arrow"))]
mod unread {
    use std::sync::Arc;

    use b2nd_store::{Frame, Store};

    use crate::check::{Finding, Limits};

    fn not_read(finding: &str) -> Finding {
        let (place, finding) = ("values".to_owned(), finding.to_owned());
        Finding { place, finding, unreadable: true, not_decoded: true, ..Finding::default() }
    }

    pub(super) fn cells(_: &Frame, _: &Limits) -> Option<Finding> {
        Some(not_read("this build lacks the feature `arrow`, which reads values in Arrow IPC"))
    }

    pub(super) fn rows(_: &Arc<Store>, _: &str, _: Option<u64>, _: &Limits) -> Vec<Finding> {
        vec![not_read("this build lacks the feature `arrow`, which reads the rows of tables")]
    }
}
