//! A drawing of an array's chunks, blocks and padding.

pub mod axis;
mod canvas;
pub mod drawing;

use b2nd_frame::Header;
use b2nd_store::{Array, Frame};

use crate::facts::{Fact, Facts, shapes};
use crate::text::{View, title, unstyled};
use canvas::{Canvas, cut, width};
use drawing::Drawing;

/// The margin on all sides of the drawing. All lengths in the drawing are in SVG units.
const MARGIN: f64 = 16.0;
/// The gap between the drawing of the chunks and the lines of text to its right.
const BETWEEN: f64 = 24.0;

/// The approximate maximum width and height of the drawn chunks, with their rulers.
const CHUNKS: [f64; 2] = [340.0, 400.0];

/// The distance from the top to the drawing of the chunks, which starts with rulers, and to the first line of text.
const TOP: f64 = MARGIN + 30.0;
/// The height of a line of text.
const LINE: f64 = 19.0;
/// The width of a line's swatch and the gap after it.
const SWATCH: f64 = 32.0;
/// The maximum width of a line and of the title, in characters. Wide characters, such as Chinese ones, count twice.
const CHARACTERS: usize = 50;

/// Draws the chunks and blocks of an array as an SVG document, along the last two axes if there are more.
///
/// If the frame has no array, or the array has no chunks or its shapes cannot be read, the document has only lines of text.
///
/// ```
/// use b2nd_view::{Frame, picture};
///
/// let file = std::fs::read("../../tests/data/example.b2nd")?;
/// let picture = picture::draw(&Frame::open(&file)?, "example.b2nd");
/// assert!(picture.text.contains("chunkshape 6 × 7 × 5"));
/// # Ok::<(), b2nd_frame::Error>(())
/// ```
pub fn draw(frame: &Frame, name: &str) -> View {
    let grid = frame.header().geometry().ok().flatten().and_then(|geometry| geometry.grid().ok());
    let drawing = grid.as_ref().and_then(|grid| {
        let ndim = grid.shape().len();
        Drawing::new(grid, [ndim.checked_sub(2), ndim.checked_sub(1)], &vec![0; ndim], None, CHUNKS)
    });
    let mut lines = lines(frame.header(), drawing.as_ref());
    if grid.is_some() && drawing.is_none() {
        lines.push(("", "faint", "the array is empty: no chunks".to_owned()));
    }

    let mut canvas = Canvas::default();
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    canvas.text("title", "start", [MARGIN, MARGIN + 12.0], cut(&unstyled(&title(name, frame.position())), CHARACTERS));
    let (mut left, mut bottom) = (MARGIN, TOP + LINE * lines.len() as f64);
    if let Some(drawing) = &drawing {
        canvas.group(format_args!(r#"transform="translate({MARGIN} {TOP})""#), |canvas| canvas.element(&drawing.svg));
        left += drawing.width + BETWEEN;
        bottom = bottom.max(TOP + drawing.height);
    }
    for (index, (swatch, class, text)) in lines.iter().enumerate() {
        let top = TOP + LINE * index as f64;
        if !swatch.is_empty() {
            canvas.rect(swatch, [left + 1.0, top + 2.0], [20.0, 12.0]);
        }
        canvas.text(class, "start", [left + SWATCH, top + 12.0], cut(text, CHARACTERS));
    }
    let (width, height) = ((left + SWATCH + width(CHARACTERS) + MARGIN).ceil(), (bottom + MARGIN).ceil());
    // The document has its own background, so that it is readable on a page of any color.
    View::new(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n\
         <style>\n{}</style>\n<rect class=\"card\" x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n{}</svg>",
        include_str!("picture/style.css"),
        width - 1.0,
        height - 1.0,
        canvas.0,
    ))
}

/// Returns the lines of text next to the chunks. A line consists of the class of its swatch, which is empty if it has none, the class of
/// its text, and the text.
fn lines(header: &Header, drawing: Option<&Drawing>) -> Vec<(&'static str, &'static str, String)> {
    // The shapes may be readable even if the dtype is not.
    let shapes = || Some(shapes(&header.geometry().ok()??).to_vec());
    let facts = Facts::of(header).array.or_else(shapes).unwrap_or_default();
    let line = |Fact(label, text, field)| {
        let swatch = match field {
            "shape" => "array",
            "chunkshape" => "chunk",
            "blockshape" => "block",
            _ => "",
        };
        (swatch, field, format!("{label} {text}"))
    };
    let mut lines: Vec<_> = facts.into_iter().map(line).collect();
    let mut note = |swatch, text: String| lines.push((swatch, "faint", text));
    match Array::find(header) {
        Ok(Some(_)) => {}
        Ok(None) => note("", "no array: the header has no array metalayer".to_owned()),
        Err(error) => note("", error.to_string()),
    }
    let Some(drawing) = drawing else { return lines };
    let [to_chunks, to_blocks] = drawing.pads;
    if to_chunks {
        note("to-chunks", "padding of the array to whole chunks".to_owned());
    }
    if to_blocks {
        note("to-blocks", "padding of a chunk to whole blocks".to_owned());
    }
    if drawing.ndim > 2 {
        note("", format!("shown: the last two of {} dimensions (others at 0)", drawing.ndim));
    }
    if !drawing.to_scale {
        note("", "not to scale".to_owned());
    }
    lines
}
