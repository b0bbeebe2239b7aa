//! Checks a frame's header: its pipeline, lengths, metalayers and the metadata of its array.

use b2nd::{ArrayMeta, Grid};
use b2nd_frame::{Header, HeaderField, MAX_METALAYERS, Metalayers, Result};
use b2nd_store::text::{count, quoted, thousands};
use b2nd_store::value::{self, is_pickle};
use b2nd_store::{Array, Frame, Kind};

use super::{
    Findings, NO, NOT_READ, NOT_SPECIFIED, READ_ALTHOUGH_WRONG, REJECTED, REJECTED_BY_PYTHON, VALID_REJECTED_BY_PYTHON, YES,
    kinds, lenient, products,
};
use crate::known_defects::{
    CUT_ELEMENTS, VARIABLE_BLOCKS, VARIABLE_BLOCKS_OF_OBJECTS, VARIABLE_CHUNKS, VARIABLE_CHUNKS_OF_OBJECTS,
};

/// The position of the first filter in a frame's header. The byte before it is the number of filters. The six filters are followed by the
/// codec, the parameter of the codec, and the parameters of the filters.
const FIRST_FILTER: usize = HeaderField::PIPELINE.value().start + 1;
const FILTERS: usize = 6;

/// The number of bytes before a metalayer's content: the marker bin32 and the length of the content.
const CONTENT_MARKER: u64 = 5;

/// The number of the filter bytedelta, which subtracts from each byte the previous byte in the same plane.
const BYTEDELTA: u8 = 35;

/// The result of looking for an array in the frame's header.
type Found<'a> = Result<Option<Array<'a>>>;

impl Findings {
    pub(super) fn header(&mut self, frame: &Frame, array: &Found<'_>) -> Result<()> {
        let header = frame.header();
        self.names("metalayer", header.metalayers());
        if header.metalayers().len() > MAX_METALAYERS {
            let found = count(header.metalayers().len(), "metalayer");
            self.add("header", None, format!("it has {found}, but C-Blosc2 supports at most {MAX_METALAYERS}"), REJECTED);
        }
        let bytes = frame.read(0..header.header_len() as u64)?;
        self.pipeline(&bytes, header.typesize());
        self.blocksize(header);
        self.metalayers(header, array, &contents_of(header.metalayers(), bytes.len() as u64));
        self.array(header, array);
        Ok(())
    }

    pub(super) fn names(&mut self, kind: &str, metalayers: &Metalayers) {
        for (name, _) in metalayers.iter() {
            let place = format!("{kind} {}", quoted(name));
            if name.contains(&0) {
                let cut = name.split(|&byte| byte == 0).next().unwrap_or_default();
                let finding = format!("its name contains a NUL, so C-Blosc2 reads the name as {}", quoted(cut));
                // C-Blosc2 opens the frame, and may return the value of another metalayer for this name.
                self.add(&place, None, finding, NOT_SPECIFIED);
            }
            if std::str::from_utf8(name).is_err() {
                self.add(&place, None, "its name is not UTF-8", REJECTED_BY_PYTHON);
            }
        }
    }

    /// Checks the filters in the header. New chunks would use these filters, even if no existing chunk does.
    fn pipeline(&mut self, header: &[u8], typesize: i32) {
        for slot in 0..FILTERS {
            let [filter_at, meta_at] = [FIRST_FILTER, FIRST_FILTER + FILTERS + 2].map(|first| first + slot);
            let (Some(&filter), Some(&meta)) = (header.get(filter_at), header.get(meta_at)) else { return };
            if matches!(filter, 5..=31 | 37..=159) {
                let finding = format!("its pipeline has filter {filter}, which C-Blosc2 does not know");
                self.add("header", Some(filter_at as u64), finding, NOT_READ);
            }
            if filter == BYTEDELTA && meta == 0 && typesize > i32::from(i8::MAX) {
                let finding =
                    format!("its pipeline has bytedelta for elements of {typesize} bytes, but python-blosc2 supports up to 127");
                self.add("header", Some(filter_at as u64), finding, REJECTED_BY_PYTHON);
            } else if i8::try_from(meta).is_err() {
                let finding = format!("its pipeline has the filter parameter {meta}, but python-blosc2 expects 0 to 127");
                self.add("header", Some(meta_at as u64), finding, VALID_REJECTED_BY_PYTHON);
            }
        }
    }

