//! Slices of arrays, the chunks that they touch, and the padding of arrays.

use std::ops::Range;
use std::str::FromStr;

use b2nd::Grid;

/// The maximum number of chunks in [`Touched::chunks`].
const MAX_LISTED: usize = 10_000;

/// Returns the fraction of padding among all elements in chunks, from 0 to 1, or `None` if there are no chunks.
pub fn padding(grid: &Grid) -> Option<f64> {
    let held = i128::from(grid.nchunks()) * i128::from(grid.extchunknitems());
    (held != 0).then(|| 1.0 - grid.nitems() as f64 / held as f64)
}

/// A slice, written as in Python: `0:10,5,:`, `...,0`, `[0, :3]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice(Vec<Index>);

#[derive(Clone, Debug, PartialEq)]
enum Index {
    /// `...`: all remaining dimensions as a whole.
    Rest,
    At(i64),
    /// `start:stop:step`.
    Range(Option<i64>, Option<i64>, i64),
}

impl FromStr for Slice {
    type Err = String;

    fn from_str(text: &str) -> Result<Slice, String> {
        let text = text.trim();
        let text = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
        if text.trim().is_empty() {
            return Ok(Slice(Vec::new()));
        }
        let indices: Vec<Index> = text.split(',').map(|index| Index::parse(index.trim())).collect::<Result<_, _>>()?;
        match indices.iter().filter(|index| **index == Index::Rest).count() {
            0 | 1 => Ok(Slice(indices)),
            _ => Err("... is used more than once".to_owned()),
        }
    }
}

impl Index {
    fn parse(text: &str) -> Result<Index, String> {
        let number = |text: &str| match text.trim() {
            "" => Ok(None),
            digits => digits.parse().map(Some).map_err(|_| format!("expected a 64-bit integer, as in 2:10:2, found {digits:?}")),
        };
        if text == "..." {
            return Ok(Index::Rest);
        }
        match text.split_once(':') {
            Some((start, stop)) => {
                let (stop, step) = stop.split_once(':').unwrap_or((stop, ""));
                match number(step)?.unwrap_or(1) {
                    0 => Err(format!("{text:?} has a step of 0")),
                    step => Ok(Index::Range(number(start)?, number(stop)?, step)),
                }
            }
            None => number(text)?.map(Index::At).ok_or_else(|| "an index is empty: use : for a whole dimension".to_owned()),
        }
    }

    /// Returns the range and the step that this index selects in a dimension. As in Python, a negative number counts from the end, and a
    /// range is cut to the length of the dimension. If the step is negative, returns the same elements as an ascending range with a
    /// positive step.
    fn within(&self, dimension: usize, length: i64) -> Result<(Range<i64>, i64), String> {
        let from_end = |number: i64| if number < 0 { number.saturating_add(length) } else { number };
        match *self {
            Index::Rest => Ok((0..length, 1)),
            Index::At(number) => match from_end(number) {
                at if (0..length).contains(&at) => Ok((at..at + 1, 1)),
                _ => Err(format!("index {number} is outside dimension {dimension}, whose length is {length}")),
            },
            Index::Range(start, stop, step @ 1..) => {
                let start = from_end(start.unwrap_or(0)).clamp(0, length);
                let stop = from_end(stop.unwrap_or(length)).clamp(start, length);
                Ok((start..stop, step))
            }
            Index::Range(start, stop, step) => {
                let start = start.map_or(length - 1, from_end).clamp(-1, length - 1);
                let stop = stop.map_or(-1, from_end).clamp(-1, start);
                let step = step.saturating_neg();
                // The step is negative, so the last element of the slice is the first of the range.
                let first = start - (ceil(start - stop, step) - 1).max(0) * step;
                Ok((first.max(0)..if stop < start { start + 1 } else { first.max(0) }, step))
            }
        }
    }
}

