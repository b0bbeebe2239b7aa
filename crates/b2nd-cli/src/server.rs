//! The server of `b2nd view`. It serves the page, and answers the page's questions about the files in its menu. Only this machine can
//! connect to it.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use b2nd_page::{Answer, Session, Shown};
use b2nd_store::{Directory, LocalFile, Location, SPARSE_FRAME, Store, Target};
use b2nd_view::text::hex;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};

use crate::error::{Error, Result};

/// The maximum number of connections. Further ones wait until one of them is closed.
const CONNECTIONS: usize = 64;

/// The maximum time for sending a request, and for reading an answer. After this time, the connection is closed; if only the body of a
/// question is late, the answer is an error.
const IDLE: Duration = Duration::from_secs(15);

/// The maximum number of answers that are computed or sent at the same time, which limits the memory.
const ANSWERS: usize = 4;

/// The maximum number of these answers that are about one file.
const PER_FILE: usize = 2;

/// The maximum number of files that stay open.
const OPEN: usize = 8;

/// The maximum time for computing an answer. After this time, the client gets an error, but a request to another server is not
/// interrupted.
const PATIENCE: Duration = Duration::from_secs(60);

/// The maximum length of a question in bytes.
const QUESTION: usize = 1 << 16;

/// A file about which questions are answered.
pub(crate) struct Served {
    name: String,
    location: Location,
    /// The path of the file or directory, with links resolved when the server started. If links lead to another path later, opening it
    /// fails.
    file: Option<PathBuf>,
    /// Limits the number of answers about this file.
    answers: Arc<Semaphore>,
}

impl Served {
    /// Serves a file, a store, a leaf of a store, a sparse frame or a URL, which is opened to see that it can be read.
    pub(crate) fn named(path: &Path) -> Result<Served> {
        let location = Location::new(path.as_os_str());
        // The last part of the path or URL.
        let name = location.place().trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
        let is_folder = location.key().is_none() && path.is_dir() && !path.join(SPARSE_FRAME).is_file();
        if is_folder {
            let hint = "to serve the frames and stores in the directory, use -r";
            Store::open(path)?.list().map_err(|error| Error::new(format_args!("{error}; {hint}")))?;
        }
        let served = Served::new(name, location);
        served.open().map(|_| served)
    }

    /// Serves a path that was found below a directory, without opening it.
    pub(crate) fn found(path: &Path, root: &Path) -> Served {
        let name = path.strip_prefix(root).ok().filter(|name| !name.as_os_str().is_empty()).unwrap_or(path);
        Served::new(name.to_string_lossy().into_owned(), Location::of(path))
    }

    fn new(name: String, location: Location) -> Served {
        let file = location.path().and_then(|path| path.canonicalize().ok());
        Served { name, file, location, answers: Arc::new(Semaphore::new(PER_FILE)) }
    }

    fn open(&self) -> Result<Shown> {
        let path = self.location.path();
        if path.is_some_and(|path| path.canonicalize().ok() != self.file) {
            return Err(Error::new("the file was removed or cannot be reached, or a symbolic link in its path was changed"));
        }
        let name = self.name.as_str();
        Ok(match (&self.file, self.location.key()) {
            (_, Some(_)) => Shown::file(name, self.location.frame()?),
            (Some(path), None) if path.is_dir() => Shown::folder(name, Arc::new(Directory(path.clone())))?,
            (Some(path), None) => Shown::file(name, Arc::new(LocalFile::open(path)?)),
            (None, None) => match self.location.open()? {
                Target::File(file) => Shown::file(name, file),
                Target::Directory(directory) => Shown::folder(name, Arc::new(directory))?,
            },
        })
    }
}

/// The data that the server needs to answer requests.
struct Site {
    /// The first part of the path in each URL. It is random, so that other programs cannot guess URLs.
    token: String,
    hosts: [String; 2],
    files: Vec<Served>,
    /// The files that were asked about last, which stay open.
    sessions: Mutex<VecDeque<(usize, Arc<Session>)>>,
    answers: Arc<Semaphore>,
}

