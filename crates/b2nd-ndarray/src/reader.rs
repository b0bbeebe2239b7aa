//! [`Reader`]: slices of an array, out of the chunks and blocks that they touch.

use std::fmt::Display;
use std::ops::Range;
use std::path::Path;

use b2nd::Grid;
use b2nd::dtype::DType;
use b2nd::frame::{Chunk, File, Header, Special};
use ndarray::{ArrayD, IxDyn};

use crate::codec::{self, Codec};
use crate::error::{Error, Result};
use crate::layout::{self, runs};
use crate::value::{Value, order_of};

/// How much of a file a [`Reader`] has read.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Chunks that were read; one that the index says all of counts too.
    pub chunks: usize,
    /// Blocks that were decompressed or copied.
    pub blocks: usize,
}

/// An array in a file: a `.b2nd` file, or the directory of a sparse frame.
#[derive(Debug)]
pub struct Reader {
    file: File,
    grid: Grid,
    itemsize: usize,
    dtype: Option<DType>,
    metalayer: Vec<u8>,
    counts: Counts,
}

impl Reader {
    /// Opens an array.
    ///
    /// # Errors
    ///
    /// The file cannot be read, holds no array, or one of shapes that C-Blosc2 refuses.
    pub fn open(path: impl AsRef<Path>) -> Result<Reader> {
        Reader::new(File::open(path)?)
    }

    /// The array in an open file.
    ///
    /// # Errors
    ///
    /// The frame holds no array, or one of shapes that C-Blosc2 refuses.
    pub fn new(file: File) -> Result<Reader> {
        let header = file.header();
        let meta = header.array()?.ok_or(Error::NoArray)?;
        let (grid, metalayer) = (meta.geometry().grid()?, codec::metalayer(&meta)?);
        // A dtype that nobody knows says nothing of where elements stand: read_bytes works.
        let dtype = meta.parse_dtype().ok().flatten();
        let itemsize = usize::try_from(header.typesize()).unwrap_or(0);
        Ok(Reader { grid, itemsize, dtype, metalayer, counts: Counts::default(), file })
    }

    /// The frame's header.
    pub fn header(&self) -> &Header {
        self.file.header()
    }

    /// The array's shape, chunks and blocks.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The type of the elements, where the file says one that is known.
    pub fn dtype(&self) -> Option<&DType> {
        self.dtype.as_ref()
    }

    /// The size of an element in bytes.
    pub fn itemsize(&self) -> usize {
        self.itemsize
    }

    /// How much of the file has been read so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The slice that is the whole array.
    pub fn whole(&self) -> Vec<Range<i64>> {
        self.grid.shape().iter().map(|&length| 0..length).collect()
    }

    /// Reads a slice, a range for each dimension. Elements of either byte order are read.
    ///
    /// # Errors
    ///
    /// The elements are not `T`s; and those of [`read_bytes`](Reader::read_bytes).
    pub fn read<T: Value>(&mut self, slice: &[Range<i64>]) -> Result<ArrayD<T>> {
        let order = order_of::<T>(self.dtype())?;
        let bytes = self.read_bytes(slice)?;
        let values = bytes.chunks_exact(self.itemsize.max(1)).map(|bytes| T::from_bytes(bytes, order)).collect();
        let shape: Vec<_> = slice.iter().map(|range| usize::try_from(range.end - range.start).unwrap_or(0)).collect();
        Ok(ArrayD::from_shape_vec(IxDyn(&shape), values)?)
    }

    /// Reads the bytes of a slice's elements in C order: of any type, in the file's byte order.
    ///
    /// # Errors
    ///
    /// A slice that is not inside the array, or too large for memory; a chunk that cannot be read, or is compressed with something that
    /// `blosc2-pure-rs` does not have. What was never written (uninitialized chunks) is zero.
    pub fn read_bytes(&mut self, slice: &[Range<i64>]) -> Result<Vec<u8>> {
        let chunks = self.grid.chunks_in(slice)?;
        let mut out = zeros(layout::nitems(slice), self.itemsize)?;
        for number in chunks {
            self.read_chunk(number, slice, &mut out)?;
        }
        Ok(out)
    }

