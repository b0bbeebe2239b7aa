//! Opens arrays, and reads their values in parts.

use std::io;
use std::ops::Range;
use std::path::Path;

use b2nd::dtype::DType;
use b2nd_ndarray::{Array, Select};
use b2nd_store::{Bytes, Frame, Kind, Location, Store, Target, no_key};
use b2nd_view::elements::{self, no_objects, reader, text, time_unit};
use b2nd_view::slice::{Selection, Slice};
use b2nd_view::text::parse_offset;
use clap::Args;
use indicatif::ProgressBar;

use crate::differences::{Differing, Tolerance, distance};
use crate::error::{Error, Result};
use crate::parts::{PART, parts};
use crate::paths::{of_directory, what_is_at, what_it_is};
use crate::progress;
use crate::report::shape_text;

/// The position of a frame in its file, and the dtype of a frame without an array.
#[derive(Args, Clone, Default)]
pub(crate) struct Start {
    /// The byte at which the frame starts in its file, in decimal or as 0x….
    #[arg(long, value_name = "N", value_parser = parse_offset)]
    pub(crate) offset: Option<u64>,

    /// The dtype of the elements in a frame without an array, as NumPy writes it: '<i4'. Without it, elements of 1 byte are integers,
    /// and longer elements are hexadecimal digits in text, CSV and JSON.
    #[arg(long, value_name = "DTYPE", value_parser = parse_dtype)]
    pub(crate) dtype: Option<DType>,
}

/// Parses the value of `--dtype`.
pub(crate) fn parse_dtype(text: &str) -> std::result::Result<DType, String> {
    let form = "; write it as NumPy prints it, with a space after each comma and colon: [('x', '<i4'), ('y', '<i4')]";
    let has_spaces = text.split([',', ':']).skip(1).all(|rest| rest.starts_with([' ', ')']));
    text.parse().map_err(|error| format!("{error}{}", if has_spaces { "" } else { form }))
}

/// Which rows to keep: the first or the last.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum End {
    First,
    Last,
}

/// An array whose elements are not Python objects, and the selected elements.
pub(crate) struct SelectedArray {
    pub(crate) array: Array,
    pub(crate) selection: Selection,
}

impl SelectedArray {
    /// Opens the array that an argument names.
    pub(crate) fn open(word: &Path, start: &Start, slice: Option<&Slice>) -> Result<SelectedArray> {
        SelectedArray::of(source_at(word, start)?, start, slice)
    }

    /// Opens the array in a source.
    pub(crate) fn of(source: Bytes, start: &Start, slice: Option<&Slice>) -> Result<SelectedArray> {
        let mut array = open(source, start.offset)?;
        if let Some(dtype) = &start.dtype {
            if !array.is_flat() {
                return Err(Error::new(match array.dtype() {
                    Some(_) => "--dtype is only for frames without an array, and this array has a dtype: leave out --dtype",
                    None => "--dtype is not for arrays: `b2nd info` shows their dtype, `b2nd upgrade` adds one to Caterva arrays",
                }));
            }
            array = array.with_dtype(dtype.clone())?;
        }
        array.dtype().map_or(Ok(()), no_objects)?;
        let shape = array.grid().shape();
        let selection = match slice {
            Some(slice) => slice.select(shape).map_err(Error::new)?,
            None => Selection::whole(shape),
        };
        Ok(SelectedArray { array, selection })
    }

    /// Selects the first rows of the first plane, or the last rows of the last plane. In a one-dimensional array, selects the first or last
    /// elements.
    pub(crate) fn cut(&mut self, end: End, rows: u64) {
        let count = self.selection.ranges.len();
        for axis in 0..count {
            match count - axis {
                1 if count > 1 => {}
                1 | 2 => self.selection.keep(axis, end == End::First, rows),
                _ => self.selection.keep(axis, end == End::First, 1),
            }
        }
    }

    /// Selects the first elements of each row.
    pub(crate) fn cut_columns(&mut self, columns: i64) {
        if let Some(last) = self.selection.ranges.len().checked_sub(1) {
            self.selection.keep(last, true, columns.unsigned_abs());
        }
    }

    /// Returns the number of bytes of the selected elements.
    pub(crate) fn len(&self) -> u64 {
        length(&self.array, &self.whole()) as u64
    }

