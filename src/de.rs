//! Decodes values: [`Deserializer`], and functions such as [`from_slice`] that use it.

use serde::Deserialize;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{self, Visitor};

use rmp::Marker;

use crate::error::{Error, ErrorKind, Result, Segment};
use crate::marker::{self, CountMarker, MAX_DEPTH, Mark};
use crate::wire::Reader;

mod access;

use access::{Elements, Pairs, Variant};

/// Decodes a value from the whole input.
///
/// Decoding is strict: [`to_vec`](crate::to_vec) encodes a decoded value to exactly the same bytes, with the exceptions that the
/// [front page](crate#the-format) lists. Strings and byte strings can borrow from the input. A wrong count in the input cannot cause a
/// large allocation.
///
/// # Errors
///
/// Fails if the format does not support the type, a marker or a count is not the one that the type requires, bytes follow the value, a
/// string is not UTF-8, the input ends early, values are nested more than 128 levels deep, or the type's own `Deserialize` returns an
/// error.
///
/// ```
/// let bytes = hex_literal::hex!("97 00 00 90 90 90 00 db00000003 3c6934");
/// let meta: b2nd::B2ndMeta<&str> = b2nd::from_slice(&bytes)?;
/// assert_eq!((meta.geometry.ndim(), meta.dtype), (0, "<i4"));
/// # Ok::<(), b2nd::Error>(())
/// ```
pub fn from_slice<'de, T: Deserialize<'de>>(input: &'de [u8]) -> Result<T> {
    let mut deserializer = Deserializer::new(input);
    let value = T::deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
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
    /// The encoding of the next value, if a module of [`with`](crate::with) chose it.
    mark: Option<Mark>,
}

impl<'de> Deserializer<'de> {
    /// Makes a deserializer that reads from the start of `input`.
    #[must_use]
    pub fn new(input: &'de [u8]) -> Self {
        Deserializer { reader: Reader::new(input), depth: 0, mark: None }
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
            return Err(Error::at(ErrorKind::TooDeep, start));
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

    /// Reads a value that has a mark. The mark, not the method that the type calls, determines what is read. `fields` are the names of a
    /// struct's fields.
    fn marked<V: Visitor<'de>>(&mut self, mark: Mark, fields: Fields, visitor: V) -> Result<V::Value> {
        self.mark = None;
        match mark {
            Mark::Fixstr => {
                let bytes = self.reader.take_fixstr()?;
                visitor.visit_borrowed_str(self.reader.utf8(bytes)?)
            }
            Mark::FixstrBytes => visitor.visit_borrowed_bytes(self.reader.take_fixstr()?),
            Mark::Fixext16 => visitor.visit_borrowed_bytes(self.reader.take_fixext16()?),
            Mark::Array16 => self.list(CountMarker::Array16, fields, visitor),
            Mark::Dims => self.list(CountMarker::Dims, fields, visitor),
            Mark::Map16 => self.map(CountMarker::Map16, visitor),
            Mark::Extensible if !fields.is_empty() => self.first_fields(fields, visitor),
            Mark::Extensible | Mark::Named | Mark::Raw => Err(Error::new(ErrorKind::Unsupported(mark.holds()))),
        }
    }

    #[inline(always)]
    fn list<V: Visitor<'de>>(&mut self, marker: CountMarker, fields: Fields, visitor: V) -> Result<V::Value> {
        let start = self.reader.offset();
        let count = self.reader.take_count(marker)?;
        self.elements(start, count, fields, visitor)
    }

    #[inline(always)]
    fn elements<V: Visitor<'de>>(&mut self, start: usize, count: usize, fields: Fields, visitor: V) -> Result<V::Value> {
        self.enter(start)?;
        let mut elements = Elements { deserializer: self, count, left: count, fields };
        let value = visitor.visit_seq(&mut elements)?;
        if elements.left != 0 {
            return Err(wrong_count(count - elements.left, count, start));
        }
        self.depth -= 1;
        Ok(value)
    }

    /// Reads the fields of a struct, and skips any entries after them.
    fn first_fields<V: Visitor<'de>>(&mut self, fields: Fields, visitor: V) -> Result<V::Value> {
        let start = self.reader.offset();
        let count = self.reader.take_count(CountMarker::Array).map_err(|error| not_positional(self.reader, error))?;
        let known = count.min(fields.len());
        let value = self.elements(start, known, fields, visitor)?;
        for index in known..count {
            let entry = self.reader.take_entry(self.depth.saturating_add(1));
            entry.map_err(|error| error.within(Segment::Index(index), None))?;
        }
        Ok(value)
    }

    fn map<V: Visitor<'de>>(&mut self, marker: CountMarker, visitor: V) -> Result<V::Value> {
        let start = self.reader.offset();
        let count = self.reader.take_count(marker)?;
        self.enter(start)?;
        let mut entries = Pairs { deserializer: self, left: count, key: &[] };
        let value = visitor.visit_map(&mut entries)?;
        if entries.left != 0 {
            return Err(wrong_count(count - entries.left, count, start));
        }
        self.depth -= 1;
        Ok(value)
    }

    /// Reads a value that is encoded as generic MessagePack.
    #[cfg(feature = "msgpack")]
    fn named<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let start = self.reader.offset();
        let entry = self.reader.take_entry(self.depth)?;
        crate::msgpack::decode(entry, |inside| visitor.visit_newtype_struct(inside)).map_err(|error| error.within_offset(start))
    }
}

/// The names of a struct's fields, or of an enum's variants.
type Fields = &'static [&'static str];

