//! New frames are read back as they were written, in memory, in a file and in a directory.

use std::fs;

use crate::common::scratch::Scratch;
use crate::common::state::State;
use crate::common::{Hex, frames, message};
use b2nd::{B2ndMeta, Geometry};
use b2nd_frame::{
    Chunk, CodecId, Directory, File, Filter, Frame, FrameType, Header, Metalayers, Offset, OneFile, Sizes, Special, SplitMode,
    Target, Writer,
};

/// Writers and files can be sent to another thread.
const _: () = {
    const fn is_send<T: Send>() {}
    is_send::<Writer<OneFile>>();
    is_send::<Writer<Directory>>();
    is_send::<File>();
};

#[test]
fn a_frame_in_memory_is_read_back() {
    let bytes = frames::contiguous();
    let frame = Frame::from_slice(&bytes).unwrap();
    let header = frame.header();
    assert_eq!((header.version(), header.frame_type()), (2, FrameType::Contiguous));
    assert_eq!((header.nbytes(), header.cbytes(), header.frame_len()), (256, 96 + 96 + 96, bytes.len() as u64));
    assert_eq!((header.typesize(), header.chunksize(), header.blocksize()), (4, 64, 32));
    assert_eq!(header.metalayers(), frames::header().metalayers());
    assert!(header.has_vlmetalayers());
    assert_eq!(frame.trailer().unwrap().vlmetalayers().len(), 1);
    assert_eq!(frame.trailer().unwrap().vlmetalayers().value("note").unwrap().unwrap(), [3; 100].as_slice());
    let expected = [Offset::At(0), Offset::Special(Special::Zeros), Offset::At(96), Offset::At(192)];
    assert_eq!(frame.offsets().unwrap().iter().collect::<Vec<_>>(), expected);
    assert!(!frame.offsets().unwrap().is_empty());
    for (number, nbytes) in [(0, 64), (2, 64), (3, 64)] {
        let chunk = frame.chunk(number).unwrap();
        assert_eq!(chunk.stored(), Some(frames::data(number as u8, nbytes).as_slice()));
        assert_eq!(chunk.header().blocksize(), 32, "the frame's");
    }
    let special = frame.chunk(1).unwrap();
    assert_eq!((special.header().special(), special.header().nbytes()), (Some(Special::Zeros), 64));
    assert_eq!(special.header().blocksize(), 32, "the frame's");

    // The header, the chunks, the index and the trailer follow each other without gaps.
    let parts = [
        b2nd::to_vec(header).unwrap(),
        frame.chunk(0).unwrap().into_bytes(),
        frame.chunk(2).unwrap().into_bytes(),
        frame.chunk(3).unwrap().into_bytes(),
        Chunk::from_slice(&bytes[header.tail_range().start as usize..]).unwrap().into_bytes(),
        b2nd::to_vec(frame.trailer().unwrap()).unwrap(),
    ];
    assert_eq!(Hex(&bytes), Hex(&parts.concat()));
}

#[test]
fn every_target_holds_the_same() {
    let scratch = Scratch::new();
    let path = scratch.join("f.b2nd");
    let mut writer = Writer::create(&path, frames::header()).unwrap();
    frames::append(&mut writer).unwrap();
    writer.set_vlmetalayer_bytes("note", &[3; 100]).unwrap();
    assert!(!path.exists(), "not before it is complete");
    writer.finish().unwrap();
    assert_eq!(Hex(&fs::read(&path).unwrap()), Hex(&frames::contiguous()));

    let directory = scratch.join("s.b2nd");
    frames::sparse(&directory);
    let expected = ["f.b2nd", "s.b2nd", "s.b2nd/00000000.chunk", "s.b2nd/00000002.chunk", "s.b2nd/00000003.chunk"];
    assert_eq!(scratch.names()[..5], expected);
    assert_eq!(scratch.names()[5..], ["s.b2nd/chunks.b2frame"]);
    let (one, other) = (State::read(&path).unwrap(), State::read(&directory).unwrap());
    assert_eq!(other.header.frame_type(), FrameType::Sparse);
    assert_eq!(other.header.cbytes(), one.header.cbytes());
    assert_eq!((&other.chunks, &other.trailer, &other.values), (&one.chunks, &one.trailer, &one.values));
    let expected = [Offset::At(0), Offset::Special(Special::Zeros), Offset::At(2), Offset::At(3)];
    assert_eq!(other.offsets, expected);
    assert_eq!(File::open(&directory).unwrap().path(), directory.join("chunks.b2frame"));
}

