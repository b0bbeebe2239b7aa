//! [`CellReader`]: the values of a `.b2b` store on its own, as record batches.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use serde_json::Value;

use crate::batch_array::{Batches, METALAYER};
use crate::cells::json;
use crate::column::{read_batches, read_cells};
use crate::error::{Error, ErrorKind, Result};
use crate::kinds::{Kind, Nulls, Spec};
use crate::leaf::Leaf;
use crate::live::Selection;
use crate::place::Shared;
use crate::read::BATCH_SIZE;
use crate::table::BATCH_BYTES;

/// The name of the one column.
const NAME: &str = "values";

/// The metalayer of a file with a chunk for each cell.
const CELLS: &str = "vlarray";

/// The metalayer of cells that are lists.
const LISTS: &str = "listarray";

/// The metalayer of cells that are text or bytes of any length.
const SCALARS: &str = "ctable_varlen_scalar";

/// The values of an object array, a batch array or a list array of python-blosc2, as batches of one column, `values`: lists have the type that
/// the file says, cells of Arrow IPC theirs, and other values are the JSON text of `b2nd::Value`.
///
/// ```
/// use std::sync::Arc;
/// use b2nd_arrow::CellReader;
///
/// let file = std::fs::File::open("tests/data/list.b2b")?;
/// let reader = CellReader::new(Arc::new(file))?;
/// assert_eq!(reader.remaining(), 4);
/// for batch in reader {
///     println!("{:?}", batch?.column(0));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CellReader {
    cells: Cells,
    spec: Spec,
    schema: SchemaRef,
    rows: Range<u64>,
    batch_size: u64,
}

enum Cells {
    Batches(Box<Batches>),
    /// A chunk for each.
    Chunks(Box<Leaf>),
}

impl CellReader {
    /// Opens the frame in a source.
    ///
    /// # Errors
    ///
    /// It cannot be read, holds no such values, or lists that Arrow has no type for.
    pub fn new(source: Shared) -> Result<CellReader> {
        let leaf = Leaf::open(source)?;
        let mut spec = spec(&leaf)?;
        let bytes = leaf.data_len();
        let (cells, count) = if leaf.metalayer(METALAYER).is_some() {
            let batches = Batches::open(leaf)?;
            if let (Kind::Object, Some(data_type)) = (&spec.kind, batches.data_type()?) {
                spec.kind = Kind::Arrow(data_type);
            }
            let count = batches.len();
            (Cells::Batches(batches.into()), count)
        } else if leaf.metalayer(CELLS).is_some() {
            let count = leaf.nchunks()?;
            (Cells::Chunks(leaf.into()), count)
        } else {
            return Err(Error::new(ErrorKind::NotFound, "it holds neither batches of values nor objects"));
        };
        let field = spec.field(NAME).map_err(|why| Error::new(ErrorKind::Refused, why))?;
        let batch_size = (BATCH_BYTES / (bytes / count.max(1)).max(1)).clamp(1, BATCH_SIZE as u64);
        Ok(CellReader { cells, spec, schema: Arc::new(Schema::new(vec![field])), rows: 0..count, batch_size })
    }

    /// Leaves these values alone, counted from 0 and cut where the file ends.
    #[must_use]
    pub fn slice(mut self, rows: Range<u64>) -> CellReader {
        let end = rows.end.min(self.rows.end);
        self.rows = rows.start.min(end)..end;
        self
    }

    /// The number of values that are still to come.
    pub fn remaining(&self) -> u64 {
        self.rows.end - self.rows.start
    }

    fn batch(&self, rows: Range<u64>) -> Result<RecordBatch> {
        let count = usize::try_from(rows.end - rows.start).unwrap_or(usize::MAX);
        let selection = Selection { first: rows.start, runs: vec![rows], rows: count };
        let values = match &self.cells {
            Cells::Batches(batches) => read_batches(batches, &self.spec, &selection)?,
            Cells::Chunks(leaf) => read_cells(leaf, &self.spec, &selection)?,
        };
        Ok(RecordBatch::try_new(self.schema.clone(), vec![values])?)
    }
}

/// The type of the values, as the file says it.
fn spec(leaf: &Leaf) -> Result<Spec> {
    let described = |name: &str| -> Result<Option<Value>> {
        let Some(content) = leaf.metalayer(name) else { return Ok(None) };
        let named = |error: Error| Error::damaged(format_args!("the metalayer {name:?}: {error}"));
        let value = serde_json::from_slice(&json(content).map_err(named)?);
        value.map(Some).map_err(|error| Error::damaged(format_args!("the metalayer {name:?}: {error}")))
    };
    if let Some(mut list) = described(LISTS)? {
        // Tables call it otherwise.
        if let Some(backend) = list.get("backend").cloned() {
            list["storage"] = backend;
        }
        return Spec::of(&list).map_err(|why| Error::damaged(format_args!("the metalayer {LISTS:?}: {why}")));
    }
    let scalars = described(SCALARS)?;
    let kind = match scalars.as_ref().and_then(|scalars| scalars.get("py_type")?.as_str()) {
        Some("str") => Kind::VlString,
        Some("bytes") => Kind::VlBytes,
        _ => Kind::Object,
    };
    Ok(Spec { kind, nulls: Nulls::None })
}

impl Iterator for CellReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rows.is_empty() {
            return None;
        }
        let end = self.rows.start.saturating_add(self.batch_size).min(self.rows.end);
        let batch = self.batch(self.rows.start..end);
        self.rows.start = if batch.is_ok() { end } else { self.rows.end };
        Some(batch.map_err(ArrowError::from))
    }
}

impl RecordBatchReader for CellReader {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
