//! The surroundings of the library: its examples, its package, its list of public items; that no file imports from a higher level, and
//! that the files that CONTRIBUTING.md names exist.
#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

mod examples;
mod files;
mod levels;
mod packaging;
mod stability;
