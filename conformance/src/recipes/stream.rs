//! Compressed streams from simple compressors, one for each format, so that the bytes are the same on every machine.

use super::bytes::{le32, low};

/// The codecs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Codec {
    BloscLz,
    Lz4,
    Lz4Hc,
    Zlib,
    Zstd,
}

impl Codec {
    pub(crate) const ALL: [Codec; 5] = [Codec::BloscLz, Codec::Lz4, Codec::Lz4Hc, Codec::Zlib, Codec::Zstd];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Codec::BloscLz => "blosclz",
            Codec::Lz4 => "lz4",
            Codec::Lz4Hc => "lz4hc",
            Codec::Zlib => "zlib",
            Codec::Zstd => "zstd",
        }
    }

    pub(crate) fn code(self) -> u8 {
        match self {
            Codec::BloscLz => 0,
            Codec::Lz4 => 1,
            Codec::Lz4Hc => 2,
            Codec::Zlib => 4,
            Codec::Zstd => 5,
        }
    }

    /// Returns the format of the codec, which is stored in the three highest bits of a chunk's flags.
    pub(crate) fn format(self) -> u8 {
        match self {
            Codec::BloscLz => 0,
            Codec::Lz4 | Codec::Lz4Hc => 1,
            Codec::Zlib => 3,
            Codec::Zstd => 4,
        }
    }

    /// Compresses data. Only long runs of a byte become shorter.
    pub(crate) fn compress(self, data: &[u8]) -> Vec<u8> {
        match self {
            Codec::BloscLz => blosclz(data),
            Codec::Lz4 | Codec::Lz4Hc => lz4(data),
            Codec::Zlib => zlib(data),
            Codec::Zstd => zstd(data),
        }
    }
}

/// Splits data into pairs of literals and the number of times that the last of them is repeated.
fn runs(data: &[u8], shortest: usize) -> Vec<(&[u8], usize)> {
    let (mut parts, mut start, mut at) = (Vec::new(), 0, 0);
    while at < data.len() {
        let length = data[at..].iter().take_while(|&&byte| byte == data[at]).count();
        if length > shortest {
            parts.push((&data[start..=at], length - 1));
            start = at + length;
        }
        at += length;
    }
    parts.push((&data[start..], 0));
    parts
}

/// Writes literals in runs of at most 32, and matches at distance 1.
///
/// C-Blosc2 rejects BloscLZ streams that end with a match, so the last byte is always a literal.
fn blosclz(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let (body, last) = data.split_at(data.len() - 1);
    for (literals, repeat) in runs(body, 8).into_iter().chain([(last, 0)]) {
        for part in literals.chunks(32) {
            out.push(low(part.len() - 1));
            out.extend_from_slice(part);
        }
        if repeat > 0 {
            // The first byte holds lengths from 3 to 8. From 9 on, more bytes follow.
            let more = repeat - 2;
            if more < 7 {
                out.push(low(more) << 5);
            } else {
                out.push(7 << 5);
                let mut rest = more - 7;
                while rest >= 255 {
                    out.push(255);
                    rest -= 255;
                }
                out.push(low(rest));
            }
            out.push(0);
        }
    }
    // As in C-Blosc2, this bit marks the stream as BloscLZ.
    out[0] |= 1 << 5;
    out
}

fn lz4_length(out: &mut Vec<u8>, mut rest: usize) {
    while rest >= 255 {
        out.push(255);
        rest -= 255;
    }
    out.push(low(rest));
}

/// Writes sequences of literals and a match at distance 1. The last 12 bytes are literals, because a match must not start in them.
fn lz4(data: &[u8]) -> Vec<u8> {
    let end = data.len().saturating_sub(12);
    let (body, last) = data.split_at(end);
    let mut out = Vec::new();
    let mut parts = runs(body, 8);
    let tail = parts.pop().map_or(&[][..], |(literals, _)| literals);
    for (literals, repeat) in parts {
        sequence(&mut out, literals, repeat);
    }
    sequence(&mut out, &[tail, last].concat(), 0);
    out
}

fn sequence(out: &mut Vec<u8>, literals: &[u8], repeat: usize) {
    let more = repeat.saturating_sub(4);
    out.push(low(literals.len().min(15)) << 4 | low(more.min(15)));
    if literals.len() >= 15 {
        lz4_length(out, literals.len() - 15);
    }
    out.extend_from_slice(literals);
    if repeat > 0 {
        out.extend([1, 0]);
        if more >= 15 {
            lz4_length(out, more - 15);
        }
    }
}

