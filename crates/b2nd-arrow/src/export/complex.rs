//! [`formatter`]: formats complex numbers in tables as `1.5-2.0j`, like complex numbers in arrays.

use std::fmt::Write;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_cast::display::{ArrayFormatter, DisplayIndex, FormatOptions, FormatResult};
use arrow_schema::ArrowError;

use crate::schema::numpy_dtype::is_complex;

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
pub(crate) fn formatter<'a>(array: &'a dyn Array, options: &FormatOptions<'a>) -> Result<Option<ArrayFormatter<'a>>, ArrowError> {
    let parts = array.as_struct_opt().filter(|_| is_complex(array.data_type())).map(|structs| structs.columns());
    let Some([real, imaginary]) = parts else { return Ok(None) };
    let part = |array| ArrayFormatter::try_new(array, options);
    let complex = Complex { array, real: part(real)?, imaginary: part(imaginary)?, null: options.null() };
    Ok(Some(ArrayFormatter::new(Box::new(complex), options.safe())))
}
