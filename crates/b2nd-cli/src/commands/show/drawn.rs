//! Decides which elements of an array are drawn.

use b2nd::dtype::{DType, ScalarType};
use b2nd_ndarray::Array;
use b2nd_view::elements::{Column, Tally, figures_to, reader, step_seconds, text as text_of, time_bytes};
use b2nd_view::slice::Selection;
use b2nd_view::text::{LABEL, count, printable, styled, thousands};

use super::chart::{Axis, Ticks, plain};
use crate::output::fitted;
use crate::report::{DIGITS, shape_text};
use crate::values::SelectedArray;

/// The maximum number of chunks from which elements are drawn. If the elements are in more chunks than this, some elements are left out.
const MOST_CHUNKS: u64 = 1024;

/// The maximum number of elements that are drawn in a line plot.
const MOST_POINTS: i64 = 1 << 16;

/// The largest ratio of the sides of a map that has the same step along both sides. A longer map has a step for each side, because with the
/// same step, hardly any elements would be left along the short side.
const LONGEST: f64 = 4.0;

/// The elements of an array that are drawn, and how they are drawn.
pub(super) struct Drawn {
    pub(super) values: SelectedArray,
    /// The drawn dimensions: two for a map or an image (vertical, then horizontal), one for a line, none for a line with a single element.
    pub(super) axes: Vec<usize>,
    /// The number of channels if an image is drawn, otherwise `None`.
    pub(super) channels: Option<usize>,
    /// The number of columns divided by the number of rows of a map or an image.
    pub(super) aspect: Option<f64>,
    /// The selection before elements are left out to fit the picture.
    pub(super) whole: Selection,
    /// Notes about elements that are left out.
    pub(super) notes: Vec<String>,
}

impl Drawn {
    pub(super) fn new(mut values: SelectedArray, column: &Column) -> Drawn {
        let Selection { ranges, kept, .. } = &values.selection;
        let is_byte = matches!(&column.dtype, Some(DType::Scalar(scalar)) if scalar.scalar_type() == ScalarType::UInt8);
        let lengths = values.selection.lengths();
        let is_image = is_byte && column.name.is_none() && lengths.len() > 2 && kept.iter().rev().take(3).all(|&kept| kept);
        let channels = lengths.last().filter(|length| is_image && matches!(length, 3 | 4)).map(|&length| length as usize);
        let last = ranges.len() - usize::from(channels.is_some());
        let mut axes: Vec<usize> = (0..last).filter(|&axis| kept[axis] && (channels.is_some() || lengths[axis] != 1)).collect();
        while axes.len() > 2 {
            let axis = axes.remove(0);
            values.selection.keep(axis, true, 1);
        }
        let lengths = values.selection.lengths();
        let aspect = match *axes.as_slice() {
            [down, across] => Some(lengths[across] as f64 / lengths[down].max(1) as f64),
            _ => None,
        };
        let whole = values.selection.clone();
        Drawn { values, axes, channels, aspect, whole, notes: Vec::new() }
    }

    /// Increases the steps of the selection, so that at most `room` elements are drawn along each axis, from at most [`MOST_CHUNKS`]
    /// chunks. For a line, the limit along its axis is [`MOST_POINTS`].
    pub(super) fn fit(&mut self, room: [i64; 2], stretches: bool) {
        let SelectedArray { array, selection } = &mut self.values;
        let room = if self.axes.len() == 1 { [MOST_POINTS; 2] } else { room };
        let first = selection.touched(array.grid());
        let is_long = |aspect: f64| !(1.0 / LONGEST..=LONGEST).contains(&aspect) && self.channels.is_none();
        let is_square = !stretches && self.aspect.is_some_and(|aspect| !is_long(aspect));
        let factors = selection.coarsen(array.grid(), &self.axes, &room, is_square, MOST_CHUNKS);
        let now = selection.touched(array.grid());
        for (place, &axis) in self.axes.iter().enumerate().filter(|&(place, _)| factors[place] > 1) {
            let (name, step) = (self.axis(place).name, self.values.selection.steps[axis]);
            self.notes.push(format!("{name} in steps of {step}: {}", count(self.length(place), "element")));
        }
        if now < first {
            self.notes.push(format!("drawn from {} of {} chunks", thousands(now), thousands(first)));
        }
    }

    pub(super) fn length(&self, place: usize) -> usize {
        let lengths = self.values.selection.lengths();
        self.axes.get(place).and_then(|&axis| usize::try_from(lengths[axis]).ok()).unwrap_or(1)
    }

