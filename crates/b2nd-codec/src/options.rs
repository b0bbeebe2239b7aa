//! [`Options`] of a compressor, and the values that are computed from them: the blocksize, and whether blocks are split.

use alloc::vec::Vec;

use crate::error::{Error, Result};
use crate::ids::{CodecId, Filter, SplitMode};

/// The maximum length of an element for which blocks are split, unless the split mode is [`SplitMode::Always`].
const MAX_STREAMS: usize = 16;

/// The minimum length of a stream for which blocks are split, unless the split mode is [`SplitMode::Always`].
const MIN_STREAM: usize = 32;

/// The unit of automatic blocksizes in bytes: the size that C-Blosc2 assumes for an L1 cache.
const L1: usize = 32 << 10;

/// The largest automatic blocksize for blocks that are split.
const LARGEST_SPLIT: usize = 4 << 20;

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
    /// The rule for splitting blocks by byte position.
    pub split_mode: SplitMode,
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
    /// The six filter slots of a header. If there are fewer filters, the first slots are empty.
    pub(crate) filters: [u8; 6],
    pub(crate) filters_meta: [u8; 6],
    /// The array's metalayer, which only plugins need.
    pub(crate) metalayer: Vec<u8>,
}

impl Settings {
    pub(crate) fn new(options: &Options) -> Result<Settings> {
        if let Some((filter, _)) = options.used_filters().find(|(filter, _)| *filter == Filter::Other(34)) {
            return Err(Error::custom(format_args!("{filter} can be read but not written: use bytedelta")));
        }
        let (mut filters, mut filters_meta) = ([0; 6], [0; 6]);
        let count = options.used_filters().count();
        let Some(empty) = filters.len().checked_sub(count) else {
            return Err(Error::custom(format_args!("{count} filters: a chunk has at most {}", filters.len())));
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
            filters,
            filters_meta,
            metalayer: Vec::new(),
        })
    }

    /// Returns the length of a block in bytes if the data have `nbytes` bytes: the blocksize of the options or, if it is 0, the blocksize
    /// that C-Blosc2 would choose. The length is at most `nbytes`.
    pub(crate) fn blocksize(&self, nbytes: usize) -> usize {
        let typesize = usize::from(self.typesize);
        if self.blocksize != 0 {
            return self.blocksize.min(nbytes);
        }
        let is_dense = !matches!(self.codec, CodecId::BloscLz | CodecId::Lz4 | CodecId::Other(_));
        let mut blocksize = nbytes;
        if nbytes >= L1 {
            blocksize = L1 << usize::from(is_dense);
            blocksize = match self.level {
                0 => blocksize / 4,
                1 => blocksize / 2,
                2 => blocksize,
                3 => blocksize * 2,
                4 | 5 => blocksize * 4,
                6..9 => blocksize * 8,
                _ => (blocksize * 8) << usize::from(is_dense),
            };
        }
        if self.level > 0 && self.wants_splits(blocksize) {
            let stream = match self.level {
                1..4 => L1,
                4..7 => 2 * L1,
                7 => 4 * L1,
                8 => 8 * L1,
                _ => 16 * L1,
            };
            blocksize = (stream * typesize).min(LARGEST_SPLIT);
        }
        blocksize = blocksize.min(nbytes);
        if blocksize > typesize { blocksize / typesize * typesize } else { blocksize }
    }

    /// Returns true if blocks are split into one stream for each byte of an element. The rule is that of C-Blosc2.
    pub(crate) fn splits(&self, blocksize: usize) -> bool {
        self.wants_splits(blocksize) && blocksize % usize::from(self.typesize) == 0
    }

    fn wants_splits(&self, blocksize: usize) -> bool {
        let typesize = usize::from(self.typesize);
        match self.split_mode {
            SplitMode::Always => true,
            SplitMode::Never => false,
            _ => {
                let fast = match self.codec {
                    CodecId::BloscLz | CodecId::Lz4 => true,
                    CodecId::Zstd => self.level <= 5,
                    _ => false,
                };
                let shuffled = self.filters.contains(&Filter::Shuffle.code());
                fast && shuffled && typesize <= MAX_STREAMS && blocksize / typesize >= MIN_STREAM
            }
        }
    }
}
