//! [`import()`]: a Zarr array written as a `.b2nd` file.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use b2nd::B2ndMeta;
use b2nd_ndarray::Options;
use zarrs::array::{Array, ArrayBytes, ArraySubset};
use zarrs::filesystem::FilesystemStore;

use crate::data_type::from_metadata;
use crate::error::{Error, Result};

/// Writes a Zarr array (version 3 or 2) as a `.b2nd` file, with its attributes.
///
/// The Zarr array's chunks are used as chunks, and the inner chunks of shards as blocks, unless `options` give others or they do not fit
/// into Blosc2's limits. A layer of chunks along the first dimension is in memory at a time.
///
/// # Errors
///
/// There is no Zarr array at `from`, it has a codec or a data type that is not supported, its chunks are damaged, or `to` cannot be
/// written.
pub fn import(from: impl AsRef<Path>, to: impl AsRef<Path>, options: &Options) -> Result<()> {
    let from = from.as_ref();
    let in_file = |error: &dyn std::fmt::Display| Error::Zarr(format!("{}: {error}", from.display()));
    let store = FilesystemStore::new(from).map_err(|error| in_file(&error))?;
    let array = Array::open(Arc::new(store), "/").map_err(|error| in_file(&error))?;
    let metadata = serde_json::to_value(array.metadata()).map_err(Error::zarr)?;
    let dtype = from_metadata(&metadata)?;
    let shape = array.shape().iter().map(|&length| i64::try_from(length).map_err(Error::zarr));
    let shape: Vec<i64> = shape.collect::<Result<_>>()?;
    let origin = vec![0; shape.len()];
    let chunkshape: Vec<u64> = match array.chunk_shape(&origin) {
        Ok(chunk) => chunk.iter().map(|length| length.get()).collect(),
        // An array without elements has no chunk.
        Err(_) => array.shape().to_vec(),
    };
    let mut options = options.clone();
    if options.chunkshape.is_none() && options.blockshape.is_none() {
        let fits = |lengths: &[u64], limits: &[u64]| {
            let lengths = lengths.iter().zip(limits).map(|(&length, &limit)| i32::try_from(length.min(limit.max(1))).ok());
            lengths.collect::<Option<Vec<_>>>()
        };
        options.chunkshape = fits(&chunkshape, array.shape()).filter(|chunk| fits_chunk(chunk, dtype.itemsize()));
        let inner: Option<Vec<u64>> = metadata["codecs"]
            .as_array()
            .and_then(|codecs| codecs.first())
            .and_then(|codec| serde_json::from_value(codec["configuration"]["chunk_shape"].clone()).ok());
        if let (Some(inner), Some(chunk)) = (inner, &options.chunkshape) {
            let limits: Vec<u64> = chunk.iter().map(|length| u64::from(length.unsigned_abs())).collect();
            options.blockshape = fits(&inner, &limits);
        }
    }
    if let Some(attributes) = metadata["attributes"].as_object() {
        for (name, value) in attributes {
            let packed = b2nd_store::value::pack(&value.to_string())
                .map_err(|error| in_file(&format_args!("attribute {name}: {error}")))?;
            options.attributes.push((name.clone(), packed));
        }
    }
    let meta = B2ndMeta::new(options.geometry(&shape, dtype.itemsize())?, dtype.to_string());
    let rows = chunkshape.first().copied().unwrap_or(1).max(1);
    let elements = Elements { array: &array, next: 0, rows, bytes: Vec::new(), read: 0 };
    Ok(b2nd_ndarray::write_from(to, &meta, elements, &options)?)
}

/// A Blosc2 chunk has less than 2 GiB.
fn fits_chunk(chunkshape: &[i32], itemsize: usize) -> bool {
    let bytes = chunkshape.iter().try_fold(itemsize as u64, |bytes, &length| bytes.checked_mul(u64::from(length.unsigned_abs())));
    bytes.is_some_and(|bytes| bytes < 1 << 30)
}

/// The elements of a Zarr array in C order, read a layer of chunks at a time.
struct Elements<'a> {
    array: &'a Array<FilesystemStore>,
    /// The first row of the next layer, and the number of rows of a layer.
    next: u64,
    rows: u64,
    bytes: Vec<u8>,
    read: usize,
}

impl Read for Elements<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.bytes.len() {
            let shape = self.array.shape();
            let count = shape.first().copied().unwrap_or(1);
            if self.next >= count {
                return Ok(0);
            }
            let end = self.next.saturating_add(self.rows).min(count);
            let mut ranges: Vec<_> = shape.iter().map(|&length| 0..length).collect();
            if let Some(first) = ranges.first_mut() {
                *first = self.next..end;
            }
            let elements: ArrayBytes<'_> =
                self.array.retrieve_array_subset(&ArraySubset::new_with_ranges(&ranges)).map_err(io::Error::other)?;
            let elements = elements.into_fixed().map_err(io::Error::other)?;
            (self.next, self.read, self.bytes) = (end, 0, elements.into_owned());
        }
        let length = buffer.len().min(self.bytes.len() - self.read);
        buffer[..length].copy_from_slice(&self.bytes[self.read..][..length]);
        self.read += length;
        Ok(length)
    }
}
