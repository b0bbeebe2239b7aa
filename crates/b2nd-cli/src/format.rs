//! Formats that values are written in: one file for each.

mod date;
pub(crate) mod npy;
pub(crate) mod text;
