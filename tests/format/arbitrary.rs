//! Metadata built from arbitrary bytes is valid and survives writing and reading.

use std::fmt::Debug;

use arbitrary::{Arbitrary, Unstructured};
use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, Geometry, LegacyB2ndMeta};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Pseudorandom bytes that depend only on the seed.
fn noise(seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let byte = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::repeat_with(byte).take(2000).collect()
}

#[track_caller]
fn of_noise<T: for<'a> Arbitrary<'a>>(check: impl Fn(T)) {
    let mut made = 0;
    for seed in 0..200 {
        let Ok(value) = T::arbitrary(&mut Unstructured::new(&noise(seed))) else { continue };
        check(value);
        made += 1;
    }
    assert!(made > 150, "{made} of 200");
}

fn comes_back<T: for<'a> Arbitrary<'a> + Serialize + DeserializeOwned + PartialEq + Debug>() {
    of_noise(|value: T| assert_eq!(b2nd::from_slice::<T>(&b2nd::to_vec(&value).unwrap()).unwrap(), value));
}

#[test]
fn arbitrary_metadata_comes_back() {
    comes_back::<Geometry>();
    comes_back::<B2ndMeta>();
    comes_back::<LegacyB2ndMeta>();
    comes_back::<CatervaMeta>();
    of_noise(|array: ArrayMeta| {
        assert_eq!(ArrayMeta::from_metalayer(&array.to_metalayer().unwrap()).unwrap().0.into_owned(), array);
    });
}
