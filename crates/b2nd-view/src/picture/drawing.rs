//! [`Drawing`]: chunks along two axes of an array, with their blocks, padding and rulers.

use b2nd::Grid;
use serde::Serialize;

use super::axis::{Axis, Lengths};
use super::canvas::{Canvas, width};
use crate::text::thousands;

/// The space for the rulers, above the chunks and left of them.
const RULERS: f64 = 48.0;
/// The distances from the chunks to the rulers of the array, a chunk and a block.
const RULER: [f64; 3] = [42.0, 26.0, 10.0];
/// The distance between a ruler and a text that does not fit on the ruler.
const BESIDE: f64 = 6.0;

/// The length at which the only element along an axis that is `None` is drawn.
const ALONE: f64 = 44.0;
/// The minimum drawn length of elements whose borders are drawn.
const CELL: f64 = 5.0;

/// The patterns that mark padding.
const HATCHES: &str = r#"<defs>
<pattern id="to-chunks" width="6" height="6" patternUnits="userSpaceOnUse"><rect class="padded" width="6" height="6"/><path class="hatch" d="M0 6L6 0"/></pattern>
<pattern id="to-blocks" width="6" height="6" patternUnits="userSpaceOnUse"><rect class="padded" width="6" height="6"/><path class="hatch" d="M0 0L6 6M3 -3L9 3"/></pattern>
</defs>"#;

/// A drawing of chunks, and the numbers that are needed to scroll it.
#[derive(Serialize)]
pub struct Drawing {
    /// The SVG document. Each chunk is a group whose coordinates are in the attribute `data-at`. The document contains no text from the
    /// file.
    pub svg: String,
    /// The width of the document.
    pub width: f64,
    /// The height of the document.
    pub height: f64,
    /// The number of dimensions of the array.
    pub ndim: usize,
    /// The number of drawn rows of chunks, and the number of drawn columns.
    pub shown: [usize; 2],
    /// The distance between the starts of two adjacent chunks, vertically and horizontally.
    pub step: [f64; 2],
    /// Whether the array is padded to whole chunks, and whether chunks are padded to whole blocks, along at least one of the two axes.
    pub pads: [bool; 2],
    /// Whether the drawn chunks and their blocks are to scale.
    pub to_scale: bool,
}

impl Drawing {
    /// Draws chunks along the axis of the rows and the axis of the columns. One or both can be `None`, as if the array had fewer axes. The
    /// last parameter is the intended maximum size of the document (width, height). Returns `None` if the array has no chunks or does not
    /// have these axes, if both axes are the same, or if `first` has another number of coordinates than the array has axes.
    ///
    /// `first` has the coordinates of a chunk, which count chunks, one for each axis of the array. With `most`, at most this number of
    /// chunks (at least 1) is drawn along each of the two axes: from this chunk on, or the last ones if fewer follow it. Without `most`,
    /// all are drawn from 0 on, or the first ones and the last one if there are many.
    pub fn new(
        grid: &Grid,
        axes: [Option<usize>; 2],
        first: &[i64],
        most: Option<i64>,
        [right, bottom]: [f64; 2],
    ) -> Option<Drawing> {
        let ndim = grid.shape().len();
        let is_twice = axes[0].is_some() && axes[0] == axes[1];
        if grid.nchunks() == 0 || is_twice || first.len() != ndim || axes.iter().flatten().any(|&axis| axis >= ndim) {
            return None;
        }
        let mut element = f64::INFINITY;
        let chosen = [(axes[0], bottom), (axes[1], right)].map(|(axis, available)| {
            let Some(axis) = axis else { return (Lengths { array: 1, chunk: 1, block: 1 }, vec![0]) };
            let lengths = Lengths { array: grid.shape()[axis], chunk: grid.chunkshape()[axis], block: grid.blockshape()[axis] };
            let chunks = lengths.chunks(first[axis], most);
            element = element.min(lengths.element(&chunks, available - RULERS));
            (lengths, chunks)
        });
        let [rows, columns] =
            [0, 1].map(|place| Axis::new(chosen[place].0, &chosen[place].1, axes[place].map_or(ALONE, |_| element)));
        let to_scale = rows.to_scale && columns.to_scale;

        let mut canvas = Canvas::default();
        let (mut right, mut bottom) = (columns.chunks.end(), rows.chunks.end());
        if axes[1].is_some() {
            right = right.max(rulers(&mut canvas, &columns, 1.0));
        }
        if axes[0].is_some() {
            canvas.group(r#"transform="rotate(-90)""#, |canvas| bottom = bottom.max(rulers(canvas, &rows, -1.0)));
        }
        // The gaps are drawn first, so that they do not cover the borders of the chunks.
        gaps(&mut canvas, rows.chunks.gap, columns.chunks.gap, [columns.chunks.end(), rows.chunks.end()]);
        let mut coords = first.to_vec();
        for &(row, y) in &rows.chunks.starts {
            for &(column, x) in &columns.chunks.starts {
                for (axis, chunk) in axes.into_iter().zip([row, column]) {
                    axis.into_iter().for_each(|axis| coords[axis] = chunk);
                }
                let at = coords.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
                canvas.group(format_args!(r#"data-at="{at}" transform="translate({x:.1} {y:.1})""#), |canvas| {
                    let held = [columns.position(columns.held(column)), rows.position(rows.held(row))];
                    chunk(canvas, &rows, &columns, held, to_scale && element >= CELL);
                    let number = grid.chunk_from_coords(&coords).map(thousands).unwrap_or_default();
                    if width(number.len()) + 8.0 <= columns.chunks.length && rows.chunks.length >= 20.0 {
                        canvas.text("number", "start", [5.0, 15.0], number);
                    }
                });
            }
        }

        let [width, height] = [right, bottom].map(|end| (RULERS + end + 4.0).ceil());
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{0} {0} {width} {height}\" width=\"{width}\" height=\"{height}\">\n{HATCHES}\n{1}</svg>",
            -RULERS, canvas.0,
        );
        let pads = |pads: fn(Lengths) -> bool| pads(rows.lengths) || pads(columns.lengths);
        Some(Drawing {
            svg,
            width,
            height,
            ndim,
            shown: [rows.chunks.starts.len(), columns.chunks.starts.len()],
            step: [rows.step(), columns.step()],
            pads: [pads(|axis| axis.array % axis.chunk != 0), pads(|axis| axis.chunk % axis.block != 0)],
            to_scale,
        })
    }
}

