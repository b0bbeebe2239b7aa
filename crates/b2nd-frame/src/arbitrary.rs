//! Implements `arbitrary::Arbitrary` for the types of metadata that cannot derive it, so that fuzzers can generate them. Every generated
//! value is valid: its encoding can be decoded again.

use alloc::string::ToString;
use alloc::vec::Vec;

use arbitrary::{Arbitrary, Error, Result, Unstructured};

use crate::{CodecId, Filter, Header, MAX_METALAYERS, Metalayers, Sizes, SplitMode, Trailer};

/// Converts an error of a constructor into `IncorrectFormat`, which tells `arbitrary` that no valid value can be made from its random
/// bytes.
fn refused<T>(made: crate::Result<T>) -> Result<T> {
    made.map_err(|_| Error::IncorrectFormat)
}

impl<'a> Arbitrary<'a> for Sizes {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let (typesize, chunksize) = (bytes.int_in_range(1..=i32::MAX)?, bytes.int_in_range(0..=i32::MAX)?);
        Ok(Sizes { typesize, chunksize, blocksize: bytes.int_in_range(0..=chunksize)? })
    }
}

/// Generates at most 16 metalayers.
impl<'a> Arbitrary<'a> for Metalayers {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
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

impl<'a> Arbitrary<'a> for Header {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let filters = 0..bytes.int_in_range(0..=6)?;
        let filters = filters.map(|_| Ok((Filter::from_code(bytes.arbitrary()?), bytes.arbitrary()?)));
        let filters: Vec<(Filter, u8)> = filters.collect::<Result<_>>()?;
        let codec = CodecId::from_code(bytes.arbitrary()?);
        let split_mode = bytes.choose(&[SplitMode::Always, SplitMode::Never, SplitMode::Auto, SplitMode::ForwardCompat])?;
        let header = refused(Header::new(bytes.arbitrary()?).and_then(|header| header.with_codec(codec)))?;
        let header =
            refused(header.with_level(bytes.int_in_range(0..=9)?).and_then(|header| header.with_split_mode(*split_mode)))?;
        let mut header = refused(header.with_filters(&filters))?;
        *header.metalayers_mut() = bytes.arbitrary()?;
        Ok(header)
    }
}

impl<'a> Arbitrary<'a> for Trailer {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        Ok(Trailer::new(bytes.arbitrary()?))
    }
}
