//! [`CellBuilder`]: builds an Arrow array of the schema's type from values of MessagePack.

use std::sync::Arc;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::{BooleanBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Fields};

use b2nd::msgpack::{Cursor, Token};

use crate::column::element;
use crate::column::nulls::some_nulls;
use crate::column::text_builder::TextBuilder;
use crate::error::{Error, Result};
use crate::schema::numpy_dtype::is_time;
use crate::schema::spec::{Kind, Spec};

/// A builder of an array from values of MessagePack.
pub(crate) struct CellBuilder {
    data_type: DataType,
    valid: BooleanBufferBuilder,
    values: CellValues,
}

enum CellValues {
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
            (Kind::Element(DataType::Utf8) | Kind::Utf8 | Kind::VlString, _) => CellValues::Text(TextBuilder::default()),
            (Kind::Object, _) => CellValues::Json(TextBuilder::default()),
            (Kind::Element(DataType::Binary | DataType::LargeBinary) | Kind::VlBytes, _) => {
                CellValues::Bytes(TextBuilder::default())
            }
            (Kind::Element(element), data_type) => {
                CellValues::Fixed(element.clone(), data_type.primitive_width().unwrap_or(1), Vec::new())
            }
            (Kind::Dictionary(_), _) => CellValues::Dictionary(Box::default()),
            (Kind::List(item, _), DataType::List(field)) => {
                CellValues::List(field.clone(), vec![0], Box::new(CellBuilder::new(item)?))
            }
            (Kind::Struct(specs), DataType::Struct(fields)) => CellValues::Struct(
                fields.clone(),
                specs.iter().map(|(_, spec)| CellBuilder::new(spec)).collect::<Result<_, _>>()?,
            ),
            (_, data_type) => return Err(format!("values of the type {data_type} cannot be read from MessagePack")),
        };
        Ok(CellBuilder { data_type, valid: BooleanBufferBuilder::new(0), values })
    }

    pub(crate) fn len(&self) -> usize {
        self.valid.len()
    }

    /// Reads the next value from `cursor`, and appends it.
    pub(crate) fn push(&mut self, cursor: &mut Cursor) -> Result<()> {
        let before = *cursor;
        let item = cursor.token()?;
        if matches!(item, Token::Nil) {
            self.push_null();
            return Ok(());
        }
        match &mut self.values {
            CellValues::Fixed(element, width, bytes) => fixed(element, *width, item, bytes)?,
            CellValues::Text(strings) => strings.push(text(item)?.as_bytes()),
            CellValues::Bytes(strings) => match item {
                Token::Bytes(bytes) | Token::Str(bytes) => strings.push(bytes),
                item => return Err(unexpected("bytes", &item)),
            },
            CellValues::Json(strings) => {
                *cursor = before;
                strings.push(json(cursor.entry()?)?.as_bytes());
            }
            CellValues::Dictionary(words) => drop(words.append(text(item)?)?),
            CellValues::List(_, offsets, items) => {
                let Token::Array(count) = item else { return Err(unexpected("an array", &item)) };
                for _ in 0..count {
                    items.push(cursor)?;
                }
                let end = i32::try_from(items.len());
                offsets.push(end.map_err(|_| Error::damaged("2^31 or more list items in one batch: read fewer rows at once"))?);
            }
            CellValues::Struct(fields, columns) => {
                let Token::Map(count) = item else { return Err(unexpected("a map", &item)) };
                let length = self.valid.len() + 1;
                for at in 0..count {
                    let name = text(cursor.token()?)?;
                    // The field at the same position is tried first, because python-blosc2 writes fields in the order of the schema.
                    let is_next = fields.get(at).is_some_and(|field| field.name() == name);
                    let place = if is_next { Some(at) } else { fields.iter().position(|field| field.name() == name) };
                    match place.and_then(|place| columns.get_mut(place)).filter(|column| column.len() < length) {
                        Some(column) => column.push(cursor)?,
                        None => _ = cursor.entry()?,
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
            CellValues::Fixed(_, width, bytes) => bytes.resize(bytes.len() + *width, 0),
            CellValues::Text(strings) | CellValues::Bytes(strings) | CellValues::Json(strings) => strings.end(),
            CellValues::Dictionary(words) => words.append_null(),
            CellValues::List(_, offsets, _) => offsets.push(offsets.last().copied().unwrap_or(0)),
            CellValues::Struct(_, columns) => columns.iter_mut().for_each(CellBuilder::push_null),
        }
    }

    pub(crate) fn finish(mut self) -> Result<ArrayRef> {
        let length = self.valid.len();
        let nulls = some_nulls(self.valid.finish());
        Ok(match self.values {
            CellValues::Fixed(element, width, mut bytes) => {
                bytes.shrink_to_fit();
                element::array(&element, bytes, width, nulls, |at| at as u64)?
            }
            CellValues::Text(strings) | CellValues::Bytes(strings) | CellValues::Json(strings) => {
                strings.finish(&self.data_type, nulls)?
            }
            CellValues::Dictionary(mut words) => Arc::new(words.finish()),
            CellValues::List(field, offsets, items) => {
                let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
                Arc::new(ListArray::try_new(field, offsets, items.finish()?, nulls)?)
            }
            CellValues::Struct(fields, columns) => {
                let columns = columns.into_iter().map(CellBuilder::finish).collect::<Result<Vec<_>>>()?;
                Arc::new(StructArray::try_new_with_length(fields, columns, nulls, length)?)
            }
        })
    }
}

fn fixed(element: &DataType, width: usize, item: Token, bytes: &mut Vec<u8>) -> Result<()> {
    let outside = |number: i128| Error::damaged(format_args!("{number} does not fit into {element}"));
    match (element, item) {
        (DataType::Boolean, Token::Bool(value)) => bytes.push(value.into()),
        (DataType::Boolean, Token::Int(number @ 0..=1)) => bytes.push((number == 1).into()),
        (of, item) if of.is_integer() || is_time(of) => {
            let number = match item {
                Token::Int(number) => number,
                item => return Err(unexpected(&element.to_string(), &item)),
            };
            let bits = 8 * width;
            let least = if of.is_unsigned_integer() { 0 } else { -(1_i128 << (bits - 1)) };
            if number < least || number >= least + (1_i128 << bits) {
                return Err(outside(number));
            }
            bytes.extend_from_slice(number.to_le_bytes().get(..width).unwrap_or_default());
        }
        (of, item) if of.is_floating() => {
            let number = match item {
                Token::Float(number) => number,
                Token::Int(number) => number as f64,
                item => return Err(unexpected(&element.to_string(), &item)),
            };
            match width {
                4 => bytes.extend_from_slice(&(number as f32).to_le_bytes()),
                2 => bytes.extend_from_slice(&half::f16::from_f64(number).to_le_bytes()),
                _ => bytes.extend_from_slice(&number.to_le_bytes()),
            }
        }
        (element, item) => return Err(unexpected(&element.to_string(), &item)),
    }
    Ok(())
}

/// Converts a value of MessagePack to the JSON of `b2nd::Value`.
pub(crate) fn json(value: &[u8]) -> Result<String> {
    let value = b2nd::Value::from_slice(value)?;
    serde_json::to_string(&value).map_err(|error| Error::damaged(format_args!("a value cannot be written as JSON: {error}")))
}

fn text<'a>(item: Token<'a>) -> Result<&'a str> {
    match item {
        Token::Str(bytes) => {
            std::str::from_utf8(bytes).map_err(|error| Error::damaged(format_args!("text is not UTF-8: {error}")))
        }
        item => Err(unexpected("text", &item)),
    }
}

pub(crate) fn unexpected(expected: &str, found: &Token) -> Error {
    let found = match found {
        Token::Nil => "nil".to_owned(),
        Token::Bool(value) => value.to_string(),
        Token::Int(number) => number.to_string(),
        Token::Float(number) => format!("{number:?}"),
        Token::Str(_) => "text".to_owned(),
        Token::Bytes(_) => "bytes".to_owned(),
        Token::Ext(kind, _) => format!("an extension {kind}"),
        Token::Array(count) => format!("an array of length {count}"),
        Token::Map(count) => format!("a map of length {count}"),
    };
    Error::damaged(format_args!("expected {expected}, found {found}"))
}
