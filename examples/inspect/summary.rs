//! A frame on one page.

use std::fmt::{Display, Write};
use std::path::Path;

use b2nd::Geometry;
use b2nd::frame::{File, FrameType, Header};

use super::array::Array;
use super::text::{self, LABEL, NOTICE, count, quoted, size, styled, thousands};

/// A dtype's lines are at most so wide, where it has places to break them.
const DTYPE_WIDTH: usize = 96;

/// How many lines of a dtype are shown.
const DTYPE_LINES: usize = 8;

/// Everything that the header says, a line for each thing.
pub(crate) fn page(path: &Path, file: &File) -> String {
    let header = file.header();
    let mut page = Page(text::title(path, file.offset()));
    container(&mut page, header);
    compression(&mut page, header);
    array(&mut page, header);
    metalayers(&mut page, header);
    page.line("vlmetalayers", if header.has_vlmetalayers() { "in the trailer" } else { "none" });
    page.0
}

fn container(page: &mut Page, header: &Header) {
    let (kind, length) = match header.frame_type() {
        FrameType::Contiguous => ("contiguous", "in all"),
        FrameType::Sparse => ("sparse", "in chunks.b2frame"),
    };
    page.line("frame", format_args!("{kind}, version {}", header.version()));
    page.line(
        "length",
        format_args!("{} {length}, {} of header", size(header.frame_len().into()), thousands(header.header_len())),
    );
    let (nbytes, cbytes) = (header.nbytes(), header.cbytes());
    page.line("data", size(nbytes.into()));
    let ratio = if nbytes > 0 && cbytes > 0 { format!(", ratio {:.1}", nbytes as f64 / cbytes as f64) } else { String::new() };
    page.line("compressed", size(cbytes.into()) + &ratio);
    page.line("typesize", size(header.typesize().into()));
    page.line("chunksize", size_or_varies(header.chunksize(), header.has_variable_chunks()));
    page.line("blocksize", size_or_varies(header.blocksize(), header.has_variable_blocks()));
}

fn size_or_varies(length: i32, varies: bool) -> String {
    match (varies, length) {
        (false, length) => size(length.into()),
        (true, 0) => "varies".to_owned(),
        (true, length) => format!("varies, {} in the header", size(length.into())),
    }
}

fn compression(page: &mut Page, header: &Header) {
    let codec = with_meta(header.codec(), header.codec_meta());
    page.line("codec", format_args!("{codec}, level {}", header.level()));
    let filters: Vec<_> = header.filters().map(|(filter, meta)| with_meta(filter, meta)).collect();
    page.line("filters", if filters.is_empty() { "none".to_owned() } else { filters.join(", ") });
    page.line("split mode", header.split_mode().map_or_else(|| "unknown".to_owned(), |mode| mode.to_string()));
    page.line(
        "threads",
        format_args!("{} to compress, {} to decompress", header.compression_threads(), header.decompression_threads()),
    );
}

/// A codec or filter, and its parameter where it has one.
fn with_meta(stage: impl Display, meta: u8) -> String {
    if meta == 0 { stage.to_string() } else { format!("{stage} (meta {meta})") }
}

fn array(page: &mut Page, header: &Header) {
    let array = match Array::find(header) {
        Ok(Some(array)) => array,
        Ok(None) => return page.line("array", "none"),
        Err(error) => return page.line("array", styled(NOTICE, format_args!("none that can be read: {error}"))),
    };
    let geometry = array.meta.geometry();
    page.line(
        "array",
        format_args!("{}, version {}, {}", array.describe(), array.meta.version(), count(geometry.ndim(), "dimension")),
    );
    let shapes = shapes(geometry);
    for (name, shape) in ["shape", "chunkshape", "blockshape"].into_iter().zip(shapes) {
        page.inner(name, if shape.is_empty() { "()" } else { &shape });
    }
    if let Some(dtype) = array.meta.dtype() {
        let dtype = text::printable(dtype);
        let mut lines = text::fold(&dtype, DTYPE_WIDTH);
        page.inner("dtype", lines.next().unwrap_or_default().trim_end());
        lines.by_ref().take(DTYPE_LINES - 1).for_each(|line| page.more(line.trim_end()));
        let rest: usize = lines.map(|line| line.chars().count()).sum();
        if rest != 0 {
            page.more(format_args!("… and {rest} characters"));
        }
    }
    if array.stale != 0 {
        page.inner("stale", styled(NOTICE, format_args!("{} after the metadata", count(array.stale, "byte"))));
    }
}

/// The three shapes, each dimension in a column of its own.
fn shapes(geometry: &Geometry) -> [String; 3] {
    let mut shapes = [const { String::new() }; 3];
    let narrow = geometry.chunkshape().iter().zip(geometry.blockshape());
    for (length, (chunk, block)) in geometry.shape().iter().zip(narrow) {
        let column = [length.to_string(), chunk.to_string(), block.to_string()];
        let width = column.iter().map(String::len).max().unwrap_or(0);
        for (shape, length) in shapes.iter_mut().zip(column) {
            let gap = if shape.is_empty() { "" } else { "  " };
            *shape += &format!("{gap}{length:>width$}");
        }
    }
    shapes
}

fn metalayers(page: &mut Page, header: &Header) {
    let metalayers = header.metalayers();
    page.line("metalayers", if metalayers.is_empty() { "none".to_owned() } else { metalayers.len().to_string() });
    let lines: Vec<_> = metalayers.iter().map(|(name, content)| (quoted(name), count(content.len(), "byte"))).collect();
    let name_width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let digits = |length: &str| length.find(' ').unwrap_or(0);
    let length_width = lines.iter().map(|(_, length)| digits(length)).max().unwrap_or(0);
    for (name, length) in lines {
        let gap = length_width - digits(&length);
        page.inner(format_args!("{name:name_width$}"), format!("{:gap$}{length}", ""));
    }
}

/// A title, then lines of a label and a text.
struct Page(String);

impl Page {
    /// The width of labels, unless one is wider.
    const LABELS: usize = 12;

    fn line(&mut self, label: impl Display, text: impl Display) {
        let label = format!("{label:width$}", width = Page::LABELS);
        // Writing to a string does not fail.
        let _ = write!(self.0, "\n  {}  {text}", styled(LABEL, label));
    }

    fn inner(&mut self, label: impl Display, text: impl Display) {
        self.line(format!("  {label}"), text);
    }

    /// The rest of a text that is too long for its line.
    fn more(&mut self, text: impl Display) {
        self.line("", text);
    }
}
