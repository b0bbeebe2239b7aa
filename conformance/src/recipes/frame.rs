//! [`Frame`]: the header, the chunks, the index and the trailer.

use super::bytes::{Bytes, le32};
use super::chunk::{self, Chunk};
use super::header::{Header, Layers};
use super::meta::Meta;
use super::stream::Codec;
use super::trailer;
use crate::fact::Fact;

/// A chunk, or a special entry in the index.
#[derive(Clone)]
pub(crate) enum Place {
    Chunk(Chunk),
    /// The special value and the number of bytes that it represents.
    Special(u8, usize),
}

/// How the index is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Index {
    Stored,
    /// Compressed by BloscLZ after a byte shuffle, as in C-Blosc2 if that is shorter.
    Compressed,
}

#[derive(Clone)]
pub(crate) struct Frame {
    pub(crate) header: Header,
    pub(crate) places: Vec<Place>,
    /// Names and values. The values are stored in chunks without compression.
    pub(crate) vlmetalayers: Layers,
    pub(crate) index: Index,
    pub(crate) sparse: bool,
}

/// The bytes of a frame, and the offsets of its parts.
#[derive(Clone)]
pub(crate) struct Built {
    pub(crate) bytes: Vec<u8>,
    pub(crate) header: Header,
    pub(crate) header_bytes: Bytes,
    pub(crate) chunks_at: Vec<usize>,
    pub(crate) index_at: usize,
    pub(crate) trailer_at: usize,
    pub(crate) trailer_bytes: Bytes,
    /// The chunk files of a sparse frame.
    pub(crate) files: Vec<(String, Vec<u8>)>,
    pub(crate) fact: Fact,
    pub(crate) offsets: Fact,
}

impl Frame {
    pub(crate) fn new(header: Header) -> Frame {
        Frame { header, places: Vec::new(), vlmetalayers: Vec::new(), index: Index::Stored, sparse: false }
    }

    /// Creates a one-dimensional array whose chunks are stored without compression.
    pub(crate) fn array(length: usize) -> Frame {
        let shape = i64::try_from(length).unwrap_or(0);
        let meta = Meta::new(&[shape], &[16], &[8], "<i4").bytes().bytes;
        let mut frame = Frame::new(Header::new(4, 64, 32).with("b2nd", &meta));
        let values: Vec<u8> =
            (0..length.div_ceil(16) * 16).flat_map(|value| le32(if value < length { value * 1001 } else { 0 })).collect();
        frame.places = values.chunks(64).map(|data| Place::Chunk(Chunk { blocksize: 32, ..chunk::stored(data, 4) })).collect();
        frame
    }

    pub(crate) fn with(mut self, name: &str, content: &[u8]) -> Frame {
        self.header = self.header.with(name, content);
        self
    }

    pub(crate) fn note(mut self, name: &str, value: &[u8]) -> Frame {
        self.vlmetalayers.push((name.as_bytes().to_vec(), value.to_vec()));
        self
    }

