//! One dimension of the drawing: the positions of its chunks and blocks. If there are many, some are left out.

use std::ops::Range;

/// The maximum number of chunks that are drawn along a dimension. If there are more, only the first few and the last one are drawn, with a
/// gap between them.
const CHUNKS: i64 = 4;
/// The maximum number of blocks that are drawn along a chunk. If there are more, only the first few and the last one are drawn.
const BLOCKS: i64 = 5;

/// The number of chunks that are drawn before a gap.
const FIRST_CHUNKS: i64 = 2;
/// The number of blocks that are drawn before a gap.
const FIRST_BLOCKS: i64 = 3;

/// The distance between two chunks.
const BETWEEN: f64 = 9.0;
/// The length of the gap that replaces chunks that are left out.
const LEFT_OUT: f64 = 30.0;
/// The length of the gap that replaces blocks that are left out.
const HIDDEN: f64 = 18.0;

/// The minimum drawn length of a block.
const BLOCK: f64 = 11.0;

/// The maximum drawn length of an element.
const ELEMENT: f64 = 26.0;

/// The lengths of the array, a chunk and a block along one dimension, in elements.
#[derive(Clone, Copy)]
pub struct Lengths {
    /// The length of the array.
    pub array: i64,
    /// The length of a chunk.
    pub chunk: i64,
    /// The length of a block.
    pub block: i64,
}

impl Lengths {
    /// The lengths of a dimension that is drawn although the array does not have it.
    pub const ONE: Lengths = Lengths { array: 1, chunk: 1, block: 1 };

    fn chunks(self) -> i64 {
        parts(self.array, self.chunk)
    }

    fn blocks(self) -> i64 {
        parts(self.chunk, self.block)
    }

    /// Returns the length at which to draw an element so that the dimension fits into the length `available`.
    pub fn element_that_fits(self, available: f64) -> f64 {
        let (drawn_chunks, gaps) = drawn(self.chunks(), CHUNKS, FIRST_CHUNKS);
        self.element_for(available, drawn_chunks, gaps)
    }

    /// Returns the length at which to draw an element so that all chunks, or `most` chunks if there are more, fit into the length
    /// `available` without a gap.
    pub(super) fn element_in_window(self, available: f64, most: i64) -> f64 {
        self.element_for(available, self.chunks().min(most), 0)
    }

    fn element_for(self, available: f64, drawn_chunks: i64, gaps: i64) -> f64 {
        let blocks = self.blocks();
        let (drawn_blocks, hidden) = drawn(blocks, BLOCKS, FIRST_BLOCKS);
        let between = BETWEEN * (drawn_chunks - 1 - gaps) as f64 + LEFT_OUT * gaps as f64;
        let in_blocks = available - between - HIDDEN * (hidden * drawn_chunks) as f64;
        (in_blocks / (drawn_chunks * drawn_blocks) as f64 / self.block as f64).min(ELEMENT)
    }
}

/// Returns the number of parts of length `part` that are needed to cover `whole`.
fn parts(whole: i64, part: i64) -> i64 {
    whole / part + i64::from(whole % part != 0)
}

/// Returns how many of the parts (chunks or blocks) are drawn, and the number of gaps, which is 0 or 1.
fn drawn(parts: i64, most: i64, first: i64) -> (i64, i64) {
    if parts <= most { (parts, 0) } else { (first + 1, 1) }
}

/// The positions of a dimension's chunks and blocks.
pub struct Axis {
    /// The lengths of the array, a chunk and a block.
    pub lengths: Lengths,
    /// The drawn chunks: the index of each chunk along the axis, and the position where the chunk starts.
    pub chunks: Vec<(i64, f64)>,
    /// The start and end of the gap between chunks.
    pub left_out: Option<[f64; 2]>,
    /// Some elements of a chunk, in ascending order, and their positions in the drawing of the chunk. The positions of the elements in
    /// between are interpolated.
    points: Vec<(i64, f64)>,
    /// The start and end of the gap between the blocks of a chunk.
    pub hidden_blocks: Option<[f64; 2]>,
}

impl Axis {
    /// Creates an axis whose elements are drawn with the length `element`, or longer if blocks would be too small. `lengths` must not
    /// contain 0.
    pub fn new(lengths: Lengths, element: f64) -> Axis {
        let (drawn_chunks, gaps) = drawn(lengths.chunks(), CHUNKS, FIRST_CHUNKS);
        let mut axis = Axis::window(lengths, element, 0, drawn_chunks);
        if let (1, Some((index, start))) = (gaps, axis.chunks.last_mut()) {
            let gap = *start - BETWEEN;
            (*index, *start) = (lengths.chunks() - 1, gap + LEFT_OUT);
            axis.left_out = Some([gap, gap + LEFT_OUT]);
        }
        axis
    }

