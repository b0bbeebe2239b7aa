//! Files on HTTP servers, read with range requests.

use std::io;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use b2nd_frame::{Error, FIRST_READ, Result};
use backon::{BlockingRetryable, ExponentialBuilder};
use ureq::Agent;
use ureq::http::{StatusCode, Uri};
#[cfg(feature = "https")]
use ureq::tls::{RootCerts, TlsConfig};

use crate::frame::Bytes;
use crate::range_cache::RangeCache;
use crate::requests::AT_ONCE;
use crate::text::{count, printable};

/// The approximate maximum length of a file, in bytes, that is downloaded completely if the server does not support range requests.
const WHOLE: u64 = 1 << 24;

/// The timeout for fetching a range, including all retries.
const PATIENCE: Duration = Duration::from_secs(30);

/// A request with a transient failure before the body of the response is retried up to twice: after 0.1 s and after 0.4 s.
const RETRIES: ExponentialBuilder =
    ExponentialBuilder::new().with_min_delay(Duration::from_millis(100)).with_factor(4.0).with_max_times(2);

/// Opens a file on a server. A later request fails if the `ETag`, the `Last-Modified` or the length that the server sends has changed.
///
/// # Errors
///
/// Fails if the URL is not valid or has a user name, or if the file cannot be fetched.
pub(crate) fn open(url: &str) -> Result<Bytes> {
    open_within(url, PATIENCE)
}

/// Opens a file, and reads its first bytes and its length. `patience` is the timeout for fetching a range, including all retries.
fn open_within(url: &str, patience: Duration) -> Result<Bytes> {
    let address: Uri =
        url.parse().map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, format!("the URL is not valid: {error}")))?;
    let authority = address.authority().map_or("", |authority| authority.as_str());
    if authority.contains('@') {
        return Err(Error::custom("user names and passwords in URLs are not supported: use a URL that needs none"));
    }
    if address.port().is_none() && authority.len() > address.host().map_or(0, str::len) {
        return Err(Error::custom(format_args!("the port in {authority:?} is not a number from 0 to 65535")));
    }
    let config = Agent::config_builder().max_idle_connections_per_host(AT_ONCE);
    #[cfg(feature = "https")]
    let config = config.tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build());
    let server = Server { agent: config.build().new_agent(), url: url.to_owned(), patience, stalled: OnceLock::new() };
    Ok(match server.ask(0..FIRST_READ)? {
        (first, Some(state)) => {
            let length = state.length;
            Arc::new(RangeCache::new(length, move |range| server.fetch_same(range, &state)).with_first(first))
        }
        (bytes, None) => Arc::new(bytes),
    })
}

/// A server, and the URL of a file on it.
struct Server {
    agent: Agent,
    url: String,
    patience: Duration,
    /// The error of the first request that took longer than `patience`. Once it is set, `ask` returns it without a request.
    stalled: OnceLock<String>,
}

impl Server {
    /// Fetches a range of the file, which must not have changed since it was opened.
    fn fetch_same(&self, range: Range<u64>, opened: &State) -> io::Result<Vec<u8>> {
        match self.ask(range)? {
            (bytes, Some(state)) if state == *opened => Ok(bytes),
            (_, Some(State { length, .. })) if length != opened.length => {
                let was = count(opened.length, "byte");
                Err(io::Error::other(format!("the file changed while it was read: it had {was}, and has {length} now")))
            }
            (_, Some(state)) => {
                let (field, was, is) = match opened.tag == state.tag {
                    false => ("ETag", &opened.tag, &state.tag),
                    true => ("Last-Modified", &opened.modified, &state.modified),
                };
                let [was, is] = [was, is].map(|value| printable(value.as_deref().unwrap_or("none")));
                Err(io::Error::other(format!("the file was replaced while it was read: its {field} was {was}, and is {is} now")))
            }
            (_, None) => Err(io::Error::other("the server no longer answers range requests for the file: download it first")),
        }
    }

