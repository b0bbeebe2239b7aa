//! [`import()`]: writes a Zarr array as a `.b2nd` file.

use std::cmp::Ordering;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use b2nd::B2ndMeta;
use b2nd::dtype::DType;
use b2nd_ndarray::Options;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use zarrs::array::{Array, ArrayBytes, ArraySubset};

use crate::bytes_codec::LARGEST;
use crate::data_type::{from_zarr, native};
use crate::error::{Error, Result};
use crate::files::Files;
use crate::new_metadata::{FILL_VALUE, NAMES, is_float};

/// The maximum length, in bytes, of a part of the Zarr array that is read into memory.
const MOST: u64 = 256 << 20;

/// A part has as many layers of chunks as fit in this number of bytes, or one layer, up to [`MOST`], if none fits.
const TYPICAL: u64 = 16 << 20;

/// An array may have this number of bytes, and `RATIO` more for each byte in its files.
const FREE: u64 = 1 << 38;
const RATIO: u64 = 1 << 17;

/// A chunk takes about as long to read as this number of bytes, even if it is shorter.
const PER_CHUNK: u64 = 64 << 10;

const MOST_ATTRIBUTES: usize = 16;

/// The maximum length, in bytes, of the metadata that [`metadata`] reads.
const MOST_METADATA: u64 = 1 << 24;

/// The maximum number of blocks in a chunk. If a shard has more inner chunks, they do not become blocks.
const MOST_BLOCKS: u64 = 1 << 20;

/// Writes a Zarr array (version 3 or 2) and its attributes as a `.b2nd` file. `from` is the array, or a group that contains only this
/// array. The names of the dimensions become the attribute `dims` if all dimensions have one. If xarray wrote version 2, a number in
/// `fill_value` becomes the attribute `_FillValue`. These two can be left out if the array would otherwise have more than 16 attributes. An
/// attribute in `options` replaces one of the same name.
///
/// Unless `options` gives other shapes, the chunks of a regular grid usually become the chunks of the new array, and the inner chunks of
/// shards become its blocks. Chunks of 1 GiB or more, for example, do not. One or more layers of chunks along the first dimension are
/// read at a time. A layer of more than 256 MiB is read in parts.
///
/// The array can be untrusted: only regular files inside its directory are read, and a panic of zarrs is returned as an error.
///
/// # Errors
///
/// Fails, for example, if `from` contains no Zarr array or several, a codec or the data type is not supported, a file cannot be read or is
/// damaged, a chunk (in an array with shards, an inner chunk) has 2 GiB or more, the array is much larger than its files justify, an
/// attribute cannot be stored (at most 16 are allowed, with names of at most 31 bytes), an option is not valid, or `to` cannot be written.
pub fn import(from: impl AsRef<Path>, to: impl AsRef<Path>, options: &Options) -> Result<()> {
    let from = &array_in(from.as_ref())?;
    let in_file = |error: &dyn std::fmt::Display| Error::Zarr(format!("{}: {error}", from.display()));
    let files = Arc::new(Files::open(from).map_err(|error| in_file(&error))?);
    let array = guarded(|| Array::open(files.clone(), "/")).map_err(|error| in_file(&error))?;
    let mut metadata = serde_json::to_value(array.metadata()).map_err(Error::zarr)?;
    let dtype = from_metadata(&metadata)?;
    // In version 2, xarray keeps the names of the dimensions in an attribute, and the value of missing elements in `fill_value`.
    let missing = Some(metadata["fill_value"].take()).filter(|it| !it.is_null() && (!it.is_string() || is_float(&dtype)));
    let are_names =
        |it: &&Value| it.as_array().is_some_and(|it| it.len() == array.shape().len() && it.iter().all(Value::is_string));
    if metadata["zarr_format"] == 2
        && let Some(attributes) = metadata["attributes"].as_object_mut()
        && attributes.get("_ARRAY_DIMENSIONS").filter(are_names).is_some()
        && let Some(names) = attributes.remove("_ARRAY_DIMENSIONS")
    {
        let has_room = attributes.len() + 1 < MOST_ATTRIBUTES;
        attributes.extend(missing.filter(|_| has_room).map(|missing| (FILL_VALUE.to_owned(), missing)));
        metadata["dimension_names"] = names;
    }
    let unfit = |_| in_file(&format_args!("shape: {:?} does not fit int64", array.shape()));
    let shape = array.shape().iter().map(|&length| i64::try_from(length).map_err(unfit)).collect::<Result<Vec<_>>>()?;
    let origin = vec![0; shape.len()];
    let chunkshape: Vec<u64> = match array.chunk_shape(&origin) {
        Ok(chunk) => chunk.iter().map(|length| length.get()).collect(),
        // An array without elements has no chunks from which the chunk shape could be taken.
        Err(_) => array.shape().to_vec(),
    };
    let stored = files.total_length().map_err(|error| in_file(&error))?;
    check_lengths(array.shape(), &chunkshape, &metadata, dtype.itemsize() as u64, stored).map_err(|why| in_file(&why))?;
    let mut options = options.clone();
    if options.chunkshape.is_none() && options.blockshape.is_none() {
        let fits = |lengths: &[u64], limits: &[u64]| {
            let lengths = lengths.iter().zip(limits).map(|(&length, &limit)| i32::try_from(length.min(limit.max(1))).ok());
            lengths.collect::<Option<Vec<_>>>()
        };
        options.chunkshape = fits(&chunkshape, array.shape()).filter(|chunk| fits_chunk(chunk, dtype.itemsize()));
        let inner = &metadata["codecs"][0]["configuration"]["chunk_shape"];
        let inner: Option<Vec<u64>> = serde_json::from_value(inner.clone()).ok();
        if let (Some(inner), Some(chunk)) = (inner, &options.chunkshape) {
            let limits: Vec<u64> = chunk.iter().map(|length| u64::from(length.unsigned_abs())).collect();
            let blocks = limits.iter().zip(&inner).map(|(chunk, block)| chunk.div_ceil((*block).max(1)));
            options.blockshape = fits(&inner, &limits).filter(|_| product(blocks) <= MOST_BLOCKS);
        }
    }
    let names = metadata.get("dimension_names").filter(are_names);
    let named = names.map(|names| (NAMES, names)).into_iter();
    let attributes = metadata["attributes"].as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), value));
    for (name, value) in attributes.filter(|(name, _)| names.is_none() || *name != NAMES).chain(named) {
        // Zarr version 3 does not store the names of the dimensions as an attribute. If there is no room for one more, they are left out.
        let is_full = name == NAMES && names.is_some() && options.attributes.len() >= MOST_ATTRIBUTES;
        if is_full || options.attributes.iter().any(|(given, _)| given == name) {
            continue;
        }
        let number = double(value).filter(|_| name == FILL_VALUE && is_float(&dtype));
        let packed = match number {
            Some(number) => b2nd::msgpack::to_vec(&number)?,
            None => b2nd_store::value::pack(&value.to_string())
                .map_err(|error| in_file(&format_args!("attribute {name}: {error}")))?,
        };
        options.attributes.push((name.to_owned(), packed));
    }
    let meta = B2ndMeta::new(options.geometry(&shape, dtype.itemsize())?, dtype.to_string());
    let elements = Elements::new(&array, &chunkshape, dtype.itemsize() as u64, MOST);
    Ok(b2nd_ndarray::write_from(to, &meta, elements, &options)?)
}

