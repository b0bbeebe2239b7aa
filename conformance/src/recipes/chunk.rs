//! [`Chunk`]: the header of a chunk and the bytes after it.

use super::bytes::{le32, low};
use super::stream::{Codec, OF_DICTIONARY, dictionary};
use crate::fact::Fact;

#[derive(Clone)]
pub(crate) struct Chunk {
    pub(crate) version: u8,
    pub(crate) codec_version: u8,
    pub(crate) flags: u8,
    pub(crate) typesize: u8,
    pub(crate) nbytes: usize,
    pub(crate) blocksize: usize,
    pub(crate) filters: [u8; 6],
    pub(crate) udcodec: u8,
    pub(crate) codec_meta: u8,
    pub(crate) filters_meta: [u8; 6],
    pub(crate) blosc2_flags: u8,
    pub(crate) body: Vec<u8>,
    /// The data after decompression.
    pub(crate) data: Vec<u8>,
}

pub(crate) const EXTENDED: u8 = 0x05;
pub(crate) const STORED: u8 = 0x02;
pub(crate) const UNSPLIT: u8 = 0x10;

pub(crate) const SHUFFLE: u8 = 1;
pub(crate) const BITSHUFFLE: u8 = 2;
pub(crate) const DELTA: u8 = 3;
pub(crate) const BYTEDELTA: u8 = 35;

fn empty(data: &[u8], typesize: u8) -> Chunk {
    Chunk {
        version: 5,
        codec_version: 1,
        flags: EXTENDED,
        typesize,
        nbytes: data.len(),
        blocksize: data.len().max(1),
        filters: [0; 6],
        udcodec: 0,
        codec_meta: 0,
        filters_meta: [0; 6],
        blosc2_flags: 0,
        body: Vec::new(),
        data: data.to_vec(),
    }
}

/// Creates a chunk that stores its data without compression.
pub(crate) fn stored(data: &[u8], typesize: u8) -> Chunk {
    Chunk { flags: EXTENDED | STORED, body: data.to_vec(), ..empty(data, typesize) }
}

/// Creates a special chunk. The code is 1 for zeros, 2 for NaN, and 4 for uninitialized.
pub(crate) fn special(code: u8, nbytes: usize, typesize: u8) -> Chunk {
    Chunk { blosc2_flags: code << 4, ..empty(&special_data(code, nbytes, typesize.into()), typesize) }
}

/// Returns the data of a special chunk.
pub(crate) fn special_data(code: u8, nbytes: usize, typesize: usize) -> Vec<u8> {
    match (code, typesize) {
        (2, 4) => f32::NAN.to_le_bytes().repeat(nbytes / 4),
        (2, 8) => f64::NAN.to_le_bytes().repeat(nbytes / 8),
        _ => vec![0; nbytes],
    }
}

/// Creates a chunk that repeats a value.
pub(crate) fn repeated(value: &[u8], count: usize) -> Chunk {
    Chunk { blosc2_flags: 0x30, body: value.to_vec(), ..empty(&value.repeat(count), low(value.len())) }
}

/// Creates a chunk with compressed blocks. If `split` is true, full blocks are split into streams.
pub(crate) fn compressed(data: &[u8], typesize: u8, blocksize: usize, codec: Codec, filters: &[(u8, u8)], split: bool) -> Chunk {
    let mut chunk = Chunk { blocksize, udcodec: codec.code(), ..empty(data, typesize) };
    chunk.flags |= codec.format() << 5 | if split { 0 } else { UNSPLIT };
    let first = 6 - filters.len();
    for (slot, &(filter, meta)) in filters.iter().enumerate() {
        (chunk.filters[first + slot], chunk.filters_meta[first + slot]) = (filter, meta);
    }
    let blocks: Vec<&[u8]> = data.chunks(blocksize).collect();
    let mut starts = Vec::new();
    let mut body = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        let mut bytes = block.to_vec();
        for &(filter, meta) in filters {
            let width = usize::from(if meta == 0 || filter == BITSHUFFLE { typesize } else { meta });
            bytes = match filter {
                SHUFFLE => shuffle(&bytes, width),
                BITSHUFFLE => bitshuffle(&bytes, typesize.into()),
                DELTA => delta(&bytes, blocks[0], number, typesize.into()),
                BYTEDELTA => bytedelta(&bytes, width),
                _ => bytes,
            };
        }
        starts.extend(le32(32 + 4 * blocks.len() + body.len()));
        let is_whole = block.len() == blocksize;
        let streams = if split && is_whole { usize::from(typesize) } else { 1 };
        for stream in bytes.chunks(bytes.len() / streams) {
            let packed = codec.compress(stream);
            if stream.iter().all(|&byte| byte == 0) {
                body.extend([0; 4]);
            } else if packed.len() < stream.len() {
                body.extend(le32(packed.len()));
                body.extend(packed);
            } else {
                body.extend(le32(stream.len()));
                body.extend(stream);
            }
        }
    }
    chunk.body = [starts, body].concat();
    chunk
}

