//! Annotates the bytes of a frame's header and trailer with their meaning, and locates errors in them.

use b2nd_frame::{Error, HeaderField, Result, Source};
use b2nd_store::{Frame, is_frame, readable};
use b2nd_view::bytes::{self, ByteRow};
use b2nd_view::{Array, text};
use serde::Serialize;

/// The maximum number of bytes that are shown of a header or trailer that cannot be read. More bytes of a header are shown only to include
/// the byte with the error.
const SHOWN: u64 = 4096;

/// The maximum number of bytes that are shown of a file that is not a frame.
const STRANGE: u64 = 256;

/// The number of bytes from the value of the field `trailer_len`, without its marker, to the end of the trailer.
const TRAILER_LEN: usize = 22;

/// The annotated bytes of a header or a trailer.
#[derive(Serialize)]
pub(crate) struct AnnotatedPart {
    title: &'static str,
    /// The offset of the part in the frame, plus the frame's offset in the archive (see `store::start`).
    start: u64,
    bytes: String,
    /// The rows of the part. The offset of each row is counted from the first byte of the part.
    rows: Vec<ByteRow>,
    errors: Vec<Mistake>,
}

/// An error in a part: a sentence, and the position of the byte at which the error was found, counted from the first byte of the part.
#[derive(Serialize)]
struct Mistake {
    message: String,
    position: Option<u64>,
}

impl AnnotatedPart {
    /// Creates a part of a frame. `start` is the offset of the frame in the archive, and `at` is the offset of the part in the
    /// frame.
    fn new(title: &'static str, start: u64, at: u64, bytes: &[u8], error: Option<&Error>) -> AnnotatedPart {
        let mut rows = if title == "header" { bytes::header(bytes) } else { bytes::trailer(bytes, at) };
        rows.iter_mut().for_each(|row| row.offset = row.offset.saturating_sub(at));
        let position = |error: &Error| error.offset().and_then(|offset| (offset as u64).checked_sub(at));
        let errors = error.into_iter().map(|error| Mistake { message: error.to_string(), position: position(error) });
        AnnotatedPart { title, start: start + at, bytes: text::hex(bytes, ""), rows, errors: errors.collect() }
    }
}

/// Annotates the header and the trailer of a frame, or only the header if it is invalid. `start` is the offset of the frame in the archive
/// (see `store::start`).
pub(crate) fn parts(source: &dyn Source, start: u64) -> Result<Vec<AnnotatedPart>> {
    let frame = match readable(Frame::open(source))? {
        Ok(frame) => frame,
        Err(error) => return Ok(vec![broken_header(source, start, &error)?]),
    };
    let encoded = frame.read(0..frame.header().header_len() as u64)?;
    // The header is readable, but its array metalayer may be invalid.
    let header = AnnotatedPart::new("header", start, 0, &encoded, Array::find(frame.header()).err().as_ref());
    let trailer = match readable(frame.trailer_range().and_then(|range| Ok((range.start, frame.read(range)?))))? {
        Ok((at, bytes)) => AnnotatedPart::new("trailer", start, at, &bytes, None),
        Err(error) => broken_trailer(source, &frame, start, &error)?,
    };
    Ok(vec![header, trailer])
}

fn broken_header(source: &dyn Source, start: u64, error: &Error) -> Result<AnnotatedPart> {
    let first = source.read(0..SHOWN)?;
    let length = first.get(HeaderField::HEADER_LEN.value()).and_then(|length| length.try_into().ok()).map(u32::from_be_bytes);
    let shown = match length {
        _ if !is_frame(&first) => STRANGE,
        Some(length @ 15..) => u64::from(length).min(SHOWN),
        _ => SHOWN,
    };
    let shown = shown.max(error.offset().map_or(0, |offset| offset as u64 + 16));
    Ok(AnnotatedPart::new("header", start, 0, &source.read(0..shown)?, Some(error)))
}

fn broken_trailer(source: &dyn Source, frame: &Frame, start: u64, error: &Error) -> Result<AnnotatedPart> {
    let header_len = frame.header().header_len() as u64;
    let end = frame.header().frame_len().min(source.len()?);
    let first = end.saturating_sub(SHOWN).max(header_len).min(end);
    let tail = source.read(first..end)?;
    let length = tail.len().checked_sub(TRAILER_LEN).and_then(|at| tail.get(at..at + 4)?.try_into().ok()).map(u32::from_be_bytes);
    // If the trailer's length is missing or too small, the minimum length of a trailer is assumed. If the length exceeds the bytes that
    // were read, all of them are shown.
    let length = length.map_or(0, |length| length as usize).clamp(35, 35.max(tail.len()));
    let skipped = tail.len().saturating_sub(length);
    let bytes = tail.get(skipped..).unwrap_or_default();
    Ok(AnnotatedPart::new("trailer", start, first + skipped as u64, bytes, Some(error)))
}
