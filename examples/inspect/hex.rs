//! A frame's header as an annotated dump: each byte once, beside what it means.

mod marker;
mod names;
pub(crate) mod rows;

use std::fmt::Write;
use std::path::Path;

use b2nd::frame::File;

use super::text::{self, FAINT, LABEL, NOTICE, hex, styled, thousands};
use rows::{Row, Rows};

/// How many bytes stand on a line: a marker and a number of 64 bits.
const PER_LINE: usize = 9;

/// How many lines a long string takes before it is cut short.
const MAX_LINES: usize = 8;

/// The widest that the column of names gets for a name that is wider than the others.
const NAME_WIDTH: usize = 34;

pub(crate) fn dump(path: &Path, file: &File) -> b2nd::Result<String> {
    let bytes = b2nd::to_vec(file.header())?;
    let rows = Rows::of_header(file.header(), &bytes);
    let width = rows.iter().map(|row| indented(row).chars().count()).max().unwrap_or(0).min(NAME_WIDTH);
    let mut dump = text::title(path, file.offset());
    for row in &rows {
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
    Ok(dump)
}

fn indented(row: &Row) -> String {
    format!("{:1$}{2}", "", 2 * row.depth, row.name)
}

/// A row's bytes cut into lines: the first with the marker, the others with eight bytes of what it holds.
fn lines<'a>(row: &Row<'a>) -> Vec<(usize, &'a [u8])> {
    let first = match row.bytes.len() {
        ..=PER_LINE => row.bytes.len(),
        _ if row.head == 1 => PER_LINE,
        _ => row.head,
    };
    let (first, rest) = row.bytes.split_at(first);
    let mut lines = Vec::new();
    let mut offset = row.offset + first.len();
    if !first.is_empty() {
        lines.push((row.offset, first));
    }
    for bytes in rest.chunks(PER_LINE - 1).take(MAX_LINES) {
        lines.push((offset, bytes));
        offset += bytes.len();
    }
    lines
}

/// What a string looks like: a dot for what is no letter, digit or sign of ASCII.
fn ascii(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| if byte == b' ' || byte.is_ascii_graphic() { char::from(byte) } else { '.' }).collect()
}
