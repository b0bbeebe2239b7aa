//! Verdicts on hostile input: whether it is accepted, and what is read from it.

use std::error::Error;
use std::fs;
use std::path::Path;

use b2nd::{ArrayMeta, B2ndMeta};
use b2nd_frame::{Chunk, File};
use serde_json::{Value, json};

use crate::read::pairs;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The maximum number of chunks that are read, because a hostile index can claim many more.
const MAX_CHUNKS: u64 = 10_000;

/// The maximum size of a special chunk whose data is created.
const MAX_FILLED: usize = 1 << 20;

/// Opens a frame and reads all of its metadata and its first chunks. No data is decompressed.
pub fn frame(path: &Path) -> Result<Value> {
    let file = step("open", File::open(path))?;
    let header = file.header();
    let array = step("array", header.array())?;
    if let Some(array) = &array {
        step("dtype", array.parse_dtype())?;
        step("grid", array.geometry().grid())?;
    }
    let trailer = step("trailer", file.trailer())?;
    for (name, content) in trailer.vlmetalayers().raw_chunks().iter() {
        let name = format!("vlmetalayer {}", name.escape_ascii());
        let chunk = step(&name, Chunk::from_slice(content))?;
        if chunk.header().special().is_some() && chunk.header().nbytes() <= MAX_FILLED {
            step(&name, chunk.data())?;
        }
    }
    let offsets = step("offsets", file.offsets())?;
    for number in 0..offsets.len().min(MAX_CHUNKS) {
        step("chunks", file.chunk(number))?;
    }
    Ok(json!({
        "array": array.as_ref().map(describe),
        "metalayers": pairs(header.metalayers()),
        "vlmetalayers": pairs(trailer.vlmetalayers().raw_chunks()),
        "nchunks": offsets.len(),
        "nbytes": header.nbytes(),
        "cbytes": header.cbytes(),
        "typesize": header.typesize(),
        "chunksize": header.chunksize(),
        "blocksize": header.blocksize(),
    }))
}

/// Decodes the content of a metalayer completely.
pub fn metalayer(path: &Path) -> Result<Value> {
    let content = fs::read(path)?;
    let meta: B2ndMeta<&str> = b2nd::from_slice(&content)?;
    Ok(json!({ "array": describe(&ArrayMeta::B2nd(meta)) }))
}

fn describe(array: &ArrayMeta<&str>) -> Value {
    json!({
        "shape": array.geometry().shape(),
        "chunks": array.geometry().chunkshape(),
        "blocks": array.geometry().blockshape(),
        "dtype": array.dtype(),
    })
}

/// Adds the name of the failed step to an error.
fn step<T>(name: &str, result: std::result::Result<T, impl std::fmt::Display>) -> Result<T> {
    result.map_err(|error| format!("{name}: {error}").into())
}
