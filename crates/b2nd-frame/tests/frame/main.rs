//! Tests of the modules other than `disk`.
#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

#[path = "../common/mod.rs"]
mod common;

mod bad_frames;
mod chunks;
mod corrupt;
mod errors;
mod grid_reference;
mod headers;
mod index;
mod kinds;
mod msgpack;
mod names;
mod other_formats;
mod pieces;
mod properties;
mod regressions;
mod sources;
mod truncation;
