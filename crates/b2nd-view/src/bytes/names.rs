//! The names of the fields of a header, a trailer and a chunk, in order.

use b2nd_frame::{CodecId, Filter, Special, SplitMode};

use crate::text::hex;

/// The names of the parts of a value.
#[derive(Clone, Copy)]
pub(super) enum Names {
    /// The parts have no fixed names: the elements of an array are numbered, and a value in a map is named by its key.
    Any,
    /// The value is an array whose elements have these names.
    Fields(&'static [(&'static str, Names)]),
    /// The value is an offset, counted from the start of the header or trailer, or a map from names to such offsets.
    Offsets,
    /// The value is a MessagePack string or extension. Its bytes after the marker and length consist of these fields, which have fixed
    /// lengths. The type of an extension is the first field.
    Parts(&'static [BytePart]),
    /// The value is an array that contains the content of each metalayer. Each content is named like its metalayer.
    Contents,
}

/// A field of fixed length that has no MessagePack marker: its name, its number of bytes, and a function that formats these bytes.
pub(super) type BytePart = (&'static str, usize, fn(&[u8]) -> String);

/// Formats each byte with `show`. A byte that occurs more than twice in succession is formatted once, with the number of times: `6 × 0`.
fn each(bytes: &[u8], show: fn(u8) -> String) -> String {
    let runs = bytes.chunk_by(|one, next| one == next).filter_map(|same| Some((show(*same.first()?), same.len())));
    let texts = runs.map(|(text, times)| if times > 2 { format!("{times} × {text}") } else { vec![text; times].join(", ") });
    texts.collect::<Vec<_>>().join(", ")
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

const FLAGS: [BytePart; 4] =
    [("format", 1, format_flags), ("frame_type", 1, frame_type), ("compression", 1, compression), ("split_mode", 1, split_mode)];

const PIPELINE: [BytePart; 7] = [
    ("filter_slots", 1, numbers),
    ("filters", 6, filters),
    ("udcodec", 1, codec),
    ("codec_meta", 1, numbers),
    ("filters_meta", 6, numbers),
    ("other_flags2", 1, numbers),
    ("reserved", 1, numbers),
];

const FINGERPRINT: [BytePart; 2] = [("type", 1, numbers), ("bytes", 16, |bytes| hex(bytes, ""))];

/// The fields of a chunk's header. A header of 16 bytes ends after `cbytes`.
pub(super) const CHUNK: [BytePart; 13] = [
    ("version", 1, numbers),
    ("codec_version", 1, numbers),
    ("flags", 1, chunk_flags),
    ("typesize", 1, numbers),
    ("nbytes", 4, int32),
    ("blocksize", 4, int32),
    ("cbytes", 4, int32),
    ("filters", 6, filters),
    ("udcodec", 1, codec),
    ("codec_meta", 1, numbers),
    ("filters_meta", 6, numbers),
    ("reserved", 1, numbers),
    ("blosc2_flags", 1, blosc2_flags),
];

fn numbers(bytes: &[u8]) -> String {
    each(bytes, |byte| byte.to_string())
}

fn filters(bytes: &[u8]) -> String {
    each(bytes, |byte| Filter::from_code(byte).to_string())
}

/// Formats a 32-bit number in a chunk's header, which is little-endian.
fn int32(bytes: &[u8]) -> String {
    bytes.try_into().map(i32::from_le_bytes).unwrap_or_default().to_string()
}

/// Returns the byte of a field that consists of one byte.
fn only(bytes: &[u8]) -> u8 {
    bytes.first().copied().unwrap_or_default()
}

fn codec(bytes: &[u8]) -> String {
    CodecId::from_code(only(bytes)).to_string()
}

fn frame_type(bytes: &[u8]) -> String {
    if only(bytes) == 0 { "contiguous" } else { "sparse" }.to_owned()
}

fn chunk_flags(bytes: &[u8]) -> String {
    let byte = only(bytes);
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

fn blosc2_flags(bytes: &[u8]) -> String {
    let byte = only(bytes);
    match byte >> 4 & 7 {
        0 => byte.to_string(),
        code => {
            let special = Special::from_code(code).map_or_else(|| "unknown".to_owned(), |special| special.to_string());
            format!("{byte}, special chunk: {special}")
        }
    }
}

fn format_flags(bytes: &[u8]) -> String {
    let byte = only(bytes);
    let offsets = match byte >> 4 & 3 {
        1 => "64-bit offsets".to_owned(),
        code => format!("unknown width of offsets (code {code})"),
    };
    let chunks = if byte & 0x40 != 0 { ", variable chunks" } else { "" };
    let blocks = if byte & 0x80 != 0 { ", variable blocks" } else { "" };
    format!("version {}, {offsets}{chunks}{blocks}", byte & 0x0f)
}

fn compression(bytes: &[u8]) -> String {
    let codec = match only(bytes) & 0x0f {
        6 => "the codec in udcodec".to_owned(),
        code => CodecId::from_code(code).to_string(),
    };
    format!("{codec}, level {}", only(bytes) >> 4)
}

/// Formats the split mode. The numbers in a header start at 0, but those of [`SplitMode::from_code`] start at 1.
fn split_mode(bytes: &[u8]) -> String {
    let byte = only(bytes);
    SplitMode::from_code(byte.saturating_add(1)).map_or_else(|| byte.to_string(), |mode| mode.to_string())
}