    /// Requests a range. Once a request has timed out, later calls return its error.
    fn ask(&self, range: Range<u64>) -> io::Result<Answer> {
        if let Some(stalled) = self.stalled.get() {
            return Err(io::Error::new(io::ErrorKind::TimedOut, stalled.clone()));
        }
        let deadline = Instant::now() + self.patience;
        let request = || {
            let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
            let request = self.agent.get(&self.url).header("Range", format!("bytes={}-{}", range.start, range.end - 1));
            request.config().timeout_global(Some(left)).build().call()
        };
        let answer = match request.retry(RETRIES).when(fails_for_a_moment).call() {
            Ok(response) => answer(response, range),
            // This status means that the range is outside of the file. A range that starts at 0 is outside only if the file is empty.
            Err(ureq::Error::StatusCode(416)) if range.start == 0 => Ok((Vec::new(), Some(State::default()))),
            Err(ureq::Error::StatusCode(code)) => {
                let status = StatusCode::from_u16(code).map_or_else(|_| code.to_string(), |status| status.to_string());
                Err(io::Error::other(format!("the server answered {status}")))
            }
            Err(error) => Err(io::Error::other(error)),
        };
        answer.inspect_err(|error| {
            if Instant::now() >= deadline {
                let _ = self.stalled.set(error.to_string());
            }
        })
    }
}

/// Returns true if a failure is transient.
fn fails_for_a_moment(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::StatusCode(code) => matches!(code, 429 | 500 | 502 | 503 | 504),
        ureq::Error::Io(error) => error.kind() != io::ErrorKind::ConnectionRefused,
        _ => false,
    }
}

/// Reads the body of a response. The body contains the requested range, or the whole file if the server does not support range requests.
fn answer(mut response: ureq::http::Response<ureq::Body>, range: Range<u64>) -> io::Result<Answer> {
    if response.status() == StatusCode::OK {
        let body = response.body_mut().with_config().limit(WHOLE + 1).read_to_vec();
        return body.map(|bytes| (bytes, None)).map_err(|error| match error {
            ureq::Error::BodyExceedsLimit(_) => io::Error::other(format!(
                "the server answered a range request with the whole file, which has more than {WHOLE} bytes: download it first"
            )),
            error => io::Error::other(error),
        });
    }
    if response.status() != StatusCode::PARTIAL_CONTENT {
        return Err(io::Error::other(format!("the server answered {}, not 200 or 206", response.status())));
    }
    let field = |name| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let said = field("content-range").unwrap_or_else(|| "none".to_owned());
    let (tag, modified) = (field("etag"), field("last-modified"));
    let (start, last, length) = content_range(&said).ok_or_else(|| {
        let expected = "the server's answer: expected the header Content-Range with bytes START-END/LENGTH";
        io::Error::other(format!("{expected}, found {}", printable(&said)))
    })?;
    // The limit is one byte longer than the range, because ureq before 3.5.2 rejects a body that is exactly as long as the limit.
    let limit = range.end - range.start + 1;
    let bytes = response.body_mut().with_config().limit(limit).read_to_vec().map_err(io::Error::other)?;
    let end = start.checked_add(bytes.len() as u64);
    if start != range.start || end != last.checked_add(1) || end != Some(range.end.min(length)) {
        let found = format!("{} with Content-Range: {}", count(bytes.len(), "byte"), printable(&said));
        let Range { start, end } = range;
        return Err(io::Error::other(format!("bytes {start}-{} were requested, but the server sent {found}", end - 1)));
    }
    Ok((bytes, Some(State { length, tag, modified })))
}

/// The response of a server: the bytes of the range and the state of the file, or all bytes of the file and `None`.
type Answer = (Vec<u8>, Option<State>);

/// The properties of a file that show whether it has been replaced. If the server sends neither `ETag` nor `Last-Modified`, only the length
/// is known.
#[derive(Default, PartialEq, Eq)]
struct State {
    length: u64,
    tag: Option<String>,
    modified: Option<String>,
}

/// Parses a header `Content-Range`, such as `bytes 0-65535/70000`. Returns the positions of the first and the last byte, and the length of
/// the file.
fn content_range(value: &str) -> Option<(u64, u64, u64)> {
    let (range, length) = value.trim().strip_prefix("bytes ")?.split_once('/')?;
    let (start, last) = range.split_once('-')?;
    Some((start.parse().ok()?, last.parse().ok()?, length.parse().ok()?))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "../tests/unit/stalled_server.rs"]
mod tests;
