//! [`Options`]: how an array is cut and compressed, and what else its file holds.

use std::path::Path;

use b2nd::Geometry;
use b2nd::frame::{Codec, Filter, Header, OneFile, SplitMode, Target, Writer};

use crate::error::Result;

/// Sizes in bytes that python-blosc2 computes from a processor's caches: those of one with 32 KiB of L1 and 512 KiB of L2.
const BLOCK: i64 = 128 << 10;
const CHUNK: i64 = 4 << 20;

/// The filter bytedelta, and the size of the longest elements with it in files that python-blosc2 opens.
const BYTEDELTA: Filter = Filter::Other(35);
const MAX_BYTEDELTA: i32 = 127;

/// Options of a new array: its chunks and blocks, its compression, and what else its file holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// A chunk's length in each dimension, in elements; if none is given, as python-blosc2 chooses: about 4 MiB.
    pub chunkshape: Option<Vec<i32>>,
    /// A block's length in each dimension, in elements; if none is given, as python-blosc2 chooses: about 128 KiB.
    pub blockshape: Option<Vec<i32>>,
    /// The codec that compresses.
    pub codec: Codec,
    /// The compression level, 0 to 9; 0 stores.
    pub level: u8,
    /// At most six filters and the parameter of each, in the order in which they run.
    pub filters: Vec<(Filter, u8)>,
    /// True if blocks are split by byte position.
    pub split_mode: SplitMode,
    /// Metalayers beside the array's: a name of at most 31 bytes and the content, in the header. Their lengths are fixed once written.
    pub metalayers: Vec<(String, Vec<u8>)>,
    /// Attributes (variable-length metalayers): a name of at most 31 bytes and the content, which python-blosc2 takes for MessagePack
    /// ([`b2nd::frame::encode_msgpack`] makes it).
    pub attributes: Vec<(String, Vec<u8>)>,
    /// True if a file of the same name is replaced. If not, it is an error.
    pub overwrite: bool,
}

/// The defaults of python-blosc2: Zstandard after a byte shuffle, level 5.
impl Default for Options {
    fn default() -> Self {
        Options {
            chunkshape: None,
            blockshape: None,
            codec: Codec::Zstd,
            level: 5,
            filters: vec![(Filter::Shuffle, 0)],
            split_mode: SplitMode::Auto,
            metalayers: Vec::new(),
            attributes: Vec::new(),
            overwrite: false,
        }
    }
}

impl Options {
    /// The shapes for an array of this shape, in elements of this size in bytes: those that were given, and for the others what
    /// python-blosc2 would choose.
    ///
    /// # Errors
    ///
    /// The shapes are not valid: they have another number of dimensions than the array, a negative length, a block longer than its
    /// chunk, or more than 16 dimensions.
    ///
    /// ```
    /// let geometry = b2nd_ndarray::Options::default().geometry(&[8192, 8192], 4)?;
    /// assert_eq!((geometry.chunkshape(), geometry.blockshape()), (&[128, 8192][..], &[4, 8192][..]));
    /// # Ok::<(), b2nd_ndarray::Error>(())
    /// ```
    pub fn geometry(&self, shape: &[i64], itemsize: usize) -> Result<Geometry> {
        let itemsize = i64::try_from(itemsize.max(1)).unwrap_or(i64::MAX);
        let wide = |lengths: &Option<Vec<i32>>| lengths.as_ref().map(|lengths| lengths.iter().copied().map(i64::from).collect());
        let (given_chunks, given_blocks): (Option<Vec<_>>, Option<Vec<_>>) = (wide(&self.chunkshape), wide(&self.blockshape));
        let empty = shape.contains(&0);
        let blocks = given_blocks.unwrap_or_else(|| match given_chunks.as_deref().unwrap_or(shape) {
            largest if largest.contains(&0) => largest.to_vec(),
            largest => partition(BLOCK.max(itemsize) / itemsize, largest, &[]),
        });
        let chunks = given_chunks.unwrap_or_else(|| {
            if empty {
                return shape.iter().zip(&blocks).map(|(&length, &block)| length.max(block)).collect();
            }
            let blocksize = blocks.iter().product::<i64>().saturating_mul(itemsize).max(1);
            // Whole blocks, so that chunks need no padding.
            let chunksize = CHUNK.max(blocksize) / blocksize * blocksize;
            let chunks = partition(chunksize / itemsize, shape, &blocks);
            let whole = |(&chunk, (&length, &block)): (&i64, (&i64, &i64))| {
                length.min(if block > 0 { (chunk + block - 1) / block * block } else { chunk })
            };
            chunks.iter().zip(shape.iter().zip(&blocks)).map(whole).collect()
        });
        let narrow =
            |lengths: Vec<i64>| lengths.iter().map(|&length| i32::try_from(length).unwrap_or(i32::MAX)).collect::<Vec<_>>();
        if let Some((axis, (chunk, block))) = chunks.iter().zip(&blocks).enumerate().find(|(_, (chunk, block))| block > chunk) {
            let message =
                format!("blockshape[{axis}] is {block}, chunkshape[{axis}] is {chunk}: no block is longer than its chunk");
            return Err(b2nd::Error::custom(message).into());
        }
        Ok(Geometry::new(shape, &narrow(chunks), &narrow(blocks))?)
    }

