//! [`Scalar`]: the type of a single value. Reads and writes its code or name.

use alloc::format;
use core::fmt::{self, Write};

use super::cursor::Cursor;
use super::time::TimeStep;
use super::{MAX_SIZE, Written};
use crate::error::{Error, Result};

/// The byte order of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ByteOrder {
    /// `<`: the least significant byte first.
    Little,
    /// `>`: the most significant byte first.
    Big,
}

impl ByteOrder {
    /// The byte order of this machine.
    pub const NATIVE: ByteOrder = if cfg!(target_endian = "little") { ByteOrder::Little } else { ByteOrder::Big };
}

/// The properties of a type of scalar in NumPy.
pub(super) struct Row {
    name: &'static str,
    /// The letter in the type's code, or a blank if the type has only a name.
    code: char,
    size: usize,
    pub(super) alignment: usize,
}

macro_rules! scalar_types {
    ($($variant:ident $name:literal $code:literal $size:literal $alignment:literal;)*) => {
        /// The type of a scalar, without its byte order.
        #[non_exhaustive]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum ScalarType {
            $(
                #[doc = concat!("`", $name, "`, with the itemsize ", $size, " and the alignment ", $alignment, ".")]
                $variant,
            )*
            /// `S`: text of this number of bytes, padded with zeros.
            Bytes(usize),
            /// `U`: text of this number of characters, each of four bytes, padded with zeros.
            Str(usize),
            /// `V`: this number of raw bytes.
            Void(usize),
            /// `M8`: a point in time, stored in 8 bytes as a number of steps since 1970. `None` is NumPy's generic unit.
            Datetime64(Option<TimeStep>),
            /// `m8`: a duration, stored in 8 bytes as a number of steps. `None` is NumPy's generic unit.
            Timedelta64(Option<TimeStep>),
        }

        /// The types without a parameter (a length or a step).
        const FIXED: &[ScalarType] = &[$(ScalarType::$variant),*];

        impl ScalarType {
            pub(super) fn row(self) -> Row {
                let (name, code, size, alignment) = match self {
                    $(ScalarType::$variant => ($name, $code, $size, $alignment),)*
                    ScalarType::Bytes(length) => ("bytes", 'S', length, 1),
                    ScalarType::Str(length) => ("str", 'U', length.saturating_mul(4), 4),
                    ScalarType::Void(length) => ("void", 'V', length, 1),
                    ScalarType::Datetime64(_) => ("datetime64", 'M', 8, 8),
                    ScalarType::Timedelta64(_) => ("timedelta64", 'm', 8, 8),
                };
                Row { name, code, size, alignment }
            }
        }
    };
}

scalar_types! {
    Bool "bool" 'b' 1 1;
    Int8 "int8" 'i' 1 1;
    Int16 "int16" 'i' 2 2;
    Int32 "int32" 'i' 4 4;
    Int64 "int64" 'i' 8 8;
    UInt8 "uint8" 'u' 1 1;
    UInt16 "uint16" 'u' 2 2;
    UInt32 "uint32" 'u' 4 4;
    UInt64 "uint64" 'u' 8 8;
    Float16 "float16" 'f' 2 2;
    Float32 "float32" 'f' 4 4;
    Float64 "float64" 'f' 8 8;
    Float128 "float128" 'f' 16 16;
    Complex64 "complex64" 'c' 8 4;
    Complex128 "complex128" 'c' 16 8;
    Complex256 "complex256" 'c' 32 16;
    Object "object" 'O' 8 8;
    BFloat16 "bfloat16" ' ' 2 2;
    Float4E2m1fn "float4_e2m1fn" ' ' 1 1;
    Float6E2m3fn "float6_e2m3fn" ' ' 1 1;
    Float6E3m2fn "float6_e3m2fn" ' ' 1 1;
    Float8E3m4 "float8_e3m4" ' ' 1 1;
    Float8E4m3 "float8_e4m3" ' ' 1 1;
    Float8E4m3b11fnuz "float8_e4m3b11fnuz" ' ' 1 1;
    Float8E4m3fn "float8_e4m3fn" ' ' 1 1;
    Float8E4m3fnuz "float8_e4m3fnuz" ' ' 1 1;
    Float8E5m2 "float8_e5m2" ' ' 1 1;
    Float8E5m2fnuz "float8_e5m2fnuz" ' ' 1 1;
    Float8E8m0fnu "float8_e8m0fnu" ' ' 1 1;
    Complex32 "complex32" ' ' 4 2;
    BComplex32 "bcomplex32" ' ' 4 2;
    Int1 "int1" ' ' 1 1;
    Int2 "int2" ' ' 1 1;
    Int4 "int4" ' ' 1 1;
    UInt1 "uint1" ' ' 1 1;
    UInt2 "uint2" ' ' 1 1;
    UInt4 "uint4" ' ' 1 1;
}

