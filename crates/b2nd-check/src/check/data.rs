//! Checks the length, the index and the chunks of a frame. Chunks that overlap or lie outside of the frame are found by the reader in
//! `b2nd_frame`, whose errors become findings here.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use b2nd_frame::{ChunkHeader, CodecId, Decompressor, ErrorKind, Filter, FrameType, Result, Special};
use b2nd_store::{Frame, readable};

use super::{DECODED, Digests, Finding, Findings, NO, NOT_READ, NOT_SPECIFIED, READ, REJECTED, UNKNOWN, chunk};
use crate::known_defects::{SPECIAL_IN_DATA, SPECIAL_VARIABLE_BLOCKS};
use b2nd_store::chunks::{self, Content};
use b2nd_store::text::{count, thousands};

/// The maximum number of bytes from the start of the index to the start of the trailer that C-Blosc2 supports in a file.
const FARTHEST: u64 = i32::MAX as u64;

/// The distances in bytes from the end of the frame back to the start and to the end of the trailer's length, which is stored with a
/// marker.
pub(super) const TRAILER_LEN: (u64, u64) = (23, 18);

/// The maximum length of a chunk's header, in bytes.
const HEADER: u64 = ChunkHeader::MAX_LEN as u64;

/// The memory needed for the decoded entries of an index is estimated as their length times this number.
const OFFSETS: u64 = 4;

/// Returns the header of the chunk that contains the index, or `None` if the frame has no data or the header is missing or not valid.
pub(super) fn index_header(frame: &Frame) -> Result<Option<ChunkHeader>> {
    let place = frame.header().tail_range();
    let front = readable(frame.read(place.start..place.end.min(place.start.saturating_add(HEADER))))?;
    Ok(front.ok().and_then(|front| ChunkHeader::from_slice(&front).ok()).filter(|_| frame.header().nbytes() != 0))
}

impl Findings {
    /// Returns true if the trailer and the index can be decoded with the memory that the limits allow. Otherwise, adds a finding. `index`
    /// is the header of the chunk that contains the index. The length of the trailer is read, but not the trailer itself.
    pub(super) fn tail(&mut self, frame: &Frame, index: Option<&ChunkHeader>) -> Result<bool> {
        let end = frame.header().frame_len();
        let length = readable(frame.read(end.saturating_sub(TRAILER_LEN.0)..end.saturating_sub(TRAILER_LEN.1)))?;
        let length = length.ok().and_then(|bytes| b2nd::from_slice::<u32>(&bytes).ok()).unwrap_or(0);
        let mut fits = self.needs("trailer", u64::from(length).saturating_mul(DECODED));
        if let Some(index) = index {
            let entries = if index.special().is_some() { 0 } else { (index.nbytes() as u64).saturating_mul(OFFSETS) };
            fits &= self.needs("index", (index.cbytes() as u64).saturating_add(entries));
        }
        Ok(fits)
    }

    /// Adds a finding that the time limit was reached at this part.
    pub(super) fn no_time(&mut self, place: &str) {
        let most = self.budget.limits.max_time.unwrap_or_default();
        self.unreadable("frame", None, format!("the time limit of {most:?} was reached at {place}"), UNKNOWN);
    }

    pub(super) fn length(&mut self, frame: &Frame) -> Result<()> {
        let end = frame.source().len()?.saturating_sub(frame.position());
        let frame_len = frame.header().frame_len();
        if frame.position() == 0 && end > frame_len {
            let finding = format!("the frame is followed by {}, which an edit may remove", count(end - frame_len, "byte"));
            self.add("file", Some(frame_len), finding, READ);
        }
        let header = frame.header();
        if let (0, Ok(range)) = (header.nbytes(), frame.trailer_range()) {
            let after = frame_len.saturating_sub(range.end);
            if after != 0 {
                let finding =
                    format!("it is followed by {}, which C-Blosc2 may ignore because the frame is empty", count(after, "byte"));
                self.add("trailer", Some(range.end), finding, NOT_SPECIFIED);
            }
        }
        Ok(())
    }

    /// Returns the digests of the frame's chunks. Adds a finding if the attribute does not hold digests, if their version or algorithm is
    /// unknown, or if their length is not that of one digest for each chunk. Returns `None` without a finding if there is no such
    /// attribute, or it cannot be decompressed within the limits.
    fn digests(&mut self, frame: &Frame, chunks: u64, decompressor: &mut Decompressor) -> Option<Digests> {
        let place = format!("vlmetalayer {:?}", Digests::NAME);
        match Digests::read(frame.trailer().ok()?, &self.budget, decompressor)? {
            Ok(digests) => {
                if digests.count() != chunks {
                    let finding =
                        format!("it has {}, but the frame has {}", count(digests.count(), "digest"), count(chunks, "chunk"));
                    self.add(place, None, finding, READ);
                }
                Some(digests)
            }
            Err(error) => {
                self.add(place, None, format!("its digests cannot be compared: {error}"), READ);
                None
            }
        }
    }

