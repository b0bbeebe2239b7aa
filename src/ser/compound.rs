//! Serializes compound values: sequences, tuples, structs, maps and variants with data.

use serde::{Serialize, ser};

use super::{Serializer, unsupported};
use crate::error::{Error, ErrorKind, Result};
use crate::marker::CountMarker;
use crate::sink::{Note, Sink, Step};

/// A sequence, tuple, struct or map that is being written.
pub struct Compound<'a, S> {
    pub(super) serializer: &'a mut Serializer<S>,
    pub(super) marker: CountMarker,
    /// The count in the marker, or `None` if the count is not known yet. Then the marker is inserted at `start` after the last element has
    /// been written.
    pub(super) count: Option<usize>,
    /// The number of values in an entry: 1, or 2 in a map.
    pub(super) per_entry: usize,
    pub(super) start: usize,
    pub(super) values: usize,
}

impl<S: Sink> Compound<'_, S> {
    #[inline(always)]
    fn value<T: Serialize + ?Sized>(&mut self, step: Step, value: &T) -> Result<()> {
        self.values += 1;
        self.serializer.step(step, value)
    }

    #[inline(always)]
    fn finish(self) -> Result<()> {
        self.serializer.depth -= 1;
        match self.count {
            Some(count) if count.checked_mul(self.per_entry) == Some(self.values) => Ok(()),
            Some(count) => Err(miscounted(count, self.values, self.per_entry)),
            None if self.values % self.per_entry != 0 => Err(miscounted(0, self.values, self.per_entry)),
            None => self.marker.insert(&mut self.serializer.sink, self.start, self.values / self.per_entry),
        }
    }
}

const ADJACENT_UNIT: &str = "a unit variant of an adjacently tagged enum: only its tag is written, which cannot be read back";

/// Returns true if `T` is serde's type for the tag of an adjacently tagged enum. The type is private, so its name is compared.
#[inline(always)]
fn is_adjacent_tag<T: ?Sized>() -> bool {
    core::any::type_name::<T>().ends_with("::AdjacentlyTaggedEnumVariant")
}

/// Returns the error for a wrong number of values. The arguments are only numbers: a reference to the serializer, although it would be used
/// only after an error, would keep the serializer out of registers.
#[cold]
fn miscounted(expected: usize, values: usize, per_entry: usize) -> Error {
    if values % per_entry != 0 {
        return Error::custom("a map key has no value");
    }
    Error::new(ErrorKind::Count { expected, found: values / per_entry })
}

/// Implements serde's traits for compound values, except `SerializeMap`: each has a single method that serializes a value.
macro_rules! compound {
    ($($interface:ident $method:ident ($($key:ident)?) $($note:expr)?;)*) => {
        $(
            impl<S: Sink> ser::$interface for Compound<'_, S> {
                type Ok = ();
                type Error = Error;

                #[inline(always)]
                fn $method<T: Serialize + ?Sized>(&mut self, $($key: &'static str,)? value: &T) -> Result<()> {
                    let _step = Step::Index(self.values);
                    $(
                        let _step = Step::Field($key);
                        if self.count == Some(1) && is_adjacent_tag::<T>() {
                            return unsupported(ADJACENT_UNIT);
                        }
                    )?
                    self.value(_step, value)
                }

                $(
                    fn skip_field(&mut self, $key: &'static str) -> Result<()> {
                        let _ = $key;
                        unsupported("skip_serializing_if: fields are found by their position, so each has to be written")
                    }
                )?

                #[inline(always)]
                fn end(self) -> Result<()> {
                    $(self.serializer.sink.note($note);)?
                    self.finish()
                }
            }
        )*
    };
}

compound! {
    SerializeSeq serialize_element ();
    SerializeTuple serialize_element ();
    SerializeTupleStruct serialize_field ();
    SerializeTupleVariant serialize_field () Note::End;
    SerializeStruct serialize_field (key);
    SerializeStructVariant serialize_field (key) Note::End;
}

impl<S: Sink> ser::SerializeMap for Compound<'_, S> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.value(Step::Key(self.values / 2), key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.value(Step::Value(self.values / 2), value)
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}
