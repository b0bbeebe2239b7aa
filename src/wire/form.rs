//! The markers of sequences and maps.

use super::{MAX_DIMENSIONS, Reader};
use crate::error::{Error, ErrorKind, Result};
use crate::marker::{ARRAY16, ARRAY32, FIXARRAY, FIXMAP, MAP16, MAP32};
use crate::sink::Sink;

/// The marker of a sequence or map, by the rule that picks it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Form {
    /// fixarray, array16 or array32: the shortest that holds the count.
    Array,
    /// fixmap, map16 or map32: likewise.
    Map,
    /// array16, whatever the count.
    Array16,
    /// map16, whatever the count.
    Map16,
    /// `90` plus the count, up to `a0`: what C-Blosc2 writes for each of an array's shapes.
    Dimensions,
    /// A fixarray whose count is one too low: `b2nd` metalayers of 8 February 2023.
    Miscounted,
}

impl Form {
    /// Writes the marker of `count` elements.
    #[inline(always)]
    pub(crate) fn put<S: Sink>(self, sink: &mut S, count: usize) -> Result<()> {
        match (self, count) {
            (Form::Array, 0..=15) => sink.put([FIXARRAY | count as u8]),
            (Form::Map, 0..=15) => sink.put([FIXMAP | count as u8]),
            (Form::Dimensions, 0..=MAX_DIMENSIONS) => sink.put([FIXARRAY + count as u8]),
            _ => self.put_long(sink, count),
        }
    }

    fn put_long<S: Sink>(self, sink: &mut S, count: usize) -> Result<()> {
        let (bytes, length) = self.marker(count)?;
        sink.put_slice(&bytes[..length])
    }

    /// Inserts the marker of the `count` elements that have been written from `start` on.
    pub(crate) fn insert<S: Sink>(self, sink: &mut S, start: usize, count: usize) -> Result<()> {
        let (bytes, length) = self.marker(count)?;
        sink.insert(start, &bytes[..length])
    }

    /// The marker's bytes, and how many they are.
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
            (Form::Array, 0..=15) => Ok(short(FIXARRAY)),
            (Form::Map, 0..=15) => Ok(short(FIXMAP)),
            (Form::Dimensions, 0..=MAX_DIMENSIONS) => Ok(short(FIXARRAY)),
            (Form::Miscounted, 1..=16) => Ok(([FIXARRAY + (count - 1) as u8, 0, 0, 0, 0], 1)),
            (Form::Array, _) => long(ARRAY16, Some(ARRAY32)),
            (Form::Map, _) => long(MAP16, Some(MAP32)),
            (Form::Array16, _) => long(ARRAY16, None),
            (Form::Map16, _) => long(MAP16, None),
            (Form::Dimensions | Form::Miscounted, _) => Err(self.too_long(count)),
        }
    }

    #[cold]
    fn too_long(self, count: usize) -> Error {
        let (marker, limit) = match self {
            Form::Array => ("array32", u32::MAX as usize),
            Form::Map => ("map32", u32::MAX as usize),
            Form::Array16 => ("array16", u16::MAX as usize),
            Form::Map16 => ("map16", u16::MAX as usize),
            Form::Dimensions => ("the list of an array's dimensions", MAX_DIMENSIONS),
            Form::Miscounted => ("a miscounted fixarray", 16),
        };
        Error::new(ErrorKind::TooLong { marker, unit: "elements", length: count, limit })
    }
}

impl Reader<'_> {
    /// The count of a sequence or map written in this form.
    #[inline(always)]
    pub(crate) fn take_count(&mut self, form: Form) -> Result<usize> {
        match (form, self.input.get(self.offset)) {
            (Form::Array | Form::Miscounted, Some(marker @ 0x90..=0x9f)) | (Form::Dimensions, Some(marker @ 0x90..=0xa0)) => {
                self.offset += 1;
                Ok((marker - FIXARRAY) as usize)
            }
            (Form::Map, Some(marker @ 0x80..=0x8f)) => {
                self.offset += 1;
                Ok((marker - FIXMAP) as usize)
            }
            _ => {
                let (count, after) = self.long_count(form)?;
                *self = after;
                Ok(count)
            }
        }
    }

    /// A count that is not in the marker's own byte, and the reader after it.
    fn long_count(mut self, form: Form) -> Result<(usize, Self)> {
        let (expected, small, wide) = match form {
            Form::Array => ("array (90 to 9f, dc, dd)", Some(ARRAY16), Some(ARRAY32)),
            Form::Map => ("map (80 to 8f, de, df)", Some(MAP16), Some(MAP32)),
            Form::Array16 => ("array16 (dc)", Some(ARRAY16), None),
            Form::Map16 => ("map16 (de)", Some(MAP16), None),
            Form::Dimensions => ("the list of an array's dimensions (90 to a0)", None, None),
            Form::Miscounted => ("fixarray (90 to 9f)", None, None),
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
