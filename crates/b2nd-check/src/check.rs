//! Collects the findings of a frame, each with the readers that it affects.

use b2nd::dtype::DType;
use b2nd::frame::{Decompressor, FrameType, Header, HeaderField, MAX_METALAYERS, Metalayers};
use b2nd::{ArrayMeta, ErrorKind, Grid, Result};
use serde::Serialize;

use crate::known_defects::{
    CUT_ELEMENTS, FACTS, Fact, VARIABLE_BLOCKS, VARIABLE_BLOCKS_OF_OBJECTS, VARIABLE_CHUNKS, VARIABLE_CHUNKS_OF_OBJECTS,
};
use crate::reader::{Library, Reader};
use b2nd_store::Array;
use b2nd_store::Kind;
use b2nd_store::text::{count, quoted, thousands};
use b2nd_store::value::{Value, is_pickle};
use b2nd_store::{Frame, Source};

mod chunk;
mod data;
mod digests;
mod kinds;
mod lenient;
mod limits;
mod products;
mod stores;
mod trailer;
pub use digests::Digests;
use limits::Budget;
pub use limits::Limits;
pub use stores::{check_file, check_store, check_table};

/// The memory needed to decode the header or the trailer, as a multiple of its length.
const DECODED: u64 = 4;

/// The position of the filters in a frame's header, after their count. The six filters are followed by two other bytes and then by their
/// parameters.
const FIRST_FILTER: usize = HeaderField::PIPELINE.value().start + 1;
const FILTERS: usize = 6;

/// The length of the marker of a metalayer's content, a bin32.
const CONTENT_MARKER: u64 = 5;

/// The number of the filter bytedelta, which subtracts from each byte the previous byte in the same plane.
const BYTEDELTA: u8 = 35;

/// A problem in a frame: an error, or a feature that not every reader supports.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Finding {
    /// The part of the frame that has the problem: `header`, `metalayer "b2nd"`, `chunk 7`, …
    pub place: String,
    /// The offset of the problem in the frame, in bytes, if it is known.
    pub offset: Option<u64>,
    /// A sentence that describes the problem.
    pub finding: String,
    /// Whether the specification allows what was found, or `None` if the specification does not say.
    pub document: Option<bool>,
    /// Whether C-Blosc2 reads a frame with this problem, or `None` if this is unknown.
    pub c_blosc2: Option<bool>,
    /// Whether python-blosc2 opens a frame with this problem without an option to trust the file, or `None` if this is unknown.
    pub python_blosc2: Option<bool>,
    /// Whether a chunk or a value could not be decoded because this build does not have its codec. The data may be intact.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub not_decoded: bool,
    /// Whether values cannot be read, were not read, or do not match their digests.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unreadable: bool,
    /// The [`Fact::name`](crate::Fact::name) of those [`FACTS`](crate::FACTS) that list the affected versions, or `None` if no such fact
    /// exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fact: Option<&'static str>,
}

impl Finding {
    /// Creates the finding for a part that cannot be read.
    pub(crate) fn refused(place: &str, error: &b2nd::Error) -> Finding {
        let mut findings = Findings::new(&Limits::NONE);
        findings.unreadable(place, error.offset().map(|offset| offset as u64), error.to_string(), [NO, None, None]);
        findings.all.remove(0)
    }

    /// Returns true if this reader can read a file with this problem, as far as is known.
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

    /// Returns true if the finding is no error of the file, but a known problem that some versions of a library have with it.
    pub fn is_of_readers(&self) -> bool {
        self.fact.is_some() && self.document == YES
    }
}

/// The three answers of a finding: whether the specification allows it, whether C-Blosc2 reads it, and whether python-blosc2 reads it.
type Answers = [Option<bool>; 3];

