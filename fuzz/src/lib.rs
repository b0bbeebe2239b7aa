//! Assertions that several targets use.

use serde::{Deserialize, Serialize};

/// Decodes the input and returns the value. Checks that the value is written back as the same bytes (see [`writes`]). If decoding fails,
/// checks the error (see [`explains`]).
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

/// Checks that the value is written as these bytes, to a vector and to a slice of exactly their length.
pub fn writes<T: Serialize>(value: &T, bytes: &[u8]) {
    assert_eq!(b2nd::to_vec(value).expect("a decoded value can be encoded"), bytes);
    assert_eq!(b2nd::serialized_len(value).expect("an encoded value has a length"), bytes.len());
    let mut buffer = vec![0; bytes.len()];
    assert_eq!(b2nd::to_slice(value, &mut buffer).expect("the buffer has the length of the encoding"), bytes);
}

/// Checks that an error has a message, that its offset, if there is one, is at most the input's length, and that an error about input that
/// ends too early has the number of missing bytes.
pub fn explains(error: impl Into<b2nd_frame::Error>, input: &[u8]) {
    let error = error.into();
    assert!(!error.to_string().is_empty());
    assert!(error.offset().is_none_or(|offset| offset <= input.len()), "{error}");
    if error.is_eof() {
        assert!(error.needed().is_some_and(|needed| needed > 0), "{error}");
    }
}
