//! Chunks, blocks and elements compared with a naive count; arrays at the limits of the integers; and slices that are rejected.

use std::ops::Range;

use b2nd::{Geometry, Grid};

/// All cells of a box, row-major.
fn cells(lengths: &[i64]) -> Vec<Vec<i64>> {
    lengths.iter().fold(vec![vec![]], |cells, &length| {
        let longer = |cell: &Vec<i64>| (0..length).map(|at| [cell.as_slice(), &[at]].concat()).collect::<Vec<_>>();
        cells.iter().flat_map(longer).collect()
    })
}

/// The number of steps that cover a length; steps of 0 cover nothing.
fn steps(length: i64, step: i64) -> i64 {
    if step == 0 { 0 } else { (0..).take_while(|count| count * step < length).count() as i64 }
}

fn per_dimension(lengths: &[i64], parts: &[i64]) -> Vec<i64> {
    lengths.iter().zip(parts).map(|(&length, &part)| steps(length, part)).collect()
}

struct Element {
    coords: Vec<i64>,
    chunk: u64,
    block: u64,
    item: i64,
}

/// Walks through the padded array chunk by chunk and block by block and counts the elements.
struct Naive {
    chunks: Vec<i64>,
    blocks: Vec<i64>,
    elements: Vec<Element>,
    extchunknitems: i64,
}

impl Naive {
    fn new(shape: &[i64], chunkshape: &[i64], blockshape: &[i64]) -> Naive {
        let chunks = per_dimension(shape, chunkshape);
        let blocks = per_dimension(chunkshape, blockshape);
        let (block_cells, block_items) = (cells(&blocks), cells(blockshape));
        let mut elements = Vec::new();
        for (chunk, chunk_at) in cells(&chunks).iter().enumerate() {
            let mut item = 0..;
            for (block, block_at) in block_cells.iter().enumerate() {
                for at in &block_items {
                    let in_chunk: Vec<i64> = (0..shape.len()).map(|d| block_at[d] * blockshape[d] + at[d]).collect();
                    let coords: Vec<i64> = (0..shape.len()).map(|d| chunk_at[d] * chunkshape[d] + in_chunk[d]).collect();
                    let padding = (0..shape.len()).any(|d| in_chunk[d] >= chunkshape[d] || coords[d] >= shape[d]);
                    let item = item.next().unwrap();
                    if !padding {
                        elements.push(Element { coords, chunk: chunk as u64, block: block as u64, item });
                    }
                }
            }
        }
        Naive { extchunknitems: (block_cells.len() * block_items.len()) as i64, chunks, blocks, elements }
    }

    /// The smallest box around the elements of a chunk or block.
    fn extent(&self, of: impl Fn(&Element) -> bool, ndim: usize) -> Option<Vec<Range<i64>>> {
        let inside: Vec<&Element> = self.elements.iter().filter(|element| of(element)).collect();
        let range = |d: usize| Some(inside.iter().map(|e| e.coords[d]).min()?..inside.iter().map(|e| e.coords[d]).max()? + 1);
        if inside.is_empty() { None } else { (0..ndim).map(range).collect() }
    }
}

