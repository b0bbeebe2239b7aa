//! Runs the same tests on every kind of source: a frame has the same contents in all of them.

use std::borrow::Cow;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex};

use b2nd_frame::{
    Buffer, Chunk, ChunkHeader, ErrorKind, File, FileSource, Frame, Header, Pieces, Result, Sizes, Source, Trailer, Window,
    Writer,
};

use crate::common::scratch::Scratch;
use crate::common::{frames, manifest};

/// Runs a function on the bytes in every kind of source, and checks that all results are equal, including errors.
#[track_caller]
fn everywhere<T: PartialEq + std::fmt::Debug>(bytes: &[u8], read: impl Fn(&dyn Source) -> Result<T>) -> Result<T> {
    let scratch = Scratch::new();
    let path = scratch.join("f.b2nd");
    fs::write(&path, bytes).unwrap();
    let expected = read(&bytes.to_vec());
    let said = |result: &Result<T>| match result {
        Ok(value) => format!("{value:?}"),
        Err(error) => error.to_string(),
    };
    let same = |name: &str, found: Result<T>| {
        if let (Ok(expected), Ok(found)) = (&expected, &found) {
            assert!(expected == found, "{name} gives other values");
        }
        assert_eq!(said(&found), said(&expected), "{name}");
    };
    same("Buffer", read(&Buffer(bytes)));
    same("Arc", read(&Arc::new(bytes.to_vec())));
    same("fs::File", read(&fs::File::open(&path).unwrap()));
    same("FileSource", read(&FileSource::open(&path).unwrap()));
    let inside = [&[7; 100], bytes, &[8; 100]].concat();
    same("Window", read(&Window::new(&inside, 100..100 + bytes.len() as u64)));
    same("Window that ends later", read(&Window::new(bytes.to_vec(), 0..u64::MAX)));
    for (name, pieces) in
        [("Pieces", Pieces::with_len(bytes.len() as u64)), ("Pieces of a length that is not known", Pieces::default())]
    {
        same(name, fed(bytes, &pieces, 0, &read));
    }
    let pieces = Pieces::default();
    let _ = fed(bytes, &pieces, 4096, &read);
    same("Pieces that have been put in", read(&pieces));
    expected
}

/// Runs a function on pieces, and supplies missing pieces until none is missing.
fn fed<T>(bytes: &[u8], pieces: &Pieces, gap: u64, read: impl Fn(&dyn Source) -> Result<T>) -> Result<T> {
    for _ in 0..100 {
        let done = read(pieces);
        let missing = pieces.take_missing(gap);
        assert_eq!(missing.is_empty(), !matches!(&done, Err(error) if matches!(error.kind(), ErrorKind::Missing { .. })));
        if missing.is_empty() {
            return done;
        }
        for range in missing {
            let [start, end] = [range.start, range.end].map(|at| (at as usize).min(bytes.len()));
            pieces.put(range, bytes[start..end].to_vec()).unwrap();
        }
    }
    panic!("something is missing for ever");
}

/// Everything in a frame.
#[derive(PartialEq, Debug)]
struct All {
    header: Header,
    trailer: Trailer,
    trailer_bytes: Vec<u8>,
    places: Vec<Option<Range<u64>>>,
    chunks: Vec<std::result::Result<(ChunkHeader, Vec<u8>), String>>,
}

fn all(source: &dyn Source) -> Result<All> {
    let frame = Frame::open(source)?;
    let (trailer, offsets) = (frame.trailer()?.clone(), frame.offsets()?);
    let trailer_bytes = frame.read(frame.trailer_range()?)?.into_owned();
    assert_eq!(trailer_bytes, b2nd::to_vec(&trailer)?);
    let places = (0..offsets.len()).map(|number| offsets.range(number)).collect();
    let mut chunks = Vec::new();
    for number in 0..offsets.len() {
        let whole = frame.chunk(number);
        if let Err(error) = &whole {
            if matches!(error.kind(), ErrorKind::Missing { .. }) {
                return Err(whole.unwrap_err());
            }
        }
        let whole = whole.map(|chunk| (*chunk.header(), chunk.into_bytes()));
        if let Ok((header, bytes)) = &whole {
            assert_eq!(&frame.chunk_header(number)?, header);
            in_parts(&frame, number, header, bytes)?;
        }
        chunks.push(whole.map_err(|error| error.to_string()));
    }
    Ok(All { header: frame.header().clone(), trailer, trailer_bytes, places, chunks })
}

