//! What a PATH on the command line names.

use std::io::Read;
use std::path::Path;

use b2nd::Result;
use b2nd_view::store::{self, Folder, Zip};
use b2nd_view::{Frame, Kind, Source};

use crate::local::{Directory, LocalFile};
use crate::remote::RemoteFile;

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
        if is_address(path) {
            return Ok(Target::File(Box::new(RemoteFile::open(path)?)));
        }
        Target::local(Path::new(path))
    }

    /// Opens a path.
    pub(crate) fn local(path: &Path) -> Result<Target> {
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

/// Whether there is a store at a path, in a directory or an archive.
pub(crate) fn holds_store(path: &Path) -> bool {
    Target::local(path).is_ok_and(|target| target.with_folder(|_| Ok(())).is_some())
}

/// Whether a directory is a store and no sparse frame: by its name, or by what it holds.
pub(crate) fn is_store_directory(path: &Path) -> bool {
    let is_named_so = path.extension().is_some_and(|end| end == "b2d") && path.is_dir();
    is_named_so || path.join("_meta.b2f").is_file() || is_store(&path.join("embed.b2e")).unwrap_or(false)
}

/// Whether an `embed.b2e` belongs to the directory around it. One that does not is a store of its own.
fn is_store(embed: &Path) -> Result<bool> {
    let file = LocalFile::open(embed)?;
    let frame = Frame::open(&file, 0)?;
    Ok(matches!(Kind::of(frame.header(), None, &mut ()), Kind::DictStore | Kind::TreeStore))
}

/// A path, and the key of a leaf if it names one. A file whose own name has the separator in it comes first.
pub(crate) fn split(path: &str) -> (&str, Option<&str>) {
    // The host of an address may have it too: http://[::1]/archive.b2z::/key.
    let host = if is_address(path) { path.find(']').unwrap_or(0) } else { 0 };
    let (before, rest) = path.split_at(host);
    match rest.split_once(BEFORE_KEY) {
        Some((store, key)) if !Path::new(path).exists() => (&path[..before.len() + store.len()], Some(key)),
        _ => (path, None),
    }
}

pub(crate) fn is_address(path: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| path.starts_with(scheme))
}
