//! The grid of an array's last two dimensions: chunks, their blocks, and the padding of both.

use b2nd::Grid;

use super::axis::{Axis, Lengths};
use super::canvas::{Anchor, Canvas, number, width};
use crate::text::thousands;

/// The space for the lengths, above the grid and left of it.
const RULERS: f64 = 48.0;

/// How far apart two lengths are.
const RULER: f64 = 16.0;

/// How far the planes behind the drawn one stand out.
const BEHIND: f64 = 5.0;

/// The shortest that the grid is taken to be.
const LEAST: f64 = 70.0;

/// How long an element is in a dimension that is not there.
const ALONE: f64 = 44.0;

/// How short an element may be for its border to be drawn.
const CELL: f64 = 5.0;

/// The plane of an array's last two dimensions, as it is drawn.
pub struct Plane<'a> {
    grid: &'a Grid,
    rows: Axis,
    columns: Axis,
    /// How many planes of chunks are behind this one.
    pub behind: i64,
    /// Whether lengths in the drawing are as those in the array.
    pub to_scale: bool,
}

impl<'a> Plane<'a> {
    /// The grid, drawn within these bounds. `None` where there are no chunks.
    pub fn new(grid: &'a Grid, [width, height]: [f64; 2]) -> Option<Plane<'a>> {
        if grid.nchunks() == 0 {
            return None;
        }
        let ndim = grid.shape().len();
        let lengths = |from_last: usize| match ndim.checked_sub(from_last) {
            Some(d) => Lengths { array: grid.shape()[d], chunk: grid.chunkshape()[d], block: grid.blockshape()[d] },
            None => Lengths::ONE,
        };
        let (rows, columns) = (lengths(2), lengths(1));
        let [fits_height, fits_width] = [rows.element_that_fits(height - RULERS), columns.element_that_fits(width - RULERS)];
        let element = match ndim {
            0 | 1 => fits_width,
            _ => fits_width.min(fits_height),
        };
        let [rows, columns] = [(rows, ndim > 1), (columns, ndim > 0)].map(|(lengths, is_there)| {
            // What is not there has no length to be to scale.
            Axis::new(lengths, if is_there { element } else { ALONE })
        });
        let is_to_scale =
            |axis: &Axis| axis.hidden_blocks.is_none() && axis.first_block() <= element * axis.lengths.block as f64 + 0.01;
        let to_scale = (ndim < 1 || is_to_scale(&columns)) && (ndim < 2 || is_to_scale(&rows));
        let leading = ndim.saturating_sub(2);
        let behind = grid.chunks_per_dimension()[..leading].iter().product::<i64>() - 1;
        Some(Plane { grid, rows, columns, behind, to_scale })
    }

    /// Which paddings there are: of the array to whole chunks, of chunks to whole blocks.
    pub fn pads(&self) -> [bool; 2] {
        let axes = [&self.rows, &self.columns];
        [axes.iter().any(|axis| axis.pads_chunks()), axes.iter().any(|axis| axis.pads_blocks())]
    }

    /// How high it is.
    pub fn height(&self) -> f64 {
        RULERS + self.rows.length().max(LEAST) + 4.0
    }

    pub(crate) fn draw(&self, canvas: &mut Canvas) {
        let ndim = self.grid.shape().len();
        if ndim >= 1 {
            self.rulers(canvas, &self.columns, false);
        }
        if ndim >= 2 {
            self.rulers(canvas, &self.rows, true);
        }
        canvas.moved([RULERS, RULERS], |canvas| {
            for &(row, y) in &self.rows.chunks {
                for &(column, x) in &self.columns.chunks {
                    canvas.moved([x, y], |canvas| self.chunk(canvas, row, column));
                }
            }
            if let Some([from, to]) = self.columns.left_out {
                let x = (from + to) / 2.0;
                self.rows.chunks.iter().for_each(|&(_, y)| {
                    canvas.text("dots", Anchor::Middle, [x, y + self.rows.padded_chunk() / 2.0 + 4.0], "⋯");
                });
            }
            if let Some([from, to]) = self.rows.left_out {
                let y = (from + to) / 2.0 + 4.0;
                self.columns.chunks.iter().for_each(|&(_, x)| {
                    canvas.text("dots", Anchor::Middle, [x + self.columns.padded_chunk() / 2.0, y], "⋮");
                });
            }
        });
    }

    /// One chunk, its padding below its elements.
    fn chunk(&self, canvas: &mut Canvas, row: i64, column: i64) {
        let Plane { rows, columns, .. } = self;
        let padded = [columns.padded_chunk(), rows.padded_chunk()];
        let own = [columns.position(columns.lengths.chunk), rows.position(rows.lengths.chunk)];
        let held = [columns.position(columns.held(column)), rows.position(rows.held(row))];
        for step in (1..=self.behind.min(2)).rev() {
            let shift = BEHIND * step as f64 / 2.0;
            canvas.rect("behind", [shift, -shift], own);
        }
        canvas.rect("padded", [0.0, 0.0], padded);
        if padded != own {
            canvas.rect("to-blocks", [0.0, 0.0], padded);
        }
        canvas.rect("padded", [0.0, 0.0], own);
        if own != held {
            canvas.rect("to-chunks", [0.0, 0.0], own);
        }
        canvas.rect("array", [0.0, 0.0], held);
        if self.has_cells() {
            canvas.rect("cells", [0.0, 0.0], held);
        }
        let across = rows.block_borders().map(|y| [0.0, y, padded[0], y]);
        let down = columns.block_borders().map(|x| [x, 0.0, x, padded[1]]);
        canvas.lines("block", &across.chain(down).collect::<Vec<_>>());
        if let Some([from, to]) = columns.hidden_blocks {
            canvas.rect("hidden", [from, 0.0], [to - from, padded[1]]);
            canvas.text("dots", Anchor::Middle, [(from + to) / 2.0, padded[1] / 2.0 + 4.0], "⋯");
        }
        if let Some([from, to]) = rows.hidden_blocks {
            canvas.rect("hidden", [0.0, from], [padded[0], to - from]);
            canvas.text("dots", Anchor::Middle, [padded[0] / 2.0, (from + to) / 2.0 + 4.0], "⋮");
        }
        canvas.rect("chunk", [0.0, 0.0], own);
        self.number(canvas, row, column, own[0]);
    }

    fn number(&self, canvas: &mut Canvas, row: i64, column: i64, available: f64) {
        let mut coords = vec![0; self.grid.shape().len()];
        for (coord, at) in coords.iter_mut().rev().zip([column, row]) {
            *coord = at;
        }
        let number = self.grid.chunk_from_coords(&coords).map(thousands).unwrap_or_default();
        if width(number.len()) + 8.0 <= available && self.rows.padded_chunk() >= 20.0 {
            canvas.text("number", Anchor::Start, [5.0, 15.0], number);
        }
    }

    /// The lengths of array, chunk and block, each along its first.
    fn rulers(&self, canvas: &mut Canvas, axis: &Axis, upwards: bool) {
        let lengths = [
            ("shape", axis.array_end(), axis.lengths.array),
            ("chunkshape", axis.position(axis.lengths.chunk), axis.lengths.chunk),
            ("blockshape", axis.first_block(), axis.lengths.block),
        ];
        for (index, (class, length, elements)) in lengths.into_iter().enumerate() {
            let across = 8.0 + RULER * index as f64 - 2.0;
            let (start, end) = (RULERS, RULERS + length);
            let line = [
                [start, across, end, across],
                [start, across - 3.0, start, across + 3.0],
                [end, across - 3.0, end, across + 3.0],
            ];
            let line = if upwards { line.map(|[a, b, c, d]| [b, a, d, c]) } else { line };
            let class = format!("ruler {class}");
            canvas.lines(&class, &line);
            let text = thousands(elements);
            let inside = width(text.len()) + 12.0 <= length;
            let at = if inside { (start + end) / 2.0 } else { end + 6.0 };
            match (upwards, inside) {
                (false, true) => canvas.text(&class, Anchor::Middle, [at, across + 4.0], text),
                (false, false) => canvas.text(&class, Anchor::Start, [at, across + 4.0], text),
                (true, true) => canvas.upwards(&class, Anchor::Middle, [across + 4.0, at], text),
                (true, false) => canvas.upwards(&class, Anchor::End, [across + 4.0, at], text),
            }
        }
    }

    fn has_cells(&self) -> bool {
        self.to_scale && self.grid.shape().len() > 1 && self.cell().iter().all(|&length| length >= CELL)
    }

    /// How large an element is.
    fn cell(&self) -> [f64; 2] {
        [&self.columns, &self.rows].map(|axis| axis.first_block() / axis.lengths.block as f64)
    }

    /// The pattern of elements, where they are large enough to be seen.
    pub fn pattern(&self) -> String {
        if !self.has_cells() {
            return String::new();
        }
        let [width, height] = self.cell();
        // Not rounded: the error would add up from element to element.
        format!(
            "<pattern id=\"cells\" width=\"{width:.4}\" height=\"{height:.4}\" patternUnits=\"userSpaceOnUse\">\
             <path class=\"cell\" d=\"M{0} 0V{1}H0\"/></pattern>\n",
            number(width),
            number(height)
        )
    }
}
