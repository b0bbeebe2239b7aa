//! Shows the metadata of a frame, a store or a leaf as a page of text.

use b2nd::Geometry;
use b2nd::dtype::DType;
use b2nd_frame::{Header, Trailer};

use crate::facts::{self, Fact};
use crate::slice::{Slice, Touched};
use crate::text::{self, NOTICE, View, columns, count, printable, quoted, size, styled, thousands};
use crate::{chunk_table, details};
use b2nd_store::attributes::{self, Attribute};
use b2nd_store::value::read;
use b2nd_store::{Array, Content, Frame, Kind, Leaf, StoreListing, readable};
use lines::Page;

mod lines;

/// The maximum number of characters that are shown of a dtype, except on a full page.
const DTYPE: usize = 600;

/// The options of a page.
pub use crate::json::InfoOptions;

/// Shows the facts in the header and the trailer, and the parts that `options` requests, as a page of text. A part that cannot be read is
/// replaced by its error.
///
/// # Errors
///
/// Fails if the frame's `Source` cannot be read.
pub fn page(frame: &Frame, name: &str, options: &InfoOptions) -> b2nd_frame::Result<View> {
    let header = frame.header();
    let mut page = Page::new(text::title(name, frame.position()), options);
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
    let found = Array::find(header);
    array(&mut page, header, &found);
    attributes(&mut page, header, trailer_read.as_ref());
    if let Ok(trailer) = &trailer_read {
        let note = facts::as_stored(|name| attributes::get(trailer, name), None);
        note.into_iter().for_each(|Fact(label, text, _)| page.line(label, text));
    }
    metalayers(&mut page, header, found.as_ref().ok().and_then(Option::as_ref));
    facts::sizes(header).into_iter().for_each(|Fact(label, text, _)| page.line(label, text));
    grid(&mut page, header, options.slice.as_ref());
    if options.full {
        let facts = [facts::container(header), facts::compression(header)].concat();
        facts.into_iter().for_each(|Fact(label, text, _)| page.line(label, text));
        if let Ok(trailer) = trailer_read {
            page.line("trailer", format_args!("{}, version {}", size(trailer.trailer_len() as i128), trailer.version()));
        }
    }
    match &options.chunk_list {
        Some(lines) => page.table(lines.clone()),
        None if options.chunks => chunks(&mut page, frame)?,
        None => {}
    }
    Ok(page.view())
}

fn array(page: &mut Page, header: &Header, found: &b2nd_frame::Result<Option<Array<'_>>>) {
    let array = match found {
        Ok(Some(array)) => array,
        Ok(None) => return,
        // The page still counts as complete, because this may be a user's own metalayer that happens to have the name of an array
        // metalayer.
        Err(error) => {
            page.line("array", styled(NOTICE, format_args!("cannot be read: metalayer {error}")));
            // The shapes may be readable even if the dtype is not.
            if let Ok(Some(geometry)) = header.geometry() {
                shapes(page, &geometry);
            }
            return;
        }
    };
    shapes(page, array.meta.geometry());
    if let Some(dtype) = array.meta.dtype() {
        page.line("dtype", text::shortened(text::printable(dtype), if page.options.full { usize::MAX } else { DTYPE }));
    }
    let Fact(label, text, _) = facts::layout(array);
    // Layouts other than `b2nd` are those of old versions.
    if page.options.full || array.layout() != "b2nd" {
        page.line(label, text);
    }
    match array.meta.parse_dtype() {
        Ok(Some(dtype)) => element(page, &dtype, header),
        Ok(None) => {}
        Err(error) => page.line("element", styled(NOTICE, format_args!("not known: {error}"))),
    }
    if let Some(Fact(label, text, _)) = facts::stale(array) {
        page.line(label, styled(NOTICE, text));
    }
}

/// Shows the dtype in words on a full page, or if the typesize of the frame differs from the itemsize of the dtype.
fn element(page: &mut Page, dtype: &DType, header: &Header) {
    let Fact(label, words, _) = facts::element(dtype);
    match facts::typesize_differs(dtype, header) {
        None if page.options.full => page.line(label, words),
        None => {}
        Some(differs) => page.line(label, format_args!("{words}; {}", styled(NOTICE, differs))),
    }
}

/// Shows the number of chunks and, on a full page, of blocks and elements, and the padding; and the chunks that a slice touches.
fn grid(page: &mut Page, header: &Header, slice: Option<&Slice>) {
    let Ok(Some(geometry)) = header.geometry() else {
        if slice.is_some() {
            page.problem("slice", "there is no array with valid shapes");
        }
        return;
    };
    let grid = match geometry.grid() {
        Ok(grid) => grid,
        Err(error) => return page.problem("grid", error),
    };
    let per_dimension: Vec<_> = grid.chunks_per_dimension().iter().map(thousands).collect();
    let [elements, mut chunks, blocks] = facts::grid(&grid);
    if per_dimension.len() > 1 {
        chunks.1 += &format!(" = {}", per_dimension.join(" x "));
    }
    page.line(chunks.0, chunks.1);
    if let Some(found) = header.nchunks().filter(|&found| found != grid.nchunks()) {
        page.line("", styled(NOTICE, format_args!("the header's nbytes and chunksize give {}", count(found, "chunk"))));
    }
    if page.options.full {
        let facts = [blocks, elements].into_iter().chain(facts::padding(&grid));
        facts.for_each(|Fact(label, text, _)| page.line(label, text));
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
        page.line(name, if shape.is_empty() { "()" } else { &shape });
    }
}

