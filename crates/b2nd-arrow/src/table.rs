//! [`Table`]: an open table.

use std::collections::VecDeque;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use arrow_schema::{DataType, Schema, SchemaRef};
use serde_json::Value;

use crate::column::nulls::Nulls;
use crate::error::{Error, ErrorKind, Result};
use crate::open_table::{OpenTable, TableOptions};
use crate::reader::{BATCH_SIZE, TableReader};
use crate::schema::spec::Kind;
use crate::schema::{ColumnInfo, Output};
use crate::summary::Summary;
use b2nd_store::Store;

/// The approximate maximum length of a column in a batch, in bytes.
pub(crate) const BATCH_BYTES: u64 = 1 << 26;

/// The maximum length of a mask file that is read to count nulls, in bytes.
const MASK: u64 = 1 << 20;

/// The maximum number of rows of a table whose masks are read to count nulls.
const MASKED: u64 = 1 << 26;

/// A table: the rows of a `CTable` of python-blosc2.
///
/// Opening reads the schema and the live rows. The files of a column are opened when they are first needed. Clones share open files.
///
/// ```
/// use b2nd_arrow::Table;
///
/// let table = Table::open("tests/data/kinds.b2z")?;
/// println!("{} rows of {}", table.rows(), table.schema());
/// for batch in table.read(&table.project(["i", "u"])?, 0..3, 1024)? {
///     println!("{} rows", batch?.num_rows());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Table(Arc<OpenTable>);

