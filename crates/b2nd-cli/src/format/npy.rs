//! NumPy files (`.npy`): a header in Python's syntax, then the elements.

use std::fs;
use std::io::{self, BufReader, Cursor, Read, Write};
use std::path::Path;

use b2nd::dtype::{DType, Field};
use b2nd_store::foreign;
use ndarray::ShapeBuilder;

use super::{ElementInfo, Format};
use crate::error::{Error, Result};
use b2nd_view::elements::no_objects;

const MAGIC: &[u8] = b"\x93NUMPY";

/// The header is padded to a multiple of this number of bytes, which aligns the elements.
const ALIGNMENT: usize = 64;

/// The elements of an imported file.
pub(crate) struct Elements {
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<i64>,
    /// A reader of the elements in C order.
    pub(crate) data: Box<dyn Read>,
    /// The length of the elements in bytes.
    pub(crate) length: u64,
}

/// Writes a NumPy file. Contains the header of the file. If the header is empty, only the elements are written.
pub(super) struct Npy(pub(super) Vec<u8>);

impl Format for Npy {
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.0)
    }

    fn put(&mut self, elements: &[u8], out: &mut dyn Write) -> io::Result<()> {
        out.write_all(elements)
    }
}

/// Returns the header of a NumPy file.
pub(super) fn header(layout: ElementInfo) -> Result<Vec<u8>> {
    let ElementInfo { dtype, itemsize, mut shape, .. } = layout;
    // The dimensions of a subarray are added to the dimensions of the array.
    let mut element = dtype.as_ref();
    while let Some(subarray) = element.filter(|dtype| !dtype.shape().is_empty()) {
        shape.extend(subarray.shape().iter().map(|&length| length as i64));
        element = Some(subarray.base());
    }
    let descr = match element {
        Some(dtype) => descr(dtype),
        None => format!("'|V{itemsize}'"),
    };
    let lengths: Vec<_> = shape.iter().map(i64::to_string).collect();
    // In Python, a tuple of one element needs a comma after the element.
    let comma = if lengths.len() == 1 { "," } else { "" };
    let text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': ({}{comma}), }}", lengths.join(", "));
    // Version 1 is for ASCII headers of less than 64 KiB, version 2 for longer ASCII headers, and version 3 for headers in UTF-8.
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

/// Returns the `descr` that `numpy.lib.format` writes for a dtype: a string, or a list of fields, including unnamed fields for padding.
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
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n"))
}

/// Reads a NumPy file from a path or from standard input.
pub(crate) fn read(path: &Path) -> Result<Elements> {
    if path == Path::new("-") {
        return elements(io::stdin().lock(), None);
    }
    let file = open(path)?;
    let length = file.metadata()?.len();
    elements(BufReader::new(file), Some(length))
}

/// Opens a file. Fails if it is not a regular file, because reading a pipe or a device might never end.
pub(crate) fn open(path: &Path) -> Result<fs::File> {
    if fs::metadata(path)?.is_file() { Ok(fs::File::open(path)?) } else { Err(Error::new("it is not a file")) }
}

/// Reads a NumPy file. `file_len` is its length, or `None` if the length is not known.
fn elements(mut file: impl Read + 'static, file_len: Option<u64>) -> Result<Elements> {
    let magic = next(&mut file, MAGIC.len() as u64)?;
    if magic != MAGIC {
        let what = foreign::describe(&magic).map_or_else(String::new, |what| format!("; it is {what}"));
        return Err(Error::new(format_args!("not a numpy file: it does not begin with \\x93NUMPY{what}")));
    }
    let cut = || Error::new("the header is cut off");
    let version = next(&mut file, 2)?.first().copied().ok_or_else(cut)?;
    let width = match version {
        1 => 2,
        2 | 3 => 4,
        other => {
            return Err(Error::new(format_args!("version {other} of numpy's format is not supported, only versions 1 to 3")));
        }
    };
    let length = next(&mut file, width)?;
    let length = length.iter().rev().fold(0, |length, &byte| length << 8 | u64::from(byte));
    let header = next(&mut file, length)?;
    if header.len() as u64 != length {
        return Err(cut());
    }
    let before = MAGIC.len() as u64 + 2 + width + length;
    let header = match version {
        // The header is Latin-1, in which each byte is the character with the same number.
        1 | 2 => header.into_iter().map(char::from).collect(),
        _ => String::from_utf8(header).map_err(|error| Error::new(format_args!("the header is not UTF-8: {error}")))?,
    };
    let descr = value(&header, "'descr': ", ", 'fortran_order'")?;
    let is_fortran = match value(&header, "'fortran_order': ", ", 'shape'")? {
        "True" => true,
        "False" => false,
        other => return Err(Error::new(format_args!("fortran_order: expected True or False, found {other}"))),
    };
    let shape = value(&header, "'shape': (", ")")?;
    let lengths = shape.split(',').map(str::trim).filter(|length| !length.is_empty());
    let length = |length: &str| length.parse::<i64>().map_err(|_| Error::new(format_args!("shape: {length:?} is not a length")));
    let shape: Vec<i64> = lengths.map(length).collect::<Result<_>>()?;
    let string = descr.strip_prefix('\'').and_then(|descr| descr.strip_suffix('\''));
    let dtype = without_padding(string.unwrap_or(descr))?;
    // If elements are objects, the rest of the file is a pickle, which cannot be imported.
    no_objects(&dtype)?;
    let length = length_of(&shape, dtype.itemsize(), file_len.map(|length| length.saturating_sub(before)))?;
    let data: Box<dyn Read> = if is_fortran && shape.len() > 1 {
        let mut data = Vec::new();
        file.take(length).read_to_end(&mut data)?;
        if data.len() as u64 != length {
            let found = data.len();
            return Err(Error::new(format_args!("the shape needs {length} bytes of elements, but the file has {found}")));
        }
        Box::new(Cursor::new(to_c_order(&data, &shape, dtype.itemsize())?))
    } else {
        Box::new(file)
    };
    Ok(Elements { dtype, shape, data, length })
}

