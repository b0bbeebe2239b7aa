//! Converts attributes to values of MessagePack.

use std::collections::BTreeSet;

use b2nd_frame::{Error, Result, Target, Writer};
use hdf5_reader::{ByteOrder, Datatype, RawAttribute, StringSize, dtype_element_size};
use rmpv::Value;

use crate::dtype::{has_usual_numbers, is_bool};

/// The attribute of a frame with the dataset's filters, the attributes that the frame's trailer cannot hold, and the names of those
/// that cannot be read or converted.
const HDF5: &str = "hdf5";

/// The name of a frame's attribute that holds attributes that PyTables writes for its own use.
const PYTABLES: &str = "pytables";

/// Prefixes of the names of attributes that PyTables writes for its own use.
const OF_PYTABLES: [&str; 8] = ["CLASS", "EXTDIM", "FIELD_", "FLAVOR", "NROWS", "PYTABLES_FORMAT_VERSION", "TITLE", "VERSION"];

/// The number of attributes that a trailer can hold besides [`HDF5`] and [`PYTABLES`].
const ATTRIBUTES: usize = 14;

/// An attribute: its name and its value. The value is `None` if it cannot be read or converted, for example if it is a reference, a
/// sequence of variable length or a 16-bit float.
pub type Attribute = (String, Option<Value>);

/// Converts the attributes of a dataset or a group. `raw` has the same attributes with the encodings of their types.
pub(crate) fn values(all: &[hdf5_reader::Attribute], raw: &[RawAttribute]) -> Vec<Attribute> {
    let usual = |raw: &&RawAttribute| has_usual_numbers(&raw.message().datatype, &mut raw.raw_datatype());
    let usual: BTreeSet<_> = raw.iter().filter(usual).map(RawAttribute::name).collect();
    let value = |attribute: &hdf5_reader::Attribute| value(attribute).filter(|_| usual.contains(&*attribute.name));
    all.iter().map(|attribute| (attribute.name.clone(), value(attribute))).collect()
}

/// Returns the value of an attribute, or `None` if it cannot be converted. Arrays become lists, and structures become maps. A list of one
/// element becomes the element, unless it is a string of variable length: netCDF stores a number in this way, and has no lists of one
/// number.
fn value(attribute: &hdf5_reader::Attribute) -> Option<Value> {
    match &attribute.decoded_strings {
        Some(strings) => {
            let mut strings = strings.iter();
            list(&attribute.shape, &mut || strings.next().map(|text| text.as_str().into()))
        }
        // PyTables stores an empty string with a null dataspace, for which hdf5-reader returns this shape.
        None if attribute.shape == [0] && matches!(attribute.datatype, Datatype::String { .. }) => Some("".into()),
        None if attribute.shape == [1] => elements(&attribute.datatype, &[], &attribute.raw_data),
        None => elements(&attribute.datatype, &attribute.shape, &attribute.raw_data),
    }
}

/// Returns nested lists of elements.
fn elements(datatype: &Datatype, lengths: &[u64], bytes: &[u8]) -> Option<Value> {
    let mut parts = bytes.chunks_exact(dtype_element_size(datatype).ok().filter(|&size| size > 0)?);
    list(lengths, &mut || element(datatype, parts.next()?))
}

fn list(lengths: &[u64], next: &mut dyn FnMut() -> Option<Value>) -> Option<Value> {
    match lengths.split_first() {
        None => next(),
        // Lists of empty lists can have any length, although they take no bytes.
        Some((1.., inner)) if inner.contains(&0) => None,
        Some((&length, inner)) => (0..length).map(|_| list(inner, next)).collect::<Option<_>>().map(Value::Array),
    }
}

