//! [`Writer`]: writes new frames.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;

use b2nd_codec::{ChunkHeader, Compressor, Special};

use crate::chunk::{Chunk, Offset};
use crate::error::{Error, Result};
use crate::header::fit::check;
use crate::header::{FrameType, Header};
use crate::metalayers::MAX_METALAYERS;
use crate::open::Frame;
use crate::source::{Source, zeros};
use crate::trailer::Trailer;
use crate::vlmetalayers::Vlmetalayers;

mod outline;
pub(crate) mod target;
pub use outline::Outline;
use target::sealed;
pub use target::{Memory, Target};

/// Writes a new frame from a header with metalayers, the chunks in order, and vlmetalayers.
///
/// A chunk of an array holds its blocks one after another, each in C order. Chunks and blocks at the edges of the array are padded to full
/// size. [`Grid::pack`](b2nd::Grid::pack) converts elements from the order of the array to the order of a chunk.
///
/// Chunks can come from [`Header::compressor`], from [`Chunk::store`] or from any crate that compresses Blosc2 chunks. The frame is written
/// to memory ([`Writer::new`]), to a file ([`Writer::create`]) or to the directory of a sparse frame ([`Writer::create_sparse`]). A file or
/// directory gets its final name only when it is complete.
///
/// ```
/// use b2nd_frame::{Chunk, Frame, Header, Sizes, Special, Writer};
/// use b2nd::{B2ndMeta, Geometry};
///
/// // Twelve int32, in chunks of eight and blocks of four: the second chunk is padded to its whole length.
/// let mut header = Header::new(Sizes { typesize: 4, chunksize: 32, blocksize: 16 })?;
/// header.metalayers_mut().set(&B2ndMeta::new(Geometry::new(&[12], &[8], &[4])?, "<i4"))?;
/// let mut writer = Writer::new(header);
/// let elements: Vec<u8> = (0..8i32).flat_map(i32::to_le_bytes).collect();
/// writer.append(&Chunk::store(&elements, 4)?)?;
/// writer.append_special(Special::Zeros, 32)?;
/// let bytes = writer.finish()?;
///
/// let frame = Frame::from_slice(&bytes)?;
/// assert_eq!(frame.chunk(0)?.stored(), Some(elements.as_slice()));
/// assert_eq!(frame.chunk(0)?.header().blocksize(), 16);
/// assert_eq!(frame.chunk(1)?.header().special(), Some(Special::Zeros));
/// # Ok::<(), b2nd_frame::Error>(())
/// ```
pub struct Writer<T = Memory> {
    header: Header,
    vlmetalayers: Trailer,
    /// The entries of the index, 8 little-endian bytes each.
    offsets: Vec<u8>,
    nbytes: u64,
    cbytes: u64,
    /// Whether the last chunk was shorter than the chunksize, so that no other chunk can follow.
    ended: bool,
    /// The number and the blocksize of the first compressed chunk whose blocksize differs from the header's blocksize.
    odd_blocks: Option<(u64, usize)>,
    /// Whether `finish` skips the comparison of the frame with the array's metalayer, and `copy_chunk` accepts chunks of any length.
    is_unchecked: bool,
    /// The compressor of `append_elements`, after its first use.
    compressor: Option<Compressor>,
    pub(crate) target: T,
}

impl<T> fmt::Debug for Writer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (metalayers, vlmetalayers) = (self.header.metalayers(), self.vlmetalayers.vlmetalayers().raw_chunks());
        write!(f, "Writer({} chunks, {metalayers:?}, {vlmetalayers:?})", self.offsets.len() / 8)
    }
}

impl<T: Target> Writer<T> {
    pub(crate) fn to(header: Header, target: T) -> Self {
        let vlmetalayers = Trailer::new(Vlmetalayers::default());
        Writer {
            header,
            vlmetalayers,
            offsets: Vec::new(),
            nbytes: 0,
            cbytes: 0,
            ended: false,
            odd_blocks: None,
            is_unchecked: false,
            compressor: None,
            target,
        }
    }