/// Draws a chunk: its padding, its elements over the padding, and the borders of its blocks. `held` is the size of its elements.
fn chunk(canvas: &mut Canvas, rows: &Axis, columns: &Axis, held: [f64; 2], has_cells: bool) {
    let padded = [columns.chunks.length, rows.chunks.length];
    let own = [columns, rows].map(|axis| axis.position(axis.lengths.chunk));
    canvas.rect("to-blocks", [0.0; 2], padded);
    canvas.rect("to-chunks", [0.0; 2], own);
    canvas.rect("array", [0.0; 2], held);
    if has_cells {
        let [across, down] = [(columns, held[0]), (rows, held[1])]
            .map(|(axis, end)| (1..axis.lengths.chunk).map(|element| axis.position(element)).filter(|&at| at < end).collect());
        grid_lines(canvas, "cell", across, down, held);
    }
    grid_lines(canvas, "block", columns.block_borders(), rows.block_borders(), padded);
    gaps(canvas, rows.blocks.gap, columns.blocks.gap, padded);
    canvas.rect("chunk", [0.0; 2], own);
}

/// Draws vertical lines at the positions `across` and horizontal lines at the positions `down`.
fn grid_lines(canvas: &mut Canvas, class: &str, across: Vec<f64>, down: Vec<f64>, [width, height]: [f64; 2]) {
    let vertical = across.into_iter().map(|x| [x, 0.0, x, height]);
    canvas.lines(class, vertical.chain(down.into_iter().map(|y| [0.0, y, width, y])));
}

/// Draws dots in the gaps between rows and between columns.
fn gaps(canvas: &mut Canvas, rows: Option<[f64; 2]>, columns: Option<[f64; 2]>, [width, height]: [f64; 2]) {
    let row = rows.map(|[from, to]| ([0.0, from], [width, to - from], "⋮"));
    let column = columns.map(|[from, to]| ([from, 0.0], [to - from, height], "⋯"));
    for ([x, y], [width, height], dots) in row.into_iter().chain(column) {
        canvas.rect("hidden", [x, y], [width, height]);
        canvas.text("dots", "middle", [x + width / 2.0, y + height / 2.0 + 4.0], dots);
    }
}

/// Draws the rulers of an axis: along the drawn part of the array, a chunk and a block. Returns the distance from the start of the rulers
/// to the end of the farthest text after a ruler, or 0 if all texts fit on their rulers. `direction` is 1 for rulers that start at the
/// left, or -1 for rulers that start at the right.
fn rulers(canvas: &mut Canvas, axis: &Axis, direction: f64) -> f64 {
    let Lengths { array, chunk, block } = axis.lengths;
    let [first, last] = [axis.chunks.starts.first(), axis.chunks.starts.last()].map(|chunk| chunk.map_or(0, |&(chunk, _)| chunk));
    let (start, end) = (first * chunk, last * chunk + axis.held(last));
    let all = thousands(array);
    let shown = if end - start == array { all } else { format!("{}:{} of {all}", thousands(start), thousands(end)) };
    let rulers = [
        ("ruler shape", axis.array_end(), shown),
        ("ruler chunkshape", axis.position(chunk), thousands(chunk)),
        ("ruler blockshape", axis.blocks.length, thousands(block)),
    ];
    let mut last_text: f64 = 0.0;
    for ((class, length, text), distance) in rulers.into_iter().zip(RULER) {
        let (end, y) = (direction * length, -distance);
        canvas.lines(class, [[0.0, y, end, y], [0.0, y - 3.0, 0.0, y + 3.0], [end, y - 3.0, end, y + 3.0]]);
        if width(text.len()) + 12.0 <= length {
            canvas.text(class, "middle", [end / 2.0, y + 4.0], text);
        } else {
            last_text = last_text.max(length + BESIDE + width(text.len()));
            let anchor = if direction > 0.0 { "start" } else { "end" };
            canvas.text(class, anchor, [end + direction * BESIDE, y + 4.0], text);
        }
    }
    last_text
}
