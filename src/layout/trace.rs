//! The deserializer that finds a type's layout: it answers every request with a small value, and writes the request down.
//!
//! One value shows one variant, so a type is deserialized until nothing new comes: [`Node`]s stay between the runs. A value that the type
//! refuses (a zero, an empty string, the wrong number of bytes) is another one in the next run.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::type_name;
use core::cell::{Cell, RefCell};

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{self, Visitor};

use super::node::{Leaf, Node, Shape, Variant, endless};
use crate::error::{Error, ErrorKind, Result};
use crate::mark::{Mark, VALUE};
use crate::wire::{FIXSTR_MAX, Form};

mod access;

use access::{Fields, Items, OneVariant, Pairs};

/// Numbers to try, of any width.
const NUMBERS: [i8; 6] = [0, 1, 2, 16, 100, -1];

/// Strings to try.
const STRINGS: [&str; 6] = ["", "a", "1", "|u1", "1970-01-01", "00000000-0000-0000-0000-000000000000"];

/// Bytes to try, of each length up to this one.
static BYTES: [u8; 1024] = [0; 1024];

/// The most times that a type may stand inside itself in a value that only has to exist.
const MAX_INSIDE: usize = 8;

/// State that the deserializers of one run share.
#[derive(Default)]
pub(super) struct Run {
    /// The types that are being deserialized, by the names of their visitors, which have those of generic arguments.
    types: RefCell<Vec<&'static str>>,
    /// Set once something has been refused.
    blame: Cell<bool>,
}

pub(super) struct Tracer<'n> {
    node: &'n mut Node,
    mark: Option<Mark>,
    run: &'n Run,
    /// Inside a type that holds itself, a value has to be short, not to show everything.
    is_short: bool,
}

impl<'n> Tracer<'n> {
    pub(super) fn new(node: &'n mut Node, run: &'n Run) -> Self {
        Tracer { node, mark: None, run, is_short: false }
    }

    fn marked(self, mark: Mark) -> Self {
        Tracer { mark: Some(mark), ..self }
    }

    /// Answers with one of `count` values, by its number.
    fn leaf<T>(self, leaf: Leaf, count: usize, visit: impl FnOnce(usize, bool) -> Result<T>) -> Result<T> {
        self.node.leaf(leaf);
        self.node.is_taken = false;
        let result = visit(self.node.attempt.min(count - 1), self.node.is_probed);
        self.node.settle(result, &self.run.blame)
    }

    fn string<'de, V: Visitor<'de>>(self, leaf: Leaf, visitor: V) -> Result<V::Value> {
        self.leaf(leaf, STRINGS.len(), |number, _| visitor.visit_borrowed_str(STRINGS.get(number).copied().unwrap_or_default()))
    }

    fn bytes<'de, V: Visitor<'de>>(self, leaf: Leaf, most: usize, visitor: V) -> Result<V::Value> {
        self.leaf(leaf, most + 1, |length, is_probed| {
            let length = if is_probed && length < most { length + 1 } else { length };
            visitor.visit_borrowed_bytes(BYTES.get(..length).unwrap_or_default())
        })
    }

