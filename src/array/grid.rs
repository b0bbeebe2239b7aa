//! [`Grid`]: the positions of an array's chunks, blocks and elements.

use super::dims::Dims;
use super::geometry::Geometry;
use crate::error::{Error, Result};

mod pack;
mod slice;

pub use pack::Run;

/// The division of an array into chunks and of a chunk into blocks. Computes the number of chunks and blocks, and the position of each
/// element.
///
/// [`Geometry::grid`] makes a grid. A grid does not allocate. The indices and the total numbers of chunks and blocks
/// are `u64`. Lengths, coordinates, counts of elements and counts of chunks per dimension are `i64`. All indices and coordinates start at
/// 0.
///
/// The numbering is row-major: the last dimension varies fastest. Chunks are numbered within the array, blocks within their chunk. The
/// array is padded to whole chunks (extshape), and a chunk to whole blocks (extchunkshape). A decompressed chunk holds one block after the
/// other; each block is row-major and includes its padding. [`unpack`](Grid::unpack) copies elements from this order to C order,
/// [`pack`](Grid::pack) from C order to this order. The drawing shows the positions in a chunk of 3 x 5 with blocks of 2 x 3, which is
/// padded to 4 x 6. Positions in brackets are padding:
///
/// ```text
///       block 0           block 1
///     0    1    2   |    6    7   (8)
///     3    4    5   |    9   10  (11)
///   ----------------+-----------------
///    12   13   14   |   18   19  (20)
///   (15) (16) (17)  |  (21) (22) (23)
///       block 2           block 3
/// ```
///
/// ```
/// let grid = b2nd::Geometry::new(&[10, 10], &[3, 5], &[2, 3])?.grid()?;
/// assert_eq!((grid.extshape(), grid.extchunkshape()), (&[12, 10][..], &[4, 6][..]));
/// assert_eq!((grid.nchunks(), grid.blocks_per_chunk()), (8, 4));
///
/// // [5, 9] is the last element of its chunk that is not padding.
/// assert_eq!(grid.chunk_index(&[5, 9]), Some(3));
/// assert_eq!(grid.block_index(&[5, 9]), Some(3));
/// assert_eq!(grid.item_index(&[5, 9]), Some(19));
/// # Ok::<(), b2nd::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grid {
    shape: Dims<i64>,
    chunkshape: Dims<i64>,
    blockshape: Dims<i64>,
    extshape: Dims<i64>,
    extchunkshape: Dims<i64>,
    /// The number of chunks of the padded array in each dimension.
    chunks: Dims<i64>,
    /// The number of blocks of the padded chunk in each dimension.
    blocks: Dims<i64>,
    nitems: i64,
    extnitems: i64,
    extchunknitems: i64,
    chunknitems: i64,
    blocknitems: i64,
}

impl Geometry {
    /// Computes the grid of chunks and blocks of this geometry.
    ///
    /// # Errors
    ///
    /// Fails if C-Blosc2 would refuse to open the array, because
    ///
    /// * the number of elements of the array, of the padded array or of the padded chunk does not fit an int64,
    /// * the number of elements of a chunk or of a block does not fit an int32, or
    /// * blocks have length 0 in a dimension in which chunks do not.
    ///
    /// Lengths are multiplied in order, starting with the first. A length of 0 prevents an overflow by the lengths after it, but not by
    /// those before it. To pad a length, the length of a chunk or block is added first, and this sum must fit an int64 too.
    ///
    /// ```
    /// let geometry = b2nd::Geometry::new(&[9, 9], &[65536, 32768], &[1, 1])?;
    /// let error = geometry.grid().unwrap_err();
    /// assert_eq!(error.to_string(), "chunknitems: chunkshape [65536, 32768], multiplied in order, overflows int32");
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    pub fn grid(&self) -> Result<Grid> {
        let wide = |lengths: &[i32]| Dims::from_fn(lengths.len(), |index| i64::from(lengths[index]));
        let shape = Dims::from_fn(self.ndim(), |index| self.shape()[index]);
        let (chunkshape, blockshape) = (wide(self.chunkshape()), wide(self.blockshape()));
        for (index, (&chunk, &block)) in chunkshape.iter().zip(blockshape.iter()).enumerate() {
            if block == 0 && chunk != 0 {
                let message = "only a chunk of length 0 can have blocks of length 0";
                return Err(Error::custom(format_args!(
                    "blockshape[{index}] is 0, but chunkshape[{index}] is {chunk}: {message}"
                )));
            }
        }
        let extshape = padded("shape", &shape, "chunks", &chunkshape)?;
        let extchunkshape = padded("chunkshape", &chunkshape, "blocks", &blockshape)?;
        Ok(Grid {
            nitems: product("nitems", "shape", &shape, INT64)?,
            extnitems: product("extnitems", "extshape", &extshape, INT64)?,
            extchunknitems: product("extchunknitems", "extchunkshape", &extchunkshape, INT64)?,
            chunknitems: product("chunknitems", "chunkshape", &chunkshape, INT32)?,
            blocknitems: product("blocknitems", "blockshape", &blockshape, INT32)?,
            chunks: quotients(&extshape, &chunkshape),
            blocks: quotients(&extchunkshape, &blockshape),
            shape,
            chunkshape,
            blockshape,
            extshape,
            extchunkshape,
        })
    }
}

