//! `b2nd check`: finds errors in frames and stores.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use b2nd_check::{CheckOptions, Digests, Does, Finding, Limits, Reader, Report};
use b2nd_frame::{FrameType, Offsets};
use b2nd_ndarray::codec::{Decompressor, metalayer};
use b2nd_store::attributes;
use b2nd_view::Frame;
use b2nd_view::json::{self, FramePlace};
use b2nd_view::store::{Content, Leaf};
use b2nd_view::text::{self, LABEL, printable, styled};
use clap::Args;
use serde::Serialize;

use super::meta::write_attribute;
use crate::error::Error;
use crate::hdf5;
use crate::output::{Output, fitted};
use crate::paths::{Found, Leaves, Paths, no_leaf};
use crate::progress::{self, Counted};
use crate::status::{FAILED, UNREADABLE, UNSAFE};
use crate::worker::{self, Apart};

/// Paths and options of `check`.
#[derive(Args)]
pub(crate) struct Check {
    #[command(flatten)]
    paths: Paths,

    /// Print a JSON object for each frame or table, and for each store with findings, on a line of its own.
    #[arg(long)]
    json: bool,

    /// Also decompress the chunks. Changed values that still decompress are usually found only with checksums, such as those that
    /// --digest writes.
    #[arg(long)]
    data: bool,

    /// Write a digest of each chunk's values into the attribute "b2nd_digests" of each frame; --data then compares them.
    #[arg(long, conflicts_with_all = ["json", "data", "strict", "max_memory", "max_time", "readers", "recursive", "offset"])]
    digest: bool,

    /// Like --data, and exit with 4 if a file is readable, but not safe for one of the readers, or with 1 if it has other findings. The
    /// readers are the ones given with --for; without --for, they are C-Blosc2 and python-blosc2.
    #[arg(long)]
    strict: bool,

    /// Like --data, and exit with 4 if this program can read the file, but it is not safe for READER, which may crash on it, reject
    /// it or read it wrongly. READER is c-blosc2 or python-blosc2, optionally with a version: c-blosc2@2.21.3. Without --for,
    /// --strict checks for both.
    #[arg(long = "for", value_name = "READER")]
    readers: Vec<Reader>,

    /// Like --data, and limit the memory for decoding one part of a frame: bytes, or 512K, 64M, 1G.
    #[arg(long, value_name = "BYTES", value_parser = memory)]
    max_memory: Option<u64>,

    /// Like --data, and limit the time for decoding one frame: a number of seconds, such as 60 or 0.5.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    max_time: Option<Duration>,
}

/// Parses a number of bytes, optionally with the unit K, M or G.
fn memory(text: &str) -> Result<u64, String> {
    let units = [('K', 10), ('M', 20), ('G', 30)];
    let unit = units.iter().find_map(|&(unit, shift)| Some((text.strip_suffix(unit)?, shift)));
    let (digits, shift) = unit.unwrap_or((text, 0));
    let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    bytes.ok_or_else(|| "expected a whole number of bytes below 2^64, such as 1000, 512K, 64M or 1G".to_owned())
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "expected a number of seconds, from 0 to below 2^64, such as 60 or 0.5".to_owned())
}

#[derive(Serialize)]
struct Object<'a> {
    #[serde(flatten)]
    place: FramePlace<'a>,
    /// Whether no value was found that this program cannot read. Left out of the JSON if values were not decoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    readable: Option<bool>,
    /// For each reader, whether the file is safe: the reader is not known to crash on it, to reject it or to read it wrongly. If a finding
    /// has an unknown effect on the reader, this is false.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    safe_for: BTreeMap<String, bool>,
    /// The number of chunks that were to be decoded, including those with errors. Left out of the JSON if values were not decoded or the
    /// index cannot be read, and for tables and stores that are not a frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    decoded: Option<u64>,
    /// Whether the frame has the attribute with digests. Left out of the JSON if values were not decoded, and for tables and stores that
    /// are not a frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    digests: Option<bool>,
    findings: Vec<Finding>,
}

