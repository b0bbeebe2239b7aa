//! The number of requests that a slice of a remote array takes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use b2nd_frame::{Chunk, Fetched, Header, Sizes, Window, Writer};
use b2nd_ndarray::{Array, Options, Pieces, Select, Source, to_frame};
use b2nd_store::RangeCache;
use ndarray::{Array2, Array3, s};

/// A frame somewhere else, and the requests for it.
struct Remote {
    frame: Vec<u8>,
    requests: RefCell<Vec<Range<u64>>>,
}

impl Remote {
    fn fetch(&self, range: Range<u64>) -> Vec<u8> {
        self.requests.borrow_mut().push(range.clone());
        self.frame[range.start as usize..range.end as usize].to_vec()
    }

    /// Asks until nothing is missing.
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
    // 5 x 4 chunks; what is random is not compressed, so they are of about one length.
    let values = Array2::from_shape_fn((500, 400), |(row, column)| ((row * 400 + column) as u32).wrapping_mul(0x9e37_79b1) >> 3);
    let options = Options { chunkshape: Some(vec![100, 100]), blockshape: Some(vec![25, 100]), ..Options::default() };
    let remote = Remote { frame: to_frame(&values, &options).unwrap(), requests: RefCell::default() };
    for (slice, expected) in [
        // One chunk; two that are adjacent in the file; a column of five, which lie apart; all.
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
        // No more requests: reading takes what is there.
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
    assert_eq!(error.to_string(), "bytes 0 to 4096 have not been fetched yet");
    assert_eq!((pieces.take_missing(0).pop(), pieces.take_missing(0).pop()), (Some(0..4096), None));
}

type Fetch = Box<dyn Fn(Range<u64>) -> std::io::Result<Vec<u8>> + Send + Sync>;

/// A file on a server, the ranges that were requested, and the number of rounds: how often a reader waited for requests.
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

/// A cube of bytes that are not compressed.
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
    // 12 x 2 x 2 chunks of 900 kB.
    let (values, frame) = cube([360, 200, 300], [30, 200, 150], [5, 200, 150]);
    let chunk = 900_000;
    for (slice, chunks, requests) in [
        ([100..101, 100..101, 100..101], 1, 1),
        // Two adjacent chunks, in one request, and a line through the chunks, which are not adjacent.
        ([100..101, 0..200, 0..300], 2, 1),
        ([0..360, 100..101, 100..101], 12, 12),
    ] {
        // In the file, and at an odd place of an archive.
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
    // Four chunks of 3.4 MB. Random numbers of six bits are compressed, so that the blocks' places are in the block table.
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
    assert_eq!((rounds, requests), (2, 6), "three block tables, then three blocks");
    assert!((3 * block..3 * block + block / 2).contains(&bytes), "{bytes} bytes for three blocks of {block}");
}

#[test]
fn long_slices_are_fetched_in_parts() {
    let (values, frame) = cube([160, 1000, 1000], [20, 1000, 1000], [1, 100, 1000]);
    let served = Served::new(frame);
    let array = Array::from_source(served.clone(), 0).unwrap();
    array.frame().offsets().unwrap();
    served.took();
    assert!(array.read::<u8>(&array.whole()).unwrap().as_slice() == values.as_slice());
    // 160 MB, of which at most 64 MiB are held at a time: three chunks of 20 MB.
    let (rounds, ..) = served.took();
    assert!((3..=4).contains(&rounds), "{rounds}");
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