/// The elements of an array that a slice selects.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// The range in each dimension.
    pub ranges: Vec<Range<i64>>,
    /// The step in each dimension. It is positive: the first of every `step` elements of the range is selected.
    pub steps: Vec<i64>,
    /// Whether each dimension is a dimension of the result. As in Python, a single index removes its dimension.
    pub kept: Vec<bool>,
    /// Whether the elements of each dimension are selected in reverse order.
    pub reversed: Vec<bool>,
}

impl Selection {
    /// Selects all elements.
    pub fn whole(shape: &[i64]) -> Selection {
        let (ranges, ndim) = (shape.iter().map(|&length| 0..length).collect(), shape.len());
        Selection { ranges, steps: vec![1; ndim], kept: vec![true; ndim], reversed: vec![false; ndim] }
    }

    /// Keeps at most `most` elements of a dimension: the first ones or the last ones in the order of the selection.
    pub fn keep(&mut self, axis: usize, is_first: bool, most: u64) {
        let (length, step) = (self.lengths()[axis], self.steps[axis]);
        let over = length.saturating_sub_unsigned(most).max(0);
        let range = &mut self.ranges[axis];
        if is_first == self.reversed[axis] {
            range.start += over * step;
        } else if over > 0 {
            range.end = range.start + (length - over) * step;
        }
    }

    /// Returns the slice of each dimension in Python's notation: `5:10`, `5:10:2`, `9:4:-1`.
    pub fn texts(&self) -> Vec<String> {
        let text = |axis: usize| {
            let (Range { start, end }, step) = (&self.ranges[axis], self.steps[axis]);
            let last = start + (self.lengths()[axis] - 1).max(0) * step;
            match (self.reversed[axis] && start < end, step) {
                (true, _) if *start == 0 => format!("{last}::-{step}"),
                (true, _) => format!("{last}:{}:-{step}", start - 1),
                (false, 1) => format!("{start}:{end}"),
                (false, _) => format!("{start}:{end}:{step}"),
            }
        };
        (0..self.ranges.len()).map(text).collect()
    }

    /// Reverses the order of the elements along the reversed dimensions. The elements are in C order and have `itemsize` bytes each.
    /// `lengths` contains the number of elements along each dimension.
    pub fn reverse(&self, elements: &mut [u8], lengths: &[i64], itemsize: usize) {
        if let Some(last) = self.reversed.iter().rposition(|&is_reversed| is_reversed) {
            let inner: usize = lengths[last + 1..].iter().filter_map(|&length| usize::try_from(length).ok()).product();
            reverse(elements, &self.reversed[..=last], lengths, (inner * itemsize).max(1));
        }
    }

    /// Returns the number of selected elements in each dimension.
    pub fn lengths(&self) -> Vec<i64> {
        let length = |(range, step): (&Range<i64>, &i64)| ceil((range.end - range.start).max(0), *step);
        self.ranges.iter().zip(&self.steps).map(length).collect()
    }

    /// Returns the shape of the array that the selected elements form.
    pub fn shape(&self) -> Vec<i64> {
        self.lengths().into_iter().zip(&self.kept).filter(|(_, is_kept)| **is_kept).map(|(length, _)| length).collect()
    }

    /// Returns the number of chunks that contain selected elements.
    pub fn touched(&self, grid: &Grid) -> u64 {
        self.axes(grid).iter().map(Axis::count).fold(1, |all, count| all.saturating_mul(count.unsigned_abs()))
    }

    /// Iterates over the selected part of each chunk that contains selected elements, in the order of the chunks.
    pub fn parts(&self, grid: &Grid) -> impl Iterator<Item = ChunkPart> + use<> {
        let axes = self.axes(grid);
        (0..self.touched(grid)).map(move |number| ChunkPart::new(&axes, number))
    }

