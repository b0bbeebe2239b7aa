//! BloscLZ behind a byte shuffle: what C-Blosc2 compresses indexes with.

use alloc::vec::Vec;

mod encode;
mod expand;
pub(super) use encode::{BLOCKSIZE, TYPESIZE, compress};
pub use encode::{common, compress_stream};
pub use expand::{copy_match, expand};

use super::shuffle::unshuffle;
use super::streams::{block_start, read_streams, stream_count};
use super::{Chunk, ChunkHeader, Codec, Filter};
use crate::error::{Error, Result};

/// A match this far away names its distance in two more bytes.
const FAR: usize = 8191;

/// Fills `data`, whose length is the chunk's nbytes. It allocates one block, which is not longer than `data`.
///
/// # Errors
///
/// The codec is not BloscLZ, the filters are not one shuffle, or the streams do not fill `data` exactly. Offsets count from the start of
/// the chunk.
pub(super) fn decompress(chunk: &Chunk<'_>, data: &mut [u8]) -> Result<()> {
    let header = chunk.header();
    let element = shuffled_typesize(header)?;
    let mut shuffled = Vec::new();
    if element.is_some() {
        let length = header.blocksize().min(data.len());
        shuffled.try_reserve_exact(length).map_err(|_| Error::out_of_memory(length))?;
        shuffled.resize(length, 0);
    }
    for (number, block) in data.chunks_mut(header.blocksize()).enumerate() {
        let start = block_start(header, chunk.bytes(), number)?;
        let streams = stream_count(header, block.len());
        match element {
            None => read_streams(chunk.bytes(), start, block, streams, expand)?,
            Some(typesize) => {
                let shuffled = &mut shuffled[..block.len()];
                read_streams(chunk.bytes(), start, shuffled, streams, expand)?;
                unshuffle(shuffled, block, typesize);
            }
        }
    }
    Ok(())
}

/// The length of the elements whose bytes were shuffled, or `None` if they were not.
pub(super) fn shuffled_typesize(header: &ChunkHeader) -> Result<Option<usize>> {
    let codec = header.codec();
    if codec != Codec::BloscLz {
        return Err(Error::custom(format_args!("expected the codec blosclz, found {codec}")));
    }
    let mut filters = header.filters();
    match (filters.next(), filters.next()) {
        (None, _) => Ok(None),
        // The filter's parameter replaces the type size.
        (Some((Filter::Shuffle, 0)), None) => Ok(Some(header.typesize())),
        (Some((Filter::Shuffle, typesize)), None) => Ok(Some(typesize.into())),
        (Some((Filter::Shuffle, _)), Some((other, _))) | (Some((other, _)), _) => {
            Err(Error::custom(format_args!("expected the filter shuffle alone, found {other}")))
        }
    }
}
