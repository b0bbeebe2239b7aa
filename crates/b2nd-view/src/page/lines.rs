//! [`Page`]: formats the lines of a page.

use std::fmt::Display;

use b2nd::RawValue;
use b2nd_store::{Attributes, value};

use super::InfoOptions;
use crate::text::{
    LABEL, NOTICE, TITLE, View, columns, count, quoted, quoted_text, shortened, styled, thousands, unstyled, wrapped,
};

/// The maximum number of characters that are shown of the value of a metalayer or an attribute if the output is not a terminal.
const VALUE_WIDTH: usize = 64;

/// A value is not shortened to fewer characters than this. Its line may then be wrapped, or cut to the width of the terminal.
pub(super) const NARROWEST: usize = 8;

/// The minimum number of lines to which a list is cut. If that is not enough, the last parts of a page are left out.
const LIST: usize = 4;

pub(super) struct Page<'a> {
    title: String,
    parts: Vec<PagePart>,
    pub(super) is_complete: bool,
    pub(super) options: &'a InfoOptions,
}

/// The lines of a fact, of which the first also contains the label, or the rows of a list.
struct PagePart {
    lines: Vec<String>,
    /// The command-line option that shows all rows of a list, or `None` for a fact.
    option: Option<&'static str>,
}

impl PagePart {
    /// Returns the number of lines of this part. For a list, this is at most `most`.
    fn len(&self, most: usize) -> usize {
        if self.option.is_some() { self.lines.len().min(most) } else { self.lines.len() }
    }
}

impl<'a> Page<'a> {
    /// The minimum width of labels.
    const LABELS: usize = 12;

    /// The column at which the text after a label starts, unless the label is longer.
    pub(super) const TEXT: usize = Page::LABELS + 4;

