//! Plans the requests that fetch ranges of a remote file.

use std::ops::Range;

use b2nd_frame::join;

/// Ranges with at most this many bytes between them are merged. In the time that a request takes over the internet, about
/// 30 ms, a line of 100 Mbit/s carries 375 kB, which is 47 kB for each of the [`AT_ONCE`] requests.
pub(crate) const GAP: u64 = 64 << 10;

/// The maximum length of one request, in bytes. Longer ranges are divided, so that they are fetched over several connections.
const LONGEST: u64 = 2 << 20;

/// The maximum number of concurrent requests for one read.
pub const AT_ONCE: usize = 8;

/// Returns the ranges to request in order to get these ranges: those close to each other are merged, and long ones are divided.
///
/// ```
/// let ranges = b2nd_store::requests(vec![900_000..901_000, 0..100, 40_000..5_000_000]);
/// assert_eq!(ranges, [0..2_097_152, 2_097_152..4_194_304, 4_194_304..5_000_000]);
/// ```
pub fn requests(ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    let part = |range: &Range<u64>, start: u64| start..range.end.min(start.saturating_add(LONGEST));
    let parts = |range: Range<u64>| range.clone().step_by(LONGEST as usize).map(move |start| part(&range, start));
    join(ranges, GAP).into_iter().flat_map(parts).collect()
}
