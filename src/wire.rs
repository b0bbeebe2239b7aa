//! Writes and reads single entries. This module does not depend on serde.

use alloc::vec::Vec;

use crate::error::{Error, ErrorKind, Result};
use crate::marker::{
    ARRAY16, ARRAY32, BIN32, CountMarker, FALSE, FIXARRAY, FIXEXT16, FIXMAP, FIXSTR, FIXSTR_MAX, MAP16, MAP32, MAX_DIMENSIONS,
    NIL, STR32, TRUE, U8,
};

mod item;
pub use item::Head;
pub(crate) use item::{Family, Item, put_head};

/// A destination for encoded bytes.
pub trait Output {
    /// Appends `bytes`.
    ///
    /// # Errors
    ///
    /// Fails if the bytes cannot be written.
    fn put(&mut self, bytes: &[u8]) -> Result<()>;

    /// Returns the position at which the next byte will be written.
    fn written(&self) -> usize;

    /// Inserts `bytes` at position `at`, which is at most [`written`](Output::written). They are the marker and count of a sequence or
    /// map whose count was unknown at its start.
    ///
    /// # Errors
    ///
    /// Fails if the bytes cannot be written.
    fn insert(&mut self, at: usize, bytes: &[u8]) -> Result<()>;
}

impl Output for Vec<u8> {
    #[inline(always)]
    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.extend_from_slice(bytes);
        Ok(())
    }

    fn written(&self) -> usize {
        self.len()
    }

    fn insert(&mut self, at: usize, bytes: &[u8]) -> Result<()> {
        self.splice(at..at, bytes.iter().copied());
        Ok(())
    }
}

/// The front of a borrowed buffer. Bytes for which there is no room are only counted, so that the error can say how many are needed.
pub(crate) struct Slice<'a> {
    pub(crate) buffer: &'a mut [u8],
    pub(crate) written: usize,
}

impl Output for Slice<'_> {
    #[inline(always)]
    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        let end = self.written.saturating_add(bytes.len());
        if let Some(place) = self.buffer.get_mut(self.written..end) {
            place.copy_from_slice(bytes);
        }
        self.written = end;
        Ok(())
    }

    fn written(&self) -> usize {
        self.written
    }

    fn insert(&mut self, at: usize, bytes: &[u8]) -> Result<()> {
        let end = self.written;
        self.put(bytes)?;
        if let Some(place) = self.buffer.get_mut(at..self.written) {
            place.copy_within(..end - at, bytes.len());
            place[..bytes.len()].copy_from_slice(bytes);
        }
        Ok(())
    }
}

/// Defines the functions that write and read a number, which is a marker and the value in big-endian order.
macro_rules! numbers {
    ($($write:ident $read:ident $ty:ty, $marker:literal, $name:literal;)*) => {
        $(
            #[inline(always)]
            pub(crate) fn $write<O: Output>(output: &mut O, value: $ty) -> Result<()> {
                let mut bytes = [$marker; 1 + size_of::<$ty>()];
                bytes[1..].copy_from_slice(&value.to_be_bytes());
                output.put(&bytes)
            }
        )*

        impl<'de> Reader<'de> {
            $(
                #[inline(always)]
                pub(crate) fn $read(&mut self) -> Result<$ty> {
                    let [_, value @ ..] = self.take_marked::<{ 1 + size_of::<$ty>() }>($marker, $name)?;
                    Ok(<$ty>::from_be_bytes(*value))
                }
            )*
        }
    };
}

numbers! {
    put_u16 take_u16 u16, 0xcd, "uint16 (cd)";
    put_u32 take_u32 u32, 0xce, "uint32 (ce)";
    put_u64 take_u64 u64, 0xcf, "uint64 (cf)";
    put_i8 take_i8 i8, 0xd0, "int8 (d0)";
    put_i16 take_i16 i16, 0xd1, "int16 (d1)";
    put_i32 take_i32 i32, 0xd2, "int32 (d2)";
    put_i64 take_i64 i64, 0xd3, "int64 (d3)";
    put_f32 take_f32 f32, 0xca, "float32 (ca)";
    put_f64 take_f64 f64, 0xcb, "float64 (cb)";
}