fn element(datatype: &Datatype, bytes: &[u8]) -> Option<Value> {
    Some(match datatype {
        Datatype::FixedPoint { signed: true, byte_order, size } => {
            let unused = 64_u32.checked_sub(u32::from(*size) * 8)?;
            Value::from((u64::from_le_bytes(widened(bytes, *byte_order)?) << unused) as i64 >> unused)
        }
        Datatype::FixedPoint { byte_order, .. } | Datatype::Bitfield { byte_order, .. } => {
            Value::from(u64::from_le_bytes(widened(bytes, *byte_order)?))
        }
        Datatype::FloatingPoint { size: 4, byte_order } => {
            Value::from(f32::from_le_bytes(widened(bytes, *byte_order)?.first_chunk().copied()?))
        }
        Datatype::FloatingPoint { size: 8, byte_order } => Value::from(f64::from_le_bytes(widened(bytes, *byte_order)?)),
        Datatype::Enum { .. } if is_bool(datatype) => Value::from(bytes != [0]),
        Datatype::Enum { base, .. } => element(base, bytes)?,
        Datatype::String { size: StringSize::Fixed(_), .. } => {
            let text = bytes.split(|&byte| byte == 0).next()?;
            std::str::from_utf8(text).map_or_else(|_| text.into(), Value::from)
        }
        Datatype::Compound { fields, .. } => {
            let value = |field: &hdf5_reader::CompoundField| {
                let part = bytes.get(field.byte_offset as usize..)?.get(..dtype_element_size(&field.datatype).ok()?)?;
                Some((field.name.as_str().into(), element(&field.datatype, part)?))
            };
            Value::Map(fields.iter().map(value).collect::<Option<_>>()?)
        }
        Datatype::Array { base, dims } => elements(base, dims, bytes)?,
        Datatype::Opaque { .. } => bytes.into(),
        _ => return None,
    })
}

/// Returns the bytes of a number in little-endian order, extended to 8 bytes.
fn widened(bytes: &[u8], order: ByteOrder) -> Option<[u8; 8]> {
    let mut wide = [0; 8];
    let number = wide.get_mut(..bytes.len())?;
    number.copy_from_slice(bytes);
    if order == ByteOrder::BigEndian {
        number.reverse();
    }
    Some(wide)
}

/// Sets the attributes of a frame. Those that the trailer cannot hold, for example because there are too many or their names are too long,
/// become a map in the attribute [`HDF5`], after `entries`. Those with a prefix in [`OF_PYTABLES`] become entries of [`PYTABLES`], if
/// PyTables wrote the file.
pub(crate) fn set_attributes<T: Target>(
    writer: &mut Writer<T>,
    all: &[Attribute],
    is_pytables: bool,
    mut entries: Vec<(Value, Value)>,
) -> Result<()> {
    let (mut others, mut pytables, mut unread, mut count) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for (name, value) in all {
        match value {
            Some(value) if is_pytables && OF_PYTABLES.iter().any(|start| name.starts_with(start)) => {
                pytables.push((name.as_str().into(), value.clone()));
            }
            None => unread.push(Value::from(name.as_str())),
            Some(value)
                if ![HDF5, PYTABLES].contains(&name.as_str())
                    && count < ATTRIBUTES
                    && writer.set_vlmetalayer_bytes(name, &packed(value)?).is_ok() =>
            {
                count += 1
            }
            Some(value) => others.push((name.as_str().into(), value.clone())),
        }
    }
    if !pytables.is_empty() {
        writer.set_vlmetalayer_bytes(PYTABLES, &packed(&Value::Map(pytables))?)?;
    }
    if !others.is_empty() {
        entries.push(("attributes".into(), Value::Map(others)));
    }
    if !unread.is_empty() {
        entries.push(("unsupported attributes".into(), Value::Array(unread)));
    }
    if entries.is_empty() { Ok(()) } else { writer.set_vlmetalayer_bytes(HDF5, &packed(&Value::Map(entries))?) }
}

fn packed(value: &Value) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    rmpv::encode::write_value(&mut bytes, value).map_err(Error::custom)?;
    Ok(bytes)
}
