//! Collects the metadata of many Blosc2 files, local or remote, in one Parquet file, and queries it with SQL.
//!
//! | to | look at |
//! | --- | --- |
//! | scan into a catalogue | [`job`] |
//! | list files | [`listing`], [`place`] |
//! | read them, many in flight | [`scan`], [`read`] |
//! | know the columns | [`row`], [`columns`] |
//! | write and update a catalogue | [`catalog`] |
//! | have a cluster scan | `cluster` |
//! | ask in SQL | `sql`, `live` |
//! | ask tables of python-blosc2 in SQL, here or in another program with DataFusion | `tables` |

pub mod catalog;
#[cfg(feature = "ballista")]
pub mod cluster;
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
mod spawned;
#[cfg(feature = "sql")]
pub mod sql;
#[cfg(feature = "sql")]
pub mod tables;
