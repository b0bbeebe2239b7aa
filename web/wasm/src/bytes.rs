//! Annotates the bytes of a frame's header and trailer with their meaning, and marks the byte at which an error was found.

use b2nd::frame::{Header, HeaderField, Source};
use b2nd::{Error, Result};
use b2nd_store::{Frame, is_frame, is_of_source};
use b2nd_view::bytes::{self, Row};
use b2nd_view::{Array, text};
use serde::Serialize;

/// The maximum number of bytes that are shown of an invalid header or trailer.
const SHOWN: u64 = 4096;

/// The maximum number of bytes that are shown of a file that is not a frame.
const STRANGE: u64 = 256;

/// The distance from the start of the length in a trailer to the end of the trailer.
const TRAILER_LEN: usize = 22;

/// The annotated bytes of a header or a trailer.
#[derive(Serialize)]
pub struct Part {
    title: &'static str,
    /// The offset of the part in the file.
    start: u64,
    bytes: String,
    /// The rows of the part. Their offsets are relative to the first byte of the part.
    rows: Vec<Row>,
    errors: Vec<Mistake>,
}

/// An error in a header or trailer: a sentence, and the offset of the byte at which the error was found.
#[derive(Serialize)]
struct Mistake {
    message: String,
    position: Option<u64>,
}

impl Part {
    fn new(title: &'static str, start: u64, bytes: &[u8], rows: Vec<Row>, errors: Vec<Mistake>) -> Part {
        Part { title, start, bytes: text::hex(bytes, ""), rows, errors }
    }
}

/// Annotates the header and the trailer of a frame. `start` is the offset of the frame in its file.
pub fn parts(source: &dyn Source, start: u64) -> Result<Vec<Part>> {
    let frame = match Frame::open(source) {
        Ok(frame) => frame,
        Err(error) if is_of_source(&error) => return Err(error),
        Err(error) => return Ok(vec![broken_header(source, start, &error)?]),
    };
    let encoded = frame.read(0..frame.header().header_len() as u64)?;
    let header = Part::new("header", start, &encoded, bytes::header(&encoded), array_error(frame.header()));
    let trailer = match frame.trailer_range().and_then(|range| Ok((range.start, frame.read(range)?))) {
        Ok((at, bytes)) => {
            let rows = from_zero(bytes::trailer(&bytes, at), at);
            Part::new("trailer", start + at, &bytes, rows, Vec::new())
        }
        Err(error) if is_of_source(&error) => return Err(error),
        Err(error) => broken_trailer(source, &frame, start, &error)?,
    };
    Ok(vec![header, trailer])
}

fn broken_header(source: &dyn Source, start: u64, error: &Error) -> Result<Part> {
    let first = source.read(0..SHOWN)?;
    let shown = match first.get(HeaderField::HEADER_LEN.value()).and_then(|length| length.try_into().ok()).map(u32::from_be_bytes)
    {
        _ if !is_frame(&first) => STRANGE,
        Some(length @ 15..) => u64::from(length).min(SHOWN),
        _ => SHOWN,
    };
    let position = error.offset().map(|offset| offset as u64);
    let shown = shown.max(position.map_or(0, |position| position + 16));
    let bytes = source.read(0..shown)?;
    let mistake = Mistake { message: error.to_string(), position };
    Ok(Part::new("header", start, &bytes, bytes::header(&bytes), vec![mistake]))
}

/// Returns the error in the array metalayer, if there is one, with its offset in the header.
fn array_error(header: &Header) -> Vec<Mistake> {
    let Err(error) = Array::find(header) else { return Vec::new() };
    let position = error.offset().map(|offset| offset as u64);
    vec![Mistake { message: error.to_string(), position }]
}

fn broken_trailer(source: &dyn Source, frame: &Frame, start: u64, error: &Error) -> Result<Part> {
    let header_len = frame.header().header_len() as u64;
    let end = frame.header().frame_len().min(source.len()?);
    let first = end.saturating_sub(SHOWN).max(header_len).min(end);
    let tail = source.read(first..end)?;
    let length = tail.len().checked_sub(TRAILER_LEN).and_then(|at| tail.get(at..at + 4)?.try_into().ok()).map(u32::from_be_bytes);
    // If the trailer's length is invalid, a trailer of the minimum length is shown.
    let length = length.map_or(0, |length| length as usize).clamp(35, 35.max(tail.len()));
    let skipped = tail.len().saturating_sub(length);
    let bytes = tail.get(skipped..).unwrap_or_default();
    let at = first + skipped as u64;
    let position = error.offset().and_then(|offset| (offset as u64).checked_sub(at));
    let rows = from_zero(bytes::trailer(bytes, at), at);
    Ok(Part::new("trailer", start + at, bytes, rows, vec![Mistake { message: error.to_string(), position }]))
}

fn from_zero(mut rows: Vec<Row>, start: u64) -> Vec<Row> {
    rows.iter_mut().for_each(|row| row.offset = row.offset.saturating_sub(start));
    rows
}
