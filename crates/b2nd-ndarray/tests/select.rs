//! Selections by ranges, lists and masks have the same values as in ndarray, and no block is read twice. The chunks together make
//! up the array.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
// A slice of a one-dimensional array is one range.
#![allow(clippy::single_range_in_vec_init)]

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use b2nd::{B2ndMeta, Geometry};
use b2nd_frame::{CodecId, Filter, Source, SplitMode};
use b2nd_ndarray::{Array, ArrayChunk, Options, Select, to_frame};
use common::Draw;
use ndarray::{Array2, ArrayD, Axis, IxDyn, Slice, arr0};
use rayon::iter::ParallelIterator;

mod common;

fn numbered(shape: &[usize]) -> ArrayD<i32> {
    let mut next = 0;
    ArrayD::from_shape_simple_fn(IxDyn(shape), || {
        next += 1;
        next * 7919
    })
}

/// A random array, and options with its chunks and blocks.
fn array(draw: &mut Draw, shortest: usize) -> (ArrayD<i32>, Options) {
    let ndim = 1 + draw.below(4);
    let shape: Vec<_> = (0..ndim).map(|_| shortest + draw.below([200, 40, 13, 7][ndim - 1])).collect();
    let chunks: Vec<_> = shape.iter().map(|&length| 1 + draw.below(length + 2) as i32).collect();
    let blocks: Vec<_> = chunks.iter().map(|&length| 1 + draw.below(length as usize) as i32).collect();
    let codec = [CodecId::Lz4, CodecId::Zstd][draw.below(2)];
    let level = [0, 5][draw.below(2)];
    (numbered(&shape), Options { chunkshape: Some(chunks), blockshape: Some(blocks), codec, level, ..Options::default() })
}

/// A random selection along an axis, and the indices that it selects.
fn along(draw: &mut Draw, length: usize) -> (Select, Vec<usize>) {
    let start = draw.below(length + 1);
    let end = start + draw.below(length + 1 - start);
    let range = start as i64..end as i64;
    match draw.below(6) {
        0 => (Select::All, (0..length).collect()),
        1 => (range.into(), (start..end).collect()),
        2 => {
            let step = 1 + draw.below(length + 3);
            (Select::Step(range, step as i64), (start..end).step_by(step).collect())
        }
        3 => {
            let mask: Vec<_> = (0..length).map(|_| draw.below(3) == 0).collect();
            let indices = (0..length).filter(|&at| mask[at]).collect();
            (mask.into(), indices)
        }
        // Indices in ascending or any order, some of them negative or repeated.
        kind => {
            let mut indices: Vec<_> = (0..if length == 0 { 0 } else { draw.below(12) }).map(|_| draw.below(length)).collect();
            if kind == 4 {
                indices.sort_unstable();
            }
            let signed: Vec<_> =
                indices.iter().map(|&at| if draw.below(3) == 0 { at as i64 - length as i64 } else { at as i64 }).collect();
            (signed.into(), indices)
        }
    }
}

#[test]
fn a_selection_has_the_values_that_ndarray_selects() {
    let mut draw = Draw(26);
    for round in 0..150 {
        let (values, options) = array(&mut draw, usize::from(round % 10 != 0));
        let stored = Array::from_frame(to_frame(&values, &options).unwrap()).unwrap();
        for _ in 0..4 {
            let picks: Vec<_> = values.shape().iter().map(|&length| along(&mut draw, length)).collect();
            let expected = picks.iter().enumerate().fold(values.clone(), |array, (axis, pick)| array.select(Axis(axis), &pick.1));
            let selection: Vec<_> = picks.into_iter().map(|pick| pick.0).collect();
            let found = stored.select::<i32>(&selection).unwrap();
            assert_eq!(found, expected, "{selection:?} of {options:?}");
            assert!(found.is_standard_layout());
            let bytes: Vec<_> = expected.iter().flat_map(|value| value.to_ne_bytes()).collect();
            assert_eq!(stored.select_bytes(&selection).unwrap(), bytes, "{selection:?} of {options:?}");
        }
    }
    let scalar = Array::from_frame(to_frame(&arr0(7_i32), &Options::default()).unwrap()).unwrap();
    assert_eq!(scalar.select::<i32>(&[]).unwrap(), arr0(7).into_dyn());
}

