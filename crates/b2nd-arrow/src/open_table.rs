//! [`OpenTable`]: an open table, and its files.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::SchemaRef;
use b2nd::RawValue;
use b2nd_store::{Folder, Store};
use quick_cache::sync::Cache;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde_json::Value;

use crate::column::Column;
use crate::column::column_file::ColumnFile;
use crate::column::files::ColumnFiles;
use crate::error::{Error, ErrorKind, Result};
use crate::live_rows::{LiveRows, Selection};
use crate::schema::spec::expected;
use crate::schema::{ColumnInfo, Output, columns_of, outputs_of};
use crate::summary::{CATALOG, Described, EPOCH, Summary};

/// The file with a table's metadata. A folder with this file is a table.
const TABLE: &str = "_meta.b2f";

/// The supported versions of schemas.
const VERSIONS: std::ops::RangeInclusive<u64> = 1..=3;

/// The maximum number of columns whose files are kept open. A column has up to three files, and many systems allow only 256 or 1,024 open
/// files.
const OPEN: usize = 64;

/// Options for opening a table.
///
/// ```
/// use b2nd_arrow::{TableOptions, Table};
///
/// let table = Table::open("tests/data/blocks.b2z")?;
/// let little = table.with(TableOptions { max_memory: 100, ..TableOptions::default() });
/// assert_eq!(little.unwrap_err().kind(), b2nd_arrow::ErrorKind::TooLong);
/// # Ok::<(), b2nd_arrow::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TableOptions {
    /// Whether columns of kind `object` are read. Their values become JSON text.
    pub objects: bool,
    /// The approximate limit of memory in bytes. Batches have fewer rows if necessary to stay below the limit. If a column still needs more
    /// memory, for example for a single long value, reading fails.
    pub max_memory: u64,
}

impl Default for TableOptions {
    fn default() -> TableOptions {
        TableOptions { objects: false, max_memory: u64::MAX }
    }
}

pub(crate) struct OpenTable {
    pub(crate) name: String,
    pub(crate) options: TableOptions,
    pub(crate) store: Arc<Store>,
    /// The path of the table's folder in the store, which ends in `/`, or an empty string for the root of the store.
    pub(crate) folder: String,
    pub(crate) live: LiveRows,
    pub(crate) columns: Vec<ColumnInfo>,
    /// For each field of the schema, the column or the struct of columns that it is made from.
    pub(crate) outputs: Vec<Output>,
    pub(crate) schema: SchemaRef,
    /// Recently read columns with their open files, by the index of the column.
    open: Cache<usize, Arc<Column>>,
    pub(crate) metadata: Value,
    /// The frame with the metadata and the catalog of indexes.
    meta: ColumnFile,
}

impl OpenTable {
    pub(crate) fn open(store: Arc<Store>, folder: String, name: String, options: TableOptions) -> Result<OpenTable> {
        let leaf = |file: &str| -> Result<ColumnFile> {
            let path = format!("{folder}{file}");
            let missing = || Error::new(ErrorKind::NotFound, format_args!("a table needs {path:?}, which is missing"));
            ColumnFile::open(&store, &path, options.max_memory)?.ok_or_else(missing)
        };
        let meta = leaf(TABLE)?;
        let schema = meta.vlmetalayer("schema")?.ok_or_else(|| Error::damaged("_meta.b2f has no vlmetalayer \"schema\""))?;
        let text = RawValue::from_slice(&schema).map_err(|error| Error::damaged(format_args!("the schema: {error}")))?.as_str();
        let text = text.ok_or_else(|| Error::damaged("the schema: expected text in UTF-8, found another MessagePack value"))?;
        let metadata = b2nd_store::json::parse(text).map_err(|error| Error::damaged(format_args!("the schema: {error}")))?;
        if !metadata.get("version").and_then(Value::as_u64).is_some_and(|version| VERSIONS.contains(&version)) {
            return Err(Error::damaged(format_args!("the schema's {}", expected(&metadata, "version", "1, 2 or 3"))));
        }
        if metadata.get("n_rows").is_some_and(|rows| !rows.is_null() && rows.as_u64().is_none()) {
            return Err(Error::damaged(format_args!(
                "the schema's {}",
                expected(&metadata, "n_rows", "an integer of at least 0")
            )));
        }
        let columns = columns_of(&metadata, options.objects)?;
        // Opens the files whose names match no column. This fails if the name of a file in the archive's directory differs from the name in
        // the file's own header. If the name of a mask of nulls, for example, is damaged in the archive's directory, the mask matches no
        // column, and its column would seem to have no nulls.
        let names = columns.iter().map(|column| column.name.as_str());
        let files = if store.is_archive() { store.files()? } else { Vec::new() };
        for file in b2nd_store::Table::unowned(names, &folder, &files) {
            store.member(&file)?;
        }
        let (outputs, schema) = outputs_of(&columns, &metadata)?;
        let live = leaf("_valid_rows.b2nd").and_then(|leaf| LiveRows::open(&leaf));
        let live = live.map_err(|error| Error::new(error.kind(), format_args!("_valid_rows: {error}")))?;
        let open = Cache::new(OPEN);
        Ok(OpenTable { name, options, store, folder, live, columns, outputs, schema, open, metadata, meta })
    }

