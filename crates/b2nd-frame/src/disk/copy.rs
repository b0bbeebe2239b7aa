//! Copies a part of a file, and keeps the holes of a sparse file.

use alloc::format;
use core::ops::Range;
use std::fs;
use std::io::{self, BufReader, Read, SeekFrom};

use super::storage::Handle;
use crate::error::Result;

/// The maximum length, in bytes, of the buffer for copying. The default buffer of `io::copy` is smaller, which is slow for large files.
const AT_ONCE: usize = 1 << 20;

/// Copies a range of bytes of `from` to the current position of `to`, in constant memory. Afterwards, the position of `to` is after the
/// copied bytes.
pub(super) fn copy(from: &mut dyn Handle, range: Range<u64>, to: &mut dyn Handle) -> Result<()> {
    let length = range.end.saturating_sub(range.start);
    let there = from.file().metadata()?.len();
    if there < range.end {
        let message = format!("the file that is copied: expected {} or more bytes, found {there}", range.end);
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message).into());
    }
    let start = to.stream_position()?;
    let mut left = range.clone();
    while !left.is_empty() {
        let data = first_data(from.file(), left.clone());
        from.seek(SeekFrom::Start(data.start))?;
        to.seek(SeekFrom::Start(start + (data.start - range.start)))?;
        let length = data.end - data.start;
        let buffer = usize::try_from(length).unwrap_or(usize::MAX).min(AT_ONCE);
        let copied = io::copy(&mut BufReader::with_capacity(buffer, Read::take(&mut *from, length)), to)?;
        if copied < length {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        left.start = data.end;
    }
    to.seek(SeekFrom::Start(start + length))?;
    Ok(())
}

/// Returns the first part of the range that holds data. The bytes before this part are a hole, which reads as zeros. Returns the whole
/// range if the system cannot find holes.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple", target_os = "freebsd"))]
fn first_data(file: &fs::File, range: Range<u64>) -> Range<u64> {
    use rustix::fs::{
        SeekFrom::{Data, Hole},
        seek,
    };

    let start = match seek(file, Data(range.start)) {
        Ok(start) => start.clamp(range.start, range.end),
        Err(rustix::io::Errno::NXIO) => return range.end..range.end,
        Err(_) => return range,
    };
    let end = seek(file, Hole(start)).map_or(range.end, |end| end.clamp(start, range.end));
    start..end
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple", target_os = "freebsd")))]
fn first_data(_: &fs::File, range: Range<u64>) -> Range<u64> {
    range
}
