//! Reads metalayers, headers, trailers, indexes, chunks and dtypes.

use b2nd::ArrayMeta;
use b2nd::dtype::DType;
use b2nd_conformance::Fact;
use b2nd_frame::{Chunk, Frame, Header, Metalayers, Offset, Trailer};

use crate::{Result, refuse};

pub(crate) fn metalayer(bytes: &[u8]) -> Result {
    let meta = whole(bytes)?;
    let layout = match meta {
        ArrayMeta::Caterva(_) => "caterva",
        ArrayMeta::LegacyB2nd(_) => "b2nd-six",
        ArrayMeta::MiscountedB2nd(_) => "b2nd-miscounted",
        _ => "b2nd",
    };
    let geometry = meta.geometry();
    let fact = Fact::map([
        ("layout", Fact::text(layout)),
        ("version", Fact::int(meta.version())),
        ("shape", Fact::ints(geometry.shape())),
        ("chunkshape", Fact::ints(geometry.chunkshape())),
        ("blockshape", Fact::ints(geometry.blockshape())),
    ]);
    let fact = match meta {
        ArrayMeta::B2nd(meta) | ArrayMeta::MiscountedB2nd(meta) => fact.with("dtype_format", Fact::int(meta.dtype_format)),
        _ => fact,
    };
    Ok(match meta.dtype() {
        Some(dtype) => fact.with("dtype", Fact::text(dtype)),
        None => fact,
    })
}

/// Decodes an array metalayer that must not be followed by other bytes.
pub(crate) fn whole(bytes: &[u8]) -> Result<ArrayMeta<&str>> {
    match ArrayMeta::from_metalayer(bytes)? {
        (meta, []) => Ok(meta),
        (_, rest) => Err(refuse(format!("the number of bytes after the metalayer: expected 0, found {}", rest.len()))),
    }
}

pub(crate) fn header(bytes: &[u8]) -> Result {
    let header = Header::from_slice(bytes)?;
    let written = b2nd::to_vec(&header)?;
    // The library returns the pipeline only in parts, so its bytes are taken from the written header.
    let at = |at: usize, length: usize| Fact::bytes(written.get(at..at + length).unwrap_or_default());
    Ok(Fact::map([
        ("header_len", number(header.header_len())),
        ("frame_len", Fact::int(header.frame_len())),
        ("flags", Fact::bytes(&header.raw_flags())),
        ("nbytes", Fact::int(header.nbytes())),
        ("cbytes", Fact::int(header.cbytes())),
        ("typesize", Fact::int(header.typesize())),
        ("blocksize", Fact::int(header.blocksize())),
        ("chunksize", Fact::int(header.chunksize())),
        ("compression_threads", Fact::int(header.compression_threads())),
        ("decompression_threads", Fact::int(header.decompression_threads())),
        ("has_vlmetalayers", Fact::Bool(header.has_vlmetalayers())),
        ("pipeline", at(0x46, 17)),
        ("metalayers", pairs(header.metalayers())),
    ]))
}

pub(crate) fn trailer(bytes: &[u8]) -> Result {
    let trailer = Trailer::from_slice(bytes)?;
    Ok(Fact::map([
        ("trailer_len", number(trailer.trailer_len())),
        ("version", Fact::int(trailer.version())),
        ("vlmetalayers", pairs(trailer.vlmetalayers().raw_chunks())),
        ("fingerprint", Fact::bytes(&trailer.fingerprint())),
    ]))
}

pub(crate) fn index(bytes: &[u8]) -> Result {
    let frame = Frame::from_slice(bytes)?;
    let offsets = frame.offsets()?;
    let told = offsets.iter().map(|offset| match offset {
        Offset::At(at) => Fact::int(at),
        Offset::Special(special) => Fact::text(special.to_string()),
        _ => Fact::Null,
    });
    Ok(Fact::map([("nchunks", Fact::int(offsets.len())), ("offsets", Fact::List(told.collect()))]))
}

pub(crate) fn chunk(bytes: &[u8]) -> Result {
    let chunk = Chunk::from_slice(bytes)?;
    let header = chunk.header();
    if header.cbytes() != bytes.len() {
        return Err(refuse(format!("the file has {} bytes, but cbytes is {}", bytes.len(), header.cbytes())));
    }
    let fact = Fact::map([
        ("version", Fact::int(header.version())),
        ("typesize", number(header.typesize())),
        ("nbytes", number(header.nbytes())),
        ("blocksize", number(header.blocksize())),
        ("cbytes", number(header.cbytes())),
        ("stored", Fact::Bool(header.is_stored())),
        ("special", header.special().map_or(Fact::Null, |special| Fact::text(special.to_string()))),
    ]);
    let data = data(&chunk)?;
    let is_uninitialized = header.special() == Some(b2nd_frame::Special::Uninitialized);
    Ok(if is_uninitialized { fact } else { fact.with("data", Fact::digest(&data)) })
}

/// Returns a chunk's data, decompressed with the codecs of this build.
pub(crate) fn data(chunk: &Chunk) -> Result<Vec<u8>> {
    Ok(chunk.data()?)
}

pub(crate) fn dtype(bytes: &[u8]) -> Result {
    let text = std::str::from_utf8(bytes).map_err(|error| refuse(error.to_string()))?;
    let dtype: DType = text.parse()?;
    if dtype.to_string() != text {
        return Err(refuse(format!("the dtype {text:?} would be written back as {dtype:?}", dtype = dtype.to_string())));
    }
    let fields = dtype.fields().iter().map(|field| Fact::List(vec![Fact::text(field.name()), number(field.offset())]));
    Ok(Fact::map([
        ("itemsize", number(dtype.itemsize())),
        ("alignment", number(dtype.alignment())),
        ("fields", Fact::List(fields.collect())),
    ]))
}

/// Returns the names and contents as a list of pairs.
pub(crate) fn pairs(metalayers: &Metalayers) -> Fact {
    Fact::List(metalayers.iter().map(|(name, content)| Fact::List(vec![Fact::bytes(name), Fact::bytes(content)])).collect())
}

/// Returns a length as a fact.
pub(crate) fn number(length: usize) -> Fact {
    u64::try_from(length).map_or(Fact::Null, Fact::int)
}
