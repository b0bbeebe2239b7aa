//! Shows the metadata of a frame, a store or a leaf as a page of text.

use b2nd::Geometry;
use b2nd::dtype::DType;
use b2nd_frame::{Header, Trailer};

use crate::facts::{self, Fact};
use crate::slice::{Slice, Touched};
use crate::text::{self, NOTICE, View, columns, count, printable, quoted, size, styled, thousands};
use crate::{chunk_table, details};
use b2nd_store::Array;
use b2nd_store::Frame;
use b2nd_store::Kind;
use b2nd_store::attributes::{self, Attribute};
use b2nd_store::readable;
use b2nd_store::value::read;
use b2nd_store::{Content, Leaf, StoreListing};
use lines::Page;

mod lines;

/// The maximum width of a dtype's lines if the output is not a terminal. A line that cannot be broken may be longer.
const DTYPE_WIDTH: usize = 96;

/// The maximum number of lines that are shown of a dtype.
const DTYPE_LINES: usize = 8;

/// The options of a page.
pub use crate::json::Options;

/// Shows the facts in the header and the trailer, and what `options` requests, as a page of text. A part that cannot be read is replaced by
/// its error.
///
/// # Errors
///
/// Fails if the frame's `Source` cannot be read.
pub fn page(frame: &Frame, name: &str, options: &Options) -> b2nd_frame::Result<View> {
    let header = frame.header();
    let mut page = Page::new(text::title(name, frame.offset()), options);
    let trailer_read = readable(frame.trailer())?;
    let kind = Kind::of(header, trailer_read.as_ref().ok().copied());
    page.line("kind", kind.name());
    if let Ok(trailer) = &trailer_read {
        let width = page.room(Page::TEXT + 1, details::WIDTH);
        for (label, text) in details::lines(kind, header, trailer, width) {
            match &*label {
                "function" | "operand" => page.one_of_many(&label, &text),
                _ => page.inner(label, text),
            }
        }
    }
    for Fact(label, text, _) in [facts::container(header), facts::compression(header)].concat() {
        page.line(label, text);
    }
    array(&mut page, header, options.slice.as_ref());
    metalayers(&mut page, header);
    trailer(&mut page, header, trailer_read);
    if options.chunks {
        chunks(&mut page, frame)?;
    }
    Ok(page.view())
}

fn array(page: &mut Page, header: &Header, slice: Option<&Slice>) {
    let array = match Array::find(header) {
        Ok(Some(array)) => array,
        none => {
            match none {
                // The page still counts as complete, because this may be a user's own metalayer that happens to have the name of an array
                // metalayer.
                Err(error) => {
                    page.line("array", styled(NOTICE, format_args!("cannot be read: metalayer {error}")));
                    // The shapes may be readable even if the dtype is not.
                    if let Ok(Some(geometry)) = header.geometry() {
                        shapes(page, &geometry);
                        return grid(page, &geometry, header, slice);
                    }
                }
                _ => page.line("array", "none"),
            }
            if slice.is_some() {
                page.problem("slice", "there is no array");
            }
            return;
        }
    };
    let geometry = array.meta.geometry();
    let Fact(label, text, _) = facts::layout(&array);
    page.line(label, text);
    shapes(page, geometry);
    if let Some(dtype) = array.meta.dtype() {
        let dtype = text::printable(dtype);
        let mut lines = text::fold(&dtype, page.room(Page::TEXT, DTYPE_WIDTH));
        page.inner("dtype", lines.next().unwrap_or_default().trim_end());
        lines.by_ref().take(DTYPE_LINES - 1).for_each(|line| page.more(line.trim_end()));
        let rest: usize = lines.map(|line| line.chars().count()).sum();
        if rest != 0 {
            page.more(format_args!("… and {rest} characters"));
        }
    }
    match array.meta.parse_dtype() {
        Ok(Some(dtype)) => element(page, &dtype, header),
        Ok(None) => {}
        Err(error) => page.inner("element", styled(NOTICE, format_args!("not known: {error}"))),
    }
    if let Some(Fact(label, text, _)) = facts::stale(&array) {
        page.inner(label, styled(NOTICE, text));
    }
    grid(page, geometry, header, slice);
}

/// Shows the type of an element. Adds a warning if the typesize of the frame differs from the length of an element.
fn element(page: &mut Page, dtype: &DType, header: &Header) {
    let Fact(label, words, _) = facts::element(dtype);
    match facts::typesize_differs(dtype, header) {
        None => page.inner(label, words),
        Some(differs) => page.inner(label, format_args!("{words}; {}", styled(NOTICE, differs))),
    }
}

