//! Generic MessagePack, as Python writes it: integers have their shortest form, and structs are maps with the names of their fields.
//!
//! python-blosc2 stores vlmetalayers (variable-length metalayers), and all metalayers except those of arrays, in this form. For a field of
//! a struct that is otherwise in the format of this crate, use [`with::named`](crate::with::named). [`Cursor`] reads content of any type,
//! one marker after the other.

mod cursor;
#[cfg(feature = "msgpack")]
mod rmp;

pub use crate::marker::name as marker_name;
pub use cursor::{Cursor, Token};
#[cfg(feature = "msgpack")]
pub(crate) use rmp::decode;
#[cfg(feature = "msgpack")]
#[cfg_attr(docsrs, doc(cfg(feature = "msgpack")))]
pub use rmp::{from_slice, take_from_slice, to_vec};
