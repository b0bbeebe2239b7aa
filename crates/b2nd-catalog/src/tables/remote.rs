//! [`RemoteFile`]: a file behind a protocol, as a source of bytes.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use b2nd::frame::Source;
use bytes::Bytes;
use object_store::ObjectStore;
use object_store::path::Path;
use tokio::runtime::Runtime;

use crate::remote::{Answer, CHANGED, Found, HELD, get};

/// The bytes that are asked for at once: most headers, trailers and indexes.
const BLOCK: u64 = 1 << 16;

/// The number of blocks that are kept.
const KEPT: usize = 256;

/// The threads that wait for answers. Whoever reads may be a task of another runtime, which must not be waited in.
static REQUESTS: LazyLock<io::Result<Runtime>> =
    LazyLock::new(|| tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build());

/// A file behind a protocol. That it changes while it is read is an error.
pub(super) struct RemoteFile {
    store: Arc<dyn ObjectStore>,
    path: Path,
    found: Found,
    /// All of it, where the server knows no ranges.
    whole: Option<Bytes>,
    /// The last blocks that have been read, with their numbers.
    blocks: Mutex<VecDeque<(u64, Bytes)>>,
}

impl RemoteFile {
    /// Asks for the first block, and with it for the length.
    pub(super) fn open(store: Arc<dyn ObjectStore>, path: Path) -> io::Result<RemoteFile> {
        let Answer { found, bytes, has_ranges } = wait(&store, &path, None, 0..BLOCK)?;
        let mut file = RemoteFile { store, path, found, whole: None, blocks: Mutex::default() };
        if has_ranges {
            file.blocks = Mutex::new(VecDeque::from([(0, bytes)]));
            return Ok(file);
        }
        if file.found.size > HELD {
            let size = file.found.size;
            return Err(io::Error::other(format!(
                "the server knows no ranges, and more than {HELD} bytes are not held: it has {size}"
            )));
        }
        file.whole = Some(if file.found.size > BLOCK { file.fetch(0..file.found.size)? } else { bytes });
        Ok(file)
    }

    fn fetch(&self, range: Range<u64>) -> io::Result<Bytes> {
        let answer = wait(&self.store, &self.path, Some(&self.found), range)?;
        if answer.found != self.found {
            return Err(io::Error::other(CHANGED));
        }
        Ok(answer.bytes)
    }

    /// A block, from memory if it was read before.
    fn block(&self, number: u64) -> io::Result<Bytes> {
        let lock = || self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, block)) = lock().iter().find(|(other, _)| *other == number) {
            return Ok(block.clone());
        }
        let start = number * BLOCK;
        let block = self.fetch(start..start.saturating_add(BLOCK).min(self.found.size))?;
        let mut blocks = lock();
        if blocks.len() >= KEPT {
            blocks.pop_front();
        }
        blocks.push_back((number, block.clone()));
        Ok(block)
    }
}

impl Source for RemoteFile {
    fn len(&self) -> b2nd::Result<u64> {
        Ok(self.found.size)
    }

    fn read(&self, range: Range<u64>) -> b2nd::Result<Cow<'_, [u8]>> {
        let range = range.start.min(self.found.size)..range.end.min(self.found.size);
        if range.is_empty() {
            return Ok(Cow::Borrowed(&[]));
        }
        if let Some(whole) = &self.whole {
            return Ok(Cow::Borrowed(part(whole, 0, &range)));
        }
        // Values are long, and read once.
        if range.end - range.start > BLOCK {
            return Ok(Cow::Owned(self.fetch(range)?.into()));
        }
        let mut bytes = Vec::new();
        for number in range.start / BLOCK..range.end.div_ceil(BLOCK) {
            bytes.extend_from_slice(part(&self.block(number)?, number * BLOCK, &range));
        }
        Ok(Cow::Owned(bytes))
    }
}

/// The bytes of a range that are in a part of the file, which starts at `start`.
fn part<'b>(bytes: &'b Bytes, start: u64, range: &Range<u64>) -> &'b [u8] {
    let place = |at: u64| usize::try_from(at.saturating_sub(start)).unwrap_or(usize::MAX).min(bytes.len());
    bytes.get(place(range.start)..place(range.end)).unwrap_or_default()
}

/// Asks, and waits for the answer.
fn wait(store: &Arc<dyn ObjectStore>, path: &Path, known: Option<&Found>, range: Range<u64>) -> io::Result<Answer> {
    let requests = REQUESTS.as_ref().map_err(|error| io::Error::new(error.kind(), error.to_string()))?;
    let (answer, answered) = std::sync::mpsc::sync_channel(1);
    let (store, path, known) = (store.clone(), path.clone(), known.cloned());
    requests.spawn(async move {
        // Nobody waits any more after a panic there.
        let _ = answer.send(get(&store, &path, known.as_ref(), range).await);
    });
    let answered = answered.recv().map_err(|_| io::Error::other("the request was given up"))?;
    answered.map_err(io::Error::other)
}
