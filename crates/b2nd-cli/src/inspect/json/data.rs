//! What JSON says of a trailer, of chunks and of a grid.

use b2nd::Grid;
use b2nd::frame::{ChunkHeader, File, FrameType, Trailer};
use serde::Serialize;

use super::super::chunks::{self, Content, Row};
use super::super::grid::{self, Slice};
use super::super::msgpack;
use super::super::text::hex;
use super::super::vlmetalayers::{self, Vlmetalayer};

/// What is there, or an object that says why it is not.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Readable<T> {
    Is(T),
    Not { error: String },
}

impl<T> Readable<T> {
    pub(crate) fn of(result: Result<T, impl ToString>) -> Readable<T> {
        match result {
            Ok(value) => Readable::Is(value),
            Err(error) => Readable::Not { error: error.to_string() },
        }
    }

    /// Whether it is there, and this holds for it.
    pub(crate) fn all(&self, holds: impl FnOnce(&T) -> bool) -> bool {
        match self {
            Readable::Is(value) => holds(value),
            Readable::Not { .. } => false,
        }
    }
}

#[derive(Serialize)]
pub(crate) struct TrailerObject {
    version: u8,
    trailer_len: usize,
    vlmetalayers: Vec<VlmetalayerObject>,
}

/// `value` is there where the chunk is stored, in hexadecimal; `msgpack` is that value where it is one, for people.
#[derive(Serialize)]
pub(crate) struct VlmetalayerObject {
    name: Option<String>,
    name_hex: String,
    #[serde(flatten)]
    chunk: Readable<DataObject>,
    value: Option<String>,
    msgpack: Option<String>,
}

/// The chunks in order.
#[derive(Serialize)]
pub(crate) struct Index(Vec<ChunkObject>);

/// One chunk, or several in a row that the index says the same of. `offset` counts from the end of the header.
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

/// What a chunk's header says. `kind` is a codec, `stored`, or what all elements are.
#[derive(Serialize)]
pub(crate) struct DataObject {
    kind: String,
    nbytes: Option<usize>,
    cbytes: usize,
}

#[derive(Serialize)]
pub(crate) struct GridObject {
    nitems: i64,
    nchunks: u64,
    blocks_per_chunk: u64,
    nblocks: u64,
    padding: Option<f64>,
    /// With `--slice`.
    #[serde(skip_serializing_if = "Option::is_none")]
    slice: Option<Readable<SliceObject>>,
}

#[derive(Serialize)]
pub(crate) struct SliceObject {
    ranges: Vec<[i64; 2]>,
    chunks: Vec<SliceChunk>,
    not_listed: usize,
}

#[derive(Serialize)]
pub(crate) struct SliceChunk {
    chunk: u64,
    blocks: usize,
}

impl TrailerObject {
    pub(crate) fn new(trailer: &Trailer) -> TrailerObject {
        let vlmetalayer = |Vlmetalayer { name, chunk }: Vlmetalayer| {
            let stored = chunk.as_ref().ok().and_then(|chunk| chunk.stored());
            VlmetalayerObject {
                name: std::str::from_utf8(name).ok().map(str::to_owned),
                name_hex: hex(name, ""),
                value: stored.map(|value| hex(value, "")),
                msgpack: stored.and_then(|value| msgpack::text(value, usize::MAX)),
                chunk: Readable::of(chunk.as_ref().map(|chunk| DataObject::new(chunk.header()))),
            }
        };
        TrailerObject {
            version: trailer.version(),
            trailer_len: trailer.trailer_len(),
            vlmetalayers: vlmetalayers::of(trailer).map(vlmetalayer).collect(),
        }
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.vlmetalayers.iter().all(|vlmetalayer| vlmetalayer.chunk.all(|_| true))
    }
}

impl DataObject {
    fn new(header: &ChunkHeader) -> DataObject {
        DataObject { kind: chunks::kind(header), nbytes: Some(header.nbytes()), cbytes: header.cbytes() }
    }
}

impl Index {
    pub(crate) fn of(file: &File) -> b2nd::Result<Index> {
        let is_sparse = file.header().frame_type() == FrameType::Sparse;
        let rows = chunks::rows(file, file.offsets()?);
        Ok(Index(rows.map(|row| ChunkObject::new(row, is_sparse)).collect()))
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.0.iter().all(|chunk| chunk.data.all(|_| true))
    }
}

impl ChunkObject {
    fn new(Row { first, last, content }: Row, is_sparse: bool) -> ChunkObject {
        let (offset, file, data) = match content {
            Content::Special(special, nbytes) => {
                (None, None, Readable::Is(DataObject { kind: special.to_string(), nbytes, cbytes: 0 }))
            }
            Content::At(at, header) => {
                let data = Readable::of(header.map(|header| DataObject::new(&header)));
                if is_sparse { (None, Some(chunks::file_name(at)), data) } else { (Some(at), None, data) }
            }
        };
        ChunkObject { first, last, offset, file, data }
    }
}

impl GridObject {
    pub(crate) fn new(grid: &Grid, slice: Option<&Slice>) -> GridObject {
        GridObject {
            nitems: grid.nitems(),
            nchunks: grid.nchunks(),
            blocks_per_chunk: grid.blocks_per_chunk(),
            nblocks: grid.nblocks(),
            padding: grid::padding(grid),
            slice: slice.map(|slice| Readable::of(slice.touched(grid).map(SliceObject::new))),
        }
    }

    pub(crate) fn has_slice(&self) -> bool {
        self.slice.as_ref().is_some_and(|slice| slice.all(|_| true))
    }
}

impl SliceObject {
    fn new(grid::Touched { ranges, chunks, more }: grid::Touched) -> SliceObject {
        SliceObject {
            ranges: ranges.into_iter().map(|range| [range.start, range.end]).collect(),
            chunks: chunks.into_iter().map(|(chunk, blocks)| SliceChunk { chunk, blocks }).collect(),
            not_listed: more,
        }
    }
}
