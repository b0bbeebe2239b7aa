//! [`Reals`]: floats as numpy prints those of an array, at most 8 digits behind the point and as few as tell them apart.

use b2nd::dtype::{ByteOrder, DType, ScalarType};

use super::scalar::half;

/// The digits behind the point.
const PRECISION: usize = 8;

/// A float, and the digits that tell it from all others of its type.
pub(super) struct Real {
    value: f64,
    /// As `{:e}` writes it: `1.25e-7`.
    shortest: String,
}

/// The first bytes of an element as one float, or as one part of a complex number.
pub(super) fn bits_of(dtype: &DType, bytes: &[u8]) -> Real {
    macro_rules! float {
        ($type:ty) => {{
            let bytes = bytes.first_chunk().copied().unwrap_or_default();
            if dtype.byte_order() == Some(ByteOrder::Big) { <$type>::from_be_bytes(bytes) } else { <$type>::from_le_bytes(bytes) }
        }};
    }
    let DType::Scalar(scalar) = dtype else { return Real { value: f64::NAN, shortest: String::new() } };
    match scalar.scalar_type() {
        ScalarType::Float16 => shortest_half(float!(u16)),
        ScalarType::BFloat16 => of_32(f32::from_bits(u32::from(float!(u16)) << 16)),
        ScalarType::Float32 | ScalarType::Complex64 => of_32(float!(f32)),
        _ => {
            let value = float!(f64);
            Real { value, shortest: format!("{value:e}") }
        }
    }
}

fn of_32(value: f32) -> Real {
    Real { value: value.into(), shortest: format!("{value:e}") }
}

/// A float of 16 bits: the fewest digits that are nearer to it than to its neighbours.
fn shortest_half(bits: u16) -> Real {
    let value = f64::from(half(bits));
    let magnitude = bits & 0x7fff;
    let near = |bits: u16| f64::from(half(bits));
    // Above the greatest there is one more step of the same length.
    let above = if magnitude >= 0x7bff { 65536.0 } else { near(magnitude + 1) };
    let below = magnitude.checked_sub(1).map_or(-above, near);
    let is_it = |text: &String| {
        text.parse::<f64>().is_ok_and(|read| {
            let read = read.abs();
            read > (value.abs() + below) / 2.0 && read < (value.abs() + above) / 2.0
        })
    };
    let shortest = (0..8).map(|digits| format!("{value:.digits$e}")).find(is_it).unwrap_or_else(|| format!("{value:e}"));
    Real { value, shortest }
}

/// The texts of floats, all of one width.
pub(super) struct Reals {
    texts: std::vec::IntoIter<String>,
}

impl IntoIterator for Reals {
    type Item = String;
    type IntoIter = std::vec::IntoIter<String>;

    fn into_iter(self) -> Self::IntoIter {
        self.texts
    }
}

impl Reals {
    /// `signed`: with a plus too.
    pub(super) fn new(of: ScalarType, reals: impl Iterator<Item = Real>, signed: bool) -> Reals {
        let reals: Vec<Real> = reals.collect();
        let finite = || reals.iter().filter(|real| real.value.is_finite());
        let magnitudes = || finite().map(|real| real.value.abs()).filter(|&value| value != 0.0);
        let (least, greatest) = (magnitudes().fold(f64::INFINITY, f64::min), magnitudes().fold(0.0, f64::max));
        let Limits { least: low, greatest: high, quotient } = Limits::of(of);
        let is_scientific = greatest >= high || (greatest > 0.0 && (least < low || greatest / least > quotient));
        // Whole part and what is behind it, with its sign.
        let parts: Vec<Option<(String, String)>> = reals.iter().map(|real| real.parts(is_scientific, signed)).collect();
        let widest = |part: fn(&(String, String)) -> usize| parts.iter().flatten().map(part).max().unwrap_or(0);
        let whole = widest(|(whole, _)| whole.len());
        let rest = if is_scientific {
            let fraction = widest(|(_, rest)| rest.split('e').next().map_or(0, str::len));
            let exponent = widest(|(_, rest)| rest.split('e').nth(1).map_or(0, |exponent| exponent.len() - 1));
            Rest::Exponent { fraction, exponent }
        } else {
            Rest::Fraction(widest(|(_, rest)| rest.len()))
        };
        // Behind the point.
        let right = match rest {
            Rest::Fraction(length) => length,
            Rest::Exponent { fraction, exponent } => fraction + exponent + 2,
        };
        let special = |real: &Real| match real.value {
            value if value.is_nan() => if signed { "+nan" } else { "nan" }.to_owned(),
            value if value > 0.0 => if signed { "+inf" } else { "inf" }.to_owned(),
            _ => "-inf".to_owned(),
        };
        let whole = if finite().count() == reals.len() {
            whole
        } else {
            let has_sign = signed || reals.iter().any(|real| real.value == f64::NEG_INFINITY);
            whole.max((3 + usize::from(has_sign)).saturating_sub(right + 1))
        };
        let width = whole + right + 1;
        let texts = reals.iter().zip(parts).map(|(real, parts)| match parts {
            None => format!("{:>width$}", special(real)),
            Some((before, behind)) => match rest {
                Rest::Fraction(length) => format!("{before:>whole$}.{behind:<length$}"),
                Rest::Exponent { fraction, exponent } => {
                    // As many digits of each: behind those that tell it from others its own, which may not be zeros.
                    let exact = format!("{:.fraction$e}", real.value.abs());
                    let digits = exact.split('e').next().and_then(|mantissa| mantissa.split('.').nth(1)).unwrap_or_default();
                    let (sign, power) = behind.split_once('e').map_or(("+", "00"), |(_, power)| power.split_at(1));
                    format!("{before:>whole$}.{digits}e{sign}{power:0>exponent$}")
                }
            },
        });
        let texts: Vec<String> = texts.collect();
        Reals { texts: texts.into_iter() }
    }
}