    /// Returns a column, from the cache if it was read recently.
    pub(crate) fn column(&self, place: usize) -> Result<Arc<Column>> {
        let missing = || format!("column index {place}: expected an index below {}", self.columns.len());
        let info = self.columns.get(place).ok_or_else(|| Error::new(ErrorKind::NotFound, missing()))?;
        if let Some(column) = self.open.get(&place) {
            return Ok(column);
        }
        let files = ColumnFiles {
            store: &self.store,
            folder: &self.folder,
            name: &info.name,
            rows: self.live.length,
            most: self.options.max_memory,
        };
        let opened = match &info.data_type {
            Ok(_) => Column::open(&files, &info.spec),
            Err(why) => Err(Error::new(ErrorKind::Refused, why)),
        };
        let column = Arc::new(opened.map_err(|error| error.in_table(&self.name).in_column(&info.name))?);
        self.open.insert(place, column.clone());
        Ok(column)
    }

    /// Reads the SUMMARY index of a field of the schema, if the field has one that is supported and not stale.
    pub(crate) fn summary(&self, place: usize) -> Result<Option<Summary>> {
        let Some(Output::Column(column)) = self.outputs.get(place) else { return Ok(None) };
        let Some(ColumnInfo { name, spec, .. }) = self.columns.get(*column) else { return Ok(None) };
        let value = |name: &str| -> Result<Option<b2nd::Value>> {
            let Some(content) = self.meta.vlmetalayer(name)? else { return Ok(None) };
            let value = b2nd::Value::from_slice(&content);
            value.map(Some).map_err(|error| Error::damaged(format_args!("the vlmetalayer {name:?}: {error}")))
        };
        let Some(catalog) = value(CATALOG)? else { return Ok(None) };
        let epoch = value(EPOCH)?.as_ref().map_or(Some(0), b2nd::Value::as_u64);
        let index = epoch.and_then(|epoch| Described::find(&catalog, epoch, name, spec, self.live.length));
        let Some(index) = index else { return Ok(None) };
        let Some(leaf) = ColumnFile::open(&self.store, &index.path, self.options.max_memory)? else { return Ok(None) };
        let named = |error: Error| Error::new(error.kind(), format_args!("{}: {error}", index.path));
        index.read(leaf).map(Some).map_err(named)
    }

    fn read(&self, place: usize, selection: &Selection) -> Result<ArrayRef> {
        let name = self.columns.get(place).map_or("", |info| &info.name);
        let array = self.column(place)?.read(selection, &self.live);
        array.map_err(|error| error.in_table(&self.name).in_column(name))
    }

    pub(crate) fn batch(&self, projection: &[usize], schema: &SchemaRef, rows: Range<u64>) -> Result<RecordBatch> {
        let selection = self.live.select(rows).map_err(|error| error.in_table(&self.name))?;
        let array = |place: &usize| match self.outputs.get(*place) {
            Some(Output::Column(column)) => self.read(*column, &selection),
            Some(Output::Struct(parent)) => {
                let columns = parent.columns().into_iter().map(|column| self.read(column, &selection));
                parent.array(&columns.collect::<Result<Vec<_>>>()?, selection.rows).map_err(|error| error.in_table(&self.name))
            }
            None => Err(Error::new(ErrorKind::NotFound, "no such column")),
        };
        let arrays: Vec<ArrayRef> = projection.par_iter().map(array).collect::<Result<_>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(selection.rows));
        RecordBatch::try_new_with_options(schema.clone(), arrays, &options)
            .map_err(|error| Error::from(error).in_table(&self.name))
    }
}
