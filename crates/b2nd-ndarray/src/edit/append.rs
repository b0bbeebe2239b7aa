//! [`Appender`]: appends rows to an array in a file.

use std::path::Path;

use b2nd::{B2ndMeta, Geometry};
use b2nd_frame::Offset;
use ndarray::{ArrayBase, Axis, Data, Dimension, Slice};

use crate::edit::draft::{Draft, refused};
use crate::element::{self, Element, scalar};
use crate::error::{Error, Result};
use crate::options::Options;
use crate::read::area::{contiguous, whole};
use crate::threads::in_batches;
use crate::write::{Packer, view, write_bytes};

/// A new array has no rows, so its chunk shape is chosen as if it had this number of rows.
const ROWS: i64 = 1 << 20;

/// A writer that appends rows to an array in a file, along the array's first axis. It is meant for logs, for time series, and for arrays
/// that are larger than memory.
///
/// Rows stay in memory until they fill chunks; [`flush`](Appender::flush) writes all of them. New chunks, the index and the trailer are
/// written after the end of the frame; then a single write of the header's first 512 bytes makes them valid. A crash therefore loses only
/// rows that were not flushed. Dropping an `Appender` flushes it and ignores errors, so call [`flush`](Appender::flush) to see errors. If
/// the last call of `flush` failed, dropping the `Appender` discards the rows that are not in the file, so that they can be appended again.
/// A flush leaves the old index and the old incomplete chunks in the file as a gap, so do not flush after every row.
///
/// ```
/// use b2nd_ndarray::{Appender, Array, Options};
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("log.b2nd");
/// let mut log = Appender::create::<f32>(&path, &[3], &Options::default())?;
/// log.append(&ndarray::array![[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]])?;
/// log.flush()?;
/// drop(log);
///
/// let mut log = Appender::open(&path)?;
/// log.append(&ndarray::array![[7.0_f32, 8.0, 9.0]])?;
/// log.flush()?;
/// let array = Array::open(&path)?;
/// assert_eq!(array.geometry().shape(), [3, 3]);
/// assert_eq!(array.slice::<f32>(b2nd_ndarray::s![1.., 0])?, ndarray::array![4.0, 7.0].into_dyn());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Appender {
    draft: Draft,
    /// The index entries of the full chunks.
    offsets: Vec<Offset>,
    full: i64,
    /// The rows after the full chunks, in C order.
    pending: Vec<u8>,
    /// The rows of the first chunk that a call of `append` has filled. They are kept until the call ends: if it fails, the rows that were
    /// pending before the call are restored from them.
    kept: Option<Vec<u8>>,
    changed: bool,
    /// Whether the last call of `flush` failed.
    failed: bool,
}

impl Appender {
    /// Creates an array without rows in a new file. `row` is the shape of one row: the array's shape without its first axis.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`write`](crate::write()) and [`open`](Appender::open).
    pub fn create<T: Element>(path: impl AsRef<Path>, row: &[i64], options: &Options) -> Result<Appender> {
        let dtype = scalar::<T>()?;
        let shape = |rows| [&[rows], row].concat();
        let typical = options.geometry(&shape(ROWS), dtype.itemsize())?;
        let geometry = Geometry::new(&shape(0), typical.chunkshape(), typical.blockshape())?;
        write_bytes(&path, &B2ndMeta::new(geometry, dtype.to_string()), &[], options)?;
        Appender::open(path)
    }