fn in_parts(frame: &Frame<&dyn Source>, number: u64, header: &ChunkHeader, bytes: &[u8]) -> Result<()> {
    let mut reader = frame.chunk_reader(number, 40)?;
    assert_eq!(reader.header(), header);
    assert!(bytes.starts_with(reader.front()) && reader.front().len() >= bytes.len().min(40));
    let (half, end) = (bytes.len() / 2, bytes.len());
    assert_eq!(&*reader.read(half..end)?, &bytes[half..]);
    let mut buffer = vec![0; end - half];
    reader.read_into(half, &mut buffer)?;
    assert_eq!(buffer, &bytes[half..]);
    assert!(reader.read(half..end + 1).is_err() && reader.read_into(end, &mut [0]).is_err());
    assert_eq!(reader.complete()?, bytes);
    Ok(())
}

/// Frames that are read in different ways: without chunks or attributes, with bytes after them, with unused bytes before the trailer,
/// and with a long header and trailer.
fn samples() -> Vec<Vec<u8>> {
    let mut long = frames::header();
    long.metalayers_mut().insert("long", vec![5; 60_000]).unwrap();
    let mut writer = Writer::new(long);
    frames::append(&mut writer).unwrap();
    writer.set_vlmetalayer_bytes("long", &[6; 50_000]).unwrap();
    let long = writer.finish().unwrap();
    vec![frames::contiguous(), frames::bare(), frames::empty(), frames::followed(), frames::edited(), long]
}

#[test]
fn all_sources_give_the_same_frame() {
    for bytes in samples() {
        everywhere(&bytes, all).unwrap();
    }
    for entry in manifest::frames().into_iter().filter(|entry| entry.path.starts_with("../../tests/data") && entry.path.is_file())
    {
        let bytes = entry.bytes();
        if Frame::from_slice(&bytes).is_ok() {
            everywhere(&bytes, all).unwrap();
        }
    }
}

#[test]
fn a_slice_gives_what_a_source_gives() {
    for bytes in samples() {
        let frame = Frame::from_slice(&bytes).unwrap();
        let found = all(&bytes).unwrap();
        assert_eq!((frame.header(), frame.trailer().unwrap()), (&found.header, &found.trailer));
        let range = frame.trailer_range().unwrap();
        assert_eq!(bytes[range.start as usize..range.end as usize], found.trailer_bytes);
        for (number, chunk) in (0..).zip(found.chunks) {
            let whole = frame.chunk(number).map(|chunk| (*chunk.header(), chunk.into_bytes()));
            assert_eq!(whole.map_err(|error| error.to_string()), chunk);
        }
    }
}

#[test]
fn all_sources_say_the_same_of_a_frame_that_is_cut_off() {
    let bytes = frames::contiguous();
    let header_len = Header::from_slice(&bytes).unwrap().header_len();
    for length in (0..bytes.len()).step_by(97).chain([1, 14, 15, 16, header_len - 1, header_len, bytes.len() - 1]) {
        let error = everywhere(&bytes[..length], all).unwrap_err();
        assert!(error.is_eof() && error.offset() == Some(length), "{length}: {error}");
        let whole = if length < 15 {
            15
        } else if length < header_len {
            header_len
        } else {
            bytes.len()
        };
        assert_eq!(error.needed(), Some(whole - length), "{length}: {error}");
    }
}

#[test]
fn all_sources_read_frames_at_an_offset() {
    let frame = frames::contiguous();
    let bytes = [vec![9; 5000], frame.clone(), vec![9; 300]].concat();
    let chunks = |source: &dyn Source| -> Result<Vec<Vec<u8>>> {
        let frame = Frame::open_at(source, 5000)?;
        assert_eq!(frame.position(), 5000);
        frame.trailer()?;
        (0..frame.offsets()?.len()).map(|number| Ok(frame.chunk(number)?.into_bytes())).collect()
    };
    let expected = Frame::from_slice(&frame).unwrap();
    let expected: Vec<_> = (0..4).map(|number| expected.chunk(number).unwrap().into_bytes()).collect();
    assert_eq!(everywhere(&bytes, chunks).unwrap(), expected);
}

