//! Tests of array metalayers (`src/array`).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

#[path = "../common/mod.rs"]
mod common;

mod dtype_api;
mod dtype_messages;
mod dtype_numpy;
mod dtype_random;
mod grid;
mod grid_pack;
mod grid_reference;
mod layouts;
mod readable;
