//! A dump of a frame's header and trailer, with the meaning of the bytes.

mod names;
mod rows;

use std::borrow::Cow;
use std::fmt::Write;

use crate::text::{self, FAINT, LABEL, NOTICE, View, count, hex, styled};
use b2nd_store::{Frame, readable};

pub use rows::{ByteRow, header, trailer};

/// The maximum number of bytes on a line of the dump, so that a MessagePack marker and a 64-bit number fit on one line.
const PER_LINE: usize = 9;

/// The maximum number of lines that a row has after the line with its marker. The remaining bytes of the row are not shown.
const MAX_LINES: usize = 8;

/// The maximum width of the column of names, in characters. Longer names extend beyond it.
const NAME_WIDTH: usize = 34;

/// Returns the bytes of the trailer, and its offset in the frame.
fn trailer_bytes<'f>(frame: &'f Frame) -> b2nd_frame::Result<(Cow<'f, [u8]>, u64)> {
    let range = frame.trailer_range()?;
    Ok((frame.read(range.clone())?, range.start))
}

/// Returns the bytes of the header and the trailer as text. If the trailer is missing or invalid, the error takes its place in the text.
///
/// # Errors
///
/// Fails if the frame's `Source` cannot be read.
pub fn dump(frame: &Frame, name: &str) -> b2nd_frame::Result<View> {
    let header = frame.read(0..frame.header().header_len() as u64)?;
    let header_len = header.len() as u64;
    let mut view = View::new(text::title(name, frame.position()));
    print(&mut view.text, &rows::header(&header), &header, 0);
    match readable(trailer_bytes(frame))? {
        Ok((bytes, start)) => {
            let between = start.saturating_sub(header_len);
            note(&mut view.text, FAINT, header_len, format_args!("{} between header and trailer", count(between, "byte")));
            print(&mut view.text, &rows::trailer(&bytes, start), &bytes, start);
        }
        Err(error) => {
            view.is_complete = false;
            note(&mut view.text, NOTICE, header_len, format_args!("the trailer cannot be read: {error}"));
        }
    }
    Ok(view)
}

/// Adds a line with `text`, in place of bytes that are not shown. `offset` is the position of these bytes in the frame.
fn note(dump: &mut String, style: anstyle::Style, offset: u64, text: impl std::fmt::Display) {
    // Writing to a string does not fail.
    let _ = write!(dump, "\n  {}  {}", styled(FAINT, format_args!("{offset:04x}")), styled(style, text));
}

/// Adds rows to the dump. `bytes` contains the bytes of all rows, and `start` is the offset of `bytes` in the frame.
fn print(dump: &mut String, rows: &[ByteRow], bytes: &[u8], start: u64) {
    let width = rows.iter().map(|row| indented(row).chars().count()).max().unwrap_or(0).min(NAME_WIDTH);
    for row in rows {
        let row_bytes = row.bytes(bytes, start);
        let mut left = row_bytes.len();
        for (index, (offset, bytes)) in lines(row, row_bytes).into_iter().enumerate() {
            left -= bytes.len();
            let text = if index == 0 {
                let value = styled(if row.stale { NOTICE } else { anstyle::Style::new() }, &row.value);
                let name = indented(row);
                let gap = width.saturating_sub(name.chars().count());
                format!("{:8}  {}{:gap$}  {value}", row.marker, styled(LABEL, name), "")
            } else {
                styled(FAINT, format_args!("|{}|", ascii(bytes)))
            };
            // Writing to a string does not fail.
            let _ = write!(dump, "\n  {}  {:26}  {text}", styled(FAINT, format_args!("{offset:04x}")), hex(bytes, " "));
        }
        if left != 0 {
            let _ = write!(dump, "\n  {}", styled(FAINT, format_args!("…     {}", count(left, "more byte"))));
        }
    }
}

fn indented(row: &ByteRow) -> String {
    format!("{:1$}{2}", "", 2 * row.depth, row.name)
}

/// Splits the bytes of a row into lines of a dump, and returns the offset in the frame and the bytes of each line. The last bytes of a long
/// row are left out.
fn lines<'a>(row: &ByteRow, bytes: &'a [u8]) -> Vec<(u64, &'a [u8])> {
    let first = match bytes.len() {
        ..=PER_LINE => bytes.len(),
        _ if row.head == 1 => PER_LINE,
        _ => row.head,
    };
    let (first, rest) = bytes.split_at(first);
    let mut end = row.offset;
    let lines = std::iter::once(first).chain(rest.chunks(PER_LINE - 1).take(MAX_LINES)).filter(|bytes| !bytes.is_empty());
    let line = |bytes: &'a [u8]| {
        end += bytes.len() as u64;
        (end - bytes.len() as u64, bytes)
    };
    lines.map(line).collect()
}

/// Formats bytes as ASCII. A byte that is not a printable character becomes a dot.
fn ascii(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| if byte == b' ' || byte.is_ascii_graphic() { char::from(byte) } else { '.' }).collect()
}
