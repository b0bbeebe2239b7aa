//! Frames that are cut off, most of them at every 97th byte, or damaged: complete chunks are salvaged unchanged, and no data is made up.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};

use b2nd::{B2ndMeta, Geometry};
use b2nd_check::salvage::{Fill, Salvage, SavedChunk};
use b2nd_frame::{Chunk, CodecId, Compressor, Decompressor, Filter, Frame, Header, Offset, Sizes, Special, Writer};
use b2nd_store::LocalFile;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data");

/// A good frame with the data of its chunks and its attributes. A chunk that is stored in the file also has the offset of its
/// end.
struct Good {
    name: String,
    bytes: Vec<u8>,
    chunks: Vec<(Vec<u8>, Option<u64>)>,
    attributes: Vec<(Vec<u8>, Vec<u8>)>,
    index_end: u64,
}

fn data(chunk: &Chunk) -> Vec<u8> {
    chunk.data().unwrap()
}

/// The salvaged chunks, one element for each chunk.
fn parts(salvage: &Salvage) -> Vec<SavedChunk> {
    salvage.chunks().iter().flat_map(|(count, part)| vec![part.clone(); *count as usize]).collect()
}

impl Good {
    /// `None` if the frame has 1 MiB of data or more, cannot be read completely, or cannot be written by a [`Writer`].
    fn new(name: &str, bytes: Vec<u8>) -> Option<Good> {
        let frame = Frame::from_slice(&bytes).ok().filter(|frame| frame.header().nbytes() < 1 << 20)?;
        let (mut chunks, mut again) = (Vec::new(), Writer::new(frame.header().clone()));
        for number in 0..frame.offsets().unwrap().len() {
            let chunk = frame.chunk(number).ok()?;
            let end = frame.offsets().unwrap().range(number).map(|range| range.start + chunk.bytes().len() as u64);
            chunks.push((chunk.data().ok()?, end));
            again.append(&chunk).ok()?;
        }
        again.finish().ok()?;
        let attributes = frame.trailer().unwrap().vlmetalayers().raw_chunks().iter();
        let attributes = attributes.map(|(name, content)| (name.to_vec(), data(&Chunk::from_slice(content).unwrap()))).collect();
        let tail = frame.header().tail_range();
        let index = if chunks.is_empty() { 0 } else { Chunk::from_slice(&bytes[tail.start as usize..]).unwrap().bytes().len() };
        Some(Good { name: name.to_owned(), chunks, attributes, index_end: tail.start + index as u64, bytes })
    }

    /// The chunks that are stored in the file, in the order of their offsets.
    fn in_file(&self) -> Vec<&(Vec<u8>, Option<u64>)> {
        let mut all: Vec<_> = self.chunks.iter().filter(|(_, end)| end.is_some()).collect();
        all.sort_by_key(|(_, end)| *end);
        all
    }