// The results of a check. The greatest one of all files determines the exit status, unless a file could not be checked.
/// A file has findings that count as errors.
const FOUND: u8 = 1;
/// With `--for` or `--strict`, a file is not safe for one of the readers.
const NOT_SAFE: u8 = 2;
/// With `--for` or `--strict`, this program cannot read a value of a file.
const NOT_READ: u8 = 3;

impl Check {
    /// Checks all paths and returns the exit status.
    pub(crate) fn run(&mut self, output: &mut Output) -> io::Result<u8> {
        self.paths.by_name = true;
        if self.digest {
            return self.write_digests(output);
        }
        let worst = AtomicU8::new(0);
        // `undigested` gets the name of a file without digests, for the hint at the end. The hint is printed only if `tells` is true.
        let (undigested, tells) = (OnceLock::new(), self.data && !self.json && io::stderr().is_terminal());
        let apart = Arc::new(Apart::new(self.limits().max_memory));
        let readable = self.paths.each_at_once(Leaves::Each, output, &|found, out| {
            let (mut chunks, mut digests) = (None, None);
            let (place, findings) = match *found {
                Found::Frame { place, frame } => {
                    let mut findings = self.frame(frame, &apart)?;
                    // A dataset of an HDF5 file is opened as a sparse frame in a store.
                    if frame.header().frame_type() == FrameType::Sparse && place.key.is_some() {
                        let count = frame.offsets().map_or(0, Offsets::len);
                        let in_chunks = hdf5::check(&place, count, &findings, |frame| self.frame(frame, &apart))?;
                        findings = in_chunks.unwrap_or(findings);
                    }
                    findings.extend(b2nd_check::check_values(frame, &self.options(), &findings));
                    let has_digests = frame.trailer().is_ok_and(|one| one.vlmetalayers().raw_chunk(Digests::NAME).is_some());
                    (chunks, digests) = (frame.offsets().ok().map(Offsets::len), Some(has_digests));
                    if tells && frame.header().nbytes() > 0 && place.key.is_none() && !has_digests {
                        undigested.get_or_init(|| printable(place.path));
                    }
                    (place, findings)
                }
                Found::Leaf { path, leaf: Leaf { key, member, offset, content: Content::Table(table) }, store } => {
                    let mut findings = b2nd_check::check_table(table);
                    for file in &table.files {
                        findings.extend(b2nd_check::check_file(&**store, file, |frame| self.frame(frame, &apart)));
                    }
                    // Even if each frame of a table is intact, the frames may contradict each other.
                    if self.decodes() && !findings.iter().any(|finding| finding.unreadable) {
                        findings.extend(b2nd_check::check_rows(store, key, table.rows, &self.limits()));
                    }
                    (FramePlace { path, key: Some(key), member: member.as_deref(), offset: *offset }, findings)
                }
                Found::Store { key: Some(_), store, .. } if store.leaves.is_empty() => return Err(no_leaf()),
                Found::Store { path, store, folder, .. } => {
                    let mut findings = b2nd_check::check_store(store, path);
                    if self.decodes() {
                        findings.extend(b2nd_check::check_crcs(&**folder)?);
                    }
                    if findings.is_empty() {
                        return Ok(true);
                    }
                    (FramePlace { path, ..FramePlace::default() }, findings)
                }
                Found::Leaf { .. } => return Ok(true),
            };
            let report = Report { findings };
            worst.fetch_max(self.result(&report), Ordering::Relaxed);
            let readable = self.decodes().then(|| report.is_readable());
            let safe_for = match readable {
                Some(_) => self.readers().iter().map(|&reader| (reader.to_string(), report.is_safe_for(reader))).collect(),
                None => BTreeMap::new(),
            };
            let mut findings = report.findings;
            findings.retain(|finding| self.is_asked(finding));
            if self.json {
                let (decoded, digests) = if self.decodes() { (chunks, digests) } else { (None, None) };
                json::write_line(out, &Object { place, readable, safe_for, decoded, digests, findings })
            } else {
                let name = printable(&found.name());
                if findings.is_empty() {
                    writeln!(out, "{name}: {}", self.ok(chunks, digests)).map_err(Error::Write)?;
                }
                findings.iter().try_for_each(|finding| writeln!(out, "{}", fitted(&format!("{name}: {}", self.line(finding)))))
            }
            .map_err(Error::Write)?;
            Ok(true)
        })?;
        if let Some(name) = undigested.get() {
            writeln!(
                output.err,
                "{name} has no digests, so some damage cannot be found: `b2nd check --digest` adds them to local files"
            )?;
        }
        if self.paths.recursive {
            let taken = self.paths.taken.load(Ordering::Relaxed);
            writeln!(output.err, "{} checked", text::count(taken, "file"))?;
        }
        Ok(match worst.into_inner() {
            _ if !readable => UNREADABLE,
            NOT_SAFE => UNSAFE,
            FOUND | NOT_READ => FAILED,
            _ => 0,
        })
    }

