//! The codec `blosc`: its configurations, and its chunks compared with those of C-Blosc. The comparison needs a Python that
//! `B2ND_PYTHON` names (see `../ci`); otherwise it is skipped, or fails if `CI` is set.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::fmt::Write;
use std::process::Command;
use std::sync::Arc;

use b2nd_codec::{ChunkHeader, CodecId, Filter, Format, Options, compress, decompress};
use b2nd_zarr::zarrs::array::codec::api::{BytesRepresentation, BytesToBytesCodecTraits, Codec, CodecOptions};
use b2nd_zarr::zarrs::array::{Array, ArrayBuilder, data_type};
use b2nd_zarr::zarrs::filesystem::FilesystemStore;
use b2nd_zarr::zarrs::metadata::v3::MetadataV3;
use b2nd_zarr::zarrs::storage::byte_range::ByteRange;
use fastrand::Rng;
use serde_json::{Value, json};

const NAMES: [(&str, CodecId); 6] = [
    ("blosclz", CodecId::BloscLz),
    ("lz4", CodecId::Lz4),
    ("lz4hc", CodecId::Lz4Hc),
    ("snappy", CodecId::SNAPPY),
    ("zlib", CodecId::Zlib),
    ("zstd", CodecId::Zstd),
];

fn codec(configuration: Value) -> Result<Arc<dyn BytesToBytesCodecTraits>, String> {
    let metadata = json!({"name": "blosc", "configuration": configuration});
    let metadata: MetadataV3 = serde_json::from_value(metadata).map_err(|error| error.to_string())?;
    match Codec::from_metadata(&metadata).map_err(|error| error.to_string())? {
        Codec::BytesToBytes(codec) => Ok(codec),
        _ => unreachable!(),
    }
}

fn configuration(cname: &str, clevel: u8, shuffle: &str, typesize: u8, blocksize: usize) -> Value {
    json!({"cname": cname, "clevel": clevel, "shuffle": shuffle, "typesize": typesize, "blocksize": blocksize})
}

#[test]
fn chunks_of_each_compressor_and_shuffle_come_back() {
    let options = CodecOptions::default();
    for bytes in [
        (0..32_u16).flat_map(u16::to_ne_bytes).collect(),
        (0..5000_u16).flat_map(|number| (number % 100).to_ne_bytes()).collect::<Vec<_>>(),
    ] {
        let length = BytesRepresentation::FixedSize(bytes.len() as u64);
        for (name, id) in NAMES {
            for shuffle in ["shuffle", "bitshuffle", "noshuffle"] {
                for level in [0, 4, 5] {
                    let codec = codec(configuration(name, level, shuffle, 2, 0)).unwrap();
                    let chunk = codec.encode((&bytes).into(), &options).unwrap().into_owned();
                    let header = ChunkHeader::from_slice(&chunk).unwrap();
                    assert_eq!((header.version(), header.header_len(), header.typesize()), (2, 16, 2));
                    // C-Blosc does not compress fewer than 128 bytes.
                    assert_eq!(header.is_stored(), bytes.len() < 128 || level == 0, "{name} {shuffle} {level}");
                    // LZ4 and LZ4HC have the same format.
                    let format = if id == CodecId::Lz4Hc { CodecId::Lz4 } else { id };
                    assert_eq!(header.codec(), format);
                    assert_eq!(header.filters().count(), usize::from(shuffle != "noshuffle"));
                    assert_eq!(*codec.decode(chunk.into(), &length, &options).unwrap(), bytes, "{name} {shuffle} {level}");
                }
            }
        }
    }
}

