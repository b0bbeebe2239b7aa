#![doc = include_str!("../README.md")]
//!
//! ## What to use
//!
//! | to | use |
//! | --- | --- |
//! | find the errors in a frame | [`check`] |
//! | find the errors in a store or a table, apart from those in its frames | [`check_store`], [`check_crcs`], [`check_table`] |
//! | read the values of a table, or of a frame in Arrow IPC (feature `arrow`) | [`check_rows`], [`check_values`] |
//! | decide whether a file is safe to open with C-Blosc2 or python-blosc2 | [`verify()`] |
//! | find damaged chunks that can still be decoded | [`Digests`] |
//! | copy the intact parts of a damaged frame | [`salvage`] |

mod check;

mod gate;
mod known_defects;
mod reader;
pub mod salvage;
mod values;

pub use check::{CheckOptions, Digests, Finding, Limits, check_crcs, check_file, check_store, check_table};
pub use gate::{Report, check, check_frame, verify};
pub use known_defects::{Does, FACTS, Fact};
pub use reader::{Library, Reader};
pub use values::{check_rows, check_values};
