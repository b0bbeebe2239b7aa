//! Decodes values: [`Deserializer`], and functions such as [`from_slice`] that use it.

use serde::Deserialize;
use serde::de::{self, Visitor};

use crate::error::{Error, ErrorKind, Result, Segment};
use crate::limits::MAX_DEPTH;
use crate::mark::Mark;
use crate::marker::{self, CountMarker};
use crate::wire::Reader;

mod access;
mod array;
mod marked;

use access::{Elements, Pairs, Variant};
pub(crate) use array::array_fields;

/// Decodes a value from the whole input.
///
/// Decoding is strict: [`to_vec`](crate::to_vec) encodes a decoded value to exactly the same bytes. Strings and byte strings can borrow
/// from the input. A wrong count in the input cannot cause a large allocation, since no more memory is allocated than the input can fill.
///
/// # Errors
///
/// Fails if a marker or a count is not the one that the type requires, bytes follow the value, a string is not UTF-8, the input ends early,
/// values are nested more than 128 levels deep, or the type's own `Deserialize` returns an error.
///
/// ```
/// let bytes = hex_literal::hex!("97 00 00 90 90 90 00 db00000003 3c6934");
/// let meta: b2nd::B2ndMeta<&str> = b2nd::from_slice(&bytes)?;
/// assert_eq!((meta.geometry.ndim(), meta.dtype), (0, "<i4"));
/// # Ok::<(), b2nd::Error>(())
/// ```
#[inline]
pub fn from_slice<'de, T: Deserialize<'de>>(input: &'de [u8]) -> Result<T> {
    let mut deserializer = Deserializer { whole: true, ..Deserializer::new(input) };
    let mut result = T::deserialize(&mut deserializer);
    // Keep a single variable for the results of decoding and of `end`, so that a large value is not moved.
    if result.is_ok() {
        if let Err(error) = deserializer.end() {
            result = Err(error);
        }
    }
    result
}

/// Decodes a value from the whole input into an existing value, whose memory is reused if its type supports this.
///
/// Strings and vectors keep their buffers. A type whose `Deserialize` does not implement `deserialize_in_place`, such as a struct with a
/// derived `Deserialize` or [`B2ndMeta`](crate::B2ndMeta), reuses no memory: a new value is decoded, then moved into `place`.
///
/// # Errors
///
/// Returns the errors of [`from_slice`]. After an error the content of `place` is unspecified.
///
/// ```
/// let mut meta = b2nd::B2ndMeta::new(b2nd::Geometry::new(&[], &[], &[])?, "");
/// for item in ["<i4", "<f8"] {
///     let bytes = b2nd::to_vec(&b2nd::B2ndMeta::new(b2nd::Geometry::new(&[400], &[110], &[57])?, item))?;
///     b2nd::from_slice_in_place(&bytes, &mut meta)?;
///     assert_eq!((meta.geometry.shape(), meta.dtype.as_str()), (&[400][..], item));
/// }
/// # Ok::<(), b2nd::Error>(())
/// ```
#[inline]
pub fn from_slice_in_place<'de, T: Deserialize<'de>>(input: &'de [u8], place: &mut T) -> Result<()> {
    let mut deserializer = Deserializer::new(input);
    T::deserialize_in_place(&mut deserializer, place)?;
    deserializer.end()
}

/// Decodes a value from the front of the input. Returns the value and the rest of the input.
///
/// # Errors
///
/// Returns the errors of [`from_slice`], except that bytes may follow the value.
pub fn take_from_slice<'de, T: Deserialize<'de>>(input: &'de [u8]) -> Result<(T, &'de [u8])> {
    let mut deserializer = Deserializer::new(input);
    let value = T::deserialize(&mut deserializer)?;
    Ok((value, deserializer.reader.rest()))
}

/// Reads to the end of `reader` and decodes a value from all of it.
///
/// # Errors
///
/// Returns the errors of [`from_slice`], and errors of the reader as [`ErrorKind::Io`].
#[cfg(feature = "std")]
pub fn from_reader<R: std::io::Read, T: de::DeserializeOwned>(mut reader: R) -> Result<T> {
    let mut input = alloc::vec::Vec::new();
    reader.read_to_end(&mut input)?;
    from_slice(&input)
}