impl Grid {
    /// Returns the array's length in each dimension.
    pub fn shape(&self) -> &[i64] {
        &self.shape
    }

    /// Returns a chunk's length in each dimension.
    pub fn chunkshape(&self) -> &[i64] {
        &self.chunkshape
    }

    /// Returns a block's length in each dimension.
    pub fn blockshape(&self) -> &[i64] {
        &self.blockshape
    }

    /// Returns the array's length in each dimension, padded to whole chunks.
    pub fn extshape(&self) -> &[i64] {
        &self.extshape
    }

    /// Returns a chunk's length in each dimension, padded to whole blocks. A decompressed chunk includes this padding.
    pub fn extchunkshape(&self) -> &[i64] {
        &self.extchunkshape
    }

    /// Returns the number of chunks of the array in each dimension.
    pub fn chunks_per_dimension(&self) -> &[i64] {
        &self.chunks
    }

    /// Returns the number of elements in the array. An array without dimensions has one element.
    pub fn nitems(&self) -> i64 {
        self.nitems
    }

    /// Returns the number of elements in the array padded to whole chunks.
    pub fn extnitems(&self) -> i64 {
        self.extnitems
    }

    /// Returns the number of elements in a decompressed chunk, including padding.
    pub fn extchunknitems(&self) -> i64 {
        self.extchunknitems
    }

    /// Returns the number of elements in a chunk, without the padding to whole blocks.
    pub fn chunknitems(&self) -> i64 {
        self.chunknitems
    }

    /// Returns the number of elements in a block.
    pub fn blocknitems(&self) -> i64 {
        self.blocknitems
    }

    /// Returns the number of chunks in the array. An empty array has no chunks, and an array without dimensions has one chunk.
    pub fn nchunks(&self) -> u64 {
        // The counts cannot overflow: there are at most extnitems chunks, and at most extchunknitems blocks in a chunk, and both numbers
        // fit in an int64.
        cells(&self.chunks)
    }

    /// Returns the number of blocks in each chunk.
    pub fn blocks_per_chunk(&self) -> u64 {
        cells(&self.blocks)
    }

    /// Returns the number of blocks in all chunks.
    pub fn nblocks(&self) -> u64 {
        self.nchunks() * self.blocks_per_chunk()
    }

    /// Returns the index of the chunk that holds the element at these coordinates, or `None` if the array has no such element.
    pub fn chunk_index(&self, element: &[i64]) -> Option<u64> {
        let chunk = |index: usize| element[index] / self.chunkshape[index];
        holds(&self.shape, element).then(|| number(&self.chunks, chunk).unsigned_abs())
    }

    /// Returns the index, within its chunk, of the block that holds the element at these coordinates, or `None` if the array has no such
    /// element.
    pub fn block_index(&self, element: &[i64]) -> Option<u64> {
        let block = |index: usize| element[index] % self.chunkshape[index] / self.blockshape[index];
        holds(&self.shape, element).then(|| number(&self.blocks, block).unsigned_abs())
    }

    /// Returns the position of an element in its decompressed chunk, counted in elements, or `None` if the array has no such element.
    ///
    /// The offset in bytes is the position times the itemsize:
    ///
    /// ```
    /// let grid = b2nd::Geometry::new(&[10], &[5], &[2])?.grid()?;
    /// let chunk = *b"56789.";
    /// assert_eq!(grid.chunk_index(&[7]), Some(1));
    /// let itemsize = 1;
    /// let start = usize::try_from(grid.item_index(&[7]).unwrap())? * itemsize;
    /// assert_eq!(&chunk[start..start + itemsize], b"7");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn item_index(&self, element: &[i64]) -> Option<i64> {
        let item = |index: usize| element[index] % self.chunkshape[index] % self.blockshape[index];
        let block = i64::try_from(self.block_index(element)?).ok()?;
        Some(block * self.blocknitems + number(&self.blockshape, item))
    }

    /// Returns the index of the chunk with these coordinates, or `None` if the array has no such chunk. The coordinates count chunks in
    /// each dimension, as in [`chunk_coords`](Grid::chunk_coords). For the coordinates of an element, use [`chunk_index`](Grid::chunk_index).
    ///
    /// ```
    /// let grid = b2nd::Geometry::new(&[10, 10], &[3, 5], &[2, 3])?.grid()?;
    /// assert_eq!(grid.chunk_from_coords(&[2, 1]), Some(5));
    /// assert_eq!(*grid.chunk_coords(5).unwrap(), [2, 1]);
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    pub fn chunk_from_coords(&self, coords: &[i64]) -> Option<u64> {
        holds(&self.chunks, coords).then(|| number(&self.chunks, |index| coords[index]).unsigned_abs())
    }

    /// Returns the coordinates of the chunk with this index, or `None` if the array has no such chunk.
    pub fn chunk_coords(&self, chunk: u64) -> Option<Dims<i64>> {
        coords(&self.chunks, chunk)
    }
}

