//! [`Json`]: nested lists, with the objects of one key that `b2nd info --json` has for what JSON lacks.

use std::io::{self, Write};

use b2nd::dtype::DType;
use b2nd_view::json::write_text;
use b2nd_view::text::hex;
use serde_json::{Map, Number, Value, json};

use super::scalar::{self, Scalar};
use super::{Format, Layout};
use crate::error::Result;

/// Elements as JSON, a list for each dimension.
pub(super) struct Json {
    dtype: Option<DType>,
    itemsize: usize,
    /// How many elements a list has, from the outermost in.
    lists: Vec<u64>,
    items: u64,
    written: u64,
}

impl Json {
    pub(super) fn new(layout: Layout) -> Result<Json> {
        let (lengths, items) = layout.lengths()?;
        let mut lists: Vec<u64> = Vec::new();
        if items != 0 {
            lists = lengths
                .iter()
                .rev()
                .scan(1, |product, &length| {
                    *product *= length;
                    Some(*product)
                })
                .collect();
            lists.reverse();
        }
        Ok(Json { dtype: layout.dtype, itemsize: layout.itemsize.max(1), lists, items, written: 0 })
    }
}

impl Format for Json {
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        // Lists in an empty one are not told apart.
        if self.items == 0 { write!(out, "[]") } else { Ok(()) }
    }

    fn put(&mut self, elements: &[u8], out: &mut dyn Write) -> io::Result<()> {
        for item in elements.chunks(self.itemsize) {
            let opened = self.lists.iter().filter(|&&list| self.written % list == 0).count();
            if self.written != 0 {
                write!(out, "{}", if opened == 0 { "," } else { ",\n" })?;
            }
            write!(out, "{}", "[".repeat(opened))?;
            let value = self.dtype.as_ref().map_or_else(|| json!({ "bytes": hex(item, "") }), |dtype| element(dtype, item));
            write_text(out, &value)?;
            self.written += 1;
            write!(out, "{}", "]".repeat(self.lists.iter().filter(|&&list| self.written % list == 0).count()))?;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out)
    }
}

/// One element: a structure as an object, a subarray as a list.
pub(crate) fn element(dtype: &DType, bytes: &[u8]) -> Value {
    if !dtype.fields().is_empty() {
        let fields = dtype.fields().iter().map(|field| {
            let place = field.offset()..field.offset() + field.dtype().itemsize();
            (field.name().to_owned(), element(field.dtype(), bytes.get(place).unwrap_or_default()))
        });
        return Value::Object(fields.collect::<Map<_, _>>());
    }
    if !dtype.shape().is_empty() {
        return bytes.chunks(dtype.base().itemsize().max(1)).map(|item| element(dtype.base(), item)).collect();
    }
    match scalar::read(dtype, bytes) {
        Scalar::Bool(bool) => bool.into(),
        Scalar::Integer(number) => Number::from_i128(number).into(),
        Scalar::Float(text) => float(&text),
        Scalar::Complex(real, imaginary) => json!({ "complex": [float(&real), float(&imaginary)] }),
        Scalar::Text(text) | Scalar::Time(text) => text.into(),
        Scalar::Bytes(bytes) => match String::from_utf8(bytes) {
            Ok(text) => text.into(),
            Err(error) => json!({ "bytes": hex(error.as_bytes(), "") }),
        },
        Scalar::Unknown(digits) => json!({ "bytes": digits }),
    }
}

/// A float, or what JSON has for one that it lacks.
pub(crate) fn float(text: &str) -> Value {
    match text.parse().ok().and_then(Number::from_f64) {
        Some(number) => number.into(),
        None => json!({ "float": text.to_ascii_lowercase() }),
    }
}
