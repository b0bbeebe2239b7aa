//! Encodes values: [`Serializer`], and functions such as [`to_vec`] that use it.

use alloc::vec::Vec;

use serde::ser::{self, Serialize};

use crate::error::{Error, ErrorKind, Result, plural};
use crate::marker::{self, CountMarker, MAX_DEPTH, Mark};
use crate::wire::{self, Slice};

mod compound;
pub use crate::wire::Output;
pub use compound::Compound;

/// Encodes a value into a new vector.
///
/// # Errors
///
/// Returns [`ErrorKind::Unsupported`] if the format cannot encode the value, [`ErrorKind::TooLong`] and [`ErrorKind::TooDeep`] if the value
/// exceeds a limit of the format, [`ErrorKind::Count`] if a sequence or map does not have the length that it declared, and any error of the
/// value's own `Serialize` or of a module of [`with`](crate::with). As a rule, an error in a field has a path that names it.
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
    /// Room for the metadata of an array of three dimensions.
    const USUAL: usize = 128;

    let mut serializer = Serializer::new(Vec::with_capacity(USUAL));
    value.serialize(&mut serializer)?;
    Ok(serializer.into_output())
}

/// Encodes a value into the front of `buffer`. Returns the part of the buffer that was written. This crate allocates memory only for
/// errors, for a [`Value`](crate::Value), [`RawValue`](crate::RawValue) or [`DType`](crate::dtype::DType), and for `with::named`.
///
/// # Errors
///
/// Returns the errors of [`to_vec`]. Also returns [`ErrorKind::BufferTooSmall`], which contains the required length. After an error the
/// buffer's content is unspecified.
pub fn to_slice<'a, T: Serialize + ?Sized>(value: &T, buffer: &'a mut [u8]) -> Result<&'a mut [u8]> {
    let mut serializer = Serializer::new(Slice { buffer, written: 0 });
    value.serialize(&mut serializer)?;
    let Slice { buffer, written: needed } = serializer.into_output();
    let available = buffer.len();
    buffer.get_mut(..needed).ok_or_else(|| Error::new(ErrorKind::BufferTooSmall { needed, available }))
}

/// Encodes a value into a vector, then writes the vector with `write_all`.
///
/// # Errors
///
/// Returns the errors of [`to_vec`], and errors of the writer as [`ErrorKind::Io`].
#[cfg(feature = "std")]
pub fn to_writer<W: std::io::Write, T: Serialize + ?Sized>(mut writer: W, value: &T) -> Result<()> {
    writer.write_all(&to_vec(value)?)?;
    Ok(())
}

