//! Serializes sequences, tuples, structs and maps.

use serde::{Serialize, ser};

use super::{Serializer, unsupported};
use crate::error::{Error, ErrorKind, Result, Segment};
use crate::marker::CountMarker;
use crate::wire::{self, Output};

/// A sequence, tuple, struct or map that is being written.
pub struct Compound<'a, O> {
    pub(super) serializer: &'a mut Serializer<O>,
    pub(super) marker: CountMarker,
    /// The count in the marker, or `None` if the count is not known yet. Then the marker is inserted at `start` after the last element has
    /// been written.
    pub(super) count: Option<usize>,
    /// The number of values in an entry: 1, or 2 in a map.
    pub(super) per_entry: usize,
    pub(super) start: usize,
    pub(super) values: usize,
}

impl<O: Output> Compound<'_, O> {
    #[inline(always)]
    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.values += 1;
        value.serialize(&mut *self.serializer)
    }

    #[inline(always)]
    fn finish(self) -> Result<()> {
        let Compound { serializer, marker, count, per_entry, start, values } = self;
        serializer.depth -= 1;
        if values % per_entry != 0 {
            return Err(Error::custom("a map has a key without a value, or a value without a key"));
        }
        match (count, values / per_entry) {
            (Some(expected), found) if expected == found => Ok(()),
            (Some(expected), found) => Err(Error::new(ErrorKind::Count { expected, found })),
            (None, found) => wire::insert_count(&mut serializer.output, marker, start, found),
        }
    }
}

/// Implements serde's traits for sequences and tuples, which differ in the name of a single method.
macro_rules! lists {
    ($($interface:ident $method:ident;)*) => {
        $(
            impl<O: Output> ser::$interface for Compound<'_, O> {
                type Ok = ();
                type Error = Error;

                #[inline(always)]
                fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                    let index = self.values;
                    self.value(value).map_err(|error| error.within(Segment::Index(index), None))
                }

                #[inline(always)]
                fn end(self) -> Result<()> {
                    self.finish()
                }
            }
        )*
    };
}

lists! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
}

/// Implements serde's traits for structs. The names of fields are only used in errors.
macro_rules! structs {
    ($($interface:ident)*) => {
        $(
            impl<O: Output> ser::$interface for Compound<'_, O> {
                type Ok = ();
                type Error = Error;

                #[inline(always)]
                fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<()> {
                    self.value(value).map_err(|error| error.field(key))
                }

                fn skip_field(&mut self, key: &'static str) -> Result<()> {
                    const WHY: &str = "skip_serializing_if: fields are found by their position, so each has to be written";
                    unsupported(WHY).map_err(|error: Error| error.field(key))
                }

                #[inline(always)]
                fn end(self) -> Result<()> {
                    self.finish()
                }
            }
        )*
    };
}

structs! { SerializeStruct SerializeStructVariant }

impl<O: Output> ser::SerializeMap for Compound<'_, O> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.value(key).map_err(|error| error.field("key"))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.value(value).map_err(|error| error.field("value"))
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}
