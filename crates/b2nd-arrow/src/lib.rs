#![doc = include_str!("../README.md")]
//!
//! ## What to use
//!
//! | to | use |
//! | --- | --- |
//! | open the table of a `.b2z`, a `.b2d`, or a `.b2e` | [`Table::open`] |
//! | open one of several tables of a store | [`Store::tables`], [`Table::from_store`] |
//! | read a table from any source of bytes | [`Store::from_source`] |
//! | get the Arrow schema of a table, and the columns that are not in it | [`Table::schema`], [`Table::columns`] |
//! | write batches as Arrow, Parquet, CSV or JSON, or format them as a text table | `Format`, `TextTable` (feature `export`) |
//! | read some columns of some rows | [`Table::project`], [`Table::read`] |
//! | read an array as if it were a table | [`ArrayReader`] |
//! | read the values of a single `.b2b` file | [`CellReader`] |
//! | read the values of a single `.b2b` file as JSON, without code for Arrow arrays | [`JsonCells`] |
//! | split columns into scalars, to compute statistics | [`scalars`] |
//! | find the rows that may contain a value, without reading them | [`Table::summary`] |

mod array_reader;
mod cell_reader;
mod column;
mod error;
#[cfg(feature = "export")]
mod export;
mod json_cells;
mod live_rows;
mod open_table;
mod reader;
mod scalars;
mod schema;
mod single_column;
mod summary;
mod table;

pub use array_reader::ArrayReader;
pub use arrow_array::{RecordBatch, RecordBatchReader};
pub use arrow_schema::SchemaRef;
pub use b2nd_store::Store;
pub use cell_reader::CellReader;
pub use error::{Error, ErrorKind, Result};
#[cfg(feature = "export")]
pub use export::{Format, pretty::TextTable};
pub use json_cells::JsonCells;
pub use open_table::TableOptions;
pub use reader::{BATCH_SIZE, TableReader};
pub use scalars::{Content, Scalars, scalars};
pub use schema::ColumnInfo;

pub use summary::Summary;
pub use table::Table;

/// Functions that fuzz targets call.
#[doc(hidden)]
pub use column::ipc::{column as ipc_column, values as ipc_values};

/// The repository's first page, which has examples of `b2nd`, b2nd-frame, b2nd-ndarray and this crate.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct FirstPage;
