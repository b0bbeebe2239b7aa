//! [`Location`]: a path, a URL or standard input, and [`Target`]: the open file or directory.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use b2nd_frame::{Error, Result};

use crate::file::{Directory, LocalFile, is_store_directory};
use crate::frame::Bytes;
use crate::leaf::{Content, Leaf};

/// The separator between a store and the key of a leaf: `archive.b2z::/group/x`.
const BEFORE_KEY: &str = "::";

/// A path, a URL or standard input (`-`), optionally with the key of a leaf: `archive.b2z::/group/x`.
///
/// An existing file or directory takes precedence, even if its name looks like a URL or contains `::`.
///
/// ```
/// use b2nd_store::Location;
///
/// let location = Location::new("http://[::1]/archive.b2z::/group/x".as_ref());
/// assert_eq!((location.place().as_ref(), location.key()), ("http://[::1]/archive.b2z", Some("/group/x")));
///
/// let error = Location::new("s3://bucket/field.b2nd".as_ref()).open().err().unwrap();
/// assert!(error.to_string().starts_with("s3:// is not supported"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    place: Origin,
    key: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Origin {
    Stdin,
    Path(PathBuf),
    Address(String),
}

impl Location {
    /// Parses an argument of a command line, without opening anything.
    pub fn new(word: &OsStr) -> Location {
        let path = Path::new(word);
        let Some(text) = word.to_str().filter(|_| !path.exists()) else { return Location::of(path) };
        // The host of a URL may also contain the separator: http://[::1]/archive.b2z::/key.
        let host = scheme(text).map_or(0, |_| text.match_indices('/').nth(2).map_or(text.len(), |(end, _)| end));
        let (place, key) = match text.get(host..).and_then(|rest| rest.split_once(BEFORE_KEY)) {
            Some((before, key)) => (text.get(..host + before.len()).unwrap_or_default(), Some(key.to_owned())),
            None => (text, None),
        };
        let place = match place {
            "-" => Origin::Stdin,
            place if scheme(place).is_some() => Origin::Address(place.to_owned()),
            place => Origin::Path(place.into()),
        };
        Location { place, key }
    }

    /// Creates the location of a path. The path is used as it is, even if it looks like a URL or contains `::`.
    pub fn of(path: &Path) -> Location {
        Location { place: Origin::Path(path.to_owned()), key: None }
    }

    /// Returns the key of a leaf, if one is given.
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// Returns the path or the URL as text, without the key and without the user name and password of a URL. For standard input, this is
    /// `-`.
    pub fn place(&self) -> Cow<'_, str> {
        match &self.place {
            Origin::Stdin => "-".into(),
            Origin::Path(path) => path.to_string_lossy(),
            Origin::Address(address) => without_password(address),
        }
    }

    /// Returns true if the location is standard input.
    pub fn is_stdin(&self) -> bool {
        self.place == Origin::Stdin
    }

    /// Returns the path, if the location is a path.
    pub fn path(&self) -> Option<&Path> {
        if let Origin::Path(path) = &self.place { Some(path) } else { None }
    }

    /// Opens the file or the directory of a store, and ignores the key. Standard input is read to its end.
    ///
    /// # Errors
    ///
    /// Fails if the file does not exist or cannot be read, if a directory is neither a store nor a sparse frame, or if a URL is not valid
    /// or not supported, for example because of its scheme or a user name.
    pub fn open(&self) -> Result<Target> {
        match &self.place {
            Origin::Stdin => Ok(Target::File(stdin()?)),
            Origin::Path(path) => Target::local(path).map_err(|error| inside_file(path).unwrap_or(error)),
            Origin::Address(address) => open_address(address),
        }
    }
}

/// Returns the error for a path inside a file, which a user may have meant as a leaf of a store.
fn inside_file(path: &Path) -> Option<Error> {
    let file = path.ancestors().skip(1).find(|ancestor| ancestor.is_file())?;
    let (file, key) = (file.display(), path.strip_prefix(file).ok()?.display());
    Some(Error::custom(format_args!("{file} is a file: a leaf of a store is named {file}{BEFORE_KEY}/{key}")))
}

