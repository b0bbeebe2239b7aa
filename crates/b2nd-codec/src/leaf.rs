//! Leaf codecs: one stream of a block, compressed in one format.

use b2nd::frame::Codec;
use b2nd::frame::raw::{compress_stream, expand_blosclz};
use b2nd::{Error, Result};

mod lz4;
mod lz4hc;
#[cfg(any(feature = "safe", target_pointer_width = "32"))]
mod ruzstd;
mod safe;
mod zlib;
mod zstd;

/// The codecs' tables, made when they are first needed and kept.
#[derive(Default)]
pub(crate) struct Leaves {
    #[cfg(not(target_pointer_width = "32"))]
    zstd: zstd::Zstd,
    // zstd-pure-rs finds valid streams corrupt there.
    #[cfg(target_pointer_width = "32")]
    zstd: ruzstd::Zstd,
    #[cfg(not(target_pointer_width = "32"))]
    zlib: zlib::Zlib,
    safe: Option<safe::Safe>,
}

impl Leaves {
    pub(crate) fn safe() -> Leaves {
        Leaves { safe: Some(safe::Safe::default()), ..Leaves::default() }
    }

    #[cfg(feature = "c")]
    pub(crate) fn is_safe(&self) -> bool {
        self.safe.is_some()
    }

    /// Expands a stream into a place that it has to fill.
    pub(crate) fn expand(&mut self, codec: Codec, dictionary: Option<&[u8]>, stream: &[u8], place: &mut [u8]) -> Result<()> {
        let length = match codec {
            Codec::BloscLz => return expand_blosclz(stream, place),
            Codec::Lz4 | Codec::Lz4Hc => lz4::expand(dictionary, stream, place)?,
            // In a browser one decoder has to do, the smaller one.
            #[cfg(target_pointer_width = "32")]
            Codec::Zlib => safe::zlib(stream, place)?,
            #[cfg(not(target_pointer_width = "32"))]
            Codec::Zlib => match &self.safe {
                Some(_) => safe::zlib(stream, place)?,
                None => self.zlib.expand(stream, place)?,
            },
            Codec::Zstd => match &mut self.safe {
                Some(safe) => safe.zstd(dictionary, stream, place)?,
                None => self.zstd.expand(dictionary, stream, place)?,
            },
            other => return Err(Error::custom(format_args!("b2nd-codec has no {other}"))),
        };
        if length == place.len() {
            return Ok(());
        }
        Err(failed(codec, format_args!("expected {} bytes, found {length}", place.len())))
    }
}

/// Entries of BloscLZ's table at the lowest level, at the next one, and above.
const HASHES: [usize; 3] = [1 << 12, 1 << 13, 1 << 14];

/// Compressors' tables, made when they are first needed and kept.
#[derive(Default)]
pub(crate) struct Packers {
    blosclz: Vec<u32>,
    lz4: lz4::Places,
    lz4hc: lz4hc::Chains,
    zlib: zlib::Packer,
    zstd: zstd::Packer,
}

impl Packers {
    /// Appends bytes as a stream. One that is empty, or not shorter than the bytes, is not worth to be kept.
    pub(crate) fn pack(&mut self, codec: Codec, level: u8, bytes: &[u8], stream: &mut Vec<u8>) -> Result<()> {
        match codec {
            Codec::BloscLz => {
                let hashes = HASHES.get(usize::from(level.saturating_sub(1))).copied().unwrap_or(HASHES[2]);
                self.blosclz.resize(hashes, 0);
                compress_stream(bytes, &mut self.blosclz, stream);
            }
            Codec::Lz4 => {
                stream.resize(bytes.len(), 0);
                // As C-Blosc2 sets it.
                let acceleration = 10_usize.saturating_sub(level.into());
                let length = self.lz4.pack(bytes, acceleration, stream);
                stream.truncate(length.unwrap_or(0));
            }
            Codec::Lz4Hc => self.lz4hc.pack(level, bytes, stream),
            Codec::Zlib => self.zlib.pack(level, bytes, stream)?,
            Codec::Zstd => self.zstd.pack(level, bytes, stream)?,
            other => return Err(Error::custom(format_args!("b2nd-codec has no {other}"))),
        }
        Ok(())
    }
}

#[cold]
fn failed(codec: Codec, error: impl std::fmt::Display) -> Error {
    Error::custom(format_args!("{codec}: {error}"))
}
