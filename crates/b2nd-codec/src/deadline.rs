//! [`Deadline`]: a time limit for decompression.

#[cfg(feature = "std")]
use std::time::Instant;

use crate::error::Result;

/// After about this number of decompressed bytes, BloscLZ checks the deadline again, at the next match. LZ4 checks it after it has read
/// about an eighth of this number of bytes.
pub(crate) const PACE: usize = 4 << 20;

/// The time at which decompression fails, if a time is set. Without the feature `std`, no time can be set.
#[derive(Clone, Copy, Default)]
pub(crate) struct Deadline {
    #[cfg(feature = "std")]
    pub(crate) time: Option<Instant>,
}

impl Deadline {
    /// Fails if the deadline has passed.
    #[allow(clippy::unnecessary_wraps, clippy::unused_self, reason = "without the feature std")]
    pub(crate) fn check(self) -> Result<()> {
        #[cfg(feature = "std")]
        if self.time.is_some_and(|time| Instant::now() >= time) {
            return Err(crate::Error::custom("the time limit was reached"));
        }
        Ok(())
    }
}
