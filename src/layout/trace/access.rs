//! Gives visitors the elements, pairs and variants that a trace makes.

use alloc::vec::Vec;

use serde::Deserializer as _;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{self, DeserializeSeed, Visitor};

use super::super::node::{Node, Variant};
use super::{Run, Tracer, changed};
use crate::error::{Error, Result};
use crate::wire::Form;

pub(super) struct Items<'n> {
    pub(super) node: &'n mut Node,
    pub(super) left: usize,
    pub(super) run: &'n Run,
    pub(super) is_short: bool,
}

impl<'de> de::SeqAccess<'de> for Items<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        seed.deserialize(Tracer { node: self.node, mark: None, run: self.run, is_short: self.is_short }).map(Some)
    }
}

pub(super) struct Fields<'n> {
    pub(super) nodes: &'n mut Vec<Node>,
    pub(super) taken: &'n mut usize,
    pub(super) count: usize,
    pub(super) run: &'n Run,
    pub(super) is_short: bool,
}

impl<'de> de::SeqAccess<'de> for Fields<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if *self.taken == self.count {
            return Ok(None);
        }
        if self.nodes.len() == *self.taken {
            self.nodes.push(Node::default());
        }
        let Some(node) = self.nodes.get_mut(*self.taken) else { return Ok(None) };
        *self.taken += 1;
        seed.deserialize(Tracer { node, mark: None, run: self.run, is_short: self.is_short }).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.count - *self.taken)
    }
}

pub(super) struct Pairs<'n> {
    pub(super) pair: &'n mut (Node, Node),
    pub(super) left: usize,
    pub(super) run: &'n Run,
    pub(super) is_short: bool,
}

impl<'de> de::MapAccess<'de> for Pairs<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        seed.deserialize(Tracer { node: &mut self.pair.0, mark: None, run: self.run, is_short: self.is_short }).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value> {
        seed.deserialize(Tracer { node: &mut self.pair.1, mark: None, run: self.run, is_short: self.is_short })
    }
}

pub(super) struct OneVariant<'n> {
    pub(super) name: &'static str,
    pub(super) variant: &'n mut Variant,
    pub(super) run: &'n Run,
    pub(super) is_short: bool,
}

impl<'n> OneVariant<'n> {
    fn data(self) -> Result<Tracer<'n>> {
        if !matches!(self.variant, Variant::Data(_)) {
            *self.variant = Variant::Data(Node::default());
        }
        let Variant::Data(node) = self.variant else { return Err(changed()) };
        Ok(Tracer { node, mark: None, run: self.run, is_short: self.is_short })
    }
}

impl<'de> de::EnumAccess<'de> for OneVariant<'_> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self)> {
        Ok((seed.deserialize(BorrowedStrDeserializer::<Error>::new(self.name))?, self))
    }
}

impl<'de> de::VariantAccess<'de> for OneVariant<'_> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        *self.variant = Variant::Unit;
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(self.data()?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value> {
        self.data()?.deserialize_tuple(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value> {
        self.data()?.fields(Form::Array, fields, fields.len(), visitor)
    }
}
