//! [`formatter`]: times and durations as text, those too that `chrono` has no date for.

use std::fmt::Write;

use arrow_array::cast::AsArray;
use arrow_array::temporal_conversions::{
    timestamp_ms_to_datetime, timestamp_ns_to_datetime, timestamp_s_to_datetime, timestamp_us_to_datetime,
    try_duration_ms_to_duration, try_duration_s_to_duration,
};
use arrow_array::types::Int64Type;
use arrow_array::{Array, Int64Array};
use arrow_cast::display::{ArrayFormatter, ArrayFormatterFactory, DisplayIndex, FormatOptions, FormatResult};
use arrow_schema::{ArrowError, DataType, Field, TimeUnit};
use b2nd::dtype::DType;

/// A column of times, some of which are too far from 1970 for `chrono`: the years 262142 and -262143 are its last ones. Those are as
/// NumPy shows them, with a `Z` where the column has a zone; durations go on in the form of the others.
struct Times<'a> {
    /// `None` where nobody knows the zone.
    plain: Option<ArrayFormatter<'a>>,
    numbers: Int64Array,
    kind: Kind,
    null: &'a str,
}

#[derive(Clone, PartialEq)]
enum Kind {
    /// Moments, of NumPy's type; with a zone or not.
    Moments(TimeUnit, DType, bool),
    Durations(TimeUnit),
}

impl Times<'_> {
    /// The text of a time that has no other.
    fn beyond(&self, row: usize) -> Option<String> {
        let number = self.numbers.is_valid(row).then(|| self.numbers.value(row))?;
        (self.plain.is_none() || self.kind.is_beyond(number)).then(|| self.kind.text(number))
    }
}

impl Kind {
    fn is_beyond(&self, number: i64) -> bool {
        match self {
            // A zone moves a date by less than a day; where that ends past the last one, `chrono` panics.
            Kind::Moments(unit, _, has_zone) => {
                let day = if *has_zone { 86_400 * per_second(unit) } else { 0 };
                ![number.saturating_sub(day), number.saturating_add(day)].into_iter().all(|number| has_date(unit, number))
            }
            Kind::Durations(TimeUnit::Second) => try_duration_s_to_duration(number).is_none(),
            Kind::Durations(TimeUnit::Millisecond) => try_duration_ms_to_duration(number).is_none(),
            Kind::Durations(_) => false,
        }
    }

    fn text(&self, number: i64) -> String {
        let unit = match self {
            Kind::Moments(_, dtype, has_zone) => {
                let text = b2nd_view::elements::text(dtype, &number.to_le_bytes());
                return if *has_zone && number != i64::MIN { text + "Z" } else { text };
            }
            Kind::Durations(unit) => unit,
        };
        let (sign, number) = (if number < 0 { "-" } else { "" }, number.unsigned_abs());
        match unit {
            TimeUnit::Second => format!("{sign}PT{number}S"),
            _ => format!("{sign}PT{}.{:03}S", number / 1000, number % 1000),
        }
    }
}

fn has_date(unit: &TimeUnit, number: i64) -> bool {
    let date = match unit {
        TimeUnit::Second => timestamp_s_to_datetime(number),
        TimeUnit::Millisecond => timestamp_ms_to_datetime(number),
        TimeUnit::Microsecond => timestamp_us_to_datetime(number),
        TimeUnit::Nanosecond => timestamp_ns_to_datetime(number),
    };
    date.is_some()
}

fn per_second(unit: &TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

fn dtype(unit: &TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "<M8[s]",
        TimeUnit::Millisecond => "<M8[ms]",
        TimeUnit::Microsecond => "<M8[us]",
        TimeUnit::Nanosecond => "<M8[ns]",
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

/// A formatter of times, if some of them have no date, or if nobody knows their zone.
pub(crate) fn far<'a>(array: &'a dyn Array, options: &FormatOptions<'a>) -> Option<ArrayFormatter<'a>> {
    let kind = match array.data_type() {
        DataType::Timestamp(unit, zone) => Kind::Moments(*unit, dtype(unit).parse().ok()?, zone.is_some()),
        DataType::Duration(unit) => Kind::Durations(*unit),
        _ => return None,
    };
    let numbers = arrow_cast::cast(array, &DataType::Int64).ok()?.as_primitive::<Int64Type>().clone();
    let plain = ArrayFormatter::try_new(array, options).ok();
    if plain.is_some() && !numbers.iter().flatten().any(|number| kind.is_beyond(number)) {
        return None;
    }
    let times = Times { plain, numbers, kind, null: options.null() };
    Some(ArrayFormatter::new(Box::new(times), options.safe()))
}

/// Options with which lists and structs have no other times than columns.
pub(crate) fn options(null: &str) -> FormatOptions<'_> {
    FormatOptions::new().with_null(null).with_formatter_factory(Some(&Formatters))
}

/// The formatter of a column.
pub(crate) fn formatter<'a>(array: &'a dyn Array, options: &FormatOptions<'a>) -> Result<ArrayFormatter<'a>, ArrowError> {
    far(array, options).map_or_else(|| ArrayFormatter::try_new(array, options), Ok)
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
        Ok(far(array, options))
    }
}