    /// Checks the lengths of chunks and blocks that the header states.
    fn blocksize(&mut self, header: &Header) {
        let (blocksize, chunksize) = (header.blocksize(), header.chunksize());
        let are_objects = matches!(Kind::of(header, None), Kind::BatchArray | Kind::ListArray | Kind::ObjectArray);
        if header.has_variable_chunks() && header.nbytes() != 0 {
            let fact = if are_objects { VARIABLE_CHUNKS_OF_OBJECTS } else { VARIABLE_CHUNKS };
            self.known("header", None, (fact, "its chunks vary in length".to_owned()), YES);
        }
        if header.has_variable_blocks() {
            let fact = if are_objects { VARIABLE_BLOCKS_OF_OBJECTS } else { VARIABLE_BLOCKS };
            self.known("header", None, (fact, "its blocks vary in length".to_owned()), YES);
        }
        let typesize = header.typesize();
        // If no other chunk or block follows, no element is cut.
        let is_cut = |length: i32| length > 0 && typesize > 0 && length % typesize != 0 && header.nbytes() > i64::from(length);
        let vary = header.has_variable_chunks() || header.has_variable_blocks();
        if !vary && header.nbytes() != 0 && (is_cut(chunksize) || is_cut(blocksize)) {
            let finding = format!(
                "chunksize {chunksize} and blocksize {blocksize} are not both multiples of the typesize {typesize}, so elements may be split"
            );
            self.known("header", None, (CUT_ELEMENTS, finding), None);
        }
        if chunksize == 0 && header.nbytes() != 0 && !header.has_variable_chunks() {
            let finding = "chunksize: expected 1 or more, found 0: the flags do not say that chunks vary in length";
            self.add("header", Some(HeaderField::CHUNKSIZE.marker() as u64), finding, NOT_SPECIFIED);
        }
        let min = if header.nbytes() == 0 { -1 } else { 0 };
        if blocksize < min || !vary && chunksize > 0 && blocksize > chunksize {
            let expected = if blocksize < min { format!("{min} or more") } else { format!("at most {}", thousands(chunksize)) };
            let finding = format!("blocksize: expected {expected}, found {}", thousands(blocksize));
            self.add("header", None, finding, REJECTED);
        }
    }

    /// Checks the metalayers. `starts` are the offsets of their contents in the frame.
    fn metalayers(&mut self, header: &Header, array: &Found<'_>, starts: &[u64]) {
        for (index, (name, content)) in header.metalayers().iter().enumerate() {
            let (place, start) = (format!("metalayer {}", quoted(name)), starts.get(index).copied());
            if name == b"b2nd" || name == b"caterva" {
                self.array_metalayer(array, &place, start, name, content);
            } else {
                self.value(&place, start, content);
            }
        }
        let kind = Kind::of(header, None);
        if kind.needs_trust() {
            let finding = format!("its kind is {}, which python-blosc2 opens only with deserialize=\"full\"", kind.name());
            self.add("frame", None, finding, VALID_REJECTED_BY_PYTHON);
        }
    }

    /// Checks a metalayer that has the name of an array metalayer.
    fn array_metalayer(&mut self, array: &Found<'_>, place: &str, start: Option<u64>, name: &[u8], content: &[u8]) {
        // python-blosc2 and the function `blosc2_schunk_open` of C-Blosc2 open a frame with a `caterva` metalayer, and without a `b2nd`
        // metalayer, as a frame without an array, whatever the metalayer contains.
        let c_reads = Some(name == b"caterva" || lenient::grid(content).is_some());
        let error = match name {
            b"b2nd" => ArrayMeta::from_metalayer(content).err(),
            _ => b2nd::take_from_slice::<b2nd::CatervaMeta>(content).err(),
        };
        // If there is a valid `b2nd` metalayer, a metalayer named `caterva` has no special meaning.
        let is_other = name == b"caterva" && matches!(array, Ok(Some(array)) if array.name == "b2nd");
        if let Some(error) = error.filter(|_| !is_other) {
            // The offset in the error counts from the start of the content, but offsets in findings count from the start of the frame.
            let error = error.shifted(start.and_then(|start| usize::try_from(start).ok()).unwrap_or(0));
            let offset = error.offset().map(|offset| offset as u64);
            let answers = match error.kind() {
                // The dtype is not UTF-8. python-blosc2 rejects such dtypes.
                b2nd::ErrorKind::Utf8 => [None, c_reads, NO],
                // If C-Blosc2 accepts the metalayer, it may read a different array than the one that the metalayer describes.
                _ if name == b"b2nd" => [NO, c_reads.filter(|reads| !reads), c_reads],
                _ => [NO, c_reads, c_reads],
            };
            self.unreadable(place, offset.or(start), error.to_string(), answers);
            return;
        }
        let Ok(Some(array)) = array else { return };
        if array.name.as_bytes() != name {
            return;
        }
        if array.layout() != "b2nd" && array.layout() != "caterva" {
            // If the layout has no dtype, C-Blosc2 reads any bytes after the blockshape as a dtype.
            let is_read = c_reads.filter(|&reads| !reads || array.stale == 0 || array.name == "caterva");
            self.add(place, start, format!("its layout is {}", array.describe()), [NO, c_reads, is_read]);
        }
        if array.stale != 0 {
            let offset = start.map(|start| start + (content.len() - array.stale) as u64);
            self.add(
                place,
                offset,
                format!("its metadata is followed by {}, usually left over from longer metadata", count(array.stale, "byte")),
                READ_ALTHOUGH_WRONG,
            );
        }
    }

