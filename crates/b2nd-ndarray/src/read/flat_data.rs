//! Reads slices of the data of a frame without an array metalayer.

use std::ops::Range;

use crate::array::Array;
use crate::error::{Error, Result};
use crate::flat::Flat;
use crate::frame;
use crate::read::axis_selection::Wanted;
use crate::read::buffers::BytesMut;

impl Array {
    /// Fills a view with the elements of a slice, like [`decode`](Array::decode), but for a frame without an array metalayer.
    pub(crate) fn decode_flat(
        &self,
        flat: &Flat,
        slice: &[Range<i64>],
        wanted: &[Wanted<'_>],
        mut view: BytesMut<'_>,
    ) -> Result<()> {
        let size = self.itemsize() as u64;
        // The ranges of the data that hold the wanted elements, counted in elements. The data are in C order. Each pass of the loop takes
        // one more dimension into account.
        let mut runs: Vec<Range<u64>> = std::iter::once(0..1).collect();
        for (axis, (range, &length)) in slice.iter().zip(self.grid.shape()).enumerate() {
            let place = |index: i64| u64::try_from(index).unwrap_or(0);
            let wanted: Vec<Range<u64>> = match wanted.get(axis) {
                None | Some(Wanted::Each(1)) => std::iter::once(place(range.start)..place(range.end)).collect(),
                Some(wanted) => {
                    wanted.places(range, 0).unwrap_or_default().into_iter().map(|at| at as u64..at as u64 + 1).collect()
                }
            };
            let length = place(length);
            runs = match wanted.as_slice() {
                [all] if *all == (0..length) => runs.iter().map(|run| run.start * length..run.end * length).collect(),
                _ => {
                    let within = |at: u64| wanted.iter().map(move |run| at * length + run.start..at * length + run.end);
                    runs.into_iter().flatten().flat_map(within).collect()
                }
            };
        }
        let runs = runs.into_iter().map(|run| run.start.saturating_mul(size)..run.end.saturating_mul(size));
        let mut out = view.iter_mut();
        let (mut within, mut data, mut missing) = (0..0, Vec::new(), Ok(()));
        for mut run in runs {
            while !run.is_empty() {
                if !within.contains(&run.start) {
                    let number = flat.chunk_at(run.start);
                    (within, data) = match self.flat_chunk(flat, number) {
                        // The loop goes on, so that the source lists all missing ranges.
                        Err(error) if error.is_missing() => {
                            missing = missing.and(Err(error));
                            (flat.range(number), Vec::new())
                        }
                        chunk => chunk?,
                    };
                }
                let end = run.end.min(within.end);
                // Both positions are inside a chunk. A chunk fits into memory, so the positions fit into a `usize`.
                let [from, to] = [run.start, end].map(|at| usize::try_from(at - within.start).unwrap_or(usize::MAX));
                for (byte, out) in data.get(from..to).unwrap_or_default().iter().zip(out.by_ref()) {
                    *out = *byte;
                }
                run.start = end.max(run.start + 1);
            }
        }
        missing
    }

    fn flat_chunk(&self, flat: &Flat, number: u64) -> Result<(Range<u64>, Vec<u8>)> {
        let in_chunk = |error| Error::in_chunk(number, error);
        let range = flat.range(number);
        let bytes = frame::chunk(&self.store, number, None)?;
        let (expected, found) = (range.end - range.start, bytes.header().nbytes());
        if expected != found as u64 {
            let message = format!("expected {expected} bytes, as the header says, found {found}");
            return Err(in_chunk(b2nd_frame::Error::custom(message).into()));
        }
        Ok((range, self.chunk_data(&bytes).map_err(in_chunk)?))
    }
}