    /// Returns the text that is printed in place of findings.
    fn ok(&self, chunks: Option<u64>, digests: Option<bool>) -> String {
        let chunks = chunks.map_or_else(|| "values".to_owned(), |chunks| text::count(chunks, "chunk"));
        match (self.decodes(), digests) {
            (false, _) => format!("ok: {chunks} not decoded (use --data)"),
            (true, Some(true)) => format!("ok: {chunks} decoded, digests match"),
            (true, Some(false)) => format!("ok: {chunks} decoded, no digests"),
            (true, None) => format!("ok: {chunks} decoded"),
        }
    }

    /// Returns [`FOUND`], [`NOT_SAFE`] or [`NOT_READ`] for a file with this report, or 0.
    fn result(&self, report: &Report) -> u8 {
        let is_gate = self.strict || !self.readers.is_empty();
        let counts = |finding: &Finding| (self.strict || !finding.not_decoded) && self.is_asked(finding);
        match report {
            _ if is_gate && !report.is_readable() => NOT_READ,
            _ if is_gate && !self.readers().iter().all(|&reader| report.is_safe_for(reader)) => NOT_SAFE,
            _ if (self.strict || !is_gate) && report.findings.iter().any(counts) => FOUND,
            _ => 0,
        }
    }

    /// Returns true if the finding is about the file itself. With `--for` or `--strict`, also returns true if the finding is about one of
    /// the `readers`.
    fn is_asked(&self, finding: &Finding) -> bool {
        let is_gate = self.strict || !self.readers.is_empty();
        !finding.is_of_readers() || is_gate && self.readers().iter().any(|&reader| finding.known(reader).is_some())
    }

    /// Returns the readers that `--for` names. Without `--for`, returns the newest tested versions of C-Blosc2 and
    /// python-blosc2.
    fn readers(&self) -> &[Reader] {
        if self.readers.is_empty() { &[Reader::C_BLOSC2, Reader::PYTHON_BLOSC2] } else { &self.readers }
    }

    /// Writes the digests of each frame into the frame's file.
    fn write_digests(&self, output: &mut Output) -> io::Result<u8> {
        let mut status = 0;
        for path in &self.paths.paths {
            match output.settle(path, digest(path))? {
                Some(count) => writeln!(output.out, "{}: {}", printable(&path.to_string_lossy()), text::count(count, "digest"))?,
                None => status = UNREADABLE,
            }
        }
        Ok(status)
    }

    /// Returns true if the options require that chunks are decompressed.
    fn decodes(&self) -> bool {
        self.data || self.strict || !self.readers.is_empty() || self.max_memory.is_some() || self.max_time.is_some()
    }

    fn limits(&self) -> Limits {
        Limits { max_memory: self.max_memory.unwrap_or(u64::MAX), max_time: self.max_time }
    }

    fn options(&self) -> CheckOptions {
        CheckOptions { data: self.decodes(), limits: self.limits() }
    }