/// Returns the error for a store that was given without the key of one of its leaves.
pub fn no_key(place: &str, leaves: &[Leaf]) -> Error {
    // A table is not a single frame, so it is named only if the store has no other leaf.
    let first = leaves.iter().min_by_key(|leaf| matches!(leaf.content, Content::Table(_)));
    let Some(Leaf { key, .. }) = first else { return Error::custom("it is a store without leaves") };
    // An argument such as `-::/key`, which starts with a hyphen, is read as an option unless it follows `--`.
    let before = if place.starts_with('-') { "-- " } else { "" };
    Error::custom(format_args!("it is a store: name a leaf, as in {before}{place}{BEFORE_KEY}{key}"))
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

/// Replaces the user name and password of a URL by `***`. Other text is returned unchanged.
pub fn without_password(text: &str) -> Cow<'_, str> {
    let Some((scheme, rest)) = text.split_once("://").filter(|_| scheme(text).is_some()) else { return text.into() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    // A password may contain these characters, although a URL should escape them.
    let end = match rest.find(':').zip(rest.find('@')) {
        Some((colon, at)) if colon < end && end < at && !is_port(rest[..end].rsplit(':').next().unwrap_or_default()) => {
            at + rest[at..].find(['/', '?', '#']).unwrap_or(rest.len() - at)
        }
        _ => end,
    };
    let (host, path) = rest.split_at(end);
    match host.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://***@{host}{path}").into(),
        None => text.into(),
    }
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) || text.ends_with(']')
}

/// Returns all bytes of standard input. They are read once and kept in memory.
fn stdin() -> Result<Arc<Vec<u8>>> {
    static READ: OnceLock<Arc<Vec<u8>>> = OnceLock::new();
    if let Some(bytes) = READ.get() {
        return Ok(bytes.clone());
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(READ.get_or_init(|| Arc::new(bytes)).clone())
}

/// Returns the scheme of a URL in lower case: letters, digits, `+`, `-` and `.` before `://`. Returns `None` if the text is not a URL.
fn scheme(text: &str) -> Option<String> {
    let (scheme, _) = text.split_once("://")?;
    let is_one = scheme.starts_with(|char: char| char.is_ascii_alphabetic())
        && scheme.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '+' | '-' | '.'));
    is_one.then(|| scheme.to_ascii_lowercase())
}

/// Opens a URL, if this build supports its scheme.
fn open_address(address: &str) -> Result<Target> {
    let scheme = scheme(address).unwrap_or_default();
    let refused = |what: &str| Err(Error::custom(format_args!("{scheme}:// is not supported: {what}")));
    match scheme.as_str() {
        "https" if cfg!(not(feature = "https")) => Err(Error::custom(
            "https:// is not supported by this build: install the tool with `cargo install --path crates/b2nd-cli --features full`",
        )),
        #[cfg(feature = "http")]
        "http" | "https" => Ok(Target::File(crate::http::open(address)?)),
        "file" => refused("give the path, without file://"),
        "s3" | "s3a" | "gs" | "az" | "azure" | "abfs" | "abfss" | "adl" => {
            refused("use an https:// URL, or `b2nd-catalog scan`, which `cargo install --path crates/b2nd-catalog` installs")
        }
        "gcs" | "wasb" | "wasbs" | "hf" => refused("use the object's https:// URL"),
        "ftp" | "ftps" | "sftp" | "ssh" | "scp" | "hdfs" | "webdav" | "dav" | "smb" | "nfs" => {
            refused("copy the file to this machine first")
        }
        _ => refused(if cfg!(feature = "http") { "use a path or an HTTP URL" } else { "use a path" }),
    }
}

/// An open file or directory.
#[derive(Clone)]
pub enum Target {
    /// A file. Its first bytes show whether it is a frame or an archive.
    File(Bytes),
    /// A store's directory.
    Directory(Directory),
}

impl Target {
    /// Opens a path.
    ///
    /// # Errors
    ///
    /// Fails if the path does not exist or cannot be read, or if it is a directory that is neither a store nor a sparse frame.
    pub fn local(path: &Path) -> Result<Target> {
        if is_store_directory(path) {
            return Ok(Target::Directory(Directory(path.to_owned())));
        }
        Ok(Target::File(Arc::new(LocalFile::open(path)?)))
    }
}
