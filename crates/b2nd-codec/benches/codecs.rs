//! Compares codecs and filters with blosc2-pure-rs and with copying memory. The ratio of two times is the other time divided by that of
//! this crate, so this crate is faster if the ratio is more than 1. The last column is the length of the chunk divided by that of
//! blosc2-pure-rs.
//!
//!     cargo bench -p b2nd-codec
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::hint::black_box;
use std::time::Instant;

use b2nd_codec::{CodecId, Compressor, Decompressor, Filter, Options, SplitMode};
use blosc2_pure_rs::compress::{CParams, DParams, compress_chunk, decompress_chunk_into_with_dparams};

/// The sizes in bytes of a chunk and its blocks.
const CHUNK: usize = 4 << 20;
const BLOCK: usize = 128 << 10;

fn main() {
    let (float, int) = (float32(), sums());
    println!("decode: MiB/s, ratio to blosc2-pure-rs, to memcpy; encode: MiB/s, ratio to blosc2-pure-rs, ratio of lengths");
    let shuffle = [(Filter::Shuffle, 0)];
    for (codec, level) in [
        (CodecId::BloscLz, 5),
        (CodecId::Lz4, 5),
        (CodecId::Lz4Hc, 5),
        (CodecId::Zlib, 6),
        (CodecId::Zstd, 1),
        (CodecId::Zstd, 5),
    ] {
        for (name, data) in [("float32", &float), ("int32", &int)] {
            row(&format!("{codec} {level} {name}"), data, codec, level, &shuffle, 4);
        }
    }
    println!("filters, with LZ4 at level 1");
    for typesize in 1..=16 {
        row(&format!("shuffle, {typesize} bytes"), &int, CodecId::Lz4, 1, &shuffle, typesize);
    }
    for typesize in [1, 2, 4, 8, 16] {
        row(&format!("bitshuffle, {typesize} bytes"), &int, CodecId::Lz4, 1, &[(Filter::BitShuffle, 0)], typesize);
        row(&format!("delta, {typesize} bytes"), &int, CodecId::Lz4, 1, &[(Filter::Delta, 0)], typesize);
        let bytedelta = [(Filter::Shuffle, 0), (Filter::Other(35), typesize as u8)];
        row(&format!("shuffle, bytedelta, {typesize} bytes"), &int, CodecId::Lz4, 1, &bytedelta, typesize);
    }
    row("trunc_prec, shuffle, 4 bytes", &float, CodecId::Lz4, 1, &[(Filter::TruncPrec, 10), (Filter::Shuffle, 0)], 4);
}

/// A wave with noise that resembles measured values: the lowest bits of the fraction are zero.
fn float32() -> Vec<u8> {
    let value = |index: usize| ((index as f64 / 5000.0).sin() * 1e5 + noise(index) as f64).round() as f32 / 16.0;
    (0..CHUNK / 4).flat_map(|index| value(index).to_le_bytes()).collect()
}

/// Running sums of random numbers.
fn sums() -> Vec<u8> {
    let mut sum = 0_u32;
    let mut next = |index: usize| {
        sum += noise(index);
        sum.to_le_bytes()
    };
    (0..CHUNK / 4).flat_map(&mut next).collect()
}

/// Random numbers below 64.
fn noise(index: usize) -> u32 {
    ((index as u64).wrapping_mul(6_364_136_223_846_793_005) >> 58) as u32
}

fn row(name: &str, data: &[u8], codec: CodecId, level: u8, filters: &[(Filter, u8)], typesize: usize) {
    let data = &data[..CHUNK / typesize * typesize];
    let block = BLOCK / typesize * typesize;
    let split_mode = SplitMode::Auto;
    let options =
        Options { codec, level, typesize, blocksize: block, filters: filters.to_vec(), split_mode, ..Options::default() };
    let compressor = Compressor::new(&options).unwrap();
    let (mut codes, mut metas) = ([0; 6], [0; 6]);
    for (slot, (filter, meta)) in filters.iter().enumerate() {
        (codes[slot], metas[slot]) = (filter.code(), *meta);
    }
    let params = CParams {
        compcode: codec.code(),
        clevel: level,
        typesize: typesize as i32,
        blocksize: block as i32,
        splitmode: 3,
        filters: codes,
        filters_meta: metas,
        ..CParams::default()
    };
    let theirs = compress_chunk(data, &params).unwrap();
    let ours = compressor.chunk(data).unwrap();
    let (mut out, mut their_out) = (vec![0; data.len()], vec![0; data.len()]);
    let mut copied = vec![0; data.len()];
    let mut decompressor = Decompressor::new();
    // Both libraries decode the same bytes.
    let [decode, their_decode, copy, encode, their_encode] = best([
        &mut || decompressor.chunk(&theirs, black_box(&mut out)).unwrap(),
        &mut || {
            decompress_chunk_into_with_dparams(&theirs, black_box(&mut their_out), &DParams::default()).unwrap();
        },
        &mut || black_box(&mut copied).copy_from_slice(black_box(data)),
        &mut || drop(black_box(compressor.chunk(data).unwrap())),
        &mut || drop(black_box(compress_chunk(data, &params).unwrap())),
    ]);
    let speed = |seconds: f64| data.len() as f64 / seconds / (1 << 20) as f64;
    println!(
        "{name:32} decode {:6.0} {:5.2} {:5.2}   encode {:6.0} {:5.2} {:6.3}",
        speed(decode),
        their_decode / decode,
        copy / decode,
        speed(encode),
        their_encode / encode,
        ours.len() as f64 / theirs.len() as f64
    );
}

/// The shortest time of each function. The functions run in turns.
fn best<const N: usize>(mut work: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut best = [f64::MAX; N];
    for _ in 0..7 {
        for (best, work) in best.iter_mut().zip(&mut work) {
            let start = Instant::now();
            work();
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    best
}