/// Shows the metalayers. The metalayer of a valid array, which other parts of the page show, is only on a full page.
fn metalayers(page: &mut Page, header: &Header, array: Option<&Array<'_>>) {
    let is_array = |name: &[u8]| array.is_some_and(|array| array.name.as_bytes() == name);
    let shown: Vec<_> = header.metalayers().iter().filter(|(name, _)| page.options.full || !is_array(name)).collect();
    if shown.is_empty() {
        return;
    }
    page.line("metalayers", shown.len());
    let mut rows: Vec<_> = shown.iter().map(|(name, content)| vec![quoted(name), bytes(content.len())]).collect();
    if !page.options.full {
        rows.iter_mut().for_each(|row| row.truncate(1));
    }
    let room = page.room_beside(&rows);
    for (row, (name, content)) in rows.iter_mut().zip(shown) {
        let value = if is_array(name) { None } else { lines::describe(content, room) };
        row.push(value.unwrap_or_else(|| if row.len() == 1 { bytes(content.len()) } else { String::new() }));
    }
    page.table(columns(&rows, if page.options.full { &[1] } else { &[] }));
}

/// Formats a number of bytes for a column that is aligned to the right. `1 byte` gets a space at the end, so that its digit is below those
/// of `12 bytes`.
fn bytes(length: usize) -> String {
    if length == 1 { "1 byte ".to_owned() } else { count(length, "byte") }
}

/// Shows the attributes. A full page also shows their lengths and, if there is room, their compression.
fn attributes(page: &mut Page, header: &Header, trailer: Result<&&Trailer, &b2nd_frame::Error>) {
    let trailer = match trailer {
        Ok(trailer) => trailer,
        Err(error) => return page.problem("trailer", error),
    };
    let found = attributes::of(trailer);
    let mut number = if found.is_empty() { "none".to_owned() } else { found.len().to_string() };
    if header.has_vlmetalayers() == found.is_empty() {
        number +=
            if header.has_vlmetalayers() { " (the header says there are some)" } else { " (the header says there are none)" };
    } else if found.is_empty() && !page.options.full {
        return;
    }
    page.line("attributes", number);
    let rows = found.iter().map(|Attribute { name, chunk, .. }| match chunk {
        Ok(chunk) if page.options.full => {
            let mut kind = chunk_table::kind(chunk);
            if !chunk.is_stored() && chunk.special().is_none() {
                kind = format!("{kind}, {} compressed", chunk.cbytes());
            }
            vec![quoted(name), bytes(chunk.nbytes()), kind]
        }
        Err(_) if page.options.full => vec![quoted(name), String::new()],
        _ => vec![quoted(name)],
    });
    let mut rows: Vec<_> = rows.collect();
    if page.room_beside(&rows) <= lines::NARROWEST {
        // On a narrow terminal, the compression is left out, to leave room for the value.
        rows.iter_mut().for_each(|row| row.truncate(2));
    }
    let room = page.room_beside(&rows);
    for (row, Attribute { name, value, .. }) in rows.iter_mut().zip(&found) {
        row.push(match value {
            Ok(value) => {
                let hidden = page.hidden(name, read(value));
                hidden.or_else(|| lines::describe(value, room)).unwrap_or_else(|| bytes(value.len()))
            }
            Err(error) => {
                page.is_complete = false;
                format!("cannot be read: {error}")
            }
        });
    }
    page.table(columns(&rows, if page.options.full { &[1] } else { &[] }));
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

/// Shows a store or a group: its kind, its attributes, its number of leaves, and the attributes of the groups in it. `tree` contains lines
/// that show the leaves as a tree.
pub fn store(store: &StoreListing, name: &str, tree: Vec<String>, options: &InfoOptions) -> View {
    let mut page = Page::new(text::title(name, 0), options);
    let is_group = name.contains("::");
    let other = if is_group { "group" } else { store.format.unwrap_or("a folder or an archive with frames") };
    page.line("kind", store.kind.map_or(other, Kind::name));
    page.attributes("attributes", &store.attributes);
    page.line("leaves", thousands(store.leaves.len()));
    page.list(tree, "--tree");
    for (key, attributes) in &store.groups {
        page.attributes(&printable(key), attributes);
    }
    page.view()
}

/// Shows a leaf that is a table or a reference to an array on a server. For a table, `cells` contains a header and a row for each column.
/// If `cells` is `None`, the columns are shown as the schema describes them.
pub fn leaf(leaf: &Leaf, name: &str, cells: Option<&[Vec<String>]>, options: &InfoOptions) -> View {
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
            if page.options.full {
                page.attributes("metadata", &table.metadata);
            }
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
