//! [`Drawing`]: the picture of a [`Window`], for the web page.

use b2nd::Grid;
use serde::Serialize;

use super::canvas::{Canvas, number};
use super::hatches;
use super::plane::Plane;
use super::window::Window;

/// A picture of chunks, and the numbers that are needed to scroll it.
#[derive(Serialize)]
pub struct Drawing {
    /// The SVG document. Each chunk is a group whose coordinates are in the attribute `data-at`. The document contains no text from the
    /// file.
    pub svg: String,
    /// The width of the picture.
    pub width: f64,
    /// The number of drawn rows of chunks, and the number of drawn columns.
    pub shown: [usize; 2],
    /// The distance from a chunk to the next one, vertically and horizontally.
    pub step: [f64; 2],
    /// Whether the array is padded to whole chunks, and whether chunks are padded to whole blocks.
    pub pads: [bool; 2],
    /// Whether everything is drawn to scale.
    pub to_scale: bool,
}

impl Window {
    /// Draws the chunks in the window, in a picture of about this size. Returns `None` if the array has no chunks or does not have the
    /// window's axes.
    pub fn draw(&self, grid: &Grid, bounds: [f64; 2]) -> Option<Drawing> {
        let plane = Plane::new(grid, bounds, Some(self))?;
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
