//! Reads NumPy files (`.npy`): a header in Python's syntax, then the elements.
//!
//! The crate `npyz` reads elements of types that are known at compile time, while here the bytes of elements are copied.

use std::fs;
use std::io::{self, BufReader, Read, Seek};
use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;

use b2nd::dtype::{DType, Struct, Subarray};
use b2nd_store::foreign;
use b2nd_view::elements::no_objects;
use regex_lite::Regex;

use super::elements::{Elements, joined, length_of, open, spooled};
use crate::error::{Error, Result};
use crate::format::npy::MAGIC;
use crate::parts::{PART, parts};

/// Reads a NumPy file from a path or from standard input.
pub(crate) fn read(path: &Path) -> Result<Elements> {
    if path == Path::new("-") {
        return elements(io::stdin().lock(), None);
    }
    let file = open(path)?;
    elements(BufReader::new(file.try_clone()?), Some(file))
}

/// Reads a NumPy file. `regular` is the same file if its parts can be read in any order.
fn elements(mut file: impl Read + 'static, regular: Option<fs::File>) -> Result<Elements> {
    let file_len = regular.as_ref().map(|file| file.metadata().map(|metadata| metadata.len())).transpose()?;
    let magic = next(&mut file, MAGIC.len() as u64)?;
    if magic != MAGIC {
        let what = foreign::describe(&magic).map_or_else(String::new, |what| format!("; it is {what}"));
        return Err(Error::new(format_args!("not a NumPy file: it does not begin with \\x93NUMPY{what}")));
    }
    let cut = || Error::new("the file ends before the end of its NumPy header");
    let version = next(&mut file, 2)?.first().copied().ok_or_else(cut)?;
    let width = match version {
        1 => 2,
        2 | 3 => 4,
        other => {
            return Err(Error::new(format_args!("version {other} of NumPy's format is not supported, only versions 1 to 3")));
        }
    };
    let digits = next(&mut file, width)?;
    let length = digits.iter().rev().fold(0, |length, &byte| length << 8 | u64::from(byte));
    let header = next(&mut file, length)?;
    if header.len() as u64 != length || digits.len() as u64 != width {
        return Err(cut());
    }
    let before = MAGIC.len() as u64 + 2 + width + length;
    let header = match version {
        // The header is Latin-1, in which each byte is the code point of a character.
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
        other => return Err(Error::new(format_args!("fortran_order: expected True or False, found {other:?}"))),
    };
    let shape = value("shape")?.trim_start_matches('(').trim_end_matches(')');
    let lengths = shape.split(',').map(str::trim).filter(|length| !length.is_empty());
    let length = |it: &str| it.parse::<i64>().map_err(|_| Error::new(format_args!("shape: expected a length, found {it:?}")));
    let shape: Vec<i64> = lengths.map(length).collect::<Result<_>>()?;
    let quoted = |quote: char| descr.strip_prefix(quote)?.strip_suffix(quote);
    let string = quoted('\'').or_else(|| quoted('"'));
    let dtype = parse(string.unwrap_or(descr)).map_err(|error| Error::new(format_args!("descr: {error}")))?;
    // If elements are or contain objects, the rest of the file is a pickle, which cannot be imported.
    no_objects(&dtype)?;
    let length = length_of(&shape, dtype.itemsize(), file_len.map(|length| length.saturating_sub(before)))?;
    let data: Box<dyn Read> = if is_fortran && shape.len() > 1 && length != 0 {
        let (file, start) = match regular {
            Some(file) => (file, before),
            None => (spooled(file.take(length))?, 0),
        };
        length_of(&shape, dtype.itemsize(), Some(file.metadata()?.len() - start))?;
        // While a part is read, the part before it may still be in memory.
        Box::new(in_c_order(file, start, &shape, dtype.itemsize(), PART / 2))
    } else {
        Box::new(file)
    };
    Ok(Elements { dtype, shape, data, length })
}

/// Reads `length` bytes, or fewer if the file ends before that.
fn next(file: &mut impl Read, length: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Splits text of Python into string literals, with their quotes, and other characters. A literal that is not closed extends to the end.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    static TOKEN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"(?s)'(?:\\.|[^'\\])*'?|"(?:\\.|[^"\\])*"?|."#).ok());
    TOKEN.iter().flat_map(move |token| token.find_iter(text)).map(|token| token.as_str())
}

/// Returns the keys of a Python dictionary, without quotes, and its values, as they are written.
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
fn parse(descr: &str) -> b2nd::Result<DType> {
    let (mut named, mut count) = (String::new(), 0);
    for token in tokens(descr) {
        if matches!(token, "''" | "\"\"") {
            count += 1;
            named += &format!("'{PADDING}{count}'");
        } else {
            named += token;
        }
    }
    if count == 0 { named.parse() } else { without_padding(named.parse()?) }
}

fn without_padding(dtype: DType) -> b2nd::Result<DType> {
    Ok(match dtype {
        // A structure without padding is not built again, which would lose its titles.
        dtype if !dtype.to_string().contains(PADDING) => dtype,
        DType::Struct(structure) => {
            let fields = structure.fields().iter().filter(|field| !field.name().starts_with(PADDING));
            let fields = fields.map(|field| Ok((field.name(), field.offset(), without_padding(field.dtype().clone())?)));
            DType::Struct(Struct::with_offsets(fields.collect::<b2nd::Result<Vec<_>>>()?, structure.itemsize())?)
        }
        DType::Subarray(array) => DType::Subarray(Subarray::new(without_padding(array.base().clone())?, array.shape())?),
        scalar => scalar,
    })
}

/// Returns a reader that converts the elements of a file, which start at the byte `start`, from Fortran order to C order. The elements are
/// read in parts of at most `most` bytes, or of one element.
fn in_c_order(file: fs::File, start: u64, shape: &[i64], itemsize: usize, most: usize) -> impl Read + use<> {
    let (all, shape) = (parts(most, itemsize, shape, &vec![1; shape.len()]), shape.to_vec());
    joined(all.map(move |part| read_part(&file, start, &shape, itemsize, &part)))
}

/// Reads a part of an array that is stored in Fortran order, and returns the part's elements in C order. The elements along the first
/// dimension are adjacent in the file.
fn read_part(file: &fs::File, start: u64, shape: &[i64], itemsize: usize, part: &[Range<i64>]) -> Result<Vec<u8>> {
    let counts: Vec<usize> = part.iter().map(|range| (range.end - range.start) as usize).collect();
    let runs: usize = counts[1..].iter().product();
    let (mut run, mut elements) = (vec![0; counts[0] * itemsize], vec![0; counts[0] * runs * itemsize]);
    // If runs are close to each other, one read of the file can fetch several runs. Otherwise, runs are read one by one.
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

/// The maximum size of the buffer for reading a file in Fortran order, in bytes.
const BUFFER: usize = 1 << 16;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "../../../tests/unit/npy.rs"]
mod tests;
