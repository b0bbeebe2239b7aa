//! The statistics of a [`Tally`] as text.

use b2nd::dtype::{ByteOrder, DType, ScalarType};

use super::number::Number;
use super::statistics::Tally;
use super::text::{complex, significant, text, text_to};

/// Returns min, max, mean and standard deviation as pairs of a name and a text with all digits.
pub fn figures(tally: &Tally, dtype: Option<&DType>) -> Vec<(&'static str, String)> {
    figures_to(usize::MAX, tally, dtype)
}

/// Returns min, max, mean and standard deviation as pairs of a name and a text. Floats have at most `digits` significant digits.
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
        figures.push(("std", format!("{}{}", short(std), time_unit(dtype).unwrap_or_default())));
    }
    figures
}

/// Returns the mean of datetimes or timedeltas as the bytes of an element, rounded towards zero. Returns `None` for other dtypes, or if
/// there is no mean.
pub fn mean_bytes(tally: &Tally, dtype: Option<&DType>) -> Option<Vec<u8>> {
    time_unit(dtype)?;
    let mean = i64::try_from(tally.whole_mean()?).ok()?;
    let is_big = dtype?.byte_order() == Some(ByteOrder::Big);
    Some(if is_big { mean.to_be_bytes() } else { mean.to_le_bytes() }.to_vec())
}

/// Returns the unit of a datetime or timedelta dtype, preceded by a space, so that the text can be appended to a number. Returns `None` for
/// other dtypes.
pub fn time_unit(dtype: Option<&DType>) -> Option<String> {
    let Some(DType::Scalar(scalar)) = dtype else { return None };
    match scalar.scalar_type() {
        ScalarType::Datetime64(step) | ScalarType::Timedelta64(step) => {
            Some(step.map_or_else(String::new, |step| format!(" {step}")))
        }
        _ => None,
    }
}