    /// Appends a chunk. The chunk is written unchanged, except in two cases in which it gets the form that C-Blosc2 writes. A chunk that is
    /// stored uncompressed, or that repeats a value, gets the blocksize of the header, if this is valid for the chunk. A special chunk of
    /// zeros, NaN or uninitialized elements becomes an [entry in the index](Writer::append_special). A compressed chunk keeps its
    /// blocksize, which in an array must be the blocksize of the header, because C-Blosc2 reads the array in blocks of that size.
    ///
    /// # Errors
    ///
    /// Fails if
    ///
    /// * the chunk's data is empty or longer than the chunksize in the header (0 is no limit if chunks vary in length),
    /// * the previous chunk was shorter than the chunksize, since only the last chunk may be shorter,
    /// * the chunk is a special chunk of NaN whose typesize is not 4 or 8 or differs from the typesize in the header, or a special chunk of
    ///   zeros, NaN or uninitialized elements whose length is not a multiple of that typesize,
    /// * the chunk is a special chunk of zeros, NaN or uninitialized elements, and chunks vary in length: an entry in the index holds no
    ///   length, or
    /// * the target cannot be written. The chunk can then be appended again, or left out.
    pub fn append(&mut self, chunk: &Chunk<'_>) -> Result<()> {
        let (nbytes, typesize) = (chunk.header().nbytes(), chunk.header().typesize());
        match chunk.header().special() {
            None | Some(Special::Value) => {}
            Some(Special::Nan) if usize::try_from(self.header.typesize()) != Ok(typesize) => {
                let expected = self.header.typesize();
                return Err(Error::custom(format_args!("a chunk of NaN: expected the typesize {expected}, found {typesize}")));
            }
            Some(special) => return self.append_special(special, nbytes),
        }
        self.check(chunk.header())?;
        let blocksize = usize::try_from(self.header.blocksize()).unwrap_or(0);
        self.put(&chunk.bytes_in_blocks(blocksize), nbytes)
    }

    /// Packs, compresses and appends the elements of the next chunk, which are given as bytes. In a frame of an array, these are the
    /// elements of the array that the chunk holds, in C order and without padding. They are compressed as the header says.
    ///
    /// ```
    /// use b2nd_frame::{Frame, Header, Writer};
    ///
    /// // 3 x 5 elements in chunks of 2 x 5. The second chunk holds the last row.
    /// let meta = b2nd::B2ndMeta::of::<u8>(b2nd::Geometry::new(&[3, 5], &[2, 5], &[1, 3])?);
    /// let mut writer = Writer::new(Header::for_array(&meta)?);
    /// writer.append_elements(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9])?;
    /// writer.append_elements(&[10, 11, 12, 13, 14])?;
    /// let bytes = writer.finish()?;
    /// assert_eq!(Frame::from_slice(&bytes)?.chunk(1)?.data()?, [10, 11, 12, 13, 14, 0, 0, 0, 0, 0, 0, 0]);
    /// # Ok::<(), b2nd_frame::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the array's metalayer is not valid, the number of bytes is not that of the elements, or the array has no more chunks. Also
    /// returns the errors of [`Header::compressor`], [`Compressor::chunk`] and [`append`](Writer::append).
    pub fn append_elements(&mut self, elements: &[u8]) -> Result<()> {
        let mut data = Cow::Borrowed(elements);
        if let Some(geometry) = self.header.geometry()? {
            let (grid, number) = (geometry.grid()?, self.len());
            let no_more = || Error::custom(format_args!("chunk {number} is out of range: expected less than {}", grid.nchunks()));
            let extent = grid.chunk_extent(number).ok_or_else(no_more)?;
            let size = |length: i32| usize::try_from(length).unwrap_or(0);
            let mut packed = zeros(u64::try_from(self.header.chunksize()).unwrap_or(0))?;
            let done = grid.pack(number, &extent, size(self.header.typesize()), elements, &mut packed);
            done.map_err(|error| Error::from(error).in_chunk(number))?;
            data = Cow::Owned(packed);
        }
        let compressor = self.compressor.take().map_or_else(|| self.header.compressor(), Ok)?;
        let chunk = compressor.chunk(&data)?;
        self.compressor = Some(compressor);
        let chunk = Chunk::from_slice(&chunk)?;
        let typesize = usize::try_from(self.header.typesize()).unwrap_or(1).max(1);
        let fits_index = self.header.chunksize() != 0 && !self.header.has_variable_chunks() && data.len() % typesize == 0;
        match chunk.header().special() {
            // The index cannot hold this chunk: see `append`.
            Some(Special::Zeros) if !fits_index => self.append(&Chunk::store(&data, typesize)?),
            _ => self.append(&chunk),
        }
    }

    /// Checks that this chunk can be appended. If it is the first compressed chunk whose blocksize differs from the blocksize in the
    /// header, records this for `check_array`, which `finish` calls.
    fn check(&mut self, chunk: &ChunkHeader) -> Result<()> {
        self.check_next(chunk.nbytes())?;
        let number = self.len();
        let blocksize = usize::try_from(self.header.blocksize()).unwrap_or(0);
        let (own, is_compressed) = (chunk.blocksize(), chunk.special().is_none() && !chunk.is_stored());
        if is_compressed && own != blocksize && self.odd_blocks.is_none() {
            self.odd_blocks = Some((number, own));
        }
        Ok(())
    }

