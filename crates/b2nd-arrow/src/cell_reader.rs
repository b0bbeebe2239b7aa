//! [`CellReader`]: the values of a `.b2b` file as record batches.

use std::ops::Range;

use arrow_array::ArrayRef;
use b2nd::RawValue;
use b2nd_frame::Frame;
use b2nd_store::Bytes;
use serde_json::Value;

use crate::column::cells::{Cells, METALAYER};
use crate::column::column_file::ColumnFile;
use crate::column::nulls::Nulls;
use crate::column::text_builder::MAX_BYTES;
use crate::error::{Error, ErrorKind, Result};
use crate::live_rows::Selection;
use crate::schema::spec::{Kind, Spec};
use crate::single_column::{NAME, OneColumn, ReadRows};

/// The metalayer of files that have one chunk per cell.
const CELLS: &str = "vlarray";

/// The metalayer of files whose cells are lists.
const LISTS: &str = "listarray";

/// The metalayer with the type of cells other than lists, in files of columns.
const SCALARS: &str = "ctable_varlen_scalar";

/// The values of an object array, a batch array or a list array of python-blosc2, as batches of one column, `values`. If the file declares
/// their type (lists, text, bytes or, unless it is empty, Arrow IPC), they have that type. Otherwise they are JSON text, in the
/// JSON of `b2nd::Value`.
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
pub type CellReader = OneColumn<TypedCells>;

/// The cells of a file, and their type.
pub struct TypedCells {
    cells: Cells,
    spec: Spec,
}

impl CellReader {
    /// Opens the frame in a source.
    ///
    /// # Errors
    ///
    /// Fails if the source cannot be read or contains no frame. Also returns the errors of [`from_frame`](CellReader::from_frame).
    pub fn new(source: Bytes) -> Result<CellReader> {
        CellReader::from_frame(Frame::open(source)?)
    }

    /// Creates a reader of an open frame.
    ///
    /// # Errors
    ///
    /// Fails if the frame is not an object array, a batch array or a list array ([`NotFound`](ErrorKind::NotFound)), is sparse, holds
    /// values of a type that is not supported, or cannot be read.
    pub fn from_frame(frame: Frame<Bytes>) -> Result<CellReader> {
        let cells = cells_in(frame)?;
        let (leaf, count) = (&cells.leaf, cells.len()?);
        let (mut spec, bytes) = (spec(leaf)?, leaf.data_len());
        if let Kind::Object = spec.kind {
            spec.kind = cells.data_type()?.map_or(Kind::Object, Kind::Arrow);
        }
        let field = spec.field(NAME).map_err(|why| Error::new(ErrorKind::Refused, why))?;
        Ok(OneColumn::of(TypedCells { cells, spec }, field, count, bytes / count.max(1)))
    }
}

impl ReadRows for TypedCells {
    fn read(&self, rows: Range<u64>) -> Result<ArrayRef> {
        let count = usize::try_from(rows.end - rows.start).unwrap_or(usize::MAX);
        self.cells.read(&self.spec, &Selection { first: rows.start, runs: vec![rows], rows: count })
    }
}

/// Opens the cells in a frame. The metalayers of the frame describe how the cells are stored.
pub(crate) fn cells_in(frame: Frame<Bytes>) -> Result<Cells> {
    let has = |name| frame.header().metalayers().get(name).is_some();
    let (has_batches, has_chunks) = (has(METALAYER), has(CELLS));
    if !has_batches && !has_chunks {
        return Err(Error::new(ErrorKind::NotFound, "the frame is not an object array, a batch array or a list array"));
    }
    let leaf = ColumnFile::new(frame, MAX_BYTES)?;
    if has_batches { Cells::batches(leaf) } else { Ok(Cells::chunks(leaf)) }
}

/// Determines the type of the values from the metalayers.
fn spec(leaf: &ColumnFile) -> Result<Spec> {
    let described = |name: &str| -> Result<Option<Value>> {
        let Some(content) = leaf.metalayer(name) else { return Ok(None) };
        let value = RawValue::from_slice(content).map_err(|error| error.to_string());
        let value = value.and_then(|value| serde_json::to_value(value).map_err(|error| error.to_string()));
        value.map(Some).map_err(|error| Error::damaged(format_args!("the metalayer {name:?}: {error}")))
    };
    if let Some(mut list) = described(LISTS)? {
        // Schemas of tables use the key `storage` instead of `backend`.
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
