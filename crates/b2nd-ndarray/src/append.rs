//! [`Appender`]: an array in a file that grows along its first axis.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use b2nd::frame::{Chunk, Editor, File, FrameType, Header, HeaderField, Offset, Special, Trailer};
use b2nd::{ArrayMeta, B2ndMeta, Geometry};
use ndarray::{ArrayBase, ArrayView, ArrayViewD, Axis, Data, Dimension, IxDyn, Slice};

use crate::array::Array;
use crate::element::{self, Element, scalar};
use crate::error::{Error, Result};
use crate::options::Options;
use crate::write::{Packer, write_bytes};

/// A disk writes so many bytes as a whole or not at all.
const SECTOR: usize = 512;

/// The longest first axis that a new array's chunks are chosen for.
const ROWS: i64 = 1 << 20;

/// Appends to an array in a file, along its first axis: arrays larger than memory, logs, time series.
///
/// Rows stay in memory until they fill chunks; [`flush`](Appender::flush) writes all of them. Until it returns, the file holds the
/// array as it was: new chunks, index and trailer are written behind the old ones, and one write of the header's first 512 bytes
/// makes them valid. So a crash loses what was not flushed, and nothing else. Each flush leaves what it replaces in the file as a
/// gap: flush now and then, not after every row.
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
    file: fs::File,
    /// Locks the file against others that edit it.
    _lock: Editor,
    header: Header,
    meta: B2ndMeta,
    trailer: Trailer,
    /// The entries of the index for the chunks that are full, and how many rows these hold.
    offsets: Vec<u8>,
    full: i64,
    /// The rows that do not fill chunks yet, in C order, and whether some of them are not in the file.
    pending: Vec<u8>,
    changed: bool,
    /// Where the next chunk goes.
    end: u64,
}

/// The state of an [`Appender`] before an append, to which one that fails goes back.
struct Before {
    offsets: usize,
    full: i64,
    pending: usize,
    /// The rows that were pending, once a chunk took them.
    kept: Option<Vec<u8>>,
    changed: bool,
    end: u64,
}

impl Appender {
    /// Creates an array without rows in a new file. `row` is the shape of a row in elements: the array's without the first axis.
    ///
    /// # Errors
    ///
    /// Those of [`write`](crate::write()).
    pub fn create<T: Element>(path: impl AsRef<Path>, row: &[i64], options: &Options) -> Result<Appender> {
        let dtype = scalar::<T>()?;
        let shape = |rows| [&[rows], row].concat();
        let typical = options.geometry(&shape(ROWS), dtype.itemsize())?;
        let geometry = Geometry::new(&shape(0), typical.chunkshape(), typical.blockshape())?;
        write_bytes(&path, &B2ndMeta::new(geometry, dtype.to_string()), &[], options)?;
        Appender::open(path)
    }

