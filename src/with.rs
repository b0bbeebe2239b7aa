//! Modules for `#[serde(with = "…")]`, which choose an encoding other than the default for a field's type.
//!
//! | module | encoding | type of the field |
//! | --- | --- | --- |
//! | [`fixstr`] | `a0`..`bf`, then at most 31 bytes | a string |
//! | [`fixstr_bytes`] | the same | bytes, UTF-8 or not (`serde_bytes`) |
//! | [`fixext16`] | `d8`, a type, 16 bytes | 17 bytes, the type first (`serde_bytes`) |
//! | [`array16`] | `dc`, a uint16, then the elements | a sequence, tuple or struct of any count |
//! | [`map16`] | `de`, a uint16, then the entries | a map of any count |
//! | [`numbers`] | the same as without this module | a list of numbers, encoded in fewer instructions |
//! | [`named`] | generic MessagePack, with the names of fields | any value, as Python writes it |
//! | [`extensible`] | the same as without this module | a struct that may have more fields in later versions |
//! | [`embedded`] | `c6`, a length, then a value in this crate's format | any value |
//!
//! Options and newtypes of these types work too. Other serde formats see the plain value, except with [`embedded`].
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
//! struct Frame {
//!     #[serde(with = "b2nd::with::fixstr")]
//!     magic: String,
//!     #[serde(with = "b2nd::with::map16")]
//!     offsets: BTreeMap<String, i32>,
//! }
//!
//! let frame = Frame { magic: "b2frame\0".into(), offsets: BTreeMap::new() };
//! let bytes = b2nd::to_vec(&frame)?;
//! assert_eq!(bytes, b"\x92\xa8b2frame\0\xde\0\0");
//! assert_eq!(b2nd::from_slice::<Frame>(&bytes)?, frame);
//! # Ok::<(), b2nd::Error>(())
//! ```

use core::fmt;
use core::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Visitor};

pub mod embedded;
#[cfg(feature = "msgpack")]
#[cfg_attr(docsrs, doc(cfg(feature = "msgpack")))]
pub mod named;
pub mod numbers;

/// The visitor of a marked value. It decodes the value inside the newtype.
pub(crate) struct Marked<T>(PhantomData<T>);

impl<T> Marked<T> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Marked(PhantomData)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Marked<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a newtype")
    }

    #[inline(always)]
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        T::deserialize(deserializer)
    }
}