    /// Reads the selected elements that have these indices in each dimension of the selection.
    fn read(&self, part: &[Range<i64>]) -> b2nd_ndarray::Result<Vec<u8>> {
        let Selection { ranges, steps, reversed, .. } = &self.selection;
        let lengths = self.selection.lengths();
        let along = |(axis, part): (usize, &Range<i64>)| {
            let indices =
                if reversed[axis] { [lengths[axis] - part.end, lengths[axis] - part.start] } else { [part.start, part.end] };
            let range = &ranges[axis];
            let [start, end] = indices.map(|index| range.start.saturating_add(index.saturating_mul(steps[axis])).min(range.end));
            start..end
        };
        let ranges: Vec<_> = part.iter().enumerate().map(along).collect();
        let mut bytes = self.array.select_bytes(&Select::steps(&ranges, steps)?)?;
        let lengths: Vec<_> = part.iter().map(|part| part.end - part.start).collect();
        self.selection.reverse(&mut bytes, &lengths, self.array.itemsize());
        Ok(bytes)
    }

    /// Reads all selected elements.
    pub(crate) fn read_all(&self) -> Result<Vec<u8>> {
        Ok(self.read(&self.whole())?)
    }

    /// Reads rows of the selection: elements with these indices in the first dimension of the result.
    pub(crate) fn read_rows(&self, rows: Range<u64>) -> b2nd_ndarray::Result<Vec<u8>> {
        let mut part = self.whole();
        if let Some(axis) = self.selection.kept.iter().position(|&kept| kept) {
            part[axis] = rows.start as i64..rows.end as i64;
        }
        self.read(&part)
    }

    fn whole(&self) -> Vec<Range<i64>> {
        self.selection.lengths().into_iter().map(|length| 0..length).collect()
    }

    /// Passes the selected elements to `put`, in parts.
    pub(crate) fn each_part(&self, bar: &ProgressBar, mut put: impl FnMut(&[u8]) -> io::Result<()>) -> Result<()> {
        let chunks = self.array.grid().chunkshape().iter().zip(&self.selection.steps).map(|(chunk, step)| (chunk / step).max(1));
        for part in parts(PART, self.array.itemsize(), &self.selection.lengths(), &chunks.collect::<Vec<_>>()) {
            let elements = self.read(&part)?;
            put(&elements).map_err(Error::Write)?;
            bar.inc(elements.len() as u64);
        }
        Ok(())
    }

    /// Passes each selected element to `put`.
    pub(crate) fn each(&self, bar: &ProgressBar, mut put: impl FnMut(&[u8]) -> io::Result<()>) -> Result<()> {
        self.each_part(bar, |elements| elements.chunks(self.array.itemsize().max(1)).try_for_each(&mut put))
    }
}

/// Formats each field of an element that is a structure.
pub(crate) fn fields(dtype: &DType, bytes: &[u8], format: impl Fn(&DType, &[u8]) -> String) -> Vec<String> {
    elements::fields(dtype, bytes).map(|(field, bytes)| format(field.dtype(), bytes)).collect()
}

/// Opens the source of the frame that an argument names, like [`source`]. If the frame starts at a given byte and the argument has no key,
/// the file may be of any format.
pub(crate) fn source_at(word: &Path, start: &Start) -> Result<Bytes> {
    let location = Location::new(word.as_os_str());
    match (start.offset, location.key()) {
        (Some(_), None) => match location.open()? {
            Target::File(source) => Ok(source),
            Target::Directory(_) => source(word),
        },
        _ => source(word),
    }
}

/// Opens the source of the frame that an argument names.
pub(crate) fn source(word: &Path) -> Result<Bytes> {
    let location = Location::new(word.as_os_str());
    let opened = location.frame();
    let store = opened.as_ref().ok().and_then(|source| Store::from_source(location.place(), source.clone()).ok());
    if let (None, Some(store)) = (location.key(), store) {
        return Err(no_key(&location.place(), &store.list()?.leaves).into());
    }
    opened.map_err(|error| match of_directory(word) {
        hint if hint.is_empty() => error.into(),
        hint => Error::new(format_args!("{error}{hint}")),
    })
}

fn open(source: Bytes, offset: Option<u64>) -> Result<Array> {
    match Array::from_source(source.clone(), offset.unwrap_or(0)) {
        Err(b2nd_ndarray::Error::B2nd(error)) => Err(match offset {
            Some(offset) => what_is_at(&*source, offset, error),
            None => what_it_is(&*source, error),
        }),
        Err(b2nd_ndarray::Error::NoArray) => Err(Error::new(no_array(source, offset))),
        array => Ok(array?),
    }
}

