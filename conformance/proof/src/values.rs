//! A digest of the values in a frame, computed as in `worker.c`.

use b2nd_frame::{ChunkHeader, Frame, Special};

/// Computes FNV-1a of the metalayers, the attributes and the data of the first 1,000 chunks. Returns `None` if the data of a chunk or an
/// attribute is undefined.
pub(crate) fn digest(bytes: &[u8]) -> b2nd_frame::Result<Option<u64>> {
    let frame = Frame::from_slice(bytes)?;
    let mut digest = 14_695_981_039_346_656_037_u64;
    let mut add = |bytes: &[u8]| {
        digest = bytes.iter().fold(digest, |digest, &byte| (digest ^ u64::from(byte)).wrapping_mul(1_099_511_628_211));
    };
    frame.header().metalayers().iter().for_each(|(_, content)| add(content));
    let vlmetalayers = frame.trailer()?.vlmetalayers();
    for (_, content) in vlmetalayers.raw_chunks().iter() {
        let chunk = b2nd_frame::Chunk::from_slice(content)?;
        if is_anything(chunk.header()) {
            return Ok(None);
        }
        add(&chunk.into_data()?);
    }
    // The worker has the same limit.
    for number in 0..frame.offsets()?.len().min(1000) {
        let chunk = frame.chunk(number)?;
        if is_anything(chunk.header()) {
            return Ok(None);
        }
        add(&chunk.into_data()?);
    }
    Ok(Some(digest))
}

fn is_anything(header: &ChunkHeader) -> bool {
    header.special() == Some(Special::Uninitialized)
}
