//! A frame as a JSON object.

use b2nd::ArrayMeta;
use b2nd::dtype::{DType, Field};
use b2nd_frame::{FrameType, Header};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::{Value as Json, json};

use crate::slice::Slice;
use crate::text::{hex, parameter};
use b2nd_store::attributes::{self, Attribute};
use b2nd_store::{Array, Frame, Kind, readable, value};
use data::{ChunkObject, Readable};

pub use line::{write_line, write_text};
pub use store::StoreObject;

mod data;
mod line;
mod store;

/// Options for the parts that are shown in addition to the header and the trailer, and for the size of a page.
#[derive(Clone, Default)]
pub struct InfoOptions {
    /// Whether to read the header of each chunk and list the chunks.
    pub chunks: bool,
    /// The lines of a list of chunks that is shown instead of the frame's. Not used for JSON.
    pub chunk_list: Option<Vec<String>>,
    /// The slice whose chunks are listed.
    pub slice: Option<Slice>,
    /// The number of columns of the terminal. Not used for JSON.
    pub width: Option<usize>,
    /// The number of lines to which a page is shortened: its lists are cut, and its last parts are left out if that is not enough. Not used
    /// for JSON, or without `width`.
    pub height: Option<usize>,
    /// Whether a page shows more details, such as lengths, compression, and the attributes that PyTables writes for itself. Not used for
    /// JSON, which always has them.
    pub full: bool,
}

/// The location of a frame, which is a file or part of one, a directory, or a leaf (an entry) of a store.
#[derive(Clone, Copy, Default, Serialize)]
pub struct FramePlace<'a> {
    /// The path or URL of the file or directory of the frame, or `-` for standard input. For a leaf, this is the path or URL of the store.
    pub path: &'a str,
    /// The key of the leaf in its store, or `None` if the frame is not a leaf.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<&'a str>,
    /// The name of the file in the store that contains the leaf, or `None` if there is no such file. For a dataset of an HDF5 file, this is
    /// its path with the ending `.b2nd`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<&'a str>,
    /// The offset of the frame in bytes: in the file or archive, or, for an embedded leaf, in the data of the frame that embeds it. 0 for a
    /// dataset of an HDF5 file.
    pub offset: u64,
}

/// A frame's header and trailer in readable form. Lengths are in bytes, shapes in elements.
#[derive(Serialize)]
pub struct Object<'a> {
    #[serde(flatten)]
    place: FramePlace<'a>,
    kind: Kind,
    #[serde(flatten, serialize_with = "header_fields")]
    header: &'a Header,
    array: Option<ArrayObject<'a>>,
    /// The error of the array metalayer. Left out unless this metalayer exists and is invalid.
    #[serde(skip_serializing_if = "Option::is_none")]
    array_error: Option<String>,
    trailer: Readable<TrailerObject<'a>>,
    /// The list of chunks. Left out unless [`InfoOptions::chunks`] is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    chunks: Option<Readable<Vec<ChunkObject>>>,
    #[serde(skip)]
    is_complete: bool,
}

/// Serializes the fields of a header.
fn header_fields<S: Serializer>(header: &Header, serializer: S) -> Result<S::Ok, S::Error> {
    let frame_type = match header.frame_type() {
        FrameType::Contiguous => "contiguous",
        FrameType::Sparse => "sparse",
    };
    let filters = header.filters();
    let filters = filters.map(|(filter, meta)| json!({ "filter": filter.to_string(), "meta": parameter(filter, meta) }));
    let mut fields = serializer.serialize_map(None)?;
    fields.serialize_entry("frame_type", frame_type)?;
    fields.serialize_entry("version", &header.version())?;
    fields.serialize_entry("header_len", &header.header_len())?;
    fields.serialize_entry("frame_len", &header.frame_len())?;
    fields.serialize_entry("variable_chunks", &header.has_variable_chunks())?;
    fields.serialize_entry("variable_blocks", &header.has_variable_blocks())?;
    fields.serialize_entry("codec", &header.codec().to_string())?;
    fields.serialize_entry("codec_meta", &header.codec_meta())?;
    fields.serialize_entry("level", &header.level())?;
    fields.serialize_entry("filters", &filters.collect::<Json>())?;
    fields.serialize_entry("split_mode", &header.split_mode().map(|mode| mode.to_string()))?;
    fields.serialize_entry("nbytes", &header.nbytes())?;
    fields.serialize_entry("cbytes", &header.cbytes())?;
    fields.serialize_entry("typesize", &header.typesize())?;
    fields.serialize_entry("chunksize", &header.chunksize())?;
    fields.serialize_entry("blocksize", &header.blocksize())?;
    fields.serialize_entry("compression_threads", &header.compression_threads())?;
    fields.serialize_entry("decompression_threads", &header.decompression_threads())?;
    fields.serialize_entry("has_vlmetalayers", &header.has_vlmetalayers())?;
    fields.serialize_entry("metalayers", &header.metalayers().iter().map(Metalayer::new).collect::<Vec<_>>())?;
    fields.end()
}

