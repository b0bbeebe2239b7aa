//! An HTTP/1.1 file server with ranges, listings (WebDAV's PROPFIND), latency, and faults on demand.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) struct Server {
    port: u16,
    state: Arc<State>,
}

struct State {
    files: BTreeMap<String, Vec<u8>>,
    latency: Duration,
    /// If true, the first response for most files is a fault, which depends on the number in the file's name.
    faults: bool,
    kind: Kind,
    /// If true, only requests of [`USER`] are allowed.
    guarded: bool,
    answered: AtomicU64,
    in_flight: AtomicU64,
    most: AtomicU64,
    requests: Mutex<HashMap<String, Vec<Range<usize>>>>,
    faulted: AtomicU64,
    listed: AtomicU64,
}

/// The features of a server.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// Ranges and PROPFIND.
    WebDav,
    /// Ranges and PROPFIND; each listing has new modification times.
    Touched,
    /// Ranges, but no listings.
    Plain,
    /// Whole files only, and no listings, like `python -m http.server`.
    WithoutRanges,
}

/// The authorization of the user `me` with the password `se@cret`.
const USER: &str = "Basic bWU6c2VAY3JldA==";

impl Server {
    pub(crate) fn start(files: impl IntoIterator<Item = (String, Vec<u8>)>, latency: Duration) -> Server {
        Server::new(files, latency, false, Kind::WebDav, false)
    }

    /// A server whose first response for most files is an error, is cut off, or is late.
    pub(crate) fn failing(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Server {
        Server::new(files, Duration::ZERO, true, Kind::WebDav, false)
    }

    pub(crate) fn of_kind(kind: Kind, files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Server {
        Server::new(files, Duration::ZERO, false, kind, false)
    }

    /// A server that only the user `me` with the password `se@cret` may read.
    pub(crate) fn guarded(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Server {
        Server::new(files, Duration::ZERO, false, Kind::WebDav, true)
    }

    fn new(
        files: impl IntoIterator<Item = (String, Vec<u8>)>,
        latency: Duration,
        faults: bool,
        kind: Kind,
        guarded: bool,
    ) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let files = files.into_iter().map(|(name, content)| (format!("/{name}"), content)).collect();
        let (answered, in_flight, most, requests, faulted, listed) = Default::default();
        let state =
            Arc::new(State { files, latency, faults, kind, guarded, answered, in_flight, most, requests, faulted, listed });
        let shared = state.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = shared.clone();
                std::thread::spawn(move || while state.serve(&stream).is_some() {});
            }
        });
        Server { port, state }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// The number of GET requests for existing files, including faults.
    pub(crate) fn answered(&self) -> u64 {
        self.state.answered.load(Ordering::SeqCst)
    }

    pub(crate) fn faulted(&self) -> u64 {
        self.state.faulted.load(Ordering::SeqCst)
    }

    /// The largest number of requests for files that waited for a response at the same time.
    pub(crate) fn most_in_flight(&self) -> u64 {
        self.state.most.load(Ordering::SeqCst)
    }

    /// The requested ranges of each file, recorded only if the server supports ranges. A listing of a directory counts as an empty range.
    pub(crate) fn requests(&self) -> HashMap<String, Vec<Range<usize>>> {
        self.state.requests.lock().unwrap().clone()
    }
}

