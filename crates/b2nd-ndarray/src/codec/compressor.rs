//! [`Compressor`]: what compresses the chunks of an array.

use b2nd::B2ndMeta;
use b2nd::frame::{Chunk, ChunkHeader, Filter, Header, SplitMode};

#[cfg(feature = "c")]
use super::c;
#[cfg(feature = "pure")]
use super::pure;
use crate::error::Result;

/// Compresses the chunks of one array, as both codecs take their parameters.
pub(crate) struct Compressor {
    pub(super) codec: u8,
    pub(super) level: u8,
    pub(super) typesize: i32,
    pub(super) blocksize: i32,
    pub(super) split_mode: i32,
    pub(super) filters: [u8; 6],
    pub(super) filters_meta: [u8; 6],
    #[cfg_attr(not(feature = "pure"), expect(dead_code))]
    pub(super) metalayer: Vec<u8>,
    #[cfg(all(feature = "c", feature = "pure"))]
    c: bool,
}

impl Compressor {
    /// As the frame's header says.
    pub(crate) fn new(header: &Header, meta: &B2ndMeta) -> Result<Compressor> {
        if header.filters().any(|(filter, _)| filter == Filter::Delta) {
            let message = "filter delta: C-Blosc2 gives other values in slices of arrays that have it";
            return Err(b2nd::Error::custom(message).into());
        }
        #[cfg(feature = "c")]
        let c = c::has(header.codec(), header.filters());
        #[cfg(feature = "pure")]
        pure::has(header.codec(), header.filters())?;
        #[cfg(not(feature = "pure"))]
        c?;
        let (mut filters, mut filters_meta) = ([0; 6], [0; 6]);
        // Those that are there stand in the last slots.
        let named: Vec<_> = header.filters().collect();
        for ((slot, slot_meta), &(filter, meta)) in filters.iter_mut().zip(&mut filters_meta).rev().zip(named.iter().rev()) {
            (*slot, *slot_meta) = (filter.code(), meta);
        }
        Ok(Compressor {
            codec: header.codec().code(),
            level: header.level(),
            // The field in a chunk is a byte; C-Blosc2 counts larger elements in bytes.
            typesize: if header.typesize() > 255 { 1 } else { header.typesize() },
            blocksize: header.blocksize(),
            split_mode: match header.split_mode() {
                Some(SplitMode::Always) => 1,
                Some(SplitMode::Never) => 2,
                Some(SplitMode::Auto) => 3,
                _ => 4,
            },
            filters,
            filters_meta,
            metalayer: b2nd::to_vec(meta)?,
            #[cfg(all(feature = "c", feature = "pure"))]
            c: c.is_ok(),
        })
    }

    /// A chunk of this data in blocks of the frame's length, stored where the codec would take other blocks.
    pub(crate) fn compress(&self, data: &[u8]) -> Result<Vec<u8>> {
        #[cfg(all(feature = "c", feature = "pure"))]
        let bytes = if self.c { c::compress(self, data)? } else { pure::compress(self, data)? };
        #[cfg(not(feature = "c"))]
        let bytes = pure::compress(self, data)?;
        #[cfg(not(feature = "pure"))]
        let bytes = c::compress(self, data)?;
        let header = ChunkHeader::from_slice(&bytes)?;
        let same_blocks = i32::try_from(header.blocksize()) == Ok(self.blocksize);
        if same_blocks || header.is_stored() || header.special().is_some() {
            return Ok(bytes);
        }
        Ok(Chunk::store(data, header.typesize())?.into_bytes())
    }
}
