//! What a PATH on the command line names.

use std::fs;
use std::io::Read;
use std::path::Path;

use b2nd::Result;
use b2nd_view::Source;
use b2nd_view::store::{self, Folder, Zip};

use crate::local::{Directory, LocalFile};

/// Between the path of a store and the key of a leaf: `archive.b2z::/group/x`.
const BEFORE_KEY: &str = "::";

/// Something that can be looked into.
pub(crate) enum Target {
    /// A frame, or an archive: its first bytes say which.
    File(Box<dyn Source>),
    /// A store's directory.
    Directory(Directory),
}

impl Target {
    /// Opens a path, an address or standard input.
    pub(crate) fn open(path: &str) -> Result<Target> {
        if path == "-" {
            let mut bytes = Vec::new();
            std::io::stdin().lock().read_to_end(&mut bytes)?;
            return Ok(Target::File(Box::new(bytes)));
        }
        let path = Path::new(path);
        if is_store_directory(path) {
            return Ok(Target::Directory(Directory(path.to_owned())));
        }
        Ok(Target::File(Box::new(LocalFile::open(path)?)))
    }

    /// Gives the folder to `look` if this is one: a directory or an archive.
    pub(crate) fn with_folder<T>(&self, look: impl FnOnce(&dyn Folder) -> Result<T>) -> Option<Result<T>> {
        match self {
            Target::Directory(directory) => Some(look(directory)),
            Target::File(source) => match source.read(0..4) {
                Ok(first) if store::is_zip(&first) => Some(Zip::open(&**source).and_then(|zip| look(&zip))),
                Ok(_) => None,
                Err(error) => Some(Err(error.into())),
            },
        }
    }
}

/// Whether a directory is a store and no sparse frame.
pub(crate) fn is_store_directory(path: &Path) -> bool {
    let has = |name: &str| path.join(name).is_file();
    has("embed.b2e")
        || has("_meta.b2f")
        || path.extension().is_some_and(|end| end == "b2d") && fs::metadata(path).is_ok_and(|it| it.is_dir())
}

/// A path, and the key of a leaf if it names one. A file whose own name has the separator in it comes first.
pub(crate) fn split(path: &str) -> (&str, Option<&str>) {
    match path.split_once(BEFORE_KEY) {
        Some((store, key)) if !Path::new(path).exists() => (store, Some(key)),
        _ => (path, None),
    }
}
