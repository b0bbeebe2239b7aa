//! Heat maps, images and line plots of values, as pixels and as characters.

use anstyle::{Ansi256Color, Color, RgbColor, Style};

use crate::colors::{Rgb, VIRIDIS, color};
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
    /// Draws a heat map of values, given row by row, with the colors of a map along a scale. Values beyond the ends of the scale have the
    /// color of the nearest end. NaN and infinite values, and values that a logarithmic scale lacks, have no color.
    pub fn heat(values: &[f64], width: usize, scale: Scale, map: &[Rgb]) -> Pixels {
        Pixels { width, colors: values.iter().map(|&value| scale.part(value).map(|part| color(map, part))).collect() }
    }

    /// Creates an image from 3 or 4 bytes for each pixel. Pixels whose fourth byte is 0 are transparent, and have no color.
    pub fn image(bytes: &[u8], width: usize, channels: usize) -> Pixels {
        let color = |pixel: &[u8]| match *pixel {
            [red, green, blue] => Some([red, green, blue]),
            [red, green, blue, alpha] if alpha != 0 => Some([red, green, blue]),
            _ => None,
        };
        Pixels { width, colors: bytes.chunks_exact(channels.max(1)).map(color).collect() }
    }

    /// Draws a line plot, with the values from left to right, as a dark line on white. The scale is vertical.
    pub fn plot(values: &[f64], width: usize, height: usize, scale: Scale) -> Pixels {
        let color = |is_drawn| Some(if is_drawn { VIRIDIS[2] } else { [255; 3] });
        Pixels { width, colors: dots(values, width, height, scale).into_iter().map(color).collect() }
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

    /// Returns the lines of the picture. Each character shows at most two pixels, one above the other.
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

/// Returns the number of the nearest of the 240 standard colors of terminals: a cube of 6 × 6 × 6 colors, and 24 grays for grays.
/// Brightness counts most, so that a color map whose brightness increases usually keeps its order.
fn nearest(color: Rgb) -> u8 {
    let light = |[red, green, blue]: Rgb| 0.3 * f64::from(red) + 0.59 * f64::from(green) + 0.11 * f64::from(blue);
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let of = |number: u8| match number {
        16..=231 => [36, 6, 1].map(|unit| STEPS[usize::from((number - 16) / unit % 6)]),
        _ => [8 + 10 * number.saturating_sub(232); 3],
    };
    let distance = |number: u8| {
        let channels = of(number).into_iter().zip(color).map(|(one, other)| f64::from(one.abs_diff(other)).powi(2));
        channels.sum::<f64>() + 16.0 * (light(of(number)) - light(color)).powi(2)
    };
    let spread = color.iter().max().zip(color.iter().min()).map_or(0, |(most, least)| most - least);
    let last = if spread < 16 { 255 } else { 231 };
    (16..=last).min_by(|&one, &other| distance(one).total_cmp(&distance(other))).unwrap_or(16)
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
pub fn plot(values: &[f64], width: usize, height: usize, scale: Scale) -> Vec<String> {
    let mut cells = vec![0_u8; width * height];
    for (place, _) in dots(values, 2 * width, 4 * height, scale).iter().enumerate().filter(|(_, is_drawn)| **is_drawn) {
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
fn dots(values: &[f64], columns: usize, rows: usize, scale: Scale) -> Vec<bool> {
    let mut drawn = vec![false; columns * rows];
    if !values.is_empty() && rows != 0 && columns != 0 {
        let row = |value: f64| {
            scale.part(value).map(|part| part.clamp(0.0, 1.0)).map(|part| ((1.0 - part) * (rows - 1) as f64).round() as usize)
        };
        let mut before: Option<usize> = None;
        let points = values.len().max(columns);
        // If there are fewer values than columns, the values between them are interpolated linearly.
        let between = |point: usize| {
            let at = point as f64 * (values.len() - 1) as f64 / (points - 1).max(1) as f64;
            let (low, part) = (at as usize, at.fract());
            let (low, high) = (values[low], values[(low + 1).min(values.len() - 1)]);
            // The halves do not overflow, and a neighbor that is NaN does not matter if the point is a value.
            if part < 1e-9 { low } else { 2.0 * (low / 2.0 * (1.0 - part) + high / 2.0 * part) }
        };
        for point in 0..points {
            let value = if values.len() < columns { between(point) } else { values[point] };
            let column = point * columns / points;
            let now = row(value);
            if let Some(now) = now {
                // Draws a vertical line from the previous value to this value. Without it, steep parts would be separate dots.
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
