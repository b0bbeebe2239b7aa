//! Color maps, which the tool and the page share.

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// Splits colors such as `0x440154` into red, green and blue.
const fn palette<const N: usize>(colors: [u32; N]) -> [Rgb; N] {
    let mut palette = [[0; 3]; N];
    let mut index = 0;
    while index < N {
        let [_, red, green, blue] = colors[index].to_be_bytes();
        palette[index] = [red, green, blue];
        index += 1;
    }
    palette
}

/// Viridis, a color map that is suitable for people with color blindness, and whose brightness increases evenly.
pub const VIRIDIS: &[Rgb] =
    &palette([0x440154, 0x482475, 0x414487, 0x355f8d, 0x2a788e, 0x21918c, 0x22a884, 0x44bf70, 0x7ad151, 0xbddf26, 0xfde725]);

/// ColorBrewer's RdBu, reversed: from blue to red, nearly white in the middle.
const BLUE_RED: &[Rgb] =
    &palette([0x053061, 0x2166ac, 0x4393c3, 0x92c5de, 0xd1e5f0, 0xf7f7f7, 0xfddbc7, 0xf4a582, 0xd6604d, 0xb2182b, 0x67001f]);

/// The color maps: the name of each, and its colors for evenly spaced values from the lowest to the highest.
pub const COLOR_MAPS: [(&str, &[Rgb]); 3] = [("viridis", VIRIDIS), ("gray", &[[0; 3], [255; 3]]), ("blue-red", BLUE_RED)];

/// Returns the color that a color map gives to a value between 0 and 1.
pub fn color(map: &[Rgb], value: f64) -> Rgb {
    let last = map.len() - 1;
    let at = value.clamp(0.0, 1.0) * last as f64;
    let below = (at as usize).min(last.saturating_sub(1));
    let part = at - below as f64;
    [0, 1, 2].map(|channel| {
        let [from, to] = [below, (below + 1).min(last)].map(|index| f64::from(map[index][channel]));
        (from + (to - from) * part).round() as u8
    })
}
