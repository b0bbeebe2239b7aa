//! Selects the code for Zarr arrays. This is the only file that depends on whether the feature `zarr` is enabled.

use std::path::Path;

use b2nd_ndarray::{Array, Options};

use crate::error::{Error, Result};

/// Returns true if a path names a Zarr array: the path ends in `.zarr`, or is a directory that contains the metadata of a Zarr array.
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
