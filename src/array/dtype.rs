//! The type of an array's elements. Parses and writes NumPy's dtype strings.
//!
//! A `b2nd` metalayer (dtype_format 0) usually contains NumPy's `dtype.str`, or `str(dtype)` for types such as structures.
//! [`DType`] is the parsed form. Its `Display` writes the same string again.
//!
//! | string | type |
//! | --- | --- |
//! | `<f8` `>i4` `\|u1` `\|b1` `<c16` `\|O` | [`Scalar`]: byte order, letter, size in bytes |
//! | `\|S5` `<U10` `\|V4` | [`Scalar`]: text in bytes, text in characters of four bytes, raw bytes |
//! | `<M8[ns]` `<m8[25s]` `<M8` | [`Scalar`]: a point in time and a duration, with their steps if they have any |
//! | `bfloat16` `float64` `datetime64[ns]` | [`Scalar`]: a name, if the type has no code such as `f8`, or the metalayer is of February 2023 |
//! | `[('a', '<i4'), (('title', 'b'), 'u1', (2, 3))]` | [`Struct`]: fields one after another |
//! | `{'names': ['a', 'b'], 'formats': ['u1', '<i4'], 'offsets': [0, 4], 'itemsize': 8, 'aligned': True}` | [`Struct`]: fields at given offsets |
//! | `('<i4', (2, 3))` | [`Subarray`]: an array in every element |
//!
//! ```
//! use b2nd::dtype::{DType, ScalarType};
//!
//! let string = "{'names': ['flag', 'value'], 'formats': ['?', '>f8'], 'offsets': [0, 8], 'itemsize': 16}";
//! let dtype: DType = string.parse()?;
//! assert_eq!(dtype.itemsize(), 16);
//! assert_eq!(dtype.describe(), "structure of 2 fields, 16 bytes");
//! for field in dtype.fields() {
//!     match field.dtype() {
//!         DType::Scalar(scalar) if scalar.scalar_type() == ScalarType::Bool => assert_eq!(field.offset(), 0),
//!         other => assert_eq!((field.name(), other.to_string().as_str()), ("value", ">f8")),
//!     }
//! }
//! assert_eq!(dtype.to_string(), string);
//!
//! let error = "[('a', '<i4'), ('b', '<x4')]".parse::<DType>().unwrap_err();
//! assert_eq!(error.to_string(), "dtype: expected a type code, found 'x' at byte 23");
//! # Ok::<(), b2nd::Error>(())
//! ```
//!
//! # Rejected strings
//!
//! A [`DType`] cannot be parsed from a string that NumPy with `ml_dtypes` rejects, nor from the following forms. NumPy reads all of them,
//! but by default writes only those of the last item:
//!
//! * text that Python's `repr` does not produce: more or fewer blanks, `,` before a closing bracket, a shape as a list, comments,
//!   other escapes of ASCII characters, unnecessary double quotes, dictionary keys that are unknown or in another order;
//! * comma strings (`i4,f8`, `(2,3)i4`), the tuple `('S', 5)`, two types in a tuple, a shape that is `()` or a bare number, fields in a
//!   list that have their shape inside the format (`('a', ('<i4', (2,)))` instead of `('a', '<i4', (2,))`), `{'a': ('<i4', 0)}`, `None`;
//! * letters for types (`d`, `<i`, `a5`), except `?`, `O`, `S`, `U` and `V`; `O8`; `S05`, `M8[02s]`; `|i4`; `>datetime64`;
//! * `M8[1s]`, `M8[generic]`, `M8[μs]`, units with a divisor (`M8[Y/12]`);
//! * `long`, `ulong`, `longdouble` and `clongdouble`, whose size depends on the platform; `T` (StringDType);
//! * titles that are not strings, unpaired surrogates, more than 100 levels of structures and arrays (Python's limit is 200 brackets),
//!   structures that overflow NumPy's own arithmetic.
//!
//! # Limits of NumPy's strings
//!
//! If a structure inside another structure is aligned, NumPy's string may describe a packed inner structure. The frame's typesize may then
//! differ from [`itemsize`](DType::itemsize). NumPy also writes `[('a', bfloat16)]`, which it cannot read back, and `[('', '<i4')]`, which
//! it reads as a field `f0`. For a dtype that is made with this crate, the string of an aligned structure contains `'aligned': True`, which
//! applies to all structures inside it, `'bfloat16'` has quotes, and a structure with an empty name is a dictionary. NumPy reads all of
//! them (`bfloat16` needs the package `ml_dtypes`).
//!
//! Which characters outside ASCII are escaped in a field's name depends on the writer's version of Unicode. Escaped and plain characters
//! are both accepted, and the parsed string is written back unchanged.

use alloc::boxed::Box;
use alloc::string::String;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

mod cursor;
mod element;
mod parse;
mod print;
mod quote;
mod scalar;
mod structure;
mod subarray;
mod time;

pub use element::HasDType;
pub use scalar::{ByteOrder, Scalar, ScalarType};
pub use structure::{Field, Struct};
pub use subarray::Subarray;
pub use time::{TimeStep, TimeUnit};

