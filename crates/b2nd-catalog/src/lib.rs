//! Collects the metadata of many Blosc2 files, local or remote, in one Parquet file, and queries it with SQL.
//!
//! | task | module |
//! | --- | --- |
//! | scan files into a catalogue | [`job`] |
//! | list files | [`listing`], [`place`] |
//! | read many files at the same time | [`scan`], [`read`] |
//! | look up the columns of a catalogue | [`row`], [`columns`] |
//! | write a catalogue | [`catalog`] |
//! | find the files that have changed since the last scan (`--update`) | [`update`] |
//! | query catalogues and files with SQL | `sql`, `live` |
//! | query tables of python-blosc2 with SQL, also in other programs that use DataFusion | `tables` |

pub mod catalog;
pub mod columns;
pub mod job;
pub mod listing;
#[cfg(feature = "sql")]
pub mod live;
pub mod place;
pub mod read;
mod remote;
pub mod row;
pub mod scan;
#[cfg(feature = "sql")]
pub mod sql;
#[cfg(feature = "sql")]
pub mod tables;
pub mod update;
