//! What the metadata of a Blosc2 file say: as data, as JSON, as text and as a picture.
//!
//! The tool `b2nd`, the page in `web/` and the catalogue show the same things, since all of them use this crate. It knows neither
//! files nor terminals nor codecs: bytes come from a [`Source`], and compressed values go through the caller's
//! [`Decompress`](b2nd::frame::Decompress). It compiles to wasm32.
//!
//! | to | look at |
//! | --- | --- |
//! | open a frame from byte ranges | [`Frame`], [`Source`] |
//! | know what it is | [`Kind`] |
//! | turn it into JSON | [`json::frame`] |
//! | read attributes | [`attributes`], [`Value`] |
//! | find what is wrong with it | [`check`] |
//! | list what is in a store | [`store`] |
//! | show each byte of header and trailer with its meaning | [`bytes::header`], [`bytes::trailer`] |
//! | show it to a person | [`page`], [`bytes::dump`], [`picture::draw`] |
//!
//! ```
//! use b2nd_view::{Frame, json};
//!
//! let file = std::fs::read("../../tests/data/example.b2nd")?;
//! let frame = Frame::open(&file, 0)?;
//! let object = json::frame(&frame, "example.b2nd", &json::Options::default(), &mut ())?;
//! assert_eq!(object["kind"], "ndarray");
//! assert_eq!(object["array"]["shape"], serde_json::json!([10, 13, 7]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod array;
pub mod attributes;
pub mod bytes;
pub mod check;
pub mod chunks;
pub mod details;
mod frame;
pub mod json;
mod kind;
mod marker;
pub mod page;
pub mod picture;
pub mod slice;
mod source;
pub mod store;
pub mod text;
pub mod value;

pub use array::Array;
pub use frame::{Frame, Tail};
pub use kind::Kind;
pub use source::{Source, Window};
pub use value::Value;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