/// Reads a double: a number, a number as text such as `"NaN"`, or 8 bytes in base64.
fn double(value: &Value) -> Option<f64> {
    let Some(text) = value.as_str() else { return value.as_f64() };
    text.parse().ok().or_else(|| Some(f64::from_le_bytes(STANDARD.decode(text).ok()?.try_into().ok()?)))
}

/// A Zarr array, as its metadata describes it.
pub struct ArrayEntry {
    /// The path of the array, which [`import()`] accepts.
    pub path: PathBuf,
    /// The dtype of the elements that [`import()`] writes, or the data type in JSON if it is not supported.
    pub dtype: String,
    /// The shape of the array.
    pub shape: Vec<u64>,
}

/// Lists the arrays in a Zarr group at any depth, in the order of their paths. If the path is an array, lists only this array. If the path
/// has no metadata of Zarr, the list is empty. Symbolic links in a group are not followed.
///
/// # Errors
///
/// Fails if the directory of a group, or the metadata of an array or a group, cannot be read.
pub fn arrays(path: &Path) -> Result<Vec<ArrayEntry>> {
    let in_file = |error: &dyn std::fmt::Display| Error::Zarr(format!("{}: {error}", path.display()));
    let metadata = metadata(path).map_err(|error| in_file(&error))?;
    if let Some(shape) = metadata.get("shape") {
        let dtype = from_metadata(&metadata).map(|dtype| dtype.to_string());
        let dtype = dtype.or_else(|error| if let Error::NoDType { data_type } = error { Ok(data_type) } else { Err(error) })?;
        let shape = serde_json::from_value(shape.clone()).map_err(|error| in_file(&format_args!("shape: {error}")))?;
        return Ok(vec![ArrayEntry { path: path.to_owned(), dtype, shape }]);
    }
    if metadata.is_null() {
        return Ok(Vec::new());
    }
    let entries = std::fs::read_dir(path).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let mut entries = entries.map_err(|error| in_file(&error))?;
    entries.retain(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    entries.sort_by_key(|entry| entry.file_name());
    let arrays = entries.iter().map(|entry| arrays(&entry.path())).collect::<Result<Vec<_>>>()?;
    Ok(arrays.into_iter().flatten().collect())
}

/// Reads the metadata of an array or a group of Zarr version 3 or 2. Returns null if the directory has none.
fn metadata(path: &Path) -> io::Result<Value> {
    let files = [crate::new_metadata::FILE, ".zarray", ".zgroup"].map(|name| path.join(name));
    // Symbolic links are not followed.
    let is_regular = |path: &&PathBuf| path.symlink_metadata().is_ok_and(|found| found.is_file());
    let Some(file) = files.iter().find(is_regular) else { return Ok(Value::Null) };
    let mut bytes = Vec::new();
    std::fs::File::open(file)?.take(MOST_METADATA).read_to_end(&mut bytes)?;
    Ok(serde_json::from_slice(&bytes)?)
}

/// Returns the path of the only array in a group, or the path itself if it is not a group.
fn array_in(path: &Path) -> Result<PathBuf> {
    // If the metadata is missing or invalid, opening the array fails later.
    if metadata(path).map_or(true, |metadata| metadata.is_null() || metadata.get("shape").is_some()) {
        return Ok(path.to_owned());
    }
    let arrays = arrays(path)?;
    if let [one] = arrays.as_slice() {
        return Ok(one.path.clone());
    }
    let names: Vec<_> = arrays.iter().filter_map(|array| Some(array.path.strip_prefix(path).ok()?.to_string_lossy())).collect();
    let (path, all) = (path.display(), names.join(", "));
    let Some(first) = names.first() else { return Err(Error::Zarr(format!("{path}: no Zarr arrays were found"))) };
    Err(Error::Zarr(format!("{path}: it is a Zarr group: name one of its arrays, as in {path}/{first} (it has {all})")))
}

/// Returns the dtype of the elements that zarrs reads from an array with this metadata. The elements always have the machine's byte order,
/// even if they are stored in another byte order.
fn from_metadata(metadata: &Value) -> Result<DType> {
    let (data_type, dtype) = match &metadata["data_type"] {
        // In Zarr version 2, the data type is a dtype string of NumPy, or a list of fields, which is not supported.
        Value::Null => (&metadata["dtype"], metadata["dtype"].as_str().and_then(|dtype| dtype.parse().ok()).and_then(native)),
        data_type => (data_type, from_zarr(data_type)),
    };
    dtype.ok_or_else(|| Error::NoDType { data_type: data_type.to_string() })
}

/// Returns true if a chunk of this shape has less than 1 GiB, which is about half the limit of Blosc2.
fn fits_chunk(chunkshape: &[i32], itemsize: usize) -> bool {
    let bytes = chunkshape.iter().try_fold(itemsize as u64, |bytes, &length| bytes.checked_mul(u64::from(length.unsigned_abs())));
    bytes.is_some_and(|bytes| bytes < 1 << 30)
}

fn product(numbers: impl IntoIterator<Item = u64>) -> u64 {
    numbers.into_iter().fold(1, u64::saturating_mul)
}

/// Checks that chunks are not too long, and that the length of the array and its number of chunks are within limits that grow with
/// `stored`, the length of the array's files in bytes.
fn check_lengths(
    shape: &[u64],
    chunkshape: &[u64],
    metadata: &Value,
    itemsize: u64,
    stored: u64,
) -> std::result::Result<(), String> {
    let (mut codecs, mut inner) = (&metadata["codecs"], chunkshape.to_vec());
    let sharding = |codec: &&Value| codec["name"] == "sharding_indexed";
    while let Some(codec) = codecs.as_array().and_then(|codecs| codecs.iter().find(sharding)) {
        let shape = serde_json::from_value(codec["configuration"]["chunk_shape"].clone());
        (codecs, inner) = (&codec["configuration"]["codecs"], shape.map_err(|error| error.to_string())?);
    }
    let length = product(inner).saturating_mul(itemsize);
    if length > LARGEST {
        return Err(format!("a chunk has {length} bytes; at most {LARGEST} are supported"));
    }
    let chunks = product(shape.iter().zip(chunkshape).map(|(&length, &chunk)| length.div_ceil(chunk.max(1))));
    let length = product(shape.iter().copied()).saturating_mul(itemsize);
    if length.max(chunks.saturating_mul(PER_CHUNK)) > stored.saturating_mul(RATIO).saturating_add(FREE) {
        return Err(format!(
            "it has at least {length} bytes (chunks: {chunks}), but its files have only {stored}: files may be missing, or the shape may be wrong"
        ));
    }
    Ok(())
}

/// Calls a function of zarrs, and returns an error if it panics, which can happen for damaged arrays.
fn guarded<T, E: std::fmt::Display>(work: impl FnOnce() -> std::result::Result<T, E>) -> Result<T> {
    b2nd_codec::catch_panics("zarrs", work).map_err(Error::zarr)?.map_err(Error::zarr)
}

/// Reads the elements of a Zarr array in C order, one part at a time.
struct Elements<'a> {
    array: &'a Array<Files>,
    /// The next part to read, as a range of indices in each dimension: one index in each dimension before `divided`, at most `step` indices
    /// in the dimension `divided`, and all indices in each dimension after `divided`. `None` if no part is left.
    next: Option<Vec<Range<u64>>>,
    divided: usize,
    /// The maximum length of a part in the dimension `divided`.
    step: u64,
    bytes: Vec<u8>,
    read: usize,
}

