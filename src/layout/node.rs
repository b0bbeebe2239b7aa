//! The tree of entries that a trace finds, which grows from run to run.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::error::{Error, Result};
use crate::marker::{ARRAY16, FIXEXT16, NIL, STR32};
use crate::wire::{FIXSTR_MAX, Form, MAX_DIMENSIONS};

/// An entry, and what is known of it.
#[derive(Default, Clone)]
pub(super) struct Node {
    pub(super) shape: Shape,
    /// The number of values that the type has refused, and so that of the next to try.
    pub(super) attempt: usize,
    /// The value of this run tells whether the length may be another.
    pub(super) is_probed: bool,
    /// The type took the last value.
    pub(super) is_taken: bool,
    /// The length is the only one that the type takes.
    pub(super) is_fixed: bool,
}

#[derive(Default, Clone)]
pub(super) enum Shape {
    #[default]
    Unknown,
    Leaf(Leaf),
    Option(Box<Node>),
    /// As many as the value has.
    List(Form, Box<Node>),
    /// As many as the type has, of which those from `least` on may be missing.
    Fields {
        form: Form,
        names: &'static [&'static str],
        fields: Vec<Node>,
        least: usize,
    },
    Map(Form, Box<(Node, Node)>),
    Enum {
        names: &'static [&'static str],
        variants: Vec<Variant>,
    },
    /// In a bin32.
    Embedded(Box<Node>),
    /// A type inside itself, and a short value of it.
    Recursive(&'static str, Box<Node>),
}

#[derive(Clone)]
pub(super) enum Variant {
    Unknown,
    Unit,
    Data(Node),
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Leaf {
    Unit,
    Bool,
    U8,
    U16,
    U32,
    U64,
    I8,
    I16,
    I32,
    I64,
    F32,
    F64,
    Char,
    Str,
    Bytes,
    Fixstr,
    FixstrBytes,
    Fixext16,
    FormatOrDtype,
    /// One entry of any MessagePack.
    Any,
}

/// A least and a greatest length in bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Lengths {
    pub(super) min: usize,
    pub(super) max: Option<usize>,
}

impl Lengths {
    pub(super) const fn of(length: usize) -> Lengths {
        Lengths { min: length, max: Some(length) }
    }

    pub(super) fn then(self, next: Lengths) -> Lengths {
        let max = self.max.zip(next.max).and_then(|(one, other)| one.checked_add(other));
        Lengths { min: self.min.saturating_add(next.min), max }
    }

    pub(super) fn or(self, other: Lengths) -> Lengths {
        Lengths { min: self.min.min(other.min), max: self.max.zip(other.max).map(|(one, other)| one.max(other)) }
    }
}

impl Leaf {
    /// The marker where the type alone decides it, and the lengths with it. `bytes` is the length of a byte string that has only one.
    pub(super) fn head(self, bytes: Option<usize>) -> (Option<u8>, Lengths) {
        let number = |marker, width: usize| (Some(marker), Lengths::of(1 + width));
        match self {
            Leaf::Unit => (Some(NIL), Lengths::of(1)),
            Leaf::Bool => (None, Lengths::of(1)),
            Leaf::U8 => (None, Lengths { min: 1, max: Some(bytes.unwrap_or(2)) }),
            Leaf::U16 => number(0xcd, 2),
            Leaf::U32 => number(0xce, 4),
            Leaf::U64 => number(0xcf, 8),
            Leaf::I8 => number(0xd0, 1),
            Leaf::I16 => number(0xd1, 2),
            Leaf::I32 => number(0xd2, 4),
            Leaf::I64 => number(0xd3, 8),
            Leaf::F32 => number(0xca, 4),
            Leaf::F64 => number(0xcb, 8),
            Leaf::Char => (Some(STR32), Lengths { min: 6, max: Some(9) }),
            Leaf::Str => (Some(STR32), Lengths { min: 5, max: None }),
            Leaf::Bytes => (Some(0xc6), bytes.map_or(Lengths { min: 5, max: None }, |length| Lengths::of(5 + length))),
            Leaf::Fixstr => (None, Lengths { min: 1, max: Some(1 + FIXSTR_MAX) }),
            Leaf::FixstrBytes => match bytes.and_then(|length| u8::try_from(length).ok()) {
                Some(length) => (Some(0xa0 | length), Lengths::of(1 + usize::from(length))),
                None => (None, Lengths { min: 1, max: Some(1 + FIXSTR_MAX) }),
            },
            Leaf::Fixext16 => (Some(FIXEXT16), Lengths::of(18)),
            Leaf::FormatOrDtype | Leaf::Any => (None, Lengths { min: 1, max: None }),
        }
    }
}

