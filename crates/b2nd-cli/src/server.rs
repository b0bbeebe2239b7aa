//! The server of `b2nd view`. It serves the page and the files on the command line, only to this machine.

use std::borrow::Cow;
use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::net::Ipv4Addr;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use b2nd_frame::FileSource;
use b2nd_store::{Directory, Folder, Location, Target};
use b2nd_view::text::hex;
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

/// The maximum number of bytes of a file that are read at a time.
const PART: u64 = 1 << 20;

include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// The files of the page, by name.
pub(crate) type Page = HashMap<String, Cow<'static, [u8]>>;

/// Loads the page from a directory, or returns the page that is built into this program.
pub(crate) fn page(directory: Option<&Path>) -> Result<Page> {
    let Some(directory) = directory else {
        if FILES.is_empty() {
            let sentence = "this build of b2nd does not contain the web page of `b2nd view`: install a build that does, with \
                            `pip install b2nd`, or build the page with web/build and give its directory with --page";
            return Err(Error::new(sentence));
        }
        return Ok(FILES.iter().map(|&(name, bytes)| (name.to_owned(), bytes.into())).collect());
    };
    let read = || -> io::Result<Page> {
        let mut page = Page::new();
        for entry in std::fs::read_dir(directory)? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                page.insert(entry.file_name().to_string_lossy().into_owned(), std::fs::read(entry.path())?.into());
            }
        }
        Ok(page)
    };
    match read() {
        Ok(page) if page.contains_key("index.html") => Ok(page),
        Ok(_) => Err(Error::new(format_args!("{}: it has no index.html", directory.display()))),
        Err(error) => Err(Error::new(format_args!("{}: {error}", directory.display()))),
    }
}

/// Starts the browser. Errors are ignored, because the URL is printed too.
pub(crate) fn open(url: &str) {
    let _ = ::open::that_detached(url);
}

/// The data that the server needs to answer requests.
struct Site {
    /// The first part of the path in each URL. It is random, so that other programs cannot guess URLs.
    token: String,
    hosts: [String; 2],
    page: Page,
    files: Files,
}

/// The served files, and a list of them for the page. In `served`, the key of a file is the path in the file's URL, without the token.
#[derive(Default)]
pub(crate) struct Files {
    list: Vec<serde_json::Value>,
    served: HashMap<String, Open>,
}

impl Files {
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds a file, a store, a leaf of a store, a sparse frame or a URL.
    pub(crate) fn add(&mut self, path: &Path) -> Result<()> {
        let location = Location::new(path.as_os_str());
        if let Some(path) = location.path().filter(|_| location.key().is_none()) {
            if !path.is_dir() {
                Target::local(path)?;
            }
            return self.add_path(path);
        }
        let source = match (location.key(), location.open()?) {
            // A store is served as a whole file. The page lists its leaves.
            (None, Target::File(source)) => source,
            _ => values::source(path)?,
        };
        self.add_served(&location.place(), Arc::new(move || Ok(source.clone())));
        Ok(())
    }

    /// Adds a file, or a directory with all files below it. Fails if a directory contains no `.b2frame`, `.b2nd`, `.b2f` or `.b2e` file.
    pub(crate) fn add_path(&mut self, path: &Path) -> Result<()> {
        if !path.is_dir() {
            self.add_served(&path.to_string_lossy(), opener(path.to_owned()));
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
            // Symbolic links are left out, because they could lead out of the directory.
            if let Some(metadata) = below.symlink_metadata().ok().filter(std::fs::Metadata::is_file) {
                entries.push(json!({"path": file, "url": url, "size": metadata.len()}));
                self.served.insert(url, opener(below));
            }
        }
        self.list.push(json!({"name": name(&path.to_string_lossy()), "files": entries}));
        Ok(())
    }

    fn add_served(&mut self, place: &str, served: Open) {
        let url = format!("files/{}", self.list.len());
        self.list.push(json!({"name": name(place), "url": url}));
        self.served.insert(url, served);
    }
}

