//! `verify`: the frames that pass, those that do not, and the limits.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use b2nd::{B2ndMeta, Geometry};
use b2nd_check::{CheckOptions, Digests, Finding, Limits, Reader, Report, check_frame, verify};
use b2nd_frame::{Chunk, CodecId, Decompressor, Filter, Header, HeaderField, Sizes, Special, Writer};
use b2nd_store::{Frame, LocalFile};
use hex_literal::hex;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data");

fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// True if the frame can be passed to C-Blosc2.
fn passes(report: &Report) -> bool {
    report.is_readable() && report.is_safe_for(Reader::C_BLOSC2)
}

/// The findings about the file, each with its place.
fn found(bytes: &[u8], limits: &Limits) -> Vec<String> {
    let report = verify(&bytes.to_vec(), limits);
    let of_file = report.findings.iter().filter(|found| !found.is_of_readers());
    let findings: Vec<_> = of_file.map(|found| format!("{}: {}", found.place, found.finding)).collect();
    assert!(!passes(&report), "{findings:?}");
    findings
}

/// A frame of bytes with these chunks.
fn frame(chunksize: i32, chunks: &[Vec<u8>]) -> Vec<u8> {
    let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize, blocksize: chunksize }).unwrap());
    chunks.iter().for_each(|chunk| writer.append(&Chunk::from_slice(chunk).unwrap()).unwrap());
    writer.finish().unwrap()
}

/// A compressed chunk in which all blocks refer to the same stream.
fn chunk(codec: u8, nbytes: usize, blocksize: usize, stream: &[u8]) -> Vec<u8> {
    let blocks = nbytes.div_ceil(blocksize);
    let start = (32 + 4 * blocks) as u32;
    let cbytes = start + 4 + stream.len() as u32;
    let mut chunk = vec![5, 1, 0x15 | codec << 5, 1];
    [nbytes as u32, blocksize as u32, cbytes].iter().for_each(|length| chunk.extend(length.to_le_bytes()));
    chunk.extend([0; 16]);
    (0..blocks).for_each(|_| chunk.extend(start.to_le_bytes()));
    chunk.extend((stream.len() as u32).to_le_bytes());
    chunk.extend_from_slice(stream);
    chunk
}

const ZLIB: u8 = 3;

#[test]
fn good_frames_have_the_findings_of_a_check_and_nothing_else() {
    let mut paths = Vec::new();
    files(Path::new(DATA), &mut paths);
    let (mut passed, mut frames) = (0, 0);
    let limited = CheckOptions { limits: Limits::default(), ..CheckOptions::default() };
    for path in paths {
        let file = LocalFile::open(&path).unwrap();
        let Ok(frame) = Frame::open(&file) else { continue };
        let report = check_frame(&frame, &limited, &mut Decompressor::new()).unwrap();
        let expected = check_frame(&frame, &CheckOptions::default(), &mut Decompressor::new()).unwrap().findings;
        let sentences = |findings: &[Finding]| findings.iter().map(|found| found.finding.clone()).collect::<Vec<_>>();
        assert_eq!(sentences(&report.findings), sentences(&expected), "{}", path.display());
        passed += usize::from(passes(&report));
        frames += 1;
    }
    assert!(frames > 90 && passed > 80, "{passed} of {frames} passed");
}

#[test]
fn a_frame_that_is_cut_does_not_pass() {
    let bytes = fs::read(format!("{DATA}/grid/i4_2d.b2nd")).unwrap();
    assert!(passes(&verify(&bytes, &Limits::default())));
    for length in (0..bytes.len()).step_by(13).chain([bytes.len() - 1]) {
        assert!(!passes(&verify(&bytes[..length].to_vec(), &Limits::default())), "{length}");
    }
}

