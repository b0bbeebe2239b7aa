//! [`Blocks`]: a compressed chunk, taken apart. Each block becomes a chunk of its own, of one block, so that a codec decompresses only
//! what is asked for, straight to where it belongs.

use b2nd::frame::{ChunkHeader, Codec, Filter};

use crate::error::Result;
use crate::store::Bytes;

/// Where the compressed blocks of a chunk are.
pub(crate) struct Blocks {
    /// The header of a chunk that holds one block, and where that block starts; the length of the chunk is missing.
    head: Vec<u8>,
    /// Where the first block can start.
    table_end: usize,
    /// Where each block starts in the chunk, by its number.
    starts: Vec<usize>,
    /// The same in order, and the chunk's end.
    borders: Vec<usize>,
}

impl Blocks {
    /// How long the front of a chunk is that tells where its blocks are.
    pub(crate) fn front_len(nblocks: u64) -> u64 {
        nblocks.saturating_mul(4).saturating_add(32)
    }

    /// The blocks of a chunk, if each can be decompressed without the others and has the length that the array says.
    pub(crate) fn of(bytes: &Bytes<'_>, blocksize: usize) -> Option<Blocks> {
        let header = bytes.header();
        if header.is_stored() || header.special().is_some() || !stands_alone(header) || header.blocksize() != blocksize {
            return None;
        }
        let nblocks = header.nbytes() / blocksize;
        if nblocks * blocksize != header.nbytes() {
            return None;
        }
        let table_end = header.header_len() + 4 * nblocks;
        let table = bytes.front().get(header.header_len()..table_end)?;
        let mut starts = Vec::with_capacity(nblocks);
        for entry in table.chunks_exact(4) {
            starts.push(usize::try_from(i32::from_le_bytes(*entry.first_chunk()?)).unwrap_or(usize::MAX));
        }
        let mut borders = starts.clone();
        borders.push(header.cbytes());
        borders.sort_unstable();
        let mut head = header.as_bytes().to_vec();
        head.get_mut(4..8)?.copy_from_slice(&i32::try_from(blocksize).ok()?.to_le_bytes());
        head.extend_from_slice(&i32::try_from(header.header_len() + 4).ok()?.to_le_bytes());
        Some(Blocks { head, table_end, starts, borders })
    }

    /// Puts the chunk that holds this block alone into `buffer`; false where it says to start where no block can: C-Blosc2 would
    /// decompress what stands there.
    pub(crate) fn chunk_of(&self, block: usize, bytes: &Bytes<'_>, buffer: &mut Vec<u8>) -> Result<bool> {
        let Some(&start) = self.starts.get(block).filter(|&&start| start >= self.table_end) else { return Ok(false) };
        let next = self.borders.partition_point(|&border| border <= start);
        let Some(&end) = self.borders.get(next) else { return Ok(false) };
        buffer.clear();
        buffer.extend_from_slice(&self.head);
        let Ok(length) = i32::try_from(self.head.len() + (end - start)) else { return Ok(false) };
        if let Some(cbytes) = buffer.get_mut(12..16) {
            cbytes.copy_from_slice(&length.to_le_bytes());
        }
        bytes.append(start..end, buffer)
    }
}

/// Whether a block's data can be had without that of the others, and without its place among them.
fn stands_alone(header: &ChunkHeader) -> bool {
    let codec = matches!(header.codec(), Codec::BloscLz | Codec::Lz4 | Codec::Lz4Hc | Codec::Zlib | Codec::Zstd);
    // delta counts from the first block; the filters of plugins (32 and more) may ask for the array's shapes.
    let filters =
        |(filter, _)| matches!(filter, Filter::Shuffle | Filter::BitShuffle | Filter::TruncPrec | Filter::Other(34 | 35));
    codec && header.filters().all(filters) && !header.has_dictionary() && header.version() <= 5
}
