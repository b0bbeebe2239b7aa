//! One axis of the drawing: the positions of its chunks and blocks. If there are many, some are left out.

/// The maximum number of chunks that are drawn along an axis if no other number is requested. If there are more, the first ones and the
/// last one are drawn, with a gap between them.
const CHUNKS: i64 = 4;
/// The maximum number of blocks that are drawn along a chunk. If there are more, the first ones and the last one are drawn.
const BLOCKS: i64 = 5;

/// The distance between two chunks.
const BETWEEN: f64 = 9.0;
/// The space that a gap adds in place of the chunks or blocks that are left out.
const GAP: f64 = 20.0;

/// The minimum drawn length of a block.
const BLOCK: f64 = 11.0;
/// The maximum drawn length of an element along an axis of the array.
const ELEMENT: f64 = 26.0;

/// The lengths of the array, a chunk and a block along an axis, in elements. None of them is 0.
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
    /// Returns the indices of the chunks to draw: at most `most` chunks (but at least one) from chunk `first` on, or the last ones if fewer
    /// follow `first`. Without `most`, returns all chunks, or the first ones and the last one if there are many.
    pub fn chunks(self, first: i64, most: Option<i64>) -> Vec<i64> {
        let chunks = parts(self.array, self.chunk);
        let Some(most) = most else { return first_and_last(chunks, CHUNKS) };
        let shown = most.clamp(1, chunks);
        let first = first.clamp(0, chunks - shown);
        (first..first + shown).collect()
    }

    /// Returns the indices of the blocks to draw in each chunk.
    fn blocks(self) -> Vec<i64> {
        first_and_last(parts(self.chunk, self.block), BLOCKS)
    }

    /// Returns the length at which to draw an element so that these chunks fit into the length `available`.
    pub fn element(self, chunks: &[i64], available: f64) -> f64 {
        let blocks = self.blocks();
        // The end of parts of length 0 is the total space between them.
        let chunk = (available - Parts::new(chunks, 0.0, BETWEEN).end()) / chunks.len() as f64;
        let block = (chunk - Parts::new(&blocks, 0.0, 0.0).end()) / blocks.len() as f64;
        (block / self.block as f64).min(ELEMENT)
    }
}

/// Returns the number of parts of length `part` that are needed to cover `whole`.
fn parts(whole: i64, part: i64) -> i64 {
    (whole - 1) / part + 1
}

/// Returns the indices of all parts, or those of the first ones and the last one if there are more than `most`.
fn first_and_last(parts: i64, most: i64) -> Vec<i64> {
    if parts <= most { (0..parts).collect() } else { (0..most - 2).chain([parts - 1]).collect() }
}

/// The drawn chunks of an axis, or the drawn blocks of a chunk.
pub struct Parts {
    /// The index of each part, and the position where it starts.
    pub starts: Vec<(i64, f64)>,
    /// The drawn length of a part.
    pub length: f64,
    /// The start and end of the gap in place of parts that are left out.
    pub gap: Option<[f64; 2]>,
}

impl Parts {
    fn new(indices: &[i64], length: f64, between: f64) -> Parts {
        let mut parts = Parts { starts: Vec::new(), length, gap: None };
        let mut start = 0.0;
        for &index in indices {
            if parts.starts.last().is_some_and(|&(last, _)| index - last > 1) {
                parts.gap = Some([start - between, start + GAP]);
                start += GAP;
            }
            parts.starts.push((index, start));
            start += length + between;
        }
        parts
    }

    /// Returns the position where the last part ends.
    pub fn end(&self) -> f64 {
        self.starts.last().map_or(0.0, |&(_, start)| start + self.length)
    }
}

/// The positions of the chunks and blocks along an axis.
pub struct Axis {
    /// The lengths of the array, a chunk and a block.
    pub lengths: Lengths,
    /// The drawn chunks. Their length includes padding to whole blocks.
    pub chunks: Parts,
    /// The drawn blocks of each chunk.
    pub blocks: Parts,
    /// Whether all blocks are drawn with the length of their elements.
    pub to_scale: bool,
}

impl Axis {
    /// Creates an axis with these chunks, whose elements are drawn with the length `element`, or longer if blocks would be too small.
    pub fn new(lengths: Lengths, chunks: &[i64], element: f64) -> Axis {
        let block = element * lengths.block as f64;
        let blocks = Parts::new(&lengths.blocks(), block.max(BLOCK), 0.0);
        let to_scale = blocks.gap.is_none() && block >= BLOCK;
        Axis { lengths, chunks: Parts::new(chunks, blocks.end(), BETWEEN), blocks, to_scale }
    }

    /// Returns the distance between the starts of two adjacent chunks.
    pub(super) fn step(&self) -> f64 {
        self.chunks.length + BETWEEN
    }

    /// Returns the position in the drawing of a chunk where this number of its elements ends. In a gap, it is the start of the gap.
    pub fn position(&self, elements: i64) -> f64 {
        let block = self.lengths.block;
        let starts = self.blocks.starts.iter().rfind(|&&(index, _)| index * block < elements);
        starts.map_or(0.0, |&(index, start)| {
            start + self.blocks.length * (elements - index * block).min(block) as f64 / block as f64
        })
    }

    /// Returns how many elements of the array a chunk contains along this axis, without padding.
    pub fn held(&self, chunk: i64) -> i64 {
        (self.lengths.array - chunk * self.lengths.chunk).min(self.lengths.chunk)
    }

    /// Returns the position where the last drawn element of the array ends.
    pub fn array_end(&self) -> f64 {
        self.chunks.starts.last().map_or(0.0, |&(chunk, start)| start + self.position(self.held(chunk)))
    }

    /// Returns the positions of the borders between the blocks of a chunk.
    pub(super) fn block_borders(&self) -> Vec<f64> {
        let starts = self.blocks.starts.iter().map(|&(_, start)| start).skip(1);
        starts.chain(self.blocks.gap.map(|[from, _]| from)).collect()
    }
}
