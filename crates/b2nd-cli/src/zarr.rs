//! Selects the code for Zarr arrays. The functions that depend on the feature `zarr` have a second version for builds without it.

use std::path::Path;

use b2nd_ndarray::{Array, Options};

use crate::error::{Error, Result};

/// Returns true if a path names a Zarr array or group: it ends in `.zarr`, or is a directory that contains the metadata of one.
pub(crate) fn is_zarr(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "zarr")
        || ["zarr.json", ".zarray", ".zgroup"].iter().any(|name| path.join(name).is_file())
}

#[cfg(feature = "zarr")]
pub(crate) fn export(array: &Array, out: &Path, group: Option<String>) -> Result<()> {
    b2nd_zarr::export(array, out, &b2nd_zarr::ExportOptions { group, ..Default::default() }).map_err(Error::new)
}

#[cfg(feature = "zarr")]
pub(crate) fn import(file: &Path, out: &Path, options: &Options) -> Result<()> {
    b2nd_zarr::import(file, out, options).map_err(Error::new)
}

/// Returns a row of strings for each array in a Zarr directory: path, kind, dtype and shape.
#[cfg(feature = "zarr")]
pub(crate) fn rows(directory: &Path) -> Result<Vec<Vec<String>>> {
    let row = |array: b2nd_zarr::ArrayEntry| {
        let shape = array.shape.iter().map(u64::to_string).collect::<Vec<_>>().join(" x ");
        vec![array.path.display().to_string(), "Zarr array".to_owned(), array.dtype, shape]
    };
    Ok(b2nd_zarr::arrays(directory).map_err(Error::new)?.into_iter().map(row).collect())
}

/// Returns a sentence that names the command that converts an array in a Zarr directory, or says that it has none. `first` is the row of
/// the first array.
pub(crate) fn hint(first: Option<&Vec<String>>) -> String {
    let name = first.and_then(|row| row.first());
    name.map_or_else(
        || "it has no Zarr arrays".to_owned(),
        |name| format!("it is a Zarr directory: convert an array with `b2nd import`, as in `b2nd import {name} OUT.b2nd`"),
    )
}

#[cfg(not(feature = "zarr"))]
pub(crate) fn rows(directory: &Path) -> Result<Vec<Vec<String>>> {
    Err(without(directory))
}

#[cfg(not(feature = "zarr"))]
pub(crate) fn export(_: &Array, out: &Path, _: Option<String>) -> Result<()> {
    Err(without(out))
}

#[cfg(not(feature = "zarr"))]
pub(crate) fn import(file: &Path, _: &Path, _: &Options) -> Result<()> {
    Err(without(file))
}

#[cfg(not(feature = "zarr"))]
fn without(path: &Path) -> Error {
    Error::new(format_args!("{}: this build of b2nd cannot read or write Zarr: {}", path.display(), crate::error::INSTALL))
}
