//! Decodes blocks of Arrow IPC: a stream, or a single record batch message, with one column.
//!
//! Arrow's own decoder panics if types or lengths are wrong. Here, the types are checked first, and arrays are built from buffers of the
//! lengths that their types require. Arrow then validates the arrays, which includes offsets, text and the codes of dictionaries.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, make_array};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::{self as ipc, FieldNode, MessageHeader, Precision, Type};
use arrow_schema::{DataType, Field, SchemaRef};
use b2nd_store::text::hex;
use serde_json::{Map, Value, json};

use crate::column::element;
use crate::error::{Error, Result};

/// The marker at the start of each message since Arrow 0.15.
const CONTINUATION: u32 = u32::MAX;

/// The maximum number of values of an array that is decoded to JSON.
const MOST_VALUES: usize = 1 << 24;

/// Decodes the array in a block. `schema` is a schema message, for blocks that hold only a record batch.
///
/// # Errors
///
/// Fails if the block is damaged, or is not Arrow IPC of one column with a supported type.
pub fn column(block: &[u8], schema: Option<&[u8]>) -> Result<ArrayRef> {
    read(block, schema).map(make_array)
}

/// Decodes the array in a block to JSON, which takes much less code than decoding to Arrow arrays of all types.
///
/// # Errors
///
/// Returns the errors of [`column`], and fails if an array has more than 2^24 values.
pub fn values(block: &[u8], schema: Option<&[u8]>) -> Result<Vec<Value>> {
    values_of(&read(block, schema)?)
}

/// Returns the number of values in a block.
pub(crate) fn count(block: &[u8], schema: Option<&[u8]>) -> Result<u64> {
    Ok(read(block, schema)?.len() as u64)
}

/// Decodes the column of a block, after the dictionaries of the block.
fn read(block: &[u8], schema: Option<&[u8]>) -> Result<ArrayData> {
    let first = schema.map(|mut schema| message(&mut schema)).transpose()?.flatten();
    let mut known = first.map(|(schema, _)| schema_of(&schema)).transpose()?;
    let mut dictionaries = HashMap::new();
    let mut rest = block;
    while let Some((message, body)) = message(&mut rest)? {
        match message.header_type() {
            MessageHeader::Schema => known = Some(schema_of(&message)?),
            MessageHeader::DictionaryBatch => {
                let schema = known.as_ref().ok_or_else(|| wrong("a dictionary before its schema"))?;
                let empty = || wrong("a dictionary message without a dictionary");
                let batch = message.header_as_dictionary_batch().ok_or_else(empty)?;
                if batch.isDelta() {
                    return Err(wrong("a delta dictionary, which is not supported"));
                }
                #[expect(deprecated, reason = "the number of a dictionary is only in its field")]
                let fields = schema.fields_with_dict_id(batch.id());
                let Some(DataType::Dictionary(_, words)) = fields.first().map(|field| field.data_type()) else {
                    return Err(wrong("a dictionary that belongs to no column"));
                };
                let words = Field::new("", (**words).clone(), true);
                let words = Arrays::of(batch.data().ok_or_else(empty)?, &body, &dictionaries)?.next(&words)?;
                dictionaries.insert(batch.id(), words);
            }
            MessageHeader::RecordBatch => {
                let schema = known.ok_or_else(|| wrong("a record batch before its schema"))?;
                let empty = || wrong("a record batch message without a record batch");
                let batch = message.header_as_record_batch().ok_or_else(empty)?;
                return Arrays::of(batch, &body, &dictionaries)?.next(schema.field(0));
            }
            other => return Err(wrong(format_args!("a message of the type {other:?}, which is not supported"))),
        }
    }
    Err(wrong("no record batch"))
}

/// Reads the next message and its body. Returns `None` at the end of the stream.
fn message<'a>(rest: &mut &'a [u8]) -> Result<Option<(ipc::Message<'a>, Buffer)>> {
    let mut take = |length: usize| {
        let (taken, after) = rest.split_at_checked(length)?;
        *rest = after;
        Some(taken)
    };
    let mut word = || take(4).and_then(|word| word.try_into().ok()).map(u32::from_le_bytes);
    let length = match word() {
        None => return Ok(None),
        Some(CONTINUATION) => word().ok_or_else(|| wrong("a message without a length"))?,
        Some(length) => length,
    };
    if length == 0 {
        return Ok(None);
    }
    let end = || wrong("a message that ends early");
    let metadata = usize::try_from(length).ok().and_then(&mut take).ok_or_else(end)?;
    let message = ipc::root_as_message(metadata).map_err(|error| {
        // Only the first line is kept, because the other lines list the internal names of the fields that contain the error.
        let error = error.to_string();
        let sentence = error.lines().next().unwrap_or_default().trim_end_matches('.');
        wrong(format_args!("an invalid message: {sentence}"))
    })?;
    let body = usize::try_from(message.bodyLength()).ok().and_then(take).ok_or_else(end)?;
    Ok(Some((message, Buffer::from(body))))
}