    /// Opens an array in an existing file, and locks the file until the `Appender` is dropped. Waits while another process or thread edits
    /// the file, or has it open by [`File::open_shared`](b2nd_frame::File::open_shared).
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Array::open`](crate::Array::open) and [`File::edit`](b2nd_frame::File::edit). Also fails if the frame is
    /// sparse, if it has no array metalayer in the layout that C-Blosc2 has written since 2.7.0, if the array has no dimensions, if its
    /// rows or its chunks have no elements, if a block is longer than its chunk, if the shape is stored after the header's first 512 bytes,
    /// because other metalayers precede it, if unused bytes follow the metadata (see
    /// [`ArrayEditor::write_slice`](crate::ArrayEditor::write_slice)), or if the index or the rows after the full chunks cannot be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Appender> {
        let path = path.as_ref();
        // The file is locked before it is read, so that rows of other appenders are read.
        let draft = Draft::open(path)?;
        let array = draft.array()?;
        if draft.is_sparse() {
            return Err(refused(path, "an `Appender` cannot append to sparse frames: an `ArrayEditor` can resize them"));
        }
        let grid = array.grid();
        let (Some(&rows), Some(&chunk)) = (grid.shape().first(), grid.chunkshape().first()) else {
            return Err(refused(path, "an array without dimensions has no rows"));
        };
        let (shape, chunks) = (grid.shape(), grid.chunkshape());
        if chunk == 0 || shape.iter().skip(1).any(|&length| length == 0) {
            return Err(refused(path, &format!("its rows or its chunks are empty: shape {shape:?}, chunkshape {chunks:?}")));
        }
        let full = rows / chunk * chunk;
        let in_row: i64 = grid.chunks_per_dimension().iter().skip(1).product();
        let mut offsets = draft.entries().map_err(|error| array.error(error))?;
        offsets.truncate(usize::try_from(full / chunk * in_row).unwrap_or(usize::MAX));
        let mut last = array.whole();
        if let Some(range) = last.first_mut() {
            range.start = full;
        }
        draft.can_take(&[&[i64::MAX], &grid.shape()[1..]].concat()).map_err(|error| array.error(error))?;
        Ok(Appender { pending: array.read_bytes(&last)?, kept: None, changed: false, failed: false, full, offsets, draft })
    }

    /// Returns the number of rows of the array, including rows that have not been flushed.
    pub fn rows(&self) -> i64 {
        self.full + self.pending_rows()
    }

    /// Appends rows, given as an array of any memory layout. The shape of `rows` must match the file's array in all axes but the first.
    ///
    /// # Errors
    ///
    /// Fails if the rows have a different dtype ([`Error::DType`]) or shape ([`Error::Rows`]) than the array's rows, if a chunk cannot be
    /// compressed, or if the file cannot be written. Then none of the rows is appended, and the call can be repeated.
    pub fn append<T: Element, S: Data<Elem = T>, D: Dimension>(&mut self, rows: &ArrayBase<S, D>) -> Result<()> {
        self.all_or_none(|this| this.take_array(rows))
    }

    fn take_array<T: Element, S: Data<Elem = T>, D: Dimension>(&mut self, rows: &ArrayBase<S, D>) -> Result<()> {
        let swapped = element::swapped::<T>(Some(&self.draft.meta.parse_dtype()?))?;
        let found: Vec<_> = rows.shape().iter().map(|&length| i64::try_from(length).unwrap_or(i64::MAX)).collect();
        let expected = self.draft.meta.geometry.shape().get(1..).unwrap_or_default();
        if found.get(1..) != Some(expected) {
            return Err(Error::Rows { expected: expected.to_vec(), found });
        }
        let (mut start, count) = (0, rows.len_of(Axis(0)));
        while start < count {
            // At most the rows that complete a chunk are copied at a time.
            let lack = usize::try_from(self.chunk_rows() - self.pending_rows()).unwrap_or(1);
            let end = count.min(start.saturating_add(lack));
            let part = rows.slice_axis(Axis(0), Slice::from(start..end)).into_dyn();
            self.take(element::stored(&mut contiguous(part), swapped))?;
            start = end;
        }
        Ok(())
    }

    /// Appends rows to an array of any dtype. The rows are given as bytes, in C order and in the file's byte order.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not whole rows, if a chunk cannot be compressed, or if the file cannot be written. Then none of the rows is
    /// appended.
    pub fn append_bytes(&mut self, rows: &[u8]) -> Result<()> {
        self.all_or_none(|this| match this.row_len() {
            row if rows.len() % row != 0 => Err(Error::Length { expected: rows.len().next_multiple_of(row), found: rows.len() }),
            _ => this.take(rows),
        })
    }

    /// Appends rows, and restores the old state if appending fails. Chunks that were already written are then removed.
    fn all_or_none(&mut self, append: impl FnOnce(&mut Appender) -> Result<()>) -> Result<()> {
        let (offsets, full, pending, changed) = (self.offsets.len(), self.full, self.pending.len(), self.changed);
        let end = self.draft.chunks.position();
        let done = append(self);
        let kept = self.kept.take();
        if done.is_err() {
            self.pending = kept.unwrap_or_else(|| std::mem::take(&mut self.pending));
            self.pending.truncate(pending);
            self.offsets.truncate(offsets);
            (self.full, self.changed) = (full, changed);
            self.draft.chunks.rewind(end);
        }
        done.map_err(|error| Error::in_file(self.draft.chunks.file().path(), error))
    }

    fn take(&mut self, mut rows: &[u8]) -> Result<()> {
        let chunk = usize::try_from(self.chunk_rows()).unwrap_or(0).saturating_mul(self.row_len());
        while !rows.is_empty() {
            let (now, later) = rows.split_at(rows.len().min(chunk - self.pending.len()));
            self.pending.extend_from_slice(now);
            self.changed = true;
            rows = later;
            if self.pending.len() == chunk {
                let offsets = self.put_pending()?;
                self.offsets.extend(offsets);
                self.full += self.chunk_rows();
                let filled = std::mem::replace(&mut self.pending, Vec::with_capacity(chunk));
                self.kept.get_or_insert(filled);
            }
        }
        Ok(())
    }

    /// Adds all appended rows to the array in the file. Returns when the rows are on stable storage.
    ///
    /// # Errors
    ///
    /// Fails, for example, if a chunk cannot be compressed, or the file cannot be written. The file then holds the old array, or the new
    /// array if only a step after the last write failed, such as the last sync. The rows are kept, and `flush` can be called again. If the
    /// `Appender` is dropped instead, rows that are not in the file are discarded.
    pub fn flush(&mut self) -> Result<()> {
        if !self.changed {
            return Ok(());
        }
        let (before, shape) = (self.draft.chunks.position(), self.shape(self.rows()));
        let put = self.put_pending().and_then(|put| self.draft.commit(&shape, &[&self.offsets[..], &put].concat()));
        self.failed = put.is_err();
        self.changed = put.is_err();
        put.map_err(|error| {
            self.draft.chunks.rewind(before);
            Error::in_file(self.draft.chunks.file().path(), error)
        })
    }

    /// Returns the shape that the array has with this number of rows.
    fn shape(&self, rows: i64) -> Vec<i64> {
        [&[rows], &self.draft.meta.geometry.shape()[1..]].concat()
    }

    /// Writes the pending rows as chunks, and returns the index entries of these chunks. The rows stay pending.
    fn put_pending(&mut self) -> Result<Vec<Offset>> {
        let shape = self.shape(self.pending_rows());
        let meta = self.draft.meta_of(&shape)?;
        let packer = Packer::of(self.draft.chunks.file().header(), &meta)?;
        let (rows, origin) = (view(&whole(&shape), &self.pending, packer.itemsize)?, vec![0; shape.len()]);
        let pack = |number| packer.chunk_from(number, &rows, &origin);
        let mut offsets = Vec::new();
        in_batches(0..packer.nchunks(), pack, |_, chunk| {
            offsets.push(self.draft.put_chunk(&chunk)?);
            Ok(())
        })?;
        Ok(offsets)
    }

    /// Returns the length of a row in bytes.
    fn row_len(&self) -> usize {
        let items: i64 = self.draft.meta.geometry.shape().iter().skip(1).product();
        let itemsize = usize::try_from(self.draft.chunks.file().header().typesize()).unwrap_or(1);
        usize::try_from(items).unwrap_or(usize::MAX).saturating_mul(itemsize).max(1)
    }

    fn pending_rows(&self) -> i64 {
        i64::try_from(self.pending.len() / self.row_len()).unwrap_or(i64::MAX)
    }

    fn chunk_rows(&self) -> i64 {
        self.draft.meta.geometry.chunkshape().first().map_or(1, |&rows| i64::from(rows).max(1))
    }
}

impl Drop for Appender {
    fn drop(&mut self) {
        // After a failed `flush`, the caller may append the rows again, so `drop` must not write them.
        if !self.failed {
            // `drop` cannot return an error, so errors are ignored.
            let _ = self.flush();
        }
    }
}
