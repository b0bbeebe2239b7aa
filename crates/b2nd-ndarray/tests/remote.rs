//! The number of requests for a slice of a remote array.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use b2nd_frame::{Chunk, Fetched, Header, Sizes, Window, Writer};
use b2nd_ndarray::{Array, Options, Pieces, Select, Source, to_frame};
use b2nd_store::RangeCache;
use ndarray::{Array2, Array3, s};

/// A remote frame and the requests for it.
struct Remote {
    frame: Vec<u8>,
    requests: RefCell<Vec<Range<u64>>>,
}

impl Remote {
    fn fetch(&self, range: Range<u64>) -> Vec<u8> {
        self.requests.borrow_mut().push(range.clone());
        self.frame[range.start as usize..range.end as usize].to_vec()
    }

    /// Calls `ask` and fetches missing pieces until it succeeds.
    fn complete<T>(&self, pieces: &Pieces, ask: impl Fn() -> b2nd_ndarray::Result<T>) -> T {
        loop {
            let done = ask();
            let missing = pieces.take_missing(0);
            if missing.is_empty() {
                return done.unwrap();
            }
            missing.into_iter().for_each(|range| pieces.put(range.clone(), self.fetch(range)).unwrap());
        }
    }
}

#[test]
fn a_slice_takes_two_requests_and_those_of_its_chunks() {
    // There are 5 x 4 chunks of about the same size, because the values can hardly be compressed.
    let values = Array2::from_shape_fn((500, 400), |(row, column)| ((row * 400 + column) as u32).wrapping_mul(0x9e37_79b1) >> 3);
    let options = Options { chunkshape: Some(vec![100, 100]), blockshape: Some(vec![25, 100]), ..Options::default() };
    let remote = Remote { frame: to_frame(&values, &options).unwrap(), requests: RefCell::default() };
    for (slice, expected) in [
        // One chunk; two chunks that are adjacent in the file; a column of five chunks that are not adjacent; all; none.
        ([10..20, 10..20], 1),
        ([10..20, 150..250], 1),
        ([0..500, 10..20], 5),
        ([0..500, 0..400], 1),
        ([7..7, 0..400], 0),
    ] {
        remote.requests.borrow_mut().clear();
        let pieces = Arc::new(Pieces::with_len(remote.frame.len() as u64));
        let array = remote.complete(&pieces, || Array::from_source(pieces.clone(), 0));
        assert_eq!(remote.requests.borrow().len(), 1, "the header");
        let ranges = remote.complete(&pieces, || array.byte_ranges(&slice, 0));
        ranges.into_iter().for_each(|range| pieces.put(range.clone(), remote.fetch(range)).unwrap());
        // Reading needs no more requests.
        let read = array.read::<u32>(&slice).unwrap();
        let wanted =
            values.slice(s![slice[0].start as usize..slice[0].end as usize, slice[1].start as usize..slice[1].end as usize]);
        assert_eq!(read, wanted.into_dyn());
        let index = usize::from(expected > 0);
        assert_eq!(remote.requests.borrow().len(), 1 + index + expected, "{slice:?}");
    }
}

#[test]
fn the_chunks_of_a_slice_of_a_frame_whose_chunks_vary_in_length_are_fetched() {
    let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 0, blocksize: 0 }).unwrap());
    let mut state = 1_u32;
    for length in [9000, 100, 5000, 1, 20_000, 7000] {
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        };
        let data: Vec<u8> = (0..length).map(|_| random()).collect();
        writer.append(&Chunk::store(&data, 1).unwrap()).unwrap();
    }
    let remote = Remote { frame: writer.finish().unwrap(), requests: RefCell::default() };
    let whole = Array::from_frame(remote.frame.clone()).unwrap();
    let ends = [0, 8999, 9000, 9100, 14_100, 14_101, 34_101, 41_101];
    for (place, &start) in ends.iter().enumerate() {
        for &end in &ends[place..] {
            let slice = [start..end; 1];
            let pieces = Arc::new(Pieces::with_len(remote.frame.len() as u64));
            let array = remote.complete(&pieces, || Array::from_source(pieces.clone(), 0));
            let ranges = remote.complete(&pieces, || array.byte_ranges(&slice, 0));
            ranges.into_iter().for_each(|range| pieces.put(range.clone(), remote.fetch(range)).unwrap());
            assert_eq!(array.read_bytes(&slice).unwrap(), whole.read_bytes(&slice).unwrap(), "{slice:?}");
        }
    }
}

