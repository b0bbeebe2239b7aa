//! [`Parts`]: a source that has the bytes that were fetched for it.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::sync::Mutex;

use crate::array::Array;
use crate::error::Result;
use crate::source::Source;

/// The bytes of a remote frame that have been fetched: for clients that fetch in their own way, asynchronous ones too.
///
/// Reading other bytes fails, and [`missing`](Parts::missing) returns their range: fetch it and try again. This happens for the
/// header and for the index; [`Array::byte_ranges`] then returns all that a slice needs, to be fetched at once.
///
/// ```
/// use std::sync::Arc;
/// use b2nd_ndarray::{Array, Parts};
///
/// let remote = std::fs::read("../../tests/data/grid/i4_2d.b2nd")?;
/// let fetch = |range: std::ops::Range<u64>| remote[range.start as usize..range.end as usize].to_vec();
///
/// let parts = Arc::new(Parts::new(remote.len() as u64));
/// let array = loop {
///     match (Array::from_source(parts.clone(), 0), parts.missing()) {
///         (Err(_), Some(range)) => parts.add(range.start, fetch(range)),
///         (done, _) => break done?,
///     }
/// };
/// let slice = [0..2, 0..3];
/// let ranges = loop {
///     match (array.byte_ranges(&slice, 4096), parts.missing()) {
///         (Err(_), Some(range)) => parts.add(range.start, fetch(range)),
///         (done, _) => break done?,
///     }
/// };
/// for range in ranges {
///     parts.add(range.start, fetch(range));
/// }
/// assert_eq!(array.read::<i32>(&slice)?.shape(), [2, 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Parts {
    length: u64,
    parts: Mutex<BTreeMap<u64, Vec<u8>>>,
    missing: Mutex<Option<Range<u64>>>,
}

impl Parts {
    /// Makes an empty collection for a source of `length` bytes.
    pub fn new(length: u64) -> Parts {
        Parts { length, parts: Mutex::default(), missing: Mutex::default() }
    }

    /// Adds the bytes from `offset` on.
    pub fn add(&self, offset: u64, bytes: Vec<u8>) {
        if let Ok(mut parts) = self.parts.lock() {
            parts.insert(offset, bytes);
        }
    }

    /// Takes the range that was asked for last and is not there. `None` if nothing was missing since the last call.
    pub fn missing(&self) -> Option<Range<u64>> {
        self.missing.lock().ok()?.take()
    }

    fn find(&self, offset: u64, buffer: &mut [u8]) -> Option<()> {
        let parts = self.parts.lock().ok()?;
        let (start, bytes) = parts.range(..=offset).next_back()?;
        let at = usize::try_from(offset - start).ok()?;
        buffer.copy_from_slice(bytes.get(at..at.checked_add(buffer.len())?)?);
        Some(())
    }
}

impl Source for Parts {
    fn length(&self) -> io::Result<u64> {
        Ok(self.length)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let wanted = offset..offset.saturating_add(buffer.len() as u64);
        self.find(offset, buffer).ok_or_else(|| {
            let message = format!("bytes {wanted:?} have not been fetched");
            if let Ok(mut missing) = self.missing.lock() {
                *missing = Some(wanted);
            }
            io::Error::new(ErrorKind::WouldBlock, message)
        })
    }
}

impl Array {
    /// The bytes of the source that hold the chunks of a slice, in order: neighbours with at most `gap` bytes between them are one
    /// range. Chunks that take no bytes are in none, and neither are those of a sparse frame.
    ///
    /// # Errors
    ///
    /// The slice is not inside the array, or the index cannot be read.
    pub fn byte_ranges(&self, slice: &[Range<i64>], gap: u64) -> Result<Vec<Range<u64>>> {
        let mut ranges = Vec::new();
        for number in self.grid().chunks_in(slice)? {
            ranges.extend(self.store.range(number)?);
        }
        ranges.sort_unstable_by_key(|range| range.start);
        let mut joined: Vec<Range<u64>> = Vec::new();
        for range in ranges {
            match joined.last_mut() {
                Some(last) if range.start <= last.end.saturating_add(gap) => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        Ok(joined)
    }
}
