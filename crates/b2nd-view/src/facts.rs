//! [`Fact`]: a label and a text, shown as a line on a terminal and as an entry of a list on the web page.

use std::borrow::Cow;
use std::fmt::Display;

use b2nd::dtype::DType;
use b2nd::{Geometry, Grid};
use b2nd_frame::{FrameType, Header};
use serde::Serialize;

use crate::slice;
use crate::text::{self, count, lengths, percent, size, thousands};
use b2nd_store::{Array, value};

/// A label, a text, and a name, usually that of the corresponding field in the frame's JSON. Serializes to a list of these three strings.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Fact(pub &'static str, pub String, pub &'static str);

/// The facts about a frame, and the facts about its array.
#[derive(Debug, Serialize)]
pub struct Facts {
    /// The facts about the array, or `None` if the frame has no array or the metadata of the array cannot be read.
    pub array: Option<Vec<Fact>>,
    /// The facts about the frame.
    pub frame: Vec<Fact>,
}

impl Facts {
    /// Returns the facts in a header. Of the metalayers, only the array's is included.
    ///
    /// ```
    /// use b2nd_view::facts::{Fact, Facts};
    /// use b2nd_view::Frame;
    ///
    /// let file = std::fs::read("../../tests/data/example.b2nd")?;
    /// let facts = Facts::of(Frame::open(&file)?.header());
    /// let shape = Fact("shape", "10 × 13 × 7".to_owned(), "shape");
    /// assert!(facts.array.is_some_and(|array| array.contains(&shape)));
    /// # Ok::<(), b2nd_frame::Error>(())
    /// ```
    pub fn of(header: &Header) -> Facts {
        let array = Array::find(header).ok().flatten();
        Facts {
            array: array.map(|array| of_array(&array, header)),
            frame: [sizes(header), container(header), compression(header)].concat(),
        }
    }
}

fn of_array(array: &Array<'_>, header: &Header) -> Vec<Fact> {
    let geometry = array.meta.geometry();
    let mut facts = vec![layout(array)];
    facts.extend(shapes(geometry));
    facts.extend(array.meta.dtype().map(|dtype| Fact("dtype", text::printable(dtype), "dtype")));
    match array.meta.parse_dtype() {
        Ok(dtype) => facts.extend(dtype.map(|dtype| {
            let Fact(label, text, field) = element(&dtype);
            let differs = typesize_differs(&dtype, header).map(|differs| format!("; {differs}"));
            Fact(label, text + &differs.unwrap_or_default(), field)
        })),
        Err(error) => facts.push(Fact("element", format!("not known: {error}"), "element")),
    }
    facts.extend(stale(array));
    match geometry.grid() {
        Ok(counted) => {
            facts.extend(grid(&counted));
            facts.extend(padding(&counted));
        }
        Err(error) => facts.push(Fact("elements", error.to_string(), "nitems")),
    }
    facts
}

/// Returns the size of the array in bytes, without the padding of its chunks. Returns the uncompressed length of all chunks if the frame
/// has no array, or the shapes of the array are invalid.
pub fn array_size(header: &Header) -> i128 {
    let grid = header.geometry().ok().flatten().and_then(|geometry| geometry.grid().ok());
    grid.map_or(header.nbytes().into(), |grid| i128::from(grid.nitems()) * i128::from(header.typesize()))
}

/// Returns the size of the array divided by its compressed size, as text, or `None` if one of the two is not positive.
pub fn ratio(header: &Header) -> Option<String> {
    let (size, cbytes) = (array_size(header), header.cbytes());
    (size > 0 && cbytes > 0).then(|| format!("{:.1}", size as f64 / cbytes as f64))
}

/// Returns facts about sizes: of the array, compressed, and of its chunks with their padding if this size differs from the array's.
pub fn sizes(header: &Header) -> Vec<Fact> {
    let ratio = ratio(header).map_or_else(String::new, |ratio| format!(", ratio {ratio}"));
    let (array, nbytes) = (array_size(header), i128::from(header.nbytes()));
    let mut sizes =
        vec![Fact("size", size(array), "nbytes"), Fact("compressed", size(header.cbytes().into()) + &ratio, "cbytes")];
    if array != nbytes {
        sizes.insert(1, Fact("in chunks", format!("{} with padding", size(nbytes)), "nbytes"));
    }
    sizes
}

/// Returns facts about the frame as a container: its type, its version and its lengths.
pub fn container(header: &Header) -> Vec<Fact> {
    let (kind, length) = match header.frame_type() {
        FrameType::Contiguous => ("contiguous", "in all"),
        FrameType::Sparse => ("sparse", "in chunks.b2frame"),
    };
    let frame_len = size(header.frame_len().into());
    vec![
        Fact("frame", format!("{kind}, version {}", header.version()), "frame_type"),
        Fact("length", format!("{frame_len} {length}, {} of header", thousands(header.header_len())), "frame_len"),
        Fact("typesize", size(header.typesize().into()), "typesize"),
        Fact("chunksize", size_or_varies(header.chunksize(), header.has_variable_chunks()), "chunksize"),
        Fact("blocksize", size_or_varies(header.blocksize(), header.has_variable_blocks()), "blocksize"),
    ]
}

