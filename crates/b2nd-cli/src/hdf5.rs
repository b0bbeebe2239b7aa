//! Selects the code for HDF5 files. The functions that other modules call also exist in builds without the feature `hdf5`.

use std::path::Path;

use b2nd_check::Finding;
#[cfg(feature = "hdf5")]
use b2nd_frame::Filter;
use b2nd_frame::FrameType;
use b2nd_ndarray::{Options, RepackOptions, repack_from};
#[cfg(feature = "hdf5")]
use b2nd_store::Source;
use b2nd_store::{Bytes, Frame, Location, Store, Target, foreign};
use b2nd_view::json::FramePlace;
use b2nd_view::text::{columns, printable, thousands};
use serde_json::Value as Json;
#[cfg(feature = "hdf5")]
use serde_json::json;

use crate::compression::Compression;
use crate::error::{Error, Result};
use crate::progress;

/// In builds that read HDF5, lets commands open an HDF5 file as a store whose leaves are datasets.
pub(crate) fn register() {
    #[cfg(feature = "hdf5")]
    b2nd_hdf5::open_as_stores();
}

/// Opens the dataset that an argument names. Returns `None` if the argument has no key and no ending of HDF5, or names a
/// file of another format.
pub(crate) fn dataset(word: &Path) -> Result<Option<Bytes>> {
    let location = Location::new(word.as_os_str());
    // Without a key, a file with another ending is not opened here: it may be a pipe, which can be read only once.
    if location.key().is_none() && !foreign::is_named_hdf5(Path::new(&*location.place())) {
        return Ok(None);
    }
    let Some(source) = file(&location)? else { return Ok(None) };
    match (Store::from_source(location.place(), source)?, location.key()) {
        (store, Some(key)) => Ok(Some(store.leaf(key)?)),
        (store, None) => match store.list()?.leaves.as_slice() {
            [one] => Ok(Some(one.open(&store)?)),
            leaves => Err(b2nd_store::no_key(&location.place(), leaves).into()),
        },
    }
}

/// Opens the HDF5 file at a location, and ignores the key. Returns `None` for other files.
fn file(location: &Location) -> b2nd_frame::Result<Option<Bytes>> {
    match location.open()? {
        Target::File(source) if foreign::is_hdf5(&source.read(0..foreign::FIRST_BYTES)?) => Ok(Some(source)),
        _ => Ok(None),
    }
}

/// In builds that read HDF5, fails if a file that a command would change or copy as a frame is an HDF5 file. Errors of opening it are left
/// to the command.
pub(crate) fn must_not_be_hdf5(path: &Path) -> Result<()> {
    match file(&Location::of(path)) {
        Ok(Some(_)) if cfg!(feature = "hdf5") => {
            Err(Error::new("an HDF5 file cannot be changed or copied: `b2nd import` copies one of its datasets"))
        }
        _ => Ok(()),
    }
}

/// Writes a dataset as an array. If `given` is empty, the first chunk that is not special decides: if Blosc2 compressed it in the layout of
/// the array, all chunks are copied; otherwise all are compressed, like the first chunk in the file if Blosc2 wrote it with a level
/// above 0, or else with `options`.
pub(crate) fn import(dataset: Bytes, out: &Path, given: &Compression, options: &Options) -> Result<()> {
    let frame = Frame::open(&*dataset)?;
    let header = frame.header();
    let mut chunks = (0..frame.offsets()?.len()).map(|number| frame.chunk_header(number));
    let first = chunks.find(|chunk| !matches!(chunk, Ok(chunk) if chunk.special().is_some())).transpose()?;
    let copies = first.is_none_or(|chunk| !chunk.is_stored());
    // If Blosc2 did not write the first chunk in the file, the level in the header is 0.
    let (codec, level, filters) = match (copies, header.level()) {
        (true, _) => (None, None, None),
        (false, 0) => (Some(options.codec), Some(options.level), Some(options.filters.clone())),
        (false, _) => (Some(header.codec()), None, None),
    };
    let bar = progress::bytes(u64::try_from(header.nbytes()).unwrap_or(0));
    let progress = |bytes| bar.inc(bytes);
    let new = RepackOptions {
        codec: given.codec.or(codec),
        level: given.level.or(level),
        filters: given.filters().or(filters),
        chunkshape: given.chunks.clone(),
        blockshape: given.blocks.clone(),
        frame_type: Some(FrameType::Contiguous),
        overwrite: options.overwrite,
        like: None,
        progress: Some(&progress),
    };
    repack_from(dataset.clone(), out, &new).map_err(Error::new)
}

/// Opens the dataset at a location. Returns `None` if the location is not in an HDF5 file.
#[cfg(feature = "hdf5")]
fn opened(place: &FramePlace) -> b2nd_frame::Result<Option<b2nd_hdf5::Dataset>> {
    let Some(key) = place.key else { return Ok(None) };
    let source = file(&Location::new(place.path.as_ref()))?;
    source.map(|source| b2nd_hdf5::File::open(source)?.dataset(key)).transpose()
}

