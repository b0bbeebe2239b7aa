//! [`formatter`]: formats times and durations, including times for which `chrono` has no date.

use std::fmt::Write;

use arrow_array::cast::AsArray;
use arrow_array::temporal_conversions::{timestamp_s_to_datetime, try_duration_ms_to_duration, try_duration_s_to_duration};
use arrow_array::types::Int64Type;
use arrow_array::{Array, Int64Array};
use arrow_cast::display::{ArrayFormatter, ArrayFormatterFactory, DisplayIndex, FormatOptions, FormatResult};
use arrow_schema::{ArrowError, DataType, Field, TimeUnit};

use crate::export::complex;
use crate::schema::numpy_dtype::is_time;

/// A column with times that `chrono` cannot format: they are outside the years -262143 to 262142, or their time zone is unknown. Such times
/// are formatted as numbers with their unit.
struct Times<'a> {
    /// Arrow's own formatter, or `None` if it does not know the time zone.
    plain: Option<ArrayFormatter<'a>>,
    numbers: Int64Array,
    data_type: &'a DataType,
    null: &'a str,
}

impl Times<'_> {
    /// Formats a time that `chrono` cannot format. Returns `None` for nulls, and for times that `chrono` can format.
    fn beyond(&self, row: usize) -> Option<String> {
        let number = self.numbers.is_valid(row).then(|| self.numbers.value(row))?;
        (self.plain.is_none() || is_beyond(self.data_type, number)).then(|| text(self.data_type, number))
    }
}

/// Returns true if `chrono` has no date or duration for a number of this type.
fn is_beyond(data_type: &DataType, number: i64) -> bool {
    match data_type {
        // With a time zone, times on the first and the last day that `chrono` supports count as beyond too: a time zone shifts a date by
        // less than a day, and `chrono` panics if the result is after its last date.
        DataType::Timestamp(unit, zone) => {
            let (second, day) = (number.div_euclid(per_second(unit)), if zone.is_some() { 86_400 } else { 0 });
            let moved = [second.saturating_sub(day), second.saturating_add(day)];
            moved.into_iter().any(|at| timestamp_s_to_datetime(at).is_none())
        }
        DataType::Duration(TimeUnit::Second) => try_duration_s_to_duration(number).is_none(),
        DataType::Duration(TimeUnit::Millisecond) => try_duration_ms_to_duration(number).is_none(),
        _ => false,
    }
}

/// Formats a time or a duration for which `chrono` has no value: the number that is stored, and its unit.
fn text(data_type: &DataType, number: i64) -> String {
    match data_type {
        DataType::Timestamp(unit, _) => format!("{number} {unit} after 1970"),
        DataType::Duration(unit) => format!("{number} {unit}"),
        _ => number.to_string(),
    }
}

fn per_second(unit: &TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

impl DisplayIndex for Times<'_> {
    fn write(&self, row: usize, f: &mut dyn Write) -> FormatResult {
        match (&self.plain, self.beyond(row)) {
            (_, Some(text)) => f.write_str(&text)?,
            (Some(plain), None) => plain.value(row).write(f)?,
            (None, None) => f.write_str(self.null)?,
        }
        Ok(())
    }
}

/// Returns a formatter of times if `chrono` has no date for some of them, or does not know their time zone.
pub(crate) fn far<'a>(array: &'a dyn Array, options: &FormatOptions<'a>) -> Option<ArrayFormatter<'a>> {
    let data_type = array.data_type();
    if !is_time(data_type) {
        return None;
    }
    let numbers = arrow_cast::cast(array, &DataType::Int64).ok()?.as_primitive::<Int64Type>().clone();
    let plain = ArrayFormatter::try_new(array, options).ok();
    if plain.is_some() && !numbers.iter().flatten().any(|number| is_beyond(data_type, number)) {
        return None;
    }
    let times = Times { plain, numbers, data_type, null: options.null() };
    Some(ArrayFormatter::new(Box::new(times), options.safe()))
}

/// Returns options that format times in lists and structs like times in columns. `null` is the text for nulls.
pub(crate) fn options(null: &str) -> FormatOptions<'_> {
    FormatOptions::new().with_null(null).with_formatter_factory(Some(&Formatters))
}

/// Returns a formatter for the types that Arrow formats differently or cannot format: times and complex numbers.
fn own<'a>(array: &'a dyn Array, options: &FormatOptions<'a>) -> Result<Option<ArrayFormatter<'a>>, ArrowError> {
    far(array, options).map_or_else(|| complex::formatter(array, options), |times| Ok(Some(times)))
}

/// Creates the formatter of a column.
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
