//! [`Header`]: what a frame starts with.

use alloc::borrow::Cow;

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::metalayers::{Metalayers, Place, Section, mismatch};
use super::pipeline::{Codec, Filter, SplitMode};
use crate::array::{ArrayMeta, CatervaMeta, Metalayer};
use crate::error::{Error, ErrorKind, Result, Segment};
use crate::wire::{Form, Reader};

/// The header of a frame, owned.
///
/// It holds every field as the file has it, so that [`to_vec`](crate::to_vec) gives back the same
/// [`header_len`](Header::header_len) bytes. header_len itself, idx and the metalayers' offsets follow from the metalayers:
/// they are checked on reading and computed on writing.
///
/// ```
/// let file = std::fs::read("tests/data/example.b2nd")?;
/// let header = b2nd::frame::Header::from_slice(&file)?;
/// assert_eq!(header.version(), 2);
/// assert_eq!(b2nd::to_vec(&header)?, file[..header.header_len()]);
/// let array = header.array()?.expect("a metalayer that says what the array is");
/// assert_eq!(array.geometry().ndim(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Source: C-Blosc2's "Contiguous Frame Format", corrected where real files differ.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Header {
    frame_len: u64,
    flags: [u8; 4],
    nbytes: i64,
    cbytes: i64,
    typesize: i32,
    blocksize: i32,
    chunksize: i32,
    compression_threads: i16,
    decompression_threads: i16,
    has_vlmetalayers: bool,
    pipeline: [u8; 17],
    metalayers: Metalayers,
}

/// The bytes "b2frame\0".
const MAGIC: [u8; 8] = *b"b2frame\0";

/// The length of a header without metalayers.
const SHORTEST: usize = 97;

/// How many bytes it takes to learn header_len.
const START: usize = 15;

/// The position of the flags' first byte.
const FLAGS_AT: usize = 0x19;

/// The position of the filter slots' count.
const SLOTS_AT: usize = 0x46;

/// Whether a frame holds its chunks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameType {
    /// A CFrame: header, chunks, index and trailer in one file or buffer.
    Contiguous,
    /// An SFrame: a directory with a file for each chunk, and `chunks.b2frame` for the rest.
    Sparse,
}

impl Header {
    /// Decodes the header at the front of a frame. It takes header_len bytes, and looks at no more.
    ///
    /// # Errors
    ///
    /// Where the prefix is too short, the error [`is_eof`](Error::is_eof), and [`needed`](Error::needed) says how many
    /// bytes are missing: first as far as header_len (15 bytes in all), then exactly. Frames of version 1, of the betas of 2019 to
    /// 2021 and of versions above 3 are refused by name.
    pub fn from_slice(prefix: &[u8]) -> Result<Header> {
        let header_len = Header::read_len(prefix)?;
        let Some(bytes) = prefix.get(..header_len) else {
            let error = Error::at(ErrorKind::UnexpectedEnd { needed: header_len - prefix.len() }, prefix.len());
            return Err(error.within(Segment::Field("the frame's header"), None));
        };
        let (wire, rest) = match crate::take_from_slice::<Wire>(bytes) {
            Err(error) if error.is_eof() => {
                return Err(mismatch(
                    "header_len",
                    "the length of all fields",
                    format_args!("{header_len}, which cuts them off"),
                    10,
                ));
            }
            other => other?,
        };
        if !rest.is_empty() {
            return Err(mismatch("header_len", header_len - rest.len(), header_len, 10));
        }
        wire.try_into()
    }

    /// Reads as far as header_len.
    fn read_len(prefix: &[u8]) -> Result<usize> {
        let mut reader = Reader::new(prefix);
        let read = |reader: &mut Reader| {
            let count = reader.take_count(Form::Array)?;
            if matches!(count, 11..=13) {
                let message =
                    alloc::format!("a frame of the C-Blosc2 2.0 betas ({count} header elements): versions 2 and 3 are supported");
                return Err(Error::at(ErrorKind::Message(message), 0));
            }
            if count != 14 {
                return Err(Error::at(ErrorKind::Count { expected: 14, found: count }, 0).field("the frame's header"));
            }
            let magic = reader.take_fixstr().map_err(|error| error.field("magic"))?;
            if magic != MAGIC {
                let found = magic.escape_ascii();
                return Err(mismatch("magic", format_args!("\"{}\"", MAGIC.escape_ascii()), format_args!("\"{found}\""), 1));
            }
            reader.take_i32().map_err(|error| error.field("header_len"))
        };
        match read(&mut reader) {
            Ok(length) => match usize::try_from(length) {
                Ok(length) if length >= SHORTEST => Ok(length),
                _ => Err(mismatch("header_len", format_args!("{SHORTEST} or more"), length, 10)),
            },
            Err(error) if error.is_eof() => {
                let needed = START.saturating_sub(prefix.len()).max(1);
                Err(Error::at(ErrorKind::UnexpectedEnd { needed }, prefix.len()).field("the frame's header"))
            }
            Err(error) => Err(error),
        }
    }

