//! Reads frames in files or directories.

use std::path::Path;

use b2nd_conformance::Fact;
use b2nd_frame::{Chunk, File, Offset, Special};
use b2nd_ndarray::Array;

use crate::layers::{data, pairs};
use crate::{Result, refuse};

/// The maximum number of bytes of data, which is much more than any valid frame of the suite has.
const MAX_DATA: i64 = 64 << 20;

pub(crate) fn read(path: &Path) -> Result {
    let file = File::open(path)?;
    let header = file.header();
    let trailer = file.trailer()?;
    let mut values = Vec::new();
    for (name, content) in trailer.vlmetalayers().raw_chunks().iter() {
        let chunk = Chunk::from_slice(content)?;
        if chunk.bytes().len() != content.len() {
            let (expected, found) = (chunk.bytes().len(), content.len());
            return Err(refuse(format!(
                "vlmetalayer {}: cbytes is {expected}, but the content has {found} bytes",
                name.escape_ascii()
            )));
        }
        values.push(Fact::List(vec![Fact::bytes(name), Fact::bytes(&chunk.data()?)]));
    }
    let offsets = file.offsets()?;
    let fact = Fact::map([
        ("typesize", Fact::int(header.typesize())),
        ("chunksize", Fact::int(header.chunksize())),
        ("blocksize", Fact::int(header.blocksize())),
        ("nbytes", Fact::int(header.nbytes())),
        ("cbytes", Fact::int(header.cbytes())),
        ("nchunks", Fact::int(offsets.len())),
        ("metalayers", pairs(header.metalayers())),
        ("vlmetalayers", Fact::List(values)),
    ]);
    if header.nbytes() > MAX_DATA {
        return Err(refuse(format!("nbytes is {}; the adapter's limit is {MAX_DATA}", header.nbytes())));
    }
    let mut all = Vec::new();
    for number in 0..offsets.len() {
        all.extend(data(&file.chunk(number)?)?);
    }
    if i64::try_from(all.len()) != Ok(header.nbytes()) {
        return Err(refuse(format!("nbytes: the chunks have {}, but the header says {}", all.len(), header.nbytes())));
    }
    let is_told = offsets.iter().all(|offset| offset != Offset::Special(Special::Uninitialized));
    let fact = if is_told { fact.with("data", Fact::digest(&all)) } else { fact };
    let Some(meta) = header.array()? else { return Ok(fact) };
    // Rejects dtypes that are invalid or not NumPy's.
    meta.parse_dtype()?;
    let array = Array::open(path)?;
    Ok(array_facts(fact, &array, meta.dtype())?)
}

/// Adds the facts of an array, including its elements.
pub(crate) fn array_facts(fact: Fact, array: &Array, dtype: Option<&str>) -> b2nd_ndarray::Result<Fact> {
    let geometry = array.geometry();
    let elements = array.read_bytes(&array.whole())?;
    Ok(fact
        .with("shape", Fact::ints(geometry.shape()))
        .with("chunkshape", Fact::ints(geometry.chunkshape()))
        .with("blockshape", Fact::ints(geometry.blockshape()))
        .with("dtype", dtype.map_or(Fact::Null, Fact::text))
        .with("elements", Fact::digest(&elements)))
}
