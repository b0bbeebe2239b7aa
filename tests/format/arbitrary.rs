//! Metadata made of arbitrary bytes: it is valid, and comes back from its bytes.

use std::fmt::Debug;

use arbitrary::{Error, Result, Unstructured};
use b2nd::dtype::{DType, Struct, Subarray};
use b2nd::frame::{CodecId, Filter, Header, MAX_METALAYERS, Metalayers, Sizes, SplitMode, Trailer};
use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, Geometry, LegacyB2ndMeta};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Bytes that look random, the same each time.
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
fn comes_back<T: Generated + Serialize + DeserializeOwned + PartialEq + Debug>() {
    let mut made = 0;
    for seed in 0..200 {
        let Ok(value) = T::generate(&mut Unstructured::new(&noise(seed))) else { continue };
        assert_eq!(b2nd::from_slice::<T>(&b2nd::to_vec(&value).unwrap()).unwrap(), value);
        made += 1;
    }
    assert!(made > 150, "{made} of 200");
}

#[test]
fn arbitrary_metadata_comes_back() {
    comes_back::<Geometry>();
    comes_back::<B2ndMeta>();
    comes_back::<LegacyB2ndMeta>();
    comes_back::<CatervaMeta>();
    comes_back::<ArrayMeta>();
    comes_back::<DType>();
    comes_back::<Metalayers>();
    comes_back::<Header>();
    comes_back::<Trailer>();
}