    /// Creates an axis with up to `most` chunks, starting with chunk `first`, without a gap.
    pub(super) fn window(lengths: Lengths, element: f64, first: i64, most: i64) -> Axis {
        let mut axis = Axis::of_blocks(lengths, element);
        let shown = lengths.chunks().min(most);
        let first = first.clamp(0, lengths.chunks() - shown);
        axis.chunks = (0..shown).map(|index| (first + index, axis.step() * index as f64)).collect();
        axis
    }

    /// Creates an axis that has the blocks of a chunk, but no chunks yet.
    fn of_blocks(lengths: Lengths, element: f64) -> Axis {
        let block = (element * lengths.block as f64).max(BLOCK);
        let nblocks = lengths.blocks();
        let mut points = vec![(0, 0.0)];
        let mut hidden_blocks = None;
        let mut end = 0.0;
        let (drawn_blocks, hidden) = drawn(nblocks, BLOCKS, FIRST_BLOCKS);
        for index in 0..drawn_blocks {
            let mut number = index;
            if hidden == 1 && index == drawn_blocks - 1 {
                number = nblocks - 1;
                hidden_blocks = Some([end, end + HIDDEN]);
                end += HIDDEN;
                points.push((number * lengths.block, end));
            }
            end += block;
            points.push(((number + 1) * lengths.block, end));
        }

        Axis { lengths, chunks: Vec::new(), left_out: None, points, hidden_blocks }
    }

    /// Returns the distance between the starts of two adjacent chunks.
    pub(super) fn step(&self) -> f64 {
        self.padded_chunk() + BETWEEN
    }

    /// Returns the position of an element in the drawing of its chunk.
    pub fn position(&self, element: i64) -> f64 {
        for pair in self.points.windows(2) {
            let [(first, from), (last, to)] = [pair[0], pair[1]];
            if element <= last {
                return from + (to - from) * (element - first) as f64 / (last - first) as f64;
            }
        }
        self.padded_chunk()
    }

    /// Returns the drawn length of a chunk, including its padding.
    pub fn padded_chunk(&self) -> f64 {
        self.points.last().map_or(0.0, |&(_, end)| end)
    }

    /// Returns the drawn length of the axis.
    pub fn length(&self) -> f64 {
        self.chunks.last().map_or(0.0, |&(_, start)| start) + self.padded_chunk()
    }

    /// Returns how many elements of the array a chunk contains along this dimension, without padding.
    pub fn held(&self, chunk: i64) -> i64 {
        (self.lengths.array - chunk * self.lengths.chunk).min(self.lengths.chunk)
    }

    /// Returns the position where the last element of the array ends.
    pub fn array_end(&self) -> f64 {
        self.chunks.last().map_or(0.0, |&(chunk, start)| start + self.position(self.held(chunk)))
    }

    /// Returns the range of elements from the first drawn chunk to the last.
    pub(super) fn drawn(&self) -> Range<i64> {
        let [first, last] = [self.chunks.first(), self.chunks.last()].map(|chunk| chunk.map_or(0, |&(chunk, _)| chunk));
        first * self.lengths.chunk..last * self.lengths.chunk + self.held(last)
    }

    /// Returns the positions of the borders between the blocks of a chunk.
    pub fn block_borders(&self) -> impl Iterator<Item = f64> {
        let end = self.padded_chunk();
        self.points.iter().map(|&(_, at)| at).filter(move |&at| at > 0.0 && at < end)
    }

    /// Returns true if the whole axis is drawn to scale with elements of this length.
    pub(super) fn is_to_scale(&self, element: f64) -> bool {
        self.hidden_blocks.is_none() && self.first_block() <= element * self.lengths.block as f64 + 0.01
    }

    /// Returns the position where the first block ends.
    pub fn first_block(&self) -> f64 {
        self.points.get(1).map_or(0.0, |&(_, end)| end)
    }

    /// Returns true if the last block of a chunk extends beyond the chunk.
    pub fn pads_blocks(&self) -> bool {
        self.lengths.chunk % self.lengths.block != 0
    }

    /// Returns true if the last chunk extends beyond the array.
    pub fn pads_chunks(&self) -> bool {
        self.lengths.array % self.lengths.chunk != 0
    }
}
