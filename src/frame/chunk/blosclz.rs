//! BloscLZ behind a byte shuffle: what C-Blosc2 compresses indexes with.
//!
//! ```text
//! header | start of each block (int32) | blocks
//! block:  a stream for each byte of an element, or one for all of them
//! stream: length (int32), then as many bytes
//! ```

use alloc::vec::Vec;

mod encode;
pub(super) use encode::{BLOCKSIZE, TYPESIZE, compress};

use super::{Chunk, ChunkHeader, Codec, Filter};
use crate::error::{Error, ErrorKind, Result};

/// Bit 4 of the flags: blocks are not split into streams.
pub(super) const IS_UNSPLIT: u8 = 0x10;

/// The bit of a stream's token that means that all bytes are the same.
const IS_RUN: u8 = 0x01;

/// A match this far away names its distance in two more bytes.
const FAR: usize = 8191;

/// Fills `data`, whose length is the chunk's nbytes. It allocates one block, which is not longer than `data`.
///
/// # Errors
///
/// The codec is not BloscLZ, the filters are not one shuffle, or the streams do not fill `data` exactly. Offsets count from the start of
/// the chunk.
pub(super) fn decompress(chunk: &Chunk<'_>, data: &mut [u8]) -> Result<()> {
    let header = chunk.header();
    let element = shuffled_typesize(header)?;
    let is_split = header.raw_flags() & IS_UNSPLIT == 0;
    let mut shuffled = Vec::new();
    if element.is_some() {
        let length = header.blocksize().min(data.len());
        shuffled.try_reserve_exact(length).map_err(|_| Error::out_of_memory(length))?;
        shuffled.resize(length, 0);
    }
    for (number, block) in data.chunks_mut(header.blocksize()).enumerate() {
        let mut input = Input { bytes: chunk.bytes(), at: header.header_len().saturating_add(number.saturating_mul(4)) };
        let start = input.int32()?;
        let start = usize::try_from(start).ok().filter(|&start| start < input.bytes.len());
        input.at = start.ok_or_else(|| refused("a block starts outside the chunk", input.at - 4))?;
        // A last block that is shorter than the others is never split.
        let streams = if is_split && block.len() == header.blocksize() { header.typesize() } else { 1 };
        if block.len() % streams != 0 {
            return Err(refused("a block is not a whole number of streams", input.at));
        }
        let length = block.len() / streams;
        match element {
            None => block.chunks_mut(length).try_for_each(|stream| input.read_stream(stream))?,
            Some(typesize) => {
                let shuffled = &mut shuffled[..block.len()];
                shuffled.chunks_mut(length).try_for_each(|stream| input.read_stream(stream))?;
                unshuffle(shuffled, block, typesize);
            }
        }
    }
    Ok(())
}

/// The length of the elements whose bytes were shuffled, or `None` if they were not.
pub(super) fn shuffled_typesize(header: &ChunkHeader) -> Result<Option<usize>> {
    let codec = header.codec();
    if codec != Codec::BloscLz {
        return Err(Error::custom(format_args!("expected the codec blosclz, found {codec}")));
    }
    let mut filters = header.filters();
    match (filters.next(), filters.next()) {
        (None, _) => Ok(None),
        // The filter's parameter replaces the type size.
        (Some((Filter::Shuffle, 0)), None) => Ok(Some(header.typesize())),
        (Some((Filter::Shuffle, typesize)), None) => Ok(Some(typesize.into())),
        (Some((Filter::Shuffle, _)), Some((other, _))) | (Some((other, _)), _) => {
            Err(Error::custom(format_args!("expected the filter shuffle alone, found {other}")))
        }
    }
}

/// Reverses the byte shuffle, which puts all first bytes before all second ones.
fn unshuffle(shuffled: &[u8], data: &mut [u8], typesize: usize) {
    let elements = data.len() / typesize;
    let (whole, rest) = data.split_at_mut(elements * typesize);
    for (index, element) in whole.chunks_exact_mut(typesize).enumerate() {
        for (byte, place) in element.iter_mut().enumerate() {
            *place = shuffled[byte * elements + index];
        }
    }
    rest.copy_from_slice(&shuffled[elements * typesize..]);
}

/// A chunk's bytes, and how far they are read.
struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let end = self.at.checked_add(length);
        let taken = end.and_then(|end| self.bytes.get(self.at..end)).ok_or_else(|| refused("the chunk ends here", self.at))?;
        self.at += length;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    fn int32(&mut self) -> Result<i32> {
        let mut bytes = [0; 4];
        bytes.copy_from_slice(self.take(4)?);
        Ok(i32::from_le_bytes(bytes))
    }

    /// Reads a stream into a place that it has to fill.
    fn read_stream(&mut self, stream: &mut [u8]) -> Result<()> {
        let start = self.at;
        let length = self.int32()?;
        let Ok(stored) = usize::try_from(length) else {
            // A negative number is minus the repeated byte. A token follows it.
            let byte = u8::try_from(length.unsigned_abs()).map_err(|_| refused("a run repeats more than a byte", start))?;
            if self.byte()? & IS_RUN == 0 {
                return Err(refused("the token of a stream is unknown", self.at - 1));
            }
            stream.fill(byte);
            return Ok(());
        };
        let start = self.at;
        let bytes = self.take(stored)?;
        match stored {
            0 => stream.fill(0),
            _ if stored == stream.len() => stream.copy_from_slice(bytes),
            _ => Input { bytes: &self.bytes[..self.at], at: start }.expand(stream)?,
        }
        Ok(())
    }

    /// Reads literals and matches to the end.
    fn expand(&mut self, output: &mut [u8]) -> Result<()> {
        let mut filled = 0;
        // The upper bits of the first byte name the format.
        let mut control = usize::from(self.byte()? & 31);
        loop {
            let start = self.at - 1;
            let (length, distance) = match control {
                0..32 => (control + 1, None),
                _ => self.read_match(control)?,
            };
            let place = output.get_mut(..filled + length).ok_or_else(|| refused("a stream is longer than its place", start))?;
            match distance {
                None => place[filled..].copy_from_slice(self.take(length)?),
                Some(distance) => {
                    let from = filled.checked_sub(distance).ok_or_else(|| refused("a match starts before its stream", start))?;
                    if distance >= length {
                        place.copy_within(from..from + length, filled);
                    } else {
                        // A match may reach into what it writes.
                        for index in filled..filled + length {
                            place[index] = place[index - distance];
                        }
                    }
                }
            }
            filled += length;
            if self.at == self.bytes.len() {
                break;
            }
            control = self.byte()?.into();
        }
        if filled == output.len() { Ok(()) } else { Err(refused("a stream is shorter than its place", self.at)) }
    }

    /// The length of a match, and how far back it starts.
    fn read_match(&mut self, control: usize) -> Result<(usize, Option<usize>)> {
        let mut length = (control >> 5) + 2;
        if control >> 5 == 7 {
            loop {
                let more = self.byte()?;
                length += usize::from(more);
                if more != 255 {
                    break;
                }
            }
        }
        let distance = match (control & 31, self.byte()?) {
            (31, 255) => FAR + usize::from(u16::from_be_bytes([self.byte()?, self.byte()?])),
            (high, low) => high << 8 | usize::from(low),
        };
        Ok((length, Some(distance + 1)))
    }
}

#[cold]
fn refused(what: &str, at: usize) -> Error {
    Error::at(ErrorKind::Message(what.into()), at)
}