#[test]
fn a_chunk_in_parts_is_the_chunk() {
    let scratch = Scratch::new();
    let sizes = Sizes { typesize: 1, chunksize: 1000, blocksize: 1000 };
    let chunk = Chunk::store(&(0..1000).map(|at| at as u8).collect::<Vec<_>>(), 1).unwrap();
    fn in_parts<T: Target>(mut writer: Writer<T>, chunk: &Chunk) -> Writer<T> {
        writer.append(chunk).unwrap();
        writer.put_part(32, &[1; 500]).unwrap();
        let bytes = chunk.bytes();
        writer.put_part(300, &bytes[300..]).unwrap();
        writer.put_part(0, &bytes[..300]).unwrap();
        writer.append_parts(chunk.header()).unwrap();
        // No chunk uses this part, so it is discarded.
        writer.put_part(0, &[1; 5000]).unwrap();
        writer.append_special(Special::Zeros, 1000).unwrap();
        writer
    }
    let header = || Header::new(sizes).unwrap();
    let mut whole = Writer::new(header());
    whole.append(&chunk).unwrap();
    whole.append(&chunk).unwrap();
    whole.append_special(Special::Zeros, 1000).unwrap();
    let whole = whole.finish().unwrap();
    assert!(in_parts(Writer::new(header()), &chunk).finish().unwrap() == whole);
    in_parts(Writer::create(scratch.join("f.b2nd"), header()).unwrap(), &chunk).finish().unwrap();
    assert!(fs::read(scratch.join("f.b2nd")).unwrap() == whole);
    in_parts(Writer::create_sparse(scratch.join("s.b2nd"), header()).unwrap(), &chunk).finish().unwrap();
    let sparse = File::open(scratch.join("s.b2nd")).unwrap();
    assert!((0..2).all(|number| sparse.chunk(number).unwrap() == chunk));
}

#[test]
fn what_is_not_finished_is_not_there() {
    let scratch = Scratch::new();
    let mut writer = Writer::create(scratch.join("f.b2nd"), frames::header()).unwrap();
    frames::append(&mut writer).unwrap();
    assert_eq!(scratch.names(), [".f.b2nd.0.tmp"]);
    let other = Writer::create(scratch.join("f.b2nd"), frames::header()).unwrap();
    assert_eq!(scratch.names(), [".f.b2nd.0.tmp", ".f.b2nd.1.tmp"], "two writers do not meet");
    drop((writer, other));
    let mut writer = Writer::create_sparse(scratch.join("s.b2nd"), frames::header()).unwrap();
    frames::append(&mut writer).unwrap();
    drop(writer);
    assert!(scratch.names().is_empty(), "{:?}", scratch.names());

    fs::write(scratch.join("f.b2nd"), "something").unwrap();
    drop(Writer::create(scratch.join("f.b2nd"), frames::header()).unwrap());
    assert_eq!(fs::read(scratch.join("f.b2nd")).unwrap(), b"something");
    let refusal = format!("{}: it already exists", scratch.join("f.b2nd").display());
    assert_eq!(message(Writer::create_sparse(scratch.join("f.b2nd"), frames::header())), refusal);
    assert_eq!(scratch.names(), ["f.b2nd"]);
}

#[test]
fn a_new_file_replaces_none_not_even_one_made_meanwhile() {
    let scratch = Scratch::new();
    let path = scratch.join("f.b2nd");
    let refusal = format!("{}: it already exists", path.display());
    let mut writer = Writer::create_new(&path, frames::header()).unwrap();
    frames::append(&mut writer).unwrap();
    fs::write(&path, "something").unwrap();
    let error = writer.finish().unwrap_err().to_string();
    assert!(error.ends_with("it already exists"), "{error}");
    assert_eq!(message(Writer::create_new(&path, frames::header())), refusal);
    assert_eq!(fs::read(&path).unwrap(), b"something");
    assert_eq!(scratch.names(), ["f.b2nd"]);
    fs::remove_file(&path).unwrap();
    let mut writer = Writer::create_new(&path, frames::header()).unwrap();
    frames::append(&mut writer).unwrap();
    writer.set_vlmetalayer_bytes("note", &[3; 100]).unwrap();
    writer.finish().unwrap();
    assert_eq!(Hex(&fs::read(&path).unwrap()), Hex(&frames::contiguous()));
    assert_eq!(scratch.names(), ["f.b2nd"]);
    // The file to replace may be removed in the meantime.
    let mut writer = Writer::create(&path, frames::header()).unwrap();
    frames::append(&mut writer).unwrap();
    fs::remove_file(&path).unwrap();
    writer.finish().unwrap();
    assert_eq!(Hex(&fs::read(&path).unwrap()), Hex(&frames::bare()));
}