/// Writes bits, the lowest first.
#[derive(Default)]
struct Bits(Vec<u8>, u32, u32);

impl Bits {
    fn put(&mut self, value: u32, count: u32) {
        self.1 |= value << self.2;
        self.2 += count;
        while self.2 >= 8 {
            self.0.push(self.1.to_le_bytes()[0]);
            self.1 >>= 8;
            self.2 -= 8;
        }
    }

    /// Writes a Huffman code, whose highest bit comes first.
    fn code(&mut self, value: u32, count: u32) {
        self.put(value.reverse_bits() >> (32 - count), count);
    }

    fn literal(&mut self, byte: u8) {
        let byte = u32::from(byte);
        if byte < 144 { self.code(0x30 + byte, 8) } else { self.code(0x190 + byte - 144, 9) }
    }
}

/// Writes one block with the fixed Huffman codes. A run of more than 300 bytes becomes matches of 258 bytes at distance 1, and literals.
fn zlib(data: &[u8]) -> Vec<u8> {
    let mut bits = Bits(vec![0x78, 0x01], 0, 0);
    bits.put(0b011, 3);
    for (literals, mut repeat) in runs(data, 300) {
        literals.iter().for_each(|&byte| bits.literal(byte));
        while repeat >= 258 {
            // Length 258 is code 285, distance 1 is code 0.
            bits.code(0xc0 + 5, 8);
            bits.code(0, 5);
            repeat -= 258;
        }
        if let Some(&byte) = literals.last() {
            (0..repeat).for_each(|_| bits.literal(byte));
        }
    }
    bits.code(0, 7);
    bits.put(0, 7);
    let mut out = bits.0;
    out.extend(adler(data));
    out
}

fn adler(data: &[u8]) -> [u8; 4] {
    let (a, b) = data.iter().fold((1_u32, 0_u32), |(a, b), &byte| {
        let a = (a + u32::from(byte)) % 65_521;
        (a, (a + b) % 65_521)
    });
    (b << 16 | a).to_be_bytes()
}

/// Writes a frame of raw blocks and RLE blocks.
fn zstd(data: &[u8]) -> Vec<u8> {
    let mut out = vec![0x28, 0xb5, 0x2f, 0xfd, 0xa0];
    out.extend(le32(data.len()));
    let mut blocks: Vec<(usize, usize, Vec<u8>)> = Vec::new();
    for (literals, repeat) in runs(data, 8) {
        if !literals.is_empty() {
            blocks.push((0, literals.len(), literals.to_vec()));
        }
        if let (Some(&byte), 1..) = (literals.last(), repeat) {
            blocks.push((1, repeat, vec![byte]));
        }
    }
    if blocks.is_empty() {
        blocks.push((0, 0, Vec::new()));
    }
    let last = blocks.len() - 1;
    for (index, (kind, length, bytes)) in blocks.into_iter().enumerate() {
        out.extend_from_slice(&le32(length << 3 | kind << 1 | usize::from(index == last))[..3]);
        out.extend(bytes);
    }
    out
}

/// Returns a Zstandard dictionary with two symbols in the Huffman table, one symbol in each of the other three tables, eight bytes of
/// content, and these repeated offsets.
pub(crate) fn dictionary(offsets: [u32; 3]) -> Vec<u8> {
    let huffman = [0x80, 0x10];
    let sequences = [0xf0, 0x03].repeat(3);
    [&[0x37, 0xa4, 0x30, 0xec, 1, 0, 0, 0][..], &huffman, &sequences, &offsets.map(u32::to_le_bytes).concat(), b"12345678"]
        .concat()
}

/// A Zstandard frame with 24 bytes of data: eight matches of three bytes at the first two offsets of the dictionary.
pub(crate) const OF_DICTIONARY: [u8; 15] = [0x28, 0xb5, 0x2f, 0xfd, 0x21, 1, 24, 0x2d, 0, 0, 0, 8, 0xfc, 0, 0x80];

/// Returns bytes in which runs and other parts alternate.
pub(crate) fn sample(length: usize) -> Vec<u8> {
    (0..length).map(|index| if index % 80 < 40 { low(index * 7 + index / 80) } else { low(index / 80) }).collect()
}
