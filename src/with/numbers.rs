//! Encodes and decodes a list of numbers with fewer instructions than serde's own code for vectors. The bytes are the same.
//!
//! The field can have any type that implements `AsRef<[N]>` and can be made from a `Vec<N>`, such as `Vec<f64>`, `Box<[i32]>` or an array.
//! In other formats, an array in such a field is written as a list, like a vector.
//!
//! ```
//! #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
//! struct Transform {
//!     #[serde(with = "b2nd::with::numbers")]
//!     origin: [f64; 2],
//!     #[serde(with = "b2nd::with::numbers")]
//!     steps: Vec<i16>,
//! }
//!
//! let transform = Transform { origin: [0.5, 1.0], steps: vec![-1, 2] };
//! let bytes = b2nd::to_vec(&transform)?;
//! assert_eq!(bytes, hex_literal::hex!("92 92 cb3fe0000000000000 cb3ff0000000000000 92 d1ffff d10002"));
//! assert_eq!(b2nd::from_slice::<Transform>(&bytes)?, transform);
//! # Ok::<(), b2nd::Error>(())
//! ```

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error as _, SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

/// The maximum number of elements for which memory is reserved before they are read, even if the input declares a larger number.
const MOST: usize = 4096;

/// Serializes a field, for `#[serde(with)]` and `#[serde(serialize_with)]`.
///
/// # Errors
///
/// Returns the errors of the serializer.
#[inline(always)]
pub fn serialize<T: AsRef<[N]> + ?Sized, N: Serialize, S: Serializer>(numbers: &T, serializer: S) -> Result<S::Ok, S::Error> {
    let numbers = numbers.as_ref();
    if size_of::<&T>() == size_of::<usize>() && core::any::type_name::<T>().starts_with('[') {
        return serializer.collect_seq(OfArray(numbers.iter()));
    }
    let mut list = serializer.serialize_seq(Some(numbers.len()))?;
    for number in numbers {
        list.serialize_element(number)?;
    }
    list.end()
}

/// The numbers of an array. Their count is part of the array's type.
struct OfArray<'a, N>(core::slice::Iter<'a, N>);

impl<'a, N> IntoIterator for OfArray<'a, N> {
    type Item = &'a N;
    type IntoIter = core::slice::Iter<'a, N>;

    fn into_iter(self) -> Self::IntoIter {
        self.0
    }
}

/// Deserializes a field, for `#[serde(with)]` and `#[serde(deserialize_with)]`.
///
/// # Errors
///
/// Returns the errors of the deserializer. Also fails if the number of elements does not fit the field's type.
#[inline(always)]
pub fn deserialize<'de, T: TryFrom<Vec<N>>, N: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let numbers = deserializer.deserialize_seq(Numbers(PhantomData))?;
    let count = numbers.len();
    T::try_from(numbers).map_err(|_| D::Error::invalid_length(count, &core::any::type_name::<T>()))
}

struct Numbers<N>(PhantomData<N>);

impl<'de, N: Deserialize<'de>> Visitor<'de> for Numbers<N> {
    type Value = Vec<N>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of numbers")
    }

    #[inline(always)]
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<N>, A::Error> {
        let mut numbers = Vec::with_capacity(list.size_hint().unwrap_or(0).min(MOST));
        while let Some(number) = list.next_element()? {
            numbers.push(number);
        }
        Ok(numbers)
    }
}
