//! A frame's header and trailer as an annotated dump: each byte once, beside what it means.

mod names;
pub(crate) mod rows;

use std::fmt::Write;
use std::path::Path;

use b2nd::frame::File;

use super::View;
use super::text::{self, FAINT, LABEL, NOTICE, count, hex, styled, thousands};
use rows::{Row, Rows};

/// How many bytes stand on a line: a marker and a number of 64 bits.
const PER_LINE: usize = 9;

/// How many lines a long string takes before it is cut short.
const MAX_LINES: usize = 8;

/// The widest that the column of names gets for a name that is wider than the others.
const NAME_WIDTH: usize = 34;

pub(crate) fn dump(path: &Path, file: &File) -> b2nd::Result<View> {
    let header = b2nd::to_vec(file.header())?;
    let header_len = header.len() as u64;
    let mut view = View::new(text::title(path, file.offset()));
    print(&mut view.text, &Rows::of_header(file.header(), &header));
    match file.trailer() {
        Ok(trailer) => {
            let bytes = b2nd::to_vec(&trailer)?;
            // An empty frame's trailer may stand before the end that frame_len claims, but never inside the header.
            let start = file.header().frame_len().saturating_sub(bytes.len() as u64).max(header_len);
            note(&mut view.text, FAINT, header_len, format_args!("{} of chunks and index", count(start - header_len, "byte")));
            print(&mut view.text, &Rows::of_trailer(&trailer, &bytes, start));
        }
        Err(error) => {
            view.complete = false;
            note(&mut view.text, NOTICE, header_len, format_args!("the trailer cannot be read: {error}"));
        }
    }
    Ok(view)
}

/// A line about bytes that are not shown.
fn note(dump: &mut String, style: anstyle::Style, offset: u64, text: impl std::fmt::Display) {
    // Writing to a string does not fail.
    let _ = write!(dump, "\n  {}  {}", styled(FAINT, format_args!("{offset:04x}")), styled(style, text));
}

fn print(dump: &mut String, rows: &[Row]) {
    let width = rows.iter().map(|row| indented(row).chars().count()).max().unwrap_or(0).min(NAME_WIDTH);
    for row in rows {
        let value_style = if row.stale { NOTICE } else { anstyle::Style::new() };
        let mut lines = lines(row).into_iter();
        let (offset, first) = lines.next().unwrap_or((row.offset, &[]));
        let name = indented(row);
        let gap = width.saturating_sub(name.chars().count());
        // Writing to a string does not fail.
        let _ = write!(
            dump,
            "\n  {}  {:26}  {:8}  {}{:gap$}  {}",
            styled(FAINT, format_args!("{offset:04x}")),
            hex(first, " "),
            row.marker,
            styled(LABEL, name),
            "",
            styled(value_style, &row.value)
        );
        let mut shown = first.len();
        for (offset, bytes) in lines {
            shown += bytes.len();
            let _ = write!(
                dump,
                "\n  {}  {:26}  {}",
                styled(FAINT, format_args!("{offset:04x}")),
                hex(bytes, " "),
                styled(FAINT, format_args!("|{}|", ascii(bytes)))
            );
        }
        if shown < row.bytes.len() {
            let _ =
                write!(dump, "\n  {}", styled(FAINT, format_args!("…     {} more bytes", thousands(row.bytes.len() - shown))));
        }
    }
}

fn indented(row: &Row) -> String {
    format!("{:1$}{2}", "", 2 * row.depth, row.name)
}

/// A row's bytes cut into lines: the first with the marker, the others with eight bytes of what it holds.
pub(super) fn lines<'a>(row: &Row<'a>) -> Vec<(u64, &'a [u8])> {
    let first = match row.bytes.len() {
        ..=PER_LINE => row.bytes.len(),
        _ if row.head == 1 => PER_LINE,
        _ => row.head,
    };
    let (first, rest) = row.bytes.split_at(first);
    let mut lines = Vec::new();
    let mut offset = row.offset + first.len() as u64;
    if !first.is_empty() {
        lines.push((row.offset, first));
    }
    for bytes in rest.chunks(PER_LINE - 1).take(MAX_LINES) {
        lines.push((offset, bytes));
        offset += bytes.len() as u64;
    }
    lines
}

/// What a string looks like: a dot for what is no letter, digit or sign of ASCII.
fn ascii(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| if byte == b' ' || byte.is_ascii_graphic() { char::from(byte) } else { '.' }).collect()
}
