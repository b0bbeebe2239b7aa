//! MessagePack's markers, which are the first bytes of entries, and their names.

/// The maximum depth of nested values, in encoding and decoding.
pub(crate) const MAX_DEPTH: u8 = 128;

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

/// Returns the length of the marker of a list or map, including the count after it.
pub(crate) fn head_len(byte: u8) -> usize {
    match byte {
        ARRAY16 | MAP16 => 3,
        ARRAY32 | MAP32 => 5,
        _ => 1,
    }
}

/// Returns a marker's name in the MessagePack specification.
pub(crate) fn name(byte: u8) -> &'static str {
    match byte {
        0x00..=0x7f => "positive fixint",
        0x80..=0x8f => "fixmap",
        0x90..=0x9f => "fixarray",
        0xa0..=0xbf => "fixstr",
        0xc0..=0xdf => NAMES[usize::from(byte - NIL)],
        0xe0..=0xff => "negative fixint",
    }
}

/// The names of the markers from `c0` to `df`.
#[rustfmt::skip]
const NAMES: [&str; 32] = [
    "nil", "the unused marker", "false", "true", "bin8", "bin16", "bin32", "ext8",
    "ext16", "ext32", "float32", "float64", "uint8", "uint16", "uint32", "uint64",
    "int8", "int16", "int32", "int64", "fixext1", "fixext2", "fixext4", "fixext8",
    "fixext16", "str8", "str16", "str32", "array16", "array32", "map16", "map32",
];
