//! Prints the first or last values of an array, cut to the size of the screen.

use std::io::Write;

use b2nd::dtype::{DType, ScalarType};
use b2nd_view::elements;
use b2nd_view::text::{self, hex, printable, shortened, thousands};

use crate::error::{Error, Result};
use crate::output::{cut_to, terminal};
use crate::report::DIGITS;
use crate::values::{End, SelectedArray, fields, length};

/// The number of columns and lines to fill if the output does not go to a terminal.
const PAGE: (usize, usize) = (80, 25);

/// The number of spaces between columns.
const GAP: usize = 2;

/// The number of bytes of elements above which fewer rows are read.
const MOST: usize = 1 << 24;

/// Selects the rows that `head` and `tail` print.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    pub(crate) end: End,
    /// The number of rows, if the user gave one.
    pub(crate) rows: Option<u64>,
}

impl Cut {
    /// Returns the number of rows to print. `others` is the number of lines of the screen that contain something other than rows.
    pub(crate) fn rows(self, others: usize) -> u64 {
        let (_, lines) = size();
        self.rows.unwrap_or(lines.saturating_sub(others).max(1) as u64)
    }
}

/// Returns the number of columns and lines to fill. On a terminal, one line is left free for the next prompt. If there is no terminal,
/// returns 80 columns and 25 lines.
pub(crate) fn size() -> (usize, usize) {
    terminal().map_or(PAGE, |(columns, lines)| (columns.max(1), lines.saturating_sub(1).max(1)))
}

