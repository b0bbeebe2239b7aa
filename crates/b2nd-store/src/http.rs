//! Files behind HTTP, read by range requests.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use b2nd::Result;
use b2nd::frame::Source;
use ureq::Agent;
use ureq::http::StatusCode;
#[cfg(feature = "https")]
use ureq::tls::{RootCerts, TlsConfig};

use crate::text::{count, printable};

/// The length that is asked for at once: most headers, and all the trailers and indexes of most files.
const BLOCK: u64 = 1 << 16;

/// The most that is asked for at once. What is longer than a block is values, or read once.
const PIECE: u64 = 1 << 23;

/// The number of blocks that are kept.
const KEPT: usize = 256;

/// The longest file that is taken whole from a server without ranges.
const WHOLE: u64 = 1 << 24;

/// The time that a server may take for a range: for its answers, for questions that are asked again, and for the bytes.
const PATIENCE: Duration = Duration::from_secs(30);

/// The waits before a question is asked again.
const PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_millis(400)];

/// A file on a server. That it is replaced while it is read is an error, where the server gives an `ETag`, a `Last-Modified` or another
/// length: where it gives none of them nobody can tell.
pub struct HttpFile {
    agent: Agent,
    url: String,
    state: State,
    patience: Duration,
    /// Why no more is asked: the server has let one question wait for too long.
    stalled: OnceLock<String>,
    /// All of it, where the server gives no ranges.
    whole: Option<Vec<u8>>,
    /// Blocks that have been read, by their number.
    blocks: Mutex<BTreeMap<u64, Vec<u8>>>,
}

impl HttpFile {
    /// Reads the first block, and with it the length.
    ///
    /// # Errors
    ///
    /// The server does not answer, or not with the file or a range of it.
    pub fn open(url: &str) -> Result<HttpFile> {
        HttpFile::open_within(url, PATIENCE)
    }

    fn open_within(url: &str, patience: Duration) -> Result<HttpFile> {
        let config = Agent::config_builder().http_status_as_error(false);
        #[cfg(feature = "https")]
        let config = config.tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build());
        let agent = config.build().new_agent();
        let mut file = HttpFile {
            agent,
            url: url.to_owned(),
            state: State::default(),
            patience,
            stalled: OnceLock::new(),
            whole: None,
            blocks: Mutex::default(),
        };
        match file.ask(0..BLOCK)? {
            Answer::Part(first, state) => {
                file.state = state;
                file.blocks = Mutex::new(BTreeMap::from([(0, first)]));
            }
            Answer::Whole(bytes) => {
                file.state.length = bytes.len() as u64;
                file.whole = Some(bytes);
            }
        }
        Ok(file)
    }

    /// A range of the file as it was when it was opened.
    fn fetch_same(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        match self.ask(range)? {
            Answer::Part(bytes, state) if state == self.state => Ok(bytes),
            Answer::Part(_, State { length, .. }) if length != self.state.length => {
                let was = count(self.state.length, "byte");
                Err(io::Error::other(format!("the file had {was}, and has {length} now")))
            }
            Answer::Part(_, state) => {
                let (field, was, is) = match self.state.tag == state.tag {
                    false => ("ETag", &self.state.tag, &state.tag),
                    true => ("Last-Modified", &self.state.modified, &state.modified),
                };
                let [was, is] = [was, is].map(|value| printable(value.as_deref().unwrap_or("none")));
                Err(io::Error::other(format!("the file was replaced while it was read: its {field} was {was}, and is {is} now")))
            }
            Answer::Whole(_) => Err(io::Error::other("the server gives no ranges of the file any more, but all of it")),
        }
    }

    /// Asks for a range, again where the server or the way to it fails for a moment, up to a deadline. A server that has once kept this
    /// waiting for so long is not asked again.
    fn ask(&self, range: Range<u64>) -> io::Result<Answer> {
        if let Some(stalled) = self.stalled.get() {
            return Err(io::Error::new(io::ErrorKind::TimedOut, stalled.clone()));
        }
        let deadline = Instant::now() + self.patience;
        let mut pauses = PAUSES.iter();
        loop {
            let header = format!("bytes={}-{}", range.start, range.end - 1);
            let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
            let request = self.agent.get(&self.url).header("Range", header);
            let response = request.config().timeout_global(Some(left)).build().call();
            let fails_for_a_moment = match &response {
                Ok(response) => matches!(response.status().as_u16(), 429 | 500 | 502 | 503 | 504),
                Err(ureq::Error::Io(error)) => error.kind() != io::ErrorKind::ConnectionRefused,
                Err(_) => false,
            };
            match pauses.next().filter(|_| fails_for_a_moment) {
                Some(pause) => std::thread::sleep(*pause),
                None => {
                    let answer = response.map_err(io::Error::other).and_then(|response| self.answer(response, range));
                    return answer.inspect_err(|error| {
                        if Instant::now() >= deadline {
                            let _ = self.stalled.set(error.to_string());
                        }
                    });
                }
            }
        }
    }

    fn answer(&self, mut response: ureq::http::Response<ureq::Body>, range: Range<u64>) -> io::Result<Answer> {
        match response.status() {
            StatusCode::PARTIAL_CONTENT => {}
            StatusCode::OK => {
                let body = response.body_mut().with_config().limit(WHOLE + 1).read_to_vec();
                return body.map(Answer::Whole).map_err(|error| match error {
                    ureq::Error::BodyExceedsLimit(_) => io::Error::other(format!(
                        "the server gives no ranges of the file, and no more than {WHOLE} bytes are taken whole"
                    )),
                    error => io::Error::other(error),
                });
            }
            // An empty file has no first byte.
            StatusCode::RANGE_NOT_SATISFIABLE if range.start == 0 => return Ok(Answer::Part(Vec::new(), State::default())),
            status => return Err(io::Error::other(format!("the server answers {status}"))),
        }
        let field = |name| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let said = field("content-range").unwrap_or_default();
        let (tag, modified) = (field("etag"), field("last-modified"));
        let (start, last, length) = content_range(&said).ok_or_else(|| {
            let what = "the server does not say which bytes of how many it gives";
            io::Error::other(format!("{what}: Content-Range: {}", printable(&said)))
        })?;
        // ureq refuses a body that is as long as its limit.
        let limit = range.end - range.start + 1;
        let bytes = response.body_mut().with_config().limit(limit).read_to_vec().map_err(io::Error::other)?;
        let end = start.checked_add(bytes.len() as u64);
        if start != range.start || end != last.checked_add(1) || end != Some(range.end.min(length)) {
            let found = format!("{} of {}", count(bytes.len(), "byte"), printable(&said));
            return Err(io::Error::other(format!("asked for bytes {}-{}, the server gave {found}", range.start, range.end - 1)));
        }
        Ok(Answer::Part(bytes, State { length, tag, modified }))
    }
}

