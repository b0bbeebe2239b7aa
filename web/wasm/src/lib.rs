//! Two WebAssembly modules with which the page reads pieces of files. Without features, this crate compiles to the module that reads
//! metadata ([`reader::Reader`], with `b2nd-view`). With the feature `values`, it compiles to the module that reads values
//! ([`values::Values`], with `b2nd-ndarray`).

mod answer;
mod pieces;

#[cfg(not(feature = "values"))]
mod bytes;
#[cfg(not(feature = "values"))]
mod chunk;
#[cfg(not(feature = "values"))]
pub mod reader;
#[cfg(not(feature = "values"))]
mod store;
#[cfg(feature = "values")]
pub mod values;
