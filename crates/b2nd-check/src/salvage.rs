//! [`Salvage`]: the whole parts of a frame that is cut off or damaged, by its index or walked from the front.

use std::borrow::Cow;
use std::ops::Range;

use b2nd::dtype::{DType, ScalarType};
use b2nd::frame::{
    Chunk, ChunkHeader, Decompressor, FrameType, Header, LONGEST, Offset, Offsets, Source, Special, Target, Writer,
};
use b2nd::{Error, Result};

use b2nd_store::Frame;
use b2nd_store::is_of_source;

mod trailer;
mod walk;

/// The length of a chunk's header.
const HEADER: u64 = ChunkHeader::MAX_LEN as u64;

/// The most chunks that a new frame gets: an index of them is as long.
const MOST: u64 = LONGEST / 8;

/// The whole parts of a frame, and what is lost.
///
/// Header and metalayers have to be whole. Where the index is readable, it says which chunk is where. Otherwise chunks are walked from the
/// front, and numbered in the order in which they were written: that is another one if chunks were updated, inserted, or special
/// (those take no bytes), which nothing in such a file says. A chunk is whole if it decodes to its length; one that `decompressor` does
/// not [accept](Decompressor::accept) is taken as it is.
pub struct Salvage<'s> {
    source: &'s dyn Source,
    header: Header,
    /// Chunks in a row: their number, and what they are. A few bytes may claim any number of chunks.
    chunks: Vec<(u64, Part)>,
    /// True if the index says which chunk is where.
    pub is_ordered: bool,
    /// Names and values of the vlmetalayers that are whole.
    pub attributes: Vec<(String, Vec<u8>)>,
    /// Everything that is lost, as sentences with their places.
    pub lost: Vec<String>,
}

/// A chunk of the new frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// In these bytes of the broken frame.
    Here(Range<u64>),
    /// In the file with this number in the directory of a sparse frame.
    File(u64),
    /// Nowhere: the index says what its elements are.
    Special(Special),
    /// It is lost.
    Lost,
}

/// The substitute of lost chunks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fill {
    /// Zeros.
    Zero,
    /// NaN, for floats of 4 or 8 bytes.
    Nan,
}