/// Checks everything except slices. Returns the number of elements compared.
#[track_caller]
fn check_grid(grid: &Grid, naive: &Naive) -> usize {
    let ndim = grid.shape().len();
    let case = format!("shape {:?}, chunkshape {:?}, blockshape {:?}", grid.shape(), grid.chunkshape(), grid.blockshape());
    let (nchunks, nblocks) = (cells(&naive.chunks).len() as u64, cells(&naive.blocks).len() as u64);
    assert_eq!(grid.chunks_per_dimension(), naive.chunks, "{case}");
    assert_eq!((grid.nchunks(), grid.blocks_per_chunk(), grid.nblocks()), (nchunks, nblocks, nchunks * nblocks), "{case}");
    assert_eq!(grid.nitems(), naive.elements.len() as i64, "{case}");
    assert_eq!(grid.extchunknitems(), naive.extchunknitems, "{case}");
    assert_eq!(grid.extnitems(), nchunks as i64 * grid.chunknitems(), "{case}");
    assert_eq!(grid.chunknitems(), cells(grid.chunkshape()).len() as i64, "{case}");
    assert_eq!(grid.blocknitems(), cells(grid.blockshape()).len() as i64, "{case}");
    for d in 0..ndim {
        assert_eq!(grid.extshape()[d], naive.chunks[d] * grid.chunkshape()[d], "{case}");
        assert_eq!(grid.extchunkshape()[d], naive.blocks[d] * grid.blockshape()[d], "{case}");
    }

    for Element { coords, chunk, block, item } in &naive.elements {
        let found = (grid.chunk_index(coords), grid.block_index(coords), grid.item_index(coords));
        assert_eq!(found, (Some(*chunk), Some(*block), Some(*item)), "{case}: element {coords:?}");
    }
    for (chunk, coords) in (0..).zip(cells(&naive.chunks)) {
        assert_eq!(grid.chunk_from_coords(&coords), Some(chunk), "{case}");
        assert_eq!(grid.chunk_coords(chunk).as_deref(), Some(&*coords), "{case}: chunk {chunk}");
        assert_eq!(grid.chunk_extent(chunk).as_deref(), naive.extent(|e| e.chunk == chunk, ndim).as_deref(), "{case}: {chunk}");
        for block in 0..nblocks {
            let extent = grid.block_extent(chunk, block).unwrap();
            assert!(grid.chunks_in(&extent).is_ok(), "{case}: {chunk}, {block}: {extent:?} is no slice");
            let extent = if extent.iter().any(Range::is_empty) { None } else { Some(extent.to_vec()) };
            assert_eq!(extent, naive.extent(|e| e.chunk == chunk && e.block == block, ndim), "{case}: {chunk}, {block}");
        }
        assert_eq!(grid.block_extent(chunk, nblocks).or(grid.block_extent(chunk, u64::MAX)), None, "{case}");
    }
    for chunk in [nchunks, u64::MAX] {
        assert_eq!((grid.chunk_coords(chunk), grid.chunk_extent(chunk)), (None, None), "{case}");
        assert_eq!(grid.block_extent(chunk, 0), None, "{case}");
    }
    for d in 0..ndim {
        for beyond in [-1, grid.shape()[d]] {
            let mut coords = vec![0; ndim];
            coords[d] = beyond;
            let found = (grid.chunk_index(&coords), grid.block_index(&coords), grid.item_index(&coords));
            assert_eq!(found, (None, None, None), "{case}: element {coords:?}");
        }
        let mut coords = vec![0; ndim];
        coords[d] = naive.chunks[d];
        assert_eq!(grid.chunk_from_coords(&coords), None, "{case}");
    }
    assert_eq!(grid.chunk_index(&vec![0; ndim + 1]), None, "{case}");
    naive.elements.len()
}

/// Checks every slice of the array. Returns the number of slices.
#[track_caller]
fn check_slices(grid: &Grid, naive: &Naive) -> usize {
    let ranges = |length: i64| (0..=length).flat_map(move |start| (start..=length).map(move |stop| start..stop));
    let slices = grid.shape().iter().fold(vec![vec![]], |slices: Vec<Vec<Range<i64>>>, &length| {
        slices.iter().flat_map(|slice| ranges(length).map(|range| [slice.as_slice(), &[range]].concat())).collect()
    });
    let mut touched = vec![false; grid.nblocks() as usize];
    for slice in &slices {
        touched.fill(false);
        for element in &naive.elements {
            if element.coords.iter().zip(slice).all(|(at, range)| range.contains(at)) {
                touched[(element.chunk * grid.blocks_per_chunk() + element.block) as usize] = true;
            }
        }
        let case =
            || format!("shape {:?}, chunks {:?}, blocks {:?}: {slice:?}", grid.shape(), grid.chunkshape(), grid.blockshape());
        let per_chunk = (grid.blocks_per_chunk() as usize).max(1);
        let mut chunks = grid.chunks_in(slice).unwrap();
        let mut left = chunks.len();
        for (chunk, touched) in (0..).zip(touched.chunks(per_chunk)) {
            if touched.contains(&true) {
                assert_eq!((chunks.next(), chunks.len()), (Some(chunk), left - 1), "{}", case());
                left -= 1;
            }
            let blocks = (0..).zip(touched).filter_map(|(block, &touched)| touched.then_some(block));
            let found = grid.blocks_in(chunk, slice).unwrap();
            assert_eq!(found.len(), blocks.clone().count(), "{}", case());
            assert!(found.eq(blocks), "{}: chunk {chunk}", case());
        }
        assert_eq!((chunks.next(), left), (None, 0), "{}", case());
    }
    slices.len()
}

