//! The surroundings of the library: its examples, its package, its list of public items; that no file imports from a higher floor, and
//! that the map for contributors is true.
#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

mod examples;
mod floors;
mod packaging;
mod rooms;
mod stability;