#[test]
fn what_was_not_fetched_is_an_error_that_says_so() {
    let pieces = Arc::new(Pieces::with_len(10_000));
    let error = Array::from_source(pieces.clone(), 0).unwrap_err();
    assert_eq!(error.to_string(), "bytes 0..4096 have not all been fetched yet");
    assert_eq!((pieces.take_missing(0).pop(), pieces.take_missing(0).pop()), (Some(0..4096), None));
}

type Fetch = Box<dyn Fn(Range<u64>) -> std::io::Result<Vec<u8>> + Send + Sync>;

/// A file on a server, the ranges that were requested, and the number of rounds, that is, how often a reader waited for requests.
struct Served {
    file: RangeCache<Fetch>,
    requests: Arc<Mutex<Vec<Range<u64>>>>,
    rounds: AtomicUsize,
}

impl Served {
    fn new(bytes: Vec<u8>) -> Arc<Served> {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (asked, length) = (requests.clone(), bytes.len() as u64);
        let fetch = move |range: Range<u64>| {
            asked.lock().unwrap().push(range.clone());
            Ok(bytes[range.start as usize..range.end as usize].to_vec())
        };
        Arc::new(Served { file: RangeCache::new(length, Box::new(fetch)), requests, rounds: AtomicUsize::new(0) })
    }

    /// Calls `read`, and counts a round if it requested anything.
    fn round<T>(&self, read: impl FnOnce() -> T) -> T {
        let before = self.requests.lock().unwrap().len();
        let read = read();
        self.rounds.fetch_add(usize::from(self.requests.lock().unwrap().len() > before), Ordering::SeqCst);
        read
    }

    /// Returns the numbers of rounds, requests and bytes since the last call.
    fn took(&self) -> (usize, usize, u64) {
        let requests = std::mem::take(&mut *self.requests.lock().unwrap());
        let bytes = requests.iter().map(|range| range.end - range.start).sum();
        (self.rounds.swap(0, Ordering::SeqCst), requests.len(), bytes)
    }
}

impl Source for Served {
    fn len(&self) -> b2nd_frame::Result<u64> {
        self.file.len()
    }

    fn read(&self, range: Range<u64>) -> b2nd_frame::Result<Cow<'_, [u8]>> {
        self.round(|| self.file.read(range))
    }

    fn read_many(&self, ranges: Vec<Range<u64>>) -> Option<b2nd_frame::Result<Fetched>> {
        self.round(|| self.file.read_many(ranges))
    }
}

type ReadMany = fn(&dyn Source, Vec<Range<u64>>) -> Option<b2nd_frame::Result<Fetched>>;

/// A source with its own `read_many`. It counts the calls that ask for ranges, and the bytes that are read from chunk files.
struct Stub<S> {
    source: S,
    read_many: ReadMany,
    asked: AtomicUsize,
    of_chunks: AtomicUsize,
}

impl<S> Stub<S> {
    fn new(source: S, read_many: ReadMany) -> Arc<Stub<S>> {
        Arc::new(Stub { source, read_many, asked: AtomicUsize::new(0), of_chunks: AtomicUsize::new(0) })
    }
}

impl<S: Source> Source for Stub<S> {
    fn len(&self) -> b2nd_frame::Result<u64> {
        self.source.len()
    }

