//! Frames that hold no array, compared by the data of their chunks.

use std::path::Path;

use b2nd::frame::Frame;
use b2nd_store::Bytes;
use b2nd_view::text::{count, thousands};

use crate::differences::differ;
use crate::error::Result;
use crate::values::source;

/// The data of a frame, of which one chunk is held.
struct Data {
    frame: Frame<Bytes>,
    /// The number of the next chunk.
    next: u64,
    chunk: Vec<u8>,
    /// The bytes of the chunk that were taken.
    taken: usize,
}

impl Data {
    fn open(word: &Path) -> Result<Data> {
        Ok(Data { frame: Frame::open(source(word)?)?, next: 0, chunk: Vec::new(), taken: 0 })
    }

    /// Decompresses the next chunk, and says whether there is one.
    fn advance(&mut self) -> Result<bool> {
        if self.next == self.frame.offsets()?.len() {
            self.chunk.clear();
            return Ok(false);
        }
        self.chunk = self.frame.chunk(self.next)?.data()?;
        (self.next, self.taken) = (self.next + 1, 0);
        Ok(true)
    }

    /// The bytes of a chunk that were not taken yet, none at the end.
    fn rest(&mut self) -> Result<&[u8]> {
        while self.taken >= self.chunk.len() && self.advance()? {}
        Ok(self.chunk.get(self.taken..).unwrap_or_default())
    }
}

/// Says how the data of two frames differ. `None` where they do not.
pub(super) fn compare(a: &Path, b: &Path) -> Result<Option<String>> {
    let [a, b] = [Data::open(a)?, Data::open(b)?];
    // The bytes of chunks that vary in length mean something chunk by chunk alone: each of an object array is a value.
    if [&a, &b].iter().any(|data| data.frame.header().has_variable_chunks()) { by_chunks(a, b) } else { by_bytes(a, b) }
}

fn by_chunks(mut a: Data, mut b: Data) -> Result<Option<String>> {
    let [one, other] = [a.frame.offsets()?.len(), b.frame.offsets()?.len()];
    if one != other {
        return Ok(Some(format!("{}, not {}", count(one, "chunk"), thousands(other))));
    }
    let (mut differing, mut first) = (0, 0);
    while a.advance()? && b.advance()? {
        if a.chunk != b.chunk {
            first = if differing == 0 { a.next - 1 } else { first };
            differing += 1;
        }
    }
    Ok(differ(differing, "chunk", &first.to_string()))
}

fn by_bytes(mut a: Data, mut b: Data) -> Result<Option<String>> {
    let (mut differing, mut first, mut at) = (0, 0, 0);
    loop {
        let (one, other) = (a.rest()?, b.rest()?);
        let length = one.len().min(other.len());
        if length == 0 {
            // The shorter has ended; the headers say the lengths, but nothing compares those with the chunks.
            let ended = format!("the data of one file end after {}", count(at, "byte"));
            return Ok(if one.len() == other.len() { differ(differing, "byte", &first.to_string()) } else { Some(ended) });
        }
        for (index, _) in one.iter().zip(other).enumerate().filter(|(_, (one, other))| one != other) {
            first = if differing == 0 { at + index as u64 } else { first };
            differing += 1;
        }
        (a.taken, b.taken, at) = (a.taken + length, b.taken + length, at + length as u64);
    }
}