#[test]
fn a_configuration_is_checked() {
    let valid = json!({"cname": "lz4", "clevel": 4, "shuffle": "noshuffle", "blocksize": 0});
    assert_eq!(codec(valid).map(|_| ()), Ok(()));
    for (invalid, expected) in [
        (configuration("lz4", 10, "shuffle", 4, 0), "blosc"),
        (configuration("", 1, "shuffle", 4, 0), "blosc"),
        (configuration("lz4", 1, "", 4, 0), "blosc"),
    ] {
        let error = codec(invalid.clone()).map(|_| ()).unwrap_err();
        assert!(error.contains(expected), "{invalid}: {error}");
    }
    // A chunk records how it was compressed, so it can be read with any configuration.
    let (options, bytes) = (CodecOptions::default(), vec![7; 4000]);
    let chunk = codec(configuration("lz4", 4, "shuffle", 4, 0)).unwrap().encode((&bytes).into(), &options).unwrap().into_owned();
    for (unwritable, found) in [
        (configuration("lz4", 4, "bitshuffle", 0, 0), "of 1 or more, found 0"),
        (json!({"cname": "lz4", "clevel": 4, "shuffle": "shuffle", "blocksize": 0}), ", found none"),
    ] {
        let codec = codec(unwritable).unwrap();
        let error = codec.encode((&bytes).into(), &options).unwrap_err().to_string();
        assert!(error.contains("codec blosc: shuffle and bitshuffle need a typesize") && error.ends_with(found), "{error}");
        assert_eq!(*codec.decode((&chunk).into(), &BytesRepresentation::FixedSize(4000), &options).unwrap(), bytes);
    }
}

#[test]
fn a_part_of_a_chunk_is_decoded() {
    let options = CodecOptions::default();
    let bytes: Vec<u8> = (0..8_u16).flat_map(u16::to_ne_bytes).collect();
    let codec = codec(configuration("lz4", 4, "bitshuffle", 2, 0)).unwrap();
    let chunk = Arc::new(codec.encode(bytes.clone().into(), &options).unwrap());
    let length = BytesRepresentation::FixedSize(bytes.len() as u64);
    let decoder = codec.partial_decoder(chunk, &length, &options).unwrap();
    let ranges = [ByteRange::FromStart(4, Some(2)), ByteRange::FromStart(12, Some(2))];
    let parts = decoder.partial_decode_many(Box::new(ranges.into_iter()), &options).unwrap().unwrap();
    assert_eq!(parts.concat(), [2_u16, 6].map(u16::to_ne_bytes).concat());
}

#[test]
fn a_chunk_that_is_longer_than_the_array_is_refused() {
    let options = CodecOptions::default();
    let codec = codec(configuration("zstd", 5, "shuffle", 4, 0)).unwrap();
    let chunk = codec.encode(vec![7; 4000].into(), &options).unwrap().into_owned();
    let error = codec.decode(chunk.into(), &BytesRepresentation::FixedSize(3999), &options).unwrap_err();
    assert!(error.to_string().contains("expected a chunk of 3999 uncompressed bytes, found 4000"), "{error}");
}

#[test]
fn what_blosc_1_does_not_have_is_refused() {
    let options = |codec, filters: &[Filter]| Options {
        codec,
        filters: filters.iter().map(|&filter| (filter, 0)).collect(),
        format: Format::Blosc1,
        ..Options::default()
    };
    for refused in [
        options(CodecId::Other(32), &[]),
        options(CodecId::Lz4, &[Filter::Delta]),
        options(CodecId::Lz4, &[Filter::Shuffle, Filter::BitShuffle]),
    ] {
        let error = compress(&[0; 100], &refused).unwrap_err().to_string();
        let known = if refused.codec == CodecId::Lz4 { "Blosc 1 has the codecs" } else { "ndlz" };
        assert!(error.contains(known), "{error}");
    }
    let snappy = Options { format: Format::Blosc2, ..options(CodecId::SNAPPY, &[]) };
    assert_eq!(compress(&[0; 100], &snappy).unwrap_err().to_string(), "snappy is a codec of Blosc 1: Blosc2 does not read it");
}

/// Running sums, runs, repeated parts and noise.
fn sample(numbers: &mut Rng, length: usize, typesize: usize) -> Vec<u8> {
    let mut below = |limit: usize| numbers.usize(..limit.max(1));
    let (mut data, mut sum) = (Vec::with_capacity(length + 512), 0_u64);
    let noise = below(12);
    while data.len() < length {
        match below(12) {
            0 => data.resize(data.len() + below(400), below(3) as u8),
            1 if data.len() > 10 => {
                let from = data.len() - 1 - below(data.len().min(70_000) - 1);
                (0..below(300)).for_each(|at| data.push(data[from + at]));
            }
            kind if kind < noise => (0..below(200)).for_each(|_| data.push(below(256) as u8)),
            _ => (0..below(200)).for_each(|_| {
                sum += below(300) as u64;
                data.extend(sum.to_le_bytes().into_iter().cycle().take(typesize));
            }),
        }
    }
    data.truncate(length);
    data
}

