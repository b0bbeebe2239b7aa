//! [`Source`]: bytes that can be read at any position.

use alloc::borrow::Cow;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use crate::error::{Error, Result};

/// Bytes that can be read at any position, such as a file, a part of a file, an object on an HTTP server, or a buffer.
///
/// [`Frame::open`](super::Frame::open) reads a frame from a source. For the metadata, a frame usually reads only a few small ranges: the
/// first 4 KiB, then the end. A frame does not store the errors of its source, so a failed read can be tried again, for example after
/// missing bytes have been added to [`Pieces`](super::Pieces).
///
/// `Vec<u8>`, [`Buffer`] (for any other bytes in memory), `std::fs::File`, [`FileSource`](super::FileSource), [`Window`] and
/// [`Pieces`](super::Pieces) implement this trait, and so do `&S` and `Arc<S>` for a source `S`. A slice does not: use
/// [`Frame::from_slice`](super::Frame::from_slice) for slices.
#[expect(clippy::len_without_is_empty, reason = "opening an empty source as a frame fails, so callers do not need is_empty")]
pub trait Source {
    /// Returns the length of the source in bytes, or `u64::MAX` if the length is not known yet.
    ///
    /// # Errors
    ///
    /// Fails if the length cannot be determined.
    fn len(&self) -> Result<u64>;

    /// Reads a range of bytes, or fewer bytes if the source ends before the range does.
    ///
    /// # Errors
    ///
    /// Fails if the bytes cannot be read, or memory for them cannot be allocated.
    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>>;

    /// Fills a buffer with the bytes of the source from position `start` on.
    ///
    /// # Errors
    ///
    /// Fails if the source ends before the buffer is full ([`Error::is_eof`] then returns true), or if the source cannot be read.
    fn read_into(&self, start: u64, buffer: &mut [u8]) -> Result<()> {
        let bytes = self.read(start..start.saturating_add(buffer.len() as u64))?;
        match bytes.get(..buffer.len()) {
            Some(bytes) => buffer.copy_from_slice(bytes),
            None => return Err(ends(start.saturating_add(bytes.len() as u64), buffer.len() - bytes.len())),
        }
        Ok(())
    }

    /// Reads several ranges at the same time, if the source is remote: a read then takes a request, and waiting for the requests one after
    /// another takes long. Returns `None` if reading the ranges one by one is as fast, which is the default. Whether it returns `None` does
    /// not depend on the ranges.
    ///
    /// The answer consists of ranges with their bytes, and must cover all requested ranges up to the end of the source. Ranges that are
    /// close to each other can be merged, and long ones divided, but the answer must not start before the first requested range or end
    /// after the last.
    ///
    /// # Errors
    ///
    /// Fails if one of the ranges cannot be read.
    fn read_many(&self, ranges: Vec<Range<u64>>) -> Option<Result<Fetched>> {
        let _ = ranges;
        None
    }

    /// Reads a range of bytes from the chunk file with this number. On disk, the chunk files of a sparse frame are next to its
    /// `chunks.b2frame`. Returns fewer bytes if the chunk file ends before the range does.
    ///
    /// # Errors
    ///
    /// Fails if the chunk file cannot be read. The default implementation always fails.
    fn chunk_file(&self, number: u64, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        let _ = (number, range);
        Err(Error::custom(
            "the chunks of a sparse frame are separate files, which this source lacks: open the frame's directory on a local disk",
        ))
    }
}

/// Ranges of a source, each with its bytes.
pub type Fetched = Vec<(Range<u64>, Vec<u8>)>;

/// Returns the error for a source that ends at byte `end`, although `needed` more bytes were requested.
pub(crate) fn ends(end: u64, needed: usize) -> Error {
    Error::end(needed, usize::try_from(end).unwrap_or(usize::MAX)).field("the source")
}

/// Allocates a buffer of zeros. Returns an error instead of aborting if there is not enough memory, since a damaged header may claim any
/// length.
pub(crate) fn zeros(length: u64) -> Result<Vec<u8>> {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).map_err(|_| Error::out_of_memory(length))?;
    bytes.resize(length, 0);
    Ok(bytes)
}

/// Returns the bytes of a range, or fewer if the slice ends before the range does.
pub(crate) fn slice(bytes: &[u8], range: Range<u64>) -> &[u8] {
    let [start, end] = [range.start, range.end].map(|at| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len()));
    bytes.get(start..end).unwrap_or_default()
}

