//! Where files are: a url, the store that has it, and what a listing says of it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use object_store::ObjectStore;
use object_store::path::Path;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use url::Url;

/// Where a file's bytes are.
#[derive(Clone, Debug)]
pub enum Place {
    /// On a disk of this machine.
    Disk(PathBuf),
    /// Behind a protocol.
    Remote(Arc<dyn ObjectStore>, Path),
}

/// A file, as a listing or a manifest names it.
#[derive(Clone, Debug)]
pub struct Object {
    pub url: String,
    pub place: Place,
    /// In bytes, where the listing says it.
    pub size: Option<u64>,
    pub etag: Option<String>,
    /// Microseconds since 1970.
    pub modified: Option<i64>,
    /// The files of a `.b2d`, by their paths in it.
    pub members: Vec<(String, Object)>,
}

/// What a url's path cannot hold as it is.
const ENCODED: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'<').add(b'>').add(b'?').add(b'`').add(b'{').add(b'}');

/// The file of a sparse frame's directory that stands for all of it.
pub const SPARSE: &str = "chunks.b2frame";

/// A store with its connections for each scheme and host.
static STORES: LazyLock<Mutex<HashMap<String, Arc<dyn ObjectStore>>>> = LazyLock::new(Mutex::default);

impl Place {
    /// The place of a url, or of a path on this machine.
    ///
    /// # Errors
    ///
    /// The scheme is none of `file`, `http`, `https`, `s3`, `gs`, `az`; or its settings in the environment are wrong.
    pub fn of(text: &str) -> Result<Place> {
        if !text.contains("://") {
            return Ok(Place::Disk(std::path::absolute(text)?));
        }
        let url = Url::parse(text).with_context(|| format!("{text} is not a url"))?;
        if url.scheme() == "file" {
            let Ok(path) = url.to_file_path() else { bail!("{text} is not a path on this machine") };
            return Ok(Place::Disk(path));
        }
        if url.query().is_some() || url.fragment().is_some() {
            bail!(
                "{text}: a url with ? or # is not supported: of a name write %3F and %23, and instead of signatures give keys in the environment"
            );
        }
        let (scheme, path) = object_store::ObjectStoreScheme::parse(&url)?;
        let mut key = format!("{scheme:?} {}", base(&url, &path));
        // Hosts of http(s) are one store each; of the others the path may name the container.
        key.make_ascii_lowercase();
        let mut stores = STORES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = stores.get(&key) {
            return Ok(Place::Remote(store.clone(), path));
        }
        let environment =
            std::env::vars().filter(|(name, _)| ["AWS_", "AZURE_", "GOOGLE_"].iter().any(|start| name.starts_with(start)));
        let plain = (url.scheme() == "http").then(|| ("allow_http".to_owned(), "true".to_owned()));
        let (store, path) =
            object_store::parse_url_opts(&url, environment.chain(plain)).with_context(|| format!("cannot open {text}"))?;
        let store: Arc<dyn ObjectStore> = store.into();
        stores.insert(key, store.clone());
        Ok(Place::Remote(store, path))
    }

    /// Its url.
    ///
    /// # Errors
    ///
    /// `text` is no url.
    pub fn url(&self, text: &str) -> Result<String> {
        match self {
            Place::Disk(path) => disk_url(path).with_context(|| format!("{text} has no url")),
            Place::Remote(_, path) => {
                let base = base(&Url::parse(text)?, path);
                Ok(remote_url(&base, path))
            }
        }
    }
}

impl Object {
    /// The url of the file itself, from which [`Object::of`] makes the same object.
    pub fn address(&self) -> String {
        let is_sparse = match &self.place {
            Place::Disk(path) => path.ends_with(SPARSE),
            Place::Remote(_, path) => path.filename() == Some(SPARSE),
        };
        if is_sparse && self.members.is_empty() && !self.url.ends_with(SPARSE) {
            format!("{}/{SPARSE}", self.url)
        } else {
            self.url.clone()
        }
    }

    /// A file that nothing is known of but its url.
    ///
    /// # Errors
    ///
    /// As [`Place::of`].
    pub fn of(text: &str) -> Result<Object> {
        let place = Place::of(text)?;
        let url = crate::listing::named(place.url(text)?);
        Ok(Object { url, place, size: None, etag: None, modified: None, members: Vec::new() })
    }
}

/// A url without the path that the store knows: `s3://bucket`, `https://account.blob.core.windows.net/container`.
pub fn base(url: &Url, path: &Path) -> String {
    let mut text = url[..url::Position::AfterPath].trim_end_matches('/');
    for _ in path.parts() {
        text = text.rsplit_once('/').map_or(text, |(start, _)| start);
    }
    text.to_owned()
}

/// The url of a path in a store.
pub fn remote_url(base: &str, path: &Path) -> String {
    format!("{base}/{}", utf8_percent_encode(path.as_ref(), ENCODED))
}

/// The url of an absolute path.
pub fn disk_url(path: &std::path::Path) -> Option<String> {
    Some(Url::from_file_path(path).ok()?.into())
}