/// A value made of random bytes, which is valid: its encoding can be decoded again.
trait Generated: Sized {
    fn generate(bytes: &mut Unstructured<'_>) -> Result<Self>;
}

/// Converts an error of a constructor into `IncorrectFormat`, which tells `arbitrary` that no valid value can be made from its random
/// bytes.
fn refused<T>(made: b2nd::Result<T>) -> Result<T> {
    made.map_err(|_| Error::IncorrectFormat)
}

fn fixint(bytes: &mut Unstructured<'_>) -> Result<u8> {
    bytes.int_in_range(0..=127)
}

impl Generated for Geometry {
    fn generate(bytes: &mut Unstructured<'_>) -> Result<Self> {
        let (mut shape, mut chunkshape, mut blockshape) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..bytes.int_in_range(0..=16)? {
            let length = bytes.int_in_range(0..=i64::MAX)?;
            // Only a dimension of length 0 may have chunks and blocks of length 0.
            let least = i32::from(length != 0);
            shape.push(length);
            chunkshape.push(bytes.int_in_range(least..=i32::MAX)?);
            blockshape.push(bytes.int_in_range(least..=i32::MAX)?);
        }
        refused(Geometry::new(&shape, &chunkshape, &blockshape))
    }
}

impl Generated for B2ndMeta {
    fn generate(bytes: &mut Unstructured<'_>) -> Result<Self> {
        let (version, dtype_format) = (fixint(bytes)?, fixint(bytes)?);
        Ok(B2ndMeta { version, geometry: Geometry::generate(bytes)?, dtype_format, dtype: bytes.arbitrary()? })
    }
}

impl Generated for LegacyB2ndMeta {
    fn generate(bytes: &mut Unstructured<'_>) -> Result<Self> {
        Ok(LegacyB2ndMeta { version: fixint(bytes)?, geometry: Geometry::generate(bytes)?, dtype: bytes.arbitrary()? })
    }
}

impl Generated for CatervaMeta {
    fn generate(bytes: &mut Unstructured<'_>) -> Result<Self> {
        Ok(CatervaMeta { version: fixint(bytes)?, geometry: Geometry::generate(bytes)? })
    }
}

impl Generated for ArrayMeta {
    fn generate(bytes: &mut Unstructured<'_>) -> Result<Self> {
        Ok(match bytes.int_in_range(0..=3)? {
            0 => ArrayMeta::B2nd(B2ndMeta::generate(bytes)?),
            1 => ArrayMeta::MiscountedB2nd(B2ndMeta::generate(bytes)?),
            2 => ArrayMeta::LegacyB2nd(LegacyB2ndMeta::generate(bytes)?),
            _ => ArrayMeta::Caterva(CatervaMeta::generate(bytes)?),
        })
    }
}

/// Generates scalars, and structures and subarrays that nest at most three levels deep.
impl Generated for DType {
    fn generate(bytes: &mut Unstructured<'_>) -> Result<Self> {
        dtype(bytes, 3)
    }
}

/// The dtype strings of scalars of each kind, some little-endian and some big-endian.
const SCALARS: [&str; 18] = [
    "|b1", "|i1", "|u1", "<i2", ">i2", "<i8", ">u8", "<f4", ">f8", "<c16", "|O", "|S5", "<U10", ">U1", "|V4", "<M8[ns]",
    ">m8[25s]", "bfloat16",
];

fn dtype(bytes: &mut Unstructured<'_>, depth: u8) -> Result<DType> {
    match bytes.int_in_range(0..=3)? {
        0 if depth > 0 => {
            let mut fields = Vec::new();
            for number in 0..bytes.int_in_range(0..=3)? {
                fields.push((format!("{number}{}", bytes.arbitrary::<char>()?), dtype(bytes, depth - 1)?));
            }
            let made = if bytes.arbitrary()? { Struct::packed(fields) } else { Struct::aligned(fields) };
            refused(made).map(DType::Struct)
        }
        1 if depth > 0 => {
            let shape = [bytes.int_in_range(0..=9)?, bytes.int_in_range(0..=9)?];
            refused(Subarray::new(dtype(bytes, depth - 1)?, &shape)).map(DType::Subarray)
        }
        _ => refused(bytes.choose(&SCALARS)?.parse()),
    }
}

impl Generated for Sizes {
    fn generate(bytes: &mut Unstructured<'_>) -> Result<Self> {
        let (typesize, chunksize) = (bytes.int_in_range(1..=i32::MAX)?, bytes.int_in_range(0..=i32::MAX)?);
        Ok(Sizes { typesize, chunksize, blocksize: bytes.int_in_range(0..=chunksize)? })
    }
}

/// Generates at most 16 metalayers.
impl Generated for Metalayers {
    fn generate(bytes: &mut Unstructured<'_>) -> Result<Self> {
        let mut metalayers = Metalayers::new();
        for number in 0..bytes.int_in_range(0..=MAX_METALAYERS)? {
            let name = match bytes.arbitrary::<&str>()? {
                name if name.len() < 32 && !name.contains('\0') => name.to_string(),
                _ => number.to_string(),
            };
            let content: &[u8] = bytes.arbitrary()?;
            refused(metalayers.insert(&name, content))?;
        }
        Ok(metalayers)
    }
}

impl Generated for Header {
    fn generate(bytes: &mut Unstructured<'_>) -> Result<Self> {
        let filters = 0..bytes.int_in_range(0..=6)?;
        let filters = filters.map(|_| Ok((Filter::from_code(bytes.arbitrary()?), bytes.arbitrary()?)));
        let filters: Vec<(Filter, u8)> = filters.collect::<Result<_>>()?;
        let codec = CodecId::from_code(bytes.arbitrary()?);
        let split_mode = bytes.choose(&[SplitMode::Always, SplitMode::Never, SplitMode::Auto, SplitMode::ForwardCompat])?;
        let header = refused(Header::new(Sizes::generate(bytes)?))?.with_codec(codec, bytes.arbitrary()?);
        let header = refused(header.with_level(bytes.int_in_range(0..=9)?))?.with_split_mode(*split_mode);
        let mut header = refused(header.with_filters(&filters))?;
        *header.metalayers_mut() = Metalayers::generate(bytes)?;
        Ok(header)
    }
}

impl Generated for Trailer {
    fn generate(bytes: &mut Unstructured<'_>) -> Result<Self> {
        Ok(Trailer::new(Metalayers::generate(bytes)?))
    }
}
