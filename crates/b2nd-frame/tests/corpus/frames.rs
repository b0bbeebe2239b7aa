//! Frames that real programs wrote: the trailers, values, indexes and chunks are those that another reader found in the bytes.

use crate::common::manifest::{Entry, frames, is_content, number};
use crate::common::{Hex, blosclz, message};
use b2nd_frame::{Chunk, ChunkHeader, CodecId, ErrorKind, File, Frame, FrameType, Offset, Offsets, Special, Trailer};
use serde_json::Value;

/// The index chunk, which starts the tail of the frame.
fn index_chunk<'a>(file: &File, bytes: &'a [u8]) -> Chunk<'a> {
    Chunk::from_slice(&bytes[file.header().tail_range().start as usize..]).unwrap()
}

fn tail<'a>(file: &File, bytes: &'a [u8]) -> &'a [u8] {
    let range = file.header().tail_range();
    &bytes[range.start as usize..range.end as usize]
}

#[test]
fn trailers_are_written_back_as_they_were() {
    let mut count = 0;
    for entry in frames() {
        let (file, bytes) = (entry.open(), entry.bytes());
        let trailer = file.trailer().unwrap_or_else(|error| panic!("{}: {error}", entry.id));
        let length = number(&entry.parsed["trailer_len"]) as usize;
        assert_eq!(trailer.trailer_len(), length, "{}", entry.id);
        assert_eq!(u64::from(trailer.version()), number(&entry.parsed["trailer_version"]), "{}", entry.id);
        assert_eq!(trailer.fingerprint(), [0; 17], "{}", entry.id);

        let end = file.header().frame_len() as usize;
        let stored = &bytes[end - length..end];
        let written = b2nd::to_vec(&trailer).unwrap();
        assert_eq!(Hex(&written), Hex(stored), "{}", entry.id);
        let idx = u16::from_be_bytes([written[4], written[5]]);
        assert_eq!(u64::from(idx), number(&entry.parsed["vl_idx_size"]), "{}", entry.id);

        assert_eq!(Trailer::from_slice(stored).unwrap(), *trailer, "{}", entry.id);
        assert_eq!(Trailer::from_tail(tail(&file, &bytes)).unwrap(), *trailer, "{}", entry.id);
        if !entry.sparse {
            assert_eq!(*Frame::from_slice(&bytes).unwrap().trailer().unwrap(), *trailer, "{}", entry.id);
        }
        count += 1;
    }
    println!("{count} trailers");
    assert_ne!(count, 0);
}

#[test]
fn values_of_vlmetalayers_are_what_their_writer_stored() {
    let (mut stored, mut expanded, mut other) = (0, 0, 0);
    for entry in frames() {
        let trailer = entry.open().trailer().unwrap().clone();
        let expected = entry.parsed["vlmetalayers"].as_array().cloned().unwrap_or_default();
        assert_eq!(trailer.vlmetalayers().len(), expected.len(), "{}", entry.id);
        for ((name, content), expected) in trailer.vlmetalayers().raw_chunks().iter().zip(&expected) {
            assert!(is_content(name, &expected["name_hex"]), "{}", entry.id);
            let chunk = Chunk::from_slice(content).unwrap_or_else(|error| panic!("{}: {error}", entry.id));
            assert_header(&entry, chunk.header(), &expected["chunk"]);
            assert_eq!(u64::from(chunk.header().version()), number(&expected["chunk"]["version"]));
            assert_eq!(u64::from(chunk.header().codec_version()), number(&expected["chunk"]["versionlz"]));
            let is_value = |value: &[u8]| assert!(is_content(value, &expected["decoded_hex"]), "{}", entry.id);
            if chunk.header().is_stored() || chunk.header().special().is_some() {
                is_value(&chunk.data().unwrap());
                if let Ok(name) = core::str::from_utf8(name) {
                    is_value(&trailer.vlmetalayers().value(name).unwrap().unwrap());
                }
                stored += 1;
                continue;
            }
            if chunk.header().codec() == CodecId::BloscLz {
                let mut data = vec![0; chunk.header().nbytes()];
                blosclz::decompress(chunk.bytes(), &mut data).unwrap_or_else(|error| panic!("{}: {error}", entry.id));
                is_value(&data);
                expanded += 1;
            } else {
                other += 1;
            }
            match chunk.data() {
                Ok(data) => is_value(&data),
                // This happens without the feature `codecs`.
                Err(error) => {
                    let codec = chunk.header().codec();
                    let said = error.to_string();
                    assert!(said.starts_with(&format!("this build of b2nd has no codec {codec}: ")), "{}: {said}", entry.id);
                    assert!(matches!(error.kind(), ErrorKind::NoCodec { codec: name, .. } if *name == codec.to_string()));
                }
            }
        }
    }
    println!("values: {stored} stored, {expanded} of BloscLZ, {other} of other codecs");
    assert_ne!(stored, 0);
    assert_ne!(other, 0);
}

