//! [`Location`]: where something is, and [`Target`]: what is there.

use std::ffi::OsStr;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use b2nd::frame::{Source, Window};
use b2nd::{Error, Result};

use crate::embedded::embedded;
use crate::file::{Directory, LocalFile, is_store_directory};
use crate::folder::{Folder, LEAVES, is_zip};
use crate::frame::Frame;
use crate::kind::Kind;
use crate::leaf::find;
use crate::store::list;
use crate::zip::Zip;

/// Between the path of a store and the key of a leaf: `archive.b2z::/group/x`.
const BEFORE_KEY: &str = "::";

/// Standard input (`-`), a path or an address, and the key of a leaf where one is named: `archive.b2z::/group/x`.
///
/// A file whose own name looks like an address or has `::` in it comes first.
///
/// ```
/// use b2nd_store::Location;
///
/// let location = Location::new("http://[::1]/archive.b2z::/group/x".as_ref());
/// assert_eq!((location.place().as_ref(), location.key()), ("http://[::1]/archive.b2z", Some("/group/x")));
///
/// let error = Location::new("s3://bucket/field.b2nd".as_ref()).open().err().unwrap();
/// assert!(error.to_string().starts_with("s3:// is not read here"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    place: Place,
    key: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Stdin,
    Path(PathBuf),
    Address(String),
}

impl Location {
    /// Takes a word of a command line apart. Nothing is opened.
    pub fn new(word: &OsStr) -> Location {
        let path = Path::new(word);
        let Some(text) = word.to_str().filter(|_| !path.exists()) else { return Location::of(path) };
        // The host of an address may have the separator too: http://[::1]/archive.b2z::/key.
        let host = if scheme(text).is_some() { text.find(']').unwrap_or(0) } else { 0 };
        let (place, key) = match text.get(host..).and_then(|rest| rest.split_once(BEFORE_KEY)) {
            Some((before, key)) => (text.get(..host + before.len()).unwrap_or_default(), Some(key.to_owned())),
            None => (text, None),
        };
        let place = match place {
            "-" => Place::Stdin,
            place if scheme(place).is_some() => Place::Address(place.to_owned()),
            place => Place::Path(place.into()),
        };
        Location { place, key }
    }

    /// A path, whatever its name looks like.
    pub fn of(path: &Path) -> Location {
        Location { place: Place::Path(path.to_owned()), key: None }
    }

    /// The key of a leaf, if one is named.
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// The place without the key, as text.
    pub fn place(&self) -> std::borrow::Cow<'_, str> {
        match &self.place {
            Place::Stdin => "-".into(),
            Place::Path(path) => path.to_string_lossy(),
            Place::Address(address) => address.as_str().into(),
        }
    }

    /// True if it is standard input.
    pub fn is_stdin(&self) -> bool {
        self.place == Place::Stdin
    }

    /// The path, if it is one on this machine.
    pub fn path(&self) -> Option<&Path> {
        if let Place::Path(path) = &self.place { Some(path) } else { None }
    }

    /// Opens what is there. Standard input is read to its end.
    ///
    /// # Errors
    ///
    /// There is nothing, it cannot be read, or nothing here reads addresses of this scheme.
    pub fn open(&self) -> Result<Target> {
        match &self.place {
            Place::Stdin => Ok(Target::File(stdin()?)),
            Place::Path(path) => Target::local(path),
            Place::Address(address) => open_address(address),
        }
    }

    /// The bytes of one frame: of the leaf that is named, or of the file itself. What is embedded or compressed is decompressed
    /// into memory.
    ///
    /// # Errors
    ///
    /// It is a store, and no leaf is named; and those of [`open`](Location::open), [`list`] and [`Target::leaf`].
    pub fn frame(&self) -> Result<Bytes> {
        match (self.open()?, self.key()) {
            (target, Some(key)) => target.leaf(key),
            (Target::File(source), None) if !is_zip(&source.read(0..4)?) => Ok(source),
            // A store, or something that is none.
            (target, None) => {
                target.with_folder(|folder| list(folder))?.transpose()?;
                Err(no_key(&self.place()))
            }
        }
    }
}

/// The error about a store where a leaf has to be named.
pub fn no_key(place: &str) -> Error {
    Error::custom(format_args!("it is a store: name a leaf, as in {place}{BEFORE_KEY}/KEY"))
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let place = self.place();
        match &self.key {
            Some(key) => write!(f, "{place}{BEFORE_KEY}{key}"),
            None => f.write_str(&place),
        }
    }
}

/// All of standard input, which can be read only once.
fn stdin() -> Result<Arc<Vec<u8>>> {
    static READ: OnceLock<Arc<Vec<u8>>> = OnceLock::new();
    if let Some(bytes) = READ.get() {
        return Ok(bytes.clone());
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(READ.get_or_init(|| Arc::new(bytes)).clone())
}

/// The scheme of an address: letters, digits, `+`, `-` and `.` before `://`.
fn scheme(text: &str) -> Option<String> {
    let (scheme, _) = text.split_once("://")?;
    let is_one = scheme.starts_with(|char: char| char.is_ascii_alphabetic())
        && scheme.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '+' | '-' | '.'));
    is_one.then(|| scheme.to_ascii_lowercase())
}

