//! [`Contents`]: the contents of metalayers, in one buffer.

use alloc::vec::Vec;
use core::ops::Range;

use super::MAX_METALAYERS;

/// The contents of metalayers, each preceded by its length.
///
/// All contents share one buffer, so that the number of allocations does not grow with the number of metalayers.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Contents(Vec<u8>);

/// The number of bytes of the length that precedes each content.
const LENGTH: usize = size_of::<usize>();

/// The number of bytes to reserve for each content that will be added later.
const USUAL: usize = LENGTH + 64;

impl Contents {
    #[inline(always)]
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = self.0.as_slice();
        core::iter::from_fn(move || {
            let (length, after) = rest.split_first_chunk()?;
            let content;
            (content, rest) = after.split_at_checked(usize::from_ne_bytes(*length))?;
            Some(content)
        })
    }

    /// Adds a content at the end. `more` is an estimate of the number of contents that will be added later.
    #[inline(always)]
    pub(super) fn push(&mut self, content: &[u8], more: usize) {
        self.0.reserve(LENGTH + content.len() + USUAL * more.min(MAX_METALAYERS));
        self.0.extend_from_slice(&content.len().to_ne_bytes());
        self.0.extend_from_slice(content);
    }

    /// Replaces the content with this index, and returns the old content.
    pub(super) fn replace(&mut self, index: usize, content: Vec<u8>) -> Vec<u8> {
        let range = self.range(index);
        self.0[range.start - LENGTH..range.start].copy_from_slice(&content.len().to_ne_bytes());
        self.0.splice(range, content).collect()
    }

    /// Removes the content with this index, and returns it.
    pub(super) fn remove(&mut self, index: usize) -> Vec<u8> {
        let range = self.range(index);
        let content = self.0.drain(range.clone()).collect();
        self.0.drain(range.start - LENGTH..range.start);
        content
    }

    /// Returns the range of the buffer that holds the content with this index.
    fn range(&self, index: usize) -> Range<usize> {
        let start = self.iter().take(index).map(|content| LENGTH + content.len()).sum::<usize>() + LENGTH;
        start..start + self.iter().nth(index).map_or(0, <[u8]>::len)
    }
}
