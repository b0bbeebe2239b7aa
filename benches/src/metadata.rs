//! Encodes and decodes the metalayer of an array, and a user's struct.

use std::ffi::CString;
use std::hint::black_box;

use b2nd::{ArrayMeta, B2ndMeta, Geometry};
use serde::{Deserialize, Serialize};

use crate::{Operation, c, forever, hand};

const DTYPE: &str = "<f8";

/// Returns a geometry whose lengths need one, two and more bytes, as in real arrays.
fn geometry(ndim: usize) -> Geometry {
    let list = |first: i64| (0..ndim as i64).map(|index| first * (index % 5 + 1)).collect::<Vec<_>>();
    let narrow = |first| list(first).into_iter().map(|length| length as i32).collect::<Vec<_>>();
    Geometry::new(&list(40_000), &narrow(300), &narrow(20)).unwrap()
}

/// Returns an operation for each way to encode the metalayer of an array with `ndim` dimensions.
pub(crate) fn encode(ndim: usize) -> Vec<Operation> {
    let meta = forever(B2ndMeta::new(geometry(ndim), DTYPE));
    let expected: &[u8] = forever(b2nd::to_vec(meta).unwrap());
    let dtype = forever(CString::new(DTYPE).unwrap());
    let length = expected.len();
    let mut buffer = [0; hand::CAPACITY];
    assert_eq!(b2nd::to_slice(meta, &mut buffer).unwrap(), expected);
    assert_eq!(b2nd::serialized_len(meta).unwrap(), length);
    let mut writer = Vec::new();
    b2nd::to_writer(&mut writer, meta).unwrap();
    assert_eq!(writer, expected);
    c::encode(&meta.geometry, dtype, |bytes| assert_eq!(bytes, expected));
    let mut by_hand = [0; hand::CAPACITY];
    assert_eq!(hand::encode(&meta.geometry, &meta.dtype, &mut by_hand), Some(length));
    assert_eq!(&by_hand[..length], expected);
    let compact = rmp_serde::to_vec(meta).unwrap();
    assert_eq!(rmp_serde::from_slice::<B2ndMeta>(&compact).unwrap(), *meta);

    let mut copied = [0; hand::CAPACITY];
    let mut reused = Vec::with_capacity(hand::CAPACITY);
    vec![
        Operation::new("encode", ndim, "copy", move || {
            black_box(&mut copied)[..length].copy_from_slice(black_box(expected));
        }),
        Operation::new("encode", ndim, "by_hand", move || {
            let meta = black_box(meta);
            hand::encode(&meta.geometry, &meta.dtype, black_box(&mut by_hand))
        }),
        Operation::new("encode", ndim, "b2nd::to_slice", move || {
            b2nd::to_slice(black_box(meta), black_box(&mut buffer)).map(|written| written.len())
        }),
        Operation::new("encode", ndim, "b2nd::to_vec", move || b2nd::to_vec(black_box(meta))),
        Operation::new("encode", ndim, "b2nd::to_writer", move || {
            writer.clear();
            b2nd::to_writer(black_box(&mut writer), black_box(meta))
        }),
        Operation::new("encode", ndim, "b2nd::serialized_len", move || b2nd::serialized_len(black_box(meta))),
        Operation::new("encode", ndim, "C", move || {
            c::encode(&black_box(meta).geometry, dtype, |bytes| {
                black_box(bytes);
            })
        }),
        Operation::new("encode", ndim, "rmp_serde::to_vec", move || rmp_serde::to_vec(black_box(meta))),
        Operation::new("encode", ndim, "rmp_serde::encode::write", move || {
            reused.clear();
            rmp_serde::encode::write(black_box(&mut reused), black_box(meta))
        }),
    ]
}

