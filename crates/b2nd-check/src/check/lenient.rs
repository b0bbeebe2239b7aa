//! An array's metalayer as C-Blosc2 reads it: by the places of its fields, whatever their markers are.

use b2nd::{Geometry, Grid};

/// The dimensions that C-Blosc2 has room for.
const MAX_DIM: usize = 16;

/// The length of an entry of the shape, and of one of chunkshape and blockshape, markers included.
const LONG: usize = 9;
const SHORT: usize = 5;

/// The grid of the array that C-Blosc2 opens with this metalayer, `None` where it opens none. It looks at ndim, at the marker of the
/// dtype, and at the lengths.
pub(super) fn grid(content: &[u8]) -> Option<Grid> {
    // The markers of the whole, the version, ndim.
    let (head, mut rest) = content.split_at_checked(3)?;
    let ndim = usize::from(*head.get(2)?);
    if ndim > MAX_DIM {
        return None;
    }
    let mut take = |width: usize| -> Option<Vec<i64>> {
        let (list, after) = rest.split_at_checked(1 + width * ndim)?;
        rest = after;
        Some(
            list.get(1..)?
                .chunks(width)
                .map(|entry| b2nd_store::marker::signed_number(entry.get(1..).unwrap_or_default()))
                .collect(),
        )
    };
    let (shape, chunks, blocks) = (take(LONG)?, take(SHORT)?, take(SHORT)?);
    match rest {
        // C-Blosc2 makes up a dtype.
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
