//! [`concat`]: joins arrays along an axis.

use std::ops::Range;
use std::path::Path;

use b2nd::{B2ndMeta, Geometry, Grid};
use b2nd_frame::Chunk;
use b2nd_store::text::count;
use ndarray::{ArrayD, Axis, concatenate};

use crate::array::Array;
use crate::edit::draft::current;
use crate::error::{Error, Result};
use crate::options::create;
use crate::read::area::{contiguous, extent};
use crate::read::in_bytes;
use crate::threads::in_batches;
use crate::write::Packer;

/// Options of [`concat()`].
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct ConcatOptions {
    /// Whether chunks are compressed again if they do not align. If false, such arrays are an error.
    pub recompress: bool,
    /// Whether an existing file is replaced. If false, an existing file is an error.
    pub overwrite: bool,
}

/// Joins arrays along an axis, and writes the result to a new file. The arrays must have the same dtype, and the same shape except along
/// the axis. The result has the chunk and block shapes, the metalayers and the attributes of the first array.
///
/// Chunks are copied without decompressing them if they align: all frames have an array metalayer with the same chunk and block shapes, and
/// each array but the last ends at the end of a chunk along the axis. Copied chunks keep their codec and filters. If the chunks do not
/// align and [`recompress`](ConcatOptions::recompress) is true, all are compressed again with the codec, the level and the filters of the
/// first array.
///
/// ```
/// use b2nd_ndarray::{Array, ConcatOptions, Options, concat, write};
/// use ndarray::array;
///
/// # let directory = tempfile::tempdir()?;
/// # let [one, two, both] = ["one.b2nd", "two.b2nd", "both.b2nd"].map(|name| directory.path().join(name));
/// let options = Options { chunkshape: Some(vec![2]), blockshape: Some(vec![2]), ..Options::default() };
/// write(&one, &array![1, 2, 3, 4], &options)?;
/// write(&two, &array![5, 6, 7], &options)?;
/// concat(&[Array::open(&one)?, Array::open(&two)?], 0, &both, &ConcatOptions::default())?;
/// assert_eq!(Array::open(&both)?.read::<i32>(&[0..7])?, array![1, 2, 3, 4, 5, 6, 7].into_dyn());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Fails if the chunks do not align and [`recompress`](ConcatOptions::recompress) is false ([`Error::Misaligned`]); if several arrays
/// differ in dtype or shape, or one has an unknown dtype; if there is no array, or no such axis; if the first array does not have the
/// layout that C-Blosc2 has written since 2.7.0; or if an array cannot be read, its chunks cannot be compressed again, or the new file
/// cannot be written.
pub fn concat(arrays: &[Array], axis: usize, target: impl AsRef<Path>, options: &ConcatOptions) -> Result<()> {
    let first = arrays.first().ok_or_else(|| Error::custom("expected one array or more to join, found none"))?;
    let mut meta = current(first.header()).map_err(|error| first.error(error))?;
    let mut shape = first.grid().shape().to_vec();
    let length = *shape.get(axis).ok_or_else(|| {
        first.error(Error::custom(format_args!("an array of {} has no axis {axis}", count(shape.len(), "dimension"))))
    })?;
    let mut joined = Joined { parts: vec![(0..length, first)], axis };
    let mut misaligned = None;
    for array in &arrays[1..] {
        let end = shape[axis];
        misaligned =
            misaligned.or_else(|| why_misaligned(&meta, array, end, axis).map(|why| array.error(Error::Misaligned { why })));
        shape[axis] = end.saturating_add(check_like(&meta, &shape, array, axis).map_err(|error| array.error(error))?);
        joined.parts.push((end..shape[axis], array));
    }
    let recompress = match misaligned {
        Some(error) if !options.recompress => return Err(error),
        misaligned => misaligned.is_some(),
    };
    let target = target.as_ref();
    let mut write = || {
        meta.geometry = Geometry::new(&shape, meta.geometry.chunkshape(), meta.geometry.blockshape())?;
        let grid = meta.geometry.grid()?;
        let mut header = first.header().clone();
        header.metalayers_mut().set(&meta)?;
        let packer = recompress.then(|| Packer::of(&header, &meta)).transpose()?;
        let mut writer = create(target, header, options.overwrite)?;
        writer.set_trailer(first.frame().trailer().map_err(|error| first.error(error))?.clone());
        let pack = |number| packer.as_ref().map(|packer| packer.chunk(number, &joined.elements(&grid, number)?)).transpose();
        in_batches(0..grid.nchunks(), pack, |number, chunk| match chunk {
            Some(chunk) => Ok(writer.append(&Chunk::from_slice(&chunk)?)?),
            None => {
                let (array, number) = joined.chunk(&grid, number)?;
                writer.copy_chunk(array.frame(), number).map(drop).map_err(|error| array.error(error))
            }
        })?;
        Ok(writer.finish()?)
    };
    write().map_err(|error| Error::in_file(target, error))
}

