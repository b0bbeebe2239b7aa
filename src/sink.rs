//! [`Sink`], to which encoded bytes are written. The trait is small, so that writing a few bytes of known length compiles to a single
//! store.

use alloc::vec::Vec;

use crate::error::{Error, ErrorKind, Result};
use crate::marker::CountMarker;

/// A destination for encoded bytes: a `Vec<u8>`, or one of the sinks of this crate.
pub trait Sink {
    /// Appends `bytes`.
    ///
    /// # Errors
    ///
    /// Fails if the sink cannot hold the bytes.
    fn put_slice(&mut self, bytes: &[u8]) -> Result<()>;

    /// Returns the number of bytes that have been written.
    fn written(&self) -> usize;

    /// Inserts `bytes` before position `at`, which is at most [`written`](Sink::written). The serializer uses this to add the marker of a
    /// sequence or map whose length was unknown.
    ///
    /// # Errors
    ///
    /// Fails if the sink cannot hold the bytes.
    fn insert(&mut self, at: usize, bytes: &[u8]) -> Result<()>;

    /// Appends an array of bytes, whose length is known at compile time.
    ///
    /// # Errors
    ///
    /// Fails if the sink cannot hold the bytes.
    #[inline(always)]
    fn put<const N: usize>(&mut self, bytes: [u8; N]) -> Result<()>
    where
        Self: Sized,
    {
        self.put_slice(&bytes)
    }

    /// Receives a note from the serializer about the structure of the bytes that it writes. Only [`layout`](crate::layout()) uses these
    /// notes.
    #[inline(always)]
    fn note(&mut self, _note: Note) {}
}

/// What the serializer tells a sink about the structure of the bytes that it writes: see [`Sink::note`]. The open entry is the innermost
/// entry that is being written.
pub enum Note {
    /// An entry begins inside the open entry.
    Begin(Step),
    /// The open entry ends.
    End,
    /// The open entry is an option.
    Option,
    /// The open entry has this shape.
    Is(Shape),
}

/// The step from an entry to an entry inside it.
pub enum Step {
    /// The step to the whole value, which is not inside another entry.
    Root,
    /// The step to the field of a struct with this name.
    Field(&'static str),
    /// The step to the element with this index.
    Index(usize),
    /// The step to the key of the map's pair with this index.
    Key(usize),
    /// The step to the value of the map's pair with this index.
    Value(usize),
    /// The step to the data of the enum's variant with this name.
    Variant(&'static str),
    /// The step to the value that is embedded in a byte string.
    Content,
}

/// The kind of an entry, which tells whether its length and its count can vary.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Shape {
    /// A number, a boolean, a string, a byte string or nil.
    Leaf,
    /// A string or byte string whose length is part of the type.
    FixedBytes,
    /// A struct, tuple or array, whose count is part of the type.
    Fields,
    /// A list of any count.
    List(CountMarker),
    /// A map.
    Map(CountMarker),
    /// A variant of an enum: its name, or a map of one pair with its name and its data.
    Variant,
    /// A value that is embedded in a byte string.
    Embedded,
    /// Any MessagePack, written unchanged.
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

/// A vector that is allocated at the final length and never grows. Because there is no code that grows the vector, the compiler puts the
/// code for a whole metalayer into one function, which takes a sixth fewer instructions.
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

/// Returns the error for a value whose encoded length differs between the first pass, which counts it, and the second pass, which writes
/// the bytes.
#[cold]
pub(crate) fn changed() -> Error {
    Error::custom("the value is serialized twice, first to count its length and then to write it, but the two lengths differ")
}

/// A sink that writes to the front of a borrowed buffer.
pub(crate) struct SliceSink<'a> {
    buffer: &'a mut [u8],
    written: usize,
}

impl<'a> SliceSink<'a> {
    pub(crate) fn new(buffer: &'a mut [u8]) -> Self {
        SliceSink { buffer, written: 0 }
    }

    /// Returns the part of the buffer that was written.
    #[inline(always)]
    pub(crate) fn into_written(self) -> &'a mut [u8] {
        &mut self.buffer[..self.written]
    }

    /// Returns the next `count` bytes of the buffer, to be written to.
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
    /// Appends an array of bytes. If the array has a single byte, the buffer's length is checked only once.
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

/// A sink that counts bytes and stores none, so the count may be larger than memory.
#[derive(Default)]
pub(crate) struct Counter(u64);

impl Counter {
    /// Returns the number of bytes that have been counted. Fails if this number does not fit a `usize`.
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
