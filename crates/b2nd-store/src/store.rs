//! [`Store`]: an open store of python-blosc2.

use std::path::Path;
use std::sync::Arc;

use b2nd_frame::{Error, Result};

use crate::file::{Directory, LocalFile};
use crate::folder::{Folder, LEAVES, LeftOut, TABLE, folder_of, is_frame, is_zip};
use crate::foreign;
use crate::frame::{Bytes, Frame};
use crate::kind::Kind;
use crate::leaf::find;
use crate::listing::{StoreListing, embedded, list};
use crate::location::{Location, Target, no_key};
use crate::zip::Zip;

/// An open store: a directory (`.b2d`), an archive (`.b2z`), a frame whose data is frames (`.b2e`), or an HDF5 file
/// ([`open_hdf5_with`](foreign::open_hdf5_with)). The list of the files in an archive, or of the embedded frames, is read only once.
///
/// ```
/// use b2nd_store::Store;
///
/// let store = Store::open("../b2nd-arrow/tests/data/tree.b2z")?;
/// assert_eq!(store.tables()?, ["/group/people", "/things"]);
/// assert_eq!(store.list()?.leaves.len(), 3);
/// assert!(store.leaf("/array").is_ok());
/// # Ok::<(), b2nd_frame::Error>(())
/// ```
pub struct Store {
    name: String,
    members: Members,
}

enum Members {
    Folder(Arc<dyn Folder + Send + Sync>),
    /// An HDF5 file.
    Hdf5(Arc<dyn Folder + Send + Sync>),
    Archive(Box<Zip>),
    /// A frame, and the leaves that are stored in it.
    Embedded(Bytes, StoreListing),
}

impl Store {
    /// Opens a store: a directory with any name, or a file. Whether a directory or an archive contains a store or frames is not checked
    /// before [`list`](Store::list) is called.
    ///
    /// # Errors
    ///
    /// Fails if the path does not exist, or if it is a file that cannot be opened. Also returns the errors of
    /// [`from_source`](Store::from_source) for a file.
    pub fn open(path: impl AsRef<Path>) -> Result<Store> {
        let path = path.as_ref();
        let name = path.display().to_string();
        match path.is_dir() {
            true => Ok(Store::from_folder(name, Arc::new(Directory(path.to_owned())))),
            false => Store::from_source(name, Arc::new(LocalFile::open(path)?)),
        }
    }

    /// Opens the store in a target, like [`open`](Store::open). `name` is the path or URL of the target.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`from_source`](Store::from_source) for a file.
    pub fn of(name: impl Into<String>, target: Target) -> Result<Store> {
        match target {
            Target::Directory(directory) => Ok(Store::from_folder(name, Arc::new(directory))),
            Target::File(source) => Store::from_source(name, source),
        }
    }

    /// Creates a store from a folder, which may be on another machine. `name` is the path or URL of the folder.
    pub fn from_folder(name: impl Into<String>, folder: Arc<dyn Folder + Send + Sync>) -> Store {
        Store { name: name.into(), members: Members::Folder(folder) }
    }

    /// Opens a directory, an archive or, if [`open_hdf5_with`](foreign::open_hdf5_with) was called, an HDF5 file. Returns `None` for other
    /// files. `name` is the path or URL of the target.
    ///
    /// # Errors
    ///
    /// Fails if the target is a file that cannot be read, for example a damaged archive.
    pub fn of_folder(name: &str, target: &Target) -> Result<Option<Store>> {
        match target {
            Target::File(source) if !foreign::is_folder(&**source)? => Ok(None),
            target => Store::of(name, target.clone()).map(Some),
        }
    }

    /// Opens an archive, an HDF5 file ([`open_hdf5_with`](foreign::open_hdf5_with)), or a frame that embeds frames. `name` is the path or
    /// URL of the source.
    ///
    /// # Errors
    ///
    /// Fails if the source cannot be read or is none of these. If the source has another known format, the error names the format.
    pub fn from_source(name: impl Into<String>, source: Bytes) -> Result<Store> {
        let first = source.read(0..foreign::FIRST_BYTES)?.into_owned();
        let members = if is_zip(&first) {
            Members::Archive(Box::new(Zip::open(source)?))
        } else if let Some(open) = foreign::opener(&first) {
            Members::Hdf5(open(source)?)
        } else if is_frame(&first) {
            let listing = embedded_in(&source)?;
            Members::Embedded(source, listing)
        } else {
            return Err(match foreign::describe_source(&source) {
                Some(what) => Error::custom(format_args!("it is {what}")),
                None => Error::custom("it is not a store: it is neither a zip archive, nor a frame, nor an HDF5 file"),
            });
        };
        Ok(Store { name: name.into(), members })
    }

    /// Returns the path or the URL that the store was opened with.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns true if the store is an archive.
    pub fn is_archive(&self) -> bool {
        matches!(self.members, Members::Archive(_))
    }

