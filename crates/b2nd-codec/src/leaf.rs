//! Leaf codecs: one stream of a block, compressed in one format.

use b2nd::frame::Codec;
use b2nd::frame::raw::expand_blosclz;
use b2nd::{Error, Result};

#[cfg(feature = "safe")]
mod safe;
mod zlib;
mod zstd;

/// The codecs' tables, made when they are first needed and kept.
#[derive(Default)]
pub(crate) struct Leaves {
    zstd: zstd::Zstd,
    zlib: zlib::Zlib,
    #[cfg(feature = "safe")]
    safe: Option<safe::Safe>,
}

impl Leaves {
    #[cfg(feature = "safe")]
    pub(crate) fn safe() -> Leaves {
        Leaves { safe: Some(safe::Safe::default()), ..Leaves::default() }
    }

    /// Expands a stream into a place that it has to fill.
    pub(crate) fn expand(&mut self, codec: Codec, dictionary: Option<&[u8]>, stream: &[u8], place: &mut [u8]) -> Result<()> {
        let length = match codec {
            Codec::BloscLz => return expand_blosclz(stream, place),
            Codec::Lz4 | Codec::Lz4Hc => match dictionary {
                Some(dictionary) => lz4_flex::block::decompress_into_with_dict(stream, place, dictionary),
                None => lz4_flex::block::decompress_into(stream, place),
            }
            .map_err(|error| failed(codec, error))?,
            #[cfg(feature = "safe")]
            _ if self.safe.is_some() => match &mut self.safe {
                Some(safe) => safe.expand(codec, dictionary, stream, place)?,
                None => 0,
            },
            Codec::Zlib => self.zlib.expand(stream, place)?,
            Codec::Zstd => self.zstd.expand(dictionary, stream, place)?,
            other => return Err(Error::custom(format_args!("b2nd-codec has no {other}"))),
        };
        if length == place.len() {
            return Ok(());
        }
        Err(failed(codec, format_args!("expected {} bytes, found {length}", place.len())))
    }
}

#[cold]
fn failed(codec: Codec, error: impl std::fmt::Display) -> Error {
    Error::custom(format_args!("{codec}: {error}"))
}