/// The types with a parameter. The parameter is the one that a bare name means: length 0, or NumPy's generic unit.
const NAMED: &[ScalarType] =
    &[ScalarType::Bytes(0), ScalarType::Str(0), ScalarType::Void(0), ScalarType::Datetime64(None), ScalarType::Timedelta64(None)];

/// NumPy 2's other names of types, with their sizes on 64-bit platforms. Names whose size differs between such platforms (`long`,
/// `longdouble`, …) are missing.
fn alias(word: &str) -> Option<ScalarType> {
    Some(match word {
        "bool_" => ScalarType::Bool,
        "byte" => ScalarType::Int8,
        "ubyte" => ScalarType::UInt8,
        "short" => ScalarType::Int16,
        "ushort" => ScalarType::UInt16,
        "intc" => ScalarType::Int32,
        "uintc" => ScalarType::UInt32,
        "int" | "int_" | "intp" | "longlong" => ScalarType::Int64,
        "uint" | "uintp" | "ulonglong" => ScalarType::UInt64,
        "half" => ScalarType::Float16,
        "single" => ScalarType::Float32,
        "float" | "double" => ScalarType::Float64,
        "csingle" => ScalarType::Complex64,
        "complex" | "cdouble" => ScalarType::Complex128,
        "object_" => ScalarType::Object,
        "bytes_" => ScalarType::Bytes(0),
        "str_" | "unicode" => ScalarType::Str(0),
        _ => return None,
    })
}

impl ScalarType {
    /// Returns the length of text (in bytes or characters) or of raw bytes, or `None` for any other type.
    fn length(self) -> Option<usize> {
        match self {
            ScalarType::Bytes(length) | ScalarType::Str(length) | ScalarType::Void(length) => Some(length),
            _ => None,
        }
    }

    fn step(self) -> Option<TimeStep> {
        match self {
            ScalarType::Datetime64(step) | ScalarType::Timedelta64(step) => step,
            _ => None,
        }
    }

    fn has_byte_order(self) -> bool {
        match self {
            ScalarType::Object | ScalarType::Bytes(_) | ScalarType::Void(_) => false,
            ScalarType::Str(_) => true,
            _ => self.row().size > 1,
        }
    }
}

/// Writes NumPy's name of the type, with a step or a length in brackets: `datetime64[25s]`, `str[10]`.
impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().name)?;
        match (self.length(), self.step()) {
            (Some(length), _) => write!(f, "[{length}]"),
            (_, Some(step)) => write!(f, "[{step}]"),
            _ => Ok(()),
        }
    }
}

/// The dtype of a single value: its type, its byte order, and the string from which it was parsed.
///
/// ```
/// use b2nd::dtype::{ByteOrder, Scalar, ScalarType, TimeStep, TimeUnit};
///
/// let step = TimeStep { count: 25, unit: TimeUnit::Second };
/// let scalar = Scalar::new(ScalarType::Datetime64(Some(step)), ByteOrder::Big)?;
/// assert_eq!(scalar.to_string(), ">M8[25s]");
/// # Ok::<(), b2nd::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Scalar {
    scalar_type: ScalarType,
    /// The byte order, or `Little` if the type has none.
    order: ByteOrder,
    pub(super) written: Written,
}

impl Scalar {
    /// Makes a scalar of this type. `order` is ignored for types that have no byte order.
    ///
    /// # Errors
    ///
    /// Fails if the size in bytes or the count of units in a step is above 2147483647. Also fails for a big-endian type that has a name but
    /// no code (`bfloat16`), since a name does not include the byte order.
    pub fn new(scalar_type: ScalarType, order: ByteOrder) -> Result<Scalar> {
        let row = scalar_type.row();
        let scalar = Scalar::of(scalar_type, order);
        let why = if row.size > MAX_SIZE {
            format!("{scalar_type} takes more than NumPy's limit of {MAX_SIZE} bytes")
        } else if scalar_type.step().is_some_and(|step| step.count > i32::MAX.unsigned_abs()) {
            format!("{scalar_type} has more than NumPy's limit of {MAX_SIZE} units in a step")
        } else if row.code == ' ' && scalar.order == ByteOrder::Big {
            format!("{scalar_type} cannot be big-endian: it is written as a name, which does not include the byte order")
        } else {
            return Ok(scalar);
        };
        Err(Error::custom(why).field("dtype"))
    }

    fn of(scalar_type: ScalarType, order: ByteOrder) -> Scalar {
        Scalar { scalar_type, order: if scalar_type.has_byte_order() { order } else { ByteOrder::Little }, written: None }
    }

    /// Returns the type, without its byte order.
    pub fn scalar_type(&self) -> ScalarType {
        self.scalar_type
    }