/// Files that crash some version of C-Blosc2, and files that are not frames.
#[test]
fn what_crashes_c_blosc2_does_not_pass() {
    let stored = |flags: u8| {
        let mut chunk = Chunk::store(&[7; 64], 1).unwrap().into_bytes();
        chunk[31] = flags;
        frame(64, &[chunk])
    };
    assert!(passes(&verify(&stored(0), &Limits::default())));
    let lazy = "chunk 0: its flags say that its data is stored elsewhere (a lazy chunk)";
    assert_eq!(found(&stored(0x08), &Limits::default()), [lazy]);
    assert_eq!(found(&stored(0x80), &Limits::default()), ["chunk 0: its flags say that it holds measurements of a codec"]);

    // C-Blosc2 divides by the chunksize if a chunk is special.
    let mut zeros = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 64, blocksize: 64 }).unwrap());
    zeros.append_special(b2nd_frame::Special::Zeros, 64).unwrap();
    let mut zeros: Vec<u8> = zeros.finish().unwrap();
    zeros[0x3a..0x3e].fill(0);
    let no_length = "chunk 0: it is special in the index, and the header does not determine its length";
    let no_chunksize = "header: chunksize: expected 1 or more, found 0: the flags do not say that chunks vary in length";
    assert_eq!(found(&zeros, &Limits::default()), [no_chunksize, no_length]);
    zeros[0x19] = 0x53;
    assert_eq!(found(&zeros, &Limits::default()), [no_length]);

    // A BloscLZ match with a length that overflows an int32.
    let mut stream = vec![0, b'a', 0xe0];
    stream.resize(8_421_600, 0xff);
    stream.extend([0, 0, 0]);
    let overflow = found(&frame(1 << 20, &[chunk(0, 1 << 20, 1 << 20, &stream)]), &Limits::default());
    assert!(overflow.len() == 1 && overflow[0].starts_with("chunk 0: "), "{overflow:?}");

    // A zlib stream that claims to be longer than its chunk.
    let mut long = chunk(ZLIB, 64, 64, &[0x78, 0x9c, 1, 64, 0, 0xbf, 0xff]);
    long[36..40].copy_from_slice(&4096_u32.to_le_bytes());
    let long = found(&frame(64, &[long]), &Limits::default());
    assert!(long.len() == 1 && long[0].starts_with("chunk 0: "), "{long:?}");

    for bytes in [&b""[..], b"b2frame", &[0; 4096], &[0xff; 4096]] {
        assert_eq!(verify(&bytes.to_vec(), &Limits::default()).findings.len(), 1);
    }
}

#[test]
fn nothing_takes_more_memory_than_is_allowed() {
    let limits = Limits { max_memory: 1 << 20, max_time: None };
    // A chunk of 33 bytes that claims almost 2 GiB.
    let special = Chunk::repeated(&[7], 0x7fff_0000).unwrap().into_bytes();
    let refused = found(&frame(0x7fff_0000, &[special]), &limits);
    assert!(refused.len() == 1 && refused[0].starts_with("chunk 0: it may need 2,147,418,145 "), "{refused:?}");
    assert!(refused[0].ends_with(" bytes of memory; the limit is 1,048,576"), "{refused:?}");
    // Attributes that claim 256 MiB each.
    let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 4, blocksize: 4 }).unwrap());
    writer.append(&Chunk::store(b"data", 1).unwrap()).unwrap();
    (0..9).for_each(|number| writer.set_vlmetalayer_bytes(&format!("a{number}"), &[0; 96]).unwrap());
    let mut bytes: Vec<u8> = writer.finish().unwrap();
    let claim = Chunk::special(b2nd_frame::Special::Zeros, 1 << 28, 1).unwrap().into_bytes();
    for at in 0..bytes.len() - 128 {
        if bytes[at..].starts_with(&[5, 1, 7, 1, 96, 0, 0, 0]) {
            let cbytes = bytes[at + 12..at + 16].to_vec();
            bytes[at..at + 32].copy_from_slice(&claim);
            bytes[at + 12..at + 16].copy_from_slice(&cbytes);
        }
    }
    let refused = found(&bytes, &limits);
    let of_memory = refused.iter().filter(|found| found.starts_with("vlmetalayer") && found.contains(": it may need "));
    assert_eq!(of_memory.count(), 9, "{refused:?}");
    // The same limit for the header, the trailer and the index.
    let mut header = Header::new(Sizes { typesize: 1, chunksize: 4, blocksize: 4 }).unwrap();
    header.metalayers_mut().insert("long", vec![0; 1 << 20]).unwrap();
    let long: Vec<u8> = Writer::new(header).finish().unwrap();
    assert!(found(&long, &limits)[0].starts_with("header: it may need 4,"));
    let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 4, blocksize: 4 }).unwrap());
    for number in 0..70_000_u32 {
        writer.append(&Chunk::store(&number.to_le_bytes(), 1).unwrap()).unwrap();
    }
    writer.set_vlmetalayer_bytes("long", &vec![0; 1 << 19]).unwrap();
    let long: Vec<u8> = writer.finish().unwrap();
    let places: Vec<_> = found(&long, &limits).iter().map(|found| found.split(':').next().unwrap().to_owned()).collect();
    assert_eq!(places, ["trailer", "index"]);
}

