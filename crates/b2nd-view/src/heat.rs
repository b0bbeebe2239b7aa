//! Values as pictures: heat maps, plots and histograms, as pixels and as characters.

use anstyle::{Ansi256Color, Color, RgbColor, Style};

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// The colours of viridis, from the least value to the greatest, in even steps.
const VIRIDIS: [Rgb; 11] = [
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

/// Characters from dark to bright.
const SHADES: &[u8] = b".:-=+*#%@";

/// The colour of a value between 0 and 1: viridis, which the colour-blind can read and which brightens evenly.
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

/// The places of values between two others: evenly, or by their logarithms.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    ends: [f64; 2],
    is_log: bool,
}

impl Scale {
    /// A scale between two values. By logarithms it has places for values above 0 alone.
    pub fn new(least: f64, greatest: f64, is_log: bool) -> Scale {
        Scale { ends: [least, greatest], is_log }
    }

    /// A scale from the least finite value to the greatest; by logarithms from the least above 0.
    pub fn of(values: &[f64], is_log: bool) -> Scale {
        let has_place = |value: &f64| !is_log || *value > 0.0;
        let (least, greatest) = bounds(values.iter().copied().filter(has_place)).unwrap_or_default();
        Scale::new(least, greatest, is_log)
    }

    /// The value at its lower end.
    pub fn least(&self) -> f64 {
        self.ends[0]
    }

    /// The value at its upper end.
    pub fn greatest(&self) -> f64 {
        self.ends[1]
    }

    /// A value's place: 0 at the lower end, 1 at the upper, in the middle if they are one. `None` if it has no place.
    pub fn part(&self, value: f64) -> Option<f64> {
        let place = |value: f64| if self.is_log { value.ln() } else { value };
        let (value, [least, greatest]) = (place(value), self.ends.map(place));
        // Halves: the difference of two floats may be more than a float holds.
        let span = greatest / 2.0 - least / 2.0;
        value.is_finite().then(|| if span > 0.0 { (value / 2.0 - least / 2.0) / span } else { 0.5 })
    }
}

/// A picture: rows of pixels. Those that are `None` have no value.
pub struct Pixels {
    /// The number of cells in a row.
    pub width: usize,
    /// Pixels, row by row.
    pub colors: Vec<Option<Rgb>>,
}

impl Pixels {
    /// A heat map of values, row by row, from the least finite one to the greatest. What is not finite has no colour.
    pub fn heat(values: &[f64], width: usize) -> Pixels {
        Pixels::scaled_heat(values, width, Scale::of(values, false))
    }

    /// A heat map of values, row by row, on this scale. What is beyond its ends has the colour of the end.
    pub fn scaled_heat(values: &[f64], width: usize, scale: Scale) -> Pixels {
        Pixels { width, colors: values.iter().map(|&value| scale.part(value).map(viridis)).collect() }
    }

    /// An image of 3 or 4 bytes for each pixel. Those that are transparent have no colour.
    pub fn image(bytes: &[u8], width: usize, channels: usize) -> Pixels {
        let color = |pixel: &[u8]| match *pixel {
            [red, green, blue] => Some([red, green, blue]),
            [red, green, blue, alpha] if alpha != 0 => Some([red, green, blue]),
            _ => None,
        };
        Pixels { width, colors: bytes.chunks_exact(channels.max(1)).map(color).collect() }
    }

    /// A plot of values in order, dark on white.
    pub fn plot(values: &[f64], width: usize, height: usize) -> Pixels {
        let color = |is_drawn| Some(if is_drawn { VIRIDIS[2] } else { [255; 3] });
        Pixels { width, colors: dots(values, width, height).into_iter().map(color).collect() }
    }

    /// The number of rows.
    pub fn height(&self) -> usize {
        self.colors.len() / self.width.max(1)
    }

    /// The picture at another size: each pixel is the one that it falls on.
    pub fn scaled(&self, width: usize, height: usize) -> Pixels {
        let place =
            |row: usize, column: usize| (row * self.height() / height.max(1)) * self.width + column * self.width / width.max(1);
        let pixels = (0..height).flat_map(|row| (0..width).map(move |column| (row, column)));
        let colors = pixels.map(|(row, column)| self.colors.get(place(row, column)).copied().flatten()).collect();
        Pixels { width, colors }
    }

    /// Lines of characters, each of which shows two pixels, one above the other.
    pub fn lines(&self, depth: Depth) -> Vec<String> {
        let rows: Vec<&[Option<Rgb>]> = self.colors.chunks(self.width.max(1)).collect();
        let line = |pair: &[&[Option<Rgb>]]| {
            let below = |column: usize| pair.get(1).and_then(|row| row.get(column)).copied().flatten();
            let cells = pair.first().into_iter().flat_map(|row| row.iter().enumerate());
            cells.map(|(column, &above)| cell(above, below(column), depth)).collect()
        };
        rows.chunks(2).map(line).collect()
    }
}

/// The number of colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// 24 bits.
    True,
    /// The 256 of a terminal.
    Indexed,
    /// None: characters that look darker or brighter.
    None,
}