    pub(super) fn new(title: String, options: &'a InfoOptions) -> Page<'a> {
        Page { title, parts: Vec::new(), is_complete: true, options }
    }

    /// Returns the page as text. If the options have a width and a height, the page is cut to this size.
    pub(super) fn view(mut self) -> View {
        if let (Some(width), Some(height)) = (self.options.width, self.options.height) {
            self.fit(width, height);
        }
        let text = self.parts.iter().flat_map(|part| &part.lines).fold(self.title, |text, line| text + "\n" + line);
        View { text, is_complete: self.is_complete }
    }

    /// Wraps or cuts lines to `width`, and shortens the page to `height` lines: first cuts lists to no less than [`LIST`] lines, then
    /// leaves out the last parts.
    fn fit(&mut self, width: usize, height: usize) {
        let title = unstyled(&self.title);
        if title.chars().count() > width {
            let characters: Vec<char> = title.chars().collect();
            let lines: Vec<String> = characters.chunks(width.max(1)).map(|line| line.iter().collect()).collect();
            self.title = styled(TITLE, lines.join("\n"));
        }
        for part in &mut self.parts {
            let lines = part.lines.iter().flat_map(|line| match part.option {
                Some(_) => vec![line.clone()],
                None => wrapped(line, width).split('\n').map(str::to_owned).collect(),
            });
            part.lines = lines.map(|line| clipped(line, width)).collect();
        }
        let title = self.title.lines().count();
        let length = |parts: &[PagePart], most: usize| title + parts.iter().map(|part| part.len(most)).sum::<usize>();
        let fitting = |parts: &[PagePart], height: usize| (1..=height).rev().find(|&most| length(parts, most) <= height);
        let mut most = fitting(&self.parts, height).unwrap_or(0);
        let mut omitted = 0;
        if length(&self.parts, usize::MAX) > height && most < LIST {
            while length(&self.parts, LIST) > height.saturating_sub(1) {
                let Some(part) = self.parts.pop() else { break };
                omitted += part.len(usize::MAX);
            }
            most = LIST;
        }
        for part in &mut self.parts {
            let Some(option) = part.option else { continue };
            if part.lines.len() > most {
                let more = part.lines.len() - (most - 1);
                part.lines.truncate(most - 1);
                part.lines.push(format!("    … {} more: use {option}", thousands(more)));
            }
        }
        if omitted != 0 {
            self.parts.push(PagePart { lines: vec![format!("  … {}: use --full", count(omitted, "more line"))], option: None });
        }
    }

    /// Returns the maximum number of characters of a text that starts in this column, or `fixed` if there is no terminal.
    pub(super) fn room(&self, column: usize, fixed: usize) -> usize {
        self.options.width.map_or(fixed, |width| width.saturating_sub(column).max(NARROWEST))
    }

    /// Returns the maximum number of characters of a value in the last column of a table. `cells` contains the columns before the last.
    pub(super) fn room_beside(&self, cells: &[Vec<String>]) -> usize {
        let widest = |column: usize| cells.iter().filter_map(|row| Some(row.get(column)?.chars().count())).max();
        let taken: usize = (0..).map_while(widest).map(|width| width + 2).sum();
        // The `…` at the end of a cut value needs a column too.
        self.room(taken + 5, VALUE_WIDTH)
    }

    /// Adds a fact. Without a label, continues the text of the previous fact on another line.
    pub(super) fn line(&mut self, label: impl Display, text: impl Display) {
        let label = label.to_string();
        let line = Page::labelled(&label, text);
        match self.parts.last_mut() {
            Some(part) if label.is_empty() && part.option.is_none() => part.lines.push(line),
            _ => self.parts.push(PagePart { lines: vec![line], option: None }),
        }
    }

    /// Adds a fact of a kind that may occur often, such as a line of a function's source code. Such facts become the rows of a list, which
    /// is cut if it is too long.
    pub(super) fn one_of_many(&mut self, label: &str, text: &str) {
        let line = Page::labelled(&format!("  {label}"), text);
        match self.parts.last_mut() {
            Some(part) if part.option.is_some() => part.lines.push(line),
            _ => self.parts.push(PagePart { lines: vec![line], option: Some("--full") }),
        }
    }

    fn labelled(label: &str, text: impl Display) -> String {
        format!("  {}  {text}", styled(LABEL, format_args!("{label:width$}", width = Page::LABELS)))
    }

    pub(super) fn inner(&mut self, label: impl Display, text: impl Display) {
        self.line(format!("  {label}"), text);
    }

    /// Adds the error of a part of the frame that cannot be read.
    pub(super) fn problem(&mut self, label: &str, error: impl Display) {
        self.is_complete = false;
        self.line(label, styled(NOTICE, format_args!("cannot be read: {error}")));
    }

    pub(super) fn attributes(&mut self, label: &str, attributes: &Attributes) {
        self.line(label, if attributes.is_empty() { "none".to_owned() } else { attributes.iter().len().to_string() });
        let mut rows: Vec<_> = attributes.iter().map(|(name, _)| vec![quoted(name.as_bytes())]).collect();
        let room = self.room_beside(&rows);
        for (row, (name, value)) in rows.iter_mut().zip(attributes.iter()) {
            let text = || value.map_or_else(|| "cannot be read as MessagePack".to_owned(), |found| value::text(&found, room));
            row.push(self.hidden(name.as_bytes(), value).unwrap_or_else(text));
        }
        self.table(columns(&rows, &[]));
    }

    /// Returns the text that is shown instead of the attribute `pytables`, which holds attributes that PyTables writes for its own use.
    /// Returns `None` for other attributes, if `value` is `None`, and on a full page.
    pub(super) fn hidden(&self, name: &[u8], value: Option<RawValue>) -> Option<String> {
        let value = value.filter(|_| !self.options.full && name == b"pytables")?;
        Some(format!("{} of PyTables, which --full shows", count(value.entries().count(), "attribute")))
    }

    pub(super) fn table(&mut self, lines: Vec<String>) {
        self.list(lines, "--full");
    }

    /// Adds the rows of a list. `option` is the option of the command line that shows all of them.
    pub(super) fn list(&mut self, lines: Vec<String>, option: &'static str) {
        let lines = lines.into_iter().map(|line| format!("    {line}")).collect();
        self.parts.push(PagePart { lines, option: Some(option) });
    }
}

/// Cuts a line to the width of the terminal.
fn clipped(line: String, width: usize) -> String {
    let plain = unstyled(&line);
    if plain.chars().count() <= width { line } else { shortened(plain, width.saturating_sub(1)) }
}

/// Formats the content of a metalayer or an attribute, shortened to `limit` characters. Returns `None` if the content is empty, or is
/// neither MessagePack nor text without control characters.
pub(super) fn describe(content: &[u8], limit: usize) -> Option<String> {
    if content.is_empty() {
        return None;
    }
    value::read(content).map(|found| value::text(&found, limit)).or_else(|| quoted_text(content, limit))
}
