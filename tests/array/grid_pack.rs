//! Packs elements into chunks and unpacks them, compared with computing the position of each element.
#![allow(clippy::single_range_in_vec_init, reason = "a slice of one dimension is one range")]

use std::ops::Range;

use b2nd::{Geometry, Grid};

/// All cells of a box, row-major.
fn cells(ranges: &[Range<i64>]) -> Vec<Vec<i64>> {
    ranges.iter().fold(vec![vec![]], |cells, range| {
        let longer = |cell: &Vec<i64>| range.clone().map(|at| [cell.as_slice(), &[at]].concat()).collect::<Vec<_>>();
        cells.iter().flat_map(longer).collect()
    })
}

/// The bytes of an element. They depend on its coordinates and are never [`PADDING`].
fn element(coords: &[i64], itemsize: usize) -> Vec<u8> {
    let number = coords.iter().fold(17, |number: i64, &at| number.wrapping_mul(31) + at);
    (0..itemsize as i64).map(|byte| ((number.wrapping_mul(7) ^ (byte * 13)).rem_euclid(200) + 1) as u8).collect()
}

const PADDING: u8 = 0xee;

struct Case {
    grid: Grid,
    itemsize: usize,
    /// Each chunk's data, built element by element.
    chunks: Vec<Vec<u8>>,
}

impl Case {
    fn new(grid: Grid, itemsize: usize) -> Case {
        let mut chunks = vec![vec![PADDING; grid.extchunknitems() as usize * itemsize]; grid.nchunks() as usize];
        let whole: Vec<_> = grid.shape().iter().map(|&length| 0..length).collect();
        for coords in cells(&whole) {
            let chunk = &mut chunks[grid.chunk_index(&coords).unwrap() as usize];
            let start = grid.item_index(&coords).unwrap() as usize * itemsize;
            chunk[start..start + itemsize].copy_from_slice(&element(&coords, itemsize));
        }
        Case { grid, itemsize, chunks }
    }

    #[track_caller]
    fn check(&self, slice: &[Range<i64>]) {
        let Case { grid, itemsize, chunks } = self;
        let case = format!("{grid:?}, {itemsize} bytes, {slice:?}");
        let coords = cells(slice);
        let expected: Vec<u8> = coords.iter().flat_map(|coords| element(coords, *itemsize)).collect();

        let mut out = vec![0; expected.len()];
        for (number, data) in (0..).zip(chunks) {
            let before = out.clone();
            grid.unpack(number, slice, *itemsize, data, &mut out).unwrap();
            for (at, coords) in coords.iter().enumerate() {
                let place = at * itemsize..(at + 1) * itemsize;
                let from = if grid.chunk_index(coords) == Some(number) { &expected } else { &before };
                assert_eq!(out[place.clone()], from[place], "{case}: {coords:?} after chunk {number}");
            }
            self.check_runs(number, slice);

            let mut packed = vec![PADDING; data.len()];
            grid.pack(number, slice, *itemsize, &expected, &mut packed).unwrap();
            let mut wanted = vec![PADDING; data.len()];
            for coords in coords.iter().filter(|coords| grid.chunk_index(coords) == Some(number)) {
                let start = grid.item_index(coords).unwrap() as usize * itemsize;
                wanted[start..start + itemsize].copy_from_slice(&element(coords, *itemsize));
            }
            assert_eq!(packed, wanted, "{case}: chunk {number}");
        }
        assert_eq!(out, expected, "{case}");
    }

    /// Checks that runs are in ascending order and that adjacent runs are joined.
    fn check_runs(&self, number: u64, slice: &[Range<i64>]) {
        for block in 0..self.grid.blocks_per_chunk() {
            let runs: Vec<_> = self.grid.runs(number, block, slice, self.itemsize).unwrap().collect();
            let (left, hint) = self.grid.runs(number, block, slice, self.itemsize).unwrap().size_hint();
            assert_eq!((left, hint), (runs.len(), Some(runs.len())));
            for pair in runs.windows(2) {
                assert!(pair[0].block.end <= pair[1].block.start && pair[0].slice.end <= pair[1].slice.start, "{runs:?}");
                let joined = pair[0].block.end == pair[1].block.start && pair[0].slice.end == pair[1].slice.start;
                assert!(!joined || self.itemsize == 0, "{runs:?} of {:?} in {slice:?}", self.grid);
            }
        }
    }
}

fn slices(shape: &[i64]) -> Vec<Vec<Range<i64>>> {
    let ranges = |length: i64| (0..=length).flat_map(move |start| (start..=length).map(move |stop| start..stop));
    shape.iter().fold(vec![vec![]], |slices: Vec<Vec<Range<i64>>>, &length| {
        slices.iter().flat_map(|slice| ranges(length).map(|range| [slice.as_slice(), &[range]].concat())).collect()
    })
}

#[track_caller]
fn check_all(shape: &[i64], chunkshape: &[i32], blockshape: &[i32], itemsize: usize) {
    let grid = Geometry::new(shape, chunkshape, blockshape).unwrap().grid().unwrap();
    let case = Case::new(grid, itemsize);
    slices(shape).iter().for_each(|slice| case.check(slice));
}

