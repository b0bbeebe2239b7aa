//! [`File`]: an open HDF5 file.

use std::sync::Arc;

use b2nd_frame::{Result, Source, Window};
use b2nd_store::Bytes;
use hdf5_reader::error::Error as Fault;
use hdf5_reader::group::Group;
use hdf5_reader::io::Cursor;
use hdf5_reader::{BlockCacheStorage, DEFAULT_MAX_CHUNK_BYTES, FilterRegistry, Hdf5File, RangeRequestStorage};

use crate::attributes::{self, Attribute};
use crate::dims::Scales;
use crate::error::fault;
use crate::filters::register_with_limit;

/// An open HDF5 file. It is also a [`Folder`](b2nd_store::Folder), so that [`Store::from_folder`](b2nd_store::Store::from_folder) opens it
/// like a store of python-blosc2: each dataset is a leaf.
///
/// Links to other files are not followed, and a group that several links point to is listed once.
#[derive(Clone)]
pub struct File {
    pub(crate) hdf5: Hdf5File,
    pub(crate) source: Bytes,
    /// The position of address 0 of the file, which follows the user block.
    pub(crate) base: u64,
    pub(crate) registry: Arc<FilterRegistry>,
    pub(crate) limit: usize,
    pub(crate) is_pytables: bool,
    /// The names of the dimension scales that were searched for.
    pub(crate) scales: Arc<Scales>,
}

impl File {
    /// Opens a file. [`dataset`](File::dataset) and [`array`](File::array) then reject datasets with chunks of more than 256 MiB each,
    /// decompressed.
    ///
    /// # Errors
    ///
    /// Fails if the source cannot be read or is not a valid HDF5 file.
    pub fn open(source: Bytes) -> Result<File> {
        File::with_limit(source, DEFAULT_MAX_CHUNK_BYTES)
    }

    /// Opens a file like [`open`](File::open), with another limit on the number of bytes of a decompressed chunk.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`open`](File::open).
    pub fn with_limit(source: Bytes, limit: usize) -> Result<File> {
        let length = source.len()?;
        let bytes = source.clone();
        let read = move |start: u64, length: usize| {
            let mut bytes = vec![0; length];
            source.read_into(start, &mut bytes).map_err(|error| Fault::Io(std::io::Error::other(error)))?;
            Ok(bytes)
        };
        let mut registry = FilterRegistry::new();
        register_with_limit(&mut registry, limit);
        let storage = BlockCacheStorage::new(Arc::new(RangeRequestStorage::new(length, read)), 1 << 9, 1 << 13);
        let hdf5 = Hdf5File::from_storage(Arc::new(storage)).map_err(fault)?;
        let root = hdf5.root_group().map_err(fault)?;
        let is_pytables = root.attribute("PYTABLES_FORMAT_VERSION").is_ok();
        let base = hdf5.superblock().base_address;
        Ok(File { hdf5, source: bytes, base, registry: Arc::new(registry), limit, is_pytables, scales: Arc::default() })
    }

    /// Returns the part of the file that starts at an HDF5 address, which is relative to `base`.
    pub(crate) fn window(&self, address: u64, size: u64) -> Window<Bytes> {
        let start = self.base.saturating_add(address);
        Window::new(self.source.clone(), start..start.saturating_add(size))
    }

    /// Returns the address, or `None` if it is HDF5's undefined address, which means that nothing was written.
    pub(crate) fn defined(&self, address: u64) -> Option<u64> {
        (!Cursor::is_undefined_offset(address, self.hdf5.superblock().offset_size)).then_some(address)
    }

    /// Returns the attributes of a group. The path of the root is `/`.
    ///
    /// # Errors
    ///
    /// Fails if there is no such group or its attributes cannot be read.
    pub fn group_attributes(&self, path: &str) -> Result<Vec<Attribute>> {
        let group = if path.trim_matches('/').is_empty() { self.hdf5.root_group() } else { self.hdf5.group(path) };
        attributes_of(&group.map_err(fault)?)
    }
}

pub(crate) fn attributes_of(group: &Group) -> Result<Vec<Attribute>> {
    Ok(attributes::values(&group.attributes().map_err(fault)?, &group.raw_attributes().map_err(fault)?))
}