/// Checks all arrays whose lengths are in `shapes`, with chunks and blocks of at least 1 in each dimension
/// (also 0 in a dimension of length 0).
#[track_caller]
fn check_all(ndim: u32, shapes: Range<i64>, chunks: i32, blocks: i32) {
    let mut axes = Vec::new();
    for shape in shapes {
        for chunk in i32::from(shape != 0)..=chunks {
            for block in i32::from(chunk != 0)..=blocks {
                axes.push((shape, chunk, block));
            }
        }
    }
    let (mut grids, mut elements, mut slices) = (0, 0, 0);
    for mut number in 0..axes.len().pow(ndim) {
        let (mut shape, mut chunkshape, mut blockshape) = (vec![], vec![], vec![]);
        for _ in 0..ndim {
            let (length, chunk, block) = axes[number % axes.len()];
            shape.push(length);
            chunkshape.push(chunk);
            blockshape.push(block);
            number /= axes.len();
        }
        let grid = Geometry::new(&shape, &chunkshape, &blockshape).unwrap().grid().unwrap();
        let naive = Naive::new(grid.shape(), grid.chunkshape(), grid.blockshape());
        grids += 1;
        elements += check_grid(&grid, &naive);
        slices += check_slices(&grid, &naive);
    }
    println!("{ndim} dimensions: {grids} grids, {elements} elements, {slices} slices");
}

#[test]
fn scalars_agree_with_counting() {
    check_all(0, 0..1, 0, 0);
}

#[test]
fn small_arrays_of_one_dimension_agree_with_counting() {
    check_all(1, 0..9, 10, 6);
}

#[test]
fn small_arrays_of_two_dimensions_agree_with_counting() {
    check_all(2, 0..5, 4, 3);
}

#[test]
fn small_arrays_of_three_dimensions_agree_with_counting() {
    check_all(3, 0..3, 3, 2);
}

#[track_caller]
fn grid(shape: &[i64], chunkshape: &[i32], blockshape: &[i32]) -> Grid {
    Geometry::new(shape, chunkshape, blockshape).unwrap().grid().unwrap()
}

#[test]
fn chunks_can_be_skipped() {
    let grid = grid(&[7, 8, 9], &[2, 3, 4], &[1, 1, 1]);
    let slice = [1..6, 2..8, 4..9];
    let ascending: Vec<u64> = grid.chunks_in(&slice).unwrap().collect();
    assert_eq!(ascending, [1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25, 26][..]);
    for skipped in 0..20 {
        let mut chunks = grid.chunks_in(&slice).unwrap();
        assert_eq!(chunks.nth(skipped), ascending.get(skipped).copied());
        assert_eq!(chunks.len(), ascending.len().saturating_sub(skipped + 1));
        assert!(chunks.clone().eq(ascending.iter().skip(skipped + 1).copied()));
        assert_eq!(chunks.clone().count(), chunks.len());
        assert_eq!(chunks.clone().last(), ascending.iter().skip(skipped + 1).last().copied());
    }
}

