//! Allocations, counted by an allocator of this test's own: all bytes that are ever asked for, also those given back.
#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use allocation_counter::{AllocationInfo, measure};
use b2nd::dtype::DType;
use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, Geometry, LegacyB2ndMeta};
use common::layouts;
use serde::de::DeserializeOwned;

/// Decoding allocates at most this many bytes for each byte of input…
const PER_BYTE: usize = 32;

/// … and this many for an error's sentence.
const FOR_AN_ERROR: usize = 2048;

/// Runs, and gives what was allocated.
fn allocated<T>(run: impl FnOnce() -> T) -> (T, AllocationInfo) {
    let mut result = None;
    let info = measure(|| result = Some(run()));
    (result.unwrap(), info)
}

/// Runs on these bytes, and allocates no more than they can fill.
#[track_caller]
fn proportionate<T>(input: &[u8], run: impl FnOnce(&[u8]) -> T) {
    let (_, info) = allocated(|| run(input));
    let limit = PER_BYTE * input.len() + FOR_AN_ERROR;
    assert!(info.bytes_total as usize <= limit, "{} bytes of input, {} allocated", input.len(), info.bytes_total);
}

/// Decodes these bytes, and allocates no more than they can fill.
#[track_caller]
fn decodes<T: DeserializeOwned>(input: &[u8]) {
    proportionate(input, |input| b2nd::from_slice::<T>(input));
}

/// The bytes as they are and cut short, and with every length, count and size in them replaced by large ones.
fn lies(whole: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let large: [&[u8]; 6] =
        [b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\xff\xff\xff\x7f", b"\x00\x01\x00\x00", b"\xff\xff", b"\x9f"];
    let overwritten = (0..whole.len()).flat_map(move |position| {
        large.into_iter().map(move |large| {
            let mut lie = whole.to_vec();
            let end = whole.len().min(position + large.len());
            lie[position..end].copy_from_slice(&large[..end - position]);
            lie
        })
    });
    let cut = (0..whole.len()).map(|length| whole[..length].to_vec());
    overwritten.chain(cut).chain([whole.to_vec()])
}

#[test]
fn array_metalayers_take_no_more_than_their_bytes_can_fill() {
    for ndim in [0, 1, 3, 16] {
        for (_, bytes) in layouts(ndim) {
            for lie in lies(&bytes) {
                decodes::<ArrayMeta>(&lie);
                decodes::<B2ndMeta>(&lie);
                decodes::<LegacyB2ndMeta>(&lie);
                decodes::<CatervaMeta>(&lie);
                decodes::<b2nd::Value>(&lie);
                decodes::<Geometry>(lie.get(1..).unwrap_or_default());
            }
        }
    }
}

#[test]
fn a_count_that_lies_reserves_no_more_than_the_input_can_fill() {
    // A count of 4 billion, then bytes that are elements.
    for length in [0, 10, 1000] {
        for marker in [0xdd, 0xdf, 0xdb, 0xc6] {
            let lie = [&[marker, 0xff, 0xff, 0xff, 0xff][..], &vec![0x80; length]].concat();
            decodes::<Vec<()>>(&lie);
            decodes::<String>(&lie);
            decodes::<serde_bytes::ByteBuf>(&lie);
            decodes::<serde::de::IgnoredAny>(&lie);
            decodes::<b2nd::Value>(&lie);
            // What a value takes in memory is its type's own matter: 24 bytes for a byte of input here.
            decodes::<Vec<Vec<u8>>>(&lie);
            decodes::<Vec<std::collections::BTreeMap<u8, u8>>>(&lie);
        }
    }
}

#[test]
fn borrowed_metadata_costs_no_allocation_in_either_direction() {
    for ndim in 0..=16 {
        for (array, bytes) in layouts(ndim) {
            let mut buffer = [0; 400];
            let (_, info) = allocated(|| {
                assert_eq!(b2nd::from_slice::<ArrayMeta<&str>>(&bytes).unwrap(), array);
                assert_eq!(b2nd::to_slice(&array, &mut buffer).unwrap(), bytes);
                assert_eq!(b2nd::serialized_len(&array).unwrap(), bytes.len());
                if let ArrayMeta::B2nd(meta) = array {
                    assert_eq!(b2nd::from_slice::<B2ndMeta<&str>>(&bytes).unwrap(), meta);
                    assert_eq!(b2nd::to_slice(&meta, &mut buffer).unwrap(), bytes);
                }
            });
            assert_eq!(info.count_total, 0, "{ndim} dimensions");
        }
    }
}

#[test]
fn owned_metadata_costs_one_allocation_in_each_direction() {
    let [.., (_, bytes)] = layouts(2);
    let (meta, info) = allocated(|| b2nd::from_slice::<B2ndMeta>(&bytes).unwrap());
    assert_eq!((info.count_total, info.bytes_total as usize), (1, meta.dtype.len()));
    let (again, info) = allocated(|| b2nd::to_vec(&meta).unwrap());
    assert_eq!((info.count_total, info.bytes_total as usize), (1, bytes.len()));
    assert_eq!(again, bytes);
}

#[test]
fn metadata_in_place_costs_no_allocation() {
    let contents: Vec<_> = (0..=16).map(layouts).collect();
    let mut meta = B2ndMeta { version: 9, geometry: Geometry::new(&[], &[], &[]).unwrap(), dtype_format: 9, dtype: "another" };
    for [.., (_, bytes)] in &contents {
        let ((), info) = allocated(|| b2nd::from_slice_in_place(bytes, &mut meta).unwrap());
        assert_eq!((info.count_total, b2nd::to_vec(&meta).unwrap()), (0, bytes.clone()));
    }
}

#[test]
fn text_and_lists_are_read_into_the_memory_that_they_have() {
    let mut value = ("a longer text than the one to come".to_owned(), vec![0u16; 40]);
    let bytes = b2nd::to_vec(&("text", [1u16, 2, 3])).unwrap();
    let ((), info) = allocated(|| b2nd::from_slice_in_place(&bytes, &mut value).unwrap());
    assert_eq!((info.count_total, value), (0, ("text".to_owned(), vec![1, 2, 3])));
}

#[test]
fn a_value_that_grows_after_it_was_counted_is_not_written() {
    /// One number, and a hundred thousand when it is serialized again.
    struct Growing(std::cell::Cell<usize>);
    impl serde::Serialize for Growing {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq((0..self.0.replace(100_000)).map(|number| number as u64))
        }
    }
    let (result, info) = allocated(|| b2nd::to_vec(&Growing(1.into())));
    assert!(result.is_err_and(|error| error.to_string().starts_with("the value is serialized twice")));
    assert!(info.bytes_total as usize <= FOR_AN_ERROR, "{} allocated", info.bytes_total);
}