    /// Increases the steps along `axes`, so that fewer elements are selected: first until at most `room[i]` elements are selected along
    /// `axes[i]`, then, as far as possible, until at most `chunks` chunks are touched. With `square`, the largest factor that `room`
    /// requires is used for all axes. Returns the factor by which the step of each of the `axes` was multiplied.
    pub fn coarsen(&mut self, grid: &Grid, axes: &[usize], room: &[i64], square: bool, chunks: u64) -> Vec<i64> {
        let lengths = self.lengths();
        let mut factors: Vec<i64> = axes.iter().zip(room).map(|(&axis, &room)| ceil(lengths[axis], room.max(1)).max(1)).collect();
        if square {
            let most = factors.iter().copied().max().unwrap_or(1);
            factors.fill(most);
        }
        let steps = self.steps.clone();
        loop {
            for (&axis, &factor) in axes.iter().zip(&factors) {
                self.steps[axis] = steps[axis].saturating_mul(factor);
            }
            if self.touched(grid) <= chunks {
                return factors;
            }
            let lengths = self.lengths();
            let longest = (0..factors.len()).max_by_key(|&place| lengths[axes[place]]);
            match longest.filter(|&place| lengths[axes[place]] > 1) {
                Some(place) => factors[place] = factors[place].saturating_mul(2),
                None => return factors,
            }
        }
    }

    /// Returns the selection along each dimension of a grid.
    pub fn axes(&self, grid: &Grid) -> Vec<Axis> {
        let sizes = grid.chunkshape().iter().zip(grid.blockshape());
        let ranges = self.ranges.iter().zip(&self.steps).zip(sizes);
        let axis = |((range, &step), (&chunk, &block)): ((&Range<i64>, &i64), (&i64, &i64))| Axis {
            range: range.clone(),
            step,
            chunk,
            block,
        };
        ranges.map(axis).collect()
    }
}

/// The selected part of a chunk.
#[derive(Clone, Debug, PartialEq)]
pub struct ChunkPart {
    /// The range in each dimension from the first selected element of the chunk to the last, as coordinates in the array.
    pub ranges: Vec<Range<i64>>,
    /// The number of blocks of the chunk that contain selected elements.
    pub blocks: usize,
}

impl ChunkPart {
    /// Creates the part in the touched chunk with this index, which counts the touched chunks from 0.
    pub fn new(axes: &[Axis], mut number: u64) -> ChunkPart {
        let mut part = ChunkPart { ranges: Vec::new(), blocks: 1 };
        for axis in axes.iter().rev() {
            let count = axis.count().unsigned_abs().max(1);
            let (range, blocks) = axis.along((number % count) as i64);
            number /= count;
            part.ranges.push(range);
            part.blocks *= blocks;
        }
        part.ranges.reverse();
        part
    }
}

/// Reverses the elements along each dimension for which `reversed` is true. A row contains the elements with the same index in the first
/// dimension. First reverses the order of the rows if necessary, then handles the other dimensions inside each row. `size` is the minimum
/// length of a row in bytes.
fn reverse(elements: &mut [u8], reversed: &[bool], lengths: &[i64], size: usize) {
    let (Some((&is_reversed, reversed)), Some((&length, lengths))) = (reversed.split_first(), lengths.split_first()) else {
        return;
    };
    let row = elements.len().checked_div(usize::try_from(length).unwrap_or(0)).unwrap_or(0).max(size);
    if is_reversed {
        let middle = elements.len() / row / 2 * row;
        let (front, back) = elements.split_at_mut(middle);
        front.chunks_exact_mut(row).zip(back.rchunks_exact_mut(row)).for_each(|(one, other)| one.swap_with_slice(other));
    }
    elements.chunks_exact_mut(row).for_each(|row| reverse(row, reversed, lengths, size));
}

/// Divides non-negative numbers, and rounds up.
fn ceil(number: i64, divisor: i64) -> i64 {
    number / divisor + i64::from(number % divisor != 0)
}

/// The chunks that a slice touches.
pub struct Touched {
    /// The elements that the slice selects.
    pub selection: Selection,
    /// The touched chunks: the index of each chunk, and how many of its blocks are touched.
    pub chunks: Vec<(u64, usize)>,
    /// The number of touched chunks that `chunks` leaves out because the list would be too long.
    pub more: usize,
}

impl Slice {
    /// Returns the number of indices, without `...`.
    pub fn indices(&self) -> usize {
        self.0.iter().filter(|index| **index != Index::Rest).count()
    }