fn size_or_varies(length: i32, varies: bool) -> String {
    match (varies, length) {
        // In an empty frame, a length of -1 means that it is not set yet.
        (false, -1) => "not set".to_owned(),
        (false, length) => size(length.into()),
        (true, 0) => "varies".to_owned(),
        (true, length) => format!("varies, {} in the header", size(length.into())),
    }
}

/// Returns facts about the settings in the header: codec, filters, split mode and threads.
pub fn compression(header: &Header) -> Vec<Fact> {
    let codec = with_meta(header.codec(), header.codec_meta().into());
    let filters: Vec<_> = header.filters().map(|(filter, meta)| with_meta(filter, text::parameter(filter, meta))).collect();
    let threads = format!("{} to compress, {} to decompress", header.compression_threads(), header.decompression_threads());
    vec![
        Fact("codec", format!("{codec}, level {}", header.level()), "codec"),
        Fact("filters", if filters.is_empty() { "none".to_owned() } else { filters.join(", ") }, "filters"),
        Fact("split mode", header.split_mode().map_or_else(|| "unknown".to_owned(), |mode| mode.to_string()), "split_mode"),
        Fact("threads", threads, "threads"),
    ]
}

/// Formats a codec or filter, with its parameter if the parameter is not 0.
fn with_meta(stage: impl Display, meta: i16) -> String {
    if meta == 0 { stage.to_string() } else { format!("{stage} (meta {meta})") }
}

/// Returns a fact about the metalayer that describes the array.
pub fn layout(array: &Array<'_>) -> Fact {
    let ndim = count(array.meta.geometry().ndim(), "dimension");
    Fact("array", format!("{}, version {}, {ndim}", array.describe(), array.meta.version()), "layout")
}

pub(crate) fn shapes(geometry: &Geometry) -> [Fact; 3] {
    [
        Fact("shape", lengths(geometry.shape()), "shape"),
        Fact("chunkshape", lengths(geometry.chunkshape()), "chunkshape"),
        Fact("blockshape", lengths(geometry.blockshape()), "blockshape"),
    ]
}

/// Returns a fact that describes a dtype in words.
pub fn element(dtype: &DType) -> Fact {
    Fact("element", dtype.describe().to_string(), "element")
}

/// Returns a warning if the typesize of the frame differs from the itemsize of the dtype. For example, the dtype is `|u1` if C-Blosc2 was
/// given none, and NumPy's text of a dtype can lose the padding of an aligned structure inside another dtype.
pub fn typesize_differs(dtype: &DType, header: &Header) -> Option<String> {
    let (found, own) = (header.typesize(), dtype.itemsize());
    (usize::try_from(found) != Ok(own)).then(|| format!("the frame's typesize is {found}, but the dtype's itemsize is {own}"))
}

/// Returns a warning if there are unused bytes after the array's metadata.
pub fn stale(array: &Array<'_>) -> Option<Fact> {
    (array.stale != 0).then(|| Fact("stale", format!("{} after the metadata", count(array.stale, "byte")), "stale_bytes"))
}

/// Returns the numbers of elements, chunks and blocks.
pub fn grid(grid: &Grid) -> [Fact; 3] {
    let blocks = format!("{}, {} in each chunk", thousands(grid.nblocks()), thousands(grid.blocks_per_chunk()));
    [
        Fact("elements", thousands(grid.nitems()), "nitems"),
        Fact("chunks", thousands(grid.nchunks()), "nchunks"),
        Fact("blocks", blocks, "nblocks"),
    ]
}

/// Returns the percentage of padding among all elements in chunks, or `None` if there are no chunks.
pub fn padding(grid: &Grid) -> Option<Fact> {
    let padding = match slice::padding(grid)? {
        0.0 => "none".to_owned(),
        padding => format!("{} of the uncompressed chunks", percent(padding)),
    };
    Some(Fact("padding", padding, "padding"))
}

/// Returns a note that values are shown as they are stored, without applying the attributes that the note names: `scale_factor` unless it
/// is 1, and `add_offset` unless it is 0. `_FillValue` and `missing_value` are named only if the number in the attribute may be among the
/// values: not if the number is NaN, or outside of `range`, the min and max of the values if they are known. Of a list, only the first value
/// counts. Attributes without a number are not named. Returns `None` if there is no attribute to name.
pub fn as_stored<'a>(attribute: impl Fn(&str) -> Option<Cow<'a, [u8]>>, range: Option<[f64; 2]>) -> Option<Fact> {
    let number = |name: &str| {
        let value = value::read(&attribute(name)?)?.leaves().next()?.to_value().ok()?;
        value.as_f64().or_else(|| Some(value.as_i64()? as f64)).or_else(|| Some(value.as_u64()? as f64))
    };
    let matters = |name: &&str| match (*name, number(name)) {
        (_, None) => false,
        ("scale_factor", Some(factor)) => factor != 1.0,
        ("add_offset", Some(offset)) => offset != 0.0,
        (_, Some(fill)) => !fill.is_nan() && range.is_none_or(|[min, max]| (min..=max).contains(&fill)),
    };
    let names: Vec<_> = ["scale_factor", "add_offset", "_FillValue", "missing_value"].into_iter().filter(matters).collect();
    (!names.is_empty())
        .then(|| Fact("note", format!("values are as stored, without applying {}", names.join(", ")), "attributes"))
}