/// With some codecs and filters, blocks are decoded only in part.
#[test]
fn a_selection_of_any_type_codec_and_filter_is_that_of_the_whole_array() {
    let mut draw = Draw(32);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.b2nd");
    for itemsize in [1, 2, 3, 4, 5, 8, 12, 16, 31, 256] {
        for round in 0..15 {
            let ndim = 1 + draw.below(3);
            let shape: Vec<_> = (0..ndim).map(|_| 1 + draw.below([3000, 90, 30][ndim - 1])).collect();
            let chunks: Vec<_> = shape.iter().map(|&length| 1 + draw.below(length + 2) as i32).collect();
            let blocks: Vec<_> = chunks.iter().map(|&length| 1 + draw.below(length as usize) as i32).collect();
            let mut values = ArrayD::zeros(IxDyn(&[&shape[..], &[itemsize]].concat()));
            let mut sum = 0;
            for mut element in values.rows_mut() {
                // Consecutive elements are often equal or similar.
                sum += [0, 0, 1, 3, 0x0101][draw.below(5)] * draw.below(200);
                element.iter_mut().zip(sum.to_le_bytes().into_iter().cycle()).for_each(|(byte, value)| *byte = value);
            }
            let shuffle = (Filter::Shuffle, [0, 0, 2, itemsize as u8][draw.below(4)]);
            let filters = [vec![], vec![shuffle], vec![(Filter::BitShuffle, 0)], vec![shuffle, (Filter::Other(35), 4)]];
            let options = Options {
                codec: [CodecId::BloscLz, CodecId::Lz4, CodecId::Lz4Hc, CodecId::Zstd, CodecId::Zlib][round % 5],
                level: [1, 5][draw.below(2)],
                filters: filters[draw.below(if itemsize > 127 { 3 } else { 4 })].clone(),
                split_mode: [SplitMode::Always, SplitMode::Never, SplitMode::ForwardCompat][draw.below(3)],
                overwrite: true,
                ..Options::default()
            };
            let lengths: Vec<_> = shape.iter().map(|&length| length as i64).collect();
            let meta = B2ndMeta::new(Geometry::new(&lengths, &chunks, &blocks).unwrap(), format!("|V{itemsize}"));
            b2nd_ndarray::write_bytes(&path, &meta, values.as_slice().unwrap(), &options).unwrap();
            let stored = Array::open(&path).unwrap();
            assert!(stored.read_bytes(&stored.whole()).unwrap() == values.as_slice().unwrap(), "{itemsize} {options:?}");
            for _ in 0..6 {
                let picks: Vec<_> = shape.iter().map(|&length| along(&mut draw, length)).collect();
                let expected =
                    picks.iter().enumerate().fold(values.clone(), |array, (axis, pick)| array.select(Axis(axis), &pick.1));
                let selection: Vec<_> = picks.into_iter().map(|pick| pick.0).collect();
                let found = stored.select_bytes(&selection).unwrap();
                assert!(
                    found == expected.iter().copied().collect::<Vec<_>>(),
                    "{selection:?} of {itemsize} {meta:?} {options:?}"
                );
            }
        }
    }
}

/// A frame in memory, and the ranges that were read.
struct Recording {
    frame: Vec<u8>,
    reads: Arc<Mutex<Vec<Range<u64>>>>,
}

impl Source for Recording {
    fn len(&self) -> b2nd_frame::Result<u64> {
        Ok(self.frame.len() as u64)
    }

    fn read(&self, range: Range<u64>) -> b2nd_frame::Result<Cow<'_, [u8]>> {
        let end = range.end.min(self.frame.len() as u64);
        self.reads.lock().unwrap().push(range.start..end);
        Ok(self.frame[range.start as usize..end as usize].into())
    }

    fn read_into(&self, start: u64, buffer: &mut [u8]) -> b2nd_frame::Result<()> {
        buffer.copy_from_slice(&self.read(start..start + buffer.len() as u64)?);
        Ok(())
    }
}

