//! [`Salvage`]: finds the intact parts of a frame that is cut off or damaged. Chunks are found by the index. If the index is lost, the
//! chunks of a contiguous frame are found by a search that begins after the header, those of a sparse frame by the names of their files.

use std::borrow::Cow;
use std::ops::Range;

use b2nd::dtype::{ByteOrder, DType, ScalarType};
use b2nd_frame::{
    Chunk, ChunkHeader, Decompressor, Error, FrameType, Header, LONGEST, Offset, Offsets, Result, Source, Special, Target, Writer,
};

use b2nd_store::{Frame, is_of_source, text};

mod trailer;
mod walk;

/// The maximum length of a chunk's header, in bytes.
const HEADER: u64 = ChunkHeader::MAX_LEN as u64;

/// The maximum number of chunks of a new frame, which follows from the maximum length of an index.
const MOST: u64 = LONGEST / 8;

/// The intact parts of a damaged frame, and a list of what is lost.
///
/// The header and the metalayers have to be readable. If the index is readable, it gives the position of each chunk. If not, the chunks of
/// a contiguous frame are searched for, beginning after the header, and are numbered in the order in which they are found. The chunks of a
/// sparse frame then have the numbers of their files. These numbers can be wrong if chunks were updated, inserted or deleted, or if some
/// chunks are special, because special chunks usually have no bytes in the file. A chunk counts as intact if it can be decoded and its
/// data has the expected length, if this length is known. A chunk that the decompressor does not [accept](Decompressor::accept) is not
/// decoded; only the length in its header is compared with the expected length.
pub struct Salvage<'s> {
    source: &'s dyn Source,
    header: Header,
    /// The chunks as runs of equal chunks: the number of chunks in each run, and where these chunks come from. The runs are not expanded,
    /// because a few bytes of a damaged file may claim any number of chunks.
    chunks: Vec<(u64, SavedChunk)>,
    /// Whether the order of the chunks comes from the index. If false, the index is lost, and the order is that in which the chunks were
    /// found or, in a sparse frame, that of the numbers of their files.
    pub is_ordered: bool,
    /// The names and values of the vlmetalayers that are intact and can be written.
    pub attributes: Vec<(String, Vec<u8>)>,
    /// Sentences about the lost parts. Each begins with the name of a part, such as `chunk 4`.
    pub lost: Vec<String>,
}

/// The source of a chunk that [`Salvage::write`] writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SavedChunk {
    /// The chunk is in this range of the damaged frame.
    Here(Range<u64>),
    /// The chunk is the file with this number in the directory of a sparse frame.
    File(u64),
    /// The chunk is special: it has no bytes of its own, only an entry in the index.
    Special(Special),
    /// The chunk is lost.
    Lost,
}

/// The value that the elements of lost chunks have in the new frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fill {
    /// Zeros.
    Zero,
    /// NaN. The elements have to be little-endian floats of 4 or 8 bytes. If their dtype is unknown, only their length is checked.
    Nan,
}