impl Node {
    /// Makes the node one entry of this leaf.
    pub(super) fn leaf(&mut self, leaf: Leaf) {
        if !matches!(self.shape, Shape::Leaf(_)) {
            self.shape = Shape::Leaf(leaf);
        }
    }

    /// True if nothing in it is left to find out.
    pub(super) fn is_complete(&self) -> bool {
        match &self.shape {
            Shape::Unknown => false,
            Shape::Leaf(_) | Shape::Recursive(..) => self.is_taken,
            Shape::Option(inner) | Shape::List(_, inner) | Shape::Embedded(inner) => inner.is_complete(),
            Shape::Fields { fields, .. } => self.is_fixed && fields.iter().all(Node::is_complete),
            Shape::Map(_, pair) => pair.0.is_complete() && pair.1.is_complete(),
            Shape::Enum { variants, .. } => variants.iter().all(Variant::is_complete),
        }
    }

    /// A number that grows with each run that finds something out.
    pub(super) fn progress(&self) -> usize {
        self.attempt
            + usize::from(self.is_taken)
            + 1
            + match &self.shape {
                Shape::Unknown | Shape::Leaf(_) => 0,
                Shape::Option(inner) | Shape::List(_, inner) | Shape::Embedded(inner) | Shape::Recursive(_, inner) => {
                    inner.progress()
                }
                Shape::Fields { fields, .. } => fields.iter().map(Node::progress).sum(),
                Shape::Map(_, pair) => pair.0.progress() + pair.1.progress(),
                Shape::Enum { variants, .. } => variants.iter().map(Variant::progress).sum(),
            }
    }

    /// The nodes in it, each before those inside of it.
    pub(super) fn each(&mut self, visit: &mut impl FnMut(&mut Node)) {
        visit(self);
        match &mut self.shape {
            Shape::Unknown | Shape::Leaf(_) | Shape::Recursive(..) => {}
            Shape::Option(inner) | Shape::List(_, inner) | Shape::Embedded(inner) => inner.each(visit),
            Shape::Fields { fields, .. } => fields.iter_mut().for_each(|node| node.each(visit)),
            Shape::Map(_, pair) => {
                pair.0.each(visit);
                pair.1.each(visit);
            }
            Shape::Enum { variants, .. } => variants.iter_mut().for_each(|variant| {
                if let Variant::Data(node) = variant {
                    node.each(visit);
                }
            }),
        }
    }

    /// Counts a value as taken or refused.
    pub(super) fn settle<T>(&mut self, result: Result<T>, blame: &core::cell::Cell<bool>) -> Result<T> {
        match &result {
            Ok(_) => self.is_taken = true,
            // Where something inside was refused, that tries another value. A struct has no other.
            Err(_) if self.is_probed || blame.get() || matches!(self.shape, Shape::Fields { .. }) => {}
            Err(_) => {
                blame.set(true);
                self.attempt = (self.attempt + 1).min(self.last_attempt());
            }
        }
        result
    }

    /// Tries another value next time, if this is one entry.
    pub(super) fn refuse(&mut self, blame: &core::cell::Cell<bool>) {
        if matches!(self.shape, Shape::Leaf(_)) && self.attempt < self.last_attempt() {
            blame.set(true);
            self.attempt += 1;
        }
    }

    /// The number of the last value that there is to try.
    fn last_attempt(&self) -> usize {
        match self.shape {
            Shape::Leaf(Leaf::Bytes) => 1024,
            Shape::Leaf(Leaf::FixstrBytes) => FIXSTR_MAX,
            _ => 16,
        }
    }

    /// True if this run is to tell something about an entry inside.
    pub(super) fn has_probe(&self) -> bool {
        self.is_probed
            || match &self.shape {
                Shape::Unknown | Shape::Leaf(_) | Shape::Recursive(..) => false,
                Shape::Option(inner) | Shape::List(_, inner) | Shape::Embedded(inner) => inner.has_probe(),
                Shape::Fields { fields, .. } => fields.iter().any(Node::has_probe),
                Shape::Map(_, pair) => pair.0.has_probe() || pair.1.has_probe(),
                Shape::Enum { variants, .. } => {
                    variants.iter().any(|variant| matches!(variant, Variant::Data(node) if node.has_probe()))
                }
            }
    }