    /// Returns the byte order, or `None` if the type has none. A string that means the native byte order (`=i4`, `i4`, `int32`) is read as
    /// little-endian, the order of most machines.
    pub fn byte_order(&self) -> Option<ByteOrder> {
        self.scalar_type.has_byte_order().then_some(self.order)
    }

    /// Returns the size of a value in bytes.
    pub fn itemsize(&self) -> usize {
        self.scalar_type.row().size
    }

    /// Writes the code or name as NumPy does. `inner` is whether the scalar is part of a structure or subarray.
    pub(super) fn write(&self, f: &mut fmt::Formatter<'_>, inner: bool) -> fmt::Result {
        let row = self.scalar_type.row();
        match self.byte_order() {
            _ if row.code == ' ' => return f.write_str(row.name),
            Some(ByteOrder::Little) => f.write_char('<')?,
            Some(ByteOrder::Big) => f.write_char('>')?,
            None if inner => {}
            None => f.write_char('|')?,
        }
        match (self.scalar_type, self.scalar_type.length()) {
            (ScalarType::Bool, _) if inner => f.write_char('?')?,
            (ScalarType::Object, _) => f.write_char(row.code)?,
            (_, Some(0)) if inner => f.write_char(row.code)?,
            (_, length) => write!(f, "{}{}", row.code, length.unwrap_or(row.size))?,
        }
        match self.scalar_type.step() {
            Some(step) => write!(f, "[{step}]"),
            None => Ok(()),
        }
    }

    pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Scalar> {
        let word = cursor.word();
        // Names have at least three characters: a word of one or two characters is a code.
        if word.len() < 3 {
            return Scalar::parse_code(cursor);
        }
        let named = FIXED.iter().chain(NAMED).find(|scalar_type| scalar_type.row().name == word);
        let Some(mut scalar_type) = named.copied().or_else(|| alias(word)) else { return Scalar::parse_code(cursor) };
        cursor.eat(word);
        if let ScalarType::Datetime64(step) | ScalarType::Timedelta64(step) = &mut scalar_type {
            *step = TimeStep::parse(cursor)?;
        }
        Ok(Scalar::of(scalar_type, ByteOrder::Little))
    }

    fn parse_code(cursor: &mut Cursor<'_>) -> Result<Scalar> {
        let start = *cursor;
        let prefix = cursor.eat_any("<>=|");
        let expected = if prefix.is_some() { "a type code" } else { "a type code or name" };
        let word = cursor.word();
        // A code is one letter, or one letter and a number. A word with more letters is a name, and `parse` has handled all known names.
        if word.as_bytes().get(1).is_some_and(|byte| !byte.is_ascii_digit()) {
            return Err(cursor.found_instead(expected, word.len()));
        }
        let code = cursor.eat_any("?biufcOSUVMm").ok_or_else(|| cursor.expected(expected))?;
        let has_number = cursor.rest().starts_with(|c: char| c.is_ascii_digit());
        let length = |cursor: &mut Cursor<'_>, limit| if has_number { cursor.number(limit) } else { Ok(0) };
        let scalar_type = match code {
            '?' => ScalarType::Bool,
            'O' => ScalarType::Object,
            'S' => ScalarType::Bytes(length(cursor, MAX_SIZE)?),
            'U' => ScalarType::Str(length(cursor, MAX_SIZE / 4)?),
            'V' => ScalarType::Void(length(cursor, MAX_SIZE)?),
            'M' | 'm' => {
                cursor.expect("8")?;
                let step = TimeStep::parse(cursor)?;
                if code == 'M' { ScalarType::Datetime64(step) } else { ScalarType::Timedelta64(step) }
            }
            _ => {
                let at = *cursor;
                let sizes = match code {
                    'b' => "1",
                    'f' => "2, 4, 8 or 16",
                    'c' => "8, 16 or 32",
                    _ => "1, 2, 4 or 8",
                };
                let size = cursor.number(MAX_SIZE).ok();
                let fixed = FIXED.iter().find(|fixed| fixed.row().code == code && Some(fixed.row().size) == size);
                *fixed.ok_or_else(|| at.found_instead(format_args!("a size of {sizes}"), at.word().len()))?
            }
        };
        if prefix == Some('|') && scalar_type.has_byte_order() {
            return Err(start.found_instead(format_args!("'<', '>' or '=' for {scalar_type}, which has a byte order"), 1));
        }
        let order = if prefix == Some('>') { ByteOrder::Big } else { ByteOrder::Little };
        Ok(Scalar::of(scalar_type, order))
    }
}

/// Writes the scalar's dtype string.
impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.written {
            Some(written) => f.write_str(written),
            None => self.write(f, false),
        }
    }
}
