//! [`Flat`]: the data of a frame without an array metalayer. It is read as an array of one dimension, or of the shape that python-blosc2
//! stored.

use std::ops::Range;

use b2nd::dtype::DType;
use b2nd::{B2ndMeta, Geometry};
use b2nd_store::{Kind, attributes, text::count, value};

use crate::error::{Error, Result};
use crate::frame::ArrayFrame;

/// The bytes of a frame's data that each chunk holds.
#[derive(Clone)]
pub(crate) enum Flat {
    /// Each chunk holds `chunk` bytes. The last chunk can be shorter: the data has `all` bytes.
    Even { chunk: u64, all: u64 },
    /// The position in the data, in bytes, at which each chunk ends.
    Uneven(Vec<u64>),
}

impl Flat {
    /// Returns which bytes of the data each chunk holds, if the data is bytes without a description, or an array that [`tensor`]
    /// describes. Returns `None` if the frame holds something else, such as a store or Python objects.
    pub(crate) fn of(store: &ArrayFrame) -> Result<Option<Flat>> {
        let header = store.header();
        match Kind::of(header, store.trailer().ok()) {
            Kind::SChunk => {}
            Kind::Tensor if tensor(store).is_some() => {}
            _ => return Ok(None),
        }
        let all = u64::try_from(header.nbytes()).unwrap_or(0);
        if let Some(chunk) = u64::try_from(header.chunksize()).ok().filter(|&chunk| chunk != 0) {
            return Ok(Some(Flat::Even { chunk, all }));
        }
        let mut end = 0_u64;
        let ends = (0..store.offsets()?.len()).map(|number| {
            end = end.saturating_add(store.chunk_reader(number, 0)?.header().nbytes() as u64);
            Ok(end)
        });
        ends.collect::<Result<_>>().map(Flat::Uneven).map(Some)
    }

    /// Returns the length of the data in bytes.
    pub(crate) fn len(&self) -> u64 {
        match self {
            Flat::Even { all, .. } => *all,
            Flat::Uneven(ends) => ends.last().copied().unwrap_or(0),
        }
    }

    /// Returns the range of bytes of the data that a chunk holds.
    pub(crate) fn range(&self, number: u64) -> Range<u64> {
        match self {
            Flat::Even { chunk, all } => {
                let start = number.saturating_mul(*chunk);
                start.min(*all)..start.saturating_add(*chunk).min(*all)
            }
            Flat::Uneven(ends) => {
                let end = |number: u64| usize::try_from(number).ok().and_then(|number| ends.get(number)).copied();
                number.checked_sub(1).and_then(end).unwrap_or(0)..end(number).unwrap_or(self.len())
            }
        }
    }

    /// Returns the index of the chunk that holds the byte at this position of the data.
    pub(crate) fn chunk_at(&self, at: u64) -> u64 {
        match self {
            Flat::Even { chunk, .. } => at.checked_div(*chunk).unwrap_or(0),
            Flat::Uneven(ends) => ends.partition_point(|&end| end <= at) as u64,
        }
    }

    /// Returns the geometry of the data as an array of elements of this size. If `shape` is `None`, the array has one dimension. If chunks
    /// have different lengths, the chunk shape is chosen for the largest chunk.
    pub(crate) fn geometry(&self, shape: Option<Vec<i64>>, itemsize: usize, blocksize: usize) -> Result<Geometry> {
        let size = itemsize.max(1) as u64;
        if self.len() % size != 0 {
            let length = count(self.len(), "byte");
            return Err(Error::custom(format_args!("the data has {length}, which is not a multiple of the itemsize, {size}")));
        }
        let length = i64::try_from(self.len() / size).unwrap_or(i64::MAX);
        let shape = shape.unwrap_or_else(|| vec![length]);
        if shape.iter().try_fold(1_i64, |items, &length| items.checked_mul(length)) != Some(length) {
            return Err(Error::custom(format_args!("the data has {}, but the shape is {shape:?}", count(length, "element"))));
        }
        let chunk = match self {
            Flat::Even { chunk, .. } => *chunk,
            Flat::Uneven(ends) => {
                (0..ends.len() as u64).map(|number| self.range(number)).map(|it| it.end - it.start).max().unwrap_or(0)
            }
        };
        let chunkshape = within(chunk / size, shape.iter().copied());
        let blockshape = within(blocksize as u64 / size, chunkshape.iter().map(|&length| length.into()));
        Ok(Geometry::new(&shape, &chunkshape, &blockshape)?)
    }
}

/// Returns the shape of a box of at most `items` elements, but at least one, in an array of this shape. The box extends along the last
/// dimensions first.
fn within(mut items: u64, shape: impl DoubleEndedIterator<Item = i64>) -> Vec<i32> {
    let along = |length: i64| {
        let part = i32::try_from(items).unwrap_or(i32::MAX).clamp(1, i32::try_from(length.max(1)).unwrap_or(i32::MAX));
        items /= u64::from(part.unsigned_abs());
        part
    };
    let mut part: Vec<i32> = shape.rev().map(along).collect();
    part.reverse();
    part
}

/// Returns the shape and dtype of the array in a frame that a function of python-blosc2 such as `pack_tensor` or `save_array` wrote. The
/// frame's data is the array's elements in C order. Returns `None` for other frames, and if the dtype is unknown or a list of fields.
pub(crate) fn tensor(store: &ArrayFrame) -> Option<(Vec<i64>, DType)> {
    let described = attributes::get(store.trailer().ok()?, "__pack_tensor__")?;
    let parts: Vec<_> = value::read(&described)?.elements().collect();
    let [_, shape, dtype] = parts.as_slice() else { return None };
    let lengths = shape.elements().map(|length| i64::try_from(length.as_u64()?).ok()).collect::<Option<Vec<_>>>();
    lengths.zip(dtype.as_str()?.parse().ok())
}

/// Encodes an array metalayer for the data, for codecs and filters that need shapes.
pub(crate) fn metalayer(geometry: &Geometry) -> Result<Vec<u8>> {
    Ok(b2nd::to_vec(&B2ndMeta::new(*geometry, "|u1"))?)
}
