#![doc = include_str!("../README.md")]
//!
//! ## What to use
//!
//! | to | use |
//! | --- | --- |
//! | open a frame from byte ranges | [`Frame`], [`Source`] |
//! | determine the kind of a frame | [`Kind`] |
//! | describe a frame as JSON | [`json::frame`] |
//! | read attributes | [`attributes`], [`value`] |
//! | list the leaves of a store | [`store`] |
//! | show the bytes of a header or a trailer with their meaning | [`bytes::header`], [`bytes::trailer`] |
//! | read elements as text, JSON and numbers, and compute their statistics | [`elements`] |
//! | draw values | [`pixels`], [`histogram`] |
//! | show a frame to a person | [`page`], [`facts`], [`bytes::dump`], [`picture::draw`] |

pub mod bytes;
mod chunk_table;
pub mod colors;
pub mod details;
pub mod elements;
pub mod facts;
pub mod histogram;
pub mod json;
pub mod page;
pub mod picture;
pub mod pixels;
pub mod slice;
pub mod text;

pub use b2nd_store::{Array, Frame, Kind, Source, Window, attributes, value};

/// The contents of stores, and stores as JSON.
pub mod store {
    pub use crate::json::StoreObject;
    pub use b2nd_store::{Attributes, Content, Folder, Leaf, StoreListing, Table, Zip, embedded, is_frame, is_zip, list};
}