/// Returns the last part of a path or URL.
fn name(place: &str) -> &str {
    place.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

/// A function that opens a served file. Local files are opened for each request, because the number of files that a program can keep open
/// is limited.
type Open = Arc<dyn Fn() -> b2nd_frame::Result<b2nd_store::Bytes> + Send + Sync>;

fn opener(path: PathBuf) -> Open {
    Arc::new(move || Ok(Arc::new(FileSource::open(&path)?)))
}

/// Runs the server until a signal ends it. `started` is called with the URL.
pub(crate) fn serve(page: Page, files: Files, port: u16, started: impl FnOnce(&str) -> Result<()>) -> Result<()> {
    let failed = |error: io::Error| Error::new(format_args!("127.0.0.1:{port}: {error}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(Error::new)?;
        let token = hex(&random, "");
        let hosts = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{port}"));
        let site = Arc::new(Site { token, hosts, page, files });
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

impl Site {
    async fn answer(&self, request: &Request<Incoming>) -> Response<Answer> {
        let text = |name: HeaderName| request.headers().get(name).map(|value| value.to_str().unwrap_or_default());
        let is_ours = |host: &str| self.hosts.iter().any(|ours| ours == host);
        // Rejects requests from pages of other hosts. Also rejects requests whose host name is not in `hosts`, because a foreign host name
        // can resolve to this machine.
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
            let headers =
                [(header::CONTENT_TYPE, media_type(name).to_owned()), (header::CONTENT_LENGTH, bytes.len().to_string())];
            return response(StatusCode::OK, headers, Answer::Whole((!is_head).then(|| bytes.into())));
        }
        match self.files.served.get(path) {
            Some(open) => part(open.clone(), text(header::RANGE), is_head).await,
            None => plain(StatusCode::NOT_FOUND),
        }
    }
}

/// Answers with a file, or with a range of its bytes.
async fn part(open: Open, range: Option<&str>, is_head: bool) -> Response<Answer> {
    let opened = tokio::task::spawn_blocking(move || open().and_then(|source| Ok((source.len()?, source))));
    let Ok(Ok((length, source))) = opened.await else { return plain(StatusCode::BAD_GATEWAY) };
    let mut headers = Vec::new();
    let (status, range) = match range.map(|range| of_range(range, length)) {
        None => (StatusCode::OK, 0..length),
        Some(Some(range)) => {
            headers.push((header::CONTENT_RANGE, format!("bytes {}-{}/{length}", range.start, range.end - 1)));
            (StatusCode::PARTIAL_CONTENT, range)
        }
        Some(None) => {
            let headers = [(header::CONTENT_RANGE, format!("bytes */{length}"))];
            return response(StatusCode::RANGE_NOT_SATISFIABLE, headers, Answer::Whole(None));
        }
    };
    headers.push((header::CONTENT_TYPE, "application/octet-stream".to_owned()));
    headers.push((header::ACCEPT_RANGES, "bytes".to_owned()));
    headers.push((header::CONTENT_LENGTH, (range.end - range.start).to_string()));
    if is_head {
        return response(status, headers, Answer::Whole(None));
    }
    let (sender, receiver) = mpsc::channel(2);
    tokio::task::spawn_blocking(move || {
        for start in range.clone().step_by(PART as usize) {
            let end = start.saturating_add(PART).min(range.end);
            let bytes = match source.read(start..end) {
                Ok(bytes) if bytes.len() as u64 == end - start => Ok(bytes.into_owned().into()),
                Ok(_) => Err(io::ErrorKind::UnexpectedEof.into()),
                Err(error) => Err(io::Error::other(error)),
            };
            let is_error = bytes.is_err();
            if sender.blocking_send(bytes).is_err() || is_error {
                return;
            }
        }
    });
    response(status, headers, Answer::Parts(receiver))
}

/// Parses the HTTP header `Range` for a file of this length. An end beyond the end of the file is cut. Returns `None` if the header is not
/// a single range, or if no bytes are left after the cut.
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
    response(status, [], Answer::Whole(None))
}

fn response(status: StatusCode, headers: impl IntoIterator<Item = (HeaderName, String)>, body: Answer) -> Response<Answer> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let all = [
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    for (name, value) in all.map(|(name, value)| (name, value.to_owned())).into_iter().chain(headers) {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
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
    Parts(mpsc::Receiver<io::Result<Bytes>>),
}

impl Body for Answer {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        match &mut *self {
            Answer::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Answer::Parts(parts) => parts.poll_recv(context).map(|part| part.map(|part| part.map(Frame::data))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Answer::Whole(None))
    }
}