/// The integer type that a count must fit: its largest value and its name.
type Width = (i64, &'static str);
const INT32: Width = (i32::MAX as i64, "int32");
const INT64: Width = (i64::MAX, "int64");

/// Rounds each length up to a multiple of the length of the parts (chunks or blocks) in the same dimension. If the parts have length 0 in a
/// dimension, the length in this dimension must be 0 too, and is not changed.
fn padded(name: &str, lengths: &Dims<i64>, unit: &str, parts: &Dims<i64>) -> Result<Dims<i64>> {
    let mut padded = *lengths;
    for (index, (length, &part)) in padded.iter_mut().zip(parts.iter()).enumerate() {
        // Add before subtracting, as C-Blosc2 does, so that the sum overflows for the same lengths as in C-Blosc2. Such lengths are
        // refused.
        let rest = length.checked_rem(part).unwrap_or(0);
        if rest != 0 {
            let too_long = |length| {
                Error::custom(format_args!("{name}[{index}]: padding to whole {unit}: {length} + {part} overflows int64"))
            };
            *length = length.checked_add(part).ok_or_else(|| too_long(*length))? - rest;
        }
    }
    Ok(padded)
}

/// Returns the product of the lengths, multiplied in order. Nothing can overflow after a length of 0.
fn product(name: &str, of: &str, lengths: &Dims<i64>, (limit, width): Width) -> Result<i64> {
    let product =
        lengths.iter().try_fold(1_i64, |product, &length| product.checked_mul(length).filter(|&product| product <= limit));
    product.ok_or_else(|| Error::custom(format_args!("{name}: {of} {lengths:?}, multiplied in order, overflows {width}")))
}

/// Returns the number of parts (chunks or blocks) in each dimension. The number is 0 in a dimension in which the parts have length 0.
fn quotients(lengths: &Dims<i64>, parts: &Dims<i64>) -> Dims<i64> {
    Dims::from_fn(lengths.len(), |index| lengths[index].checked_div(parts[index]).unwrap_or(0))
}

/// Returns the row-major strides, in elements, of a box of these lengths. If the box is empty, all strides are 0, since the product of some
/// of its lengths may overflow.
fn strides(lengths: &Dims<i64>) -> Dims<i64> {
    let mut stride = i64::from(!lengths.contains(&0));
    let mut strides = *lengths;
    for length in strides.iter_mut().rev() {
        let next = stride * *length;
        *length = stride;
        stride = next;
    }
    strides
}

/// Returns the product of the lengths: the number of cells (chunks or blocks) in a box. Call this only if the number is known to fit an
/// `i64`.
fn cells(lengths: &Dims<i64>) -> u64 {
    lengths.iter().product::<i64>().unsigned_abs()
}

/// Returns true if the coordinates of the cell (a chunk or an element) are inside a box of these lengths.
fn holds(lengths: &Dims<i64>, cell: &[i64]) -> bool {
    cell.len() == lengths.len() && cell.iter().zip(lengths.iter()).all(|(&at, &length)| (0..length).contains(&at))
}

/// Returns the row-major number of a cell in a box of these lengths. `cell` returns the cell's coordinate in a dimension.
fn number(lengths: &Dims<i64>, cell: impl Fn(usize) -> i64) -> i64 {
    lengths.iter().enumerate().fold(0, |number, (index, &length)| number * length + cell(index))
}

/// Returns the coordinates of the cell with this row-major number in a box of these lengths, or `None` if the box has fewer cells.
fn coords(lengths: &Dims<i64>, number: u64) -> Option<Dims<i64>> {
    let mut rest = i64::try_from(number).ok().filter(|_| number < cells(lengths))?;
    let mut coords = *lengths;
    for at in coords.iter_mut().rev() {
        let length = *at;
        *at = rest % length;
        rest /= length;
    }
    Some(coords)
}