/// The stream consists of empty parts, and each block refers to the same stream, so decoding takes quadratic time.
#[test]
fn nothing_takes_more_time_than_is_allowed() {
    let mut stream = vec![0x78, 0x9c];
    (0..200_000).for_each(|_| stream.extend([0, 0, 0, 0xff, 0xff]));
    stream.extend([1, 1, 0, 0xfe, 0xff, 7, 0, 8, 0, 8]);
    let bytes = frame(20_000, &[chunk(ZLIB, 20_000, 1, &stream)]);
    let refused = found(&bytes, &Limits { max_memory: 1 << 30, max_time: Some(Duration::from_millis(100)) });
    assert_eq!(
        refused,
        [
            "chunk 0: several of its blocks start at byte 80,032 of the chunk",
            "frame: the time limit of 100ms was reached at chunk 0"
        ]
    );
    // A single block with this stream decodes.
    let one = found(&frame(1, &[chunk(ZLIB, 1, 1, &stream)]), &Limits::default());
    assert_eq!(one, ["chunk 0: the space for block 0 has 1,000,016 bytes, but a block needs at most 5"]);
}

#[test]
fn zstandard_is_decoded_by_the_safe_set_or_said_not_to_be() {
    let header = Header::new(Sizes { typesize: 1, chunksize: 4096, blocksize: 4096 }).unwrap();
    let compressor = header.with_codec(CodecId::Zstd).unwrap().with_level(5).unwrap().compressor().unwrap();
    let report = verify(&frame(4096, &[compressor.chunk(&[3; 4096]).unwrap()]), &Limits::default());
    if cfg!(feature = "safe") {
        assert!(passes(&report), "{:?}", report.findings);
    } else {
        assert!(report.findings.len() == 1 && report.findings[0].not_decoded && !passes(&report), "{:?}", report.findings);
    }
}

/// `verify` once accepted each of these frames. C-Blosc2 2.21.3 then read or wrote outside of its buffers, or found another
/// array.
#[test]
fn what_the_proof_against_c_blosc2_found_does_not_pass() {
    let only = |bytes: &[u8]| {
        let found = found(bytes, &Limits::default());
        assert_eq!(found.len(), 1, "{found:?}");
        found[0].clone()
    };
    let good = frame(64, &[Chunk::store(&[7; 64], 1).unwrap().into_bytes()]);
    let start = Header::from_slice(&good).unwrap().header_len();
    // The header of a sparse frame, without its directory.
    let mut sparse = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 64, blocksize: 64 }).unwrap());
    sparse.append_special(b2nd_frame::Special::Zeros, 64).unwrap();
    let mut sparse: Vec<u8> = sparse.finish().unwrap();
    assert!(passes(&verify(&sparse, &Limits::default())));
    sparse[0x1a] = 1;
    assert_eq!(only(&sparse), "header: it says that the chunks are separate files, but this is not a sparse frame's directory");
    // A chunk with a header of Blosc 1.
    let mut short = good.clone();
    short[start + 2] = 2;
    short[start + 12..start + 16].copy_from_slice(&80_u32.to_le_bytes());
    assert_eq!(only(&short), "chunk 0: it has a header of Blosc 1, with 16 bytes");
    // The space for the block is longer than the block can be.
    let mut stream = vec![0x78, 0x9c, 1, 64, 0, 0xbf, 0xff];
    stream.extend([7; 64]);
    let mut sum = (1_u32, 0_u32);
    (0..64).for_each(|_| sum = (sum.0 + 7, sum.1 + sum.0 + 7));
    stream.extend((sum.1 << 16 | sum.0).to_be_bytes());
    let packed = chunk(ZLIB, 64, 64, &stream);
    assert!(only(&frame(64, &[packed])).starts_with("chunk 0: the space for block 0 has 79 bytes, but a block needs at most 68"));
    // The repeated value has a different size than the elements.
    let mut value = Chunk::repeated(&[1, 2, 3], 66).unwrap().into_bytes();
    value[4..8].copy_from_slice(&64_u32.to_le_bytes());
    value[8..12].copy_from_slice(&64_u32.to_le_bytes());
    let found = found(&frame(64, &[value]), &Limits::default());
    assert_eq!(found[0], "chunk 0: its typesize: expected 1, found 3");
    // A value of three bytes is repeated, and the size of the data is not a multiple of three.
    let mut value = Chunk::repeated(&[1, 2, 3], 66).unwrap().into_bytes();
    value[4..8].copy_from_slice(&64_u32.to_le_bytes());
    value[8..12].copy_from_slice(&63_u32.to_le_bytes());
    let mut writer = Writer::new(Header::new(Sizes { typesize: 3, chunksize: 66, blocksize: 63 }).unwrap());
    writer.append(&Chunk::from_slice(&value).unwrap()).unwrap();
    let found = self::found(&writer.finish().unwrap(), &Limits::default());
    assert_eq!(found[0], "chunk 0: it has 64 bytes of data, which is not a multiple of its typesize, 3");
    // A chunk version that C-Blosc2 does not know.
    let mut newer = good.clone();
    newer[start] = 7;
    assert_eq!(only(&newer), "chunk 0: chunk version: expected at most 6, found 7 at byte 97");
    // A chunk that is special in the index and whose length is not a multiple of the typesize.
    let mut zeros = sparse;
    zeros[0x1a] = 0;
    zeros[0x30..0x34].copy_from_slice(&7_i32.to_be_bytes());
    let zeros = self::found(&zeros, &Limits::default());
    // There is no finding about split elements, because no other chunk follows.
    assert_eq!(zeros, ["chunk 0: chunk[0]: nbytes: expected a multiple of typesize (7), found 64"]);
}