#[test]
fn an_empty_frame_with_two_trailers_has_the_first() {
    let frame = frames::empty();
    let header = Header::from_slice(&frame).unwrap();
    let mut other = Trailer::from_tail(&frame).unwrap();
    other.vlmetalayers_mut().set_bytes("note", &[4; 100]).unwrap();
    // The second trailer is near the front, or after the end of the first read.
    for gap in [0, 10_000] {
        let mut bytes = [frame.clone(), vec![0; gap], b2nd::to_vec(&other).unwrap()].concat();
        let length = bytes.len() as u64;
        bytes[0x10..0x18].copy_from_slice(&length.to_be_bytes());
        let value = |source: &dyn Source| Ok(Frame::open(source)?.trailer()?.vlmetalayers().value("note")?.unwrap().into_owned());
        assert_eq!(everywhere(&bytes, value).unwrap(), [3; 100]);
        let start = |source: &dyn Source| Ok(Frame::open(source)?.trailer_range()?.start);
        assert_eq!(everywhere(&bytes, start).unwrap(), header.header_len() as u64);
    }
}

/// A source of this length with some parts and zeros elsewhere. It records the ranges that are read.
struct Hole {
    length: u64,
    parts: Vec<(u64, Vec<u8>)>,
    read: Mutex<Vec<Range<u64>>>,
}

impl Source for Hole {
    fn len(&self) -> Result<u64> {
        Ok(self.length)
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        self.read.lock().unwrap().push(range.clone());
        let mut bytes = vec![0; (range.end.min(self.length) - range.start) as usize];
        for (start, part) in &self.parts {
            for (at, byte) in (*start..).zip(part) {
                if range.contains(&at) {
                    bytes[(at - range.start) as usize] = *byte;
                }
            }
        }
        Ok(Cow::Owned(bytes))
    }
}

/// A frame with a hole of this length before its trailer.
fn with_hole(hole: u64) -> Hole {
    let mut front = frames::contiguous();
    let (header, trailer) = (Header::from_slice(&front).unwrap(), Trailer::from_tail(&front).unwrap());
    let trailer = b2nd::to_vec(&trailer).unwrap();
    front.truncate(front.len() - trailer.len());
    let length = header.frame_len() + hole;
    front[0x10..0x18].copy_from_slice(&length.to_be_bytes());
    let parts = vec![(0, front), (length - trailer.len() as u64, trailer)];
    Hole { length, parts, read: Mutex::default() }
}

#[test]
fn a_hole_before_the_trailer_is_not_read() {
    let frame = Frame::open(with_hole(10 << 30)).unwrap();
    assert_eq!(frame.trailer().unwrap().vlmetalayers().value("note").unwrap().unwrap(), [3; 100].as_slice());
    assert_eq!(frame.offsets().unwrap().len(), 4);
    assert_eq!(frame.chunk(3).unwrap().stored(), Some(&*frames::data(3, 64)));
    let longest = frame.source().read.lock().unwrap().iter().map(|range| range.end - range.start).max();
    assert_eq!(longest, Some(4096));
}

#[test]
fn a_header_an_index_and_a_trailer_of_more_than_256_mib_are_not_read() {
    let refusal = |part: &str, length: u64| format!("the {part} has {length} bytes; the limit is 268435456");
    let patched = |at: u64, bytes: &[u8]| {
        let mut hole = with_hole(1 << 30);
        hole.parts.push((at, bytes.to_vec()));
        hole
    };
    let long = 300_000_000u32;
    let header = Frame::open(patched(0x0b, &long.to_be_bytes())).unwrap_err();
    assert_eq!(header.to_string(), refusal("header", long.into()));

    let header = Header::from_slice(&frames::contiguous()).unwrap();
    let index = Frame::open(patched(header.tail_range().start + 12, &long.to_le_bytes())).unwrap();
    assert_eq!(index.offsets().unwrap_err().to_string(), refusal("index", long.into()));

    let end = header.frame_len() + (1 << 30);
    let trailer = Frame::open(patched(end - 22, &long.to_be_bytes())).unwrap();
    assert_eq!(trailer.trailer().unwrap_err().to_string(), refusal("trailer", long.into()));
    for frame in [index, trailer] {
        assert!(frame.source().read.lock().unwrap().iter().all(|range| range.end - range.start <= 4096));
    }
}

/// A source that is shorter than its `len`.
struct Shrunk<'a>(&'a [u8]);

impl Source for Shrunk<'_> {
    fn len(&self) -> Result<u64> {
        Ok(1 << 30)
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        let [start, end] = [range.start, range.end].map(|at| (at as usize).min(self.0.len()));
        Ok(Cow::Borrowed(&self.0[start..end]))
    }
}