/// The one place that knows what is behind a scheme.
fn open_address(address: &str) -> Result<Target> {
    let scheme = scheme(address).unwrap_or_default();
    let refused = |what: &str| Err(Error::custom(format_args!("{scheme}:// is not read here: {what}")));
    match scheme.as_str() {
        "https" if cfg!(not(feature = "https")) => {
            refused("this build of b2nd cannot read https://: `cargo install b2nd-cli --features full` or `pip install b2nd`")
        }
        #[cfg(feature = "http")]
        "http" | "https" => Ok(Target::File(Arc::new(crate::http::HttpFile::open(address)?))),
        "file" => refused("give the path, without file://"),
        "s3" | "s3a" | "gs" | "gcs" | "az" | "azure" | "abfs" | "abfss" | "adl" | "wasb" | "wasbs" | "hf" => {
            refused("give the object's address with https://, or scan the bucket with b2nd-catalog")
        }
        "ftp" | "ftps" | "sftp" | "ssh" | "scp" | "hdfs" | "webdav" | "dav" | "smb" | "nfs" => {
            refused("copy the file to this machine first")
        }
        _ => refused("paths, http:// and https:// are"),
    }
}

/// Something that can be looked into.
pub enum Target {
    /// A frame, or an archive: its first bytes say which.
    File(Bytes),
    /// A store's directory.
    Directory(Directory),
}

impl Target {
    /// Opens a path.
    ///
    /// # Errors
    ///
    /// There is nothing, or it cannot be read.
    pub fn local(path: &Path) -> Result<Target> {
        if is_store_directory(path) {
            return Ok(Target::Directory(Directory(path.to_owned())));
        }
        Ok(Target::File(Arc::new(LocalFile::open(path)?)))
    }

    /// Gives the folder to `look` if this is one: a directory or an archive.
    ///
    /// # Errors
    ///
    /// The archive's directory cannot be read.
    pub fn with_folder<T>(&self, look: impl FnOnce(&dyn Folder) -> T) -> Result<Option<T>> {
        match self {
            Target::Directory(directory) => Ok(Some(look(directory))),
            Target::File(source) if is_zip(&source.read(0..4)?) => Ok(Some(look(&Zip::open(&**source)?))),
            Target::File(_) => Ok(None),
        }
    }

    /// The bytes of the leaf with this key. What is embedded or compressed is decompressed into memory.
    ///
    /// # Errors
    ///
    /// There is no such leaf, it is a table or at a server, or something cannot be read.
    pub fn leaf(&self, key: &str) -> Result<Bytes> {
        match self {
            Target::Directory(directory) => {
                // A name that leads out of the store is no key of it.
                let name = Path::new(key.trim_start_matches('/'));
                let is_inside = name.components().all(|part| matches!(part, std::path::Component::Normal(_)));
                let mut direct = LEAVES.iter().map(|end| directory.0.join(format!("{}{end}", name.display())));
                match direct.find(|path| is_inside && path.exists()) {
                    Some(path) => Ok(Arc::new(LocalFile::open(&path)?)),
                    None => listed(directory, key),
                }
            }
            Target::File(source) if is_zip(&source.read(0..4)?) => {
                let zip = Zip::open(&**source)?;
                let name = key.trim_start_matches('/');
                match LEAVES.iter().map(|end| format!("{name}{end}")).find(|member| zip.has(member)) {
                    Some(member) => match zip.range(&member)? {
                        Some(range) => Ok(Arc::new(Window::new(source.clone(), range))),
                        None => whole(&*zip.open(&member)?),
                    },
                    None => listed(&zip, key),
                }
            }
            Target::File(source) => {
                let frame = Frame::open(&**source)?;
                if !matches!(Kind::of(frame.header(), None), Kind::EmbedStore | Kind::DictStore | Kind::TreeStore) {
                    return Err(Error::custom(format_args!("it is no store, so there is no {key} in it")));
                }
                let (leaves, folder) = (embedded(&frame)?.leaves, OneFile(&**source));
                whole(&*find(&leaves, &folder, key)?.open(&folder)?)
            }
        }
    }
}

/// Bytes by position that several threads read and nothing else has to outlive.
pub type Bytes = Arc<dyn Source + Send + Sync>;

fn listed(folder: &dyn Folder, key: &str) -> Result<Bytes> {
    whole(&*find(&list(folder)?.leaves, folder, key)?.open(folder)?)
}

/// All bytes of a source. It is in memory already.
fn whole(source: &dyn Source) -> Result<Bytes> {
    Ok(Arc::new(source.read(0..source.len()?)?.into_owned()))
}

/// A file as a folder: of a frame whose leaves are in it.
pub struct OneFile<'a>(
    /// The file.
    pub &'a dyn Source,
);

impl Folder for OneFile<'_> {
    fn files(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn open(&self, _: &str) -> Result<Box<dyn Source + '_>> {
        Ok(Box::new(self.0))
    }
}
