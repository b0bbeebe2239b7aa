//! Test cases for programs that read or write Blosc2 files, the recipes that create the cases, and the runner.
//!
//! | task | item |
//! | --- | --- |
//! | read a case | [`Case`], [`Layer`] |
//! | represent the contents of a file | [`Fact`] |
//! | create the cases | [`recipes::all`] |
//! | write an adapter in Rust | [`adapter::main`] |
//! | run an adapter | [`run::run`] |
//! | show the results | [`report`] |

pub mod adapter;
mod case;
mod differ;
mod fact;
pub mod recipes;
pub mod report;
pub mod run;

pub use case::{Case, Content, Layer, Made, Part, Verdict};
pub use differ::{Differ, Does};
pub use fact::{Fact, hex, quoted};
