//! Writes the headers of NumPy files (`.npy`), in Python's syntax.

use b2nd::dtype::{DType, Field};

use crate::error::Result;
use crate::values::SelectedArray;

/// The first bytes of a NumPy file.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// The header is padded to a multiple of this number of bytes, which aligns the elements.
const ALIGNMENT: usize = 64;

/// Returns the header of a NumPy file.
pub(super) fn header(values: &SelectedArray) -> Result<Vec<u8>> {
    let mut shape = values.selection.shape();
    // The dimensions of a subarray are added to the dimensions of the array.
    let mut element = values.array.dtype();
    while let Some(subarray) = element.filter(|dtype| !dtype.shape().is_empty()) {
        shape.extend(subarray.shape().iter().map(|&length| length as i64));
        element = Some(subarray.base());
    }
    let descr = match element {
        Some(dtype) => descr(dtype),
        None => format!("'|V{}'", values.array.itemsize()),
    };
    let lengths: Vec<_> = shape.iter().map(i64::to_string).collect();
    // In Python, a tuple of one element needs a comma after the element.
    let comma = if lengths.len() == 1 { "," } else { "" };
    let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': ({}{comma}), }}", lengths.join(", "));
    // The field with the header's length has two bytes in version 1, and four in versions 2 and 3. Only headers of version 3 are UTF-8.
    let (version, width) = if !text.is_ascii() {
        (3, 4)
    } else if text.len() < 0xff00 {
        (1, 2)
    } else {
        (2, 4)
    };
    let before = MAGIC.len() + 2 + width;
    let padded = (before + text.len() + 1).next_multiple_of(ALIGNMENT) - before;
    let mut header = MAGIC.to_vec();
    header.extend([version, 0]);
    header.extend(u32::try_from(padded)?.to_le_bytes().into_iter().take(width));
    header.extend(text.bytes());
    header.resize(before + padded - 1, b' ');
    header.push(b'\n');
    Ok(header)
}

/// Returns the `descr` of a dtype: a string, or a list of fields, including unnamed fields for padding.
fn descr(dtype: &DType) -> String {
    if dtype.fields().is_empty() {
        return format!("'{}'", dtype.clone().into_canonical());
    }
    let mut fields: Vec<&Field> = dtype.fields().iter().collect();
    fields.sort_by_key(|field| field.offset());
    let (mut parts, mut end) = (Vec::new(), 0);
    let padding = |parts: &mut Vec<String>, length: usize| {
        if length != 0 {
            parts.push(format!("('', '|V{length}')"));
        }
    };
    for field in fields {
        padding(&mut parts, field.offset().saturating_sub(end));
        end = field.offset() + field.dtype().itemsize();
        let name = python(field.name());
        let name = field.title().map_or_else(|| name.clone(), |title| format!("({}, {name})", python(title)));
        let (base, shape) = (field.dtype().base(), field.dtype().shape());
        let shape: String = shape.iter().map(|length| format!("{length}, ")).collect();
        let shape = if shape.is_empty() { shape } else { format!(", ({})", shape.trim_end()) };
        parts.push(format!("({name}, {}{shape})", descr(base)));
    }
    padding(&mut parts, dtype.itemsize().saturating_sub(end));
    format!("[{}]", parts.join(", "))
}

/// Formats a text as a string literal of Python.
fn python(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let escaped = text.chars().map(|char| match char {
        char if char == '\\' || char == quote => format!("\\{char}"),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        // Python's parser rejects NUL.
        char if char.is_ascii_control() => format!("\\x{:02x}", u32::from(char)),
        char => char.to_string(),
    });
    format!("{quote}{}{quote}", escaped.collect::<String>())
}
