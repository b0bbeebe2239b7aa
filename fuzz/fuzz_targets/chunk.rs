//! Chunks: the header is kept unchanged, sizes agree with each other, and the data has the length in the header.
#![no_main]

use b2nd_frame::{Chunk, ChunkHeader, Special};
use b2nd_fuzz::explains;
use libfuzzer_sys::fuzz_target;

/// A special chunk can claim 2 GiB.
const LARGEST: usize = 1 << 16;

fuzz_target!(|input: &[u8]| {
    store(input);
    let header = match ChunkHeader::from_slice(input) {
        Ok(header) => header,
        Err(error) => return explains(error, input),
    };
    assert_eq!(header.as_bytes(), &input[..header.header_len()]);
    assert!(header.cbytes() >= header.header_len() && header.typesize() > 0 && header.blocksize() > 0);
    assert!(header.filters().count() <= 6 && !header.codec().to_string().is_empty());
    let chunk = match Chunk::from_slice(input) {
        Ok(chunk) => chunk,
        Err(error) => {
            assert_eq!(error.needed(), Some(header.cbytes() - input.len()), "{error}");
            return;
        }
    };
    assert_eq!(chunk.bytes(), &input[..header.cbytes()]);
    assert_eq!(chunk.header(), &header);
    assert_eq!(chunk.stored().is_some(), header.is_stored());
    if chunk.header().nbytes() > LARGEST {
        return;
    }
    let data = chunk.data();
    let mut place = vec![0; header.nbytes()];
    assert_eq!(b2nd_codec::Decompressor::new().chunk(chunk.bytes(), &mut place).is_ok(), data.is_ok());
    match data {
        Ok(data) => {
            assert_eq!(data, place);
            assert_eq!(chunk.clone().into_data().ok().as_deref(), Some(&data[..]));
        }
        Err(_) => assert!(header.special() == Some(Special::Nan) || header.special().is_none() && !header.is_stored()),
    }
});

/// Checks that stored data can be read back.
fn store(data: &[u8]) {
    for typesize in [1, 8, 300] {
        let chunk = Chunk::store(data, typesize).expect("data of a few bytes");
        let again = Chunk::from_slice(chunk.bytes()).expect("a new chunk is valid");
        assert_eq!(again.stored(), Some(data));
        assert_eq!(again, chunk);
    }
}
