//! Encodes values: [`Serializer`], and functions such as [`to_vec`] that use it. The bytes of each marker are written in `wire.rs`.

use alloc::vec::Vec;

use serde::ser::{self, Serialize, SerializeSeq as _};

use crate::error::{Error, ErrorKind, Result};
use crate::limits::MAX_DEPTH;
use crate::mark::{Mark, has_length_in_type};
use crate::marker::{self, CountMarker};
use crate::sink::{Counter, Note, ReservedSink, Shape, Sink, SliceSink, Step, changed};
use crate::wire;

mod compound;
mod marked;

pub(crate) use compound::Compound;

/// Encodes a value into a new vector, which is allocated once at its exact length.
///
/// The value is serialized twice; the first pass computes the length, as [`serialized_len`] does. Returns an error if the length differs in
/// the second pass, for example because the value is an iterator that the first pass has used up.
///
/// # Errors
///
/// Returns [`ErrorKind::Unsupported`] if the format cannot encode the value, [`ErrorKind::TooLong`] and [`ErrorKind::TooDeep`] if the value
/// exceeds a limit of the format, [`ErrorKind::Count`] if a sequence or map does not have the length that it declared, and any error of the
/// value's own `Serialize`.
///
/// ```
/// // A user's own struct: plain field types pick the markers that C-Blosc2 writes.
/// #[derive(serde::Serialize)]
/// struct Meta { version: u8, ndim: u8, shape: Vec<i64>, chunkshape: Vec<i32>, blockshape: Vec<i32>, dtype_format: u8, dtype: String }
///
/// let meta = Meta { version: 0, ndim: 1, shape: vec![400], chunkshape: vec![110], blockshape: vec![57], dtype_format: 0, dtype: "|u1".into() };
/// let bytes = b2nd::to_vec(&meta)?;
/// assert_eq!(bytes, hex_literal::hex!("97 00 01 91 d30000000000000190 91 d20000006e 91 d200000039 00 db00000003 7c7531"));
/// # Ok::<(), b2nd::Error>(())
/// ```
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
    let length = serialized_len(value)?;
    let mut serializer = Serializer::new(ReservedSink(Vec::with_capacity(length)));
    value.serialize(&mut serializer)?;
    match serializer.into_sink() {
        ReservedSink(bytes) if bytes.len() == length => Ok(bytes),
        _ => Err(changed()),
    }
}

/// Encodes a value into the front of `buffer` without allocating. Returns the part of the buffer that was written.
///
/// # Errors
///
/// Returns the errors of [`to_vec`]. Also returns [`ErrorKind::BufferTooSmall`], which contains the required length. After an error the
/// buffer's content is unspecified.
pub fn to_slice<'a, T: Serialize + ?Sized>(value: &T, buffer: &'a mut [u8]) -> Result<&'a mut [u8]> {
    let available = buffer.len();
    let mut serializer = Serializer::new(SliceSink::new(buffer));
    match value.serialize(&mut serializer) {
        Ok(()) => Ok(serializer.into_sink().into_written()),
        Err(error) => Err(with_whole_length(error, value, available)),
    }
}

/// Replaces the required length in a `BufferTooSmall` error with the length of the whole value.
#[cold]
fn with_whole_length<T: Serialize + ?Sized>(error: Error, value: &T, available: usize) -> Error {
    match (error.kind(), serialized_len(value)) {
        (ErrorKind::BufferTooSmall { .. }, Ok(needed)) => Error::new(ErrorKind::BufferTooSmall { needed, available }),
        _ => error,
    }
}

/// Encodes a value into a vector, then writes the vector in one call.
///
/// # Errors
///
/// Returns the errors of [`to_vec`], and errors of the writer as [`ErrorKind::Io`].
#[cfg(feature = "std")]
pub fn to_writer<W: std::io::Write, T: Serialize + ?Sized>(mut writer: W, value: &T) -> Result<()> {
    writer.write_all(&to_vec(value)?)?;
    Ok(())
}

/// Computes the length of a value's encoding in bytes. The length depends on the type and on the lengths of strings, lists and maps. It
/// does not depend on the values of numbers, except that a `u8` above 127 takes two bytes.
///
/// # Errors
///
/// Returns the errors of [`to_vec`].
pub fn serialized_len<T: Serialize + ?Sized>(value: &T) -> Result<usize> {
    let mut serializer = Serializer::new(Counter::default());
    value.serialize(&mut serializer)?;
    serializer.into_sink().total()
}