impl<'s> Salvage<'s> {
    /// Looks for what is whole. With `in_order`, chunks without an index are taken in the order in which they stand even where their number
    /// shows that it is another one.
    ///
    /// # Errors
    ///
    /// The header is not whole; the index is lost, and there are more or fewer chunks than the header says although none is cut off; or the
    /// source fails.
    pub fn new(source: &'s dyn Source, in_order: bool, decompressor: &mut Decompressor) -> Result<Salvage<'s>> {
        let frame = Frame::open(source)?;
        let header = frame.header().clone();
        let mut salvage =
            Salvage { source, header, chunks: Vec::new(), is_ordered: true, attributes: Vec::new(), lost: Vec::new() };
        let tail = salvage.tail()?;
        match Offsets::from_tail(&salvage.header, &tail) {
            Ok(offsets) => salvage.indexed(&offsets, decompressor)?,
            Err(error) => {
                salvage.is_ordered = false;
                salvage.lose(format_args!("index: {error}"));
                match salvage.header.frame_type() {
                    FrameType::Contiguous => salvage.walk(in_order, decompressor)?,
                    FrameType::Sparse => salvage.files(decompressor)?,
                }
            }
        }
        salvage.trailer(&frame, &tail, decompressor)?;
        Ok(salvage)
    }

    /// The header of the frame.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The chunks of the new frame, in their order: how many in a row, and what they are.
    pub fn chunks(&self) -> &[(u64, Part)] {
        &self.chunks
    }

    /// The number of chunks that are whole, and of all.
    pub fn counts(&self) -> (u64, u64) {
        let count = |runs: &mut dyn Iterator<Item = &(u64, Part)>| runs.map(|(count, _)| count).sum();
        (count(&mut self.chunks.iter().filter(|(_, part)| *part != Part::Lost)), count(&mut self.chunks.iter()))
    }

    /// Adds chunks that are the same.
    fn push(&mut self, count: u64, part: Part) {
        match self.chunks.last_mut() {
            Some((before, last)) if *last == part && matches!(part, Part::Special(_) | Part::Lost) => *before += count,
            _ if count > 0 => self.chunks.push((count, part)),
            _ => {}
        }
    }

    /// Appends all chunks and sets all attributes in a writer of a frame with this header.
    ///
    /// # Errors
    ///
    /// The fill does not fit the elements, a lost chunk has no known length, the writer refuses a chunk, or the source fails.
    pub fn write<T: Target>(&self, fill: Fill, writer: &mut Writer<T>) -> Result<()> {
        let (whole, all) = self.counts();
        if all > MOST {
            return Err(Error::custom(format_args!("the frame has {all} chunks, and no more than {MOST} are written")));
        }
        if fill == Fill::Nan && whole < all {
            self.expect_floats()?;
        }
        let parts = self.chunks.iter().flat_map(|(count, part)| (0..*count).map(move |_| part));
        for (number, part) in (0..).zip(parts) {
            match part {
                Part::Special(special) => writer.append_special(*special, self.nbytes(number)?)?,
                Part::Lost => {
                    let special = if fill == Fill::Nan { Special::Nan } else { Special::Zeros };
                    writer.append_special(special, self.nbytes(number)?)?;
                }
                Part::Here(range) => append(writer, &Chunk::from_slice(&self.source.read(range.clone())?)?)?,
                Part::File(file) => append(writer, &Chunk::from_slice(&self.file(*file)?)?)?,
            }
        }
        self.attributes.iter().try_for_each(|(name, value)| writer.set_vlmetalayer(name, value))
    }

    fn lose(&mut self, what: impl std::fmt::Display) {
        self.lost.push(what.to_string());
    }

    fn expect_floats(&self) -> Result<()> {
        let array = self.header.array()?;
        let is_float = match array.and_then(|array| array.parse_dtype().ok().flatten()) {
            Some(DType::Scalar(scalar)) => matches!(scalar.scalar_type(), ScalarType::Float32 | ScalarType::Float64),
            Some(_) => false,
            None => matches!(self.header.typesize(), 4 | 8),
        };
        if is_float {
            Ok(())
        } else {
            Err(Error::custom("lost chunks cannot be filled with NaN: the elements are no floats of 4 or 8 bytes"))
        }
    }

    /// The bytes from where the index should be to the end of the frame, or to where it is cut off.
    fn tail(&self) -> Result<Vec<u8>> {
        let place = self.header.tail_range();
        let end = place.end.min(self.source.len()?).min(place.start.saturating_add(LONGEST));
        Ok(self.source.read(place.start..end.max(place.start))?.into_owned())
    }

    /// The length of a chunk's data, where chunks do not vary.
    fn nbytes(&self, number: u64) -> Result<usize> {
        self.length(number)
            .ok_or_else(|| Error::custom(format_args!("chunk {number} is lost, and its length with it: chunks vary in length")))
    }

    fn length(&self, number: u64) -> Option<usize> {
        let chunksize = u64::try_from(self.header.chunksize()).ok().filter(|&chunksize| chunksize > 0)?;
        let all = self.count()?.checked_mul(chunksize)?;
        // Only the last chunk of what is no array may be shorter; its length is known where the header counts it.
        let nbytes = u64::try_from(self.header.nbytes())
            .ok()
            .filter(|&nbytes| nbytes.div_ceil(chunksize) == all / chunksize)
            .unwrap_or(all);
        let left = nbytes.checked_sub(number.checked_mul(chunksize)?)?;
        usize::try_from(left.min(chunksize)).ok().filter(|&length| length > 0 && !self.header.has_variable_chunks())
    }

    /// The number of chunks that there should be: an array's shapes say it, or the header does.
    fn count(&self) -> Option<u64> {
        let array = self.header.array().ok().flatten();
        let grid = array.and_then(|array| array.geometry().grid().ok());
        grid.map(|grid| grid.nchunks()).or_else(|| self.header.nchunks())
    }

    /// Takes each chunk from the place that the index names.
    fn indexed(&mut self, offsets: &Offsets, decompressor: &mut Decompressor) -> Result<()> {
        for number in 0..offsets.len() {
            let part = match (offsets.get(number), offsets.range(number)) {
                (Some(Offset::Special(special)), _) => Part::Special(special),
                (Some(Offset::At(_)), Some(range)) => Part::Here(range),
                (Some(Offset::At(file)), None) => Part::File(file),
                _ => Part::Lost,
            };
            let length = self.length(number);
            self.take(number, part, length, decompressor)?;
        }
        Ok(())
    }

    /// Adds a chunk if it is whole, or a lost one.
    fn take(&mut self, number: u64, part: Part, length: Option<usize>, decompressor: &mut Decompressor) -> Result<()> {
        let whole = match &part {
            Part::Here(range) => {
                self.whole(range.clone(), length, decompressor).map(|cbytes| Part::Here(range.start..range.start + cbytes))
            }
            Part::File(file) => self.file(*file).and_then(|bytes| decodes(&bytes, length, decompressor)).map(|_| part),
            Part::Special(_) | Part::Lost => Ok(part),
        };
        match whole {
            Ok(part) => self.push(1, part),
            // A file of a sparse frame may be missing.
            Err(error) if is_of_source(&error) && self.header.frame_type() == FrameType::Contiguous => return Err(error),
            Err(error) => {
                self.lose(format_args!("chunk {number}: {error}"));
                self.push(1, Part::Lost);
            }
        }
        Ok(())
    }

    /// The chunk in a file of its own.
    fn file(&self, number: u64) -> Result<Cow<'s, [u8]>> {
        let front = self.source.chunk_file(number, 0..HEADER)?;
        self.source.chunk_file(number, 0..ChunkHeader::from_slice(&front)?.cbytes() as u64)
    }

