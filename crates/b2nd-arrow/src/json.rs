//! [`lines`]: rows as JSON, an object a line.

use std::io::Write;
use std::sync::Arc;

use arrow_array::Array;
use arrow_cast::display::FormatOptions;
use arrow_json::writer::{EncoderFactory, EncoderOptions, NullableEncoder};
use arrow_json::{Encoder, LineDelimitedWriter, WriterBuilder};
use arrow_schema::{ArrowError, FieldRef};

use crate::times;

/// A writer of rows, each on a line of its own.
pub(crate) fn lines<W: Write>(out: W) -> LineDelimitedWriter<W> {
    WriterBuilder::new().with_encoder_factory(Arc::new(Encoders)).build(out)
}

/// Encoders for arrays with values that Arrow's own encoders have no JSON for.
#[derive(Debug)]
struct Encoders;

impl EncoderFactory for Encoders {
    fn make_default_encoder<'a>(
        &self,
        _: &'a FieldRef,
        array: &'a dyn Array,
        _: &'a EncoderOptions,
    ) -> Result<Option<NullableEncoder<'a>>, ArrowError> {
        let Some(times) = times::far(array, &FormatOptions::new()) else { return Ok(None) };
        // Writing to memory does not fail.
        let value = move |row, out: &mut Vec<u8>| drop(write!(out, "\"{}\"", times.value(row)));
        Ok(Some(NullableEncoder::new(Box::new(By(value)), array.nulls().cloned())))
    }
}

/// An encoder that is a function.
struct By<F>(F);

impl<F: FnMut(usize, &mut Vec<u8>)> Encoder for By<F> {
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        self.0(row, out);
    }
}