#[test]
fn a_frame_without_chunks() {
    let bytes = frames::empty();
    let frame = Frame::from_slice(&bytes).unwrap();
    assert_eq!((frame.header().nbytes(), frame.header().cbytes(), frame.header().nchunks()), (0, 0, Some(0)));
    assert!(frame.offsets().unwrap().is_empty());
    assert_eq!(message(frame.chunk(0)), "chunk 0 is out of range: the number of chunks is 0");
    let parts = [b2nd::to_vec(frame.header()).unwrap(), b2nd::to_vec(frame.trailer().unwrap()).unwrap()].concat();
    assert_eq!(Hex(&bytes), Hex(&parts), "the trailer follows the header");

    let bare = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 1, blocksize: 1 }).unwrap()).finish().unwrap();
    assert_eq!(bare.len(), 97 + 35);
    assert!(!Frame::from_slice(&bare).unwrap().header().has_vlmetalayers());
}

#[test]
fn special_chunks_alone() {
    for special in [Special::Zeros, Special::Nan, Special::Uninitialized] {
        let mut writer = Writer::new(Header::new(Sizes { typesize: 8, chunksize: 1 << 30, blocksize: 1 << 20 }).unwrap());
        (0..5).for_each(|_| writer.append_special(special, 1 << 30).unwrap());
        writer.append_special(special, 24).unwrap();
        let bytes = writer.finish().unwrap();
        let frame = Frame::from_slice(&bytes).unwrap();
        assert_eq!((frame.header().nbytes(), frame.header().cbytes()), ((5 << 30) + 24, 0));
        assert_eq!(frame.chunk(4).unwrap().header().nbytes(), 1 << 30);
        assert_eq!(frame.chunk(5).unwrap().header().nbytes(), 24);
        assert_eq!(frame.chunk(5).unwrap().header().special(), Some(special));
    }
    let value = [&Chunk::special(Special::Zeros, 8, 4).unwrap().into_bytes()[..31], &[0x30], b"four"].concat();
    let mut value_chunk = value.clone();
    value_chunk[12] = 36;
    let mut writer = Writer::new(Header::new(Sizes { typesize: 4, chunksize: 8, blocksize: 8 }).unwrap());
    writer.append(&Chunk::from_slice(&value_chunk).unwrap()).unwrap();
    let bytes = writer.finish().unwrap();
    assert_eq!(*Frame::from_slice(&bytes).unwrap().chunk(0).unwrap().data().unwrap(), *b"fourfour");
}

#[test]
fn chunks_of_any_length() {
    let mut writer = Writer::new(Header::new(Sizes { typesize: 2, chunksize: 0, blocksize: 0 }).unwrap());
    let lengths = [6, 2, 500, 4];
    for (number, length) in (0..).zip(lengths) {
        writer.append(&Chunk::store(&frames::data(number as u8, length), 2).unwrap()).unwrap();
    }
    let refusal =
        "the index stores no length of a special chunk, but the chunks of this frame vary in length: append a `Chunk::store`";
    assert_eq!(message(writer.append_special(Special::Zeros, 8)), refusal);
    assert_eq!(message(writer.append(&Chunk::store(b"", 2).unwrap())), "chunk 4: expected 1 or more bytes, found 0");
    // The compressor turns these zeros into a special chunk, which the index cannot hold in a frame with variable chunks.
    writer.append_elements(&[0; 64]).unwrap();
    let bytes = writer.finish().unwrap();
    let frame = Frame::from_slice(&bytes).unwrap();
    assert_eq!((frame.header().raw_flags()[0], frame.header().version()), (0x53, 3));
    assert!(frame.header().has_variable_chunks());
    assert_eq!((frame.header().nchunks(), frame.header().nbytes()), (None, 576));
    for (number, length) in (0..).zip(lengths) {
        assert_eq!(frame.chunk(number).unwrap().stored(), Some(frames::data(number as u8, length).as_slice()));
    }
}

