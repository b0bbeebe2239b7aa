//! How long the elements of a dtype are, as far as its string says so at a glance.

/// The length of an element in bytes. `None` for the forms with fields or a shape, which only a parser can tell.
///
/// # Errors
///
/// The string is no dtype.
pub(crate) fn itemsize(dtype: &str) -> Result<Option<i64>, String> {
    if dtype.starts_with(['[', '{', '(']) {
        return Ok(None);
    }
    let simple = || {
        let (kind, rest) = dtype.strip_prefix(['<', '>', '|'])?.split_at_checked(1)?;
        // A datetime's unit follows its length.
        let digits = rest.split_once('[').map_or(rest, |(digits, _)| digits);
        let number: i64 = if kind == "O" && digits.is_empty() { 8 } else { digits.parse().ok()? };
        match kind {
            "b" | "i" | "u" | "f" | "c" | "m" | "M" | "S" | "V" | "O" => Some(number),
            "U" => number.checked_mul(4),
            _ => None,
        }
    };
    match simple() {
        Some(itemsize) => Ok(Some(itemsize)),
        None => Err(format!("{dtype:?} is no dtype string such as \"<f8\" or \"[('x', '<i4'), ('y', '<i4')]\"")),
    }
}

/// Dtypes whose elements are this long, the likeliest first.
pub(crate) fn candidates(typesize: i32) -> String {
    let numbers: &[&str] = match typesize {
        1 => &["|u1", "|i1", "|b1"],
        2 => &["<i2", "<u2", "<f2"],
        4 => &["<f4", "<i4", "<u4"],
        8 => &["<f8", "<i8", "<u8", "<c8", "<M8[s]"],
        16 => &["<c16"],
        _ => &[],
    };
    let strings = (typesize > 4 && typesize % 4 == 0).then(|| format!("<U{}", typesize / 4));
    let bytes = [format!("|S{typesize}"), format!("|V{typesize}")];
    numbers.iter().map(|&dtype| dtype.to_owned()).chain(strings).chain(bytes).collect::<Vec<_>>().join(", ")
}
