//! Applies and undoes the filters of a chunk, block by block.

use alloc::vec::Vec;

use crate::buffer::front;
use crate::error::{Error, Result};
use crate::header::ChunkHeader;
use crate::ids::Filter;

mod bits;
mod bytedelta;
mod delta;
mod shuffle;
mod trunc;
use shuffle::{shuffle, unshuffle, unshuffle_part};

/// The filters of a chunk, in the order in which they are applied. A pipeline for decompression omits trunc_prec and
/// int_trunc, which cannot be undone.
#[derive(Clone, Debug)]
pub(crate) struct Pipeline {
    /// The filters, followed by empty steps.
    steps: [Step; 6],
    typesize: usize,
    version: u8,
}

/// A filter with its parameter.
#[derive(Clone, Copy, Debug)]
struct Step {
    filter: Filter,
    meta: u8,
}

impl Step {
    /// Returns true if the filter needs a second buffer. The other filters work in place.
    fn moves(self) -> bool {
        matches!(self.filter, Filter::Shuffle | Filter::BitShuffle)
    }

    /// Returns the length in bytes of the units on which a byte shuffle or bytedelta works: the parameter of the filter, or the typesize if
    /// the parameter is 0.
    fn typesize(self, typesize: usize) -> usize {
        if self.meta == 0 { typesize } else { self.meta.into() }
    }
}

/// The order in which the streams of a block store the bytes of elements. It determines how single elements are picked out of the streams.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pick {
    /// The same order as in the block's data.
    Plain,
    /// The order of a byte shuffle of elements with this length in bytes.
    Bytes(usize),
    /// The order of a bit shuffle of elements with this length in bytes, in this version of the chunk format.
    Bits(usize, u8),
}

impl Pick {
    fn unit(self) -> usize {
        match self {
            Pick::Plain => 1,
            Pick::Bytes(typesize) | Pick::Bits(typesize, _) => typesize,
        }
    }

    /// Returns a number of bytes at the start of each stream that is enough for the whole elements in the first `end` bytes of a block. The
    /// block has `length` bytes, divided into `streams` streams.
    pub(crate) fn needed(self, end: usize, length: usize, streams: usize) -> usize {
        match self {
            Pick::Plain if streams == 1 => end,
            Pick::Bytes(typesize) if streams == typesize => end / typesize,
            Pick::Bytes(typesize) if streams == 1 => length - length / typesize + end / typesize,
            _ => length,
        }
    }

    /// Fills `out` with data of a block, starting with byte `start` of the data. The data is assembled from the block's decompressed
    /// streams.
    pub(crate) fn take(self, streams: &[u8], start: usize, out: &mut [u8]) {
        match self {
            Pick::Plain => {
                if let Some(bytes) = streams.get(start..start + out.len()) {
                    out.copy_from_slice(bytes);
                }
            }
            Pick::Bytes(typesize) => unshuffle_part(streams, typesize, start / typesize, out),
            Pick::Bits(typesize, version) => bits::unshuffle_part(streams, typesize, version, start / typesize, out),
        }
    }
}

impl Pipeline {
    pub(crate) fn of(header: &ChunkHeader) -> Pipeline {
        // The bits that trunc_prec and int_trunc have cleared are lost, so readers skip these filters.
        let kept = header.filters().filter(|(filter, _)| !matches!(filter, Filter::TruncPrec | Filter::Other(36)));
        Pipeline::with(kept, header.typesize(), header.version())
    }

    /// Creates the pipeline for new chunks.
    ///
    /// # Errors
    ///
    /// Fails if trunc_prec or int_trunc does not support its parameter or elements of `typesize` bytes.
    pub(crate) fn new(filters: &[(Filter, u8)], typesize: usize, version: u8) -> Result<Pipeline> {
        let pipeline = Pipeline::with(filters.iter().copied(), typesize, version);
        pipeline.steps().iter().try_for_each(|step| trunc::check(step.filter, step.meta, typesize))?;
        Ok(pipeline)
    }

    fn with(filters: impl Iterator<Item = (Filter, u8)>, typesize: usize, version: u8) -> Pipeline {
        let mut steps = [Step { filter: Filter::None, meta: 0 }; 6];
        steps.iter_mut().zip(filters).for_each(|(step, (filter, meta))| *step = Step { filter, meta });
        Pipeline { steps, typesize, version }
    }