/// Lists the chunks of a dataset as JSON objects: where they are in the file, their filters, the codec if Blosc or Blosc2 wrote them,
/// and the blockshape if Blosc2 did and it is known. Returns `None` if the location is not in an HDF5 file.
#[cfg(feature = "hdf5")]
pub(crate) fn chunks(place: &FramePlace) -> b2nd_frame::Result<Option<Vec<Json>>> {
    let Some(dataset) = opened(place)? else { return Ok(None) };
    let grid = dataset.geometry.grid()?;
    let object = |chunk: b2nd_hdf5::ChunkInfo| {
        let start: Vec<_> = grid.chunk_extent(chunk.number).unwrap_or_default().iter().map(|axis| axis.start).collect();
        let named = |codec: String, filters: &mut dyn Iterator<Item = (Filter, u8)>| {
            [codec].into_iter().chain(filters.map(|(filter, _)| filter.to_string())).collect::<Vec<_>>().join(", ")
        };
        let frame = chunk.frame.as_ref();
        let blockshape = frame.and_then(|frame| Some(frame.geometry().ok()??.blockshape().to_vec()));
        json!({
            "first": chunk.number, "last": chunk.number, "start": start, "offset": chunk.offset, "cbytes": chunk.size,
            "filters": chunk.filters, "blockshape": blockshape,
            "blosc2": frame.map(|frame| named(format!("{} {}", frame.codec(), frame.level()), &mut frame.filters())),
            "blosc": chunk.blosc.map(|header| named(header.codec().to_string(), &mut header.filters())),
        })
    };
    Ok(Some(dataset.chunks().map(object).collect()))
}

#[cfg(not(feature = "hdf5"))]
pub(crate) fn chunks(_: &FramePlace) -> b2nd_frame::Result<Option<Vec<Json>>> {
    Ok(None)
}

/// Formats a list of [`chunks`] as the lines of a table.
pub(crate) fn chunk_lines(chunks: &[Json]) -> Vec<String> {
    if chunks.is_empty() {
        return vec!["the file has no chunks of this dataset: its data is stored in one piece, or was not written".to_owned()];
    }
    let cell = |value: &Json| match value {
        Json::Number(number) => thousands(number),
        Json::String(text) => printable(text),
        Json::Null => String::new(),
        list => list.to_string().replace(',', ", "),
    };
    let row = |chunk: &Json| {
        let filters = chunk["filters"].as_array().into_iter().flatten().filter_map(Json::as_str).collect::<Vec<_>>().join(", ");
        let codec = if chunk["blosc2"].is_null() { &chunk["blosc"] } else { &chunk["blosc2"] };
        let cells =
            [&chunk["first"], &chunk["start"], &chunk["offset"], &chunk["cbytes"], &filters.into(), codec, &chunk["blockshape"]];
        cells.map(cell).to_vec()
    };
    let heading = ["chunk", "start", "offset", "compressed", "filters", "codec", "blockshape"].map(str::to_owned).to_vec();
    columns(&std::iter::once(heading).chain(chunks.iter().map(row)).collect::<Vec<_>>(), &[0, 2, 3])
}

/// Checks the frames in which HDF5's filter Blosc2 stored the chunks of a dataset. Other readers of HDF5 pass these frames to C-Blosc2.
/// Returns `None` if the location is not in an HDF5 file. Otherwise returns the findings in the frames, and those in `found`, which are
/// about the dataset as an array, without the ones that do not apply to HDF5.
#[cfg(feature = "hdf5")]
pub(crate) fn check(
    place: &FramePlace,
    count: u64,
    found: &[Finding],
    mut check: impl FnMut(&Frame) -> b2nd_frame::Result<Vec<Finding>>,
) -> b2nd_frame::Result<Option<Vec<Finding>>> {
    let Some(dataset) = opened(place)? else { return Ok(None) };
    // The length of a chunk in the file is that of the filters' output, not that of a chunk of the frame.
    let kept = |finding: &&Finding| finding.place != "header" || !finding.finding.starts_with("cbytes: ");
    let mut findings: Vec<_> = found.iter().filter(kept).cloned().collect();
    for number in 0..count {
        // Skip chunks without a frame. If a chunk cannot be read, or a filter after Blosc2 fails, the array's findings already say so.
        let Ok(Some(bytes)) = dataset.chunk_frame(number) else { continue };
        let refused = |error: b2nd_frame::Error| {
            let (place, finding) = ("header".to_owned(), error.to_string());
            vec![Finding { place, finding, document: Some(false), unreadable: true, ..Finding::default() }]
        };
        let all = Frame::open(&bytes as &dyn Source).and_then(|frame| check(&frame)).unwrap_or_else(refused);
        let named = |finding: Finding| Finding { place: format!("the frame in chunk {number}: {}", finding.place), ..finding };
        findings.extend(all.into_iter().map(named));
    }
    Ok(Some(findings))
}

#[cfg(not(feature = "hdf5"))]
pub(crate) fn check(
    _: &FramePlace,
    _: u64,
    _: &[Finding],
    _: impl FnMut(&Frame) -> b2nd_frame::Result<Vec<Finding>>,
) -> b2nd_frame::Result<Option<Vec<Finding>>> {
    Ok(None)
}
