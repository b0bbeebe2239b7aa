//! Files of real writers, in `tests/data` and in the directory that the variable `B2ND_CORPUS` names.
#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

#[path = "../common/mod.rs"]
mod common;

mod every_byte;
mod frames;
mod headers;