#[test]
fn chunks_that_do_not_fit_are_refused() {
    let mut writer = Writer::new(Header::new(Sizes { typesize: 4, chunksize: 64, blocksize: 32 }).unwrap());
    let store = |length| Chunk::store(&vec![0; length], 4).unwrap();
    assert_eq!(message(writer.append(&store(65))), "chunk 0: expected 1 to 64 bytes, found 65");
    assert_eq!(message(writer.append(&store(0))), "chunk 0: expected 1 to 64 bytes, found 0");
    assert_eq!(message(writer.append_special(Special::Zeros, 65)), "chunk 0: expected 1 to 64 bytes, found 65");
    assert_eq!(message(writer.append_special(Special::Zeros, 63)), "nbytes: expected a multiple of typesize (4), found 63");
    let refusal = "`Special::Value` needs the value's bytes: append a `Chunk::repeated`";
    assert_eq!(message(writer.append_special(Special::Value, 64)), refusal);
    writer.append(&store(64)).unwrap();
    writer.append(&store(60)).unwrap();
    let refusal = "chunk 2 cannot follow a chunk that is shorter than the chunksize";
    assert_eq!(message(writer.append(&store(64))), refusal);
    assert_eq!(message(writer.append_special(Special::Zeros, 64)), refusal);
    let bytes = writer.finish().unwrap();
    assert_eq!(Frame::from_slice(&bytes).unwrap().offsets().unwrap().len(), 2, "what was refused is not there");

    let mut writer = Writer::new(Header::new(Sizes { typesize: 2, chunksize: 64, blocksize: 32 }).unwrap());
    let refusal = "a chunk of NaN needs elements of 4 or 8 bytes, not 2";
    assert_eq!(message(writer.append_special(Special::Nan, 64)), refusal);

    let mut writer = Writer::new(Header::new(Sizes { typesize: 4, chunksize: 64, blocksize: 32 }).unwrap());
    let refusal = "a chunk of NaN: expected the typesize 4, found 8";
    assert_eq!(message(writer.append(&Chunk::special(Special::Nan, 64, 8).unwrap())), refusal);
    writer.append(&Chunk::special(Special::Nan, 64, 4).unwrap()).unwrap();

    // Some writers use this chunksize for an empty frame.
    let mut header = b2nd::to_vec(&Header::new(Sizes { typesize: 4, chunksize: 64, blocksize: 32 }).unwrap()).unwrap();
    header[0x3a..0x3e].copy_from_slice(&(-1i32).to_be_bytes());
    let mut writer = Writer::new(Header::from_slice(&header).unwrap());
    let refusal = "chunksize: expected 1 or more, found -1: the flags do not say that chunks vary in length";
    assert_eq!(message(writer.append(&store(64))), refusal);
}

#[test]
fn metalayers_and_vlmetalayers_have_their_limits() {
    let mut header = Header::new(Sizes { typesize: 1, chunksize: 1, blocksize: 1 }).unwrap();
    for number in 0..16 {
        header.metalayers_mut().insert(&format!("m{number}"), [number]).unwrap();
    }
    let refusal = "\"more\" would be number 17: C-Blosc2 writes at most 16 metalayers and 16 vlmetalayers";
    assert_eq!(message(header.metalayers_mut().insert("more", [1])), refusal);
    let mut writer = Writer::new(header);
    for number in 0..16 {
        writer.set_vlmetalayer_bytes(&format!("v{number}"), &[number]).unwrap();
    }
    assert_eq!(message(writer.set_vlmetalayer_bytes("more", &[1])), refusal);
    writer.set_vlmetalayer_bytes("v3", b"longer than before").unwrap();
    let refusal = "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn: a metalayer's name: expected at most 31 bytes, found 32";
    assert_eq!(message(writer.set_vlmetalayer_bytes(&"n".repeat(32), b"")), refusal);
    let bytes = writer.finish().unwrap();
    let frame = Frame::from_slice(&bytes).unwrap();
    assert_eq!((frame.header().metalayers().len(), frame.trailer().unwrap().vlmetalayers().len()), (16, 16));
    assert_eq!(frame.trailer().unwrap().vlmetalayers().value("v3").unwrap().unwrap(), b"longer than before".as_slice());
    assert_eq!(frame.trailer().unwrap().vlmetalayers().value("v15").unwrap().unwrap(), [15].as_slice());
    assert_eq!(frame.trailer().unwrap().vlmetalayers().value("none").unwrap(), None);

    let mut metalayers = Metalayers::default();
    assert_eq!(metalayers.insert(&"n".repeat(31), b"").unwrap(), None);
    assert_eq!(metalayers.insert("", [1]).unwrap(), None);
    assert_eq!(metalayers.insert("", [2]).unwrap(), Some(vec![1]));
    let mut header = Header::new(Sizes { typesize: 1, chunksize: 1, blocksize: 1 }).unwrap();
    *header.metalayers_mut() = metalayers;
    let bytes = Writer::new(header.clone()).finish().unwrap();
    assert_eq!(Frame::from_slice(&bytes).unwrap().header().metalayers(), header.metalayers());
}

