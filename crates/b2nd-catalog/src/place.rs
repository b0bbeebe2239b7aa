//! [`FilePlace`], the location of a file on a disk or a server, and [`Object`], a file with its properties in a listing.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use b2nd_frame::SPARSE_FRAME;
use object_store::http::{HttpBuilder, HttpStore};
use object_store::path::Path;
use object_store::{ClientOptions, ObjectStore, ObjectStoreScheme};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use url::Url;

/// The location of a file's bytes.
#[derive(Clone, Debug)]
pub enum FilePlace {
    /// A file on a disk of this machine.
    Disk(PathBuf),
    /// A file on a server or in a bucket.
    Remote(Arc<dyn ObjectStore>, Path),
}

/// A file in a listing.
#[derive(Clone, Debug)]
pub struct Object {
    pub url: String,
    pub place: FilePlace,
    /// The size in bytes, or `None` if the listing does not include it.
    pub size: Option<u64>,
    pub etag: Option<String>,
    /// The time of the last change, in microseconds since 1970.
    pub modified: Option<i64>,
    /// The listed files of a `.b2d` store; empty for any other file.
    pub members: Vec<Member>,
}

/// A file of a `.b2d` store. Keep this type small, since a store may have hundreds of thousands of files.
#[derive(Clone, Debug)]
pub struct Member {
    /// The path of the file in the store.
    pub name: Box<str>,
    /// The size in bytes, or 0 for a broken link.
    pub size: u64,
    pub etag: Option<Box<str>>,
    /// The time of the last change, in microseconds since 1970.
    pub modified: Option<i64>,
}

/// The ASCII characters that are escaped in the path of the URL of a remote file.
const ENCODED: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'<').add(b'>').add(b'?').add(b'`').add(b'{').add(b'}');

/// The object stores, each by its scheme, its URL and, if given, its user and password. They are reused, because each store keeps its
/// connections open.
static STORES: LazyLock<Mutex<HashMap<String, Arc<dyn ObjectStore>>>> = LazyLock::new(Mutex::default);

impl FilePlace {
    /// Returns the location for a URL or a local path.
    ///
    /// # Errors
    ///
    /// Fails if the text is empty, a URL is not valid, its scheme is not supported, it is the URL of a server and has a query or a
    /// fragment, or the settings for this scheme in the environment are wrong or missing.
    pub fn of(text: &str) -> Result<FilePlace> {
        if !text.contains("://") {
            return Ok(FilePlace::Disk(std::path::absolute(text)?));
        }
        let url = parsed(text)?;
        let text = url.as_str();
        if url.scheme() == "file" {
            let Ok(path) = url.to_file_path() else { bail!("{text}: expected file:///PATH") };
            return Ok(FilePlace::Disk(path));
        }
        if url.query().is_some() || url.fragment().is_some() {
            bail!(
                "{text}: URLs with ? or # are not supported: write %3F or %23 in names, and set access keys in environment \
                 variables instead of signing the URL"
            );
        }
        let (scheme, path) = ObjectStoreScheme::parse(&url)?;
        let mut key = format!("{scheme:?} {}", base(&url, &path));
        // The key of the store in `STORES`. It contains the URL of the store: for a plain web server, the URL of the host; for other
        // stores, also the name of a bucket or container.
        key.make_ascii_lowercase();
        let with_user = with_user(url.clone());
        key.push_str(&with_user[..url::Position::BeforeHost]);
        let mut stores = STORES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = stores.get(&key) {
            return Ok(FilePlace::Remote(store.clone(), path));
        }
        let store: Arc<dyn ObjectStore> = if with_user != url && scheme == ObjectStoreScheme::Http {
            Arc::new(for_user(&with_user)?)
        } else {
            let environment =
                std::env::vars().filter(|(name, _)| ["AWS_", "AZURE_", "GOOGLE_"].iter().any(|start| name.starts_with(start)));
            let plain = (url.scheme() == "http").then(|| ("allow_http".to_owned(), "true".to_owned()));
            let options = environment.chain(plain);
            object_store::parse_url_opts(&url, options).with_context(|| format!("cannot open {text}"))?.0.into()
        };
        stores.insert(key, store.clone());
        Ok(FilePlace::Remote(store, path))
    }

    /// Returns the location of a file below this location.
    pub fn below(&self, name: &str) -> FilePlace {
        match self {
            FilePlace::Disk(path) => FilePlace::Disk(path.join(name)),
            FilePlace::Remote(store, path) => {
                let below = format!("{path}/{name}");
                FilePlace::Remote(store.clone(), Path::parse(&below).unwrap_or_else(|_| Path::from(below)))
            }
        }
    }

    /// Returns the location of the directory that is `names` levels above this location.
    pub(crate) fn above(&self, names: usize) -> FilePlace {
        match self {
            FilePlace::Disk(path) => FilePlace::Disk(path.ancestors().nth(names).unwrap_or(path).to_owned()),
            FilePlace::Remote(store, path) => {
                let parts = path.parts_count().saturating_sub(names);
                FilePlace::Remote(store.clone(), path.parts().take(parts).collect())
            }
        }
    }
}

