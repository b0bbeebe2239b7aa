//! [`check`] and [`verify`]: find the problems of a frame, and decide whether it is safe for other readers.

use b2nd_frame::{Decompressor, Result};
use b2nd_store::{Frame, Source};
use serde::Serialize;

use crate::check::{self, CheckOptions, Finding, Limits};
use crate::reader::Reader;
use crate::values::check_values;

/// The findings of a check.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The problems that were found: for example errors, parts that could not be decoded, and features that some version of C-Blosc2 or
    /// python-blosc2 does not support.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Returns true if no finding says that values cannot be read, were not read, or do not match their digests.
    pub fn is_readable(&self) -> bool {
        !self.findings.iter().any(|finding| finding.unreadable)
    }

    /// Returns true if no finding makes this version of a library crash, reject the frame or read it wrongly. A finding whose effect is
    /// unknown counts as unsafe.
    pub fn is_safe_for(&self, reader: Reader) -> bool {
        self.findings.iter().all(|finding| finding.is_safe_for(reader))
    }
}

/// Finds the errors in a frame, and the features of the frame that are known to make a reader crash, reject the frame or read wrong values.
///
/// The frame's data is decoded only if `options.data` is true. A frame that cannot be opened, or a source that fails, is also reported as a
/// finding.
pub fn check(source: &dyn Source, options: &CheckOptions) -> Report {
    match opened(source, options) {
        Ok(report) => report,
        Err(error) => Report { findings: vec![Finding::refused("frame", &error)] },
    }
}

/// Checks an untrusted frame within limits of time and memory. This function reads the header, metalayers, index and trailer, and decodes
/// the chunks and the attributes.
///
/// The report answers two questions. **[Readable](Report::is_readable)** means that this crate could decode every chunk and attribute, and
/// read all values in Arrow. **[Safe for a reader](Report::is_safe_for)** means that no finding makes the given version of C-Blosc2 or
/// python-blosc2 crash, reject the frame or read it wrongly, and that the effect of every finding is known; [`FACTS`](crate::FACTS) lists
/// known problems of certain versions. Pass a file on only if both are true.
///
/// The report does not guarantee that values are correct: damaged chunks that can still be decoded are usually found only if the frame has
/// [digests](crate::Digests). These things are not checked, or only in part:
///
/// * what programs do with metalayers, attributes, pickles and references;
/// * frames that are embedded in other frames;
/// * chunks of C-Blosc2's plugins other than bytedelta and int_trunc, which are never decoded here.
///
/// Safe does not mean that C-Blosc2 has been proved correct: this function is strict about the format, and checks for defects that are
/// publicly known or were found by tests with damaged frames. For two kinds of frames that this function calls safe, sanitizers report an
/// error in C-Blosc2. The error is harmless, and valid arrays cause it too:
///
/// * arrays without dimensions (an index of -1 in C-Blosc2 before 2.22);
/// * arrays with elements for which the distance between chunks does not fit an int64 (C-Blosc2 computes this distance, but does not use
///   it).
///
/// Chunks and attributes are decoded with [`Decompressor::safe`]. The decoder of Zstandard, zrip, comes with the feature `safe`. The
/// feature `arrow` adds the reader of values in Arrow, which runs if all other parts are readable. It decodes the chunks again with [the
/// default decoders](Decompressor::new) and uses the crates of Arrow, which contain `unsafe` code. Without these features, Zstandard and
/// values in Arrow cause a finding with [`not_decoded`](Finding::not_decoded), so such a file is not readable. With [`check_frame`] you can
/// add your own decoder, for example in a separate process.
///
/// The source may contain more bytes than the frame.
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
    check(source, &CheckOptions { data: true, limits: limits.clone() })
}

fn opened(source: &dyn Source, options: &CheckOptions) -> Result<Report> {
    if let Some(finding) = check::header_memory(source, &options.limits)? {
        return Ok(Report { findings: vec![finding] });
    }
    let frame = Frame::open(source)?;
    let mut report = check_frame(&frame, options, &mut Decompressor::safe())?;
    report.findings.extend(check_values(&frame, options, &report.findings));
    Ok(report)
}

/// Checks an opened frame like [`check`], but with your own decompressor, and without the values in Arrow, which
/// [`check_values`](crate::check_values) reads. The limit of memory does not apply to the header, which has already been decoded. This
/// function sets the deadline of the decompressor from the limits. Use a decompressor for [untrusted input](Decompressor::safe), with a
/// fallback for missing codecs.
///
/// # Errors
///
/// Fails if the source cannot be read. If only the file of a chunk is missing in a sparse frame, this is a finding, not an error.
pub fn check_frame(frame: &Frame, options: &CheckOptions, decompressor: &mut Decompressor) -> Result<Report> {
    decompressor.stop_at(options.limits.deadline());
    Ok(Report { findings: check::look(frame, options.data, &options.limits, decompressor)? })
}
