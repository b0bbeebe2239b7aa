//! Chunks: headers of 16 and 32 bytes, data that needs no codec, and chunks that are rejected.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::common::message;
use b2nd_frame::{Chunk, ChunkHeader, CodecId, Decompressor, File, Filter, Frame, Header, Sizes, Special, Writer};

/// A header of 32 bytes with version 5, one block, and the given flags and Blosc2 flags.
fn extended(flags: u8, typesize: u8, [nbytes, blocksize, cbytes]: [i32; 3], blosc2_flags: u8) -> Vec<u8> {
    let mut bytes = vec![5, 1, flags, typesize];
    [nbytes, blocksize, cbytes].iter().for_each(|size| bytes.extend(size.to_le_bytes()));
    bytes.extend([0; 15]);
    bytes.push(blosc2_flags);
    bytes
}

/// A header of 16 bytes.
fn short(flags: u8, typesize: u8, sizes: [i32; 3]) -> Vec<u8> {
    extended(flags, typesize, sizes, 0)[..16].to_vec()
}

#[track_caller]
fn refused(bytes: &[u8], expected: &str) {
    assert_eq!(message(ChunkHeader::from_slice(bytes)), expected);
    assert_eq!(message(Chunk::from_slice(bytes)), expected);
}

#[test]
fn a_short_header() {
    let bytes = [short(0x03, 4, [8, 8, 24]), b"elements".to_vec()].concat();
    let chunk = Chunk::from_slice(&bytes).unwrap();
    let header = chunk.header();
    assert_eq!((header.header_len(), header.is_extended(), header.as_bytes()), (16, false, &bytes[..16]));
    assert_eq!((header.version(), header.codec_version(), header.raw_flags(), header.raw_blosc2_flags()), (5, 1, 3, 0));
    assert_eq!((header.typesize(), header.nbytes(), header.blocksize(), header.cbytes()), (4, 8, 8, 24));
    assert_eq!((header.is_stored(), header.special(), header.has_dictionary()), (true, None, false));
    assert_eq!(header.filters().collect::<Vec<_>>(), [(Filter::Shuffle, 0)]);
    assert_eq!(chunk.stored(), Some(b"elements".as_slice()));
    assert_eq!(chunk.bytes(), bytes);

    let filters = |flags| ChunkHeader::from_slice(&short(flags, 1, [1, 1, 17])).unwrap().filters().collect::<Vec<_>>();
    assert_eq!(filters(0x00), []);
    assert_eq!(filters(0x04), [(Filter::BitShuffle, 0)]);
}

#[test]
fn an_extended_header() {
    let mut bytes = extended(0x35, 8, [4096, 1024, 100], 0x01);
    bytes[1] = 2;
    bytes[16..22].copy_from_slice(&[4, 0, 0, 35, 0, 1]);
    bytes[22..24].copy_from_slice(&[2, 7]);
    bytes[24..30].copy_from_slice(&[23, 9, 9, 0, 9, 16]);
    bytes.resize(120, 0xee);
    let chunk = Chunk::from_slice(&bytes).unwrap();
    let header = chunk.header();
    assert_eq!((header.header_len(), header.is_extended(), header.as_bytes()), (32, true, &bytes[..32]));
    assert_eq!((header.is_stored(), header.special(), header.has_dictionary()), (false, None, true));
    assert_eq!((header.codec(), header.codec_meta(), header.codec_version()), (CodecId::Lz4Hc, 7, 2));
    let expected = [(Filter::TruncPrec, 23), (Filter::Other(35), 0), (Filter::Shuffle, 16)];
    assert_eq!(header.filters().collect::<Vec<_>>(), expected);
    assert_eq!((chunk.bytes(), chunk.stored(), chunk.value()), (&bytes[..100], None, None));
    assert_eq!(chunk.into_bytes(), bytes[..100]);
}

#[test]
fn a_codec_is_named_by_its_format_and_its_own_byte() {
    let codec = |format: u8, own| {
        let mut bytes = extended(0x05 | format << 5, 1, [1, 1, 32], 0);
        bytes[22] = own;
        ChunkHeader::from_slice(&bytes).unwrap().codec()
    };
    assert_eq!(
        [codec(0, 0), codec(1, 1), codec(1, 0), codec(1, 2)],
        [CodecId::BloscLz, CodecId::Lz4, CodecId::Lz4, CodecId::Lz4Hc]
    );
    assert_eq!([codec(3, 0), codec(4, 0), codec(6, 200)], [CodecId::Zlib, CodecId::Zstd, CodecId::Other(200)]);
    assert_eq!([codec(2, 9), codec(5, 9), codec(7, 9)], [CodecId::Other(2), CodecId::Other(5), CodecId::Other(7)]);
}

