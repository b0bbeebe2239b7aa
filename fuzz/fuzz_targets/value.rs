//! Values of every kind in serde's data model: accepted bytes are written back unchanged, and written values are read back.
#![no_main]

#[path = "../../tests/common/pairs.rs"]
mod pairs;

use arbitrary::{Arbitrary, Unstructured};
use b2nd::{ErrorKind, RawValue, Value};
use b2nd_fuzz::{explains, reencodes};
use libfuzzer_sys::fuzz_target;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

fuzz_target!(|input: &[u8]| {
    reencodes::<Everything>(input);
    reencodes::<Vec<Everything>>(input);
    reencodes::<Kind>(input);
    reencodes::<Pairs>(input);
    if let Some(value) = reencodes::<Value>(input) {
        assert_eq!(value.to_vec().expect("a decoded value can be encoded"), input);
        let text = serde_json::to_string(&value).expect("every value has a JSON form");
        if let Ok(back) = serde_json::from_str::<Value>(&text) {
            // The JSON is compared and not the value: values from JSON have the shortest markers, tuples become lists, and NaN is not equal
            // to itself.
            assert_eq!(serde_json::to_string(&back).expect("every value has a JSON form"), text);
        }
        assert!(!value.to_string().is_empty());
        assert!(reencodes::<RawValue>(input).is_some_and(|raw| raw.encoded() == input));
    }
    match b2nd::take_from_slice::<IgnoredAny>(input) {
        Ok((_, rest)) => assert!(rest.len() < input.len()),
        Err(error) => explains(error, input),
    }
    let Ok(value) = Everything::arbitrary(&mut Unstructured::new(input)) else { return };
    match b2nd::to_vec(&value) {
        // Bytes are compared instead of values, because NaN is not equal to itself.
        Ok(bytes) => {
            assert!(reencodes::<Everything>(&bytes).is_some(), "{:?}", b2nd::from_slice::<Everything>(&bytes));
            // A tuple or struct variant counts as one level if its type is known, and as two otherwise.
            let skipped = b2nd::from_slice::<IgnoredAny>(&bytes);
            assert!(
                !value.is_self_describing()
                    || skipped.is_ok()
                    || skipped.is_err_and(|error| matches!(error.kind(), ErrorKind::TooDeep))
            );
        }
        Err(error) => assert!(!value.is_writable() || matches!(error.kind(), ErrorKind::TooDeep), "{error}"),
    }
});

/// Contains no `flatten`, untagged enum, nested option or unordered map, so it survives writing and reading.
#[derive(Serialize, Deserialize, Arbitrary, Debug)]
struct Everything {
    numbers: (u8, u16, u32, u64, i8, i16, i32, i64, f32, f64),
    flags: [bool; 2],
    text: (char, String),
    kinds: Vec<Kind>,
    pairs: Pairs,
    option: Option<Box<Everything>>,
    unit: (),
    #[serde(with = "serde_bytes")]
    bytes: Vec<u8>,
    #[serde(with = "b2nd::with::fixstr")]
    fixstr: Option<String>,
    #[serde(with = "b2nd::with::fixstr_bytes")]
    fixstr_bytes: Vec<u8>,
    #[serde(with = "b2nd::with::fixext16")]
    fixext16: [u8; 17],
    #[serde(with = "b2nd::with::array16")]
    array16: Vec<u8>,
    #[serde(with = "b2nd::with::map16")]
    map16: Pairs,
    #[serde(with = "b2nd::with::dims")]
    dims: Vec<u8>,
}

impl Everything {
    /// Returns true if every value fits the module of its field.
    fn is_writable(&self) -> bool {
        self.fixstr.as_ref().is_none_or(|text| text.len() <= 31)
            && self.fixstr_bytes.len() <= 31
            && self.dims.len() <= 16
            && self.option.as_ref().is_none_or(|inner| inner.is_writable())
    }

    /// Returns true if no list of dimensions has 16 values: its marker would be that of an empty fixstr.
    fn is_self_describing(&self) -> bool {
        self.dims.len() < 16 && self.option.as_ref().is_none_or(|inner| inner.is_self_describing())
    }
}

#[derive(Serialize, Deserialize, Arbitrary, Debug)]
enum Kind {
    Unit,
    Newtype(Option<u16>),
    Tuple(i8, Box<Kind>),
    Struct { x: Vec<Kind>, y: Wrapped },
}

#[derive(Serialize, Deserialize, Arbitrary, Debug)]
struct Wrapped(Nothing);

#[derive(Serialize, Deserialize, Arbitrary, Debug)]
struct Nothing;

type Pairs = pairs::Pairs<String, Option<i32>>;

impl<'a> Arbitrary<'a> for Pairs {
    fn arbitrary(input: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        Arbitrary::arbitrary(input).map(pairs::Pairs)
    }
}
