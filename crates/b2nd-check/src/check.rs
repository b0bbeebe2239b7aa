//! [`Finding`]: a problem in a frame, a store or a table, and which libraries can read the file in spite of the problem. This module
//! collects the findings in a frame.

use b2nd_frame::{Decompressor, FrameType, Header, HeaderField, Result};
use b2nd_store::{Array, Frame, Source, is_of_source};
use serde::Serialize;

use crate::known_defects::{FACTS, Fact, Feature};
use crate::reader::{Library, Reader};

mod chunk;
mod data;
mod digests;
mod header;
mod kinds;
mod lenient;
mod limits;
mod products;
mod stores;
mod trailer;
pub use digests::Digests;
use limits::Budget;
pub use limits::{CheckOptions, Limits};
pub use stores::{check_crcs, check_file, check_store, check_table};

/// The memory needed to decode the header or the trailer is estimated as its length times this number.
const DECODED: u64 = 4;

/// A problem in a frame, a store or a table: for example an error, a part that was not decoded, or a feature that not every version of
/// C-Blosc2 and python-blosc2 supports.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Finding {
    /// The part of the frame, store or table that has the problem: `header`, `metalayer "b2nd"`, `chunk 7`, `column "x"`, …
    pub place: String,
    /// The offset of the problem in the frame, in bytes, if it is known.
    pub offset: Option<u64>,
    /// A sentence that describes the problem.
    pub finding: String,
    /// Whether the specification allows what was found, or `None` if the specification does not say or this is unknown.
    pub document: Option<bool>,
    /// Whether the newest tested version of C-Blosc2 reads a frame with this problem, or `None` if this is unknown.
    pub c_blosc2: Option<bool>,
    /// Whether the newest tested version of python-blosc2 reads a frame with this problem without an option to trust the file, or `None` if
    /// this is unknown.
    pub python_blosc2: Option<bool>,
    /// Whether values were not decoded because no decoder was available: for example, the decompressor does not support their codec or
    /// their filter, or the feature `arrow` is disabled. The data may be intact.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub not_decoded: bool,
    /// Whether values cannot be read, were not read, or do not match their digests.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unreadable: bool,
    /// The [`Fact::name`](crate::Fact::name) that all facts about this finding share in [`FACTS`](crate::FACTS). The facts list the
    /// affected versions. `None` if no fact is about this finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fact: Option<&'static str>,
}

impl Finding {
    fn new(place: impl Into<String>, offset: Option<u64>, finding: impl Into<String>, answers: Answers) -> Finding {
        let [document, c_blosc2, python_blosc2] = answers;
        let (place, finding) = (place.into(), finding.into());
        Finding { place, offset, finding, document, c_blosc2, python_blosc2, ..Finding::default() }
    }

    /// Creates the finding for a part of a frame that cannot be read. `place` is the name of the part. If the text of the error starts with
    /// `place` and a colon, the finding omits them.
    pub(crate) fn refused(place: &str, error: &b2nd_frame::Error) -> Finding {
        let (offset, text) = (error.offset().map(|offset| offset as u64), error.to_string());
        let finding = text.strip_prefix(place).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(&text);
        Finding { unreadable: true, ..Finding::new(place, offset, finding, NOT_SPECIFIED) }
    }

    /// Returns true if this reader can read a file with this problem. Returns false if this is unknown. If the finding has no
    /// [`fact`](Finding::fact), the answer of the newest tested version of the library counts for all of its versions.
    pub fn is_safe_for(&self, reader: Reader) -> bool {
        match (self.fact, reader.library) {
            (Some(_), _) => self.known(reader).is_none() && !self.not_decoded,
            (None, Library::CBlosc2) => self.c_blosc2 == YES && !self.not_decoded,
            (None, Library::PythonBlosc2) => self.python_blosc2 == YES && !self.not_decoded,
        }
    }

    /// Returns the fact that describes what this reader does with a file that has this problem, if one is known.
    pub fn known(&self, reader: Reader) -> Option<&'static Fact> {
        FACTS.iter().find(|fact| Some(fact.name) == self.fact && fact.is_of(reader))
    }

    /// Returns true if the specification allows what was found, and the finding is a known problem of some versions of a library.
    pub fn is_of_readers(&self) -> bool {
        self.fact.is_some() && self.document == YES
    }
}

/// The three answers of a finding: whether the specification allows it, whether C-Blosc2 reads it, and whether python-blosc2 reads it.
type Answers = [Option<bool>; 3];

/// A feature that is listed in [`FACTS`], and a sentence about it for a finding.
type Known = (Feature, String);

