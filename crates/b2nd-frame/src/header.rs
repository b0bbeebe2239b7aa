//! [`Header`]: the header of a frame.

use alloc::format;
use alloc::string::ToString;

use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, Geometry, Metalayer};
use serde::Deserialize;

use crate::error::{Error, ErrorKind, Result};
use crate::metalayers::{self, Metalayers, Place};

mod build;
pub use build::Sizes;
mod chunks;
pub(crate) use chunks::over_its_place;
mod fields;
pub(crate) mod fit;
mod positions;
pub use positions::HeaderField;
mod wire;
use wire::WireHeader;

/// The header of a frame, with owned data.
///
/// Fields keep the values that they have in the file. The exceptions are the fields header_len and idx and the offsets of the metalayers.
/// They follow from the metalayers, so they are checked when a header is read, and computed when it is written. So
/// [`to_vec`](b2nd::to_vec) returns the same [`header_len`](Header::header_len) bytes as in the file.
///
/// ```
/// let file = std::fs::read("../../tests/data/example.b2nd")?;
/// let header = b2nd_frame::Header::from_slice(&file)?;
/// assert_eq!(header.version(), 2);
/// assert_eq!(b2nd::to_vec(&header)?, file[..header.header_len()]);
/// let array = header.array()?.expect("the metalayer of an array");
/// assert_eq!(array.geometry().ndim(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Source: C-Blosc2's "Contiguous Frame Format", corrected where real files differ.
#[derive(Clone, PartialEq, Eq, Debug)]
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

/// The value of the field magic, the first field of every header.
const MAGIC: [u8; 8] = *b"b2frame\0";

/// The length, in bytes, of a header without metalayers.
const SHORTEST: usize = 97;

/// The number of bytes from the start of the header to the end of the field header_len.
const START: usize = 15;

const FLAGS_AT: usize = HeaderField::FLAGS.value().start;

/// The kind of a frame: contiguous or sparse.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FrameType {
    /// A frame with its header, chunks, index and trailer in one file or buffer. C-Blosc2 calls it a CFrame.
    Contiguous,
    /// A directory with the chunks in files of their own, and a file `chunks.b2frame` for the rest. C-Blosc2 calls it an SFrame.
    Sparse,
}

impl Header {
    /// Decodes the header at the start of a frame, and ignores any bytes after it.
    ///
    /// # Errors
    ///
    /// Fails if `prefix` is too short. [`is_eof`](Error::is_eof) then returns true, and [`needed`](Error::needed) returns the number of
    /// missing bytes: up to the end of the header, or only up to byte 15 if `prefix` is shorter than 15 bytes, since the first 15 bytes
    /// hold the length of the header. Returns [`ErrorKind::NotAFrame`] if the first byte is not that of a short MessagePack array, or the
    /// number of elements or the text of the magic is not that of a frame, and [`ErrorKind::UnsupportedVersion`] if the version is not 2
    /// or 3, or if a beta of C-Blosc2 (2019 and 2020) wrote the frame. Other errors name the field that is not valid.
    pub fn from_slice(prefix: &[u8]) -> Result<Header> {
        let header_len = Header::read_len(prefix)?;
        let Some(bytes) = prefix.get(..header_len) else {
            return Err(Error::end(header_len - prefix.len(), prefix.len()).field("the frame's header"));
        };
        // Check the version first: the header of a later version may differ.
        if bytes[HeaderField::FLAGS.marker()] == 0xa4 {
            check_version(bytes[FLAGS_AT] & 0x0f)?;
        }
        match b2nd::from_slice::<WireHeader<_>>(bytes) {
            Ok(wire) => wire.try_into(),
            Err(error) => Err(wrong_len(error, header_len)),
        }
    }

    /// Reads the start of the header, and returns the value of the field header_len.
    fn read_len(prefix: &[u8]) -> Result<usize> {
        let length = Header::read_start(prefix).map_err(|error| match error.is_eof() {
            true => Error::end(START.saturating_sub(prefix.len()).max(1), prefix.len()).field("the frame's header"),
            false => error,
        })?;
        match usize::try_from(length) {
            Ok(length) if length >= SHORTEST => Ok(length),
            _ => Err(Error::mismatch("header_len", format_args!("{SHORTEST} or more"), length, 10)),
        }
    }