    /// True if another value may say more about the length of this entry.
    pub(super) fn may_be_probed(&self) -> bool {
        matches!(self.shape, Shape::Leaf(Leaf::U8 | Leaf::Bytes | Leaf::FixstrBytes) | Shape::Fields { .. })
    }

    /// The only length of a byte string or a `u8`, if the type takes no other.
    pub(super) fn only_length(&self) -> Option<usize> {
        match self.shape {
            Shape::Leaf(Leaf::U8) => self.is_fixed.then_some(1),
            _ => self.is_fixed.then_some(self.attempt),
        }
    }

    /// The marker where the type decides it, the lengths of what comes before the values inside, and those of the whole.
    pub(super) fn lengths(&self) -> (Option<u8>, Lengths, Lengths) {
        let nothing = Lengths::of(0);
        match &self.shape {
            Shape::Unknown | Shape::Recursive(..) => (None, nothing, Lengths { min: 1, max: None }),
            Shape::Leaf(leaf) => {
                let (marker, lengths) = leaf.head(self.only_length());
                (marker, lengths, lengths)
            }
            Shape::Option(inner) => {
                let (_, head, whole) = inner.lengths();
                (None, head, whole.or(Lengths::of(1)))
            }
            Shape::List(form, item) => {
                let (head, most) = form.head();
                let items = item.lengths().2.max.zip(most).and_then(|(length, most)| length.checked_mul(most));
                (None, head, head.then(Lengths { min: 0, max: items }))
            }
            Shape::Fields { form, fields, least, .. } => {
                let (marker, head) = form.counted(fields.len());
                let inside = fields.iter().enumerate().fold(nothing, |lengths, (index, field)| {
                    let field = field.lengths().2;
                    lengths.then(if index < *least { field } else { Lengths { min: 0, ..field } })
                });
                (marker.filter(|_| *least == fields.len()), head, head.then(inside))
            }
            Shape::Map(form, pair) => {
                let (head, most) = form.head();
                let pair = pair.0.lengths().2.then(pair.1.lengths().2);
                let pairs = pair.max.zip(most).and_then(|(length, most)| length.checked_mul(most));
                (None, head, head.then(Lengths { min: 0, max: pairs }))
            }
            Shape::Enum { names, variants } => {
                let each = names.iter().zip(variants).map(|(name, variant)| {
                    let name = Lengths::of(5 + name.len());
                    match variant {
                        Variant::Data(data) => Lengths::of(1).then(name).then(data.lengths().2),
                        _ => name,
                    }
                });
                let whole = each.reduce(Lengths::or).unwrap_or(nothing);
                let is_unit = |variant: &Variant| matches!(variant, Variant::Unit);
                let marker = match (variants.iter().all(is_unit), variants.iter().any(is_unit)) {
                    (true, _) => Some(STR32),
                    (_, false) => Some(crate::marker::VARIANT),
                    _ => None,
                };
                (marker, Lengths::of(1), whole)
            }
            Shape::Embedded(inner) => (Some(0xc6), Lengths::of(5), Lengths::of(5).then(inner.lengths().2)),
        }
    }
}

impl Variant {
    pub(super) fn is_complete(&self) -> bool {
        match self {
            Variant::Unknown => false,
            Variant::Unit => true,
            Variant::Data(node) => node.is_complete(),
        }
    }

    fn progress(&self) -> usize {
        match self {
            Variant::Unknown => 0,
            Variant::Unit => 1,
            Variant::Data(node) => 1 + node.progress(),
        }
    }
}

impl Form {
    /// The lengths of the marker, and the greatest count where a type's values are bounded by it.
    fn head(self) -> (Lengths, Option<usize>) {
        match self {
            Form::Array | Form::Map => (Lengths { min: 1, max: Some(5) }, None),
            Form::Array16 | Form::Map16 => (Lengths::of(3), None),
            Form::Dimensions => (Lengths::of(1), Some(MAX_DIMENSIONS)),
            Form::Miscounted => (Lengths::of(1), None),
        }
    }

    /// The marker of this count, and how long it is with the count.
    fn counted(self, count: usize) -> (Option<u8>, Lengths) {
        match self.marker(count) {
            Ok(([marker, ..], length)) => (Some(marker), Lengths::of(length)),
            Err(_) => (Some(ARRAY16), Lengths::of(3)),
        }
    }
}

#[cold]
pub(super) fn endless(name: &str) -> Error {
    Error::custom(format_args!("{name} holds itself without end"))
}