#[test]
fn huge_grids_are_exact() {
    let longest = i64::MAX;
    for (shape, chunks) in [
        (&[1 << 62][..], &[1][..]),
        (&[1 << 31, 1 << 31], &[1, 1]),
        (&[longest], &[1]),
        (&[longest], &[7]),
        (&[15; 16], &[1; 16]),
    ] {
        let grid = grid(shape, chunks, &vec![1; shape.len()]);
        let nchunks: u64 = shape.iter().zip(chunks).map(|(&length, &chunk)| (length / i64::from(chunk)) as u64).product();
        assert_eq!(grid.nchunks(), nchunks);
        let whole: Vec<Range<i64>> = shape.iter().map(|&length| 0..length).collect();
        let last: Vec<Range<i64>> = shape.iter().map(|&length| length - 1..length).collect();
        let corner: Vec<i64> = shape.iter().map(|&length| length - 1).collect();
        assert_eq!(grid.chunk_index(&corner), Some(nchunks - 1));
        assert_eq!(grid.chunk_extent(nchunks - 1).unwrap().iter().map(|range| range.end).collect::<Vec<_>>(), shape);
        assert!(grid.chunks_in(&last).unwrap().eq([nchunks - 1]));
        match (grid.chunks_in(&whole), usize::try_from(nchunks)) {
            (Ok(mut chunks), Ok(count)) => {
                assert_eq!(chunks.len(), count);
                assert_eq!(chunks.next(), Some(0));
                // `count` and `last` must not loop over all chunks, which would take years.
                assert_eq!((chunks.clone().count(), chunks.clone().last()), (count - 1, Some(nchunks - 1)));
                assert_eq!(chunks.nth(count / 2), Some(nchunks / 2 + 1));
            }
            (Err(error), Err(_)) => {
                let message = format!("the slice touches {nchunks} chunks or blocks; at most {} can be counted", usize::MAX);
                assert_eq!(error.to_string(), message);
            }
            (chunks, count) => panic!("{count:?} chunks: {chunks:?}"),
        }
    }
}

#[test]
fn dims_are_equal_as_their_values_are() {
    let grid = grid(&[10, 10], &[4, 5], &[2, 3]);
    assert!(grid.chunk_coords(0) == grid.chunk_coords(0));
    assert!(grid.chunk_coords(0) != grid.chunk_coords(1));
}

#[test]
fn padding_may_lie_beyond_an_int64() {
    let grid = grid(&[i64::MAX], &[1], &[5]);
    assert_eq!(grid.block_extent(i64::MAX as u64 - 1, 0).unwrap()[0], i64::MAX - 1..i64::MAX);
    assert_eq!(grid.item_index(&[i64::MAX - 1]), Some(0));
}

#[test]
fn an_empty_array_may_have_lengths_whose_product_overflows() {
    let (shape, large) = ([0, i64::MAX, i64::MAX, 5, 5, 5], i32::MAX);
    for blockshape in [[0, 1, 1, 1, 1, 1], [0, 1, 1, large, large, large]] {
        let grid = grid(&shape, &[0, 7, 7, large, large, large], &blockshape);
        assert_eq!((grid.nitems(), grid.nchunks(), grid.blocks_per_chunk(), grid.nblocks()), (0, 0, 0, 0));
        assert_eq!(grid.chunk_index(&[0; 6]), None);
        assert_eq!(grid.chunks_in(&shape.map(|length| 0..length)).unwrap().len(), 0);
    }
}

#[test]
fn an_empty_range_in_any_dimension_touches_nothing() {
    let grid = grid(&[10, 10], &[3, 5], &[2, 3]);
    for empty in [0..0, 4..4, 10..10] {
        assert_eq!(grid.chunks_in(&[0..10, empty.clone()]).unwrap().len(), 0);
        assert_eq!(grid.chunks_in(&[empty.clone(), 0..10]).unwrap().next(), None);
        assert_eq!(grid.blocks_in(2, &[0..10, empty]).unwrap().len(), 0);
    }
}

#[track_caller]
fn assert_refused(shape: &[i64], chunkshape: &[i32], blockshape: &[i32], message: &str) {
    let error = Geometry::new(shape, chunkshape, blockshape).unwrap().grid().unwrap_err();
    assert_eq!(error.to_string(), message);
}

