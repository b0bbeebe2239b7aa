//! Compresses to streams of BloscLZ.

use alloc::vec::Vec;

use super::FAR;

/// The length of the shortest match that is written.
const SHORTEST: usize = 4;

/// The length of the shortest match that is written if its distance is above [`FAR`]. Such a distance takes two additional bytes.
const SHORTEST_FAR: usize = 7;

/// The longest distance of a match that is written.
const FARTHEST: usize = FAR + 0xffff;

/// The maximum number of literals in a run.
const LITERALS: usize = 32;

/// Each time that the search has passed this many bytes without a match, its steps get one position longer.
const PATIENCE: usize = 64;

/// Compresses `block`, and appends the stream to `output`. The stream ends with literals, because C-Blosc2 rejects a stream that ends
/// with a match.
///
/// `table` is a buffer for the newest position of each hash; its length is a power of two. `block` must be shorter than 4 GiB.
pub(crate) fn compress_stream(block: &[u8], table: &mut [u32], output: &mut Vec<u8>) {
    table.fill(0);
    let shift = u32::BITS - table.len().max(2).ilog2();
    let end = block.len().saturating_sub(1);
    let (mut at, mut written, mut first) = (0, 0, true);
    while let Some(next) = block.get(at..end).and_then(<[u8]>::first_chunk) {
        let hash = u32::from_le_bytes(*next).wrapping_mul(0x9e37_79b1) >> shift;
        // Positions count from 1, so that 0 means that there is no position.
        let position = u32::try_from(at + 1).unwrap_or(0);
        let Some(entry) = table.get_mut(hash as usize) else { break };
        let earlier = core::mem::replace(entry, position) as usize;
        if earlier != 0 && at + 1 - earlier <= FARTHEST {
            let from = earlier - 1;
            let length = common(&block[at..end], &block[from..]);
            let shortest = if at - from > FAR { SHORTEST_FAR } else { SHORTEST };
            // A stream starts with literals.
            if length >= shortest && !(first && written == at) {
                put_literals(output, &block[written..at]);
                put_match(output, length, at - from);
                at += length;
                (written, first) = (at, false);
                continue;
            }
        }
        at += 1 + (at - written) / PATIENCE;
    }
    put_literals(output, &block[written..]);
}

/// Returns the number of equal bytes at the start of both slices. It is not inlined, because it would take registers from its callers'
/// loops.
#[inline(never)]
pub(crate) fn common(one: &[u8], other: &[u8]) -> usize {
    let (mut one_left, mut other_left) = (one, other);
    while let (Some((a, one_rest)), Some((b, other_rest))) = (one_left.split_first_chunk(), other_left.split_first_chunk()) {
        let difference = u128::from_le_bytes(*a) ^ u128::from_le_bytes(*b);
        if difference != 0 {
            return one.len() - one_left.len() + difference.trailing_zeros() as usize / 8;
        }
        (one_left, other_left) = (one_rest, other_rest);
    }
    one.len() - one_left.len() + one_left.iter().zip(other_left).take_while(|(a, b)| a == b).count()
}

fn put_literals(output: &mut Vec<u8>, literals: &[u8]) {
    for run in literals.chunks(LITERALS) {
        output.push(low_byte(run.len() - 1));
        output.extend_from_slice(run);
    }
}

/// Appends a match: a byte with three bits of the length and five bits of the distance, then the rest of the length and of the distance.
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