fn grid(page: &mut Page, geometry: &Geometry, header: &Header, slice: Option<&Slice>) {
    let grid = match geometry.grid() {
        Ok(grid) => grid,
        Err(error) => return page.problem("  grid", format_args!("none: {error}")),
    };
    let per_dimension: Vec<_> = grid.chunks_per_dimension().iter().map(thousands).collect();
    let [elements, mut chunks, blocks] = facts::grid(&grid, header);
    if per_dimension.len() > 1 {
        chunks.1 += &format!(" = {}", per_dimension.join(" x "));
    }
    page.inner(elements.0, elements.1);
    page.inner(chunks.0, chunks.1);
    if let Some(found) = header.nchunks().filter(|&found| found != grid.nchunks()) {
        page.more(styled(NOTICE, format_args!("the frame holds {}", thousands(found))));
    }
    for Fact(label, text, _) in [blocks].into_iter().chain(facts::padding(&grid)) {
        page.inner(label, text);
    }
    let Some(slice) = slice else { return };
    match slice.touched(&grid) {
        Ok(Touched { selection, chunks, more }) => {
            let touched = chunks.len() + more;
            let (texts, all) = (selection.texts().join(", "), count(grid.nchunks(), "chunk"));
            page.line("slice", format_args!("[{texts}] touches {} of {all}", thousands(touched)));
            let all = thousands(grid.blocks_per_chunk());
            let rows = chunks.iter().map(|&(chunk, blocks)| vec![thousands(chunk), format!("{} of {all}", thousands(blocks))]);
            page.table(columns(&[vec![vec!["chunk".to_owned(), "blocks".to_owned()]], rows.collect()].concat(), &[0, 1]));
            if more != 0 {
                page.inner(format_args!("… and {} more", thousands(more)), "");
            }
        }
        Err(error) => page.problem("slice", error),
    }
}

/// Shows the shapes of the array, its chunks and its blocks, with a column for each dimension.
fn shapes(page: &mut Page, geometry: &Geometry) {
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
    for (name, shape) in ["shape", "chunkshape", "blockshape"].into_iter().zip(shapes) {
        page.inner(name, if shape.is_empty() { "()" } else { &shape });
    }
}

fn metalayers(page: &mut Page, header: &Header) {
    let metalayers = header.metalayers();
    page.line("metalayers", if metalayers.is_empty() { "none".to_owned() } else { metalayers.len().to_string() });
    let array = Array::find(header).ok().flatten().map(|array| array.name);
    let mut rows: Vec<_> = metalayers.iter().map(|(name, content)| vec![quoted(name), bytes(content.len())]).collect();
    let room = page.room_beside(&rows);
    for (row, (name, content)) in rows.iter_mut().zip(metalayers.iter()) {
        // The array metalayer is left out here, because another part of the page shows it.
        if array.is_none_or(|array| array.as_bytes() != name) {
            row.push(lines::describe(content, room).unwrap_or_default());
        }
    }
    page.table(columns(&rows, &[1]));
}

/// Formats a number of bytes for a column that is aligned to the right. `1 byte` gets a space at the end, so that its digit is below those
/// of `12 bytes`.
fn bytes(length: usize) -> String {
    if length == 1 { "1 byte ".to_owned() } else { count(length, "byte") }
}

fn trailer(page: &mut Page, header: &Header, trailer: b2nd_frame::Result<&Trailer>) {
    let trailer = match trailer {
        Ok(trailer) => trailer,
        Err(error) => return page.problem("trailer", error),
    };
    let version = trailer.version();
    page.line("trailer", format_args!("{}, version {version}", size(trailer.trailer_len() as i128)));
    let vlmetalayers = attributes::of(trailer);
    let mut number = if vlmetalayers.is_empty() { "none".to_owned() } else { vlmetalayers.len().to_string() };
    if header.has_vlmetalayers() == vlmetalayers.is_empty() {
        number += if header.has_vlmetalayers() { " (the header says there are)" } else { " (the header says there are none)" };
    }
    page.line("vlmetalayers", number);
    let rows = vlmetalayers.iter().map(|Attribute { name, chunk, .. }| match chunk {
        Ok(chunk) => {
            let mut kind = chunk_table::kind(chunk);
            if !chunk.is_stored() && chunk.special().is_none() {
                kind = format!("{kind}, {} compressed", chunk.cbytes());
            }
            vec![quoted(name), bytes(chunk.nbytes()), kind]
        }
        Err(_) => vec![quoted(name), String::new()],
    });
    let mut rows: Vec<_> = rows.collect();
    if page.is_narrow(&rows) {
        // On a narrow terminal, the compression is left out, to leave room for the value.
        rows.iter_mut().for_each(|row| row.truncate(2));
    }
    let room = page.room_beside(&rows);
    for (row, Attribute { name, value, .. }) in rows.iter_mut().zip(&vlmetalayers) {
        row.push(match value {
            Ok(value) => {
                let hidden = page.hidden(name, read(value));
                hidden.unwrap_or_else(|| lines::describe(value, room).unwrap_or_default())
            }
            Err(error) => {
                page.is_complete = false;
                format!("cannot be read: {error}")
            }
        });
    }
    page.table(columns(&rows, &[1]));
}