/// A metalayer. `name` is null if it is not UTF-8, and `value` is null if the content cannot be read as one MessagePack value.
#[derive(Serialize)]
struct Metalayer<'a> {
    name: Option<&'a str>,
    name_hex: String,
    length: usize,
    content: String,
    value: Option<b2nd::RawValue<'a>>,
}

impl<'a> Metalayer<'a> {
    fn new((name, content): (&'a [u8], &'a [u8])) -> Self {
        Metalayer {
            name: std::str::from_utf8(name).ok(),
            name_hex: hex(name, ""),
            length: content.len(),
            content: hex(content, ""),
            value: value::read(content),
        }
    }
}

#[derive(Serialize)]
struct ArrayObject<'a> {
    layout: &'static str,
    #[serde(flatten)]
    meta: ArrayMeta<&'a str>,
    /// A description of the dtype, or `None` if the metalayer does not record the dtype, as in Caterva arrays.
    element: Option<Readable<Json>>,
    stale_bytes: usize,
    grid: Readable<Json>,
}

#[derive(Serialize)]
struct TrailerObject<'a> {
    version: u8,
    trailer_len: usize,
    #[serde(serialize_with = "data::attributes")]
    vlmetalayers: Vec<Attribute<'a>>,
}

/// Describes a dtype.
fn element(dtype: &DType) -> Json {
    let words = dtype.describe().to_string();
    with_fields(json!({ "description": words, "itemsize": dtype.itemsize(), "alignment": dtype.alignment() }), dtype)
}

/// Adds the fields of a structure to its description, or nothing for any other dtype.
fn with_fields(mut description: Json, dtype: &DType) -> Json {
    let describe = |field: &Field| {
        let (mut object, dtype) = (json!({ "name": field.name() }), field.dtype());
        if let Some(title) = field.title() {
            object["title"] = title.into();
        }
        object["offset"] = field.offset().into();
        object["dtype"] = dtype.to_string().into();
        object["itemsize"] = dtype.itemsize().into();
        with_fields(object, dtype)
    };
    if !dtype.fields().is_empty() {
        description["fields"] = dtype.fields().iter().map(describe).collect();
    }
    description
}

impl<'a> Object<'a> {
    /// Describes a frame. A part that cannot be read is replaced by its error.
    ///
    /// # Errors
    ///
    /// Fails if the frame's `Source` cannot be read.
    pub fn new(frame: &'a Frame, place: FramePlace<'a>, options: &InfoOptions) -> b2nd_frame::Result<Object<'a>> {
        let header = frame.header();
        let (array, array_error) = match Array::find(header) {
            Ok(array) => (array, None),
            Err(error) => (None, Some(error.to_string())),
        };
        let array = array.map(|array| ArrayObject {
            layout: array.layout(),
            meta: array.meta,
            element: array.meta.parse_dtype().transpose().map(|dtype| Readable::of(dtype.as_ref().map(element))),
            stale_bytes: array.stale,
            grid: Readable::of(array.meta.geometry().grid().map(|grid| data::grid(&grid, options.slice.as_ref()))),
        });
        let trailer = readable(frame.trailer())?;
        let kind = Kind::of(header, trailer.as_ref().ok().copied());
        let trailer = Readable::of(trailer.map(|trailer| TrailerObject {
            version: trailer.version(),
            trailer_len: trailer.trailer_len(),
            vlmetalayers: attributes::of(trailer),
        }));
        let chunks = if options.chunks { Some(Readable::of(readable(data::chunks(frame))?)) } else { None };
        let has_slice = |array: &ArrayObject| array.grid.all(|grid| grid["slice"].get("error").is_none());
        let is_complete = (options.slice.is_none() || array.as_ref().is_some_and(has_slice))
            && trailer.all(|trailer| trailer.vlmetalayers.iter().all(|attribute| attribute.value.is_ok()))
            && chunks.as_ref().is_none_or(|chunks| chunks.all(|chunks| chunks.iter().all(|chunk| chunk.data.all(|_| true))));
        Ok(Object { place, kind, header, array, array_error, trailer, chunks, is_complete })
    }

    /// Returns the kind of the frame.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns false if the trailer, an attribute, or the requested slice or chunks could not be read.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }
}

/// Returns the [`Object`] that describes a frame, as a `serde_json` value.
///
/// # Errors
///
/// Fails if the frame's `Source` cannot be read.
pub fn frame(frame: &Frame, path: &str, options: &InfoOptions) -> b2nd_frame::Result<Json> {
    let place = FramePlace { path, offset: frame.position(), ..FramePlace::default() };
    let object = Object::new(frame, place, options)?;
    Ok(serde_json::to_value(&object).map_err(std::io::Error::from)?)
}