/// `verify` once accepted each of these frames. C-Blosc2 3.3.2 then read outside of its buffers, computed undefined values, or
/// rejected the frame.
#[test]
fn flags_that_only_chunks_in_memory_have_do_not_pass_in_metadata() {
    let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 64, blocksize: 64 }).unwrap());
    writer.append(&Chunk::store(&[7; 64], 1).unwrap()).unwrap();
    writer.set_vlmetalayer_bytes("note", &[9; 8]).unwrap();
    let good: Vec<u8> = writer.finish().unwrap();
    let at = good.windows(8).rposition(|window| window == [9; 8]).unwrap() - 32;
    let uninitialized = Chunk::special(b2nd_frame::Special::Uninitialized, 8, 1).unwrap().into_bytes();
    let with = |change: &dyn Fn(&mut [u8])| {
        let mut bytes = good.clone();
        bytes[at..at + 32].copy_from_slice(&uninitialized);
        bytes[at + 12..at + 16].copy_from_slice(&40_u32.to_le_bytes());
        change(&mut bytes[at..at + 32]);
        bytes
    };
    assert!(passes(&verify(&with(&|_| ()), &Limits::default())));
    let lazy = "vlmetalayer \"note\": its flags say that its data is stored elsewhere (a lazy chunk)";
    assert_eq!(found(&with(&|chunk| chunk[31] |= 0x08), &Limits::default()), [lazy]);
    let special = "vlmetalayer \"note\": it is special (uninitialized), but its flags say that it has";
    for (byte, bit, wrong) in [(31, 1, "a dictionary"), (30, 1, "blocks that vary in length")] {
        let found = found(&with(&|chunk| chunk[byte] |= bit), &Limits::default());
        assert_eq!(found[0], format!("{special} {wrong}"), "{found:?}");
    }
}

#[test]
fn special_chunks_where_c_blosc2_looks_for_data_do_not_pass() {
    let stored = || Chunk::store(&[7; 64], 1).unwrap().into_bytes();
    let zeros = Chunk::special(b2nd_frame::Special::Zeros, 64, 1).unwrap().into_bytes();
    let good = frame(64, &[stored()]);
    let start = Header::from_slice(&good).unwrap().header_len();
    let mut first = good.clone();
    first[start..start + 32].copy_from_slice(&zeros);
    let found_first = found(&first, &Limits::default());
    let sentence = "chunk 0: it is special (zeros) in its own header but not in the index: C-Blosc2 rejects such a first chunk";
    assert!(found_first.contains(&sentence.to_owned()), "{found_first:?}");
    // An index of zeros would mean that each chunk is at offset 0.
    let mut index = good;
    let at = start + 96;
    index[at + 31] = 0x10;
    let found = found(&index, &Limits::default());
    let sentence = "index: it is special (zeros): expected an index that stores each entry, or one that repeats a single value of \
         8 bytes";
    assert!(found.contains(&sentence.to_owned()), "{found:?}");
}