impl<'s> Salvage<'s> {
    /// Searches for the intact parts of a frame. If the index of a contiguous frame is lost, chunks are numbered in the order in which they
    /// are found. If `in_order` is true, this is done even if the header shows that this order may be wrong.
    ///
    /// # Errors
    ///
    /// Fails if the header is damaged or the source cannot be read. In a sparse frame, a chunk that cannot be read only counts as lost.
    /// Fails if the index of a sparse frame is lost and the number of its chunks is unknown or too large. If `in_order` is false, also
    /// fails if the index of a contiguous frame is lost and the header shows that the chunks may not be in the order in which they are
    /// found.
    pub fn new(source: &'s dyn Source, in_order: bool, decompressor: &mut Decompressor) -> Result<Salvage<'s>> {
        let frame = Frame::open(source)?;
        let header = frame.header().clone();
        let mut salvage =
            Salvage { source, header, chunks: Vec::new(), is_ordered: true, attributes: Vec::new(), lost: Vec::new() };
        let tail = salvage.tail()?;
        match Offsets::from_tail(&salvage.header, &tail) {
            Ok(offsets) => salvage.indexed(&offsets, decompressor)?,
            // The index may be intact: a build with a decoder for it can tell.
            Err(why) if matches!(why.kind(), b2nd_frame::ErrorKind::NoCodec { codec, .. } if codec == "zstd") => return Err(why),
            Err(error) => {
                salvage.is_ordered = false;
                let why = frame.offsets().err().unwrap_or(error).to_string();
                salvage.lose(format_args!("index: {}", why.strip_prefix("index: ").unwrap_or(&why)));
                match salvage.header.frame_type() {
                    FrameType::Contiguous => salvage.walk(in_order, decompressor)?,
                    FrameType::Sparse => salvage.files(decompressor)?,
                }
            }
        }
        salvage.trailer(&frame, &tail, decompressor)?;
        Ok(salvage)
    }

    /// Returns the header of the damaged frame.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the chunks of the new frame in order, as runs of equal chunks: the number of chunks in each run, and where these chunks come
    /// from.
    pub fn chunks(&self) -> &[(u64, SavedChunk)] {
        &self.chunks
    }

    /// Returns the number of intact chunks and the total number of chunks.
    pub fn counts(&self) -> (u64, u64) {
        let count = |runs: &mut dyn Iterator<Item = &(u64, SavedChunk)>| runs.map(|(count, _)| count).sum();
        (count(&mut self.chunks.iter().filter(|(_, part)| *part != SavedChunk::Lost)), count(&mut self.chunks.iter()))
    }

    /// Adds a run of equal chunks.
    fn push(&mut self, count: u64, part: SavedChunk) {
        match self.chunks.last_mut() {
            Some((before, last)) if *last == part && matches!(part, SavedChunk::Special(_) | SavedChunk::Lost) => {
                *before += count
            }
            _ if count > 0 => self.chunks.push((count, part)),
            _ => {}
        }
    }

    /// Writes all chunks and attributes to a writer, which must have been created for a frame with the header of the damaged frame.
    ///
    /// # Errors
    ///
    /// Fails if there are too many chunks, if lost chunks cannot be filled with `fill`, if the length of a lost or special chunk is
    /// unknown, if the writer rejects a chunk or an attribute, or if the source cannot be read.
    pub fn write<T: Target>(&self, fill: Fill, writer: &mut Writer<T>) -> Result<()> {
        let (whole, all) = self.counts();
        if all > MOST {
            return Err(Error::custom(format_args!("the frame has {all} chunks; at most {MOST} can be written")));
        }
        if fill == Fill::Nan && whole < all {
            self.expect_floats()?;
        }
        let parts = self.chunks.iter().flat_map(|(count, part)| (0..*count).map(move |_| part));
        for (number, part) in (0..).zip(parts) {
            match part {
                SavedChunk::Special(special) => writer.append_special(*special, self.nbytes(number)?)?,
                SavedChunk::Lost => {
                    let special = if fill == Fill::Nan { Special::Nan } else { Special::Zeros };
                    writer.append_special(special, self.nbytes(number)?)?;
                }
                part => append(writer, &Chunk::from_slice(&self.bytes(part)?)?)?,
            }
        }
        self.attributes.iter().try_for_each(|(name, value)| writer.set_vlmetalayer_bytes(name, value))
    }

    fn lose(&mut self, what: impl std::fmt::Display) {
        self.lost.push(what.to_string());
    }

    fn expect_floats(&self) -> Result<()> {
        let array = self.header.array()?;
        let dtype = array.and_then(|array| array.parse_dtype().ok().flatten());
        let is_float = match &dtype {
            Some(DType::Scalar(scalar)) if scalar.byte_order() == Some(ByteOrder::Little) => {
                matches!(scalar.scalar_type(), ScalarType::Float32 | ScalarType::Float64)
            }
            Some(_) => false,
            None => matches!(self.header.typesize(), 4 | 8),
        };
        let unknown = || format!("elements of {}", text::count(self.header.typesize(), "byte"));
        let found = || dtype.as_ref().map_or_else(unknown, DType::describe);
        let expected = "lost chunks cannot be filled with NaN: expected little-endian floats of 4 or 8 bytes";
        is_float.then_some(()).ok_or_else(|| Error::custom(format_args!("{expected}, found {}", found())))
    }

    /// Reads the bytes from the expected position of the index to the end of the frame, or to the end of the file if the frame is cut off,
    /// but at most [`LONGEST`] bytes.
    fn tail(&self) -> Result<Vec<u8>> {
        let place = self.header.tail_range();
        let end = place.end.min(self.source.len()?).min(place.start.saturating_add(LONGEST));
        Ok(self.source.read(place.start..end.max(place.start))?.into_owned())
    }

    /// Returns the length of a chunk's data. Fails if the header does not determine it, for example because chunks vary in length.
    fn nbytes(&self, number: u64) -> Result<usize> {
        self.length(number)
            .ok_or_else(|| Error::custom(format_args!("the header does not determine the length of chunk {number}")))
    }

    fn length(&self, number: u64) -> Option<usize> {
        let chunksize = u64::try_from(self.header.chunksize()).ok().filter(|&chunksize| chunksize > 0)?;
        let all = self.count()?.checked_mul(chunksize)?;
        // The last chunk can be shorter only in a frame without an array. Its length is known if the header contains the total length of
        // all chunks.
        let nbytes = u64::try_from(self.header.nbytes()).unwrap_or(all);
        let nbytes = if nbytes.div_ceil(chunksize) == all / chunksize { nbytes } else { all };
        let left = nbytes.checked_sub(number.checked_mul(chunksize)?)?;
        usize::try_from(left.min(chunksize)).ok().filter(|&length| length > 0 && !self.header.has_variable_chunks())
    }

    /// Returns the expected number of chunks. It is computed from the shapes of the array if they are known, and otherwise from the lengths
    /// in the header.
    fn count(&self) -> Option<u64> {
        let array = self.header.array().ok().flatten();
        let grid = array.and_then(|array| array.geometry().grid().ok());
        grid.map(|grid| grid.nchunks()).or_else(|| self.header.nchunks())
    }

    /// Reads each chunk at its position in the index.
    fn indexed(&mut self, offsets: &Offsets, decompressor: &mut Decompressor) -> Result<()> {
        for number in 0..offsets.len() {
            let part = match (offsets.get(number), offsets.range(number)) {
                (Some(Offset::Special(special)), _) => SavedChunk::Special(special),
                (Some(Offset::At(_)), Some(range)) => SavedChunk::Here(range),
                (Some(Offset::At(file)), None) => SavedChunk::File(file),
                _ => SavedChunk::Lost,
            };
            self.take(number, part, decompressor)?;
        }
        Ok(())
    }

    /// Adds a chunk, which is counted as lost if it is not intact.
    fn take(&mut self, number: u64, part: SavedChunk, decompressor: &mut Decompressor) -> Result<()> {
        let whole = match &part {
            SavedChunk::Special(_) | SavedChunk::Lost => Ok(()),
            _ => self.bytes(&part).and_then(|bytes| decode(&bytes, self.length(number), decompressor)),
        };
        match whole {
            Ok(()) => self.push(1, part),
            // In a sparse frame, the file of a chunk may be missing. Then only this chunk is lost.
            Err(error) if is_of_source(&error) && self.header.frame_type() == FrameType::Contiguous => return Err(error),
            Err(error) => {
                self.lose(format_args!("chunk {number}: {error}"));
                self.push(1, SavedChunk::Lost);
            }
        }
        Ok(())
    }

    /// Reads the bytes of a chunk, which must not be special or lost.
    fn bytes(&self, part: &SavedChunk) -> Result<Cow<'s, [u8]>> {
        let read = |length: u64| match part {
            SavedChunk::Here(range) => self.source.read(range.start..range.end.min(range.start.saturating_add(length))),
            SavedChunk::File(number) => self.source.chunk_file(*number, 0..length),
            SavedChunk::Special(_) | SavedChunk::Lost => Ok(Cow::default()),
        };
        read(ChunkHeader::from_slice(&read(HEADER)?)?.cbytes() as u64)
    }
}