/// Returns an operation for each way to decode the metalayer of an array with `ndim` dimensions.
pub(crate) fn decode(ndim: usize) -> Vec<Operation> {
    let meta = forever(B2ndMeta::new(geometry(ndim), DTYPE));
    let bytes: &[u8] = forever(b2nd::to_vec(meta).unwrap());
    let compact: &[u8] = forever(rmp_serde::to_vec(meta).unwrap());
    let borrowed: B2ndMeta<&str> = b2nd::from_slice(bytes).unwrap();
    assert_eq!(borrowed.into_owned(), *meta);
    assert_eq!(ArrayMeta::from_metalayer(bytes).unwrap().0.into_owned(), ArrayMeta::B2nd(meta.clone()));
    let mut by_hand = hand::Decoded::default();
    hand::decode(bytes, &mut by_hand).unwrap();
    let mut by_c = c::Decoded::default();
    assert_eq!(c::decode_with_dtype(bytes, &mut by_c), DTYPE);
    for (shape, chunkshape, blockshape) in
        [(by_hand.shape, by_hand.chunkshape, by_hand.blockshape), (by_c.shape, by_c.chunkshape, by_c.blockshape)]
    {
        assert_eq!(Geometry::new(&shape[..ndim], &chunkshape[..ndim], &blockshape[..ndim]).unwrap(), meta.geometry);
    }

    vec![
        Operation::new("decode", ndim, "by_hand", move || hand::decode(black_box(bytes), black_box(&mut by_hand))),
        Operation::new("decode", ndim, "b2nd::B2ndMeta<&str>", move || b2nd::from_slice::<B2ndMeta<&str>>(black_box(bytes))),
        Operation::new("decode", ndim, "b2nd::B2ndMeta", move || b2nd::from_slice::<B2ndMeta>(black_box(bytes))),
        Operation::new("decode", ndim, "b2nd::ArrayMeta<&str>", move || ArrayMeta::from_metalayer(black_box(bytes))),
        Operation::new("decode", ndim, "C", move || c::decode(black_box(bytes), black_box(&mut by_c))),
        Operation::new("decode", ndim, "rmp_serde<&str>", move || rmp_serde::from_slice::<B2ndMeta<&str>>(black_box(compact))),
        Operation::new("decode", ndim, "rmp_serde", move || rmp_serde::from_slice::<B2ndMeta>(black_box(compact))),
    ]
}

/// A struct with derived traits, as a user without [`Geometry`] would define it.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Derived {
    version: u8,
    ndim: u8,
    shape: Vec<i64>,
    chunkshape: Vec<i32>,
    blockshape: Vec<i32>,
    dtype_format: u8,
    dtype: String,
}

/// Returns operations that encode and decode a derived struct with three vectors and a string.
pub(crate) fn derived() -> Vec<Operation> {
    let geometry = geometry(3);
    let value = forever(Derived {
        version: 0,
        ndim: 3,
        shape: geometry.shape().to_vec(),
        chunkshape: geometry.chunkshape().to_vec(),
        blockshape: geometry.blockshape().to_vec(),
        dtype_format: 0,
        dtype: DTYPE.to_owned(),
    });
    let bytes: &[u8] = forever(b2nd::to_vec(value).unwrap());
    let compact: &[u8] = forever(rmp_serde::to_vec(value).unwrap());
    assert_eq!(bytes, b2nd::to_vec(&B2ndMeta::new(geometry, DTYPE)).unwrap());
    assert_eq!(b2nd::from_slice::<Derived>(bytes).unwrap(), *value);
    assert_eq!(rmp_serde::from_slice::<Derived>(compact).unwrap(), *value);
    vec![
        Operation::new("derived_encode", 3, "b2nd::to_vec", move || b2nd::to_vec(black_box(value))),
        Operation::new("derived_encode", 3, "rmp_serde::to_vec", move || rmp_serde::to_vec(black_box(value))),
        Operation::new("derived_decode", 3, "b2nd::from_slice", move || b2nd::from_slice::<Derived>(black_box(bytes))),
        Operation::new("derived_decode", 3, "rmp_serde::from_slice", move || {
            rmp_serde::from_slice::<Derived>(black_box(compact))
        }),
    ]
}
