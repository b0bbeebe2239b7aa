//! Blocks of Arrow IPC: a stream, or a record batch message alone, with one column. No length in them is trusted.

use std::collections::HashMap;

use arrow_array::{ArrayRef, make_array};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_ipc::{self as ipc, FieldNode, MessageHeader, Precision, Type};
use arrow_schema::{DataType, Field, TimeUnit};

use crate::error::{Error, Result};
use crate::kinds::item;

/// The start of a message since Arrow 0.15.
const CONTINUATION: u32 = u32::MAX;

/// The deepest nesting of types.
const MAX_DEPTH: usize = 64;

/// The type of a column as its writer has it, and of its dictionaries the numbers.
struct Column {
    data_type: DataType,
    dictionary: Option<i64>,
    children: Vec<Column>,
}

/// The array in a block. `schema` is a schema message, for blocks that hold no more than a record batch.
pub(crate) fn column(block: &[u8], schema: Option<&[u8]>) -> Result<ArrayRef> {
    let mut column = None;
    let mut dictionaries = HashMap::new();
    let mut rest = block;
    while let Some((message, body)) = message(&mut rest)? {
        match message.header_type() {
            MessageHeader::Schema => column = Some(schema_of(&message)?),
            MessageHeader::DictionaryBatch => {
                let batch = message.header_as_dictionary_batch().ok_or_else(|| wrong("a dictionary without a batch"))?;
                let (column, data) = (column.as_ref(), batch.data());
                let values = column.and_then(|column: &Column| column.values_of(batch.id()));
                let (Some(values), Some(data), false) = (values, data, batch.isDelta()) else {
                    return Err(wrong("a dictionary that belongs to no column"));
                };
                let array = Body::new(data, &body, &HashMap::new())?.array(&values, MAX_DEPTH)?;
                dictionaries.insert(batch.id(), array);
            }
            MessageHeader::RecordBatch => {
                let column = match (column, schema) {
                    (Some(column), _) => column,
                    (None, Some(mut schema)) => match self::message(&mut schema)? {
                        Some((message, _)) => schema_of(&message)?,
                        None => return Err(wrong("a schema that is empty")),
                    },
                    (None, None) => return Err(wrong("a record batch before its schema")),
                };
                let batch = message.header_as_record_batch().ok_or_else(|| wrong("a record batch that is none"))?;
                return Ok(make_array(Body::new(batch, &body, &dictionaries)?.array(&column, MAX_DEPTH)?));
            }
            other => return Err(wrong(format_args!("a message {other:?}"))),
        }
    }
    Err(wrong("no record batch"))
}

/// The next message and its body; `None` at the end.
fn message<'a>(rest: &mut &'a [u8]) -> Result<Option<(ipc::Message<'a>, Buffer)>> {
    let mut take = |length: usize| {
        let (taken, after) = rest.split_at_checked(length)?;
        *rest = after;
        Some(taken)
    };
    let mut word = || take(4).and_then(|word| word.try_into().ok()).map(u32::from_le_bytes);
    let length = match word() {
        None => return Ok(None),
        Some(CONTINUATION) => word().ok_or_else(|| wrong("no length"))?,
        Some(length) => length,
    };
    if length == 0 {
        return Ok(None);
    }
    let end = || wrong("a message that ends early");
    let metadata = usize::try_from(length).ok().and_then(&mut take).ok_or_else(end)?;
    let message = ipc::root_as_message(metadata).map_err(|error| wrong(format_args!("a message that is none: {error}")))?;
    let body = usize::try_from(message.bodyLength()).ok().and_then(take).ok_or_else(end)?;
    Ok(Some((message, Buffer::from(body))))
}

fn schema_of(message: &ipc::Message) -> Result<Column> {
    let fields = message.header_as_schema().and_then(|schema| schema.fields());
    let fields = fields.ok_or_else(|| wrong("a schema without fields"))?;
    if fields.len() != 1 {
        return Err(wrong(format_args!("{} columns, expected one", fields.len())));
    }
    Column::of(&fields.get(0), MAX_DEPTH)
}

impl Column {
    fn of(field: &ipc::Field, depth: usize) -> Result<Column> {
        let depth = depth.checked_sub(1).ok_or_else(|| wrong("types that nest too deep"))?;
        let children = field.children().into_iter().flatten().map(|child| Column::of(&child, depth));
        let children = children.collect::<Result<Vec<_>>>()?;
        let plain = match field.type_type() {
            Type::Bool => Some(DataType::Boolean),
            Type::Int => field.type_as_int().and_then(|int| integer(int.bitWidth(), int.is_signed())),
            Type::FloatingPoint => field.type_as_floating_point().and_then(|float| match float.precision() {
                Precision::HALF => Some(DataType::Float16),
                Precision::SINGLE => Some(DataType::Float32),
                Precision::DOUBLE => Some(DataType::Float64),
                _ => None,
            }),
            Type::Utf8 => Some(DataType::Utf8),
            Type::LargeUtf8 => Some(DataType::LargeUtf8),
            Type::Binary => Some(DataType::Binary),
            Type::LargeBinary => Some(DataType::LargeBinary),
            Type::Timestamp => field.type_as_timestamp().and_then(|time| {
                let unit = match time.unit() {
                    ipc::TimeUnit::SECOND => TimeUnit::Second,
                    ipc::TimeUnit::MILLISECOND => TimeUnit::Millisecond,
                    ipc::TimeUnit::MICROSECOND => TimeUnit::Microsecond,
                    ipc::TimeUnit::NANOSECOND => TimeUnit::Nanosecond,
                    _ => return None,
                };
                Some(DataType::Timestamp(unit, time.timezone().map(Into::into)))
            }),
            Type::List | Type::LargeList => match children.as_slice() {
                [child] if field.type_type() == Type::List => Some(DataType::List(item(child.data_type.clone()).into())),
                [child] => Some(DataType::LargeList(item(child.data_type.clone()).into())),
                _ => None,
            },
            Type::Struct_ => {
                let names = field.children().into_iter().flatten();
                let fields = names
                    .zip(&children)
                    .map(|(field, child)| Field::new(field.name().unwrap_or_default(), child.data_type.clone(), true));
                Some(DataType::Struct(fields.collect()))
            }
            _ => None,
        };
        let data_type = plain.ok_or_else(|| wrong(format_args!("a type {:?} that no column has", field.type_type())))?;
        let Some(dictionary) = field.dictionary() else { return Ok(Column { data_type, dictionary: None, children }) };
        let index = match dictionary.indexType() {
            Some(index) => integer(index.bitWidth(), index.is_signed()),
            None => Some(DataType::Int32),
        };
        let index = index.ok_or_else(|| wrong("a dictionary of no integers"))?;
        let data_type = DataType::Dictionary(index.into(), data_type.into());
        Ok(Column { data_type, dictionary: Some(dictionary.id()), children })
    }