/// Writes a number as a positive fixint, or as `cc` and a byte if it is above 127.
#[inline(always)]
pub(crate) fn put_u8<O: Output>(output: &mut O, value: u8) -> Result<()> {
    if value < FIXMAP { output.put(&[value]) } else { output.put(&[U8, value]) }
}

pub(crate) fn put_bool<O: Output>(output: &mut O, value: bool) -> Result<()> {
    output.put(&[if value { TRUE } else { FALSE }])
}

pub(crate) fn put_str32<O: Output>(output: &mut O, value: &str) -> Result<()> {
    put_with_length(output, STR32, "str32", value.as_bytes())
}

pub(crate) fn put_bin32<O: Output>(output: &mut O, value: &[u8]) -> Result<()> {
    put_with_length(output, BIN32, "bin32", value)
}

#[inline(always)]
fn put_with_length<O: Output>(output: &mut O, marker: u8, name: &'static str, value: &[u8]) -> Result<()> {
    let length = u32::try_from(value.len()).map_err(|_| Error::too_long(name, value.len(), u32::MAX as usize))?;
    let [a, b, c, d] = length.to_be_bytes();
    output.put(&[marker, a, b, c, d])?;
    output.put(value)
}

pub(crate) fn put_fixstr<O: Output>(output: &mut O, value: &[u8]) -> Result<()> {
    if value.len() > FIXSTR_MAX {
        return Err(Error::too_long("a fixstr", value.len(), FIXSTR_MAX));
    }
    output.put(&[FIXSTR | value.len() as u8])?;
    output.put(value)
}

/// Writes a fixext16. `value` is the extension's type, then its 16 bytes.
pub(crate) fn put_fixext16<O: Output>(output: &mut O, value: &[u8; 17]) -> Result<()> {
    output.put(&[FIXEXT16])?;
    output.put(value)
}

/// Writes the marker and count of a sequence or map of `count` entries.
#[inline(always)]
pub(crate) fn put_count<O: Output>(output: &mut O, marker: CountMarker, count: usize) -> Result<()> {
    let (bytes, length) = count_bytes(marker, count)?;
    output.put(&bytes[..length])
}

/// Inserts the marker and count at `start`, before `count` entries that have been written already.
pub(crate) fn insert_count<O: Output>(output: &mut O, marker: CountMarker, start: usize, count: usize) -> Result<()> {
    let (bytes, length) = count_bytes(marker, count)?;
    output.insert(start, &bytes[..length])
}

/// Returns the bytes of a marker and its count, and the number of these bytes.
#[inline(always)]
fn count_bytes(marker: CountMarker, count: usize) -> Result<([u8; 5], usize)> {
    let [.., a, b, c, d] = (count as u64).to_be_bytes();
    let (small, wide) = match (marker, count) {
        (CountMarker::Array, 0..=15) | (CountMarker::Dims, 0..=MAX_DIMENSIONS) => return Ok(([FIXARRAY + d, 0, 0, 0, 0], 1)),
        (CountMarker::Map, 0..=15) => return Ok(([FIXMAP + d, 0, 0, 0, 0], 1)),
        (CountMarker::Array | CountMarker::Array16, _) => (ARRAY16, ARRAY32),
        (CountMarker::Map | CountMarker::Map16, _) => (MAP16, MAP32),
        (CountMarker::Dims, _) => return Err(too_many(marker, count)),
    };
    let may_be_wide = matches!(marker, CountMarker::Array | CountMarker::Map);
    match count {
        0..=0xffff => Ok(([small, c, d, 0, 0], 3)),
        0x1_0000..=0xffff_ffff if may_be_wide => Ok(([wide, a, b, c, d], 5)),
        _ => Err(too_many(marker, count)),
    }
}

#[cold]
fn too_many(marker: CountMarker, length: usize) -> Error {
    let (marker, unit, limit) = match marker {
        CountMarker::Array => ("array32", "elements", u32::MAX as usize),
        CountMarker::Map => ("map32", "entries", u32::MAX as usize),
        CountMarker::Array16 => ("array16", "elements", u16::MAX as usize),
        CountMarker::Map16 => ("map16", "entries", u16::MAX as usize),
        CountMarker::Dims => ("with::dims", "elements", MAX_DIMENSIONS),
    };
    Error::new(ErrorKind::TooLong { marker, unit, length, limit })
}

/// The input and the current position in it.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'de> {
    input: &'de [u8],
    offset: usize,
}

