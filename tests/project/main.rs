//! Tests of the project: its examples, its package, its list of public items, the levels of its modules, and the files that
//! CONTRIBUTING.md names.
#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

mod examples;
mod files;
mod levels;
mod packaging;
mod stability;