    fn read(&self, range: Range<u64>) -> b2nd_frame::Result<Cow<'_, [u8]>> {
        self.source.read(range)
    }

    fn read_many(&self, ranges: Vec<Range<u64>>) -> Option<b2nd_frame::Result<Fetched>> {
        if ranges.is_empty() {
            return Some(Ok(Vec::new()));
        }
        assert!(self.asked.fetch_add(1, Ordering::SeqCst) < 100, "it is asked again and again");
        (self.read_many)(&self.source, ranges)
    }

    fn chunk_file(&self, number: u64, range: Range<u64>) -> b2nd_frame::Result<Cow<'_, [u8]>> {
        let bytes = self.source.chunk_file(number, range)?;
        self.of_chunks.fetch_add(bytes.len(), Ordering::SeqCst);
        Ok(bytes)
    }
}

#[test]
fn a_source_that_returns_other_ranges_than_requested_is_no_endless_loop() {
    let (values, frame) = cube([20, 50, 60], [10, 50, 30], [5, 50, 30]);
    let open = |read_many| {
        let stub = Stub::new(frame.clone(), read_many);
        (Array::from_source(stub.clone(), 0).unwrap(), Array::from_source(Arc::new(Window::new(stub, 0..u64::MAX)), 0).unwrap())
    };
    let (array, window) = open(|_, _| None);
    assert_eq!(array.read::<u8>(&array.whole()).unwrap(), values.clone().into_dyn());
    assert_eq!(window.read::<u8>(&array.whole()).unwrap(), values.into_dyn());
    for read_many in [
        |_: &dyn Source, _| Some(Ok(Vec::new())),
        |source: &dyn Source, _| Some(source.read(0..9).map(|bytes| vec![(0..9, bytes.into_owned())])),
    ] {
        let (array, _) = open(read_many);
        let error = array.read::<u8>(&array.whole()).unwrap_err().to_string();
        assert!(error.starts_with("bytes ") && error.ends_with("but the source did not return them"), "{error}");
    }
}

#[test]
fn a_window_refuses_bytes_before_its_start() {
    let stub = Stub::new(vec![7; 100], |source, _| Some(source.read(0..9).map(|bytes| vec![(0..9, bytes.into_owned())])));
    let error = Window::new(stub, 10..50).read_many(vec![3..4; 1]).unwrap().unwrap_err();
    assert_eq!(error.to_string(), "the source returned bytes from 0 on, which were not requested");
}

#[test]
fn a_sparse_frame_is_read_from_a_source_that_also_reads_many_ranges() {
    let (values, frame) = cube([20, 50, 60], [10, 50, 30], [5, 50, 30]);
    let directory = tempfile::tempdir().unwrap();
    let [file, sparse] = ["file", "sparse"].map(|name| directory.path().join(name));
    std::fs::write(&file, frame).unwrap();
    common::sparse(&file, &sparse);
    let source = b2nd_frame::FileSource::open(&sparse).unwrap();
    let stub = Stub::new(source, |_, _| panic!("the chunks are in other files"));
    let array = Array::from_source(stub.clone(), 0).unwrap();
    assert_eq!(array.repeated(&array.whole()), None);
    assert!(stub.of_chunks.load(Ordering::SeqCst) < 100, "of chunks that are not special, only the first header is read");
    assert_eq!(array.read::<u8>(&array.whole()).unwrap(), values.into_dyn());
}

#[test]
fn a_small_slice_is_fetched_once() {
    // There are 2 x 1 x 2 chunks of 30 kB.
    let (values, frame) = cube([20, 100, 60], [10, 100, 30], [5, 100, 30]);
    let served = Served::new(frame);
    for (slice, expected) in [([0..1, 0..1, 0..1], 0), ([12..13, 0..1, 0..1], 1), ([12..14, 3..9, 0..10], 0)] {
        let array = Array::from_source(served.clone(), 0).unwrap();
        array.frame().offsets().unwrap();
        served.took();
        let at = |axis: usize| slice[axis].start as usize..slice[axis].end as usize;
        assert_eq!(array.read::<u8>(&slice).unwrap(), values.slice(s![at(0), at(1), at(2)]).into_dyn());
        assert_eq!(served.took().1, expected, "{slice:?}");
    }
}