impl State {
    /// Answers one request; `None` ends the connection.
    fn serve(&self, stream: &TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|&read| read > 0)?;
        let mut words = line.split_whitespace();
        let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
        let (mut range, mut body, mut user) = (None, 0, String::new());
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).ok().filter(|&read| read > 0)?;
            let Some((name, value)) = header.trim().split_once(": ") else { break };
            match name.to_ascii_lowercase().as_str() {
                "range" => {
                    range = Some(
                        value
                            .strip_prefix("bytes=")?
                            .split_once('-')
                            .and_then(|(from, to)| Some(from.parse().ok()?..to.parse::<usize>().ok()? + 1))?,
                    )
                }
                "authorization" => user = value.to_owned(),
                "content-length" => body = value.parse().ok()?,
                _ => {}
            }
        }
        std::io::Read::read_exact(&mut reader, &mut vec![0; body]).ok()?;
        if self.guarded && user != USER {
            return answer(stream, "401 Unauthorized", "", b"");
        }
        if method == "HEAD" {
            return self.head(stream, &path);
        }
        if method == "PROPFIND" {
            self.requests.lock().unwrap().entry(path.clone()).or_default().push(0..0);
            return match self.kind {
                Kind::Plain => answer(stream, "405 Method Not Allowed", "", b""),
                Kind::WithoutRanges => answer(stream, "501 Not Implemented", "", b""),
                _ => match self.listing(&path) {
                    Some(found) => answer(stream, "207 Multi-Status", "Content-Type: application/xml\r\n", found.as_bytes()),
                    None => answer(stream, "404 Not Found", "", b""),
                },
            };
        }
        self.most.fetch_max(self.in_flight.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(self.latency);
        self.in_flight.fetch_sub(1, Ordering::SeqCst);
        let Some(content) = self.files.get(&path) else { return answer(stream, "404 Not Found", "", b"") };
        if self.kind == Kind::WithoutRanges {
            self.answered.fetch_add(1, Ordering::SeqCst);
            return answer(stream, "200 OK", "Last-Modified: Wed, 21 Oct 2015 07:28:00 GMT\r\n", content);
        }
        let range = range.map_or(0..content.len(), |range: Range<usize>| range.start..range.end.min(content.len()));
        let asked = {
            let mut requests = self.requests.lock().unwrap();
            let asked = requests.entry(path.clone()).or_default();
            asked.push(range.clone());
            asked.len()
        };
        self.answered.fetch_add(1, Ordering::SeqCst);
        let part = &content[range.clone()];
        let place = format!(
            "ETag: \"{}\"\r\nContent-Range: bytes {}-{}/{}\r\nLast-Modified: Wed, 21 Oct 2015 07:28:00 GMT\r\n",
            content.len(),
            range.start,
            range.end - 1,
            content.len()
        );
        let number: usize = path.trim_start_matches('/').trim_end_matches(".b2nd").parse().unwrap_or(0);
        if self.faults && asked == 1 && !number.is_multiple_of(5) {
            self.faulted.fetch_add(1, Ordering::SeqCst);
            match number % 5 {
                1 => return answer(stream, "500 Internal Server Error", "", b"later"),
                2 => return answer(stream, "429 Too Many Requests", "Retry-After: 0\r\n", b"slow down"),
                // The connection ends in the middle of the body, or the response is late.
                3 => {
                    let head = format!("HTTP/1.1 206 Partial Content\r\n{place}Content-Length: {}\r\n\r\n", part.len());
                    let _ = (&mut &*stream).write_all(&[head.as_bytes(), &part[..part.len() / 2]].concat());
                    let _ = stream.shutdown(std::net::Shutdown::Both);
                    return None;
                }
                _ => std::thread::sleep(Duration::from_millis(500)),
            }
        }
        answer(stream, "206 Partial Content", &place, part)
    }

    fn head(&self, mut stream: &TcpStream, path: &str) -> Option<()> {
        let head = match self.files.get(path) {
            Some(content) => format!("200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: {}", content.len()),
            None if self.kind == Kind::WebDav && !path.ends_with('/') && self.listing(path).is_some() => {
                format!("301 Moved Permanently\r\nLocation: {path}/\r\nContent-Length: 0")
            }
            None if self.kind == Kind::WebDav && self.listing(path).is_some() => "200 OK\r\nContent-Length: 0".to_owned(),
            None => "404 Not Found\r\nContent-Length: 0".to_owned(),
        };
        let date = "Last-Modified: Wed, 21 Oct 2015 07:28:00 GMT";
        stream.write_all(format!("HTTP/1.1 {head}\r\n{date}\r\n\r\n").as_bytes()).ok()
    }

    /// All files below a directory, or `None` if there are none.
    fn listing(&self, directory: &str) -> Option<String> {
        let directory = format!("{}/", directory.trim_end_matches('/'));
        let second = if self.kind == Kind::Touched { self.listed.fetch_add(1, Ordering::SeqCst) % 60 } else { 0 };
        let entry = |(name, content): (&String, &Vec<u8>)| {
            format!(
                "<D:response><D:href>{name}</D:href><D:propstat><D:prop><D:getlastmodified>Wed, 21 Oct 2015 07:28:{second:02} GMT</D:getlastmodified>\
                 <D:getcontentlength>{0}</D:getcontentlength><D:getetag>\"{0}\"</D:getetag><D:resourcetype/></D:prop>\
                 <D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>",
                content.len()
            )
        };
        let entries: String = self.files.iter().filter(|(name, _)| name.starts_with(&directory)).map(entry).collect();
        (!entries.is_empty()).then(|| format!("<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\">{entries}</D:multistatus>"))
    }
}

fn answer(mut stream: &TcpStream, status: &str, headers: &str, body: &[u8]) -> Option<()> {
    let head = format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
    stream.write_all(&[head.as_bytes(), body].concat()).ok()
}
