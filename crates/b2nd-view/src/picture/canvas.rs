//! Writes the elements of an SVG document, one per line.

use std::fmt::{Display, Write};

/// The width of a character, relative to the font size, in the widest of the usual monospaced fonts.
const ADVANCE: f64 = 0.605;

/// The font size of all texts.
pub(crate) const FONT: f64 = 12.0;

/// Returns the width of a text with this number of characters.
pub(crate) fn width(characters: usize) -> f64 {
    characters as f64 * ADVANCE * FONT
}

/// Returns the width of a character in columns. Wide characters, such as East Asian characters, have two columns.
fn columns(char: char) -> usize {
    if char < '\u{1100}' { 1 } else { 2 }
}

/// Cuts a text to this number of columns.
pub(crate) fn cut(text: &str, limit: usize) -> String {
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

/// Which point of a text is placed at the given position: the start, the middle or the end of the text.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// The elements of an SVG document as text.
pub(crate) struct Canvas(String);

impl Canvas {
    pub(crate) fn new() -> Canvas {
        Canvas(String::new())
    }

    pub(crate) fn rect(&mut self, class: &str, [x, y]: [f64; 2], [width, height]: [f64; 2]) {
        let [x, y, width, height] = [x, y, width, height].map(number);
        self.element(format_args!(r#"<rect class="{class}" x="{x}" y="{y}" width="{width}" height="{height}"/>"#));
    }

    /// Draws straight lines, each given by the coordinates of its two ends.
    pub(crate) fn lines(&mut self, class: &str, lines: &[[f64; 4]]) {
        if lines.is_empty() {
            return;
        }
        let path: Vec<_> = lines.iter().map(|line| line.map(number)).map(|[a, b, c, d]| format!("M{a} {b}L{c} {d}")).collect();
        self.element(format_args!(r#"<path class="{class}" d="{}"/>"#, path.concat()));
    }

    pub(crate) fn text(&mut self, class: &str, anchor: Anchor, [x, y]: [f64; 2], text: impl Display) {
        self.place(class, anchor, format_args!(r#"x="{}" y="{}""#, number(x), number(y)), text);
    }

    /// Draws a text rotated by 90°, which reads from bottom to top.
    pub(crate) fn upwards(&mut self, class: &str, anchor: Anchor, [x, y]: [f64; 2], text: impl Display) {
        self.place(class, anchor, format_args!(r#"transform="translate({} {}) rotate(-90)""#, number(x), number(y)), text);
    }

    /// Draws a text that has the same width in every font.
    pub(crate) fn exact(&mut self, class: &str, [x, y]: [f64; 2], text: &str) {
        let length = number(width(text.chars().count()));
        let place = format!(r#"x="{}" y="{}" textLength="{length}" lengthAdjust="spacingAndGlyphs""#, number(x), number(y));
        self.place(class, Anchor::Start, place, text);
    }

    fn place(&mut self, class: &str, anchor: Anchor, place: impl Display, text: impl Display) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        };
        self.element(format_args!(r#"<text class="{class}" {place}{anchor}>{}</text>"#, escape(text)));
    }

    /// Calls `draw` with the origin moved to this point.
    pub(crate) fn moved(&mut self, [x, y]: [f64; 2], draw: impl FnOnce(&mut Canvas)) {
        self.group(format_args!(r#"transform="translate({} {})""#, number(x), number(y)), draw);
    }

    /// Calls `draw`, and puts the elements that it draws into a group with this attribute.
    pub(super) fn group(&mut self, attribute: impl Display, draw: impl FnOnce(&mut Canvas)) {
        self.element(format_args!("<g {attribute}>"));
        draw(self);
        self.element("</g>");
    }

    fn element(&mut self, element: impl Display) {
        // Writing to a string does not fail.
        let _ = writeln!(self.0, "{element}");
    }

    pub(crate) fn into_elements(self) -> String {
        self.0
    }
}

/// Rounds a position to one decimal.
pub(crate) fn number(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// Escapes text for XML, and replaces control characters.
pub(crate) fn escape(text: impl Display) -> String {
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
