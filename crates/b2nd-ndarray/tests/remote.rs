//! The number of requests that a slice of a remote array takes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use b2nd_frame::{Chunk, Header, Sizes, Writer};
use b2nd_ndarray::{Array, Options, Pieces, to_frame};
use ndarray::{Array2, s};

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
