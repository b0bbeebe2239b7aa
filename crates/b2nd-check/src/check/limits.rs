//! [`CheckOptions`] and [`Limits`]: what a check reads, and the memory and time that it may use.

use std::time::{Duration, Instant};

use b2nd_frame::ChunkHeader;

use b2nd_store::text::{count, thousands};

/// Options for [`check`](crate::check()), [`check_frame`](crate::check_frame) and [`check_values`](crate::check_values).
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// Whether to decode the frame's data, and to compare it with the digests if the frame has any.
    pub data: bool,
    /// The limits of memory and time.
    pub limits: Limits,
}

/// The default is to check all data, without limits.
impl Default for CheckOptions {
    fn default() -> CheckOptions {
        CheckOptions { data: true, limits: Limits::NONE }
    }
}

/// Limits of memory and time for a check, such as [`verify`](crate::verify).
#[derive(Clone, Debug)]
pub struct Limits {
    /// The maximum memory for each part of a frame, in bytes. A part is the decoded header, index or trailer, an attribute, or a chunk with
    /// its data and two of its blocks. To read values in Arrow, the whole frame is a part. The sum of all parts can be larger.
    pub max_memory: u64,
    /// The time after which no more attributes, chunks and blocks are decoded. The time is checked before each of them and, by
    /// [`check`](crate::check()) and [`verify`](crate::verify), also inside long blocks. Reading values in Arrow may take this time once
    /// more; then it is checked between batches.
    pub max_time: Option<Duration>,
}

impl Limits {
    /// No limits.
    pub const NONE: Limits = Limits { max_memory: u64::MAX, max_time: None };

    /// Returns the time at which a check that starts now has to end, or `None` if there is no time limit.
    pub fn deadline(&self) -> Option<Instant> {
        self.max_time.and_then(|time| Instant::now().checked_add(time))
    }
}

/// The default limits are 1 GiB and one minute.
impl Default for Limits {
    fn default() -> Limits {
        Limits { max_memory: 1 << 30, max_time: Some(Duration::from_secs(60)) }
    }
}

/// The limits of a check that is running: the memory, and the time at which the check must end.
pub(super) struct Budget {
    pub(super) limits: Limits,
    pub(super) deadline: Option<Instant>,
}

impl Budget {
    pub(super) fn new(limits: &Limits) -> Budget {
        Budget { limits: limits.clone(), deadline: limits.deadline() }
    }

    /// Returns true if the time limit has been reached.
    pub(super) fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Returns a sentence for a finding if a part needs more memory than the limits allow.
    pub(super) fn refuses(&self, needed: u64) -> Option<String> {
        let most = self.limits.max_memory;
        (needed > most).then(|| format!("it may need {} of memory; the limit is {}", count(needed, "byte"), thousands(most)))
    }

    /// Returns a sentence for a finding if a chunk needs more memory than the limits allow. Memory is needed for the chunk and its data. A
    /// compressed chunk also needs memory for the sorted block table and for two blocks.
    pub(super) fn refuses_chunk(&self, chunk: &ChunkHeader) -> Option<String> {
        let [nbytes, cbytes, blocksize] = [chunk.nbytes(), chunk.cbytes(), chunk.blocksize()].map(|length| length as u64);
        let is_compressed = !chunk.is_stored() && chunk.special().is_none();
        let more = if is_compressed { 2 * cbytes + 2 * blocksize.min(nbytes) } else { 0 };
        self.refuses(cbytes + nbytes + more)
    }
}