/// python-blosc2 4.14.1 takes the size of the special chunk from the rest of nbytes. For some values of nbytes, it then fails or returns
/// uninitialized bytes.
#[test]
fn an_array_whose_header_counts_fewer_bytes_than_its_chunks_have_does_not_pass() {
    let array = |nbytes: u8| {
        let mut header = Header::new(Sizes { typesize: 1, chunksize: 8, blocksize: 8 }).unwrap();
        header.metalayers_mut().set(&B2ndMeta::new(Geometry::new(&[5], &[8], &[8]).unwrap(), "|u1")).unwrap();
        let mut writer = Writer::new(header);
        writer.append_special(Special::Zeros, 8).unwrap();
        let mut frame: Vec<u8> = writer.finish().unwrap();
        frame[HeaderField::NBYTES.value().end - 1] = nbytes;
        frame
    };
    assert!(passes(&verify(&array(8), &Limits::default())));
    let found = found(&array(5), &Limits::default());
    assert_eq!(found[0], "header: nbytes: expected 8 (all chunks of the array), found 5");
}

/// Chunks of 5, 100 and 1 bytes in a frame whose header gives a different sum. C-Blosc2 allocates memory by the header.
#[test]
fn chunks_of_any_length_that_do_not_add_up_to_the_header_are_a_finding() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/cases/frame/variable-chunks.bin");
    let sound = fs::read(path).unwrap();
    let findings = |bytes: &Vec<u8>| verify(bytes, &Limits::default()).findings;
    assert!(findings(&sound).iter().all(Finding::is_of_readers));
    let nbytes = Frame::open(&sound).unwrap().header().nbytes();
    for other in [nbytes - 1, nbytes + 1, 1] {
        let mut frame = sound.clone();
        frame[HeaderField::NBYTES.value()].copy_from_slice(&other.to_be_bytes());
        let sentence = format!("nbytes: the chunks have {nbytes} bytes, but the header says {other}");
        assert!(findings(&frame).iter().any(|found| found.finding == sentence), "{:?}", findings(&frame));
    }
}

#[test]
fn filters_that_c_blosc2_undoes_otherwise_do_not_pass() {
    let mut alpha = chunk(ZLIB, 20, 20, &[0x78, 0x9c, 0x63, 0x60, 0xc0, 0x4, 0x0, 0x0, 0x14, 0x0, 0x1]);
    assert!(passes(&verify(&frame(20, &[alpha.clone()]), &Limits::default())));
    alpha[0] = 3;
    alpha[21] = 1;
    let leaves_out = "chunk 0: its header has a sixth filter, but its version, 3, allows five: C-Blosc2 ignores the sixth";
    assert_eq!(found(&frame(20, &[alpha]), &Limits::default()), [leaves_out]);
    // The block has 20 bytes: a vector of 16, and four more.
    let mut first = chunk(ZLIB, 20, 20, &[0x78, 0x9c, 0x63, 0x60, 0xc0, 0x4, 0x0, 0x0, 0x14, 0x0, 0x1]);
    first[21] = 34;
    let depends = "chunk 0: its values can depend on how C-Blosc2 was built: it has the first version of bytedelta (filter 34), \
                   and the number of elements in a block is not known to be a multiple of 16";
    assert_eq!(found(&frame(20, &[first.clone()]), &Limits::default()), [depends]);
    // The block has 20 bytes: six elements of three, and two more.
    let rest = "chunk 0: some versions of C-Blosc2 return uninitialized bytes: bytedelta's typesize may not \
                divide each block";
    for filter in [34, 35] {
        (first[21], first[29]) = (filter, 3);
        assert_eq!(found(&frame(20, &[first.clone()]), &Limits::default()), [rest]);
        first[29] = 4;
        assert!(passes(&verify(&frame(20, &[first.clone()]), &Limits::default())));
    }
    // python-blosc2 rejects a parameter above 127. If the parameter of bytedelta is 0, the filter uses the typesize.
    for (meta, is_safe) in [(0, false), (4, true), (200, false)] {
        let header = Header::new(Sizes { typesize: 200, chunksize: 200, blocksize: 200 }).unwrap();
        let header = header.with_filters(&[(Filter::Other(35), meta)]).unwrap();
        let bytes: Vec<u8> = Writer::new(header).finish().unwrap();
        assert_eq!(verify(&bytes, &Limits::default()).is_safe_for(Reader::PYTHON_BLOSC2), is_safe, "{meta}");
    }
}