/// The answer of a server.
enum Answer {
    /// The range, and what the whole file is.
    Part(Vec<u8>, State),
    Whole(Vec<u8>),
}

/// Signs that tell a file from another one that is put in its place. A server that gives neither tag nor time is
/// taken at its word as long as the length stays.
#[derive(Default, PartialEq, Eq)]
struct State {
    length: u64,
    tag: Option<String>,
    modified: Option<String>,
}

/// The first byte, the last one and the length of the file in `bytes 0-65535/70000`.
fn content_range(value: &str) -> Option<(u64, u64, u64)> {
    let (range, length) = value.trim().strip_prefix("bytes ")?.split_once('/')?;
    let (start, last) = range.split_once('-')?;
    Some((start.parse().ok()?, last.parse().ok()?, length.parse().ok()?))
}

impl Source for HttpFile {
    fn len(&self) -> Result<u64> {
        Ok(self.state.length)
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        let end = range.end.min(self.state.length);
        let start = range.start.min(end);
        if let Some(whole) = &self.whole {
            return whole.read(start..end);
        }
        let mut bytes = Vec::new();
        if end - start > BLOCK {
            for at in (start..end).step_by(PIECE as usize) {
                bytes.extend(self.fetch_same(at..end.min(at + PIECE))?);
            }
            return Ok(Cow::Owned(bytes));
        }
        // A block that nobody finished is not there.
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        for number in start / BLOCK..end.div_ceil(BLOCK) {
            if blocks.len() == KEPT && !blocks.contains_key(&number) {
                blocks.clear();
            }
            let block = number * BLOCK..((number + 1) * BLOCK).min(self.state.length);
            let held = match blocks.entry(number) {
                Entry::Occupied(held) => held.into_mut(),
                Entry::Vacant(place) => place.insert(self.fetch_same(block.clone())?),
            };
            let place = |at: u64| usize::try_from(at.clamp(block.start, block.end) - block.start).unwrap_or(usize::MAX);
            // A block has all its bytes, or it was refused.
            bytes.extend_from_slice(held.get(place(start)..place(end)).unwrap_or_default());
        }
        Ok(Cow::Owned(bytes))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;
    use std::thread;
    use std::time::{Duration, Instant};

    use b2nd::frame::Source;

    use super::{BLOCK, HttpFile};

    /// A server that answers for the first block, and then says no more, or a byte now and then.
    fn stalling(trickles: bool) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            let mut open = Vec::new();
            for (number, stream) in listener.incoming().enumerate() {
                let mut stream = stream.unwrap();
                let lines = BufReader::new(stream.try_clone().unwrap()).lines();
                lines.map_while(Result::ok).take_while(|line| !line.is_empty()).for_each(drop);
                let head = |start| {
                    format!(
                        "HTTP/1.1 206 Partial Content\r\ncontent-range: bytes {start}-{}/{}\r\ncontent-length: {BLOCK}\r\nconnection: close\r\n\r\n",
                        start + BLOCK - 1,
                        9 * BLOCK
                    )
                };
                if number == 0 {
                    stream.write_all(head(0).as_bytes()).unwrap();
                    stream.write_all(&vec![7; BLOCK as usize]).unwrap();
                } else if trickles {
                    stream.write_all(head(BLOCK).as_bytes()).unwrap();
                    thread::spawn(move || {
                        while stream.write_all(&[7]).is_ok() {
                            thread::sleep(Duration::from_millis(20))
                        }
                    });
                } else {
                    open.push(stream);
                }
            }
        });
        format!("http://{address}/file")
    }

    #[test]
    fn a_server_that_stalls_has_one_deadline_for_all_that_is_asked() {
        for trickles in [false, true] {
            let file = HttpFile::open_within(&stalling(trickles), Duration::from_millis(500)).unwrap();
            let start = Instant::now();
            for block in 1..9 {
                let error = file.read(block * BLOCK..(block + 1) * BLOCK).unwrap_err();
                assert!(error.to_string().contains("timeout"), "{error}");
            }
            assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
            assert_eq!(file.read(0..4).unwrap()[..], [7; 4], "what is at hand can be read");
        }
    }
}
