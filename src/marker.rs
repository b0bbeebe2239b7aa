//! The markers and the limits of the format, and the marks: names of newtype structs by which the modules of `with` choose another
//! encoding of a value.

use rmp::Marker;

/// The maximum number of levels of nesting.
pub(crate) const MAX_DEPTH: u8 = 128;

/// The maximum number of dimensions of an array, and of elements in a list that [`with::dims`](crate::with::dims) writes.
pub(crate) const MAX_DIMENSIONS: usize = 16;

/// The maximum length of a fixstr in bytes.
pub(crate) const FIXSTR_MAX: usize = 31;

pub(crate) const NIL: u8 = Marker::Null.to_u8();
pub(crate) const FALSE: u8 = Marker::False.to_u8();
pub(crate) const TRUE: u8 = Marker::True.to_u8();
pub(crate) const BIN32: u8 = Marker::Bin32.to_u8();
pub(crate) const U8: u8 = Marker::U8.to_u8();
pub(crate) const FIXEXT16: u8 = Marker::FixExt16.to_u8();
pub(crate) const STR32: u8 = Marker::Str32.to_u8();
pub(crate) const ARRAY16: u8 = Marker::Array16.to_u8();
pub(crate) const ARRAY32: u8 = Marker::Array32.to_u8();
pub(crate) const MAP16: u8 = Marker::Map16.to_u8();
pub(crate) const MAP32: u8 = Marker::Map32.to_u8();
pub(crate) const FIXMAP: u8 = Marker::FixMap(0).to_u8();
pub(crate) const FIXARRAY: u8 = Marker::FixArray(0).to_u8();
pub(crate) const FIXSTR: u8 = Marker::FixStr(0).to_u8();

/// The marker of a fixmap with one pair, which holds the name and the data of an enum's variant.
pub(crate) const VARIANT: u8 = Marker::FixMap(1).to_u8();

/// The rule that chooses the marker of a sequence or map.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum CountMarker {
    /// The shortest of fixarray, array16 and array32 that holds the count.
    Array,
    /// The shortest of fixmap, map16 and map32 that holds the count.
    Map,
    /// Always array16, even for small counts.
    Array16,
    /// Always map16, even for small counts.
    Map16,
    /// One byte, `90` plus the count, up to `a0` for a count of 16.
    Dims,
}

/// Defines the marks: the variant, the name of the newtype struct, and the text of the error for other values.
macro_rules! marks {
    ($($(#[$doc:meta])* $mark:ident $constant:ident $name:literal $holds:literal;)*) => {
        /// The encoding of a marked value: see [`with`](crate::with).
        ///
        /// A mark is the name of a newtype struct that contains the value, so that formats such as JSON see only the plain value. The names
        /// are valid identifiers, since some formats refuse other names.
        #[derive(Clone, Copy)]
        pub(crate) enum Mark {
            $($(#[$doc])* $mark,)*
        }

        $(pub(crate) const $constant: &str = $name;)*

        impl Mark {
            /// Returns the mark with this name, or `None` if the name of the newtype struct is not a mark.
            #[inline(always)]
            pub(crate) fn from_name(name: &'static str) -> Option<Mark> {
                match name {
                    $($constant => Some(Mark::$mark),)*
                    _ => None,
                }
            }

            /// Returns the text of the error for a value that the mark does not accept.
            pub(crate) fn holds(self) -> &'static str {
                match self {
                    $(Mark::$mark => $holds,)*
                }
            }
        }
    };
}

marks! {
    /// A string as a fixstr.
    Fixstr FIXSTR_MARK "__b2nd_fixstr" "with::fixstr is only for strings";
    /// Bytes, which need not be UTF-8, as a fixstr.
    FixstrBytes FIXSTR_BYTES_MARK "__b2nd_fixstr_bytes" "with::fixstr_bytes is only for bytes";
    /// 17 bytes as a fixext16: the extension's type, then its data.
    Fixext16 FIXEXT16_MARK "__b2nd_fixext16" "with::fixext16 is only for 17 bytes: the extension's type and its data";
    /// A sequence as an array16, even if the sequence is short.
    Array16 ARRAY16_MARK "__b2nd_array16" "with::array16 is only for sequences, tuples and structs";
    /// A map as a map16, even if the map is short.
    Map16 MAP16_MARK "__b2nd_map16" "with::map16 is only for maps";
    /// A list of at most 16 elements, whose count is in the marker even if it is 16.
    Dims DIMS_MARK "__b2nd_dims" "with::dims is only for sequences, tuples and structs";
    /// A struct to which a later version may have added fields, which are skipped.
    Extensible EXTENSIBLE_MARK "__b2nd_extensible" "with::extensible is only for structs with fields";
    /// A value as generic MessagePack, in which a struct is a map with the names of its fields.
    Named NAMED_MARK "__b2nd_named" "with::named needs the feature `msgpack` of b2nd";
    /// The unchanged bytes of one entry of MessagePack, which may have any markers.
    Raw RAW_MARK "__b2nd_raw" "the newtype struct __b2nd_raw is only for bytes";
}

/// Returns the name of a marker, such as `fixarray`.
pub fn name(byte: u8) -> &'static str {
    match Marker::from_u8(byte) {
        Marker::FixPos(_) => "positive fixint",
        Marker::FixNeg(_) => "negative fixint",
        Marker::FixMap(_) => "fixmap",
        Marker::FixArray(_) => "fixarray",
        Marker::FixStr(_) => "fixstr",
        Marker::Null => "nil",
        Marker::Reserved => "the unused marker",
        Marker::False => "false",
        Marker::True => "true",
        Marker::Bin8 => "bin8",
        Marker::Bin16 => "bin16",
        Marker::Bin32 => "bin32",
        Marker::Ext8 => "ext8",
        Marker::Ext16 => "ext16",
        Marker::Ext32 => "ext32",
        Marker::F32 => "float32",
        Marker::F64 => "float64",
        Marker::U8 => "uint8",
        Marker::U16 => "uint16",
        Marker::U32 => "uint32",
        Marker::U64 => "uint64",
        Marker::I8 => "int8",
        Marker::I16 => "int16",
        Marker::I32 => "int32",
        Marker::I64 => "int64",
        Marker::FixExt1 => "fixext1",
        Marker::FixExt2 => "fixext2",
        Marker::FixExt4 => "fixext4",
        Marker::FixExt8 => "fixext8",
        Marker::FixExt16 => "fixext16",
        Marker::Str8 => "str8",
        Marker::Str16 => "str16",
        Marker::Str32 => "str32",
        Marker::Array16 => "array16",
        Marker::Array32 => "array32",
        Marker::Map16 => "map16",
        Marker::Map32 => "map32",
    }
}