/// Prints rows of an array: at most as many as the user requested, or as many as fit the screen. Columns that do not fit are replaced by
/// `…`.
pub(crate) fn print(values: &mut SelectedArray, cut: Cut, indent: usize, out: &mut dyn Write) -> Result<()> {
    let (columns, lines) = size();
    let width = columns.saturating_sub(indent).max(8);
    let whole = values.selection.lengths();
    if whole.contains(&0) {
        let lengths: Vec<_> = values.selection.shape().iter().map(thousands).collect();
        return writeln!(out, "{:indent$}no elements: the selected shape is {}", "", lengths.join(" x ")).map_err(Error::Write);
    }
    let dtype = values.array.dtype().cloned();
    let has_fields = dtype.as_ref().is_some_and(|dtype| !dtype.fields().is_empty());
    let others = 2 + usize::from(has_fields);
    let most = cut.rows(others);
    let (is_line, is_record) = (whole.len() < 2 && !has_fields, whole.len() < 2 && has_fields);
    // Each value needs at least one character and a gap.
    let fitting = (width + GAP) / (GAP + 1) + 1;
    values.cut(
        cut.end,
        match cut.rows {
            None if is_line => most.saturating_mul(fitting as u64),
            _ => most,
        },
    );
    if whole.len() > 1 {
        values.cut_columns(fitting as i64);
    }
    let rows = |values: &SelectedArray| values.selection.lengths().iter().rev().take(2).next_back().copied().unwrap_or(1);
    while length(&values.array, &values.selection.ranges) > MOST && rows(values) > 1 {
        values.cut(cut.end, u64::try_from(rows(values) / 2).unwrap_or(1));
    }
    let shown = values.selection.lengths();
    let bytes = values.read_all()?;
    let items = bytes.chunks(values.array.itemsize().max(1));
    let cut_to_fit = |text| shortened(text, width.saturating_sub(GAP + 2).max(1));
    let cell = |item: &[u8]| {
        let text = dtype.as_ref().map_or_else(|| hex(item, ""), |dtype| elements::text_to(DIGITS, dtype, item));
        cut_to_fit(printable(&text))
    };
    let names = dtype.iter().flat_map(DType::fields).map(|field| printable(field.name())).collect::<Vec<_>>();
    let mut is_cut = shown != whole;
    let rows: Vec<Vec<String>> = match &dtype {
        Some(dtype) if is_record => {
            let cells = |item| fields(dtype, item, |dtype, bytes| cut_to_fit(elements::text_to(DIGITS, dtype, bytes)));
            std::iter::once(names).chain(items.map(cells)).collect()
        }
        _ if is_line => {
            let texts: Vec<String> = items.map(cell).collect();
            let widest = texts.iter().map(|text| text.chars().count()).max().unwrap_or(1);
            let in_line = ((width + GAP) / (widest + GAP)).max(1);
            let room = if cut.rows.is_some() { usize::MAX } else { in_line.saturating_mul(lines.saturating_sub(others).max(1)) };
            is_cut |= texts.len() > room;
            let texts = match cut.end {
                End::First => texts.get(..room).unwrap_or(&texts),
                End::Last => texts.get(texts.len().saturating_sub(room)..).unwrap_or(&texts),
            };
            texts.chunks(in_line).map(<[String]>::to_vec).collect()
        }
        _ => {
            let row = shown.last().copied().and_then(|length| usize::try_from(length).ok()).unwrap_or(1).max(1);
            if has_fields {
                let names = cut_to(format!("({})", names.join(", ")), width);
                writeln!(out, "{:indent$}{names}", "").map_err(Error::Write)?;
            }
            items.map(cell).collect::<Vec<_>>().chunks(row).map(<[String]>::to_vec).collect()
        }
    };
    let has_more = whole.len() > 1 && shown.last() != whole.last();
    let (printed, all) = fitting_columns(&rows, width, has_more);
    let is_text = matches!(&dtype, Some(DType::Scalar(scalar)) if matches!(scalar.scalar_type(), ScalarType::Str(_) | ScalarType::Bytes(_)));
    let right: Vec<usize> = if is_text { Vec::new() } else { (0..printed).collect() };
    let fitted = |row: &Vec<String>| {
        let mut cells: Vec<String> = row.iter().take(printed).cloned().collect();
        // A short row gets empty cells at its end, because `text::columns` does not count the width of the last cell of a row if this
        // cell is aligned to the left.
        cells.resize(printed, String::new());
        cells.extend((!all).then(|| "…".to_owned()));
        cells
    };
    for line in text::columns(&rows.iter().map(fitted).collect::<Vec<_>>(), &right) {
        writeln!(out, "{:indent$}{line}", "").map_err(Error::Write)?;
    }
    if is_cut || !all {
        if whole.len() > 1 {
            values.cut_columns(printed as i64);
        }
        let selection = &values.selection;
        let texts = selection.texts().into_iter().zip(selection.lengths()).zip(&selection.ranges);
        let ranges: Vec<_> =
            texts.map(|((text, length), range)| if length == 1 { range.start.to_string() } else { text }).collect();
        let shape: Vec<String> = values.array.grid().shape().iter().map(thousands).collect();
        let line = if is_line || is_record {
            let count = if is_line { rows.iter().map(Vec::len).sum() } else { rows.len() - 1 };
            let which = if cut.end == End::First { "first" } else { "last" };
            let part = format!("the {which} {} of {}", thousands(count), thousands(whole.iter().product::<i64>()));
            let fields = (!all).then(|| format!("{printed} of {} fields", rows.first().map_or(0, Vec::len)));
            format!("… {}", is_cut.then_some(part).into_iter().chain(fields).collect::<Vec<_>>().join(", "))
        } else {
            format!("… [{}] of {}", ranges.join(", "), shape.join(" x "))
        };
        writeln!(out, "{:indent$}{}", "", cut_to(line, width)).map_err(Error::Write)?;
    }
    Ok(())
}

/// Returns the number of columns to print, and whether these are all columns. If `has_more` is true, the array has columns that are not in
/// `rows`.
fn fitting_columns(rows: &[Vec<String>], width: usize, has_more: bool) -> (usize, bool) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widest =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(widest).collect();
    let fits = |count: usize| {
        let mark = if has_more || count < columns { GAP + 1 } else { 0 };
        widths.iter().take(count).map(|width| width + GAP).sum::<usize>().saturating_sub(GAP) + mark <= width
    };
    let count = (1..=columns).rev().find(|&count| fits(count)).unwrap_or(columns.min(1));
    (count, !has_more && count == columns)
}
