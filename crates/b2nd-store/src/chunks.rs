//! The chunks of a frame, as the index and the chunks' own headers describe them.

use b2nd::Result;
use b2nd::frame::{ChunkHeader, Header, Offset, Offsets, Special};

use crate::Frame;

/// A chunk, or several in a row that the index says the same of.
pub struct Row {
    /// The number of the first of them.
    pub first: u64,
    /// The number of the last of them.
    pub last: u64,
    /// Its place, and what its header says.
    pub content: Content,
}

/// A chunk, as far as it is known.
pub enum Content {
    /// No bytes: the index says what all elements are. The length of the data, where the header says one.
    Special(Special, Option<u64>),
    /// The byte at which it starts after the header, or in a sparse frame the number of its file.
    At(u64, Result<ChunkHeader>),
}

/// The rows of all chunks, in order. The header of each chunk is read and compared with its place and the frame's header.
pub fn rows(frame: &Frame, offsets: &Offsets) -> impl Iterator<Item = Row> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let first = next;
        let (last, content) = match offsets.get(first)? {
            Offset::Special(special) => {
                let same = |chunk: &u64| offsets.get(*chunk) == Some(Offset::Special(special));
                let (length, mut last) = (nbytes(frame.header(), first), (first..).take_while(same).last()?);
                if last != first && nbytes(frame.header(), last) != length {
                    // The last chunk of all may be shorter.
                    last -= 1;
                }
                (last, Content::Special(special, length))
            }
            Offset::At(at) => (first, Content::At(at, frame.chunk_header(first))),
            _ => return None,
        };
        next = last + 1;
        Some(Row { first, last, content })
    })
}

/// The number of bytes of data that a chunk holds, as the frame's header says.
fn nbytes(header: &Header, chunk: u64) -> Option<u64> {
    let (all, chunksize) = (u64::try_from(header.nbytes()).ok()?, u64::try_from(header.chunksize()).ok()?);
    if header.has_variable_chunks() || chunksize == 0 {
        return None;
    }
    Some(all.checked_sub(chunk.checked_mul(chunksize)?)?.min(chunksize))
}
