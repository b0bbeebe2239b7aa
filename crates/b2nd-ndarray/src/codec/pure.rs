//! `blosc2-pure-rs`: what it has, what it is given, and what is checked of what it gives back.

use std::panic::{AssertUnwindSafe, catch_unwind};

use b2nd::B2ndMeta;
use b2nd::frame::{Chunk, ChunkHeader, Codec, Filter, Header, SplitMode};
use blosc2_pure_rs::compress::{CParams, DParams, compress_chunk, decompress_chunk_into_with_dparams};
use blosc2_pure_rs::constants::{BLOSC_ALWAYS_SPLIT, BLOSC_AUTO_SPLIT, BLOSC_FORWARD_COMPAT_SPLIT, BLOSC_NEVER_SPLIT};

pub(super) fn decompress(metalayer: &[u8], chunk: &[u8], data: &mut [u8]) -> b2nd::Result<()> {
    let params = DParams { b2nd_metalayer: (!metalayer.is_empty()).then(|| metalayer.to_vec()), ..DParams::default() };
    let length = data.len();
    let written = guarded(|| decompress_chunk_into_with_dparams(chunk, data, &params))?;
    if written != length {
        return Err(b2nd::Error::custom(format_args!("blosc2-pure-rs: expected {length} bytes, it gave {written}")));
    }
    Ok(())
}

pub(super) fn accept(chunk: &ChunkHeader) -> b2nd::Result<()> {
    has_codec(chunk.codec())?;
    chunk.filters().try_for_each(|(filter, _)| has_filter(filter))
}

fn has_codec(codec: Codec) -> b2nd::Result<()> {
    match codec {
        Codec::BloscLz | Codec::Lz4 | Codec::Lz4Hc | Codec::Zlib | Codec::Zstd => Ok(()),
        // ndlz and zfp.
        Codec::Other(32..=35) => Ok(()),
        other => Err(b2nd::Error::custom(format_args!("blosc2-pure-rs has no codec {other}"))),
    }
}

fn has_filter(filter: Filter) -> b2nd::Result<()> {
    match filter {
        // 32 to 36: ndcell, ndmean, bytedelta in its two versions, int_trunc.
        Filter::Other(..32 | 37..) => Err(b2nd::Error::custom(format_args!("blosc2-pure-rs has no filter {filter}"))),
        _ => Ok(()),
    }
}

/// Compresses the chunks of one array.
pub(crate) struct Compressor {
    params: CParams,
}

impl Compressor {
    /// As the frame's header says.
    pub(crate) fn new(header: &Header, meta: &B2ndMeta) -> crate::Result<Compressor> {
        has_codec(header.codec())?;
        let mut params = CParams {
            compcode: header.codec().code(),
            clevel: header.level(),
            // The field in a chunk is a byte; C-Blosc2 counts larger elements in bytes.
            typesize: if header.typesize() > 255 { 1 } else { header.typesize() },
            blocksize: header.blocksize(),
            splitmode: match header.split_mode() {
                Some(SplitMode::Always) => BLOSC_ALWAYS_SPLIT,
                Some(SplitMode::Never) => BLOSC_NEVER_SPLIT,
                Some(SplitMode::Auto) => BLOSC_AUTO_SPLIT,
                _ => BLOSC_FORWARD_COMPAT_SPLIT,
            },
            filters: [0; 6],
            b2nd_metalayer: Some(b2nd::to_vec(meta)?),
            ..CParams::default()
        };
        let filters: Vec<_> = header.filters().collect();
        let slots = params.filters.iter_mut().zip(&mut params.filters_meta).rev();
        for ((slot, slot_meta), &(filter, meta)) in slots.zip(filters.iter().rev()) {
            has_filter(filter)?;
            if filter == Filter::Delta {
                return Err(
                    b2nd::Error::custom("filter delta: C-Blosc2 gives other values in slices of arrays that have it").into()
                );
            }
            (*slot, *slot_meta) = (filter.code(), meta);
        }
        Ok(Compressor { params })
    }

    /// A chunk of this data in blocks of the frame's length, stored where the codec would take other blocks.
    pub(crate) fn compress(&self, data: &[u8]) -> crate::Result<Vec<u8>> {
        let bytes = guarded(|| compress_chunk(data, &self.params))?;
        let header = ChunkHeader::from_slice(&bytes)?;
        let same_blocks = i32::try_from(header.blocksize()) == Ok(self.params.blocksize);
        if same_blocks || header.is_stored() || header.special().is_some() {
            return Ok(bytes);
        }
        Ok(Chunk::store(data, header.typesize())?.into_bytes())
    }
}

/// A panic of the codec is an error here: its 57,000 lines meet whatever a file holds.
fn guarded<T>(work: impl FnOnce() -> Result<T, &'static str>) -> b2nd::Result<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => done.map_err(|error| b2nd::Error::custom(format_args!("blosc2-pure-rs: {error}"))),
        Err(_) => Err(b2nd::Error::custom("blosc2-pure-rs panicked")),
    }
}
