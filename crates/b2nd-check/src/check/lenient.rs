//! Reads an array metalayer as C-Blosc2 does: by the positions of its fields. Most markers are not checked.

use b2nd::{Geometry, Grid};

/// The largest number of dimensions that C-Blosc2 supports.
const MAX_DIM: usize = 16;

/// The length in bytes of an entry of the shape, including the entry's marker.
const LONG: usize = 9;
/// The length in bytes of an entry of the chunkshape or blockshape, including the entry's marker.
const SHORT: usize = 5;

/// Returns the grid of the array that C-Blosc2 opens with this metalayer, or `None` if C-Blosc2 rejects the metalayer. C-Blosc2 checks
/// ndim, the marker of the dtype, and the lengths. Also returns `None` if the format of the dtype is 128 or more, which python-blosc2
/// rejects.
pub(super) fn grid(content: &[u8]) -> Option<Grid> {
    // The first three bytes are the marker of the list, the version and ndim.
    let (head, mut rest) = content.split_at_checked(3)?;
    let ndim = usize::from(*head.get(2)?);
    if ndim > MAX_DIM {
        return None;
    }
    let mut take = |width: usize| -> Option<Vec<i64>> {
        let (list, after) = rest.split_at_checked(1 + width * ndim)?;
        rest = after;
        Some(list.get(1..)?.chunks(width).map(signed).collect())
    };
    let (shape, chunks, blocks) = (take(LONG)?, take(SHORT)?, take(SHORT)?);
    match rest {
        // C-Blosc2 also opens an array whose metalayer has no dtype.
        [] => {}
        [format, 0xdb, length @ ..] if *format <= 0x7f => {
            let (length, string) = length.split_first_chunk::<4>()?;
            string.get(..u32::from_be_bytes(*length) as usize)?;
        }
        _ => return None,
    }
    let narrow = |lengths: Vec<i64>| lengths.into_iter().map(|length| i32::try_from(length).ok()).collect::<Option<Vec<i32>>>();
    Geometry::new(&shape, &narrow(chunks)?, &narrow(blocks)?).ok()?.grid().ok()
}

/// Reads the number of an entry, whatever its marker is.
fn signed(entry: &[u8]) -> i64 {
    let number = entry.iter().skip(1).fold(0, |number: i64, &byte| number << 8 | i64::from(byte));
    if entry.len() == SHORT { (number as i32).into() } else { number }
}
