//! [`Trailer`]: the trailer of a frame, which holds the vlmetalayers.

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_bytes::{ByteBuf, Bytes};

use crate::error::{Error, Result};
use crate::metalayers::{Place, Section};
use crate::vlmetalayers::Vlmetalayers;

/// The trailer of a frame, with owned data. It holds the vlmetalayers (variable-length metalayers), which can be
/// added, replaced and removed at any time.
///
/// ```
/// let file = std::fs::read("../../tests/data/example.b2nd")?;
/// for name in b2nd_frame::Trailer::from_tail(&file)?.vlmetalayers().names() {
///     println!("{}", name.escape_ascii());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Source: C-Blosc2's "Contiguous Frame Format", corrected where real files differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trailer {
    version: u8,
    vlmetalayers: Vlmetalayers,
    pub(crate) fingerprint: [u8; 17],
}

/// The length, in bytes, of a trailer without vlmetalayers.
pub(crate) const SHORTEST: usize = 35;

/// The number of bytes from the marker of the field trailer_len to the end of the frame.
const LEN_BEFORE_END: usize = 23;

/// The version of the trailer that C-Blosc2 writes.
const VERSION: u8 = 1;

impl Trailer {
    /// Creates a trailer with these vlmetalayers and a fingerprint of zeros.
    #[must_use]
    pub fn new(vlmetalayers: Vlmetalayers) -> Self {
        Trailer { version: VERSION, vlmetalayers, fingerprint: [0; 17] }
    }

    /// Decodes a trailer from its bytes: the last [`trailer_len`](Trailer::trailer_len) bytes of a frame.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not a valid trailer, or if other bytes follow the trailer.
    pub fn from_slice(trailer: &[u8]) -> Result<Trailer> {
        b2nd::from_slice::<WireTrailer<_>>(trailer).map_err(named)?.into_trailer()
    }

    /// Decodes the trailer at the end of `tail`, which is a frame or the last part of a frame, such as the bytes of
    /// [`Header::tail_range`](super::Header::tail_range).
    ///
    /// In a frame without data, C-Blosc2, [`File`](super::File) and [`Frame`](super::Frame) read the trailer that follows the header, even
    /// if the frame ends with another trailer. No known writer leaves two trailers in such a frame.
    ///
    /// # Errors
    ///
    /// Fails if `tail` does not end with a valid trailer.
    pub fn from_tail(tail: &[u8]) -> Result<Trailer> {
        let start = Trailer::start_in(tail)?;
        Trailer::from_slice(&tail[start..]).map_err(|error| error.shifted(start))
    }

    /// Decodes the trailer at the start of `tail`, which holds the bytes after the header of a frame without data. Like C-Blosc2, this
    /// ignores any bytes after the trailer.
    pub(crate) fn first_in(tail: &[u8]) -> Result<Trailer> {
        let trailer = b2nd::take_from_slice::<WireTrailer<_>>(tail).map_err(named).and_then(|(wire, _)| wire.into_trailer());
        trailer.map_err(|error| error.complete("the space for the trailer"))
    }

    /// Returns the value of the field trailer_len at the end of `tail`, without checking it. Returns `None` if the field is not there.
    pub(crate) fn len_in(tail: &[u8]) -> Option<u64> {
        let end = tail.len().checked_sub(LEN_BEFORE_END)?;
        b2nd::take_from_slice::<u32>(&tail[end..]).ok().map(|(length, _)| length.into())
    }

    /// Returns the position at which the trailer starts in `tail`. The end of `tail` must be the end of the frame.
    pub(crate) fn start_in(tail: &[u8]) -> Result<usize> {
        let Some(end) = tail.len().checked_sub(LEN_BEFORE_END) else {
            return Err(Error::end(LEN_BEFORE_END - tail.len(), tail.len()).field("the frame's trailer"));
        };
        let length = b2nd::take_from_slice::<u32>(&tail[end..]);
        let (length, _) = length.map_err(|error| Error::from(error).shifted(end).field("trailer_len"))?;
        match tail.len().checked_sub(length as usize) {
            Some(start) if length as usize >= SHORTEST => Ok(start),
            Some(_) => Err(Error::mismatch("trailer_len", format_args!("{SHORTEST} or more"), length, end)),
            None => Err(Error::mismatch("trailer_len", format_args!("{SHORTEST} to {}", tail.len()), length, end)),
        }
    }

