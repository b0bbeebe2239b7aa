//! The labels of the grid: rulers with the lengths of array, chunk and block, numbers of chunks, and dots for those left out.

use std::ops::Range;

use super::axis::Axis;
use super::canvas::{Anchor, Canvas, width};
use crate::text::thousands;

/// The space for the rulers, above the grid and left of it.
pub(super) const RULERS: f64 = 48.0;

/// The distance between two rulers.
const RULER: f64 = 16.0;

/// Between a ruler and a text that does not fit on it.
const BESIDE: f64 = 6.0;

/// Draws the rulers of an axis: array, chunk and block, each along its first.
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

/// The end of the longest ruler with its text, where that stands beside it.
pub(super) fn end_of_rulers(axis: &Axis) -> f64 {
    let below = |(_, length, text): (_, f64, String)| match is_inside(&text, length) {
        true => 0.0,
        false => RULERS + length + BESIDE + width(text.len()),
    };
    lengths(axis).into_iter().map(below).fold(0.0, f64::max)
}

/// Draws a chunk's number in its corner, if that fits into what is drawn of the chunk.
pub(super) fn number(canvas: &mut Canvas, chunk: Option<u64>, [along, down]: [f64; 2]) {
    let number = chunk.map(thousands).unwrap_or_default();
    if width(number.len()) + 8.0 <= along && down >= 20.0 {
        canvas.text("number", Anchor::Start, [5.0, 15.0], number);
    }
}

/// Draws the dots that stand for chunks or blocks left out, around this point.
pub(super) fn dots(canvas: &mut Canvas, [x, y]: [f64; 2], dots: &str) {
    canvas.text("dots", Anchor::Middle, [x, y + 4.0], dots);
}

/// The lengths of array, chunk and block: their class, how long they are drawn, and what stands on them.
fn lengths(axis: &Axis) -> [(&'static str, f64, String); 3] {
    [
        ("shape", axis.array_end(), elements(axis)),
        ("chunkshape", axis.position(axis.lengths.chunk), thousands(axis.lengths.chunk)),
        ("blockshape", axis.first_block(), thousands(axis.lengths.block)),
    ]
}

/// The number of elements, and which of them are drawn where that is not all.
fn elements(axis: &Axis) -> String {
    let Range { start, end } = axis.drawn();
    let all = thousands(axis.lengths.array);
    if start == 0 && end == axis.lengths.array { all } else { format!("{}:{} of {all}", thousands(start), thousands(end)) }
}

/// True if a text stands on its ruler, and not beside it.
fn is_inside(text: &str, length: f64) -> bool {
    width(text.len()) + 12.0 <= length
}