impl Depth {
    fn color(self, [red, green, blue]: Rgb) -> Color {
        match self {
            Depth::True | Depth::None => RgbColor(red, green, blue).into(),
            Depth::Indexed => Ansi256Color(nearest([red, green, blue])).into(),
        }
    }
}

/// The nearest of the 240 colours that are the same on all terminals: a cube of six steps in each direction, and 24 greys.
fn nearest(color: Rgb) -> u8 {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let of = |number: u8| match number {
        16..=231 => [36, 6, 1].map(|unit| STEPS[usize::from((number - 16) / unit % 6)]),
        _ => [8 + 10 * number.saturating_sub(232); 3],
    };
    let distance =
        |number: &u8| -> u32 { of(*number).iter().zip(color).map(|(&one, other)| u32::from(one.abs_diff(other)).pow(2)).sum() };
    (16..=255).min_by_key(distance).unwrap_or(16)
}

fn cell(above: Option<Rgb>, below: Option<Rgb>, depth: Depth) -> String {
    if depth == Depth::None {
        let light = |[red, green, blue]: Rgb| 0.3 * f64::from(red) + 0.59 * f64::from(green) + 0.11 * f64::from(blue);
        let lights: Vec<f64> = [above, below].into_iter().flatten().map(light).collect();
        if lights.is_empty() {
            return " ".to_owned();
        }
        let mean = lights.iter().sum::<f64>() / lights.len() as f64;
        let shade = (mean / 256.0 * SHADES.len() as f64) as usize;
        return char::from(SHADES[shade.min(SHADES.len() - 1)]).to_string();
    }
    let style = |front: Rgb, back: Option<Rgb>| {
        Style::new().fg_color(Some(depth.color(front))).bg_color(back.map(|color| depth.color(color)))
    };
    let (style, char) = match (above, below) {
        (Some(above), below) => (style(above, below), '▀'),
        (None, Some(below)) => (style(below, None), '▄'),
        (None, None) => return " ".to_owned(),
    };
    format!("{style}{char}{style:#}")
}

/// The least and the greatest finite value.
pub fn range(values: &[f64]) -> Option<(f64, f64)> {
    bounds(values.iter().copied())
}

fn bounds(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.filter(|value| value.is_finite()).fold(None, |range, value| match range {
        None => Some((value, value)),
        Some((least, greatest)) => Some((value.min(least), value.max(greatest))),
    })
}

/// Counts of the values in each of `bins` even steps of their range. Values that are not finite fall into none.
pub fn histogram(values: &[f64], bins: usize) -> Vec<u64> {
    histogram_in(values, bins, Scale::of(values, false))
}

/// Counts of the values in each of `bins` steps of a scale. Values beyond its ends fall into none.
pub fn histogram_in(values: &[f64], bins: usize, scale: Scale) -> Vec<u64> {
    let mut counts = vec![0; bins];
    let is_one = scale.least() == scale.greatest();
    for part in values.iter().filter_map(|&value| scale.part(value)).filter(|part| (0.0..=1.0).contains(part)) {
        let part = if is_one { 0.0 } else { part };
        let bin = ((part * bins as f64) as usize).min(bins.saturating_sub(1));
        if let Some(count) = counts.get_mut(bin) {
            *count += 1;
        }
    }
    counts
}

/// A plot of values in order, in lines of Braille's dots: two columns of four in each character.
pub fn plot(values: &[f64], width: usize, height: usize) -> Vec<String> {
    let mut cells = vec![0_u8; width * height];
    for (place, _) in dots(values, 2 * width, 4 * height).iter().enumerate().filter(|(_, is_drawn)| **is_drawn) {
        let (row, column) = (place / (2 * width), place % (2 * width));
        let dot = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]][column % 2][row % 4];
        if let Some(cell) = cells.get_mut(row / 4 * width + column / 2) {
            *cell |= dot;
        }
    }
    let character = |&cell: &u8| char::from_u32(0x2800 + u32::from(cell)).unwrap_or(' ');
    cells.chunks(width.max(1)).map(|line| line.iter().map(character).collect()).collect()
}

/// Which dots of a plot are drawn, row by row.
fn dots(values: &[f64], columns: usize, rows: usize) -> Vec<bool> {
    let mut drawn = vec![false; columns * rows];
    if let (Some((least, greatest)), true) = (range(values), rows != 0 && columns != 0) {
        let span = greatest / 2.0 - least / 2.0;
        let row = |value: f64| {
            let part = if span > 0.0 { (greatest / 2.0 - value / 2.0) / span } else { 0.5 };
            ((part * (rows - 1) as f64).round() as usize).min(rows - 1)
        };
        let mut before: Option<usize> = None;
        // Few values are levels as wide as they have room.
        let points = values.len().max(columns);
        for point in 0..points {
            let (column, value) = (point * columns / points, values[point * values.len() / points]);
            let now = value.is_finite().then(|| row(value));
            if let Some(now) = now {
                // A line from the value before: without it steep parts would be dots.
                let from = before.unwrap_or(now);
                for row in from.min(now)..=from.max(now) {
                    if let Some(dot) = drawn.get_mut(row * columns + column) {
                        *dot = true;
                    }
                }
            }
            before = now;
        }
    }
    drawn
}
