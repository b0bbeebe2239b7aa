//! The grid of chunks and blocks along two dimensions of an array, with their padding.

use b2nd::Grid;

use super::axis::{Axis, Lengths};
use super::canvas::{Canvas, number};
use super::rulers::{self, RULERS};
use super::window::Window;

/// The distance by which the second plane behind the drawn plane is shifted. The first is shifted by half of this distance.
const BEHIND: f64 = 5.0;

/// The minimum height of the grid. The minimum width is twice this length.
const LEAST: f64 = 70.0;

/// The length at which an element is drawn along a dimension that the array does not have.
const ALONE: f64 = 44.0;

/// The minimum drawn length of elements whose borders are drawn.
const CELL: f64 = 5.0;

/// A plane of chunks along two dimensions of an array.
pub struct Plane<'a> {
    grid: &'a Grid,
    /// The vertical and the horizontal axis, each `None` if the array has fewer axes.
    axes: [Option<usize>; 2],
    /// The coordinates of the plane along the axes that are not in `axes`. The coordinates along the two drawn axes are not used.
    at: Vec<i64>,
    /// Whether each chunk is drawn as an SVG group that has the chunk's coordinates.
    is_window: bool,
    rows: Axis,
    columns: Axis,
    /// The number of planes of chunks behind this plane.
    pub behind: i64,
    /// Whether everything is drawn to scale.
    pub to_scale: bool,
}

