//! Finds dtypes whose itemsize is the typesize of a frame.

/// Returns the dtypes whose itemsize is `typesize`, separated by commas, the most likely first.
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
