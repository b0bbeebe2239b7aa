//! The surroundings of the library: its examples, its package, its list of public items; that no files import in circles, that docs
//! come to the point, and that the map for contributors is true.
#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

mod circles;
mod examples;
mod packaging;
mod prose;
mod rooms;
mod stability;