    /// Adds findings about pickles, and about MessagePack values that python-blosc2 loads only from trusted files. `content` is not
    /// reported if it is not MessagePack, because a metalayer may have any content.
    pub(super) fn value(&mut self, place: &str, start: Option<u64>, content: &[u8]) {
        let Some(value) = value::read(content) else { return };
        for kind in value::extensions(&value).into_iter().filter(|kind| !kinds::PASSIVE.contains(kind)) {
            let what = match kind {
                42 => "a frame",
                43 => "a reference",
                _ => "a value",
            };
            let finding = format!("it holds {what} (extension {kind}), which python-blosc2 opens only with deserialize=\"full\"");
            self.add(place, start, finding, VALID_REJECTED_BY_PYTHON);
        }
        if value.leaves().filter_map(|leaf| leaf.as_bytes()).any(is_pickle) {
            self.add(place, start, "it holds what looks like a pickle: loading a pickle can run any code", [YES, YES, None]);
        }
    }

    fn array(&mut self, header: &Header, array: &Found<'_>) {
        let array = match array {
            Ok(Some(array)) => array,
            Ok(None) => return,
            // The error in the metalayer was already reported, but C-Blosc2 may still read the metalayer.
            Err(_) => {
                let grid = header.metalayers().get("b2nd").and_then(lenient::grid);
                return grid.into_iter().for_each(|grid| self.lengths(header, &grid));
            }
        };
        let grid = match array.meta.geometry().grid() {
            Ok(grid) => grid,
            Err(error) => return self.unreadable("array", None, error.to_string(), REJECTED),
        };
        match array.meta.parse_dtype() {
            Err(error) if matches!(&array.meta, ArrayMeta::B2nd(meta) if meta.dtype_format != 0) => {
                self.add("dtype", None, error.to_string(), VALID_REJECTED_BY_PYTHON);
            }
            Ok(Some(dtype)) if usize::try_from(header.typesize()) != Ok(dtype.itemsize()) => {
                let (itemsize, typesize) = (count(dtype.itemsize(), "byte"), header.typesize());
                let finding = format!("its itemsize is {itemsize}, but the frame's typesize is {typesize}");
                self.add("dtype", None, finding, [NO, YES, None]);
            }
            Ok(_) => {}
            Err(error) => self.add("dtype", None, error.to_string(), [None, YES, None]),
        }
        self.lengths(header, &grid);
    }

    /// Compares the lengths in the header with the lengths that are computed from the array's shapes.
    fn lengths(&mut self, header: &Header, grid: &Grid) {
        let (place, typesize) = ("array", i128::from(header.typesize()));
        // NumPy leaves out lengths of 0 in its check.
        let bytes = products::product(grid.shape().iter().map(|&length| length.into()).chain([typesize]));
        if let Some(finding) = products::overflow(grid, header.typesize()) {
            self.add(place, None, finding, [None, NO, None]);
        } else if bytes.is_none_or(|bytes| bytes > i64::MAX.into()) {
            let finding = "NumPy rejects its shape: the product of its lengths (other than 0) and typesize does not fit int64";
            self.add(place, None, finding, VALID_REJECTED_BY_PYTHON);
        }
        if let Some(found) = header.nchunks().filter(|&found| found != grid.nchunks()) {
            let finding = format!("it has {}, but the header says {}", count(grid.nchunks(), "chunk"), thousands(found));
            self.unreadable(place, None, finding, NOT_SPECIFIED);
        } else if !header.has_variable_chunks() && header.chunksize() > 0 {
            let (found, expected) = (i128::from(header.nbytes()), i128::from(grid.nchunks()) * i128::from(header.chunksize()));
            if found != expected {
                let finding =
                    format!("nbytes: expected {} (all chunks of the array), found {}", thousands(expected), thousands(found));
                self.add("header", None, finding, NOT_SPECIFIED);
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
                let finding =
                    format!("{name}: the header has {}, but shapes and typesize give {}", thousands(found), thousands(expected));
                self.add("header", None, finding, NOT_SPECIFIED);
            }
        }
    }
}

/// Returns the offset at which the content of each metalayer starts. The contents are the last part of their section, which ends at `end`.
pub(super) fn contents_of(metalayers: &Metalayers, end: u64) -> Vec<u64> {
    let length = |content: &[u8]| CONTENT_MARKER + content.len() as u64;
    let first = end - metalayers.iter().map(|(_, content)| length(content)).sum::<u64>();
    let starts = metalayers.iter().scan(first, |next, (_, content)| {
        let start = *next + CONTENT_MARKER;
        *next += length(content);
        Some(start)
    });
    starts.collect()
}
