//! Files that real programs wrote: those in `tests/data`, and those in the directory that `B2ND_CORPUS` names.
#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

#[path = "../common/mod.rs"]
mod common;

mod every_byte;
mod frames;
mod headers;