    /// Writes a part of the next chunk to the position `offset` bytes after the start of the chunk, while other parts are still being
    /// compressed. A call to [`append_parts`](Writer::append_parts) adds the chunk to the frame. If a different chunk is appended instead,
    /// that chunk overwrites the parts.
    ///
    /// # Errors
    ///
    /// Fails if the target cannot be written.
    #[doc(hidden)]
    pub fn put_part(&mut self, offset: usize, part: &[u8]) -> Result<()> {
        self.target.put_part(self.cbytes, offset, part)
    }

    /// Appends the chunk with this header. All of the chunk's bytes must have been written by [`put_part`](Writer::put_part). The chunk
    /// must have the blocksize of the frame's header.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`append`](Writer::append).
    #[doc(hidden)]
    pub fn append_parts(&mut self, chunk: &ChunkHeader) -> Result<()> {
        self.check(chunk)?;
        self.end_parts(chunk.cbytes(), chunk.nbytes())
    }

    /// Appends a special chunk with `nbytes` bytes of uncompressed data. The chunk is stored only as an entry in the index.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`append`](Writer::append) and of [`Chunk::special`] with the header's typesize. Also fails if `special` is
    /// [`Special::Value`], whose value an entry in the index cannot hold, or if chunks vary in length, since an entry holds no length
    /// either.
    pub fn append_special(&mut self, special: Special, nbytes: usize) -> Result<()> {
        if special == Special::Value {
            return Err(Error::custom("`Special::Value` needs the value's bytes: append a `Chunk::repeated`"));
        }
        self.check_next(nbytes)?;
        if self.header.has_variable_chunks() {
            return Err(Error::custom(
                "the index stores no length of a special chunk, but the chunks of this frame vary in length: append a `Chunk::store`",
            ));
        }
        let typesize = usize::try_from(self.header.typesize()).unwrap_or(0);
        Chunk::special(special, nbytes, typesize)?;
        self.push(Offset::Special(special), nbytes)
    }

    /// Sets the value of a vlmetalayer, in generic MessagePack.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Vlmetalayers::set`].
    #[cfg(feature = "std")]
    pub fn set_vlmetalayer<V: serde::Serialize + ?Sized>(&mut self, name: &str, value: &V) -> Result<()> {
        self.vlmetalayers.vlmetalayers_mut().set(name, value)
    }

    /// Sets the bytes of a vlmetalayer's value. python-blosc2 expects generic MessagePack.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Vlmetalayers::set_bytes`].
    pub fn set_vlmetalayer_bytes(&mut self, name: &str, value: &[u8]) -> Result<()> {
        self.vlmetalayers.vlmetalayers_mut().set_bytes(name, value)
    }

    /// Replaces the trailer, for example by the trailer of another frame. The vlmetalayers of the new trailer are written
    /// unchanged, whether compressed or not. A fingerprint is replaced by zeros, since it would be that of the other frame.
    pub fn set_trailer(&mut self, trailer: Trailer) {
        self.vlmetalayers = trailer;
        self.vlmetalayers.fingerprint = [0; 17];
    }

    /// Appends a chunk of another frame unchanged, without decompressing it. A special entry in the other frame's index is copied to the
    /// index of this frame, or written as a chunk if the chunks of this frame vary in length. Returns the length of the chunk's uncompressed
    /// data in bytes.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Frame::chunk`]. Also fails if a chunk of this length cannot be appended (see [`append`](Writer::append)), or
    /// the target cannot be written.
    ///
    /// ```
    /// use b2nd_frame::{Frame, Writer};
    ///
    /// let old = std::fs::read("../../tests/data/example.b2nd")?;
    /// let frame = Frame::open(&old)?;
    /// let mut writer = Writer::new(frame.header().clone());
    /// writer.set_trailer(frame.trailer()?.clone());
    /// for number in 0..frame.offsets()?.len() {
    ///     writer.copy_chunk(&frame, number)?;
    /// }
    /// let new = writer.finish()?;
    /// assert_eq!(Frame::open(&new)?.chunk(1)?, frame.chunk(1)?);
    /// # Ok::<(), b2nd_frame::Error>(())
    /// ```
    pub fn copy_chunk<S: Source>(&mut self, frame: &Frame<S>, number: u64) -> Result<usize> {
        let chunk = frame.chunk(number)?;
        let nbytes = chunk.header().nbytes();
        // If chunks vary in length, python-blosc2 also writes chunks without data.
        if !self.is_unchecked && (nbytes > 0 || self.header.chunksize() != 0) {
            self.check(chunk.header())?;
        }
        match frame.offsets()?.get(number) {
            // If chunks vary in length, only the chunk has its length.
            Some(special @ Offset::Special(_)) if !self.header.has_variable_chunks() => self.push(special, nbytes)?,
            _ => self.put(chunk.bytes(), nbytes)?,
        }
        Ok(nbytes)
    }

    /// Makes [`finish`](Writer::finish) accept a frame that does not match its array's metalayer, and [`copy_chunk`](Writer::copy_chunk)
    /// accept chunks of any length. This is for copies and repairs of files that others wrote.
    pub fn skip_array_check(&mut self) {
        self.is_unchecked = true;
    }

