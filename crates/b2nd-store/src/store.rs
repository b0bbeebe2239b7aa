//! [`Store`]: an open store of python-blosc2, and the files in it.

use std::path::Path;
use std::sync::Arc;

use b2nd::{Error, Result};

use crate::embedded::embedded;
use crate::file::{Directory, LocalFile};
use crate::folder::{Folder, LEAVES, TABLE, folder_of, is_frame, is_zip};
use crate::foreign;
use crate::frame::Frame;
use crate::kind::Kind;
use crate::leaf::find;
use crate::listing::{StoreListing, list};
use crate::location::{Bytes, Location, Target, no_key};
use crate::zip::Zip;

/// An open store: a directory (`.b2d`), an archive (`.b2z`), or a frame whose data are frames (`.b2e`). What says where its leaves are, the
/// directory of an archive or the map of a frame, is read once.
///
/// ```
/// use b2nd_store::Store;
///
/// let store = Store::open("../b2nd-arrow/tests/data/tree.b2z")?;
/// assert_eq!(store.tables()?, ["/group/people", "/things"]);
/// assert_eq!(store.list()?.leaves.len(), 3);
/// assert!(store.leaf("/array").is_ok());
/// # Ok::<(), b2nd::Error>(())
/// ```
pub struct Store {
    name: String,
    members: Members,
}

enum Members {
    Folder(Arc<dyn Folder + Send + Sync>),
    Archive(Box<Zip>),
    /// A frame, and what is embedded in it.
    Embedded(Bytes, StoreListing),
}

impl Store {
    /// Opens a directory, whatever it is called, or a file.
    ///
    /// # Errors
    ///
    /// There is nothing, it cannot be read, or it is no store.
    pub fn open(path: impl AsRef<Path>) -> Result<Store> {
        let path = path.as_ref();
        let name = path.display().to_string();
        match path.is_dir() {
            true => Ok(Store::from_folder(name, Arc::new(Directory(path.to_owned())))),
            false => Store::from_source(name, Arc::new(LocalFile::open(path)?)),
        }
    }

    /// Opens the store at a location, whose key is left aside.
    ///
    /// # Errors
    ///
    /// Those of [`Location::open`], or it is no store.
    pub fn at(location: &Location) -> Result<Store> {
        Store::of(location.place(), location.open()?)
    }

    /// Takes what is at a location, which has this name.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is no store.
    pub fn of(name: impl Into<String>, target: Target) -> Result<Store> {
        match target {
            Target::Directory(directory) => Ok(Store::from_folder(name, Arc::new(directory))),
            Target::File(source) => Store::from_source(name, source),
        }
    }

    /// Takes the files of a store's directory, which has this name: of one that is not on this machine, for example.
    pub fn from_folder(name: impl Into<String>, folder: Arc<dyn Folder + Send + Sync>) -> Store {
        Store { name: name.into(), members: Members::Folder(folder) }
    }

