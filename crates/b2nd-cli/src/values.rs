//! Values of arrays: where they are opened, and the parts in which they are read.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use b2nd::B2ndMeta;
use b2nd::dtype::{DType, ScalarType};
use b2nd_ndarray::{Array, Options};
use b2nd_store::{Location, Source, Target};
use b2nd_view::slice::Slice;
use b2nd_view::store::Content;
use clap::Args;
use tempfile::NamedTempFile;

use crate::output::{self, Output};
use crate::paths::{Found, Leaves, Paths};
use crate::progress;

pub(crate) type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// How many bytes of values are held at once.
const PART: usize = 1 << 26;

/// Makes a file that must not exist. It is written beside its place, and put there when it is whole.
pub(crate) fn new_file(path: &Path, write: impl FnOnce(&NamedTempFile) -> Result<()>) -> Result<()> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => format!("{} exists, and nothing is overwritten", path.display()),
        _ => format!("{}: {error}", path.display()),
    };
    if fs::symlink_metadata(path).is_ok() {
        return Err(failed(io::ErrorKind::AlreadyExists.into()).into());
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut temporary = tempfile::Builder::new();
    temporary.prefix(".b2nd-").suffix(".tmp");
    #[cfg(unix)]
    // The umask takes from it what it takes from every file.
    temporary.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = temporary.tempfile_in(directory).map_err(failed)?;
    write(&file)?;
    file.persist_noclobber(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Says what went wrong, if something did.
pub(crate) fn settle<T>(path: &Path, done: Result<T>, output: &mut Output) -> io::Result<Option<T>> {
    match done {
        Ok(value) => Ok(Some(value)),
        Err(error) => {
            writeln!(output.err, "{}", output::named(path, error))?;
            Ok(None)
        }
    }
}

/// An array whose values mean something outside of the program that wrote them.
pub(crate) fn open_values(path: &Path) -> Result<Array> {
    let array = open(path)?;
    array.dtype().map_or(Ok(()), no_objects)?;
    Ok(array)
}

pub(crate) fn no_objects(dtype: &DType) -> Result<()> {
    fn has_objects(dtype: &DType) -> bool {
        match dtype {
            DType::Scalar(scalar) => scalar.scalar_type() == ScalarType::Object,
            _ if dtype.shape().is_empty() => dtype.fields().iter().any(|field| has_objects(field.dtype())),
            _ => has_objects(dtype.base()),
        }
    }
    if has_objects(dtype) {
        return Err("its elements are Python objects: addresses in the memory of the program that wrote them, or a pickle".into());
    }
    Ok(())
}

/// An array in a file, in a store, behind an address.
fn open(path: &Path) -> Result<Array> {
    let location = Location::new(path.as_os_str());
    match (location.path(), location.key()) {
        (Some(path), None) => {
            let holds_store = Target::local(path).is_ok_and(|target| target.with_folder(|_| Ok(())).is_some());
            if path.exists() && !holds_store {
                return Ok(Array::open(path)?);
            }
        }
        (Some(store), Some(key)) if store.exists() => {
            if let Ok(array) = Array::from_store(store, key) {
                return Ok(array);
            }
        }
        (None, None) => {
            let target = location.open()?;
            if target.with_folder(|_| Ok(())).is_none() {
                if let Target::File(source) = target {
                    return Ok(Array::from_source(Arc::new(Values(source)), 0)?);
                }
            }
        }
        _ => {}
    }
    // A leaf that is embedded, compressed by its archive or far away is read into memory.
    let mut frame_bytes = None;
    let mut what = None;
    let mut err = Vec::new();
    Paths::of(path).each(Leaves::OneByKey, &mut err, &mut |found| {
        match found {
            Found::Frame { frame, .. } => frame_bytes = Some(frame.read(0..frame.header().frame_len())?.into_owned()),
            Found::Leaf { leaf, .. } if matches!(leaf.content, Content::Table(_)) => what = Some("table"),
            Found::Leaf { .. } => what = Some("reference to an array on a server"),
            Found::Store { .. } => {}
        }
        Ok(true)
    })?;
    match (frame_bytes, what) {
        (Some(bytes), _) => Ok(Array::from_frame(bytes)?),
        (None, Some(what)) => Err(format!("it is a {what}, and no array").into()),
        (None, None) => Err(String::from_utf8_lossy(&err).trim().into()),
    }
}

/// A source as an array reads it.
struct Values(Box<dyn Source + Send + Sync>);

impl b2nd_ndarray::Source for Values {
    fn length(&self) -> io::Result<u64> {
        Ok(self.0.len())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let bytes = self.0.read(offset..offset.saturating_add(buffer.len() as u64))?;
        if bytes.len() != buffer.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        buffer.copy_from_slice(&bytes);
        Ok(())
    }
}

pub(crate) fn ranges(array: &Array, slice: Option<&Slice>) -> Result<Vec<Range<i64>>> {
    Ok(slice.map_or_else(|| Ok(array.whole()), |slice| slice.ranges(array.grid().shape()))?)
}

/// How many bytes a slice has.
pub(crate) fn length(array: &Array, ranges: &[Range<i64>]) -> usize {
    let items = ranges.iter().map(|range| usize::try_from(range.end - range.start).unwrap_or(0));
    items.fold(array.itemsize(), usize::saturating_mul)
}

/// A slice cut along its first dimensions into parts that memory holds, in C order.
pub(crate) fn parts<'a>(array: &'a Array, ranges: &[Range<i64>]) -> Box<dyn Iterator<Item = Vec<Range<i64>>> + 'a> {
    let bytes = length(array, ranges);
    let count = |range: &Range<i64>| usize::try_from(range.end - range.start).unwrap_or(0);
    let Some((axis, first)) = ranges.iter().enumerate().find(|(_, range)| count(range) > 1).filter(|_| bytes > PART) else {
        return Box::new(std::iter::once(ranges.to_vec()));
    };
    let row = (bytes / count(first)).max(1);
    let chunk = usize::try_from(array.grid().chunkshape()[axis]).unwrap_or(1).max(1);
    // Whole chunks, unless one layer of them is too much.
    let rows = match PART / row {
        rows if rows >= chunk => rows / chunk * chunk,
        rows => rows.max(1),
    };
    let (ranges, end) = (ranges.to_vec(), first.end);
    Box::new((first.start..end).step_by(rows).flat_map(move |start| {
        let mut part = ranges.clone();
        part[axis] = start..start.saturating_add(rows as i64).min(end);
        if rows == 1 && row > PART { parts(array, &part) } else { Box::new(std::iter::once(part)) }
    }))
}