/// A decoder of values that follow one another in a slice.
///
/// After an error, do not use the deserializer again.
///
/// `&mut Deserializer` is the `serde::Deserializer`:
///
/// ```
/// use serde::Deserialize;
///
/// let mut deserializer = b2nd::Deserializer::new(b"\xd2\0\0\0\x01\xdb\0\0\0\x03two");
/// assert_eq!(i32::deserialize(&mut deserializer)?, 1);
/// assert_eq!(deserializer.offset(), 5);
/// assert_eq!(<&str>::deserialize(&mut deserializer)?, "two");
/// deserializer.end()?;
/// # Ok::<(), b2nd::Error>(())
/// ```
pub struct Deserializer<'de> {
    reader: Reader<'de>,
    depth: u8,
    /// Whether the outermost sequence must be the whole input. If so, the end of the input is checked as soon as the sequence has been
    /// read. Do not move this check to a later point: it tells the compiler that [`from_slice`] need not drop the value, which saves a
    /// tenth of the instructions.
    whole: bool,
}

impl<'de> Deserializer<'de> {
    /// Makes a deserializer that reads from the start of `input`.
    #[inline(always)]
    #[must_use]
    pub fn new(input: &'de [u8]) -> Self {
        Deserializer { reader: Reader::new(input), depth: 0, whole: false }
    }

    /// Returns the number of bytes that have been read.
    pub fn offset(&self) -> usize {
        self.reader.offset()
    }

    /// Checks that no bytes are left.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::TrailingBytes`] if bytes are left.
    #[inline(always)]
    pub fn end(&self) -> Result<()> {
        match self.reader.left() {
            0 => Ok(()),
            count => Err(Error::trailing(count, self.reader.offset())),
        }
    }

    /// Increases the depth by one. Fails if the value at `start` is nested too deeply.
    #[inline(always)]
    fn enter(&mut self, start: usize) -> Result<()> {
        if self.depth == MAX_DEPTH {
            return Err(too_deep(start));
        }
        self.depth += 1;
        Ok(())
    }

    /// Runs `visit` with the depth increased by one.
    #[inline(always)]
    fn deeper<T>(&mut self, visit: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.enter(self.reader.offset())?;
        let value = visit(self)?;
        self.depth -= 1;
        Ok(value)
    }

    /// Reads a sequence with this marker.
    #[inline(always)]
    fn counted<V: Visitor<'de>>(&mut self, marker: CountMarker, fields: Fields, visitor: V) -> Result<V::Value> {
        let start = self.reader.offset();
        let count = self.reader.take_count(marker)?;
        self.elements(start, count, fields, false, visitor)
    }

    /// Reads all elements of a sequence. If `may_have_another` is true, the sequence may have one element more than its count.
    #[inline(always)]
    fn elements<V: Visitor<'de>>(
        &mut self,
        start: usize,
        count: usize,
        fields: Fields,
        may_have_another: bool,
        visitor: V,
    ) -> Result<V::Value> {
        self.enter(start)?;
        let mut elements = Elements { deserializer: self, count, left: count, fields, may_have_another, last: 0 };
        let value = visitor.visit_seq(&mut elements)?;
        let left = elements.left;
        if left != 0 {
            return Err(wrong_count(count - left, count, start));
        }
        self.depth -= 1;
        if self.whole && self.depth == 0 {
            self.end()?;
        }
        Ok(value)
    }

    /// Reads the fields of a struct, and skips any entries after them.
    #[inline(never)]
    fn first_fields<V: Visitor<'de>>(&mut self, fields: Fields, visitor: V) -> Result<V::Value> {
        let start = self.reader.offset();
        let count = self.reader.take_count(CountMarker::Array).map_err(|error| not_positional(self.reader, error))?;
        let known = count.min(fields.len());
        let whole = core::mem::take(&mut self.whole);
        let value = self.elements(start, known, fields, false, visitor)?;
        self.whole = whole;
        for index in known..count {
            let entry = self.reader.take_entry(self.depth.saturating_add(1));
            entry.map_err(|error| error.within(Segment::Index(index), None))?;
        }
        Ok(value)
    }

    /// Reads all entries of a map.
    fn entries<V: Visitor<'de>>(&mut self, marker: CountMarker, visitor: V) -> Result<V::Value> {
        let start = self.reader.offset();
        let count = self.reader.take_count(marker)?;
        self.enter(start)?;
        let mut entries = Pairs { deserializer: self, left: count, key: &[] };
        let value = visitor.visit_map(&mut entries)?;
        let left = entries.left;
        if left != 0 {
            return Err(wrong_count(count - left, count, start));
        }
        self.depth -= 1;
        Ok(value)
    }
}