/// Improves the error for a sequence in place of a bin32: without `serde_bytes`, serde writes a `&[u8]` as a sequence, but reads it as
/// bytes.
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
                match self.mark {
                    None => visitor.$visit(self.reader.$take()?),
                    Some(mark) => self.marked(mark, &[], visitor),
                }
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

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let start = self.reader;
        let unmarked = self.mark.is_none();
        let value = self.deserialize_byte_buf(visitor);
        if unmarked { value.map_err(|error| not_bytes(start, error)) } else { value }
    }

    fn deserialize_i128<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value> {
        Err(Error::new(ErrorKind::Unsupported("i128: MessagePack has no 128-bit integers")))
    }

    fn deserialize_u128<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value> {
        Err(Error::new(ErrorKind::Unsupported("u128: MessagePack has no 128-bit integers")))
    }

    /// Reads a value whose type follows from its marker. Fixstr, fixext16, and array16 and map16 for small counts, which some `with`
    /// modules write, are accepted too.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if let Some(mark) = self.mark {
            return self.marked(mark, &[], visitor);
        }
        let found = self.reader.peek()?;
        match Marker::from_u8(found) {
            Marker::FixPos(_) | Marker::U8 => self.deserialize_u8(visitor),
            Marker::U16 => self.deserialize_u16(visitor),
            Marker::U32 => self.deserialize_u32(visitor),
            Marker::U64 => self.deserialize_u64(visitor),
            Marker::I8 => self.deserialize_i8(visitor),
            Marker::I16 => self.deserialize_i16(visitor),
            Marker::I32 => self.deserialize_i32(visitor),
            Marker::I64 => self.deserialize_i64(visitor),
            Marker::F32 => self.deserialize_f32(visitor),
            Marker::F64 => self.deserialize_f64(visitor),
            Marker::Null => self.deserialize_unit(visitor),
            Marker::False | Marker::True => self.deserialize_bool(visitor),
            Marker::Str32 => self.deserialize_str(visitor),
            Marker::FixStr(_) => {
                let bytes = self.reader.take_fixstr()?;
                match core::str::from_utf8(bytes) {
                    Ok(text) => visitor.visit_borrowed_str(text),
                    Err(_) => visitor.visit_borrowed_bytes(bytes),
                }
            }
            Marker::Bin32 => self.deserialize_bytes(visitor),
            Marker::FixExt16 => self.marked(Mark::Fixext16, &[], visitor),
            Marker::FixArray(_) | Marker::Array32 => self.deserialize_seq(visitor),
            Marker::Array16 => self.marked(Mark::Array16, &[], visitor),
            Marker::FixMap(_) | Marker::Map32 => self.deserialize_map(visitor),
            Marker::Map16 => self.marked(Mark::Map16, &[], visitor),
            _ => Err(self.reader.unexpected("a marker of b2nd's format", found)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_any(visitor)
    }

    /// Reads a nil, or the value inside, which takes the mark.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.reader.peek()? == marker::NIL {
            self.mark = None;
            self.reader.take_nil()?;
            return visitor.visit_none();
        }
        self.deeper(|this| visitor.visit_some(this))
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if let Some(mark) = self.mark {
            return self.marked(mark, &[], visitor);
        }
        self.reader.take_nil()?;
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _name: &'static str, visitor: V) -> Result<V::Value> {
        self.deserialize_unit(visitor)
    }

    /// Reads the inner value. If the name is a mark, the mark selects the encoding.
    #[inline(always)]
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value> {
        match (Mark::from_name(name), self.mark) {
            (None, _) => self.deeper(|this| visitor.visit_newtype_struct(this)),
            (Some(_), Some(_)) => Err(Error::new(ErrorKind::Unsupported("b2nd::with twice, or on a Value or RawValue"))),
            #[cfg(feature = "msgpack")]
            (Some(Mark::Named), None) => self.named(visitor),
            (Some(Mark::Raw), None) => visitor.visit_borrowed_bytes(self.reader.take_entry(self.depth)?),
            (mark, None) => {
                self.mark = mark;
                visitor.visit_newtype_struct(self)
            }
        }
    }

    #[inline(always)]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.mark.take() {
            None => self.list(CountMarker::Array, &[], visitor),
            Some(Mark::Dims) => self.list(CountMarker::Dims, &[], visitor),
            Some(mark) => self.marked(mark, &[], visitor),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value> {
        if let Some(mark) = self.mark {
            return self.marked(mark, &[], visitor);
        }
        let start = self.reader.offset();
        match self.reader.take_count(CountMarker::Array)? {
            count if count == len => self.elements(start, count, &[], visitor),
            count => Err(wrong_count(len, count, start)),
        }
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(self, _name: &'static str, len: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_tuple(len, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.mark {
            None => self.map(CountMarker::Map, visitor),
            Some(mark) => self.marked(mark, &[], visitor),
        }
    }

    /// Reads a struct, whose fields are stored in order and without names. If fields at the end are missing, the visitor may have defaults
    /// for them.
    #[inline(always)]
    fn deserialize_struct<V: Visitor<'de>>(self, _name: &'static str, fields: Fields, visitor: V) -> Result<V::Value> {
        if let Some(mark) = self.mark {
            return self.marked(mark, fields, visitor);
        }
        let start = self.reader.offset();
        match self.reader.take_count(CountMarker::Array) {
            Ok(count) if count > fields.len() => Err(wrong_count(fields.len(), count, start)),
            Ok(count) => self.elements(start, count, fields, visitor),
            Err(error) => Err(not_positional(self.reader, error)),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(self, _name: &'static str, _variants: Fields, visitor: V) -> Result<V::Value> {
        match self.mark.take() {
            Some(Mark::Fixstr) => {
                let bytes = self.reader.take_fixstr()?;
                return visitor.visit_enum(BorrowedStrDeserializer::new(self.reader.utf8(bytes)?));
            }
            Some(mark) => return Err(Error::new(ErrorKind::Unsupported(mark.holds()))),
            None => {}
        }
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
