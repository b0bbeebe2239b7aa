//! A drawing of an array's chunks and blocks, next to the bytes of the header that define them.

pub mod axis;
mod bytes;
pub(crate) mod canvas;
pub mod drawing;
pub mod plane;
mod rulers;
pub mod window;

use b2nd::{Geometry, Grid};
use b2nd_frame::{FrameType, Header};

use crate::slice::padding;
use crate::text::{View, count, lengths, percent, printable, size, thousands};
use b2nd_store::Array;
use b2nd_store::Frame;
use canvas::{Anchor, Canvas, cut, number};
use plane::Plane;

/// The margin on all sides of the drawing, in SVG units, like all lengths of the drawing.
const MARGIN: f64 = 16.0;
/// The gap between the two halves of the drawing.
const BETWEEN: f64 = 24.0;

/// The width of the left half of the drawing.
const LEFT: f64 = 340.0;
/// The maximum height of the grid, which is in the left half of the drawing.
const GRID: f64 = 400.0;

/// The height of a line of text.
const LINE: f64 = 19.0;

/// The number of characters that fit in the left half.
const LEFT_CHARACTERS: usize = 46;

/// Draws the chunks and blocks of an array, and the bytes of the frame's header, as an SVG document.
///
/// # Errors
///
/// Fails if the header cannot be read.
pub fn draw(frame: &Frame, name: &str) -> b2nd_frame::Result<View> {
    let (header, encoded) = (frame.header(), crate::bytes::header_bytes(frame)?);
    let bytes = bytes::lines(&encoded);
    let mut canvas = Canvas::new();
    let top = MARGIN + 30.0;
    canvas.text("title", Anchor::Start, [MARGIN, MARGIN + 12.0], title(name, frame.position()));
    let right = MARGIN + LEFT + BETWEEN;
    canvas.text("faint", Anchor::Start, [right, MARGIN + 12.0], format_args!("header, {}", count(encoded.len(), "byte")));
    canvas.moved([right, top], |canvas| bytes::draw(canvas, &bytes));

    let mut left = Left { canvas, bottom: top, pattern: String::new() };
    left.array(header);
    left.frame(header);
    let (width, height) =
        (right + bytes::full_width() + MARGIN, left.bottom.max(top + bytes::LINE * bytes.len() as f64) + MARGIN);
    Ok(View::new(document([width, height], &left.pattern, left.canvas)))
}

fn title(name: &str, offset: u64) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let name = if offset == 0 { name.to_owned() } else { format!("{name} at byte {}", thousands(offset)) };
    cut(&printable(&name), LEFT_CHARACTERS)
}

/// The left half of the drawing, which is filled from top to bottom.
struct Left {
    canvas: Canvas,
    /// The distance from the top at which the next line or drawing starts.
    bottom: f64,
    pattern: String,
}

impl Left {
    fn array(&mut self, header: &Header) {
        let array = Array::find(header);
        let geometry = match header.geometry() {
            // The shapes may be readable even if the dtype is not.
            Ok(Some(geometry)) => geometry,
            Ok(None) => return self.line("faint", "no array: the header has no array metalayer"),
            Err(error) => {
                self.line("faint", "no array that can be read:");
                return self.line("faint", error.to_string());
            }
        };
        let grid = match geometry.grid() {
            Ok(grid) => grid,
            Err(error) => return self.line("faint", error.to_string()),
        };
        match Plane::new(&grid, [LEFT, GRID], None) {
            Some(plane) => {
                self.canvas.moved([MARGIN, self.bottom], |canvas| plane.draw(canvas));
                self.bottom += plane.height() + 10.0;
                self.pattern = plane.pattern();
                self.caption(&grid, &plane);
                self.legend(&geometry, plane.pads());
            }
            None => {
                self.line("faint", "the array is empty: no chunks");
                self.legend(&geometry, [false; 2]);
            }
        }
        self.words(array.as_ref(), &grid);
    }

    /// Adds lines of text about what the drawing shows: which part of an array with more than two dimensions, and whether it is to scale.
    /// Adds nothing if the whole array is drawn to scale.
    fn caption(&mut self, grid: &Grid, plane: &Plane) {
        match grid.shape().len() {
            0 => self.line("faint", "no dimensions: one element"),
            1 | 2 => {}
            ndim => {
                self.line("faint", format!("the last two of {ndim} dimensions, the others at 0"));
                if plane.behind != 0 {
                    self.line("faint", format!("behind it: {}", count(plane.behind, "more plane") + " of chunks"));
                }
            }
        }
        if !plane.to_scale {
            self.line("faint", "not to scale");
        }
    }