/// Runs the server until a signal ends it. `files` has the order of the page's menu, and `started` is called with the URL.
pub(crate) fn serve(files: Vec<Served>, port: u16, started: impl FnOnce(&str) -> Result<()>) -> Result<()> {
    let failed = |error: io::Error| Error::new(format_args!("127.0.0.1:{port}: {error}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let result = runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(Error::new)?;
        let token = hex(&random, "");
        let hosts = ["127.0.0.1", "localhost"].map(|host| if port == 80 { host.to_owned() } else { format!("{host}:{port}") });
        let (sessions, answers) = (Mutex::default(), Arc::new(Semaphore::new(ANSWERS)));
        let site = Arc::new(Site { token, hosts, files, sessions, answers });
        let mut ended = std::pin::pin!(ended());
        started(&format!("http://127.0.0.1:{port}/{}/?list=files.json", site.token))?;
        let connections = Arc::new(Semaphore::new(CONNECTIONS));
        loop {
            let accept = async { (connections.clone().acquire_owned().await, listener.accept().await) };
            let (permit, accepted) = tokio::select! {
                () = &mut ended => return Ok(()),
                accepted = accept => accepted,
            };
            // A client that disconnects does not end the server, and neither does the limit of open files.
            let Ok((stream, _)) = accepted else {
                sleep(Duration::from_millis(100)).await;
                continue;
            };
            let site = site.clone();
            tokio::spawn(async move {
                connection(site, stream).await;
                drop(permit);
            });
        }
    });
    // Do not wait for answers that are waiting for another server.
    runtime.shutdown_background();
    result
}

