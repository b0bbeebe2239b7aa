//! NumPy files (`.npy`): a header in Python's syntax, then the elements.
//!
//! The crate `npyz` reads and writes elements of types that are known at compile time, while here their bytes are copied for any dtype.

use std::fs;
use std::io::{self, BufReader, Cursor, Read, Seek, Write};
use std::ops::Range;
use std::path::Path;

use b2nd::dtype::{DType, Field};
use b2nd_store::foreign;
use b2nd_view::elements::no_objects;

use super::{ElementInfo, Format};
use crate::error::{Error, Result};
use crate::values::{PART, parts};

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
pub(super) fn python(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let escaped = text.chars().map(|char| match char {
        char if char == '\\' || char == quote => format!("\\{char}"),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        // NumPy reads the header line by line, and Python's parser refuses NUL.
        char if char.is_ascii_control() => format!("\\x{:02x}", u32::from(char)),
        char => char.to_string(),
    });
    format!("{quote}{}{quote}", escaped.collect::<String>())
}

/// Reads a NumPy file from a path or from standard input.
pub(crate) fn read(path: &Path) -> Result<Elements> {
    if path == Path::new("-") {
        return elements(io::stdin().lock(), None);
    }
    let file = open(path)?;
    elements(BufReader::new(file.try_clone()?), Some(file))
}

/// Copies what can be read only once to a temporary file, so that its length is known and its parts can be read in any order.
pub(crate) fn spooled(mut from: impl Read) -> Result<fs::File> {
    let mut copy = || {
        let mut file = tempfile::tempfile()?;
        io::copy(&mut from, &mut file)?;
        file.rewind().map(|()| file)
    };
    let place = std::env::temp_dir();
    copy().map_err(|error: io::Error| Error::new(format_args!("cannot copy it to {} ($TMPDIR): {error}", place.display())))
}

/// Opens a file. Fails if it is not a regular file, because reading a pipe or a device might never end.
pub(crate) fn open(path: &Path) -> Result<fs::File> {
    if fs::metadata(path)?.is_file() { Ok(fs::File::open(path)?) } else { Err(Error::new("it is not a file")) }
}

