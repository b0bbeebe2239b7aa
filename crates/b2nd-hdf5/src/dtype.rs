//! Converts the types of HDF5 to dtypes.

use b2nd::dtype::{DType, Struct, Subarray};
use b2nd::{Error, Result};
use hdf5_reader::{ByteOrder, Datatype, ReferenceType, StringSize, VarLenKind};

/// Returns the dtype that h5py, or PyTables for a file that PyTables wrote, has for a type. HDF5's time type becomes opaque bytes.
pub(crate) fn dtype(datatype: &Datatype, is_pytables: bool) -> Result<DType> {
    let refused = |what: &str| Err(Error::custom(format_args!("the values are {what}, which are not supported")));
    let number = |kind: &str, order: &ByteOrder, size: u8| match order {
        _ if size == 1 => format!("|{kind}1").parse(),
        ByteOrder::LittleEndian => format!("<{kind}{size}").parse(),
        ByteOrder::BigEndian => format!(">{kind}{size}").parse(),
    };
    match datatype {
        Datatype::FixedPoint { size: size @ (1 | 2 | 4 | 8), signed, byte_order } => {
            number(if *signed { "i" } else { "u" }, byte_order, *size)
        }
        Datatype::FloatingPoint { size: size @ (2 | 4 | 8), byte_order } => number("f", byte_order, *size),
        Datatype::Bitfield { size: 1, .. } if is_pytables => "|b1".parse(),
        Datatype::Bitfield { size: size @ (1 | 2 | 4 | 8), byte_order } => number("u", byte_order, *size),
        Datatype::Enum { .. } if is_bool(datatype) => "|b1".parse(),
        Datatype::Enum { base, .. } => dtype(base, is_pytables),
        Datatype::String { size: StringSize::Fixed(size), .. } => format!("|S{size}").parse(),
        Datatype::Compound { size, fields } => match complex(datatype) {
            Some((order, half)) => number("c", &order, half * 2),
            None => {
                let mut parts = Vec::new();
                for field in fields {
                    let inner = dtype(&field.datatype, is_pytables)
                        .map_err(|error| Error::custom(format_args!("field {:?}: {error}", field.name)))?;
                    parts.push((field.name.as_str(), field.byte_offset as usize, inner));
                }
                Ok(DType::Struct(Struct::with_offsets(parts, *size as usize)?))
            }
        },
        Datatype::Array { base, dims } => {
            let dims: Vec<_> = dims.iter().map(|&length| usize::try_from(length).unwrap_or(usize::MAX)).collect();
            Ok(DType::Subarray(Subarray::new(dtype(base, is_pytables)?, &dims)?))
        }
        // h5py stores dates as opaque bytes with NumPy's dtype in the tag.
        Datatype::Opaque { size, tag } => {
            let known = tag.strip_prefix("NUMPY:").and_then(|dtype| dtype.trim_end_matches('\0').parse::<DType>().ok());
            match known.filter(|dtype| dtype.itemsize() == *size as usize) {
                Some(dtype) => Ok(dtype),
                None => format!("|V{size}").parse(),
            }
        }
        Datatype::String { size: StringSize::Variable, .. } | Datatype::VarLen { kind: VarLenKind::String, .. } => {
            refused("strings of variable length")
        }
        Datatype::VarLen { .. } => refused("sequences of variable length"),
        Datatype::Reference { ref_type: ReferenceType::Object, .. } => refused("references to objects"),
        Datatype::Reference { .. } => refused("references to regions of datasets"),
        Datatype::FloatingPoint { size, .. } => refused(&format!("{size}-byte floats")),
        Datatype::FixedPoint { size, .. } => refused(&format!("{size}-byte integers")),
        Datatype::Bitfield { size, .. } => refused(&format!("{size}-byte bitfields")),
    }
}

/// Returns true if the numbers of a type use all of their bits, and floats have the format of IEEE 754. `raw` is the encoding of the type in
/// the file, since `datatype` lacks these properties. It is shortened to what follows the last number.
pub(crate) fn has_usual_numbers(datatype: &Datatype, raw: &mut &[u8]) -> bool {
    // The positions and lengths of the exponent and of the mantissa, and the bias of the exponent.
    let (size, float): (u8, &[u8]) = match datatype {
        Datatype::FixedPoint { size, .. } | Datatype::Bitfield { size, .. } => (*size, &[]),
        Datatype::FloatingPoint { size: 2, .. } => (2, &[10, 5, 0, 10, 15, 0, 0, 0]),
        Datatype::FloatingPoint { size: 4, .. } => (4, &[23, 8, 0, 23, 127, 0, 0, 0]),
        Datatype::FloatingPoint { size, .. } => (*size, &[52, 11, 0, 52, 0xff, 3, 0, 0]),
        Datatype::Enum { base, .. } | Datatype::Array { base, .. } => return has_usual_numbers(base, raw),
        Datatype::Compound { fields, .. } => return fields.iter().all(|field| has_usual_numbers(&field.datatype, raw)),
        _ => return true,
    };
    // The size as uint32, the offset of the first bit and the number of bits.
    let encoded = [&[size, 0, 0, 0, 0, 0, size.wrapping_mul(8), 0], float].concat();
    let at = raw.windows(encoded.len()).position(|bytes| bytes == encoded);
    // Three bytes of flags precede the size. In those of a float, 0x20 means that the first bit of the mantissa is implied.
    let flags = at.and_then(|at| raw.get(at.checked_sub(3)?));
    let rest = at.filter(|_| float.is_empty() || flags.is_some_and(|flags| flags & 0x30 == 0x20));
    let rest = rest.and_then(|at| raw.get(at + encoded.len()..));
    *raw = rest.unwrap_or_default();
    rest.is_some()
}

/// Returns true for the type by which h5py stores booleans.
pub(crate) fn is_bool(datatype: &Datatype) -> bool {
    let Datatype::Enum { base, members } = datatype else { return false };
    let has = |name: &str, value: u8| members.iter().any(|it| it.name == name && it.value == [value]);
    matches!(**base, Datatype::FixedPoint { size: 1, .. }) && members.len() == 2 && has("FALSE", 0) && has("TRUE", 1)
}

/// Returns the byte order and the size of a part if the type is a complex number, which h5py and PyTables store as fields `r` and `i`.
fn complex(datatype: &Datatype) -> Option<(ByteOrder, u8)> {
    let Datatype::Compound { size, fields } = datatype else { return None };
    let [real, imaginary] = fields.as_slice() else { return None };
    let Datatype::FloatingPoint { size: half @ (4 | 8), byte_order } = real.datatype else { return None };
    let is_packed = real.byte_offset == 0 && imaginary.byte_offset == u32::from(half) && *size == 2 * u32::from(half);
    let is_complex = (real.name.as_str(), imaginary.name.as_str()) == ("r", "i") && real.datatype == imaginary.datatype;
    (is_packed && is_complex).then_some((byte_order, half))
}