    /// Compares consecutive special chunks with their digests, and adds a finding for the first chunk that differs, or if the memory limit
    /// does not allow the comparison. The chunks have equal data, so only one of them is decoded.
    fn special(&mut self, frame: &Frame, chunks: RangeInclusive<u64>, digests: &Digests) -> Result<()> {
        let Ok(chunk) = readable(frame.chunk(*chunks.start()))? else { return Ok(()) };
        if let Some(refused) = self.budget.refuses_chunk(chunk.header()) {
            self.add(format!("chunk {}", chunks.start()), None, format!("its digest is not compared: {refused}"), READ);
            return Ok(());
        }
        let other = chunk.into_data().ok().and_then(|data| digests.first_other(chunks, &data));
        other.into_iter().for_each(|chunk| self.other_values(chunk, None));
        Ok(())
    }

    /// Adds a finding that the values of a chunk do not match its digest.
    fn other_values(&mut self, chunk: u64, offset: Option<u64>) {
        let finding = "its values do not match its digest: one of them was damaged, or the values changed without a new digest";
        self.unreadable(format!("chunk {chunk}"), offset, finding, READ);
    }

    /// Checks the chunk that contains the index, and the distance from this chunk to the trailer.
    fn index(&mut self, frame: &Frame, chunk: &ChunkHeader) {
        let start = frame.header().tail_range().start;
        for (finding, answers) in chunk::of_metadata(frame.header(), chunk, Some(size_of::<u64>())) {
            self.add("index", Some(start), finding, answers);
        }
        if let Ok(trailer) = frame.trailer_range() {
            let distance = trailer.start.saturating_sub(start);
            if distance > FARTHEST {
                let (far, limit) = (count(distance, "byte"), thousands(FARTHEST));
                let finding = format!("it is {far} after the start of the index; C-Blosc2's limit is {limit}");
                self.add("trailer", Some(trailer.start), finding, NOT_READ);
            }
        }
    }

