//! Tests of the serde format and of values. `tests/README.md` lists the modules.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]
#![allow(clippy::large_enum_variant, reason = "a test's value lives for a moment")]

#[path = "../common/mod.rs"]
mod common;

#[cfg(feature = "arbitrary")]
mod arbitrary;
mod derive;
mod errors;
#[cfg(feature = "msgpack")]
mod layout;
#[cfg(feature = "msgpack")]
mod layout_array;
mod lengths;
mod limits;
mod markers;
mod other_formats;
mod properties;
mod truncation;
mod value;
mod value_forms;
mod with;
