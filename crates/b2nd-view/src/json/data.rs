//! JSON objects for the trailer, the chunks, and the grid of chunks and blocks.

use b2nd::{Grid, Value};
use b2nd_frame::{ChunkHeader, FrameType};
use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};
use serde_json::{Value as Json, json};

use crate::chunk_table;
use crate::slice::{self, Slice};
use crate::text::hex;
use b2nd_store::Frame;
use b2nd_store::attributes::Attribute;
use b2nd_store::chunks::{self, ChunkRun, Content};
use b2nd_store::readable;

/// A value, or an object with the error if the value could not be read.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Readable<T> {
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

/// The vlmetalayers of a trailer, which serialize to a list of objects.
pub(crate) struct Attributes<'a>(pub(crate) Vec<Attribute<'a>>);

/// A vlmetalayer. `content` is the decompressed content in hexadecimal, `value` is its MessagePack value as JSON, and `msgpack` is the
/// value as readable text. Each of these fields is null if it cannot be determined.
#[derive(Serialize)]
struct AttributeObject<'a> {
    name: Option<&'a str>,
    name_hex: String,
    #[serde(flatten)]
    chunk: Readable<DataObject>,
    content: Option<String>,
    value: Option<&'a Value>,
    #[serde(serialize_with = "text")]
    msgpack: Option<&'a Value>,
    /// The reason why the content cannot be decompressed. Left out if the content can be decompressed, or if not even the header of its
    /// chunk can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    value_error: Option<String>,
}

impl Attributes<'_> {
    pub(crate) fn are_complete(&self) -> bool {
        self.0.iter().all(|attribute| attribute.value.is_ok())
    }
}

impl Serialize for Attributes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut objects = serializer.serialize_seq(Some(self.0.len()))?;
        for Attribute { name, chunk, value } in &self.0 {
            let bytes = value.as_deref().ok();
            let value_error = if chunk.is_ok() { value.as_ref().err().map(ToString::to_string) } else { None };
            let value = bytes.and_then(|bytes| Value::from_slice(bytes).ok());
            objects.serialize_element(&AttributeObject {
                name: std::str::from_utf8(name).ok(),
                name_hex: hex(name, ""),
                chunk: Readable::of(chunk.as_ref().map(DataObject::new)),
                content: bytes.map(|bytes| hex(bytes, "")),
                value: value.as_ref(),
                msgpack: value.as_ref(),
                value_error,
            })?;
        }
        objects.end()
    }
}

/// Serializes a value as readable text.
fn text<S: Serializer>(value: &Option<&Value>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => serializer.collect_str(value),
        None => serializer.serialize_none(),
    }
}

/// The chunks of a frame.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct Index(Vec<ChunkObject>);

/// A chunk, or the consecutive chunks from `first` to `last` if their entries in the index are the same. `offset` is the number of bytes
/// between the end of the frame's header and the chunk. In a sparse frame, `file` replaces `offset`.
#[derive(Serialize)]
pub(crate) struct ChunkObject {
    first: u64,
    last: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(flatten)]
    data: Readable<DataObject>,
}

/// The header of a chunk. `kind` is the codec, or `stored` if the chunk is not compressed, or a name such as `zeros` if all elements have
/// the same value.
#[derive(Serialize)]
pub(crate) struct DataObject {
    kind: String,
    nbytes: Option<u64>,
    cbytes: usize,
}

#[derive(Serialize)]
pub(crate) struct GridObject {
    nitems: i64,
    nchunks: u64,
    blocks_per_chunk: u64,
    nblocks: u64,
    padding: Option<f64>,
    /// The chunks that the slice touches. Left out unless `Options::slice` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    slice: Option<Readable<Json>>,
}

impl DataObject {
    fn new(header: &ChunkHeader) -> DataObject {
        DataObject { kind: chunk_table::kind(header), nbytes: Some(header.nbytes() as u64), cbytes: header.cbytes() }
    }
}

impl Index {
    pub(crate) fn of(frame: &Frame) -> b2nd_frame::Result<Index> {
        let offsets = frame.offsets()?;
        let is_sparse = frame.header().frame_type() == FrameType::Sparse;
        let rows = chunks::rows(frame, offsets).map(|row| ChunkObject::new(row, is_sparse));
        rows.collect::<b2nd_frame::Result<_>>().map(Index)
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.0.iter().all(|chunk| chunk.data.all(|_| true))
    }
}

impl ChunkObject {
    fn new(ChunkRun { first, last, content }: ChunkRun, is_sparse: bool) -> b2nd_frame::Result<ChunkObject> {
        let (offset, file, data) = match content {
            Content::Special(special, nbytes) => {
                (None, None, Readable::Is(DataObject { kind: special.to_string(), nbytes, cbytes: 0 }))
            }
            Content::At(at, header) => {
                let data = Readable::of(readable(header)?.map(|header| DataObject::new(&header)));
                if is_sparse { (None, Some(b2nd_store::chunk_file_name(at)), data) } else { (Some(at), None, data) }
            }
        };
        Ok(ChunkObject { first, last, offset, file, data })
    }
}

impl GridObject {
    pub(crate) fn new(grid: &Grid, slice: Option<&Slice>) -> GridObject {
        GridObject {
            nitems: grid.nitems(),
            nchunks: grid.nchunks(),
            blocks_per_chunk: grid.blocks_per_chunk(),
            nblocks: grid.nblocks(),
            padding: slice::padding(grid),
            slice: slice.map(|slice| Readable::of(slice.touched(grid).map(slice_object))),
        }
    }

    pub(crate) fn has_slice(&self) -> bool {
        self.slice.as_ref().is_some_and(|slice| slice.all(|_| true))
    }
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