/// Checks that an array can follow arrays with this metalayer and shape. Returns its length along the axis.
fn check_like(meta: &B2ndMeta, shape: &[i64], array: &Array, axis: usize) -> Result<i64> {
    let (expected, found) = (meta.parse_dtype()?, array.dtype());
    if found != Some(&expected) {
        let found = found.map_or_else(|| "of unknown dtype".to_owned(), |dtype| format!("{} ({dtype})", dtype.describe()));
        return Err(Error::DType { expected: format!("{} ({expected})", expected.describe()), found });
    }
    let others = |shape: &[i64]| {
        shape.iter().enumerate().filter(|(other, _)| *other != axis).map(|(_, length)| *length).collect::<Vec<_>>()
    };
    let own = array.grid().shape();
    match own.get(axis) {
        Some(&length) if others(own) == others(shape) => Ok(length),
        _ => Err(Error::custom(format_args!("expected the shape {shape:?} except along axis {axis}, found {own:?}"))),
    }
}

/// Returns why the chunks of an array cannot be copied to the position `start` of an array with this metalayer, or `None` if they can.
fn why_misaligned(meta: &B2ndMeta, array: &Array, start: i64, axis: usize) -> Option<String> {
    let (own, other) = (array.geometry(), &meta.geometry);
    if (own.chunkshape(), own.blockshape()) != (other.chunkshape(), other.blockshape()) {
        let shapes =
            |geometry: &Geometry| format!("chunks of {:?} and blocks of {:?}", geometry.chunkshape(), geometry.blockshape());
        return Some(format!("it has {}, but the first array has {}", shapes(own), shapes(other)));
    }
    if !matches!(array.header().geometry(), Ok(Some(_))) {
        return Some("it has no array metalayer".to_owned());
    }
    let chunk = i64::from(*other.chunkshape().get(axis)?);
    let is_inside = start.checked_rem(chunk).is_some_and(|rest| rest != 0);
    is_inside.then(|| format!("it would start at element {start} of axis {axis}, which is inside a chunk of length {chunk}"))
}

/// The arrays to join, each with the range that it takes along the axis.
struct Joined<'a> {
    parts: Vec<(Range<i64>, &'a Array)>,
    axis: usize,
}

impl Joined<'_> {
    /// Returns the array that holds a chunk, and the index of the chunk in that array. The chunks align.
    fn chunk(&self, grid: &Grid, number: u64) -> Result<(&Array, u64)> {
        let lost = || Error::custom(format_args!("chunk {number} is in none of the arrays"));
        let start = grid.chunk_extent(number).ok_or_else(lost)?;
        let mut element: Vec<i64> = start.iter().map(|range| range.start).collect();
        let at = element[self.axis];
        let (range, array) = self.parts.iter().find(|(range, _)| range.contains(&at)).ok_or_else(lost)?;
        element[self.axis] -= range.start;
        Ok((array, array.grid().chunk_index(&element).ok_or_else(lost)?))
    }

    /// Reads the elements of a chunk, as bytes.
    fn elements(&self, grid: &Grid, number: u64) -> Result<Vec<u8>> {
        let area = extent(grid, number);
        let mut pieces = Vec::new();
        for (range, array) in &self.parts {
            let mut slice = area.clone();
            let place = &mut slice[self.axis];
            *place = place.start.max(range.start) - range.start..place.end.min(range.end) - range.start;
            if place.start < place.end {
                pieces.push(ArrayD::from_shape_vec(in_bytes(&slice, array.itemsize()), array.read_bytes(&slice)?)?);
            }
        }
        let joined = match pieces.len() {
            1 => pieces.swap_remove(0),
            _ => concatenate(Axis(self.axis), &pieces.iter().map(|piece| piece.view()).collect::<Vec<_>>())?,
        };
        Ok(if joined.is_standard_layout() { joined.into_raw_vec_and_offset().0 } else { contiguous(joined.view()) })
    }
}
