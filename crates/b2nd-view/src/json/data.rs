//! JSON objects for attributes, chunks, and the grid of chunks and blocks.

use b2nd::{Grid, Value};
use b2nd_frame::{ChunkHeader, FrameType};
use serde::Serialize;
use serde::ser::Serializer;
use serde_json::{Value as Json, json};

use crate::chunk_table;
use crate::slice::{self, Slice};
use crate::text::hex;
use b2nd_store::attributes::Attribute;
use b2nd_store::chunks::{self, ChunkRun, Content};
use b2nd_store::{Frame, readable};

/// A value, or an object with the error if the value could not be read.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Readable<T> {
    /// The value.
    Is(T),
    /// The value could not be read.
    Not {
        /// The error message.
        error: String,
    },
}

impl<T> Readable<T> {
    pub(crate) fn of(result: Result<T, impl ToString>) -> Readable<T> {
        match result {
            Ok(value) => Readable::Is(value),
            Err(error) => Readable::Not { error: error.to_string() },
        }
    }

    /// Returns true if the value could be read and `holds(value)` is true.
    pub(crate) fn all(&self, holds: impl FnOnce(&T) -> bool) -> bool {
        match self {
            Readable::Is(value) => holds(value),
            Readable::Not { .. } => false,
        }
    }
}

/// A vlmetalayer. `content` is the decompressed content in hexadecimal, `value` is its MessagePack value as JSON, and `msgpack` is the
/// value as readable text. Each of these fields is null if it cannot be determined.
#[derive(Serialize)]
struct AttributeObject<'a> {
    name: Option<&'a str>,
    name_hex: String,
    #[serde(flatten)]
    chunk: Readable<DataObject>,
    content: Option<String>,
    value: Option<Value>,
    msgpack: Option<String>,
    /// The reason why the content cannot be decompressed. Left out if the content can be decompressed, or if its chunk is invalid, which
    /// the field `error` reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    value_error: Option<String>,
}

/// Serializes vlmetalayers as a list of objects. Only one value at a time is decoded in memory.
pub(crate) fn attributes<S: Serializer>(attributes: &[Attribute], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(attributes.iter().map(|Attribute { name, chunk, value }| {
        let bytes = value.as_deref().ok();
        let decoded = bytes.and_then(|bytes| Value::from_slice(bytes).ok());
        AttributeObject {
            name: std::str::from_utf8(name).ok(),
            name_hex: hex(name, ""),
            chunk: Readable::of(chunk.as_ref().map(DataObject::new)),
            content: bytes.map(|bytes| hex(bytes, "")),
            msgpack: decoded.as_ref().map(ToString::to_string),
            value: decoded,
            value_error: value.as_ref().err().filter(|_| chunk.is_ok()).map(ToString::to_string),
        }
    }))
}

/// A chunk, or consecutive chunks of the same special value and length, from `first` to `last`. `offset` is the number of bytes between the
/// end of the frame's header and the chunk. In a sparse frame, `file` replaces `offset`. Chunks without bytes have neither.
#[derive(Serialize)]
pub(crate) struct ChunkObject {
    first: u64,
    last: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(flatten)]
    pub(crate) data: Readable<DataObject>,
}

/// The header of a chunk. `kind` is the codec, or `stored` if the chunk is not compressed, or a name such as `zeros` for a special
/// chunk.
#[derive(Serialize)]
pub(crate) struct DataObject {
    kind: String,
    nbytes: Option<u64>,
    cbytes: usize,
}

impl DataObject {
    fn new(header: &ChunkHeader) -> DataObject {
        DataObject { kind: chunk_table::kind(header), nbytes: Some(header.nbytes() as u64), cbytes: header.cbytes() }
    }
}

/// Lists the chunks of a frame.
pub(crate) fn chunks(frame: &Frame) -> b2nd_frame::Result<Vec<ChunkObject>> {
    let is_sparse = frame.header().frame_type() == FrameType::Sparse;
    let object = |ChunkRun { first, last, content }| {
        let (offset, file, data) = match content {
            Content::Special(special, nbytes) => {
                (None, None, Readable::Is(DataObject { kind: special.to_string(), nbytes, cbytes: 0 }))
            }
            Content::At(at, header) => {
                let data = Readable::of(readable(header)?.as_ref().map(DataObject::new));
                if is_sparse { (None, Some(b2nd_store::chunk_file_name(at)), data) } else { (Some(at), None, data) }
            }
        };
        Ok(ChunkObject { first, last, offset, file, data })
    };
    chunks::rows(frame, frame.offsets()?).map(object).collect()
}

/// Describes a grid, and the chunks that a slice touches. Without a slice, `slice` is left out.
pub(crate) fn grid(grid: &Grid, slice: Option<&Slice>) -> Json {
    let mut object = json!({
        "nitems": grid.nitems(),
        "nchunks": grid.nchunks(),
        "blocks_per_chunk": grid.blocks_per_chunk(),
        "nblocks": grid.nblocks(),
        "padding": slice::padding(grid),
    });
    if let Some(slice) = slice {
        object["slice"] = slice.touched(grid).map_or_else(|error| json!({ "error": error }), slice_object);
    }
    object
}

/// Describes a slice. `steps` is left out if all steps are 1.
fn slice_object(slice::Touched { selection, chunks, more }: slice::Touched) -> Json {
    let ranges: Vec<_> = selection.ranges.iter().map(|range| [range.start, range.end]).collect();
    let chunks: Vec<_> = chunks.into_iter().map(|(chunk, blocks)| json!({ "chunk": chunk, "blocks": blocks })).collect();
    match selection.steps.iter().all(|&step| step == 1) {
        true => json!({ "ranges": ranges, "chunks": chunks, "not_listed": more }),
        false => json!({ "ranges": ranges, "steps": selection.steps, "chunks": chunks, "not_listed": more }),
    }
}