    /// Cuts the frame off and checks what is salvaged. Returns the number of kept chunks, or the error.
    #[track_caller]
    fn cut(&self, length: usize) -> Result<usize, String> {
        let name = format!("{} cut at {length} of {}", self.name, self.bytes.len());
        let source = self.bytes[..length].to_vec();
        let salvage = Salvage::new(&source, false, &mut Decompressor::new()).map_err(|error| error.to_string())?;
        let header = Header::from_slice(&self.bytes).unwrap();
        let mut writer = Writer::new(header);
        salvage.write(Fill::Zero, &mut writer).map_err(|error| error.to_string())?;
        let new: Vec<u8> = writer.finish().unwrap_or_else(|error| panic!("{name}: {error}"));
        let new = Frame::from_slice(&new).unwrap();
        let is_there = |end: &Option<u64>| end.is_none_or(|end| end <= length as u64);
        assert_eq!(salvage.is_ordered, self.chunks.is_empty() || self.index_end <= length as u64, "{name}");
        let mut kept = 0;
        let mut written = self.in_file().into_iter();
        for (number, part) in parts(&salvage).iter().enumerate() {
            let found = data(&new.chunk(number as u64).unwrap());
            let (expected, end) = match salvage.is_ordered {
                true => &self.chunks[number],
                // Without the index, the chunks have the order that they have in the file.
                false if *part != SavedChunk::Lost => written.next().unwrap(),
                false => &(Vec::new(), Some(u64::MAX)),
            };
            assert_eq!(*part != SavedChunk::Lost, is_there(end), "{name}: chunk {number}: {:?}", salvage.lost);
            match part {
                SavedChunk::Lost => assert!(found.iter().all(|&byte| byte == 0), "{name}: chunk {number}"),
                _ => assert_eq!(&found, expected, "{name}: chunk {number}"),
            }
            kept += usize::from(*part != SavedChunk::Lost);
        }
        assert!(salvage.is_ordered || written.all(|(_, end)| !is_there(end)), "{name}: a chunk that was there is not kept");
        for (name, value) in &salvage.attributes {
            assert!(self.attributes.contains(&(name.as_bytes().to_vec(), value.clone())), "{name}");
        }
        let is_whole = length == self.bytes.len();
        // Names that are not UTF-8 cannot be written.
        let unnamed = salvage.lost.iter().filter(|lost| lost.ends_with(": its name is not UTF-8")).count();
        assert_eq!(salvage.lost.len() == unnamed, is_whole, "{name}: {:?}", salvage.lost);
        assert!(!is_whole || salvage.attributes.len() + unnamed == self.attributes.len(), "{name}");
        Ok(kept)
    }
}

fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// An array with `chunks` chunks of 64 int32 elements, which `what` creates.
fn array(codec: CodecId, chunks: usize, mut what: impl FnMut(usize, &mut Compressor, &[u8]) -> Chunk<'static>) -> Vec<u8> {
    let meta = B2ndMeta::of::<i32>(Geometry::new(&[64 * chunks as i64], &[64], &[32]).unwrap());
    let header = Header::for_array(&meta).unwrap().with_codec(codec).unwrap().with_level(5).unwrap();
    let header = header.with_filters(&[(Filter::Shuffle, 0)]).unwrap();
    let mut compressor = header.compressor().unwrap();
    let mut writer = Writer::new(header);
    for number in 0..chunks {
        let data: Vec<u8> = (0..64).flat_map(|index| (1 + number as i32 * 1000 + index * index % 77).to_le_bytes()).collect();
        writer.append(&what(number, &mut compressor, &data)).unwrap();
    }
    (0..3).for_each(|number| writer.set_vlmetalayer_bytes(&format!("attribute {number}"), &[number; 100]).unwrap());
    writer.finish().unwrap()
}

fn encoded(_: usize, compressor: &mut Compressor, data: &[u8]) -> Chunk<'static> {
    Chunk::from_slice(&compressor.chunk(data).unwrap()).unwrap().into_owned()
}

fn made() -> Vec<Good> {
    let mut all = Vec::new();
    for codec in [CodecId::BloscLz, CodecId::Lz4, CodecId::Zlib, CodecId::Zstd] {
        all.push((format!("an array in {codec}"), array(codec, 20, encoded)));
    }
    all.push(("a stored array".into(), array(CodecId::Lz4, 9, |_, _, data| Chunk::store(data, 4).unwrap())));
    all.push((
        "an array of specials".into(),
        array(CodecId::Lz4, 12, |number, compressor, data| match number % 4 {
            0 => Chunk::special(Special::Zeros, data.len(), 4).unwrap(),
            1 => Chunk::repeated(&7_i32.to_le_bytes(), data.len()).unwrap(),
            _ => encoded(number, compressor, data),
        }),
    ));
    let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 100, blocksize: 100 }).unwrap());
    for length in [100, 100, 100, 37] {
        writer.append(&Chunk::store(&vec![length as u8; length], 1).unwrap()).unwrap();
    }
    all.push(("chunks, the last one shorter".into(), writer.finish().unwrap()));
    let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 0, blocksize: 0 }).unwrap());
    for length in [10, 200, 1, 999] {
        writer.append(&Chunk::store(&vec![length as u8; length], 1).unwrap()).unwrap();
    }
    all.push(("chunks of any length".into(), writer.finish().unwrap()));
    let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 4, blocksize: 4 }).unwrap());
    writer.set_vlmetalayer_bytes("only", b"an attribute").unwrap();
    all.push(("no chunks".into(), writer.finish().unwrap()));
    all.into_iter().map(|(name, bytes)| Good::new(&name, bytes).unwrap()).collect()
}

