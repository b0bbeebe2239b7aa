//! Blocks of Arrow IPC: a stream, or only a record batch message, with one column.
//!
//! Arrow's own decoder does not check types and lengths, and panics if they are wrong, so both are checked first.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{read_dictionary, read_record_batch};
use arrow_ipc::{self as ipc, FieldNode, MessageHeader, Precision, Type};
use arrow_schema::{DataType, SchemaRef};

use crate::error::{Error, Result};

/// The start of a message since Arrow 0.15.
const CONTINUATION: u32 = u32::MAX;

/// Decodes the array in a block. `schema` is a schema message, for blocks that hold only a record batch.
///
/// # Errors
///
/// Fails if the block is damaged, or does not hold one column of Arrow IPC.
pub fn column(block: &[u8], schema: Option<&[u8]>) -> Result<ArrayRef> {
    let mut known = None;
    let mut dictionaries = HashMap::new();
    let mut rest = block;
    while let Some((message, body)) = message(&mut rest)? {
        let version = message.version();
        match message.header_type() {
            MessageHeader::Schema => known = Some(schema_of(&message)?),
            MessageHeader::DictionaryBatch => {
                let batch = message.header_as_dictionary_batch().filter(|batch| !batch.isDelta());
                let (Some(schema), Some(batch)) = (&known, batch) else { return Err(wrong("a dictionary of no column")) };
                #[expect(deprecated, reason = "the number of a dictionary is only in its field")]
                let fields = schema.fields_with_dict_id(batch.id());
                let Some(DataType::Dictionary(_, values)) = fields.first().map(|field| field.data_type()) else {
                    return Err(wrong("a dictionary of no column"));
                };
                let data = batch.data().ok_or_else(|| wrong("a dictionary without a batch"))?;
                Lengths::of(data, &body)?.check(values)?;
                read_dictionary(&body, batch, schema, &mut dictionaries, &version).map_err(wrong)?;
            }
            MessageHeader::RecordBatch => {
                let schema = match (known, schema) {
                    (Some(schema), _) => schema,
                    (None, Some(mut schema)) => match self::message(&mut schema)? {
                        Some((message, _)) => schema_of(&message)?,
                        None => return Err(wrong("a schema that is empty")),
                    },
                    (None, None) => return Err(wrong("a record batch before its schema")),
                };
                let batch = message.header_as_record_batch().ok_or_else(|| wrong("a record batch that is none"))?;
                Lengths::of(batch, &body)?.check(schema.field(0).data_type())?;
                let batch = read_record_batch(&body, batch, schema, &dictionaries, None, &version).map_err(wrong)?;
                return Ok(batch.column(0).clone());
            }
            other => return Err(wrong(format_args!("a message {other:?}"))),
        }
    }
    Err(wrong("no record batch"))
}

/// Reads the next message and its body; `None` at the end.
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

/// Reads the schema in a message: one column of a type that Arrow decodes without a panic.
fn schema_of(message: &ipc::Message) -> Result<SchemaRef> {
    let schema = message.header_as_schema().filter(|schema| schema.endianness() == ipc::Endianness::Little);
    let (schema, fields) =
        schema.and_then(|schema| Some((schema, schema.fields()?))).ok_or_else(|| wrong("a schema without fields"))?;
    if fields.len() != 1 {
        return Err(wrong(format_args!("{} columns, expected one", fields.len())));
    }
    fields.iter().try_for_each(check_type)?;
    Ok(Arc::new(fb_to_schema(schema)))
}

/// Checks the type of a field and of its children. The verifier of the flatbuffer limits their nesting.
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
        return Err(wrong(format_args!("a type {:?} that no column has", field.type_type())));
    }
    field.children().into_iter().flatten().try_for_each(check_type)
}

/// The nodes and buffers of a batch, whose lengths are compared with those that their types require.
struct Lengths<'a> {
    nodes: Box<dyn Iterator<Item = &'a FieldNode> + 'a>,
    buffers: Box<dyn Iterator<Item = &'a ipc::Buffer> + 'a>,
    body: usize,
}

impl<'a> Lengths<'a> {
    fn of(batch: ipc::RecordBatch<'a>, body: &Buffer) -> Result<Lengths<'a>> {
        if batch.compression().is_some() {
            return Err(wrong("compressed buffers, which python-blosc2 does not write"));
        }
        if batch.variadicBufferCounts().is_some_and(|counts| !counts.is_empty()) {
            return Err(wrong("buffers of no type"));
        }
        let nodes = Box::new(batch.nodes().into_iter().flatten());
        let buffers = Box::new(batch.buffers().into_iter().flatten());
        Ok(Lengths { nodes, buffers, body: body.len() })
    }

    /// Checks the arrays of a type.
    fn check(&mut self, data_type: &DataType) -> Result<()> {
        let node = self.nodes.next().ok_or_else(|| wrong("fewer arrays than its schema says"))?;
        // Each value takes at least one bit, except for structs, whose fields do.
        let most = self.body.saturating_mul(8);
        let length = usize::try_from(node.length()).ok().filter(|&length| length <= most);
        let length = length.ok_or_else(|| wrong(format_args!("{} values in {} bytes", node.length(), self.body)))?;
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

    /// Checks that the next buffer is in the body, and holds at least `count` values of a width, and no part of a value.
    fn buffer(&mut self, width: usize, count: usize) -> Result<()> {
        let buffer = self.buffers.next().ok_or_else(|| wrong("fewer buffers than its schema says"))?;
        match (usize::try_from(buffer.offset()), usize::try_from(buffer.length())) {
            (Ok(start), Ok(length)) if start.checked_add(length).is_none_or(|end| end > self.body) => {
                Err(wrong(format_args!("a buffer outside of its {} bytes", self.body)))
            }
            (Ok(_), Ok(length)) if length % width == 0 && length / width >= count => Ok(()),
            _ => Err(wrong(format_args!("a buffer of {} bytes, expected {count} values of {width}", buffer.length()))),
        }
    }
}

fn wrong(what: impl std::fmt::Display) -> Error {
    Error::damaged(format_args!("the Arrow IPC has {what}"))
}
