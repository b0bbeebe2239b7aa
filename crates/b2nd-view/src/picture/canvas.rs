//! Writes the elements of an SVG document, one per line.

use std::fmt::{Display, Write};

/// The approximate width of a character in a monospaced font, relative to the font size.
const ADVANCE: f64 = 0.605;

/// The font size of all texts.
const FONT: f64 = 12.0;

/// Returns the approximate width of a text with this number of characters.
pub(super) fn width(characters: usize) -> f64 {
    characters as f64 * ADVANCE * FONT
}

/// Returns the width of a character in columns: two from U+1100 on, where the wide characters of East Asia start.
fn columns(char: char) -> usize {
    if char < '\u{1100}' { 1 } else { 2 }
}

/// Cuts a text to this number of columns.
pub(super) fn cut(text: &str, limit: usize) -> String {
    if text.chars().map(columns).sum::<usize>() <= limit {
        return text.to_owned();
    }
    let mut left = limit.saturating_sub(1);
    let fitting = text.chars().map_while(|char| {
        left = left.checked_sub(columns(char))?;
        Some(char)
    });
    fitting.chain(['…']).collect()
}

/// The elements of an SVG document as text. Positions are rounded to one decimal.
#[derive(Default)]
pub(super) struct Canvas(pub(super) String);

impl Canvas {
    pub(super) fn rect(&mut self, class: &str, [x, y]: [f64; 2], [width, height]: [f64; 2]) {
        self.element(format_args!(r#"<rect class="{class}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}"/>"#));
    }

    /// Draws straight lines, each given by the coordinates of its two ends.
    pub(super) fn lines(&mut self, class: &str, lines: impl IntoIterator<Item = [f64; 4]>) {
        let path: String = lines.into_iter().map(|[a, b, c, d]| format!("M{a:.1} {b:.1}L{c:.1} {d:.1}")).collect();
        self.element(format_args!(r#"<path class="{class}" d="{path}"/>"#));
    }

    /// Draws a text. `anchor` is the point of the text that is placed at the position: `start`, `middle` or `end`.
    pub(super) fn text(&mut self, class: &str, anchor: &str, [x, y]: [f64; 2], text: impl Display) {
        let text = escape(text);
        self.element(format_args!(r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#));
    }

    /// Calls `draw`, and puts the elements that it draws into a group with these attributes.
    pub(super) fn group(&mut self, attributes: impl Display, draw: impl FnOnce(&mut Canvas)) {
        self.element(format_args!("<g {attributes}>"));
        draw(self);
        self.element("</g>");
    }

    pub(super) fn element(&mut self, element: impl Display) {
        // Writing to a string does not fail.
        let _ = writeln!(self.0, "{element}");
    }
}

/// Escapes text for XML, and replaces control characters.
fn escape(text: impl Display) -> String {
    let mut escaped = String::new();
    for char in text.to_string().chars() {
        match char {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            _ if char.is_control() || matches!(char, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            _ => escaped.push(char),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{cut, escape};

    #[test]
    fn a_text_is_cut_to_its_columns() {
        assert_eq!(cut("four", 4), "four");
        assert_eq!(cut("fives", 4), "fiv…");
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("日本語", 6), "日本語");
    }

    #[test]
    fn what_xml_cannot_hold_is_replaced() {
        assert_eq!(escape("<a href=\"&\">\u{1}\u{ffff}é"), "&lt;a href=&quot;&amp;&quot;&gt;\u{fffd}\u{fffd}é");
    }
}
