//! Helpers of the tests. Those that check something are `#[track_caller]`, so that a failure shows the line of the case.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::panic)]

pub mod pairs;

use std::fmt;
use std::path::{Path, PathBuf};

use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, Geometry, LegacyB2ndMeta};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Prints a line even if the test's output is captured, so that skipped parts of a test are visible.
#[allow(clippy::explicit_write)]
pub fn report(line: &str) {
    let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{line}\n").as_bytes());
}

/// Bytes that are shown in hexadecimal when an assertion fails.
#[derive(PartialEq)]
pub struct Hex<'a>(pub &'a [u8]);

impl fmt::Debug for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().take(400).try_for_each(|byte| write!(f, "{byte:02x}"))?;
        write!(f, " ({} bytes)", self.0.len())
    }
}

/// Concatenates byte strings.
pub fn cat(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

/// Checks that the value is written as these bytes.
#[track_caller]
pub fn writes<T: Serialize + ?Sized>(value: &T, bytes: &[u8]) {
    let written = b2nd::to_vec(value).unwrap();
    assert_eq!(Hex(&written), Hex(bytes));
    assert_eq!(b2nd::serialized_len(value).unwrap(), bytes.len());
    let mut buffer = vec![0xaa; bytes.len() + 1];
    assert_eq!(Hex(b2nd::to_slice(value, &mut buffer).unwrap()), Hex(bytes));
    assert_eq!(buffer[bytes.len()], 0xaa, "to_slice does not change the rest of its buffer");
    #[cfg(feature = "std")]
    {
        let mut writer = Vec::new();
        b2nd::to_writer(&mut writer, value).unwrap();
        assert_eq!(Hex(&writer), Hex(bytes));
    }
}

/// Checks that the value is written as these bytes, and that they are read as the value.
#[track_caller]
pub fn both_ways<'de, T: Serialize + Deserialize<'de> + PartialEq + fmt::Debug>(value: T, bytes: &'de [u8]) {
    writes(&value, bytes);
    assert_eq!(b2nd::from_slice::<T>(bytes).unwrap(), value);
}

/// Checks that the array is written as these bytes, and that they are read as the array even if other bytes follow.
#[track_caller]
pub fn metalayer(array: ArrayMeta<&str>, bytes: &[u8]) {
    assert_eq!(Hex(&array.to_metalayer().unwrap()), Hex(bytes));
    assert_eq!(Hex(&array.into_owned().to_metalayer().unwrap()), Hex(bytes));
    assert_eq!(ArrayMeta::from_metalayer(bytes).unwrap(), (array, &b""[..]));
    assert_eq!(ArrayMeta::from_metalayer(&cat(&[bytes, b"\xff\0"])).unwrap(), (array, &b"\xff\0"[..]));
}

/// Checks that these bytes are rejected as an array metalayer, with this message.
#[track_caller]
pub fn no_metalayer(bytes: &[u8], expected: &str) {
    assert_eq!(message(ArrayMeta::from_metalayer(bytes)), expected);
}

/// The whole message of an error. Panics if there is none.
#[track_caller]
pub fn message<T: fmt::Debug, E: fmt::Display>(result: Result<T, E>) -> String {
    match result {
        Ok(value) => panic!("expected an error, got {value:?}"),
        Err(error) => error.to_string(),
    }
}

/// Checks that these bytes are rejected as a `T`, with this message.
#[track_caller]
pub fn refused<T: DeserializeOwned + fmt::Debug>(bytes: &[u8], expected: &str) {
    assert_eq!(message(b2nd::from_slice::<T>(bytes)), expected);
}

/// Checks that writing the value fails with this message.
#[track_caller]
pub fn unwritable<T: Serialize + ?Sized>(value: &T, expected: &str) {
    assert_eq!(message(b2nd::to_vec(value)), expected);
    assert_eq!(message(b2nd::serialized_len(value)), expected);
    assert_eq!(message(b2nd::to_slice(value, &mut [0; 4096])), expected);
}

/// Encodes a value in CBOR.
pub fn cbor<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).unwrap();
    bytes
}

/// A geometry whose lengths are all different.
pub fn geometry(ndim: u8) -> Geometry {
    let lengths = 0..i32::from(ndim);
    let shape: Vec<i64> = lengths.clone().map(|index| 0x0102_0304_0506_0700 + i64::from(index)).collect();
    let chunkshape: Vec<i32> = lengths.clone().map(|index| 0x0a0b_0c00 + index).collect();
    let blockshape: Vec<i32> = lengths.map(|index| 0x1100 + index).collect();
    Geometry::new(&shape, &chunkshape, &blockshape).unwrap()
}

/// The bytes of the four entries of [`geometry`].
pub fn geometry_bytes(ndim: u8) -> Vec<u8> {
    let mut bytes = vec![ndim];
    bytes.push(0x90 + ndim);
    (0..ndim).for_each(|index| bytes.extend([0xd3, 1, 2, 3, 4, 5, 6, 7, index]));
    bytes.push(0x90 + ndim);
    (0..ndim).for_each(|index| bytes.extend([0xd2, 0x0a, 0x0b, 0x0c, index]));
    bytes.push(0x90 + ndim);
    (0..ndim).for_each(|index| bytes.extend([0xd2, 0, 0, 0x11, index]));
    bytes
}

/// An array metalayer in each layout, with its bytes.
pub fn layouts(ndim: u8) -> [(ArrayMeta<&'static str>, Vec<u8>); 4] {
    let geometry = geometry(ndim);
    let b2nd = B2ndMeta { version: 0, geometry, dtype_format: 5, dtype: "<f8" };
    let bytes = |count: u8, tail: &[u8]| [&[count, 0], geometry_bytes(ndim).as_slice(), tail].concat();
    [
        (ArrayMeta::Caterva(CatervaMeta { version: 0, geometry }), bytes(0x95, b"")),
        (ArrayMeta::LegacyB2nd(LegacyB2ndMeta { version: 0, geometry, dtype: "uint8" }), bytes(0x96, b"\xdb\0\0\0\x05uint8")),
        (ArrayMeta::MiscountedB2nd(b2nd), bytes(0x96, b"\x05\xdb\0\0\0\x03<f8")),
        (ArrayMeta::B2nd(b2nd), bytes(0x97, b"\x05\xdb\0\0\0\x03<f8")),
    ]
}

/// The contents of the metalayers in a frame's header.
pub fn metalayers(frame: &[u8]) -> Vec<Vec<u8>> {
    let (header, _) = b2nd::take_from_slice::<b2nd::Value>(frame).unwrap();
    let contents = &header.elements()[13].elements()[2];
    contents.elements().iter().map(|content| content.as_bytes().unwrap().to_vec()).collect()
}

/// All files below a directory.
pub fn files(directory: impl AsRef<Path>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(path)) } else { found.push(path) }
    }
    found
}