    pub(crate) fn build(&self) -> Built {
        let mut header = self.header.clone();
        let (mut chunks, mut offsets, mut raw, mut files) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (mut data, mut told, mut cbytes) = (Vec::new(), true, 0);
        let mut chunks_at = Vec::new();
        for (number, place) in self.places.iter().enumerate() {
            match place {
                Place::Chunk(chunk) => {
                    let bytes = chunk.bytes();
                    let at = if self.sparse { number } else { chunks.len() };
                    chunks_at.push(header.len() + chunks.len());
                    offsets.push(Fact::int(i64::try_from(at).unwrap_or(0)));
                    raw.extend(u64::try_from(at).unwrap_or(0).to_le_bytes());
                    data.extend(&chunk.data);
                    cbytes += bytes.len();
                    if self.sparse { files.push((format!("{number:08X}.chunk"), bytes)) } else { chunks.extend(bytes) }
                }
                &Place::Special(code, length) => {
                    chunks_at.push(0);
                    offsets.push(Fact::text(["", "zeros", "nan", "", "uninitialized"][usize::from(code)]));
                    raw.extend([0, 0, 0, 0, 0, 0, 0, 0x80 | code]);
                    told &= code != 4;
                    data.extend(chunk::special_data(code, length, usize::try_from(header.typesize).unwrap_or(1)));
                }
            }
        }
        let length = |length: usize| i64::try_from(length).unwrap_or(0);
        (header.nbytes, header.cbytes) = (length(data.len()), length(cbytes));
        header.flags[1] = u8::from(self.sparse);
        header.has_vlmetalayers = !self.vlmetalayers.is_empty();
        let contents: Layers =
            self.vlmetalayers.iter().map(|(name, value)| (name.clone(), chunk::stored(value, 1).bytes())).collect();
        let trailer_bytes = trailer::bytes(&contents);
        let index = match self.index {
            _ if self.places.is_empty() => Vec::new(),
            Index::Stored => chunk::stored(&raw, 8).bytes(),
            Index::Compressed => {
                chunk::compressed(&raw, 8, raw.len().min(16_384), Codec::BloscLz, &[(chunk::SHUFFLE, 0)], false).bytes()
            }
        };
        let index_at = header.len() + chunks.len();
        let trailer_at = index_at + index.len();
        header.frame_len = u64::try_from(trailer_at + trailer_bytes.bytes.len()).unwrap_or(0);
        let header_bytes = header.bytes();
        let bytes = [&header_bytes.bytes[..], &chunks, &index, &trailer_bytes.bytes].concat();
        let fact = self.fact(&header, if told { Some(&data) } else { None });
        let offsets = Fact::map([("nchunks", Fact::int(length(self.places.len()))), ("offsets", Fact::List(offsets))]);
        Built { bytes, header, header_bytes, chunks_at, index_at, trailer_at, trailer_bytes, files, fact, offsets }
    }

    fn fact(&self, header: &Header, data: Option<&Vec<u8>>) -> Fact {
        let fact = Fact::map([
            ("typesize", Fact::int(header.typesize)),
            ("chunksize", Fact::int(header.chunksize)),
            ("blocksize", Fact::int(header.blocksize)),
            ("nbytes", Fact::int(header.nbytes)),
            ("cbytes", Fact::int(header.cbytes)),
            ("nchunks", Fact::int(i64::try_from(self.places.len()).unwrap_or(0))),
            ("metalayers", super::header::layers(&header.metalayers)),
            ("vlmetalayers", super::header::layers(&self.vlmetalayers)),
        ]);
        fact.with("data", data.map_or(Fact::Any, |data| Fact::digest(data)))
    }
}

/// Splits elements in C order into the data of chunks. The blocks of a chunk follow each other, each with its padding.
pub(crate) fn pack(
    shape: &[usize],
    chunkshape: &[usize],
    blockshape: &[usize],
    itemsize: usize,
    elements: &[u8],
) -> Vec<Vec<u8>> {
    let count = |of: &[usize], by: &[usize]| -> Vec<usize> { of.iter().zip(by).map(|(of, by)| of.div_ceil(*by)).collect() };
    let (chunks, blocks) = (count(shape, chunkshape), count(chunkshape, blockshape));
    let coordinates = |lengths: &[usize]| -> Vec<Vec<usize>> {
        lengths.iter().fold(vec![Vec::new()], |found, &length| {
            found.iter().flat_map(|start| (0..length).map(move |index| [&start[..], &[index]].concat())).collect()
        })
    };
    let mut out = Vec::new();
    for chunk in coordinates(&chunks) {
        let mut data = Vec::new();
        for block in coordinates(&blocks) {
            for item in coordinates(blockshape) {
                let inside: Vec<usize> = (0..shape.len()).map(|axis| block[axis] * blockshape[axis] + item[axis]).collect();
                let at: Vec<usize> = (0..shape.len()).map(|axis| chunk[axis] * chunkshape[axis] + inside[axis]).collect();
                let is_there = (0..shape.len()).all(|axis| inside[axis] < chunkshape[axis] && at[axis] < shape[axis]);
                let index = at.iter().zip(shape).fold(0, |index, (at, length)| index * length + at);
                match elements.get(index * itemsize..(index + 1) * itemsize) {
                    Some(element) if is_there => data.extend(element),
                    _ => data.extend(vec![0; itemsize]),
                }
            }
        }
        out.push(data);
    }
    out
}