const YES: Option<bool> = Some(true);
const NO: Option<bool> = Some(false);

/// The answers if nothing is known about a part of the frame: for example, a chunk whose codec or filter is not supported.
const UNKNOWN: Answers = [None; 3];
const NOT_SPECIFIED: Answers = [NO, None, None];
const REJECTED: Answers = [NO, NO, NO];
const READ_ALTHOUGH_WRONG: Answers = [NO, YES, YES];
const READ: Answers = [None, YES, YES];
const NOT_READ: Answers = [None, NO, NO];
const REJECTED_BY_PYTHON: Answers = [None, YES, NO];
const VALID_REJECTED_BY_PYTHON: Answers = [YES, YES, NO];
const READ_BY_PYTHON: Answers = [None, None, YES];
const NOT_FOR_PYTHON: Answers = [None, None, NO];

/// Returns a finding if decoding the frame's header needs more memory than the limits allow.
pub(crate) fn header_memory(source: &dyn Source, limits: &Limits) -> Result<Option<Finding>> {
    let start = source.read(0..HeaderField::HEADER_LEN.value().end as u64)?;
    let missing = Header::from_slice(&start).err().and_then(|error| error.needed()).unwrap_or(0);
    let mut findings = Findings::new(limits);
    findings.needs("header", (start.len() as u64).saturating_add(missing as u64).saturating_mul(DECODED));
    Ok(findings.all.pop())
}

/// Returns the findings of a frame. Its data is decompressed only if `data` is true.
pub(crate) fn look(frame: &Frame, data: bool, limits: &Limits, decompressor: &mut Decompressor) -> Result<Vec<Finding>> {
    let (mut findings, array) = (Findings::new(limits), Array::find(frame.header()));
    findings.header(frame, &array)?;
    let index = data::index_header(frame)?;
    if findings.tail(frame, index.as_ref())? {
        findings.trailer(frame, decompressor)?;
        findings.length(frame)?;
        let is_array = !matches!(array, Ok(None));
        findings.chunks(frame, index.as_ref(), is_array, data, decompressor)?;
    }
    findings.misplaced(frame);
    Ok(findings.all)
}

struct Findings {
    all: Vec<Finding>,
    budget: Budget,
}

impl Findings {
    fn new(limits: &Limits) -> Findings {
        Findings { all: Vec::new(), budget: Budget::new(limits) }
    }

    /// Returns true if the limits allow a part to use this many bytes of memory. Otherwise, adds a finding and returns false.
    fn needs(&mut self, place: &str, bytes: u64) -> bool {
        let Some(refused) = self.budget.refuses(bytes) else { return true };
        self.unreadable(place, None, refused, UNKNOWN);
        false
    }

    /// Adds a finding if the header says that the chunks are separate files, but the source is not a sparse frame's directory.
    fn misplaced(&mut self, frame: &Frame) {
        let has_chunk_files = || frame.source().chunk_file(0, 0..0).map_or_else(|error| is_of_source(&error), |_| true);
        if frame.header().frame_type() == FrameType::Sparse && !has_chunk_files() {
            let finding = "it says that the chunks are separate files, but this is not a sparse frame's directory";
            self.unreadable("header", None, finding, REJECTED);
        }
    }

    /// Adds a finding that there is no decoder for a part.
    fn not_decoded(&mut self, place: impl Into<String>, offset: Option<u64>, error: &b2nd_frame::Error) {
        let finding = Finding::new(place, offset, error.kind().to_string(), UNKNOWN);
        self.all.push(Finding { not_decoded: true, unreadable: true, ..finding });
    }

    /// Adds a finding that is [`unreadable`](Finding::unreadable).
    fn unreadable(&mut self, place: impl Into<String>, offset: Option<u64>, finding: impl Into<String>, answers: Answers) {
        self.all.push(Finding { unreadable: true, ..Finding::new(place, offset, finding, answers) });
    }

    /// Adds a finding for which [`FACTS`] lists the affected readers.
    fn known(&mut self, place: impl Into<String>, offset: Option<u64>, (feature, finding): Known, document: Option<bool>) {
        let minds = |reader| FACTS.iter().any(|row| row.name == feature.name && row.is_of(reader));
        let [c, python] = [Reader::C_BLOSC2, Reader::PYTHON_BLOSC2].map(|reader| Some(!minds(reader)));
        self.all.push(Finding { fact: Some(feature.name), ..Finding::new(place, offset, finding, [document, c, python]) });
    }

    fn add(&mut self, place: impl Into<String>, offset: Option<u64>, finding: impl Into<String>, answers: Answers) {
        self.all.push(Finding::new(place, offset, finding, answers));
    }
}
