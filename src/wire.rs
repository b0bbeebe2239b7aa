//! Writes and reads single entries, with one function to write each marker and one to read it. This module does not depend on serde.
//!
//! A function that reads an entry consumes the marker and the data after it, or returns an [`Error`] with the offset at which it stopped.

use crate::error::{Error, ErrorKind, Result};
use crate::marker::{BIN32, FALSE, FIXEXT16, FIXMAP, FIXSTR, NIL, STR32, TRUE, U8};
use crate::sink::Sink;

mod count;
mod item;
pub use item::Head;
pub(crate) use item::{Family, Item, put_head};

/// The maximum length of a fixstr in bytes.
pub(crate) const FIXSTR_MAX: usize = 31;

/// Defines the functions that write and read a number, which is a marker and the value in big-endian order.
macro_rules! numbers {
    ($($write:ident $read:ident $ty:ty, $marker:literal, $name:literal;)*) => {
        $(
            #[inline(always)]
            pub(crate) fn $write<S: Sink>(sink: &mut S, value: $ty) -> Result<()> {
                let mut bytes = [$marker; 1 + size_of::<$ty>()];
                bytes[1..].copy_from_slice(&value.to_be_bytes());
                sink.put(bytes)
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
pub(crate) fn put_u8<S: Sink>(sink: &mut S, value: u8) -> Result<()> {
    if value < FIXMAP { sink.put([value]) } else { sink.put([U8, value]) }
}

pub(crate) fn put_bool<S: Sink>(sink: &mut S, value: bool) -> Result<()> {
    sink.put([if value { TRUE } else { FALSE }])
}

pub(crate) fn put_nil<S: Sink>(sink: &mut S) -> Result<()> {
    sink.put([NIL])
}

pub(crate) fn put_str32<S: Sink>(sink: &mut S, value: &str) -> Result<()> {
    put_with_length(sink, STR32, "str32", value.as_bytes())
}

pub(crate) fn put_bin32<S: Sink>(sink: &mut S, value: &[u8]) -> Result<()> {
    put_with_length(sink, BIN32, "bin32", value)
}

#[inline(always)]
fn put_with_length<S: Sink>(sink: &mut S, marker: u8, name: &'static str, value: &[u8]) -> Result<()> {
    let Ok(length) = u32::try_from(value.len()) else {
        return Err(Error::too_long(name, value.len(), u32::MAX as usize));
    };
    let [a, b, c, d] = length.to_be_bytes();
    sink.put([marker, a, b, c, d])?;
    sink.put_slice(value)
}

/// Inserts the marker and the length of a bin32 at `start`. Its content is the `length` bytes that have been written after `start`.
pub(crate) fn insert_bin32<S: Sink>(sink: &mut S, start: usize, length: usize) -> Result<()> {
    let [a, b, c, d] = u32::try_from(length).map_err(|_| Error::too_long("bin32", length, u32::MAX as usize))?.to_be_bytes();
    sink.insert(start, &[BIN32, a, b, c, d])
}

pub(crate) fn put_fixstr<S: Sink>(sink: &mut S, value: &[u8]) -> Result<()> {
    if value.len() > FIXSTR_MAX {
        return Err(Error::too_long("a fixstr", value.len(), FIXSTR_MAX));
    }
    sink.put([FIXSTR | value.len() as u8])?;
    sink.put_slice(value)
}

/// Writes a fixext16. `value` is the extension's type, then its 16 bytes.
pub(crate) fn put_fixext16<S: Sink>(sink: &mut S, value: &[u8; 17]) -> Result<()> {
    sink.put([FIXEXT16])?;
    sink.put(*value)
}

/// The input and the current position in it.
///
/// Functions that make errors take the reader by value: a reference to the reader, even one that is used only for errors, would keep the
/// reader out of registers.
///
/// Keep the input and the offset as separate fields. With a single slice that gets shorter, two words would be stored at each step, which
/// costs a fifth of the time to read a struct with three vectors.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'de> {
    input: &'de [u8],
    offset: usize,
}

impl<'de> Reader<'de> {
    #[inline(always)]
    pub(crate) fn new(input: &'de [u8]) -> Self {
        Reader { input, offset: 0 }
    }

    /// Returns the offset of the next byte in the input.
    #[inline(always)]
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// Moves to the position of another reader of the same input.
    #[inline(always)]
    pub(crate) fn go_on(&mut self, other: Self) {
        self.offset = other.offset;
    }

    /// Returns the number of bytes that have not been read.
    #[inline(always)]
    pub(crate) fn left(&self) -> usize {
        self.input.len() - self.offset
    }

    /// Returns the input that has not been read.
    #[inline(always)]
    pub(crate) fn rest(&self) -> &'de [u8] {
        self.input.get(self.offset..).unwrap_or_default()
    }

    /// Returns the next byte without consuming it.
    #[inline(always)]
    pub(crate) fn peek(&self) -> Result<u8> {
        match self.input.get(self.offset) {
            Some(&byte) => Ok(byte),
            None => Err(self.end(1)),
        }
    }

    /// Returns true if the byte at this offset is a positive fixint.
    pub(crate) fn is_fixint(&self, offset: usize) -> bool {
        self.input.get(offset).is_some_and(|&byte| byte < FIXMAP)
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
        match self.split(length) {
            Some((bytes, after)) => {
                self.offset = after.offset;
                Ok(bytes)
            }
            None => Err(self.end(length - self.left())),
        }
    }

    /// Returns the next `length` bytes and a reader positioned after them, or `None` if fewer bytes are left.
    #[inline(always)]
    pub(crate) fn split(self, length: usize) -> Option<(&'de [u8], Self)> {
        let end = self.offset.checked_add(length)?;
        Some((self.input.get(self.offset..end)?, Reader { offset: end, ..self }))
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
            [found, ..] => Err(self.unexpected("uint8 (positive fixint, or cc above 127)", found)),
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

    #[inline(always)]
    pub(crate) fn take_bin32(&mut self) -> Result<&'de [u8]> {
        self.take_with_length(BIN32, "bin32 (c6)")
    }

    /// Consumes a bin32 and returns a reader of its content. The reader's offsets still count from the start of the whole input.
    pub(crate) fn take_inside(&mut self) -> Result<Reader<'de>> {
        let content = self.take_bin32()?;
        Ok(Reader { input: &self.input[..self.offset], offset: self.offset - content.len() })
    }

    #[inline(always)]
    fn take_with_length(&mut self, marker: u8, name: &'static str) -> Result<&'de [u8]> {
        let [_, length @ ..] = self.take_marked::<5>(marker, name)?;
        self.take_slice(u32::from_be_bytes(*length) as usize)
    }

    /// Converts `bytes`, which must be the bytes that were read last, to a string. Fails if the bytes are not UTF-8.
    #[inline(always)]
    pub(crate) fn utf8(&self, bytes: &'de [u8]) -> Result<&'de str> {
        // `from_utf8` is slow for short text. Checking a short dtype in this way saves a twentieth of the time to read a metalayer.
        if bytes.len() < 16 {
            if let Some(chunk) = bytes.utf8_chunks().next().filter(|chunk| chunk.invalid().is_empty()) {
                return Ok(chunk.valid());
            }
        }
        match core::str::from_utf8(bytes) {
            Ok(text) => Ok(text),
            Err(error) => Err(self.not_utf8(bytes.len() - error.valid_up_to())),
        }
    }

    #[cold]
    fn not_utf8(self, bytes_ago: usize) -> Error {
        Error::at(ErrorKind::Utf8, self.offset() - bytes_ago)
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
}

/// Returns the text of an encoded map key for the path of an error, or `None` if the key is not a UTF-8 string.
pub(crate) fn key_text(encoded: &[u8]) -> Option<&str> {
    match Reader::new(encoded).take_item().ok()? {
        Item::Str(_, text) => core::str::from_utf8(text).ok(),
        _ => None,
    }
}
