//! [`CellBuilder`]: builds an Arrow array of the schema's type from values of MessagePack.

use std::sync::Arc;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::{BooleanBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Fields};
use b2nd::RawValue;

use crate::column::element::{self, is_time};
use crate::column::nulls::some_nulls;
use crate::column::text_builder::TextBuilder;
use crate::error::{Error, Result};
use crate::schema::spec::{Kind, Spec};

/// A builder of an array from values of MessagePack.
pub(crate) struct CellBuilder {
    data_type: DataType,
    valid: BooleanBufferBuilder,
    values: Values,
}

enum Values {
    /// Little-endian values of this type and width.
    Fixed(DataType, usize, Vec<u8>),
    Text(TextBuilder),
    Bytes(TextBuilder),
    Json(TextBuilder),
    Dictionary(Box<StringDictionaryBuilder<Int32Type>>),
    List(Arc<Field>, Vec<i32>, Box<CellBuilder>),
    Struct(Fields, Vec<CellBuilder>),
}

impl CellBuilder {
    pub(crate) fn new(spec: &Spec) -> Result<CellBuilder, String> {
        let data_type = spec.data_type()?;
        let values = match (&spec.kind, &data_type) {
            (Kind::Element(DataType::Utf8) | Kind::Utf8 | Kind::VlString, _) => Values::Text(TextBuilder::default()),
            (Kind::Object, _) => Values::Json(TextBuilder::default()),
            (Kind::Element(DataType::Binary | DataType::LargeBinary) | Kind::VlBytes, _) => Values::Bytes(TextBuilder::default()),
            (Kind::Element(element), data_type) => {
                Values::Fixed(element.clone(), data_type.primitive_width().unwrap_or(1), Vec::new())
            }
            (Kind::Dictionary(_), _) => Values::Dictionary(Box::default()),
            (Kind::List(item, _), DataType::List(field)) => {
                Values::List(field.clone(), vec![0], Box::new(CellBuilder::new(item)?))
            }
            (Kind::Struct(specs), DataType::Struct(fields)) => {
                Values::Struct(fields.clone(), specs.iter().map(|(_, spec)| CellBuilder::new(spec)).collect::<Result<_, _>>()?)
            }
            (kind, _) => return Err(format!("{kind:?} is not stored as MessagePack")),
        };
        Ok(CellBuilder { data_type, valid: BooleanBufferBuilder::new(0), values })
    }

    pub(crate) fn len(&self) -> usize {
        self.valid.len()
    }

    /// Appends the next value.
    pub(crate) fn push(&mut self, cell: RawValue) -> Result<()> {
        if cell.encoded() == [0xc0] {
            self.push_null();
            return Ok(());
        }
        match &mut self.values {
            Values::Fixed(element, width, bytes) => fixed(element, *width, cell, bytes)?,
            Values::Text(strings) => strings.push(text(cell)?.as_bytes()),
            Values::Bytes(strings) => {
                let bytes = cell.as_bytes().or_else(|| cell.as_str().map(str::as_bytes));
                strings.push(bytes.ok_or_else(|| unexpected("bytes", cell))?);
            }
            Values::Json(strings) => strings.push(json(cell)?.as_bytes()),
            Values::Dictionary(words) => drop(words.append(text(cell)?)?),
            Values::List(_, offsets, items) => {
                if !is_array(cell) {
                    return Err(unexpected("an array", cell));
                }
                cell.elements().try_for_each(|item| items.push(item))?;
                let end = i32::try_from(items.len());
                offsets.push(end.map_err(|_| Error::damaged("more than 2^31 items in one batch: read fewer rows at once"))?);
            }
            Values::Struct(fields, columns) => {
                if !is_map(cell) {
                    return Err(unexpected("a map", cell));
                }
                let length = self.valid.len() + 1;
                for (at, (name, value)) in cell.entries().enumerate() {
                    let name = text(name)?;
                    // Fields are in the order of the schema, unless another program wrote them.
                    let is_next = fields.get(at).is_some_and(|field| field.name() == name);
                    let place = if is_next { Some(at) } else { fields.iter().position(|field| field.name() == name) };
                    if let Some(column) = place.and_then(|place| columns.get_mut(place)).filter(|column| column.len() < length) {
                        column.push(value)?;
                    }
                }
                columns.iter_mut().filter(|column| column.len() < length).for_each(CellBuilder::push_null);
            }
        }
        self.valid.append(true);
        Ok(())
    }

