//! Is a Blosc2 file sound, is it safe for C-Blosc2, and what of it can be saved?
//!
//! | to | look at |
//! | --- | --- |
//! | find what is wrong with a frame, a store or a table | [`check`] |
//! | let only good bytes go on to C-Blosc2 | [`verify()`] |
//! | find damage that still decodes | [`check::Digests`] |
//! | keep what is whole of a broken frame | [`salvage`] |
//!
//! It compiles to wasm32.

pub mod check;
pub mod salvage;
mod verify;

pub use check::Limits;
pub use verify::{Report, verify, verify_with};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