#[test]
fn a_dtype_takes_no_more_than_its_string_can_fill() {
    /// A structure of nine characters, such as those in `[('a', [('a', 'O')])]`, holds a list with room for four fields.
    const PER_CHARACTER: usize = 128;
    let mut strings: Vec<String> = Vec::new();
    for file in ["dtypes", "odd", "refused", "seen"] {
        let json = std::fs::read(format!("tests/data/dtype/{file}.json")).unwrap();
        let entries: Vec<serde_json::Value> = serde_json::from_slice(&json).unwrap();
        strings.extend(entries.iter().filter_map(|entry| entry["s"].as_str()).map(str::to_owned));
    }
    assert!(strings.len() > 1000, "{} strings", strings.len());
    let nested = |depth: usize| format!("{}'O'{}", "[('a', ".repeat(depth), ")]".repeat(depth));
    strings.extend([1, 50, 100, 101].map(nested));
    let aligned = |depth: usize| {
        let (front, back) = ("{'names': ['a'], 'formats': [", "], 'offsets': [0], 'itemsize': 8, 'aligned': True}");
        format!("{}'<i8'{}", front.repeat(depth), back.repeat(depth))
    };
    strings.extend([1, 10].map(aligned));
    strings.push(format!("[{}", "('', 'O'), ".repeat(1000)));
    strings.push(format!("{{'names': [{}", "'', ".repeat(1000)));
    strings.push(format!("('O', ({}1))", "1, ".repeat(63)));
    strings.push("(".repeat(1000));
    strings.push(format!("|S{}", "9".repeat(1000)));
    for string in strings {
        let (_, info) = allocated(|| string.parse::<DType>());
        let limit = PER_CHARACTER * string.len() + FOR_AN_ERROR;
        assert!(info.bytes_total as usize <= limit, "{} characters, {} bytes: {string}", string.len(), info.bytes_total);
    }
}
