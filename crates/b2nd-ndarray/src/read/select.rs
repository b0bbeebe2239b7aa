//! [`Select`]: elements chosen along each axis, by ranges, lists of indices and masks.

use std::ops::{Range, RangeFull};

use ndarray::{ArrayD, Axis};

use crate::array::Array;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::read::along::Along;

/// The elements that are selected along one axis.
///
/// A selection with one `Select` per axis is orthogonal: it contains every combination of the axes' indices, like `a[np.ix_(rows,
/// columns)]` in NumPy and `oindex` in Zarr.
#[non_exhaustive]
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Select {
    /// All elements.
    All,
    /// The elements of a range.
    Range(Range<i64>),
    /// Every n-th element of a range, starting with the first: NumPy's `start:end:step`.
    Step(Range<i64>, i64),
    /// The elements at these indices, in the given order. An index can occur several times. Negative indices count from the end.
    Indices(Vec<i64>),
    /// The elements for which the mask is true. The mask has the length of the axis.
    Mask(Vec<bool>),
}

macro_rules! from {
    ($($(($($generics:tt)*))? $variant:ident: $from:ty;)*) => {
        $(
            impl $(<$($generics)*>)? From<$from> for Select {
                fn from(selected: $from) -> Select {
                    Select::$variant(selected.into())
                }
            }
        )*
    };
}

from! {
    Range: Range<i64>;
    Indices: Vec<i64>;
    Indices: &[i64];
    (const N: usize) Indices: [i64; N];
    Mask: Vec<bool>;
    Mask: &[bool];
    (const N: usize) Mask: [bool; N];
}

impl From<RangeFull> for Select {
    fn from(_: RangeFull) -> Select {
        Select::All
    }
}

impl Array {
    /// Reads the elements that are selected along each axis.
    ///
    /// The indices are sorted first, so a block is not decompressed again for each of its elements. Usually, blocks that hold no selected
    /// element are not decompressed.
    ///
    /// ```
    /// use b2nd_ndarray::{Array, Select};
    /// use ndarray::{Axis, array};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("array.b2nd");
    /// let values = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]];
    /// b2nd_ndarray::write(&path, &values, &Default::default())?;
    /// let stored = Array::open(&path)?;
    ///
    /// let corners = stored.select::<f64>(&[Select::from([2, 0]), Select::from([0, -1])])?;
    /// assert_eq!(corners, array![[7.0, 9.0], [1.0, 3.0]].into_dyn());
    ///
    /// let above = values.column(0).mapv(|value| value > 3.0).to_vec();
    /// assert_eq!(stored.select::<f64>(&[above.into(), (..).into()])?, values.select(Axis(0), &[1, 2]).into_dyn());
    ///
    /// let error = stored.select::<f64>(&[(..).into(), [0, 3].into()]).unwrap_err();
    /// assert_eq!(error.kind().to_string(), "index 3 is outside dimension 1, whose length is 3");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the length of `selection` is not the number of dimensions, if an index is outside its axis ([`Error::Index`]), if a mask
    /// does not have the length of its axis, or if a step is less than 1. Also returns the errors of [`read`](Array::read).
    pub fn select<T: Element>(&self, selection: &[Select]) -> Result<ArrayD<T>> {
        self.with_path(|| {
            let (selected, orders) = self.sorted(selection)?;
            Ok(ordered(self.values(&selected)?, &orders))
        })
    }

    /// Reads the same elements as [`select`](Array::select), as bytes in C order and in the file's byte order.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`select`](Array::select), except those about the type of the elements.
    pub fn select_bytes(&self, selection: &[Select]) -> Result<Vec<u8>> {
        self.with_path(|| {
            let (selected, orders) = self.sorted(selection)?;
            let bytes = self.entries(&selected, self.itemsize())?;
            let shape: Vec<_> = selected.iter().map(Along::len).chain([self.itemsize()]).collect();
            Ok(ordered(ArrayD::from_shape_vec(shape, bytes)?, &orders).into_raw_vec_and_offset().0)
        })
    }

    /// Compares a selection with the shape, and sorts its indices.
    fn sorted(&self, selection: &[Select]) -> Result<(Vec<Along>, Vec<Order>)> {
        let shape = self.geometry().shape();
        if selection.len() != shape.len() {
            return Err(Error::Dimensions { expected: shape.len(), found: selection.len() });
        }
        selection.iter().zip(shape).enumerate().map(|(axis, (select, &length))| select.along(axis, length)).collect()
    }
}

impl Select {
    /// Selects every `steps[i]`-th element of a slice along axis `i`.
    ///
    /// # Errors
    ///
    /// Fails if there are more or fewer steps than ranges ([`Error::Dimensions`]).
    pub fn steps(slice: &[Range<i64>], steps: &[i64]) -> Result<Vec<Select>> {
        if steps.len() != slice.len() {
            return Err(Error::Dimensions { expected: slice.len(), found: steps.len() });
        }
        Ok(slice.iter().zip(steps).map(|(range, &step)| Select::Step(range.clone(), step)).collect())
    }

    fn along(&self, axis: usize, length: i64) -> Result<(Along, Order)> {
        match self {
            Select::All => Ok((Along::Steps(0..length, 1), None)),
            Select::Range(range) => Ok((Along::Steps(range.clone(), 1), None)),
            Select::Step(_, step) if *step < 1 => {
                Err(Error::custom(format_args!("selection[{axis}]: expected a step of 1 or more, found {step}")))
            }
            Select::Step(range, step) => Ok((Along::Steps(range.clone(), *step), None)),
            Select::Mask(mask) if i64::try_from(mask.len()) != Ok(length) => {
                Err(Error::custom(format_args!("selection[{axis}]: expected a mask of length {length}, found {}", mask.len())))
            }
            Select::Mask(mask) => Ok(ascending((0..).zip(mask).filter(|(_, wanted)| **wanted).map(|(at, _)| at).collect())),
            Select::Indices(indices) => {
                let from_end = |&index: &i64| match if index < 0 { index + length } else { index } {
                    at if (0..length).contains(&at) => Ok(at),
                    _ => Err(Error::Index { axis, index, length }),
                };
                Ok(ascending(indices.iter().map(from_end).collect::<Result<_>>()?))
            }
        }
    }
}

/// For each index that was requested along an axis, its position among the indices that are read, which are ascending. `None` if the
/// indices were requested in ascending order, each of them once.
type Order = Option<Vec<usize>>;

/// Sorts indices, and removes repeated ones.
fn ascending(indices: Vec<i64>) -> (Along, Order) {
    if indices.windows(2).all(|pair| pair[0] < pair[1]) {
        return (Along::list(indices), None);
    }
    let mut sorted = indices.clone();
    sorted.sort_unstable();
    sorted.dedup();
    let order = indices.iter().map(|index| sorted.partition_point(|other| other < index)).collect();
    (Along::list(sorted), Some(order))
}

/// Rearranges elements that were read in ascending order, so that they have the order in which they were requested.
fn ordered<A: Clone>(sorted: ArrayD<A>, orders: &[Order]) -> ArrayD<A> {
    let orders = orders.iter().enumerate().filter_map(|(axis, order)| Some((Axis(axis), order.as_ref()?)));
    orders.fold(sorted, |sorted, (axis, order)| {
        let picked = sorted.select(axis, order);
        if picked.is_standard_layout() { picked } else { picked.as_standard_layout().into_owned() }
    })
}