    /// Lists the leaves, groups and attributes of the store.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`list`].
    pub fn list(&self) -> Result<StoreListing> {
        match &self.members {
            Members::Embedded(_, listing) => Ok(listing.clone()),
            Members::Hdf5(_) => Ok(StoreListing { format: Some("HDF5 file"), ..list(self)? }),
            _ => list(self),
        }
    }

    /// Returns the sorted keys of the tables in the store. The key is `/` if the store itself is a table, and `/group/name` in a tree.
    ///
    /// # Errors
    ///
    /// Fails if the files cannot be listed.
    pub fn tables(&self) -> Result<Vec<String>> {
        let mut keys: Vec<_> = match &self.members {
            // In a frame that embeds frames, the metadata of a table is the leaf `/_meta`, without the ending of a file.
            Members::Embedded(_, listing) => {
                let folders = listing.leaves.iter().filter_map(|leaf| leaf.key.strip_suffix("_meta"));
                folders.filter(|folder| *folder == "/").map(str::to_owned).collect()
            }
            _ => self.files()?.iter().filter_map(|file| folder_of(file, TABLE)).map(|folder| format!("/{folder}")).collect(),
        };
        keys.sort_unstable();
        Ok(keys)
    }

    /// Opens the leaf with this key, or a file of a table by a key such as `/t/_cols/x`. An embedded or compressed leaf is decompressed
    /// into memory.
    ///
    /// # Errors
    ///
    /// Fails if there is no such leaf or file, or if the leaf is a table, is a reference to a server, or cannot be read.
    pub fn leaf(&self, key: &str) -> Result<Bytes> {
        let name = key.trim_start_matches('/');
        for end in LEAVES {
            if let Some(bytes) = self.member(&format!("{name}{end}"))? {
                return Ok(bytes);
            }
        }
        find(&self.list()?.leaves, self, key)?.open(self)
    }

    fn folder(&self) -> Option<&dyn Folder> {
        match &self.members {
            Members::Folder(folder) | Members::Hdf5(folder) => Some(&**folder),
            Members::Archive(zip) => Some(&**zip),
            Members::Embedded(..) => None,
        }
    }
}

impl Location {
    /// Opens one frame: the leaf with the location's key, or the file itself if the location has no key. Whether the file is a frame is not
    /// checked. An embedded or compressed leaf is decompressed into memory.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`open`](Location::open), [`Store::of`] and [`Store::leaf`]. Also fails if the location is a store's
    /// directory, an archive or an HDF5 file that is opened like a store, but has no key.
    pub fn frame(&self) -> Result<Bytes> {
        match (self.open()?, self.key()) {
            (target, Some(key)) => Store::of(self.place(), target)?.leaf(key),
            (Target::File(source), None) if !foreign::is_folder(&*source)? => Ok(source),
            // If the directory or the archive is not a store, the error of `list` is returned in place of `no_key`.
            (target, None) => {
                let listing = Store::of(self.place(), target)?.list()?;
                Err(no_key(&self.place(), &listing.leaves))
            }
        }
    }
}

impl Folder for Store {
    /// Opens a file of the store. A frame that embeds frames has no files: `file` is then the key of a leaf without the slash at its start.
    /// An ending such as `.b2nd` is ignored. An empty name means the frame itself.
    fn member(&self, file: &str) -> Result<Option<Bytes>> {
        match &self.members {
            Members::Embedded(source, _) if file.is_empty() => Ok(Some(source.clone())),
            Members::Embedded(_, listing) => {
                let key = format!("/{}", LEAVES.iter().find_map(|end| file.strip_suffix(end)).unwrap_or(file));
                let leaf = listing.leaves.iter().find(|leaf| leaf.key == key);
                leaf.map(|leaf| leaf.open(self)).transpose()
            }
            Members::Folder(folder) | Members::Hdf5(folder) => folder.member(file),
            Members::Archive(zip) => zip.member(file),
        }
    }

    fn contents(&self) -> Result<(Vec<String>, Vec<LeftOut>)> {
        self.folder().map_or_else(|| Ok(Default::default()), Folder::contents)
    }

    fn is_stored(&self, file: &str) -> bool {
        self.folder().is_none_or(|folder| folder.is_stored(file))
    }

    fn crc(&self, file: &str) -> Option<u32> {
        self.folder()?.crc(file)
    }

    fn offset(&self, file: &str) -> Result<u64> {
        self.folder().map_or(Ok(0), |folder| folder.offset(file))
    }
}

fn embedded_in(source: &Bytes) -> Result<StoreListing> {
    let frame = Frame::open(source)?;
    let kind = Kind::of(frame.header(), Some(frame.trailer()?));
    if !kind.is_store() {
        return Err(Error::custom(format_args!("it is not a store, but a single frame of the kind {}", kind.name())));
    }
    embedded(&frame)
}
