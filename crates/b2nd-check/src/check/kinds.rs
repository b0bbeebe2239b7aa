//! Some kinds of frames exist only in python-blosc2. This module checks what python-blosc2 requires of such frames, in addition to what it
//! requires of every frame.

use std::borrow::Cow;

use b2nd::RawValue;
use b2nd::dtype::DType;
use b2nd_frame::{Decompressor, Header, Trailer};
use b2nd_store::{Kind, attributes, value};
use serde_json::Value as Json;

use super::{Findings, REJECTED_BY_PYTHON, YES};

/// Settings that python-blosc2 4.14.1 supports in a column's schema, in groups that several kinds of columns share. python-blosc2 rejects
/// settings that it does not support, except those of a struct itself.
const NULLS: &[&str] = &["nullable", "null_value", "null_storage"];
const BOUNDS: &[&str] = &["ge", "gt", "le", "lt"];
const BATCHES: &[&str] = &["nullable", "serializer", "batch_rows", "items_per_block"];

/// Settings whose value must be one of a few words: the name of the setting, and the allowed words.
const WORDS: [(&str, &[&str]); 4] = [
    ("serializer", &["msgpack", "arrow"]),
    ("storage", &["batch", "vl"]),
    ("backend", &["batch", "vl"]),
    ("unit", &["s", "ms", "us", "ns"]),
];

fn settings(kind: &str) -> Option<[&'static [&'static str]; 2]> {
    Some(match kind {
        "int8" | "int16" | "int32" | "int64" | "uint8" | "uint16" | "uint32" | "uint64" | "float32" | "float64" => {
            [BOUNDS, NULLS]
        }
        "complex64" | "complex128" | "bool" | "utf8" => [&[], NULLS],
        "timestamp" => [&["unit", "timezone"], NULLS],
        "string" => [&["min_length", "max_length", "pattern"], NULLS],
        "bytes" => [&["min_length", "max_length"], NULLS],
        "vlstring" | "vlbytes" | "object" => [&[], BATCHES],
        "list" => [&["item", "storage"], BATCHES],
        "dictionary" => [&["index_type", "value_type", "ordered", "nullable", "null_code"], &[]],
        "ndarray" => [&["item_shape", "dtype_str", "bool_widened_to_uint8"], NULLS],
        "struct" => [&["fields"], &["nullable"]],
        _ => return None,
    })
}

/// The MessagePack extensions that python-blosc2 unpacks even if the file is not trusted: times, complex numbers, sets, arrays.
pub(super) const PASSIVE: [i8; 4] = [-1, 44, 45, 46];

impl Findings {
    /// Checks the metalayers and attributes of a frame, if the frame's kind exists only in python-blosc2.
    pub(super) fn kinds(&mut self, header: &Header, trailer: &Trailer, decompressor: &mut Decompressor) {
        let kind = Kind::of_with(header, Some(trailer), decompressor);
        // The metalayers and the attribute that python-blosc2 unpacks to read the frame, if they exist.
        let (metalayers, attribute): (&[&str], &str) = match kind {
            kind if kind.is_store() => (&[], "estore_metadata"),
            Kind::BatchArray | Kind::ListArray => (&["batcharray", "listarray"], "_batch_array_metadata"),
            Kind::Tensor => (&[], "__pack_tensor__"),
            Kind::CTable => (&[], "version"),
            _ if header.metalayers().get("b2o").is_some() => (&["b2o"], "b2o"),
            kind if kind.needs_trust() => (&["LazyArray", "proxy-source"], "_LazyArray"),
            _ => return,
        };
        let metalayers = metalayers.iter().map(|&name| ("metalayer", name, header.metalayers().get(name).map(Cow::Borrowed)));
        let attribute = ("vlmetalayer", attribute, attributes::get_with(trailer, attribute, decompressor));
        for (part, name, value) in metalayers.chain([attribute]) {
            if value.is_some_and(|value| !is_unpacked(&value)) {
                let (kind, reason) = (kind.name(), "but it is not MessagePack that python-blosc2 can unpack");
                let finding = format!("python-blosc2 unpacks it to read a frame of kind {kind}, {reason}");
                self.add(format!("{part} {name:?}"), None, finding, REJECTED_BY_PYTHON);
            }
        }
        match kind {
            Kind::BatchArray | Kind::ListArray => self.batches(header, trailer, decompressor),
            kind if kind.is_store() => self.embedding(header, trailer, decompressor),
            _ => {}
        }
    }