    fn read_start(prefix: &[u8]) -> Result<i32> {
        #[derive(Deserialize)]
        struct Magic<'a>(#[serde(with = "b2nd::with::fixstr_bytes", borrow)] &'a [u8]);

        let (&marker, rest) = prefix.split_first().ok_or_else(|| Error::end(START, 0))?;
        let not_a_frame = |message| Err(Error::at(ErrorKind::NotAFrame(message), 0));
        let count = match marker {
            0x90..=0x9f => marker - 0x90,
            _ => return not_a_frame(format!("not a Blosc2 frame: expected an array of 14 elements (9e), found {marker:02x}")),
        };
        let field = |error: b2nd::Error, at, name| Error::from(error).shifted(at).field(name);
        let (Magic(magic), rest) = b2nd::take_from_slice(rest).map_err(|error| field(error, 1, "magic"))?;
        check_magic(magic)?;
        match count {
            14 => {}
            11..=13 => {
                let expected = "14 (C-Blosc2 2.0 betas wrote 11 to 13, which are not supported)";
                let kind = ErrorKind::UnsupportedVersion { expected, found: count.to_string() };
                return Err(Error::at(kind, 0).field("header elements"));
            }
            _ => return not_a_frame(format!("expected 14, found {count}")).map_err(|error| error.field("header elements")),
        }
        let (length, _) = b2nd::take_from_slice(rest).map_err(|error| field(error, START - 5, "header_len"))?;
        Ok(length)
    }

    /// Returns the length of the header in bytes, including the metalayers.
    pub fn header_len(&self) -> usize {
        // `SHORTEST` and `section_len` both include the 10 bytes that are stored even if there are no metalayers.
        SHORTEST - 10 + self.metalayers.section_len()
    }

    /// Returns the length of the frame in bytes. For a sparse frame, this is the length of `chunks.b2frame`.
    pub fn frame_len(&self) -> u64 {
        self.frame_len
    }

    /// Returns the metalayers.
    pub fn metalayers(&self) -> &Metalayers {
        &self.metalayers
    }

    /// Decodes the metalayer that describes the array: `b2nd`, or `caterva` if `b2nd` does not exist or cannot be decoded. Returns `None`
    /// if the frame has neither metalayer.
    ///
    /// Bytes after the value are accepted: after a squeeze in place, the end of the longer, old content stays in the file.
    ///
    /// # Errors
    ///
    /// Fails if the metalayer is not valid, or if C-Blosc2 would read a different metalayer: one whose name starts with `b2nd` or
    /// `caterva`, followed by a NUL. Offsets in errors count from the start of the header.
    #[inline]
    pub fn array(&self) -> Result<Option<ArrayMeta<&str>>> {
        Ok(self.array_metalayer()?.map(|(_, array, _)| array))
    }

    /// Decodes the metalayer that describes the array, like [`array`](Header::array). Returns the metalayer's name, the metadata, and the
    /// bytes that follow them.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`array`](Header::array).
    #[inline]
    #[allow(clippy::type_complexity)]
    pub fn array_metalayer(&self) -> Result<Option<(&'static str, ArrayMeta<&str>, &[u8])>> {
        let b2nd = match self.decode(B2ndMeta::<&str>::NAME, ArrayMeta::from_metalayer) {
            Ok(Some((array, rest))) => return Ok(Some((B2ndMeta::<&str>::NAME, array, rest))),
            other => other,
        };
        match (b2nd, self.decode(CatervaMeta::NAME, metalayers::decode)) {
            (_, Ok(Some((caterva, rest)))) => Ok(Some((CatervaMeta::NAME, ArrayMeta::Caterva(caterva), rest))),
            (Err(error), _) | (_, Err(error)) => Err(error),
            (Ok(_), Ok(None)) => Ok(None),
        }
    }

    /// Returns the array's geometry, or `None` if the frame holds no array. Unlike [`array`](Header::array), this also works if the dtype
    /// is not UTF-8.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`array`](Header::array). A dtype that is not UTF-8 is not an error.
    ///
    /// ```
    /// # use b2nd_frame::{Header, Sizes};
    /// let content = hex_literal::hex!("97 00 01 91 d3000000000000000a 91 d200000005 91 d200000002 01 db00000002 fffe");
    /// let mut header = Header::new(Sizes { typesize: 2, chunksize: 12, blocksize: 4 })?;
    /// header.metalayers_mut().insert("b2nd", content)?;
    /// assert_eq!(header.array().unwrap_err().to_string(), "b2nd.dtype: a string is not UTF-8 at byte 143");
    /// assert_eq!(header.geometry()?.unwrap().shape(), [10]);
    /// # Ok::<(), b2nd_frame::Error>(())
    /// ```
    pub fn geometry(&self) -> Result<Option<Geometry>> {
        match self.array() {
            Err(error) if matches!(error.kind(), ErrorKind::Format(error) if matches!(error.kind(), b2nd::ErrorKind::Utf8)) => {
                let content = self.metalayers.get_as_c(B2ndMeta::<&str>::NAME)?;
                Ok(content.map(Geometry::from_metalayer).transpose()?)
            }
            array => Ok(array?.map(|array| *array.geometry())),
        }
    }

    /// Decodes the metalayer whose name is `T::NAME`, or returns `None` if no such metalayer exists. Bytes after the value are accepted.
    ///
    /// # Errors
    ///
    /// Fails if the content does not start with a valid value, or if C-Blosc2 would read a different metalayer: one whose name starts with
    /// `T::NAME`, followed by a NUL. Offsets in errors count from the start of the header.
    pub fn metalayer<'s, T: Metalayer + Deserialize<'s>>(&'s self) -> Result<Option<T>> {
        self.decode(T::NAME, |content| Ok(metalayers::decode(content)?.0))
    }

    fn decode<'s, T>(&'s self, name: &str, read: impl FnOnce(&'s [u8]) -> b2nd::Result<T>) -> Result<Option<T>> {
        let Some(content) = self.metalayers.get_as_c(name)? else { return Ok(None) };
        read(content).map(Some).map_err(|error| {
            let start = self.metalayers.content_offset(name, Place::HEADER.start).unwrap_or(0);
            Error::from(error).complete("the metalayer").shifted(start + 5).field(name)
        })
    }

    /// Checks the version, the frame type, nbytes, the typesize, the chunksize and the number of filter slots.
    fn check(&self) -> Result<()> {
        check_version(self.version())?;
        if self.flags[1] > 1 {
            return Err(Error::mismatch("frame type", "0 (contiguous) or 1 (sparse)", self.flags[1], FLAGS_AT + 1));
        }
        if self.nbytes < 0 {
            return Err(Error::mismatch("nbytes", "0 or more", self.nbytes, HeaderField::NBYTES.marker()));
        }
        if self.typesize < 1 {
            return Err(Error::mismatch("typesize", "1 or more", self.typesize, HeaderField::TYPESIZE.marker()));
        }
        // The chunksize is -1 in some files without data.
        if self.chunksize < 0 && self.nbytes != 0 {
            return Err(Error::mismatch("chunksize", "0 or more", self.chunksize, HeaderField::CHUNKSIZE.marker()));
        }
        if self.pipeline[0] > 6 {
            return Err(Error::mismatch("filter slots", "at most 6", self.pipeline[0], HeaderField::PIPELINE.value().start));
        }
        Ok(())
    }
}

