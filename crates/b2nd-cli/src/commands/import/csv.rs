//! Reads CSV files.

use std::collections::HashSet;
use std::fs;
use std::io::{BufReader, Read};
use std::path::Path;

use b2nd::dtype::{ByteOrder, DType, ScalarType, Struct};
use b2nd_view::text::count;

use super::elements::{Elements, joined, length_of, open};
use crate::error::{Error, Result};

/// The dtypes of numbers. The first that fits is taken.
const NUMBERS: [&str; 3] = ["<i8", "<u8", "<f8"];

/// The properties of the values in a column.
#[derive(Clone, Copy)]
struct Column {
    /// For each of the dtypes [`NUMBERS`], whether all values in the column fit it.
    fits: [bool; 3],
    /// Whether at least one cell is a number. Empty cells do not count.
    has_number: bool,
    /// The length of the longest cell in characters, but at least 1.
    widest: usize,
}

impl Column {
    const EMPTY: Column = Column { fits: [true; 3], has_number: false, widest: 1 };

    fn of(cell: &str) -> Column {
        let (widest, cell) = (cell.chars().count(), cell.trim());
        let is_float = cell.contains(['.', 'e', 'E', 'n', 'N']) && cell.parse::<f64>().is_ok();
        let [signed, unsigned] = [cell.parse::<i64>().is_ok(), cell.parse::<u64>().is_ok()];
        let fits = [signed, unsigned, signed || is_float || cell.is_empty()];
        Column { fits, has_number: signed || unsigned || is_float, widest }
    }

    fn and(self, other: Column) -> Column {
        let fits = [0, 1, 2].map(|dtype| self.fits[dtype] && other.fits[dtype]);
        Column { fits, has_number: self.has_number || other.has_number, widest: self.widest.max(other.widest) }
    }

    fn dtype(self) -> b2nd::Result<DType> {
        match self.fits.iter().position(|&fits| fits) {
            Some(number) => NUMBERS[number].parse(),
            None => format!("<U{}", self.widest).parse(),
        }
    }

    fn is_text(self) -> bool {
        self.fits == [false; 3]
    }

    fn is_number(&self) -> bool {
        self.has_number && !self.is_text()
    }
}

/// Returns true if a cell can be the name of a column: a text that starts with a letter or underscore and is not a word such as `nan`.
fn is_name(cell: &str) -> bool {
    let cell = cell.trim();
    let missing = ["na", "n/a", "nan", "nat", "null", "none", "nil", "inf", "infinity", "true", "false"];
    cell.starts_with(|char: char| char.is_alphabetic() || char == '_') && !missing.contains(&&*cell.to_lowercase())
}

/// The results of the first pass over a file.
struct Summary {
    names: csv::StringRecord,
    /// The types of the values in each column below the first line.
    columns: Vec<Column>,
    lines: i64,
}

type Reader = csv::Reader<fs::File>;

fn reader(path: &Path) -> Result<Reader> {
    Ok(csv::ReaderBuilder::new().has_headers(false).from_reader(open(path)?))
}

fn summary(path: &Path) -> Result<Summary> {
    let (mut reader, mut raw) = (reader(path)?, BufReader::new(open(path)?));
    let mut found = Summary { names: csv::StringRecord::new(), columns: Vec::new(), lines: 0 };
    let (mut record, mut bytes, mut start, mut after_return) = (csv::StringRecord::new(), Vec::new(), 0, false);
    loop {
        let is_record = reader.read_record(&mut record)?;
        if is_record && found.lines == 0 {
            found.columns = vec![Column::EMPTY; record.len()];
        }
        if found.columns.len() == 1 {
            // The crate csv skips blank lines, so the bytes before each record are searched for them.
            let end = reader.position().byte();
            bytes.clear();
            raw.by_ref().take(end - start).read_to_end(&mut bytes)?;
            let rest = if after_return { bytes.strip_prefix(b"\n").unwrap_or(&bytes) } else { &bytes };
            if rest.first().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
                let what = "found a blank line: write \"\" for an empty value, or remove the line";
                return Err(Error::new(format_args!("record {}: expected a value, {what}", found.lines + 1)));
            }
            (start, after_return) = (end, bytes.last() == Some(&b'\r'));
        }
        if !is_record {
            return Ok(found);
        }
        if found.lines == 0 {
            found.names = record.clone();
        } else {
            add(&mut found.columns, &record);
        }
        found.lines += 1;
    }
}

fn add(columns: &mut [Column], record: &csv::StringRecord) {
    columns.iter_mut().zip(record).for_each(|(column, cell)| *column = column.and(Column::of(cell)));
}

/// Returns a name for each column: its name in the heading or, if the name is missing or already occurred, `f` and a number.
fn field_names<'a>(heading: impl Iterator<Item = &'a str> + Clone, count: usize) -> Vec<String> {
    let mut free: HashSet<&str> = heading.clone().filter(|name| !name.is_empty()).collect();
    let mut used = free.iter().map(|&name| name.to_owned()).collect::<HashSet<_>>();
    let mut heading = heading.map(Some).chain(std::iter::repeat(None));
    let name = |nth: usize| match heading.next().flatten().filter(|name| free.remove(name)) {
        Some(name) => name.to_owned(),
        None => (nth..).map(|number| format!("f{number}")).find(|name| used.insert(name.clone())).unwrap_or_default(),
    };
    (0..count).map(name).collect()
}

