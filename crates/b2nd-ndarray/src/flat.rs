//! Frames without an array: their data are an array of one dimension.

use std::ops::Range;

use b2nd::dtype::DType;
use b2nd::frame::{Header, Special};
use b2nd::{B2ndMeta, Geometry};
use b2nd_store::Kind;

use crate::array::Array;
use crate::error::{Error, Result};
use crate::frame::{self, ArrayFrame};
use crate::read::axis_selection::Wanted;
use crate::read::decode::{BytesMut, repeated};

/// The bytes of each chunk in the data of a frame, whose blocks need not be those of the others.
#[derive(Clone)]
pub(crate) enum Flat {
    /// All chunks but the last have this length.
    Even { chunk: u64, all: u64 },
    /// Where each chunk ends.
    Uneven(Vec<u64>),
}

impl Flat {
    /// The data of a frame of plain chunks. `None` for a frame whose chunks hold something else.
    pub(crate) fn of(store: &ArrayFrame) -> Result<Option<Flat>> {
        let header = store.header();
        if Kind::of(header, store.trailer().ok()) != Kind::SChunk {
            return Ok(None);
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

    /// The length of the data in bytes.
    fn len(&self) -> u64 {
        match self {
            Flat::Even { all, .. } => *all,
            Flat::Uneven(ends) => ends.last().copied().unwrap_or(0),
        }
    }

    /// The bytes that are in a chunk.
    fn range(&self, number: u64) -> Range<u64> {
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

    /// The chunk that holds a byte.
    fn chunk_at(&self, at: u64) -> u64 {
        match self {
            Flat::Even { chunk, .. } => at.checked_div(*chunk).unwrap_or(0),
            Flat::Uneven(ends) => ends.partition_point(|&end| end <= at) as u64,
        }
    }

    /// The shapes of the data as elements of this size. Chunks of different lengths are said to be as long as the longest.
    pub(crate) fn geometry(&self, itemsize: usize, blocksize: usize) -> Result<Geometry> {
        let size = itemsize.max(1) as u64;
        if self.len() % size != 0 {
            let message = format!("its {} bytes are no whole number of elements of {size} bytes", self.len());
            return Err(b2nd::Error::custom(message).into());
        }
        let length = i64::try_from(self.len() / size).unwrap_or(i64::MAX);
        let chunk = match self {
            Flat::Even { chunk, .. } => *chunk,
            Flat::Uneven(ends) => {
                (0..ends.len() as u64).map(|number| self.range(number)).map(|it| it.end - it.start).max().unwrap_or(0)
            }
        };
        let chunk = i32::try_from(chunk / size).unwrap_or(i32::MAX).clamp(1, i32::try_from(length.max(1)).unwrap_or(i32::MAX));
        let block = i32::try_from(blocksize as u64 / size).unwrap_or(i32::MAX).clamp(1, chunk);
        Ok(Geometry::new(&[length], &[chunk], &[block])?)
    }
}

/// The type of the elements that a header tells: bytes, if they have no more than one.
pub(crate) fn dtype(header: &Header) -> Option<DType> {
    (header.typesize() == 1).then(|| "|u1".parse().ok()).flatten()
}

/// What stands for the array's metalayer: some codecs and filters ask for the shapes.
pub(crate) fn metalayer(geometry: &Geometry) -> Result<Vec<u8>> {
    Ok(b2nd::to_vec(&B2ndMeta::new(*geometry, "|u1"))?)
}

impl Array {
    /// True if the file has no array: its data, plain chunks of bytes, are read as an array of one dimension.
    pub fn is_flat(&self) -> bool {
        self.flat.is_some()
    }

    /// Reads the data of a frame without an array ([`is_flat`](Array::is_flat)) as elements of this type.
    ///
    /// ```
    /// use b2nd::frame::{Chunk, Header, Sizes, Writer};
    /// use b2nd_ndarray::Array;
    ///
    /// let mut writer = Writer::new(Header::new(Sizes { typesize: 2, chunksize: 6, blocksize: 6 })?);
    /// for chunk in [[1, 0, 2, 0, 3, 0], [4, 0, 5, 0, 6, 0]] {
    ///     writer.append(&Chunk::store(&chunk, 2)?)?;
    /// }
    /// let array = Array::from_frame(writer.finish()?)?.with_dtype("<i2".parse()?)?;
    /// assert_eq!(array.read::<i16>(&[1..5])?.as_slice(), Some(&[2, 3, 4, 5][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The file has an array, whose type is known, or the length of the data is no multiple of an element's.
    pub fn with_dtype(self, dtype: DType) -> Result<Array> {
        let Some(flat) = &self.flat else {
            return Err(b2nd::Error::custom("the file says the type of its array").into());
        };
        let blocksize = usize::try_from(self.header().blocksize()).unwrap_or(0);
        let geometry = flat.geometry(dtype.itemsize(), blocksize)?;
        let itemsize = dtype.itemsize();
        Ok(Array { geometry, grid: geometry.grid()?, itemsize, dtype: Some(dtype), ..self })
    }

    /// Fills a view with the elements of a slice of a flat frame, as [`decode`](Array::decode) does for arrays.
    pub(crate) fn decode_flat(
        &self,
        flat: &Flat,
        slice: &[Range<i64>],
        wanted: &[Wanted<'_>],
        mut view: BytesMut<'_>,
    ) -> Result<()> {
        let [range] = slice else { return Err(Error::Dimensions { expected: 1, found: slice.len() }) };
        let size = self.itemsize() as u64;
        let place = |index: i64| u64::try_from(index).unwrap_or(0).saturating_mul(size);
        let runs: Vec<Range<u64>> = match wanted.first() {
            None | Some(Wanted::Each(1)) => std::iter::once(place(range.start)..place(range.end)).collect(),
            Some(Wanted::Each(step)) => {
                let step = usize::try_from(*step).unwrap_or(usize::MAX);
                range.clone().step_by(step).map(|index| place(index)..place(index + 1)).collect()
            }
            Some(wanted @ Wanted::At(_)) => {
                let places = wanted.places(range, 0).unwrap_or_default();
                places.into_iter().map(|index| place(index as i64)..place(index as i64 + 1)).collect()
            }
        };
        let mut out = view.iter_mut();
        let mut held: Option<(Range<u64>, Vec<u8>)> = None;
        for run in runs {
            let mut at = run.start;
            while at < run.end {
                let (within, data) = match held.take().filter(|(within, _)| within.contains(&at)) {
                    Some(chunk) => chunk,
                    None => self.flat_chunk(flat, flat.chunk_at(at))?,
                };
                let end = run.end.min(within.end);
                // Both lie in a chunk in memory.
                let [from, to] = [at, end].map(|at| usize::try_from(at - within.start).unwrap_or(usize::MAX));
                for (byte, out) in data.get(from..to).unwrap_or_default().iter().zip(out.by_ref()) {
                    *out = *byte;
                }
                held = Some((within, data));
                at = end.max(at + 1);
            }
        }
        Ok(())
    }

    fn flat_chunk(&self, flat: &Flat, number: u64) -> Result<(Range<u64>, Vec<u8>)> {
        let in_chunk = |error| Error::in_chunk(number, error);
        let range = flat.range(number);
        let mut bytes = frame::chunk(&self.store, number, None)?;
        let (expected, found) = (range.end - range.start, bytes.header().nbytes());
        if expected != found as u64 {
            let message = format!("expected {expected} bytes, as the header says, found {found}");
            return Err(in_chunk(b2nd::Error::custom(message).into()));
        }
        let special: Option<Special> = bytes.header().special();
        let data = match special {
            Some(special) => {
                let typesize = bytes.header().typesize();
                let element = repeated(special, &mut bytes, typesize).map_err(in_chunk)?;
                let mut data = crate::element::zeroed(found).ok_or(Error::Memory { items: found as i64, itemsize: 1 })?;
                data.chunks_mut(element.len().max(1)).for_each(|place: &mut [u8]| {
                    place.iter_mut().zip(&element).for_each(|(to, from)| *to = *from);
                });
                data
            }
            None => {
                let mut scratch = self.scratch.take();
                scratch.decompressor.set_metalayer(&self.metalayer);
                let data = scratch.decompressor.data_of(bytes.header(), bytes.front());
                self.scratch.give(scratch);
                data.map_err(Error::from).map_err(in_chunk)?
            }
        };
        Ok((range, data))
    }
}
