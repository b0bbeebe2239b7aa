//! [`HeaderField`]: the positions of a header's fields.

use core::ops::Range;

/// A field at a fixed position of a frame's header: a marker byte, and the value after it. Numbers are big-endian.
///
/// ```
/// use b2nd::frame::HeaderField;
///
/// let file = std::fs::read("tests/data/example.b2nd")?;
/// assert_eq!(HeaderField::FRAME_LEN.value(), 0x10..0x18);
/// assert_eq!(file[HeaderField::FRAME_LEN.marker()], 0xcf);
/// assert_eq!(file[HeaderField::FRAME_LEN.value()], (file.len() as u64).to_be_bytes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Source: C-Blosc2's "Contiguous Frame Format".
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct HeaderField {
    marker: usize,
    length: usize,
}

impl HeaderField {
    /// The bytes `b2frame\0`.
    pub const MAGIC: HeaderField = HeaderField::first(1, 8);
    /// The header's length, int32.
    pub const HEADER_LEN: HeaderField = HeaderField::MAGIC.then(4);
    /// The frame's length, uint64.
    pub const FRAME_LEN: HeaderField = HeaderField::HEADER_LEN.then(8);
    /// Four bytes of flags: version, frame type, codec and level, split mode.
    pub const FLAGS: HeaderField = HeaderField::FRAME_LEN.then(4);
    /// The data's length, uncompressed, int64.
    pub const NBYTES: HeaderField = HeaderField::FLAGS.then(8);
    /// The chunks' length, compressed, int64.
    pub const CBYTES: HeaderField = HeaderField::NBYTES.then(8);
    /// An element's length, int32.
    pub const TYPESIZE: HeaderField = HeaderField::CBYTES.then(4);
    /// A block's length, int32.
    pub const BLOCKSIZE: HeaderField = HeaderField::TYPESIZE.then(4);
    /// A chunk's length, int32.
    pub const CHUNKSIZE: HeaderField = HeaderField::BLOCKSIZE.then(4);
    /// The writer's threads for compression, int16.
    pub const COMPRESSION_THREADS: HeaderField = HeaderField::CHUNKSIZE.then(2);
    /// The writer's threads for decompression, int16.
    pub const DECOMPRESSION_THREADS: HeaderField = HeaderField::COMPRESSION_THREADS.then(2);
    /// A bool, whose marker is its value: the trailer holds variable-length metalayers.
    pub const HAS_VLMETALAYERS: HeaderField = HeaderField::DECOMPRESSION_THREADS.then(0);
    /// The filter pipeline, a fixext16: the count of slots, six filters, the codec, its parameter, the filters' parameters.
    pub const PIPELINE: HeaderField = HeaderField::HAS_VLMETALAYERS.then(17);
    /// The metalayers, up to the end of the header. Only their marker is at a fixed position.
    pub const METALAYERS: HeaderField = HeaderField::PIPELINE.then(0);

    const fn first(marker: usize, length: usize) -> HeaderField {
        HeaderField { marker, length }
    }

    /// Returns the field after this one, of this length.
    const fn then(self, length: usize) -> HeaderField {
        HeaderField { marker: self.marker + 1 + self.length, length }
    }

    /// Returns the position of the marker, counted from the start of the frame.
    #[must_use]
    pub const fn marker(self) -> usize {
        self.marker
    }

    /// Returns the positions of the value's bytes, counted from the start of the frame.
    #[must_use]
    pub const fn value(self) -> Range<usize> {
        self.marker + 1..self.marker + 1 + self.length
    }
}