#[test]
fn all_slices_of_small_arrays_come_out_and_go_in() {
    for itemsize in [1, 3] {
        check_all(&[], &[], &[], itemsize);
        for (shape, chunk, block) in [(7, 3, 2), (7, 9, 4), (1, 1, 1), (5, 5, 1), (4, 2, 3)] {
            check_all(&[shape], &[chunk], &[block], itemsize);
            check_all(&[shape, 4], &[chunk, 3], &[block, 2], itemsize);
            check_all(&[3, shape], &[2, chunk], &[2, block], itemsize);
        }
        check_all(&[3, 2, 4], &[2, 2, 3], &[1, 2, 2], itemsize);
        check_all(&[2, 3, 2], &[2, 3, 2], &[1, 3, 2], itemsize);
        check_all(&[2, 1, 2, 3], &[2, 1, 2, 2], &[2, 1, 1, 2], itemsize);
        check_all(&[0, 3], &[0, 2], &[0, 1], itemsize);
        check_all(&[3, 0], &[2, 4], &[1, 3], itemsize);
    }
}

#[test]
fn every_size_of_an_element_is_copied() {
    for itemsize in 0..=33 {
        check_all(&[4, 3], &[3, 2], &[2, 1], itemsize);
    }
}

#[test]
fn sixteen_dimensions_are_packed() {
    let shape: [i64; 16] = std::array::from_fn(|index| [2, 1, 1, 3][index % 4]);
    let (chunkshape, blockshape) = (shape.map(|length| length.min(2) as i32), [1; 16]);
    let grid = Geometry::new(&shape, &chunkshape, &blockshape).unwrap().grid().unwrap();
    let case = Case::new(grid, 2);
    case.check(&shape.map(|length| 0..length));
    case.check(&shape.map(|length| length / 2..length));
}

#[test]
fn whole_rows_are_one_run() {
    let grid = Geometry::new(&[6, 4, 5], &[4, 4, 5], &[2, 4, 5]).unwrap().grid().unwrap();
    let lengths =
        |slice: &[Range<i64>]| -> Vec<usize> { grid.runs(0, 1, slice, 8).unwrap().map(|run| run.block.len()).collect() };
    assert_eq!(lengths(&[0..6, 0..4, 0..5]), [2 * 4 * 5 * 8]);
    assert_eq!(lengths(&[0..6, 1..3, 0..5]), [2 * 5 * 8; 2]);
    assert_eq!(lengths(&[0..6, 0..4, 1..5]), [4 * 8; 8]);
    assert!(lengths(&[0..2, 0..4, 1..5]).is_empty());
}

#[track_caller]
fn assert_refused(slice: &[Range<i64>], data: usize, elements: usize, message: &str) {
    let grid = Geometry::new(&[10, 7], &[3, 5], &[2, 3]).unwrap().grid().unwrap();
    let error = grid.unpack(0, slice, 4, &vec![0; data], &mut vec![0; elements]).unwrap_err();
    assert_eq!(error.to_string(), message);
    let error = grid.pack(0, slice, 4, &vec![0; elements], &mut vec![0; data]).unwrap_err();
    assert_eq!(error.to_string(), message);
}

#[test]
fn what_does_not_fit_the_shapes_is_refused() {
    assert_refused(&[0..1, 0..2], 96, 9, "the slice's elements: expected 8 bytes, found 9");
    assert_refused(&[0..1, 0..2], 95, 8, "the chunk's data: expected 96 bytes, found 95");
    assert_refused(&[0..1, 0..8], 96, 32, "slice[1]: expected 0 <= start <= stop <= 7, found 0..8");
    assert_refused(&[0..1], 96, 4, "slice: expected one range per dimension (2), found 1");
    let grid = Geometry::new(&[10, 7], &[3, 5], &[2, 3]).unwrap().grid().unwrap();
    let error = grid.unpack(8, &[0..1, 0..2], 4, &[0; 96], &mut [0; 8]).unwrap_err();
    assert_eq!(error.to_string(), "chunk 8 is out of range: the number of chunks is 8");
    for (chunk, block) in [(8, 0), (0, 4), (u64::MAX, u64::MAX)] {
        let error = grid.runs(chunk, block, &[0..1, 0..2], 4).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("block {block} of chunk {chunk} is out of range: the number of chunks is 8, that of their blocks 4")
        );
    }
    let error = grid.runs(0, 0, &[0..1, 0..8], 4).unwrap_err();
    assert_eq!(error.to_string(), "slice[1]: expected 0 <= start <= stop <= 7, found 0..8");
}

#[test]
fn what_no_memory_holds_is_refused_before_it_is_counted() {
    let grid = Geometry::new(&[1 << 62], &[i32::MAX], &[i32::MAX]).unwrap().grid().unwrap();
    let (whole, message) = ([0..1 << 62], "slice: 4611686018427387904 x 8 bytes are more than memory can hold");
    assert_eq!(grid.runs(0, 0, &whole, 8).unwrap_err().to_string(), message);
    let message = format!("chunk: 2147483647 x {} bytes are more than memory can hold", usize::MAX);
    assert_eq!(grid.unpack(0, &whole, usize::MAX, &[], &mut []).unwrap_err().to_string(), message);
    let message = format!("block: 2147483647 x {} bytes are more than memory can hold", usize::MAX);
    assert_eq!(grid.runs(0, 0, &[0..0], usize::MAX).unwrap_err().to_string(), message);
}

/// A chunk has up to 2^31 blocks, and visiting each of them would take a minute.
#[test]
fn elements_without_bytes_are_copied_at_once() {
    let length = i64::from(i32::MAX);
    let grid = Geometry::new(&[length], &[i32::MAX], &[1]).unwrap().grid().unwrap();
    let started = std::time::Instant::now();
    grid.unpack(0, &[0..length], 0, &[], &mut []).unwrap();
    grid.pack(0, &[0..length], 0, &[], &mut []).unwrap();
    assert!(started.elapsed() < std::time::Duration::from_secs(1));
}
