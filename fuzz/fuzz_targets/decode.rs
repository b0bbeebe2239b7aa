//! Compressed chunks: they are rejected or decompressed, with the same result as a whole and block by block. No codec of another
//! crate panics.
#![no_main]

use b2nd_codec::{Blocks, Decompressor};
use b2nd_frame::ChunkHeader;
use libfuzzer_sys::fuzz_target;

/// A header can claim 2 GiB.
const LARGEST: usize = 1 << 20;

fuzz_target!(|input: &[u8]| {
    let Ok(header) = ChunkHeader::from_slice(input) else { return };
    if header.nbytes() > LARGEST || header.cbytes() > input.len() {
        return;
    }
    let input = &input[..header.cbytes()];
    let mut decompressor = Decompressor::new();
    let mut data = vec![0; header.nbytes()];
    if let Err(error) = decompressor.chunk(input, &mut data) {
        assert!(!error.to_string().contains("panicked"), "{error}");
        return;
    }
    let Ok(blocks) = Blocks::new(input) else { return };
    if blocks.are_variable() {
        return;
    }
    let first = &data[..blocks.data_len(0).unwrap_or(0)];
    for (number, expected) in data.chunks(header.blocksize()).enumerate() {
        let bytes = &input[blocks.range(number).expect("the whole chunk was read")];
        let mut block = vec![0; expected.len()];
        decompressor.block(&blocks, bytes, (number > 0).then_some(first), &mut block).expect("the whole chunk was read");
        assert_eq!(block, expected);
    }
});
