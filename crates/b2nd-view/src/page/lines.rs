//! [`Page`]: what the lines of a page look like.

use std::fmt::{Display, Write};

use b2nd_store::Attributes;
use b2nd_store::Value;

use crate::text::{LABEL, NOTICE, View, columns, quoted, shortened, styled};

/// Without a terminal, so much of a metalayer's value is shown, in characters.
const VALUE_WIDTH: usize = 64;

/// On a terminal, so much of a value is shown at least: its line may be wrapped.
const NARROWEST: usize = 8;

/// A title, then lines of a label and a text.
pub(super) struct Page {
    pub(super) view: View,
    /// The columns of the terminal, where there is one.
    width: Option<usize>,
}

impl Page {
    /// The width of labels, unless one is wider.
    const LABELS: usize = 12;

    /// The column at which the text after a label starts.
    pub(super) const TEXT: usize = Page::LABELS + 4;

    pub(super) fn new(title: String, width: Option<usize>) -> Page {
        Page { view: View::new(title), width }
    }

    /// The number of characters that a text may have that starts in this column; without a terminal as many as `fixed`.
    pub(super) fn room(&self, column: usize, fixed: usize) -> usize {
        self.width.map_or(fixed, |width| width.saturating_sub(column).max(NARROWEST))
    }

    /// The number of characters that a value may have in the last column of a table, beside these.
    pub(super) fn room_beside(&self, cells: &[Vec<String>]) -> usize {
        let widest = |column: usize| cells.iter().filter_map(|row| Some(row.get(column)?.chars().count())).max();
        let taken: usize = (0..).map_while(widest).map(|width| width + 2).sum();
        // The sign that there is more takes a column too.
        self.room(taken + 5, VALUE_WIDTH)
    }

    /// True if a value beside these has no room that is worth it.
    pub(super) fn is_narrow(&self, cells: &[Vec<String>]) -> bool {
        self.room_beside(cells) <= NARROWEST
    }

    pub(super) fn line(&mut self, label: impl Display, text: impl Display) {
        let label = format!("{label:width$}", width = Page::LABELS);
        // Writing to a string does not fail.
        let _ = write!(self.view.text, "\n  {}  {text}", styled(LABEL, label));
    }

    pub(super) fn inner(&mut self, label: impl Display, text: impl Display) {
        self.line(format!("  {label}"), text);
    }

    /// The rest of a text that is too long for its line.
    pub(super) fn more(&mut self, text: impl Display) {
        self.line("", text);
    }

    /// A part that cannot be read, in the place where it would be.
    pub(super) fn problem(&mut self, label: &str, error: impl Display) {
        self.view.is_complete = false;
        self.line(label, styled(NOTICE, format_args!("cannot be read: {error}")));
    }

    pub(super) fn attributes(&mut self, label: &str, attributes: &Attributes) {
        self.line(label, if attributes.is_empty() { "none".to_owned() } else { attributes.iter().len().to_string() });
        let mut rows: Vec<_> = attributes.iter().map(|(name, _)| vec![quoted(name.as_bytes())]).collect();
        let room = self.room_beside(&rows);
        for (row, (_, value)) in rows.iter_mut().zip(attributes.iter()) {
            row.push(value.map_or_else(|| "not MessagePack".to_owned(), |value| value.text(room)));
        }
        self.table(columns(&rows, &[]));
    }

    pub(super) fn table(&mut self, lines: Vec<String>) {
        for line in lines {
            let _ = write!(self.view.text, "\n    {line}");
        }
    }
}

/// A metalayer's content in at most so many characters: MessagePack as Python packs it, else text, else nothing.
pub(super) fn describe(content: &[u8], limit: usize) -> Option<String> {
    let text = |content: &[u8]| match std::str::from_utf8(content) {
        Ok(text) if !text.contains(char::is_control) => Some(shortened(quoted(content), limit)),
        _ => None,
    };
    if content.is_empty() {
        return None;
    }
    Value::from_slice(content).map(|value| value.text(limit)).or_else(|| text(content))
}
