//! The deserializer of one value that has a [`Mark`]. The mark, not the method that the type calls, determines what is read.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{self, Visitor};
use serde::forward_to_deserialize_any;

use super::{Deserializer, Fields};
use crate::error::{Error, ErrorKind, Result};
use crate::mark::{Mark, VALUE};
use crate::marker::{self, CountMarker};

pub(super) struct MarkedDeserializer<'a, 'de> {
    deserializer: &'a mut Deserializer<'de>,
    mark: Mark,
}

impl<'a, 'de> MarkedDeserializer<'a, 'de> {
    #[inline(always)]
    pub(super) fn new(deserializer: &'a mut Deserializer<'de>, mark: Mark) -> Self {
        MarkedDeserializer { deserializer, mark }
    }

    /// Reads the value in the encoding that the mark requests. `fields` are the names of a struct's fields.
    #[inline(always)]
    fn read<V: Visitor<'de>>(self, fields: Fields, visitor: V) -> Result<V::Value> {
        let MarkedDeserializer { deserializer, mark } = self;
        match mark {
            Mark::Map16 => deserializer.entries(CountMarker::Map16, visitor),
            Mark::Array16 => deserializer.counted(CountMarker::Array16, fields, visitor),
            Mark::Miscounted => deserializer.counted(CountMarker::Miscounted, fields, visitor),
            Mark::Fixstr => {
                let bytes = deserializer.reader.take_fixstr()?;
                visitor.visit_borrowed_str(deserializer.reader.utf8(bytes)?)
            }
            Mark::FixstrBytes => visitor.visit_borrowed_bytes(deserializer.reader.take_fixstr()?),
            Mark::Fixext16 => visitor.visit_borrowed_bytes(deserializer.reader.take_fixext16()?),
            Mark::ArrayMeta => deserializer.array_meta(visitor),
            Mark::Extensible if !fields.is_empty() => deserializer.first_fields(fields, visitor),
            Mark::Any => visitor.visit_borrowed_bytes(deserializer.reader.take_entry(deserializer.depth)?),
            _ => Err(Error::new(ErrorKind::Unsupported(mark.holds()))),
        }
    }
}

impl<'de> Deserializer<'de> {
    /// Reads a value that is encoded as generic MessagePack.
    #[cfg(feature = "msgpack")]
    pub(super) fn named<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let start = self.reader.offset();
        let mut inside = crate::with::named::deserializer(self.reader.rest(), crate::limits::MAX_DEPTH - self.depth);
        let value =
            visitor.visit_newtype_struct(&mut inside).map_err(|error| crate::with::named::refused(error).within_offset(start))?;
        let taken = usize::try_from(inside.position()).unwrap_or(usize::MAX);
        match self.reader.split(taken) {
            Some((_, after)) => self.reader = after,
            None => return Err(Error::end(1, start + self.reader.left())),
        }
        Ok(value)
    }

    /// Reads a value that is embedded in a bin32. The value must take the whole content.
    fn embedded<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let start = self.reader.offset();
        let mut inside = Deserializer { reader: self.reader.take_inside()?, depth: self.depth, whole: false };
        inside.enter(start)?;
        let value = visitor.visit_newtype_struct(&mut inside).map_err(|error| error.complete("the embedded value"))?;
        inside.end()?;
        Ok(value)
    }
}

impl<'de> de::Deserializer<'de> for MarkedDeserializer<'_, 'de> {
    type Error = Error;

    fn is_human_readable(&self) -> bool {
        matches!(self.mark, Mark::Embedded | Mark::Any)
    }

    #[inline(always)]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.read(&[], visitor)
    }

    #[inline(always)]
    fn deserialize_struct<V: Visitor<'de>>(self, _name: &'static str, fields: Fields, visitor: V) -> Result<V::Value> {
        self.read(fields, visitor)
    }

    #[inline(always)]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.read(&[], visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let MarkedDeserializer { deserializer, mark } = self;
        if deserializer.reader.peek()? == marker::NIL {
            deserializer.reader.take_nil()?;
            return visitor.visit_none();
        }
        deserializer.deeper(|this| visitor.visit_some(MarkedDeserializer::new(this, mark)))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value> {
        let MarkedDeserializer { deserializer, mark } = self;
        match Mark::from_name(name) {
            _ if name == VALUE => deserializer.embedded(visitor),
            Some(_) => Err(Error::new(ErrorKind::Unsupported("one `with` module applied directly inside another"))),
            None => deserializer.deeper(|this| visitor.visit_newtype_struct(MarkedDeserializer::new(this, mark))),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(self, _name: &'static str, _variants: Fields, visitor: V) -> Result<V::Value> {
        let MarkedDeserializer { deserializer, mark } = self;
        match mark {
            Mark::Fixstr => {
                let bytes = deserializer.reader.take_fixstr()?;
                let variant = deserializer.reader.utf8(bytes)?;
                visitor.visit_enum(BorrowedStrDeserializer::new(variant))
            }
            _ => Err(Error::new(ErrorKind::Unsupported(mark.holds()))),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        tuple tuple_struct map identifier ignored_any
    }
}