    /// Checks a frame that embeds other frames. Its elements are bytes, and one of its attributes contains the offset at which the next
    /// frame will be added.
    fn embedding(&mut self, header: &Header, trailer: &Trailer, decompressor: &mut Decompressor) {
        if header.typesize() != 1 {
            let finding = format!("typesize: expected 1 in a frame that embeds frames, found {}", header.typesize());
            self.add("header", None, finding, REJECTED_BY_PYTHON);
        }
        // python-blosc2 opens a store without this attribute as a store without leaves.
        let Some(bytes) = attributes::get_with(trailer, "estore_metadata", decompressor) else { return };
        let metadata = value::read(&bytes);
        for key in ["embed_map", "current_offset"] {
            if metadata.and_then(|metadata| metadata.get(key)).is_none() {
                let finding = format!("it has no {key:?}, without which python-blosc2 cannot open the store");
                self.add("vlmetalayer \"estore_metadata\"", None, finding, REJECTED_BY_PYTHON);
            }
        }
    }

    /// Checks the metadata of a frame with batches of objects: their serializer, the metalayer `listarray`, and that `batch_lengths` are
    /// integers.
    fn batches(&mut self, header: &Header, trailer: &Trailer, decompressor: &mut Decompressor) {
        let serializer = header.metalayers().get("batcharray").and_then(value::read).and_then(|meta| meta.get("serializer"));
        if let Some(serializer) = serializer.filter(|serializer| !matches!(serializer.as_str(), Some("msgpack" | "arrow"))) {
            let finding = format!("its serializer: expected \"msgpack\" or \"arrow\", found {}", value::text(&serializer, 32));
            self.add("metalayer \"batcharray\"", None, finding, REJECTED_BY_PYTHON);
        }
        let list = header.metalayers().get("listarray").and_then(value::read);
        let list = list.and_then(|list| serde_json::to_value(list).ok()).unwrap_or_default();
        let item = || Some(format!("its items: {}", refused(list.get("item")?, &[])?));
        let words = ["backend", "storage"].iter().find_map(|key| list.get(key)?.as_str());
        let expected = if words == Some("vl") { "vlarray" } else { "batcharray" };
        let missing = || {
            let is_missing = list.is_object() && header.metalayers().get(expected).is_none();
            is_missing.then(|| format!("the metalayer {expected:?}, which would describe how its lists are stored, is missing"))
        };
        if let Some(problem) = odd_setting(&list).or_else(item).or_else(missing) {
            self.add("metalayer \"listarray\"", None, problem, REJECTED_BY_PYTHON);
        }
        let bytes = attributes::get_with(trailer, "_batch_array_metadata", decompressor).unwrap_or_default();
        let metadata = value::read(&bytes);
        let lengths = metadata.and_then(|metadata| metadata.get("batch_lengths"));
        if metadata.is_some() && lengths.is_none() {
            let finding = "it has no batch_lengths, so python-blosc2 unpacks all objects to count them";
            self.add("vlmetalayer \"_batch_array_metadata\"", None, finding, [None, YES, None]);
        }
        if let Some(length) = lengths.and_then(|lengths| lengths.elements().find(|length| length.as_u64().is_none())) {
            let finding = format!("its batch_lengths: expected integers of 0 or more, found {}", value::text(&length, 32));
            self.add("vlmetalayer \"_batch_array_metadata\"", None, finding, REJECTED_BY_PYTHON);
        }
    }
}

/// Returns a problem in the schema of a column or of a part of a column for which python-blosc2 usually rejects the schema, or `None` if
/// none was found. `more` are additional keys that the schema may have.
pub(super) fn refused(schema: &Json, more: &[&str]) -> Option<String> {
    let kind = schema.get("kind").and_then(Json::as_str).unwrap_or_default();
    let Some([own, shared]) = settings(kind) else {
        return Some(schema.get("kind").map_or("it has no kind".into(), |it| format!("kind: {it} is unknown to python-blosc2")));
    };
    let known = |key: &str| key == "kind" || [own, shared, more].iter().any(|keys| keys.contains(&key));
    // The keys of a struct are not checked, because python-blosc2 looks up the settings of a struct by name, and ignores other keys.
    let unknown = schema.as_object()?.keys().find(|key| kind != "struct" && !known(key));
    let odd = odd_setting(schema);
    let parts = ["item", "index_type", "value_type"].into_iter().filter_map(|key| Some((key, schema.get(key)?, &[][..])));
    let fields = schema.get("fields").and_then(Json::as_array).into_iter().flatten().map(|it| ("fields", it, &["name"][..]));
    match unknown {
        Some(key) => Some(format!("{key:?} is a setting of {kind} that python-blosc2 does not know")),
        None => odd.or_else(|| parts.chain(fields).find_map(|(key, it, more)| Some(format!("{key}: {}", refused(it, more)?)))),
    }
}