#[test]
fn a_chunk_that_is_cut_off_says_what_it_lacks() {
    let extended = Chunk::store(b"elements", 4).unwrap().into_bytes();
    let short = [short(0x02, 4, [8, 8, 24]), b"elements".to_vec()].concat();
    for (whole, header_len) in [(extended, 32), (short, 16)] {
        for length in 0..whole.len() {
            let error = Chunk::from_slice(&whole[..length]).unwrap_err();
            let (what, end) = match length {
                0..3 => ("chunk header", 16),
                _ if length < header_len => ("chunk header", header_len),
                _ => ("chunk", whole.len()),
            };
            let plural = if end - length == 1 { "" } else { "s" };
            let expected = format!("unexpected end of input at byte {length}: {what} needs {} more byte{plural}", end - length);
            assert_eq!(error.to_string(), expected);
            assert_eq!(error.needed(), Some(end - length));
        }
        assert_eq!(Chunk::from_slice(&[whole.as_slice(), b"more"].concat()).unwrap().bytes(), whole);
    }
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    refused(&extended(5, 4, [-1, 8, 40], 0), "nbytes: expected 0 or more, found -1 at byte 4");
    refused(&extended(5, 4, [8, 8, -1], 0), "cbytes: expected 32 or more, found -1 at byte 12");
    refused(&extended(5, 4, [8, 8, 31], 0), "cbytes: expected 32 or more, found 31 at byte 12");
    refused(&short(1, 4, [8, 8, 15]), "cbytes: expected 16 or more, found 15 at byte 12");
    refused(&extended(5, 4, [8, 0, 40], 0), "blocksize: expected 1 to 8, found 0 at byte 8");
    refused(&extended(5, 4, [8, 9, 40], 0), "blocksize: expected 1 to 8, found 9 at byte 8");
    refused(&extended(5, 4, [8, -8, 40], 0), "blocksize: expected 1 to 8, found -8 at byte 8");
    let longest = 536_866_816;
    refused(&extended(5, 4, [i32::MAX, longest + 1, 40], 0), "blocksize: expected 1 to 536866816, found 536866817 at byte 8");
    refused(&extended(5, 4, [0, longest + 1, 32], 0), "blocksize: expected 1 to 536866816, found 536866817 at byte 8");
    assert_eq!(ChunkHeader::from_slice(&extended(5, 4, [0, longest, 32], 0)).unwrap().blocksize(), 536_866_816);
    refused(&extended(5, 0, [8, 8, 40], 0), "typesize: expected 1 or more, found 0 at byte 3");
    refused(&extended(7, 4, [8, 8, 39], 0), "cbytes: expected 32 + nbytes (8) or more, found 39 at byte 12");
    refused(&short(2, 4, [8, 8, 23]), "cbytes: expected 16 + nbytes (8) or more, found 23 at byte 12");
    refused(&extended(7, 4, [i32::MAX, 8, 39], 0), "cbytes: expected 32 + nbytes (2147483647) or more, found 39 at byte 12");
    for code in 5..8 {
        let expected = format!("special value: expected 1 to 4, found {code} at byte 31");
        refused(&extended(5, 4, [8, 8, 32], code << 4), &expected);
    }
    refused(&extended(5, 4, [8, 8, 35], 0x30), "cbytes: expected 32 + typesize (4) or more, found 35 at byte 12");
}

#[test]
fn stored_data_is_borrowed_and_comes_back() {
    for length in [0, 1, 2, 255, 256, 4096] {
        for typesize in [1, 2, 255, 256, 300, 70_000] {
            let data: Vec<u8> = (0..length).map(|index| index as u8).collect();
            let chunk = Chunk::store(&data, typesize).unwrap();
            assert_eq!(chunk.bytes().len(), 32 + length);
            assert_eq!(chunk.header().cbytes(), 32 + length);
            assert_eq!(chunk.header().nbytes(), length);
            assert_eq!(chunk.header().blocksize(), length.max(1), "a block of a stored chunk is all of it");
            assert_eq!(chunk.header().typesize(), if typesize > 255 { 1 } else { typesize });
            let bytes = chunk.clone().into_bytes();
            let read = Chunk::from_slice(&bytes).unwrap();
            assert_eq!(read, chunk);
            assert_eq!(read.stored(), Some(data.as_slice()));
            assert_eq!(read.data().unwrap(), data);
            assert!(matches!(read.into_data().unwrap(), std::borrow::Cow::Borrowed(borrowed) if borrowed == data));
        }
    }
    assert_eq!(message(Chunk::store(b"", 0)), "typesize: expected 1 or more, found 0 at byte 3");
}

#[test]
fn stored_bytes() {
    let expected = [extended(0x07, 2, [4, 4, 36], 0), vec![1, 2, 3, 4]].concat();
    assert_eq!(Chunk::store(&[1, 2, 3, 4], 2).unwrap().bytes(), expected);
    assert_eq!(Chunk::special(Special::Nan, 24, 8).unwrap().bytes(), extended(0x05, 8, [24, 24, 32], 0x20));
}

