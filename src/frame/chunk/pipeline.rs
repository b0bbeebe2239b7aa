//! Codecs, filters and split modes, as the numbers in headers name them.

use core::fmt;

use serde::{Serialize, Serializer};

/// The codec that compresses a chunk: C-Blosc2's *compcode*.
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Codec {
    /// BloscLZ, 0.
    BloscLz,
    /// LZ4, 1.
    Lz4,
    /// LZ4 with its high-compression search, 2.
    Lz4Hc,
    /// Zlib, 4.
    Zlib,
    /// Zstandard, 5.
    Zstd,
    /// A registered, user-defined or unknown codec, by its number.
    Other(u8),
}

impl Codec {
    /// The codec with this compcode.
    pub fn from_code(code: u8) -> Codec {
        match code {
            0 => Codec::BloscLz,
            1 => Codec::Lz4,
            2 => Codec::Lz4Hc,
            4 => Codec::Zlib,
            5 => Codec::Zstd,
            other => Codec::Other(other),
        }
    }

    /// The compcode.
    pub fn code(self) -> u8 {
        match self {
            Codec::BloscLz => 0,
            Codec::Lz4 => 1,
            Codec::Lz4Hc => 2,
            Codec::Zlib => 4,
            Codec::Zstd => 5,
            Codec::Other(code) => code,
        }
    }
}

impl fmt::Display for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match *self {
            Codec::BloscLz => "blosclz",
            Codec::Lz4 => "lz4",
            Codec::Lz4Hc => "lz4hc",
            Codec::Zlib => "zlib",
            Codec::Zstd => "zstd",
            Codec::Other(32) => "ndlz",
            Codec::Other(33) => "zfp_fixed_accuracy",
            Codec::Other(34) => "zfp_fixed_precision",
            Codec::Other(35) => "zfp_fixed_rate",
            Codec::Other(36) => "openhtj2k",
            Codec::Other(37) => "grok",
            Codec::Other(38) => "openzl",
            Codec::Other(39) => "j2k",
            Codec::Other(40) => "htj2k",
            Codec::Other(code) => return write!(f, "codec {code}"),
        })
    }
}

/// Serializes as its name in formats for people, and as its compcode in others.
impl Serialize for Codec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() { serializer.collect_str(self) } else { serializer.serialize_u8(self.code()) }
    }
}

/// A filter, which transforms a chunk's bytes before they are compressed.
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Filter {
    /// No filter, 0.
    None,
    /// Byte shuffle, 1.
    Shuffle,
    /// Bit shuffle, 2.
    BitShuffle,
    /// Difference to a reference block, 3.
    Delta,
    /// Truncated precision, 4.
    TruncPrec,
    /// A registered, user-defined or unknown filter, by its number.
    Other(u8),
}

impl Filter {
    /// The filter with this number.
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

    /// The filter's number.
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

/// Serializes as its name in formats for people, and as its number in others.
impl Serialize for Filter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() { serializer.collect_str(self) } else { serializer.serialize_u8(self.code()) }
    }
}

/// The rule by which blocks are split by byte position before they are compressed.
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SplitMode {
    /// Always, 1.
    Always,
    /// Never, 2.
    Never,
    /// Depending on codec and filter, 3.
    Auto,
    /// As Blosc 1 does, 4.
    ForwardCompat,
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