#[test]
fn overflow_says_what_does_not_fit() {
    let (max, large) = (i64::MAX, 1 << 62);
    assert_refused(&[large, 2], &[1, 1], &[1, 1], "nitems: shape [4611686018427387904, 2], multiplied in order, overflows int64");
    assert_refused(
        &[3037000499, 3037000499],
        &[2, 2],
        &[1, 1],
        "extnitems: extshape [3037000500, 3037000500], multiplied in order, overflows int64",
    );
    assert_refused(
        &[1, 1],
        &[65536, 32768],
        &[1, 1],
        "chunknitems: chunkshape [65536, 32768], multiplied in order, overflows int32",
    );
    assert_refused(
        &[1, 1],
        &[1, 1],
        &[65536, 32768],
        "blocknitems: blockshape [65536, 32768], multiplied in order, overflows int32",
    );
    assert_refused(&[1, max], &[1, 10], &[1, 1], &format!("shape[1]: padding to whole chunks: {max} + 10 overflows int64"));
    assert_refused(
        &[1, 0],
        &[1, 3],
        &[1, 0],
        "blockshape[1] is 0, but chunkshape[1] is 3: only a chunk of length 0 can have blocks \
                                               of length 0",
    );
}

#[track_caller]
fn assert_slice_refused(slice: &[Range<i64>], message: &str) {
    let grid = grid(&[10, 7], &[3, 5], &[2, 3]);
    assert_eq!(grid.chunks_in(slice).unwrap_err().to_string(), message);
    assert_eq!(grid.blocks_in(0, slice).unwrap_err().to_string(), message);
}

#[test]
#[allow(clippy::reversed_empty_ranges)]
fn a_slice_that_the_array_does_not_have_is_refused_by_its_dimension() {
    assert_slice_refused(&[], "slice: expected one range per dimension (2), found 0");
    assert_slice_refused(&[0..1, 0..1, 0..1], "slice: expected one range per dimension (2), found 3");
    assert_slice_refused(&[0..11, 0..7], "slice[0]: expected 0 <= start <= stop <= 10, found 0..11");
    assert_slice_refused(&[0..10, 8..8], "slice[1]: expected 0 <= start <= stop <= 7, found 8..8");
    assert_slice_refused(&[-1..1, 0..7], "slice[0]: expected 0 <= start <= stop <= 10, found -1..1");
    assert_slice_refused(&[0..10, 5..4], "slice[1]: expected 0 <= start <= stop <= 7, found 5..4");
    assert_slice_refused(&[0..0, 0..i64::MAX], &format!("slice[1]: expected 0 <= start <= stop <= 7, found 0..{}", i64::MAX));
    assert_slice_refused(&[i64::MIN..0, 0..7], &format!("slice[0]: expected 0 <= start <= stop <= 10, found {}..0", i64::MIN));
}

#[test]
fn a_chunk_that_the_array_does_not_have_is_refused() {
    let grid = grid(&[10, 7], &[3, 5], &[2, 3]);
    for chunk in [8, i64::MAX as u64, u64::MAX] {
        let error = grid.blocks_in(chunk, &[0..1, 0..1]).unwrap_err();
        assert_eq!(error.to_string(), format!("chunk {chunk} is out of range: the number of chunks is 8"));
    }
}

#[test]
fn dims_are_slices_to_compare_and_to_walk() {
    let coords = grid(&[10, 10], &[4, 5], &[2, 3]).chunk_coords(5).unwrap();
    assert_eq!(coords, [2, 1]);
    assert_eq!(coords, [2, 1].as_slice());
    assert_eq!(coords, *[2, 1].as_slice());
    let (shorter, other) = ([2].as_slice(), [2, 2].as_slice());
    assert!(coords != [2, 2] && coords != [2, 1, 0] && coords != shorter && coords != *other);
    assert_eq!(coords.into_iter().collect::<Vec<i64>>(), [2, 1]);
    assert_eq!(coords.iter().rev().collect::<Vec<&i64>>(), [&1, &2]);
}