    /// The length of the header in bytes, metalayers included.
    pub fn header_len(&self) -> usize {
        // The section's 10 bytes stand in both.
        SHORTEST - 10 + self.metalayers.section_len()
    }

    /// The length of the whole frame in bytes; of a sparse frame, that of `chunks.b2frame`.
    pub fn frame_len(&self) -> u64 {
        self.frame_len
    }

    /// The format's version: 2, or 3 where chunks or blocks vary in length.
    pub fn version(&self) -> u8 {
        self.flags[0] & 0x0f
    }

    /// Whether the frame holds its chunks.
    pub fn frame_type(&self) -> FrameType {
        if self.flags[1] == 0 { FrameType::Contiguous } else { FrameType::Sparse }
    }

    /// The four flag bytes as they are in the file.
    pub fn raw_flags(&self) -> [u8; 4] {
        self.flags
    }

    /// Whether each chunk has a length of its own.
    pub fn has_variable_chunks(&self) -> bool {
        self.flags[0] & 0x40 != 0
    }

    /// Whether each block has a length of its own.
    pub fn has_variable_blocks(&self) -> bool {
        self.flags[0] & 0x80 != 0
    }

    /// The codec that new chunks are compressed with.
    pub fn codec(&self) -> Codec {
        match self.flags[2] & 0x0f {
            6 => Codec::from_code(self.pipeline[7]),
            code => Codec::from_code(code),
        }
    }

    /// The codec's parameter, 0 for most.
    pub fn codec_meta(&self) -> u8 {
        self.pipeline[8]
    }

    /// The compression level, 0 to 9 in every file known.
    pub fn level(&self) -> u8 {
        self.flags[2] >> 4
    }

    /// Whether blocks are split by byte position. C-Blosc2 before 2.6 did not store it as later ones do, so in those files
    /// it may be wrong.
    pub fn split_mode(&self) -> Option<SplitMode> {
        match self.flags[3] {
            0 => Some(SplitMode::Always),
            1 => Some(SplitMode::Never),
            2 => Some(SplitMode::Auto),
            3 => Some(SplitMode::ForwardCompat),
            _ => None,
        }
    }

    /// The filters and the parameter of each, in the order in which they run; empty slots are left out.
    pub fn filters(&self) -> impl Iterator<Item = (Filter, u8)> {
        let slots = self.pipeline[1..7].iter().zip(&self.pipeline[9..15]);
        slots.map(|(&filter, &meta)| (Filter::from_code(filter), meta)).filter(|(filter, _)| *filter != Filter::None)
    }

    /// The length of the data in bytes, uncompressed, padding of chunks included.
    pub fn nbytes(&self) -> i64 {
        self.nbytes
    }

    /// The length of all chunks in bytes, compressed. It can be stale where `nbytes` is 0.
    pub fn cbytes(&self) -> i64 {
        self.cbytes
    }

    /// The length of an element in bytes.
    pub fn typesize(&self) -> i32 {
        self.typesize
    }

    /// The length of a block in bytes, uncompressed; 0 where C-Blosc2 had not chosen one yet.
    pub fn blocksize(&self) -> i32 {
        self.blocksize
    }

    /// The length of a chunk in bytes, uncompressed; 0 where it varies, and -1 in some empty frames.
    pub fn chunksize(&self) -> i32 {
        self.chunksize
    }

    /// How many threads the writer used to compress.
    pub fn compression_threads(&self) -> i16 {
        self.compression_threads
    }

    /// How many threads the writer used to decompress.
    pub fn decompression_threads(&self) -> i16 {
        self.decompression_threads
    }

    /// Whether the trailer holds variable-length metalayers. C-Blosc2 does not rely on it.
    pub fn has_vlmetalayers(&self) -> bool {
        self.has_vlmetalayers
    }

    /// The metalayers: the array's, and those that users added.
    pub fn metalayers(&self) -> &Metalayers {
        &self.metalayers
    }

    /// What the array is: the metalayer `b2nd` if it decodes as one, else `caterva` if that does, else `b2nd`'s error.
    /// `None` where there is neither: the frame holds no array.
    ///
    /// Bytes after the metalayer are accepted, since they are real: a squeeze in place leaves the tail of the longer one.
    /// An error's byte is counted from the start of the header.
    pub fn array(&self) -> Result<Option<ArrayMeta<&str>>> {
        match (self.decode("b2nd"), self.decode::<CatervaMeta>("caterva")) {
            (Ok(Some(array)), _) => Ok(Some(array)),
            (_, Ok(Some(caterva))) => Ok(Some(ArrayMeta::Caterva(caterva))),
            (Err(error), _) | (_, Err(error)) => Err(error),
            (Ok(None), Ok(None)) => Ok(None),
        }
    }

