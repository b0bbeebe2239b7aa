//! [`TextBuilder`]: builds arrays of text or bytes of any length.

use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, LargeBinaryArray, LargeStringArray, StringArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;

use crate::error::{Error, ErrorKind, Result};

/// The maximum number of bytes of a column that are decompressed at once, even if the options allow more, because 32-bit offsets allow no
/// more.
pub(crate) const MAX_BYTES: u64 = i32::MAX as u64;

/// The ends of complete values, and the bytes of all values.
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

    pub(crate) fn push_bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Ends the current value.
    pub(crate) fn end(&mut self) {
        self.ends.push(self.bytes.len());
    }

    /// Creates the array. `data_type` must be a type of text or bytes.
    pub(crate) fn finish(self, data_type: &DataType, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        if self.bytes.len() as u64 > MAX_BYTES {
            return Err(too_long(self.bytes.len() as u64, MAX_BYTES));
        }
        let starts = std::iter::once(0).chain(self.ends);
        let bytes = Buffer::from_vec(self.bytes);
        Ok(match data_type {
            DataType::Utf8 => Arc::new(StringArray::try_new(small(starts), bytes, nulls)?),
            DataType::Binary => Arc::new(BinaryArray::try_new(small(starts), bytes, nulls)?),
            DataType::LargeUtf8 => Arc::new(LargeStringArray::try_new(large(starts), bytes, nulls)?),
            DataType::LargeBinary => Arc::new(LargeBinaryArray::try_new(large(starts), bytes, nulls)?),
            other => return Err(Error::damaged(format_args!("{other} is not a type of text or bytes"))),
        })
    }
}

pub(crate) fn too_long(bytes: u64, most: u64) -> Error {
    let message = format!("{bytes} bytes in one batch: the limit is {most}, so read fewer rows at once");
    Error::new(ErrorKind::TooLong, message)
}

/// Creates 32-bit offsets. The caller has checked that the offsets are ascending and fit.
fn small(offsets: impl Iterator<Item = usize>) -> OffsetBuffer<i32> {
    OffsetBuffer::new(offsets.map(|at| i32::try_from(at).unwrap_or(i32::MAX)).collect::<ScalarBuffer<i32>>())
}

fn large(offsets: impl Iterator<Item = usize>) -> OffsetBuffer<i64> {
    OffsetBuffer::new(offsets.map(|at| i64::try_from(at).unwrap_or(i64::MAX)).collect::<ScalarBuffer<i64>>())
}
