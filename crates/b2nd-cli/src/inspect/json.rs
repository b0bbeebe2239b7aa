//! A frame as one line of JSON.

use std::borrow::Cow;
use std::path::Path;

use b2nd::ArrayMeta;
use b2nd::dtype::DType;
use b2nd::frame::{File, FrameType};
use serde::Serialize;

use super::array::Array;
use super::text::hex;
use super::{Args, View};
use data::{GridObject, Index, Readable, TrailerObject};

mod data;

/// A frame's header in readable form. Lengths are in bytes, shapes in elements.
#[derive(Serialize)]
struct Frame<'a> {
    path: Cow<'a, str>,
    offset: u64,
    frame_type: &'static str,
    version: u8,
    header_len: usize,
    frame_len: u64,
    variable_chunks: bool,
    variable_blocks: bool,
    codec: String,
    codec_meta: u8,
    level: u8,
    filters: Vec<FilterSlot>,
    split_mode: Option<String>,
    nbytes: i64,
    cbytes: i64,
    typesize: i32,
    chunksize: i32,
    blocksize: i32,
    compression_threads: i16,
    decompression_threads: i16,
    has_vlmetalayers: bool,
    metalayers: Vec<Metalayer<'a>>,
    array: Option<ArrayObject<'a>>,
    /// Why a metalayer with an array's name is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    array_error: Option<String>,
    trailer: Readable<TrailerObject>,
    /// With `--chunks`.
    #[serde(skip_serializing_if = "Option::is_none")]
    chunks: Option<Readable<Index>>,
}

#[derive(Serialize)]
struct FilterSlot {
    filter: String,
    meta: u8,
}

/// `name` is null where it is not UTF-8.
#[derive(Serialize)]
struct Metalayer<'a> {
    name: Option<&'a str>,
    name_hex: String,
    length: usize,
    content: String,
}

#[derive(Serialize)]
struct ArrayObject<'a> {
    layout: &'static str,
    #[serde(flatten)]
    meta: ArrayMeta<&'a str>,
    /// What an element is; Caterva does not say.
    element: Option<Readable<ElementObject>>,
    stale_bytes: usize,
    grid: Readable<GridObject>,
}

#[derive(Serialize)]
struct ElementObject {
    description: String,
    itemsize: usize,
    alignment: usize,
}

impl ElementObject {
    fn new(dtype: DType) -> Self {
        ElementObject { description: dtype.describe(), itemsize: dtype.itemsize(), alignment: dtype.alignment() }
    }
}

impl ArrayObject<'_> {
    fn has_slice(&self) -> bool {
        self.grid.all(GridObject::has_slice)
    }
}

pub(crate) fn line(args: &Args, path: &Path, file: &File) -> b2nd::Result<View> {
    let header = file.header();
    let (array, array_error) = match Array::find(header) {
        Ok(array) => (array, None),
        Err(error) => (None, Some(error.to_string())),
    };
    let frame = Frame {
        path: path.to_string_lossy(),
        offset: file.offset(),
        frame_type: match header.frame_type() {
            FrameType::Contiguous => "contiguous",
            FrameType::Sparse => "sparse",
        },
        version: header.version(),
        header_len: header.header_len(),
        frame_len: header.frame_len(),
        variable_chunks: header.has_variable_chunks(),
        variable_blocks: header.has_variable_blocks(),
        codec: header.codec().to_string(),
        codec_meta: header.codec_meta(),
        level: header.level(),
        filters: header.filters().map(|(filter, meta)| FilterSlot { filter: filter.to_string(), meta }).collect(),
        split_mode: header.split_mode().map(|mode| mode.to_string()),
        nbytes: header.nbytes(),
        cbytes: header.cbytes(),
        typesize: header.typesize(),
        chunksize: header.chunksize(),
        blocksize: header.blocksize(),
        compression_threads: header.compression_threads(),
        decompression_threads: header.decompression_threads(),
        has_vlmetalayers: header.has_vlmetalayers(),
        metalayers: header.metalayers().iter().map(metalayer).collect(),
        array: array.map(|array| ArrayObject {
            layout: array.layout(),
            meta: array.meta,
            element: array.meta.parse_dtype().transpose().map(|dtype| Readable::of(dtype.map(ElementObject::new))),
            stale_bytes: array.stale,
            grid: Readable::of(array.meta.geometry().grid().map(|grid| GridObject::new(&grid, args.slice.as_ref()))),
        }),
        array_error,
        trailer: Readable::of(file.trailer().map(|trailer| TrailerObject::new(&trailer))),
        chunks: args.chunks.then(|| Readable::of(Index::of(file))),
    };
    let slice = args.slice.is_none() || frame.array.as_ref().is_some_and(|array| array.has_slice());
    let complete = slice
        && frame.trailer.all(TrailerObject::is_complete)
        && frame.chunks.as_ref().is_none_or(|index| index.all(Index::is_complete));
    let text = serde_json::to_string(&frame).map_err(std::io::Error::from)?;
    Ok(View { text, complete })
}

fn metalayer<'a>((name, content): (&'a [u8], &'a [u8])) -> Metalayer<'a> {
    Metalayer { name: std::str::from_utf8(name).ok(), name_hex: hex(name, ""), length: content.len(), content: hex(content, "") }
}
