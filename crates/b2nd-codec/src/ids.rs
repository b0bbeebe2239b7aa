//! Codecs, filters, split modes and special values, with their numbers in headers.

use core::fmt;

/// The codec of a chunk (*compcode* in C-Blosc2).
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CodecId {
    /// BloscLZ, with the compcode 0.
    BloscLz,
    /// LZ4, with the compcode 1.
    Lz4,
    /// LZ4 with its high-compression search; its compcode is 2.
    Lz4Hc,
    /// Zlib, with the compcode 4.
    Zlib,
    /// Zstandard, with the compcode 5.
    Zstd,
    /// A registered, user-defined or unknown codec, by its number.
    Other(u8),
}

impl CodecId {
    /// Returns the codec with this compcode.
    pub fn from_code(code: u8) -> CodecId {
        match code {
            0 => CodecId::BloscLz,
            1 => CodecId::Lz4,
            2 => CodecId::Lz4Hc,
            4 => CodecId::Zlib,
            5 => CodecId::Zstd,
            other => CodecId::Other(other),
        }
    }

    /// Returns the compcode.
    pub fn code(self) -> u8 {
        match self {
            CodecId::BloscLz => 0,
            CodecId::Lz4 => 1,
            CodecId::Lz4Hc => 2,
            CodecId::Zlib => 4,
            CodecId::Zstd => 5,
            CodecId::Other(code) => code,
        }
    }
}

impl fmt::Display for CodecId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match *self {
            CodecId::BloscLz => "blosclz",
            CodecId::Lz4 => "lz4",
            CodecId::Lz4Hc => "lz4hc",
            CodecId::Zlib => "zlib",
            CodecId::Zstd => "zstd",
            CodecId::Other(32) => "ndlz",
            CodecId::Other(33) => "zfp_fixed_accuracy",
            CodecId::Other(34) => "zfp_fixed_precision",
            CodecId::Other(35) => "zfp_fixed_rate",
            CodecId::Other(36) => "openhtj2k",
            CodecId::Other(37) => "grok",
            CodecId::Other(38) => "openzl",
            CodecId::Other(39) => "j2k",
            CodecId::Other(40) => "htj2k",
            CodecId::Other(code) => return write!(f, "codec {code}"),
        })
    }
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
    /// The difference to the chunk's first block. Its number is 3.
    Delta,
    /// Truncated precision. Its number is 4.
    TruncPrec,
    /// A registered, user-defined or unknown filter, by its number.
    Other(u8),
}

impl Filter {
    /// Returns the filter with this number.
    pub fn from_code(code: u8) -> Filter {
        match code {
            0 => Filter::None,
            1 => Filter::Shuffle,
            2 => Filter::BitShuffle,
            3 => Filter::Delta,
            4 => Filter::TruncPrec,
            other => Filter::Other(other),
        }
    }

    /// Returns the filter's number.
    pub fn code(self) -> u8 {
        match self {
            Filter::None => 0,
            Filter::Shuffle => 1,
            Filter::BitShuffle => 2,
            Filter::Delta => 3,
            Filter::TruncPrec => 4,
            Filter::Other(code) => code,
        }
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match *self {
            Filter::None => "none",
            Filter::Shuffle => "shuffle",
            Filter::BitShuffle => "bitshuffle",
            Filter::Delta => "delta",
            Filter::TruncPrec => "trunc_prec",
            Filter::Other(32) => "ndcell",
            Filter::Other(33) => "ndmean",
            Filter::Other(34) => "bytedelta_buggy",
            Filter::Other(35) => "bytedelta",
            Filter::Other(36) => "int_trunc",
            Filter::Other(code) => return write!(f, "filter {code}"),
        })
    }
}

/// The rule by which blocks are split by byte position before they are compressed.
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SplitMode {
    /// Blocks are always split. The number of this mode is 1.
    Always = 1,
    /// Blocks are never split. The number of this mode is 2.
    Never,
    /// Blocks are split depending on the codec and the filter. The number of this mode is 3.
    Auto,
    /// Blocks are split by the rule of Blosc 1. The number of this mode is 4.
    ForwardCompat,
}

impl SplitMode {
    /// Returns the mode with this number.
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
        f.write_str(match self {
            SplitMode::Always => "always",
            SplitMode::Never => "never",
            SplitMode::Auto => "auto",
            SplitMode::ForwardCompat => "forward_compat",
        })
    }
}

/// The kind of a chunk whose elements are all the same.
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
    /// Returns the kind with this number.
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
        f.write_str(match self {
            Special::Zeros => "zeros",
            Special::Nan => "nan",
            Special::Value => "value",
            Special::Uninitialized => "uninitialized",
        })
    }
}