    /// Returns true if one of the filters is delta, which combines each later block with the chunk's first block.
    pub(crate) fn has_delta(&self) -> bool {
        self.steps().iter().any(|step| step.filter == Filter::Delta)
    }

    /// Applies only the filters trunc_prec and int_trunc.
    pub(crate) fn truncate(&self, data: &mut [u8]) {
        self.steps().iter().for_each(|step| trunc::apply(data, step.filter, step.meta, self.typesize));
    }

    /// Applies the filters to a block. `other` is a second buffer, whose content is overwritten. `first` is the chunk's first block after
    /// [`truncate`](Pipeline::truncate), or `None` if this is the first block.
    pub(crate) fn apply(&self, block: &mut Vec<u8>, other: &mut Vec<u8>, first: Option<&[u8]>) {
        for step in self.steps() {
            match step.filter {
                Filter::Shuffle | Filter::BitShuffle => {
                    other.resize(block.len(), 0);
                    match step.filter {
                        Filter::Shuffle => shuffle(block, other, step.typesize(self.typesize)),
                        _ => bits::shuffle(block, other, self.typesize, self.version),
                    }
                    core::mem::swap(block, other);
                }
                Filter::Delta => delta::apply(block, self.typesize, first),
                Filter::Other(35) => bytedelta::apply(block, step.typesize(self.typesize)),
                filter => trunc::apply(block, filter, step.meta, self.typesize),
            }
        }
    }

    /// Returns how single elements are copied out of the streams of a block with `length` bytes, or `None` if the filters must first be
    /// undone for the whole block. The elements have `itemsize` bytes, and start at multiples of `itemsize`.
    pub(crate) fn pick(&self, itemsize: usize, length: usize) -> Option<Pick> {
        let pick = match self.steps() {
            [] => Pick::Plain,
            [step] if step.filter == Filter::Shuffle => Pick::Bytes(step.typesize(self.typesize)),
            [step] if step.filter == Filter::BitShuffle => Pick::Bits(self.typesize, self.version),
            _ => return None,
        };
        let unit = pick.unit();
        (unit > 0 && itemsize % unit == 0 && length % unit == 0).then_some(pick)
    }

    fn steps(&self) -> &[Step] {
        let count = self.steps.iter().take_while(|step| step.filter != Filter::None).count();
        self.steps.get(..count).unwrap_or_default()
    }

    /// Returns the number of filters that need a second buffer. If it is 0, streams are decompressed into the block itself.
    pub(crate) fn moves(&self) -> usize {
        self.steps().iter().filter(|step| step.moves()).count()
    }

    /// Undoes the filters of a block, and leaves the block's data in `place`. The filtered block is at the start of `streams`, or already
    /// in `place` if no filter needs a second buffer.
    pub(crate) fn undo(&self, first: Option<&[u8]>, streams: &mut Vec<u8>, other: &mut Vec<u8>, place: &mut [u8]) -> Result<()> {
        let length = place.len();
        let mut left = self.moves();
        for step in self.steps().iter().rev() {
            if !step.moves() {
                let data = if left == 0 { &mut *place } else { streams.get_mut(..length).unwrap_or_default() };
                self.undo_in_place(*step, first, data)?;
                continue;
            }
            left -= 1;
            let from = streams.get(..length).unwrap_or_default();
            let to = if left == 0 { &mut *place } else { front(other, length)? };
            match step.filter {
                Filter::Shuffle => unshuffle(from, to, step.typesize(self.typesize)),
                _ => bits::unshuffle(from, to, self.typesize, self.version),
            }
            if left > 0 {
                core::mem::swap(streams, other);
            }
        }
        Ok(())
    }

    fn undo_in_place(&self, step: Step, first: Option<&[u8]>, data: &mut [u8]) -> Result<()> {
        match step.filter {
            Filter::Delta => delta::undo(data, self.typesize, first),
            Filter::Other(34) => bytedelta::undo_buggy(data, step.typesize(self.typesize)),
            Filter::Other(35) => bytedelta::undo(data, step.typesize(self.typesize)),
            other => return Err(Error::custom(format_args!("{other} is not supported"))),
        }
        Ok(())
    }
}
