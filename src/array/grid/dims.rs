//! [`Dims`]: a short list that does not allocate.

use core::iter::Take;
use core::ops::{Deref, DerefMut};
use core::{array, fmt, slice};

use crate::limits::MAX_DIMENSIONS;

/// One value for each dimension of an array, such as coordinates, strides or an extent: 0 to 16 values, stored inline.
///
/// The list dereferences to a slice, can be compared with slices and arrays, and iterates by value.
///
/// ```
/// let grid = b2nd::Geometry::new(&[10, 10], &[4, 5], &[2, 3])?.grid()?;
/// let extent = grid.chunk_extent(5).unwrap();
/// assert_eq!(extent, [8..10, 5..10]);
/// assert_eq!(extent[1].start, 5);
/// for range in extent {
///     assert!(!range.is_empty());
/// }
/// # Ok::<(), b2nd::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Dims<T> {
    ndim: usize,
    values: [T; MAX_DIMENSIONS],
}

impl<T: Default> Dims<T> {
    /// Makes a list of `ndim` values. `ndim` comes from a geometry, so it is at most 16.
    pub(super) fn from_fn(ndim: usize, mut value: impl FnMut(usize) -> T) -> Self {
        Dims { ndim, values: core::array::from_fn(|index| if index < ndim { value(index) } else { T::default() }) }
    }
}

impl<T> Deref for Dims<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.values[..self.ndim]
    }
}

impl<T> DerefMut for Dims<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values[..self.ndim]
    }
}

impl<T> AsRef<[T]> for Dims<T> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T: PartialEq, U: AsRef<[T]> + ?Sized> PartialEq<U> for Dims<T> {
    fn eq(&self, other: &U) -> bool {
        **self == *other.as_ref()
    }
}

impl<T: Eq> Eq for Dims<T> {}

impl<T> IntoIterator for Dims<T> {
    type Item = T;
    type IntoIter = Take<array::IntoIter<T, MAX_DIMENSIONS>>;

    fn into_iter(self) -> Self::IntoIter {
        self.values.into_iter().take(self.ndim)
    }
}

impl<'a, T> IntoIterator for &'a Dims<T> {
    type Item = &'a T;
    type IntoIter = slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: fmt::Debug> fmt::Debug for Dims<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
