//! The statistics of a [`Tally`] as text.

use b2nd::dtype::{ByteOrder, DType, ScalarType, TimeStep, TimeUnit};

use super::number::Number;
use super::statistics::Tally;
use super::text::{complex, significant, text, text_to};

/// Returns min, max, mean and standard deviation, if they exist, as pairs of a name and a text with all digits.
pub fn figures(tally: &Tally, dtype: Option<&DType>) -> Vec<(&'static str, String)> {
    figures_to(usize::MAX, tally, dtype)
}

/// Returns the same pairs as [`figures()`], but floats are rounded to at most `digits` significant digits.
pub fn figures_to(digits: usize, tally: &Tally, dtype: Option<&DType>) -> Vec<(&'static str, String)> {
    let short = |number: f64| significant(number, digits);
    let mut figures = Vec::new();
    if let (Some((min, max)), Some(dtype)) = (tally.range(), dtype) {
        figures.push(("min", text_to(digits, dtype, min)));
        figures.push(("max", text_to(digits, dtype, max)));
    }
    match (mean_bytes(tally, dtype), dtype, tally.mean()) {
        (Some(bytes), Some(dtype), _) => figures.push(("mean", text(dtype, &bytes))),
        (_, _, Some(Number::Float(mean))) => figures.push(("mean", short(mean))),
        (_, _, Some(Number::Complex(real, imaginary))) => figures.push(("mean", complex(&short(real), &short(imaginary)))),
        _ => {}
    }
    if let Some(std) = tally.std() {
        figures.push(("std", span(std, dtype, digits).unwrap_or_else(|| short(std))));
    }
    figures
}

/// Returns the length of a step in seconds, or `None` if its unit varies in length (years and months) or is shorter than a nanosecond.
pub fn step_seconds(step: TimeStep) -> Option<f64> {
    let unit = match step.unit {
        TimeUnit::Week => 7.0 * 86400.0,
        TimeUnit::Day => 86400.0,
        TimeUnit::Hour => 3600.0,
        TimeUnit::Minute => 60.0,
        TimeUnit::Second => 1.0,
        TimeUnit::Millisecond => 1e-3,
        TimeUnit::Microsecond => 1e-6,
        TimeUnit::Nanosecond => 1e-9,
        _ => return None,
    };
    Some(f64::from(step.count) * unit)
}

/// Formats a standard deviation of times in the largest unit from days to nanoseconds in which it is at least 1, or else in the unit of the
/// dtype. Returns `None` for other dtypes.
fn span(std: f64, dtype: Option<&DType>, digits: usize) -> Option<String> {
    const UNITS: [(&str, f64); 7] =
        [("days", 86400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)];
    let own = format!("{}{}", significant(std, digits), time_unit(dtype)?);
    let Some(DType::Scalar(scalar)) = dtype else { return None };
    let (ScalarType::Datetime64(Some(step)) | ScalarType::Timedelta64(Some(step))) = scalar.scalar_type() else {
        return Some(own);
    };
    let Some(seconds) = step_seconds(step).map(|seconds| std * seconds) else { return Some(own) };
    let found = UNITS.into_iter().find(|&(_, length)| seconds >= length);
    Some(found.map_or(own, |(name, length)| format!("{} {name}", significant(seconds / length, digits))))
}

/// Returns the mean of datetimes or timedeltas as the bytes of an element, rounded towards zero. Returns `None` for other dtypes, or if
/// there is no mean.
pub fn mean_bytes(tally: &Tally, dtype: Option<&DType>) -> Option<Vec<u8>> {
    time_bytes(tally.whole_mean()?, dtype)
}

/// Returns a number of time steps as the bytes of an element, or `None` if the dtype is not one of times or the number does not fit.
pub fn time_bytes(steps: i128, dtype: Option<&DType>) -> Option<Vec<u8>> {
    time_unit(dtype)?;
    let mean = i64::try_from(steps).ok()?;
    let is_big = dtype?.byte_order() == Some(ByteOrder::Big);
    Some(if is_big { mean.to_be_bytes() } else { mean.to_le_bytes() }.to_vec())
}

/// Returns the unit of a datetime or timedelta dtype, preceded by a space, so that the text can be appended to a number. The text is
/// empty if the dtype has no unit. Returns `None` for other dtypes.
pub fn time_unit(dtype: Option<&DType>) -> Option<String> {
    let Some(DType::Scalar(scalar)) = dtype else { return None };
    match scalar.scalar_type() {
        ScalarType::Datetime64(step) | ScalarType::Timedelta64(step) => {
            Some(step.map_or_else(String::new, |step| format!(" {step}")))
        }
        _ => None,
    }
}