#[test]
fn a_name_that_c_blosc2_takes_for_another_does_not_pass() {
    let mut header = Header::new(Sizes { typesize: 1, chunksize: 16, blocksize: 16 }).unwrap();
    header.metalayers_mut().insert("a_b", [1]).unwrap();
    let mut bytes: Vec<u8> = Writer::new(header).finish().unwrap();
    assert!(passes(&verify(&bytes, &Limits::default())));
    let at = bytes.windows(3).position(|name| name == b"a_b").unwrap();
    bytes[at + 1] = 0;
    assert!(!passes(&verify(&bytes, &Limits::default())));
}

#[test]
fn lengths_that_c_blosc2_or_numpy_cannot_multiply_do_not_pass() {
    let of_type = |(typesize, dtype): (i32, &'static str), shape: &[i64], chunks: &[i32], blocks: &[i32]| -> Vec<u8> {
        let meta = b2nd::B2ndMeta::new(b2nd::Geometry::new(shape, chunks, blocks).unwrap(), dtype);
        let mut header = Header::new(Sizes { typesize, chunksize: 16, blocksize: 16 }).unwrap();
        header.metalayers_mut().insert("b2nd", b2nd::to_vec(&meta).unwrap()).unwrap();
        Writer::new(header).finish().unwrap()
    };
    let array = |shape: &[i64], chunks: &[i32], blocks: &[i32]| of_type((1, "|u1"), shape, chunks, blocks);
    assert!(passes(&verify(&array(&[0, 1 << 40], &[4, 4], &[4, 4]), &Limits::default())));
    let multiply = "array: the product of its padded lengths (other than 0) does not fit an int64";
    assert_eq!(found(&array(&[0, 1 << 40, 1 << 40], &[4, 2, 2], &[4, 2, 2]), &Limits::default()), [multiply]);
    let distance = "array: it is empty, but the distance between chunks that C-Blosc2 computes from its lengths does not fit an \
         int64";
    assert_eq!(found(&array(&[0, 1 << 61], &[2, 8], &[2, 8]), &Limits::default()), [distance]);
    let large = |length: i64| of_type((4, "<i4"), &[0, length], &[2, 2], &[2, 2]);
    for (length, is_safe) in [((1 << 61) - 2, true), (1 << 61, false)] {
        let report = verify(&large(length), &Limits::default());
        assert!(passes(&report), "C-Blosc2 reads both: {:?}", report.findings);
        assert_eq!(report.is_safe_for(Reader::PYTHON_BLOSC2), is_safe, "{:?}", report.findings);
    }
}

/// A dtype that is not UTF-8 is allowed if dtype_format is not 0, and C-Blosc2 opens it.
#[test]
fn a_dtype_that_is_not_utf_8_is_read_by_c_blosc2_and_not_by_python() {
    let content = hex!("97 00 01 91 d3000000000000000a 91 d200000005 91 d200000002 01 db00000002 7532");
    let mut header = Header::new(Sizes { typesize: 2, chunksize: 12, blocksize: 4 }).unwrap();
    header.metalayers_mut().insert("b2nd", content).unwrap();
    let mut writer = Writer::new(header);
    (0..2).for_each(|_| writer.append_special(Special::Zeros, 12).unwrap());
    let mut file: Vec<u8> = writer.finish().unwrap();
    // The bytes are changed afterwards, because a writer rejects an array metalayer that it cannot decode.
    let dtype = file.windows(2).position(|two| two == b"u2").unwrap();
    file[dtype..][..2].copy_from_slice(&[0xff, 0xfe]);
    let found = check_frame(&Frame::open(&file).unwrap(), &CheckOptions::default(), &mut Decompressor::safe()).unwrap().findings;
    let answers: Vec<_> = found.iter().map(|found| (found.document, found.c_blosc2, found.python_blosc2)).collect();
    assert_eq!(answers, [(None, Some(true), Some(false))], "{found:?}");
}

#[test]
fn values_that_are_not_those_of_their_digests_are_not_readable() {
    let with = |digested: &[u8]| {
        let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 64, blocksize: 64 }).unwrap());
        writer.append(&Chunk::store(&[7; 64], 1).unwrap()).unwrap();
        writer.set_vlmetalayer_bytes(Digests::NAME, &b2nd::to_vec(&Digests::of_data([digested])).unwrap()).unwrap();
        let bytes: Vec<u8> = writer.finish().unwrap();
        verify(&bytes, &Limits::default())
    };
    assert!(passes(&with(&[7; 64])));
    let other = with(&[8; 64]);
    assert!(!other.is_readable() && other.is_safe_for(Reader::C_BLOSC2), "{:?}", other.findings);
}