    /// The length of the chunk at the front of a place, if it is whole there.
    fn whole(&self, place: Range<u64>, length: Option<usize>, decompressor: &mut Decompressor) -> Result<u64> {
        let front = self.source.read(place.start..place.end.min(place.start.saturating_add(HEADER)))?;
        let cbytes = ChunkHeader::from_slice(&front)?.cbytes() as u64;
        let bytes = self.source.read(place.start..place.end.min(place.start.saturating_add(cbytes)))?;
        decodes(&bytes, length, decompressor)
    }
}

/// Appends a chunk as it is; one that chunks of any length cannot hold as an entry of the index is stored.
fn append<T: Target>(writer: &mut Writer<T>, chunk: &Chunk) -> Result<()> {
    match (writer.append(chunk), chunk.header().special()) {
        (Err(_), Some(_)) => writer.append(&Chunk::store(&chunk.data()?, chunk.header().typesize())?),
        (appended, _) => appended,
    }
}

/// The length of a chunk that decodes to the length of data that it should have.
fn decodes(bytes: &[u8], length: Option<usize>, decompressor: &mut Decompressor) -> Result<u64> {
    let chunk = Chunk::from_slice(bytes)?;
    let (nbytes, cbytes) = (chunk.header().nbytes(), chunk.header().cbytes() as u64);
    if let Some(length) = length.filter(|&length| length != nbytes) {
        return Err(Error::custom(format_args!("nbytes: expected {length}, found {nbytes}")));
    }
    let is_compressed = chunk.header().special().is_none() && !chunk.header().is_stored();
    if is_compressed && decompressor.accept(chunk.header()).is_ok() {
        chunk.into_data_with(decompressor)?;
    }
    Ok(cbytes)
}
