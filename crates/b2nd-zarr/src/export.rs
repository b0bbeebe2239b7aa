//! [`export()`]: writes an array as Zarr.

use std::path::{Component, Path};
use std::sync::Arc;

use b2nd::dtype::{ByteOrder, DType};
use b2nd_frame::NewDirectory;
use b2nd_ndarray::Array;
use serde_json::json;
use zarrs::array::{ArrayBytes, ArraySubset};

use crate::data_type::{ZarrType, to_zarr};
use crate::error::{Error, Result};
use crate::files::Files;
use crate::new_metadata;

/// Options for [`export()`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportOptions {
    /// The compression level of Zstandard, from 1 to 22. The default is 3.
    pub level: i32,
    /// Whether each chunk becomes a shard whose inner chunks are the blocks. Used only if the blocks divide the chunk, are smaller than the
    /// chunk, and do not contain structures. The default is true.
    pub sharding: bool,
    /// The name of the array in a Zarr group. xarray opens groups, not arrays. By default, the directory is the array itself.
    pub group: Option<String>,
}

impl Default for ExportOptions {
    fn default() -> Self {
        ExportOptions { level: 3, sharding: true, group: None }
    }
}

/// Writes an array and its attributes to a new directory in Zarr version 3, compressed with Zstandard.
///
/// The attribute `dims`, or without it `_ARRAY_DIMENSIONS`, becomes the names of the dimensions if it is a list with a string for each
/// dimension. In a group, dimensions without names
/// are called `dim_0`, `dim_1`, and so on, because xarray needs names.
///
/// The directory is renamed to `path` when it is complete (see [`NewDirectory`]). Chunks are converted one at a time.
///
/// # Errors
///
/// Fails if Zarr has no data type for the elements, an option is not valid, the path already exists, the array cannot be read, or the
/// directory cannot be written.
///
/// ```
/// use b2nd_ndarray::{Array, Options};
/// use b2nd_zarr::{export, import};
///
/// # let directory = tempfile::tempdir()?;
/// # let directory = directory.path();
/// let values = ndarray::array![[1.5_f32, 2.5, 3.5], [4.5, 5.5, 6.5]];
/// b2nd_ndarray::write(directory.join("values.b2nd"), &values, &Options::default())?;
///
/// export(&Array::open(directory.join("values.b2nd"))?, directory.join("values.zarr"), &Default::default())?;
/// import(directory.join("values.zarr"), directory.join("copy.b2nd"), &Options::default())?;
///
/// let copy = Array::open(directory.join("copy.b2nd"))?;
/// assert_eq!(copy.read::<f32>(&copy.whole())?, values.into_dyn());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn export(array: &Array, path: impl AsRef<Path>, options: &ExportOptions) -> Result<()> {
    let path = path.as_ref();
    let new = NewDirectory::create_new(path)?;
    let Some(name) = &options.group else {
        write(array, new.path(), options)?;
        return Ok(new.finish()?);
    };
    let inner = new.path().join(name);
    if inner.parent() != Some(new.path()) || !matches!(inner.components().next_back(), Some(Component::Normal(_))) {
        return Err(Error::Zarr(format!("{name:?} cannot be the name of an array in a group: it is empty or a path")));
    }
    let file = |error| Error::Zarr(format!("{}: {error}", path.display()));
    std::fs::create_dir(&inner).map_err(file)?;
    std::fs::write(new.path().join(new_metadata::FILE), r#"{"zarr_format": 3, "node_type": "group", "attributes": {}}"#)
        .map_err(file)?;
    write(array, &inner, options)?;
    Ok(new.finish()?)
}

fn write(array: &Array, path: &Path, options: &ExportOptions) -> Result<()> {
    let geometry = array.geometry();
    let dtype = array.dtype().ok_or_else(|| Error::NoDataType { dtype: "elements of a missing or unknown dtype".to_owned() })?;
    let zarr = to_zarr(dtype)?;
    let plain = vec![
        new_metadata::bytes(&zarr, zarr.order.map(|_| ByteOrder::Little)),
        json!({"name": "zstd", "configuration": {"level": options.level, "checksum": false}}),
    ];
    let (chunkshape, blockshape) = (new_metadata::chunkshape(geometry), geometry.blockshape());
    let pairs = || chunkshape.iter().zip(blockshape).map(|(&chunk, &block)| (chunk, u64::from(block.unsigned_abs().max(1))));
    // zarr-python 3.1 cannot read shards of structures.
    let is_structured = matches!(dtype, DType::Struct(_));
    let is_sharded = options.sharding
        && !is_structured
        && pairs().all(|(chunk, block)| chunk % block == 0)
        && pairs().any(|(chunk, block)| chunk != block);
    let codecs = if is_sharded {
        let inner: Vec<_> = pairs().map(|(_, block)| block).collect();
        vec![json!({"name": "sharding_indexed", "configuration": {
            "chunk_shape": inner,
            "codecs": plain,
            "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
            "index_location": "end",
        }})]
    } else {
        plain
    };
    let mut attributes = new_metadata::attributes(array)?;
    let invented = || options.group.as_ref().map(|_| (0..geometry.ndim()).map(|dimension| format!("dim_{dimension}")).collect());
    let names = new_metadata::take_names(&mut attributes, geometry.ndim()).or_else(invented);
    let metadata = new_metadata::array(geometry.shape(), &chunkshape, &zarr, codecs, attributes, names);
    // This function writes the metadata itself: zarrs would write codecs without a configuration as bare names, which zarr-python rejects.
    let text = serde_json::to_vec_pretty(&metadata).map_err(Error::zarr)?;
    std::fs::write(path.join(new_metadata::FILE), text).map_err(|error| Error::Zarr(format!("{}: {error}", path.display())))?;
    let store = Files::open(path)?;
    let stored = zarrs::array::Array::open(Arc::new(store), "/").map_err(Error::zarr)?;
    for number in 0..array.grid().nchunks() {
        let Some(slice) = array.grid().chunk_extent(number) else { continue };
        let mut bytes = array.read_bytes(&slice)?;
        swap(&mut bytes, &zarr, zarr.order.unwrap_or(ByteOrder::NATIVE));
        let subset = slice.iter().map(|range| range.start.unsigned_abs()..range.end.unsigned_abs()).collect::<Vec<_>>();
        stored.store_array_subset(&ArraySubset::new_with_ranges(&subset), ArrayBytes::new_flen(bytes)).map_err(Error::zarr)?;
    }
    Ok(())
}

/// Converts elements between the machine's byte order and the stored byte order.
fn swap(bytes: &mut [u8], zarr: &ZarrType, stored: ByteOrder) {
    if zarr.word > 1 && stored != ByteOrder::NATIVE {
        bytes.chunks_exact_mut(zarr.word).for_each(<[u8]>::reverse);
    }
}