impl<'a> Plane<'a> {
    /// Creates a plane that fits within these bounds. The plane shows the chunks in the window, or, without a window, chunks along the last
    /// two dimensions. Returns `None` if there are no chunks, or if the array does not have the window's axes.
    pub fn new(grid: &'a Grid, [width, height]: [f64; 2], window: Option<&Window>) -> Option<Plane<'a>> {
        let ndim = grid.shape().len();
        let axes = window.map_or([ndim.checked_sub(2), ndim.checked_sub(1)], |window| window.axes);
        let is_twice = axes[0].is_some() && axes[0] == axes[1];
        let is_odd = window.is_some_and(|window| window.first.len() != ndim || window.most < 1);
        if grid.nchunks() == 0 || is_odd || is_twice || axes.iter().flatten().any(|&axis| axis >= ndim) {
            return None;
        }
        let fitting = axes.iter().zip([height - RULERS, width - RULERS]).filter_map(|(axis, available)| {
            let lengths = lengths(grid, (*axis)?);
            Some(match window {
                Some(window) => lengths.element_in_window(available, window.most),
                None => lengths.element_that_fits(available),
            })
        });
        let element = fitting.fold(f64::INFINITY, f64::min);
        let [rows, columns] = axes.map(|axis| match (axis, window) {
            // A dimension that the array does not have is drawn with a fixed length.
            (None, _) => Axis::new(Lengths::ONE, ALONE),
            (Some(axis), None) => Axis::new(lengths(grid, axis), element),
            (Some(axis), Some(window)) => Axis::window(lengths(grid, axis), element, window.first[axis], window.most),
        });
        let to_scale = axes.iter().zip([&rows, &columns]).all(|(axis, drawn)| axis.is_none() || drawn.is_to_scale(element));
        let behind = match window {
            Some(_) => 0,
            None => grid.chunks_per_dimension()[..ndim.saturating_sub(2)].iter().product::<i64>() - 1,
        };
        let at = window.map_or_else(|| vec![0; ndim], |window| window.first.clone());
        Some(Plane { grid, axes, at, is_window: window.is_some(), rows, columns, behind, to_scale })
    }

    /// Returns the vertical and the horizontal axis.
    pub(super) fn axes(&self) -> [&Axis; 2] {
        [&self.rows, &self.columns]
    }

    pub(super) fn width(&self) -> f64 {
        RULERS + self.columns.length().max(2.0 * LEAST) + 4.0
    }

    /// Returns whether the array is padded to whole chunks, and whether chunks are padded to whole blocks.
    pub fn pads(&self) -> [bool; 2] {
        let axes = [&self.rows, &self.columns];
        [axes.iter().any(|axis| axis.pads_chunks()), axes.iter().any(|axis| axis.pads_blocks())]
    }

    /// Returns the height of the drawing, including texts that do not fit on their rulers.
    pub fn height(&self) -> f64 {
        let texts = if self.grid.shape().len() < 2 { 0.0 } else { rulers::end_of_rulers(&self.rows) };
        (RULERS + self.rows.length().max(LEAST)).max(texts) + 4.0
    }

    pub(crate) fn draw(&self, canvas: &mut Canvas) {
        let [down, across] = self.axes;
        if across.is_some() {
            rulers::rulers(canvas, &self.columns, false);
        }
        if down.is_some() {
            rulers::rulers(canvas, &self.rows, true);
        }
        canvas.moved([RULERS, RULERS], |canvas| {
            for &(row, y) in &self.rows.chunks {
                for &(column, x) in &self.columns.chunks {
                    let chunk = |canvas: &mut Canvas| canvas.moved([x, y], |canvas| self.chunk(canvas, row, column));
                    if self.is_window {
                        let coords: Vec<_> = self.coords(row, column).iter().map(ToString::to_string).collect();
                        canvas.group(format_args!(r#"data-at="{}""#, coords.join(",")), chunk);
                    } else {
                        chunk(canvas);
                    }
                }
            }
            if let Some([from, to]) = self.columns.left_out {
                let x = (from + to) / 2.0;
                self.rows.chunks.iter().for_each(|&(_, y)| {
                    rulers::dots(canvas, [x, y + self.rows.padded_chunk() / 2.0], "⋯");
                });
            }
            if let Some([from, to]) = self.rows.left_out {
                let y = (from + to) / 2.0;
                self.columns.chunks.iter().for_each(|&(_, x)| {
                    rulers::dots(canvas, [x + self.columns.padded_chunk() / 2.0, y], "⋮");
                });
            }
        });
    }

    /// Draws a chunk: first its padding, then its elements.
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
            rulers::dots(canvas, [(from + to) / 2.0, padded[1] / 2.0], "⋯");
        }
        if let Some([from, to]) = rows.hidden_blocks {
            canvas.rect("hidden", [0.0, from], [padded[0], to - from]);
            rulers::dots(canvas, [padded[0] / 2.0, (from + to) / 2.0], "⋮");
        }
        canvas.rect("chunk", [0.0, 0.0], own);
        rulers::number(canvas, self.grid.chunk_from_coords(&self.coords(row, column)), [own[0], padded[1]]);
    }

    fn coords(&self, row: i64, column: i64) -> Vec<i64> {
        let mut coords = self.at.clone();
        for (axis, at) in self.axes.into_iter().zip([row, column]) {
            if let Some(coord) = axis.and_then(|axis| coords.get_mut(axis)) {
                *coord = at;
            }
        }
        coords
    }

    fn has_cells(&self) -> bool {
        self.to_scale && self.grid.shape().len() > 1 && self.cell().iter().all(|&length| length >= CELL)
    }

    /// Returns the drawn width and height of an element.
    fn cell(&self) -> [f64; 2] {
        [&self.columns, &self.rows].map(|axis| axis.first_block() / axis.lengths.block as f64)
    }

    /// Returns the SVG pattern that draws the borders of elements, or an empty string if these borders are not drawn.
    pub fn pattern(&self) -> String {
        if !self.has_cells() {
            return String::new();
        }
        let [width, height] = self.cell();
        // The lengths are not rounded, because the errors would add up from element to element.
        format!(
            "<pattern id=\"cells\" width=\"{width:.4}\" height=\"{height:.4}\" patternUnits=\"userSpaceOnUse\">\
             <path class=\"cell\" d=\"M{0} 0V{1}H0\"/></pattern>\n",
            number(width),
            number(height)
        )
    }
}

/// Returns the lengths of the array, a chunk and a block along an axis.
fn lengths(grid: &Grid, axis: usize) -> Lengths {
    Lengths { array: grid.shape()[axis], chunk: grid.chunkshape()[axis], block: grid.blockshape()[axis] }
}