/// Defines modules for values of any type that serializes in the form that the mark requires.
macro_rules! modules {
    ($($(#[$doc:meta])* $module:ident $mark:ident;)*) => {
        $(
            $(#[$doc])*
            pub mod $module {
                use serde::{Deserialize, Deserializer, Serialize, Serializer};

                use crate::mark;

                /// Serializes a field, for `#[serde(with)]` and `#[serde(serialize_with)]`.
                ///
                /// # Errors
                ///
                /// Fails if this encoding cannot hold the value, or if the serializer returns an error.
                pub fn serialize<T: Serialize + ?Sized, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.serialize_newtype_struct(mark::$mark, value)
                }

                /// Deserializes a field, for `#[serde(with)]` and `#[serde(deserialize_with)]`.
                ///
                /// # Errors
                ///
                /// Fails if the input has a marker of another encoding, or if the value's own `Deserialize` returns an error.
                #[inline(always)]
                pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
                    deserializer.deserialize_newtype_struct(mark::$mark, super::Marked::new())
                }
            }
        )*
    };
}

modules! {
    /// Encodes a string of at most 31 bytes as a fixstr (`a0`..`bf`).
    fixstr FIXSTR;
    /// Encodes a sequence, tuple or struct of any count as an array16 (`dc`).
    array16 ARRAY16;
    /// Encodes a map of any count as a map16 (`de`).
    map16 MAP16;
    /// Decodes a struct to which later versions may add fields at the end. Unknown fields are skipped, if they are valid MessagePack. The
    /// struct is written without these fields, so a value that was read may be written back shorter.
    ///
    /// To use such a struct as a metalayer, wrap it in a newtype, as in the example. No module is needed for reading old data with a new
    /// version of a struct: give the new fields `#[serde(default)]`.
    ///
    /// ```
    /// #[derive(serde::Serialize)]
    /// struct Station {
    ///     id: u32,
    ///     height: f32,
    ///     name: String, // new in version 2
    /// }
    ///
    /// #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
    /// struct StationV1 {
    ///     id: u32,
    ///     height: f32,
    /// }
    ///
    /// #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
    /// struct Any(#[serde(with = "b2nd::with::extensible")] StationV1);
    ///
    /// let bytes = b2nd::to_vec(&Station { id: 7, height: 42.0, name: "K1".into() })?;
    /// assert!(b2nd::from_slice::<StationV1>(&bytes).is_err());
    /// assert_eq!(b2nd::from_slice::<Any>(&bytes)?, Any(StationV1 { id: 7, height: 42.0 }));
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    extensible EXTENSIBLE;
}

/// Defines modules for values that implement the traits of `serde_bytes`.
macro_rules! bytes_modules {
    ($($(#[$doc:meta])* $module:ident $mark:ident;)*) => {
        $(
            $(#[$doc])*
            pub mod $module {
                use serde::{Deserializer, Serializer};
                use serde_bytes::{Deserialize, Serialize};

                use crate::mark;

                /// Serializes a field, for `#[serde(with)]` and `#[serde(serialize_with)]`.
                ///
                /// # Errors
                ///
                /// Fails if this encoding cannot hold the value, or if the serializer returns an error.
                pub fn serialize<T: Serialize + ?Sized, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.serialize_newtype_struct(mark::$mark, &super::AsBytes(value))
                }

                /// Deserializes a field, for `#[serde(with)]` and `#[serde(deserialize_with)]`.
                ///
                /// # Errors
                ///
                /// Fails if the input has a marker of another encoding, or if the value's own `Deserialize` returns an error.
                #[inline(always)]
                pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
                    let value: super::AsBytes<T> =
                        deserializer.deserialize_newtype_struct(mark::$mark, super::Marked::new())?;
                    Ok(value.0)
                }
            }
        )*
    };
}

bytes_modules! {
    /// Encodes at most 31 bytes, which need not be UTF-8, as a fixstr (`a0`..`bf`).
    fixstr_bytes FIXSTR_BYTES;
    /// Encodes 17 bytes as a fixext16 (`d8`): the extension's type, then its 16 bytes.
    fixext16 FIXEXT16;
}

/// A value that is serialized through the traits of `serde_bytes`.
struct AsBytes<T>(T);

impl<T: serde_bytes::Serialize + ?Sized> serde::Serialize for AsBytes<&T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T: serde_bytes::Deserialize<'de>> Deserialize<'de> for AsBytes<T> {
    #[inline(always)]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(AsBytes)
    }
}

/// Encodes a `u8` of at most 127 as a positive fixint (`00`..`7f`), such as a version. A larger number is an error, since its second byte
/// would shift the fields after it.
pub mod fixint {
    use core::fmt::Display;

    use serde::{Deserialize, Deserializer, Serializer, de, ser};

    /// The largest positive fixint.
    const MAX: u8 = 127;

    #[cfg(feature = "arbitrary")]
    pub(crate) fn arbitrary(bytes: &mut arbitrary::Unstructured<'_>) -> arbitrary::Result<u8> {
        bytes.int_in_range(0..=MAX)
    }

    /// Serializes a field, for `#[serde(with)]` and `#[serde(serialize_with)]`.
    ///
    /// # Errors
    ///
    /// Fails if the value is above 127, or if the serializer returns an error.
    pub fn serialize<S: Serializer>(value: &u8, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(checked(*value, |error| ser::Error::custom(error))?)
    }

    /// Deserializes a field, for `#[serde(with)]` and `#[serde(deserialize_with)]`.
    ///
    /// # Errors
    ///
    /// Fails if the value is above 127, or if the deserializer returns an error.
    #[inline(always)]
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
        checked(u8::deserialize(deserializer)?, |error| de::Error::custom(error))
    }

    #[inline(always)]
    pub(crate) fn checked<E>(value: u8, error: impl FnOnce(core::fmt::Arguments<'_>) -> E) -> Result<u8, E> {
        if value > MAX {
            Err(error(format_args!("expected a positive fixint (at most {MAX}), found {value}")))
        } else {
            Ok(value)
        }
    }

    /// Returns the value of this field, to be written. Fails with an error that names the field if the value is not a positive fixint.
    #[inline(always)]
    pub(crate) fn written<E: ser::Error>(field: &'static str, value: u8) -> Result<u8, E> {
        checked(value, |error| E::custom(error)).map_err(|error| in_field(field, &error))
    }

    #[cold]
    fn in_field<E: ser::Error>(field: &'static str, error: &dyn Display) -> E {
        E::custom(format_args!("{field}: {error}"))
    }
}
