//! [`Salvage`]: the whole parts of a frame that is cut off or damaged, by its index or walked from the front.

use std::borrow::Cow;
use std::ops::{Range, RangeInclusive};

use b2nd::dtype::{DType, ScalarType};
use b2nd::frame::{
    Chunk, ChunkHeader, Decompress, FrameType, Header, MAX_METALAYERS, Offset, Offsets, Source, Special, Target, Writer,
};
use b2nd::{Error, Result, Value};

use crate::attributes::{Attribute, Codec};
use crate::folder::is_of_source;
use crate::frame::Frame;

/// The length of a chunk's header, and of one of Blosc 1.
const HEADER: u64 = 32;
const SHORT_HEADER: usize = 16;

/// The versions of chunks that frames have.
const VERSIONS: RangeInclusive<u8> = 2..=6;

/// The longest index or trailer that is looked at.
const LONGEST: u64 = 1 << 28;

/// The most chunks that a new frame gets: an index of them is as long.
const MOST: u64 = LONGEST / 8;

/// The whole parts of a frame, and what is lost.
///
/// Header and metalayers have to be whole. Where the index is readable, it says which chunk is where. Otherwise chunks are walked from the
/// front, and numbered in the order in which they were written: that is another one if chunks were updated, inserted, or special
/// (those take no bytes), which nothing in such a file says. A chunk is whole if it decodes to its length; one that `decompress` does
/// not [accept](Decompress::accept) is taken as it is.
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
    /// In the file with this number beside a sparse frame.
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
    pub fn new(source: &'s dyn Source, in_order: bool, codec: &mut dyn Decompress) -> Result<Salvage<'s>> {
        let frame = Frame::open(source)?;
        let header = frame.header().clone();
        let mut salvage =
            Salvage { source, header, chunks: Vec::new(), is_ordered: true, attributes: Vec::new(), lost: Vec::new() };
        let tail = salvage.tail()?;
        match Offsets::from_tail(&salvage.header, &tail) {
            Ok(offsets) => salvage.indexed(&offsets, codec)?,
            Err(error) => {
                salvage.is_ordered = false;
                salvage.lose(format_args!("index: {error}"));
                match salvage.header.frame_type() {
                    FrameType::Contiguous => salvage.walk(in_order, codec)?,
                    FrameType::Sparse => salvage.files(codec)?,
                }
            }
        }
        salvage.trailer(&frame, &tail, codec)?;
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
    fn indexed(&mut self, offsets: &Offsets, codec: &mut dyn Decompress) -> Result<()> {
        for number in 0..offsets.len() {
            let part = match (offsets.get(number), offsets.range(number)) {
                (Some(Offset::Special(special)), _) => Part::Special(special),
                (Some(Offset::At(_)), Some(range)) => Part::Here(range),
                (Some(Offset::At(file)), None) => Part::File(file),
                _ => Part::Lost,
            };
            let length = self.length(number);
            self.take(number, part, length, codec)?;
        }
        Ok(())
    }

    /// Adds a chunk if it is whole, or a lost one.
    fn take(&mut self, number: u64, part: Part, length: Option<usize>, codec: &mut dyn Decompress) -> Result<()> {
        let whole = match &part {
            Part::Here(range) => {
                self.whole(range.clone(), length, codec).map(|cbytes| Part::Here(range.start..range.start + cbytes))
            }
            Part::File(file) => self.file(*file).and_then(|bytes| decodes(&bytes, length, codec)).map(|_| part),
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
    fn whole(&self, place: Range<u64>, length: Option<usize>, codec: &mut dyn Decompress) -> Result<u64> {
        let front = self.source.read(place.start..place.end.min(place.start.saturating_add(HEADER)))?;
        let cbytes = ChunkHeader::from_slice(&front)?.cbytes() as u64;
        let bytes = self.source.read(place.start..place.end.min(place.start.saturating_add(cbytes)))?;
        decodes(&bytes, length, codec)
    }

    /// Walks the chunks of a contiguous frame from the front, without an index.
    fn walk(&mut self, in_order: bool, codec: &mut dyn Decompress) -> Result<()> {
        let (start, chunks_end) = (self.header.header_len() as u64, self.header.tail_range().start);
        let end = self.source.len()?;
        let (mut at, mut starts, mut inside) = (start, Vec::new(), None);
        let stopped = loop {
            if at == chunks_end {
                inside = Some(starts.len() as u64);
            }
            if at >= end {
                break format!("the file ends at byte {end}");
            }
            let front = self.source.read(at..end.min(at.saturating_add(HEADER)))?;
            let chunk = match ChunkHeader::from_slice(&front) {
                Ok(chunk) if self.is_plausible(&chunk) && front.len() >= SHORT_HEADER => chunk,
                Ok(_) => break format!("no chunk of this frame starts at byte {at}"),
                Err(error) => break format!("no chunk starts at byte {at}: {error}"),
            };
            let next = at.saturating_add(chunk.cbytes() as u64);
            if next > end {
                break format!("the chunk at byte {at} is cut off: {} bytes of it are missing", next - end);
            }
            if at >= chunks_end && self.is_index(at..next, &chunk, &starts, codec)? {
                break format!("an index that the header does not name starts at byte {at}");
            }
            starts.push(at - start);
            let number = starts.len() as u64 - 1;
            let length = self.length(number).unwrap_or(chunk.nbytes());
            self.take(number, Part::Here(at..next), Some(length), codec)?;
            if self.length(number).is_none() && self.drop_last_lost() {
                break format!("the length of the data of chunk {number} is lost with it");
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
            self.lose(format_args!("chunks {found} to {}: {stopped}", expected - 1));
            self.push(expected - found, Part::Lost);
        }
        Ok(())
    }

    /// Takes the last chunk away if it is lost.
    fn drop_last_lost(&mut self) -> bool {
        let is_lost = matches!(self.chunks.last(), Some((_, Part::Lost)));
        if is_lost {
            self.truncate(self.counts().1 - 1);
        }
        is_lost
    }

    /// Keeps the first chunks.
    fn truncate(&mut self, count: u64) {
        let mut left = count;
        for (count, _) in &mut self.chunks {
            *count = left.min(*count);
            left -= *count;
        }
        self.chunks.retain(|(count, _)| *count > 0);
    }

    /// Refuses to number chunks where the header shows that they have another order.
    fn expect_count(&self, found: Option<u64>, expected: u64) -> Result<()> {
        let found =
            found.ok_or_else(|| Error::custom("the index is lost, and a chunk reaches over the end of the chunks' place"))?;
        let counted = self.header.nchunks().unwrap_or(expected);
        let why = match found.cmp(&counted) {
            std::cmp::Ordering::Equal => return Ok(()),
            std::cmp::Ordering::Less => "some took no bytes, and which is lost with the index",
            std::cmp::Ordering::Greater => "some were updated, and which is lost with the index",
        };
        Err(Error::custom(format_args!("the header counts {counted} chunks, and {found} are in their place: {why}")))
    }

    /// Takes the chunk files of a sparse frame by their numbers, without an index.
    fn files(&mut self, codec: &mut dyn Decompress) -> Result<()> {
        let Some(count) = self.count() else {
            return Err(Error::custom(
                "the index of a sparse frame is lost, and chunks vary in length: nothing says how many there are",
            ));
        };
        if count > MOST {
            return Err(Error::custom(format_args!("the frame has {count} chunks, and no more than {MOST} are looked for")));
        }
        (0..count).try_for_each(|number| self.take(number, Part::File(number), self.length(number), codec))
    }

    /// Returns true if a chunk may be one of this frame.
    fn is_plausible(&self, chunk: &ChunkHeader) -> bool {
        let typesize = u8::try_from(self.header.typesize()).map_or(1, usize::from);
        let chunksize = usize::try_from(self.header.chunksize()).unwrap_or(0);
        // Those that vary have the typesize that their writer had.
        let varies = chunksize == 0 || self.header.has_variable_chunks() || self.header.has_variable_blocks();
        let fits = varies || chunk.typesize() == typesize && chunk.nbytes() <= chunksize;
        VERSIONS.contains(&chunk.version()) && chunk.nbytes() > 0 && fits
    }

    /// Returns true if a chunk holds the places of those before it.
    fn is_index(&self, place: Range<u64>, chunk: &ChunkHeader, starts: &[u64], codec: &mut dyn Decompress) -> Result<bool> {
        if starts.is_empty() || chunk.nbytes() != 8 * starts.len() {
            return Ok(false);
        }
        let bytes = self.source.read(place)?;
        let data = Chunk::from_slice(&bytes).and_then(|chunk| Ok(chunk.into_data(Codec(codec))?.into_owned()));
        Ok(data.is_ok_and(|data| data.chunks(8).zip(starts).all(|(entry, start)| entry == start.to_le_bytes())))
    }

    /// Reads the trailer, or as many of its vlmetalayers as are whole.
    fn trailer(&mut self, frame: &Frame, tail: &[u8], codec: &mut dyn Decompress) -> Result<()> {
        match frame.trailer() {
            Ok(trailer) => {
                trailer.vlmetalayers().iter().for_each(|(name, content)| self.attribute(name, Some(content), codec));
                return Ok(());
            }
            Err(error) if is_of_source(&error) => return Err(error),
            Err(error) => self.lose(format_args!("trailer: {error}")),
        }
        // It follows the index, or in a frame without data the header.
        let index = match self.header.nbytes() {
            0 => 0,
            _ => ChunkHeader::from_slice(tail).map_or(usize::MAX, |index| index.cbytes()),
        };
        for (name, content) in tail.get(index..).and_then(names_and_contents).unwrap_or_default() {
            self.attribute(&name, content.as_deref(), codec);
        }
        Ok(())
    }

    /// Adds an attribute if it is whole.
    fn attribute(&mut self, name: &[u8], content: Option<&[u8]>, codec: &mut dyn Decompress) {
        let whole = match (std::str::from_utf8(name), content) {
            (_, None) => Err("it is cut off".to_owned()),
            (Err(_), _) => Err("its name is not UTF-8".to_owned()),
            (Ok(_), _) if self.attributes.len() == MAX_METALAYERS => Err(format!("C-Blosc2 writes {MAX_METALAYERS} at most")),
            (Ok(name), Some(content)) => match Attribute::new(name.as_bytes(), content, codec).value {
                Ok(value) => Ok((name.to_owned(), value.into_owned())),
                Err(error) => Err(error.to_string()),
            },
        };
        match whole {
            Ok(attribute) => self.attributes.push(attribute),
            Err(why) => self.lose(format_args!("vlmetalayer \"{}\": {why}", name.escape_ascii())),
        }
    }
}

/// Appends a chunk as it is; one that chunks of any length cannot hold as an entry of the index is stored.
fn append<T: Target>(writer: &mut Writer<T>, chunk: &Chunk) -> Result<()> {
    match (writer.append(chunk), chunk.header().special()) {
        (Err(_), Some(_)) => writer.append(&Chunk::store(&chunk.data(())?, chunk.header().typesize())?),
        (appended, _) => appended,
    }
}

/// The length of a chunk that decodes to the length of data that it should have.
fn decodes(bytes: &[u8], length: Option<usize>, codec: &mut dyn Decompress) -> Result<u64> {
    let chunk = Chunk::from_slice(bytes)?;
    let (nbytes, cbytes) = (chunk.header().nbytes(), chunk.header().cbytes() as u64);
    if let Some(length) = length.filter(|&length| length != nbytes) {
        return Err(Error::custom(format_args!("nbytes: expected {length}, found {nbytes}")));
    }
    let is_compressed = chunk.header().special().is_none() && !chunk.header().is_stored();
    if is_compressed && codec.accept(chunk.header()).is_ok() {
        chunk.into_data(Codec(codec))?;
    }
    Ok(cbytes)
}

/// The name of a vlmetalayer, and its content.
type Named = (Vec<u8>, Option<Vec<u8>>);

/// The names of a trailer's vlmetalayers with their contents, `None` from where it is cut off.
///
/// ```text
/// 94 | 01 | 93 | cd idx | de count, names and offsets | dc count, contents | …
/// ```
fn names_and_contents(trailer: &[u8]) -> Option<Vec<Named>> {
    let rest = trailer.strip_prefix(&[0x94, 0x01, 0x93])?;
    let (_, rest) = b2nd::take_from_slice::<u16>(rest).ok()?;
    let [0xde, high, low, rest @ ..] = rest else { return None };
    let count = usize::from(u16::from_be_bytes([*high, *low]));
    let (mut rest, mut names) = (rest, Vec::new());
    for _ in 0..count {
        let (&marker, after) = rest.split_first()?;
        let length = usize::from(marker.checked_sub(0xa0).filter(|&length| length < 32)?);
        let (name, after) = after.split_at_checked(length)?;
        let (offset, after) = b2nd::take_from_slice::<i32>(after).ok()?;
        names.push((name.to_vec(), usize::try_from(offset).ok()?));
        rest = after;
    }
    let content = |offset: usize| {
        let (value, _) = b2nd::take_from_slice::<Value>(trailer.get(offset..)?).ok()?;
        if let Value::Bytes(bytes, _) = value { Some(bytes) } else { None }
    };
    Some(names.into_iter().map(|(name, offset)| (name, content(offset))).collect())
}