#[track_caller]
fn assert_header(entry: &Entry, header: &ChunkHeader, expected: &Value) {
    assert_eq!(u64::from(header.raw_flags()), number(&expected["flags"]), "{}", entry.id);
    assert_eq!(header.typesize() as u64, number(&expected["typesize"]), "{}", entry.id);
    assert_eq!(header.nbytes() as u64, number(&expected["nbytes"]), "{}", entry.id);
    assert_eq!(header.blocksize() as u64, number(&expected["blocksize"]), "{}", entry.id);
    assert_eq!(header.cbytes() as u64, number(&expected["cbytes"]), "{}", entry.id);
    assert_eq!(u64::from(header.raw_blosc2_flags() >> 4 & 7), number(&expected["special"]), "{}", entry.id);
    // The manifest reports only the flag. A special chunk may have the flag, but it is not a stored chunk.
    assert_eq!(header.raw_flags() & 2 != 0, expected["memcpyed"].as_bool().unwrap(), "{}", entry.id);
    assert_eq!(header.is_stored(), header.raw_flags() & 2 != 0 && header.special().is_none(), "{}", entry.id);
}

/// The offset as the number in the index.
fn raw(offset: Offset) -> i64 {
    let special = |byte: u8| i64::from_be_bytes([byte, 0, 0, 0, 0, 0, 0, 0]);
    match offset {
        Offset::At(at) => at as i64,
        Offset::Special(Special::Zeros) => special(0x81),
        Offset::Special(Special::Nan) => special(0x82),
        Offset::Special(Special::Uninitialized) => special(0x84),
        other => panic!("{other:?}"),
    }
}

#[test]
fn indexes_say_where_chunks_are() {
    let (mut stored, mut special, mut compressed, mut empty) = (0, 0, 0, 0);
    for entry in frames() {
        let (file, bytes) = (entry.open(), entry.bytes());
        let expected = &entry.parsed["index_chunk"];
        if expected.is_null() {
            assert_eq!(number(&entry.parsed["nchunks_from_index"]), 0, "{}", entry.id);
            assert!(file.offsets().unwrap().is_empty(), "{}", entry.id);
            assert_eq!(message(file.chunk(0)), "chunk 0 is out of range: the number of chunks is 0");
            empty += 1;
            continue;
        }
        let index = index_chunk(&file, &bytes);
        assert_header(&entry, index.header(), expected);
        let packed = !index.header().is_stored() && index.header().special().is_none();
        let offsets = file.offsets().unwrap_or_else(|error| panic!("{}: {error}", entry.id));
        assert_eq!(offsets.len(), number(&entry.parsed["nchunks_from_index"]), "{}", entry.id);
        let first = entry.parsed["chunk_offsets"].as_array().unwrap();
        let found: Vec<i64> = offsets.iter().take(first.len()).map(raw).collect();
        assert_eq!(found, first.iter().map(|offset| offset.as_i64().unwrap()).collect::<Vec<_>>(), "{}", entry.id);
        assert_eq!(first.len() as u64, offsets.len().min(16), "{}", entry.id);

        let from_tail = Offsets::from_tail(file.header(), tail(&file, &bytes)).unwrap();
        assert_eq!(from_tail, *offsets, "{}", entry.id);
        if !entry.sparse {
            let frame = Frame::from_slice(&bytes).unwrap();
            assert_eq!(frame.offsets().unwrap(), offsets, "{}", entry.id);
        }
        match (packed, index.header().special()) {
            (true, _) => compressed += 1,
            (_, Some(_)) => special += 1,
            _ => stored += 1,
        }
    }
    println!("indexes: {stored} stored, {special} special, {compressed} compressed; {empty} frames without");
    assert!(stored != 0 && special != 0 && compressed != 0 && empty != 0);
}

