//! Chooses the blocksize, and whether blocks are split, by the rules of C-Blosc2 and, in Blosc 1, of C-Blosc.

use crate::ids::{CodecId, SplitMode};
use crate::options::{Format, Options};

/// The maximum number of streams into which a block is split (one for each byte of an element), unless the split mode is
/// [`SplitMode::Always`].
const MAX_STREAMS: usize = 16;

/// The size in bytes that C-Blosc2 assumes for an L1 cache, from which automatic blocksizes are computed.
const L1: usize = 32 << 10;

/// The largest automatic blocksize in bytes for blocks that are split.
const LARGEST_SPLIT: usize = 4 << 20;

impl Options {
    /// Returns the length in bytes of the blocks of a chunk with `nbytes` bytes of data: the blocksize in the options or, if that is 0, the
    /// blocksize that C-Blosc2 would choose. In Blosc 1, it is the blocksize that C-Blosc would choose with these options. For data that is
    /// shorter than an element, they can choose another length. The length is at most `nbytes`.
    pub(crate) fn blocksize(&self, nbytes: usize) -> usize {
        if self.blocksize != 0 && self.format == Format::Blosc2 {
            return self.blocksize.min(nbytes);
        }
        let is_dense = !matches!(self.codec, CodecId::BloscLz | CodecId::Lz4 | CodecId::Other(_));
        let mut blocksize = nbytes;
        if self.blocksize != 0 {
            blocksize = self.blocksize.max(self.shortest());
        } else if nbytes >= L1 {
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
            blocksize = match self.format {
                Format::Blosc2 => (stream * self.typesize).min(LARGEST_SPLIT),
                // C-Blosc changes even a length that the caller chose.
                Format::Blosc1 => (blocksize.min(1 << 18) * self.typesize).clamp(1 << 16, 1 << 20),
            };
        }
        blocksize = blocksize.min(nbytes);
        if blocksize > self.typesize { blocksize / self.typesize * self.typesize } else { blocksize }
    }

    /// Returns the minimum length in bytes of data that is compressed, and of the streams into which a block is split, unless the split
    /// mode is [`SplitMode::Always`].
    pub(crate) fn shortest(&self) -> usize {
        if self.format == Format::Blosc1 { 128 } else { 32 }
    }

    /// Returns true if blocks of this blocksize are split into one stream for each byte of an element. The rule is that of C-Blosc2
    /// or C-Blosc.
    pub(crate) fn splits(&self, blocksize: usize) -> bool {
        self.wants_splits(blocksize) && blocksize % self.typesize == 0
    }

    fn wants_splits(&self, blocksize: usize) -> bool {
        match self.split_mode {
            SplitMode::Always => true,
            SplitMode::Never => false,
            _ => {
                let splits = match (self.format, self.codec) {
                    (Format::Blosc1, CodecId::BloscLz | CodecId::SNAPPY) => true,
                    (Format::Blosc1, codec) => self.split_mode == SplitMode::ForwardCompat && codec != CodecId::Zstd,
                    (_, CodecId::BloscLz | CodecId::Lz4) => self.has_shuffle(),
                    (_, CodecId::Zstd) => self.level <= 5 && self.has_shuffle(),
                    _ => false,
                };
                splits && self.typesize <= MAX_STREAMS && blocksize / self.typesize >= self.shortest()
            }
        }
    }
}
