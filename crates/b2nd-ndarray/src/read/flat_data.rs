//! Reads slices of the data of a frame without an array metalayer.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::flat::Flat;
use crate::frame;
use crate::read::along::Along;
use crate::read::buffers::BytesMut;
use crate::read::rows::Rows;

impl Array {
    /// Fills a view with the elements of a slice, like [`decode`](Array::decode), but for a frame without an array metalayer.
    pub(crate) fn decode_flat(&self, flat: &Flat, selected: &[Along], view: BytesMut<'_>) -> Result<()> {
        let (mut chunk, mut data, mut missing) = (0..0, Vec::new(), None);
        // The chunks together are the array's elements in C order.
        let rows = Rows::new(selected, |_| 0, self.grid.shape(), self.itemsize());
        rows.each(view, &mut |mut at, mut row| {
            while !row.is_empty() {
                if !chunk.contains(&at) {
                    let number = flat.chunk_at(at);
                    chunk = flat.range(number);
                    data = match self.flat_chunk(number, chunk.end - chunk.start) {
                        // The loop goes on, so that the source lists all missing ranges.
                        Err(error) if error.is_missing() => {
                            missing.get_or_insert(error);
                            Vec::new()
                        }
                        data => data?,
                    };
                }
                // Both numbers are at most the length of a chunk, which fits into memory.
                let [from, left] = [at - chunk.start, chunk.end - at].map(|length| usize::try_from(length).unwrap_or(usize::MAX));
                let (part, rest) = row.split_at_mut(left.min(row.len()));
                if let Some(data) = data.get(from..from + part.len()) {
                    part.copy_from_slice(data);
                }
                (at, row) = (chunk.end, rest);
            }
            Ok(())
        })?;
        missing.map_or(Ok(()), Err)
    }

    /// Decodes a chunk, which should have this number of bytes.
    fn flat_chunk(&self, number: u64, expected: u64) -> Result<Vec<u8>> {
        let in_chunk = |error| Error::in_chunk(number, error);
        let bytes = frame::chunk(&self.store, number, None)?;
        let found = bytes.header().nbytes();
        if expected != found as u64 {
            let [expected, found] = [expected, found as u64].map(|length| b2nd_store::text::count(length, "byte"));
            return Err(in_chunk(Error::custom(format_args!("expected {expected} of data, found {found}"))));
        }
        self.chunk_data(&bytes).map_err(in_chunk)
    }
}
