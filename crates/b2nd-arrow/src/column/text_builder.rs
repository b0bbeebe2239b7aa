//! [`TextBuilder`]: builds arrays of text or bytes of any length.

use std::sync::Arc;

use arrow_array::types::{BinaryType, ByteArrayType, LargeBinaryType, LargeUtf8Type, Utf8Type};
use arrow_array::{ArrayRef, GenericByteArray};
use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;

use crate::error::{Error, ErrorKind, Result};

/// The highest limit of the memory for a column in bytes, even if the options allow more. With 32-bit offsets, no more bytes can be
/// addressed.
pub(crate) const MAX_BYTES: u64 = i32::MAX as u64;

/// An array of text or bytes that is being built: the end of each complete value, and the bytes of all values.
#[derive(Default)]
pub(crate) struct TextBuilder {
    ends: Vec<usize>,
    bytes: Vec<u8>,
}

impl TextBuilder {
    pub(crate) fn with_capacity(values: usize, bytes: usize) -> TextBuilder {
        TextBuilder { ends: Vec::with_capacity(values), bytes: Vec::with_capacity(bytes) }
    }

    pub(crate) fn push_char(&mut self, char: char) {
        self.bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
    }

    pub(crate) fn push(&mut self, value: &[u8]) {
        self.bytes.extend_from_slice(value);
        self.end();
    }

    pub(crate) fn end(&mut self) {
        self.ends.push(self.bytes.len());
    }

    /// Creates the array. `data_type` must be a type of text or bytes.
    pub(crate) fn finish(self, data_type: &DataType, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        if self.bytes.len() as u64 > MAX_BYTES {
            return Err(too_long(self.bytes.len() as u64, MAX_BYTES));
        }
        match data_type {
            DataType::Utf8 => self.build::<Utf8Type>(nulls),
            DataType::Binary => self.build::<BinaryType>(nulls),
            DataType::LargeUtf8 => self.build::<LargeUtf8Type>(nulls),
            DataType::LargeBinary => self.build::<LargeBinaryType>(nulls),
            other => Err(Error::damaged(format_args!("{other} is not a type of text or bytes"))),
        }
    }

    /// Creates the array. There must not be more bytes than the offsets of the type `T` can address.
    fn build<T: ByteArrayType>(self, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let offsets = std::iter::once(0).chain(self.ends).map(T::Offset::usize_as);
        let offsets = OffsetBuffer::new(offsets.collect::<ScalarBuffer<_>>());
        Ok(Arc::new(GenericByteArray::<T>::try_new(offsets, Buffer::from_vec(self.bytes), nulls)?))
    }
}

pub(crate) fn too_long(bytes: u64, most: u64) -> Error {
    let message = format!("{bytes} bytes would be in memory at once: the limit is {most}");
    Error::new(ErrorKind::TooLong, message)
}
