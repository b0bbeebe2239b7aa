//! Recognizes files of other formats, so that an error can name the format, and holds the function with which a program opens HDF5 files.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use b2nd_frame::{Result, Source};

use crate::folder::{Folder, is_frame, is_zip};
use crate::frame::Bytes;

/// Describes the format of a file that starts with these bytes, usually with a way to read it. Returns `None` for frames and unknown
/// formats.
///
/// ```
/// let what = b2nd_store::foreign::describe(b"\x89HDF\r\n\x1a\n").unwrap();
/// assert!(what.starts_with("an HDF5 file, which this build cannot read: "));
/// assert_eq!(b2nd_store::foreign::describe(b"\x9e\xa8b2frame\0"), None);
/// ```
pub fn describe(first: &[u8]) -> Option<&'static str> {
    let starts = |magic: &[u8]| first.starts_with(magic);
    let text =
        std::str::from_utf8(first).map_or_else(|error| first.get(..error.valid_up_to()).unwrap_or_default(), str::as_bytes);
    let is_text = first.len() >= SENTENCE && first.len() - text.len() < 4 && !first.iter().any(|&byte| byte < 9 || byte == 0x7f);
    let word = text.trim_ascii_start().to_ascii_lowercase();
    Some(match first {
        b"" => "an empty file",
        _ if opener(first).is_some() => "an HDF5 file",
        _ if is_hdf5(first) => {
            "an HDF5 file, which this build cannot read: install a `b2nd` that can, with `cargo install --path crates/b2nd-cli --features full`"
        }
        _ if starts(b"\x93NUMPY") => "a NumPy file: `b2nd import FILE.npy OUT.b2nd` converts it",
        _ if starts(b"PAR1") => "a Parquet file: pyarrow, polars and DuckDB can read it",
        _ if starts(b"ARROW1") => "an Arrow file: pyarrow and polars can read it",
        _ if starts(b"PK\x03\x04") || starts(b"PK\x05\x06") => {
            "a zip archive: if it is a .npz file, unpack it and convert its .npy files with `b2nd import`"
        }
        _ if starts(b"\x1f\x8b") => "a gzip file: unpack it first, with gunzip or tar",
        _ if starts(b"\x28\xb5\x2f\xfd") => "a zstd file: unpack it first, with unzstd or tar",
        _ if starts(b"BZh") => "a bzip2 file: unpack it first, with bunzip2 or tar",
        _ if starts(b"\xfd7zXZ\0") => "an xz file: unpack it first, with unxz or tar",
        _ if starts(b"CDF\x01") || starts(b"CDF\x02") || starts(b"CDF\x05") => "a netCDF file: xarray and netCDF4 can read it",
        _ if starts(b"II*\0") || starts(b"MM\0*") => "a TIFF image",
        _ if starts(b"\x89PNG") => "a PNG image",
        _ if starts(b"%PDF") => "a PDF document",
        _ if word.starts_with(b"<!doctype html") || word.starts_with(b"<html") => {
            "an HTML page: if it comes from a URL, use the URL of the file itself"
        }
        _ if starts(b"version https://git-lfs") => "a Git LFS pointer: `git lfs pull` fetches the file",
        _ if word.starts_with(b"{") && text.windows(13).any(|window| window == b"\"zarr_format\"") => ZARR,
        _ if is_text => "a text file",
        _ => return None,
    })
}

/// A function that opens a file of another format as a folder of frames.
pub type Opener = fn(Bytes) -> Result<Arc<dyn Folder + Send + Sync>>;

static HDF5_OPENER: OnceLock<Opener> = OnceLock::new();

/// The signature of HDF5 files, at their start or after a user block.
pub(crate) const HDF5: &[u8] = b"\x89HDF\r\n\x1a\n";

/// Returns true if `first`, the first [`FIRST_BYTES`] of a file, are those of an HDF5 file. A user block must have 512 bytes and start with
/// `MATLAB`, as in the files of MATLAB 7.3, or with a zero byte, so that a file that starts like a Blosc2 frame is read as a frame.
pub fn is_hdf5(first: &[u8]) -> bool {
    let has_block = first.starts_with(b"MATLAB") || first.starts_with(b"\0");
    first.starts_with(HDF5) || has_block && first.get(512..).is_some_and(|rest| rest.starts_with(HDF5))
}

/// Returns true if a path or URL has one of the endings of HDF5 files, in lower or upper case. Files of other formats can have the endings
/// `.hdf` (HDF4) and `.nc` (netCDF before version 4).
///
/// ```
/// use b2nd_store::foreign::is_named_hdf5;
///
/// assert!(is_named_hdf5("https://example.org/field.NC4".as_ref()));
/// assert!(!is_named_hdf5("field.b2nd".as_ref()));
/// ```
pub fn is_named_hdf5(name: &Path) -> bool {
    has_ending(name, &["h5", "hdf5", "hdf", "he5", "nc", "nc4"])
}

/// Returns true if a name has one of these endings, in lower or upper case.
pub(crate) fn has_ending(name: &Path, endings: &[&str]) -> bool {
    name.extension().is_some_and(|ending| endings.iter().any(|one| ending.eq_ignore_ascii_case(one)))
}

/// Sets the function that opens HDF5 files in this process. Then [`Store`](crate::Store) and
/// [`Location::frame`](crate::Location::frame) open an HDF5 file like a store. Later calls have no effect.
///
/// This crate has no such function itself, because the crate that reads HDF5 depends on this one.
pub fn open_hdf5_with(opener: Opener) {
    HDF5_OPENER.get_or_init(|| opener);
}

/// Returns the function that opens a file that starts with these bytes.
pub(crate) fn opener(first: &[u8]) -> Option<Opener> {
    HDF5_OPENER.get().copied().filter(|_| is_hdf5(first))
}

/// Returns true if a file is opened as a folder.
pub(crate) fn is_folder(source: &dyn Source) -> Result<bool> {
    let first = source.read(0..FIRST_BYTES)?;
    Ok(is_zip(&first) || opener(&first).is_some())
}

/// Reads the first bytes of a source, and describes its format like [`describe`]. Also returns `None` if the source cannot be read.
pub fn describe_source(source: &dyn Source) -> Option<&'static str> {
    let first = source.read(0..FIRST_BYTES).ok()?;
    if is_frame(&first) { None } else { describe(&first) }
}

/// The number of bytes at the start of a file that are read to recognize its format.
pub const FIRST_BYTES: u64 = 520;

/// The minimum number of bytes of a file that is recognized as text.
const SENTENCE: usize = 16;

const ZARR: &str = "a Zarr store, or a part of one: `b2nd ls` and `b2nd import` read its directory";

/// Describes the format of a directory that is neither a sparse frame nor a store. Returns `None` for unknown formats.
pub fn describe_directory(path: &Path) -> Option<&'static str> {
    [".zarray", ".zgroup", "zarr.json"].iter().any(|name| path.join(name).is_file()).then_some(ZARR)
}
