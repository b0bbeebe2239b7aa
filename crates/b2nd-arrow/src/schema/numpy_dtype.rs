//! The Arrow types of NumPy dtypes, and the dtypes of Arrow types.

use arrow_schema::{DataType, Field, TimeUnit};

/// The units of times, as NumPy spells them.
const UNITS: [(&str, TimeUnit); 4] =
    [("s", TimeUnit::Second), ("ms", TimeUnit::Millisecond), ("us", TimeUnit::Microsecond), ("ns", TimeUnit::Nanosecond)];

/// Returns the Arrow type of a NumPy dtype string, or a sentence that explains why the dtype has no Arrow type.
pub(crate) fn data_type(dtype: &str) -> Result<DataType, String> {
    let order = dtype.get(..1).unwrap_or_default();
    if order == ">" {
        return Err(format!("{dtype} is big-endian: only little-endian values can be converted to Arrow"));
    }
    Ok(match (dtype.get(1..2).unwrap_or_default(), dtype.get(2..).unwrap_or_default()) {
        ("b", "1") => DataType::Boolean,
        ("i", "1") => DataType::Int8,
        ("i", "2") => DataType::Int16,
        ("i", "4") => DataType::Int32,
        ("i", "8") => DataType::Int64,
        ("u", "1") => DataType::UInt8,
        ("u", "2") => DataType::UInt16,
        ("u", "4") => DataType::UInt32,
        ("u", "8") => DataType::UInt64,
        ("f", "2") => DataType::Float16,
        ("f", "4") => DataType::Float32,
        ("f", "8") => DataType::Float64,
        ("c", "8") => complex(DataType::Float32),
        ("c", "16") => complex(DataType::Float64),
        ("U", _) => DataType::Utf8,
        ("S", _) => DataType::Binary,
        (kind @ ("M" | "m"), width) => {
            let unit = width.strip_prefix("8[").and_then(|unit| unit.strip_suffix(']')).and_then(time_unit);
            let unit = unit.ok_or_else(|| format!("{dtype} cannot be converted to Arrow: convert it to s, ms, us or ns"))?;
            if kind == "M" { DataType::Timestamp(unit, None) } else { DataType::Duration(unit) }
        }
        _ => return Err(format!("dtype {dtype} cannot be converted to an Arrow type")),
    })
}

/// Returns the NumPy dtype string of an Arrow type of integers, floats, bools, timestamps or durations, in this machine's byte order, or
/// `None` for all other types.
pub(crate) fn dtype(data_type: &DataType) -> Option<String> {
    let unit = |unit: &TimeUnit| UNITS.iter().find(|(_, other)| other == unit).map_or("", |(name, _)| name);
    let width = data_type.primitive_width().unwrap_or(0);
    let code = match data_type {
        DataType::Boolean => "b1".to_owned(),
        DataType::Timestamp(of, _) => format!("M8[{}]", unit(of)),
        DataType::Duration(of) => format!("m8[{}]", unit(of)),
        number if number.is_signed_integer() => format!("i{width}"),
        number if number.is_unsigned_integer() => format!("u{width}"),
        number if number.is_floating() => format!("f{width}"),
        _ => return None,
    };
    let order = if cfg!(target_endian = "big") { '>' } else { '<' };
    Some(format!("{}{code}", if code.ends_with('1') { '|' } else { order }))
}

/// Returns true if values of an Arrow type may be stored as this dtype. Nullable bools may be stored with the dtype |u1.
pub(crate) fn is_stored_as(of: &DataType, dtype: &str) -> bool {
    let digits = |start: &str| dtype.strip_prefix(start).is_some_and(|width| width.parse::<u32>().is_ok());
    match of {
        DataType::Boolean => matches!(dtype, "|b1" | "|u1"),
        DataType::Utf8 => digits("<U"),
        DataType::Binary | DataType::LargeBinary => digits("|S") || digits("S"),
        // Columns of timestamps are stored as int64, and columns of arrays of timestamps as datetime64.
        DataType::Timestamp(..) if dtype == "<i8" => true,
        other => {
            let is_ordered = dtype.starts_with(if other.primitive_width() == Some(1) { '|' } else { '<' });
            is_ordered && data_type(dtype).is_ok_and(|found| found == *other)
        }
    }
}

pub(crate) fn is_time(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Timestamp(..) | DataType::Duration(_))
}

/// Returns the Arrow type of complex numbers: a struct of the real and the imaginary part, which are never null.
pub(crate) fn complex(part: DataType) -> DataType {
    DataType::Struct(["re", "im"].map(|name| Field::new(name, part.clone(), false)).into_iter().collect())
}

/// Returns true if this is the type of complex numbers: a struct of `re` and `im`, which have the same type and are not nullable.
pub(crate) fn is_complex(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Struct(parts) if parts.first().is_some_and(|part| *data_type == complex(part.data_type().clone())))
}

pub(crate) fn time_unit(name: &str) -> Option<TimeUnit> {
    UNITS.iter().find(|(other, _)| *other == name).map(|(_, unit)| *unit)
}
