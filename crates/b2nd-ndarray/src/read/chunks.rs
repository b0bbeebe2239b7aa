//! [`ArrayChunk`]: a decoded chunk with its coordinates, and iterators over the chunks of an array.

use std::ops::Range;

use ndarray::ArrayD;

use crate::array::Array;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::read::area::shared;

/// A decoded chunk of an array, or the part of it that lies in a slice.
#[non_exhaustive]
#[derive(Clone, PartialEq, Debug)]
pub struct ArrayChunk<T> {
    /// The index of the chunk in the grid of chunks, in C order.
    pub number: u64,
    /// The coordinates of the chunk in the grid of chunks.
    pub coordinates: Vec<i64>,
    /// The part of the array that `values` covers: a range of indices for each dimension.
    pub ranges: Vec<Range<i64>>,
    /// The elements, without padding.
    pub values: ArrayD<T>,
}

impl Array {
    /// Reads the chunk with this index, without its padding.
    ///
    /// # Errors
    ///
    /// Fails if there is no such chunk. Also returns the errors of [`read`](Array::read).
    pub fn chunk<T: Element>(&self, number: u64) -> Result<ArrayChunk<T>> {
        let whole = self.whole();
        self.chunk_in(number, &whole)
    }

    /// Iterates over the chunks of the array in the order of their indices. Each chunk is read when the iterator reaches it.
    ///
    /// ```
    /// use b2nd_ndarray::{Array, Options};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("array.b2nd");
    /// let values = ndarray::Array2::from_shape_fn((100, 200), |(row, column)| (row * column) as f64);
    /// b2nd_ndarray::write(&path, &values, &Options { chunkshape: Some(vec![30, 200]), ..Options::default() })?;
    ///
    /// let mut sum = 0.0;
    /// for chunk in Array::open(&path)?.chunks::<f64>()? {
    ///     let chunk = chunk?;
    ///     println!("{:?} {:?}", chunk.coordinates, chunk.ranges);
    ///     sum += chunk.values.sum();
    /// }
    /// assert_eq!(sum, values.sum());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails, for example, if the elements are not of type `T` ([`Error::DType`](crate::Error::DType)). Each item can have the errors of
    /// [`read`](Array::read).
    pub fn chunks<T: Element>(&self) -> Result<impl ExactSizeIterator<Item = Result<ArrayChunk<T>>> + use<'_, T>> {
        self.chunks_in(&self.whole())
    }

    /// Iterates over the chunks that a slice touches, like [`chunks`](Array::chunks). Each item is the part of a chunk that lies in the
    /// slice.
    ///
    /// # Errors
    ///
    /// Fails if the slice has a different number of dimensions than the array, or is not inside the array. Also returns the errors of
    /// [`chunks`](Array::chunks).
    pub fn chunks_in<T: Element>(
        &self,
        slice: &[Range<i64>],
    ) -> Result<impl ExactSizeIterator<Item = Result<ArrayChunk<T>>> + use<'_, T>> {
        let (numbers, slice) = self.touched::<T>(slice)?;
        Ok(numbers.map(move |number| self.chunk_in(number, &slice)))
    }

    /// Iterates over the chunks of the array in parallel, in the caller's rayon pool.
    ///
    /// ```
    /// use b2nd_ndarray::{Array, Options};
    /// use rayon::iter::ParallelIterator;
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("array.b2nd");
    /// let values = ndarray::Array2::from_shape_fn((100, 200), |(row, column)| (row * column) as f64);
    /// b2nd_ndarray::write(&path, &values, &Options { chunkshape: Some(vec![30, 200]), ..Options::default() })?;
    ///
    /// let array = Array::open(&path)?;
    /// let sum: Result<f64, _> = array.par_chunks::<f64>()?.map(|chunk| Ok::<_, b2nd_ndarray::Error>(chunk?.values.sum())).sum();
    /// assert_eq!(sum?, values.sum());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`chunks`](Array::chunks).
    #[cfg(feature = "rayon")]
    pub fn par_chunks<T: Element>(
        &self,
    ) -> Result<impl rayon::iter::IndexedParallelIterator<Item = Result<ArrayChunk<T>>> + use<'_, T>> {
        self.par_chunks_in(&self.whole())
    }

    /// Iterates in parallel over the chunks that a slice touches, like [`chunks_in`](Array::chunks_in).
    ///
    /// # Errors
    ///
    /// Returns the errors of [`chunks_in`](Array::chunks_in).
    #[cfg(feature = "rayon")]
    pub fn par_chunks_in<T: Element>(
        &self,
        slice: &[Range<i64>],
    ) -> Result<impl rayon::iter::IndexedParallelIterator<Item = Result<ArrayChunk<T>>> + use<'_, T>> {
        use rayon::iter::{IntoParallelIterator, ParallelIterator};

        let (numbers, slice) = self.touched::<T>(slice)?;
        let count = numbers.len();
        let number = move |index| numbers.clone().nth(index).unwrap_or(u64::MAX);
        Ok((0..count).into_par_iter().map(move |index| self.chunk_in(number(index), &slice)))
    }

    /// Checks the slice, and that elements can be read as `T`. Returns the indices of the chunks that the slice touches, and a copy of the
    /// slice.
    pub(crate) fn touched<T: Element>(&self, slice: &[Range<i64>]) -> Result<(impl Numbers + use<T>, Vec<Range<i64>>)> {
        self.with_path(|| {
            self.swapped::<T>()?;
            self.check(slice)?;
            Ok((self.grid().chunks_in(slice)?, slice.to_vec()))
        })
    }

    /// Reads the part of a chunk that lies in a slice.
    fn chunk_in<T: Element>(&self, number: u64, slice: &[Range<i64>]) -> Result<ArrayChunk<T>> {
        let place = self.grid().chunk_extent(number).zip(self.grid().chunk_coords(number));
        let Some((extent, coordinates)) = place else {
            let nchunks = b2nd_store::text::count(self.grid().nchunks(), "chunk");
            return Err(self.error(Error::custom(format_args!("chunk {number} is out of range: the array has {nchunks}"))));
        };
        let ranges = shared(&extent, slice);
        let values = self.read(&ranges)?;
        Ok(ArrayChunk { number, coordinates: coordinates.to_vec(), ranges, values })
    }
}

/// An iterator that computes the indices of chunks one by one.
pub(crate) trait Numbers: ExactSizeIterator<Item = u64> + Clone + Send + Sync {}

impl<N: ExactSizeIterator<Item = u64> + Clone + Send + Sync> Numbers for N {}