impl Source for Vec<u8> {
    fn len(&self) -> Result<u64> {
        Ok(self.as_slice().len() as u64)
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        Ok(Cow::Borrowed(slice(self, range)))
    }
}

/// A [`Source`] of bytes in memory, such as a memory map, an `Arc<[u8]>` or a `&[u8]`.
///
/// ```
/// use b2nd_frame::{Buffer, Frame};
///
/// let bytes: std::sync::Arc<[u8]> = std::fs::read("../../tests/data/example.b2nd")?.into();
/// let frame = Frame::open(Buffer(bytes))?;
/// assert_eq!(frame.offsets()?.len(), 8);
/// # Ok::<(), b2nd_frame::Error>(())
/// ```
#[derive(Clone, Copy, Default, Debug)]
pub struct Buffer<T>(pub T);

impl<T: AsRef<[u8]>> Source for Buffer<T> {
    fn len(&self) -> Result<u64> {
        Ok(self.0.as_ref().len() as u64)
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        Ok(Cow::Borrowed(slice(self.0.as_ref(), range)))
    }
}

/// A part of a source, as a source of its own. The part can be a member of an archive, or a file inside a larger file.
///
/// ```
/// use b2nd_frame::{Source, Window};
///
/// let window = Window::new(b"0123456789".to_vec(), 2..6);
/// assert_eq!((window.len()?, &*window.read(1..9)?), (4, &b"345"[..]));
/// # Ok::<(), b2nd_frame::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Window<S> {
    source: S,
    range: Range<u64>,
}

impl<S: Source> Window<S> {
    /// Creates a window on a range of bytes of a source. If the source ends before the range does, the window ends with the source.
    pub fn new(source: S, range: Range<u64>) -> Window<S> {
        Window { source, range }
    }

    /// Returns the window's range of bytes in its source.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }
}

impl<S: Source> Source for Window<S> {
    fn len(&self) -> Result<u64> {
        Ok(self.range.end.min(self.source.len()?).saturating_sub(self.range.start))
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        let [start, end] = [range.start, range.end].map(|at| self.range.start.saturating_add(at).min(self.range.end));
        // Do not pass an empty range to the source, which might send a request for it.
        if start < end { self.source.read(start..end) } else { Ok(Cow::Borrowed(&[])) }
    }

    fn read_into(&self, start: u64, buffer: &mut [u8]) -> Result<()> {
        let place = self.range.start.saturating_add(start);
        let room = self.range.end.saturating_sub(place);
        if (buffer.len() as u64) <= room {
            return self.source.read_into(place, buffer);
        }
        let needed = usize::try_from(buffer.len() as u64 - room).unwrap_or(usize::MAX);
        Err(ends(start.saturating_add(room), needed))
    }

    fn read_many(&self, ranges: Vec<Range<u64>>) -> Option<Result<Fetched>> {
        let start = self.range.start;
        let place = |at: u64| start.saturating_add(at).min(self.range.end);
        let ranges = ranges.into_iter().map(|range| place(range.start)..place(range.end)).collect();
        let back = |(range, bytes): (Range<u64>, _)| match range.start.checked_sub(start) {
            Some(from) => Ok((from..range.end.saturating_sub(start), bytes)),
            None => {
                Err(Error::custom(format_args!("the source returned bytes from {} on, which were not requested", range.start)))
            }
        };
        Some(self.source.read_many(ranges)?.and_then(|fetched| fetched.into_iter().map(back).collect()))
    }
}

/// Implements [`Source`] for pointers to a source, by passing each call on to that source.
macro_rules! pass_on {
    ($($pointer:ty),*) => {$(
        impl<S: Source + ?Sized> Source for $pointer {
            fn len(&self) -> Result<u64> {
                (**self).len()
            }

            fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
                (**self).read(range)
            }

            fn read_into(&self, start: u64, buffer: &mut [u8]) -> Result<()> {
                (**self).read_into(start, buffer)
            }

            fn read_many(&self, ranges: Vec<Range<u64>>) -> Option<Result<Fetched>> {
                (**self).read_many(ranges)
            }

            fn chunk_file(&self, number: u64, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
                (**self).chunk_file(number, range)
            }
        }
    )*};
}

pass_on!(&S, Arc<S>);
