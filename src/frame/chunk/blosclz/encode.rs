//! Compresses an index as C-Blosc2 does: shuffles each block, then writes it as a stream of BloscLZ.

use alloc::vec;
use alloc::vec::Vec;

use super::FAR;
use crate::frame::chunk::EXTENDED;
use crate::frame::chunk::shuffle::shuffle;

/// The length of an offset.
pub(in super::super) const TYPESIZE: usize = 8;

/// The length of the blocks that C-Blosc2 cuts an index into. It decompresses one block to look up an offset.
pub(in super::super) const BLOCKSIZE: usize = 16384;

/// The shortest match to write: a shorter one takes as many bytes as it saves.
const SHORTEST: usize = 4;

/// The longest run of literals.
const LITERALS: usize = 32;

/// How many bits a hash has.
const HASH_BITS: u32 = 12;

/// The start of each block in the chunk, then the blocks. `None` if that is not shorter than the offsets.
pub(in super::super) fn compress(offsets: &[u8]) -> Option<Vec<u8>> {
    let mut output = vec![0; offsets.len().div_ceil(BLOCKSIZE) * 4];
    for (number, block) in offsets.chunks(BLOCKSIZE).enumerate() {
        let mut shuffled = vec![0; block.len()];
        shuffle(block, &mut shuffled, TYPESIZE);
        let block = shuffled;
        let mut stream = stream(&block);
        if stream.len() >= block.len() {
            stream = block;
        }
        let start = i32::try_from(EXTENDED + output.len()).ok()?;
        output[number * 4..][..4].copy_from_slice(&start.to_le_bytes());
        output.extend_from_slice(&i32::try_from(stream.len()).ok()?.to_le_bytes());
        output.extend_from_slice(&stream);
    }
    (output.len() < offsets.len()).then_some(output)
}

/// Literals and matches, and literals at the end: C-Blosc2 refuses a stream that ends with a match.
fn stream(block: &[u8]) -> Vec<u8> {
    let mut output = Vec::with_capacity(block.len());
    // For each hash, the last position of four bytes that have it.
    let mut seen = [None; 1 << HASH_BITS];
    let end = block.len().saturating_sub(1);
    let (mut at, mut written) = (0, 0);
    while let Some(next) = block[at..end].first_chunk() {
        let hash = u32::from_le_bytes(*next).wrapping_mul(0x9e37_79b1) >> (u32::BITS - HASH_BITS);
        let earlier = seen[hash as usize].replace(at);
        let matches = |from: usize| block[at..end].iter().zip(&block[from..]).take_while(|(one, other)| one == other).count();
        match earlier.map(|from| (from, matches(from))) {
            Some((from, length)) if length >= SHORTEST => {
                put_literals(&mut output, &block[written..at]);
                put_match(&mut output, length, at - from);
                at += length;
                written = at;
            }
            _ => at += 1,
        }
    }
    put_literals(&mut output, &block[written..]);
    output
}

fn put_literals(output: &mut Vec<u8>, literals: &[u8]) {
    for run in literals.chunks(LITERALS) {
        output.push(low_byte(run.len() - 1));
        output.extend_from_slice(run);
    }
}

/// Three bits of the length and five of the distance, then the rest of both.
fn put_match(output: &mut Vec<u8>, length: usize, distance: usize) {
    let back = (distance - 1).min(FAR);
    let [high, low] = [low_byte(back >> 8), low_byte(back)];
    let code = length - 2;
    output.push(low_byte(code.min(7) << 5) | high);
    if let Some(rest) = code.checked_sub(7) {
        output.resize(output.len() + rest / 255, 255);
        output.push(low_byte(rest % 255));
    }
    output.push(low);
    if back == FAR {
        let further = distance - 1 - FAR;
        output.extend([low_byte(further >> 8), low_byte(further)]);
    }
}

fn low_byte(number: usize) -> u8 {
    number.to_le_bytes()[0]
}
