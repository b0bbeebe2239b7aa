//! [`Inner`]: an open table, and its files.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::SchemaRef;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde_json::Value;

use crate::column::Column;
use crate::columns::{ColumnInfo, Output, columns_of, outputs_of};
use crate::error::{Error, ErrorKind, Result};
use crate::files::Files;
use crate::leaf::Leaf;
use crate::live::{Live, Selection};
use crate::pack::{Item, Pack};
use crate::place::{Store, TABLE};
use crate::summary::{CATALOG, Described, EPOCH, Summary, described};

/// The versions of schemas that are known.
const VERSIONS: std::ops::RangeInclusive<u64> = 1..=3;

/// An open table. Errors name it.
pub(crate) struct Inner {
    pub(crate) name: String,
    pub(crate) store: Arc<Store>,
    /// With `/` at its end, or empty.
    pub(crate) folder: String,
    pub(crate) live: Live,
    pub(crate) columns: Vec<ColumnInfo>,
    /// The source of each field of the schema.
    pub(crate) outputs: Vec<Output>,
    pub(crate) schema: SchemaRef,
    /// The files of columns that have been read.
    pub(crate) open: Vec<OnceLock<Column>>,
    pub(crate) metadata: Value,
    /// The frame that has the metadata, and the catalog of indexes.
    meta: Leaf,
}

impl Inner {
    pub(crate) fn open(store: Arc<Store>, folder: String, name: String, objects: bool) -> Result<Inner> {
        let leaf = |file: &str| -> Result<Leaf> {
            let path = format!("{folder}{file}");
            let source = store
                .member(&path)?
                .ok_or_else(|| Error::new(ErrorKind::NotFound, format_args!("no table: {path:?} is missing")))?;
            Leaf::open(source).map_err(|error| Error::new(error.kind(), format_args!("{path}: {error}")))
        };
        let meta = leaf(TABLE)?;
        let schema = meta.vlmetalayer("schema")?.ok_or_else(|| Error::damaged("_meta.b2f has no vlmetalayer \"schema\""))?;
        let text = match Pack::new(&schema).next()? {
            Item::String(text) => {
                std::str::from_utf8(text).map_err(|error| Error::damaged(format_args!("the schema: {error}")))?
            }
            item => return Err(Error::damaged(format_args!("the schema: expected text, found {item}"))),
        };
        let metadata = b2nd_store::json::parse(text).map_err(|error| Error::damaged(format_args!("the schema: {error}")))?;
        match metadata.get("version").and_then(Value::as_u64) {
            Some(version) if VERSIONS.contains(&version) => {}
            version => {
                let found = version.map_or("none".to_owned(), |version| version.to_string());
                return Err(Error::damaged(format_args!("the schema's version: expected 1 to 3, found {found}")));
            }
        }
        let columns = columns_of(&metadata, objects)?;
        let (outputs, schema) = outputs_of(&columns, &metadata)?;
        let live = leaf("_valid_rows.b2nd").and_then(|leaf| Live::open(&leaf));
        let live = live.map_err(|error| Error::new(error.kind(), format_args!("_valid_rows: {error}")))?;
        let open = columns.iter().map(|_| OnceLock::new()).collect();
        Ok(Inner { name, store, folder, live, columns, outputs, schema, open, metadata, meta })
    }

    pub(crate) fn column(&self, place: usize) -> Result<&Column> {
        let (Some(cell), Some(info)) = (self.open.get(place), self.columns.get(place)) else {
            return Err(Error::new(ErrorKind::NotFound, "no such column"));
        };
        if let Some(column) = cell.get() {
            return Ok(column);
        }
        let open = || match (&info.spec, &info.data_type) {
            (Some(spec), Ok(_)) => {
                let place = Files { store: &self.store, folder: &self.folder, name: &info.name, rows: self.live.length() };
                Column::open(&place, spec)
            }
            (_, Err(why)) => Err(Error::new(ErrorKind::Refused, why)),
            (None, Ok(_)) => Err(Error::damaged("nothing says how it is stored")),
        };
        let column = open().map_err(|error| error.in_table(&self.name).in_column(&info.name))?;
        Ok(cell.get_or_init(|| column))
    }

    /// The SUMMARY index of a column, if it has one that is not stale.
    pub(crate) fn summary(&self, place: usize) -> Result<Option<Summary>> {
        let column = match self.outputs.get(place) {
            Some(Output::Column(column)) => self.columns.get(*column),
            _ => None,
        };
        let Some((name, spec)) = column.and_then(|column| Some((&column.name, column.spec.as_ref()?))) else { return Ok(None) };
        let value = |name: &str| self.meta.vlmetalayer(name)?.map(|content| described(name, &content)).transpose();
        let Some(catalog) = value(CATALOG)? else { return Ok(None) };
        let epoch = value(EPOCH)?.as_ref().map_or(Some(0), b2nd::Value::as_u64);
        let index = epoch.and_then(|epoch| Described::find(&catalog, epoch, name, spec, self.live.length()));
        let Some(index) = index else { return Ok(None) };
        let Some(source) = self.store.member(&index.path)? else { return Ok(None) };
        let named = |error: Error| Error::new(error.kind(), format_args!("{}: {error}", index.path));
        Leaf::open(source).and_then(|leaf| index.read(leaf)).map(Some).map_err(named)
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
            Some(Output::Parent(parent)) => {
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