    /// Opens an array in an existing file, and locks the file until this is dropped. Waits while somebody else edits it: forever if
    /// that is another `Appender` of this thread.
    ///
    /// # Errors
    ///
    /// Those of [`Array::open`]. Also, the frame is sparse, the array has no dimensions or not the released layout, or other
    /// metalayers stand before the array's, so that the header cannot be changed in one write.
    pub fn open(path: impl AsRef<Path>) -> Result<Appender> {
        let path = path.as_ref();
        // Locked first: what another one appended while this waited counts.
        let frame = File::edit(path)?;
        let array = Array::open(path)?;
        let header = frame.header().clone();
        let refused = |why: &str| Err(Error::B2nd(b2nd::Error::custom(format_args!("{}: {why}", path.display()))));
        let meta = match header.array()? {
            Some(ArrayMeta::B2nd(meta)) => meta.into_owned(),
            _ => return refused("only arrays of the released layout can grow: upgrade it first"),
        };
        if header.frame_type() == FrameType::Sparse {
            return refused("sparse frames cannot grow here");
        }
        let grid = array.grid();
        let (Some(&rows), Some(&chunk)) = (grid.shape().first(), grid.chunkshape().first()) else {
            return refused("an array without dimensions has no rows");
        };
        if chunk == 0 || grid.shape().iter().skip(1).any(|&length| length == 0) {
            return refused("its rows hold no elements");
        }
        let full = rows / chunk * chunk;
        let in_row: i64 = grid.chunks_per_dimension().iter().skip(1).product();
        let mut offsets = Vec::new();
        for offset in frame.offsets()?.iter().take(usize::try_from(full / chunk * in_row).unwrap_or(usize::MAX)) {
            offsets.extend_from_slice(&raw(offset)?.to_le_bytes());
        }
        let mut last = array.whole();
        if let Some(range) = last.first_mut() {
            range.start = full;
        }
        let appender = Appender {
            pending: array.read_bytes(&last)?,
            changed: false,
            full,
            offsets,
            trailer: frame.trailer()?,
            end: frame.header().frame_len(),
            file: fs::OpenOptions::new().read(true).write(true).open(path).map_err(b2nd::Error::from)?,
            _lock: frame,
            header,
            meta,
        };
        // Any other shape tells which bytes of the header change.
        appender.new_header(i64::MAX, i64::MAX, i64::MAX, u64::MAX >> 1)?;
        Ok(appender)
    }

    /// How many rows the array has, those that are not flushed included.
    pub fn rows(&self) -> i64 {
        self.full + self.pending_rows()
    }

    /// Appends rows: an array of any memory layout, whose shape is the array's but for the first axis.
    ///
    /// # Errors
    ///
    /// The rows have another type ([`Error::DType`]) or shape ([`Error::Rows`]), or the file cannot be written. None of the rows is
    /// then appended: what [`rows`](Appender::rows) counts stays, and the same rows can be appended again.
    pub fn append<T: Element, S: Data<Elem = T>, D: Dimension>(&mut self, rows: &ArrayBase<S, D>) -> Result<()> {
        let dtype = self.meta.parse_dtype()?;
        let swapped = element::swapped::<T>(Some(&dtype))?;
        let row: Vec<_> = rows.shape().iter().skip(1).map(|&length| i64::try_from(length).unwrap_or(i64::MAX)).collect();
        let expected = self.meta.geometry.shape().get(1..).unwrap_or_default();
        if rows.ndim() == 0 || row != expected {
            return Err(Error::Rows { expected: expected.to_vec(), found: row });
        }
        self.all_or_none(|this, before| this.append_view(rows.view().into_dyn(), swapped, before))
    }

    fn append_view<T: Element>(&mut self, rows: ArrayViewD<'_, T>, swapped: bool, before: &mut Before) -> Result<()> {
        let chunk = usize::try_from(self.chunk_rows()).unwrap_or(1);
        let count = rows.len_of(Axis(0));
        let mut start = 0;
        while start < count {
            // As many as the chunks lack.
            let lack = chunk - usize::try_from(self.pending_rows()).unwrap_or(0);
            let end = count.min(start.saturating_add(lack));
            let part = rows.slice_axis(Axis(0), Slice::from(start..end));
            let mut part = part.as_standard_layout().into_owned().into_raw_vec_and_offset().0;
            match T::bits_mut(&mut part).filter(|_| swapped) {
                Some(bits) => {
                    element::swap::<T>(bits);
                    self.take(bytemuck::cast_slice(bits), before)?;
                }
                None => self.take(bytemuck::cast_slice(&part), before)?,
            }
            start = end;
        }
        Ok(())
    }

    /// Appends rows of any type, given as bytes in C order and in the file's byte order.
    ///
    /// # Errors
    ///
    /// The bytes are not whole rows, or the file cannot be written. None of the rows is then appended.
    pub fn append_bytes(&mut self, rows: &[u8]) -> Result<()> {
        let row = self.row_len();
        if rows.len() % row != 0 {
            return Err(Error::Length { expected: rows.len().next_multiple_of(row), found: rows.len() });
        }
        self.all_or_none(|this, before| this.take(rows, before))
    }