#[test]
fn special_chunks_fill_their_data() {
    let data = |special, nbytes, typesize| {
        let chunk = Chunk::special(special, nbytes, typesize).unwrap();
        assert_eq!(chunk.header().special(), Some(special));
        assert_eq!((chunk.header().nbytes(), chunk.header().cbytes(), chunk.bytes().len()), (nbytes, 32, 32));
        assert_eq!((chunk.stored(), chunk.value()), (None, None));
        assert_eq!(Chunk::from_slice(chunk.bytes()).unwrap(), chunk);
        let buffer = chunk.data().unwrap();
        assert_eq!(*chunk.into_data().unwrap(), buffer);
        buffer
    };
    assert_eq!(data(Special::Zeros, 12, 3), [0; 12]);
    assert!(data(Special::Zeros, 0, 3).is_empty());
    assert_eq!(data(Special::Uninitialized, 12, 12), [0; 12]);
    let floats = data(Special::Nan, 12, 4);
    assert!(floats.chunks(4).all(|float| f32::from_le_bytes(float.try_into().unwrap()).is_nan()));
    let floats = data(Special::Nan, 24, 8);
    assert!(floats.chunks(8).all(|float| f64::from_le_bytes(float.try_into().unwrap()).is_nan()));
}

#[test]
fn special_chunks_that_cannot_be() {
    assert_eq!(message(Chunk::special(Special::Value, 8, 4)), "`Special::Value` needs the value's bytes: use `repeated`");
    assert_eq!(message(Chunk::special(Special::Zeros, 8, 0)), "typesize: expected 1 or more, found 0 at byte 3");
    assert_eq!(message(Chunk::special(Special::Zeros, 10, 4)), "nbytes: expected a multiple of typesize (4), found 10");
    assert_eq!(message(Chunk::special(Special::Zeros, 350, 300)), "nbytes: expected a multiple of typesize (300), found 350");
    let too_long = "nbytes: a chunk: expected at most 2147483647 bytes, found 2147483648";
    assert_eq!(message(Chunk::special(Special::Zeros, 1 << 31, 4)), too_long);
    let refusal = "a chunk of NaN needs elements of 4 or 8 bytes, not 2";
    assert_eq!(message(Chunk::special(Special::Nan, 8, 2)), refusal);
    let read = extended(0x05, 2, [8, 8, 32], 0x20);
    assert_eq!(message(Chunk::from_slice(&read).unwrap().data()), refusal);
}

#[test]
fn a_value_is_repeated() {
    let bytes = [extended(0x05, 3, [9, 9, 35], 0x30), b"abc".to_vec()].concat();
    let chunk = Chunk::from_slice(&bytes).unwrap();
    assert_eq!(chunk.value(), Some(b"abc".as_slice()));
    assert_eq!(*chunk.data().unwrap(), *b"abcabcabc");

    // An element of more than 255 bytes: the typesize is 1, and all following bytes are the value.
    let value: Vec<u8> = (0..300).map(|index| index as u8).collect();
    let bytes = [extended(0x05, 1, [900, 900, 332], 0x30), value.clone()].concat();
    let chunk = Chunk::from_slice(&bytes).unwrap();
    assert_eq!(chunk.value(), Some(value.as_slice()));
    assert_eq!(*chunk.data().unwrap(), value.repeat(3));

    // The last element may be incomplete.
    let bytes = [extended(0x05, 3, [7, 7, 35], 0x30), b"abc".to_vec()].concat();
    assert_eq!(*Chunk::from_slice(&bytes).unwrap().data().unwrap(), *b"abcabca");
}

/// A chunk that is marked as compressed with an unknown codec.
fn compressed(nbytes: i32) -> Vec<u8> {
    let mut bytes = extended(0xc5, 4, [nbytes, nbytes.min(1024), 40], 0);
    bytes[22] = 200;
    bytes.extend(b"packed!!");
    bytes
}

#[test]
fn a_decompressor_gets_the_whole_chunk_and_a_place_for_its_data() {
    let bytes = compressed(12);
    let chunk = Chunk::from_slice(&bytes).unwrap();
    let calls = Arc::new(AtomicU32::new(0));
    let counted = calls.clone();
    let mut codec = Decompressor::new().with_fallback(move |chunk: &[u8], data: &mut [u8]| {
        assert_eq!(chunk, compressed(12));
        assert_eq!(data.len(), 12);
        data.copy_from_slice(b"twelve bytes");
        counted.fetch_add(1, Ordering::Relaxed);
        Ok(())
    });
    assert_eq!(*chunk.clone().into_data_with(&mut codec).unwrap(), *b"twelve bytes");
    let mut buffer = [0; 12];
    codec.chunk(&bytes, &mut buffer).unwrap();
    assert_eq!(buffer, *b"twelve bytes");
    assert_eq!(message(codec.chunk(&bytes, &mut buffer[..11])), "buffer: expected 12 bytes, found 11");
    assert_eq!(*Chunk::store(b"stored", 1).unwrap().into_data_with(&mut codec).unwrap(), *b"stored");
    assert_eq!(calls.load(Ordering::Relaxed), 2, "a stored chunk needs none");

    let mut fails = Decompressor::safe().with_fallback(|_, _| Err(b2nd_codec::Error::custom("bad magic")));
    assert_eq!(message(chunk.clone().into_data_with(&mut fails)), "bad magic");
}

