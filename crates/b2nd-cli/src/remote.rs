//! Files behind HTTP, read by range requests.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;
use std::ops::Range;

use b2nd_view::Source;
use ureq::Agent;
use ureq::http::StatusCode;

/// How much is asked for at once: most headers, and all the trailers and indexes of most files.
const BLOCK: u64 = 1 << 16;

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
        let agent = Agent::config_builder().http_status_as_error(false).build().new_agent();
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
        let content_range = response.headers().get("content-range").and_then(|value| value.to_str().ok());
        let length = content_range.and_then(|value| value.rsplit_once('/')?.1.parse().ok());
        let length = length.ok_or_else(|| io::Error::other("the server does not say how long the file is"))?;
        let limit = range.end - range.start;
        let bytes = response.body_mut().with_config().limit(limit).read_to_vec().map_err(io::Error::other)?;
        Ok((bytes, length))
    }
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
                Entry::Vacant(place) => place.insert(self.fetch(block.clone())?.0),
            };
            let place = |at: u64| usize::try_from(at.clamp(block.start, block.end) - block.start).unwrap_or(usize::MAX);
            match held.get(place(start)..place(end)) {
                Some(part) => bytes.extend_from_slice(part),
                None => return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server gave fewer bytes than asked for")),
            }
        }
        Ok(Cow::Owned(bytes))
    }
}
