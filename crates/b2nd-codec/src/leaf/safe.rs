//! Decodes zlib with miniz_oxide, which has no `unsafe` code. It is used for untrusted input, and on 32-bit platforms.

use miniz_oxide::inflate::decompress_slice_iter_to_slice;

use crate::deadline::Deadline;
use crate::error::Result;

/// The deadline is checked each time that this many bytes of a stream have been read.
const STREAM: usize = 64 << 10;

/// Decompresses a stream of zlib, and returns the length of the data.
pub(super) fn zlib(stream: &[u8], place: &mut [u8], deadline: Deadline) -> Result<usize> {
    // A byte of a zlib stream decompresses to at most 1032 bytes, which limits the time between two checks of the deadline.
    let pieces = stream.chunks(STREAM).take_while(|_| deadline.check().is_ok());
    decompress_slice_iter_to_slice(place, pieces, true, false).map_err(|_| match deadline.check() {
        Ok(()) => super::failed(crate::ids::CodecId::Zlib, "the stream is damaged, is cut off or has too much data"),
        Err(late) => late,
    })
}
