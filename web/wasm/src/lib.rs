//! Two WebAssembly modules with which the page reads pieces of files. Without features, this crate compiles to the module that reads
//! metadata ([`reader::Reader`]). With the feature `values`, it compiles to the module that reads values ([`values::Values`]). Both pass the
//! page's questions on to `b2nd-page`.

mod pieces;

#[cfg(not(feature = "values"))]
pub mod reader;
#[cfg(feature = "values")]
pub mod values;
