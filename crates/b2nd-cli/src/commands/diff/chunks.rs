//! Compares the decompressed chunks of frames without an array.

use std::path::Path;

use b2nd_frame::Frame;
use b2nd_store::Bytes;
use b2nd_view::text::{count, thousands};

use crate::differences::Differing;
use crate::error::Result;
use crate::values::source;

/// Reads the data of a frame chunk by chunk, and remembers how much was compared.
struct Data {
    frame: Frame<Bytes>,
    /// The number of the next chunk.
    next: u64,
    chunk: Vec<u8>,
    /// The number of bytes of the current chunk that were already compared.
    taken: usize,
}

impl Data {
    fn open(word: &Path) -> Result<Data> {
        Ok(Data { frame: Frame::open(source(word)?)?, next: 0, chunk: Vec::new(), taken: 0 })
    }

    /// Decompresses the next chunk. Returns false if there are no more chunks.
    fn advance(&mut self) -> Result<bool> {
        if self.next == self.frame.offsets()?.len() {
            self.chunk.clear();
            return Ok(false);
        }
        self.chunk = self.frame.chunk(self.next)?.data()?;
        (self.next, self.taken) = (self.next + 1, 0);
        Ok(true)
    }

    /// Returns the bytes of the current chunk that were not compared yet, or no bytes at the end of the data.
    fn rest(&mut self) -> Result<&[u8]> {
        while self.taken >= self.chunk.len() && self.advance()? {}
        Ok(self.chunk.get(self.taken..).unwrap_or_default())
    }
}

/// Returns lines that describe how the data of two frames differ, or nothing if the data are equal.
pub(super) fn compare(a: &Path, b: &Path) -> Result<Vec<String>> {
    let [a, b] = [Data::open(a)?, Data::open(b)?];
    // If chunks vary in length, they are compared one by one, because each chunk can be a value of its own.
    if [&a, &b].iter().any(|data| data.frame.header().has_variable_chunks()) { by_chunks(a, b) } else { by_bytes(a, b) }
}

fn by_chunks(mut a: Data, mut b: Data) -> Result<Vec<String>> {
    let [one, other] = [a.frame.offsets()?.len(), b.frame.offsets()?.len()];
    if one != other {
        return Ok(vec![format!("{} in the first, {} in the second", count(one, "chunk"), thousands(other))]);
    }
    let mut differing = Differing::default();
    while a.advance()? && b.advance()? {
        if a.chunk != b.chunk {
            differing.add(|| vec![format!("[{}]", a.next - 1)]);
        }
    }
    Ok(differing.lines("chunk"))
}

fn by_bytes(mut a: Data, mut b: Data) -> Result<Vec<String>> {
    let (mut differing, mut at) = (Differing::default(), 0);
    loop {
        let (one, other) = (a.rest()?, b.rest()?);
        let length = one.len().min(other.len());
        if length == 0 {
            // One of the files may have more data. This is found by reading, because the lengths in the headers may be wrong.
            let ended = format!("the data of one file end after {}", count(at, "byte"));
            return Ok(if one.len() == other.len() { differing.lines("byte") } else { vec![ended] });
        }
        for (index, _) in one.iter().zip(other).enumerate().filter(|(_, (one, other))| one != other) {
            differing.add(|| vec![format!("[{}]", at + index as u64)]);
        }
        (a.taken, b.taken, at) = (a.taken + length, b.taken + length, at + length as u64);
    }
}
