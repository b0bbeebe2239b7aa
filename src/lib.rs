//! serde format
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod array;
mod de;
mod error;
pub mod frame;
mod mark;
mod ser;
mod sink;
mod wire;
pub mod with;

pub use array::{ArrayMeta, B2ndMeta, CatervaMeta, Geometry, LegacyB2ndMeta, Metalayer, dtype};
#[cfg(feature = "std")]
pub use de::from_reader;
pub use de::{Deserializer, from_slice, take_from_slice};
pub use error::{Error, ErrorKind, Result};
#[cfg(feature = "std")]
pub use ser::to_writer;
pub use ser::{Serializer, serialized_len, to_slice, to_vec};
pub use sink::Sink;