    pub(crate) fn push_null(&mut self) {
        self.valid.append(false);
        match &mut self.values {
            Values::Fixed(_, width, bytes) => bytes.resize(bytes.len() + *width, 0),
            Values::Text(strings) | Values::Bytes(strings) | Values::Json(strings) => strings.end(),
            Values::Dictionary(words) => words.append_null(),
            Values::List(_, offsets, _) => offsets.push(offsets.last().copied().unwrap_or(0)),
            Values::Struct(_, columns) => columns.iter_mut().for_each(CellBuilder::push_null),
        }
    }

    pub(crate) fn finish(mut self) -> Result<ArrayRef> {
        let length = self.valid.len();
        let nulls = some_nulls(self.valid.finish());
        Ok(match self.values {
            // The type `element` includes the time zone of timestamps.
            Values::Fixed(element, width, bytes) => element::array(&element, &bytes, width, nulls, |at| at as u64)?,
            Values::Text(strings) | Values::Bytes(strings) | Values::Json(strings) => strings.finish(&self.data_type, nulls)?,
            Values::Dictionary(mut words) => Arc::new(words.finish()),
            Values::List(field, offsets, items) => {
                let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
                Arc::new(ListArray::try_new(field, offsets, items.finish()?, nulls)?)
            }
            Values::Struct(fields, columns) => {
                let columns = columns.into_iter().map(CellBuilder::finish).collect::<Result<Vec<_>>>()?;
                Arc::new(StructArray::try_new_with_length(fields, columns, nulls, length)?)
            }
        })
    }
}

fn fixed(element: &DataType, width: usize, cell: RawValue, bytes: &mut Vec<u8>) -> Result<()> {
    let wrong = || unexpected(&element.to_string(), cell);
    // Decoding a list or a map could need much memory.
    let value = if is_array(cell) || is_map(cell) { return Err(wrong()) } else { cell.to_value()? };
    let number = || value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from));
    match element {
        DataType::Boolean => bytes.push(value.as_bool().ok_or_else(wrong)?.into()),
        of if of.is_integer() || is_time(of) => {
            let number = number().ok_or_else(wrong)?;
            let bits = 8 * width;
            let least = if of.is_unsigned_integer() { 0 } else { -(1_i128 << (bits - 1)) };
            if number < least || number >= least + (1_i128 << bits) {
                return Err(Error::damaged(format_args!("{number} does not fit into {element}")));
            }
            bytes.extend_from_slice(number.to_le_bytes().get(..width).unwrap_or_default());
        }
        of if of.is_floating() => {
            let number = value.as_f64().or_else(|| number().map(|number| number as f64)).ok_or_else(wrong)?;
            match width {
                4 => bytes.extend_from_slice(&(number as f32).to_le_bytes()),
                2 => bytes.extend_from_slice(&half::f16::from_f64(number).to_le_bytes()),
                _ => bytes.extend_from_slice(&number.to_le_bytes()),
            }
        }
        _ => return Err(wrong()),
    }
    Ok(())
}

/// Converts a value of MessagePack to the JSON of `b2nd::Value`.
pub(crate) fn json(cell: RawValue) -> Result<String> {
    serde_json::to_string(&cell).map_err(|error| Error::damaged(format_args!("a value cannot be written as JSON: {error}")))
}

pub(crate) fn is_array(cell: RawValue) -> bool {
    matches!(cell.encoded(), [0x90..=0x9f | 0xdc | 0xdd, ..])
}

fn is_map(cell: RawValue) -> bool {
    matches!(cell.encoded(), [0x80..=0x8f | 0xde | 0xdf, ..])
}

fn text(cell: RawValue<'_>) -> Result<&str> {
    cell.as_str().ok_or_else(|| unexpected("text", cell))
}

/// Returns the error for a value of another type.
pub(crate) fn unexpected(expected: &str, found: RawValue) -> Error {
    let found = if is_array(found) {
        format!("an array of {}", found.elements().count())
    } else if is_map(found) {
        format!("a map of {}", found.entries().count())
    } else {
        found.to_value().map_or_else(|error| error.to_string(), |value| value.to_string())
    };
    Error::damaged(format_args!("expected {expected}, found {found}"))
}