/// Appends a chunk. If a special chunk cannot be appended, for example because chunks vary in length, its data is written as an ordinary
/// chunk.
fn append<T: Target>(writer: &mut Writer<T>, chunk: &Chunk) -> Result<()> {
    match (writer.append(chunk), chunk.header().special()) {
        (Err(_), Some(_)) => writer.append(&Chunk::store(&chunk.data()?, chunk.header().typesize())?),
        (appended, _) => appended,
    }
}

/// Checks that a chunk's data has the expected length, if this length is known, and that the chunk can be decoded, if the decompressor
/// accepts it.
fn decode(bytes: &[u8], expected: Option<usize>, decompressor: &mut Decompressor) -> Result<()> {
    let chunk = Chunk::from_slice(bytes)?;
    let header = *chunk.header();
    if let Some(expected) = expected.filter(|&expected| expected != header.nbytes()) {
        return Err(Error::custom(format_args!("nbytes: expected {expected}, found {}", header.nbytes())));
    }
    // Stored chunks can always be decoded, as can special chunks, except NaN if an element does not have 4 or 8 bytes.
    let may_fail = header.special().map_or(!header.is_stored(), |it| it == Special::Nan && ![4, 8].contains(&header.typesize()));
    if may_fail && decompressor.accept(&header).is_ok() {
        chunk.into_data_with(decompressor)?;
    }
    Ok(())
}