    /// The type of the values of the dictionary with this number.
    fn values_of(&self, id: i64) -> Option<Column> {
        match &self.data_type {
            DataType::Dictionary(_, values) if self.dictionary == Some(id) && !values.is_nested() => {
                Some(Column { data_type: (**values).clone(), dictionary: None, children: Vec::new() })
            }
            _ => self.children.iter().find_map(|child| child.values_of(id)),
        }
    }
}

fn integer(bits: i32, is_signed: bool) -> Option<DataType> {
    Some(match (bits, is_signed) {
        (8, true) => DataType::Int8,
        (16, true) => DataType::Int16,
        (32, true) => DataType::Int32,
        (64, true) => DataType::Int64,
        (8, false) => DataType::UInt8,
        (16, false) => DataType::UInt16,
        (32, false) => DataType::UInt32,
        (64, false) => DataType::UInt64,
        _ => return None,
    })
}

/// The nodes and buffers of a batch, taken one after the other.
struct Body<'a> {
    nodes: Box<dyn Iterator<Item = &'a FieldNode> + 'a>,
    buffers: Box<dyn Iterator<Item = &'a ipc::Buffer> + 'a>,
    bytes: &'a Buffer,
    dictionaries: &'a HashMap<i64, ArrayData>,
}

impl<'a> Body<'a> {
    fn new(batch: ipc::RecordBatch<'a>, bytes: &'a Buffer, dictionaries: &'a HashMap<i64, ArrayData>) -> Result<Body<'a>> {
        if batch.compression().is_some() {
            return Err(wrong("compressed buffers, which python-blosc2 does not write"));
        }
        let nodes = Box::new(batch.nodes().into_iter().flatten());
        let buffers = Box::new(batch.buffers().into_iter().flatten());
        Ok(Body { nodes, buffers, bytes, dictionaries })
    }

    fn array(&mut self, column: &Column, depth: usize) -> Result<ArrayData> {
        let depth = depth.checked_sub(1).ok_or_else(|| wrong("types that nest too deep"))?;
        let node = self.nodes.next().ok_or_else(|| wrong("fewer arrays than its schema says"))?;
        // Each value of each type has a bit at least, but for structs, whose fields have.
        let most = self.bytes.len().saturating_mul(8);
        let length = usize::try_from(node.length()).ok().filter(|&length| length <= most);
        let length = length.ok_or_else(|| wrong(format_args!("{} values in {} bytes", node.length(), self.bytes.len())))?;
        let validity = self.buffer()?;
        let data_type = column.data_type.clone();
        let buffers = match &data_type {
            DataType::Struct(_) => vec![],
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary => {
                vec![self.buffer()?, self.buffer()?]
            }
            _ => vec![self.buffer()?],
        };
        let children = match &data_type {
            DataType::List(_) | DataType::LargeList(_) | DataType::Struct(_) => {
                column.children.iter().map(|child| self.array(child, depth)).collect::<Result<Vec<_>>>()?
            }
            DataType::Dictionary(_, values) => {
                let words = column.dictionary.and_then(|id| self.dictionaries.get(&id)).cloned();
                vec![words.unwrap_or_else(|| ArrayData::new_empty(values))]
            }
            _ => vec![],
        };
        if length == 0 {
            return Ok(ArrayData::new_empty(&data_type));
        }
        let validity = (node.null_count() != 0).then_some(validity);
        let builder = ArrayData::builder(data_type).len(length).null_bit_buffer(validity).buffers(buffers).child_data(children);
        Ok(builder.align_buffers(true).build()?)
    }

    fn buffer(&mut self) -> Result<Buffer> {
        let place = self.buffers.next().ok_or_else(|| wrong("fewer buffers than its schema says"))?;
        let (start, length) = (usize::try_from(place.offset()), usize::try_from(place.length()));
        match (start, length) {
            (Ok(start), Ok(length)) if start.checked_add(length).is_some_and(|end| end <= self.bytes.len()) => {
                Ok(self.bytes.slice_with_length(start, length))
            }
            _ => Err(wrong(format_args!("a buffer outside of its {} bytes", self.bytes.len()))),
        }
    }
}

fn wrong(what: impl std::fmt::Display) -> Error {
    Error::damaged(format_args!("the Arrow IPC has {what}"))
}
