//! Tests that run the tool. `harness.rs` runs it.
#![allow(clippy::unwrap_used, clippy::panic)]

mod arguments;
mod cat;
mod check;
mod check_data;
mod chunks;
mod concat;
mod diff;
mod draw;
mod early_frame;
mod harness;
#[cfg(feature = "hdf5")]
mod hdf5;
mod hex;
mod import;
mod info;
mod ls;
mod manners;
mod meta;
mod readme;
mod remote;
mod repack;
mod rewrite;
mod salvage;
#[cfg(target_os = "linux")]
mod screens;
mod show;
mod stats;
mod stores;
#[cfg(feature = "arrow")]
mod tables;
mod upgrade;
#[cfg(all(feature = "page", unix))]
mod view;
#[cfg(feature = "zarr")]
mod zarr;
