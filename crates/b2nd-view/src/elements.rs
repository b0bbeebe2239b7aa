//! Elements of arrays as text, JSON and numbers, and their statistics.
//!
//! ```
//! use b2nd_view::elements::{columns, json, text};
//!
//! let dtype: b2nd::dtype::DType = "<i2".parse()?;
//! let elements = [7, 0, 0xff, 0xff];
//! assert_eq!(text(&dtype, &elements[2..]), "-1");
//! assert_eq!(json(&dtype, &elements[..2]), serde_json::json!(7));
//!
//! let tally = columns(Some(&dtype), 2)?[0].tally(&elements, 2, 1, false);
//! assert_eq!(tally.mean(), Some(b2nd_view::elements::Number::Float(3.0)));
//! # Ok::<(), b2nd_frame::Error>(())
//! ```

mod column;
mod date;
mod figures;
mod json;
mod number;
mod reader;
mod run;
mod scalar;
mod statistics;
mod text;

use b2nd::dtype::{DType, Field, ScalarType};
use b2nd_frame::{Error, Result};

pub use column::{Column, columns};
pub use date::first_of_month;
pub use figures::{figures, figures_to, mean_bytes, step_seconds, time_bytes, time_unit};
pub use json::{exact_json, float, json};
pub use number::Number;
pub use reader::{Read, reader};
pub use statistics::{MOST_KEPT, Tally};
pub use text::{cell, in_quotes, significant, text, text_to};

/// Returns each field of a structure, with its bytes in an element.
pub fn fields<'a>(dtype: &'a DType, element: &'a [u8]) -> impl Iterator<Item = (&'a Field, &'a [u8])> {
    let place = |field: &Field| field.offset()..field.offset() + field.dtype().itemsize();
    dtype.fields().iter().map(move |field| (field, element.get(place(field)).unwrap_or_default()))
}

/// Returns an error if elements are Python objects.
///
/// # Errors
///
/// Fails if the dtype is `object`, or contains this type.
pub fn no_objects(dtype: &DType) -> Result<()> {
    fn has_objects(dtype: &DType) -> bool {
        match dtype {
            DType::Scalar(scalar) => scalar.scalar_type() == ScalarType::Object,
            _ if dtype.shape().is_empty() => dtype.fields().iter().any(|field| has_objects(field.dtype())),
            _ => has_objects(dtype.base()),
        }
    }
    if has_objects(dtype) {
        let what = "its elements are or contain Python objects, stored as memory addresses or as a pickle, which cannot be read";
        return Err(Error::custom(what));
    }
    Ok(())
}