/// The largest size or offset in bytes, and the largest length of a subarray's dimension: NumPy requires that these numbers fit a C `int`.
const MAX_SIZE: usize = 0x7fff_ffff;

/// The maximum depth of nested structures and arrays.
const MAX_DEPTH: u8 = 100;

fn too_deep() -> String {
    alloc::format!("nested more than {MAX_DEPTH} levels deep")
}

/// The string from which a dtype was parsed, or `None` if this is the dtype's canonical string. It is stored only in the outermost
/// dtype, not in the dtypes of fields or of a subarray's values.
type Written = Option<Box<str>>;

/// The type of an element, and the string from which it was parsed.
///
/// Two values are equal if they are the same type and have the same string. To ignore the spelling, compare the results of
/// [`into_canonical`](DType::into_canonical). If the dtype of a field or of a subarray's values is printed separately, it is spelled as
/// NumPy spells it.
#[non_exhaustive]
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum DType {
    /// A single value.
    Scalar(Scalar),
    /// Several fields, each with a name and a type.
    Struct(Struct),
    /// A small array of values of one type.
    Subarray(Subarray),
}

impl DType {
    /// Returns the size of a value in bytes, 0 to 2147483647.
    pub fn itemsize(&self) -> usize {
        match self {
            DType::Scalar(scalar) => scalar.itemsize(),
            DType::Struct(structure) => structure.itemsize(),
            DType::Subarray(subarray) => subarray.itemsize(),
        }
    }

    /// Returns the alignment in bytes. In an aligned structure, the offset of a field of this type is a multiple of the alignment.
    pub fn alignment(&self) -> usize {
        match self.innermost() {
            DType::Scalar(scalar) => scalar.scalar_type().row().alignment,
            DType::Struct(structure) => structure.alignment,
            DType::Subarray(_) => 1,
        }
    }

    /// Returns the byte order of a scalar, or `None` if the type is not a scalar or has no byte order.
    pub fn byte_order(&self) -> Option<ByteOrder> {
        match self {
            DType::Scalar(scalar) => scalar.byte_order(),
            _ => None,
        }
    }

    /// Returns the fields of a structure, or an empty slice for any other type.
    pub fn fields(&self) -> &[Field] {
        match self {
            DType::Struct(structure) => structure.fields(),
            _ => &[],
        }
    }

    /// Returns the shape of a subarray, or an empty slice for any other type.
    pub fn shape(&self) -> &[usize] {
        match self {
            DType::Subarray(subarray) => subarray.shape(),
            _ => &[],
        }
    }

    /// Returns the type of a subarray's values, or the type itself if it is not a subarray.
    pub fn base(&self) -> &DType {
        match self {
            DType::Subarray(subarray) => subarray.base(),
            other => other,
        }
    }

    /// Returns the same type, spelled as NumPy spells it: `uint8` and `=u1` become `|u1`, and a dictionary becomes a list if a list means
    /// the same. For the exceptions, see [Limits of NumPy's strings](crate::dtype#limits-of-numpys-strings).
    ///
    /// ```
    /// use b2nd::dtype::DType;
    ///
    /// assert_eq!("datetime64[ns]".parse::<DType>()?.into_canonical().to_string(), "<M8[ns]");
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    #[must_use]
    pub fn into_canonical(mut self) -> DType {
        self.set_written(None);
        self
    }

    fn set_written(&mut self, written: Written) {
        match self {
            DType::Scalar(scalar) => scalar.written = written,
            DType::Struct(structure) => structure.written = written,
            DType::Subarray(subarray) => subarray.written = written,
        }
    }

    fn written(&self) -> Option<&str> {
        match self {
            DType::Scalar(scalar) => scalar.written.as_deref(),
            DType::Struct(structure) => structure.written.as_deref(),
            DType::Subarray(subarray) => subarray.written.as_deref(),
        }
    }

    /// Returns the type of the values in the innermost of nested subarrays, or the type itself if it is not a subarray.
    fn innermost(&self) -> &DType {
        let mut dtype = self;
        while let DType::Subarray(subarray) = dtype {
            dtype = subarray.base();
        }
        dtype
    }

    fn has_object(&self) -> bool {
        match self.innermost() {
            DType::Scalar(scalar) => scalar.scalar_type() == ScalarType::Object,
            DType::Struct(structure) => structure.has_object,
            DType::Subarray(_) => false,
        }
    }

    /// Returns the number of nested levels of structures and arrays.
    fn depth(&self) -> u8 {
        match self {
            DType::Scalar(_) => 0,
            DType::Struct(structure) => structure.depth,
            DType::Subarray(subarray) => subarray.depth,
        }
    }
}

/// Serializes the type as its dtype string.
impl Serialize for DType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for DType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The offset in this error is relative to the start of the string. The deserializer may add a position in its own input.
        String::deserialize(deserializer)?.parse().map_err(|error: crate::Error| {
            let at = error.offset().unwrap_or_default();
            serde::de::Error::custom(format_args!("{} (byte {} of the string)", error.kind(), at))
        })
    }
}
