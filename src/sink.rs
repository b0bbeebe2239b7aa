//! The sink of encoded bytes: one small trait, so that writing a few bytes of known length is one store.

use alloc::vec::Vec;

use crate::error::{Error, ErrorKind, Result};
use crate::marker::CountMarker;

/// A destination of encoded bytes: a `Vec<u8>` or one of this crate's own.
pub trait Sink {
    /// Appends `bytes`.
    ///
    /// # Errors
    ///
    /// Fails if the sink cannot hold them.
    fn put_slice(&mut self, bytes: &[u8]) -> Result<()>;

    /// Returns the number of bytes that have been written.
    fn written(&self) -> usize;

    /// Inserts `bytes` before position `at`, which is at most [`written`](Sink::written). A sequence or map of unknown
    /// length gets its marker in this way.
    ///
    /// # Errors
    ///
    /// Fails if the sink cannot hold them.
    fn insert(&mut self, at: usize, bytes: &[u8]) -> Result<()>;

    /// Appends an array whose length the compiler knows.
    ///
    /// # Errors
    ///
    /// Fails if the sink cannot hold it.
    #[inline(always)]
    fn put<const N: usize>(&mut self, bytes: [u8; N]) -> Result<()>
    where
        Self: Sized,
    {
        self.put_slice(&bytes)
    }

    /// Notes what the serializer writes. Only the recorder of [`layout`](crate::layout()) uses it.
    #[inline(always)]
    fn note(&mut self, _note: Note) {}
}

/// What a serializer notes about the bytes that it writes next.
pub enum Note {
    /// An entry begins inside of the one that is open.
    Begin(Step),
    /// The open entry ends.
    End,
    /// The open entry is an option.
    Option,
    /// The open entry is of this shape.
    Is(Shape),
}

/// The step from an entry to one inside of it.
pub enum Step {
    /// To the whole value.
    Root,
    /// To a struct's field.
    Field(&'static str),
    /// To an element.
    Index(usize),
    /// To the key of a map's pair of this number.
    Key(usize),
    /// To the value of a map's pair of this number.
    Value(usize),
    /// To the data of an enum's variant.
    Variant(&'static str),
    /// To the value in a byte string.
    Content,
}

/// The shape of an entry.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Shape {
    /// A number, a string, a byte string, nil.
    Leaf,
    /// A string or byte string whose length is in the type.
    FixedBytes,
    /// An array whose count is in the type.
    Fields,
    /// An array of any count.
    List(CountMarker),
    /// A map.
    Map(CountMarker),
    /// An enum's variant: its name, or a map of one pair with its name and its data.
    Variant,
    /// A value in a byte string.
    Embedded,
    /// Any MessagePack, written as it is.
    Any,
}

impl Sink for Vec<u8> {
    #[inline(always)]
    fn put_slice(&mut self, bytes: &[u8]) -> Result<()> {
        self.extend_from_slice(bytes);
        Ok(())
    }

    fn written(&self) -> usize {
        self.len()
    }

    fn insert(&mut self, at: usize, bytes: &[u8]) -> Result<()> {
        self.splice(at..at, bytes.iter().copied());
        Ok(())
    }
}

/// A new vector of known length, which never grows. Without the code to grow it, a whole metalayer is written in one function with
/// a sixth fewer instructions.
pub(crate) struct ReservedSink(pub(crate) Vec<u8>);

impl Sink for ReservedSink {
    #[inline(always)]
    fn put_slice(&mut self, bytes: &[u8]) -> Result<()> {
        if self.0.capacity() - self.0.len() < bytes.len() {
            return Err(changed());
        }
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn written(&self) -> usize {
        self.0.len()
    }

    fn insert(&mut self, at: usize, bytes: &[u8]) -> Result<()> {
        self.put_slice(bytes)?;
        self.0[at..].rotate_right(bytes.len());
        Ok(())
    }
}

/// Returns the error for a value whose length differs from the one that was counted.
#[cold]
pub(crate) fn changed() -> Error {
    Error::custom("the value's length changed between two serializations: the first one counts the length")
}

/// The front of a borrowed buffer.
pub(crate) struct SliceSink<'a> {
    buffer: &'a mut [u8],
    written: usize,
}

impl<'a> SliceSink<'a> {
    pub(crate) fn new(buffer: &'a mut [u8]) -> Self {
        SliceSink { buffer, written: 0 }
    }

    /// Returns the part that was written.
    #[inline(always)]
    pub(crate) fn into_written(self) -> &'a mut [u8] {
        &mut self.buffer[..self.written]
    }

    /// Returns the next `count` bytes.
    #[inline(always)]
    fn claim(&mut self, count: usize) -> Result<&mut [u8]> {
        let available = self.buffer.len();
        match self.written.checked_add(count) {
            Some(end) if end <= available => {
                let place = &mut self.buffer[self.written..end];
                self.written = end;
                Ok(place)
            }
            end => Err(full(end.unwrap_or(usize::MAX), available)),
        }
    }
}

#[cold]
fn full(needed: usize, available: usize) -> Error {
    Error::new(ErrorKind::BufferTooSmall { needed, available })
}

impl Sink for SliceSink<'_> {
    /// Writes a single byte with one check.
    #[inline(always)]
    fn put<const N: usize>(&mut self, bytes: [u8; N]) -> Result<()> {
        match (bytes.as_slice(), self.buffer.get_mut(self.written)) {
            (&[byte], Some(place)) => {
                *place = byte;
                self.written += 1;
                Ok(())
            }
            _ => self.put_slice(&bytes),
        }
    }

    #[inline(always)]
    fn put_slice(&mut self, bytes: &[u8]) -> Result<()> {
        self.claim(bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    fn written(&self) -> usize {
        self.written
    }

    fn insert(&mut self, at: usize, bytes: &[u8]) -> Result<()> {
        let end = self.written;
        self.claim(bytes.len())?;
        self.buffer.copy_within(at..end, at + bytes.len());
        self.buffer[at..at + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }
}

/// Counts bytes and stores none, so the count may be larger than memory.
#[derive(Default)]
pub(crate) struct Counter(u64);

impl Counter {
    /// Returns the count, if memory can hold that many bytes.
    #[inline(always)]
    pub(crate) fn total(self) -> Result<usize> {
        usize::try_from(self.0).map_err(|_| Error::custom("the length of a value does not fit usize"))
    }
}

impl Sink for Counter {
    #[inline(always)]
    fn put_slice(&mut self, bytes: &[u8]) -> Result<()> {
        self.0 += bytes.len() as u64;
        Ok(())
    }

    fn written(&self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }

    fn insert(&mut self, _at: usize, bytes: &[u8]) -> Result<()> {
        self.put_slice(bytes)
    }
}
