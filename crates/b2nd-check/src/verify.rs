//! [`verify`]: a check of bytes that nobody trusts, before other readers get them.

use b2nd::frame::{ChunkHeader, Decompress, FrameType};
use b2nd::{Error, Result};
use b2nd_codec::Codec;
use b2nd_store::{Frame, Source, is_of_source};
use serde::Serialize;

use crate::check::{self, Finding, Limits};

/// The findings of [`verify`].
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Everything that is not as it should be, or could not be decoded.
    pub findings: Vec<Finding>,
}

impl Report {
    /// True if the frame may go to C-Blosc2: everything was decoded, and what was found is known to be read there.
    pub fn passes(&self) -> bool {
        self.findings.iter().all(|finding| finding.c_blosc2 == Some(true) && !finding.not_decoded)
    }
}

/// Checks a frame that nobody trusts: header, metalayers, index and trailer, and every chunk and every attribute decoded, within limits.
///
/// **A [pass](Report::passes) promises** that the frame is complete and consistent: each part is inside the frame and inside its place,
/// each chunk, attribute and index has been decoded to exactly the length that it claims, and nothing in it is known to crash C-Blosc2
/// or to be read there otherwise. It promises nothing about values: they have no checksum, so damage that still decodes passes unless
/// the frame keeps [digests](check::Digests). It says nothing about what programs do with metalayers, attributes, pickles or references,
/// nothing about frames that an attribute embeds, and nothing about C-Blosc2's plugins, which are never decoded here.
/// It is no proof of C-Blosc2: it is strict about the format and knows the defects that are public or that damaged frames showed. Two
/// passes make a sanitizer speak and do no harm, as valid arrays do the same: an array without dimensions (an index of -1 in C-Blosc2
/// before 3), and one whose lengths times those of its chunks are more than an int64 counts (a product that is never used).
///
/// Decoders here have no `unsafe` code, Zstandard excepted: the feature `safe` decodes it with ruzstd, which has least. Without it
/// Zstandard is a finding with [`not_decoded`](Finding::not_decoded), and nothing with it passes. [`verify_with`] takes another decoder
/// for what is missing, such as one in a process of its own.
///
/// The source may hold more than the frame. A frame that cannot be opened, and a source that fails, are findings.
///
/// ```
/// use b2nd_check::{Limits, verify};
///
/// let file = std::fs::read("../../tests/data/grid/i4_2d.b2nd")?;
/// assert!(verify(&file, &Limits::default()).passes());
/// assert!(!verify(&file[..file.len() - 1].to_vec(), &Limits::default()).passes());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn verify(source: &dyn Source, limits: &Limits) -> Report {
    match opened(source, limits) {
        Ok(report) => report,
        Err(error) => Report { findings: vec![Finding::refused("frame", &error)] },
    }
}

fn opened(source: &dyn Source, limits: &Limits) -> Result<Report> {
    if let Some(finding) = check::header_memory(source, limits)? {
        return Ok(Report { findings: vec![finding] });
    }
    let frame = Frame::open(source)?;
    let mut report = verify_with(&frame, limits, None)?;
    // C-Blosc2 opens a directory by its name, and crashes on such a header in a file of its own.
    if frame.header().frame_type() == FrameType::Sparse && !has_chunk_files(source) {
        let error = Error::custom("it says that its chunks are files beside it, and there are none");
        report.findings.push(Finding::refused("header", &error));
    }
    Ok(report)
}

/// Returns true if the source knows of files beside it; the first of them may be missing.
fn has_chunk_files(source: &dyn Source) -> bool {
    source.chunk_file(0, 0..1).map_or_else(|error| is_of_source(&error), |_| true)
}

/// Checks an opened frame as [`verify`] does. `others` decodes what the safe set does not have.
///
/// # Errors
///
/// The source fails.
pub fn verify_with(frame: &Frame, limits: &Limits, others: Option<&mut dyn Decompress>) -> Result<Report> {
    let mut safe = Codec::safe();
    if let Some(deadline) = limits.deadline() {
        safe = safe.until(deadline);
    }
    let findings = check::within(frame, limits, &mut Gate { safe, others })?;
    Ok(Report { findings })
}

/// The safe set first, then what the caller has.
struct Gate<'c> {
    safe: Codec<'static>,
    others: Option<&'c mut dyn Decompress>,
}

impl Decompress for Gate<'_> {
    fn decompress(&mut self, chunk: &[u8], data: &mut [u8]) -> Result<()> {
        match &mut self.others {
            Some(others) if self.safe.accept(&ChunkHeader::from_slice(chunk)?).is_err() => others.decompress(chunk, data),
            _ => self.safe.decompress(chunk, data),
        }
    }

    fn accept(&self, chunk: &ChunkHeader) -> Result<()> {
        match (self.safe.accept(chunk), &self.others) {
            (Err(_), Some(others)) => others.accept(chunk),
            (accepted, _) => accepted,
        }
    }
}