    /// Returns the axis of the drawn dimension `axes[place]`. Its name comes from the attribute `dims` or `_ARRAY_DIMENSIONS`, or
    /// contains the index of the dimension.
    pub(super) fn axis(&self, place: usize) -> Axis<'static> {
        let axis = self.axes.get(place).copied().unwrap_or(0);
        let names = attribute(&self.values.array, &["dims", "_ARRAY_DIMENSIONS"]);
        let name = names.as_ref().and_then(|names| names.get(axis)?.as_str());
        let name = name.map_or_else(|| format!("dimension {axis}"), printable);
        let ends = [0, self.length(place).saturating_sub(1)].map(|nth| self.index(place, nth) as f64);
        Axis { name, ..Axis::new(ends, Ticks::Whole, plain) }
    }

    /// Returns the index in the array of the `nth` drawn element along the dimension `axes[place]`.
    fn index(&self, place: usize, nth: usize) -> i64 {
        let Some(&axis) = self.axes.get(place) else { return 0 };
        let Selection { ranges, steps, reversed, .. } = &self.values.selection;
        let nth = if reversed[axis] { self.length(place).saturating_sub(nth + 1) } else { nth };
        ranges[axis].start + steps[axis] * i64::try_from(nth).unwrap_or(0)
    }
}

/// Formats the statistics below a picture.
pub(super) fn figures(tally: &Tally, column: &Column, sampled: &str) -> String {
    let figures = figures_to(DIGITS, tally, column.dtype.as_ref()).into_iter();
    let counts = [
        ("count", format!("{}{sampled}", thousands(tally.count))),
        ("NaN", thousands(tally.nan)),
        ("zeros", thousands(tally.zeros)),
    ];
    let all: Vec<String> = figures.chain(counts).map(|(label, value)| format!("{} {value}", styled(LABEL, label))).collect();
    fitted(&all.join("  ")).into_owned() + "\n"
}

/// Returns the values of a column as floats.
pub(super) fn numbers(column: &Column, elements: &[u8], itemsize: usize) -> Vec<f64> {
    let read = column.dtype.as_ref().and_then(reader);
    column.scalars(elements, itemsize).map(|bytes| read.map_or(f64::NAN, |read| read(bytes).to_f64())).collect()
}

/// Formats a number, as a time if the values of the column are times.
pub(super) fn value(column: &Column, number: f64) -> String {
    let dtype = column.dtype.as_ref();
    match (dtype, time_bytes(number as i128, dtype)) {
        (Some(dtype), Some(bytes)) => text_of(dtype, &bytes),
        _ => plain(number),
    }
}

/// Returns the number of days in a step of the column's datetimes. Returns `None` for other dtypes, and if the length of a step varies
/// (years and months) or is shorter than a nanosecond.
pub(super) fn days(column: &Column) -> Option<f64> {
    let Some(DType::Scalar(scalar)) = &column.dtype else { return None };
    let ScalarType::Datetime64(Some(step)) = scalar.scalar_type() else { return None };
    step_seconds(step).map(|seconds| seconds / 86400.0)
}

/// Returns the part of the title after the name: the slice, the field, the shape and the dtype.
pub(super) fn title(array: &Array, selection: &Selection, column: &Column) -> String {
    let shape = array.grid().shape();
    let (lengths, texts) = (selection.lengths(), selection.texts());
    let text = |axis: usize| match &selection.ranges[axis] {
        range if *range == (0..shape[axis]) && selection.steps[axis] == 1 && !selection.reversed[axis] => ":".to_owned(),
        range if lengths[axis] == 1 => range.start.to_string(),
        _ => texts[axis].clone(),
    };
    let texts: Vec<_> = (0..shape.len()).map(text).collect();
    let slice = if texts.iter().all(|text| text == ":") { String::new() } else { format!(" [{}]", texts.join(", ")) };
    let field = column.name.as_ref().map_or_else(String::new, |name| format!("  {name}"));
    let dtype = column.dtype.as_ref().map_or_else(String::new, DType::to_string);
    format!("{slice}{field}  {}  {dtype}", shape_text(shape))
}

/// Returns the first of these attributes that the array has, as JSON.
pub(super) fn attribute(array: &Array, names: &[&str]) -> Option<serde_json::Value> {
    let attributes = array.attributes().ok()?;
    let bytes = names.iter().find_map(|name| attributes.bytes(name).ok()?)?;
    serde_json::to_value(b2nd_view::value::read(&bytes)?).ok()
}
