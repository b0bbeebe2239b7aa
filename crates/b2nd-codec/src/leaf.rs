//! Compresses and decompresses single streams of a block.

use alloc::vec::Vec;
use core::fmt;

#[cfg(any(feature = "lz4", feature = "snappy", feature = "zlib", feature = "zstd"))]
use crate::buffer::front;
use crate::deadline::Deadline;
use crate::error::{Error, Result};
use crate::ids::CodecId;
#[cfg(feature = "zlib")]
use crate::options::Format;
use crate::options::Options;

mod blosclz;
#[cfg(feature = "lz4")]
mod lz4;
#[cfg(feature = "zlib")]
mod safe;
#[cfg(feature = "zlib")]
mod zlib;
#[cfg(feature = "safe")]
mod zrip;
#[cfg(feature = "zstd")]
mod zstd;

/// Whether this is a 32-bit platform, such as WebAssembly. On these platforms, only the safe decoders of Zstandard and zlib are used,
/// because zstd-pure-rs rejects valid streams on them, and because a web page with this crate is smaller with only one decoder of zlib.
#[cfg(any(feature = "zlib", feature = "zstd"))]
const IS_SMALL: bool = cfg!(target_pointer_width = "32");

/// The state of decompressors, created on first use and kept for the next stream.
#[derive(Default)]
pub(crate) struct Leaves {
    #[cfg(feature = "zstd")]
    zstd: zstd::Zstd,
    #[cfg(feature = "zlib")]
    zlib: zlib::Zlib,
    pub(crate) is_safe: bool,
    pub(crate) deadline: Deadline,
}

impl Leaves {
    pub(crate) fn safe() -> Leaves {
        Leaves { is_safe: true, ..Leaves::default() }
    }

    /// Decompresses a stream, whose data must fill `place`. If the codec can stop early, only the first `needed` bytes are decompressed.
    pub(crate) fn expand(
        &mut self,
        codec: CodecId,
        #[cfg_attr(not(any(feature = "lz4", feature = "zstd")), expect(unused_variables))] dictionary: Option<&[u8]>,
        stream: &[u8],
        place: &mut [u8],
        needed: usize,
    ) -> Result<()> {
        let is_front = needed < place.len() && matches!(codec, CodecId::BloscLz | CodecId::Lz4 | CodecId::Lz4Hc);
        let place = if is_front { &mut place[..needed] } else { place };
        let length = match codec {
            CodecId::BloscLz => blosclz::decode::expand(stream, place, is_front, self.deadline)?,
            #[cfg(feature = "lz4")]
            CodecId::Lz4 | CodecId::Lz4Hc => lz4::expand(dictionary, stream, place, is_front, self.deadline)?,
            #[cfg(feature = "zlib")]
            CodecId::Zlib if self.is_safe || IS_SMALL => safe::zlib(stream, place, self.deadline)?,
            #[cfg(feature = "zlib")]
            CodecId::Zlib => self.zlib.expand(stream, place)?,
            #[cfg(feature = "safe")]
            CodecId::Zstd if self.is_safe || IS_SMALL => zrip::zstd(dictionary, stream, place, self.deadline)?,
            #[cfg(feature = "zstd")]
            CodecId::Zstd if self.is_safe || IS_SMALL => return Err(crate::available::no_safe_zstd()),
            #[cfg(feature = "zstd")]
            CodecId::Zstd => self.zstd.expand(dictionary, stream, place)?,
            #[cfg(feature = "snappy")]
            CodecId::SNAPPY if !self.is_safe => {
                let length = snap::raw::Decoder::new().decompress(stream, place);
                length.map_err(|error| failed(codec, error))?
            }
            other => return Err(Error::custom(format_args!("b2nd has no decoder of {other} for untrusted input"))),
        };
        if length == place.len() {
            return Ok(());
        }
        Err(failed(codec, format_args!("the stream has {length} of {} expected bytes of data", place.len())))
    }
}

/// The number of entries in the hash table of BloscLZ at level 1, at level 2, and at higher levels.
const HASHES: [usize; 3] = [1 << 12, 1 << 13, 1 << 14];

/// The state of compressors, created on first use and kept for the next stream.
#[derive(Default)]
pub(crate) struct Packers {
    blosclz: Vec<u32>,
    #[cfg(feature = "lz4")]
    lz4: lz4::Places,
    #[cfg(feature = "lz4")]
    lz4hc: lz4::Chains,
    #[cfg(feature = "zlib")]
    zlib: zlib::Packer,
    #[cfg(feature = "zstd")]
    zstd: zstd::Packer,
    #[cfg(feature = "snappy")]
    snappy: Option<snap::raw::Encoder>,
}

impl Packers {
    /// Compresses bytes to the start of a buffer, and returns the length of the stream. If compression does not make the bytes shorter, the
    /// returned length is 0 or at least the length of the bytes.
    pub(crate) fn pack(&mut self, options: &Options, bytes: &[u8], stream: &mut Vec<u8>) -> Result<usize> {
        let (codec, level) = (options.codec, options.level);
        match codec {
            CodecId::BloscLz => {
                let hashes = HASHES.get(usize::from(level.saturating_sub(1))).copied().unwrap_or(HASHES[2]);
                self.blosclz.resize(hashes, 0);
                stream.clear();
                blosclz::encode::compress_stream(bytes, &mut self.blosclz, stream);
                Ok(stream.len())
            }
            // The acceleration is the same as in C-Blosc2 3. C-Blosc2 2.15.3 always uses 1.
            #[cfg(feature = "lz4")]
            CodecId::Lz4 => {
                let acceleration = 10_usize.saturating_sub(level.into());
                Ok(self.lz4.pack(bytes, acceleration, front(stream, bytes.len())?).unwrap_or(0))
            }
            #[cfg(feature = "lz4")]
            CodecId::Lz4Hc => Ok(self.lz4hc.pack(level, bytes, front(stream, bytes.len())?).unwrap_or(0)),
            #[cfg(feature = "zlib")]
            CodecId::Zlib if options.format == Format::Blosc1 => {
                Ok(self.zlib.pack_like_zlib(level, bytes, front(stream, bytes.len())?))
            }
            #[cfg(feature = "zlib")]
            CodecId::Zlib => self.zlib.pack(level, bytes, front(stream, bytes.len())?),
            #[cfg(feature = "zstd")]
            CodecId::Zstd => self.zstd.pack(options, bytes, front(stream, bytes.len())?),
            #[cfg(feature = "snappy")]
            CodecId::SNAPPY => {
                let place = front(stream, snap::raw::max_compress_len(bytes.len()))?;
                self.snappy
                    .get_or_insert_with(snap::raw::Encoder::new)
                    .compress(bytes, place)
                    .map_err(|error| failed(codec, error))
            }
            other => Err(Error::custom(format_args!("{other} is not supported"))),
        }
    }
}

#[cold]
fn failed(codec: CodecId, error: impl fmt::Display) -> Error {
    Error::custom(format_args!("{codec}: {error}"))
}