    /// Returns the index if the slice consists of a single index that is not negative, or `None` for any other slice.
    pub fn as_count(&self) -> Option<u64> {
        match self.0.as_slice() {
            [Index::At(number)] => u64::try_from(*number).ok(),
            _ => None,
        }
    }

    /// Returns the elements that the slice selects in an array of this shape. Omitted dimensions are selected as a whole.
    ///
    /// # Errors
    ///
    /// Fails if the slice has too many indices, or an index is outside its dimension.
    pub fn select(&self, shape: &[i64]) -> Result<Selection, String> {
        let at_rest = self.0.iter().position(|index| *index == Index::Rest);
        let (before, after) = self.0.split_at(at_rest.unwrap_or(self.0.len()));
        let after = after.get(1..).unwrap_or_default();
        let (indices, ndim) = (before.len() + after.len(), shape.len());
        let Some(left) = ndim.checked_sub(indices) else {
            let indices = if indices == 1 { "1 index".to_owned() } else { format!("{indices} indices") };
            return Err(format!("the slice has {indices}, but the data has {}", crate::text::count(ndim, "dimension")));
        };
        let rest = std::iter::repeat_n(&Index::Rest, left);
        let mut selection = Selection::whole(&[]);
        for ((dimension, &length), index) in shape.iter().enumerate().zip(before.iter().chain(rest).chain(after)) {
            let (range, step) = index.within(dimension, length)?;
            selection.ranges.push(range);
            selection.steps.push(step);
            selection.kept.push(!matches!(index, Index::At(_)));
            selection.reversed.push(matches!(index, Index::Range(_, _, ..=-1)));
        }
        Ok(selection)
    }

    /// Returns the chunks that the slice touches.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`select`](Slice::select).
    pub fn touched(&self, grid: &Grid) -> Result<Touched, String> {
        let selection = self.select(grid.shape())?;
        let chunk = |ChunkPart { ranges, blocks }: ChunkPart| {
            let first: Vec<i64> = ranges.into_iter().map(|range| range.start).collect();
            (grid.chunk_index(&first).unwrap_or(0), blocks)
        };
        let chunks: Vec<_> = selection.parts(grid).take(MAX_LISTED).map(chunk).collect();
        let more = usize::try_from(selection.touched(grid)).unwrap_or(usize::MAX) - chunks.len();
        Ok(Touched { selection, chunks, more })
    }
}

/// A slice along one dimension, and the lengths of a chunk and of a block in this dimension.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The selected range in this dimension, in elements of the array.
    pub range: Range<i64>,
    /// The step of the selection in this dimension.
    pub step: i64,
    /// The length of a chunk.
    pub chunk: i64,
    /// The length of a block.
    pub block: i64,
}

impl Axis {
    /// Returns the number of chunks that the slice touches along this dimension.
    pub fn count(&self) -> i64 {
        let items = ceil(self.range.end - self.range.start, self.step);
        if items == 0 || self.step > self.chunk {
            // Each selected element is in a different chunk.
            return items;
        }
        (self.range.start + (items - 1) * self.step) / self.chunk - self.range.start / self.chunk + 1
    }

    /// Returns the range in the array from the first to the last selected element of a touched chunk along this dimension, and the number
    /// of touched blocks. `nth` counts the touched chunks from 0.
    fn along(&self, nth: i64) -> (Range<i64>, usize) {
        let start = self.range.start;
        let chunk = if self.step > self.chunk { (start + nth * self.step) / self.chunk } else { start / self.chunk + nth };
        let (from, to) = (chunk * self.chunk, chunk.saturating_add(1).saturating_mul(self.chunk).min(self.range.end));
        let first = start + ceil((from - start).max(0), self.step) * self.step;
        let last = start + (to - 1 - start) / self.step * self.step;
        let blocks = if self.step > self.block {
            (last - first) / self.step + 1
        } else {
            (last - from) / self.block - (first - from) / self.block + 1
        };
        (first..last + 1, usize::try_from(blocks).unwrap_or(0))
    }
}