/// Answers the requests of a connection, until its client closes it or is idle for too long.
async fn connection(site: Arc<Site>, stream: TcpStream) {
    // Whether an answer is being computed. Otherwise the server waits for the client to send its next request or to read the answer.
    let (is_busy, mut changes) = watch::channel(false);
    let (site, is_busy) = (&site, &is_busy);
    let answer = service_fn(move |request| async move {
        is_busy.send_replace(true);
        let response = site.clone().answer(request).await;
        is_busy.send_replace(false);
        Ok::<_, Infallible>(response)
    });
    let idle = async {
        loop {
            let limit = if *changes.borrow_and_update() { Duration::MAX } else { IDLE };
            if timeout(limit, changes.changed()).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        _ = http1::Builder::new().serve_connection(TokioIo::new(stream), answer) => {}
        () = idle => {}
    }
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
    async fn answer(self: Arc<Site>, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let text = |name: HeaderName| request.headers().get(name).map(|value| value.to_str().unwrap_or_default());
        let is_ours = |host: &str| self.hosts.iter().any(|ours| ours == host);
        // Rejects requests with a foreign origin, which come from other pages. Also rejects requests whose host name is not in `hosts`,
        // because a foreign host name can resolve to this machine.
        let is_origin = text(header::ORIGIN).is_none_or(|origin| origin.strip_prefix("http://").is_some_and(is_ours));
        if !text(header::HOST).is_some_and(is_ours) || !is_origin {
            return plain(StatusCode::FORBIDDEN);
        }
        let path = request.uri().path().strip_prefix('/').and_then(|path| path.strip_prefix(self.token.as_str()));
        let Some(path) = path.and_then(|path| path.strip_prefix('/')).map(str::to_owned) else {
            return plain(StatusCode::NOT_FOUND);
        };
        if let Some(number) = path.strip_prefix("ask/") {
            let number = number.parse().ok().filter(|&number: &usize| number < self.files.len());
            return match (number, request.method()) {
                (Some(number), &Method::POST) => self.ask(number, request.into_body()).await,
                (Some(_), _) => plain(StatusCode::METHOD_NOT_ALLOWED),
                (None, _) => plain(StatusCode::NOT_FOUND),
            };
        }
        // The body of an answer to HEAD is not sent.
        if ![Method::GET, Method::HEAD].contains(request.method()) {
            return plain(StatusCode::METHOD_NOT_ALLOWED);
        }
        let name = if path.is_empty() { "index.html" } else { path.as_str() };
        let bytes = match b2nd_page::FILES.iter().find(|(file, _)| *file == name) {
            _ if name == "files.json" => self.list().into(),
            Some((_, bytes)) => Bytes::from_static(bytes),
            None => return plain(StatusCode::NOT_FOUND),
        };
        response(StatusCode::OK, Some(media_type(name)), bytes)
    }

    /// The page's menu: the name of each file, and the URL for questions about it.
    fn list(&self) -> String {
        let door = |(number, file): (usize, &Served)| json!({"name": file.name, "door": format!("ask/{number}")});
        serde_json::Value::Array(self.files.iter().enumerate().map(door).collect()).to_string()
    }

    /// Answers a question about a file. If the client disconnects, this future is dropped, and the slice for the answer is read no further.
    async fn ask(self: Arc<Site>, number: usize, body: Incoming) -> Response<Full<Bytes>> {
        let question = match timeout(IDLE, Limited::new(body, QUESTION).collect()).await {
            Ok(Ok(question)) => question.to_bytes(),
            Ok(Err(error)) if error.is::<LengthLimitError>() => return plain(StatusCode::PAYLOAD_TOO_LARGE),
            Ok(Err(_)) => return plain(StatusCode::BAD_REQUEST),
            Err(_) => return plain(StatusCode::REQUEST_TIMEOUT),
        };
        // This value is dropped when the function no longer waits for the answer.
        let waiting = Arc::new(());
        let (waits, started) = (Arc::downgrade(&waiting), Instant::now());
        let computed = async {
            // Limits the questions about one file, which may be on a slow server, so that questions about other files are still answered.
            let of_file = self.files.get(number)?.answers.clone().acquire_owned().await.ok()?;
            let permits = [of_file, self.answers.clone().acquire_owned().await.ok()?];
            let computed = tokio::task::spawn_blocking(move || {
                let goes_on = || waits.strong_count() != 0 && started.elapsed() < PATIENCE;
                let answer = self.session(number, &question).map(|session| session.answer(&question, &goes_on));
                (answer.unwrap_or_else(|error| failed(&error.to_string())), Some(permits))
            });
            computed.await.ok()
        };
        // A computation for which this function no longer waits keeps its permits until it ends.
        let (answer, permits) = match timeout(PATIENCE, computed).await {
            Ok(Some(computed)) => computed,
            Ok(None) => return plain(StatusCode::INTERNAL_SERVER_ERROR),
            Err(_) => (failed("the answer takes too long: choose a smaller part, or try again later"), None),
        };
        let media_type = if answer.is_json { "application/json" } else { "application/octet-stream" };
        response(StatusCode::OK, Some(media_type), Bytes::from_owner(Computed(answer.bytes, permits)))
    }

    /// Returns the session of a file, which is opened if it is not among those that were asked about last, or if the page opens it again.
    fn session(&self, number: usize, question: &[u8]) -> Result<Arc<Session>> {
        let sessions = || self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let mut open = sessions();
        let place = open.iter().position(|(open, _)| *open == number && !Session::is_new(question));
        if let Some(found) = place.and_then(|place| open.remove(place)) {
            open.push_front(found.clone());
            return Ok(found.1);
        }
        // The lock is not held while the file is opened, which can take a long time over the network.
        drop(open);
        let session = Arc::new(Session::new(self.files[number].open()?));
        let mut sessions = sessions();
        sessions.retain(|(open, _)| *open != number);
        sessions.push_front((number, session.clone()));
        sessions.truncate(OPEN);
        Ok(session)
    }
}

fn failed(error: &str) -> Answer {
    Answer { bytes: json!({ "error": error }).to_string().into_bytes(), is_json: true }
}

/// The bytes of an answer, with the permits that limit the number of answers in memory.
struct Computed(Vec<u8>, #[allow(dead_code)] Option<[OwnedSemaphorePermit; 2]>);

impl AsRef<[u8]> for Computed {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

fn plain(status: StatusCode) -> Response<Full<Bytes>> {
    response(status, None, Bytes::new())
}

fn response(status: StatusCode, media_type: Option<&'static str>, body: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    let all = [
        (header::CACHE_CONTROL, Some("no-store")),
        (header::X_CONTENT_TYPE_OPTIONS, Some("nosniff")),
        (header::REFERRER_POLICY, Some("no-referrer")),
        (header::CONTENT_TYPE, media_type),
    ];
    response.headers_mut().extend(all.into_iter().filter_map(|(name, value)| Some((name, HeaderValue::from_static(value?)))));
    response
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json") => "application/json",
        _ => "application/octet-stream",
    }
}
