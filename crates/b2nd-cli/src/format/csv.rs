//! [`Csv`] writes comma-separated values as in RFC 4180, except that lines end in `\n` instead of `\r\n`. [`read`] reads CSV files.

use std::io::{self, Cursor, Write};
use std::path::Path;

use b2nd::dtype::{ByteOrder, DType, ScalarType};
use b2nd_view::elements::{cell, in_quotes};
use b2nd_view::text::hex;

use super::npy::{Elements, length_of};
use super::{ElementInfo, Format, fields};
use crate::error::{Error, Result};

/// Writes a record for each element of a one-dimensional array, or for each row of the last dimension of other arrays. If elements are
/// structures, the first line contains the names of the fields.
pub(super) struct Csv {
    dtype: Option<DType>,
    itemsize: usize,
    /// The number of elements in a record.
    record: u64,
    written: u64,
}

impl Csv {
    pub(super) fn new(layout: ElementInfo) -> Result<Csv> {
        let (lengths, _) = layout.lengths()?;
        let has_fields = layout.dtype.as_ref().is_some_and(|dtype| !dtype.fields().is_empty());
        if has_fields && lengths.len() > 1 {
            let ndim = lengths.len();
            return Err(Error::new(format_args!(
                "structures can be written as CSV only in one dimension, but these have {ndim}: select a slice"
            )));
        }
        let record = if lengths.len() > 1 { lengths.last().copied().unwrap_or(1).max(1) } else { 1 };
        Ok(Csv { dtype: layout.dtype, itemsize: layout.itemsize.max(1), record, written: 0 })
    }
}

impl Format for Csv {
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let Some(dtype) = self.dtype.as_ref().filter(|dtype| !dtype.fields().is_empty()) else { return Ok(()) };
        let names: Vec<_> = dtype.fields().iter().map(|field| in_quotes(field.name())).collect();
        writeln!(out, "{}", names.join(","))
    }

    fn put(&mut self, elements: &[u8], out: &mut dyn Write) -> io::Result<()> {
        for item in elements.chunks(self.itemsize) {
            let cells = self.dtype.as_ref().map_or_else(|| hex(item, ""), |dtype| cells(dtype, item));
            self.written += 1;
            let after = if self.written % self.record == 0 { "\n" } else { "," };
            write!(out, "{cells}{after}")?;
        }
        Ok(())
    }
}

fn cells(dtype: &DType, bytes: &[u8]) -> String {
    if dtype.fields().is_empty() { cell(dtype, bytes) } else { fields(dtype, bytes, cell).join(",") }
}

/// The type of a cell. Each type can also represent the values of the types before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Integer,
    /// A float. An empty cell is NaN.
    Float,
    Text,
}

impl Kind {
    fn of(cell: &str) -> Kind {
        if cell.parse::<i64>().is_ok() {
            Kind::Integer
        } else if cell.is_empty() || cell.contains(['.', 'e', 'E', 'n', 'N']) && cell.parse::<f64>().is_ok() {
            Kind::Float
        } else {
            Kind::Text
        }
    }
}

/// Reads an array from a CSV file. The array has one dimension if each line has one value, otherwise two. If the first line is text and all
/// other lines are numbers, the first line is a heading and is skipped.
pub(crate) fn read(path: &Path, dtype: Option<&DType>, shape: Option<Vec<i64>>) -> Result<Elements> {
    let records =
        || csv::ReaderBuilder::new().has_headers(false).trim(csv::Trim::All).from_path(path).map(csv::Reader::into_records);
    let (mut first, mut kind, mut widest, mut lines, mut columns) = (None, Kind::Integer, 1, 0_i64, 1);
    for record in records()? {
        let record = record?;
        (lines, columns) = (lines + 1, record.len());
        widest = record.iter().map(|cell| cell.chars().count()).fold(widest, usize::max);
        let of_record = record.iter().map(Kind::of).max().unwrap_or(Kind::Integer);
        match first {
            None => first = Some(of_record),
            Some(_) => kind = kind.max(of_record),
        }
    }
    let has_names = first == Some(Kind::Text) && kind != Kind::Text && lines > 1;
    let kind = if has_names { kind } else { first.map_or(kind, |first| kind.max(first)) };
    let dtype = match (dtype, kind) {
        (Some(dtype), _) => dtype.clone(),
        (None, Kind::Integer) => "<i8".parse()?,
        (None, Kind::Float) => "<f8".parse()?,
        (None, Kind::Text) => format!("<U{widest}").parse()?,
    };
    let mut bytes = Vec::new();
    for (line, record) in records()?.enumerate().skip(usize::from(has_names)) {
        for (column, cell) in record?.iter().enumerate() {
            let wrong =
                || Error::new(format_args!("line {}, column {}: {cell:?} is not a value of {dtype}", line + 1, column + 1));
            bytes.extend(element(cell, &dtype).ok_or_else(wrong)?);
        }
    }
    let lines = lines - i64::from(has_names);
    let shape = shape.unwrap_or_else(|| if columns == 1 { vec![lines] } else { vec![lines, columns as i64] });
    let length = length_of(&shape, dtype.itemsize(), Some(bytes.len() as u64))?;
    Ok(Elements { dtype, shape, data: Box::new(Cursor::new(bytes)), length })
}

/// Converts a cell to the bytes of a number, bool or text of this dtype. Returns `None` if the cell is not a value of the dtype.
fn element(cell: &str, dtype: &DType) -> Option<Vec<u8>> {
    let DType::Scalar(scalar) = dtype else { return None };
    macro_rules! number {
        ($type:ty) => {
            cell.parse::<$type>().ok()?.to_le_bytes().to_vec()
        };
    }
    let mut bytes = match scalar.scalar_type() {
        ScalarType::Bool => vec![u8::from(cell.to_ascii_lowercase().parse::<bool>().ok()?)],
        ScalarType::Int8 => number!(i8),
        ScalarType::Int16 => number!(i16),
        ScalarType::Int32 => number!(i32),
        ScalarType::Int64 => number!(i64),
        ScalarType::UInt8 => number!(u8),
        ScalarType::UInt16 => number!(u16),
        ScalarType::UInt32 => number!(u32),
        ScalarType::UInt64 => number!(u64),
        ScalarType::Float32 if cell.is_empty() => f32::NAN.to_le_bytes().to_vec(),
        ScalarType::Float64 if cell.is_empty() => f64::NAN.to_le_bytes().to_vec(),
        ScalarType::Float32 => number!(f32),
        ScalarType::Float64 => number!(f64),
        ScalarType::Str(length) if cell.chars().count() <= length => {
            let mut text: Vec<u8> = cell.chars().flat_map(|char| u32::from(char).to_le_bytes()).collect();
            text.resize(4 * length, 0);
            text
        }
        _ => return None,
    };
    if scalar.byte_order() == Some(ByteOrder::Big) {
        let size = if matches!(scalar.scalar_type(), ScalarType::Str(_)) { 4 } else { bytes.len() };
        bytes.chunks_mut(size).for_each(<[u8]>::reverse);
    }
    Some(bytes)
}