#[test]
fn a_codec_that_is_not_here_is_refused() {
    let refusal = "codec 200 is not supported";
    assert_eq!(message(Chunk::from_slice(&compressed(i32::MAX)).unwrap().data()), refusal);
    assert_eq!(message(Chunk::from_slice(&compressed(12)).unwrap().into_data()), refusal);
}

#[test]
fn a_chunk_of_one_value() {
    let chunk = Chunk::repeated(&[1, 2, 3], 12).unwrap();
    assert_eq!((chunk.header().special(), chunk.value(), chunk.bytes().len()), (Some(Special::Value), Some(&[1, 2, 3][..]), 35));
    assert_eq!(*chunk.data().unwrap(), [1, 2, 3].repeat(4));
    assert_eq!(Chunk::repeated(&[7; 300], 900).unwrap().value(), Some(&[7; 300][..]), "longer than the field for it");
    assert_eq!(
        message(Chunk::repeated(&[1, 2, 3], 10)),
        "nbytes: expected a positive multiple of the value's length (3), found 10"
    );
    assert_eq!(message(Chunk::repeated(&[1], 0)), "nbytes: expected a positive multiple of the value's length (1), found 0");
    assert_eq!(message(Chunk::repeated(&[], 8)), "typesize: expected 1 or more, found 0 at byte 3");
    let mut writer = Writer::new(Header::new(Sizes { typesize: 4, chunksize: 64, blocksize: 32 }).unwrap());
    writer.append(&Chunk::repeated(&9i32.to_le_bytes(), 64).unwrap()).unwrap();
    let bytes = writer.finish().unwrap();
    let frame = Frame::from_slice(&bytes).unwrap();
    let chunk = frame.chunk(0).unwrap();
    assert_eq!(frame.chunk_header(0).unwrap(), *chunk.header());
    assert_eq!(frame.chunk_header(1).unwrap_err().to_string(), frame.chunk(1).unwrap_err().to_string());
    assert_eq!((chunk.value(), chunk.header().blocksize()), (Some(&9i32.to_le_bytes()[..]), 32));
}

#[test]
fn what_debug_prints_is_a_line() {
    let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 1 << 20, blocksize: 1 << 20 }).unwrap());
    let chunk = Chunk::store(&vec![7; 1 << 20], 1).unwrap();
    assert_eq!(format!("{chunk:?}"), "Chunk(ChunkHeader(nbytes 1048576, cbytes 1048608, stored))");
    writer.append(&chunk).unwrap();
    assert_eq!(format!("{writer:?}"), "Writer(1 chunks, {}, {})");
    let bytes = writer.finish().unwrap();
    let frame = Frame::from_slice(&bytes).unwrap();
    let expected = format!("Frame({} bytes, {{}})", bytes.len());
    assert_eq!(format!("{frame:?}"), expected);
}

#[test]
fn an_attribute_in_blosclz_is_decompressed() {
    let file = File::open("../../tests/data/python-blosc2-2.1.1/random__18.b2nd").unwrap();
    let value = file.trailer().unwrap().vlmetalayers().value("v4_zzzzzzzzzzzzzzzzzzzz").unwrap().unwrap().into_owned();
    // The value is a str8 of 148 bytes.
    assert_eq!(value, [&[0xd9, 0x94][..], &[b'x'; 148]].concat());
}

#[test]
fn a_special_chunk_is_copied_into_a_frame_whose_chunks_vary_in_length() {
    let fixed = Sizes { typesize: 4, chunksize: 64, blocksize: 32 };
    let mut source = Writer::new(Header::new(fixed).unwrap());
    source.append_special(Special::Zeros, 64).unwrap();
    let source = source.finish().unwrap();
    let mut writer = Writer::new(Header::new(Sizes { chunksize: 0, blocksize: 0, ..fixed }).unwrap());
    assert_eq!(writer.copy_chunk(&Frame::open(&source).unwrap(), 0).unwrap(), 64);
    let copy = writer.finish().unwrap();
    assert_eq!(Frame::open(&copy).unwrap().chunk(0).unwrap().data().unwrap(), [0; 64]);
}
