//! The server of `b2nd view`. It serves the page and the files on the command line, only to this machine.

use std::borrow::Cow;
use std::collections::HashMap;
use std::convert::Infallible;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::net::Ipv4Addr;
use std::ops::Range;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use b2nd_store::{Directory, Folder, Location, Target};
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::error::{Error, Result};
use crate::values;

/// The number of bytes of a file that are read at a time.
const PART: u64 = 1 << 20;

include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// The files of the page, by name.
pub(crate) type Page = HashMap<String, Cow<'static, [u8]>>;

/// Loads the page from a directory, or returns the page that is built into this program.
pub(crate) fn page(directory: Option<&Path>) -> Result<Page> {
    let Some(directory) = directory else {
        if FILES.is_empty() {
            let sentence = "this build of b2nd has no page: use `pip install b2nd`, or build the page with web/build and give \
                            its directory with --page";
            return Err(Error::new(sentence));
        }
        return Ok(FILES.iter().map(|&(name, bytes)| (name.to_owned(), bytes.into())).collect());
    };
    let named = |error: std::io::Error| Error::new(format_args!("{}: {error}", directory.display()));
    let mut page = Page::new();
    for entry in std::fs::read_dir(directory).map_err(named)? {
        let entry = entry.map_err(named)?;
        if entry.file_type().map_err(named)?.is_file() {
            let bytes = std::fs::read(entry.path()).map_err(named)?;
            page.insert(entry.file_name().to_string_lossy().into_owned(), bytes.into());
        }
    }
    if page.contains_key("index.html") {
        Ok(page)
    } else {
        Err(Error::new(format_args!("{}: it has no index.html", directory.display())))
    }
}

/// Starts the browser. Errors are ignored, because the URL is printed too.
pub(crate) fn open(url: &str) {
    let _ = ::open::that_detached(url);
}

/// The data that requests are answered with.
struct Site {
    /// The first part of the path in each URL. It is random, so that other programs cannot guess URLs.
    token: String,
    hosts: [String; 2],
    page: Page,
    files: Files,
}

/// The served files, by the rest of their URL's path after the token, and the list of files that the page reads.
#[derive(Default)]
pub(crate) struct Files {
    list: Vec<serde_json::Value>,
    served: HashMap<String, Served>,
}

impl Files {
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds a file, a store, a leaf of a store, a sparse frame or a URL.
    pub(crate) fn add(&mut self, path: &Path) -> Result<()> {
        let location = Location::new(path.as_os_str());
        match location.path() {
            Some(path) if location.key().is_none() && path.is_dir() => return self.add_path(path),
            Some(path) if location.key().is_none() => {
                Target::local(path)?;
                return self.add_path(path);
            }
            _ => {}
        }
        let source = match (location.key(), location.open()?) {
            // A store is served as a whole file. The page lists its leaves.
            (None, Target::File(source)) => source,
            _ => values::source(path)?,
        };
        self.add_served(&location.place(), Served::Source(source));
        Ok(())
    }

    /// Adds a file, or a directory with all files below it.
    pub(crate) fn add_path(&mut self, path: &Path) -> Result<()> {
        if !path.is_dir() {
            self.add_served(&path.to_string_lossy(), Served::File(path.into()));
            return Ok(());
        }
        let folder = self.list.len();
        let mut files = Directory(path.to_owned()).files()?;
        files.sort_unstable();
        let ends = [".b2frame", ".b2nd", ".b2f", ".b2e"];
        if !files.iter().any(|file| ends.iter().any(|end| file.ends_with(end))) {
            return Err(Error::new("a directory without a frame or a store: -r searches its subdirectories"));
        }
        let mut entries = Vec::new();
        for (place, file) in files.into_iter().enumerate() {
            let (url, below) = (format!("files/{folder}/{place}"), path.join(&file));
            // Symbolic links could lead out of the directory.
            if let Some(metadata) = below.symlink_metadata().ok().filter(std::fs::Metadata::is_file) {
                entries.push(json!({"path": file, "url": url, "size": metadata.len()}));
                self.served.insert(url, Served::File(below.into()));
            }
        }
        self.list.push(json!({"name": name(&path.to_string_lossy()), "files": entries}));
        Ok(())
    }

