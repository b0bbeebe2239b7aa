//! Lists and reads files, many of them at the same time.

use std::sync::Arc;

use futures::stream::{self, BoxStream, StreamExt};
use tokio::sync::Semaphore;
use twox_hash::XxHash3_128;

use crate::listing::{Listing, Names, Unlisted, list};
use crate::place::{FilePlace, Object, is_below, is_store};
use crate::read::{rows, rows_on_disk, spawned};
use crate::row::{CatalogRow, Extent};

/// The maximum number of files on a disk that a thread reads as one task.
const TOGETHER: usize = 64;

/// The default number of files on servers that are read at the same time.
const REQUESTS: usize = 256;

/// The default number of threads per core that read disks.
const THREADS: usize = 4;

/// The maximum number of roots that are looked up at the same time. A list of URLs may have thousands.
const LISTED: usize = 64;

/// Selects the files that this process reads, if several processes share a scan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    pub index: u64,
    pub of: u64,
}

impl Shard {
    /// Returns true if a file is in this shard. This depends only on its URL.
    pub fn has(&self, url: &str) -> bool {
        XxHash3_128::oneshot(url.as_bytes()) as u64 % self.of == self.index
    }
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers = text.split_once('/').and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((index, of)) if index < of => Ok(Shard { index, of }),
            _ => Err(format!("expected I/N with I from 0 to N-1, found {text:?}")),
        }
    }
}

/// The parts of each file to read, and the number of files that are read at the same time.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    pub extent: Extent,
    /// The maximum number of files on servers that are read at the same time, and of threads that read disks. The default is 256 files, and
    /// 4 threads per core.
    pub jobs: Option<usize>,
}

/// Returns the listings of several roots, one after another. A root below another root is not listed separately.
pub fn listings(roots: Vec<String>, names: Names) -> Listing {
    let urls: Vec<_> = roots.iter().map(|root| Object::of(root).map_or_else(|_| root.clone(), |object| object.url)).collect();
    let is_apart = |at: usize| {
        let others = (0..urls.len()).filter(|&other| other != at && is_below(&urls[at], &urls[other..=other]));
        // If roots are equal, the first is kept.
        !others.into_iter().any(|other| other < at || !is_below(&urls[other], &urls[at..=at]))
    };
    let apart: Vec<bool> = (0..urls.len()).map(is_apart).collect();
    let roots: Vec<_> = roots.into_iter().zip(apart).filter_map(|(root, is_apart)| is_apart.then_some(root)).collect();
    let each = move |root: String| {
        let names = names.clone();
        async move { list(&root, names).await }
    };
    stream::iter(roots).map(each).buffered(LISTED).flatten().boxed()
}

/// Reads listed files. Returns their rows in the order in which they are ready: all rows of a file, or of several files on a disk,
/// together.
pub fn scan(listing: Listing, options: ReadOptions) -> BoxStream<'static, Result<Vec<CatalogRow>, Unlisted>> {
    let extent = options.extent;
    let threads = Arc::new(Semaphore::new(options.jobs.unwrap_or_else(threads).max(1)));
    let read = move |unit: Result<Vec<Object>, Unlisted>| {
        let threads = threads.clone();
        async move {
            let mut objects = unit?;
            if let Some(remote) = objects.pop_if(|object| matches!(object.place, FilePlace::Remote(..))) {
                return Ok(spawned(tokio::spawn(rows(remote, extent))).await);
            }
            let _one = threads.acquire().await;
            Ok(spawned(tokio::task::spawn_blocking(move || rows_on_disk(&objects, extent))).await)
        }
    };
    let units = listing.ready_chunks(TOGETHER).flat_map(|found| stream::iter(units(found)));
    units.map(read).buffer_unordered(options.jobs.unwrap_or(REQUESTS).max(1)).boxed()
}

fn threads() -> usize {
    THREADS * std::thread::available_parallelism().map_or(1, usize::from)
}

/// Divides listed files into those that are read by one task: a remote file, a store, whose rows stay in memory together, or other files
/// on a disk.
fn units(found: Vec<Result<Object, Unlisted>>) -> Vec<Result<Vec<Object>, Unlisted>> {
    let (mut files, mut units) = (Vec::new(), Vec::new());
    for object in found {
        match object {
            Ok(object) if matches!(object.place, FilePlace::Disk(_)) && !is_store(&object.url) => files.push(object),
            object => units.push(object.map(|object| vec![object])),
        }
    }
    if !files.is_empty() {
        units.push(Ok(files));
    }
    units
}
