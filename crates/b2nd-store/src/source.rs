//! [`Source`]: where bytes come from.

use std::borrow::Cow;
use std::io;
use std::ops::Range;

/// Bytes that are read by their position: a file, a part of one, an object behind HTTP, a buffer.
///
/// Readers ask for few and small ranges: the first 4 KiB, then the end. They pass on every error of a source as
/// [`b2nd::ErrorKind::Io`] and remember none, so a source may return [`io::ErrorKind::WouldBlock`], fetch the range, and be asked
/// again.
pub trait Source {
    /// How many bytes there are.
    fn len(&self) -> u64;

    /// Whether there are no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of a range; fewer if the source ends first.
    ///
    /// # Errors
    ///
    /// The bytes cannot be read.
    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>>;

    /// The first `length` bytes of the file beside this one that holds a chunk of a sparse frame.
    ///
    /// # Errors
    ///
    /// There are no files beside it, or this one cannot be read.
    fn chunk_file(&self, number: u64, length: usize) -> io::Result<Vec<u8>> {
        let _ = (number, length);
        Err(io::Error::new(io::ErrorKind::Unsupported, "the chunks of a sparse frame are files beside it, which are not at hand"))
    }
}

impl Source for [u8] {
    fn len(&self) -> u64 {
        self.len() as u64
    }

    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(self.len());
        Ok(Cow::Borrowed(self.get(place(range.start)..place(range.end)).unwrap_or_default()))
    }
}

impl Source for Vec<u8> {
    fn len(&self) -> u64 {
        self.as_slice().len() as u64
    }

    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        Source::read(self.as_slice(), range)
    }
}

/// A part of a source: a member of an archive, a frame inside a file.
#[derive(Clone)]
pub struct Window<'a> {
    source: &'a dyn Source,
    range: Range<u64>,
}

impl<'a> Window<'a> {
    /// Makes a window on a range of a source, cut where the source ends.
    pub fn new(source: &'a dyn Source, range: Range<u64>) -> Window<'a> {
        let end = range.end.min(source.len());
        Window { source, range: range.start.min(end)..end }
    }
}

impl Source for Window<'_> {
    fn len(&self) -> u64 {
        self.range.end - self.range.start
    }

    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        let place = |at: u64| self.range.start.saturating_add(at).min(self.range.end);
        self.source.read(place(range.start)..place(range.end))
    }
}
