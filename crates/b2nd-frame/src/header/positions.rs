//! [`HeaderField`]: the positions of a header's fields.

use core::ops::Range;

/// A field at a fixed position in the header of a frame: a marker byte, followed by the value. Numbers are big-endian.
///
/// ```
/// use b2nd_frame::HeaderField;
///
/// let file = std::fs::read("../../tests/data/example.b2nd")?;
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
    /// The magic, the bytes `b2frame\0`: the first field of every header.
    pub const MAGIC: HeaderField = HeaderField::first(1, 8);
    /// The length of the header in bytes, an int32.
    pub const HEADER_LEN: HeaderField = HeaderField::MAGIC.then(4);
    /// The length of the frame in bytes, a uint64.
    pub const FRAME_LEN: HeaderField = HeaderField::HEADER_LEN.then(8);
    /// Four bytes of flags: the version, the frame type, the codec and level, and the split mode.
    pub const FLAGS: HeaderField = HeaderField::FRAME_LEN.then(4);
    /// The length of the uncompressed data in bytes, an int64.
    pub const NBYTES: HeaderField = HeaderField::FLAGS.then(8);
    /// The length of the chunks as stored, with the gaps between them, in bytes, an int64.
    pub const CBYTES: HeaderField = HeaderField::NBYTES.then(8);
    /// The length of an element in bytes, an int32.
    pub const TYPESIZE: HeaderField = HeaderField::CBYTES.then(4);
    /// The length of an uncompressed block in bytes, an int32.
    pub const BLOCKSIZE: HeaderField = HeaderField::TYPESIZE.then(4);
    /// The length of an uncompressed chunk in bytes, an int32.
    pub const CHUNKSIZE: HeaderField = HeaderField::BLOCKSIZE.then(4);
    /// The writer's number of threads for compression, an int16.
    pub const COMPRESSION_THREADS: HeaderField = HeaderField::CHUNKSIZE.then(2);
    /// The writer's number of threads for decompression, an int16.
    pub const DECOMPRESSION_THREADS: HeaderField = HeaderField::COMPRESSION_THREADS.then(2);
    /// Whether the trailer holds vlmetalayers: a bool, for which the marker is also the value.
    pub const HAS_VLMETALAYERS: HeaderField = HeaderField::DECOMPRESSION_THREADS.then(0);
    /// The filter pipeline, a fixext16: the number of filter slots, the filters in the six slots, the codec, the parameter of the codec,
    /// the parameters of the filters, and two more bytes.
    pub const PIPELINE: HeaderField = HeaderField::HAS_VLMETALAYERS.then(17);
    /// The metalayers, which fill the rest of the header. Only their marker has a fixed position, so [`value`](HeaderField::value) returns
    /// an empty range.
    pub const METALAYERS: HeaderField = HeaderField::PIPELINE.then(0);

    const fn first(marker: usize, length: usize) -> HeaderField {
        HeaderField { marker, length }
    }

    /// Returns the field that follows this field and has a value of `length` bytes.
    const fn then(self, length: usize) -> HeaderField {
        HeaderField { marker: self.marker + 1 + self.length, length }
    }

    /// Returns the position of the marker, counted from the start of the frame.
    #[must_use]
    pub const fn marker(self) -> usize {
        self.marker
    }

    /// Returns the range of the value's bytes, counted from the start of the frame.
    #[must_use]
    pub const fn value(self) -> Range<usize> {
        self.marker + 1..self.marker + 1 + self.length
    }
}
