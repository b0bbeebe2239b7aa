//! The adapter for blosc2-pure-rs, as the conformance suite calls it.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use b2nd_conformance::adapter::Said;
use b2nd_conformance::{Fact, Layer};
use blosc2_pure_rs::b2nd::{B2ndMeta, b2nd_deserialize_meta, b2nd_from_schunk};
use blosc2_pure_rs::compress::{blosc2_cbuffer_sizes, decompress_chunk};
use blosc2_pure_rs::schunk::{Metalayer, Schunk};

fn read(layer: Layer, path: &Path) -> Said {
    let bytes = || fs::read(path).map_err(|error| error.to_string());
    match layer {
        Layer::Metalayer => Some(bytes().and_then(|bytes| Ok(shapes(&b2nd_deserialize_meta(&bytes)?)))),
        Layer::Chunk => Some(bytes().and_then(|bytes| chunk(&bytes))),
        Layer::Frame | Layer::Sparse => Some(frame(path)),
        _ => None,
    }
}

fn shapes(meta: &B2ndMeta) -> Fact {
    Fact::map([
        ("shape", Fact::ints(&meta.shape)),
        ("chunkshape", Fact::ints(&meta.chunkshape)),
        ("blockshape", Fact::ints(&meta.blockshape)),
        ("dtype", Fact::text(&meta.dtype)),
    ])
}

fn chunk(bytes: &[u8]) -> Result<Fact, String> {
    let (code, nbytes, cbytes, blocksize) = blosc2_cbuffer_sizes(bytes);
    if code < 0 {
        return Err(format!("the chunk's header is invalid: error {code}"));
    }
    let data = decompress_chunk(bytes)?;
    let fact = Fact::map([("nbytes", Fact::int(nbytes)), ("cbytes", Fact::int(cbytes)), ("blocksize", Fact::int(blocksize))]);
    Ok(fact.with("data", Fact::digest(&data)))
}

fn frame(path: &Path) -> Result<Fact, String> {
    let schunk = Schunk::open(&path.to_string_lossy())?;
    let fact = Fact::map([
        ("chunksize", Fact::int(u64::try_from(schunk.chunksize).unwrap_or(u64::MAX))),
        ("nbytes", Fact::int(schunk.nbytes)),
        ("nchunks", Fact::int(schunk.nchunks())),
        ("metalayers", pairs(&schunk.metalayers)),
        ("vlmetalayers", pairs(&schunk.vlmetalayers)),
        ("data", Fact::digest(&schunk.decompress_all()?)),
    ]);
    if !["b2nd", "caterva"].iter().any(|name| schunk.has_metalayer(name)) {
        return Ok(fact);
    }
    let is_typed = schunk.has_metalayer("b2nd");
    let array = b2nd_from_schunk(schunk)?;
    let elements = array.get_slice(&vec![0; array.meta.shape.len()], &array.meta.shape)?;
    let (Fact::Map(mut entries), Fact::Map(shapes)) = (fact, shapes(&array.meta)) else { return Err("no facts".into()) };
    entries.extend(shapes.into_iter().filter(|(name, _)| is_typed || name != "dtype"));
    Ok(Fact::Map(entries).with("elements", Fact::digest(&elements)))
}

fn pairs(layers: &[Metalayer]) -> Fact {
    let pair = |layer: &Metalayer| Fact::List(vec![Fact::bytes(layer.name.as_bytes()), Fact::bytes(&layer.content)]);
    Fact::List(layers.iter().map(pair).collect())
}

fn main() -> ExitCode {
    b2nd_conformance::adapter::main(read, |_, _| None)
}
