//! Reads frames. The header, the array metalayer and the trailer are written back, and compared with the bytes of the file.

use std::error::Error;
use std::fs;
use std::path::Path;

use b2nd::{ArrayMeta, to_vec};
use b2nd_frame::{Chunk, ChunkHeader, File, Frame, FrameType, Header, Metalayers, Trailer};
use serde_json::{Value, json};

use crate::hex;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Reads a frame's metadata, and its first `chunks` chunks.
pub fn read(path: &Path, chunks: u64) -> Result<Value> {
    let file = File::open(path)?;
    let header = file.header();
    let bytes = fs::read(file.path())?;
    let place = |start: u64, end: u64| {
        let part = bytes.get(start as usize..end as usize);
        part.ok_or_else(|| format!("expected the range {start}..{end} in a file of {} bytes", bytes.len()))
    };

    let header_bytes = place(0, header.header_len() as u64)?;
    same("header", &to_vec(header)?, header_bytes)?;
    same("header", &to_vec(&Header::from_slice(header_bytes)?)?, header_bytes)?;

    let trailer = file.trailer()?;
    let trailer_start = header.frame_len() - trailer.trailer_len() as u64;
    let trailer_bytes = place(trailer_start, header.frame_len())?;
    same("trailer", &to_vec(&trailer)?, trailer_bytes)?;
    same("trailer", &to_vec(&Trailer::from_slice(trailer_bytes)?)?, trailer_bytes)?;
    for (_, content) in trailer.vlmetalayers().raw_chunks().iter() {
        let chunk = Chunk::from_slice(content)?;
        same("the chunk of a vlmetalayer", chunk.bytes(), content)?;
        check_chunk(&chunk)?;
    }

    let index_start = header.tail_range().start;
    let index_len = match header.nbytes() {
        0 => 0,
        _ => ChunkHeader::from_slice(place(index_start, trailer_start)?)?.cbytes() as u64,
    };

    let array = header.array()?;
    if let Some(array) = &array {
        let content = header.metalayers().get("b2nd").ok_or("there is an array, but no metalayer b2nd")?;
        let written = array.to_metalayer()?;
        same("array metalayer", &written, content.get(..written.len()).unwrap_or_default())?;
        let (whichever, stale) = ArrayMeta::from_metalayer(content)?;
        same("array metalayer", &[&whichever.to_metalayer()?, stale].concat(), content)?;
    }

    let count = file.offsets()?.len();
    let chunks = (0..count.min(chunks)).map(|number| Ok(file.chunk(number)?)).collect::<Result<Vec<_>>>()?;
    chunks.iter().try_for_each(check_chunk)?;
    if header.frame_type() == FrameType::Contiguous {
        let frame = Frame::from_slice(&bytes)?;
        if frame.header() != header || frame.trailer()? != trailer {
            return Err("the header or the trailer of the frame in memory differs from that of the file".into());
        }
        for (number, chunk) in (0..).zip(&chunks) {
            same("chunk in memory", frame.chunk(number)?.bytes(), chunk.bytes())?;
        }
    }

    let values = trailer.vlmetalayers().raw_chunks().iter().map(|(_, content)| Ok(stored(&Chunk::from_slice(content)?)));
    Ok(json!({
        "sparse": header.frame_type() == FrameType::Sparse,
        "version": header.version(),
        "variable_chunks": header.has_variable_chunks(),
        "variable_blocks": header.has_variable_blocks(),
        "nbytes": header.nbytes(),
        "cbytes": header.cbytes(),
        "typesize": header.typesize(),
        "chunksize": header.chunksize(),
        "blocksize": header.blocksize(),
        "codec": header.codec().code(),
        "level": header.level(),
        "filters": header.filters().map(|(filter, meta)| (filter.code(), meta)).collect::<Vec<_>>(),
        "has_vlmetalayers": header.has_vlmetalayers(),
        "before_trailer": trailer_start - index_start - index_len,
        "nchunks": count,
        "nchunks_of_sizes": header.nchunks(),
        "metalayers": pairs(header.metalayers()),
        "vlmetalayers": pairs(trailer.vlmetalayers().raw_chunks()),
        "stored_values": values.collect::<Result<Vec<_>>>()?,
        "array": array.as_ref().map(describe).transpose()?,
        "chunks": chunks.iter().map(|chunk| hex::of(chunk.bytes())).collect::<Vec<_>>(),
        "stored_chunks": chunks.iter().map(stored).collect::<Vec<_>>(),
    }))
}

/// Describes the array and the numbers that follow from its geometry.
fn describe(array: &ArrayMeta<&str>) -> Result<Value> {
    let mut value = serde_json::to_value(array)?;
    let grid = array.geometry().grid()?;
    value["itemsize"] = array.parse_dtype()?.map(|dtype| dtype.itemsize()).into();
    value["nitems"] = grid.nitems().into();
    value["nchunks"] = grid.nchunks().into();
    value["extshape"] = grid.extshape().into();
    value["extchunkshape"] = grid.extchunkshape().into();
    Ok(value)
}

pub fn pairs(metalayers: &Metalayers) -> Vec<(String, String)> {
    metalayers.iter().map(|(name, content)| (hex::of(name), hex::of(content))).collect()
}

/// Returns the data of a short chunk that needs no codec, or `None` for another chunk.
fn stored(chunk: &Chunk) -> Option<String> {
    let short = chunk.header().nbytes() <= 1 << 20;
    let known = chunk.header().is_stored() || chunk.header().special().is_some();
    if short && known { chunk.data().ok().map(|data| hex::of(&data)) } else { None }
}

fn check_chunk(chunk: &Chunk) -> Result<()> {
    let header = ChunkHeader::from_slice(chunk.bytes())?;
    same("chunk header", header.as_bytes(), &chunk.bytes()[..header.header_len()])?;
    if header.cbytes() != chunk.bytes().len() {
        return Err(format!("a chunk: expected {} bytes, found {}", header.cbytes(), chunk.bytes().len()).into());
    }
    Ok(())
}

fn same(what: &str, found: &[u8], expected: &[u8]) -> Result<()> {
    if found != expected {
        return Err(format!("{what}: expected {}, found {}", hex::of(expected), hex::of(found)).into());
    }
    Ok(())
}
