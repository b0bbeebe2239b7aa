//! Formats numbers, names and strings as readable text.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

pub use b2nd_store::text::{count, hex, parameter, printable, quoted, shortened, size, thousands};

/// The style of titles, such as the path of a frame or store.
pub const TITLE: Style = Style::new().bold();
/// The style of labels and of field names.
pub const LABEL: Style = AnsiColor::Cyan.on_default();
/// The style of less important text, such as offsets and lengths.
pub const FAINT: Style = Style::new().dimmed();
/// The style of warnings and errors.
pub const NOTICE: Style = AnsiColor::Yellow.on_default();

/// Formats a share from 0 to 1 as a percentage, such as `12.5%`.
pub fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

/// A text, in which styles are escape sequences. There is no newline at the end.
pub struct View {
    /// The text.
    pub text: String,
    /// False if a part of a frame could not be read. An invalid array metalayer or dtype is not counted.
    pub is_complete: bool,
}

impl View {
    pub(crate) fn new(text: String) -> View {
        View { text, is_complete: true }
    }
}

/// Formats text in a style, with escape sequences. By default, the tool removes the escape sequences if its output is not a
/// terminal.
pub fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Formats a title: a name, and an offset unless it is 0.
pub(crate) fn title(name: &str, offset: u64) -> String {
    let title = styled(TITLE, printable(name));
    if offset == 0 { title } else { format!("{title} at byte {}", thousands(offset)) }
}

/// Formats bytes as a text in quotes, shortened to `limit` characters. Returns `None` if the bytes are not text or contain control
/// characters.
pub(crate) fn quoted_text(bytes: &[u8], limit: usize) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| !text.contains(char::is_control));
    text.map(|_| shortened(quoted(bytes), limit))
}

/// Formats the lengths of dimensions: `10 × 13`.
pub(crate) fn lengths(lengths: &[impl Display]) -> String {
    if lengths.is_empty() { "()".to_owned() } else { lengths.iter().map(thousands).collect::<Vec<_>>().join(" × ") }
}

/// Aligns cells in columns, and returns a line for each row. The columns whose numbers are in `right` are aligned to the right.
pub fn columns(rows: &[Vec<String>], right: &[usize]) -> Vec<String> {
    let mut widths = Vec::new();
    for row in rows {
        widths.resize(widths.len().max(row.len()), 0);
        // The last cell of a line needs no padding, unless it is aligned to the right.
        let last = row.len().saturating_sub(1);
        for (column, (width, cell)) in widths.iter_mut().zip(row).enumerate() {
            if column != last || right.contains(&column) {
                *width = cell.chars().count().max(*width);
            }
        }
    }
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if right.contains(&column) { format!("{cell:>width$}") } else { format!("{cell:width$}") }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// Wraps lines at spaces so that they have at most `width` characters; escape sequences of styles are not counted. The rest of a wrapped
/// line is usually indented, and aligned with the text after a label at the start of the line. Words longer than a line are not broken.
pub fn wrapped(text: &str, width: usize) -> String {
    text.split('\n').map(|line| wrapped_line(line, width)).collect::<Vec<_>>().join("\n")
}

fn wrapped_line(line: &str, width: usize) -> String {
    let plain = unstyled(line);
    let length = |text: &str| text.chars().count();
    if length(&plain) <= width {
        return line.to_owned();
    }
    let text = plain.trim_start();
    let indent = length(&plain) - length(text);
    let label = text.split_once("  ").map(|(label, rest)| length(label) + 2 + length(rest) - length(rest.trim_start()));
    let hang = label.map(|label| indent + label).filter(|&hang| hang <= width / 2).unwrap_or(indent + 2);
    let (mut wrapped, mut column, mut rest) = (String::new(), 0, line);
    while !rest.is_empty() {
        let (gap, after) = rest.split_at(rest.len() - rest.trim_start_matches(' ').len());
        let (word, after) = after.split_at(after.find(' ').unwrap_or(after.len()));
        let needed = length(&unstyled(word));
        if column != 0 && column + gap.len() + needed > width && (1..=width).contains(&needed) {
            column = hang.min(width - needed);
            wrapped += &format!("\n{:column$}", "");
        } else {
            column += gap.len();
            wrapped += gap;
        }
        column += needed;
        wrapped += word;
        rest = after;
    }
    wrapped
}

/// Removes the escape sequences of styles from a text.
pub(crate) fn unstyled(text: &str) -> String {
    let mut parts = text.split('\x1b');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').map_or("", |(_, text)| text))
}

/// Parses a number of bytes from the command line, in decimal or, after `0x`, in hexadecimal.
///
/// # Errors
///
/// Fails if the text is not such a number, or if the number does not fit in a `u64`.
pub fn parse_offset(text: &str) -> Result<u64, std::num::ParseIntError> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    }
}
