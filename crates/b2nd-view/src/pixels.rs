//! Heat maps, images and line plots of values, as pixels and as characters.

use anstyle::{Ansi256Color, Color, RgbColor, Style};

use crate::colors::{Rgb, VIRIDIS, viridis};
use crate::histogram::Scale;

/// Characters from dark to bright.
const SHADES: &[u8] = b".:-=+*#%@";

/// A picture: rows of pixels.
pub struct Pixels {
    /// The number of pixels in a row.
    pub width: usize,
    /// The colors of the pixels, row by row. `None` is a pixel without a color.
    pub colors: Vec<Option<Rgb>>,
}

impl Pixels {
    /// Draws a heat map of values, given row by row, with colors from the smallest finite value to the largest. NaN and infinite values
    /// have no color.
    pub fn heat(values: &[f64], width: usize) -> Pixels {
        Pixels::scaled_heat(values, width, Scale::of(values, false))
    }

    /// Draws a heat map of values, given row by row, with the colors of a scale. Values beyond the ends of the scale have the color of the
    /// nearest end.
    pub fn scaled_heat(values: &[f64], width: usize, scale: Scale) -> Pixels {
        Pixels { width, colors: values.iter().map(|&value| scale.part(value).map(viridis)).collect() }
    }

    /// Creates an image from 3 or 4 bytes for each pixel. Transparent pixels have no color.
    pub fn image(bytes: &[u8], width: usize, channels: usize) -> Pixels {
        let color = |pixel: &[u8]| match *pixel {
            [red, green, blue] => Some([red, green, blue]),
            [red, green, blue, alpha] if alpha != 0 => Some([red, green, blue]),
            _ => None,
        };
        Pixels { width, colors: bytes.chunks_exact(channels.max(1)).map(color).collect() }
    }

    /// Draws a line plot, with the values from left to right, as a dark line on white.
    pub fn plot(values: &[f64], width: usize, height: usize) -> Pixels {
        let color = |is_drawn| Some(if is_drawn { VIRIDIS[2] } else { [255; 3] });
        Pixels { width, colors: dots(values, width, height).into_iter().map(color).collect() }
    }

    /// Returns the number of rows.
    pub fn height(&self) -> usize {
        self.colors.len() / self.width.max(1)
    }

    /// Scales the picture to another size, by repeating or omitting pixels.
    pub fn scaled(&self, width: usize, height: usize) -> Pixels {
        let place =
            |row: usize, column: usize| (row * self.height() / height.max(1)) * self.width + column * self.width / width.max(1);
        let pixels = (0..height).flat_map(|row| (0..width).map(move |column| (row, column)));
        let colors = pixels.map(|(row, column)| self.colors.get(place(row, column)).copied().flatten()).collect();
        Pixels { width, colors }
    }

    /// Returns the lines of the picture. Each character shows two pixels, one above the other.
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

/// The number of colors that a terminal shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// Colors of 24 bits.
    True,
    /// 256 colors.
    Indexed,
    /// No colors. Brightness is shown by characters.
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

/// Returns the number of the nearest of the 240 standard colors of terminals: a cube of 6 × 6 × 6 colors, and 24 grays.
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

/// Draws a line plot, with the values from left to right, as lines of Braille characters. Each character has two columns of four dots.
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

/// Returns which dots of a line plot are drawn, row by row.
fn dots(values: &[f64], columns: usize, rows: usize) -> Vec<bool> {
    let mut drawn = vec![false; columns * rows];
    if !values.is_empty() && rows != 0 && columns != 0 {
        let scale = Scale::of(values, false);
        let row = |value: f64| scale.part(value).map(|part| ((1.0 - part) * (rows - 1) as f64).round() as usize);
        let mut before: Option<usize> = None;
        // If there are fewer values than columns, each value becomes a horizontal line.
        let points = values.len().max(columns);
        for point in 0..points {
            let (column, value) = (point * columns / points, values[point * values.len() / points]);
            let now = row(value);
            if let Some(now) = now {
                // Draw a vertical line from the previous value to this value. Without it, steep parts would be separate dots.
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