/// Reads the schema in a message. It must have one column, of a type that Arrow decodes without a panic.
fn schema_of(message: &ipc::Message) -> Result<SchemaRef> {
    let schema = message.header_as_schema().ok_or_else(|| wrong("a schema message without a schema"))?;
    if schema.endianness() != ipc::Endianness::Little {
        return Err(wrong("big-endian values, which are not supported"));
    }
    let fields = schema.fields().ok_or_else(|| wrong("a schema without fields"))?;
    if fields.len() != 1 {
        return Err(wrong(format_args!("{} columns instead of one", fields.len())));
    }
    fields.iter().try_for_each(check_type)?;
    Ok(Arc::new(fb_to_schema(schema)))
}

/// Checks the type of a field and of its children. The nesting of the children is already limited by the verifier of the flatbuffer.
fn check_type(field: ipc::Field) -> Result<()> {
    let is_integer = |int: ipc::Int| matches!(int.bitWidth(), 8 | 16 | 32 | 64);
    let children = field.children().map_or(0, |children| children.len());
    let is_known = match field.type_type() {
        Type::Bool | Type::Utf8 | Type::LargeUtf8 | Type::Binary | Type::LargeBinary => true,
        Type::Int => field.type_as_int().is_some_and(is_integer),
        Type::FloatingPoint => {
            field.type_as_floating_point().is_some_and(|float| (0..=Precision::DOUBLE.0).contains(&float.precision().0))
        }
        Type::Timestamp => {
            field.type_as_timestamp().is_some_and(|time| (0..=ipc::TimeUnit::NANOSECOND.0).contains(&time.unit().0))
        }
        Type::List | Type::LargeList => children == 1,
        Type::Struct_ => true,
        _ => false,
    };
    let is_nested = matches!(field.type_type(), Type::List | Type::LargeList | Type::Struct_);
    let is_indexed = |dictionary: ipc::DictionaryEncoding| dictionary.indexType().is_some_and(is_integer) && !is_nested;
    if !is_known || !field.dictionary().is_none_or(is_indexed) {
        return Err(wrong(format_args!("values of the type {:?} in a form that is not supported", field.type_type())));
    }
    field.children().into_iter().flatten().try_for_each(check_type)
}

/// The arrays of a batch, which are built from its nodes and buffers.
struct Arrays<'a> {
    nodes: Box<dyn Iterator<Item = &'a FieldNode> + 'a>,
    buffers: Box<dyn Iterator<Item = &'a ipc::Buffer> + 'a>,
    body: &'a Buffer,
    dictionaries: &'a HashMap<i64, ArrayData>,
}