/// The names of a struct's fields, used in the path of an error.
pub(crate) type Fields = &'static [&'static str];

#[cold]
fn too_deep(offset: usize) -> Error {
    Error::at(ErrorKind::TooDeep, offset)
}

/// Improves the error for a sequence in place of a bin32: without `serde_bytes`, serde writes a `&[u8]` as a sequence, but reads it as
/// bytes.
#[cold]
fn not_bytes(start: Reader<'_>, error: Error) -> Error {
    match start.peek() {
        Ok(found @ (0x90..=0x9f | marker::ARRAY16 | marker::ARRAY32)) => {
            start.unexpected("bin32 (c6; without serde_bytes, serde writes bytes as a sequence)", found)
        }
        _ => error,
    }
}

/// Improves the error for a struct that was written as a map with the names of its fields, as Python programs do. This deserializer reads
/// structs only from arrays.
#[cold]
fn not_positional(start: Reader<'_>, error: Error) -> Error {
    match *start.rest() {
        [found @ 0x81..=0x8f, key, ..]
        | [found @ marker::MAP16, _, _, key, ..]
        | [found @ marker::MAP32, _, _, _, _, key, ..]
            if matches!(key, 0xa0..=0xbf | 0xd9..=0xdb) =>
        {
            start.unexpected("array (90 to 9f, dc, dd; for a struct with field names, use `msgpack::from_slice`)", found)
        }
        _ => error,
    }
}

#[cold]
fn wrong_count(expected: usize, found: usize, offset: usize) -> Error {
    Error::at(ErrorKind::Count { expected, found }, offset)
}

/// Defines methods that read one entry and pass its value to the visitor.
macro_rules! values {
    ($($method:ident $take:ident $visit:ident;)*) => {
        $(
            #[inline(always)]
            fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
                visitor.$visit(self.reader.$take()?)
            }
        )*
    };
}