    /// Returns the length of the trailer in bytes.
    pub fn trailer_len(&self) -> usize {
        // `SHORTEST` and `section_len` both include the 10 bytes that are stored even if there are no metalayers.
        SHORTEST - 10 + self.vlmetalayers.0.section_len()
    }

    /// Returns the trailer's version, which C-Blosc2 writes as 1.
    pub fn version(&self) -> u8 {
        self.version
    }

    /// Returns the vlmetalayers.
    pub fn vlmetalayers(&self) -> &Vlmetalayers {
        &self.vlmetalayers
    }

    /// Returns a mutable reference to the vlmetalayers.
    pub fn vlmetalayers_mut(&mut self) -> &mut Vlmetalayers {
        &mut self.vlmetalayers
    }

    /// Returns the fingerprint: a byte for its type, then 16 bytes. C-Blosc2 writes only zeros.
    pub fn fingerprint(&self) -> [u8; 17] {
        self.fingerprint
    }

    /// Returns an error if the trailer has a fingerprint. No specification says how to compute it, so an edit could not update it.
    #[cfg(feature = "std")]
    pub(crate) fn check_editable(&self) -> Result<()> {
        match self.fingerprint {
            [0, ..] => Ok(()),
            [found, ..] => Err(Error::custom(format_args!(
                "fingerprint: expected type 0 (none), found {found}: an edit cannot update it; `b2nd repack FILE COPY` leaves it out"
            ))),
        }
    }
}

/// Names the frame's trailer in an error that names no field.
fn named(error: b2nd::Error) -> Error {
    let error = Error::from(error);
    if error.path().is_none() { error.field("the frame's trailer").within_offset(0) } else { error }
}

/// The trailer as stored in files.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Trailer", expecting = "a trailer of 4 elements")]
struct WireTrailer<B> {
    #[serde(with = "b2nd::with::fixint")]
    version: u8,
    vlmetalayers: Section<B>,
    trailer_len: u32,
    #[serde(with = "b2nd::with::fixext16")]
    fingerprint: [u8; 17],
}

impl<'a> WireTrailer<&'a Bytes> {
    fn new(trailer: &'a Trailer) -> Result<Self> {
        let length = trailer.trailer_len();
        let too_long = |_| Error::too_long("trailer_len", length, u32::MAX as usize);
        let trailer_len = u32::try_from(length).map_err(too_long)?;
        let vlmetalayers = Section::new(&trailer.vlmetalayers.0, Place::TRAILER)?;
        Ok(WireTrailer { version: trailer.version, vlmetalayers, trailer_len, fingerprint: trailer.fingerprint })
    }
}

impl WireTrailer<ByteBuf> {
    fn into_trailer(self) -> Result<Trailer> {
        let vlmetalayers = Vlmetalayers(self.vlmetalayers.into_metalayers(Place::TRAILER)?);
        let trailer = Trailer { version: self.version, vlmetalayers, fingerprint: self.fingerprint };
        let expected = trailer.trailer_len();
        if usize::try_from(self.trailer_len) != Ok(expected) {
            return Err(Error::mismatch("trailer_len", expected, self.trailer_len, expected.saturating_sub(LEN_BEFORE_END)));
        }
        Ok(trailer)
    }
}

/// The trailer in human-readable serde formats such as JSON, without trailer_len, idx and offsets, which can be computed from the other
/// fields.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Trailer", rename = "Trailer", deny_unknown_fields)]
struct Readable {
    #[serde(with = "b2nd::with::fixint")]
    version: u8,
    vlmetalayers: Vlmetalayers,
    fingerprint: [u8; 17],
}

impl Serialize for Trailer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return Readable::serialize(self, serializer);
        }
        WireTrailer::new(self).map_err(S::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Trailer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            return Readable::deserialize(deserializer);
        }
        WireTrailer::deserialize(deserializer)?.into_trailer().map_err(|error| D::Error::custom(error.anywhere()))
    }
}
