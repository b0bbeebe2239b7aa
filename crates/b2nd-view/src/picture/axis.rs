//! One dimension of the drawing: where its chunks and blocks lie, with those left out that would not fit.

use std::ops::Range;

/// The most chunks, and blocks of a chunk, that are drawn along a dimension. Of more, all but the first and the last are one gap.
const CHUNKS: i64 = 4;
const BLOCKS: i64 = 5;

/// The number of those before the gap that are drawn.
const FIRST_CHUNKS: i64 = 2;
const FIRST_BLOCKS: i64 = 3;

/// Between two chunks, where some are left out, and where blocks are.
const BETWEEN: f64 = 9.0;
const LEFT_OUT: f64 = 30.0;
const HIDDEN: f64 = 18.0;

/// The shortest that a block is drawn.
const BLOCK: f64 = 11.0;

/// The longest that an element is drawn.
const ELEMENT: f64 = 26.0;

/// The lengths of array, chunk and block, in elements.
#[derive(Clone, Copy)]
pub struct Lengths {
    /// The array's length.
    pub array: i64,
    /// A chunk's length.
    pub chunk: i64,
    /// A block's length.
    pub block: i64,
}

impl Lengths {
    /// Lengths of a dimension that there is not, so as to draw the others.
    pub const ONE: Lengths = Lengths { array: 1, chunk: 1, block: 1 };

    fn chunks(self) -> i64 {
        parts(self.array, self.chunk)
    }

    fn blocks(self) -> i64 {
        parts(self.chunk, self.block)
    }

    /// The length of an element when all that is drawn of this dimension fits.
    pub fn element_that_fits(self, available: f64) -> f64 {
        let (drawn_chunks, gaps) = drawn(self.chunks(), CHUNKS, FIRST_CHUNKS);
        self.element_for(available, drawn_chunks, gaps)
    }

    /// The length of an element when at most so many chunks are drawn, and none is left out between them.
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

/// The number of parts of this length that cover a whole.
fn parts(whole: i64, part: i64) -> i64 {
    whole / part + i64::from(whole % part != 0)
}

/// The number of parts that are drawn, and of those before the gap.
fn drawn(parts: i64, most: i64, first: i64) -> (i64, i64) {
    if parts <= most { (parts, 0) } else { (first + 1, 1) }
}

/// A dimension as it is drawn.
pub struct Axis {
    /// The lengths that are drawn.
    pub lengths: Lengths,
    /// The numbers of the chunks along it, and where they begin.
    pub chunks: Vec<(i64, f64)>,
    /// The place of the chunks that are left out.
    pub left_out: Option<[f64; 2]>,
    /// Elements of a chunk and where they are in its drawing, in ascending order. What is between is proportional.
    points: Vec<(i64, f64)>,
    /// The place in a chunk of the blocks that are left out.
    pub hidden_blocks: Option<[f64; 2]>,
}

impl Axis {
    /// Draws an element so long, if a block is then long enough to be seen. The lengths are not 0.
    pub fn new(lengths: Lengths, element: f64) -> Axis {
        let mut axis = Axis::of_blocks(lengths, element);
        let (nchunks, end) = (lengths.chunks(), axis.padded_chunk());
        let (drawn_chunks, gap) = drawn(nchunks, CHUNKS, FIRST_CHUNKS);
        let mut start = 0.0;
        for index in 0..drawn_chunks {
            let last = gap == 1 && index == drawn_chunks - 1;
            if last {
                let gap_start = start - BETWEEN;
                start = gap_start + LEFT_OUT;
                axis.left_out = Some([gap_start, start]);
            }
            axis.chunks.push((if last { nchunks - 1 } else { index }, start));
            start += end + BETWEEN;
        }
        axis
    }

    /// The axis from one chunk on: at most so many, and none left out between them.
    pub(super) fn window(lengths: Lengths, element: f64, first: i64, most: i64) -> Axis {
        let mut axis = Axis::of_blocks(lengths, element);
        let shown = lengths.chunks().min(most);
        let first = first.clamp(0, lengths.chunks() - shown);
        axis.chunks = (0..shown).map(|index| (first + index, axis.step() * index as f64)).collect();
        axis
    }

    /// The blocks of a chunk, and no chunks yet.
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

    /// From where one chunk begins to where the next does, if none is left out between them.
    pub(super) fn step(&self) -> f64 {
        self.padded_chunk() + BETWEEN
    }

    /// The position of a chunk's element in its drawing.
    pub fn position(&self, element: i64) -> f64 {
        for pair in self.points.windows(2) {
            let [(first, from), (last, to)] = [pair[0], pair[1]];
            if element <= last {
                return from + (to - from) * (element - first) as f64 / (last - first) as f64;
            }
        }
        self.padded_chunk()
    }

    /// The length of a chunk with its padding.
    pub fn padded_chunk(&self) -> f64 {
        self.points.last().map_or(0.0, |&(_, end)| end)
    }

    /// The length of all of it.
    pub fn length(&self) -> f64 {
        self.chunks.last().map_or(0.0, |&(_, start)| start) + self.padded_chunk()
    }

    /// The number of the array's elements that a chunk holds along this dimension.
    pub fn held(&self, chunk: i64) -> i64 {
        (self.lengths.array - chunk * self.lengths.chunk).min(self.lengths.chunk)
    }

    /// The end of the array's last element.
    pub fn array_end(&self) -> f64 {
        self.chunks.last().map_or(0.0, |&(chunk, start)| start + self.position(self.held(chunk)))
    }

    /// The elements from the first drawn chunk to the last.
    pub(super) fn drawn(&self) -> Range<i64> {
        let [first, last] = [self.chunks.first(), self.chunks.last()].map(|chunk| chunk.map_or(0, |&(chunk, _)| chunk));
        first * self.lengths.chunk..last * self.lengths.chunk + self.held(last)
    }

    /// The borders between the blocks of a chunk.
    pub fn block_borders(&self) -> impl Iterator<Item = f64> {
        let end = self.padded_chunk();
        self.points.iter().map(|&(_, at)| at).filter(move |&at| at > 0.0 && at < end)
    }

    /// True if all of it is drawn in proportion, with an element so long.
    pub(super) fn is_to_scale(&self, element: f64) -> bool {
        self.hidden_blocks.is_none() && self.first_block() <= element * self.lengths.block as f64 + 0.01
    }

    /// The end of the first block.
    pub fn first_block(&self) -> f64 {
        self.points.get(1).map_or(0.0, |&(_, end)| end)
    }

    /// True if blocks reach beyond their chunk.
    pub fn pads_blocks(&self) -> bool {
        self.lengths.chunk % self.lengths.block != 0
    }

    /// True if chunks reach beyond the array.
    pub fn pads_chunks(&self) -> bool {
        self.lengths.array % self.lengths.chunk != 0
    }
}
