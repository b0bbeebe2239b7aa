//! Files behind HTTP, read by range requests.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;
use std::ops::Range;
use std::time::Duration;

use b2nd_view::Source;
use b2nd_view::text::{count, printable};
use ureq::Agent;
use ureq::http::StatusCode;
#[cfg(feature = "https")]
use ureq::tls::{RootCerts, TlsConfig};

/// How much is asked for at once: most headers, and all the trailers and indexes of most files.
const BLOCK: u64 = 1 << 16;

/// How long a server may take for an answer, and again for its bytes.
const PATIENCE: Duration = Duration::from_secs(30);

/// A file on a server.
pub(crate) struct RemoteFile {
    agent: Agent,
    url: String,
    length: u64,
    /// What has been read, by the number of the block.
    blocks: RefCell<BTreeMap<u64, Vec<u8>>>,
}

impl RemoteFile {
    /// Reads the first block, and with it the length.
    pub(crate) fn open(url: &str) -> io::Result<RemoteFile> {
        let config = Agent::config_builder().http_status_as_error(false);
        let config =
            config.timeout_connect(Some(PATIENCE)).timeout_recv_response(Some(PATIENCE)).timeout_recv_body(Some(PATIENCE));
        #[cfg(feature = "https")]
        let config = config.tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build());
        let agent = config.build().new_agent();
        let mut file = RemoteFile { agent, url: url.to_owned(), length: BLOCK, blocks: RefCell::default() };
        let (first, length) = file.fetch(0..BLOCK)?;
        file.length = length;
        file.blocks.get_mut().insert(0, first);
        Ok(file)
    }

    /// A range, and the length of the whole file.
    fn fetch(&self, range: Range<u64>) -> io::Result<(Vec<u8>, u64)> {
        let header = format!("bytes={}-{}", range.start, range.end - 1);
        let mut response = self.agent.get(&self.url).header("Range", header).call().map_err(io::Error::other)?;
        match response.status() {
            StatusCode::PARTIAL_CONTENT => {}
            StatusCode::OK => return Err(io::Error::other("the server gives no ranges of the file, but all of it")),
            // An empty file has no first byte.
            StatusCode::RANGE_NOT_SATISFIABLE if range.start == 0 => return Ok((Vec::new(), 0)),
            status => return Err(io::Error::other(format!("the server answers {status}"))),
        }
        let said = response.headers().get("content-range").and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
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
        Ok((bytes, length))
    }
}

/// The first byte, the last one and the length of the file in `bytes 0-65535/70000`.
fn content_range(value: &str) -> Option<(u64, u64, u64)> {
    let (range, length) = value.trim().strip_prefix("bytes ")?.split_once('/')?;
    let (start, last) = range.split_once('-')?;
    Some((start.parse().ok()?, last.parse().ok()?, length.parse().ok()?))
}

impl Source for RemoteFile {
    fn len(&self) -> u64 {
        self.length
    }

    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        let end = range.end.min(self.length);
        let start = range.start.min(end);
        let mut bytes = Vec::new();
        for number in start / BLOCK..end.div_ceil(BLOCK) {
            let block = number * BLOCK..((number + 1) * BLOCK).min(self.length);
            let mut blocks = self.blocks.borrow_mut();
            let held = match blocks.entry(number) {
                Entry::Occupied(held) => held.into_mut(),
                Entry::Vacant(place) => match self.fetch(block.clone())? {
                    (bytes, length) if length == self.length => place.insert(bytes),
                    (_, length) => {
                        let was = self.length;
                        return Err(io::Error::other(format!("the file had {}, and has {length} now", count(was, "byte"))));
                    }
                },
            };
            let place = |at: u64| usize::try_from(at.clamp(block.start, block.end) - block.start).unwrap_or(usize::MAX);
            // A block has all its bytes, or it was refused.
            bytes.extend_from_slice(held.get(place(start)..place(end)).unwrap_or_default());
        }
        Ok(Cow::Owned(bytes))
    }
}
