//! The names of the fields of a header, a trailer and a chunk, in order.

use b2nd::frame::{CodecId, Filter, SplitMode};

use crate::text::hex;

/// How the parts of a value are named.
#[derive(Clone, Copy)]
pub(super) enum Names {
    /// By their positions and keys: the elements of an array are numbered, and a value in a map is named by its key.
    Any,
    /// The names of the fields of an array.
    Fields(&'static [(&'static str, Names)]),
    /// The value is an offset in the header or trailer, or a map of names to offsets.
    Offsets,
    /// The fields of a string or extension, which have fixed lengths.
    Parts(&'static [Part]),
    /// The value is the list of the metalayers' contents, which are named like the metalayers.
    Contents,
}

/// A field of fixed length that has no MessagePack marker.
pub(super) struct Part {
    pub(super) name: &'static str,
    pub(super) length: usize,
    pub(super) show: Show,
}

pub(super) enum Show {
    /// Formats each byte.
    Each(fn(u8) -> String),
    /// Formats all bytes together.
    Whole(fn(&[u8]) -> String),
}

impl Part {
    const fn each(name: &'static str, length: usize, show: fn(u8) -> String) -> Part {
        Part { name, length, show: Show::Each(show) }
    }

    const fn whole(name: &'static str, length: usize, show: fn(&[u8]) -> String) -> Part {
        Part { name, length, show: Show::Whole(show) }
    }

    pub(super) fn text(&self, bytes: &[u8]) -> String {
        match self.show {
            Show::Each(show) => {
                let all = bytes.chunk_by(|one, next| one == next).filter_map(|same| Some((show(*same.first()?), same.len())));
                let all =
                    all.map(|(text, times)| if times > 2 { format!("{times} × {text}") } else { vec![text; times].join(", ") });
                all.collect::<Vec<_>>().join(", ")
            }
            Show::Whole(show) => show(bytes),
        }
    }
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

pub(super) const TRAILER: Names =
    Fields(&[("version", Any), ("vlmetalayers", METALAYERS), ("trailer_len", Any), ("fingerprint", Parts(&FINGERPRINT))]);

const METALAYERS: Names = Fields(&[("idx", Any), ("offsets", Offsets), ("contents", Contents)]);

const FLAGS: [Part; 4] = [
    Part::each("format", 1, format_flags),
    Part::each("frame_type", 1, |byte| if byte == 0 { "contiguous" } else { "sparse" }.to_owned()),
    Part::each("compression", 1, compression),
    Part::each("split_mode", 1, split_mode),
];

const PIPELINE: [Part; 7] = [
    Part::each("filter_slots", 1, number),
    Part::each("filters", 6, filter),
    Part::each("udcodec", 1, codec),
    Part::each("codec_meta", 1, number),
    Part::each("filters_meta", 6, number),
    Part::each("other_flags2", 1, number),
    Part::each("reserved", 1, number),
];

const FINGERPRINT: [Part; 2] = [Part::each("type", 1, number), Part::whole("bytes", 16, |bytes| hex(bytes, ""))];

/// The fields of a chunk's header. A header of 16 bytes ends after `cbytes`.
pub(super) const CHUNK: [Part; 13] = [
    Part::each("version", 1, number),
    Part::each("codec_version", 1, number),
    Part::each("flags", 1, chunk_flags),
    Part::each("typesize", 1, number),
    Part::whole("nbytes", 4, int32),
    Part::whole("blocksize", 4, int32),
    Part::whole("cbytes", 4, int32),
    Part::each("filters", 6, filter),
    Part::each("udcodec", 1, codec),
    Part::each("codec_meta", 1, number),
    Part::each("filters_meta", 6, number),
    Part::each("reserved", 1, number),
    Part::each("blosc2_flags", 1, blosc2_flags),
];

fn number(byte: u8) -> String {
    byte.to_string()
}

fn filter(byte: u8) -> String {
    Filter::from_code(byte).to_string()
}

fn codec(byte: u8) -> String {
    CodecId::from_code(byte).to_string()
}

/// Formats a 32-bit number of a chunk's header, which is little-endian.
fn int32(bytes: &[u8]) -> String {
    bytes.try_into().map(i32::from_le_bytes).unwrap_or_default().to_string()
}

fn chunk_flags(byte: u8) -> String {
    let filter = match byte & 5 {
        5 => "header of 32 bytes",
        1 => "shuffle",
        4 => "bitshuffle",
        _ => "no filter",
    };
    let storage = if byte & 2 != 0 { ", stored" } else { "" };
    let split = if byte & 0x10 != 0 { ", blocks not split" } else { "" };
    format!("{filter}{storage}{split}, codec format {}", byte >> 5)
}

fn blosc2_flags(byte: u8) -> String {
    let special = match byte >> 4 & 7 {
        0 => return byte.to_string(),
        1 => "zeros",
        2 => "nan",
        3 => "value",
        4 => "uninitialized",
        _ => "unknown",
    };
    format!("{byte}, all elements are special: {special}")
}

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
        code => CodecId::from_code(code).to_string(),
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
