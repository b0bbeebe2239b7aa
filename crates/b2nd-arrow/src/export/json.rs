//! [`lines`]: rows as JSON, one object per line.

use std::io::Write;
use std::sync::{Arc, LazyLock};

use arrow_array::cast::AsArray;
use arrow_array::{Array, GenericBinaryArray, OffsetSizeTrait};
use arrow_cast::display::FormatOptions;
use arrow_json::writer::{EncoderFactory, EncoderOptions, NullableEncoder, make_encoder};
use arrow_json::{Encoder, LineDelimitedWriter, WriterBuilder};
use arrow_schema::{ArrowError, DataType, FieldRef};
use b2nd_store::text::hex;

use crate::export::text;
use crate::schema::numpy_dtype::is_complex;

/// Creates a writer of rows, one object with all fields per line. NaN and infinities are null. Bytes and
/// complex numbers are objects with one key: `{"bytes":"00ff"}`, `{"complex":[1.5,-2.0]}`. Times are text.
pub(crate) fn lines<W: Write>(out: W) -> LineDelimitedWriter<W> {
    WriterBuilder::new().with_explicit_nulls(true).with_encoder_factory(Arc::new(Encoders)).build(out)
}

/// Encoders for arrays that Arrow's own encoders cannot write as JSON, or write in another form.
#[derive(Debug)]
struct Encoders;

impl EncoderFactory for Encoders {
    fn make_default_encoder<'a>(
        &self,
        field: &'a FieldRef,
        array: &'a dyn Array,
        _: &'a EncoderOptions,
    ) -> Result<Option<NullableEncoder<'a>>, ArrowError> {
        match array.data_type() {
            DataType::Binary => return Ok(Some(bytes(array.as_binary::<i32>()))),
            DataType::LargeBinary => return Ok(Some(bytes(array.as_binary::<i64>()))),
            of if is_complex(of) => return complex(field, array),
            _ => {}
        }
        let Some(times) = text::times(array, &FormatOptions::new()) else { return Ok(None) };
        Ok(Some(by(array, move |row, out| put(out, format_args!("\"{}\"", times.value(row))))))
    }
}

fn complex<'a>(field: &'a FieldRef, array: &'a dyn Array) -> Result<Option<NullableEncoder<'a>>, ArrowError> {
    static OWN: LazyLock<EncoderOptions> = LazyLock::new(|| EncoderOptions::default().with_encoder_factory(Arc::new(Encoders)));
    let parts = array.as_struct().columns().iter().map(|part| make_encoder(field, part, &OWN));
    let mut parts = parts.collect::<Result<Vec<_>, _>>()?;
    Ok(Some(by(array, move |row, out| {
        for (before, part) in ["{\"complex\":[", ","].iter().zip(&mut parts) {
            out.extend_from_slice(before.as_bytes());
            part.encode(row, out);
        }
        out.extend_from_slice(b"]}");
    })))
}

fn bytes<O: OffsetSizeTrait>(array: &GenericBinaryArray<O>) -> NullableEncoder<'_> {
    by(array, |row, out| put(out, format_args!("{{\"bytes\":\"{}\"}}", hex(array.value(row), ""))))
}

/// Creates an encoder from a function that writes the JSON of the value in a row.
fn by<'a>(array: &dyn Array, value: impl FnMut(usize, &mut Vec<u8>) + 'a) -> NullableEncoder<'a> {
    NullableEncoder::new(Box::new(By(value)), array.nulls().cloned())
}

struct By<F>(F);

impl<F: FnMut(usize, &mut Vec<u8>)> Encoder for By<F> {
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        self.0(row, out);
    }
}

/// Appends text. Writing to memory does not fail.
fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    drop(out.write_fmt(text));
}