/// Returns the message for a frame that has no array.
fn no_array(source: Bytes, offset: Option<u64>) -> String {
    let frame = Frame::open_at(&*source, offset.unwrap_or(0));
    match frame.ok().map(|frame| Kind::of(frame.header(), frame.trailer().ok())) {
        Some(kind @ (Kind::ObjectArray | Kind::BatchArray | Kind::ListArray)) => {
            format!("its kind is {}, not ndarray: use `b2nd cat` or `b2nd stats`, without --offset", kind.name())
        }
        Some(Kind::Tensor) => {
            "it is a tensor that is damaged, or whose dtype is not supported: `blosc2.load_tensor` may read it".to_owned()
        }
        _ => b2nd_ndarray::Error::NoArray.to_string(),
    }
}

/// Returns the number of bytes of the elements in these ranges.
pub(crate) fn length(array: &Array, ranges: &[Range<i64>]) -> usize {
    let items = ranges.iter().map(|range| usize::try_from(range.end - range.start).unwrap_or(0));
    items.fold(array.itemsize(), usize::saturating_mul)
}

/// Compares the values of two arrays, and returns lines that describe how the values differ, or nothing if no value differs. Numbers that
/// are equal within `tolerance` do not differ.
pub(crate) fn compare(a: &Path, b: &Path, tolerance: &Tolerance) -> Result<Vec<String>> {
    let named = |path: &Path| {
        let array = source(path).and_then(|source| open(source, None));
        array.map_err(|error| Error::new(format_args!("{}: {error}", path.display())))
    };
    let [mut a, mut b] = [named(a)?, named(b)?];
    if a.is_flat() && b.is_flat() && a.itemsize() != b.itemsize() {
        let byte: DType = "|u1".parse()?;
        (a, b) = (a.with_dtype(byte.clone())?, b.with_dtype(byte)?);
    }
    if a.is_flat() != b.is_flat() {
        return Err(Error::new(format_args!("only the {} has an array", if a.is_flat() { "second" } else { "first" })));
    }
    let facts = [
        ("shape", [&a, &b].map(|array| shape_text(array.geometry().shape()))),
        ("dtype", [&a, &b].map(|array| array.dtype().map_or_else(|| "none".to_owned(), DType::to_string))),
        ("itemsize", [&a, &b].map(|array| array.itemsize().to_string())),
    ];
    if let Some((fact, [one, other])) = facts.iter().find(|(_, [one, other])| one != other) {
        return Ok(vec![format!("not comparable: {fact} {one} and {other}")]);
    }
    let mut differing = Differing::default();
    let read = a.dtype().and_then(reader);
    let bar = progress::bytes(length(&a, &a.whole()) as u64);
    for part in parts(PART, a.itemsize(), a.grid().shape(), a.grid().chunkshape()) {
        bar.inc(length(&a, &part) as u64);
        if a.repeated(&part).is_some_and(|element| b.repeated(&part) == Some(element)) {
            continue;
        }
        let [one, other] = [a.read_bytes(&part)?, b.read_bytes(&part)?];
        if one == other {
            continue;
        }
        let items = one.chunks(a.itemsize().max(1)).zip(other.chunks(a.itemsize().max(1))).enumerate();
        for (index, (one, other)) in items.filter(|(_, (one, other))| one != other) {
            let numbers = read.map(|read| (read(one), read(other)));
            if numbers.is_some_and(|(first, second)| tolerance.accepts(first, second)) {
                continue;
            }
            let at = || coordinates(&part, index as i64);
            let texts = || a.dtype().into_iter().flat_map(|dtype| [text(dtype, one), text(dtype, other)]);
            differing.add(|| std::iter::once(at()).chain(texts()).collect());
            if let Some((first, second)) = numbers.filter(|_| time_unit(a.dtype()).is_none()) {
                differing.by(distance(first, second), at);
            }
        }
    }
    Ok(differing.lines("element"))
}

/// Returns the coordinates of an element of a part, as text in brackets.
fn coordinates(part: &[Range<i64>], mut index: i64) -> String {
    let mut coordinates = Vec::new();
    for range in part.iter().rev() {
        let length = (range.end - range.start).max(1);
        coordinates.push((range.start + index % length).to_string());
        index /= length;
    }
    coordinates.reverse();
    format!("[{}]", coordinates.join(", "))
}
