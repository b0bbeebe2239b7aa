//! Bytes of a frame's data, where they are few enough to hold.

use b2nd::frame::Offset;
use b2nd::{Error, Result};

use crate::attributes::MAX_VALUE;
use crate::frame::Frame;

/// Bytes of a frame's data, decompressed.
///
/// # Errors
///
/// They cannot be read, or are too many to hold.
pub(crate) fn data(frame: &Frame, offset: u64, length: u64) -> Result<Vec<u8>> {
    let header = frame.header();
    let end = offset.checked_add(length).filter(|&end| u64::try_from(header.nbytes()).is_ok_and(|nbytes| end <= nbytes));
    let (Some(end), Ok(chunksize @ 1..)) = (end, u64::try_from(header.chunksize())) else {
        let nbytes = header.nbytes();
        return Err(Error::custom(format_args!("{length} bytes at {offset} are not in the frame's data, which are {nbytes}")));
    };
    if length > MAX_VALUE as u64 {
        return Err(Error::custom(format_args!("{length} bytes are embedded, and more than {MAX_VALUE} are not decompressed")));
    }
    let offsets = frame.offsets()?;
    let mut data = Vec::new();
    for number in offset / chunksize..end.div_ceil(chunksize) {
        let first = number * chunksize;
        let place = |at: u64| usize::try_from(at.saturating_sub(first)).unwrap_or(usize::MAX);
        let (from, to) = (place(offset), place(end.min(first + chunksize)));
        match offsets.get(number) {
            Some(Offset::At(_)) => {
                let chunk = frame.chunk(number)?;
                let nbytes = chunk.header().nbytes();
                if nbytes > MAX_VALUE {
                    return Err(Error::custom(format_args!(
                        "chunk {number} has {nbytes} bytes, and more than {MAX_VALUE} are not decompressed"
                    )));
                }
                let chunk = chunk.into_data()?;
                let Some(part) = chunk.get(from..to) else {
                    return Err(Error::custom(format_args!(
                        "chunk {number}: expected {to} bytes or more, found {}",
                        chunk.len()
                    )));
                };
                data.extend_from_slice(part);
            }
            _ => data.resize(data.len() + (to - from), 0),
        }
    }
    Ok(data)
}
