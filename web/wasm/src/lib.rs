//! Two modules for the page, from pieces of files that it is given: without a feature what files say ([`reader::Reader`], from
//! `b2nd-view`), with the feature `values` what is in them ([`values::Values`], from `b2nd-ndarray`).

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