    /// The header of an array's frame.
    pub(crate) fn header(&self, meta: &b2nd::B2ndMeta) -> Result<Header> {
        let mut header = Header::for_array(meta)?;
        // A parameter of 0 stands for the size of an element.
        let wide = |meta: u8| if meta == 0 { header.typesize() } else { i32::from(meta) };
        let bytedelta = self.filters.iter().find(|(filter, meta)| *filter == BYTEDELTA && wide(*meta) > MAX_BYTEDELTA);
        if let Some(&(_, meta)) = bytedelta {
            let message = format!(
                "filter bytedelta: expected elements of at most {MAX_BYTEDELTA} bytes, which python-blosc2 can open, found {}",
                wide(meta)
            );
            return Err(b2nd::Error::custom(message).into());
        }
        header = header
            .with_codec(self.codec, 0)
            .with_level(self.level)?
            .with_filters(&self.filters)?
            .with_split_mode(self.split_mode);
        for (name, content) in &self.metalayers {
            header.metalayers_mut().insert(name, content.clone())?;
        }
        Ok(header)
    }
}

impl Options {
    /// A writer into a file, with the attributes.
    pub(crate) fn create(&self, path: impl AsRef<Path>, header: Header) -> Result<Writer<OneFile>> {
        let mut writer = if self.overwrite { Writer::create(path, header)? } else { Writer::create_new(path, header)? };
        self.attach(&mut writer)?;
        Ok(writer)
    }

    /// Puts the attributes into a frame.
    pub(crate) fn attach<T: Target>(&self, writer: &mut Writer<T>) -> Result<()> {
        Ok(self.attributes.iter().try_for_each(|(name, content)| writer.set_vlmetalayer(name, content))?)
    }
}

/// python-blosc2's `compute_partition`: a box of about `nitems` elements, the last dimension first, whose lengths divide the shape's
/// where that costs little. No length of `shape` is 0.
fn partition(nitems: i64, shape: &[i64], least: &[i64]) -> Vec<i64> {
    let mut left = nitems;
    let mut lengths = vec![1; shape.len()];
    for axis in (0..shape.len()).rev() {
        if left <= 1 {
            break;
        }
        let (size, least) = (shape[axis], least.get(axis).copied().unwrap_or(1));
        let mut length = size.max(least);
        if length <= left {
            if size % length != 0 {
                length = nearest_divisor(size, length);
            }
        } else {
            length = left.max(least);
            let divisor = if size % length == 0 { length } else { divisor_below(size, length) };
            if length / 2 < divisor && divisor < length * 2 {
                length = divisor;
            }
        }
        lengths[axis] = length;
        left /= length;
    }
    lengths
}

fn divisor_below(size: i64, from: i64) -> i64 {
    (1..=from).rev().find(|divisor| size % divisor == 0).unwrap_or(1)
}

fn nearest_divisor(size: i64, to: i64) -> i64 {
    if size > 100_000 {
        return divisor_below(size, to);
    }
    (1..=size).filter(|divisor| size % divisor == 0).min_by_key(|divisor| (divisor - to).abs()).unwrap_or(1)
}