/// Computes the length of a value's encoding in bytes. The [front page](crate#the-format) says on what the length depends.
///
/// # Errors
///
/// Returns the errors of [`to_vec`], and an error if the length does not fit `usize`.
pub fn serialized_len<T: Serialize + ?Sized>(value: &T) -> Result<usize> {
    let mut serializer = Serializer::new(Slice { buffer: &mut [], written: 0 });
    value.serialize(&mut serializer)?;
    match serializer.into_output().written {
        usize::MAX => Err(Error::custom("the length of a value does not fit usize")),
        length => Ok(length),
    }
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
/// assert_eq!(serializer.into_output(), b"\xd2\0\0\0\x01\xdb\0\0\0\x03two");
/// # Ok::<(), b2nd::Error>(())
/// ```
pub struct Serializer<O = Vec<u8>> {
    output: O,
    depth: u8,
    /// The encoding of the next value, if a module of [`with`](crate::with) or a `Value` chose it.
    mark: Option<Mark>,
    /// The position of the nil that was written last, or `None` if no nil was written. The position is used to reject `Some(None)` and
    /// `Some(())`.
    nil: Option<usize>,
}

impl<O: Output> Serializer<O> {
    /// Makes a serializer that appends to `output`.
    #[must_use]
    pub fn new(output: O) -> Self {
        Serializer { output, depth: 0, mark: None, nil: None }
    }

    /// Returns the output, which contains the encoded bytes.
    pub fn into_output(self) -> O {
        self.output
    }

    /// Checks that there is no mark, since the value is one that no mark accepts.
    #[inline(always)]
    fn unmarked(&self) -> Result<()> {
        match self.mark {
            None => Ok(()),
            Some(mark) => unsupported(mark.holds()),
        }
    }

    #[inline(always)]
    fn enter(&mut self) -> Result<()> {
        if self.depth == MAX_DEPTH {
            return Err(Error::new(ErrorKind::TooDeep));
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

    fn put_nil(&mut self) -> Result<()> {
        self.nil = Some(self.output.written());
        self.output.put(&[marker::NIL])
    }

    /// Writes the bytes of one entry unchanged, after checking them.
    fn put_raw(&mut self, entry: &[u8]) -> Result<()> {
        let mut reader = wire::Reader::new(entry);
        reader.take_entry(self.depth)?;
        match reader.left() {
            0 if entry == [marker::NIL] => self.put_nil(),
            0 => self.output.put(entry),
            left => Err(Error::custom(format_args!("{left} trailing byte{} after the entry", plural(left)))),
        }
    }

    /// Starts a sequence or map of `count` entries. Each entry consists of `per_entry` values.
    #[inline(always)]
    fn start(&mut self, marker: CountMarker, count: Option<usize>, per_entry: usize) -> Result<Compound<'_, O>> {
        self.enter()?;
        let start = self.output.written();
        if let Some(count) = count {
            wire::put_count(&mut self.output, marker, count)?;
        }
        Ok(Compound { serializer: self, marker, count, per_entry, start, values: 0 })
    }

    /// Starts a sequence, tuple or struct.
    #[inline(always)]
    fn start_list(&mut self, count: Option<usize>) -> Result<Compound<'_, O>> {
        let marker = match self.mark.take() {
            None => CountMarker::Array,
            Some(Mark::Array16) => CountMarker::Array16,
            Some(Mark::Dims) => CountMarker::Dims,
            Some(mark) => return unsupported(mark.holds()),
        };
        self.start(marker, count, 1)
    }

    /// Writes the bytes before the data of an enum's variant: the marker of a fixmap with one pair, and the variant's name as its key.
    fn put_variant(&mut self, variant: &'static str) -> Result<()> {
        self.unmarked()?;
        self.output.put(&[marker::VARIANT])?;
        wire::put_str32(&mut self.output, variant)
    }
}

#[cold]
fn unsupported<T>(what: &'static str) -> Result<T> {
    Err(Error::new(ErrorKind::Unsupported(what)))
}

/// Defines methods that write a single number or boolean.
macro_rules! numbers {
    ($($method:ident $ty:ty, $put:ident;)*) => {
        $(
            #[inline(always)]
            fn $method(self, value: $ty) -> Result<()> {
                self.unmarked()?;
                wire::$put(&mut self.output, value)
            }
        )*
    };
}

impl<'a, O: Output> ser::Serializer for &'a mut Serializer<O> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Compound<'a, O>;
    type SerializeTuple = Compound<'a, O>;
    type SerializeTupleStruct = Compound<'a, O>;
    type SerializeTupleVariant = Compound<'a, O>;
    type SerializeMap = Compound<'a, O>;
    type SerializeStruct = Compound<'a, O>;
    type SerializeStructVariant = Compound<'a, O>;

    /// Returns false, except for the content of a [`Value`](crate::Value), which then writes its encoded bytes.
    fn is_human_readable(&self) -> bool {
        matches!(self.mark, Some(Mark::Raw))
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
        match self.mark.take() {
            None => wire::put_str32(&mut self.output, value),
            Some(Mark::Fixstr) => wire::put_fixstr(&mut self.output, value.as_bytes()),
            Some(mark) => unsupported(mark.holds()),
        }
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        match self.mark.take() {
            None => wire::put_bin32(&mut self.output, value),
            Some(Mark::FixstrBytes) => wire::put_fixstr(&mut self.output, value),
            Some(Mark::Raw) => self.put_raw(value),
            Some(Mark::Fixext16) => match value.try_into() {
                Ok(value) => wire::put_fixext16(&mut self.output, value),
                Err(_) => Err(Error::custom(format_args!("with::fixext16: expected 17 bytes, found {}", value.len()))),
            },
            Some(mark) => unsupported(mark.holds()),
        }
    }

    /// Writes a nil, whatever the mark is.
    fn serialize_none(self) -> Result<()> {
        self.mark = None;
        self.put_nil()
    }

    /// Writes the value inside, which takes the mark. It must not be nil, which would be read back as `None`.
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        let start = self.output.written();
        self.inner(value)?;
        if self.nil == Some(start) && self.output.written() == start + 1 {
            return unsupported("a nil in Some, such as Some(()): it would be read as None");
        }
        Ok(())
    }

    fn serialize_unit(self) -> Result<()> {
        self.unmarked()?;
        self.put_nil()
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Result<()> {
        self.serialize_str(variant)
    }

    /// Writes the inner value. If the name is a mark, the mark selects the encoding.
    #[inline(always)]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<()> {
        match (Mark::from_name(name), self.mark) {
            (None, _) => self.inner(value),
            (Some(_), Some(_)) => unsupported("b2nd::with twice, or on a Value or RawValue"),
            #[cfg(feature = "msgpack")]
            (Some(Mark::Named), None) => self.put_raw(&crate::msgpack::to_vec(value)?),
            (mark, None) => {
                self.mark = mark;
                value.serialize(self)
            }
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
        self.inner(value)
    }

    #[inline(always)]
    fn serialize_seq(self, count: Option<usize>) -> Result<Self::SerializeSeq> {
        self.start_list(count)
    }

    #[inline(always)]
    fn serialize_tuple(self, count: usize) -> Result<Self::SerializeTuple> {
        self.start_list(Some(count))
    }

    fn serialize_tuple_struct(self, _name: &'static str, count: usize) -> Result<Self::SerializeTupleStruct> {
        self.start_list(Some(count))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        count: usize,
    ) -> Result<Self::SerializeTupleVariant> {
        self.put_variant(variant)?;
        self.start_list(Some(count))
    }

    fn serialize_map(self, count: Option<usize>) -> Result<Self::SerializeMap> {
        let marker = match self.mark.take() {
            None => CountMarker::Map,
            Some(Mark::Map16) => CountMarker::Map16,
            Some(mark) => return unsupported(mark.holds()),
        };
        self.start(marker, count, 2)
    }

    #[inline(always)]
    fn serialize_struct(self, _name: &'static str, count: usize) -> Result<Self::SerializeStruct> {
        if let Some(Mark::Extensible) = self.mark {
            self.mark = None;
        }
        self.start_list(Some(count))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        count: usize,
    ) -> Result<Self::SerializeStructVariant> {
        self.put_variant(variant)?;
        self.start_list(Some(count))
    }
}