#[test]
fn a_new_header_says_how_its_chunks_are_compressed() {
    let mut header = Header::new(Sizes { typesize: 4, chunksize: 64, blocksize: 32 }).unwrap();
    assert_eq!((header.raw_flags(), header.codec(), header.level()), ([0x12, 0, 0x50, 3], CodecId::BloscLz, 5));
    for (codec, meta, level, byte) in [(CodecId::Zstd, 0, 9, 0x95), (CodecId::Other(200), 7, 6, 0x66), (CodecId::Lz4, 0, 0, 0x01)]
    {
        // The codec and the level are set in both orders, because the setters change the same byte.
        header = header.with_codec(codec).unwrap().with_level(level).unwrap().with_codec(codec).unwrap();
        header = header.with_codec_meta(meta).unwrap();
        assert_eq!((header.codec(), header.codec_meta(), header.level()), (codec, meta, level));
        assert_eq!(header.raw_flags()[2], byte);
    }
    assert_eq!(message(header.clone().with_level(10)), "level: expected 0 to 9, found 10");
    let refusal = "codec: expected a Blosc2 codec or a code from 32 to 255, found Other(31)";
    assert_eq!(message(header.clone().with_codec(CodecId::Other(31))), refusal);
    let zstd = header.clone().with_codec(CodecId::Zstd).unwrap();
    let refusal = "codec meta: expected 0, since zstd has no parameter, found 9: `with_level` sets the level";
    assert_eq!(message(zstd.with_codec_meta(9)), refusal);

    let six = [Filter::Shuffle, Filter::Delta, Filter::BitShuffle, Filter::Other(35), Filter::Shuffle, Filter::TruncPrec];
    for count in [6, 2, 1, 0] {
        let filters: Vec<_> = six[..count].iter().zip(11..).map(|(filter, meta)| (*filter, meta)).collect();
        header = header.with_filters(&filters).unwrap();
        assert_eq!(header.filters().collect::<Vec<_>>(), filters);
        let bytes = b2nd::to_vec(&header).unwrap();
        let (codes, metas) = (&bytes[0x47..0x4d], &bytes[0x4f..0x55]);
        assert_eq!(Hex(&codes[6 - count..]), Hex(&filters.iter().map(|(filter, _)| filter.code()).collect::<Vec<_>>()));
        assert_eq!(Hex(&metas[6 - count..]), Hex(&filters.iter().map(|(_, meta)| *meta).collect::<Vec<_>>()));
    }
    let seven = message(header.clone().with_filters(&[(Filter::Shuffle, 0); 7]));
    assert_eq!(seven, "filters: expected at most 6, found 7");

    for (code, mode) in [SplitMode::Always, SplitMode::Never, SplitMode::Auto, SplitMode::ForwardCompat].into_iter().enumerate() {
        header = header.with_split_mode(mode);
        assert_eq!((header.split_mode(), header.raw_flags()[3]), (Some(mode), code as u8));
    }
}

#[test]
fn an_array_of_this_crate() {
    let scratch = Scratch::new();
    let meta = B2ndMeta::new(Geometry::new(&[56], &[16], &[8]).unwrap(), "<i4");
    frames::sparse(&scratch.join("s.b2nd"));
    let file = File::open(scratch.join("s.b2nd")).unwrap();
    assert_eq!(file.header().metalayer::<B2ndMeta>().unwrap().unwrap(), meta);
    let array = file.header().array().unwrap().unwrap();
    assert_eq!(array.geometry().grid().unwrap().nchunks(), file.offsets().unwrap().len());
}