impl Table {
    /// Opens the only table of a store: a `.b2z`, a `.b2d`, or a `.b2e` from `to_cframe()`.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be opened or holds no table, if it holds several tables and is not a table itself, or if the table's
    /// metadata (such as the schema or the list of live rows) cannot be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Table> {
        let path = path.as_ref();
        Table::only(Store::open(path).map_err(|error| Error::from(error).in_table(&path.display().to_string()))?)
    }

    /// Opens the only table of an open store.
    ///
    /// # Errors
    ///
    /// Fails if the store holds no table, if it holds several tables and is not a table itself, or if the table's metadata (such as the
    /// schema or the list of live rows) cannot be read.
    pub fn only(store: impl Into<Arc<Store>>) -> Result<Table> {
        let store = store.into();
        let tables = store.tables().map_err(|error| Error::from(error).in_table(store.name()))?;
        match tables.as_slice() {
            [] => Err(Error::new(ErrorKind::NotFound, "it contains no table").in_table(store.name())),
            [key] => Table::from_store(store, key),
            [root, ..] if root == "/" => Table::from_store(store, "/"),
            keys => {
                let message = format!("it holds {} tables; choose one of them: {}", keys.len(), keys.join(", "));
                Err(Error::new(ErrorKind::NotFound, message).in_table(store.name()))
            }
        }
    }

    /// Opens the table with this key in a store: `/group/name`, or `/` if the store itself is a table.
    ///
    /// # Errors
    ///
    /// Fails if there is no table with this key, or if the table's metadata (such as the schema or the list of live rows) cannot be
    /// read.
    pub fn from_store(store: impl Into<Arc<Store>>, key: &str) -> Result<Table> {
        let store = store.into();
        let key = key.trim_matches('/');
        let folder = if key.is_empty() { String::new() } else { format!("{key}/") };
        let name = if key.is_empty() { store.name().to_owned() } else { format!("{}::/{key}", store.name()) };
        Table::opened(store, folder, name, TableOptions::default())
    }

    fn opened(store: Arc<Store>, folder: String, name: String, options: TableOptions) -> Result<Table> {
        let table = OpenTable::open(store, folder, name.clone(), options).map_err(|error| error.in_table(&name))?;
        Ok(Table(Arc::new(table)))
    }

    /// Opens the table again, so that columns of kind `object` are read as text: each value is JSON in the form of `b2nd::Value`.
    ///
    /// ```
    /// use b2nd_arrow::Table;
    ///
    /// let table = Table::open("tests/data/refused.b2z")?;
    /// assert!(table.project(["o"]).is_err());
    /// assert!(table.with_objects()?.project(["o"]).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`from_store`](Table::from_store).
    pub fn with_objects(&self) -> Result<Table> {
        self.with(TableOptions { objects: true, ..self.0.options })
    }

    /// Opens the table again, with these options.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`from_store`](Table::from_store). Also fails if the schema is longer than the options' `max_memory`.
    pub fn with(&self, options: TableOptions) -> Result<Table> {
        let OpenTable { store, folder, name, .. } = &*self.0;
        Table::opened(store.clone(), folder.clone(), name.clone(), options)
    }

    /// Returns the name that errors begin with: the name of the store (usually a path or URL), and the table's key unless it is `/`.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the Arrow schema. It equals the schema of python-blosc2's `to_arrow()`, without the columns for which
    /// [`ColumnInfo::data_type`] returns an error and the structs that contain such a column. `to_arrow()` rejects complex numbers and
    /// objects; here, complex numbers are structs of two floats, and objects are JSON text if they are read.
    pub fn schema(&self) -> SchemaRef {
        self.0.schema.clone()
    }

    /// Returns the number of live rows, that is, rows that were added and not deleted.
    pub fn rows(&self) -> u64 {
        self.0.live.rows
    }

    /// Returns the number of physical rows, that is, all rows in the files, including deleted rows and space for later rows.
    pub fn physical_rows(&self) -> u64 {
        self.0.live.length
    }

    /// Returns all columns of the table's own schema, including those without an Arrow type. Computed columns come last.
    pub fn columns(&self) -> &[ColumnInfo] {
        &self.0.columns
    }

    /// Returns the schema as python-blosc2 stores it. NaN and infinities, which JSON lacks, are objects with the key `float`.
    pub fn metadata(&self) -> &Value {
        &self.0.metadata
    }

    /// Returns the indices of the fields with these names in [`schema`](Table::schema).
    ///
    /// # Errors
    ///
    /// Fails if a name is not in the schema, for example because the column has no Arrow type or is only a part of a struct.
    pub fn project<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Result<Vec<usize>> {
        names.into_iter().map(|name| self.place(name)).collect()
    }

    fn place(&self, name: &str) -> Result<usize> {
        if let Some((place, _)) = self.0.schema.column_with_name(name) {
            return Ok(place);
        }
        let parent = |output: &Output| matches!(output, Output::Struct(parent) if parent.has(name));
        let error = match self.0.columns.iter().find(|column| column.name == name) {
            Some(ColumnInfo { data_type: Err(why), .. }) => Error::new(ErrorKind::Refused, why).in_column(name),
            _ => match self.0.outputs.iter().position(parent).and_then(|place| self.0.schema.fields().get(place)) {
                Some(field) => {
                    let message = format!("column {name:?} is a part of the struct {0:?}: read {0:?} instead", field.name());
                    Error::new(ErrorKind::NotFound, message)
                }
                None => {
                    let all: Vec<_> = self.0.schema.fields().iter().map(|field| field.name()).collect();
                    Error::new(ErrorKind::NotFound, format_args!("there is no readable column {name:?}: expected one of {all:?}"))
                }
            },
        };
        Err(error.in_table(&self.0.name))
    }

    /// Reads rows of some columns, in batches of at most `batch_size` rows (0 counts as 1). `projection` holds indices of fields in
    /// [`schema`](Table::schema). `rows` counts live rows from 0, and can extend past the end of the table.
    ///
    /// Columns that are not in `projection` are not read, and usually neither are chunks before or after the rows, except the
    /// values of dictionaries. The columns of a batch, and as many batches as there are threads, are read in parallel. A batch can
    /// have fewer rows, for example if rows are long, or so that it ends at the end of a block.
    ///
    /// # Errors
    ///
    /// Fails if an index is not in the schema, or if a column's files cannot be opened or the values of its dictionary cannot be read. If
    /// other values cannot be read, the reader returns the error when it reaches them.
    pub fn read(&self, projection: &[usize], rows: Range<u64>, batch_size: usize) -> Result<TableReader> {
        let fields = projection.iter().map(|&place| match self.0.schema.fields().get(place) {
            Some(field) => Ok(field.clone()),
            None => {
                let message = format!("column index {place}: expected an index below {}", self.0.schema.fields().len());
                Err(Error::new(ErrorKind::NotFound, message).in_table(&self.0.name))
            }
        });
        let schema = Schema::new_with_metadata(fields.collect::<Result<Vec<_>>>()?, self.0.schema.metadata().clone());
        // Estimates the number of rows with which a batch stays below `BATCH_BYTES` for each column, and below the memory limit.
        let physical = self.physical_rows().max(1);
        let lengths = projection.iter().map(|&place| self.sizes(place).map(|(_, plain)| plain / physical));
        let lengths = lengths.collect::<Result<Vec<_>>>()?;
        let longest = lengths.iter().copied().max().unwrap_or(0);
        // All threads read batches at the same time, and a batch needs about twice its final memory while it is built.
        let most = self.0.options.max_memory / (2 * rayon::current_num_threads() as u64);
        let fitting = (BATCH_BYTES / longest.max(1)).min(most / lengths.iter().sum::<u64>().max(1));
        let fitting = usize::try_from(fitting).unwrap_or(usize::MAX).max(1);
        let block = projection.iter().filter_map(|&place| self.block(place)).max();
        Ok(TableReader {
            table: self.0.clone(),
            projection: projection.to_vec(),
            schema: schema.into(),
            rows: rows.start.min(self.rows())..rows.end.min(self.rows()),
            batch_size: batch_size.min(fitting).max(1),
            most: fitting,
            block,
            ready: VecDeque::new(),
            parallel: rayon::current_num_threads(),
        })
    }

    /// Reads all rows of all fields of [`schema`](Table::schema).
    ///
    /// # Errors
    ///
    /// Returns the errors of [`read`](Table::read).
    pub fn read_all(&self) -> Result<TableReader> {
        let all: Vec<usize> = (0..self.0.outputs.len()).collect();
        self.read(&all, 0..self.rows(), BATCH_SIZE)
    }

    /// Reads all values of all fields of [`schema`](Table::schema), and returns the first error of each field. A field that was not read
    /// completely before the deadline counts as an error.
    pub fn verify_until(&self, deadline: Option<Instant>) -> Vec<Error> {
        let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let late = || Error::new(ErrorKind::Refused, "its values could not be read within the time limit").in_table(&self.0.name);
        let too_late = |place| late().in_column(self.0.schema.field(place).name());
        let first = |place| match self.read(&[place], 0..self.rows(), BATCH_SIZE) {
            Ok(mut reader) => std::iter::from_fn(|| match is_late() {
                true => Some(Err(too_late(place))),
                false => reader.next_batch(),
            })
            .find_map(Result::err),
            Err(error) => Some(error),
        };
        (0..self.0.outputs.len()).filter_map(first).collect()
    }

    /// Counts the live rows before a physical row. This converts a row of a [`Summary`], which is a physical row, to a live row.
    ///
    /// # Errors
    ///
    /// Fails if the file of the live rows cannot be read.
    pub fn live_before(&self, physical: u64) -> Result<u64> {
        self.0.live.before(physical).map_err(|error| error.in_table(&self.0.name))
    }

    /// Returns the min and max of each segment (a range of physical rows) of a field. `place` is the index of the field in
    /// [`schema`](Table::schema). Returns `None` if the field has no index that can be used, for example because the index is stale.
    ///
    /// By default, python-blosc2 4.14.1 makes SUMMARY indexes for columns of numbers, bools and times when it first closes a table, and
    /// marks them as stale when values change. A segment whose range from min to max matches a condition can also contain rows that do not
    /// match the condition.
    ///
    /// ```
    /// use b2nd_arrow::Table;
    ///
    /// let table = Table::open("tests/data/kinds.b2z")?;
    /// let summary = table.summary(table.project(["i"])?[0])?.unwrap();
    /// assert_eq!((summary.len(), summary.rows(0)), (1, 0..7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the index cannot be read.
    pub fn summary(&self, place: usize) -> Result<Option<Summary>> {
        self.0.summary(place).map_err(|error| error.in_table(&self.0.name))
    }

    /// Returns the length of the files and the length of the uncompressed values of a field, both in bytes. Values include the padding of
    /// chunks and the offsets of a `utf8` column, and exclude masks of nulls. The values of a dictionary and the mask of a `utf8` column
    /// are not counted at all. `place` is the index of the field in [`schema`](Table::schema).
    ///
    /// # Errors
    ///
    /// Fails if the column's files cannot be opened or the values of its dictionary cannot be read.
    pub fn sizes(&self, place: usize) -> Result<(u64, u64)> {
        self.columns_of(place).into_iter().try_fold((0, 0), |(packed, plain), column| {
            let (more, values) = self.0.column(column)?.sizes();
            Ok((packed + more, plain + values))
        })
    }

    /// Returns the number of physical rows per block of a field of the schema, if its values have a fixed width. For a struct, this is the
    /// maximum of its columns.
    fn block(&self, place: usize) -> Option<u64> {
        self.columns_of(place).into_iter().filter_map(|column| self.0.column(column).ok()?.block()).max()
    }

    /// Returns the indices of the table's columns that make up a field of the schema.
    fn columns_of(&self, place: usize) -> Vec<usize> {
        match self.0.outputs.get(place) {
            Some(Output::Column(column)) => vec![*column],
            Some(Output::Struct(parent)) => parent.columns(),
            None => vec![],
        }
    }

    /// Returns the number of nulls among the live rows of a column, or `None` if the number is not known without reading the values or a
    /// long mask. It is known if a column of fixed width or of kind `utf8` cannot have nulls, or if its nulls
    /// are in a mask file of at most 1 MiB and the table has at most 2^26 rows. It is never known for columns of kind `timestamp`, in which
    /// NaT can be null. `column` is an index in [`columns`](Table::columns).
    ///
    /// ```
    /// use b2nd_arrow::Table;
    ///
    /// let table = Table::open("tests/data/kinds.b2z")?;
    /// let count = |name: &str| table.null_count(table.columns().iter().position(|column| column.name() == name).unwrap());
    /// // The nulls of `u` are stored as a mask, those of `f` as a value.
    /// assert_eq!((count("u")?, count("f")?), (Some(2), None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read.
    pub fn null_count(&self, column: usize) -> Result<Option<u64>> {
        let info = self.0.columns.get(column).filter(|info| info.data_type.is_ok());
        match info.map(|info| (&info.spec.kind, &info.spec.nulls)) {
            // A NaT can be null whatever the schema says, so the values of times would have to be read.
            None | Some((Kind::Element(DataType::Timestamp(..)), _)) => Ok(None),
            Some((Kind::Element(_) | Kind::NdArray(..) | Kind::Utf8, Nulls::None)) => Ok(Some(0)),
            Some((_, Nulls::Mask)) => match self.0.column(column)?.mask() {
                None => Ok(Some(0)),
                Some(mask) if mask.sizes().0 > MASK || self.rows() > MASKED => Ok(None),
                Some(mask) => {
                    let named = |error: Error| error.in_table(&self.0.name).in_column(info.map_or("", |info| &info.name));
                    let starts = (0..self.rows()).step_by(BATCH_SIZE);
                    let nulls = starts.map(|start| {
                        let rows = self.0.live.select(start..start.saturating_add(BATCH_SIZE as u64).min(self.rows()))?;
                        Ok(mask.read(&rows)?.iter().filter(|&&valid| valid == 0).count() as u64)
                    });
                    nulls.sum::<Result<u64>>().map(Some).map_err(named)
                }
            },
            Some(_) => Ok(None),
        }
    }

    /// Returns the length of the files and the length of the uncompressed values of a column, both in bytes, as [`sizes`](Table::sizes)
    /// does for a field. `column` is an index in [`columns`](Table::columns).
    ///
    /// # Errors
    ///
    /// Fails if there is no such column, if [`ColumnInfo::data_type`] returns an error for it, or if its files cannot be opened or the
    /// values of its dictionary cannot be read.
    pub fn column_sizes(&self, column: usize) -> Result<(u64, u64)> {
        self.0.column(column).map(|column| column.sizes())
    }
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Table").field("name", &self.0.name).field("rows", &self.rows()).finish_non_exhaustive()
    }
}
