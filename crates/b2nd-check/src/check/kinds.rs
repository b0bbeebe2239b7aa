//! Demands of python-blosc2 on its own kinds of frames, beyond what every frame has to say.

use b2nd::RawValue;
use b2nd::frame::{Decompressor, Header, Trailer};
use b2nd_store::attributes::Attribute;
use b2nd_store::{Kind, Value, attributes};

use super::{Answers, NO, YES};
use b2nd_store::text::quoted;

/// The kinds of columns of python-blosc2 4.14.1, and what its schemas say of them.
const KINDS: &[&str] = &[
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "bool",
    "string",
    "bytes",
    "vlstring",
    "vlbytes",
    "utf8",
    "object",
    "timestamp",
    "dictionary",
    "ndarray",
    "list",
    "struct",
];
const SETTINGS: &[&str] = &[
    "kind",
    "item",
    "fields",
    "index_type",
    "value_type",
    "item_shape",
    "dtype_str",
    "batch_rows",
    "bool_widened_to_uint8",
    "ge",
    "gt",
    "items_per_block",
    "le",
    "lt",
    "max_length",
    "min_length",
    "null_code",
    "null_storage",
    "null_value",
    "nullable",
    "ordered",
    "pattern",
    "serializer",
    "storage",
    "timezone",
    "unit",
];

/// The place of a finding, its sentence and the readers that it affects.
type Found = (String, String, Answers);

/// The findings of a frame of this kind.
pub(super) fn findings(header: &Header, trailer: &Trailer, decompressor: &mut Decompressor) -> Vec<Found> {
    let kind = Kind::of_with(header, Some(trailer), decompressor);
    let mut found = Vec::new();
    if !matches!(kind, Kind::NdArray | Kind::SChunk) {
        // It is opened as what its metalayers say.
        let odd = header.metalayers().iter().filter(|(name, content)| *name != b"b2nd" && !is_unpacked(content));
        found.extend(odd.map(|(name, _)| {
            let finding = format!("it is not MessagePack as python-blosc2 unpacks it to open a {}", kind.name());
            (format!("metalayer {}", quoted(name)), finding, [None, YES, NO])
        }));
        let mut values =
            trailer.vlmetalayers().iter().map(|(name, content)| Attribute::new_with(name, content, decompressor).value);
        if values.any(|value| value.is_ok_and(|value| !is_unpacked(&value))) {
            let finding = format!("one is not MessagePack as python-blosc2 unpacks it to open a {}", kind.name());
            found.push(("vlmetalayers".to_owned(), finding, [None, YES, NO]));
        }
    }
    found.extend(match kind {
        Kind::EmbedStore | Kind::DictStore | Kind::TreeStore => store(header, trailer, decompressor),
        Kind::BatchArray | Kind::ListArray => batches(header, trailer, decompressor),
        _ => Vec::new(),
    });
    found
}

/// The problem with the schema of a list's items, if python-blosc2 does not know its kind or a setting of it.
fn item(schema: Value) -> Option<String> {
    let kind = schema.get("kind").and_then(|kind| kind.as_str()).unwrap_or_default();
    if !KINDS.contains(&kind) {
        return Some(format!("its items' kind: {kind:?} is none that python-blosc2 knows"));
    }
    let known = |key: &Value| key.as_str().is_some_and(|key| SETTINGS.contains(&key));
    match schema.entries().find(|(key, _)| !known(key)) {
        Some((key, _)) => Some(format!("its items' schema: {} is no setting that python-blosc2 knows", key.text(32))),
        None => schema.get("item").and_then(item),
    }
}

/// Returns true for MessagePack as python-blosc2 unpacks it: strings are UTF-8, and keys of maps strings or bytes.
pub(super) fn is_unpacked(bytes: &[u8]) -> bool {
    RawValue::from_slice(bytes).is_ok_and(|value| is_of_python(&value))
}

fn is_of_python(value: &RawValue) -> bool {
    let is_string = matches!(value.encoded(), [0xa0..=0xbf | 0xd9..=0xdb, ..]);
    let is_key = |key: &RawValue| key.as_str().is_some() || key.as_bytes().is_some();
    (!is_string || value.as_str().is_some())
        && value.entries().all(|(key, value)| is_key(&key) && is_of_python(&value))
        && value.elements().all(|element| is_of_python(&element))
}

/// A frame that embeds frames: its elements are bytes, and it says where the next one would go.
fn store(header: &Header, trailer: &Trailer, decompressor: &mut Decompressor) -> Vec<Found> {
    let mut found = Vec::new();
    if header.typesize() != 1 {
        let finding = format!("its typesize: expected 1 where frames are embedded, found {}", header.typesize());
        found.push(("header".to_owned(), finding, [None, YES, NO]));
    }
    // python-blosc2 writes it with the first leaf.
    if let Some(bytes) = attributes::get_with(trailer, "estore_metadata", decompressor) {
        let metadata = Value::from_slice(&bytes);
        for key in ["embed_map", "current_offset"] {
            if metadata.and_then(|metadata| metadata.get(key)).is_none() {
                let finding = format!("it has no {key:?}, without which python-blosc2 opens no store");
                found.push(("vlmetalayer \"estore_metadata\"".to_owned(), finding, [None, YES, NO]));
            }
        }
    }
    found
}

/// Batches of objects: how they are packed, and how long they are.
fn batches(header: &Header, trailer: &Trailer, decompressor: &mut Decompressor) -> Vec<Found> {
    let mut found = Vec::new();
    let serializer = header.metalayers().get("batcharray").and_then(Value::from_slice).and_then(|meta| meta.get("serializer"));
    if let Some(serializer) = serializer.filter(|serializer| !matches!(serializer.as_str(), Some("msgpack" | "arrow"))) {
        let finding = format!("its serializer: expected \"msgpack\" or \"arrow\", found {}", serializer.text(32));
        found.push(("metalayer \"batcharray\"".to_owned(), finding, [None, YES, NO]));
    }
    let list = header.metalayers().get("listarray").and_then(Value::from_slice);
    if let Some(problem) = list.and_then(|list| list.get("item")).and_then(item) {
        found.push(("metalayer \"listarray\"".to_owned(), problem, [None, YES, NO]));
    }
    let bytes = attributes::get_with(trailer, "_batch_array_metadata", decompressor).unwrap_or_default();
    let metadata = Value::from_slice(&bytes);
    let lengths = metadata.and_then(|metadata| metadata.get("batch_lengths"));
    if metadata.is_some() && lengths.is_none() {
        let finding = "it has no batch_lengths: python-blosc2 then counts objects by unpacking them".to_owned();
        found.push(("vlmetalayer \"_batch_array_metadata\"".to_owned(), finding, [None, YES, None]));
    }
    if lengths.is_some_and(|lengths| lengths.elements().any(|length| length.as_u64().is_none())) {
        let finding = "its batch_lengths: expected numbers that are not negative".to_owned();
        found.push(("vlmetalayer \"_batch_array_metadata\"".to_owned(), finding, [None, YES, NO]));
    }
    found
}
