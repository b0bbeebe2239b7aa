//! Modules for `#[serde(with = "…")]`, which choose or restrict the encoding of a field.
//!
//! | module | encoding | type of the field |
//! | --- | --- | --- |
//! | [`fixint`] | `00`..`7f` | a `u8` of at most 127 |
//! | [`fixstr`] | `a0`..`bf`, then at most 31 bytes | a string |
//! | [`fixstr_bytes`] | the same | bytes, UTF-8 or not (`serde_bytes`) |
//! | [`fixext16`] | `d8`, a type, 16 bytes | 17 bytes, the type first (`serde_bytes`) |
//! | [`array16`] | `dc`, the count in two bytes, then the elements | a sequence, tuple or struct of at most 65,535 elements |
//! | [`dims`] | `90`..`a0`, then at most 16 elements | a sequence, tuple or struct |
//! | [`map16`] | `de`, the count in two bytes, then the entries | a map of at most 65,535 entries |
//! | [`named`] | generic MessagePack, with the names of fields | any value, as Python writes it |
//! | [`extensible`] | the same as without this module | a struct that may have more fields in later versions |
//!
//! Except for `fixint`, options of these types work too. Formats such as JSON see the plain value.
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

use crate::marker;

/// The visitor of a marked value. It decodes the value inside the newtype.
struct NewtypeVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for NewtypeVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a newtype")
    }

    #[inline(always)]
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        T::deserialize(deserializer)
    }
}

/// Defines modules for values of any type. The traits of `serde` or `serde_bytes` serialize the value, which must have the form that the
/// mark requires.
macro_rules! modules {
    ($($(#[$doc:meta])* $module:ident $mark:ident $traits:ident $($wrapper:ident)?;)*) => {
        $(
            $(#[$doc])*
            #[allow(unused_parens, reason = "values without a wrapper")]
            pub mod $module {
                use $traits::{Deserialize, Serialize};
                use serde::{Deserializer, Serializer};

                use super::*;

                /// Serializes a field, for `#[serde(with)]` and `#[serde(serialize_with)]`.
                ///
                /// # Errors
                ///
                /// Fails if the serializer or the value's own `Serialize` returns an error. This crate's serializer fails if the encoding
                /// cannot hold the value.
                pub fn serialize<T: Serialize + ?Sized, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.serialize_newtype_struct(marker::$mark, $(&$wrapper)?(value))
                }

                /// Deserializes a field, for `#[serde(with)]` and `#[serde(deserialize_with)]`.
                ///
                /// # Errors
                ///
                /// Fails if the deserializer or the value's own `Deserialize` returns an error. This crate's deserializer fails if the
                /// input has another encoding.
                #[inline(always)]
                pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
                    let $($wrapper)?(value) =
                        deserializer.deserialize_newtype_struct(marker::$mark, NewtypeVisitor(PhantomData))?;
                    Ok(value)
                }
            }
        )*
    };
}

modules! {
    /// Encodes a string of at most 31 bytes as a fixstr (`a0`..`bf`).
    fixstr FIXSTR_MARK serde;
    /// Encodes a sequence, tuple or struct as an array16 (`dc`), even if it is short. It has at most 65,535 elements.
    array16 ARRAY16_MARK serde;
    /// Encodes a map as a map16 (`de`), even if it is short. It has at most 65,535 entries.
    map16 MAP16_MARK serde;
    /// Encodes a list of at most 16 elements, with its count in the marker (`90`..`a0`) even if it is 16. C-Blosc2 writes the shapes of
    /// arrays in this way. Without this module, a list of 16 elements is an array16 (`dc 0010`), which C-Blosc2 does not read.
    ///
    /// In generic MessagePack, `a0`, the marker of a list of 16 elements, is an empty string.
    ///
    /// ```
    /// #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
    /// struct Offsets(#[serde(with = "b2nd::with::dims")] Vec<u16>);
    ///
    /// assert_eq!(b2nd::to_vec(&Offsets(vec![1, 2]))?, b"\x92\xcd\0\x01\xcd\0\x02");
    /// let sixteen = Offsets(vec![7; 16]);
    /// let bytes = b2nd::to_vec(&sixteen)?;
    /// assert_eq!(bytes, [&b"\xa0"[..], &b"\xcd\0\x07".repeat(16)].concat());
    /// assert_eq!(b2nd::from_slice::<Offsets>(&bytes)?, sixteen);
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    dims DIMS_MARK serde;
    /// Decodes a struct to which later versions may add fields at the end. Unknown fields are skipped, if they are valid MessagePack. The
    /// struct is written without these fields, so a value that was read may be written back shorter. If a field of the struct has an
    /// `alias`, unknown fields are an error.
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
    extensible EXTENSIBLE_MARK serde;
    /// Encodes a value as Python programs do: as generic MessagePack with the shortest integers, in which a struct is a map with the names
    /// of its fields. The length depends on the values. [`msgpack`](crate::msgpack) does the same for a whole value.
    ///
    /// As in other generic MessagePack, `Some(None)` is nil, and is read as `None`.
    ///
    /// To use such a value as a metalayer, wrap it in a newtype:
    ///
    /// ```
    /// #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
    /// struct Fields {
    ///     name: String,
    ///     depth: f64,
    /// }
    ///
    /// #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
    /// struct Station(#[serde(with = "b2nd::with::named")] Fields);
    ///
    /// impl b2nd::Metalayer for Station {
    ///     const NAME: &'static str = "station";
    /// }
    ///
    /// let station = Station(Fields { name: "K1".into(), depth: 42.0 });
    /// let bytes = b2nd::to_vec(&station)?;
    /// assert_eq!(bytes, b"\x82\xa4name\xa2K1\xa5depth\xcb\x40\x45\0\0\0\0\0\0");
    /// assert_eq!(b2nd::from_slice::<Station>(&bytes)?, station);
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    #[cfg(feature = "msgpack")]
    #[cfg_attr(docsrs, doc(cfg(feature = "msgpack")))]
    named NAMED_MARK serde;
    /// Encodes at most 31 bytes, which need not be UTF-8, as a fixstr (`a0`..`bf`).
    fixstr_bytes FIXSTR_BYTES_MARK serde_bytes AsBytes;
    /// Encodes 17 bytes as a fixext16 (`d8`): the extension's type, then its 16 bytes.
    fixext16 FIXEXT16_MARK serde_bytes AsBytes;
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

/// Encodes a `u8` of at most 127, such as a version, as a positive fixint (`00`..`7f`). A larger number is an error, since its second byte
/// would shift the fields after it.
pub mod fixint {
    use serde::{Deserialize, Deserializer, Serializer};

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
    #[inline]
    pub fn serialize<S: Serializer>(value: &u8, serializer: S) -> Result<S::Ok, S::Error> {
        if *value > MAX {
            return Err(serde::ser::Error::custom(too_large(*value)));
        }
        serializer.serialize_u8(*value)
    }

    /// Deserializes a field, for `#[serde(with)]` and `#[serde(deserialize_with)]`.
    ///
    /// # Errors
    ///
    /// Fails if the value is above 127, or if the deserializer returns an error.
    #[inline]
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
        match u8::deserialize(deserializer)? {
            value @ 0..=MAX => Ok(value),
            value => Err(serde::de::Error::custom(too_large(value))),
        }
    }

    #[cold]
    fn too_large(value: u8) -> crate::Error {
        crate::Error::custom(format_args!("expected a positive fixint (at most {MAX}), found {value}"))
    }
}