    /// Adds the legend, which explains the colors. `to_chunks` is whether the array is padded to whole chunks, and `to_blocks` whether
    /// chunks are padded to whole blocks.
    fn legend(&mut self, geometry: &Geometry, [to_chunks, to_blocks]: [bool; 2]) {
        self.bottom += 6.0;
        self.key(&["array"], "shape", format!("shape {}", lengths(geometry.shape())));
        self.key(&["chunk"], "chunkshape", format!("chunkshape {}", lengths(geometry.chunkshape())));
        self.key(&["block"], "blockshape", format!("blockshape {}", lengths(geometry.blockshape())));
        if to_chunks {
            self.key(&["padded", "to-chunks"], "faint", "padding of the array to whole chunks");
        }
        if to_blocks {
            self.key(&["padded", "to-blocks"], "faint", "padding of a chunk to whole blocks");
        }
    }

    /// Adds an entry of the legend: a swatch and its meaning.
    fn key(&mut self, swatch: &[&str], class: &str, text: impl AsRef<str>) {
        for class in swatch {
            self.canvas.rect(class, [MARGIN + 1.0, self.bottom + 2.0], [20.0, 12.0]);
        }
        self.write(class, MARGIN + 32.0, LEFT_CHARACTERS - 4, text.as_ref());
    }

    fn words(&mut self, array: Result<&Option<Array>, &b2nd_frame::Error>, grid: &Grid) {
        self.bottom += 8.0;
        match array {
            Ok(array) => {
                let meta = array.as_ref().map(|array| array.meta);
                if let Some(dtype) = meta.as_ref().and_then(|meta| meta.dtype()) {
                    self.line("dtype", format!("dtype {}", printable(dtype)));
                }
                if let Some(Ok(Some(dtype))) = meta.map(|meta| meta.parse_dtype()) {
                    self.line("value", dtype.describe());
                }
            }
            Err(error) => self.line("faint", error.to_string()),
        }
        self.line("value", format!("{} in {}", count(grid.nitems(), "element"), count(grid.nchunks(), "chunk")));
        self.line("value", format!("{} in each chunk", count(grid.blocks_per_chunk(), "block")));
        if let Some(padding) = padding(grid).filter(|&padding| padding != 0.0) {
            self.line("value", format!("{} of the chunks is padding", percent(padding)));
        }
    }

    /// Draws the parts of the frame, and highlights the header.
    fn frame(&mut self, header: &Header) {
        const PARTS: [(&str, f64); 4] = [("header", 66.0), ("chunks", 120.0), ("index", 62.0), ("trailer", 82.0)];
        self.bottom += 12.0;
        let kind = match header.frame_type() {
            FrameType::Contiguous => "the frame",
            FrameType::Sparse => "chunks.b2frame, chunks in files next to it",
        };
        self.line("faint", kind);
        let mut x = MARGIN;
        for (name, width) in PARTS {
            if name == "chunks" && header.frame_type() == FrameType::Sparse {
                continue;
            }
            let class = if name == "header" { "header" } else { "body" };
            self.canvas.rect(class, [x, self.bottom], [width, 24.0]);
            self.canvas.text("value", Anchor::Middle, [x + width / 2.0, self.bottom + 16.0], name);
            x += width;
        }
        self.bottom += 30.0;
        self.line("faint", size(header.frame_len().into()));
    }

    fn line(&mut self, class: &str, text: impl AsRef<str>) {
        self.write(class, MARGIN, LEFT_CHARACTERS, text.as_ref());
    }

    fn write(&mut self, class: &str, x: f64, characters: usize, text: &str) {
        self.canvas.text(class, Anchor::Start, [x, self.bottom + 12.0], cut(text, characters));
        self.bottom += LINE;
    }
}

/// Puts the elements into an SVG document with its own background, so that the drawing is readable on a page of any color.
fn document([width, height]: [f64; 2], pattern: &str, canvas: Canvas) -> String {
    let [width, height] = [width, height].map(|length| number(length.ceil()));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n\
         <style>\n{style}</style>\n\
         <defs>\n{hatches}{pattern}</defs>\n\
         <rect class=\"card\" x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n\
         {}</svg>",
        width - 1.0,
        height - 1.0,
        canvas.into_elements(),
        style = include_str!("picture/style.css"),
        hatches = hatches(),
    )
}

/// Returns the patterns that mark padding.
fn hatches() -> String {
    [hatch("to-chunks", "M0 6L6 0"), hatch("to-blocks", "M0 0L6 6M3 -3L9 3")].concat()
}

fn hatch(id: &str, path: &str) -> String {
    format!(
        "<pattern id=\"{id}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><path class=\"hatch\" d=\"{path}\"/></pattern>\n"
    )
}