    fn add_served(&mut self, place: &str, served: Served) {
        let url = format!("files/{}", self.list.len());
        self.list.push(json!({"name": name(place), "url": url}));
        self.served.insert(url, served);
    }
}

/// Returns the last part of a path or URL.
fn name(place: &str) -> &str {
    place.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

#[derive(Clone)]
enum Served {
    Source(b2nd_store::Bytes),
    File(Arc<Path>),
}

impl Served {
    fn len(&self) -> std::io::Result<u64> {
        match self {
            Served::Source(source) => source.len().map_err(std::io::Error::other),
            Served::File(path) => Ok(path.metadata()?.len()),
        }
    }

    fn read(&self, range: Range<u64>) -> std::io::Result<Vec<u8>> {
        match self {
            Served::Source(source) => Ok(source.read(range).map_err(std::io::Error::other)?.into_owned()),
            Served::File(path) => {
                let mut bytes = Vec::new();
                let mut file = File::open(path)?;
                file.seek(SeekFrom::Start(range.start))?;
                file.take(range.end - range.start).read_to_end(&mut bytes)?;
                Ok(bytes)
            }
        }
    }
}

/// Runs the server until a signal ends it. `started` is called with the URL.
pub(crate) fn serve(page: Page, files: Files, port: u16, started: impl FnOnce(&str) -> Result<()>) -> Result<()> {
    let failed = |error: std::io::Error| Error::new(format_args!("127.0.0.1:{port}: {error}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let site = Arc::new(site(page, files, port)?);
        started(&format!("http://127.0.0.1:{port}/{}/?list=files.json", site.token))?;
        let mut ended = std::pin::pin!(ended());
        loop {
            let stream = tokio::select! {
                () = &mut ended => return Ok(()),
                accepted = listener.accept() => accepted,
            };
            // A client that disconnects does not end the server.
            let Ok((stream, _)) = stream else { continue };
            let site = site.clone();
            tokio::spawn(async move {
                let answer = service_fn(move |request| {
                    let site = site.clone();
                    async move { Ok::<_, Infallible>(site.answer(&request).await) }
                });
                let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await;
            });
        }
    })
}

/// Waits for Ctrl-C or, on Unix, for SIGTERM.
async fn ended() {
    #[cfg(unix)]
    if let Ok(mut terminated) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminated.recv() => {}
        }
        return;
    }
    let _ = tokio::signal::ctrl_c().await;
}

fn site(page: Page, files: Files, port: u16) -> Result<Site> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(Error::new)?;
    let token = random.iter().map(|byte| format!("{byte:02x}")).collect();
    let hosts = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{port}"));
    Ok(Site { token, hosts, page, files })
}

impl Site {
    async fn answer(&self, request: &Request<Incoming>) -> Response<Answer> {
        let text = |name: HeaderName| request.headers().get(name).map(|value| value.to_str().unwrap_or_default());
        let is_ours = |host: &str| self.hosts.iter().any(|ours| ours == host);
        // Two kinds of requests are rejected: from pages of other hosts, and with another host name that resolves to this machine.
        let is_origin = text(header::ORIGIN).is_none_or(|origin| origin.strip_prefix("http://").is_some_and(is_ours));
        if !text(header::HOST).is_some_and(is_ours) || !is_origin {
            return plain(StatusCode::FORBIDDEN);
        }
        let path = request.uri().path().strip_prefix('/').and_then(|path| path.strip_prefix(self.token.as_str()));
        let Some(path) = path.and_then(|path| path.strip_prefix('/')) else { return plain(StatusCode::NOT_FOUND) };
        let is_head = match *request.method() {
            Method::GET => false,
            Method::HEAD => true,
            _ => return plain(StatusCode::METHOD_NOT_ALLOWED),
        };
        let name = if path.is_empty() { "index.html" } else { path };
        let whole = if path == "files.json" {
            Some(serde_json::Value::from(self.files.list.clone()).to_string().into_bytes())
        } else {
            self.page.get(name).map(|bytes| bytes.to_vec())
        };
        if let Some(bytes) = whole {
            let mut response = plain(StatusCode::OK);
            set(&mut response, header::CONTENT_TYPE, media_type(name).to_owned());
            set(&mut response, header::CONTENT_LENGTH, bytes.len().to_string());
            if !is_head {
                *response.body_mut() = Answer::Whole(Some(bytes.into()));
            }
            return response;
        }
        match self.files.served.get(path) {
            Some(file) => part(file.clone(), text(header::RANGE), is_head).await,
            None => plain(StatusCode::NOT_FOUND),
        }
    }
}

