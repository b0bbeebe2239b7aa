//! Metalayers of arrays: we write the same bytes as C, and each library reads what the other wrote.

use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, Geometry};
use b2nd_c_blosc2::{Meta, deserialize_meta, serialize_meta};
use fastrand::Rng;

/// A random length with any number of bits; half of them are at the edges of the integer types.
fn length(rng: &mut Rng) -> i64 {
    const EDGES: [i64; 11] =
        [0, 1, 2, 127, 128, i32::MAX as i64 - 1, i32::MAX as i64, i32::MAX as i64 + 1, u32::MAX as i64, i64::MAX - 1, i64::MAX];
    if rng.bool() { EDGES[rng.usize(..EDGES.len())] } else { rng.i64(0..) >> rng.u32(0..63) }
}

/// A random length of a chunk or block; it is 0 only if the array's length is.
fn part(rng: &mut Rng, shape: i64) -> i32 {
    const EDGES: [i32; 7] = [0, 1, 2, 127, 128, i32::MAX - 1, i32::MAX];
    let part = if rng.bool() { EDGES[rng.usize(..EDGES.len())] } else { rng.i32(0..) >> rng.u32(0..31) };
    if shape == 0 { part } else { part.max(1) }
}

fn dtype(rng: &mut Rng) -> Option<String> {
    const SEEN: [&str; 6] =
        ["|u1", "<f8", "|V12", "<M8[25s]", "[('é\"\\'q', '<i4'), ('b', 'V4')]", "{'names': ['a'], 'offsets': [8]}"];
    match rng.u8(..10) {
        0 => None,
        1 => Some(String::new()),
        2 => Some((0..rng.usize(..300)).map(|_| rng.char('\u{1}'..)).collect()),
        3 if rng.u8(..100) == 0 => Some("x".repeat(rng.usize(65_000..70_000))),
        _ => Some(SEEN[rng.usize(..SEEN.len())].to_owned()),
    }
}

fn meta(rng: &mut Rng) -> Meta {
    let shape: Vec<i64> = (0..rng.usize(..=8)).map(|_| length(rng)).collect();
    Meta {
        chunkshape: shape.iter().map(|&length| part(rng, length)).collect(),
        blockshape: shape.iter().map(|&length| part(rng, length)).collect(),
        dtype: dtype(rng),
        dtype_format: if rng.bool() { 0 } else { rng.i8(0..) },
        shape,
    }
}

#[test]
fn the_bytes_are_those_of_c_and_c_reads_them() {
    let cases = std::env::var("B2ND_CASES").map_or(20_000, |cases| cases.parse().expect("B2ND_CASES is a number"));
    let mut rng = Rng::with_seed(2);
    let mut bytes_compared = 0;
    for case in 0..cases {
        let mut meta = meta(&mut rng);
        let theirs = serialize_meta(&meta).unwrap();
        // C-Blosc2 writes a dtype of NULL as `|u1`.
        let dtype = meta.dtype.get_or_insert_with(|| "|u1".to_owned()).clone();

        let geometry = Geometry::new(&meta.shape, &meta.chunkshape, &meta.blockshape).unwrap();
        let dtype_format = meta.dtype_format.try_into().unwrap();
        let value = B2ndMeta { dtype_format, ..B2ndMeta::new(geometry, dtype) };
        let ours = b2nd::to_vec(&value).unwrap();
        assert_eq!(ours, theirs, "case {case}: {meta:?}");
        bytes_compared += ours.len();

        assert_eq!(deserialize_meta(&ours).unwrap(), meta, "case {case}");
        assert_eq!(b2nd::from_slice::<B2ndMeta>(&theirs).unwrap(), value, "case {case}");
        assert_eq!(ArrayMeta::from_metalayer(&theirs).unwrap().0.into_owned(), ArrayMeta::B2nd(value), "case {case}");

        let caterva = b2nd::to_vec(&CatervaMeta { version: 0, geometry }).unwrap();
        let without_dtype = Meta { dtype: None, dtype_format: 0, ..meta };
        assert_eq!(deserialize_meta(&caterva).unwrap(), without_dtype, "case {case}: caterva");
    }
    println!("{cases} cases, {bytes_compared} bytes, C-Blosc2 {}", b2nd_c_blosc2::version());
}
