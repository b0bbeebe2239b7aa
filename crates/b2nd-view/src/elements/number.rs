//! [`Number`]: a value of an element as a number, for statistics and drawings.

/// A number, a boolean or a time. Integers, booleans and times are exact. Floats of 16 and 32 bits are converted to `f64` without rounding.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub enum Number {
    /// NaN, or NaT (not a time).
    Nan,
    /// An integer; a boolean as 0 or 1; or a time as its stored number of steps.
    Integer(i128),
    /// A float of up to 64 bits.
    Float(f64),
    /// The real and the imaginary part.
    Complex(f64, f64),
}

impl Number {
    /// Converts the number to a float. Integers above 2^53 or below -2^53 may be rounded. A complex number is converted to its magnitude.
    pub fn to_f64(self) -> f64 {
        match self {
            Number::Nan => f64::NAN,
            Number::Integer(number) => number as f64,
            Number::Float(number) => number,
            Number::Complex(real, imaginary) => real.hypot(imaginary),
        }
    }
}
