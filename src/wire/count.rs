//! Writes and reads the markers and counts of sequences and maps.

use super::Reader;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::MAX_DIMENSIONS;
use crate::marker::{ARRAY16, ARRAY32, CountMarker, FIXARRAY, FIXMAP, MAP16, MAP32};
use crate::sink::Sink;

/// What differs between [`CountMarker`]s: the marker of a 16-bit count (`small`), the marker of a 32-bit count (`wide`), the names for
/// errors, and the largest count.
struct Markers {
    small: Option<u8>,
    wide: Option<u8>,
    expected: &'static str,
    largest: &'static str,
    limit: usize,
}

impl CountMarker {
    fn markers(self) -> Markers {
        const MAX16: usize = u16::MAX as usize;
        const MAX32: usize = u32::MAX as usize;
        let (small, wide, expected, largest, limit) = match self {
            CountMarker::Array => (Some(ARRAY16), Some(ARRAY32), "array (90 to 9f, dc, dd)", "array32", MAX32),
            CountMarker::Map => (Some(MAP16), Some(MAP32), "map (80 to 8f, de, df)", "map32", MAX32),
            CountMarker::Array16 => (Some(ARRAY16), None, "array16 (dc)", "array16", MAX16),
            CountMarker::Map16 => (Some(MAP16), None, "map16 (de)", "map16", MAX16),
            CountMarker::Dimensions => {
                let list = "the list of an array's dimensions";
                (None, None, "the list of an array's dimensions (90 to a0)", list, MAX_DIMENSIONS)
            }
            CountMarker::Miscounted => (None, None, "fixarray (90 to 9f)", "a miscounted fixarray", 16),
        };
        Markers { small, wide, expected, largest, limit }
    }

    /// Returns the marker that has the count in its low bits, or `None` if the count needs more bytes.
    #[inline(always)]
    fn fix(self, count: usize) -> Option<u8> {
        match (self, count) {
            (CountMarker::Array, 0..=15) | (CountMarker::Dimensions, 0..=MAX_DIMENSIONS) => Some(FIXARRAY + count as u8),
            (CountMarker::Map, 0..=15) => Some(FIXMAP + count as u8),
            (CountMarker::Miscounted, 1..=16) => Some(FIXARRAY + (count - 1) as u8),
            _ => None,
        }
    }

    /// Writes the marker and count of a sequence or map of `count` elements.
    #[inline(always)]
    pub(crate) fn put<S: Sink>(self, sink: &mut S, count: usize) -> Result<()> {
        match self.fix(count) {
            Some(marker) => sink.put([marker]),
            None => self.put_long(sink, count),
        }
    }

    fn put_long<S: Sink>(self, sink: &mut S, count: usize) -> Result<()> {
        let (bytes, length) = self.encode(count)?;
        sink.put_slice(&bytes[..length])
    }

    /// Inserts the marker and count at `start`, before `count` elements that have been written already.
    pub(crate) fn insert<S: Sink>(self, sink: &mut S, start: usize, count: usize) -> Result<()> {
        let (bytes, length) = self.encode(count)?;
        sink.insert(start, &bytes[..length])
    }

    /// Returns the bytes of the marker and count, and the number of these bytes.
    fn encode(self, count: usize) -> Result<([u8; 5], usize)> {
        let Markers { small, wide, largest: marker, limit, .. } = self.markers();
        match (self.fix(count), u16::try_from(count), u32::try_from(count), small, wide) {
            (Some(marker), ..) => Ok(([marker, 0, 0, 0, 0], 1)),
            (_, Ok(count), _, Some(small), _) => {
                let [a, b] = count.to_be_bytes();
                Ok(([small, a, b, 0, 0], 3))
            }
            (_, _, Ok(count), _, Some(wide)) => {
                let [a, b, c, d] = count.to_be_bytes();
                Ok(([wide, a, b, c, d], 5))
            }
            _ => Err(Error::new(ErrorKind::TooLong { marker, unit: "elements", length: count, limit })),
        }
    }
}

impl Reader<'_> {
    /// Consumes the marker of a sequence or map and returns the count.
    #[inline(always)]
    pub(crate) fn take_count(&mut self, marker: CountMarker) -> Result<usize> {
        match (marker, self.input.get(self.offset)) {
            (CountMarker::Array | CountMarker::Miscounted, Some(marker @ 0x90..=0x9f))
            | (CountMarker::Dimensions, Some(marker @ 0x90..=0xa0)) => {
                self.offset += 1;
                Ok((marker - FIXARRAY) as usize)
            }
            (CountMarker::Map, Some(marker @ 0x80..=0x8f)) => {
                self.offset += 1;
                Ok((marker - FIXMAP) as usize)
            }
            (CountMarker::Array16, Some(&ARRAY16)) | (CountMarker::Map16, Some(&MAP16)) => {
                let &[_, a, b] = self.take()?;
                Ok(usize::from(u16::from_be_bytes([a, b])))
            }
            _ => {
                let (count, after) = self.long_count(marker)?;
                *self = after;
                Ok(count)
            }
        }
    }

    /// Reads a count that is not stored in the marker itself. Returns the count, and a reader positioned after it.
    fn long_count(mut self, marker: CountMarker) -> Result<(usize, Self)> {
        let Markers { small, wide, expected, .. } = marker.markers();
        let (start, found) = (self, self.peek()?);
        let (count, least) = if Some(found) == small {
            let &[_, a, b] = self.take()?;
            (usize::from(u16::from_be_bytes([a, b])), if wide.is_some() { 16 } else { 0 })
        } else if Some(found) == wide {
            let &[_, a, b, c, d] = self.take()?;
            (u32::from_be_bytes([a, b, c, d]) as usize, 1 << 16)
        } else {
            return Err(self.unexpected(expected, found));
        };
        if count < least {
            return Err(start.unexpected("the shortest marker that holds the count", found));
        }
        Ok((count, self))
    }
}
