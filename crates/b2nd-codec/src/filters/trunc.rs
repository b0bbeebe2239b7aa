//! Truncated precision: the lowest bits of each element are cleared. Readers do nothing, since the cleared bits are lost.

use crate::error::{Error, Result};
use crate::ids::Filter;

/// The filter int_trunc, which truncates integers. The filter trunc_prec truncates floats.
const INT_TRUNC: Filter = Filter::Other(36);

/// Checks whether the parameter `meta` of trunc_prec or int_trunc is valid for elements of `typesize` bytes. The filter must keep at least
/// one bit of an integer, or of the fraction of a float. Other filters are not checked.
pub(super) fn check(filter: Filter, meta: u8, typesize: usize) -> Result<()> {
    let (sizes, named): (&[usize], _) = match filter {
        Filter::TruncPrec => (&[4, 8], "4 or 8"),
        INT_TRUNC => (&[1, 2, 4, 8], "1, 2, 4 or 8"),
        _ => return Ok(()),
    };
    if !sizes.contains(&typesize) {
        return Err(Error::custom(format_args!("{filter}: expected a typesize of {named} in the header, found {typesize}")));
    }
    let most = bits(filter, typesize);
    match zeroed(filter, meta, typesize) {
        Some(zeroed) if zeroed < most => Ok(()),
        _ => {
            let (meta, clear) = (i8::from_ne_bytes([meta]), most - 1);
            Err(Error::custom(format_args!(
                "{filter}: expected a parameter of 1 to {most}, the bits to keep, or -{clear} to -1, the bits to clear, found {meta}"
            )))
        }
    }
}

/// Clears the lowest bits of each element if the filter is trunc_prec or int_trunc.
pub(super) fn apply(data: &mut [u8], filter: Filter, meta: u8, typesize: usize) {
    if !matches!(filter, Filter::TruncPrec | INT_TRUNC) {
        return;
    }
    let Some(zeroed) = zeroed(filter, meta, typesize) else { return };
    let mask = u64::MAX.checked_shl(zeroed).unwrap_or(0).to_le_bytes();
    for element in data.chunks_exact_mut(typesize.max(1)) {
        element.iter_mut().zip(mask).for_each(|(byte, mask)| *byte &= mask);
    }
}

/// Returns the number of bits in an element that the filter can keep or clear: the bits of the fraction of a float, or all
/// bits of an integer.
fn bits(filter: Filter, typesize: usize) -> u32 {
    match (filter, typesize) {
        (Filter::TruncPrec, 4) => 23,
        (Filter::TruncPrec, _) => 52,
        (_, 1) => 8,
        (_, 2) => 16,
        (_, 4) => 32,
        _ => 64,
    }
}

/// Returns the number of bits of an element that are cleared. `meta`, read as an `i8`, is the number of bits to keep, or if it is negative,
/// minus the number of bits to clear. Returns `None` if the number of bits to keep is greater than [`bits`].
fn zeroed(filter: Filter, meta: u8, typesize: usize) -> Option<u32> {
    let meta = i8::from_ne_bytes([meta]);
    let count = u32::from(meta.unsigned_abs());
    if meta < 0 { Some(count) } else { bits(filter, typesize).checked_sub(count) }
}
