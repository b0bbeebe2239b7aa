//! Finds chunks without an index. In a contiguous frame, the search begins after the header. In a sparse frame, chunks are found by the
//! names of their files.

use std::ops::{Range, RangeInclusive};

use b2nd_frame::{Chunk, ChunkHeader, Decompressor, Error, Result};

use super::{HEADER, MOST, Salvage, SavedChunk};

/// The length of a chunk's header in Blosc 1.
const SHORT_HEADER: usize = 16;

/// The versions of the chunk format that the search accepts.
const VERSIONS: RangeInclusive<u8> = 2..=6;

impl Salvage<'_> {
    /// Finds the chunks of a contiguous frame without an index, by a search that begins after the header.
    pub(super) fn walk(&mut self, in_order: bool, decompressor: &mut Decompressor) -> Result<()> {
        let (start, chunks_end) = (self.header.header_len() as u64, self.header.tail_range().start);
        let end = self.source.len()?;
        let (mut at, mut starts, mut inside) = (start, Vec::new(), None);
        let stopped = loop {
            if at == chunks_end {
                inside = Some(starts.len() as u64);
            }
            if at >= end {
                break format!("the input ends at byte {end}");
            }
            let front = self.source.read(at..end.min(at.saturating_add(HEADER)))?;
            let chunk = match ChunkHeader::from_slice(&front).map_err(|error| error.shifted(usize::try_from(at).unwrap_or(0))) {
                Ok(chunk) if self.is_plausible(&chunk) && front.len() >= SHORT_HEADER => chunk,
                Ok(_) => break format!("no valid chunk of this frame starts at byte {at}"),
                Err(error) => break format!("no valid chunk starts at byte {at}: {error}"),
            };
            let next = at.saturating_add(chunk.cbytes() as u64);
            if next > end {
                break format!("the chunk at byte {at} lacks {} at its end", b2nd_store::text::count(next - end, "byte"));
            }
            if at >= chunks_end && self.is_index(at..next, &chunk, &starts, decompressor)? {
                break format!("the chunk at byte {at} is an index of the chunks before it");
            }
            starts.push(at - start);
            let number = starts.len() as u64 - 1;
            self.take(number, SavedChunk::Here(at..next), decompressor)?;
            if self.length(number).is_none() && matches!(self.chunks.last(), Some((_, SavedChunk::Lost))) {
                self.truncate(number);
                break format!("chunk {number} cannot be read, and the length of its data is unknown");
            }
            at = next;
        };
        let found = self.counts().1;
        let Some(expected) = self.count() else {
            self.lose(format_args!("chunks from {found} on, if there were any: {stopped}"));
            return Ok(());
        };
        let is_array = self.header.array().is_ok_and(|array| array.is_some());
        if at >= chunks_end && !in_order {
            self.expect_count(inside, expected)?;
        }
        if found > expected && is_array {
            self.truncate(expected);
        }
        if found < expected {
            match expected - 1 {
                last if last == found => self.lose(format_args!("chunk {found}: {stopped}")),
                last => self.lose(format_args!("chunks {found} to {last}: {stopped}")),
            }
            self.push(expected - found, SavedChunk::Lost);
        }
        Ok(())
    }

    /// Keeps the first `count` chunks, and removes all others.
    fn truncate(&mut self, count: u64) {
        let mut left = count;
        for (count, _) in &mut self.chunks {
            *count = left.min(*count);
            left -= *count;
        }
        self.chunks.retain(|(count, _)| *count > 0);
    }

    /// Fails if the chunks cannot be numbered in the order in which they were found, because their number is not the number in the header,
    /// or because a chunk extends past the position where the header expects the index (then `found` is `None`).
    fn expect_count(&self, found: Option<u64>, expected: u64) -> Result<()> {
        let next = "; `b2nd salvage --in-order` keeps the chunks as they are found";
        let found = found.ok_or_else(|| Error::custom(format_args!("no chunk ends where the header puts the index{next}")))?;
        let counted = self.header.nchunks().unwrap_or(expected);
        let why = match found.cmp(&counted) {
            std::cmp::Ordering::Equal => return Ok(()),
            std::cmp::Ordering::Less => "special chunks usually have no bytes, and only the index contained their numbers",
            std::cmp::Ordering::Greater => "replaced or removed chunks can be in the file, and only the index showed which",
        };
        Err(Error::custom(format_args!("number of chunks: expected {counted} as in the header, found {found}: {why}{next}")))
    }

    /// Reads the chunk files of a sparse frame in the order of their numbers, without an index.
    pub(super) fn files(&mut self, decompressor: &mut Decompressor) -> Result<()> {
        let Some(count) = self.count() else {
            return Err(Error::custom(
                "the index of the sparse frame is lost, and the header does not determine the number of chunks",
            ));
        };
        if count > MOST {
            return Err(Error::custom(format_args!("the frame has {count} chunks; at most {MOST} can be searched for")));
        }
        (0..count).try_for_each(|number| self.take(number, SavedChunk::File(number), decompressor))
    }

    /// Returns true if a chunk may belong to this frame.
    fn is_plausible(&self, chunk: &ChunkHeader) -> bool {
        let typesize = u8::try_from(self.header.typesize()).map_or(1, usize::from);
        let chunksize = usize::try_from(self.header.chunksize()).unwrap_or(0);
        // If chunks or blocks vary in length, the typesize of a chunk can differ from that of the frame.
        let varies = chunksize == 0 || self.header.has_variable_chunks() || self.header.has_variable_blocks();
        let fits = varies || chunk.typesize() == typesize && chunk.nbytes() <= chunksize;
        VERSIONS.contains(&chunk.version()) && chunk.nbytes() > 0 && fits
    }

    /// Returns true if a chunk is an index of the chunks before it. `starts` are the positions of these chunks, counted from the end of the
    /// header.
    fn is_index(&self, place: Range<u64>, chunk: &ChunkHeader, starts: &[u64], decompressor: &mut Decompressor) -> Result<bool> {
        if starts.is_empty() || chunk.nbytes() != 8 * starts.len() {
            return Ok(false);
        }
        let bytes = self.source.read(place)?;
        let data = Chunk::from_slice(&bytes).and_then(|chunk| Ok(chunk.into_data_with(decompressor)?.into_owned()));
        Ok(data.is_ok_and(|data| data.chunks(8).zip(starts).all(|(entry, start)| entry == start.to_le_bytes())))
    }
}