/// Answers with a file, or with a range of its bytes.
async fn part(file: Served, range: Option<&str>, is_head: bool) -> Response<Answer> {
    let asked = file.clone();
    let Ok(Ok(length)) = tokio::task::spawn_blocking(move || asked.len()).await else { return plain(StatusCode::BAD_GATEWAY) };
    let (status, range) = match range.map(|range| of_range(range, length)) {
        None => (StatusCode::OK, 0..length),
        Some(Some(range)) => (StatusCode::PARTIAL_CONTENT, range),
        Some(None) => {
            let mut response = plain(StatusCode::RANGE_NOT_SATISFIABLE);
            set(&mut response, header::CONTENT_RANGE, format!("bytes */{length}"));
            return response;
        }
    };
    let mut response = plain(status);
    set(&mut response, header::CONTENT_TYPE, "application/octet-stream".to_owned());
    set(&mut response, header::ACCEPT_RANGES, "bytes".to_owned());
    set(&mut response, header::CONTENT_LENGTH, (range.end - range.start).to_string());
    if status == StatusCode::PARTIAL_CONTENT {
        set(&mut response, header::CONTENT_RANGE, format!("bytes {}-{}/{length}", range.start, range.end - 1));
    }
    if !is_head {
        let (sender, receiver) = mpsc::channel(2);
        tokio::task::spawn_blocking(move || {
            let mut start = range.start;
            while start < range.end {
                let end = start.saturating_add(PART).min(range.end);
                let bytes = file.read(start..end).and_then(|bytes| match bytes.len() as u64 {
                    length if length == end - start => Ok(bytes),
                    _ => Err(std::io::ErrorKind::UnexpectedEof.into()),
                });
                let is_error = bytes.is_err();
                if sender.blocking_send(bytes.map(Bytes::from)).is_err() || is_error {
                    return;
                }
                start = end;
            }
        });
        *response.body_mut() = Answer::Parts(receiver);
    }
    response
}

/// Parses the HTTP header `Range`. Returns `None` unless it is a single range inside a file of this length.
fn of_range(range: &str, length: u64) -> Option<Range<u64>> {
    let (start, end) = range.strip_prefix("bytes=")?.split_once('-')?;
    let range = match (start, end) {
        ("", last) => length.saturating_sub(last.parse().ok()?)..length,
        (start, "") => start.parse().ok()?..length,
        (start, end) => start.parse().ok()?..end.parse::<u64>().ok()?.saturating_add(1).min(length),
    };
    (range.start < range.end).then_some(range)
}

fn plain(status: StatusCode) -> Response<Answer> {
    let mut response = Response::new(Answer::Whole(None));
    *response.status_mut() = status;
    set(&mut response, header::CACHE_CONTROL, "no-store".to_owned());
    set(&mut response, header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned());
    set(&mut response, header::REFERRER_POLICY, "no-referrer".to_owned());
    response
}

fn set(response: &mut Response<Answer>, name: HeaderName, value: String) {
    if let Ok(value) = HeaderValue::from_str(&value) {
        response.headers_mut().insert(name, value);
    }
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json") => "application/json",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

/// The body of a response.
enum Answer {
    Whole(Option<Bytes>),
    Parts(mpsc::Receiver<std::io::Result<Bytes>>),
}

impl Body for Answer {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<std::io::Result<Frame<Bytes>>>> {
        match &mut *self {
            Answer::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Answer::Parts(parts) => parts.poll_recv(context).map(|part| part.map(|part| part.map(Frame::data))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Answer::Whole(None))
    }
}
