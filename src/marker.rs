//! MessagePack's markers, which are the first bytes of entries, and their names.

use rmp::Marker;

pub(crate) const NIL: u8 = 0xc0;
pub(crate) const FALSE: u8 = 0xc2;
pub(crate) const TRUE: u8 = 0xc3;
pub(crate) const BIN32: u8 = 0xc6;
pub(crate) const U8: u8 = 0xcc;
pub(crate) const I32: u8 = 0xd2;
pub(crate) const I64: u8 = 0xd3;
pub(crate) const FIXEXT16: u8 = 0xd8;
pub(crate) const STR32: u8 = 0xdb;
pub(crate) const ARRAY16: u8 = 0xdc;
pub(crate) const ARRAY32: u8 = 0xdd;
pub(crate) const MAP16: u8 = 0xde;
pub(crate) const MAP32: u8 = 0xdf;
pub(crate) const FIXMAP: u8 = 0x80;
pub(crate) const FIXARRAY: u8 = 0x90;
pub(crate) const FIXSTR: u8 = 0xa0;

/// The marker of a fixmap with one pair, which holds the name and the data of an enum's variant.
pub(crate) const VARIANT: u8 = FIXMAP | 1;

/// The rule that chooses the marker of a sequence or map.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum CountMarker {
    /// The shortest of fixarray, array16 and array32 that holds the count.
    Array,
    /// The shortest of fixmap, map16 and map32 that holds the count.
    Map,
    /// Always array16, even for small counts.
    Array16,
    /// Always map16, even for small counts.
    Map16,
    /// One byte, `90` plus the count, up to `a0` for a count of 16. C-Blosc2 writes this before each of an array's shapes.
    Dimensions,
    /// A fixarray whose count is one too low, as in `b2nd` metalayers of 8 February 2023.
    Miscounted,
}

/// Returns true if all values of a type that is written with this marker have the same length. This excludes `u8`, strings, lists and maps.
pub(crate) fn is_fixed(byte: u8) -> bool {
    matches!(byte, NIL | FALSE | TRUE | 0xca | 0xcb | 0xcd..=0xd3 | FIXEXT16)
}

/// Returns the length in bytes of the marker of a list or map and of the count after the marker.
pub(crate) fn head_len(byte: u8) -> usize {
    match byte {
        ARRAY16 | MAP16 => 3,
        ARRAY32 | MAP32 => 5,
        _ => 1,
    }
}

/// Returns a marker's name in the MessagePack specification.
pub(crate) fn name(byte: u8) -> &'static str {
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