/// A chunk of 48 bytes that claims 1 GiB, which is more than the sum of the lengths of its blocks.
#[test]
fn blocks_that_say_their_lengths_are_added_up_before_memory_is_taken() {
    let mut lies = chunk(0, 1 << 30, 1 << 30, &[7; 8]);
    lies[0] = 6;
    lies[8..12].copy_from_slice(&1_u32.to_le_bytes());
    lies[30] = 1;
    let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 1 << 30, blocksize: 1 }).unwrap());
    writer.append_special(Special::Zeros, 1 << 30).unwrap();
    let mut bytes: Vec<u8> = writer.finish().unwrap();
    let header = Header::from_slice(&bytes).unwrap();
    // Inserts the chunk after the header, and replaces the index with one that has a single offset, 0.
    let at = header.header_len();
    let index = at + usize::try_from(header.cbytes()).unwrap();
    bytes.splice(at..at, lies.iter().copied());
    bytes[0x26 + 1..0x26 + 9].copy_from_slice(&(lies.len() as u64).to_be_bytes());
    bytes[index + lies.len() + 32..][..8].fill(0);
    let length = bytes.len() as u64;
    bytes[0x10..0x18].copy_from_slice(&length.to_be_bytes());
    bytes[0x19] = 0x93;
    let (report, most) = with_most_memory(&bytes);
    let lack: Vec<_> = report.findings.iter().filter(|found| found.unreadable).map(|found| found.finding.as_str()).collect();
    assert_eq!(lack, ["the blocks together are 1,073,741,816 bytes shorter than the chunk's data"]);
    assert!(most < 1 << 20, "{most} bytes");
}

/// The report, and the largest amount of memory that was allocated at one time.
fn with_most_memory(bytes: &Vec<u8>) -> (Report, u64) {
    let limits = Limits { max_memory: 4 << 30, max_time: None };
    let mut report = None;
    let info = allocation_counter::measure(|| report = Some(verify(bytes, &limits)));
    (report.unwrap(), info.bytes_max)
}

/// C-Blosc2 2.21.3 repeats only the first element of this value.
#[test]
fn a_value_of_an_attribute_that_is_longer_than_its_elements_does_not_pass() {
    let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 64, blocksize: 64 }).unwrap());
    writer.append(&Chunk::store(&[7; 64], 1).unwrap()).unwrap();
    writer.set_vlmetalayer_bytes("note", &[9; 8]).unwrap();
    let mut bytes: Vec<u8> = writer.finish().unwrap();
    assert!(!verify(&bytes, &Limits::default()).findings.iter().any(|found| found.c_blosc2 != Some(true)));
    // Turns the stored chunk, whose typesize is 1, into a special chunk that repeats a value of 8 bytes.
    let at = bytes.windows(8).rposition(|window| window == [9; 8]).unwrap() - 32;
    bytes[at + 2] &= !2;
    bytes[at + 31] |= 0x30;
    let found = found(&bytes, &Limits::default());
    assert_eq!(found, ["vlmetalayer \"note\": it is special (value): its value has 8 bytes, but each element has 1 byte"]);
}

#[test]
fn a_codec_by_the_number_of_a_users_one_does_not_pass_in_an_attribute() {
    let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 64, blocksize: 64 }).unwrap());
    writer.append(&Chunk::store(&[7; 64], 1).unwrap()).unwrap();
    writer.set_vlmetalayer_bytes("note", &[9; 48]).unwrap();
    let mut bytes: Vec<u8> = writer.finish().unwrap();
    // Marks the 80 bytes of the chunk as compressed by a user's codec, and sets the codec's number to that of zlib.
    let at = bytes.windows(48).rposition(|window| window == [9; 48]).unwrap() - 32;
    bytes[at + 2] = 0x15 | 6 << 5;
    bytes[at + 22] = 4;
    let found = found(&bytes, &Limits::default());
    let sentence = "vlmetalayer \"note\": its flags say that its codec is not built in, but the codec's number, 4, is below 32";
    assert!(found.contains(&sentence.to_owned()), "{found:?}");
}