#[test]
fn each_touched_block_is_read_once_and_no_other() {
    let values =
        Array2::from_shape_fn((600, 500), |(row, column)| ((row * 500 + column) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let options = Options { chunkshape: Some(vec![200, 100]), blockshape: Some(vec![50, 100]), ..Options::default() };
    let reads = Arc::new(Mutex::new(Vec::new()));
    let source = Recording { frame: to_frame(&values, &options).unwrap(), reads: reads.clone() };
    let length = source.frame.len() as u64;
    let stored = Array::from_source(Arc::new(source), 0).unwrap();
    stored.select::<u64>(&[[0].into(), [0].into()]).unwrap();
    reads.lock().unwrap().clear();

    // Two of three rows of chunks, and two of five columns: four chunks. In each of them, the selection touches one of four
    // blocks.
    let (rows, columns) = ([420, 3, 420, 30, -190, 3], [199, 0, 100, 99, 0, 150]);
    let found = stored.select::<u64>(&[rows.into(), columns.into()]).unwrap();
    let place = |index: i64| if index < 0 { (index + 600) as usize } else { index as usize };
    let expected = values.select(Axis(0), &rows.map(place)).select(Axis(1), &columns.map(place));
    assert_eq!(found, expected.into_dyn());

    let mut read = std::mem::take(&mut *reads.lock().unwrap());
    read.sort_by_key(|range| range.start);
    assert!(read.windows(2).all(|pair| pair[0].end <= pair[1].start), "nothing is read twice: {read:?}");
    let total: u64 = read.iter().map(|range| range.end - range.start).sum();
    // There are 15 chunks of four blocks, all of about the same size.
    let blocks = total as f64 / (length as f64 / 60.0);
    assert!((3.9..4.3).contains(&blocks), "{blocks} blocks were read");
}

#[test]
fn a_selection_that_does_not_fit_is_refused_by_axis_index_and_bounds() {
    let stored = Array::from_frame(to_frame(&numbered(&[4, 3]), &Options::default()).unwrap()).unwrap();
    let error = |selection: &[Select]| {
        let error = stored.select::<i32>(selection).unwrap_err().to_string();
        assert_eq!(stored.select_bytes(selection).unwrap_err().to_string(), error);
        error
    };
    assert_eq!(error(&[Select::All]), "expected 2 dimensions, found 1");
    assert_eq!(error(&[[0, 4].into(), Select::All]), "index 4 is outside dimension 0, whose length is 4");
    assert_eq!(error(&[Select::All, [0, -4].into()]), "index -4 is outside dimension 1, whose length is 3");
    assert_eq!(error(&[Select::All, [i64::MIN].into()]), "index -9223372036854775808 is outside dimension 1, whose length is 3");
    assert_eq!(error(&[Select::All, [true; 4].into()]), "selection[1]: expected a mask of length 3, found 4");
    assert_eq!(error(&[(2..5).into(), Select::All]), "slice[0]: expected 0 <= start <= stop <= 4, found 2..5");
    #[allow(clippy::reversed_empty_ranges)]
    let backwards = 2..1;
    assert_eq!(error(&[Select::All, Select::Step(backwards, 2)]), "slice[1]: expected 0 <= start <= stop <= 3, found 2..1");
    assert_eq!(error(&[Select::Step(0..4, 0), Select::All]), "selection[0]: expected a step of 1 or more, found 0");
    let wrong = stored.select::<f32>(&[Select::All, Select::All]).unwrap_err().to_string();
    assert_eq!(wrong, "the elements are int32, little-endian, not float32");
}

fn cut(values: &ArrayD<i32>, ranges: &[Range<i64>]) -> ArrayD<i32> {
    let part = values.slice_each_axis(|axis| {
        let range = &ranges[axis.axis.index()];
        Slice::from(range.start as isize..range.end as isize)
    });
    part.to_owned()
}

#[test]
fn chunk_after_chunk_makes_the_array() {
    let mut draw = Draw(27);
    for round in 0..60 {
        let (values, options) = array(&mut draw, usize::from(round % 10 != 0));
        let stored = Array::from_frame(to_frame(&values, &options).unwrap()).unwrap();
        let mut copy = ArrayD::from_elem(values.raw_dim(), i32::MIN);
        let chunks = stored.chunks::<i32>().unwrap();
        assert_eq!(chunks.len() as u64, stored.grid().nchunks());
        let chunks: Vec<_> = chunks.collect::<Result<_, _>>().unwrap();
        for (number, chunk) in (0..).zip(&chunks) {
            assert_eq!(chunk.number, number);
            let coordinates = chunk.ranges.iter().zip(stored.grid().chunkshape()).map(|(range, length)| range.start / length);
            assert_eq!(chunk.coordinates, coordinates.collect::<Vec<_>>());
            copy.slice_each_axis_mut(|axis| {
                let range = &chunk.ranges[axis.axis.index()];
                Slice::from(range.start as isize..range.end as isize)
            })
            .assign(&chunk.values);
            assert_eq!(stored.chunk::<i32>(number).unwrap(), *chunk);
        }
        assert_eq!(copy, values);
        let parallel: Result<Vec<ArrayChunk<i32>>, _> = stored.par_chunks::<i32>().unwrap().collect();
        assert_eq!(parallel.unwrap(), chunks);

        // Each part is the intersection of its chunk with the slice.
        let slice: Vec<_> = values
            .shape()
            .iter()
            .map(|&length| {
                let start = draw.below(length);
                start as i64..(start + draw.below(length + 1 - start)) as i64
            })
            .collect();
        let parts: Vec<_> = stored.chunks_in::<i32>(&slice).unwrap().collect::<Result<_, _>>().unwrap();
        assert_eq!(parts.iter().map(|part| part.values.len()).sum::<usize>(), cut(&values, &slice).len());
        for part in &parts {
            assert!(part.ranges.iter().zip(&slice).all(|(part, slice)| slice.start <= part.start && part.end <= slice.end));
            assert_eq!(part.values, cut(&values, &part.ranges));
        }
        let parallel: Result<Vec<_>, _> = stored.par_chunks_in::<i32>(&slice).unwrap().collect();
        assert_eq!(parallel.unwrap(), parts);
    }
}

#[test]
fn a_chunk_that_is_not_there_is_refused() {
    let stored = Array::from_frame(to_frame(&numbered(&[4, 3]), &Options::default()).unwrap()).unwrap();
    assert_eq!(stored.chunk::<i32>(1).unwrap_err().to_string(), "chunk 1 is out of range: the array has 1 chunk");
    assert_eq!(stored.chunks::<u8>().err().unwrap().to_string(), "the elements are int32, little-endian, not uint8");
    assert_eq!(
        stored.chunks_in::<i32>(&[0..4, 0..4]).err().unwrap().to_string(),
        "slice[1]: expected 0 <= start <= stop <= 3, found 0..4"
    );
}
