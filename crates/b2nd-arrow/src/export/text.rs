//! [`formatter`]: formats the values of a column as text, including complex numbers, and times for which `chrono` has no date.

use std::fmt::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, Int64Array};
use arrow_cast::display::{ArrayFormatter, ArrayFormatterFactory, DisplayIndex, FormatOptions, FormatResult};
use arrow_schema::{ArrowError, DataType, Field, TimeUnit};

use crate::schema::numpy_dtype::{is_complex, is_time};

/// Timestamps and dates more than this number of seconds (about 259,800 years) from 1970, and longer durations, are formatted as numbers
/// with their unit. `chrono` has dates for some 300 years more after 1970 and 4,000 years more before it, but panics near the last one.
const FAR: u64 = 8_200_000_000_000;

/// A column of timestamps, dates or durations.
struct Times<'a> {
    /// Arrow's own formatter, or `None` if it does not know the time zone. Then all its values are formatted as numbers.
    plain: Option<ArrayFormatter<'a>>,
    numbers: Int64Array,
    data_type: &'a DataType,
    null: &'a str,
}

/// Formats a timestamp, a date or a duration as the number that is stored, and its unit.
fn text(data_type: &DataType, number: i64) -> String {
    match data_type {
        DataType::Timestamp(unit, _) => format!("{number} {unit} since 1970-01-01"),
        DataType::Duration(unit) => format!("{number} {unit}"),
        DataType::Date32 => format!("{number} days since 1970-01-01"),
        _ => number.to_string(),
    }
}

fn is_far(data_type: &DataType, number: i64) -> bool {
    let (DataType::Timestamp(unit, _) | DataType::Duration(unit)) = data_type else {
        return *data_type == DataType::Date32 && number.unsigned_abs() > FAR / 86_400;
    };
    let second = match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    };
    number.unsigned_abs() / second > FAR
}

impl DisplayIndex for Times<'_> {
    fn write(&self, row: usize, f: &mut dyn Write) -> FormatResult {
        match &self.plain {
            _ if self.numbers.is_null(row) => f.write_str(self.null)?,
            Some(plain) if !is_far(self.data_type, self.numbers.value(row)) => plain.value(row).write(f)?,
            _ => f.write_str(&text(self.data_type, self.numbers.value(row)))?,
        }
        Ok(())
    }
}

/// Returns a formatter of timestamps, dates and durations, or `None` for an array of another type.
pub(crate) fn times<'a>(array: &'a dyn Array, options: &FormatOptions<'a>) -> Option<ArrayFormatter<'a>> {
    let data_type = array.data_type();
    if !is_time(data_type) && *data_type != DataType::Date32 {
        return None;
    }
    let numbers = arrow_cast::cast(array, &DataType::Int64).ok()?.as_primitive::<Int64Type>().clone();
    let times = Times { plain: ArrayFormatter::try_new(array, options).ok(), numbers, data_type, null: options.null() };
    Some(ArrayFormatter::new(Box::new(times), options.safe()))
}

/// A column of complex numbers, which are formatted as `1.5-2.0j`, like complex numbers in arrays.
struct Complex<'a> {
    array: &'a dyn Array,
    real: ArrayFormatter<'a>,
    imaginary: ArrayFormatter<'a>,
    null: &'a str,
}

impl DisplayIndex for Complex<'_> {
    fn write(&self, row: usize, f: &mut dyn Write) -> FormatResult {
        if self.array.is_null(row) {
            return Ok(f.write_str(self.null)?);
        }
        let imaginary = self.imaginary.value(row).try_to_string()?;
        let plus = if imaginary.starts_with('-') { "" } else { "+" };
        Ok(write!(f, "{}{plus}{imaginary}j", self.real.value(row))?)
    }
}

/// Returns a formatter of complex numbers, or `None` for an array of another type.
fn complex<'a>(array: &'a dyn Array, options: &FormatOptions<'a>) -> Result<Option<ArrayFormatter<'a>>, ArrowError> {
    let parts = array.as_struct_opt().filter(|_| is_complex(array.data_type())).map(|structs| structs.columns());
    let Some([real, imaginary]) = parts else { return Ok(None) };
    let part = |array| ArrayFormatter::try_new(array, options);
    let parts = Complex { array, real: part(real)?, imaginary: part(imaginary)?, null: options.null() };
    Ok(Some(ArrayFormatter::new(Box::new(parts), options.safe())))
}

/// Returns options that format times in lists and structs like times in columns. `null` is the text for nulls.
pub(crate) fn options(null: &str) -> FormatOptions<'_> {
    FormatOptions::new().with_null(null).with_formatter_factory(Some(&Formatters))
}

/// Returns a formatter for the types that Arrow formats differently or cannot format: times and complex numbers.
fn own<'a>(array: &'a dyn Array, options: &FormatOptions<'a>) -> Result<Option<ArrayFormatter<'a>>, ArrowError> {
    times(array, options).map_or_else(|| complex(array, options), |times| Ok(Some(times)))
}

pub(crate) fn formatter<'a>(array: &'a dyn Array, options: &FormatOptions<'a>) -> Result<ArrayFormatter<'a>, ArrowError> {
    own(array, options)?.map_or_else(|| ArrayFormatter::try_new(array, options), Ok)
}

#[derive(Debug)]
struct Formatters;

impl ArrayFormatterFactory for Formatters {
    fn create_array_formatter<'a>(
        &self,
        array: &'a dyn Array,
        options: &FormatOptions<'a>,
        _: Option<&'a Field>,
    ) -> Result<Option<ArrayFormatter<'a>>, ArrowError> {
        own(array, options)
    }
}
