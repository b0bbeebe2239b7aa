//! [`Options`] of a compressor.

use alloc::vec::Vec;

use crate::error::{Error, Result};
use crate::header::{MAX_BLOCKSIZE, MAX_FILTERS};
use crate::ids::{CodecId, Filter, SplitMode};

/// The format of a chunk.
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// Blosc2, with a header of 32 bytes.
    #[default]
    Blosc2,
    /// Blosc 1, with a header of 16 bytes, as in Zarr's codec `blosc` and HDF5's filter 32001. Blosc2 reads it too, unless the codec is
    /// Snappy. Such a chunk has at most one filter, a byte shuffle or a bit shuffle, and no special values.
    Blosc1,
}

/// The codec, filters and lengths with which a [`Compressor`](crate::Compressor) creates chunks. The default is the same as in C-Blosc2:
/// BloscLZ at level 5, after a byte shuffle of elements of 8 bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The codec.
    pub codec: CodecId,
    /// The parameter of the codec: of ndlz, the length of a cell (4 or 8); of zfp, the accuracy, the precision or the rate. Other
    /// codecs ignore it.
    pub codec_meta: u8,
    /// The compression level, from 0 (stored uncompressed) to 9.
    pub level: u8,
    /// The length of an element in bytes. If it is greater than 255, C-Blosc2 and this crate treat each byte as an element.
    pub typesize: usize,
    /// The length of an uncompressed block in bytes, at most 536,866,816, or 0 for the length that C-Blosc2 would usually choose. In
    /// Blosc 1, the length is only a hint: see [`Compressor::blocksize`](crate::Compressor::blocksize).
    pub blocksize: usize,
    /// Up to six filters with their parameters, in the order in which they are applied.
    pub filters: Vec<(Filter, u8)>,
    /// The rule that determines whether blocks are split into streams, one for each byte of an element.
    pub split_mode: SplitMode,
    /// The format of the chunks.
    pub format: Format,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            codec: CodecId::BloscLz,
            codec_meta: 0,
            level: 5,
            typesize: 8,
            blocksize: 0,
            filters: Vec::from([(Filter::Shuffle, 0)]),
            split_mode: SplitMode::ForwardCompat,
            format: Format::Blosc2,
        }
    }
}

impl Options {
    /// Checks the options. Returns them without empty filters, with a level of at most 9, and with a blocksize and a typesize that a
    /// chunk's header can store.
    pub(crate) fn checked(&self) -> Result<Options> {
        let filters: Vec<_> = self.filters.iter().copied().filter(|(filter, _)| *filter != Filter::None).collect();
        if let Some((filter, _)) = filters.iter().find(|(filter, _)| *filter == Filter::Other(34)) {
            return Err(Error::custom(format_args!("{filter} can be read but not written: use bytedelta")));
        }
        if self.format == Format::Blosc1 {
            let are_known = matches!(filters[..], [] | [(Filter::Shuffle | Filter::BitShuffle, 0)]);
            if !are_known || matches!(self.codec, CodecId::Other(4..)) {
                return Err(Error::custom(format_args!(
                    "Blosc 1 has the codecs blosclz, lz4, lz4hc, snappy, zlib and zstd, and at most one filter: shuffle or \
                     bitshuffle, without a parameter; found the codec {} and the filters {:?}, each with its parameter",
                    self.codec,
                    filters.iter().map(|(filter, meta)| alloc::format!("{filter} {meta}")).collect::<Vec<_>>()
                )));
            }
        } else if self.codec == CodecId::SNAPPY {
            return Err(Error::custom("snappy is a codec of Blosc 1: Blosc2 does not read it"));
        }
        if filters.len() > MAX_FILTERS {
            return Err(Error::custom(format_args!("expected at most {MAX_FILTERS} filters, found {}", filters.len())));
        }
        // The field in the chunk's header has one byte; C-Blosc2 treats each byte of longer elements as an element.
        let typesize = u8::try_from(self.typesize).unwrap_or(1).max(1).into();
        Ok(Options { level: self.level.min(9), typesize, blocksize: self.blocksize.min(MAX_BLOCKSIZE), filters, ..self.clone() })
    }

    pub(crate) fn has_shuffle(&self) -> bool {
        self.filters.iter().any(|(filter, _)| *filter == Filter::Shuffle)
    }
}