impl<'de> de::Deserializer<'de> for &mut Deserializer<'de> {
    type Error = Error;

    fn is_human_readable(&self) -> bool {
        false
    }

    values! {
        deserialize_bool take_bool visit_bool;
        deserialize_u8 take_u8 visit_u8;
        deserialize_u16 take_u16 visit_u16;
        deserialize_u32 take_u32 visit_u32;
        deserialize_u64 take_u64 visit_u64;
        deserialize_i8 take_i8 visit_i8;
        deserialize_i16 take_i16 visit_i16;
        deserialize_i32 take_i32 visit_i32;
        deserialize_i64 take_i64 visit_i64;
        deserialize_f32 take_f32 visit_f32;
        deserialize_f64 take_f64 visit_f64;
        deserialize_char take_str32 visit_borrowed_str;
        deserialize_str take_str32 visit_borrowed_str;
        deserialize_string take_str32 visit_borrowed_str;
        deserialize_identifier take_str32 visit_borrowed_str;
        deserialize_byte_buf take_bin32 visit_borrowed_bytes;
    }

    #[inline(always)]
    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let start = self.reader;
        match self.reader.take_bin32() {
            Ok(bytes) => visitor.visit_borrowed_bytes(bytes),
            Err(error) => Err(not_bytes(start, error)),
        }
    }

    fn deserialize_i128<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value> {
        Err(Error::new(ErrorKind::Unsupported("i128: MessagePack has no 128-bit integers")))
    }

    fn deserialize_u128<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value> {
        Err(Error::new(ErrorKind::Unsupported("u128: MessagePack has no 128-bit integers")))
    }

    /// Reads a value whose type follows from its marker. The markers that the `with` modules write are accepted too.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let marker = self.reader.peek()?;
        match marker {
            0x00..=0x7f | 0xcc => self.deserialize_u8(visitor),
            0x80..=0x8f | 0xdf => self.deserialize_map(visitor),
            0x90..=0x9f | 0xdd => self.deserialize_seq(visitor),
            0xa0..=0xbf => {
                let bytes = self.reader.take_fixstr()?;
                match core::str::from_utf8(bytes) {
                    Ok(text) => visitor.visit_borrowed_str(text),
                    Err(_) => visitor.visit_borrowed_bytes(bytes),
                }
            }
            0xc0 => self.deserialize_unit(visitor),
            0xc2 | 0xc3 => self.deserialize_bool(visitor),
            0xc6 => self.deserialize_bytes(visitor),
            0xca => self.deserialize_f32(visitor),
            0xcb => self.deserialize_f64(visitor),
            0xcd => self.deserialize_u16(visitor),
            0xce => self.deserialize_u32(visitor),
            0xcf => self.deserialize_u64(visitor),
            0xd0 => self.deserialize_i8(visitor),
            0xd1 => self.deserialize_i16(visitor),
            0xd2 => self.deserialize_i32(visitor),
            0xd3 => self.deserialize_i64(visitor),
            0xd8 => visitor.visit_borrowed_bytes(self.reader.take_fixext16()?),
            0xdb => self.deserialize_str(visitor),
            0xdc => self.counted(CountMarker::Array16, &[], visitor),
            0xde => self.entries(CountMarker::Map16, visitor),
            found => Err(self.reader.unexpected("a marker of this format", found)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_any(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.reader.peek()? == marker::NIL {
            self.reader.take_nil()?;
            return visitor.visit_none();
        }
        self.deeper(|this| visitor.visit_some(this))
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.reader.take_nil()?;
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _name: &'static str, visitor: V) -> Result<V::Value> {
        self.deserialize_unit(visitor)
    }

    #[inline(always)]
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value> {
        match Mark::from_name(name) {
            #[cfg(feature = "msgpack")]
            Some(Mark::Named) => self.named(visitor),
            Some(Mark::FormatOrDtype) => self.format_or_dtype(visitor),
            Some(Mark::Lengths64) => self.lengths::<9, V>(visitor),
            Some(Mark::Lengths32) => self.lengths::<5, V>(visitor),
            Some(mark) => visitor.visit_newtype_struct(marked::MarkedDeserializer::new(self, mark)),
            None => self.deeper(|this| visitor.visit_newtype_struct(this)),
        }
    }

    #[inline(always)]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.counted(CountMarker::Array, &[], visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value> {
        let start = self.reader.offset();
        match self.reader.take_count(CountMarker::Array)? {
            count if count == len => self.elements(start, count, &[], false, visitor),
            count => Err(wrong_count(len, count, start)),
        }
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(self, _name: &'static str, len: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_tuple(len, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.entries(CountMarker::Map, visitor)
    }

    /// Reads a struct, whose fields are stored in order and without names. If fields at the end are missing, the visitor may have defaults
    /// for them.
    #[inline(always)]
    fn deserialize_struct<V: Visitor<'de>>(self, _name: &'static str, fields: Fields, visitor: V) -> Result<V::Value> {
        let start = self.reader.offset();
        let count = match self.reader.take_count(CountMarker::Array) {
            Ok(count) => count,
            Err(error) => return Err(not_positional(self.reader, error)),
        };
        if count > fields.len() {
            return Err(wrong_count(fields.len(), count, start));
        }
        self.elements(start, count, fields, false, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(self, _name: &'static str, _variants: Fields, visitor: V) -> Result<V::Value> {
        let start = self.reader.offset();
        let has_data = match self.reader.peek()? {
            marker::STR32 => false,
            marker::VARIANT => {
                self.reader.take_count(CountMarker::Map)?;
                true
            }
            found => return Err(self.reader.unexpected("an enum's variant (db, or 81 if it holds data)", found)),
        };
        visitor.visit_enum(Variant { deserializer: self, start, has_data })
    }
}
