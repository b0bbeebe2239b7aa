//! Two modules for the page, which read pieces of files: without a feature, the metadata ([`reader::Reader`], from
//! `b2nd-view`); with the feature `values`, the values ([`values::Values`], from `b2nd-ndarray`).

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