#[test]
fn a_source_that_gives_less_than_it_promised_is_an_error() {
    let bytes = frames::contiguous();
    for length in 0..bytes.len() {
        let error = Frame::open(Shrunk(&bytes[..length])).and_then(|frame| frame.trailer().map(drop)).unwrap_err();
        assert!(error.is_eof() && error.needed() > Some(0), "{length}: {error}");
        assert!(Shrunk(&bytes[..length]).read_into(0, &mut vec![0; length + 1]).is_err());
    }
}

/// A sparse frame in memory with its directory on the disk.
struct Beside<'a> {
    frame: Vec<u8>,
    directory: &'a Path,
}

impl Source for Beside<'_> {
    fn len(&self) -> Result<u64> {
        Source::len(&self.frame)
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        self.frame.read(range)
    }

    fn chunk_file(&self, number: u64, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        let bytes = fs::read(self.directory.join(format!("{number:08X}.chunk")))?;
        Ok(Cow::Owned(bytes.read(range)?.into_owned()))
    }
}

#[test]
fn the_chunks_of_a_sparse_frame_are_read_from_the_files_beside_it() {
    let scratch = Scratch::new();
    let directory = scratch.join("s.b2nd");
    frames::sparse(&directory);
    let file = File::open(&directory).unwrap();
    let beside = Beside { frame: fs::read(directory.join("chunks.b2frame")).unwrap(), directory: &directory };
    let expected = all(&FileSource::open(&directory).unwrap()).unwrap();
    assert_eq!(all(&beside).unwrap(), expected);
    let contiguous = all(&frames::contiguous()).unwrap();
    assert_eq!(expected.chunks, contiguous.chunks);
    for number in 0..4 {
        assert_eq!(
            Ok(file.chunk(number).unwrap().into_bytes()),
            expected.chunks[number as usize].clone().map(|(_, bytes)| bytes)
        );
    }
    let alone = Frame::open(&beside.frame).unwrap();
    let said = alone.chunk(0).unwrap_err().to_string();
    assert_eq!(
        said,
        "chunk[0]: the chunks of a sparse frame are separate files, which this source lacks: open the frame's directory on a local disk"
    );

    let path = directory.join("00000000.chunk");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 5]).unwrap();
    let cut = "chunk 0 at byte 0 has too few bytes: it needs at least 5 more bytes";
    let frame = Frame::open(&beside).unwrap();
    assert_eq!(frame.chunk(0).unwrap_err().to_string(), cut);
    assert_eq!(frame.chunk_reader(0, 1 << 20).unwrap_err().to_string(), cut);
    fs::remove_file(&path).unwrap();
    let said = file.chunk(0).unwrap_err().to_string();
    assert!(said.starts_with(&format!("chunk[0]: {}: ", path.display())), "{said}");
}

#[test]
fn a_frame_moves_to_another_source_with_what_it_has_read() {
    let bytes = frames::contiguous();
    let frame = Frame::open(bytes.clone()).unwrap();
    let expected = frame.chunk(2).unwrap().into_bytes();
    let pieces = Pieces::with_len(bytes.len() as u64);
    let place = frame.offsets().unwrap().range(2).unwrap();
    pieces.put(place.clone(), bytes[place.start as usize..place.end as usize].to_vec()).unwrap();
    let moved = frame.with_source(&pieces);
    assert_eq!(moved.chunk(2).unwrap().into_bytes(), expected);
    // The index and the trailer are short, so they were read together.
    assert_eq!(moved.trailer().unwrap(), frame.trailer().unwrap());
    assert!(moved.chunk(0).is_err());
    let moved = frame.with_source(Arc::new(frame.source()));
    assert_eq!(moved.chunk(2).unwrap().into_bytes(), expected);
}

#[test]
fn a_chunk_of_more_than_a_mebibyte_is_read_by_its_header() {
    let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 5 << 18, blocksize: 1 << 18 }).unwrap());
    let data: Vec<u8> = (0..5 << 18).map(|at: u32| (at % 251) as u8).collect();
    writer.append(&Chunk::store(&data, 1).unwrap()).unwrap();
    let bytes = writer.finish().unwrap();
    let stored = |source: &dyn Source| Ok(Frame::open(source)?.chunk(0)?.stored().unwrap().to_vec());
    assert!(everywhere(&bytes, stored).unwrap() == data);
}