/// Opens an array in a CSV file. If `dtype` is a structure, each line is a structure. If it is `None`, lines can also become structures.
/// Without `shape`, the array has one dimension if each line is a structure or has one value, and otherwise two. The file is read more
/// than once, so that only one line at a time is in memory.
///
/// `name` is the name of the file in messages. Without `header`, the first line is a heading if it consists of names and a column below it
/// consists of numbers, unless `dtype` is a text, or a structure that can have the names as its values.
pub(crate) fn read(
    path: &Path,
    name: &Path,
    dtype: Option<&DType>,
    shape: Option<Vec<i64>>,
    header: Option<bool>,
) -> Result<Elements> {
    let Summary { names, mut columns, lines } = summary(path)?;
    // Whether names can be values of this dtype: the dtype is a text of any length, or a structure that can have all of the names.
    let takes_names = |dtype: &DType| match dtype {
        DType::Scalar(scalar) => matches!(scalar.scalar_type(), ScalarType::Str(_)),
        _ => dtype.fields().iter().zip(&names).all(|(field, cell)| element(cell, field.dtype()).is_some()),
    };
    let has_numbers = columns.iter().any(Column::is_number);
    let has_names =
        header.unwrap_or_else(|| has_numbers && !dtype.is_some_and(takes_names) && names.iter().all(is_name)) && lines > 0;
    if !has_names {
        add(&mut columns, &names);
    }
    let all = columns.iter().fold(Column::EMPTY, |all, &column| all.and(column));
    let is_guess = dtype.is_none();
    let dtype = match dtype {
        Some(dtype) => dtype.clone(),
        None if all.is_text() && columns.iter().any(Column::is_number) => {
            let names = field_names(names.iter().filter(|_| has_names), columns.len());
            let fields = names.into_iter().zip(&columns).map(|(name, column)| Ok((name, column.dtype()?)));
            DType::Struct(Struct::packed(fields.collect::<Result<Vec<_>>>()?)?)
        }
        None => all.dtype()?,
    };
    let (fields, values) = (dtype.fields().len(), columns.len());
    if fields != 0 && fields != values && lines > 0 {
        let (fields, values) = (count(fields as u64, "field"), count(values as u64, "value"));
        return Err(Error::new(format_args!("the dtype has {fields}, but a record has {values}")));
    }
    // If a dtype is given, a heading has a name that is not a value of this dtype.
    let keep = if is_guess { ": to keep it as values, use --header=false" } else { "" };
    let note = match (is_guess && fields != 0, has_names, header) {
        (true, true, None) => format!("each record becomes a structure: {dtype}; record 1 is a heading{keep}"),
        (true, false, None) => format!("each record becomes a structure: {dtype}; if record 1 is a heading, use --header"),
        (true, _, Some(_)) => format!("each record becomes a structure: {dtype}"),
        (false, true, None) => {
            let names = names.iter().collect::<Vec<_>>().join(",");
            format!("record 1 ({names:?}) is a heading, so it is left out{keep}")
        }
        (false, ..) => String::new(),
    };
    if !note.is_empty() {
        eprintln!("{}: {note}", name.display());
    }
    let (places, size): (Vec<_>, _) = match dtype.fields() {
        [] => ((0..columns.len()).map(|nth| (nth * dtype.itemsize(), dtype.clone())).collect(), columns.len() * dtype.itemsize()),
        fields => (fields.iter().map(|field| (field.offset(), field.dtype().clone())).collect(), dtype.itemsize()),
    };
    let lines = lines - i64::from(has_names);
    let is_line = columns.len() == 1 || !dtype.fields().is_empty();
    let shape = shape.unwrap_or_else(|| if is_line { vec![lines] } else { vec![lines, columns.len() as i64] });
    let length = u64::try_from(lines)?.saturating_mul(size as u64);
    let length = length_of(&shape, dtype.itemsize(), Some(length))?;
    let lines = || -> Result<_> {
        let (places, records) = (places.clone(), reader(path)?.into_records().enumerate().skip(usize::from(has_names)));
        Ok(records.map(move |(line, record)| line_bytes(line + 1, &record?, &places, size)))
    };
    if !is_guess {
        // Wrong values are reported before anything is written.
        lines()?.try_for_each(|line| line.map(drop))?;
    }
    Ok(Elements { data: Box::new(joined(lines()?)), dtype, shape, length })
}

/// Converts a line to the bytes of its values. `places` has the offset in these bytes and the dtype of each value.
fn line_bytes(line: usize, record: &csv::StringRecord, places: &[(usize, DType)], size: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; size];
    for (column, (cell, (offset, dtype))) in record.iter().zip(places).enumerate() {
        let column = column + 1;
        let wrong = || Error::new(format_args!("record {line}, column {column}: {cell:?} cannot be read as {dtype}"));
        bytes[*offset..][..dtype.itemsize()].copy_from_slice(&element(cell, dtype).ok_or_else(wrong)?);
    }
    Ok(bytes)
}

/// Converts a cell to the bytes of a number, bool or text of this dtype. Returns `None` for other cells and other dtypes.
fn element(cell: &str, dtype: &DType) -> Option<Vec<u8>> {
    let DType::Scalar(scalar) = dtype else { return None };
    // Spaces around a number have no meaning, but those of a text are part of it. An empty cell is NaN in a float of 4 or 8 bytes.
    let cell = match scalar.scalar_type() {
        ScalarType::Str(_) => cell,
        ScalarType::Float32 | ScalarType::Float64 if cell.trim().is_empty() => "nan",
        _ => cell.trim(),
    };
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
