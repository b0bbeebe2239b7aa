//! The serializer of one value that has a [`Mark`]. It passes options and newtypes through, and rejects values that the encoding of the
//! mark cannot hold.

use serde::{Serialize, ser};

use super::{Compound, Serializer, unsupported};
use crate::error::{Error, ErrorKind, Result};
use crate::mark::{self, Mark};
use crate::marker::CountMarker;
use crate::sink::{Note, Shape, Sink, Step};
use crate::wire;

pub(super) struct MarkedSerializer<'a, S> {
    serializer: &'a mut Serializer<S>,
    mark: Mark,
}

impl<'a, S: Sink> MarkedSerializer<'a, S> {
    #[inline(always)]
    pub(super) fn new(serializer: &'a mut Serializer<S>, mark: Mark) -> Self {
        MarkedSerializer { serializer, mark }
    }

    #[cold]
    fn refuse<T>(self) -> Result<T> {
        unsupported(self.mark.holds())
    }

    #[inline(always)]
    fn sequence(self, count: Option<usize>, shape: fn(CountMarker) -> Shape) -> Result<Compound<'a, S>> {
        let marker = match self.mark {
            Mark::Array16 => CountMarker::Array16,
            Mark::Miscounted => CountMarker::Miscounted,
            Mark::Lengths64 | Mark::Lengths32 => CountMarker::Dimensions,
            _ => return self.refuse(),
        };
        self.serializer.start(shape(marker), marker, count, 1)
    }

    /// Writes a value, then inserts the marker and length of a bin32 before it.
    fn embed<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        self.serializer.sink.note(Note::Is(Shape::Embedded));
        let start = self.serializer.sink.written();
        self.serializer.enter()?;
        self.serializer.step(Step::Content, value)?;
        self.serializer.depth -= 1;
        let length = self.serializer.sink.written() - start;
        wire::insert_bin32(&mut self.serializer.sink, start, length)
    }

    #[inline(always)]
    fn inner<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.serializer.enter()?;
        value.serialize(MarkedSerializer::new(&mut *self.serializer, self.mark))?;
        self.serializer.depth -= 1;
        Ok(())
    }
}

/// Defines the methods that reject values of types that no mark accepts.
macro_rules! refuse {
    ($($method:ident($($ty:ty),*) -> $ok:ty;)*) => {
        $(
            fn $method(self, $(_: $ty),*) -> Result<$ok> {
                self.refuse()
            }
        )*
    };
}

impl<'a, S: Sink> ser::Serializer for MarkedSerializer<'a, S> {
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
        matches!(self.mark, Mark::Embedded | Mark::Any)
    }

    refuse! {
        serialize_bool(bool) -> ();
        serialize_i8(i8) -> ();
        serialize_i16(i16) -> ();
        serialize_i32(i32) -> ();
        serialize_i64(i64) -> ();
        serialize_i128(i128) -> ();
        serialize_u8(u8) -> ();
        serialize_u16(u16) -> ();
        serialize_u32(u32) -> ();
        serialize_u64(u64) -> ();
        serialize_u128(u128) -> ();
        serialize_f32(f32) -> ();
        serialize_f64(f64) -> ();
        serialize_unit() -> ();
        serialize_unit_struct(&'static str) -> ();
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Compound<'a, S>;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Compound<'a, S>;
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _value: &T,
    ) -> Result<()> {
        self.refuse()
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Result<()> {
        self.serialize_str(variant)
    }

    fn serialize_str(self, value: &str) -> Result<()> {
        match self.mark {
            Mark::Fixstr => wire::put_fixstr(&mut self.serializer.sink, value.as_bytes()),
            _ => self.refuse(),
        }
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        if let Mark::Any = self.mark {
            return self.serializer.entry(value);
        }
        match (self.mark, <&[u8; 17]>::try_from(value)) {
            (Mark::FixstrBytes, _) => wire::put_fixstr(&mut self.serializer.sink, value),
            (Mark::Fixext16, Ok(value)) => wire::put_fixext16(&mut self.serializer.sink, value),
            (Mark::Fixext16, Err(_)) => Err(Error::new(ErrorKind::Count { expected: 17, found: value.len() })),
            _ => self.refuse(),
        }
    }

    fn serialize_none(self) -> Result<()> {
        self.serializer.sink.note(Note::Option);
        self.serializer.put_nil()
    }

    fn serialize_some<T: Serialize + ?Sized>(mut self, value: &T) -> Result<()> {
        self.serializer.sink.note(Note::Option);
        let start = self.serializer.sink.written();
        self.inner(value)?;
        self.serializer.check_some(start)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(mut self, name: &'static str, value: &T) -> Result<()> {
        match Mark::from_name(name) {
            _ if name == mark::VALUE => self.embed(value),
            Some(_) => unsupported("one `with` module applied directly inside another"),
            None => self.inner(value),
        }
    }

    #[inline(always)]
    fn serialize_seq(self, count: Option<usize>) -> Result<Self::SerializeSeq> {
        self.sequence(count, Shape::List)
    }

    #[inline(always)]
    fn serialize_tuple(self, count: usize) -> Result<Self::SerializeTuple> {
        self.sequence(Some(count), |_| Shape::Fields)
    }

    fn serialize_tuple_struct(self, _name: &'static str, count: usize) -> Result<Self::SerializeTupleStruct> {
        self.sequence(Some(count), |_| Shape::Fields)
    }

    fn serialize_map(self, count: Option<usize>) -> Result<Self::SerializeMap> {
        match self.mark {
            Mark::Map16 => self.serializer.start(Shape::Map(CountMarker::Map16), CountMarker::Map16, count, 2),
            _ => self.refuse(),
        }
    }

    fn serialize_struct(self, _name: &'static str, count: usize) -> Result<Self::SerializeStruct> {
        if let Mark::Extensible = self.mark {
            return self.serializer.start_fields(count);
        }
        self.sequence(Some(count), |_| Shape::Fields)
    }
}
