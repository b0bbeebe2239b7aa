//! [`Store`]: the files of a store by name, whether they are in a directory, an archive or one frame.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use b2nd::frame::{Source, Window};
use b2nd_store::{Folder, Frame, Leaf, Zip, embedded, is_frame, is_zip};

use crate::error::{Error, ErrorKind, Result};

/// The file that makes a folder a table.
pub(crate) const TABLE: &str = "_meta.b2f";

/// Bytes that several threads read.
pub(crate) type Shared = Arc<dyn Source + Send + Sync>;

/// The deepest nesting of a store's directories.
const MAX_DEPTH: usize = 64;

/// A store of python-blosc2 that may hold tables: a `.b2z`, a `.b2d`, or a `.b2e` that `to_cframe()` made.
///
/// ```
/// let store = b2nd_arrow::Store::open("tests/data/tree.b2z")?;
/// assert_eq!(store.tables()?, ["/group/people", "/things"]);
/// # Ok::<(), b2nd_arrow::Error>(())
/// ```
pub struct Store {
    name: String,
    members: Members,
}

enum Members {
    Directory(PathBuf),
    Archive(Shared, BTreeSet<String>),
    Embedded(Shared, BTreeMap<String, Leaf>),
}

impl Store {
    /// Opens a store: a directory or a file.
    ///
    /// # Errors
    ///
    /// There is nothing, it cannot be read, or it is no store.
    pub fn open(path: impl AsRef<Path>) -> Result<Store> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let metadata = fs::metadata(path).map_err(|error| Error::from(error).in_table(&name))?;
        if metadata.is_dir() {
            return Ok(Store { name, members: Members::Directory(path.to_owned()) });
        }
        // Opening a pipe would wait for somebody to write.
        if !metadata.is_file() {
            return Err(Error::new(ErrorKind::Io, "it is neither a regular file nor a directory").in_table(&name));
        }
        let file = fs::File::open(path).map_err(|error| Error::from(error).in_table(&name))?;
        Store::from_source(&name, Arc::new(file))
    }

    /// Opens the store in a source: an archive, or a frame of frames. Errors begin with the name.
    ///
    /// # Errors
    ///
    /// The source cannot be read, or is no store.
    pub fn from_source(name: &str, source: Shared) -> Result<Store> {
        let members = Members::of(source).map_err(|error| error.in_table(name))?;
        Ok(Store { name: name.to_owned(), members })
    }

    /// The name that errors begin with.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The keys of the tables in the store, in order: `/` where it is one itself, `/group/name` in a tree.
    ///
    /// # Errors
    ///
    /// The files cannot be listed.
    pub fn tables(&self) -> Result<Vec<String>> {
        let files = self.files().map_err(|error| error.in_table(&self.name))?;
        let folders = files.iter().filter_map(|file| file.strip_suffix(TABLE));
        let folders = folders.filter(|folder| folder.is_empty() || folder.ends_with('/'));
        let mut keys: Vec<_> = folders.map(|folder| format!("/{}", folder.trim_end_matches('/'))).collect();
        keys.sort_unstable();
        Ok(keys)
    }

    /// All files, by their paths.
    fn files(&self) -> Result<Vec<String>> {
        match &self.members {
            Members::Directory(path) => {
                let mut files = Vec::new();
                walk(path, "", MAX_DEPTH, &mut files)?;
                Ok(files)
            }
            Members::Archive(_, members) => Ok(members.iter().cloned().collect()),
            Members::Embedded(_, leaves) => {
                // The only name whose end matters: the others are found by asking.
                let named = |key: &String| key.strip_prefix('/').filter(|key| *key == "_meta").map(|key| format!("{key}.b2f"));
                Ok(leaves.keys().filter_map(named).collect())
            }
        }
    }

    /// The files of an archive; none of anything else.
    pub(crate) fn archived(&self) -> Vec<String> {
        if let Members::Archive(_, members) = &self.members { members.iter().cloned().collect() } else { Vec::new() }
    }

    /// One of the files, `None` if there is no such file.
    pub(crate) fn member(&self, name: &str) -> Result<Option<Shared>> {
        match &self.members {
            Members::Directory(path) => {
                // A name is made of a key and of a column's name, and may not lead out of the store.
                let inside = |part| matches!(part, std::path::Component::Normal(_));
                if !Path::new(name).components().all(inside) {
                    return Ok(None);
                }
                match fs::File::open(path.join(name)) {
                    Ok(file) => Ok(Some(Arc::new(file))),
                    Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
                    Err(error) => Err(error.into()),
                }
            }
            Members::Archive(source, members) => {
                if !members.contains(name) {
                    return Ok(None);
                }
                let zip = Zip::open(source)?;
                Ok(Some(match zip.range(name)? {
                    Some(range) => Arc::new(Window::new(source.clone(), range)),
                    None => Arc::new(whole(&*zip.open(name)?)?),
                }))
            }
            Members::Embedded(source, leaves) => {
                let plain = [".b2nd", ".b2b", ".b2f"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
                let Some(leaf) = leaves.get(&format!("/{plain}")) else { return Ok(None) };
                let bytes = whole(&*leaf.open(&Alone(source))?)?;
                Ok(Some(Arc::new(bytes)))
            }
        }
    }
}

impl Members {
    fn of(source: Shared) -> Result<Members> {
        let first = source.read(0..10)?.into_owned();
        if is_zip(&first) {
            let members = Zip::open(&source)?.files()?.into_iter().collect();
            return Ok(Members::Archive(source, members));
        }
        if is_frame(&first) {
            let leaves = embedded(&Frame::open(&source)?)?.leaves;
            return Ok(Members::Embedded(source, leaves.into_iter().map(|leaf| (leaf.key.clone(), leaf)).collect()));
        }
        Err(Error::damaged("it is neither an archive nor a frame, so it holds no table"))
    }
}

fn walk(path: &Path, prefix: &str, depth: usize, files: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if entry.file_type()?.is_dir() {
            if depth > 0 {
                walk(&entry.path(), &format!("{prefix}{name}/"), depth - 1, files)?;
            }
        } else {
            files.push(format!("{prefix}{name}"));
        }
    }
    Ok(())
}

fn whole(source: &dyn Source) -> Result<Vec<u8>> {
    Ok(source.read(0..source.len()?)?.into_owned())
}

/// One file as a folder: it has no name there.
struct Alone<'a>(&'a Shared);

impl Folder for Alone<'_> {
    fn files(&self) -> b2nd::Result<Vec<String>> {
        Ok(vec![String::new()])
    }

    fn open(&self, _: &str) -> b2nd::Result<Box<dyn Source + '_>> {
        Ok(Box::new(self.0))
    }
}
