//! Zstandard, LZ4 and zlib behind at most a byte shuffle: what attributes are compressed with. BloscLZ is the library's.
//!
//! The codec of `b2nd-ndarray` has all of Blosc2, and does not build for wasm32.

use b2nd::frame::{BloscLz, Chunk, ChunkHeader, Codec as Name, Decompress, Filter};
use b2nd::{Error, Result};
use ruzstd::decoding::FrameDecoder;

/// Bit 4 of the flags: blocks are not split into streams.
const IS_UNSPLIT: u8 = 0x10;

/// The bit of a stream's token that says: all bytes are the same.
const IS_RUN: u8 = 0x01;

/// Decompresses chunks of metadata.
pub struct Codec;

impl Decompress for Codec {
    fn decompress(&mut self, bytes: &[u8], data: &mut [u8]) -> Result<()> {
        let chunk = Chunk::from_slice(bytes)?;
        let header = chunk.header();
        self.accept(header)?;
        if header.codec() == Name::BloscLz {
            return BloscLz.decompress(bytes, data);
        }
        let typesize = shuffled(header)?;
        let mut unpacked = vec![0; header.blocksize().min(data.len())];
        for (number, block) in data.chunks_mut(header.blocksize().max(1)).enumerate() {
            let is_split = header.raw_flags() & IS_UNSPLIT == 0 && block.len() == header.blocksize();
            let streams = if is_split { header.typesize().max(1) } else { 1 };
            let unpacked = unpacked.get_mut(..block.len()).unwrap_or_default();
            let mut input = Input { bytes: chunk.bytes(), at: header.header_len() + 4 * number };
            input.at = usize::try_from(input.int32()?).map_err(|_| cut_off())?;
            if unpacked.len() % streams != 0 {
                return Err(Error::custom("a block is not a whole number of streams"));
            }
            let length = (unpacked.len() / streams).max(1);
            unpacked.chunks_mut(length).try_for_each(|stream| input.stream(header.codec(), stream))?;
            match typesize {
                Some(typesize) => unshuffle(unpacked, block, typesize),
                None => block.copy_from_slice(unpacked),
            }
        }
        Ok(())
    }

    fn accept(&self, chunk: &ChunkHeader) -> Result<()> {
        let refused = |what: &str| Err(Error::custom(format_args!("this page does not decompress {what}")));
        match chunk.codec() {
            Name::BloscLz => return BloscLz.accept(chunk),
            Name::Lz4 | Name::Lz4Hc | Name::Zlib | Name::Zstd => {}
            other => return refused(&format!("the codec {other}")),
        }
        if chunk.has_dictionary() {
            return refused("with a dictionary");
        }
        shuffled(chunk).map(|_| ())
    }
}

/// The length of the elements whose bytes were shuffled, or `None` where nothing was.
fn shuffled(chunk: &ChunkHeader) -> Result<Option<usize>> {
    let mut filters = chunk.filters();
    match (filters.next(), filters.next()) {
        (None, _) => Ok(None),
        // The filter's parameter replaces the type size.
        (Some((Filter::Shuffle, 0)), None) => Ok(Some(chunk.typesize())),
        (Some((Filter::Shuffle, typesize)), None) => Ok(Some(typesize.into())),
        (Some((Filter::Shuffle, _)), Some((other, _))) | (Some((other, _)), _) => {
            Err(Error::custom(format_args!("this page does not undo the filter {other}")))
        }
    }
}

/// Puts the bytes of each element together: all first bytes stand before all second ones.
fn unshuffle(shuffled: &[u8], data: &mut [u8], typesize: usize) {
    let elements = shuffled.len() / typesize.max(1);
    let whole = elements * typesize;
    for (at, &byte) in shuffled.iter().enumerate() {
        let place = if at < whole { at % elements * typesize + at / elements } else { at };
        if let Some(place) = data.get_mut(place) {
            *place = byte;
        }
    }
}

struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let taken = self.at.checked_add(length).and_then(|end| self.bytes.get(self.at..end)).ok_or_else(cut_off)?;
        self.at += length;
        Ok(taken)
    }

    fn int32(&mut self) -> Result<i32> {
        self.take(4)?.try_into().map(i32::from_le_bytes).map_err(|_| cut_off())
    }

    /// Reads a stream into a place that it has to fill.
    fn stream(&mut self, codec: Name, stream: &mut [u8]) -> Result<()> {
        let length = self.int32()?;
        let Ok(packed) = usize::try_from(length) else {
            // No length but minus the byte that repeats; a token follows.
            let token = self.take(1)?.iter().all(|token| token & IS_RUN != 0);
            let byte = u8::try_from(length.unsigned_abs()).ok().filter(|_| token);
            stream.fill(byte.ok_or_else(|| Error::custom("a stream of a chunk starts with an unknown token"))?);
            return Ok(());
        };
        let bytes = self.take(packed)?;
        match packed {
            0 => stream.fill(0),
            _ if packed == stream.len() => stream.copy_from_slice(bytes),
            _ => expand(codec, bytes, stream)?,
        }
        Ok(())
    }
}

fn expand(codec: Name, bytes: &[u8], stream: &mut [u8]) -> Result<()> {
    let length = match codec {
        Name::Zstd => FrameDecoder::new().decode_all(bytes, stream).map_err(|error| error.to_string()),
        Name::Zlib => miniz_oxide::inflate::decompress_slice_iter_to_slice(stream, [bytes].into_iter(), true, false)
            .map_err(|error| format!("{error:?}")),
        _ => lz4_flex::block::decompress_into(bytes, stream).map_err(|error| error.to_string()),
    };
    match length {
        Ok(length) if length == stream.len() => Ok(()),
        Ok(length) => Err(Error::custom(format_args!("{codec}: expected {} bytes, found {length}", stream.len()))),
        Err(error) => Err(Error::custom(format_args!("{codec}: {error}"))),
    }
}

#[cold]
fn cut_off() -> Error {
    Error::custom("a chunk ends before its streams do")
}