impl<'de> Reader<'de> {
    pub(crate) fn new(input: &'de [u8]) -> Self {
        Reader { input, offset: 0 }
    }

    /// Returns the offset of the next byte in the input.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the number of bytes that have not been read.
    pub(crate) fn left(&self) -> usize {
        self.input.len() - self.offset
    }

    /// Returns the input that has not been read.
    pub(crate) fn rest(&self) -> &'de [u8] {
        self.input.get(self.offset..).unwrap_or_default()
    }

    /// Returns the next byte without consuming it.
    pub(crate) fn peek(&self) -> Result<u8> {
        match self.input.get(self.offset) {
            Some(&byte) => Ok(byte),
            None => Err(self.end(1)),
        }
    }

    /// Returns the next `N` bytes without consuming them.
    #[inline(always)]
    fn ahead<const N: usize>(&self) -> Option<&'de [u8; N]> {
        self.input.get(self.offset..self.offset.checked_add(N)?)?.first_chunk()
    }

    #[inline(always)]
    fn take<const N: usize>(&mut self) -> Result<&'de [u8; N]> {
        match self.ahead::<N>() {
            Some(bytes) => {
                self.offset += N;
                Ok(bytes)
            }
            None => Err(self.end(N - self.left())),
        }
    }

    /// Consumes `N` bytes that start with this marker. `name` is the marker's name in errors.
    #[inline(always)]
    fn take_marked<const N: usize>(&mut self, marker: u8, name: &'static str) -> Result<&'de [u8; N]> {
        match self.ahead::<N>() {
            Some(bytes) if bytes[0] == marker => {
                self.offset += N;
                Ok(bytes)
            }
            _ => Err(self.refuse(name, marker, N)),
        }
    }

    #[inline(always)]
    fn take_slice(&mut self, length: usize) -> Result<&'de [u8]> {
        match self.rest().get(..length) {
            Some(bytes) => {
                self.offset += length;
                Ok(bytes)
            }
            None => Err(self.end(length - self.left())),
        }
    }

    /// Returns the error for input that ends `needed` bytes too early.
    #[cold]
    fn end(self, needed: usize) -> Error {
        Error::end(needed, self.input.len())
    }

    /// Returns the error for a byte other than `marker`, or for input in which fewer than `length` bytes are left.
    #[cold]
    fn refuse(self, expected: &'static str, marker: u8, length: usize) -> Error {
        match self.input.get(self.offset) {
            Some(&found) if found != marker => self.unexpected(expected, found),
            _ => self.end(length.saturating_sub(self.left()).max(1)),
        }
    }

    #[cold]
    pub(crate) fn unexpected(self, expected: &'static str, found: u8) -> Error {
        Error::at(ErrorKind::Marker { expected, found }, self.offset())
    }

    #[inline(always)]
    pub(crate) fn take_u8(&mut self) -> Result<u8> {
        match self.input.get(self.offset) {
            Some(&value @ 0..=0x7f) => {
                self.offset += 1;
                Ok(value)
            }
            _ => {
                let value = self.wide_u8()?;
                self.offset += 2;
                Ok(value)
            }
        }
    }

    /// Reads a number above 127, which takes two bytes.
    #[cold]
    fn wide_u8(self) -> Result<u8> {
        match *self.rest() {
            [U8, value @ 0x80..=0xff, ..] => Ok(value),
            [U8, _, ..] => Err(self.unexpected("positive fixint (00 to 7f) for a number below 128", U8)),
            [] | [U8] => Err(self.end(1)),
            [found, ..] => Err(self.unexpected("uint8 (00 to 7f, or cc for a number above 127)", found)),
        }
    }

    pub(crate) fn take_bool(&mut self) -> Result<bool> {
        match self.peek()? {
            byte @ (TRUE | FALSE) => {
                self.offset += 1;
                Ok(byte == TRUE)
            }
            found => Err(self.unexpected("bool (c2 or c3)", found)),
        }
    }

    pub(crate) fn take_nil(&mut self) -> Result<()> {
        self.take_marked::<1>(NIL, "nil (c0)").map(drop)
    }

    #[inline(always)]
    pub(crate) fn take_str32(&mut self) -> Result<&'de str> {
        let bytes = self.take_with_length(STR32, "str32 (db)")?;
        self.utf8(bytes)
    }

    pub(crate) fn take_bin32(&mut self) -> Result<&'de [u8]> {
        self.take_with_length(BIN32, "bin32 (c6)")
    }

    #[inline(always)]
    fn take_with_length(&mut self, marker: u8, name: &'static str) -> Result<&'de [u8]> {
        let [_, length @ ..] = self.take_marked::<5>(marker, name)?;
        self.take_slice(u32::from_be_bytes(*length) as usize)
    }

    /// Converts `bytes`, which must be the bytes that were read last, to a string. Fails if the bytes are not UTF-8.
    #[inline(always)]
    pub(crate) fn utf8(&self, bytes: &'de [u8]) -> Result<&'de str> {
        core::str::from_utf8(bytes).map_err(|error| Error::at(ErrorKind::Utf8, self.offset - (bytes.len() - error.valid_up_to())))
    }

    pub(crate) fn take_fixstr(&mut self) -> Result<&'de [u8]> {
        match self.peek()? {
            marker @ 0xa0..=0xbf => {
                self.offset += 1;
                self.take_slice((marker - FIXSTR) as usize)
            }
            found => Err(self.unexpected("fixstr (a0 to bf)", found)),
        }
    }

    /// Consumes a fixext16. Returns the extension's type and its 16 bytes.
    pub(crate) fn take_fixext16(&mut self) -> Result<&'de [u8; 17]> {
        self.peek()?;
        let [_, bytes @ ..] = self.take_marked::<18>(FIXEXT16, "fixext16 (d8)")?;
        Ok(bytes)
    }

    /// Consumes the marker of a sequence or map and returns the count.
    #[inline(always)]
    pub(crate) fn take_count(&mut self, marker: CountMarker) -> Result<usize> {
        let found = self.peek()?;
        match (marker, found) {
            (CountMarker::Array, 0x90..=0x9f) | (CountMarker::Dims, 0x90..=0xa0) => {
                self.offset += 1;
                Ok((found - FIXARRAY).into())
            }
            (CountMarker::Map, 0x80..=0x8f) => {
                self.offset += 1;
                Ok((found - FIXMAP).into())
            }
            _ => self.take_long_count(marker, found),
        }
    }

    /// Consumes a marker of several bytes and returns its count. Fails if a shorter marker could hold the count, unless `marker` requires
    /// an array16 or a map16.
    fn take_long_count(&mut self, marker: CountMarker, found: u8) -> Result<usize> {
        let start = *self;
        let (count, least) = match (marker, found) {
            (CountMarker::Array16, ARRAY16) | (CountMarker::Map16, MAP16) => (self.take_count16()?, 0),
            (CountMarker::Array, ARRAY16) | (CountMarker::Map, MAP16) => (self.take_count16()?, 16),
            (CountMarker::Array, ARRAY32) | (CountMarker::Map, MAP32) => {
                let &[_, a, b, c, d] = self.take()?;
                (u32::from_be_bytes([a, b, c, d]) as usize, 1 << 16)
            }
            _ => return Err(self.unexpected(count_markers(marker, found), found)),
        };
        if count < least {
            return Err(start.unexpected("the shortest marker that holds the count", found));
        }
        Ok(count)
    }

    fn take_count16(&mut self) -> Result<usize> {
        let &[_, a, b] = self.take()?;
        Ok(u16::from_be_bytes([a, b]).into())
    }
}

/// Describes the markers of a sequence or map, for the error about another marker.
fn count_markers(marker: CountMarker, found: u8) -> &'static str {
    match marker {
        CountMarker::Array if found == FIXARRAY + 16 => "array (90 to 9f, dc, dd; with::dims reads a0 as 16 elements)",
        CountMarker::Array => "array (90 to 9f, dc, dd)",
        CountMarker::Map => "map (80 to 8f, de, df)",
        CountMarker::Array16 => "array16 (dc)",
        CountMarker::Map16 => "map16 (de)",
        CountMarker::Dims => "a list of at most 16 elements (90 to a0)",
    }
}

/// Returns the text of an encoded map key, or `None` if the key is not a UTF-8 string.
pub(crate) fn key_text(encoded: &[u8]) -> Option<&str> {
    match Reader::new(encoded).take_item().ok()? {
        Item::Str(_, text) => core::str::from_utf8(text).ok(),
        _ => None,
    }
}