impl<'a> Arrays<'a> {
    fn of(batch: ipc::RecordBatch<'a>, body: &'a Buffer, dictionaries: &'a HashMap<i64, ArrayData>) -> Result<Arrays<'a>> {
        if batch.compression().is_some() {
            return Err(wrong("compressed buffers, which python-blosc2 does not write"));
        }
        let nodes = Box::new(batch.nodes().into_iter().flatten());
        let buffers = Box::new(batch.buffers().into_iter().flatten());
        Ok(Arrays { nodes, buffers, body, dictionaries })
    }

    /// Builds the array of a field, and the arrays inside it.
    fn next(&mut self, field: &Field) -> Result<ArrayData> {
        let node = self.nodes.next().ok_or_else(|| wrong("fewer arrays than its schema says"))?;
        // The body limits the number of values, because each value takes at least one bit. (A struct takes none by itself, but its fields
        // do.)
        let most = self.body.len().saturating_mul(8);
        let length = usize::try_from(node.length()).ok().filter(|&length| length <= most);
        let length = length.ok_or_else(|| {
            let (found, body) = (node.length(), self.body.len());
            wrong(format_args!("an array of {found} values in a message of {body} bytes, which can hold 0 to {most}"))
        })?;
        let mut array = ArrayData::builder(field.data_type().clone()).len(length);
        let valid = self.buffer(Some(if node.null_count() > 0 { length.div_ceil(8) } else { 0 }))?;
        if node.null_count() > 0 {
            array = array.null_bit_buffer(Some(valid));
        }
        let offsets = if length == 0 { 0 } else { length + 1 };
        let values = match field.data_type() {
            DataType::Struct(_) => None,
            DataType::List(_) | DataType::Utf8 | DataType::Binary => Some(offsets.saturating_mul(4)),
            DataType::LargeList(_) | DataType::LargeUtf8 | DataType::LargeBinary => Some(offsets.saturating_mul(8)),
            DataType::Boolean => Some(length.div_ceil(8)),
            DataType::Dictionary(value, _) => Some(length.saturating_mul(value.primitive_width().unwrap_or(8))),
            value => Some(length.saturating_mul(value.primitive_width().unwrap_or(8))),
        };
        if values.is_some() {
            array = array.add_buffer(self.buffer(values)?);
        }
        array = match field.data_type() {
            DataType::Utf8 | DataType::Binary | DataType::LargeUtf8 | DataType::LargeBinary => {
                array.add_buffer(self.buffer(None)?)
            }
            DataType::List(item) | DataType::LargeList(item) => array.add_child_data(self.next(item)?),
            DataType::Struct(fields) => array.child_data(fields.iter().map(|field| self.next(field)).collect::<Result<_>>()?),
            #[expect(deprecated, reason = "the number of a dictionary is only in its field")]
            DataType::Dictionary(..) => {
                let words = field.dict_id().and_then(|id| self.dictionaries.get(&id));
                array.add_child_data(words.ok_or_else(|| wrong("a column without its dictionary"))?.clone())
            }
            _ => array,
        };
        array.align_buffers(true).build().map_err(|error| wrong(format_args!("an invalid array: {error}")))
    }

    /// Returns the first `length` bytes of the next buffer, or all if `length` is `None`.
    fn buffer(&mut self, length: Option<usize>) -> Result<Buffer> {
        let buffer = self.buffers.next().ok_or_else(|| wrong("fewer buffers than its schema says"))?;
        let place = usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
        match place.filter(|&(start, found)| start.checked_add(found).is_some_and(|end| end <= self.body.len())) {
            Some((start, found)) if length.is_none_or(|length| length <= found) => {
                Ok(self.body.slice_with_length(start, length.unwrap_or(found)))
            }
            Some((_, found)) => {
                Err(wrong(format_args!("a buffer of {found} bytes, but its values need {}", length.unwrap_or(found))))
            }
            None => Err(wrong(format_args!("a buffer that is not inside the {} bytes of its message", self.body.len()))),
        }
    }
}

/// Converts an array to JSON in the form of `b2nd::Value`. Times are numbers in the unit of their Arrow type.
fn values_of(array: &ArrayData) -> Result<Vec<Value>> {
    if array.len() > MOST_VALUES {
        return Err(wrong(format_args!("an array of {} values; the limit for JSON is {MOST_VALUES}", array.len())));
    }
    let inner = array.child_data().iter().map(values_of).collect::<Result<Vec<_>>>()?;
    let bytes = |buffer: usize| array.buffers()[buffer].as_slice();
    let value: Box<dyn Fn(usize) -> Value> = match array.data_type() {
        DataType::Boolean => Box::new(|at| (bytes(0)[at / 8] >> (at % 8) & 1 == 1).into()),
        DataType::Utf8 | DataType::LargeUtf8 => {
            let ranges = ranges(array);
            Box::new(move |at| String::from_utf8_lossy(&bytes(1)[ranges[at].clone()]).into())
        }
        DataType::Binary | DataType::LargeBinary => {
            let ranges = ranges(array);
            Box::new(move |at| json!({ "bytes": hex(&bytes(1)[ranges[at].clone()], "") }))
        }
        DataType::List(_) | DataType::LargeList(_) => {
            let ranges = ranges(array);
            Box::new(move |at| inner[0][ranges[at].clone()].into())
        }
        DataType::Struct(fields) => Box::new(move |at| {
            let values = fields.iter().zip(&inner).map(|(field, values)| (field.name().clone(), values[at].clone()));
            values.collect::<Map<_, _>>().into()
        }),
        DataType::Dictionary(code, _) => {
            let code = number_of(code, bytes(0));
            Box::new(move |at| code(at).as_u64().map_or(Value::Null, |code| inner[0][code as usize].clone()))
        }
        number => Box::new(number_of(number, bytes(0))),
    };
    Ok((0..array.len()).map(|at| if array.is_null(at) { Value::Null } else { value(at) }).collect())
}

/// Returns the range of each text or list, from the offsets of an array.
fn ranges(array: &ArrayData) -> Vec<Range<usize>> {
    let offsets: Vec<usize> = match array.data_type() {
        DataType::Utf8 | DataType::Binary | DataType::List(_) => {
            array.buffer::<i32>(0).iter().map(|&offset| offset as usize).collect()
        }
        _ => array.buffer::<i64>(0).iter().map(|&offset| offset as usize).collect(),
    };
    offsets.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

/// Returns a function that converts an integer, float or time in `bytes` to JSON.
fn number_of<'a>(data_type: &'a DataType, bytes: &'a [u8]) -> impl Fn(usize) -> Value + 'a {
    let width = data_type.primitive_width().unwrap_or(8);
    move |at| {
        let bytes = &bytes[at * width..(at + 1) * width];
        if data_type.is_floating() {
            // JSON lacks some floats, which a `b2nd::Value` writes as objects.
            return serde_json::to_value(b2nd::Value::F64(element::float(bytes))).unwrap_or_default();
        }
        let is_negative = !data_type.is_unsigned_integer() && bytes.last().is_some_and(|&last| last > 0x7f);
        let mut wide = [if is_negative { 0xff } else { 0 }; 8];
        wide.iter_mut().zip(bytes).for_each(|(wide, &byte)| *wide = byte);
        if is_negative { i64::from_le_bytes(wide).into() } else { u64::from_le_bytes(wide).into() }
    }
}

fn wrong(what: impl std::fmt::Display) -> Error {
    Error::damaged(format_args!("the Arrow IPC stream has {what}"))
}
