//! [`Drawing`]: the picture of some chunks, for the page.

use b2nd::Grid;
use serde::Serialize;

use super::canvas::{Canvas, number};
use super::hatches;
use super::plane::Plane;
use super::window::Window;

/// A picture of chunks, and the figures that are needed to move it.
#[derive(Serialize)]
pub struct Drawing {
    /// An SVG document. Each chunk is a group with its coordinates in `data-at`. Its only texts are numbers.
    pub svg: String,
    /// The width.
    pub width: f64,
    /// The number of drawn rows and columns of chunks.
    pub shown: [usize; 2],
    /// The distances between chunks, down and across.
    pub step: [f64; 2],
    /// True if there is padding: of the array to whole chunks, and of chunks to whole blocks.
    pub pads: [bool; 2],
    /// True if all lengths are proportional to those of the array.
    pub to_scale: bool,
}

impl Window {
    /// Draws the chunks in the window, within about these bounds. `None` if there are no chunks or no such axes.
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
