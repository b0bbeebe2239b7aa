//! The filters of HDF5 that Blosc2 and Blosc have registered.

use b2nd_codec::ChunkHeader;
use b2nd_frame::{Error, Result};
use b2nd_ndarray::Array;
use hdf5_reader::filters::{FILTER_DEFLATE, FILTER_FLETCHER32, FILTER_SHUFFLE, FilterRegistry};
use hdf5_reader::messages::filter_pipeline::FilterDescription;
use hdf5_reader::{DEFAULT_MAX_CHUNK_BYTES, error};

/// The number of the filter Blosc, whose output is a Blosc chunk.
pub const BLOSC: u16 = 32001;

/// The number of the filter Blosc2, whose output is a frame.
pub const BLOSC2: u16 = 32026;

/// A pipeline may have filters before Blosc2 that lengthen a chunk a little, such as checksums.
const SLACK: usize = 1 << 16;

/// Registers the filters Blosc2 (32026) and Blosc (32001). A chunk that decompresses to more than 256 MiB, the default limit of
/// `hdf5-reader`, is an error.
pub fn register(registry: &mut FilterRegistry) {
    register_with_limit(registry, DEFAULT_MAX_CHUNK_BYTES);
}

/// Registers the filters like [`register`], with another limit on the number of bytes of a decompressed chunk.
pub fn register_with_limit(registry: &mut FilterRegistry, limit: usize) {
    let add = |registry: &mut FilterRegistry, id, name, decode: fn(&[u8], usize) -> Result<Vec<u8>>| {
        let run = move |filter: &FilterDescription, data: &[u8], _| {
            // The fourth parameter is the size of a chunk.
            let size = filter.client_data.get(3).and_then(|&size| usize::try_from(size).ok()).filter(|&size| size > 0);
            let limit = size.map_or(limit, |size| size.saturating_add(SLACK).min(limit));
            decode(data, limit).map_err(|error| error::Error::FilterError(format!("{name}: {error}")))
        };
        registry.register(id, Box::new(run));
    };
    add(registry, BLOSC2, "Blosc2", frame_data);
    add(registry, BLOSC, "Blosc", chunk_data);
}

/// Decompresses a frame of any number of chunks. The elements of an array are returned in C order.
fn frame_data(bytes: &[u8], limit: usize) -> Result<Vec<u8>> {
    let array = Array::from_frame(bytes).map_err(Error::custom)?;
    check("the frame", usize::try_from(array.grid().nitems()).unwrap_or(usize::MAX).saturating_mul(array.itemsize()), limit)?;
    // Padding to whole blocks can make a chunk longer than its elements are.
    check("a padded chunk", usize::try_from(array.header().chunksize()).unwrap_or(0), limit.saturating_mul(8))?;
    array.read_bytes(&array.whole()).map_err(Error::custom)
}

fn chunk_data(bytes: &[u8], limit: usize) -> Result<Vec<u8>> {
    check("the chunk", ChunkHeader::from_slice(bytes)?.nbytes(), limit)?;
    Ok(b2nd_codec::decompress(bytes)?)
}

fn check(what: &str, length: usize, limit: usize) -> Result<()> {
    if length > limit {
        return Err(Error::custom(format_args!("{what} decompresses to {length} bytes; the limit is {limit}")));
    }
    Ok(())
}

/// Returns the name of a filter, or its number if it has no name.
pub(crate) fn filter_name(filter: &FilterDescription) -> String {
    match (filter.id, &filter.name) {
        (FILTER_DEFLATE, _) => "deflate".to_owned(),
        (FILTER_SHUFFLE, _) => "shuffle".to_owned(),
        (FILTER_FLETCHER32, _) => "fletcher32".to_owned(),
        (_, Some(name)) if !name.is_empty() => name.trim_end_matches('\0').to_owned(),
        (id, _) => id.to_string(),
    }
}
