//! A frame as a JSON object.

use b2nd::ArrayMeta;
use b2nd::dtype::{DType, Field};
use b2nd_frame::{Filter, FrameType};
use serde::Serialize;

use crate::slice::Slice;
use crate::text::{hex, parameter};
use b2nd_store::Array;
use b2nd_store::Frame;
use b2nd_store::Kind;
use b2nd_store::attributes;
use b2nd_store::{readable, value};
use data::{Attributes, GridObject, Index};

pub use data::Readable;
pub use line::{write_line, write_text};
pub use store::{Groups, StoreObject};

mod data;
mod line;
mod store;

/// Options for the parts that are shown in addition to the header and the trailer, and for the size of a page.
#[derive(Clone, Default)]
pub struct Options {
    /// Whether to read the header of each chunk and list the chunks.
    pub chunks: bool,
    /// The lines of a list of chunks that is shown instead of the frame's. Not used for JSON.
    pub chunk_list: Option<Vec<String>>,
    /// The slice whose chunks are listed.
    pub slice: Option<Slice>,
    /// The number of columns of the terminal. Not used for JSON.
    pub width: Option<usize>,
    /// The maximum number of lines of a page. If a page would be longer, its lists are cut and details are left out. Not used for JSON.
    pub height: Option<usize>,
    /// Whether to show the attributes that PyTables writes for itself. Not used for JSON, which has all attributes.
    pub full: bool,
}

/// The location of a frame, which is a file, or a leaf (an entry) of a store.
#[derive(Clone, Copy, Default, Serialize)]
pub struct Place<'a> {
    /// The path or URL of the file or directory of the frame. For a leaf, this is the path or URL of the store.
    pub path: &'a str,
    /// The key of the leaf in its store, or `None` if the frame is not a leaf.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<&'a str>,
    /// The name of the file in the store that contains the leaf, or `None` if the store itself is a single frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<&'a str>,
    /// The offset of the frame in its file, in bytes. For a leaf of an embedded store, the offset in the data of that store.
    pub offset: u64,
}

/// A frame's header and trailer in readable form. Lengths are in bytes, shapes in elements.
#[derive(Serialize)]
pub struct Object<'a> {
    #[serde(flatten)]
    place: Place<'a>,
    kind: Kind,
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
    /// The error of the array metalayer. Left out unless this metalayer exists and is invalid.
    #[serde(skip_serializing_if = "Option::is_none")]
    array_error: Option<String>,
    trailer: Readable<TrailerObject<'a>>,
    /// The list of chunks. Left out unless [`Options::chunks`] is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    chunks: Option<Readable<Index>>,
    #[serde(skip)]
    is_complete: bool,
}

#[derive(Serialize)]
struct FilterSlot {
    filter: String,
    meta: i16,
}

/// A metalayer. `name` is null if it is not UTF-8, and `value` is null if the content is not MessagePack.
#[derive(Serialize)]
struct Metalayer<'a> {
    name: Option<&'a str>,
    name_hex: String,
    length: usize,
    content: String,
    value: Option<b2nd::RawValue<'a>>,
}

#[derive(Serialize)]
struct ArrayObject<'a> {
    layout: &'static str,
    #[serde(flatten)]
    meta: ArrayMeta<&'a str>,
    /// The type of an element, or `None` for Caterva arrays, which do not record the type.
    element: Option<Readable<ElementObject>>,
    stale_bytes: usize,
    grid: Readable<GridObject>,
}

/// The type of an element. `fields` is empty if the element is not a structure.
#[derive(Serialize)]
struct ElementObject {
    description: String,
    itemsize: usize,
    alignment: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Vec<FieldObject>,
}

#[derive(Serialize)]
struct FieldObject {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    offset: usize,
    dtype: String,
    itemsize: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Vec<FieldObject>,
}

#[derive(Serialize)]
struct TrailerObject<'a> {
    version: u8,
    trailer_len: usize,
    vlmetalayers: Attributes<'a>,
}

impl ElementObject {
    fn new(dtype: &DType) -> Self {
        ElementObject {
            description: dtype.describe(),
            itemsize: dtype.itemsize(),
            alignment: dtype.alignment(),
            fields: dtype.fields().iter().map(FieldObject::new).collect(),
        }
    }
}

impl FieldObject {
    fn new(field: &Field) -> Self {
        let dtype = field.dtype();
        FieldObject {
            name: field.name().to_owned(),
            title: field.title().map(str::to_owned),
            offset: field.offset(),
            dtype: dtype.to_string(),
            itemsize: dtype.itemsize(),
            fields: dtype.fields().iter().map(FieldObject::new).collect(),
        }
    }
}

impl<'a> Object<'a> {
    /// Describes a frame. A part that cannot be read is replaced by its error.
    ///
    /// # Errors
    ///
    /// Fails if the frame's `Source` cannot be read.
    pub fn new(frame: &'a Frame, place: Place<'a>, options: &Options) -> b2nd_frame::Result<Object<'a>> {
        let header = frame.header();
        let (array, array_error) = match Array::find(header) {
            Ok(array) => (array, None),
            Err(error) => (None, Some(error.to_string())),
        };
        let trailer = readable(frame.trailer())?;
        let kind = Kind::of(header, trailer.as_ref().ok().copied());
        let trailer = Readable::of(trailer.map(|trailer| TrailerObject {
            version: trailer.version(),
            trailer_len: trailer.trailer_len(),
            vlmetalayers: Attributes(attributes::of(trailer)),
        }));
        let chunks = if options.chunks { Some(Readable::of(readable(Index::of(frame))?)) } else { None };
        let mut object = Object {
            place,
            kind,
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
            filters: header.filters().map(filter_slot).collect(),
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
                element: array.meta.parse_dtype().transpose().map(|dtype| Readable::of(dtype.as_ref().map(ElementObject::new))),
                stale_bytes: array.stale,
                grid: Readable::of(array.meta.geometry().grid().map(|grid| GridObject::new(&grid, options.slice.as_ref()))),
            }),
            array_error,
            trailer,
            chunks,
            is_complete: false,
        };
        let has_slice = |array: &ArrayObject| array.grid.all(GridObject::has_slice);
        object.is_complete = (options.slice.is_none() || object.array.as_ref().is_some_and(has_slice))
            && object.trailer.all(|trailer| trailer.vlmetalayers.are_complete())
            && object.chunks.as_ref().is_none_or(|index| index.all(Index::is_complete));
        Ok(object)
    }

    /// Returns the kind of the frame.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns true if all requested parts could be read.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }
}

/// Returns the [`Object`] that describes a frame, as a `serde_json` value.
///
/// # Errors
///
/// Fails if the frame's `Source` cannot be read.
pub fn frame(frame: &Frame, path: &str, options: &Options) -> b2nd_frame::Result<serde_json::Value> {
    let place = Place { path, offset: frame.position(), ..Place::default() };
    let object = Object::new(frame, place, options)?;
    Ok(serde_json::to_value(&object).map_err(std::io::Error::from)?)
}

fn filter_slot((filter, meta): (Filter, u8)) -> FilterSlot {
    FilterSlot { filter: filter.to_string(), meta: parameter(filter, meta) }
}

fn metalayer<'a>((name, content): (&'a [u8], &'a [u8])) -> Metalayer<'a> {
    Metalayer {
        name: std::str::from_utf8(name).ok(),
        name_hex: hex(name, ""),
        length: content.len(),
        content: hex(content, ""),
        value: value::read(content),
    }
}
