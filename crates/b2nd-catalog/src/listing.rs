//! Lists the files below a directory, below a URL, or below a prefix of a bucket.

mod filter;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use futures::stream::{self, StreamExt};
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt, ObjectStoreScheme};
use reqwest::header::CONTENT_LENGTH;
use reqwest::{Client, Method, StatusCode};
use twox_hash::XxHash3_128;
use url::Url;
use walkdir::{DirEntry, WalkDir};

use crate::place::{FilePlace, Member, Object, base, disk_url, micros, named, parsed, remote_url, shown, store_of, with_user};

pub use filter::{ENDINGS, Listing, Names, Unlisted};

/// The maximum number of files that are passed on together while a directory is walked.
const WALKED: usize = 256;

/// Lists the file at a path or URL, or the files below the path or URL that `names` selects. An error becomes an entry of the listing.
pub async fn list(root: &str, names: Names) -> Listing {
    match at(root, names).await {
        Ok(listing) => stores(listing),
        Err(error) => {
            let url = Object::of(root).map_or_else(|_| shown(root), |object| object.url);
            stream::iter([Err(Unlisted { url, message: format!("{error:#}") })]).boxed()
        }
    }
}

async fn at(root: &str, names: Names) -> anyhow::Result<Listing> {
    let object = Object::of(root)?;
    if let Some(length) = store_of(&object.url)
        && object.url.len() > length + 1
    {
        bail!("a directory whose name ends in .b2d can only be scanned as a whole: scan {}", &object.url[..length]);
    }
    match &object.place {
        FilePlace::Disk(path) => match path.metadata()? {
            found if found.is_dir() => Ok(walk(path.clone(), names)),
            found => {
                let (size, modified) = (Some(found.len()), micros(&found));
                Ok(stream::iter([Ok(Object { size, modified, ..object })]).boxed())
            }
        },
        FilePlace::Remote(store, path) => {
            let url = parsed(root)?;
            let is_web = matches!(ObjectStoreScheme::parse(&url), Ok((ObjectStoreScheme::Http, _)));
            // On a web server, a name may be that of a directory if it has no ending, or the ending `b2d` or `b2frame`. Other names are
            // first taken for those of files, which saves a request.
            let may_be_directory = path.extension().is_none_or(|ending| ["b2d", "b2frame"].contains(&ending));
            let is_directory = root.ends_with('/')
                || path.as_ref().is_empty()
                || is_web && may_be_directory && redirects_to_directory(&url).await?;
            if !is_directory {
                match store.head(path).await {
                    Ok(found) => return Ok(stream::iter([Ok(remote(&object.url, store, found))]).boxed()),
                    Err(object_store::Error::NotFound { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            let base = base(&url, path);
            if is_web {
                check_webdav(url).await?;
            }
            Ok(list_remote(store.clone(), path.clone(), base, names))
        }
    }
}

/// Returns true if a web server redirects a URL to a URL with a final `/`. object_store would take the answer for that of a file.
async fn redirects_to_directory(url: &Url) -> anyhow::Result<bool> {
    let Ok(answer) = Client::new().head(with_user(url.clone())).send().await else { return Ok(false) };
    let is_directory = answer.url().path().ends_with('/');
    if !is_directory && answer.status().is_success() && !answer.headers().contains_key(CONTENT_LENGTH) {
        bail!("the server did not send a Content-Length for this URL: if it is the URL of a directory, add a final `/`");
    }
    Ok(is_directory)
}

/// Fails if a web server answers that it cannot list a directory. object_store might repeat the request for minutes, or return an empty
/// list. Other errors are ignored, because object_store repeats its request.
async fn check_webdav(directory: Url) -> anyhow::Result<()> {
    let request = Client::new().request(Method::from_bytes(b"PROPFIND")?, with_user(directory)).header("Depth", "0");
    match request.send().await.map(|answer| answer.status()) {
        Ok(StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_IMPLEMENTED) => {
            bail!("there is no file, and the server does not list directories by WebDAV: check the URL, or scan URLs of files")
        }
        Ok(status) if status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS => {
            bail!("there is no file, and listing a directory by WebDAV failed: {status}")
        }
        _ => Ok(()),
    }
}

fn list_remote(store: Arc<dyn ObjectStore>, prefix: object_store::path::Path, base: String, names: Names) -> Listing {
    let url = remote_url(&base, &prefix);
    let listed = store.list(Some(&prefix));
    let objects = listed.filter_map(move |found| {
        let object = match found {
            Ok(found) if !names.have(found.location.as_ref()) => None,
            Ok(found) => Some(Ok(remote(&remote_url(&base, &found.location), &store, found))),
            Err(error) => Some(Err(Unlisted { url: url.clone(), message: error.to_string() })),
        };
        std::future::ready(object)
    });
    objects.boxed()
}

fn remote(url: &str, store: &Arc<dyn ObjectStore>, found: ObjectMeta) -> Object {
    let (size, modified) = (Some(found.size), Some(found.last_modified.timestamp_micros()));
    let object = Object::new(named(url.to_owned()), FilePlace::Remote(store.clone(), found.location));
    Object { size, etag: found.e_tag, modified, ..object }
}

/// Lists the files below a directory, on a separate thread. The listing continues after a directory that cannot be listed.
fn walk(directory: PathBuf, names: Names) -> Listing {
    let (sender, receiver) = tokio::sync::mpsc::channel(4);
    tokio::task::spawn_blocking(move || {
        let real = directory.canonicalize().unwrap_or_default();
        let walk = WalkDir::new(&directory).follow_links(true).into_iter().filter_entry(|entry| !leads_out(entry, &real));
        let mut found = walk.filter_map(|entry| walked(entry, &directory, &names));
        loop {
            let some: Vec<_> = found.by_ref().take(WALKED).collect();
            // Sending fails if the scan has ended.
            if some.is_empty() || sender.blocking_send(some).is_err() {
                return;
            }
        }
    });
    let chunks = stream::unfold(receiver, |mut receiver| async { Some((receiver.recv().await?, receiver)) });
    chunks.flat_map(stream::iter).boxed()
}

/// Returns true if an entry is a link to the walked directory, or to a directory that contains it. Below such a link, the walked directory
/// would be found again.
fn leads_out(entry: &DirEntry, walked: &Path) -> bool {
    entry.depth() > 0 && entry.path_is_symlink() && entry.path().canonicalize().is_ok_and(|real| walked.starts_with(real))
}

fn walked(entry: walkdir::Result<DirEntry>, directory: &Path, names: &Names) -> Option<Result<Object, Unlisted>> {
    let unlisted = |path: &Path, message: String| {
        let url = disk_url(path).unwrap_or_else(|| path.display().to_string());
        Some(Err(Unlisted { url, message }))
    };
    let entry = match entry {
        Ok(entry) => entry,
        Err(error) => {
            let path = error.path().unwrap_or(directory);
            return match () {
                // A link to a directory that contains the link is not followed, because this directory is already being listed.
                () if error.loop_ancestor().is_some() => None,
                // A broken link is listed as a file that cannot be read.
                () if path.is_symlink() && !path.exists() => {
                    names.have(&path.to_string_lossy()).then(|| on_disk(path.to_owned()))?.map(Ok)
                }
                () if is_gone(&error) => None,
                () => unlisted(path, error.to_string()),
            };
        }
    };
    if !entry.file_type().is_file() || !names.have(&entry.file_name().to_string_lossy()) {
        return None;
    }
    let mut object = on_disk(entry.path().to_owned())?;
    // For each file of a store, the size and time are always read, because the size and time of the store are computed from them.
    if names.sizes || store_of(&object.url).is_some() {
        match entry.metadata() {
            Ok(found) => (object.size, object.modified) = (Some(found.len()), micros(&found)),
            Err(error) if is_gone(&error) => return None,
            Err(error) => return unlisted(entry.path(), error.to_string()),
        }
    }
    Some(Ok(object))
}

fn on_disk(path: PathBuf) -> Option<Object> {
    let url = named(disk_url(&path)?);
    Some(Object::new(url, FilePlace::Disk(path)))
}

/// Returns true if the error means that an entry was deleted during the walk.
fn is_gone(error: &walkdir::Error) -> bool {
    error.io_error().is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

/// Combines the files of each `.b2d` store into one object. This relies on the files of a store being adjacent in the listing.
fn stores(listing: Listing) -> Listing {
    let objects = stream::unfold((listing.fuse(), None::<Object>), |(mut listing, mut open)| async move {
        loop {
            let Some(next) = listing.next().await else {
                return open.map(|store| (Ok(store), (listing, None)));
            };
            let Ok(object) = next else { return Some((next, (listing, open))) };
            let Some(length) = store_of(&object.url) else { return Some((Ok(object), (listing, open))) };
            match &mut open {
                Some(store) if store.url == object.url[..length] => store.add(object),
                _ => {
                    let mut store = Object::store_with(&object, length);
                    store.add(object);
                    if let Some(done) = open.replace(store) {
                        return Some((Ok(done), (listing, open)));
                    }
                }
            }
        }
    });
    objects.boxed()
}

impl Object {
    /// Returns an object, still without files, for the store that contains `member`. `length` is the length of the store's URL.
    fn store_with(member: &Object, length: usize) -> Object {
        let names = member.url[length..].matches('/').count();
        Object::new(member.url[..length].to_owned(), member.place.above(names))
    }

    fn add(&mut self, member: Object) {
        let size = member.size.unwrap_or(0);
        self.size = Some(self.size.unwrap_or(0) + size);
        let sum = self.etag.as_ref().and_then(|etag| u64::from_str_radix(etag, 16).ok()).unwrap_or(0);
        let version = format!("{} {:?} {:?} {:?}", member.url, member.size, member.etag, member.modified);
        // The ETag does not depend on the order in which the files are listed.
        let sum = sum ^ XxHash3_128::oneshot(version.as_bytes()) as u64;
        self.etag = Some(format!("{sum:016x}"));
        self.modified = self.modified.max(member.modified);
        let name = member.url.get(self.url.len() + 1..).unwrap_or_default();
        // Keys are text, so a member whose name is not UTF-8 is no leaf.
        let Ok(name) = percent_encoding::percent_decode_str(name).decode_utf8() else { return };
        let Object { etag, modified, .. } = member;
        self.members.push(Member { name: name.into(), size, etag: etag.map(Into::into), modified });
    }
}