    /// Runs inside a type, unless that is inside itself already: then its node says so, and its value is a short one.
    fn inside<T>(self, name: &'static str, key: &'static str, trace: impl FnOnce(Tracer<'_>) -> Result<T>) -> Result<T> {
        let run = self.run;
        let depth = run.types.borrow().iter().filter(|&&known| known == key).count();
        if depth > MAX_INSIDE {
            return Err(endless(name));
        }
        run.types.borrow_mut().push(key);
        let result = if depth == 0 || self.is_short {
            trace(self)
        } else {
            if !matches!(self.node.shape, Shape::Recursive(..)) {
                self.node.shape = Shape::Recursive(name, Box::default());
            }
            let Shape::Recursive(_, inner) = &mut self.node.shape else { return Err(changed()) };
            let result = trace(Tracer { node: inner, mark: self.mark, run, is_short: true });
            self.node.settle(result, &run.blame)
        };
        run.types.borrow_mut().pop();
        result
    }

    /// A sequence of any count: one element as long as something is to be found out about it.
    fn list<'de, V: Visitor<'de>>(self, form: Form, visitor: V) -> Result<V::Value> {
        let Tracer { node, run, is_short, .. } = self;
        if !matches!(node.shape, Shape::List(..)) {
            node.shape = Shape::List(form, Box::default());
        }
        let attempt = node.attempt.min(MAX_INSIDE);
        let Shape::List(_, item) = &mut node.shape else { return Err(changed()) };
        let is_known = is_short || item.is_complete() && !item.has_probe();
        let count = if is_known { attempt } else { attempt.max(1) };
        let result = visitor.visit_seq(Items { node: item, left: count, run, is_short });
        node.settle(result, &run.blame)
    }

    /// A sequence of as many elements as the type has.
    fn fields<'de, V: Visitor<'de>>(
        self,
        form: Form,
        names: &'static [&'static str],
        count: usize,
        visitor: V,
    ) -> Result<V::Value> {
        let Tracer { node, run, is_short, .. } = self;
        if !matches!(node.shape, Shape::Fields { .. }) {
            node.shape = Shape::Fields { form, names, fields: Vec::new(), least: count };
        }
        let is_probed = node.is_probed;
        node.is_taken = false;
        let Shape::Fields { fields, least, .. } = &mut node.shape else { return Err(changed()) };
        let count = if is_probed { least.saturating_sub(1) } else { count };
        let mut taken = 0;
        let result = visitor.visit_seq(Fields { nodes: fields, taken: &mut taken, count, run, is_short });
        if result.is_ok() && !is_probed {
            // serde lists aliases as fields too, and takes fewer then.
            fields.truncate(taken);
            *least = (*least).min(taken);
        }
        if result.is_err() && !is_probed && !run.blame.get() {
            // A field's own function may refuse what the type of the field has taken.
            if let Some(last) = taken.checked_sub(1).and_then(|last| fields.get_mut(last)) {
                last.refuse(&run.blame);
            }
        }
        // All that the type takes are known, whether it likes their values or not.
        node.is_fixed |= result.is_ok() || taken == count && !run.blame.get();
        node.settle(result, &run.blame)
    }

    fn map<'de, V: Visitor<'de>>(self, form: Form, visitor: V) -> Result<V::Value> {
        let Tracer { node, run, is_short, .. } = self;
        if !matches!(node.shape, Shape::Map(..)) {
            node.shape = Shape::Map(form, Box::default());
        }
        let attempt = node.attempt.min(1);
        let Shape::Map(_, pair) = &mut node.shape else { return Err(changed()) };
        let has_probe = pair.0.has_probe() || pair.1.has_probe();
        let is_complete = is_short || pair.0.is_complete() && pair.1.is_complete() && !has_probe;
        let count = if is_complete { attempt } else { 1 };
        let result = visitor.visit_map(Pairs { pair, left: count, run, is_short });
        node.settle(result, &run.blame)
    }

    /// The one value that the mark holds.
    fn read<'de, V: Visitor<'de>>(self, mark: Mark, visitor: V) -> Result<V::Value> {
        match mark {
            Mark::Form(form @ Form::Map16) => self.map(form, visitor),
            Mark::Form(form) => self.list(form, visitor),
            Mark::Lengths64 | Mark::Lengths32 => self.list(Form::Dimensions, visitor),
            Mark::Fixstr => self.string(Leaf::Fixstr, visitor),
            Mark::FixstrBytes => self.bytes(Leaf::FixstrBytes, FIXSTR_MAX, visitor),
            Mark::Fixext16 => {
                self.leaf(Leaf::Fixext16, 1, |_, _| visitor.visit_borrowed_bytes(BYTES.get(..17).unwrap_or_default()))
            }
            Mark::ArrayMeta => {
                if matches!(self.node.shape, Shape::Unknown) {
                    let names = crate::de::array_fields(7);
                    self.node.shape = Shape::Fields { form: Form::Array, names, fields: Vec::new(), least: 5 };
                }
                self.fields(Form::Array, &[], 7, visitor)
            }
            Mark::ArrayFront => self.fields(Form::Array, crate::de::array_fields(5), 5, visitor),
            Mark::Any => self.leaf(Leaf::Any, 1, |_, _| visitor.visit_borrowed_bytes(b"\xc0")),
            Mark::FormatOrDtype => self.leaf(Leaf::FormatOrDtype, 1, |_, _| visitor.visit_u8(0)),
            #[cfg(feature = "msgpack")]
            Mark::Named => Err(Error::new(ErrorKind::Unsupported(mark.holds()))),
            Mark::Embedded => Err(Error::new(ErrorKind::Unsupported(mark.holds()))),
        }
    }
}

