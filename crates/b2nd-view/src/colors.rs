//! Color maps, which the tool and the page share.

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// Viridis, a color map that is suitable for people with color blindness, and whose brightness increases evenly.
pub(crate) const VIRIDIS: &[Rgb] = &[
    [68, 1, 84],
    [72, 36, 117],
    [65, 68, 135],
    [53, 95, 141],
    [42, 120, 142],
    [33, 145, 140],
    [34, 168, 132],
    [68, 191, 112],
    [122, 209, 81],
    [189, 223, 38],
    [253, 231, 37],
];

/// ColorBrewer's RdBu, reversed: from blue to red, with white in the middle.
const BLUE_RED: &[Rgb] = &[
    [5, 48, 97],
    [33, 102, 172],
    [67, 147, 195],
    [146, 197, 222],
    [209, 229, 240],
    [247, 247, 247],
    [253, 219, 199],
    [244, 165, 130],
    [214, 96, 77],
    [178, 24, 43],
    [103, 0, 31],
];

/// The name of each color map, and its evenly spaced colors from the lowest value to the highest.
pub const COLOR_MAPS: [(&str, &[Rgb]); 3] = [("viridis", VIRIDIS), ("gray", &[[0; 3], [255; 3]]), ("blue-red", BLUE_RED)];

/// Returns the color of a value between 0 and 1 in viridis.
pub fn viridis(value: f64) -> Rgb {
    let last = VIRIDIS.len() - 1;
    let at = value.clamp(0.0, 1.0) * last as f64;
    let below = (at as usize).min(last - 1);
    let part = at - below as f64;
    [0, 1, 2].map(|channel| {
        let [from, to] = [below, below + 1].map(|index| f64::from(VIRIDIS[index][channel]));
        (from + (to - from) * part).round() as u8
    })
}
