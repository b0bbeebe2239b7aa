//! Numbers, names and strings for people.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

/// The path above what is shown of a frame.
pub const TITLE: Style = Style::new().bold();
/// What is the same in every frame: labels, names of fields.
pub const LABEL: Style = AnsiColor::Cyan.on_default();
/// Offsets, lengths and other things to find one's way by.
pub const FAINT: Style = Style::new().dimmed();
/// What a person should not miss.
pub const NOTICE: Style = AnsiColor::Yellow.on_default();

/// A text for people, with escape sequences for its styles and without a newline at its end.
pub struct View {
    /// The text.
    pub text: String,
    /// Whether all could be read. If not, the text says what could not.
    pub is_complete: bool,
}

impl View {
    pub(crate) fn new(text: String) -> View {
        View { text, is_complete: true }
    }
}

/// Text in a style. Without a terminal the output is stripped of it.
pub fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// A name, and where the frame starts if that is not the file's first byte.
pub(crate) fn title(name: &str, offset: u64) -> String {
    let title = styled(TITLE, printable(name));
    if offset == 0 { title } else { format!("{title} at byte {}", thousands(offset)) }
}

/// A number with a comma before every third digit.
pub fn thousands(number: impl Display) -> String {
    let number = number.to_string();
    let (sign, digits) = number.split_at(number.len() - number.trim_start_matches('-').len());
    let mut text = sign.to_owned();
    for (index, digit) in digits.chars().enumerate() {
        if index != 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 byte`, `2 bytes`.
pub fn count(number: impl Display, unit: &str) -> String {
    let number = thousands(number);
    let plural = if number == "1" { "" } else { "s" };
    format!("{number} {unit}{plural}")
}

/// Cells in columns of one width, a line for each row. The columns whose numbers are in `right` are aligned to the right.
pub fn columns(rows: &[Vec<String>], right: &[usize]) -> Vec<String> {
    let mut widths = Vec::new();
    for row in rows {
        widths.resize(widths.len().max(row.len()), 0);
        // What ends a line may be as long as it likes.
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

/// A length in bytes, and from 1 KiB on in the unit that fits it.
pub fn size(bytes: i128) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let exact = count(bytes, "byte");
    // A tenth of a unit is all that is shown, so a float is exact enough.
    let mut amount = bytes as f64;
    let mut unit = None;
    for name in UNITS {
        if amount < 1024.0 {
            break;
        }
        amount /= 1024.0;
        unit = Some(name);
    }
    match unit {
        Some(unit) => format!("{exact} ({amount:.1} {unit})"),
        None => exact,
    }
}

/// A string as it is, but for what a terminal would not show.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\'' | '"' | '\\' => shown.push(char),
            _ => shown.extend(char.escape_debug()),
        }
    }
    shown
}

/// A text of at most so many characters, and a sign that there were more.
pub fn shortened(text: String, limit: usize) -> String {
    if text.len() <= limit {
        return text;
    }
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(&text)),
        None => text,
    }
}

/// A dtype in lines, broken where they would be wider than `width` characters: between fields, or after any comma where
/// it is not a list of them.
pub fn fold(dtype: &str, width: usize) -> impl Iterator<Item = &str> {
    let separator = if dtype.starts_with('[') { "), " } else { ", " };
    let mut rest = dtype;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (mut end, mut columns) = (None, 0);
        for item in rest.split_inclusive(separator) {
            columns += item.chars().count();
            if end.is_some() && columns > width {
                break;
            }
            end = Some(end.unwrap_or(0) + item.len());
        }
        let (line, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        Some(line)
    })
}

/// Bytes that are text in most files: in quotes, and with escapes where they are not UTF-8.
pub fn quoted(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => format!("{text:?}"),
        Err(_) => format!("b\"{}\"", bytes.escape_ascii()),
    }
}

/// Two digits for each byte.
pub fn hex(bytes: &[u8], separator: &str) -> String {
    const DIGITS: [u8; 16] = *b"0123456789abcdef";
    let mut digits = Vec::with_capacity(bytes.len() * (2 + separator.len()));
    for (index, byte) in bytes.iter().enumerate() {
        if index != 0 {
            digits.extend_from_slice(separator.as_bytes());
        }
        digits.extend([byte >> 4, byte & 15].map(|nibble| DIGITS[usize::from(nibble)]));
    }
    String::from_utf8(digits).unwrap_or_default()
}

/// Parses a number of bytes from the command line, in decimal or as 0x….
///
/// # Errors
///
/// The text is not such a number, or the number does not fit a `u64`.
pub fn parse_offset(text: &str) -> Result<u64, std::num::ParseIntError> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    }
}
