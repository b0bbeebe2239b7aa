//! [`write`]: an array into a new `.b2nd` file.

use std::path::Path;

use b2nd::frame::{Chunk, Codec, Filter, Header, SplitMode, Writer};
use b2nd::{B2ndMeta, Geometry};
use ndarray::{ArrayBase, Data, Dimension};

use crate::codec::Compressor;
use crate::error::{Error, Result};
use crate::layout::runs;
use crate::reader::{copy_bytes, zeros};
use crate::value::{Value, scalar};

/// How large a chunk and a block are where nobody says, in bytes: they fit into a processor's caches.
const CHUNK: usize = 1 << 20;
const BLOCK: usize = 32 << 10;

/// How an array is cut and compressed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// A chunk's length in each dimension, in elements; if none is given, about 1 MiB.
    pub chunkshape: Option<Vec<i32>>,
    /// A block's length in each dimension, in elements; if none is given, about 32 KiB.
    pub blockshape: Option<Vec<i32>>,
    /// What compresses.
    pub codec: Codec,
    /// How hard it tries, 0 to 9; 0 stores.
    pub level: u8,
    /// At most six filters and the parameter of each, in the order in which they run.
    pub filters: Vec<(Filter, u8)>,
    /// Whether blocks are split by byte position.
    pub split_mode: SplitMode,
}

/// What python-blosc2 does: Zstandard after a byte shuffle, level 5.
impl Default for Options {
    fn default() -> Self {
        Options {
            chunkshape: None,
            blockshape: None,
            codec: Codec::Zstd,
            level: 5,
            filters: vec![(Filter::Shuffle, 0)],
            split_mode: SplitMode::Auto,
        }
    }
}

/// Writes an array into a new file, which replaces one of that name when it is complete.
///
/// # Errors
///
/// Shapes that are none; a codec or filter that `blosc2-pure-rs` does not have; the filter delta, which is read here but not
/// everywhere; a chunk of 2 GiB; the file cannot be written.
pub fn write<T: Value, S: Data<Elem = T>, D: Dimension>(
    path: impl AsRef<Path>,
    array: &ArrayBase<S, D>,
    options: &Options,
) -> Result<()> {
    let dtype = scalar::<T>()?;
    let shape: Vec<_> = array.shape().iter().map(|&length| i64::try_from(length).unwrap_or(i64::MAX)).collect();
    let geometry = options.geometry(&shape, dtype.itemsize())?;
    let mut bytes = Vec::with_capacity(array.len().saturating_mul(dtype.itemsize()));
    array.iter().for_each(|value| value.put(&mut bytes));
    write_bytes(path, &B2ndMeta::new(geometry, dtype.to_string()), &bytes, options)
}

/// Writes elements of any type, given by their bytes in C order. The shapes are `meta`'s, not those of `options`.
///
/// # Errors
///
/// Another number of bytes than `meta` says; and those of [`write()`].
pub fn write_bytes(path: impl AsRef<Path>, meta: &B2ndMeta, bytes: &[u8], options: &Options) -> Result<()> {
    let grid = meta.geometry.grid()?;
    let header = Header::for_array(meta)?
        .with_codec(options.codec, 0)
        .with_level(options.level)?
        .with_filters(&options.filters)?
        .with_split_mode(options.split_mode);
    let itemsize = usize::try_from(header.typesize()).unwrap_or(0);
    let expected = usize::try_from(grid.nitems()).ok().and_then(|items| items.checked_mul(itemsize));
    if expected != Some(bytes.len()) {
        return Err(Error::Length { expected: expected.unwrap_or(usize::MAX), found: bytes.len() });
    }
    let compressor = Compressor::new(&header, meta)?;
    let mut writer = Writer::create(path, header)?;
    let whole: Vec<_> = grid.shape().iter().map(|&length| 0..length).collect();
    for number in grid.chunks_in(&whole)? {
        let mut data = zeros(grid.extchunknitems(), itemsize)?;
        for block in grid.blocks_in(number, &whole)? {
            for run in runs(&grid, number, block, &whole, itemsize) {
                let what = || Error::Chunk { number, what: "its blocks reach over its end".into() };
                copy_bytes(&mut data, run.chunk, bytes, run.slice).ok_or_else(what)?;
            }
        }
        writer.append(&Chunk::from_slice(&compressor.compress(&data)?)?)?;
    }
    Ok(writer.finish()?)
}

impl Options {
    fn geometry(&self, shape: &[i64], itemsize: usize) -> Result<Geometry> {
        let chunkshape = self.chunkshape.clone().unwrap_or_else(|| shrunk(shape, itemsize, CHUNK));
        let wide: Vec<_> = chunkshape.iter().map(|&length| i64::from(length)).collect();
        let blockshape = self.blockshape.clone().unwrap_or_else(|| shrunk(&wide, itemsize, BLOCK));
        Ok(Geometry::new(shape, &chunkshape, &blockshape)?)
    }
}

/// Halves the longest side of a box until it has no more than this many bytes.
fn shrunk(shape: &[i64], itemsize: usize, limit: usize) -> Vec<i32> {
    let mut lengths: Vec<_> = shape.iter().map(|&length| i32::try_from(length).unwrap_or(i32::MAX)).collect();
    let bytes = |lengths: &[i32]| lengths.iter().fold(itemsize as f64, |product, &length| product * f64::from(length));
    while bytes(&lengths) > limit as f64 {
        match lengths.iter_mut().max() {
            Some(longest) if *longest > 1 => *longest = (*longest + 1) / 2,
            _ => break,
        }
    }
    lengths
}