impl<'a> Elements<'a> {
    /// Creates a reader whose parts are whole layers of chunks. If a layer has more than `most` bytes, parts are smaller.
    fn new(array: &'a Array<Files>, chunkshape: &[u64], itemsize: u64, most: u64) -> Elements<'a> {
        let shape = array.shape();
        let row = |dimension: usize| shape[dimension + 1..].iter().fold(itemsize, |bytes, &length| bytes.saturating_mul(length));
        let divided = (0..shape.len()).find(|&dimension| row(dimension) <= most).unwrap_or(shape.len().saturating_sub(1));
        let row_len = if shape.is_empty() { itemsize } else { row(divided) }.max(1);
        let (rows, typical) = (most / row_len, TYPICAL.min(most) / row_len);
        let step = chunkshape.get(divided).map_or(1, |&length| (typical / length.max(1) * length).max(length).min(rows)).max(1);
        let range = |(dimension, &length): (usize, &u64)| match dimension.cmp(&divided) {
            Ordering::Less => 0..1,
            Ordering::Equal => 0..step.min(length),
            Ordering::Greater => 0..length,
        };
        let first = shape.iter().enumerate().map(range).collect();
        let next = if shape.contains(&0) { None } else { Some(first) };
        Elements { array, next, divided, step, bytes: Vec::new(), read: 0 }
    }

    /// Returns the part that follows `part`, or `None` if `part` is the last.
    fn after(&self, mut part: Vec<Range<u64>>) -> Option<Vec<Range<u64>>> {
        let shape = self.array.shape();
        for dimension in (0..shape.len().min(self.divided + 1)).rev() {
            let step = if dimension == self.divided { self.step } else { 1 };
            let start = part[dimension].end;
            if start < shape[dimension] {
                part[dimension] = start..start.saturating_add(step).min(shape[dimension]);
                return Some(part);
            }
            part[dimension] = 0..step.min(shape[dimension]);
        }
        None
    }
}

impl Read for Elements<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.bytes.len() {
            let Some(part) = self.next.take() else { return Ok(0) };
            let subset = ArraySubset::new_with_ranges(&part);
            let failed = |error: Error| io::Error::other(format!("elements {part:?} of the Zarr array: {error}"));
            let elements: ArrayBytes<'_> = guarded(|| self.array.retrieve_array_subset(&subset)).map_err(failed)?;
            (self.read, self.bytes) = (0, elements.into_fixed().map_err(io::Error::other)?.into_owned());
            self.next = self.after(part);
        }
        let length = buffer.len().min(self.bytes.len() - self.read);
        buffer[..length].copy_from_slice(&self.bytes[self.read..][..length]);
        self.read += length;
        Ok(length)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_any_length_are_the_elements_in_their_order() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let values = ndarray::Array3::from_shape_fn((5, 7, 3), |(x, y, z)| (100 * x + 10 * y + z) as i32);
        let options = Options { chunkshape: Some(vec![2, 3, 2]), ..Options::default() };
        b2nd_ndarray::write(path("a.b2nd"), &values, &options).unwrap();
        crate::export(&b2nd_ndarray::Array::open(path("a.b2nd")).unwrap(), path("a.zarr"), &Default::default()).unwrap();
        let array = Array::open(Arc::new(Files::open(&path("a.zarr")).unwrap()), "/").unwrap();
        let expected: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        for most in [1, 4, 12, 40, 84, 200, 1 << 20] {
            let mut elements = Elements::new(&array, &[2, 3, 2], 4, most);
            let (mut found, mut longest) = (vec![0; 4], 0);
            while elements.read(&mut found[..4]).unwrap() > 0 {
                longest = elements.bytes.len().max(longest);
            }
            assert!(longest as u64 <= most.max(4), "{most}: {longest}");
            found.clear();
            Elements::new(&array, &[2, 3, 2], 4, most).read_to_end(&mut found).unwrap();
            assert!(found == expected, "{most}");
        }
    }
}