    /// Appends a chunk that consists of these bytes and holds `nbytes` bytes of uncompressed data.
    fn put(&mut self, bytes: &[u8], nbytes: usize) -> Result<()> {
        self.put_part(0, bytes)?;
        self.end_parts(bytes.len(), nbytes)
    }

    /// Appends a chunk whose `cbytes` bytes were written by [`put_part`](Writer::put_part). Its data has `nbytes` bytes.
    fn end_parts(&mut self, cbytes: usize, nbytes: usize) -> Result<()> {
        let number = self.len();
        let at = self.target.end_parts(number, self.cbytes, cbytes)?;
        self.cbytes += cbytes as u64;
        self.push(Offset::At(at), nbytes)
    }

    /// Writes the index, the trailer and the header. A frame on disk then gets its final name. For a frame in memory, `finish` returns the
    /// bytes of the frame.
    ///
    /// # Errors
    ///
    /// Fails if the frame does not match the array that its metalayer describes: for example, it has too few or too many chunks, a chunk is
    /// not padded to full size, or the metalayer cannot be decoded. This is not checked after
    /// [`skip_array_check`](Writer::skip_array_check). Also fails if there are more than 16 metalayers, or the target cannot be written.
    pub fn finish(self) -> Result<<T as sealed::Target>::Output> {
        let (target, header, tail) = self.ended()?;
        target.finish(&header, &tail)
    }

    /// Checks the frame as [`finish`](Writer::finish) does. Returns the target, the bytes of the header, and the bytes of the index and
    /// trailer.
    pub(crate) fn ended(self) -> Result<(T, Vec<u8>, Vec<u8>)> {
        if !self.is_unchecked {
            self.check_array()?;
        }
        let Writer { mut header, vlmetalayers, offsets, nbytes, cbytes, target, .. } = self;
        if header.metalayers().len() > MAX_METALAYERS {
            return Err(header.metalayers().too_many());
        }
        // If the frame has no chunks, it has no index.
        let mut tail = if offsets.is_empty() { Vec::new() } else { Chunk::index(&offsets)?.into_bytes() };
        tail.extend_from_slice(&b2nd::to_vec(&vlmetalayers)?);
        header.set_has_vlmetalayers(!vlmetalayers.vlmetalayers().is_empty());
        header.set_sizes(T::FRAME_TYPE, nbytes, cbytes, tail.len() as u64)?;
        Ok((target, b2nd::to_vec(&header)?, tail))
    }

    /// Checks that a chunk with `nbytes` bytes of uncompressed data can be appended.
    fn check_next(&self, nbytes: usize) -> Result<()> {
        let number = self.len();
        let chunksize = usize::try_from(self.header.chunksize()).unwrap_or(0);
        if self.ended {
            return Err(Error::custom(format_args!("chunk {number} cannot follow a chunk that is shorter than the chunksize")));
        }
        if chunksize == 0 && !self.header.has_variable_chunks() {
            let found = self.header.chunksize();
            return Err(Error::custom(format_args!(
                "chunksize: expected 1 or more, found {found}: the flags do not say that chunks vary in length"
            )));
        }
        if nbytes == 0 || (chunksize != 0 && nbytes > chunksize) {
            let limit = if chunksize == 0 { "or more".into() } else { alloc::format!("to {chunksize}") };
            return Err(Error::custom(format_args!("chunk {number}: expected 1 {limit} bytes, found {nbytes}")));
        }
        Ok(())
    }

    /// Checks that the chunks match the array that the header describes, if the header has the metalayer of an array.
    fn check_array(&self) -> Result<()> {
        let count = self.len();
        self.header.check_array(count)?;
        if self.header.array()?.is_none() || count == 0 {
            return Ok(());
        }
        if let Some((number, found)) = self.odd_blocks {
            return check("blocksize", "header", self.header.blocksize().into(), found).map_err(|error| error.in_chunk(number));
        }
        if self.ended {
            return Err(Error::custom("the last chunk is shorter than the chunksize: in an array, pad it to this length"));
        }
        Ok(())
    }

    /// Returns the number of chunks so far.
    fn len(&self) -> u64 {
        (self.offsets.len() / 8) as u64
    }

    fn push(&mut self, offset: Offset, nbytes: usize) -> Result<()> {
        let raw = offset.to_raw().ok_or_else(|| Error::custom("the frame is longer than 2^63 bytes"))?;
        self.offsets.extend_from_slice(&raw.to_le_bytes());
        self.nbytes += nbytes as u64;
        let chunksize = usize::try_from(self.header.chunksize()).unwrap_or(0);
        self.ended = chunksize != 0 && nbytes < chunksize;
        Ok(())
    }
}