#[test]
fn ranges_are_served_from_the_cache_and_each_answer_must_be_complete() {
    let bytes: Vec<u8> = (0..=250).cycle().take(6_000_000).collect();
    let served = Served::new(bytes.clone());
    let same = |ranges: &[Range<u64>]| {
        for (range, found) in served.read_many(ranges.to_vec()).unwrap().unwrap() {
            assert!(ranges[0].start <= range.start && range.end <= ranges.last().unwrap().end, "{range:?}");
            assert!(found == bytes[range.start as usize..range.end as usize], "{range:?}");
        }
        served.took().1
    };
    let apart = [10..20, 5000..9000, 300_000..300_001, 5_999_000..6_000_000];
    assert_eq!([same(&apart), same(&apart), same(&apart[1..3]), same(&[6000..7000; 1])], [3, 0, 0, 0]);
    assert_eq!([same(&[100_000..5_000_000; 1]), same(&[10..20, 100_000..5_000_000])], [3, 3]);
    assert!(*served.read(70_000..5_900_000).unwrap() == bytes[70_000..5_900_000]);
    assert_eq!(served.took().1, 3);

    let first = RangeCache::new(1 << 30, |_| panic!("these bytes are known")).with_first(bytes[..4096].to_vec());
    assert_eq!(first.read_many(vec![10..20; 1]).unwrap().unwrap(), [(10..20, bytes[10..20].to_vec())]);
    let small = Served::new(bytes[..60_000].to_vec());
    for expected in [(1, 1, 60_000), (0, 0, 0)] {
        small.read_many(vec![10..20, 50_000..50_010]).unwrap().unwrap();
        assert_eq!(small.took(), expected, "a short file is fetched as a whole");
    }

    let short = RangeCache::new(1 << 30, |range: Range<u64>| Ok(vec![0; (range.end - range.start) as usize / 2]));
    let expected = "bytes 1000000..2000000: expected 1,000,000 bytes, found 500,000 bytes";
    assert_eq!(short.read(1_000_000..2_000_000).unwrap_err().to_string(), expected);
    assert_eq!(short.read_many(vec![1_000_000..2_000_000; 1]).unwrap().unwrap_err().to_string(), expected);
    assert!(short.read(5..6).unwrap_err().to_string().contains("expected 65,536 bytes, found 32,768 bytes"));
}

/// A cube of bytes that are stored without compression.
fn cube(shape: [usize; 3], chunkshape: [i32; 3], blockshape: [i32; 3]) -> (Array3<u8>, Vec<u8>) {
    let bytes: Vec<u8> = (0..=250).collect();
    let bytes = bytes.repeat(shape.iter().product::<usize>() / bytes.len() + 1);
    let values = Array3::from_shape_vec(shape, bytes[..shape.iter().product()].to_vec()).unwrap();
    let (chunkshape, blockshape) = (Some(chunkshape.to_vec()), Some(blockshape.to_vec()));
    let frame = to_frame(&values, &Options { chunkshape, blockshape, level: 0, ..Options::default() }).unwrap();
    (values, frame)
}

#[test]
fn a_slice_of_a_file_on_a_server_takes_few_rounds_of_requests() {
    // There are 12 x 1 x 2 chunks of 900 kB.
    let (values, frame) = cube([360, 200, 300], [30, 200, 150], [5, 200, 150]);
    let chunk = 900_000;
    for (slice, chunks, requests) in [
        ([100..101, 100..101, 100..101], 1, 1),
        // Two adjacent chunks in one request, and a line through chunks that are not adjacent.
        ([100..101, 0..200, 0..300], 2, 1),
        ([0..360, 100..101, 100..101], 12, 12),
    ] {
        // The frame is in a file of its own, or at an odd offset in an archive.
        for before in [0, 12_345] {
            let served = Served::new([&vec![1; before][..], &frame].concat());
            let source = Window::new(served.clone(), before as u64..u64::MAX);
            let array = Array::from_source(Arc::new(source), 0).unwrap();
            array.header();
            array.frame().offsets().unwrap();
            let (rounds, opening, _) = served.took();
            assert_eq!((rounds, opening), (2, 2), "the header; the index");
            let at = |axis: usize| slice[axis].start as usize..slice[axis].end as usize;
            let expected = values.slice(s![at(0), at(1), at(2)]).into_dyn();
            assert_eq!(array.read::<u8>(&slice).unwrap(), expected, "{slice:?}");
            let (rounds, took, bytes) = served.took();
            assert_eq!((rounds, took), (1, requests), "{slice:?}");
            assert!((chunks * chunk..chunks * chunk + 2048).contains(&bytes), "{slice:?}: {bytes}");
        }
    }
}