/// Checks six settings of a schema. Returns a description of one whose value is invalid, or `None`. python-blosc2 usually rejects these
/// values, but version 4.14.1 reads a list column with an invalid `batch_rows` or `items_per_block`.
fn odd_setting(schema: &Json) -> Option<String> {
    let found = |key: &str| schema.get(key).filter(|value| !value.is_null());
    let words = WORDS.iter().filter_map(|(key, words)| Some((key, found(key)?, words)));
    let word = words.filter(|(_, value, words)| !value.as_str().is_some_and(|value| words.contains(&value)));
    let mut odd = word.map(|(key, value, words)| format!("{key}: expected {}, found {value}", words.join(" or ")));
    let lengths = ["batch_rows", "items_per_block"].into_iter().filter_map(|key| Some((key, found(key)?)));
    let mut zero = lengths.filter(|(_, value)| value.as_u64().is_none_or(|value| value == 0));
    odd.next().or_else(|| zero.next().map(|(key, value)| format!("{key}: expected an integer of 1 or more, found {value}")))
}

/// Returns true if the bytes are MessagePack that meets these requirements of python-blosc2: strings are UTF-8, the keys of maps are
/// strings or bytes, and the extensions are not known to be invalid.
pub(super) fn is_unpacked(bytes: &[u8]) -> bool {
    RawValue::from_slice(bytes).is_ok_and(|value| is_of_python(&value))
}

fn is_of_python(value: &RawValue) -> bool {
    let is_string = matches!(value.encoded(), [0xa0..=0xbf | 0xd9..=0xdb, ..]);
    let is_extension = matches!(value.encoded(), [0xc7..=0xc9 | 0xd4..=0xd8, ..]);
    let is_key = |key: &RawValue| key.as_str().is_some() || key.as_bytes().is_some();
    (!is_string || value.as_str().is_some())
        && (!is_extension || matches!(value.to_value(), Ok(b2nd::Value::Ext(kind, data, ..)) if is_known(kind, &data)))
        && value.entries().all(|(key, value)| is_key(&key) && is_of_python(&value))
        && value.elements().all(|element| is_of_python(&element))
}

/// Returns false if it is known that python-blosc2 cannot unpack this extension. Returns true for types that it rejects unless the file is
/// trusted.
fn is_known(kind: i8, data: &[u8]) -> bool {
    let inner = || RawValue::from_slice(data).ok().filter(|_| is_unpacked(data));
    let is_passive = || value::read(data).is_some_and(|it| value::extensions(&it).iter().all(|kind| PASSIVE.contains(kind)));
    let is_hashable = |value: &RawValue| {
        value.to_value().is_ok_and(|it| it.is_tuple() || !matches!(it, b2nd::Value::Array(..) | b2nd::Value::Map(..)))
    };
    match kind {
        -1 => matches!(data.len(), 4 | 8 | 12),
        44 => data.len() == 2 * size_of::<f64>(),
        45 => is_passive() && inner().is_some_and(|set| set.elements().all(|element| is_hashable(&element))),
        46 => is_passive() && inner().is_some_and(|array| is_array(&array)),
        _ => true,
    }
}

/// Returns true if a map describes an array. The map must have a shape and elements, and the number of elements must match the shape.
/// Elements are given as a list of objects, or as bytes with a dtype. If the dtype is not a string, the number of elements is not checked.
fn is_array(array: &RawValue) -> bool {
    let lengths = array.get("shape").map(|shape| shape.elements().map(|length| length.as_u64()));
    let count = lengths.and_then(|mut lengths| lengths.try_fold(1, |count: u64, length| count.checked_mul(length?)));
    let bytes = |key| array.get(key).and_then(|data| data.as_bytes()).map(|data| data.len() as u64);
    let dtype = array.get("dtype").and_then(|dtype| dtype.as_str()).map(|dtype| dtype.parse::<DType>());
    match (array.get("values"), dtype) {
        (Some(values), _) => count == Some(values.elements().count() as u64),
        (None, Some(dtype)) => {
            let length = count.zip(dtype.ok()).and_then(|(count, dtype)| count.checked_mul(dtype.itemsize() as u64));
            length.is_some() && length == bytes("data")
        }
        (None, None) => count.is_some() && bytes("data").is_some() && array.get("dtype").is_some(),
    }
}