/// An encoder that writes values one after another into a `Vec<u8>`.
///
/// After an error the content of the vector is unspecified. Do not use the serializer again.
///
/// The table of markers is in the [crate documentation](crate). `&mut Serializer` is the `serde::Serializer`:
///
/// ```
/// use serde::Serialize;
///
/// let mut serializer = b2nd::Serializer::new(Vec::new());
/// 1i32.serialize(&mut serializer)?;
/// "two".serialize(&mut serializer)?;
/// assert_eq!(serializer.into_sink(), b"\xd2\0\0\0\x01\xdb\0\0\0\x03two");
/// # Ok::<(), b2nd::Error>(())
/// ```
pub struct Serializer<S> {
    sink: S,
    depth: u8,
    /// The position of the nil that was written last, or `None` if no nil was written. The position is used to reject `Some(None)` and
    /// `Some(())`.
    nil: Option<usize>,
}

impl<S: Sink> Serializer<S> {
    /// Makes a serializer that appends to `sink`, a `Vec<u8>`.
    #[inline(always)]
    #[must_use]
    pub fn new(sink: S) -> Self {
        Serializer { sink, depth: 0, nil: None }
    }

    /// Returns the vector that contains the encoded bytes.
    #[inline(always)]
    pub fn into_sink(self) -> S {
        self.sink
    }

    #[inline(always)]
    fn enter(&mut self) -> Result<()> {
        if self.depth == MAX_DEPTH {
            return Err(too_deep());
        }
        self.depth += 1;
        Ok(())
    }

    /// Serializes the value inside an option or a newtype, with the depth increased by one.
    #[inline(always)]
    fn inner<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.enter()?;
        value.serialize(&mut *self)?;
        self.depth -= 1;
        Ok(())
    }

    /// Serializes a value, and tells the sink the step that leads to this value.
    #[inline(always)]
    pub(crate) fn step<T: Serialize + ?Sized>(&mut self, step: Step, value: &T) -> Result<()> {
        self.sink.note(Note::Begin(step));
        value.serialize(&mut *self)?;
        self.sink.note(Note::End);
        Ok(())
    }

    /// Writes the bytes of one entry unchanged, after checking them.
    fn entry(&mut self, entry: &[u8]) -> Result<()> {
        self.sink.note(Note::Is(Shape::Any));
        let mut reader = wire::Reader::new(entry);
        reader.take_entry(self.depth)?;
        if reader.left() != 0 {
            return Err(Error::custom(format_args!("{} bytes follow the entry", reader.left())));
        }
        if entry == [marker::NIL] {
            return self.put_nil();
        }
        self.sink.put_slice(entry)
    }

    fn put_nil(&mut self) -> Result<()> {
        self.nil = Some(self.sink.written());
        wire::put_nil(&mut self.sink)
    }

    /// Writes a value as generic MessagePack.
    #[cfg(feature = "msgpack")]
    fn named<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.sink.note(Note::Is(Shape::Any));
        match crate::with::named::encode(value)?.as_slice() {
            [marker::NIL] => self.put_nil(),
            bytes => self.sink.put_slice(bytes),
        }
    }

    /// Checks that the value of a `Some`, which was written starting at `start`, is not nil. A nil would be read back as `None`.
    #[inline(always)]
    fn check_some(&self, start: usize) -> Result<()> {
        if self.nil == Some(start) && self.sink.written() == start + 1 {
            unsupported("Some(()) and Some(None), which would be read back as None")
        } else {
            Ok(())
        }
    }

    /// Starts a sequence or map of `count` entries. Each entry consists of `per_entry` values.
    #[inline(always)]
    fn start(&mut self, shape: Shape, marker: CountMarker, count: Option<usize>, per_entry: usize) -> Result<Compound<'_, S>> {
        self.sink.note(Note::Is(shape));
        self.enter()?;
        let start = self.sink.written();
        if let Some(count) = count {
            marker.put(&mut self.sink, count)?;
        }
        Ok(Compound { serializer: self, marker, count, per_entry, start, values: 0 })
    }

    /// Starts a tuple or struct.
    #[inline(always)]
    fn start_fields(&mut self, count: usize) -> Result<Compound<'_, S>> {
        self.start(Shape::Fields, CountMarker::Array, Some(count), 1)
    }

    /// Writes the bytes before the data of an enum's variant: the marker of a fixmap with one pair, and the variant's name as its key.
    fn put_variant(&mut self, variant: &'static str) -> Result<()> {
        self.sink.note(Note::Is(Shape::Variant));
        self.sink.put([marker::VARIANT])?;
        wire::put_str32(&mut self.sink, variant)
    }

    /// Starts the data of an enum's variant, which is a tuple or struct.
    fn start_variant(&mut self, variant: &'static str, count: usize) -> Result<Compound<'_, S>> {
        self.put_variant(variant)?;
        self.sink.note(Note::Begin(Step::Variant(variant)));
        self.start_fields(count)
    }
}

#[cold]
fn too_deep() -> Error {
    Error::new(ErrorKind::TooDeep)
}

