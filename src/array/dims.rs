//! [`Dims`]: a short list that does not allocate.

use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

use serde::de::{Deserialize, Deserializer, Error as _, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeSeq, Serializer};

use crate::error::{Error, Result};
use crate::marker::MAX_DIMENSIONS;

/// One value for each dimension of an array, such as a shape, coordinates or an extent: 0 to 16 values, stored inline.
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
#[derive(Clone, Copy, Default)]
pub struct Dims<T> {
    count: usize,
    values: [T; MAX_DIMENSIONS],
}

impl<T: Default> Dims<T> {
    /// Makes a list of `ndim` values, at most 16.
    pub(super) fn from_fn(ndim: usize, mut value: impl FnMut(usize) -> T) -> Self {
        Dims { count: ndim, values: core::array::from_fn(|index| if index < ndim { value(index) } else { T::default() }) }
    }
}

impl<T: Copy + Default> TryFrom<&[T]> for Dims<T> {
    type Error = Error;

    fn try_from(list: &[T]) -> Result<Self> {
        match list.len() {
            0..=MAX_DIMENSIONS => Ok(Dims::from_fn(list.len(), |index| list[index])),
            count => Err(too_many(count)),
        }
    }
}

#[cold]
pub(super) fn too_many(count: impl fmt::Display) -> Error {
    Error::custom(format_args!("expected at most {MAX_DIMENSIONS} dimensions, found {count}"))
}

impl<T> Deref for Dims<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.values[..self.count]
    }
}

impl<T> DerefMut for Dims<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values[..self.count]
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

impl<T: core::hash::Hash> core::hash::Hash for Dims<T> {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T> IntoIterator for Dims<T> {
    type Item = T;
    type IntoIter = core::iter::Take<core::array::IntoIter<T, MAX_DIMENSIONS>>;

    fn into_iter(self) -> Self::IntoIter {
        self.values.into_iter().take(self.count)
    }
}

impl<T: fmt::Debug> fmt::Debug for Dims<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: Serialize> Serialize for Dims<T> {
    #[inline(always)]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.len()))?;
        self.iter().try_for_each(|value| list.serialize_element(value))?;
        list.end()
    }
}

/// Reads a list of lengths, of which none may be negative.
impl<'de, T: Deserialize<'de> + Copy + Default + PartialOrd + fmt::Display> Deserialize<'de> for Dims<T> {
    #[inline(always)]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Lengths(PhantomData))
    }
}

struct Lengths<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Copy + Default + PartialOrd + fmt::Display> Visitor<'de> for Lengths<T> {
    type Value = Dims<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {MAX_DIMENSIONS} lengths")
    }

    #[inline(always)]
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Dims<T>, A::Error> {
        let mut dims = Dims::default();
        while let Some(Length(length)) = list.next_element()? {
            let place = dims.values.get_mut(dims.count).ok_or_else(|| A::Error::custom(too_many("more")))?;
            *place = length;
            dims.count += 1;
        }
        Ok(dims)
    }
}

/// A length, which is checked while it is read, so that an error has its index and its byte.
struct Length<T>(T);

impl<'de, T: Deserialize<'de> + Default + PartialOrd + fmt::Display> Deserialize<'de> for Length<T> {
    #[inline(always)]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match T::deserialize(deserializer)? {
            length if length < T::default() => Err(D::Error::custom(negative(&length))),
            length => Ok(Length(length)),
        }
    }
}

#[cold]
pub(super) fn negative(length: &dyn fmt::Display) -> Error {
    Error::custom(format_args!("expected a length of 0 or more, found {length}"))
}