/// The name of facts in [`FACTS`], and the sentence of a finding.
type Known = (&'static str, String);

const YES: Option<bool> = Some(true);
const NO: Option<bool> = Some(false);

/// The answers for a chunk whose codec or filter is not supported by this build, or is a plugin of C-Blosc2.
const UNKNOWN: Answers = [None; 3];

/// Returns a finding if a single file has the header of a sparse frame, because C-Blosc2 crashes on such a file. `is_directory` is true if
/// the frame is a directory, as a sparse frame should be.
pub fn misplaced(header: &Header, is_directory: bool) -> Option<Finding> {
    let mut findings = Findings::new(&Limits::NONE);
    if header.frame_type() == FrameType::Sparse && !is_directory {
        let finding = "it says that the chunks are separate files, but this is not a sparse frame's directory";
        findings.unreadable("header", None, finding, [NO, NO, NO]);
    }
    findings.all.pop()
}

/// Returns a finding if decoding the frame's header needs more memory than the limits allow.
pub(crate) fn header_memory(source: &dyn Source, limits: &Limits) -> Result<Option<Finding>> {
    let start = source.read(0..HeaderField::HEADER_LEN.value().end as u64)?;
    let missing = Header::from_slice(&start).err().and_then(|error| error.needed()).unwrap_or(0);
    let mut findings = Findings::new(limits);
    findings.needs("header", (start.len() as u64).saturating_add(missing as u64).saturating_mul(DECODED));
    Ok(findings.all.pop())
}

/// Returns all findings of a frame. With `data`, every chunk is decompressed.
pub(crate) fn look(frame: &Frame, data: bool, limits: &Limits, decompressor: &mut Decompressor) -> Result<Vec<Finding>> {
    let mut findings = Findings::new(limits);
    let header = frame.header();
    findings.names("metalayer", header.metalayers());
    if header.metalayers().len() > MAX_METALAYERS {
        let found = count(header.metalayers().len(), "metalayer");
        findings.add("header", None, format!("{found}: at most {MAX_METALAYERS}"), [NO, NO, NO]);
    }
    let bytes = frame.read(0..frame.header().header_len() as u64)?;
    findings.pipeline(&bytes, header.typesize());
    findings.blocksize(header);
    findings.metalayers(header, &contents_of(header.metalayers(), bytes.len() as u64));
    findings.array(header);
    if findings.tail(frame)? {
        findings.trailer(frame, decompressor)?;
        findings.length(frame)?;
        findings.chunks(frame, data, decompressor)?;
    }
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

    /// Returns true if a part may use this many bytes of memory. Otherwise, adds a finding.
    fn needs(&mut self, place: &str, bytes: u64) -> bool {
        let refused = self.budget.refuses(bytes);
        let fits = refused.is_none();
        refused.into_iter().for_each(|finding| self.unreadable(place, None, finding, UNKNOWN));
        fits
    }

    /// Adds a finding that this build cannot decode a part.
    fn not_decoded(&mut self, place: impl Into<String>, offset: Option<u64>, error: &b2nd::Error) {
        self.unreadable(place, offset, error.to_string(), UNKNOWN);
        self.all.iter_mut().next_back().into_iter().for_each(|finding| finding.not_decoded = true);
    }

    /// Adds a finding that values of a part cannot be read, or were not read.
    fn unreadable(&mut self, place: impl Into<String>, offset: Option<u64>, finding: impl Into<String>, answers: Answers) {
        self.add(place, offset, finding, answers);
        self.all.iter_mut().next_back().into_iter().for_each(|finding| finding.unreadable = true);
    }

    /// Adds a finding for which [`FACTS`] lists the affected readers.
    fn known(&mut self, place: impl Into<String>, offset: Option<u64>, (fact, finding): Known, document: Option<bool>) {
        let minds = |reader| FACTS.iter().any(|row| row.name == fact && row.is_of(reader));
        let [c, python] = [Reader::C_BLOSC2, Reader::PYTHON_BLOSC2].map(|reader| Some(!minds(reader)));
        self.add(place, offset, finding, [document, c, python]);
        self.all.iter_mut().next_back().into_iter().for_each(|finding| finding.fact = Some(fact));
    }

    fn add(&mut self, place: impl Into<String>, offset: Option<u64>, finding: impl Into<String>, answers: Answers) {
        let [document, c_blosc2, python_blosc2] = answers;
        let (place, finding) = (place.into(), finding.into());
        self.all.push(Finding { place, offset, finding, document, c_blosc2, python_blosc2, ..Finding::default() });
    }

    fn names(&mut self, kind: &str, metalayers: &Metalayers) {
        let mut seen: Vec<&[u8]> = Vec::new();
        for (name, _) in metalayers.iter() {
            let place = format!("{kind} {}", quoted(name));
            if name.contains(&0) {
                let cut = name.split(|&byte| byte == 0).next().unwrap_or_default();
                let finding = format!("its name has a NUL, so C-Blosc2 reads {}", quoted(cut));
                // C-Blosc2 opens the frame, and may return the value of another metalayer for this name.
                self.add(&place, None, finding, [NO, None, None]);
            }
            if std::str::from_utf8(name).is_err() {
                self.add(&place, None, "its name is not UTF-8", [None, YES, NO]);
            }
            if seen.contains(&name) {
                self.add(&place, None, "another metalayer has the same name: C-Blosc2 uses the first", [NO, YES, None]);
            }
            seen.push(name);
        }
    }

    /// Checks the filters in the header, which new chunks would use, even if no existing chunk uses them.
    fn pipeline(&mut self, header: &[u8], typesize: i32) {
        for slot in 0..FILTERS {
            let [filter_at, meta_at] = [FIRST_FILTER, FIRST_FILTER + FILTERS + 2].map(|first| first + slot);
            let (Some(&filter), Some(&meta)) = (header.get(filter_at), header.get(meta_at)) else { return };
            if matches!(filter, 5..=31 | 37..=159) {
                let finding = format!("its pipeline has filter {filter}, which C-Blosc2 does not know");
                self.add("header", Some(filter_at as u64), finding, [None, NO, NO]);
            }
            if filter == BYTEDELTA && typesize > i32::from(i8::MAX) {
                let finding =
                    format!("its pipeline has bytedelta for elements of {typesize} bytes, python-blosc2 supports up to 127");
                self.add("header", Some(filter_at as u64), finding, [None, YES, NO]);
            } else if i8::try_from(meta).is_err() {
                let finding = format!("its pipeline has the parameter {meta} for a filter, but python-blosc2 expects 0 to 127");
                self.add("header", Some(meta_at as u64), finding, [YES, YES, NO]);
            }
        }
    }

    /// Checks the lengths of chunks and blocks that the header states.
    fn blocksize(&mut self, header: &Header) {
        let (blocksize, chunksize) = (header.blocksize(), header.chunksize());
        let are_objects = matches!(Kind::of(header, None), Kind::BatchArray | Kind::ListArray | Kind::ObjectArray);
        if header.has_variable_chunks() {
            let fact = if are_objects { VARIABLE_CHUNKS_OF_OBJECTS } else { VARIABLE_CHUNKS };
            self.known("header", None, (fact, "its chunks vary in length".to_owned()), YES);
        }
        if header.has_variable_blocks() {
            let fact = if are_objects { VARIABLE_BLOCKS_OF_OBJECTS } else { VARIABLE_BLOCKS };
            self.known("header", None, (fact, "its blocks vary in length".to_owned()), YES);
        }
        let typesize = header.typesize();
        let is_cut = |length: i32| length > 0 && typesize > 0 && length % typesize != 0;
        let vary = header.has_variable_chunks() || header.has_variable_blocks();
        if !vary && header.nbytes() != 0 && (is_cut(chunksize) || is_cut(blocksize)) {
            let finding = format!("chunks of {chunksize} and blocks of {blocksize} bytes split elements of {typesize}");
            self.known("header", None, (CUT_ELEMENTS, finding), None);
        }
        if chunksize == 0 && header.nbytes() != 0 && !header.has_variable_chunks() {
            let finding = "chunksize: expected 1 or more, because the flags do not say that chunks vary in length, found 0";
            self.add("header", Some(HeaderField::CHUNKSIZE.marker() as u64), finding, [NO, None, None]);
        }
        if blocksize < if header.nbytes() == 0 { -1 } else { 0 }
            || !header.has_variable_blocks() && !header.has_variable_chunks() && chunksize > 0 && blocksize > chunksize
        {
            let finding = format!("blocksize: expected 1 to {}, found {}", thousands(chunksize), thousands(blocksize));
            self.add("header", None, finding, [NO, NO, NO]);
        }
    }

    /// Checks the metalayers. `starts` are the positions of their contents.
    fn metalayers(&mut self, header: &Header, starts: &[u64]) {
        for (index, (name, content)) in header.metalayers().iter().enumerate() {
            let (place, start) = (format!("metalayer {}", quoted(name)), starts.get(index).copied());
            if name == b"b2nd" || name == b"caterva" {
                self.array_metalayer(header, &place, start, name, content);
            } else {
                self.value(&place, start, content);
            }
        }
        let kind = Kind::of(header, None);
        if kind.needs_trust() {
            let finding =
                format!("it is a {}, which python-blosc2 rejects unless it is opened with deserialize=\"full\"", kind.name());
            self.add("frame", None, finding, [YES, YES, NO]);
        }
    }

    /// Checks a metalayer that has the name of an array metalayer.
    fn array_metalayer(&mut self, header: &Header, place: &str, start: Option<u64>, name: &[u8], content: &[u8]) {
        // C-Blosc2 opens a frame with a `caterva` metalayer as a frame without an array, whatever the metalayer contains.
        let c_reads = Some(name == b"caterva" || lenient::grid(content).is_some());
        let error = match name {
            b"b2nd" => b2nd::take_from_slice::<ArrayMeta<&str>>(content).err(),
            _ => b2nd::take_from_slice::<b2nd::CatervaMeta>(content).err(),
        };
        // If there is a `b2nd` metalayer, a metalayer named `caterva` has no special meaning.
        let is_other = name == b"caterva" && matches!(Array::find(header), Ok(Some(array)) if array.name == "b2nd");
        if let Some(error) = error.filter(|_| !is_other) {
            let offset = start.zip(error.offset()).map(|(start, offset)| start + offset as u64);
            let answers = match error.kind() {
                // The dtype is not UTF-8. All dtypes of NumPy are, and python-blosc2 reads no others.
                ErrorKind::Utf8 => [None, c_reads, NO],
                // C-Blosc2 reads a different array than the one that the metalayer describes.
                _ if name == b"b2nd" => [NO, c_reads.filter(|reads| !reads), c_reads],
                _ => [NO, c_reads, c_reads],
            };
            self.unreadable(place, offset.or(start), error.to_string(), answers);
            return;
        }
        let Ok(Some(array)) = Array::find(header) else { return };
        if array.name.as_bytes() != name {
            return;
        }
        if array.layout() != "b2nd" && array.layout() != "caterva" {
            // If the layout has no dtype, C-Blosc2 reads the bytes after the blockshape as a dtype.
            let is_read = c_reads.filter(|&reads| !reads || array.stale == 0 || array.name == "caterva");
            self.add(place, start, format!("its layout is {}", array.describe()), [NO, c_reads, is_read]);
        }
        if array.stale != 0 {
            let offset = start.map(|start| start + (content.len() - array.stale) as u64);
            self.add(
                place,
                offset,
                format!("it is followed by {} of a longer metalayer", count(array.stale, "byte")),
                [NO, YES, YES],
            );
        }
    }

    /// Adds findings about MessagePack values that python-blosc2 does not load. Content in another format is not reported, because a
    /// metalayer may have any content.
    fn value(&mut self, place: &str, start: Option<u64>, content: &[u8]) {
        let Some(value) = Value::from_slice(content) else { return };
        for kind in value.extensions().into_iter().filter(|kind| !kinds::PASSIVE.contains(kind)) {
            let what = match kind {
                42 => "a frame",
                43 => "a reference",
                _ => "a value",
            };
            let finding = format!("it holds {what} (extension {kind}), which python-blosc2 rejects unless told to trust it");
            self.add(place, start, finding, [YES, YES, NO]);
        }
        if value.byte_strings().any(is_pickle) {
            self.add(place, start, "it holds a pickle: loading it can run any code", [YES, YES, None]);
        }
    }

    fn array(&mut self, header: &Header) {
        let array = match Array::find(header) {
            Ok(Some(array)) => array,
            Ok(None) => return,
            // The error of the metalayer was already reported, but C-Blosc2 may still read the metalayer.
            Err(_) => {
                let grid = header.metalayers().get("b2nd").and_then(lenient::grid);
                return grid.into_iter().for_each(|grid| self.lengths(header, &grid));
            }
        };
        let grid = match array.meta.geometry().grid() {
            Ok(grid) => grid,
            Err(error) => return self.unreadable("array", None, error.to_string(), [NO, NO, NO]),
        };
        match array.meta.parse_dtype() {
            Err(error) if matches!(array.meta, ArrayMeta::B2nd(meta) if meta.dtype_format != 0) => {
                self.add("dtype", None, error.to_string(), [YES, YES, NO]);
            }
            Ok(Some(dtype)) => self.itemsize(&dtype, header.typesize()),
            Ok(None) => {}
            Err(error) => self.add("dtype", None, error.to_string(), [None, YES, None]),
        }
        self.lengths(header, &grid);
    }

    /// Compares the lengths in the header with the lengths that are computed from the array's shapes.
    fn lengths(&mut self, header: &Header, grid: &Grid) {
        let (place, typesize) = ("array", i128::from(header.typesize()));
        if let Some(finding) = products::overflow(grid, header.typesize()) {
            self.add(place, None, finding, [None, NO, None]);
        }
        if let Some(found) = header.nchunks().filter(|&found| found != grid.nchunks()) {
            let finding = format!("it has {}, but the frame has {}", count(grid.nchunks(), "chunk"), thousands(found));
            self.unreadable(place, None, finding, [NO, None, None]);
        } else if !header.has_variable_chunks() && header.chunksize() > 0 {
            let (found, expected) = (i128::from(header.nbytes()), i128::from(grid.nchunks()) * i128::from(header.chunksize()));
            if found != expected {
                let finding = format!(
                    "nbytes: expected {} (all chunks of the array), the header says {}",
                    thousands(expected),
                    thousands(found)
                );
                self.add("header", None, finding, [NO, None, None]);
            }
        }
        let lengths = [
            ("chunksize", header.chunksize(), grid.extchunknitems(), header.has_variable_chunks()),
            ("blocksize", header.blocksize(), grid.blocknitems(), header.has_variable_blocks()),
        ];
        for (name, found, items, varies) in lengths {
            let expected = i128::from(items) * typesize;
            // In an empty frame, the lengths in the header may be 0.
            let is_said = found > 0 || header.nbytes() != 0;
            if !varies && is_said && expected > 0 && i128::from(found) != expected {
                let finding = format!(
                    "{name}: expected {} from the array's shapes, the header says {}",
                    thousands(expected),
                    thousands(found)
                );
                self.add("header", None, finding, [NO, None, None]);
            }
        }
    }

    fn itemsize(&mut self, dtype: &DType, typesize: i32) {
        if usize::try_from(typesize) == Ok(dtype.itemsize()) {
            return;
        }
        let itemsize = count(dtype.itemsize(), "byte");
        let finding = format!("an element has {itemsize}, but the frame's typesize is {typesize}");
        self.add("dtype", None, finding, [NO, YES, None]);
    }
}

/// Returns the positions at which the contents of the metalayers start. The contents are the last part of their section, which
/// ends at `end`.
fn contents_of(metalayers: &Metalayers, end: u64) -> Vec<u64> {
    let length = |content: &[u8]| CONTENT_MARKER + content.len() as u64;
    let first = end - metalayers.iter().map(|(_, content)| length(content)).sum::<u64>();
    let starts = metalayers.iter().scan(first, |next, (_, content)| {
        let start = *next + CONTENT_MARKER;
        *next += length(content);
        Some(start)
    });
    starts.collect()
}