/// Reads a NumPy file. `regular` is the same file if its parts can be read in any order.
fn elements(mut file: impl Read + 'static, regular: Option<fs::File>) -> Result<Elements> {
    let file_len = regular.as_ref().map(|file| file.metadata().map(|metadata| metadata.len())).transpose()?;
    let magic = next(&mut file, MAGIC.len() as u64)?;
    if magic != MAGIC {
        let what = foreign::describe(&magic).map_or_else(String::new, |what| format!("; it is {what}"));
        return Err(Error::new(format_args!("not a NumPy file: it does not begin with \\x93NUMPY{what}")));
    }
    let cut = || Error::new("the header is cut off");
    let version = next(&mut file, 2)?.first().copied().ok_or_else(cut)?;
    let width = match version {
        1 => 2,
        2 | 3 => 4,
        other => {
            return Err(Error::new(format_args!("version {other} of NumPy's format is not supported, only versions 1 to 3")));
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
    let entries = entries(&header);
    let value = |key: &str| {
        let entry = entries.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str());
        entry.ok_or_else(|| Error::new(format_args!("the header has no '{key}'")))
    };
    let descr = value("descr")?;
    let is_fortran = match value("fortran_order")? {
        "True" => true,
        "False" => false,
        other => return Err(Error::new(format_args!("fortran_order: expected True or False, found {other}"))),
    };
    let shape = value("shape")?.trim_start_matches('(').trim_end_matches(')');
    let lengths = shape.split(',').map(str::trim).filter(|length| !length.is_empty());
    let length = |length: &str| length.parse::<i64>().map_err(|_| Error::new(format_args!("shape: {length:?} is not a length")));
    let shape: Vec<i64> = lengths.map(length).collect::<Result<_>>()?;
    let quoted = |quote: char| descr.strip_prefix(quote)?.strip_suffix(quote);
    let string = quoted('\'').or_else(|| quoted('"'));
    let dtype = without_padding(string.unwrap_or(descr))?;
    // If elements are objects, the rest of the file is a pickle, which cannot be imported.
    no_objects(&dtype)?;
    let length = length_of(&shape, dtype.itemsize(), file_len.map(|length| length.saturating_sub(before)))?;
    let data: Box<dyn Read> = if is_fortran && shape.len() > 1 && length != 0 {
        let (file, start) = match regular {
            Some(file) => (file, before),
            None => (spooled(file.take(length))?, 0),
        };
        length_of(&shape, dtype.itemsize(), Some(file.metadata()?.len() - start))?;
        Box::new(in_c_order(file, start, &shape, dtype.itemsize(), PART))
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

/// Splits text of Python into string literals, with their quotes, and other characters.
fn tokens(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let quote = text.chars().next()?;
        let mut is_escaped = false;
        let end = text.char_indices().skip(1).find(|&(_, char)| {
            let is_end = !is_escaped && char == quote;
            is_escaped = !is_escaped && char == '\\';
            is_end
        });
        let length = match quote {
            '\'' | '"' => end.map_or(text.len(), |(at, _)| at + 1),
            char => char.len_utf8(),
        };
        let (token, rest) = text.split_at(length);
        text = rest;
        Some(token)
    })
}

/// Returns the keys and values of a Python dictionary, as they are written.
fn entries(header: &str) -> Vec<(String, String)> {
    let (mut entries, mut key, mut value, mut depth) = (Vec::new(), String::new(), String::new(), 0_usize);
    for token in tokens(header) {
        match token {
            "{" | "[" | "(" => depth += 1,
            "}" | "]" | ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        match (token, depth) {
            ("{", 1) => {}
            (":", 1) => key = std::mem::take(&mut value),
            (",", 1) | ("}", 0) => {
                let name = key.trim().trim_matches(['\'', '"']).to_owned();
                entries.push((name, std::mem::take(&mut value).trim().to_owned()));
            }
            _ => value.push_str(token),
        }
    }
    entries
}

/// The start of the temporary names that padding fields get until they are removed.
const PADDING: &str = "b2nd padding ";

/// Parses a `descr` and removes the unnamed fields that NumPy writes for gaps in structures.
fn without_padding(descr: &str) -> Result<DType> {
    let (mut named, mut count) = (String::new(), 0);
    for token in tokens(descr) {
        if matches!(token, "''" | "\"\"") {
            count += 1;
            named += &format!("'{PADDING}{count}'");
        } else {
            named += token;
        }
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

/// Returns elements in C order that a file has in Fortran order from `start` on. They are read in parts of at most `most` bytes, or of one
/// element.
fn in_c_order(file: fs::File, start: u64, shape: &[i64], itemsize: usize, most: usize) -> impl Read + use<> {
    let whole: Vec<_> = shape.iter().map(|&length| 0..length).collect();
    let shape = shape.to_vec();
    let read = move |part: Vec<Range<i64>>| read_part(&file, start, &shape, itemsize, &part);
    Pieces { pieces: parts(most, itemsize, &vec![1; whole.len()], &whole, &[]).map(read), piece: Cursor::default() }
}

/// Reads a part of elements in Fortran order, and returns its elements in C order. The elements along the first dimension are adjacent in
/// the file.
fn read_part(file: &fs::File, start: u64, shape: &[i64], itemsize: usize, part: &[Range<i64>]) -> Result<Vec<u8>> {
    let counts: Vec<usize> = part.iter().map(|range| (range.end - range.start) as usize).collect();
    let runs: usize = counts[1..].iter().product();
    let (mut run, mut elements) = (vec![0; counts[0] * itemsize], vec![0; counts[0] * runs * itemsize]);
    // If runs are close to each other, a read of the file gets many. Otherwise, it gets one.
    let is_dense = (shape[0] as usize).saturating_mul(itemsize) <= BUFFER;
    let mut file = BufReader::with_capacity(if is_dense { BUFFER } else { run.len().clamp(512, BUFFER) }, file);
    let mut here = file.stream_position()?;
    for number in 0..runs {
        let (mut rest, mut place, mut stride, mut target) = (number, part[0].start, shape[0], 0);
        for axis in 1..shape.len() {
            let index = rest % counts[axis];
            rest /= counts[axis];
            place += (part[axis].start + index as i64) * stride;
            stride *= shape[axis];
            target = target * counts[axis] + index;
        }
        let place = start + place as u64 * itemsize as u64;
        file.seek_relative(place as i64 - here as i64)?;
        file.read_exact(&mut run)?;
        here = place + run.len() as u64;
        for (row, element) in run.chunks_exact(itemsize).enumerate() {
            elements[(row * runs + target) * itemsize..][..itemsize].copy_from_slice(element);
        }
    }
    Ok(elements)
}

/// The most bytes that one read of a file in Fortran order gets.
const BUFFER: usize = 1 << 16;

/// Reads bytes that come in pieces.
pub(super) struct Pieces<I> {
    pieces: I,
    piece: Cursor<Vec<u8>>,
}

impl<I> Pieces<I> {
    pub(super) fn new(pieces: I) -> Pieces<I> {
        Pieces { pieces, piece: Cursor::default() }
    }
}

impl<I: Iterator<Item = Result<Vec<u8>>>> Read for Pieces<I> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.piece.position() == self.piece.get_ref().len() as u64 {
            // Only one piece at a time is in memory.
            self.piece = Cursor::default();
            let Some(next) = self.pieces.next() else { return Ok(0) };
            self.piece = Cursor::new(next.map_err(|error| io::Error::other(error.to_string()))?);
        }
        self.piece.read(buffer)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::{Read, Write};

    use super::in_c_order;

    /// Each element is its number in C order, two bytes long.
    #[test]
    fn fortran_order_becomes_c_order_in_parts_of_any_size() {
        for shape in [&[5, 4][..], &[3, 1, 4], &[2, 3, 2, 2], &[1, 7], &[4, 0]] {
            let count: i64 = shape.iter().product();
            let element = |number: i64| (number as u16).to_le_bytes();
            let expected: Vec<u8> = (0..count).flat_map(element).collect();
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(b"head").unwrap();
            for place in 0..count {
                let (mut left, mut number, mut stride) = (place, 0, count);
                for &length in shape {
                    stride /= length;
                    number += left % length * stride;
                    left /= length;
                }
                file.write_all(&element(number)).unwrap();
            }
            for most in 1..=expected.len() + 3 {
                let mut found = Vec::new();
                in_c_order(file.try_clone().unwrap(), 4, shape, 2, most).read_to_end(&mut found).unwrap();
                assert_eq!(found, expected, "{shape:?} in parts of {most} bytes");
            }
        }
    }
}
