//! [`Drawing`]: the picture of a window.

use b2nd::Grid;
use serde::Serialize;

use super::canvas::{Canvas, number};
use super::hatches;
use super::plane::Plane;
use super::window::Window;

/// A picture, and what it takes to move it and to find one's way in it.
#[derive(Serialize)]
pub struct Drawing {
    /// An SVG document. Each chunk is a group with its coordinates in `data-at`. There is no text in it but numbers.
    pub svg: String,
    /// The width.
    pub width: f64,
    /// The number of chunks that are drawn down and across.
    pub shown: [usize; 2],
    /// From one chunk to the next, down and across.
    pub step: [f64; 2],
    /// True if there is padding: of the array to whole chunks, of chunks to whole blocks.
    pub pads: [bool; 2],
    /// True if lengths in the drawing are as those in the array.
    pub to_scale: bool,
}

impl Window {
    /// The chunks in the window, drawn within about these bounds. `None` where there are none, or no such axes.
    pub fn draw(&self, grid: &Grid, bounds: [f64; 2]) -> Option<Drawing> {
        let plane = Plane::in_window(grid, bounds, self)?;
        let mut canvas = Canvas::new();
        plane.draw(&mut canvas);
        let size = [plane.width(), plane.height()].map(|length| number(length.ceil()));
        let [width, height] = size;
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\">\n<defs>\n{}{}</defs>\n{}</svg>",
            hatches(),
            plane.pattern(),
            canvas.into_elements(),
        );
        let [rows, columns] = plane.axes();
        Some(Drawing {
            svg,
            width,
            shown: [rows.chunks.len(), columns.chunks.len()],
            step: [rows.step(), columns.step()],
            pads: plane.pads(),
            to_scale: plane.to_scale,
        })
    }
}