    fn frame(&self, frame: &Frame, apart: &Arc<Apart>) -> b2nd_frame::Result<Vec<Finding>> {
        let array = frame.header().array().ok().flatten();
        let metalayer = array.and_then(|array| metalayer(&array).ok()).unwrap_or_default();
        let options = self.options();
        if !options.data {
            let mut decompressor = Decompressor::new().with_metalayer(&metalayer);
            return Ok(b2nd_check::check_frame(frame, &options, &mut decompressor)?.findings);
        }
        let bytes = if self.paths.recursive { 0 } else { frame.header().cbytes() };
        let bar = progress::bytes(u64::try_from(bytes).unwrap_or(0));
        let source = Counted { source: *frame.source(), bar: &bar };
        let mut decompressor = worker::decompressor(Arc::clone(apart), metalayer, options.limits.deadline());
        Ok(b2nd_check::check_frame(&frame.with_source(&source as _), &options, &mut decompressor)?.findings)
    }
}

/// Writes the digests of a frame and returns their number. The file is locked before the first chunk is read.
fn digest(path: &Path) -> Result<u64, Error> {
    let mut editor = write_attribute::edit(path)?;
    let array = editor.file().header().array().ok().flatten();
    let metalayer = array.and_then(|array| metalayer(&array).ok()).unwrap_or_default();
    let mut codec = Decompressor::new().with_metalayer(&metalayer);
    let before = attributes::get_with(editor.file().trailer()?, Digests::NAME, &mut codec).map(Cow::into_owned);
    let is_other = before.map_or_else(
        || editor.file().trailer().is_ok_and(|trailer| trailer.vlmetalayers().raw_chunk(Digests::NAME).is_some()),
        |bytes| b2nd::from_slice::<Digests>(&bytes).is_err(),
    );
    if is_other {
        let sentence =
            "its attribute \"b2nd_digests\" cannot be read as digests: remove it first, with `b2nd meta rm FILE b2nd_digests`";
        return Err(Error::new(sentence));
    }
    let count = editor.file().offsets()?.len();
    let digests = Digests::of_chunks(count, |number| editor.file().chunk(number), &mut codec)?;
    editor.set_vlmetalayer_bytes(Digests::NAME, &b2nd::to_vec(&digests)?)?;
    Ok(count)
}

/// Describes what a finding means for readers: `not as specified, read by C-Blosc2, rejected by python-blosc2`.
fn answers(finding: &Finding) -> Vec<String> {
    let document = finding.document.map(|is_allowed| if is_allowed { "as specified" } else { "not as specified" });
    let reads =
        |who: &str, answer: Option<bool>| answer.map(|reads| format!("{} by {who}", if reads { "read" } else { "rejected" }));
    let libraries = match (finding.c_blosc2, finding.python_blosc2) {
        _ if finding.fact.is_some() => Vec::new(),
        (c, python) if c == python => vec![reads("C-Blosc2 and python-blosc2", c)],
        (c, python) => vec![reads("C-Blosc2", c), reads("python-blosc2", python)],
    };
    document.map(str::to_owned).into_iter().chain(libraries.into_iter().flatten()).collect()
}

/// Describes what a reader does with the file: `rejected by C-Blosc2 3.3.5 (a[...]: Error while getting the buffer)`.
fn known(finding: &Finding, reader: Reader) -> String {
    match finding.known(reader) {
        Some(fact) => {
            let does = match fact.does {
                Does::Crashes => "crashes",
                Does::Refuses => "rejected by",
                Does::ReadsOtherwise => "read differently by",
            };
            format!("{does} {reader} ({})", fact.seen)
        }
        None => format!("read by {reader}"),
    }
}

impl Check {
    fn line(&self, finding: &Finding) -> String {
        let at = finding.offset.map_or_else(String::new, |offset| format!(" at byte {offset}"));
        let at = if finding.finding.contains(&at) { "" } else { &at };
        let place = styled(LABEL, format_args!("{}{at}", finding.place));
        let mut answers = answers(finding);
        if finding.fact.is_some() {
            answers.extend(self.readers().iter().map(|&reader| known(finding, reader)));
        }
        let answers = match answers.as_slice() {
            _ if finding.not_decoded => "not decoded".to_owned(),
            [] => "effect on readers unknown".to_owned(),
            answers => answers.join(", "),
        };
        format!("{place}: {} ({answers})", printable(&finding.finding))
    }
}