fn chunks(page: &mut Page, frame: &Frame) -> b2nd_frame::Result<()> {
    match readable(frame.offsets())? {
        Ok(offsets) => {
            page.line("chunks", if offsets.is_empty() { "none".to_owned() } else { thousands(offsets.len()) });
            let (lines, complete) = chunk_table::table(frame, offsets)?;
            page.table(if offsets.is_empty() { Vec::new() } else { lines });
            page.is_complete &= complete;
        }
        Err(error) => page.problem("chunks", error),
    }
    Ok(())
}

/// Shows the metalayers and vlmetalayers of a frame with their complete values.
///
/// # Errors
///
/// Fails if the frame's `Source` cannot be read.
pub fn meta(frame: &Frame, name: &str) -> b2nd_frame::Result<View> {
    let mut page = Page::new(text::title(name, frame.offset()), &Options::default());
    let full = |content: &[u8]| lines::describe(content, usize::MAX).unwrap_or_else(|| count(content.len(), "byte"));
    for (name, content) in frame.header().metalayers().iter() {
        page.line(quoted(name), full(content));
    }
    match readable(frame.trailer())? {
        Ok(trailer) => {
            for Attribute { name, value, .. } in attributes::of(trailer) {
                match value {
                    Ok(value) => page.line(quoted(name), full(&value)),
                    Err(error) => page.problem(&quoted(name), error),
                }
            }
        }
        Err(error) => page.problem("trailer", error),
    }
    Ok(page.view())
}

/// Shows a store or a group: its kind, its attributes, and its number of leaves. `tree` contains lines that show the leaves as a tree.
pub fn store(store: &StoreListing, name: &str, leaves: usize, tree: Vec<String>, options: &Options) -> View {
    let mut page = Page::new(text::title(name, 0), options);
    let is_group = name.contains("::");
    let other = if is_group { "group" } else { store.format.unwrap_or("a folder with frames") };
    page.line("kind", store.kind.map_or(other, Kind::name));
    page.attributes("attributes", &store.attributes);
    page.line("leaves", thousands(leaves));
    page.list(tree, "--tree");
    for (key, attributes) in &store.groups {
        page.attributes(&printable(key), attributes);
    }
    page.view()
}

/// Shows a leaf that is a table or a reference to an array on a server. For a table, `cells` contains a row for each column. If `cells` is
/// `None`, the columns are shown as the schema describes them.
pub fn leaf(leaf: &Leaf, name: &str, cells: Option<&[Vec<String>]>, options: &Options) -> View {
    let mut page = Page::new(text::title(name, 0), options);
    match &leaf.content {
        Content::Table(table) => {
            page.line("kind", Kind::CTable.name());
            page.line("rows", table.rows.map_or_else(|| "unknown".to_owned(), thousands));
            page.line("columns", thousands(table.columns.len()));
            let text = |column: &serde_json::Value, key: &str| column.get(key).and_then(|it| Some(printable(it.as_str()?)));
            let rows =
                table.columns.iter().map(|column| [text(column, "name"), text(column, "kind"), text(column, "expression")]);
            let rows: Vec<_> = rows.map(|cells| cells.map(Option::unwrap_or_default).to_vec()).collect();
            match cells {
                Some(cells) => page.table(columns(cells, &[3, 4])),
                None => page.table(columns(&rows, &[])),
            }
            page.attributes("metadata", &table.metadata);
            page.attributes("attributes", &table.attributes);
        }
        Content::Remote { urlbase, path } => {
            page.line("kind", Kind::RemoteArray.name());
            page.line("server", printable(urlbase));
            page.line("path", printable(path));
        }
        Content::Frame | Content::Embedded(_) => {}
    }
    page.view()
}
