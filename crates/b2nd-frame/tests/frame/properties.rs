//! Properties of random values and bytes: written values are read back, accepted bytes are written back unchanged, and the
//! length of the bytes depends only on the lengths inside the value.

use crate::common::Hex;
use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, Geometry, LegacyB2ndMeta};
use b2nd_frame::{ChunkHeader, Header, Metalayers, Trailer};

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

fn geometry() -> impl Strategy<Value = Geometry> {
    vec((0..i64::MAX, 0..i32::MAX, 0..i32::MAX, any::<bool>()), 0..=16).prop_map(|lengths| {
        let shape: Vec<i64> = lengths.iter().map(|&(length, .., empty)| if empty { 0 } else { length }).collect();
        let part = |length: i32, empty: bool| if empty { length % 2 } else { length.max(1) };
        let chunkshape: Vec<i32> = lengths.iter().map(|&(_, length, _, empty)| part(length, empty)).collect();
        let blockshape: Vec<i32> = lengths.iter().map(|&(_, _, length, empty)| part(length, empty)).collect();
        Geometry::new(&shape, &chunkshape, &blockshape).unwrap()
    })
}

fn array() -> impl Strategy<Value = ArrayMeta> {
    let layout = prop::sample::select(vec![0, 1, 2, 3]);
    (layout, 0..128u8, geometry(), 0..128u8, any::<String>()).prop_map(|(layout, version, geometry, dtype_format, dtype)| {
        let b2nd = B2ndMeta { version, geometry, dtype_format, dtype: dtype.clone() };
        match layout {
            0 => ArrayMeta::Caterva(CatervaMeta { version, geometry }),
            1 => ArrayMeta::LegacyB2nd(LegacyB2ndMeta { version, geometry, dtype }),
            2 => ArrayMeta::MiscountedB2nd(b2nd),
            _ => ArrayMeta::B2nd(b2nd),
        }
    })
}

type Pair = (Vec<u8>, Vec<u8>);

fn metalayers() -> impl Strategy<Value = Vec<Pair>> {
    btree_map(vec(any::<u8>(), 0..=31), vec(any::<u8>(), 0..60), 0..18)
        .prop_map(|names| names.into_iter().collect())
        .prop_shuffle()
}

fn borrowed(pairs: &[Pair]) -> Vec<(&[u8], &[u8])> {
    pairs.iter().map(|(name, content)| (name.as_slice(), content.as_slice())).collect()
}

/// The bytes of a random header. Fields that do not depend on the metalayers have random valid values: nbytes and chunksize are
/// not negative, and typesize is at least 1.
fn header() -> impl Strategy<Value = Vec<u8>> {
    let flags = (prop::sample::select(vec![0x12, 0x53, 0x93, 0xd3]), 0..2u8, any::<[u8; 2]>());
    let numbers = (any::<[u64; 3]>(), any::<[u32; 3]>(), any::<[u16; 2]>(), any::<bool>());
    (metalayers(), flags, numbers, 0..7u8, any::<[u8; 16]>()).prop_map(|(metalayers, flags, numbers, slots, pipeline)| {
        let mut bytes = crate::common::header(&borrowed(&metalayers));
        let (long, middle, short, has_vlmetalayers) = numbers;
        let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
        let (long, middle) = ([long[0], long[1] >> 1, long[2]], [(middle[0] >> 1).max(1), middle[1], middle[2] >> 1]);
        [0x10, 0x1e, 0x27].into_iter().zip(long).for_each(|(at, field)| put(at, &field.to_be_bytes()));
        [0x30, 0x35, 0x3a].into_iter().zip(middle).for_each(|(at, field)| put(at, &field.to_be_bytes()));
        [0x3f, 0x42].into_iter().zip(short).for_each(|(at, field)| put(at, &field.to_be_bytes()));
        put(0x19, &[flags.0, flags.1]);
        put(0x1b, &flags.2);
        put(0x44, &[0xc2 + u8::from(has_vlmetalayers)]);
        put(0x46, &[slots]);
        put(0x47, &pipeline);
        bytes
    })
}

/// The bytes of a random trailer. Its metalayers are stored as in a header, but idx and the offsets count from other positions.
fn trailer() -> impl Strategy<Value = Vec<u8>> {
    (metalayers(), 0..128u8, any::<[u8; 17]>()).prop_map(|(metalayers, version, fingerprint)| {
        let mut bytes = [&[0x94, version][..], &crate::common::header(&borrowed(&metalayers))[0x57..]].concat();
        let idx = u16::from_be_bytes([bytes[4], bytes[5]]) - 1;
        bytes[4..6].copy_from_slice(&idx.to_be_bytes());
        let mut at = 9;
        for (name, _) in &metalayers {
            at += 1 + name.len() + 1;
            let offset: [u8; 4] = bytes[at..at + 4].try_into().unwrap();
            bytes[at..at + 4].copy_from_slice(&(u32::from_be_bytes(offset) - (0x57 - 2)).to_be_bytes());
            at += 4;
        }
        let length = u32::try_from(bytes.len() + 23).unwrap();
        bytes.push(0xce);
        bytes.extend(length.to_be_bytes());
        bytes.push(0xd8);
        bytes.extend(fingerprint);
        bytes
    })
}