/// Writes 1,000 chunks with each compressor, and five arrays, for `python/blosc.py`. The script reads them with numcodecs,
/// zarr-python and HDF5's plugin for C-Blosc, compares their lengths with those of C-Blosc, and writes its own chunks, which
/// this test reads.
#[test]
fn chunks_are_read_by_c_blosc_and_are_as_short_as_its_own() {
    let Some(python) = std::env::var_os("B2ND_PYTHON") else {
        return assert!(std::env::var_os("CI").is_none(), "B2ND_PYTHON names no Python");
    };
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let (mut numbers, mut all_data) = (Rng::with_seed(1), Vec::new());
    for (name, codec) in NAMES {
        let (mut cases, mut data, mut chunks) = (String::new(), Vec::new(), Vec::new());
        for number in 0..1000 {
            let typesize = [1, 2, 3, 4, 7, 8, 12, 16, 17, 255][numbers.usize(..10)];
            let limit = if number % 50 == 0 { 400_000 } else { 20_000 };
            let length = numbers.usize(..limit) / typesize * typesize + numbers.usize(..8) / 7 * numbers.usize(..typesize);
            let shuffle = number % 3;
            // The highest levels of Zstandard are slow.
            let level = numbers.usize(..if codec == CodecId::Zstd { 8 } else { 10 });
            let blocksize = numbers.usize(..4) / 3 * numbers.usize(..20_000);
            let filters = [vec![], vec![(Filter::Shuffle, 0)], vec![(Filter::BitShuffle, 0)]][shuffle].clone();
            let level8 = level as u8;
            let options =
                Options { codec, level: level8, typesize, blocksize, filters, format: Format::Blosc1, ..Options::default() };
            let buffer = sample(&mut numbers, length, typesize);
            let chunk = compress(&buffer, &options).unwrap();
            assert!(decompress(&chunk).unwrap() == buffer, "{options:?}");
            writeln!(cases, "{level} {shuffle} {typesize} {blocksize} {length} {}", chunk.len()).unwrap();
            data.extend(buffer);
            chunks.extend(chunk);
        }
        std::fs::write(path(&format!("{name}.cases")), cases).unwrap();
        std::fs::write(path(&format!("{name}.data")), &data).unwrap();
        std::fs::write(path(&format!("{name}.chunks")), chunks).unwrap();
        all_data.push(data);
    }
    let elements: Vec<f32> = (0..37 * 24).map(|number| number as f32).collect();
    for (name, _) in NAMES.into_iter().filter(|(name, _)| *name != "snappy") {
        let store = Arc::new(FilesystemStore::new(path(&format!("{name}.zarr"))).unwrap());
        let codec = codec(configuration(name, 5, "shuffle", 4, 0)).unwrap();
        let mut builder = ArrayBuilder::new(vec![37, 24], vec![20, 12], data_type::float32(), 0.0_f32);
        let array: Array<_> = builder.bytes_to_bytes_codecs(vec![codec]).build(store, "/").unwrap();
        array.store_metadata().unwrap();
        array.store_array_subset(&array.subset_all(), elements.as_slice()).unwrap();
    }

    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/python/blosc.py");
    let output = Command::new(python).arg("-B").arg(script).arg(directory.path()).output().unwrap();
    print!("{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    for ((name, _), data) in NAMES.into_iter().zip(all_data) {
        let theirs = std::fs::read(path(&format!("{name}.theirs"))).unwrap();
        let (mut chunks, mut found) = (&theirs[..], Vec::new());
        while !chunks.is_empty() {
            let header = ChunkHeader::from_slice(chunks).unwrap();
            found.extend(decompress(chunks).unwrap());
            chunks = &chunks[header.cbytes()..];
        }
        assert!(found == data, "{name}");
    }
}