    /// Checks the index and the chunks. `index` is the header of the chunk that contains the index. The chunks are decoded only if `data`
    /// is true.
    pub(super) fn chunks(
        &mut self,
        frame: &Frame,
        index: Option<&ChunkHeader>,
        is_array: bool,
        data: bool,
        decompressor: &mut Decompressor,
    ) -> Result<()> {
        let offsets = match readable(frame.offsets())? {
            Ok(offsets) => offsets,
            Err(error) => {
                match error.kind() {
                    ErrorKind::NoCodec { .. } => self.not_decoded("index", None, &error),
                    _ => self.all.push(Finding::refused("index", &error)),
                }
                return Ok(());
            }
        };
        index.into_iter().for_each(|index| self.index(frame, index));
        let digests = if data { self.digests(frame, offsets.len(), decompressor) } else { None };
        let (mut cbytes, mut nbytes, mut are_whole) = (0, 0, true);
        for row in chunks::rows(frame, offsets) {
            let place = format!("chunk {}", row.first);
            if self.budget.is_over() {
                self.no_time(&place);
                return Ok(());
            }
            let Content::At(_, header) = row.content else {
                are_whole = false;
                if frame.header().has_variable_blocks() {
                    let finding = "it is special in the index, but the frame's blocks vary in length".to_owned();
                    self.known(&place, None, (SPECIAL_VARIABLE_BLOCKS, finding), None);
                }
                if let (Some(digests), Content::Special(_, Some(_))) = (&digests, &row.content) {
                    self.special(frame, row.first..=row.last, digests)?;
                }
                if matches!(row.content, Content::Special(_, None)) {
                    let finding = "it is special in the index, and the header does not determine its length";
                    self.unreadable(place, None, finding, NOT_SPECIFIED);
                } else if let Err(error) = readable(frame.chunk_header(row.first))? {
                    self.unreadable(place, None, error.to_string(), [NO, NO, None]);
                }
                continue;
            };
            cbytes += header.as_ref().map_or(0, |header| header.cbytes() as u64);
            nbytes += header.as_ref().map_or(0, |header| header.nbytes() as u64);
            are_whole &= header.is_ok();
            let offset = offsets.range(row.first).map(|range| range.start);
            let found: Vec<_> =
                header.iter().flat_map(|chunk| chunk::findings(frame.header(), is_array, row.first, chunk)).collect();
            for (known, document) in header.iter().flat_map(|chunk| chunk::known(frame.header(), is_array, row.first, chunk)) {
                // If `findings` has found a problem, the chunk is not also reported as a special chunk that is stored as data.
                if found.is_empty() || known.0 != SPECIAL_IN_DATA {
                    self.known(&place, offset, known, document);
                }
            }
            for (finding, answers) in found {
                self.add(&place, offset, finding, answers);
            }
            match header {
                // In a sparse frame, an I/O error is a finding, because the chunk's file may be missing.
                Err(error) if matches!(error.kind(), ErrorKind::Io(_)) && frame.header().frame_type() != FrameType::Sparse => {
                    return Err(error);
                }
                Err(error) if matches!(error.kind(), ErrorKind::NoCodec { .. }) => self.not_decoded(place, offset, &error),
                Err(error) => {
                    // The place of the finding already names the chunk, so the sentence usually omits it.
                    let field = error.path().filter(|_| !error.is_eof());
                    let field = field.and_then(|path| path.strip_prefix(&format!("chunk[{}].", row.first)));
                    let at = error.offset().map_or_else(String::new, |at| format!(" at byte {at}"));
                    let sentence = field.map_or_else(|| error.to_string(), |field| format!("{field}: {}{at}", error.kind()));
                    self.unreadable(place, offset, sentence, NOT_SPECIFIED);
                }
                Ok(header) if data => {
                    if let Some(refused) = self.budget.refuses_chunk(&header) {
                        self.unreadable(place, offset, refused, UNKNOWN);
                        continue;
                    }
                    let chunk = frame.chunk(row.first);
                    let blocks = chunk.as_ref().ok().and_then(|chunk| Some((chunk, chunk::blocks(chunk)?)));
                    if let Some(known) = blocks.as_ref().and_then(|(_, blocks)| chunk::shared(blocks)) {
                        self.known(&place, offset, known, None);
                    }
                    if let Some(lack) = blocks.as_ref().and_then(|(chunk, blocks)| chunk::lengths(chunk, blocks)) {
                        self.unreadable(place, offset, lack, NOT_SPECIFIED);
                        continue;
                    }
                    let gap = blocks.and_then(|(_, blocks)| chunk::gap(&blocks));
                    let found = chunk.and_then(|chunk| match header.special() {
                        // A special chunk can be decoded, unless it is NaN and has the wrong typesize. So other special chunks are
                        // decoded only if the frame has digests.
                        Some(special) if digests.is_none() && special != Special::Nan => Ok(Cow::default()),
                        _ => chunk.into_data_with(decompressor),
                    });
                    if let (Ok(_), Some(gap)) = (&found, gap) {
                        self.add(&place, offset, gap, NOT_SPECIFIED);
                    }
                    let found = found.map(|data| digests.as_ref().and_then(|digests| digests.matches(row.first, &data)));
                    if let Ok(Some(false)) = found {
                        self.other_values(row.first, offset);
                    }
                    if let Err(error) = readable(found)? {
                        match error.kind() {
                            _ if self.budget.is_over() => {
                                self.no_time(&place);
                                return Ok(());
                            }
                            ErrorKind::NoCodec { .. } => self.not_decoded(place, offset, &error),
                            _ if has_plugins(&header) => self.unreadable(place, offset, error.to_string(), UNKNOWN),
                            _ => self.unreadable(place, offset, error.to_string(), NOT_SPECIFIED),
                        }
                    }
                }
                Ok(_) => {}
            }
        }
        let said = frame.header().nbytes();
        if are_whole && frame.header().has_variable_chunks() && i128::from(said) != i128::from(nbytes) {
            let finding = format!("nbytes: the chunks have {}, but the header says {}", count(nbytes, "byte"), thousands(said));
            self.add("header", None, finding, REJECTED);
        }
        // In cbytes, C-Blosc2 also counts replaced or removed chunks whose bytes are still in the file. So it is not an error if cbytes is
        // larger than the sum.
        let said = frame.header().cbytes();
        if i128::from(said) < i128::from(cbytes) {
            let finding = format!("cbytes: the chunks have {}, but the header says {}", count(cbytes, "byte"), thousands(said));
            self.add("header", None, finding, NOT_SPECIFIED);
        }
        Ok(())
    }
}

/// Returns true if a chunk uses a codec or filter that is not built in, such as one of C-Blosc2's plugins, whose output can differ
/// between versions.
fn has_plugins(header: &ChunkHeader) -> bool {
    matches!(header.codec(), CodecId::Other(_)) || header.filters().any(|(filter, _)| matches!(filter, Filter::Other(_)))
}