#[cold]
fn changed() -> Error {
    Error::custom("the type asks for another value each time")
}

/// Methods for a number, which is small enough for any width.
macro_rules! numbers {
    ($($method:ident $visit:ident $ty:ty, $leaf:ident;)*) => {
        $(
            fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
                if let Some(mark) = self.mark {
                    return self.read(mark, visitor);
                }
                self.leaf(Leaf::$leaf, NUMBERS.len(), |number, is_probed| {
                    // Above 127 a u8 takes another byte.
                    let number = if is_probed { 200 } else { NUMBERS.get(number).copied().unwrap_or_default().into() };
                    visitor.$visit(number as $ty)
                })
            }
        )*
    };
}

/// Methods for what has one form.
macro_rules! values {
    ($($method:ident: |$tracer:ident, $visitor:ident| $read:expr;)*) => {
        $(
            fn $method<V: Visitor<'de>>(self, $visitor: V) -> Result<V::Value> {
                if let Some(mark) = self.mark {
                    return self.read(mark, $visitor);
                }
                let $tracer = self;
                $read
            }
        )*
    };
}

impl<'de> de::Deserializer<'de> for Tracer<'_> {
    type Error = Error;

    fn is_human_readable(&self) -> bool {
        matches!(self.mark, Some(Mark::Embedded | Mark::Any))
    }

    numbers! {
        deserialize_u8 visit_u8 u8, U8;
        deserialize_u16 visit_u16 u16, U16;
        deserialize_u32 visit_u32 u32, U32;
        deserialize_u64 visit_u64 u64, U64;
        deserialize_i8 visit_i8 i8, I8;
        deserialize_i16 visit_i16 i16, I16;
        deserialize_i32 visit_i32 i32, I32;
        deserialize_i64 visit_i64 i64, I64;
        deserialize_f32 visit_f32 f32, F32;
        deserialize_f64 visit_f64 f64, F64;
    }

    values! {
        deserialize_bool: |tracer, visitor| tracer.leaf(Leaf::Bool, 2, |number, _| visitor.visit_bool(number == 1));
        deserialize_char: |tracer, visitor| tracer.leaf(Leaf::Char, 1, |_, _| visitor.visit_char('a'));
        deserialize_str: |tracer, visitor| tracer.string(Leaf::Str, visitor);
        deserialize_string: |tracer, visitor| tracer.string(Leaf::Str, visitor);
        deserialize_identifier: |tracer, visitor| tracer.string(Leaf::Str, visitor);
        deserialize_bytes: |tracer, visitor| tracer.bytes(Leaf::Bytes, BYTES.len(), visitor);
        deserialize_byte_buf: |tracer, visitor| tracer.bytes(Leaf::Bytes, BYTES.len(), visitor);
        deserialize_unit: |tracer, visitor| tracer.leaf(Leaf::Unit, 1, |_, _| visitor.visit_unit());
        deserialize_seq: |tracer, visitor| tracer.list(Form::Array, visitor);
        deserialize_map: |tracer, visitor| tracer.map(Form::Map, visitor);
        deserialize_ignored_any: |tracer, visitor| tracer.deserialize_any(visitor);
    }

    /// The value says what it is, so nothing is known of it but that it is one.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if let Some(mark) = self.mark {
            return self.read(mark, visitor);
        }
        self.leaf(Leaf::Any, 5, |number, _| match number {
            0 => visitor.visit_unit(),
            1 => visitor.visit_u64(0),
            2 => visitor.visit_borrowed_str(""),
            3 => visitor.visit_seq(de::value::SeqDeserializer::<_, Error>::new(core::iter::empty::<u8>())),
            _ => visitor.visit_map(de::value::MapDeserializer::<_, Error>::new(core::iter::empty::<(u8, u8)>())),
        })
    }

    fn deserialize_i128<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value> {
        Err(Error::new(ErrorKind::Unsupported("i128: no marker is 16 bytes wide")))
    }

    fn deserialize_u128<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value> {
        Err(Error::new(ErrorKind::Unsupported("u128: no marker is 16 bytes wide")))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let Tracer { node, mark, run, is_short } = self;
        if is_short {
            return visitor.visit_none();
        }
        if !matches!(node.shape, Shape::Option(_)) {
            node.shape = Shape::Option(Box::default());
        }
        let attempt = node.attempt;
        let Shape::Option(inner) = &mut node.shape else { return Err(changed()) };
        let has_probe = inner.has_probe();
        let shows_none = (inner.is_complete() && !has_probe) != (attempt % 2 == 1);
        let result = match shows_none {
            true => visitor.visit_none(),
            false => visitor.visit_some(Tracer { node: inner, mark, run, is_short }),
        };
        node.settle(result, &run.blame)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _name: &'static str, visitor: V) -> Result<V::Value> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value> {
        match (self.mark, Mark::from_name(name)) {
            (Some(Mark::Embedded), _) if name == VALUE => {
                let Tracer { node, run, is_short, .. } = self;
                if !matches!(node.shape, Shape::Embedded(_)) {
                    node.shape = Shape::Embedded(Box::default());
                }
                let Shape::Embedded(inner) = &mut node.shape else { return Err(changed()) };
                visitor.visit_newtype_struct(Tracer { node: inner, mark: None, run, is_short })
            }
            (Some(_), Some(_)) => Err(Error::new(ErrorKind::Unsupported("a marked value inside a marked value"))),
            (None, Some(mark)) => visitor.visit_newtype_struct(self.marked(mark)),
            (_, None) => self.inside(name, type_name::<V>(), |tracer| visitor.visit_newtype_struct(tracer)),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value> {
        match self.mark {
            None => self.fields(Form::Array, &[], len, visitor),
            Some(Mark::Form(form)) if !matches!(form, Form::Map16) => self.fields(form, &[], len, visitor),
            Some(mark) => self.read(mark, visitor),
        }
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(self, name: &'static str, len: usize, visitor: V) -> Result<V::Value> {
        self.inside(name, type_name::<V>(), |tracer| tracer.deserialize_tuple(len, visitor))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.inside(name, type_name::<V>(), |tracer| match tracer.mark {
            None => tracer.fields(Form::Array, fields, fields.len(), visitor),
            Some(Mark::Form(form)) if !matches!(form, Form::Map16) => tracer.fields(form, fields, fields.len(), visitor),
            Some(mark) => tracer.read(mark, visitor),
        })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        if let Some(mark) = self.mark {
            return match mark {
                Mark::Fixstr => self.leaf(Leaf::Fixstr, names.len().max(1), |number, _| {
                    visitor.visit_enum(BorrowedStrDeserializer::new(names.get(number).copied().unwrap_or_default()))
                }),
                _ => Err(Error::new(ErrorKind::Unsupported(mark.holds()))),
            };
        }
        self.inside(name, type_name::<V>(), |tracer| {
            let Tracer { node, run, is_short, .. } = tracer;
            if !matches!(node.shape, Shape::Enum { .. }) {
                node.shape = Shape::Enum { names, variants: names.iter().map(|_| Variant::Unknown).collect() };
            }
            let attempt = node.attempt;
            let Shape::Enum { variants, .. } = &mut node.shape else { return Err(changed()) };
            let next = variants.iter().position(|variant| !variant.is_complete());
            let probed = variants.iter().position(|variant| matches!(variant, Variant::Data(node) if node.has_probe()));
            let number = next.filter(|_| !is_short).or(probed).unwrap_or(attempt).min(names.len().saturating_sub(1));
            let (Some(name), Some(variant)) = (names.get(number), variants.get_mut(number)) else {
                return Err(Error::custom("an enum has no variants"));
            };
            let result = visitor.visit_enum(OneVariant { name, variant, run, is_short });
            node.settle(result, &run.blame)
        })
    }
}
