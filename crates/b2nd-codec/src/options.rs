//! [`Options`] of a compressor, and `Settings`, which are the same options in the form in which a chunk's header stores them.

use alloc::vec::Vec;

use crate::error::{Error, Result};
use crate::ids::{CodecId, Filter, SplitMode};

/// The format of a chunk.
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// Blosc2, with a header of 32 bytes.
    #[default]
    Blosc2,
    /// Blosc 1, with a header of 16 bytes, as in Zarr's codec `blosc` and HDF5's filter 32001. Blosc2 reads it too. Such a chunk has at most
    /// one filter, a byte shuffle or a bit shuffle, and no special values.
    Blosc1,
}

/// The codec, filters and lengths with which a [`Compressor`](crate::Compressor) creates chunks. The default is the same as in C-Blosc2:
/// BloscLZ at level 5, after a byte shuffle of elements of 8 bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The codec.
    pub codec: CodecId,
    /// The compression level, from 0 (stored uncompressed) to 9.
    pub level: u8,
    /// The length of an element in bytes. If it is greater than 255, C-Blosc2 and this crate treat each byte as an element.
    pub typesize: usize,
    /// The length of an uncompressed block in bytes. If it is 0, the length is chosen as in C-Blosc2.
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
    /// Returns the filters other than `Filter::None`.
    pub(crate) fn used_filters(&self) -> impl Iterator<Item = (Filter, u8)> {
        self.filters.iter().copied().filter(|(filter, _)| *filter != Filter::None)
    }
}

/// The options in the form in which the header of a chunk stores them.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) codec: CodecId,
    pub(crate) level: u8,
    pub(crate) typesize: u8,
    pub(crate) blocksize: usize,
    pub(crate) split_mode: SplitMode,
    pub(crate) format: Format,
    /// The six filter slots of a header. If there are fewer filters, the first slots are empty.
    pub(crate) filters: [u8; 6],
    pub(crate) filters_meta: [u8; 6],
    /// The content of the metalayer `b2nd`, which only plugins need.
    pub(crate) metalayer: Vec<u8>,
}

impl Settings {
    pub(crate) fn new(options: &Options) -> Result<Settings> {
        if let Some((filter, _)) = options.used_filters().find(|(filter, _)| *filter == Filter::Other(34)) {
            return Err(Error::custom(format_args!("{filter} can be read but not written: use bytedelta")));
        }
        if options.format == Format::Blosc1 {
            let mut filters = options.used_filters();
            let is_known = matches!(filters.next(), None | Some((Filter::Shuffle | Filter::BitShuffle, 0)));
            if !is_known || filters.next().is_some() || matches!(options.codec, CodecId::Other(4..)) {
                return Err(Error::custom(format_args!(
                    "Blosc 1 has the codecs blosclz, lz4, lz4hc, snappy, zlib and zstd, and one filter: shuffle or bitshuffle; \
                     found {} after {:?}",
                    options.codec, options.filters
                )));
            }
        } else if options.codec == CodecId::SNAPPY {
            return Err(Error::custom("snappy is a codec of Blosc 1: Blosc2 does not read it"));
        }
        let (mut filters, mut filters_meta) = ([0; 6], [0; 6]);
        let count = options.used_filters().count();
        let Some(empty) = filters.len().checked_sub(count) else {
            return Err(Error::custom(format_args!("expected at most {} filters, found {count}", filters.len())));
        };
        for (slot, (filter, meta)) in (empty..).zip(options.used_filters()) {
            (filters[slot], filters_meta[slot]) = (filter.code(), meta);
        }
        Ok(Settings {
            codec: options.codec,
            level: options.level.min(9),
            // The field in the chunk's header has one byte; C-Blosc2 treats each byte of longer elements as an element.
            typesize: u8::try_from(options.typesize).unwrap_or(1).max(1),
            blocksize: options.blocksize,
            split_mode: options.split_mode,
            format: options.format,
            filters,
            filters_meta,
            metalayer: Vec::new(),
        })
    }
}