#[test]
fn what_is_wholly_there_comes_back_equal_and_nothing_is_invented() {
    let made = made();
    let count_made = made.len();
    let mut paths = Vec::new();
    files(Path::new(DATA), &mut paths);
    let of_files = paths.iter().filter_map(|path| Good::new(&path.display().to_string(), fs::read(path).unwrap()));
    let (mut frames, mut salvaged, mut kept, mut refused) = (0, 0, 0, 0);
    for (number, good) in made.into_iter().chain(of_files).enumerate() {
        frames += 1;
        let header_len = Header::from_slice(&good.bytes).unwrap().header_len();
        let (all, of_index) = (good.bytes.len(), usize::try_from(good.index_end).unwrap());
        for length in (0..all).step_by(97).chain([header_len, of_index.saturating_sub(1), of_index, all - 1, all]) {
            match good.cut(length) {
                Ok(chunks) => {
                    assert!(length >= header_len);
                    salvaged += 1;
                    kept += chunks;
                }
                Err(_) if length < header_len => refused += 1,
                // The order is unknown if some chunks are only in the index. This is noticed if all other chunks are complete.
                Err(error) => {
                    let is_known = error.contains("special chunks usually have no bytes");
                    assert!(is_known && length < of_index && number >= 5, "{} cut at {length}: {error}", good.name);
                    refused += 1;
                }
            }
        }
    }
    println!("{frames} frames, {count_made} of them made here: {salvaged} cuts salvaged with {kept} chunks, {refused} refused");
    assert!(frames > 60 && salvaged > 1000 && kept > 1000, "{frames} frames, {salvaged} cuts, {kept} chunks");
}

/// The attributes follow each other in the trailer, and those before the cut are complete.
#[test]
fn attributes_before_the_cut_are_kept() {
    let bytes = array(CodecId::Lz4, 4, encoded);
    let numbers = |length: usize| {
        let source = bytes[..length].to_vec();
        let salvage = Salvage::new(&source, false, &mut Decompressor::new()).unwrap();
        assert!(salvage.is_ordered && parts(&salvage).len() == 4);
        salvage.attributes.len()
    };
    // The last attribute is followed by 23 bytes: trailer_len with its marker, and the fingerprint.
    let end = bytes.len() - 23;
    assert_eq!([bytes.len(), end, end - 1, end - 137, end - 138].map(numbers), [3, 3, 2, 2, 1]);
}

#[test]
fn damage_in_one_chunk_costs_that_chunk() {
    let bytes = array(CodecId::Zstd, 9, encoded);
    let frame = Frame::from_slice(&bytes).unwrap();
    for (with_index, at) in [(true, 0), (true, 70), (false, 70)] {
        let mut broken = bytes.clone();
        let range = frame.offsets().unwrap().range(4).unwrap();
        broken[range.start as usize + at..][..20].fill(0xff);
        if !with_index {
            broken.truncate(frame.header().tail_range().start as usize);
        }
        let salvage = Salvage::new(&broken, false, &mut Decompressor::new()).unwrap();
        let lost: Vec<_> = (0..9).filter(|&number| parts(&salvage)[number] == SavedChunk::Lost).collect();
        assert_eq!((lost, salvage.is_ordered), (vec![4], with_index));
        assert!(salvage.lost.iter().any(|lost| lost.starts_with("chunk 4: ")), "{:?}", salvage.lost);
    }
    // If the length of a chunk is lost too, the chunks after it cannot be found without the index.
    let mut broken = bytes[..frame.header().tail_range().start as usize].to_vec();
    broken[frame.offsets().unwrap().range(4).unwrap().start as usize..][..32].fill(0xff);
    let salvage = Salvage::new(&broken, false, &mut Decompressor::new()).unwrap();
    assert!(parts(&salvage)[..4].iter().all(|part| *part != SavedChunk::Lost));
    assert!(parts(&salvage)[4..].iter().all(|part| *part == SavedChunk::Lost));
    assert!(salvage.lost[1].starts_with("chunks 4 to 8: no valid chunk starts at byte "), "{:?}", salvage.lost);
}

