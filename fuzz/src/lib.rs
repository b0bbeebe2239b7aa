//! Assertions that the targets have in common.

use serde::{Deserialize, Serialize};

/// Accepted bytes are written back as they were, in every way to write. What is refused is refused with a place in the input,
/// or at its end with a number of missing bytes.
pub fn reencodes<'de, T: Serialize + Deserialize<'de>>(input: &'de [u8]) -> Option<T> {
    let value = match b2nd::from_slice::<T>(input) {
        Ok(value) => value,
        Err(error) => {
            explains(error, input);
            return None;
        }
    };
    writes(&value, input);
    Some(value)
}

/// The value is written as these bytes, into a vector and into a slice of its very length.
pub fn writes<T: Serialize>(value: &T, bytes: &[u8]) {
    assert_eq!(b2nd::to_vec(value).expect("what was read can be written"), bytes);
    assert_eq!(b2nd::serialized_len(value).expect("what was written has a length"), bytes.len());
    let mut buffer = vec![0; bytes.len()];
    assert_eq!(b2nd::to_slice(value, &mut buffer).expect("what was written fits its own length"), bytes);
}

/// An error about the input says where in it, and has a sentence.
pub fn explains(error: impl Into<b2nd_frame::Error>, input: &[u8]) {
    let error = error.into();
    assert!(!error.to_string().is_empty());
    assert!(error.offset().is_none_or(|offset| offset <= input.len()), "{error}");
    if error.is_eof() {
        assert!(error.needed().is_some_and(|needed| needed > 0), "{error}");
    }
}
