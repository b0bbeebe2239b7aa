//! A second decompressor for comparisons. It decodes whole chunks that are compressed by BloscLZ with byte shuffle, such as
//! compressed indexes.

use b2nd_frame::{ChunkHeader, CodecId, Filter};

/// Decompresses a chunk into `data`.
pub fn decompress(chunk: &[u8], data: &mut [u8]) -> Result<(), String> {
    let header = ChunkHeader::from_slice(chunk).map_err(|error| error.to_string())?;
    if header.codec() != CodecId::BloscLz {
        return Err(format!("{} is not BloscLZ", header.codec()));
    }
    let shuffle = match header.filters().collect::<Vec<_>>()[..] {
        [] => false,
        [(Filter::Shuffle, 0)] => true,
        ref filters => return Err(format!("filters {filters:?}")),
    };
    // Flag bit 4 is set if blocks are not split into one stream for each byte of an element.
    let split = header.raw_flags() & 0x10 == 0;
    let count = data.len();
    for (number, block) in data.chunks_mut(header.blocksize()).enumerate() {
        let start = int32(chunk, header.header_len() + 4 * number).ok_or("no place for a block's start")?;
        let mut at = usize::try_from(start).map_err(|_| "a block starts before the chunk")?;
        // A last block that is shorter than the others is never split.
        let whole = block.len() == header.blocksize() || count < header.blocksize();
        let streams = if split && whole { header.typesize() } else { 1 };
        let length = block.len() / streams;
        let mut bytes = vec![0; block.len()];
        for stream in bytes.chunks_mut(length) {
            at = read_stream(chunk, at, stream)?;
        }
        if shuffle {
            unshuffle(&bytes, block, header.typesize());
        } else {
            block.copy_from_slice(&bytes);
        }
    }
    Ok(())
}

fn int32(chunk: &[u8], at: usize) -> Option<i32> {
    Some(i32::from_le_bytes(chunk.get(at..)?.first_chunk().copied()?))
}

/// Reads a stream that starts with its length, and returns the position after it.
fn read_stream(chunk: &[u8], at: usize, stream: &mut [u8]) -> Result<usize, String> {
    let length = int32(chunk, at).ok_or("no place for a stream's length")?;
    let at = at + 4;
    if length < 0 {
        // A run of one byte, whose value is the length with the sign changed. A token follows.
        if chunk.get(at) != Some(&1) {
            return Err("an unknown token".into());
        }
        stream.fill(length.unsigned_abs() as u8);
        return Ok(at + 1);
    }
    let end = at + length as usize;
    let bytes = chunk.get(at..end).ok_or("a stream is cut off")?;
    match bytes.len() {
        0 => stream.fill(0),
        stored if stored == stream.len() => stream.copy_from_slice(bytes),
        _ => expand(bytes, stream)?,
    }
    Ok(end)
}

/// Decodes a BloscLZ stream of literals and matches.
fn expand(input: &[u8], output: &mut [u8]) -> Result<(), String> {
    let mut input = input.iter().copied();
    let mut next = || input.next().map(usize::from);
    let mut at = 0;
    let mut first = true;
    while let Some(control) = next() {
        // The upper 3 bits of the first byte are a marker, which C-Blosc2 ignores too.
        let control = if std::mem::take(&mut first) { control & 31 } else { control };
        if control < 32 {
            for place in output.get_mut(at..=at + control).ok_or("too many literals")? {
                *place = next().ok_or("a literal is missing")? as u8;
            }
            at += control + 1;
            continue;
        }
        let cut_off = "a match is cut off";
        let mut length = (control >> 5) + 2;
        if length == 9 {
            loop {
                let more = next().ok_or(cut_off)?;
                length += more;
                if more != 255 {
                    break;
                }
            }
        }
        let high = control & 31;
        let low = next().ok_or(cut_off)?;
        let distance = if (high, low) == (31, 255) {
            let far = next().ok_or(cut_off)? << 8;
            far + next().ok_or(cut_off)? + 8191
        } else {
            high << 8 | low
        };
        let from = at.checked_sub(distance + 1).ok_or("a match before the start")?;
        if at + length > output.len() {
            return Err("a match over the end".into());
        }
        for index in 0..length {
            output[at + index] = output[from + index];
        }
        at += length;
    }
    if at == output.len() { Ok(()) } else { Err(format!("{at} bytes, {} expected", output.len())) }
}

fn unshuffle(from: &[u8], to: &mut [u8], typesize: usize) {
    let elements = from.len() / typesize;
    for element in 0..elements {
        for byte in 0..typesize {
            to[element * typesize + byte] = from[byte * elements + element];
        }
    }
    let rest = elements * typesize;
    to[rest..].copy_from_slice(&from[rest..]);
}
