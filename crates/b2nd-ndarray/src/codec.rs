//! Codecs to compress and decompress with: the crate `b2nd-codec`.

use b2nd::B2ndMeta;
use b2nd::frame::{Filter, Header};
use b2nd_codec::Encoder;
pub use b2nd_codec::{Codec, metalayer, quiet_panics};

use crate::error::Result;

/// Compresses the chunks of an array whose frame has this header.
pub(crate) fn encoder(header: &Header, meta: &B2ndMeta) -> Result<Encoder> {
    if header.filters().any(|(filter, _)| filter == Filter::Delta) {
        let message = "filter delta: C-Blosc2 gives other values in slices of arrays that have it";
        return Err(b2nd::Error::custom(message).into());
    }
    Ok(Encoder::new(header)?.with_metalayer(b2nd::to_vec(meta)?))
}