    /// Decodes the metalayer of a type's own name, where there is one. Bytes after it are accepted.
    pub fn metalayer<'s, T: Metalayer + Deserialize<'s>>(&'s self) -> Result<Option<T>> {
        self.decode(T::NAME).map_err(|error| error.field(T::NAME))
    }

    fn decode<'s, T: Deserialize<'s>>(&'s self, name: &str) -> Result<Option<T>> {
        let Some(content) = self.metalayers.get(name) else { return Ok(None) };
        match crate::take_from_slice(content) {
            Ok((value, _stale)) => Ok(Some(value)),
            Err(error) => {
                let start = self.metalayers.content_offset(name, Place::Header.start()).unwrap_or(0);
                Err(error.shifted(start + 5))
            }
        }
    }

    /// What C-Blosc2 checks too, and a reader could not live with.
    fn check(&self) -> Result<()> {
        let at = |message, offset| Err(Error::at(ErrorKind::Message(message), offset));
        match self.version() {
            2 | 3 => {}
            version => return at(alloc::format!("a frame of version {version}: versions 2 and 3 are supported"), FLAGS_AT),
        }
        if self.flags[1] > 1 {
            return Err(mismatch("frame type", "0 (contiguous) or 1 (sparse)", self.flags[1], FLAGS_AT + 1));
        }
        if self.pipeline[0] > 6 {
            return Err(mismatch("filter slots", "at most 6", self.pipeline[0], SLOTS_AT));
        }
        Ok(())
    }
}

/// The header as it stands in a file.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Header")]
struct Wire<'a> {
    #[serde(with = "crate::with::fixstr_bytes", borrow)]
    magic: Cow<'a, [u8]>,
    header_len: i32,
    frame_len: u64,
    #[serde(with = "crate::with::fixstr_bytes")]
    flags: [u8; 4],
    nbytes: i64,
    cbytes: i64,
    typesize: i32,
    blocksize: i32,
    chunksize: i32,
    compression_threads: i16,
    decompression_threads: i16,
    has_vlmetalayers: bool,
    #[serde(with = "crate::with::fixext16")]
    pipeline: [u8; 17],
    #[serde(borrow)]
    metalayers: Section<'a>,
}

impl<'a> TryFrom<&'a Header> for Wire<'a> {
    type Error = Error;

    fn try_from(header: &'a Header) -> Result<Self> {
        let header_len = i32::try_from(header.header_len()).map_err(|_| {
            let length = header.header_len();
            Error::new(ErrorKind::TooLong { marker: "header_len", unit: "bytes", length, limit: i32::MAX as usize })
        })?;
        Ok(Wire {
            magic: Cow::Borrowed(&MAGIC),
            header_len,
            frame_len: header.frame_len,
            flags: header.flags,
            nbytes: header.nbytes,
            cbytes: header.cbytes,
            typesize: header.typesize,
            blocksize: header.blocksize,
            chunksize: header.chunksize,
            compression_threads: header.compression_threads,
            decompression_threads: header.decompression_threads,
            has_vlmetalayers: header.has_vlmetalayers,
            pipeline: header.pipeline,
            metalayers: Section::new(&header.metalayers, Place::Header)?,
        })
    }
}

impl TryFrom<Wire<'_>> for Header {
    type Error = Error;

    fn try_from(wire: Wire) -> Result<Self> {
        if *wire.magic != MAGIC {
            return Err(mismatch("magic", MAGIC.escape_ascii(), wire.magic.escape_ascii(), 1));
        }
        let header = Header {
            frame_len: wire.frame_len,
            flags: wire.flags,
            nbytes: wire.nbytes,
            cbytes: wire.cbytes,
            typesize: wire.typesize,
            blocksize: wire.blocksize,
            chunksize: wire.chunksize,
            compression_threads: wire.compression_threads,
            decompression_threads: wire.decompression_threads,
            has_vlmetalayers: wire.has_vlmetalayers,
            pipeline: wire.pipeline,
            metalayers: wire.metalayers.into_metalayers(Place::Header)?,
        };
        header.check()?;
        if usize::try_from(wire.header_len) != Ok(header.header_len()) {
            return Err(mismatch("header_len", header.header_len(), wire.header_len, 10));
        }
        Ok(header)
    }
}

impl Serialize for Header {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return Header::serialize(self, serializer);
        }
        Wire::try_from(self).map_err(S::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let header = Header::deserialize(deserializer)?;
            header.check().map_err(D::Error::custom)?;
            return Ok(header);
        }
        Wire::deserialize(deserializer)?.try_into().map_err(D::Error::custom)
    }
}
