//! The codecs of b2nd-zarr in WebAssembly, where zarrs finds them by their names. `../ci` runs this in Node.js.

use std::sync::Arc;

use b2nd_zarr::zarrs::array::codec::api::{BytesRepresentation, BytesToBytesCodecTraits, Codec, CodecOptions};
use b2nd_zarr::zarrs::metadata::v3::MetadataV3;
use serde_json::{Value, json};

const COMPRESSORS: [&str; 6] = ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"];

/// A chunk that numcodecs wrote: `Blosc("zstd").encode((numpy.arange(500) % 100).astype("<u2"))`.
const CHUNK: &str = "02019102e8030000e803000092000000140000007a00000028b52ffd60e8028503004406000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e\
    1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f60616263\
    0200f0a002e978aac10c";

/// Returns the number of configurations, at most 20, whose chunks are shorter than the elements and decode to them. Adds 100 if the chunk
/// of numcodecs decodes to its elements.
#[allow(unsafe_code, reason = "programs outside Rust call this function by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn decoded_chunks() -> u32 {
    let filters = ["noshuffle", "shuffle", "bitshuffle"];
    let blosc = COMPRESSORS.iter().flat_map(|cname| filters.map(|shuffle| blosc(cname, shuffle)));
    let others = [("gzip", json!({"level": 5})), ("zstd", json!({"level": 3, "checksum": true}))];
    let others = others.map(|(name, configuration)| json!({"name": name, "configuration": configuration}));
    let count: u32 = blosc.chain(others).map(|metadata| u32::from(round_trip(metadata) == Some(true))).sum();
    if reads_numcodecs() == Some(true) { count + 100 } else { count }
}

fn elements(count: u16) -> Vec<u8> {
    (0..count).flat_map(|number| (number % 100).to_le_bytes()).collect()
}

fn blosc(cname: &str, shuffle: &str) -> Value {
    let configuration = json!({"cname": cname, "clevel": 5, "shuffle": shuffle, "typesize": 2, "blocksize": 0});
    json!({"name": "blosc", "configuration": configuration})
}

fn codec(metadata: Value) -> Option<Arc<dyn BytesToBytesCodecTraits>> {
    let metadata: MetadataV3 = serde_json::from_value(metadata).ok()?;
    if let Codec::BytesToBytes(codec) = Codec::from_metadata(&metadata).ok()? { Some(codec) } else { None }
}

fn round_trip(metadata: Value) -> Option<bool> {
    let (codec, elements, options) = (codec(metadata)?, elements(5000), CodecOptions::default());
    let chunk = codec.encode((&elements).into(), &options).ok()?;
    let is_short = chunk.len() < elements.len();
    let length = BytesRepresentation::FixedSize(elements.len() as u64);
    Some(is_short && *codec.decode(chunk, &length, &options).ok()? == elements)
}

fn reads_numcodecs() -> Option<bool> {
    let chunk = (0..CHUNK.len()).step_by(2).map(|at| u8::from_str_radix(CHUNK.get(at..at + 2)?, 16).ok());
    let chunk = chunk.collect::<Option<Vec<_>>>()?;
    let decoded =
        codec(blosc("zstd", "shuffle"))?.decode(chunk.into(), &BytesRepresentation::FixedSize(1000), &CodecOptions::default());
    Some(*decoded.ok()? == elements(500))
}
