//! This crate is empty: see `Cargo.toml`.
