//! [`Column`]: elements are split into columns of scalars, for statistics and drawings.

use b2nd::dtype::DType;
use b2nd_frame::{Error, Result};

use super::reader::reader_of;
use super::statistics::Tally;

/// The maximum number of values that a column has in one element.
const MOST_IN_ELEMENT: usize = 1 << 20;

/// Describes where the scalars of a column are in each element: in one field, or in the whole element if elements have no fields.
pub struct Column {
    /// The path of the field, such as `a.b`, or `None` if elements have no fields.
    pub name: Option<String>,
    /// The dtype of a scalar, or `None` if it is not known.
    pub dtype: Option<DType>,
    /// The size of a scalar in bytes.
    pub itemsize: usize,
    /// The dimensions of the subarray that the scalars of one element form. Empty if the scalars are not in a subarray.
    pub shape: Vec<usize>,
    /// The offsets of the scalars in an element, in bytes.
    pub offsets: Vec<usize>,
}

impl Column {
    /// Returns the bytes of each scalar, element by element. `elements` contains elements of `itemsize` bytes each.
    pub fn scalars<'a>(&'a self, elements: &'a [u8], itemsize: usize) -> impl Iterator<Item = &'a [u8]> {
        let places = move |element: &'a [u8]| {
            self.offsets.iter().map(move |&offset| element.get(offset..offset + self.itemsize).unwrap_or_default())
        };
        elements.chunks_exact(itemsize.max(1)).flat_map(places)
    }

    /// Computes statistics of the scalars in `elements`, each of which occurs `times` times. If `keeps` is true, numbers are kept for
    /// [`Tally::quantiles`].
    pub fn tally(&self, elements: &[u8], itemsize: usize, times: u64, keeps: bool) -> Tally {
        let mut tally = Tally::new(keeps);
        let scalars = self.scalars(elements, itemsize);
        match self.dtype.as_ref().and_then(reader_of) {
            None => tally.add_bytes(scalars, times),
            Some(reader) if self.itemsize * self.offsets.len() == itemsize => tally.add_numbers(elements, times, reader),
            Some(reader) => tally.add_numbers(&scalars.flatten().copied().collect::<Vec<u8>>(), times, reader),
        }
        tally
    }
}

/// Returns the columns that elements consist of.
///
/// # Errors
///
/// Fails if a column has more than 2^20 values in one element.
pub fn columns(dtype: Option<&DType>, itemsize: usize) -> Result<Vec<Column>> {
    let mut columns = Vec::new();
    match dtype {
        Some(dtype) => descend(dtype, None, &[], &[0], &mut columns)?,
        None => columns.push(Column { name: None, dtype: None, itemsize, shape: Vec::new(), offsets: vec![0] }),
    }
    Ok(columns)
}

fn descend(dtype: &DType, name: Option<&str>, shape: &[usize], offsets: &[usize], columns: &mut Vec<Column>) -> Result<()> {
    if !dtype.fields().is_empty() {
        for field in dtype.fields() {
            let name = name.map_or_else(|| field.name().to_owned(), |name| format!("{name}.{}", field.name()));
            let offsets: Vec<_> = offsets.iter().map(|offset| offset + field.offset()).collect();
            descend(field.dtype(), Some(&name), shape, &offsets, columns)?;
        }
        return Ok(());
    }
    if !dtype.shape().is_empty() {
        let size = dtype.base().itemsize();
        let items = dtype.shape().iter().fold(1, |items: usize, &length| items.saturating_mul(length));
        let values = items.saturating_mul(offsets.len());
        if values > MOST_IN_ELEMENT {
            let of = name.map_or_else(String::new, |name| format!("field {name:?}: "));
            return Err(Error::custom(format!("{of}expected at most {MOST_IN_ELEMENT} values in each element, found {values}")));
        }
        let offsets: Vec<_> = offsets.iter().flat_map(|offset| (0..items).map(move |item| offset + item * size)).collect();
        return descend(dtype.base(), name, &[shape, dtype.shape()].concat(), &offsets, columns);
    }
    columns.push(Column {
        name: name.map(str::to_owned),
        dtype: Some(dtype.clone()),
        itemsize: dtype.itemsize(),
        shape: shape.to_vec(),
        offsets: offsets.to_vec(),
    });
    Ok(())
}