/// Limits at which numpy begins to write exponents, as numbers in the type of the elements.
struct Limits {
    least: f64,
    greatest: f64,
    /// The greatest by the least: what is not more is rounded to 1000.
    quotient: f64,
}

impl Limits {
    fn of(dtype: ScalarType) -> Limits {
        match dtype {
            ScalarType::Float16 => Limits { least: half(0x068e).into(), greatest: 1e3, quotient: 1000.25 },
            ScalarType::Float32 | ScalarType::BFloat16 | ScalarType::Complex64 => {
                Limits { least: 1e-4_f32.into(), greatest: 1e6, quotient: 1000.0 + f64::from(2_f32.powi(-15)) }
            }
            _ => Limits { least: 1e-4, greatest: 1e8, quotient: 1000.0 },
        }
    }
}

#[derive(Clone, Copy)]
enum Rest {
    Fraction(usize),
    Exponent { fraction: usize, exponent: usize },
}

impl Real {
    /// The digits before the point and behind it, and with an exponent `5e+07`. `None` of what is not finite.
    fn parts(&self, is_scientific: bool, signed: bool) -> Option<(String, String)> {
        if !self.value.is_finite() {
            return None;
        }
        let (mantissa, exponent) = self.shortest.split_once('e')?;
        let exponent: i64 = exponent.parse().ok()?;
        let digits = mantissa.trim_start_matches('-').replace('.', "");
        let trimmed = |text: &str| text.trim_end_matches('0').to_owned();
        let sign = if self.value.is_sign_negative() {
            "-"
        } else if signed {
            "+"
        } else {
            ""
        };
        if is_scientific {
            let rounded;
            let (mantissa, exponent) = if digits.len() > PRECISION + 1 {
                rounded = format!("{:.PRECISION$e}", self.value.abs());
                rounded.split_once('e').and_then(|(mantissa, exponent)| Some((mantissa, exponent.parse().ok()?)))?
            } else {
                (mantissa.trim_start_matches('-'), exponent)
            };
            let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
            let power = if exponent < 0 { format!("-{:02}", -exponent) } else { format!("+{exponent:02}") };
            return Some((format!("{sign}{whole}"), format!("{}e{power}", trimmed(fraction))));
        }
        // Digits behind the point, of all that there are.
        let behind = i64::try_from(digits.len()).ok()? - 1 - exponent;
        if behind > i64::try_from(PRECISION).ok()? {
            let rounded = format!("{:.PRECISION$}", self.value.abs());
            let (whole, fraction) = rounded.split_once('.')?;
            return Some((format!("{sign}{whole}"), trimmed(fraction)));
        }
        let (whole, fraction) = match usize::try_from(exponent) {
            Ok(exponent) if digits.len() <= exponent + 1 => (format!("{digits:0<width$}", width = exponent + 1), String::new()),
            Ok(exponent) => (digits.get(..=exponent)?.to_owned(), digits.get(exponent + 1..)?.to_owned()),
            Err(_) => ("0".to_owned(), format!("{digits:0>width$}", width = usize::try_from(behind).ok()?)),
        };
        Some((format!("{sign}{whole}"), trimmed(&fraction)))
    }
}
