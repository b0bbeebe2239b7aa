//! Marks, by which a type requests an encoding that serde cannot express.
//!
//! A mark is the name of a newtype struct that contains the value, so that other formats see only the plain value. The names are valid
//! identifiers, since some formats refuse other names.

use crate::marker::CountMarker;

/// The encoding of a marked value.
#[derive(Clone, Copy)]
pub(crate) enum Mark {
    /// A string as a fixstr.
    Fixstr,
    /// Bytes, which need not be UTF-8, as a fixstr.
    FixstrBytes,
    /// 17 bytes as a fixext16: the extension's type, then its data.
    Fixext16,
    /// A sequence or map with this marker.
    Count(CountMarker),
    /// A list of int64, for an array's shape.
    Lengths64,
    /// A list of int32, for chunkshape and blockshape.
    Lengths32,
    /// An array metalayer of any layout. If the count of its fixarray is six, a seventh entry may follow.
    ArrayMeta,
    /// A struct to which a later version may have added fields, which are skipped.
    Extensible,
    /// A value that is encoded in this format and stored in a bin32.
    Embedded,
    /// The unchanged bytes of one entry of MessagePack, which may have any markers.
    Any,
    /// A value as generic MessagePack, in which a struct is a map with the names of its fields.
    #[cfg(feature = "msgpack")]
    Named,
    /// The entry after blockshape, from which the layout follows: a positive fixint (dtype_format) or a str32 (dtype).
    FormatOrDtype,
}

pub(crate) const FIXSTR: &str = "__b2nd_fixstr";
pub(crate) const FIXSTR_BYTES: &str = "__b2nd_fixstr_bytes";
pub(crate) const FIXEXT16: &str = "__b2nd_fixext16";
pub(crate) const ARRAY16: &str = "__b2nd_array16";
pub(crate) const MAP16: &str = "__b2nd_map16";
pub(crate) const LENGTHS64: &str = "__b2nd_lengths64";
pub(crate) const LENGTHS32: &str = "__b2nd_lengths32";
pub(crate) const MISCOUNTED: &str = "__b2nd_miscounted";
pub(crate) const ARRAY_META: &str = "__b2nd_array_meta";
pub(crate) const EXTENSIBLE: &str = "__b2nd_extensible";
pub(crate) const EMBEDDED: &str = "__b2nd_embedded";
/// The name of the newtype struct that contains the value itself. It is inside the newtype struct [`EMBEDDED`].
pub(crate) const VALUE: &str = "__b2nd_value";
pub(crate) const ANY: &str = "__b2nd_any";
#[cfg(feature = "msgpack")]
pub(crate) const NAMED: &str = "__b2nd_named";
pub(crate) const FORMAT_OR_DTYPE: &str = "__b2nd_format_or_dtype";

impl Mark {
    /// Returns the mark with this name, or `None` if the name of the newtype struct is not a mark.
    #[inline(always)]
    pub(crate) fn from_name(name: &'static str) -> Option<Mark> {
        // This makes a user's own newtype cost only one comparison.
        if !name.starts_with("__b2nd_") {
            return None;
        }
        match name {
            FIXSTR => Some(Mark::Fixstr),
            FIXSTR_BYTES => Some(Mark::FixstrBytes),
            FIXEXT16 => Some(Mark::Fixext16),
            ARRAY16 => Some(Mark::Count(CountMarker::Array16)),
            MAP16 => Some(Mark::Count(CountMarker::Map16)),
            LENGTHS64 => Some(Mark::Lengths64),
            LENGTHS32 => Some(Mark::Lengths32),
            MISCOUNTED => Some(Mark::Count(CountMarker::Miscounted)),
            ARRAY_META => Some(Mark::ArrayMeta),
            EXTENSIBLE => Some(Mark::Extensible),
            EMBEDDED => Some(Mark::Embedded),
            ANY => Some(Mark::Any),
            #[cfg(feature = "msgpack")]
            NAMED => Some(Mark::Named),
            FORMAT_OR_DTYPE => Some(Mark::FormatOrDtype),
            _ => None,
        }
    }

    /// Describes the values that the mark accepts. This text is used in the error for any other value.
    pub(crate) fn holds(self) -> &'static str {
        match self {
            Mark::Fixstr => "with::fixstr is only for strings",
            Mark::FixstrBytes => "with::fixstr_bytes is only for bytes",
            Mark::Fixext16 => "with::fixext16 is only for 17 bytes: the extension's type and its data",
            Mark::Count(CountMarker::Map16) => "with::map16 is only for maps",
            Mark::Count(_) => "with::array16 is only for sequences, tuples and structs",
            Mark::Lengths64 | Mark::Lengths32 => "an array's shape has to be a sequence",
            Mark::ArrayMeta => "an array metalayer has to be a struct",
            Mark::Extensible => "with::extensible is only for structs",
            Mark::Embedded => "with::embedded is only for whole values",
            Mark::Any => "a value of MessagePack is one entry",
            #[cfg(feature = "msgpack")]
            Mark::Named => "with::named is only for whole values",
            Mark::FormatOrDtype => "a dtype_format has to be a number, and a dtype a string",
        }
    }
}

/// Returns true for the types in [`with`](crate::with) that serialize arrays. The length of an array is part of its type, but serde's
/// methods do not show this.
pub(crate) fn has_length_in_type<T: ?Sized>() -> bool {
    let name = core::any::type_name::<T>();
    name.starts_with("b2nd::with::numbers::OfArray<") || name.starts_with("b2nd::with::AsBytes<&[u8; ")
}
