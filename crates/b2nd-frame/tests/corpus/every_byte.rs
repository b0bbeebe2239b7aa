//! Changes bytes in metadata that real programs wrote, one at a time. The result is rejected, or written back unchanged.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::Hex;
use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, LegacyB2ndMeta};
use b2nd_frame::{File, Header, Trailer};
use serde::{Deserialize, Serialize};

/// The different headers, trailers and array metalayers of the files in `tests/data`.
#[derive(Default)]
struct Parts {
    /// Headers, each with some of the bytes that follow it in its file.
    headers: BTreeSet<Vec<u8>>,
    trailers: BTreeSet<Vec<u8>>,
    arrays: BTreeSet<Vec<u8>>,
}

fn parts() -> Parts {
    let mut parts = Parts::default();
    for path in crate::common::files("../../tests/data") {
        let Ok(file) = File::open(&path) else { continue };
        let (header, bytes) = (file.header(), std::fs::read(&path).unwrap());
        parts.headers.insert(bytes[..bytes.len().min(header.header_len() + 64)].to_vec());
        for name in ["b2nd", "caterva"] {
            parts.arrays.extend(header.metalayers().get(name).map(<[u8]>::to_vec));
        }
        if let Ok(trailer) = file.trailer() {
            let end = usize::try_from(header.frame_len()).unwrap();
            parts.trailers.insert(bytes[end - trailer.trailer_len()..end].to_vec());
        }
    }
    for path in crate::common::files("../../tests/data") {
        if path.extension().is_some_and(|extension| extension == "b2ndmeta") {
            parts.arrays.insert(std::fs::read(path).unwrap());
        }
    }
    parts
}

/// Replaces bytes by other values, one at a time, and counts the results that were accepted. In long input, some bytes are skipped.
fn change_each(whole: &[u8], values: impl Fn(u8) -> Vec<u8>, is_accepted: impl Fn(&[u8]) -> bool) -> usize {
    let mut bytes = whole.to_vec();
    let mut accepted = 0;
    // The longest header takes 70 KB, and nearly all of it is the content of one metalayer.
    for position in (0..bytes.len()).step_by(1 + whole.len() / 6000) {
        let value = bytes[position];
        for other in values(value) {
            bytes[position] = other;
            accepted += usize::from(other != value && is_accepted(&bytes));
        }
        bytes[position] = value;
    }
    accepted
}

/// The value with one bit or all bits flipped, its neighbors, and markers that are easily confused.
fn some(value: u8) -> Vec<u8> {
    vec![value ^ 0x01, value ^ 0x80, !value, value.wrapping_add(1), value.wrapping_sub(1), 0, 0xc0, 0xd2, 0xdb]
}

fn all(_: u8) -> Vec<u8> {
    (0..=255).collect()
}

#[track_caller]
fn exact_or_refused<'de, T: Serialize + Deserialize<'de>>(bytes: &'de [u8]) -> bool {
    let Ok((value, rest)) = b2nd::take_from_slice::<T>(bytes) else { return false };
    assert_eq!(Hex(&b2nd::to_vec(&value).unwrap()), Hex(&bytes[..bytes.len() - rest.len()]));
    true
}

#[test]
fn every_other_byte_in_an_array_metalayer() {
    // One array for each first byte and length, to cover different numbers of dimensions and dtypes.
    let arrays: BTreeMap<_, _> = parts().arrays.into_iter().map(|array| ((array[0], array.len()), array)).collect();
    assert!(arrays.len() > 20, "{} metalayers", arrays.len());
    let accepted: usize = arrays
        .values()
        .map(|array| {
            // Stale bytes after a squeeze are part of the frame, but not of the array.
            let stale = ArrayMeta::from_metalayer(array).map_or(0, |(_, rest)| rest.len());
            change_each(&array[..array.len() - stale], all, |bytes| {
                let by_its_type = match bytes[0] {
                    0x95 => exact_or_refused::<CatervaMeta>(bytes),
                    0x96 => exact_or_refused::<LegacyB2ndMeta<&str>>(bytes),
                    _ => exact_or_refused::<B2ndMeta<&str>>(bytes),
                };
                let by_any = ArrayMeta::from_metalayer(bytes).is_ok_and(|(array, rest)| {
                    assert_eq!(Hex(&array.to_metalayer().unwrap()), Hex(&bytes[..bytes.len() - rest.len()]));
                    true
                });
                assert!(by_any || !by_its_type, "{:?}", Hex(bytes));
                by_any
            })
        })
        .sum();
    assert!(accepted > 10_000, "{accepted} accepted");
}

#[test]
fn other_bytes_in_a_header() {
    let headers = parts().headers;
    assert!(headers.len() > 60, "{} headers", headers.len());
    let accepted: usize = headers
        .iter()
        .map(|header| {
            change_each(header, some, |bytes| {
                let Ok(header) = Header::from_slice(bytes) else { return false };
                assert_eq!(Hex(&b2nd::to_vec(&header).unwrap()), Hex(&bytes[..header.header_len()]));
                true
            })
        })
        .sum();
    assert!(accepted > 10_000, "{accepted} accepted");
}

#[test]
fn other_bytes_in_a_trailer() {
    let trailers = parts().trailers;
    assert!(trailers.len() > 10, "{} trailers", trailers.len());
    let accepted: usize = trailers
        .iter()
        .map(|trailer| {
            change_each(trailer, some, |bytes| {
                let Ok(trailer) = Trailer::from_slice(bytes) else { return false };
                assert_eq!(Hex(&b2nd::to_vec(&trailer).unwrap()), Hex(bytes));
                true
            })
        })
        .sum();
    assert!(accepted > 1000, "{accepted} accepted");
}
