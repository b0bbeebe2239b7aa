//! Demands of python-blosc2 on its own kinds of frames, beyond what every frame has to say.

use b2nd::frame::{Decompress, Header, Trailer};
use b2nd_store::{Kind, Value, attributes};

use super::{Answers, NO, YES};

/// The place of a finding, its sentence and who minds.
type Found = (String, String, Answers);

/// The findings of a frame of this kind.
pub(super) fn findings(header: &Header, trailer: &Trailer, codec: &mut dyn Decompress) -> Vec<Found> {
    match Kind::of(header, Some(trailer), codec) {
        Kind::EmbedStore | Kind::DictStore | Kind::TreeStore => store(header, trailer, codec),
        Kind::BatchArray | Kind::ListArray => batches(header, trailer, codec),
        _ => Vec::new(),
    }
}

/// A frame that embeds frames: its elements are bytes, and it says where the next one would go.
fn store(header: &Header, trailer: &Trailer, codec: &mut dyn Decompress) -> Vec<Found> {
    let mut found = Vec::new();
    if header.typesize() != 1 {
        let finding = format!("its typesize: expected 1 where frames are embedded, found {}", header.typesize());
        found.push(("header".to_owned(), finding, [None, YES, NO]));
    }
    // python-blosc2 writes it with the first leaf.
    if let Some(bytes) = attributes::get(trailer, "estore_metadata", codec) {
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
fn batches(header: &Header, trailer: &Trailer, codec: &mut dyn Decompress) -> Vec<Found> {
    let mut found = Vec::new();
    let serializer = header.metalayers().get("batcharray").and_then(Value::from_slice).and_then(|meta| meta.get("serializer"));
    if let Some(serializer) = serializer.filter(|serializer| !matches!(serializer.as_str(), Some("msgpack" | "arrow"))) {
        let finding = format!("its serializer: expected \"msgpack\" or \"arrow\", found {}", serializer.text(32));
        found.push(("metalayer \"batcharray\"".to_owned(), finding, [None, YES, NO]));
    }
    let bytes = attributes::get(trailer, "_batch_array_metadata", codec).unwrap_or_default();
    let lengths = Value::from_slice(&bytes).and_then(|metadata| metadata.get("batch_lengths"));
    if lengths.is_some_and(|lengths| lengths.elements().any(|length| length.as_u64().is_none())) {
        let finding = "its batch_lengths: expected numbers that are not negative".to_owned();
        found.push(("vlmetalayer \"_batch_array_metadata\"".to_owned(), finding, [None, YES, NO]));
    }
    found
}
