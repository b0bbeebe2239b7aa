//! Decodes blocks of Arrow IPC: a stream, or a single record batch message, with one column.
//!
//! Arrow's own decoder panics for some wrong types and lengths, so both are checked first.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::read_record_batch;
use arrow_ipc::{self as ipc, FieldNode, MessageHeader, Precision, Type};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
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
/// Fails if the block is damaged or has a form that is not supported.
pub fn column(block: &[u8], schema: Option<&[u8]>) -> Result<ArrayRef> {
    read(block, schema, |Batch { batch, body, schema, version }, dictionaries| {
        let batch = read_record_batch(body, batch, schema.clone(), dictionaries, None, &version);
        Ok(batch.map_err(|error| wrong(format_args!("a batch that Arrow cannot read: {error}")))?.column(0).clone())
    })
}

/// Decodes the array in a block to JSON, which takes much less code than decoding to Arrow arrays of all types.
///
/// # Errors
///
/// Fails if the block is damaged or has a form that is not supported, or if an array has more than 2^24 values.
pub fn values(block: &[u8], schema: Option<&[u8]>) -> Result<Vec<Value>> {
    read(block, schema, |Batch { batch, body, schema, .. }, dictionaries| {
        let mut arrays = JsonArrays { lengths: Lengths::of(batch, body)?, body, dictionaries };
        arrays.values(schema.field(0)).ok_or_else(|| wrong("arrays that are not valid or have more than 2^24 values"))
    })
}

/// Returns the number of values in a block, without decoding them.
pub(crate) fn count(block: &[u8], schema: Option<&[u8]>) -> Result<u64> {
    read(block, schema, |Batch { batch, .. }, _| u64::try_from(batch.length()).map_err(|_| wrong("a negative number of rows")))
}

/// A record batch of one column, whose lengths have been checked.
struct Batch<'a> {
    batch: ipc::RecordBatch<'a>,
    body: &'a Buffer,
    schema: &'a SchemaRef,
    version: ipc::MetadataVersion,
}

