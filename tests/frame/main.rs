//! The container in memory: `src/frame` without its files.
#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

#[path = "../common/mod.rs"]
mod common;

mod bad_frames;
mod chunks;
mod corrupt;
mod headers;
mod index;
mod kinds;
#[cfg(feature = "msgpack")]
mod msgpack;
mod names;
mod pieces;
mod regressions;
mod sources;