    /// Appends, and undoes it if it fails. Chunks that were written are behind the frame, where others will be written over them.
    fn all_or_none(&mut self, append: impl FnOnce(&mut Appender, &mut Before) -> Result<()>) -> Result<()> {
        let mut before = Before {
            offsets: self.offsets.len(),
            full: self.full,
            pending: self.pending.len(),
            kept: None,
            changed: self.changed,
            end: self.end,
        };
        let done = append(self, &mut before);
        if done.is_err() {
            self.offsets.truncate(before.offsets);
            match before.kept {
                Some(kept) => self.pending = kept,
                None => self.pending.truncate(before.pending),
            }
            (self.full, self.changed, self.end) = (before.full, before.changed, before.end);
        }
        done
    }

    fn take(&mut self, mut rows: &[u8], before: &mut Before) -> Result<()> {
        let chunk = usize::try_from(self.chunk_rows()).unwrap_or(0).saturating_mul(self.row_len());
        while !rows.is_empty() {
            let (now, later) = rows.split_at(rows.len().min(chunk - self.pending.len()));
            self.pending.extend_from_slice(now);
            self.changed = true;
            rows = later;
            if self.pending.len() == chunk {
                let offsets = self.put_pending()?;
                self.offsets.extend_from_slice(&offsets);
                self.full += self.chunk_rows();
                if before.kept.is_none() {
                    let kept = self.pending.get(..before.pending).unwrap_or_default();
                    before.kept = Some(kept.to_vec());
                }
                self.pending.clear();
            }
        }
        Ok(())
    }

    /// Makes all appended rows part of the array, and blocks until they are on stable storage.
    ///
    /// # Errors
    ///
    /// The file cannot be written. It then holds the array as it was, and the rows stay in memory to be flushed again.
    pub fn flush(&mut self) -> Result<()> {
        if !self.changed {
            return Ok(());
        }
        let before = self.end;
        let (header, bytes) = self.put_tail().inspect_err(|_| self.end = before)?;
        let meta = header.array()?.and_then(|meta| meta.upgrade(None).ok()).ok_or(Error::NoArray)?;
        // The rest is as it was. From here on the file may hold the new array even after an error: nothing of it is written over.
        let sector = bytes.get(..SECTOR).unwrap_or(&bytes);
        self.file.seek(SeekFrom::Start(0)).and_then(|_| self.file.write_all(sector)).map_err(b2nd::Error::from)?;
        self.file.sync_data().map_err(b2nd::Error::from)?;
        (self.header, self.meta, self.changed) = (header, meta, false);
        Ok(())
    }

    /// Writes pending rows, index and trailer behind the frame, and returns the header that makes them valid.
    fn put_tail(&mut self) -> Result<(Header, Vec<u8>)> {
        let mut offsets = self.offsets.clone();
        if !self.pending.is_empty() {
            offsets.extend_from_slice(&self.put_pending()?);
        }
        let header_len = self.header.header_len() as u64;
        let index_at = self.end;
        self.put(Chunk::store(&offsets, 8)?.bytes())?;
        self.put(&b2nd::to_vec(&self.trailer)?)?;
        let count = i64::try_from(offsets.len() / 8).unwrap_or(i64::MAX);
        let nbytes = count.saturating_mul(i64::from(self.header.chunksize()));
        let cbytes = i64::try_from(index_at - header_len).unwrap_or(i64::MAX);
        let bytes = self.new_header(self.rows(), nbytes, cbytes, self.end)?;
        self.file.sync_data().map_err(b2nd::Error::from)?;
        Ok((Header::from_slice(&bytes)?, bytes))
    }

