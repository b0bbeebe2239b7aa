//! Writes a [`DType`] as NumPy's string, and describes it in words.

use alloc::format;
use alloc::string::String;
use core::fmt::{self, Display};

use super::quote::Quoted;
use super::scalar::{ByteOrder, ScalarType};
use super::structure::{Field, Struct};
use super::{DType, Scalar};

impl Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.written(), self) {
            (Some(written), _) => f.write_str(written),
            (None, DType::Scalar(scalar)) => scalar.write(f, false),
            (None, _) => self.write_inner(f, false),
        }
    }
}

impl DType {
    /// Writes the type as it is written inside another type, with quotes around a scalar. `aligned` is whether the type is inside an
    /// aligned structure.
    fn write_inner(&self, f: &mut fmt::Formatter<'_>, aligned: bool) -> fmt::Result {
        match self {
            DType::Scalar(scalar) => {
                f.write_str("'")?;
                scalar.write(f, true)?;
                f.write_str("'")
            }
            DType::Subarray(subarray) => {
                f.write_str("(")?;
                subarray.base.write_inner(f, aligned)?;
                write!(f, ", {})", Shape(subarray.shape()))
            }
            DType::Struct(structure) if structure.is_list(aligned) => structure.write_list(f),
            DType::Struct(structure) => structure.write_dictionary(f, aligned),
        }
    }

    /// Returns the type in words, such as `float64, little-endian` or `structure of 3 fields, 20 bytes`.
    ///
    /// ```
    /// use b2nd::dtype::DType;
    ///
    /// assert_eq!("('>f8', (2, 3))".parse::<DType>()?.describe(), "array (2, 3) of float64, big-endian");
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    pub fn describe(&self) -> String {
        match self {
            DType::Scalar(scalar) => describe_scalar(scalar),
            DType::Subarray(subarray) => format!("array {} of {}", Shape(subarray.shape()), subarray.base().describe()),
            DType::Struct(structure) => {
                let (fields, bytes) = (structure.fields().len(), structure.itemsize());
                format!("structure of {}, {}", count(fields, "field"), count(bytes, "byte"))
            }
        }
    }
}

fn describe_scalar(scalar: &Scalar) -> String {
    let what = match scalar.scalar_type() {
        ScalarType::Object => "Python object".into(),
        ScalarType::Bytes(length) => format!("string of {}", count(length, "byte")),
        ScalarType::Str(length) => format!("string of {}", count(length, "character")),
        ScalarType::Void(length) => count(length, "raw byte"),
        other => format!("{other}"),
    };
    match scalar.byte_order() {
        None => what,
        Some(ByteOrder::Little) => what + ", little-endian",
        Some(ByteOrder::Big) => what + ", big-endian",
    }
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

impl Struct {
    fn write_list(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_sequence(f, &self.fields, |f, field| {
            f.write_str("(")?;
            match &field.title {
                Some(title) => write!(f, "({}, {}), ", Quoted(title), Quoted(&field.name))?,
                None => write!(f, "{}, ", Quoted(&field.name))?,
            }
            match &field.dtype {
                DType::Subarray(subarray) => {
                    subarray.base.write_inner(f, self.is_aligned())?;
                    write!(f, ", {})", Shape(subarray.shape()))
                }
                dtype => {
                    dtype.write_inner(f, self.is_aligned())?;
                    f.write_str(")")
                }
            }
        })
    }

    fn write_dictionary(&self, f: &mut fmt::Formatter<'_>, aligned: bool) -> fmt::Result {
        f.write_str("{'names': ")?;
        write_sequence(f, &self.fields, |f, field| Quoted(&field.name).fmt(f))?;
        f.write_str(", 'formats': ")?;
        write_sequence(f, &self.fields, |f, field| field.dtype.write_inner(f, self.is_aligned()))?;
        f.write_str(", 'offsets': ")?;
        write_sequence(f, &self.fields, |f, field| field.offset.fmt(f))?;
        if self.fields.iter().any(|field| field.title.is_some()) {
            f.write_str(", 'titles': ")?;
            write_sequence(f, &self.fields, |f, field| match &field.title {
                Some(title) => Quoted(title).fmt(f),
                None => f.write_str("None"),
            })?;
        }
        write!(f, ", 'itemsize': {}", self.itemsize())?;
        if self.is_aligned() && !aligned {
            f.write_str(", 'aligned': True")?;
        }
        f.write_str("}")
    }
}

fn write_sequence(
    f: &mut fmt::Formatter<'_>,
    fields: &[Field],
    item: impl Fn(&mut fmt::Formatter<'_>, &Field) -> fmt::Result,
) -> fmt::Result {
    let mut separator = "[";
    for field in fields {
        f.write_str(separator)?;
        item(f, field)?;
        separator = ", ";
    }
    f.write_str(if fields.is_empty() { "[]" } else { "]" })
}

/// A shape, whose `Display` writes it as a Python tuple.
struct Shape<'a>(&'a [usize]);

impl Display for Shape<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, length) in self.0.iter().enumerate() {
            write!(f, "{}{length}", if index == 0 { "(" } else { ", " })?;
        }
        f.write_str(if self.0.len() == 1 { ",)" } else { ")" })
    }
}