/// In frames with more chunks than this, only some chunks are checked.
const MANY: u64 = 300;

#[test]
fn chunks_agree_with_their_frame_and_their_place() {
    let (mut placed, mut special) = (0, 0);
    for entry in frames() {
        let (file, bytes) = (entry.open(), entry.bytes());
        let header = file.header();
        let count = file.offsets().unwrap().len();
        let frame = (!entry.sparse).then(|| Frame::from_slice(&bytes).unwrap());
        let mut nbytes = 0;
        for number in (0..count).filter(|&number| number < MANY || number + 3 > count) {
            let chunk = file.chunk(number).unwrap_or_else(|error| panic!("{}: {error}", entry.id));
            let chunk_header = chunk.header();
            if let Some(frame) = &frame {
                assert_eq!(frame.chunk(number).unwrap(), chunk, "{}", entry.id);
            }
            assert_eq!(chunk.bytes().len(), chunk_header.cbytes(), "{}", entry.id);
            assert_eq!(chunk.bytes()[..chunk_header.header_len()], *chunk_header.as_bytes(), "{}", entry.id);
            nbytes += chunk_header.nbytes() as i64;
            if header.chunksize() > 0 && !header.has_variable_chunks() {
                let before = number as i64 * i64::from(header.chunksize());
                let expected = (header.nbytes() - before).min(header.chunksize().into());
                assert_eq!(chunk_header.nbytes() as i64, expected, "{}", entry.id);
            }
            let typesize = if header.typesize() > 255 { 1 } else { header.typesize() };
            // A batch of Python objects is a chunk of bytes, while its frame may have a different typesize.
            assert!(chunk_header.typesize() as i32 == typesize || header.has_variable_blocks(), "{}", entry.id);
            match file.offsets().unwrap().get(number).unwrap() {
                Offset::At(at) => {
                    placed += 1;
                    let place = match header.frame_type() {
                        FrameType::Contiguous => bytes[header.header_len() + at as usize..].to_vec(),
                        FrameType::Sparse => std::fs::read(entry.path.join(format!("{at:08X}.chunk"))).unwrap(),
                    };
                    assert_eq!(Hex(chunk.bytes()), Hex(&place[..chunk_header.cbytes()]), "{}", entry.id);
                    let (found, named) = (chunk_header.codec(), header.codec());
                    if !chunk_header.is_stored() && chunk_header.special().is_none() && found != named {
                        // Chunks of version 4 need not distinguish LZ4 and LZ4HC.
                        assert_eq!((found, named), (CodecId::Lz4, CodecId::Lz4Hc), "{}", entry.id);
                    }
                }
                Offset::Special(kind) => {
                    special += 1;
                    assert_eq!(chunk_header.special(), Some(kind), "{}", entry.id);
                }
                other => panic!("{}: {other:?}", entry.id),
            }
        }
        if count <= MANY {
            assert_eq!(nbytes, header.nbytes(), "{}", entry.id);
        }
        assert_eq!(message(file.chunk(count)), format!("chunk {count} is out of range: the number of chunks is {count}"));
    }
    println!("chunks: {placed} in their places, {special} special");
    assert!(placed != 0 && special != 0);
}

#[test]
fn stored_and_special_chunks_give_their_data() {
    let mut count = 0;
    for entry in frames() {
        let file = entry.open();
        let Ok(offsets) = file.offsets() else { continue };
        for number in 0..offsets.len().min(MANY) {
            let chunk = file.chunk(number).unwrap();
            let header = chunk.header();
            // A special chunk can claim 2 GiB of data.
            if (!header.is_stored() && header.special().is_none()) || header.nbytes() > 1 << 20 {
                continue;
            }
            let data = chunk.data().unwrap_or_else(|error| panic!("{}: {error}", entry.id));
            assert_eq!(data.len(), header.nbytes(), "{}", entry.id);
            if header.is_stored() {
                assert_eq!(Some(&*data), chunk.stored(), "{}", entry.id);
                assert_eq!(Hex(&data), Hex(&chunk.bytes()[header.header_len()..][..header.nbytes()]), "{}", entry.id);
            }
            assert_eq!(chunk.clone().into_data().unwrap(), data, "{}", entry.id);
            count += 1;
        }
    }
    println!("{count} chunks without a codec");
    assert_ne!(count, 0);
}