/// Chunk 1 was updated: its old bytes remain in place, and the new ones are at the end.
#[test]
fn an_order_that_cannot_be_known_is_refused_and_taken_where_it_is_asked_for() {
    let bytes = array(CodecId::Lz4, 4, |_, _, data| Chunk::store(data, 4).unwrap());
    let frame = Frame::from_slice(&bytes).unwrap();
    let start = frame.header().header_len();
    let length = frame.offsets().unwrap().range(0).unwrap().count();
    let end = start + 4 * length;
    let mut updated = [&bytes[..end], &bytes[start..start + length]].concat();
    let cbytes = 0x27..0x2f;
    updated[cbytes].copy_from_slice(&(5 * length as i64).to_be_bytes());
    let error = Salvage::new(&updated, false, &mut Decompressor::new()).err().unwrap().to_string();
    assert_eq!(
        error,
        "number of chunks: expected 4 as in the header, found 5: replaced or removed chunks can be in the file, and only \
         the index showed which; `b2nd salvage --in-order` keeps the chunks as they are found"
    );
    let salvage = Salvage::new(&updated, true, &mut Decompressor::new()).unwrap();
    assert_eq!((parts(&salvage).len(), salvage.is_ordered), (4, false));

    let specials = array(CodecId::Lz4, 4, |number, _, data| match number {
        2 => Chunk::special(Special::Zeros, data.len(), 4).unwrap(),
        _ => Chunk::store(data, 4).unwrap(),
    });
    let cut = specials[..start + 3 * length].to_vec();
    let error = Salvage::new(&cut, false, &mut Decompressor::new()).err().unwrap().to_string();
    assert_eq!(
        error,
        "number of chunks: expected 4 as in the header, found 3: special chunks usually have no bytes, and only the index \
         contained their numbers; `b2nd salvage --in-order` keeps the chunks as they are found"
    );
    assert_eq!(Salvage::new(&cut, true, &mut Decompressor::new()).unwrap().chunks()[3], (1, SavedChunk::Lost));
}

/// An interrupted append: the new chunk has overwritten the old index, and the header is still the old one.
#[test]
fn a_chunk_that_the_header_does_not_count_yet_is_kept() {
    let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 64, blocksize: 64 }).unwrap());
    let chunk = |byte: u8| Chunk::store(&[byte; 64], 1).unwrap();
    (0..3).for_each(|byte| writer.append(&chunk(byte)).unwrap());
    let bytes: Vec<u8> = writer.finish().unwrap();
    let tail = Header::from_slice(&bytes).unwrap().tail_range().start as usize;
    let stopped = [&bytes[..tail], chunk(3).bytes(), &bytes[tail + 10..]].concat();
    let salvage = Salvage::new(&stopped, false, &mut Decompressor::new()).unwrap();
    assert_eq!(parts(&salvage).len(), 4, "{:?}", salvage.lost);
    let mut writer = Writer::new(salvage.header().clone());
    salvage.write(Fill::Zero, &mut writer).unwrap();
    assert_eq!(data(&Frame::from_slice(&writer.finish().unwrap()).unwrap().chunk(3).unwrap()), [3; 64]);
}

