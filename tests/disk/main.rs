//! Frames in files and directories: opened, edited, rewritten, written, and what a crash leaves of them.
#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

#[path = "../common/mod.rs"]
mod common;

mod edit;
mod faults;
mod files;
mod writer;