impl Object {
    /// Creates an object from a URL or a local path. The size, ETag and time of the file are unknown.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`FilePlace::of`].
    pub fn of(text: &str) -> Result<Object> {
        let place = FilePlace::of(text)?;
        let url = match &place {
            FilePlace::Disk(path) => disk_url(path).with_context(|| format!("{text} cannot be converted to a URL"))?,
            FilePlace::Remote(_, path) => remote_url(&base(&parsed(text)?, path), path),
        };
        Ok(Object::new(named(url), place))
    }

    /// Creates an object whose size, ETag and time are unknown.
    pub(crate) fn new(url: String, place: FilePlace) -> Object {
        Object { url, place, size: None, etag: None, modified: None, members: Vec::new() }
    }
}

/// The user and password of each server, taken from URLs. They are used for all URLs of the server.
static USERS: LazyLock<Mutex<HashMap<String, Url>>> = LazyLock::new(Mutex::default);

/// Parses a URL. Removes the user and password of a URL with the scheme `http` or `https`, and remembers them for later requests to the
/// server.
pub(crate) fn parsed(text: &str) -> Result<Url> {
    let mut url = Url::parse(text).with_context(|| format!("{} is not a valid URL", shown(text)))?;
    // In URLs with schemes other than `http` and `https`, the user may be the name of a container.
    let is_web = matches!(url.scheme(), "http" | "https");
    if is_web && (!url.username().is_empty() || url.password().is_some()) {
        USERS.lock().unwrap_or_else(PoisonError::into_inner).insert(url.origin().ascii_serialization(), url.clone());
        let _ = url.set_username("");
        let _ = url.set_password(None);
    }
    Ok(url)
}

/// Adds the user and password of the server to a URL, if they are known.
pub(crate) fn with_user(mut url: Url) -> Url {
    let users = USERS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(named) = users.get(&url.origin().ascii_serialization()) {
        let _ = url.set_username(named.username());
        let _ = url.set_password(named.password());
    }
    url
}

/// Returns a path or URL in the form that may be shown: without the user and password for a web server.
pub fn shown(text: &str) -> String {
    let Some(start) = text.find("://").map(|at| at + "://".len()) else { return text.to_owned() };
    if !["http://", "https://"].contains(&text[..start].to_ascii_lowercase().as_str()) {
        return text.to_owned();
    }
    // If the text is not a valid URL, a password may end at any @.
    let end =
        Url::parse(text).map_or(text.len(), |_| text[start..].find(['/', '?', '#', '\\']).map_or(text.len(), |at| start + at));
    let host = text[..end].rfind('@').map_or(start, |at| at + 1);
    format!("{}{}", &text[..start], &text[host..])
}

/// Creates the store for a URL with a user or a password.
fn for_user(url: &Url) -> Result<HttpStore> {
    let headers = reqwest::Client::new().get(url.clone()).build()?.headers().clone();
    let options = ClientOptions::new().with_allow_http(url.scheme() == "http").with_default_headers(headers);
    let host = parsed(url.as_str())?;
    Ok(HttpBuilder::new().with_url(&host[..url::Position::BeforePath]).with_client_options(options).build()?)
}

/// Returns the URL of the store itself, without the path of a file in it, such as `s3://bucket` or
/// `https://account.blob.core.windows.net/container`.
pub fn base(url: &Url, path: &Path) -> String {
    let mut text = url[..url::Position::AfterPath].trim_end_matches('/');
    for _ in path.parts() {
        text = text.rsplit_once('/').map_or(text, |(start, _)| start);
    }
    text.to_owned()
}

/// Returns the URL of an object in a bucket or on a server. `base` is the URL of the bucket or the server.
pub fn remote_url(base: &str, path: &Path) -> String {
    format!("{base}/{}", utf8_percent_encode(path.as_ref(), ENCODED))
}

/// Returns the URL of an absolute path, or `None` for a relative path.
pub fn disk_url(path: &std::path::Path) -> Option<String> {
    Some(Url::from_file_path(path).ok()?.into())
}

/// Returns the time of the last change of a file, in microseconds since 1970, or `None` if the time is earlier or not known.
pub fn micros(found: &std::fs::Metadata) -> Option<i64> {
    let since = found.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    since.as_micros().try_into().ok()
}

/// If the URL ends in the name of the file that contains the header of a sparse frame, returns the URL of the frame's directory. Returns
/// any other URL, and the URL of a file in a `.b2d` store, unchanged.
pub(crate) fn named(mut url: String) -> String {
    if url.ends_with(&format!("/{SPARSE_FRAME}")) && store_of(&url).is_none() {
        url.truncate(url.len() - SPARSE_FRAME.len() - 1);
    }
    url
}

/// If `url` is the URL of a file in a `.b2d` store, returns the length of the URL of the store, with which `url` starts. Returns `None` for
/// other files.
pub(crate) fn store_of(url: &str) -> Option<usize> {
    url.find(".b2d/").map(|at| at + ".b2d".len())
}

/// Returns true if a path or URL has the ending of a store, which can contain arrays and tables. The leaves of an HDF5 file are its
/// datasets.
pub(crate) fn is_store(name: &str) -> bool {
    [".b2z", ".b2d", ".b2e"].iter().any(|ending| name.ends_with(ending)) || b2nd_store::foreign::is_named_hdf5(name.as_ref())
}

/// Returns true if a URL is one of the roots or below one.
pub(crate) fn is_below(url: &str, roots: &[String]) -> bool {
    let below =
        |root: &String| url.strip_prefix(root.trim_end_matches('/')).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    roots.iter().any(below)
}