/// Decodes the column of a block. The dictionaries of the block are decoded first, and passed to `decode` in a map whose keys are the
/// ids of the dictionaries.
fn read<C>(block: &[u8], schema: Option<&[u8]>, mut decode: impl FnMut(Batch, &HashMap<i64, C>) -> Result<C>) -> Result<C> {
    let first = schema.map(|mut schema| message(&mut schema)).transpose()?.flatten();
    let mut known = first.map(|(schema, _)| schema_of(&schema)).transpose()?;
    let mut dictionaries = HashMap::new();
    let mut rest = block;
    while let Some((message, body)) = message(&mut rest)? {
        let (body, version) = (&body, message.version());
        match message.header_type() {
            MessageHeader::Schema => known = Some(schema_of(&message)?),
            MessageHeader::DictionaryBatch => {
                let schema = known.as_ref().ok_or_else(|| wrong("a dictionary before its schema"))?;
                let empty = || wrong("a dictionary message without a dictionary");
                let batch = message.header_as_dictionary_batch().ok_or_else(empty)?;
                if batch.isDelta() {
                    return Err(wrong("a delta dictionary, which is not supported"));
                }
                #[expect(deprecated, reason = "only deprecated functions give the id of a dictionary")]
                let fields = schema.fields_with_dict_id(batch.id());
                let Some(DataType::Dictionary(_, words)) = fields.first().map(|field| field.data_type()) else {
                    return Err(wrong("a dictionary that belongs to no column"));
                };
                let data = batch.data().ok_or_else(empty)?;
                Lengths::of(data, body)?.check(words)?;
                let schema: SchemaRef = Schema::new(vec![Field::new("", (**words).clone(), true)]).into();
                let words = decode(Batch { batch: data, body, schema: &schema, version }, &dictionaries)?;
                dictionaries.insert(batch.id(), words);
            }
            MessageHeader::RecordBatch => {
                let schema = known.ok_or_else(|| wrong("a record batch before its schema"))?;
                let empty = || wrong("a record batch message without a record batch");
                let batch = message.header_as_record_batch().ok_or_else(empty)?;
                Lengths::of(batch, body)?.check(schema.field(0).data_type())?;
                return decode(Batch { batch, body, schema: &schema, version }, &dictionaries);
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
    let end = || wrong("a message that ends early or has a negative length");
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

/// Reads the schema in a message. The schema must have one column, of a type that Arrow decodes without a panic.
fn schema_of(message: &ipc::Message) -> Result<SchemaRef> {
    let schema = message.header_as_schema().ok_or_else(|| wrong("a message without a schema, where a schema is expected"))?;
    if schema.endianness() != ipc::Endianness::Little {
        return Err(wrong("values that are not little-endian, which are not supported"));
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
        Type::Bool | Type::Utf8 | Type::LargeUtf8 | Type::Binary | Type::LargeBinary | Type::Struct_ => true,
        Type::Int => field.type_as_int().is_some_and(is_integer),
        Type::FloatingPoint => {
            field.type_as_floating_point().is_some_and(|float| (0..=Precision::DOUBLE.0).contains(&float.precision().0))
        }
        Type::Timestamp => {
            field.type_as_timestamp().is_some_and(|time| (0..=ipc::TimeUnit::NANOSECOND.0).contains(&time.unit().0))
        }
        Type::List | Type::LargeList => children == 1,
        _ => false,
    };
    let is_nested = matches!(field.type_type(), Type::List | Type::LargeList | Type::Struct_);
    let is_indexed = |dictionary: ipc::DictionaryEncoding| dictionary.indexType().is_some_and(is_integer) && !is_nested;
    if !is_known || !field.dictionary().is_none_or(is_indexed) {
        return Err(wrong(format_args!("a field of the type {:?} that is not supported", field.type_type())));
    }
    field.children().into_iter().flatten().try_for_each(check_type)
}

/// The nodes and buffers of a batch, to check that they are as long as the types of the arrays require.
struct Lengths<'a> {
    nodes: Box<dyn Iterator<Item = &'a FieldNode> + 'a>,
    buffers: Box<dyn Iterator<Item = &'a ipc::Buffer> + 'a>,
    body: usize,
}

impl<'a> Lengths<'a> {
    fn of(batch: ipc::RecordBatch<'a>, body: &Buffer) -> Result<Lengths<'a>> {
        if batch.compression().is_some() {
            return Err(wrong("compressed buffers, which are not supported"));
        }
        if batch.variadicBufferCounts().is_some_and(|counts| !counts.is_empty()) {
            return Err(wrong("variadic buffers, which no supported type uses"));
        }
        let nodes = Box::new(batch.nodes().into_iter().flatten());
        let buffers = Box::new(batch.buffers().into_iter().flatten());
        Ok(Lengths { nodes, buffers, body: body.len() })
    }

    /// Checks the lengths of an array of this type, and of the arrays inside it.
    fn check(&mut self, data_type: &DataType) -> Result<()> {
        let node = self.nodes.next().ok_or_else(|| wrong("fewer arrays than its schema says"))?;
        // The body limits the number of values, because each value takes at least one bit. (A struct takes none by itself, but its fields
        // do, and it is expected to have some.)
        let most = self.body.saturating_mul(8);
        let length = usize::try_from(node.length()).ok().filter(|&length| length <= most);
        let length = length.ok_or_else(|| {
            let (found, body) = (node.length(), self.body);
            wrong(format_args!("an array of length {found} in a message body of {body} bytes, which can hold 0 to {most} values"))
        })?;
        self.buffer(1, if node.null_count() > 0 { length.div_ceil(8) } else { 0 })?;
        let offsets = if length == 0 { 0 } else { length + 1 };
        match data_type {
            DataType::Struct(fields) => fields.iter().try_for_each(|field| self.check(field.data_type())),
            DataType::List(item) => self.buffer(4, offsets).and_then(|()| self.check(item.data_type())),
            DataType::LargeList(item) => self.buffer(8, offsets).and_then(|()| self.check(item.data_type())),
            DataType::Utf8 | DataType::Binary => self.buffer(4, offsets).and_then(|()| self.buffer(1, 0)),
            DataType::LargeUtf8 | DataType::LargeBinary => self.buffer(8, offsets).and_then(|()| self.buffer(1, 0)),
            DataType::Boolean => self.buffer(1, length.div_ceil(8)),
            DataType::Dictionary(value, _) => self.buffer(value.primitive_width().unwrap_or(8), length),
            value => self.buffer(value.primitive_width().unwrap_or(8), length),
        }
    }

    /// Checks that the next buffer is inside the body, and that its length is a multiple of `width`, and at least `count` times `width`.
    fn buffer(&mut self, width: usize, count: usize) -> Result<()> {
        let buffer = self.buffers.next().ok_or_else(|| wrong("fewer buffers than its schema says"))?;
        match (usize::try_from(buffer.offset()), usize::try_from(buffer.length())) {
            (start, Ok(length)) if start.ok().and_then(|start| start.checked_add(length)).is_none_or(|end| end > self.body) => {
                Err(wrong(format_args!("a buffer that is not inside its message body, whose length in bytes is {}", self.body)))
            }
            (_, Ok(length)) if length % width == 0 && length / width >= count => Ok(()),
            _ => {
                let (found, least) = (buffer.length(), count.saturating_mul(width));
                Err(wrong(format_args!("a buffer of length {found}: expected at least {least}, and a multiple of {width}")))
            }
        }
    }
}

/// Decodes the nodes and buffers of a batch to JSON in the form of `b2nd::Value`. Times are numbers in the unit of their Arrow type.
struct JsonArrays<'a> {
    lengths: Lengths<'a>,
    body: &'a [u8],
    dictionaries: &'a HashMap<i64, Vec<Value>>,
}

impl<'a> JsonArrays<'a> {
    /// Decodes the array of a field. Returns `None` if the array is not valid or has more than 2^24 values.
    fn values(&mut self, field: &Field) -> Option<Vec<Value>> {
        let node = self.lengths.nodes.next()?;
        let length = usize::try_from(node.length()).ok().filter(|&length| length <= MOST_VALUES)?;
        let valid = self.buffer()?;
        let bit = |bits: &[u8], at: usize| Some(bits.get(at / 8)? >> (at % 8) & 1 == 1);
        let is_null = |at| node.null_count() > 0 && bit(valid, at) != Some(true);
        let values: Option<Vec<Value>> = match field.data_type() {
            DataType::Boolean => {
                let bits = self.buffer()?;
                (0..length).map(|at| bit(bits, at).map(Value::from)).collect()
            }
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary => {
                let is_text = matches!(field.data_type(), DataType::Utf8 | DataType::LargeUtf8);
                let (ranges, bytes) = (self.ranges(length, field.data_type())?, self.buffer()?);
                let value = |bytes| match is_text {
                    true => std::str::from_utf8(bytes).ok().map(Value::from),
                    false => Some(json!({ "bytes": hex(bytes, "") })),
                };
                ranges.into_iter().map(|range| value(bytes.get(range)?)).collect()
            }
            DataType::List(item) | DataType::LargeList(item) => {
                let ranges = self.ranges(length, field.data_type())?;
                let items = self.values(item)?;
                ranges.into_iter().map(|range| items.get(range).map(Value::from)).collect()
            }
            DataType::Struct(fields) => {
                let columns: Vec<_> = fields.iter().map(|field| self.values(field)).collect::<Option<_>>()?;
                let value = |at: usize, field: &Field, column: &[Value]| Some((field.name().clone(), column.get(at)?.clone()));
                let row = |at| -> Option<Map<_, _>> {
                    fields.iter().zip(&columns).map(|(field, column)| value(at, field, column)).collect()
                };
                (0..length).map(|at| row(at).map(Value::Object)).collect()
            }
            #[expect(deprecated, reason = "only deprecated functions give the id of a dictionary")]
            DataType::Dictionary(codes, _) => {
                let words = self.dictionaries.get(&field.dict_id()?)?;
                let word = |code: &Value| words.get(usize::try_from(code.as_u64()?).ok()?).cloned();
                let codes = numbers(codes, self.buffer()?, length)?;
                // The code of a null is arbitrary, so no word is looked up for it.
                codes.iter().enumerate().map(|(at, code)| if is_null(at) { Some(Value::Null) } else { word(code) }).collect()
            }
            data_type => numbers(data_type, self.buffer()?, length),
        };
        Some(values?.into_iter().enumerate().map(|(at, value)| if is_null(at) { Value::Null } else { value }).collect())
    }

    fn buffer(&mut self) -> Option<&'a [u8]> {
        let buffer = self.lengths.buffers.next()?;
        let (start, length) = (usize::try_from(buffer.offset()).ok()?, usize::try_from(buffer.length()).ok()?);
        self.body.get(start..start.checked_add(length)?)
    }

    /// Reads the offsets of strings or lists, and returns the range of each value.
    fn ranges(&mut self, length: usize, of: &DataType) -> Option<Vec<Range<usize>>> {
        let is_large = matches!(of, DataType::LargeUtf8 | DataType::LargeBinary | DataType::LargeList(_));
        let (width, bytes) = (if is_large { DataType::Int64 } else { DataType::Int32 }, self.buffer()?);
        let ends = if length == 0 { Vec::new() } else { numbers(&width, bytes, length + 1)? };
        let place = |end: &Value| usize::try_from(end.as_u64()?).ok();
        ends.windows(2).map(|pair| Some(place(pair.first()?)?..place(pair.last()?)?)).collect()
    }
}

/// Converts the first `length` integers, floats or times in `bytes` to JSON.
fn numbers(data_type: &DataType, bytes: &[u8], length: usize) -> Option<Vec<Value>> {
    let width = data_type.primitive_width()?;
    let number = |bytes: &[u8]| {
        if data_type.is_floating() {
            // JSON lacks some floats, which a `b2nd::Value` writes as objects.
            return serde_json::to_value(b2nd::Value::F64(element::float(bytes))).unwrap_or_default();
        }
        let is_negative = !data_type.is_unsigned_integer() && bytes.last().is_some_and(|&last| last > 0x7f);
        let mut wide = [if is_negative { 0xff } else { 0 }; 8];
        wide.iter_mut().zip(bytes).for_each(|(wide, &byte)| *wide = byte);
        if is_negative { i64::from_le_bytes(wide).into() } else { u64::from_le_bytes(wide).into() }
    };
    Some(bytes.get(..length.checked_mul(width)?)?.chunks_exact(width).map(number).collect())
}

fn wrong(what: impl std::fmt::Display) -> Error {
    Error::damaged(format_args!("the Arrow IPC stream has {what}"))
}