/// A change that breaks bytes: the position, the number of bytes to remove, and the bytes to insert.
type Change = (prop::sample::Index, usize, Vec<u8>);

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let piece = prop_oneof![
        any::<u8>().prop_map(|byte| vec![byte]),
        prop::sample::select(vec![0x90u8, 0x97, 0x96, 0xa0, 0xc0, 0xcc, 0xd2, 0xd3, 0xdb, 0xdc, 0xde])
            .prop_map(|byte| vec![byte]),
        Just(vec![]),
        vec(any::<u8>(), 0..4),
    ];
    vec((any::<prop::sample::Index>(), 0..3usize, piece), 1..3)
}

fn changed(bytes: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (index, cut, piece) in changes {
        let start = index.index(bytes.len() + 1);
        let end = bytes.len().min(start + cut);
        bytes.splice(start..end, piece.iter().copied());
    }
    bytes
}

/// Checks that a written value is read back, equal and to its last byte.
#[track_caller]
fn comes_back<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) -> Vec<u8> {
    let bytes = b2nd::to_vec(value).unwrap();
    assert_eq!(bytes.len(), b2nd::serialized_len(value).unwrap());
    assert_eq!(&b2nd::from_slice::<T>(&bytes).unwrap(), value);
    let longer = [bytes.as_slice(), b"\xc0"].concat();
    assert_eq!(b2nd::take_from_slice::<T>(&longer).unwrap().1, b"\xc0");
    bytes
}

/// Checks that bytes are either rejected or written back unchanged. Returns whether they were accepted.
#[track_caller]
fn exact_or_refused<T: Serialize + DeserializeOwned>(bytes: &[u8]) -> bool {
    let Ok(value) = b2nd::from_slice::<T>(bytes) else { return false };
    assert_eq!(Hex(&b2nd::to_vec(&value).unwrap()), Hex(bytes));
    true
}

#[track_caller]
fn exact_or_refused_by_every_type(bytes: &[u8]) {
    exact_or_refused::<Geometry>(bytes);
    exact_or_refused::<CatervaMeta>(bytes);
    exact_or_refused::<LegacyB2ndMeta>(bytes);
    exact_or_refused::<B2ndMeta>(bytes);
    if let Ok((array, rest)) = ArrayMeta::from_metalayer(bytes) {
        assert_eq!(Hex(&array.to_metalayer().unwrap()), Hex(&bytes[..bytes.len() - rest.len()]));
    }
    exact_or_refused::<Metalayers>(bytes);
    exact_or_refused::<Header>(bytes);
    exact_or_refused::<Trailer>(bytes);
    exact_or_refused::<b2nd::dtype::DType>(bytes);
    if let Ok(header) = Header::from_slice(bytes) {
        assert_eq!(Hex(&b2nd::to_vec(&header).unwrap()), Hex(&bytes[..header.header_len()]));
    }
}

/// Checks that every proper prefix is an unexpected end of input that needs at most the number of missing bytes.
#[track_caller]
fn ends_early_everywhere<T>(whole: &[u8], read: impl Fn(&[u8]) -> b2nd_frame::Result<T>) {
    for length in 0..whole.len() {
        let error = read(&whole[..length]).err().unwrap();
        assert!(error.needed().is_some_and(|needed| (1..=whole.len() - length).contains(&needed)), "{length}: {error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_header_is_written_back(bytes in header()) {
        prop_assert!(exact_or_refused::<Header>(&bytes));
        let header = Header::from_slice(&bytes).unwrap();
        prop_assert_eq!(&comes_back(&header), &bytes);
        comes_back(header.metalayers());
        let lengths: usize = header.metalayers().iter().map(|(name, content)| 11 + name.len() + content.len()).sum();
        prop_assert_eq!(bytes.len(), 97 + lengths);
    }

    #[test]
    fn a_trailer_is_written_back_and_ends_early_everywhere(bytes in trailer()) {
        prop_assert!(exact_or_refused::<Trailer>(&bytes));
        let trailer = Trailer::from_slice(&bytes).unwrap();
        prop_assert_eq!(&comes_back(&trailer), &bytes);
        ends_early_everywhere(&bytes, Trailer::from_slice);
        let lengths: usize = trailer.vlmetalayers().raw_chunks().iter().map(|(name, content)| 11 + name.len() + content.len()).sum();
        prop_assert_eq!(bytes.len(), 35 + lengths);
    }

    #[test]
    fn changed_bytes_are_refused_or_written_back(
        array in array(), header in header(), trailer in trailer(), changes in changes(),
    ) {
        let geometry = b2nd::to_vec(array.geometry()).unwrap();
        for bytes in [array.to_metalayer().unwrap(), geometry, header, trailer] {
            exact_or_refused_by_every_type(&changed(&bytes, &changes));
        }
    }

    #[test]
    fn a_chunk_header_is_kept_as_it_is(bytes in any::<[u8; 32]>(), sizes in any::<[u16; 3]>(), extended in any::<bool>()) {
        let mut bytes = bytes;
        bytes[2] = if extended { bytes[2] | 0x05 } else { bytes[2] & !0x05 };
        for (at, size) in [4, 8, 12].into_iter().zip(sizes) {
            bytes[at..at + 4].copy_from_slice(&u32::from(size).to_le_bytes());
        }
        let Ok(header) = ChunkHeader::from_slice(&bytes) else { return Ok(()) };
        let length = if extended { 32 } else { 16 };
        prop_assert_eq!(header.as_bytes(), &bytes[..length]);
        ends_early_everywhere(&bytes[..length], |bytes| Ok(ChunkHeader::from_slice(bytes)?));
    }
}
