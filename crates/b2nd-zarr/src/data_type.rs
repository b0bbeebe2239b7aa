//! Converts dtypes of NumPy to data types of Zarr and back.

use b2nd::dtype::{ByteOrder, DType, Field, Scalar, ScalarType, TimeStep};
use serde_json::{Value, json};

use crate::error::{Error, Result};

/// A Zarr data type, its fill value, and the byte order of the stored elements.
pub(crate) struct ZarrType {
    /// The value of `data_type` in `zarr.json`.
    pub(crate) data_type: Value,
    /// The value of `fill_value` in `zarr.json`, which represents bytes that are 0.
    pub(crate) fill_value: Value,
    /// The byte order of the stored elements, or `None` if they have no byte order or are structures.
    pub(crate) order: Option<ByteOrder>,
    /// The number of bytes that are reversed together if the byte order is swapped, for example the length of an element, of one part of a
    /// complex number, or of a character.
    pub(crate) word: usize,
}

pub(crate) fn to_zarr(dtype: &DType) -> Result<ZarrType> {
    let none = || Error::NoDataType { dtype: dtype.to_string() };
    let scalar = match dtype {
        DType::Scalar(scalar) => scalar,
        DType::Struct(structure) => {
            let (mut fields, mut end) = (Vec::new(), 0);
            for field in structure.fields() {
                fields.push(structured_field(field, end).ok_or_else(none)?);
                end += field.dtype().itemsize();
            }
            // A structure in Zarr cannot have padding.
            if end != structure.itemsize() || end == 0 {
                return Err(none());
            }
            return Ok(ZarrType {
                data_type: json!({"name": "structured", "configuration": {"fields": fields}}),
                fill_value: zeros_base64(end),
                order: None,
                word: 1,
            });
        }
        _ => return Err(none()),
    };
    let time = |name: &str, step: Option<TimeStep>| {
        let (unit, count) = match step {
            Some(step) => (TimeStep { count: 1, ..step }.to_string(), step.count),
            None => ("generic".to_owned(), 1),
        };
        json!({"name": name, "configuration": {"unit": unit, "scale_factor": count}})
    };
    let bytes = |name: &str, length: usize| json!({"name": name, "configuration": {"length_bytes": length}});
    let itemsize = scalar.itemsize();
    let (data_type, fill_value, word) = match scalar.scalar_type() {
        ScalarType::Bool => (json!("bool"), json!(false), 1),
        ScalarType::Datetime64(step) => (time("numpy.datetime64", step), json!(0), 8),
        ScalarType::Timedelta64(step) => (time("numpy.timedelta64", step), json!(0), 8),
        ScalarType::Str(1..) => (bytes("fixed_length_utf32", itemsize), json!(""), 4),
        ScalarType::Bytes(1..) => (bytes("null_terminated_bytes", itemsize), json!(""), 1),
        ScalarType::Void(1..) => (bytes("raw_bytes", itemsize), zeros_base64(itemsize), 1),
        plain => {
            let name = plain.to_string();
            let fill_value = match plain {
                ScalarType::Complex64 | ScalarType::Complex128 => json!([0.0, 0.0]),
                ScalarType::Float16 | ScalarType::Float32 | ScalarType::Float64 | ScalarType::BFloat16 => json!(0.0),
                _ if is_integer(plain) => json!(0),
                _ => return Err(none()),
            };
            let word = if fill_value.is_array() { itemsize / 2 } else { itemsize };
            (json!(name), fill_value, word)
        }
    };
    Ok(ZarrType { data_type, fill_value, order: scalar.byte_order(), word })
}

fn is_integer(scalar: ScalarType) -> bool {
    use ScalarType::{Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
    matches!(scalar, Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64)
}

fn zeros_base64(length: usize) -> Value {
    use base64::Engine;
    json!(base64::engine::general_purpose::STANDARD.encode(vec![0; length]))
}

/// Describes a field of a structure for Zarr. Returns `None` if the field does not start at `start`, is not a scalar, is big-endian, or has
/// no Zarr data type.
fn structured_field(field: &Field, start: usize) -> Option<Value> {
    let is_plain = matches!(field.dtype(), DType::Scalar(scalar) if scalar.byte_order() != Some(ByteOrder::Big));
    let data_type = to_zarr(field.dtype()).ok().filter(|_| is_plain && field.offset() == start)?.data_type;
    Some(json!([field.name(), data_type]))
}

/// Converts a dtype to the machine's byte order. Returns `None` if the dtype is not a scalar.
pub(crate) fn native(dtype: DType) -> Option<DType> {
    let DType::Scalar(scalar) = dtype else { return None };
    let scalar = Scalar::new(scalar.scalar_type(), ByteOrder::NATIVE).ok()?;
    Some(DType::Scalar(scalar).into_canonical())
}

/// Returns the dtype for a Zarr data type, in the machine's byte order. Returns `None` if no dtype corresponds to the data type.
pub(crate) fn from_zarr(data_type: &Value) -> Option<DType> {
    let name = data_type.as_str().or_else(|| data_type["name"].as_str())?;
    let configuration = &data_type["configuration"];
    let length = || configuration["length_bytes"].as_u64();
    let code = match name {
        "numpy.datetime64" | "numpy.timedelta64" => {
            let code = if name == "numpy.datetime64" { "<M8" } else { "<m8" };
            match (configuration["unit"].as_str()?, configuration["scale_factor"].as_u64().unwrap_or(1)) {
                ("generic", _) => code.to_owned(),
                (unit, 1) => format!("{code}[{unit}]"),
                (unit, count) => format!("{code}[{count}{unit}]"),
            }
        }
        "fixed_length_utf32" => format!("<U{}", length()? / 4),
        "null_terminated_bytes" => format!("|S{}", length()?),
        "raw_bytes" => format!("|V{}", length()?),
        "structured" => {
            let fields = configuration["fields"].as_array()?.iter();
            let fields = fields.map(|field| Some((field[0].as_str()?.to_owned(), from_zarr(&field[1])?)));
            return b2nd::dtype::Struct::packed(fields.collect::<Option<Vec<_>>>()?).ok().map(DType::Struct);
        }
        _ => match name.strip_prefix('r').and_then(|bits| bits.parse::<usize>().ok()) {
            Some(bits) if bits % 8 == 0 => format!("|V{}", bits / 8),
            Some(_) => return None,
            None => name.to_owned(),
        },
    };
    // Names of Python types, such as `int`, are valid dtypes, but not Zarr data types.
    let dtype = code.parse().ok().and_then(native)?;
    to_zarr(&dtype).ok().filter(|zarr| code != name || zarr.data_type == name)?;
    Some(dtype)
}