/// A header for an array of 2 x 5 elements, with two chunks of 2 x 3 elements and blocks of 1 x 3.
fn array_header(dtype: &str, typesize: i32, chunksize: i32, blocksize: i32) -> Header {
    let mut header = Header::new(Sizes { typesize, chunksize, blocksize }).unwrap();
    let geometry = Geometry::new(&[2, 5], &[2, 3], &[1, 3]).unwrap();
    header.metalayers_mut().set(&B2ndMeta::new(geometry, dtype)).unwrap();
    header
}

#[test]
fn a_frame_that_does_not_hold_its_array_is_refused() {
    let finished = |header: Header, lengths: &[usize]| {
        let typesize = header.typesize() as usize;
        let mut writer = Writer::new(header);
        lengths.iter().for_each(|&length| writer.append(&Chunk::store(&vec![1; length], typesize).unwrap()).unwrap());
        writer.finish()
    };
    let good = || array_header("<i2", 2, 12, 6);
    assert!(finished(good(), &[12, 12]).is_ok());
    assert_eq!(message(finished(good(), &[])), "chunks: expected 2, as the array's shapes say, found 0");
    assert_eq!(message(finished(good(), &[12])), "chunks: expected 2, as the array's shapes say, found 1");
    assert_eq!(message(finished(good(), &[12, 12, 12])), "chunks: expected 2, as the array's shapes say, found 3");
    let refusal = "the last chunk is shorter than the chunksize: in an array, pad it to this length";
    assert_eq!(message(finished(good(), &[12, 8])), refusal);
    let said = "as the array's metalayer says, found";
    assert_eq!(message(finished(array_header("<i2", 4, 24, 12), &[24, 24])), format!("typesize: expected 2, {said} 4"));
    assert_eq!(message(finished(array_header("<i2", 2, 20, 6), &[20, 20])), format!("chunksize: expected 12, {said} 20"));
    assert_eq!(message(finished(array_header("<i2", 2, 12, 12), &[12, 12])), format!("blocksize: expected 6, {said} 12"));
    // C-Blosc2 writes "|u1" if no dtype was given, and NumPy's string for a structure can omit the padding of aligned structures
    // inside it.
    assert!(finished(array_header("|u1", 2, 12, 6), &[12, 12]).is_ok());
    assert!(finished(array_header("[('a', '|i1')]", 2, 12, 6), &[12, 12]).is_ok());
    let refused = finished(array_header("[('a', '<i4')]", 2, 12, 6), &[12, 12]);
    assert_eq!(message(refused), format!("typesize: expected 4, {said} 2"));
    // The name of an array's metalayer with other content.
    let mut header = Header::new(Sizes { typesize: 2, chunksize: 12, blocksize: 6 }).unwrap();
    header.metalayers_mut().insert("b2nd", b"something else".as_slice()).unwrap();
    let refused = "b2nd: expected array (90 to 9f, dc, dd), found positive fixint (73) at byte 112";
    assert_eq!(message(finished(header, &[12])), refused);
}

#[test]
fn compressed_chunks_of_an_array_have_its_blocks() {
    let mut compressed = Chunk::store(&[1; 12], 2).unwrap().into_bytes();
    compressed[2] &= !0x02;
    let mut writer = Writer::new(array_header("<i2", 2, 12, 6));
    writer.append(&Chunk::store(&[1; 12], 2).unwrap()).unwrap();
    writer.append(&Chunk::from_slice(&compressed).unwrap()).unwrap();
    let refusal = "chunk[1]: blocksize: expected 6, as the header says, found 12";
    assert_eq!(message(writer.finish()), refusal);
}

#[test]
fn what_the_index_says_of_a_chunk_needs_a_length() {
    // The flag for variable chunks is set, but there is a chunksize too.
    let mut header = b2nd::to_vec(&Header::new(Sizes { typesize: 1, chunksize: 0, blocksize: 0 }).unwrap()).unwrap();
    header[0x3a..0x3e].copy_from_slice(&64i32.to_be_bytes());
    let mut writer = Writer::new(Header::from_slice(&header).unwrap());
    let refusal =
        "the index stores no length of a special chunk, but the chunks of this frame vary in length: append a `Chunk::store`";
    assert_eq!(message(writer.append_special(Special::Zeros, 64)), refusal);
    assert_eq!(message(writer.append(&Chunk::special(Special::Zeros, 64, 1).unwrap())), refusal);
}
