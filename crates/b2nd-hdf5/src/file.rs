//! [`File`]: an open HDF5 file.

use std::collections::HashSet;
use std::sync::Arc;

use b2nd_frame::{Error, Header, Result, Sizes, Source, Window, Writer};
use b2nd_ndarray::Array;
use b2nd_store::{Bytes, Folder};
use hdf5_reader::error::Error as Fault;
use hdf5_reader::group::Group;
use hdf5_reader::{BlockCacheStorage, DEFAULT_MAX_CHUNK_BYTES, FilterRegistry, Hdf5File, RangeRequestStorage};

use crate::attributes;
use crate::dataset::Dataset;
use crate::dims::Scales;
use crate::filters::register_with_limit;
use crate::frame::{DatasetFrame, set_attributes};

/// The ending that a dataset has as a member of a [`Folder`].
const LEAF: &str = ".b2nd";

/// The name that the attributes of a group have as a member of a [`Folder`].
const ATTRIBUTES: &str = "__vlmeta__.b2f";

/// An open HDF5 file. It is also a [`Folder`], so that [`Store::from_folder`](b2nd_store::Store::from_folder) opens it like a store of
/// python-blosc2: each dataset is a leaf.
///
/// Links to other files are not followed, and a group that several links lead to is listed once.
#[derive(Clone)]
pub struct File {
    pub(crate) hdf5: Hdf5File,
    pub(crate) source: Bytes,
    /// The address 0 of the file, which follows bytes of the user.
    pub(crate) base: u64,
    pub(crate) registry: Arc<FilterRegistry>,
    pub(crate) limit: usize,
    pub(crate) is_pytables: bool,
    pub(crate) scales: Arc<Scales>,
}

/// Makes [`Store`](b2nd_store::Store) and [`Location`](b2nd_store::Location) open the HDF5 files of this process like stores.
pub fn open_as_stores() {
    b2nd_store::foreign::open_hdf5_with(|source| Ok(Arc::new(File::open(source)?)));
}

/// An attribute: its name and its value. There is no value if it contains references or sequences of variable length.
pub type Attribute = (String, Option<rmpv::Value>);

impl File {
    /// Opens a file of which a chunk decompresses to at most 256 MiB.
    ///
    /// # Errors
    ///
    /// Fails if the source cannot be read or is not an HDF5 file.
    pub fn open(source: Bytes) -> Result<File> {
        File::with_limit(source, DEFAULT_MAX_CHUNK_BYTES)
    }

    /// Opens a file of which a chunk decompresses to at most `limit` bytes.
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

    /// Returns the paths of the datasets, such as `/group/name`.
    ///
    /// # Errors
    ///
    /// Fails if a group cannot be read.
    pub fn datasets(&self) -> Result<Vec<String>> {
        let files = self.files()?;
        Ok(files.iter().filter_map(|file| file.strip_suffix(LEAF)).map(|path| format!("/{path}")).collect())
    }

    /// Opens a dataset.
    ///
    /// # Errors
    ///
    /// Fails if there is no such dataset, or it has no form as an array: its elements have no dtype of a fixed size, or its data are in
    /// other files.
    pub fn dataset(&self, path: &str) -> Result<Dataset> {
        Dataset::open(self, path)
    }

    /// Returns a part of the file, at the addresses that the file uses.
    pub(crate) fn window(&self, address: u64, size: u64) -> Window<Bytes> {
        let start = self.base.saturating_add(address);
        Window::new(self.source.clone(), start..start.saturating_add(size))
    }

    /// Opens a dataset as an array.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`dataset`](File::dataset).
    pub fn array(&self, path: &str) -> Result<Array, b2nd_ndarray::Error> {
        Array::from_source(DatasetFrame::open(self.dataset(path)?)?, 0)
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

impl Folder for File {
    fn files(&self) -> Result<Vec<String>> {
        let mut files = Vec::new();
        let root = self.hdf5.root_group().map_err(fault)?;
        // Hard links can make a cycle, and any number of paths to one group.
        let mut seen = HashSet::from([root.address()]);
        let mut todo = vec![(String::new(), root)];
        while let Some((path, group)) = todo.pop() {
            let (groups, datasets) = group.member_names().map_err(fault)?;
            for name in groups {
                let inner = group.group(&name).map_err(fault)?;
                if seen.insert(inner.address()) {
                    todo.push((format!("{path}{name}/"), inner));
                }
            }
            if !attributes_of(&group)?.is_empty() {
                files.push(format!("{path}{ATTRIBUTES}"));
            }
            files.extend(datasets.into_iter().map(|name| format!("{path}{name}{LEAF}")));
        }
        Ok(files)
    }

    fn member(&self, file: &str) -> Result<Option<Bytes>> {
        if let Some(group) = file.strip_suffix(ATTRIBUTES) {
            let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 1, blocksize: 1 })?);
            set_attributes(&mut writer, &self.group_attributes(group)?, self.is_pytables, Vec::new())?;
            return Ok(Some(Arc::new(writer.finish()?)));
        }
        let Some(path) = file.strip_suffix(LEAF) else { return Ok(None) };
        match self.hdf5.dataset(path) {
            Err(error) if is_absent(&error) => Ok(None),
            _ => Ok(Some(DatasetFrame::open(self.dataset(path)?)?)),
        }
    }
}

fn attributes_of(group: &Group) -> Result<Vec<Attribute>> {
    let all = group.attributes().map_err(fault)?;
    Ok(all.iter().map(|it| (it.name.clone(), attributes::value(it))).collect())
}

fn is_absent(error: &Fault) -> bool {
    match error {
        Fault::Context { source, .. } => is_absent(source),
        error => matches!(error, Fault::DatasetNotFound(_) | Fault::GroupNotFound(_)),
    }
}

/// Converts an error of hdf5-reader.
pub(crate) fn fault(error: Fault) -> Error {
    match error {
        Fault::Io(error) => error.into(),
        Fault::Context { path, source } => Error::custom(format_args!("{path}: {}", fault(*source))),
        Fault::UnsupportedLayoutClass(3) => Error::custom("virtual datasets are not read"),
        error => Error::custom(format_args!("{error}")),
    }
}
