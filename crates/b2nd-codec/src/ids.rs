//! Codecs, filters, split modes and kinds of special chunks, with their numbers in Blosc2.

use core::fmt;

/// The codec of a chunk. In C-Blosc2, each codec has a number, the *compcode*.
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CodecId {
    /// BloscLZ, with the compcode 0.
    BloscLz,
    /// LZ4, with the compcode 1.
    Lz4,
    /// LZ4HC, which is LZ4 with a longer search. Its compcode is 2.
    Lz4Hc,
    /// Zlib, with the compcode 4.
    Zlib,
    /// Zstandard, with the compcode 5.
    Zstd,
    /// Any other codec, by its number: [Snappy](CodecId::SNAPPY), or a registered, user-defined or unknown codec.
    Other(u8),
}

/// The known codecs with their compcodes and names.
const CODECS: [(CodecId, u8, &str); 15] = [
    (CodecId::BloscLz, 0, "blosclz"),
    (CodecId::Lz4, 1, "lz4"),
    (CodecId::Lz4Hc, 2, "lz4hc"),
    (CodecId::SNAPPY, 3, "snappy"),
    (CodecId::Zlib, 4, "zlib"),
    (CodecId::Zstd, 5, "zstd"),
    (CodecId::Other(32), 32, "ndlz"),
    (CodecId::Other(33), 33, "zfp_fixed_accuracy"),
    (CodecId::Other(34), 34, "zfp_fixed_precision"),
    (CodecId::Other(35), 35, "zfp_fixed_rate"),
    (CodecId::Other(36), 36, "openhtj2k"),
    (CodecId::Other(37), 37, "grok"),
    (CodecId::Other(38), 38, "openzl"),
    (CodecId::Other(39), 39, "j2k"),
    (CodecId::Other(40), 40, "htj2k"),
];

impl CodecId {
    /// Snappy, with the compcode 3, which only chunks of [Blosc 1](crate::Format::Blosc1) can have.
    pub const SNAPPY: CodecId = CodecId::Other(3);
}

/// A filter, which transforms a chunk's bytes before they are compressed.
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Filter {
    /// No filter. Its number is 0.
    None,
    /// Byte shuffle. Its number is 1.
    Shuffle,
    /// Bit shuffle. Its number is 2.
    BitShuffle,
    /// Delta: the exclusive or with the chunk's first block or, within the first block, with the preceding bytes. Its number is 3.
    Delta,
    /// Truncated precision. Its number is 4.
    TruncPrec,
    /// A registered, user-defined or unknown filter, by its number.
    Other(u8),
}

/// The known filters with their numbers and names.
const FILTERS: [(Filter, u8, &str); 10] = [
    (Filter::None, 0, "none"),
    (Filter::Shuffle, 1, "shuffle"),
    (Filter::BitShuffle, 2, "bitshuffle"),
    (Filter::Delta, 3, "delta"),
    (Filter::TruncPrec, 4, "trunc_prec"),
    (Filter::Other(32), 32, "ndcell"),
    (Filter::Other(33), 33, "ndmean"),
    (Filter::Other(34), 34, "bytedelta_buggy"),
    (Filter::Other(35), 35, "bytedelta"),
    (Filter::Other(36), 36, "int_trunc"),
];

macro_rules! numbered {
    ($($id:ident $known:ident $unknown:literal;)*) => {
        $(
            impl $id {
                #[doc = concat!("Returns the ", $unknown, " with this number.")]
                pub fn from_code(code: u8) -> $id {
                    $known.iter().find(|row| row.1 == code).map_or($id::Other(code), |row| row.0)
                }

                #[doc = concat!("Returns the ", $unknown, "'s number.")]
                pub fn code(self) -> u8 {
                    match self {
                        $id::Other(code) => code,
                        known => $known.iter().find(|row| row.0 == known).map_or(0, |row| row.1),
                    }
                }
            }

            impl fmt::Display for $id {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    match $known.iter().find(|row| row.0 == *self) {
                        Some((_, _, name)) => f.write_str(name),
                        None => write!(f, concat!($unknown, " {}"), self.code()),
                    }
                }
            }
        )*
    };
}

numbered! {
    CodecId CODECS "codec";
    Filter FILTERS "filter";
}

/// The rule that determines whether a block is split into streams, one for each byte of an element, before it is compressed.
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SplitMode {
    /// Blocks are split if they have the full blocksize, and this is a multiple of the length of an element. The number of this mode is 1.
    Always = 1,
    /// Blocks are never split. The number of this mode is 2.
    Never,
    /// Blocks are split depending on the codec, its level, the filters and the lengths of elements and blocks. The number of this mode is
    /// 3.
    Auto,
    /// The default mode of C-Blosc2. In Blosc2, blocks are split by the same rule as with [`Auto`](SplitMode::Auto). In Blosc 1, blocks of
    /// LZ4, LZ4HC and zlib can be split too. The number of this mode is 4.
    ForwardCompat,
}

impl SplitMode {
    /// Returns the mode with this number, or `None` if no mode has this number.
    pub fn from_code(code: u8) -> Option<SplitMode> {
        let modes = [SplitMode::Always, SplitMode::Never, SplitMode::Auto, SplitMode::ForwardCompat];
        modes.into_iter().find(|mode| mode.code() == code)
    }

    /// Returns the mode's number.
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl fmt::Display for SplitMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["always", "never", "auto", "forward_compat"][*self as usize - 1])
    }
}

/// The kind of a special chunk, whose elements are all the same, or are undefined.
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Special {
    /// All bytes are zero. The number of this kind is 1.
    Zeros = 1,
    /// All elements are NaN. The number of this kind is 2.
    Nan,
    /// All elements have the value that follows the header. The number of this kind is 3.
    Value,
    /// The elements are uninitialized, so their values are undefined. The number of this kind is 4.
    Uninitialized,
}

impl Special {
    /// Returns the kind with this number, or `None` if no kind has this number.
    pub fn from_code(code: u8) -> Option<Special> {
        let kinds = [Special::Zeros, Special::Nan, Special::Value, Special::Uninitialized];
        kinds.into_iter().find(|kind| kind.code() == code)
    }

    /// Returns the kind's number in a chunk's header.
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl fmt::Display for Special {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["zeros", "nan", "value", "uninitialized"][*self as usize - 1])
    }
}