#[cold]
fn unsupported<T>(what: &'static str) -> Result<T> {
    Err(Error::new(ErrorKind::Unsupported(what)))
}

/// Defines methods that write a single number.
macro_rules! numbers {
    ($($method:ident $ty:ty, $put:ident;)*) => {
        $(
            #[inline(always)]
            fn $method(self, value: $ty) -> Result<()> {
                wire::$put(&mut self.sink, value)
            }
        )*
    };
}

impl<'a, S: Sink> ser::Serializer for &'a mut Serializer<S> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Compound<'a, S>;
    type SerializeTuple = Compound<'a, S>;
    type SerializeTupleStruct = Compound<'a, S>;
    type SerializeTupleVariant = Compound<'a, S>;
    type SerializeMap = Compound<'a, S>;
    type SerializeStruct = Compound<'a, S>;
    type SerializeStructVariant = Compound<'a, S>;

    fn is_human_readable(&self) -> bool {
        false
    }

    numbers! {
        serialize_bool bool, put_bool;
        serialize_u8 u8, put_u8;
        serialize_u16 u16, put_u16;
        serialize_u32 u32, put_u32;
        serialize_u64 u64, put_u64;
        serialize_i8 i8, put_i8;
        serialize_i16 i16, put_i16;
        serialize_i32 i32, put_i32;
        serialize_i64 i64, put_i64;
        serialize_f32 f32, put_f32;
        serialize_f64 f64, put_f64;
    }

    fn serialize_i128(self, _value: i128) -> Result<()> {
        unsupported("i128: MessagePack has no 128-bit integers")
    }

    fn serialize_u128(self, _value: u128) -> Result<()> {
        unsupported("u128: MessagePack has no 128-bit integers")
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    #[inline(always)]
    fn serialize_str(self, value: &str) -> Result<()> {
        wire::put_str32(&mut self.sink, value)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        wire::put_bin32(&mut self.sink, value)
    }

    fn serialize_none(self) -> Result<()> {
        self.sink.note(Note::Option);
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        self.sink.note(Note::Option);
        let start = self.sink.written();
        self.inner(value)?;
        self.check_some(start)
    }

    fn serialize_unit(self) -> Result<()> {
        self.put_nil()
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Result<()> {
        self.sink.note(Note::Is(Shape::Variant));
        self.serialize_str(variant)
    }

    #[inline(always)]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<()> {
        match Mark::from_name(name) {
            #[cfg(feature = "msgpack")]
            Some(Mark::Named) => self.named(value),
            Some(mark) => {
                if has_length_in_type::<T>() {
                    self.sink.note(Note::Is(Shape::FixedBytes));
                }
                value.serialize(marked::MarkedSerializer::new(self, mark))
            }
            None => self.inner(value),
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        self.put_variant(variant)?;
        self.enter()?;
        self.step(Step::Variant(variant), value)?;
        self.depth -= 1;
        Ok(())
    }

    #[inline(always)]
    fn serialize_seq(self, count: Option<usize>) -> Result<Self::SerializeSeq> {
        self.start(Shape::List(CountMarker::Array), CountMarker::Array, count, 1)
    }

    /// Serializes all elements. This replaces serde's default method, which is not inlined.
    #[inline(always)]
    fn collect_seq<I: IntoIterator<Item: Serialize>>(self, elements: I) -> Result<()> {
        let elements = elements.into_iter();
        let count = match elements.size_hint() {
            (low, Some(high)) if low == high => Some(low),
            _ => None,
        };
        let mut sequence = match count {
            Some(count) if has_length_in_type::<I>() => self.serialize_tuple(count)?,
            _ => self.serialize_seq(count)?,
        };
        for element in elements {
            sequence.serialize_element(&element)?;
        }
        sequence.end()
    }

    #[inline(always)]
    fn serialize_tuple(self, count: usize) -> Result<Self::SerializeTuple> {
        self.start_fields(count)
    }

    #[inline(always)]
    fn serialize_tuple_struct(self, _name: &'static str, count: usize) -> Result<Self::SerializeTupleStruct> {
        self.start_fields(count)
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        count: usize,
    ) -> Result<Self::SerializeTupleVariant> {
        self.start_variant(variant, count)
    }

    fn serialize_map(self, count: Option<usize>) -> Result<Self::SerializeMap> {
        self.start(Shape::Map(CountMarker::Map), CountMarker::Map, count, 2)
    }

    #[inline(always)]
    fn serialize_struct(self, _name: &'static str, count: usize) -> Result<Self::SerializeStruct> {
        self.start_fields(count)
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        count: usize,
    ) -> Result<Self::SerializeStructVariant> {
        self.start_variant(variant, count)
    }
}
