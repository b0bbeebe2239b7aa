//! What the fields of a header are called, in their order.

use b2nd::ArrayMeta;
use b2nd::frame::{Codec, Filter, SplitMode};

/// What is known of a value before it is read.
#[derive(Clone, Copy)]
pub(super) enum Names {
    /// Nothing: an array's elements are numbered, a map's values are called by their keys.
    Any,
    /// An array of these fields.
    Fields(&'static [(&'static str, Names)]),
    /// One of an array's shapes, whose marker is `90` plus the number of dimensions, up to `a0`.
    Dimensions,
    /// Positions in the header, or a map of names to them.
    Offsets,
    /// A string or extension that is fields of fixed length.
    Parts(&'static [Part]),
    /// The contents of the metalayers, which are values themselves.
    Contents,
}

/// A field of so many bytes that has no marker, and what each of its bytes says.
pub(super) struct Part {
    pub(super) name: &'static str,
    pub(super) length: usize,
    pub(super) show: fn(u8) -> String,
}

use Names::*;

pub(super) const HEADER: Names = Fields(&[
    ("magic", Any),
    ("header_len", Any),
    ("frame_len", Any),
    ("flags", Parts(&FLAGS)),
    ("nbytes", Any),
    ("cbytes", Any),
    ("typesize", Any),
    ("blocksize", Any),
    ("chunksize", Any),
    ("compression_threads", Any),
    ("decompression_threads", Any),
    ("has_vlmetalayers", Any),
    ("pipeline", Parts(&PIPELINE)),
    ("metalayers", METALAYERS),
]);

const METALAYERS: Names = Fields(&[("idx", Any), ("offsets", Offsets), ("contents", Contents)]);

const FLAGS: [Part; 4] = [
    Part { name: "format", length: 1, show: format_flags },
    Part { name: "frame_type", length: 1, show: |byte| if byte == 0 { "contiguous" } else { "sparse" }.to_owned() },
    Part { name: "compression", length: 1, show: compression },
    Part { name: "split_mode", length: 1, show: split_mode },
];

const PIPELINE: [Part; 7] = [
    Part { name: "filter_slots", length: 1, show: |byte| byte.to_string() },
    Part { name: "filters", length: 6, show: |byte| Filter::from_code(byte).to_string() },
    Part { name: "udcodec", length: 1, show: |byte| Codec::from_code(byte).to_string() },
    Part { name: "codec_meta", length: 1, show: |byte| byte.to_string() },
    Part { name: "filters_meta", length: 6, show: |byte| byte.to_string() },
    Part { name: "other_flags2", length: 1, show: |byte| byte.to_string() },
    Part { name: "reserved", length: 1, show: |byte| byte.to_string() },
];

fn format_flags(byte: u8) -> String {
    let mut text = format!("version {}", byte & 0x0f);
    text += &match byte >> 4 & 3 {
        1 => ", 64-bit offsets".to_owned(),
        code => format!(", offsets of width {code}"),
    };
    if byte & 0x40 != 0 {
        text += ", variable chunks";
    }
    if byte & 0x80 != 0 {
        text += ", variable blocks";
    }
    text
}

fn compression(byte: u8) -> String {
    let codec = match byte & 0x0f {
        6 => "the codec in udcodec".to_owned(),
        code => Codec::from_code(code).to_string(),
    };
    format!("{codec}, level {}", byte >> 4)
}

fn split_mode(byte: u8) -> String {
    match byte {
        0 => SplitMode::Always.to_string(),
        1 => SplitMode::Never.to_string(),
        2 => SplitMode::Auto.to_string(),
        3 => SplitMode::ForwardCompat.to_string(),
        other => other.to_string(),
    }
}

/// The entries of an array's metalayer.
pub(super) fn array<S>(meta: &ArrayMeta<S>) -> Names {
    const VERSION: (&str, Names) = ("version", Any);
    const NDIM: (&str, Names) = ("ndim", Any);
    const SHAPE: (&str, Names) = ("shape", Dimensions);
    const CHUNKSHAPE: (&str, Names) = ("chunkshape", Dimensions);
    const BLOCKSHAPE: (&str, Names) = ("blockshape", Dimensions);
    const DTYPE_FORMAT: (&str, Names) = ("dtype_format", Any);
    const DTYPE: (&str, Names) = ("dtype", Any);
    match meta {
        ArrayMeta::B2nd(_) | ArrayMeta::MiscountedB2nd(_) => {
            Fields(&[VERSION, NDIM, SHAPE, CHUNKSHAPE, BLOCKSHAPE, DTYPE_FORMAT, DTYPE])
        }
        ArrayMeta::LegacyB2nd(_) => Fields(&[VERSION, NDIM, SHAPE, CHUNKSHAPE, BLOCKSHAPE, DTYPE]),
        ArrayMeta::Caterva(_) => Fields(&[VERSION, NDIM, SHAPE, CHUNKSHAPE, BLOCKSHAPE]),
        _ => Any,
    }
}
