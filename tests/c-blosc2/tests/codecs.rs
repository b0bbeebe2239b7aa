//! Chunks compressed by C and decompressed by C and Rust, with every codec and filter that is built in; and compressed indexes.

mod common;

use b2nd::Geometry;
use b2nd_c_blosc2::{Array, Compression, Fill, SuperChunk, compress, decompress};
use b2nd_codec::{ChunkHeader, ErrorKind, Options, SplitMode};
use b2nd_frame::{Chunk, CodecId, Decompressor, File, Filter, Frame, Offset};
use common::{assert_agree, meta};
use fastrand::Rng;
use tempfile::TempDir;

/// This build of the C library has no Zlib.
const CODECS: [CodecId; 4] = [CodecId::BloscLz, CodecId::Lz4, CodecId::Lz4Hc, CodecId::Zstd];

/// Pipelines of filters with their parameters.
const PIPELINES: [&[(Filter, u8)]; 7] = [
    &[],
    &[(Filter::Shuffle, 0)],
    &[(Filter::BitShuffle, 0)],
    &[(Filter::Delta, 0)],
    &[(Filter::Delta, 0), (Filter::Shuffle, 0)],
    &[(Filter::TruncPrec, 10), (Filter::Shuffle, 0)],
    &[(Filter::Shuffle, 2)],
];

fn compression(codec: CodecId, level: u8, pipeline: &[(Filter, u8)]) -> Compression {
    let mut how = Compression { codec: codec.code(), level, filters: [0; 6], filters_meta: [0; 6], ..Default::default() };
    for (slot, &(filter, meta)) in (6 - pipeline.len()..).zip(pipeline) {
        (how.filters[slot], how.filters_meta[slot]) = (filter.code(), meta);
    }
    how
}

/// Compressible float32 data: a slowly growing curve.
fn wave(count: usize) -> Vec<u8> {
    (0..count).flat_map(|at| ((at / 7) as f32).sqrt().to_le_bytes()).collect()
}

#[test]
fn every_codec_and_filter() {
    let dir = TempDir::new().unwrap();
    let geometry = Geometry::new(&[70, 50], &[32, 32], &[16, 32]).unwrap();
    let values = wave(70 * 50);
    let mut compressed = 0;
    for (number, (&codec_used, pipeline)) in CODECS.iter().flat_map(|codec| PIPELINES.iter().map(move |p| (codec, p))).enumerate()
    {
        for level in [1, 5, 9] {
            let path = dir.path().join(format!("{number} {level}"));
            let how = compression(codec_used, level, pipeline);
            let contiguous = number % 2 == 0;
            drop(Array::create(&path, contiguous, &meta(&geometry, "<f4"), 4, how, Fill::Values(&values)).unwrap());

            let read = assert_agree(&path).unwrap();
            if pipeline.iter().all(|(filter, _)| *filter != Filter::TruncPrec) {
                assert!(read == values, "{codec_used} {pipeline:?} {level}");
            }
            let file = File::open(&path).unwrap();
            let header = file.header();
            assert_eq!((header.codec(), header.level()), (codec_used, level));
            assert_eq!(header.filters().collect::<Vec<_>>(), *pipeline);
            for number in 0..6 {
                let chunk = file.chunk(number).unwrap();
                if !chunk.header().is_stored() {
                    compressed += 1;
                    assert_eq!(chunk.header().codec(), codec_used);
                    assert_eq!(chunk.header().filters().collect::<Vec<_>>(), *pipeline);
                }
            }
        }
    }
    assert!(compressed > 400, "{compressed} of 504 chunks are compressed");
}

#[test]
fn compressed_indexes() {
    let dir = TempDir::new().unwrap();
    let mut rng = Rng::with_seed(9);
    for contiguous in [true, false] {
        let path = dir.path().join(contiguous.to_string());
        let mut theirs = SuperChunk::create(&path, contiguous, 1, Compression::default()).unwrap();
        let chunks: Vec<Vec<u8>> =
            (0..600).map(|_| if rng.bool() { vec![0; 64] } else { (0..64).map(|_| rng.u8(..)).collect() }).collect();
        chunks.iter().for_each(|chunk| theirs.append(chunk).unwrap());
        theirs.set_vlmetalayer("title", &[1; 500]).unwrap();
        drop(theirs);

        let file = File::open(&path).unwrap();
        let offsets = file.offsets().unwrap();
        assert_eq!(offsets.len(), 600);
        assert!(offsets.iter().any(|offset| matches!(offset, Offset::Special(_))));
        for (number, data) in (0..).zip(&chunks) {
            assert!(file.chunk(number).unwrap().data().unwrap() == *data);
        }
        assert_eq!(assert_agree(&path), None);

        // The index stays readable when we edit the file.
        let mut file = File::edit(&path).unwrap();
        file.set_vlmetalayer_bytes("more", b"ours").unwrap();
        assert_eq!(assert_agree(&path), None);
        file.rewrite(|metalayers| metalayers.insert("user", vec![0; 99]).map(drop)).unwrap();
        assert_eq!(assert_agree(&path), None);
        if contiguous {
            let bytes = std::fs::read(&path).unwrap();
            let frame = Frame::from_slice(&bytes).unwrap();
            assert!(frame.chunk(599).unwrap().data().unwrap() == chunks[599]);
        }
    }
}

#[test]
fn a_decompressor_of_c_takes_what_the_safe_set_does_not_have() {
    let how = Compression { codec: CodecId::Zstd.code(), ..Compression::default() };
    let chunk = compress(&wave(1000), 4, 0, how).unwrap();
    let chunk = Chunk::from_slice(&chunk).unwrap();
    let decompressor = |start: usize| {
        Decompressor::safe().with_fallback(move |chunk, data| {
            decompress(chunk, &mut data[start..]).map_err(|error| ErrorKind::Message(error.to_string()).into())
        })
    };
    assert!(*chunk.clone().into_data_with(&mut decompressor(0)).unwrap() == wave(1000));
    let error = chunk.into_data_with(&mut decompressor(1)).unwrap_err().to_string();
    assert!(error.starts_with("blosc2_decompress returned -"), "{error}");
}

/// Streams of less than 256 bytes differ. At level 9, the acceleration is 1, which this C library uses for all levels.
#[test]
fn lz4_compresses_to_the_bytes_of_c() {
    let mut rng = Rng::with_seed(4);
    let (codec, level, split_mode) = (CodecId::Lz4, 9, SplitMode::Never);
    for length in [1 << 12, 65_536, 65_546, 65_547, 70_000, 262_140, 300_000] {
        // The typesize divides the length. All data but the longest is one block.
        let typesize = if length % 4 == 0 { 4 } else { 1 };
        let noise = (0..length).map(|_| rng.u8(..3)).collect();
        for (data, filters) in [noise, wave(length / 4), vec![7; length]].iter().zip([PIPELINES[0], PIPELINES[1], PIPELINES[0]]) {
            let how = Compression { splitmode: 2, ..compression(codec, level, filters) };
            let theirs = compress(data, typesize, 0, how).unwrap();
            let blocksize = ChunkHeader::from_slice(&theirs).unwrap().blocksize();
            let options =
                Options { codec, level, typesize, blocksize, filters: filters.to_vec(), split_mode, ..Options::default() };
            let ours = b2nd_codec::compress(data, &options).unwrap();
            assert!(ours == theirs, "{length} bytes: {} and {}", ours.len(), theirs.len());
        }
    }
}