    /// The header with these in it, which must differ from the one in the file within the first sector alone.
    fn new_header(&self, rows: i64, nbytes: i64, cbytes: i64, frame_len: u64) -> Result<Vec<u8>> {
        let mut shape = self.meta.geometry.shape().to_vec();
        if let Some(first) = shape.first_mut() {
            *first = rows;
        }
        let geometry = Geometry::new(&shape, self.meta.geometry.chunkshape(), self.meta.geometry.blockshape())?;
        let old = b2nd::to_vec(&self.header)?;
        let mut header = self.header.clone();
        header.metalayers_mut().set(&B2ndMeta { geometry, ..self.meta.clone() })?;
        let mut bytes = b2nd::to_vec(&header)?;
        for (field, value) in [
            (HeaderField::FRAME_LEN, frame_len.to_be_bytes()),
            (HeaderField::NBYTES, nbytes.to_be_bytes()),
            (HeaderField::CBYTES, cbytes.to_be_bytes()),
        ] {
            if let Some(place) = bytes.get_mut(field.value()) {
                place.copy_from_slice(&value);
            }
        }
        if bytes.len() != old.len() || bytes.get(SECTOR..) != old.get(SECTOR..) {
            let message =
                format!("the array's metalayer does not lie in the first {SECTOR} bytes: it cannot grow without a risk");
            return Err(b2nd::Error::custom(message).into());
        }
        Ok(bytes)
    }

    /// Writes the rows that are pending as chunks, and gives their entries of the index.
    fn put_pending(&mut self) -> Result<Vec<u8>> {
        let rows = self.pending_rows();
        let mut shape = self.meta.geometry.shape().to_vec();
        if let Some(first) = shape.first_mut() {
            *first = rows;
        }
        let geometry = Geometry::new(&shape, self.meta.geometry.chunkshape(), self.meta.geometry.blockshape())?;
        let packer = Packer::of(&self.header, &B2ndMeta { geometry, ..self.meta.clone() })?;
        let itemsize = self.itemsize();
        let mut lengths: Vec<_> = shape.iter().map(|&length| usize::try_from(length).unwrap_or(0)).collect();
        if let Some(last) = lengths.last_mut() {
            *last *= itemsize;
        }
        let view = ArrayView::from_shape(IxDyn(&lengths), &self.pending)?;
        let numbers: Vec<_> = (0..geometry.grid()?.nchunks()).collect();
        let chunks = crate::in_parallel(numbers, |number| packer.chunk(number, &view, itemsize))?;
        let mut offsets = Vec::new();
        for chunk in chunks {
            let at = i64::try_from(self.end - self.header.header_len() as u64).unwrap_or(i64::MAX);
            offsets.extend_from_slice(&at.to_le_bytes());
            self.put(&chunk)?;
        }
        Ok(offsets)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.seek(SeekFrom::Start(self.end)).and_then(|_| self.file.write_all(bytes)).map_err(b2nd::Error::from)?;
        self.end += bytes.len() as u64;
        Ok(())
    }

    fn itemsize(&self) -> usize {
        usize::try_from(self.header.typesize()).unwrap_or(1)
    }

    /// How many bytes a row takes.
    fn row_len(&self) -> usize {
        let items: i64 = self.meta.geometry.shape().iter().skip(1).product();
        usize::try_from(items).unwrap_or(usize::MAX).saturating_mul(self.itemsize()).max(1)
    }

    fn pending_rows(&self) -> i64 {
        i64::try_from(self.pending.len() / self.row_len()).unwrap_or(i64::MAX)
    }

    fn chunk_rows(&self) -> i64 {
        self.meta.geometry.chunkshape().first().map_or(1, |&rows| i64::from(rows).max(1))
    }
}

/// An offset as the index holds it.
fn raw(offset: Offset) -> Result<i64> {
    let special = match offset {
        Offset::At(at) => return Ok(i64::try_from(at).unwrap_or(i64::MAX)),
        Offset::Special(special) => special,
        _ => return Err(b2nd::Error::custom("an offset of an unknown kind").into()),
    };
    let code = match special {
        Special::Zeros => 0x81,
        Special::Nan => 0x82,
        Special::Uninitialized => 0x84,
        other => return Err(b2nd::Error::custom(format_args!("the index cannot say {other}")).into()),
    };
    Ok(i64::from_be_bytes([code, 0, 0, 0, 0, 0, 0, 0]))
}
