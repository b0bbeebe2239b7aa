//! The page that shows Blosc2 files in a browser: its [`FILES`], and the answers to its questions.
//!
//! | to | use |
//! | --- | --- |
//! | choose the file or the folder that the page shows | [`Shown`] |
//! | answer questions about metadata | [`MetadataReader`] |
//! | answer questions about values | `ValueReader` (feature `values`) |
//! | answer all questions about a file or a folder whose bytes can be read at any time | `Session` (feature `values`) |
//!
//! Answers are JSON, or bytes that contain JSON and buffers. In WebAssembly, where the bytes of a file are fetched piece by piece, a
//! question is asked again until no bytes are missing. The README has an example with a `Session`.

mod answer;
mod bytes;
mod chunk;
mod metadata_reader;
#[cfg(feature = "values")]
mod session;
mod shown;
mod store;
#[cfg(feature = "values")]
mod value_reader;

pub use metadata_reader::MetadataReader;
#[cfg(feature = "values")]
pub use session::{Answer, Session};
pub use shown::Shown;
#[cfg(feature = "values")]
pub use value_reader::{ValueReader, View};

/// The name and the content of each file of the page.
pub const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

#[cfg(all(doctest, feature = "values"))]
#[doc = include_str!("../README.md")]
struct Readme;