#[test]
fn of_long_chunks_on_a_server_only_the_blocks_of_a_slice_are_fetched() {
    // There are four chunks of 3.4 MB. Random numbers of six bits can be compressed, so the offsets of the blocks are only in the
    // block table.
    let mut state = 1_u32;
    let values = Array3::from_shape_simple_fn([600, 100, 300], || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 26) as u8
    });
    let (chunkshape, blockshape) = (Some(vec![150, 100, 300]), Some(vec![1, 100, 300]));
    let options = Options { chunkshape, blockshape, filters: Vec::new(), ..Options::default() };
    let frame = to_frame(&values, &options).unwrap();
    let block = frame.len() as u64 / 600;
    let served = Served::new(frame);
    let array = Array::from_source(served.clone(), 0).unwrap();
    array.frame().offsets().unwrap();
    served.took();
    let steps = Select::steps(&[100..500, 0..100, 0..300], &[150, 99, 1]).unwrap();
    let expected = values.slice(s![100..500;150, ..;99, ..]).into_dyn();
    assert_eq!(array.select::<u8>(&steps).unwrap(), expected);
    let (rounds, requests, bytes) = served.took();
    assert_eq!((rounds, requests), (2, 5), "two block tables, as the first was fetched with the header, then three blocks");
    // The cache fetches whole blocks of 4 KiB.
    assert!((3 * block..3 * block + 5 * 8192).contains(&bytes), "{bytes} bytes for three blocks of {block}");
    assert_eq!(array.select::<u8>(&steps).unwrap(), expected);
    assert_eq!(served.took(), (0, 0, 0), "the cache has all of it");
    assert_eq!(array.repeated(&[450..600, 0..100, 0..300]), None);
    assert_eq!(served.took(), (0, 0, 0), "the index says that the chunk is long");
}

#[test]
fn long_slices_are_fetched_in_parts() {
    let (values, frame) = cube([160, 1000, 1000], [20, 1000, 1000], [1, 100, 1000]);
    let served = Served::new(frame);
    let array = Array::from_source(served.clone(), 0).unwrap();
    array.frame().offsets().unwrap();
    served.took();
    assert!(array.read::<u8>(&array.whole()).unwrap().as_slice() == values.as_slice());
    // At most 64 MiB of the 160 MB are held at a time, which is three chunks of 20 MB.
    let (rounds, ..) = served.took();
    assert!((3..=4).contains(&rounds), "{rounds}");
    // If the first part of a slice cannot be fetched, the read ends.
    let stub = Stub::new(served, |_, _| Some(Err(b2nd_frame::Error::custom("503"))));
    let array = Array::from_source(stub.clone(), 0).unwrap();
    assert_eq!(array.read::<u8>(&array.whole()).unwrap_err().to_string(), "503");
    assert_eq!(stub.asked.load(Ordering::SeqCst), 1);
}

#[test]
fn data_without_an_array_are_fetched_at_once() {
    let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 1 << 19, blocksize: 1 << 16 }).unwrap());
    let bytes: Vec<u8> = (0..=255).collect::<Vec<u8>>().repeat(1 << 13);
    bytes.chunks(1 << 19).for_each(|chunk| writer.append(&Chunk::store(chunk, 1).unwrap()).unwrap());
    let served = Served::new(writer.finish().unwrap());
    let array = Array::from_source(served.clone(), 0).unwrap();
    array.frame().offsets().unwrap();
    served.took();
    assert_eq!(array.read_bytes(&[1000..2_000_000; 1]).unwrap(), bytes[1000..2_000_000]);
    let (rounds, requests, _) = served.took();
    assert_eq!((rounds, requests), (1, 2), "four chunks, in requests of up to 2 MiB");
}