/// How many elements of two arrays differ.
pub(crate) struct Differing {
    pub(crate) count: u64,
    /// Where the first of them is.
    pub(crate) first: Vec<i64>,
}

/// Compares the values of two arrays. `None` where shapes or types differ.
pub(crate) fn compare(a: &Path, b: &Path) -> Result<Option<Differing>> {
    let [a, b] = [open(a)?, open(b)?];
    if a.geometry().shape() != b.geometry().shape() || a.dtype() != b.dtype() || a.itemsize() != b.itemsize() {
        return Ok(None);
    }
    let mut differing = Differing { count: 0, first: Vec::new() };
    let bar = progress::bytes(length(&a, &a.whole()) as u64);
    for part in parts(&a, &a.whole()) {
        let [one, other] = [a.read_bytes(&part)?, b.read_bytes(&part)?];
        let items = one.chunks(a.itemsize().max(1)).zip(other.chunks(a.itemsize().max(1))).enumerate();
        for (index, _) in items.filter(|(_, (one, other))| one != other) {
            if differing.count == 0 {
                differing.first = coordinates(&part, index as i64);
            }
            differing.count += 1;
        }
        bar.inc(one.len() as u64);
    }
    Ok(Some(differing))
}

/// Where an element of a part is in the array.
fn coordinates(part: &[Range<i64>], mut index: i64) -> Vec<i64> {
    let mut coordinates = Vec::new();
    for range in part.iter().rev() {
        let length = (range.end - range.start).max(1);
        coordinates.push(range.start + index % length);
        index /= length;
    }
    coordinates.reverse();
    coordinates
}