/// If the error is that the header is longer or shorter than its field header_len says, returns an error that gives both lengths. Returns
/// any other error unchanged.
fn wrong_len(error: b2nd::Error, header_len: usize) -> Error {
    let expected = match error.kind() {
        b2nd::ErrorKind::TrailingBytes { count } => (header_len - count).to_string(),
        b2nd::ErrorKind::UnexpectedEnd { needed } => {
            format!("{} or more for {}", header_len.saturating_add(*needed), error.path().unwrap_or_default())
        }
        _ => return error.into(),
    };
    Error::mismatch("header_len", expected, header_len, 10)
}

fn check_version(version: u8) -> Result<()> {
    match version {
        2 | 3 => Ok(()),
        _ => {
            let kind = ErrorKind::UnsupportedVersion { expected: "2 or 3", found: version.to_string() };
            Err(Error::at(kind, FLAGS_AT).field("frame version"))
        }
    }
}

fn check_magic(magic: &[u8]) -> Result<()> {
    if *magic != MAGIC {
        let quoted = |bytes: &[u8]| format!("\"{}\"", bytes.escape_ascii());
        let message = format!("expected {}, found {}", quoted(&MAGIC), quoted(magic));
        return Err(Error::at(ErrorKind::NotAFrame(message), 1).field("magic"));
    }
    Ok(())
}
