//! Measures allocations with a global allocator: their number, and the sum of their bytes, including bytes that are freed again.
#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use allocation_counter::{AllocationInfo, measure};
use b2nd::dtype::DType;
use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, Geometry, LegacyB2ndMeta};
use common::layouts;
use serde::de::DeserializeOwned;

/// Decoding allocates at most this many bytes for each byte of input.
const PER_BYTE: usize = 32;

/// An error's message may allocate this many bytes in addition.
const FOR_AN_ERROR: usize = 2048;

/// Runs a function and returns its result and what it allocated.
fn allocated<T>(run: impl FnOnce() -> T) -> (T, AllocationInfo) {
    let mut result = None;
    let info = measure(|| result = Some(run()));
    (result.unwrap(), info)
}

/// Runs a function on `input` and checks that it allocates no more than the length of `input` allows.
#[track_caller]
fn proportionate<T>(input: &[u8], run: impl FnOnce(&[u8]) -> T) {
    let (_, info) = allocated(|| run(input));
    let limit = PER_BYTE * input.len() + FOR_AN_ERROR;
    assert!(info.bytes_total as usize <= limit, "{} bytes of input, {} allocated", input.len(), info.bytes_total);
}

/// Decodes `input` and checks that this allocates no more than the length of `input` allows.
#[track_caller]
fn decodes<T: DeserializeOwned>(input: &[u8]) {
    proportionate(input, |input| b2nd::from_slice::<T>(input));
}

/// The bytes unchanged, every prefix of them, and the bytes with a large number written over each position.
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
                proportionate(&lie, |lie| ArrayMeta::from_metalayer(lie).map(|(array, _)| array.into_owned()));
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
    // The count or length says 4 billion; as entries, the bytes after it are empty maps.
    for length in [0, 10, 1000] {
        for marker in [0xdd, 0xdf, 0xdb, 0xc6] {
            let lie = [&[marker, 0xff, 0xff, 0xff, 0xff][..], &vec![0x80; length]].concat();
            decodes::<Vec<()>>(&lie);
            decodes::<String>(&lie);
            decodes::<serde_bytes::ByteBuf>(&lie);
            decodes::<serde::de::IgnoredAny>(&lie);
            decodes::<b2nd::Value>(&lie);
            // Each of these elements takes 24 bytes in memory, though only one byte in the input.
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
            // This layout is tried only after an error in reading `LegacyB2nd`. The error allocates.
            if matches!(array, ArrayMeta::MiscountedB2nd(_)) {
                continue;
            }
            let (_, info) = allocated(|| {
                assert_eq!(ArrayMeta::from_metalayer(&bytes).unwrap().0, array);
                assert_eq!(b2nd::to_slice(&array, &mut buffer).unwrap()[1..], bytes[1..]);
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
    assert_eq!(info.count_total, 1);
    assert_eq!(again, bytes);
}

#[test]
fn a_dtype_takes_no_more_than_its_string_can_fill() {
    /// A structure of nine characters, such as those in `[('a', [('a', 'O')])]`, allocates a list with room for four fields.
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

/// Each count says 4 billion, and its first element is the next such count.
#[cfg(feature = "msgpack")]
#[test]
fn nested_counts_that_lie_reserve_nothing_in_generic_messagepack() {
    #[derive(serde::Deserialize)]
    #[allow(dead_code)]
    struct Node {
        v: Vec<Node>,
    }
    #[derive(serde::Deserialize)]
    #[serde(untagged)]
    #[allow(dead_code)]
    enum Untagged {
        Number(u8),
        List(Vec<Untagged>),
    }
    #[derive(serde::Deserialize)]
    #[allow(dead_code)]
    struct Named<T: DeserializeOwned>(#[serde(with = "b2nd::with::named", bound = "")] T);

    fn generic<T: DeserializeOwned>(lie: &[u8]) {
        proportionate(lie, |lie| assert!(b2nd::msgpack::from_slice::<T>(lie).is_err()));
        proportionate(lie, |lie| assert!(b2nd::from_slice::<Named<T>>(lie).is_err()));
    }
    let list = b"\x91\xdd\xff\xff\xff\xff".repeat(62);
    assert_eq!(list.len(), 372);
    for lie in [
        list,
        b"\x81\xa1v\xdd\xff\xff\xff\xff".repeat(62),
        b"\xdd\xff\xff\xff\xff".repeat(100),
        b"\xdf\xff\xff\xff\xff\x01".repeat(60),
    ] {
        generic::<Node>(&lie);
        generic::<Untagged>(&lie);
        generic::<b2nd::Value>(&lie);
        generic::<Vec<Vec<u64>>>(&lie);
    }
    for lie in [&b"\xdb\xff\xff\xff\xffab"[..], b"\xc6\xff\xff\xff\xffab", b"\xc9\xff\xff\xff\xff\x05ab"] {
        generic::<String>(lie);
        generic::<serde_bytes::ByteBuf>(lie);
        generic::<b2nd::Value>(lie);
    }
}
