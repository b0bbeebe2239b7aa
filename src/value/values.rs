//! [`values`]: decodes values that follow one another.

use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;

use serde::Deserialize;

use crate::error::Result;

/// Returns an iterator that decodes values which follow one another, each as [`from_slice`](crate::from_slice) does. All values have the
/// same type, which can be [`Value`](crate::Value).
///
/// ```
/// use b2nd::Value;
///
/// let bytes = b"\x01\xa3two\x93\x03\xc0\xc2";
/// let all: Vec<Value> = b2nd::values(bytes).collect::<Result<_, _>>()?;
/// assert_eq!(all.iter().map(Value::to_string).collect::<Vec<_>>(), ["1", "\"two\"", "[3, null, false]"]);
///
/// let numbers: Vec<i16> = b2nd::values(b"\xd1\0\x01\xd1\0\x02").collect::<Result<_, _>>()?;
/// assert_eq!(numbers, [1, 2]);
///
/// let mut cut = b2nd::values::<Value>(b"\x01\xa3tw");
/// assert!(cut.next().is_some_and(|first| first.is_ok()));
/// let error = cut.next().unwrap().unwrap_err();
/// assert_eq!((error.needed(), error.offset(), cut.offset()), (Some(1), Some(4), 1));
/// assert!(cut.next().is_none(), "nothing follows an error");
/// # Ok::<(), b2nd::Error>(())
/// ```
pub fn values<'de, T: Deserialize<'de>>(input: &'de [u8]) -> Values<'de, T> {
    Values { rest: input, offset: 0, failed: false, decoded: PhantomData }
}

/// The iterator of [`values`]. It ends at the end of the input or after the first error.
pub struct Values<'de, T> {
    rest: &'de [u8],
    offset: usize,
    failed: bool,
    decoded: PhantomData<fn() -> T>,
}

impl<T> Values<'_, T> {
    /// Returns the total length in bytes of the values that have been decoded.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl<T> fmt::Debug for Values<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Values").field("offset", &self.offset).field("left", &self.rest.len()).finish()
    }
}

impl<'de, T: Deserialize<'de>> Iterator for Values<'de, T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        if self.rest.is_empty() || self.failed {
            return None;
        }
        Some(match crate::take_from_slice(self.rest) {
            Ok((value, rest)) => {
                self.offset += self.rest.len() - rest.len();
                self.rest = rest;
                Ok(value)
            }
            Err(error) => {
                self.failed = true;
                Err(error.shifted(self.offset))
            }
        })
    }
}

impl<'de, T: Deserialize<'de>> FusedIterator for Values<'de, T> {}
