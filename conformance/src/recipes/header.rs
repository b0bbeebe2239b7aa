//! [`Header`]: the header of a frame, and the section of metalayers, which trailers have too.

use super::bytes::{Bytes, be16, be32, low};
use crate::fact::Fact;

/// Names and contents.
pub(crate) type Layers = Vec<(Vec<u8>, Vec<u8>)>;

#[derive(Clone)]
pub(crate) struct Header {
    pub(crate) frame_len: u64,
    pub(crate) flags: [u8; 4],
    pub(crate) nbytes: i64,
    pub(crate) cbytes: i64,
    pub(crate) typesize: i32,
    pub(crate) blocksize: i32,
    pub(crate) chunksize: i32,
    pub(crate) threads: [i16; 2],
    pub(crate) has_vlmetalayers: bool,
    pub(crate) pipeline: [u8; 17],
    pub(crate) metalayers: Layers,
}

impl Header {
    /// Creates the header of an ordinary frame: Zstandard at level 5 after a byte shuffle.
    pub(crate) fn new(typesize: i32, chunksize: i32, blocksize: i32) -> Header {
        let mut pipeline = [0; 17];
        pipeline[0] = 6;
        pipeline[6] = 1;
        pipeline[7] = 5;
        Header {
            frame_len: 0,
            flags: [0x12, 0, 0x55, 3],
            nbytes: 0,
            cbytes: 0,
            typesize,
            blocksize,
            chunksize,
            threads: [1, 1],
            has_vlmetalayers: false,
            pipeline,
            metalayers: Vec::new(),
        }
    }

    pub(crate) fn with(mut self, name: &str, content: &[u8]) -> Header {
        self.metalayers.push((name.as_bytes().to_vec(), content.to_vec()));
        self
    }

    pub(crate) fn len(&self) -> usize {
        97 + self.metalayers.iter().map(|(name, content)| 11 + name.len() + content.len()).sum::<usize>()
    }

    pub(crate) fn bytes(&self) -> Bytes {
        let mut bytes = Bytes::default();
        bytes.field("count", &[0x9e]);
        bytes.field("magic", b"\xa8b2frame\0");
        let mut number = |name: &str, marker: u8, number: &[u8]| {
            bytes.field(name, &[marker]);
            bytes.more(number);
        };
        number("header_len", 0xd2, &be32(self.len()));
        number("frame_len", 0xcf, &self.frame_len.to_be_bytes());
        number("flags", 0xa4, &self.flags);
        number("nbytes", 0xd3, &self.nbytes.to_be_bytes());
        number("cbytes", 0xd3, &self.cbytes.to_be_bytes());
        number("typesize", 0xd2, &self.typesize.to_be_bytes());
        number("blocksize", 0xd2, &self.blocksize.to_be_bytes());
        number("chunksize", 0xd2, &self.chunksize.to_be_bytes());
        number("compression_threads", 0xd1, &self.threads[0].to_be_bytes());
        number("decompression_threads", 0xd1, &self.threads[1].to_be_bytes());
        number("has_vlmetalayers", if self.has_vlmetalayers { 0xc3 } else { 0xc2 }, &[]);
        number("pipeline", 0xd8, &self.pipeline);
        section(&mut bytes, &self.metalayers, 0x57, 0);
        bytes
    }

    pub(crate) fn fact(&self) -> Fact {
        Fact::map([
            ("header_len", Fact::int(i64::try_from(self.len()).unwrap_or(0))),
            ("frame_len", Fact::int(self.frame_len)),
            ("flags", Fact::bytes(&self.flags)),
            ("nbytes", Fact::int(self.nbytes)),
            ("cbytes", Fact::int(self.cbytes)),
            ("typesize", Fact::int(self.typesize)),
            ("blocksize", Fact::int(self.blocksize)),
            ("chunksize", Fact::int(self.chunksize)),
            ("compression_threads", Fact::int(self.threads[0])),
            ("decompression_threads", Fact::int(self.threads[1])),
            ("has_vlmetalayers", Fact::Bool(self.has_vlmetalayers)),
            ("pipeline", Fact::bytes(&self.pipeline)),
            ("metalayers", layers(&self.metalayers)),
        ])
    }
}

/// Returns the names and contents as facts.
pub(crate) fn layers(layers: &Layers) -> Fact {
    Fact::List(layers.iter().map(|(name, content)| Fact::List(vec![Fact::bytes(name), Fact::bytes(content)])).collect())
}

/// Adds the section of metalayers, which starts at the offset `start`. In a trailer, the field idx is one less than in a
/// header.
pub(crate) fn section(bytes: &mut Bytes, layers: &Layers, start: usize, less: usize) {
    let index_len = 7 + layers.iter().map(|(name, _)| name.len() + 6).sum::<usize>();
    bytes.field("section", &[0x93]);
    bytes.field("idx", &[0xcd]);
    bytes.more(&be16((index_len - less) & 0xffff));
    bytes.field("offsets", &[0xde]);
    bytes.more(&be16(layers.len()));
    let mut offset = start + index_len + 3;
    for (index, (name, content)) in layers.iter().enumerate() {
        bytes.field(format!("name-{index}"), &[0xa0 | low(name.len())]);
        bytes.more(name);
        bytes.field(format!("offset-{index}"), &[0xd2]);
        bytes.more(&be32(offset));
        offset += 5 + content.len();
    }
    bytes.field("contents", &[0xdc]);
    bytes.more(&be16(layers.len()));
    for (index, (_, content)) in layers.iter().enumerate() {
        bytes.field(format!("content-{index}"), &[0xc6]);
        bytes.more(&be32(content.len()));
        bytes.more(content);
    }
}