/// Creates a chunk with a block of 24 bytes and a Zstandard dictionary with these repeated offsets. The block does not use the third
/// offset.
pub(crate) fn of_dictionary(offsets: [u32; 3]) -> Chunk {
    let dictionary = dictionary(offsets);
    let start = 32 + 4 + 4 + dictionary.len();
    let body = [&le32(start)[..], &le32(dictionary.len()), &dictionary, &le32(OF_DICTIONARY.len()), &OF_DICTIONARY].concat();
    let flags = EXTENDED | UNSPLIT | Codec::Zstd.format() << 5;
    Chunk { body, flags, udcodec: Codec::Zstd.code(), blosc2_flags: 1, ..empty(b"123456781234567812345678", 1) }
}

impl Chunk {
    pub(crate) fn cbytes(&self) -> usize {
        self.header_len() + self.body.len()
    }

    fn header_len(&self) -> usize {
        if self.flags & EXTENDED == EXTENDED { 32 } else { 16 }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![self.version, self.codec_version, self.flags, self.typesize];
        for length in [self.nbytes, self.blocksize, self.cbytes()] {
            bytes.extend(le32(length));
        }
        if self.header_len() == 32 {
            bytes.extend(self.filters);
            bytes.extend([self.udcodec, self.codec_meta]);
            bytes.extend(self.filters_meta);
            bytes.extend([0, self.blosc2_flags]);
        }
        bytes.extend(&self.body);
        bytes
    }

    pub(crate) fn fact(&self) -> Fact {
        let number = |length: usize| Fact::int(i64::try_from(length).unwrap_or(0));
        let special = match self.blosc2_flags >> 4 & 7 {
            1 => Fact::text("zeros"),
            2 => Fact::text("nan"),
            3 => Fact::text("value"),
            4 => Fact::text("uninitialized"),
            _ => Fact::Null,
        };
        let is_special = special != Fact::Null;
        let is_uninitialized = self.blosc2_flags >> 4 & 7 == 4;
        let fact = Fact::map([
            ("version", Fact::int(self.version)),
            ("typesize", Fact::int(self.typesize)),
            ("nbytes", number(self.nbytes)),
            ("blocksize", number(self.blocksize)),
            ("cbytes", number(self.cbytes())),
            ("stored", Fact::Bool(self.flags & STORED != 0 && !is_special)),
            ("special", special),
        ]);
        fact.with("data", if is_uninitialized { Fact::Any } else { Fact::digest(&self.data) })
    }
}

pub(crate) fn shuffle(bytes: &[u8], typesize: usize) -> Vec<u8> {
    let count = bytes.len() / typesize;
    let mut out = Vec::with_capacity(bytes.len());
    for byte in 0..typesize {
        out.extend((0..count).map(|element| bytes[element * typesize + byte]));
    }
    out.extend(&bytes[count * typesize..]);
    out
}

/// Shuffles the bits of the elements in complete groups of eight, and copies the remaining bytes unchanged.
fn bitshuffle(bytes: &[u8], typesize: usize) -> Vec<u8> {
    let count = bytes.len() / typesize / 8 * 8;
    let mut out = vec![0; count * typesize];
    for bit in 0..typesize * 8 {
        for element in 0..count {
            let value = bytes[element * typesize + bit / 8] >> (bit % 8) & 1;
            out[bit * count / 8 + element / 8] |= value << (element % 8);
        }
    }
    out.extend(&bytes[count * typesize..]);
    out
}

/// Applies the filter delta. In the first block, each byte after the first `width` bytes is XORed with the byte that is `width` bytes
/// before it. In the other blocks, each byte is XORed with the byte at the same position of the first block before its filters.
fn delta(block: &[u8], first: &[u8], number: usize, typesize: usize) -> Vec<u8> {
    let width = match typesize {
        1 | 2 | 4 | 8 => typesize,
        wide if wide % 8 == 0 => 8,
        _ => 1,
    };
    block
        .iter()
        .enumerate()
        .map(|(index, &byte)| match (number, index.checked_sub(width)) {
            (0, None) => byte,
            (0, Some(before)) => byte ^ block[before],
            _ => byte ^ first[index],
        })
        .collect()
}

fn bytedelta(bytes: &[u8], typesize: usize) -> Vec<u8> {
    let count = bytes.len() / typesize;
    let mut out = Vec::with_capacity(bytes.len());
    for stream in bytes[..count * typesize].chunks(count.max(1)) {
        let mut before = 0;
        for &byte in stream {
            out.push(byte.wrapping_sub(before));
            before = byte;
        }
    }
    out.extend(&bytes[count * typesize..]);
    out
}
