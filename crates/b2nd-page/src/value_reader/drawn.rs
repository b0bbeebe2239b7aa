//! Converts a slice to strings, numbers and pixels.

use b2nd::dtype::DType;
use b2nd_ndarray::Array;
use b2nd_view::elements::{self, Column, Number, Tally, cell, in_quotes, reader};

use super::seen::Seen;
use super::text;

/// A plane of a slice: an axis of rows and an axis of columns, at index 0 of all other axes. A missing axis counts as an axis of length 1.
#[derive(Clone, Copy)]
pub(crate) struct Plane {
    pub rows: usize,
    pub columns: usize,
    strides: [usize; 2],
}

impl Plane {
    pub(crate) fn new(seen: &Seen, rows: i32, columns: i32) -> Plane {
        let axis = |axis: i32| usize::try_from(axis).ok().filter(|&axis| axis < seen.lengths.len());
        let length = |axis: Option<usize>| axis.map_or(1, |axis| seen.lengths[axis]);
        let stride = |axis: Option<usize>| axis.map_or(0, |axis| seen.lengths[axis + 1..].iter().product());
        let (rows, columns) = (axis(rows), axis(columns));
        Plane { rows: length(rows), columns: length(columns), strides: [stride(rows), stride(columns)] }
    }

    /// Returns the index of each element of the plane in the slice's C order, row by row.
    fn elements(self) -> impl Iterator<Item = usize> {
        (0..self.rows).flat_map(move |row| (0..self.columns).map(move |column| self.element(row, column)))
    }

    fn element(self, row: usize, column: usize) -> usize {
        row * self.strides[0] + column * self.strides[1]
    }
}

/// Returns the numbers of a column in the plane. For complex numbers, `part` is 0 for the magnitude and 1 for the phase.
pub(crate) fn numbers(seen: &Seen, plane: Plane, column: &Column, part: u8) -> Vec<f64> {
    let read = column.dtype.as_ref().and_then(reader);
    let (Some(read), Some(&offset)) = (read, column.offsets.first()) else { return Vec::new() };
    let bytes = |element: usize| seen.element(element)?.get(offset..offset + column.itemsize);
    let number = |element: usize| match bytes(element).map(read) {
        Some(Number::Complex(real, imaginary)) if part == 1 => imaginary.atan2(real),
        Some(number) => number.to_f64(),
        None => f64::NAN,
    };
    plane.elements().map(number).collect()
}

/// Returns the rows of the plane. A row contains the result of `make` for each of its elements or, with `fields`, for each field of each
/// structure. For elements of damaged chunks, it contains `None`.
fn rows<'a, T: 'a>(
    array: &'a Array,
    seen: &'a Seen,
    plane: &'a Plane,
    fields: bool,
    make: impl Fn(Option<&DType>, &[u8]) -> T + Copy + 'a,
) -> impl Iterator<Item = Vec<Option<T>>> + 'a {
    let dtype = array.dtype();
    let fields = dtype.map(DType::fields).filter(|inner| fields && !inner.is_empty());
    let of = move |element: usize| match (seen.element(element), dtype) {
        (None, _) => (0..fields.map_or(1, <[_]>::len)).map(|_| None).collect(),
        (Some(bytes), Some(dtype)) if fields.is_some() => {
            elements::fields(dtype, bytes).map(|(field, bytes)| Some(make(Some(field.dtype()), bytes))).collect()
        }
        (Some(bytes), _) => vec![Some(make(dtype, bytes))],
    };
    (0..plane.rows).map(move |row| (0..plane.columns).flat_map(|column| of(plane.element(row, column))).collect())
}

pub(crate) fn texts(array: &Array, seen: &Seen, plane: Plane, fields: bool) -> Vec<Vec<Option<String>>> {
    rows(array, seen, &plane, fields, text).collect()
}

/// Returns the plane as CSV. With `fields`, each field of a structure is a cell of its own, and the first line contains the names of the
/// fields.
pub(crate) fn csv(array: &Array, seen: &Seen, plane: Plane, fields: bool) -> String {
    let mut csv = String::new();
    let names = array.dtype().map(DType::fields).filter(|names| fields && !names.is_empty());
    if let Some(names) = names {
        let names: Vec<String> = names.iter().map(|field| in_quotes(field.name())).collect();
        csv += &format!("{}\n", names.join(","));
    }
    let make = |dtype: Option<&DType>, bytes: &[u8]| dtype.map_or_else(|| text(None, bytes), |dtype| cell(dtype, bytes));
    for row in rows(array, seen, &plane, fields, make) {
        let cells: Vec<String> = row.into_iter().map(Option::unwrap_or_default).collect();
        csv += &format!("{}\n", cells.join(","));
    }
    csv
}

/// Computes statistics of a column. Elements in damaged chunks are ignored.
pub(crate) fn tally(array: &Array, seen: &Seen, column: &Column) -> Tally {
    if seen.broken.is_empty() {
        return column.tally(&seen.bytes, array.itemsize(), 1, false);
    }
    let whole: Vec<&[u8]> = (0..seen.broken.len()).filter_map(|element| seen.element(element)).collect();
    column.tally(&whole.concat(), array.itemsize(), 1, false)
}

pub(crate) fn image(seen: &Seen, plane: &Plane) -> Vec<u8> {
    let channels = seen.lengths.last().copied().unwrap_or(1);
    let pixel = |element: usize| {
        let bytes = seen.bytes.get(element..element + channels);
        match bytes.filter(|_| seen.element(element).is_some()) {
            Some(&[red, green, blue]) => [red, green, blue, 255],
            Some(&[red, green, blue, alpha]) => [red, green, blue, alpha],
            _ => [0; 4],
        }
    };
    plane.elements().flat_map(pixel).collect()
}

/// Formats numbers as times if the values of the column are times. Returns `None` for all other columns.
pub(crate) fn labels(column: &Column, numbers: &[f64]) -> Option<Vec<String>> {
    let dtype = column.dtype.as_ref()?;
    numbers
        .iter()
        .map(|&number| Some(elements::text(dtype, &elements::time_bytes((number as i64).into(), Some(dtype))?)))
        .collect()
}

#[cfg(test)]
#[path = "../../tests/unit/drawn.rs"]
mod tests;
