//! Deserializes a dtype string into any type of string that a caller asks for.

use core::marker::PhantomData;

use serde::de::{self, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

/// The deserializer of one string. (serde's own ones support neither newtypes nor options.)
pub(super) struct StrDeserializer<T, E> {
    text: T,
    is_human_readable: bool,
    error: PhantomData<E>,
}

/// A string, borrowed from the input or from a buffer.
pub(super) trait Visit<'de>: AsRef<str> {
    fn visit<V: Visitor<'de>, E: de::Error>(self, visitor: V) -> Result<V::Value, E>;
}

/// A string borrowed from the input.
pub(super) struct Borrowed<'de>(pub(super) &'de str);

impl AsRef<str> for Borrowed<'_> {
    fn as_ref(&self) -> &str {
        self.0
    }
}

impl<'de> Visit<'de> for Borrowed<'de> {
    #[inline(always)]
    fn visit<V: Visitor<'de>, E: de::Error>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_borrowed_str(self.0)
    }
}

impl<'de> Visit<'de> for &str {
    fn visit<V: Visitor<'de>, E: de::Error>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_str(self)
    }
}

impl<T, E> StrDeserializer<T, E> {
    #[inline(always)]
    pub(super) fn new(text: T, is_human_readable: bool) -> Self {
        StrDeserializer { text, is_human_readable, error: PhantomData }
    }
}

impl<'de, T: Visit<'de>, E: de::Error> de::Deserializer<'de> for StrDeserializer<T, E> {
    type Error = E;

    fn is_human_readable(&self) -> bool {
        self.is_human_readable
    }

    #[inline(always)]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        self.text.visit(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _name: &'static str, visitor: V) -> Result<V::Value, E> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, E> {
        visitor.visit_enum(self.text.as_ref().into_deserializer())
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}
