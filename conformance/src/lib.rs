//! Test cases for everyone who reads or writes Blosc2 files, the recipes that make them, and the runner.
//!
//! | to | look at |
//! | --- | --- |
//! | know a case | [`Case`], [`Layer`] |
//! | know what a file says | [`Fact`] |
//! | make the cases again | [`recipes::all`] |
//! | write an adapter in Rust | [`adapter::main`] |
//! | ask an adapter | [`run::run`] |
//! | show what it said | [`report`] |

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
