//! The labels of the grid: rulers for the lengths of the array, a chunk and a block, the numbers of chunks, and dots for gaps.

use std::ops::Range;

use super::axis::Axis;
use super::canvas::{Anchor, Canvas, width};
use crate::text::thousands;

/// The space for the rulers, above the grid and left of it.
pub(super) const RULERS: f64 = 48.0;

/// The distance between two rulers.
const RULER: f64 = 16.0;

/// The distance between a ruler and a text that does not fit on the ruler.
const BESIDE: f64 = 6.0;

/// Draws the three rulers of an axis: along the array, along its first chunk, and along its first block.
pub(super) fn rulers(canvas: &mut Canvas, axis: &Axis, upwards: bool) {
    for (index, (class, length, text)) in lengths(axis).into_iter().enumerate() {
        let across = 8.0 + RULER * index as f64 - 2.0;
        let (start, end) = (RULERS, RULERS + length);
        let line =
            [[start, across, end, across], [start, across - 3.0, start, across + 3.0], [end, across - 3.0, end, across + 3.0]];
        let line = if upwards { line.map(|[a, b, c, d]| [b, a, d, c]) } else { line };
        let class = format!("ruler {class}");
        canvas.lines(&class, &line);
        let inside = is_inside(&text, length);
        let at = if inside { (start + end) / 2.0 } else { end + BESIDE };
        match (upwards, inside) {
            (false, true) => canvas.text(&class, Anchor::Middle, [at, across + 4.0], text),
            (false, false) => canvas.text(&class, Anchor::Start, [at, across + 4.0], text),
            (true, true) => canvas.upwards(&class, Anchor::Middle, [across + 4.0, at], text),
            (true, false) => canvas.upwards(&class, Anchor::End, [across + 4.0, at], text),
        }
    }
}

/// Returns the position where the last text next to a ruler ends, or 0 if all texts fit on their rulers.
pub(super) fn end_of_rulers(axis: &Axis) -> f64 {
    let below = |(_, length, text): (_, f64, String)| match is_inside(&text, length) {
        true => 0.0,
        false => RULERS + length + BESIDE + width(text.len()),
    };
    lengths(axis).into_iter().map(below).fold(0.0, f64::max)
}

/// Draws a chunk's number in its corner, if there is room.
pub(super) fn number(canvas: &mut Canvas, chunk: Option<u64>, [along, down]: [f64; 2]) {
    let number = chunk.map(thousands).unwrap_or_default();
    if width(number.len()) + 8.0 <= along && down >= 20.0 {
        canvas.text("number", Anchor::Start, [5.0, 15.0], number);
    }
}

/// Draws the text `dots`, which marks a gap, centered at this point.
pub(super) fn dots(canvas: &mut Canvas, [x, y]: [f64; 2], dots: &str) {
    canvas.text("dots", Anchor::Middle, [x, y + 4.0], dots);
}

/// Returns the CSS class, the drawn length and the text of three rulers: those of the array, a chunk and a block.
fn lengths(axis: &Axis) -> [(&'static str, f64, String); 3] {
    [
        ("shape", axis.array_end(), elements(axis)),
        ("chunkshape", axis.position(axis.lengths.chunk), thousands(axis.lengths.chunk)),
        ("blockshape", axis.first_block(), thousands(axis.lengths.block)),
    ]
}

/// Returns the text of the array's ruler: the number of elements, and also the drawn range if only a part is drawn.
fn elements(axis: &Axis) -> String {
    let Range { start, end } = axis.drawn();
    let all = thousands(axis.lengths.array);
    if start == 0 && end == axis.lengths.array { all } else { format!("{}:{} of {all}", thousands(start), thousands(end)) }
}

/// Returns true if a text fits on its ruler.
fn is_inside(text: &str, length: f64) -> bool {
    width(text.len()) + 12.0 <= length
}
