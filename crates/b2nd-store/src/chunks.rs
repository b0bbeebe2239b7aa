//! Lists the chunks of a frame from the index and from the headers of the chunks.

use b2nd_frame::{ChunkHeader, Header, Offset, Offsets, Result, Special};

use crate::Frame;

/// A chunk, or consecutive chunks with the same special value in the index.
pub struct ChunkRun {
    /// The index of the first chunk.
    pub first: u64,
    /// The index of the last chunk. It equals `first` if there is only one chunk.
    pub last: u64,
    /// The location of the chunk and its header, or the value of a special chunk.
    pub content: Content,
}

/// The location of a chunk and its header, or the value of a special chunk.
pub enum Content {
    /// The chunk has no bytes: its entry in the index says that all elements have the same value, or are uninitialized. The second field is
    /// the length of each chunk's data in bytes, if the frame's header determines it.
    Special(Special, Option<u64>),
    /// The chunk has bytes. In a sparse frame, the first field is the number of the chunk's file. In other frames, it is the offset of the
    /// bytes, counted from the end of the frame's header.
    At(u64, Result<ChunkHeader>),
}

/// Iterates over the chunks in the order of their indices. If a chunk has bytes, its header is read, and compared with the chunk's position
/// and the frame's header.
pub fn rows(frame: &Frame, offsets: &Offsets) -> impl Iterator<Item = ChunkRun> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let first = next;
        let (last, content) = match offsets.get(first)? {
            Offset::Special(special) => {
                let same = |chunk: &u64| offsets.get(*chunk) == Some(Offset::Special(special));
                let (length, mut last) = (nbytes(frame.header(), first), (first..).take_while(same).last()?);
                if last != first && nbytes(frame.header(), last) != length {
                    // The last chunk is shorter, so it gets a run of its own.
                    last -= 1;
                }
                (last, Content::Special(special, length))
            }
            Offset::At(at) => (first, Content::At(at, frame.chunk_header(first))),
            _ => return None,
        };
        next = last + 1;
        Some(ChunkRun { first, last, content })
    })
}

/// Returns the length of a chunk's data in bytes, according to the frame's header.
fn nbytes(header: &Header, chunk: u64) -> Option<u64> {
    let (all, chunksize) = (u64::try_from(header.nbytes()).ok()?, u64::try_from(header.chunksize()).ok()?);
    if header.has_variable_chunks() || chunksize == 0 {
        return None;
    }
    Some(all.checked_sub(chunk.checked_mul(chunksize)?)?.min(chunksize))
}
