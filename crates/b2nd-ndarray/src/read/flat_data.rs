//! Reads slices of the data of a frame without an array.

use std::ops::Range;

use b2nd::frame::Special;

use crate::array::Array;
use crate::element;
use crate::error::{Error, Result};
use crate::flat::Flat;
use crate::frame;
use crate::read::axis_selection::Wanted;
use crate::read::buffers::BytesMut;
use crate::read::decode::repeated;

impl Array {
    /// Fills a view with the elements of a slice, like [`decode`](Array::decode), but for a frame without an array.
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
                // Both positions are inside a chunk, which fits into memory.
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
                let mut data = element::zeroed(found).ok_or(Error::Memory { items: found as i64, itemsize: 1 })?;
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