    /// Copies what a slice has of one chunk.
    fn read_chunk(&mut self, number: u64, slice: &[Range<i64>], out: &mut [u8]) -> Result<()> {
        let chunk = self.file.chunk(number)?;
        self.counts.chunks += 1;
        let nbytes = self.grid.extchunknitems().checked_mul(i64::try_from(self.itemsize).unwrap_or(i64::MAX));
        if nbytes != i64::try_from(chunk.header().nbytes()).ok() {
            let (expected, found) = (nbytes.unwrap_or(i64::MAX), chunk.header().nbytes());
            return Err(in_chunk(number, format_args!("expected {expected} bytes, as the array's shapes say, found {found}")));
        }
        match chunk.header().special() {
            Some(special) => self.fill(number, &chunk, special, slice, out),
            None => self.copy(number, &chunk, slice, out),
        }
    }

    fn copy(&mut self, number: u64, chunk: &Chunk<'_>, slice: &[Range<i64>], out: &mut [u8]) -> Result<()> {
        let touched = self.grid.blocks_in(number, slice)?;
        let mut skip = Vec::new();
        let blocksize = self.grid.blocknitems().checked_mul(i64::try_from(self.itemsize).unwrap_or(i64::MAX));
        let same_blocks = blocksize == i64::try_from(chunk.header().blocksize()).ok();
        if same_blocks && codec::blocks_stand_alone(chunk.header()) {
            skip.resize(usize::try_from(self.grid.blocks_per_chunk()).unwrap_or(0), true);
            for block in touched.clone() {
                if let Some(skip) = usize::try_from(block).ok().and_then(|block| skip.get_mut(block)) {
                    *skip = false;
                }
            }
        }
        let data = chunk.data(Codec { metalayer: &self.metalayer, skip: &skip }).map_err(|error| in_chunk(number, error))?;
        for block in touched {
            self.counts.blocks += 1;
            for run in runs(&self.grid, number, block, slice, self.itemsize) {
                copy_bytes(out, run.slice, &data, run.chunk).ok_or_else(|| in_chunk(number, "its blocks reach over its end"))?;
            }
        }
        Ok(())
    }

    /// A special chunk can stand for 2 GiB: its data is not made, what it repeats is put into the slice.
    fn fill(&self, number: u64, chunk: &Chunk<'_>, special: Special, slice: &[Range<i64>], out: &mut [u8]) -> Result<()> {
        let typesize = chunk.header().typesize();
        let element = match special {
            Special::Value => chunk.value().unwrap_or_default().to_vec(),
            Special::Nan => Chunk::special(special, typesize, typesize)?.data(())?.into_owned(),
            // Zeros are there already.
            _ => return Ok(()),
        };
        if self.itemsize.checked_rem(element.len()) != Some(0) {
            let (found, itemsize) = (element.len(), self.itemsize);
            return Err(in_chunk(number, format_args!("it repeats {found} bytes, the array's elements have {itemsize}")));
        }
        for block in self.grid.blocks_in(number, slice)? {
            for run in runs(&self.grid, number, block, slice, self.itemsize) {
                let places = out.get_mut(run.slice).unwrap_or_default().chunks_exact_mut(element.len());
                places.for_each(|place| place.copy_from_slice(&element));
            }
        }
        Ok(())
    }
}

/// Memory for so many elements, all bytes zero.
pub(crate) fn zeros(items: i64, itemsize: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let length = usize::try_from(items).ok().and_then(|items| items.checked_mul(itemsize));
    match length.map(|length| (length, bytes.try_reserve_exact(length))) {
        Some((length, Ok(()))) => bytes.resize(length, 0),
        _ => return Err(Error::Memory { items, itemsize }),
    }
    Ok(bytes)
}

/// Copies bytes that both sides have.
pub(crate) fn copy_bytes(to: &mut [u8], place: Range<usize>, from: &[u8], source: Range<usize>) -> Option<()> {
    let (to, from) = (to.get_mut(place)?, from.get(source)?);
    (to.len() == from.len()).then(|| to.copy_from_slice(from))
}

fn in_chunk(number: u64, what: impl Display) -> Error {
    Error::Chunk { number, what: what.to_string() }
}
