//! [`Text`]: a line for each of the last dimension, an empty one between planes.

use std::io::{self, Write};

use b2nd::dtype::DType;
use b2nd_view::text::{hex, quoted};

use super::scalar::{self, Scalar};
use super::{Format, Layout};
use crate::error::Result;

/// Elements as lines of text.
pub(super) struct Text {
    dtype: Option<DType>,
    itemsize: usize,
    row: u64,
    plane: u64,
    items: u64,
    printed: u64,
}

impl Text {
    pub(super) fn new(layout: Layout) -> Result<Text> {
        let (lengths, items) = layout.lengths()?;
        let row = lengths.last().copied().unwrap_or(1).max(1);
        let plane = lengths.iter().rev().nth(1).copied().unwrap_or(u64::MAX).saturating_mul(row).max(1);
        Ok(Text { dtype: layout.dtype, itemsize: layout.itemsize.max(1), row, plane, items, printed: 0 })
    }
}

impl Format for Text {
    fn start(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn put(&mut self, elements: &[u8], out: &mut dyn Write) -> io::Result<()> {
        for item in elements.chunks(self.itemsize) {
            let before = match self.printed {
                0 => "",
                printed if printed % self.plane == 0 => "\n\n",
                printed if printed % self.row == 0 => "\n",
                _ => "  ",
            };
            let text = self.dtype.as_ref().map_or_else(|| hex(item, ""), |dtype| element(dtype, item));
            write!(out, "{before}{text}")?;
            self.printed += 1;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.items != 0 { writeln!(out) } else { Ok(()) }
    }
}

/// One element: a structure in round brackets, a subarray in square ones.
pub(crate) fn element(dtype: &DType, bytes: &[u8]) -> String {
    if !dtype.fields().is_empty() {
        let fields = dtype.fields().iter().map(|field| {
            let place = field.offset()..field.offset() + field.dtype().itemsize();
            element(field.dtype(), bytes.get(place).unwrap_or_default())
        });
        return format!("({})", fields.collect::<Vec<_>>().join(", "));
    }
    if !dtype.shape().is_empty() {
        let items = bytes.chunks(dtype.base().itemsize().max(1)).map(|item| element(dtype.base(), item));
        return format!("[{}]", items.collect::<Vec<_>>().join(", "));
    }
    match scalar::read(dtype, bytes) {
        Scalar::Bool(bool) => bool.to_string(),
        Scalar::Integer(number) => number.to_string(),
        Scalar::Float(text) | Scalar::Time(text) | Scalar::Unknown(text) => text,
        Scalar::Complex(real, imaginary) => format!("({real}, {imaginary}i)"),
        Scalar::Text(text) => format!("{text:?}"),
        Scalar::Bytes(bytes) => quoted(&bytes),
    }
}