/// Returns the length in bytes of all elements of an array with this shape. `found` is the length of the elements in the file, if it is
/// known. Fails if the two lengths differ, or a length of the shape is negative.
pub(crate) fn length_of(shape: &[i64], itemsize: usize, found: Option<u64>) -> Result<u64> {
    if let Some(length) = shape.iter().find(|&&length| length < 0) {
        return Err(Error::new(format_args!("shape: expected lengths of 0 or more, found {length}")));
    }
    let items = shape.iter().try_fold(1_u64, |items, &length| items.checked_mul(u64::try_from(length).ok()?));
    match (items.and_then(|items| items.checked_mul(itemsize as u64)), found) {
        (Some(length), Some(found)) if length != found => {
            Err(Error::new(format_args!("the shape needs {length} bytes of elements, but the file has {found}")))
        }
        (Some(length), _) => Ok(length),
        (None, _) => Err(Error::new("the shape needs more bytes of elements than a file can hold")),
    }
}

/// Reads `length` bytes, or fewer if the file ends before that.
fn next(file: &mut impl Read, length: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the part of the header between the texts `before` and `after`.
fn value<'a>(header: &'a str, before: &str, after: &str) -> Result<&'a str> {
    let missing = || Error::new(format_args!("the header has no {}", before.trim_end_matches([':', ' ', '('])));
    let (_, rest) = header.split_once(before).ok_or_else(missing)?;
    let (value, _) = rest.split_once(after).ok_or_else(missing)?;
    Ok(value.trim())
}

/// The start of the temporary names that padding fields get until they are removed.
const PADDING: &str = "b2nd padding ";

/// Parses a `descr` and removes the unnamed fields that NumPy writes for gaps in structures.
fn without_padding(descr: &str) -> Result<DType> {
    const NAMELESS: &str = "('', '|V";
    let mut parts = descr.split(NAMELESS);
    let mut named = parts.next().unwrap_or_default().to_owned();
    for (index, part) in parts.enumerate() {
        named += &format!("('{PADDING}{index}', '|V{part}");
    }
    let dtype: DType = named.parse().map_err(|error: b2nd::Error| Error::new(format_args!("descr: {error}")))?;
    if named == descr {
        return Ok(dtype);
    }
    spec(&dtype).parse().map_err(|error: b2nd::Error| Error::new(format_args!("descr: {error}")))
}

/// Formats a dtype without its padding fields, so that it can be parsed again.
fn spec(dtype: &DType) -> String {
    let is_padding = |field: &&Field| field.name().starts_with(PADDING);
    if dtype.fields().iter().any(|field| is_padding(&field)) {
        let fields: Vec<&Field> = dtype.fields().iter().filter(|field| !is_padding(field)).collect();
        let list = |part: &dyn Fn(&Field) -> String| fields.iter().map(|field| part(field)).collect::<Vec<_>>().join(", ");
        let format = |field: &Field| match spec(field.dtype()) {
            string if string.starts_with(['[', '{', '(']) => string,
            string => format!("'{}'", string.trim_start_matches('|')),
        };
        return format!(
            "{{'names': [{}], 'formats': [{}], 'offsets': [{}], 'itemsize': {}}}",
            list(&|field| python(field.name())),
            list(&format),
            list(&|field| field.offset().to_string()),
            dtype.itemsize()
        );
    }
    dtype.to_string()
}

/// Reorders elements from Fortran order to C order.
fn to_c_order(data: &[u8], shape: &[i64], itemsize: usize) -> Result<Vec<u8>> {
    let lengths: Vec<usize> = [itemsize].into_iter().chain(shape.iter().map(|&length| length as usize)).collect();
    let elements = ndarray::ArrayView::from_shape(ndarray::IxDyn(&lengths).f(), data)?;
    let axes: Vec<usize> = (1..lengths.len()).chain([0]).collect();
    Ok(elements.permuted_axes(axes).iter().copied().collect())
}