    /// Takes a directory or an archive, which has this name. `None` if it is another file.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn of_folder(name: &str, target: &Target) -> Result<Option<Store>> {
        match target {
            Target::File(source) if !is_zip(&source.read(0..4)?) => Ok(None),
            target => Store::of(name, target.clone()).map(Some),
        }
    }

    /// Opens the archive or the frame of frames in a source, which has this name.
    ///
    /// # Errors
    ///
    /// The source cannot be read, or is no store: the error says what it is.
    pub fn from_source(name: impl Into<String>, source: Bytes) -> Result<Store> {
        let first = source.read(0..10)?.into_owned();
        let members = if is_zip(&first) {
            Members::Archive(Box::new(Zip::open(source)?))
        } else if is_frame(&first) {
            let listing = embedded_in(&source)?;
            Members::Embedded(source, listing)
        } else {
            return Err(match foreign::describe_source(&source) {
                Some(what) => Error::custom(format_args!("it is {what}")),
                None => Error::custom("it is neither an archive nor a frame, so it is no store"),
            });
        };
        Ok(Store { name: name.into(), members })
    }

    /// The name of the place where it was opened.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// True if it is an archive.
    pub fn is_archive(&self) -> bool {
        matches!(self.members, Members::Archive(_))
    }

    /// Lists what is in it.
    ///
    /// # Errors
    ///
    /// Those of [`list`].
    pub fn list(&self) -> Result<StoreListing> {
        match &self.members {
            Members::Embedded(_, listing) => Ok(listing.clone()),
            _ => list(self),
        }
    }

    /// The keys of its tables, in order: `/` if it is one itself, `/group/name` in a tree.
    ///
    /// # Errors
    ///
    /// The files cannot be listed.
    pub fn tables(&self) -> Result<Vec<String>> {
        let mut keys: Vec<_> = match &self.members {
            // The leaf with a table's metadata, whose name has no ending here.
            Members::Embedded(_, listing) => {
                let folders = listing.leaves.iter().filter_map(|leaf| leaf.key.strip_suffix("_meta"));
                folders.filter(|folder| *folder == "/").map(str::to_owned).collect()
            }
            _ => self.files()?.iter().filter_map(|file| folder_of(file, TABLE)).map(|folder| format!("/{folder}")).collect(),
        };
        keys.sort_unstable();
        Ok(keys)
    }

    /// The bytes of the leaf with this key. What is embedded or compressed is decompressed into memory.
    ///
    /// # Errors
    ///
    /// There is no such leaf, it is a table or at a server, or something cannot be read.
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
            Members::Folder(folder) => Some(&**folder),
            Members::Archive(zip) => Some(&**zip),
            Members::Embedded(..) => None,
        }
    }
}

impl Location {
    /// The bytes of one frame: of the leaf that is named, or of the file itself. What is embedded or compressed is decompressed
    /// into memory.
    ///
    /// # Errors
    ///
    /// It is a store, and no leaf is named; and those of [`open`](Location::open) and [`Store::leaf`].
    pub fn frame(&self) -> Result<Bytes> {
        match (self.open()?, self.key()) {
            (target, Some(key)) => Store::of(self.place(), target)?.leaf(key),
            (Target::File(source), None) if !is_zip(&source.read(0..4)?) => Ok(source),
            // A store, or something that is none.
            (target, None) => {
                Store::of(self.place(), target)?.list()?;
                Err(no_key(&self.place()))
            }
        }
    }
}

impl Folder for Store {
    fn files(&self) -> Result<Vec<String>> {
        self.folder().map_or(Ok(Vec::new()), Folder::files)
    }

    /// The bytes of one of its files. Those of a frame are its leaves, whose keys are their names without an ending, and itself, without a
    /// name.
    fn member(&self, file: &str) -> Result<Option<Bytes>> {
        match &self.members {
            Members::Embedded(source, _) if file.is_empty() => Ok(Some(source.clone())),
            Members::Embedded(_, listing) => {
                let key = format!("/{}", LEAVES.iter().find_map(|end| file.strip_suffix(end)).unwrap_or(file));
                let leaf = listing.leaves.iter().find(|leaf| leaf.key == key);
                leaf.map(|leaf| leaf.open(self)).transpose()
            }
            Members::Folder(folder) => folder.member(file),
            Members::Archive(zip) => zip.member(file),
        }
    }

    fn duplicates(&self) -> Vec<String> {
        self.folder().map_or(Vec::new(), Folder::duplicates)
    }

    fn offset(&self, file: &str) -> Result<u64> {
        self.folder().map_or(Ok(0), |folder| folder.offset(file))
    }
}

fn embedded_in(source: &Bytes) -> Result<StoreListing> {
    let frame = Frame::open(source)?;
    let kind = Kind::of(frame.header(), None);
    if !matches!(kind, Kind::EmbedStore | Kind::DictStore | Kind::TreeStore) {
        return Err(Error::custom(format_args!("it is no store, but one frame: {}", kind.name())));
    }
    embedded(&frame)
}
