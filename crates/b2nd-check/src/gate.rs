//! [`check`] and [`verify`]: all findings of a frame, and whether it may go on to other readers.

use b2nd::frame::{Decompressor, FrameType};
use b2nd::{Error, Result};
use b2nd_store::{Frame, Source, is_of_source};
use serde::Serialize;

use crate::check::{self, Finding, Limits};
use crate::reader::Reader;

/// The extent of a check.
#[derive(Clone, Debug)]
pub struct Options {
    /// Decode every chunk, and compare it with its digest if the frame has one.
    pub data: bool,
    /// What it may take.
    pub limits: Limits,
}

/// All data, without limits.
impl Default for Options {
    fn default() -> Options {
        Options { data: true, limits: Limits::NONE }
    }
}

/// The findings of [`check`] and [`verify`].
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Everything that is wrong, that could not be decoded, or that some version of a reader cannot handle.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Returns true if this program reads every value that was looked at: each part is inside the frame, each chunk, attribute and index
    /// decodes to exactly the length that it claims, and the values are those of the frame's digests if it has some.
    pub fn is_readable(&self) -> bool {
        !self.findings.iter().any(|finding| finding.unreadable)
    }

    /// Returns true if nothing is in the frame that this version is known to crash on, to refuse or to read otherwise, and nothing of which
    /// that is not known.
    pub fn is_safe_for(&self, reader: Reader) -> bool {
        self.findings.iter().all(|finding| finding.is_safe_for(reader))
    }
}

/// Finds everything that is wrong with a frame, or that a reader is known to crash on, to refuse or to misread.
///
/// Chunks are decoded as [`verify`] does it. A frame that cannot be opened, and a source that fails, are findings.
pub fn check(source: &dyn Source, options: &Options) -> Report {
    match opened(source, options) {
        Ok(report) => report,
        Err(error) => Report { findings: vec![Finding::refused("frame", &error)] },
    }
}

/// Checks an untrusted frame: header, metalayers, index and trailer, and every chunk and every attribute decoded, within limits.
///
/// Two things can be asked of the report. **[Readable](Report::is_readable)** says that this crate has read every value. **[Safe for a
/// reader](Report::is_safe_for)** says that nothing in the frame is known to crash that version of C-Blosc2 or python-blosc2, to be refused or
/// to be read otherwise there; [`FACTS`](crate::FACTS) has what is only a matter of versions. Let a file go on if both hold.
///
/// Neither promises anything about values: they have no checksum, so damage that still decodes passes unless the frame keeps
/// [digests](crate::Digests). Nothing is said about what programs do with metalayers, attributes, pickles or references, about frames that an
/// attribute embeds, about batches of Arrow IPC (damaged ones crash pyarrow; `b2nd check` reads them), and about C-Blosc2's plugins, which
/// are never decoded here. It is no proof of C-Blosc2: it is strict about the format and
/// knows the defects that are public or that damaged frames showed. Two
/// passes make a sanitizer speak and do no harm, as valid arrays do the same: an array without dimensions (an index of -1 in C-Blosc2
/// before 3), and one whose lengths times those of its chunks are more than an int64 counts (a product that is never used).
///
/// Decoders here have no `unsafe` code, Zstandard excepted: the feature `safe` decodes it with ruzstd, which has least. Without it
/// Zstandard is a finding with [`not_decoded`](Finding::not_decoded), and nothing with it passes. [`check_frame`] takes another decoder
/// for what is missing, such as one in a process of its own.
///
/// The source may hold more than the frame.
///
/// ```
/// use b2nd_check::{Limits, Reader, verify};
///
/// let file = std::fs::read("../../tests/data/grid/i4_2d.b2nd")?;
/// let report = verify(&file, &Limits::default());
/// assert!(report.is_readable() && report.is_safe_for(Reader::C_BLOSC2));
/// assert!(!verify(&file[..file.len() - 1].to_vec(), &Limits::default()).is_readable());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn verify(source: &dyn Source, limits: &Limits) -> Report {
    check(source, &Options { data: true, limits: limits.clone() })
}

fn opened(source: &dyn Source, options: &Options) -> Result<Report> {
    if let Some(finding) = check::header_memory(source, &options.limits)? {
        return Ok(Report { findings: vec![finding] });
    }
    let frame = Frame::open(source)?;
    let mut report = check_frame(&frame, options, &mut Decompressor::safe())?;
    // C-Blosc2 opens a directory by its name, and crashes on such a header in a file of its own.
    if frame.header().frame_type() == FrameType::Sparse && !has_chunk_files(source) {
        let error = Error::custom("it says that its chunks are files beside it, and there are none");
        report.findings.push(Finding::refused("header", &error));
    }
    Ok(report)
}

/// Returns true if the source has chunk files next to it; the first of them may be missing.
fn has_chunk_files(source: &dyn Source) -> bool {
    source.chunk_file(0, 0..1).map_or_else(|error| is_of_source(&error), |_| true)
}

/// Checks an opened frame as [`check`] does, by a decompressor of your own, which gets the time limit: the
/// [safe set](Decompressor::safe), with a fallback for what that does not have.
///
/// # Errors
///
/// The source fails.
pub fn check_frame(frame: &Frame, options: &Options, decompressor: &mut Decompressor) -> Result<Report> {
    decompressor.stop_at(options.limits.deadline());
    Ok(Report { findings: check::look(frame, options.data, &options.limits, decompressor)? })
}
