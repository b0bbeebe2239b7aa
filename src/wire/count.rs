//! Writes and reads the markers and counts of sequences and maps.

use super::{MAX_DIMENSIONS, Reader};
use crate::error::{Error, ErrorKind, Result};
use crate::marker::{ARRAY16, ARRAY32, CountMarker, FIXARRAY, FIXMAP, MAP16, MAP32};
use crate::sink::Sink;

impl CountMarker {
    /// Writes the marker and count of a sequence or map of `count` elements.
    #[inline(always)]
    pub(crate) fn put<S: Sink>(self, sink: &mut S, count: usize) -> Result<()> {
        match (self, count) {
            (CountMarker::Array, 0..=15) => sink.put([FIXARRAY | count as u8]),
            (CountMarker::Map, 0..=15) => sink.put([FIXMAP | count as u8]),
            (CountMarker::Dimensions, 0..=MAX_DIMENSIONS) => sink.put([FIXARRAY + count as u8]),
            _ => self.put_long(sink, count),
        }
    }

    fn put_long<S: Sink>(self, sink: &mut S, count: usize) -> Result<()> {
        let (bytes, length) = self.marker(count)?;
        sink.put_slice(&bytes[..length])
    }

    /// Inserts the marker and count at `start`, before `count` elements that have been written already.
    pub(crate) fn insert<S: Sink>(self, sink: &mut S, start: usize, count: usize) -> Result<()> {
        let (bytes, length) = self.marker(count)?;
        sink.insert(start, &bytes[..length])
    }

    /// Returns the bytes of the marker and count, and the number of these bytes.
    pub(crate) fn marker(self, count: usize) -> Result<([u8; 5], usize)> {
        let short = |base: u8| ([base + count as u8, 0, 0, 0, 0], 1);
        let long = |small: u8, wide: Option<u8>| match (u16::try_from(count), u32::try_from(count), wide) {
            (Ok(count), ..) => {
                let [a, b] = count.to_be_bytes();
                Ok(([small, a, b, 0, 0], 3))
            }
            (_, Ok(count), Some(wide)) => {
                let [a, b, c, d] = count.to_be_bytes();
                Ok(([wide, a, b, c, d], 5))
            }
            _ => Err(self.too_long(count)),
        };
        match (self, count) {
            (CountMarker::Array, 0..=15) => Ok(short(FIXARRAY)),
            (CountMarker::Map, 0..=15) => Ok(short(FIXMAP)),
            (CountMarker::Dimensions, 0..=MAX_DIMENSIONS) => Ok(short(FIXARRAY)),
            (CountMarker::Miscounted, 1..=16) => Ok(([FIXARRAY + (count - 1) as u8, 0, 0, 0, 0], 1)),
            (CountMarker::Array, _) => long(ARRAY16, Some(ARRAY32)),
            (CountMarker::Map, _) => long(MAP16, Some(MAP32)),
            (CountMarker::Array16, _) => long(ARRAY16, None),
            (CountMarker::Map16, _) => long(MAP16, None),
            (CountMarker::Dimensions | CountMarker::Miscounted, _) => Err(self.too_long(count)),
        }
    }

    #[cold]
    fn too_long(self, count: usize) -> Error {
        let (marker, limit) = match self {
            CountMarker::Array => ("array32", u32::MAX as usize),
            CountMarker::Map => ("map32", u32::MAX as usize),
            CountMarker::Array16 => ("array16", u16::MAX as usize),
            CountMarker::Map16 => ("map16", u16::MAX as usize),
            CountMarker::Dimensions => ("the list of an array's dimensions", MAX_DIMENSIONS),
            CountMarker::Miscounted => ("a miscounted fixarray", 16),
        };
        Error::new(ErrorKind::TooLong { marker, unit: "elements", length: count, limit })
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
            _ => {
                let (count, after) = self.long_count(marker)?;
                *self = after;
                Ok(count)
            }
        }
    }

    /// Reads a count that is not stored in the marker itself. Returns the count, and a reader positioned after it.
    fn long_count(mut self, marker: CountMarker) -> Result<(usize, Self)> {
        let (expected, small, wide) = match marker {
            CountMarker::Array => ("array (90 to 9f, dc, dd)", Some(ARRAY16), Some(ARRAY32)),
            CountMarker::Map => ("map (80 to 8f, de, df)", Some(MAP16), Some(MAP32)),
            CountMarker::Array16 => ("array16 (dc)", Some(ARRAY16), None),
            CountMarker::Map16 => ("map16 (de)", Some(MAP16), None),
            CountMarker::Dimensions => ("the list of an array's dimensions (90 to a0)", None, None),
            CountMarker::Miscounted => ("fixarray (90 to 9f)", None, None),
        };
        let start = self;
        let marker = self.peek()?;
        if Some(marker) == small {
            let &[_, a, b] = self.take()?;
            let count = u16::from_be_bytes([a, b]) as usize;
            if count < 16 && wide.is_some() {
                return Err(start.unexpected("the shortest marker that holds the count", marker));
            }
            return Ok((count, self));
        }
        if Some(marker) == wide {
            let &[_, a, b, c, d] = self.take()?;
            let count = u32::from_be_bytes([a, b, c, d]) as usize;
            if count <= u16::MAX as usize {
                return Err(start.unexpected("the shortest marker that holds the count", marker));
            }
            return Ok((count, self));
        }
        Err(self.unexpected(expected, marker))
    }
}