#[test]
fn lost_floats_may_be_nan_and_nothing_else() {
    let nan = |dtype: &str| -> b2nd_frame::Result<Vec<u8>> {
        let meta = B2ndMeta::new(Geometry::new(&[32], &[16], &[16]).unwrap(), dtype);
        let mut writer = Writer::new(Header::for_array(&meta).unwrap());
        (0..2).for_each(|_| writer.append(&Chunk::store(&[1; 64], 4).unwrap()).unwrap());
        let bytes: Vec<u8> = writer.finish().unwrap();
        let header = Header::from_slice(&bytes).unwrap();
        let cut = bytes[..header.header_len() + 100].to_vec();
        let salvage = Salvage::new(&cut, false, &mut Decompressor::new()).unwrap();
        let mut writer = Writer::new(header);
        salvage.write(Fill::Nan, &mut writer)?;
        let new = writer.finish()?;
        Ok(data(&Frame::from_slice(&new)?.chunk(1)?))
    };
    assert_eq!(nan("<f4").unwrap(), [f32::NAN.to_le_bytes(); 16].concat());
    for (dtype, found) in [("<i4", "int32, little-endian"), (">f4", "float32, big-endian")] {
        let error = nan(dtype).unwrap_err().to_string();
        let expected = "lost chunks cannot be filled with NaN: expected little-endian floats of 4 or 8 bytes, found";
        assert_eq!(error, format!("{expected} {found}"));
    }
}

/// The shape of this array claims 2^40 chunks.
#[test]
fn a_claim_of_many_chunks_takes_no_memory() {
    let meta = B2ndMeta::of::<u8>(Geometry::new(&[1 << 40], &[1], &[1]).unwrap());
    let mut header = b2nd::to_vec(&Header::for_array(&meta).unwrap()).unwrap();
    header[0x10..0x18].copy_from_slice(&(2_u64 << 40).to_be_bytes());
    header[0x1e..0x26].copy_from_slice(&(1_i64 << 40).to_be_bytes());
    header[0x27..0x2f].copy_from_slice(&(1_i64 << 40).to_be_bytes());
    let salvage = Salvage::new(&header, false, &mut Decompressor::new()).unwrap();
    assert_eq!(salvage.counts(), (0, 1 << 40));
    let error = salvage.write(Fill::Zero, &mut Writer::new(salvage.header().clone())).unwrap_err().to_string();
    assert_eq!(error, "the frame has 1099511627776 chunks; at most 33554432 can be written");
}

#[test]
fn a_sparse_frame_keeps_the_files_that_are_whole() {
    let from = Path::new(DATA).join("python-blosc2-2.2.9/storage__sframe_2d_int32.b2sd");
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("salvage-sparse");
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir(&directory).unwrap();
    for entry in fs::read_dir(&from).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, directory.join(path.file_name().unwrap())).unwrap();
    }
    let source = LocalFile::open(&directory).unwrap();
    let good = Frame::open(&source).unwrap();
    let count = good.offsets().unwrap().len();
    let first = (0..count).find(|&number| matches!(good.offsets().unwrap().get(number), Some(Offset::At(_)))).unwrap();
    let expected: Vec<_> = (0..count).map(|number| data(&good.chunk(number).unwrap())).collect();
    fs::remove_file(directory.join(format!("{first:08X}.chunk"))).unwrap();
    let tail = good.header().tail_range().start as usize;
    for length in [None, Some(tail + 10)] {
        if let Some(length) = length {
            let frame = fs::read(directory.join("chunks.b2frame")).unwrap();
            fs::write(directory.join("chunks.b2frame"), &frame[..length]).unwrap();
        }
        let source = LocalFile::open(&directory).unwrap();
        let salvage = Salvage::new(&source, false, &mut Decompressor::new()).unwrap();
        assert_eq!(salvage.is_ordered, length.is_none());
        let mut writer = Writer::new(salvage.header().clone());
        salvage.write(Fill::Zero, &mut writer).unwrap();
        let new = writer.finish().unwrap();
        let new = Frame::from_slice(&new).unwrap();
        for (number, expected) in expected.iter().enumerate() {
            let found = data(&new.chunk(number as u64).unwrap());
            if number as u64 == first { assert!(found.iter().all(|&byte| byte == 0)) } else { assert_eq!(&found, expected) }
        }
    }
    fs::remove_dir_all(&directory).unwrap();
}
