//! Reads the rows of stores in batches.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use b2nd_store::{Bytes, Content, Folder, Leaf, Store, StoreListing};
use b2nd_view::{Frame, Kind};
use futures::stream::{self, StreamExt};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::Sender;

use super::disk::{Closed, Disk};
use super::fetched::{FETCHED, Fetched};
use super::{Batch, OF_STORE, ROWS, Take, found};
use crate::place::{Member, Object, Place};
use crate::remote::{Found, HELD};
use crate::row::{Extent, Row};
use crate::spawned::spawned;

/// The maximum number of fetched bytes of a `.b2d` store that stay in memory while the next rows are read.
const KEPT: u64 = 1 << 25;

/// Limits the number of stores on servers that are read at the same time. Each such store blocks a thread of tokio's pool for blocking
/// tasks, which is also needed for name resolution and for reading disks.
static STORES: Semaphore = Semaphore::const_new(64);

/// Reads a store on a separate thread. Sends all batches except the last to the channel, and returns the last batch.
pub(super) async fn on_thread(object: Object, extent: Extent, others: Sender<Batch>) -> Batch {
    let handle = Handle::current();
    let one = STORES.acquire().await;
    let thread = tokio::task::spawn_blocking(move || {
        let _one = one;
        let fetch = |files: &[Arc<Fetched>]| {
            let fetches: Vec<_> = files.iter().map(|file| file.fetch()).collect();
            let all = async { stream::iter(fetches).buffer_unordered(FETCHED).collect::<Vec<_>>().await };
            handle.block_on(async {
                tokio::select! {
                    biased;
                    // The receiver was dropped, so the rows are no longer needed.
                    () = others.closed() => false,
                    fetched = all => fetched.contains(&true),
                }
            })
        };
        let mut batch = Batch::default();
        rows(&object, extent, &fetch, &mut batch, &mut |batch| others.blocking_send(batch).is_ok());
        batch
    });
    spawned(thread).await
}

/// A function that fetches the missing bytes of remote files. It returns false if no bytes are missing.
type Fetch<'f> = dyn Fn(&[Arc<Fetched>]) -> bool + 'f;

/// Reads the rows of a store into `batch`, and passes each full batch to `take`. Blocks the thread. Returns false if `take` returned false.
pub(super) fn rows(object: &Object, extent: Extent, fetch: &Fetch, batch: &mut Batch, take: &mut Take) -> bool {
    b2nd_hdf5::open_as_stores();
    let row = Row::of(object);
    let mut rows = Rows { extent, batch, take };
    if !object.members.is_empty() {
        let files = Arc::new(Members::of(object));
        let store = Store::from_folder(&object.url, files.clone());
        let wait = || fetch(&files.remote());
        return rows.of_store(row, &store, &|_| (), &wait, &|| files.forget());
    }
    match &object.place {
        Place::Disk(path) => match Disk::default().open(path) {
            Ok(file) => {
                let file = Arc::new(file);
                rows.of_file(row, file.clone(), &|row| file.identify(row), &|| false, &|| ())
            }
            Err(error) => rows.own(row.failed(&error.into())),
        },
        Place::Remote(store, path) => {
            let file = Arc::new(Fetched::new(store.clone(), path.clone(), found(object), OF_STORE));
            let (identify, wait) = (|row: &mut Row| file.identify(row), || fetch(std::slice::from_ref(&file)));
            rows.of_file(row, file.clone(), &identify, &wait, &|| {
                // Listing an archive has read the start of each member. These bytes are kept if they are few enough.
                if file.held() > HELD / 4 {
                    file.forget();
                }
            })
        }
    }
}

/// Collects the rows of a store in `batch`, and passes each full batch to `take`.
struct Rows<'r, 't> {
    extent: Extent,
    batch: &'r mut Batch,
    take: &'r mut Take<'t>,
}

/// Fetches the bytes that were missing in the last reads. Returns false if no bytes are missing.
type Wait<'w> = dyn Fn() -> bool + 'w;

impl Rows<'_, '_> {
    /// Reads the rows of a store in one file: an archive, or a frame that embeds frames.
    fn of_file(&mut self, mut row: Row, file: Bytes, identify: &dyn Fn(&mut Row), wait: &Wait, forget: &dyn Fn()) -> bool {
        match again(wait, || Store::from_source(&row.url, file.clone())) {
            Ok(store) => self.of_store(row, &store, identify, wait, forget),
            Err(error) => {
                identify(&mut row);
                self.own(row.failed(&error))
            }
        }
    }

    /// Adds the row of a store that cannot be read. Such a store has no rows of leaves.
    fn own(&mut self, row: Row) -> bool {
        self.batch.rows.push(row);
        true
    }

    fn of_store(&mut self, mut row: Row, store: &Store, identify: &dyn Fn(&mut Row), wait: &Wait, forget: &dyn Fn()) -> bool {
        let listed = again(wait, || store.list());
        identify(&mut row);
        let StoreListing { kind, attributes, leaves, .. } = match listed {
            Ok(store) => store,
            Err(error) => return self.own(row.failed(&error)),
        };
        let mut own = Row { kind: kind.map(Kind::name), ..row.clone() };
        if self.extent.attributes
            && let Err(error) = own.attach(&attributes)
        {
            own = row.clone().failed(&error);
        }
        self.batch.rows.push(own);
        // The column `size` contains the size of the whole store, so it is empty in the rows of leaves.
        row.size = None;
        let mut leaves = leaves.as_slice();
        while !leaves.is_empty() {
            let room = ROWS.saturating_sub(self.batch.rows.len());
            if room == 0 {
                let full = Batch { goes_on: true, ..std::mem::take(self.batch) };
                if !(self.take)(full) {
                    return false;
                }
                continue;
            }
            let (now, later) = leaves.split_at(room.min(leaves.len()));
            forget();
            let read = || now.iter().map(|leaf| of_leaf(row.clone(), leaf, store, self.extent)).collect::<Vec<_>>();
            self.batch.rows.append(&mut again(wait, read));
            leaves = later;
        }
        true
    }
}

/// Repeats a read until no more bytes have to be fetched.
fn again<T>(wait: &Wait, read: impl Fn() -> T) -> T {
    loop {
        let done = read();
        if !wait() {
            return done;
        }
    }
}

fn of_leaf(mut row: Row, leaf: &Leaf, store: &Store, extent: Extent) -> Row {
    row.key = Some(leaf.key.clone());
    row.member = leaf.member.clone();
    let described = match &leaf.content {
        Content::Table(table) => {
            row.kind = Some(Kind::CTable.name());
            if extent.attributes { row.attach(&table.attributes) } else { Ok(()) }
        }
        Content::Remote { .. } => {
            row.kind = Some(Kind::RemoteArray.name());
            Ok(())
        }
        _ => leaf.open(store).and_then(|source| Frame::open(&*source).and_then(|frame| row.describe(&frame, extent))),
    };
    row.offset = leaf.offset.try_into().ok();
    match described {
        Ok(()) => row,
        Err(error) => row.failed(&error),
    }
}

/// The files of a `.b2d` store.
struct Members {
    place: Place,
    /// The files in the order of their names.
    members: Vec<Member>,
    /// The remote files that were read, whole or in part, by name.
    fetched: Mutex<HashMap<Box<str>, Arc<Fetched>>>,
}

impl Members {
    fn of(object: &Object) -> Members {
        let mut members = object.members.clone();
        members.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        Members { place: object.place.clone(), members, fetched: Mutex::default() }
    }

    fn remote(&self) -> Vec<Arc<Fetched>> {
        self.fetched.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    fn forget(&self) {
        let mut fetched = self.fetched.lock().unwrap_or_else(PoisonError::into_inner);
        if fetched.values().map(|file| file.held()).sum::<u64>() > KEPT {
            fetched.clear();
        }
    }
}

impl Folder for Members {
    fn files(&self) -> b2nd_frame::Result<Vec<String>> {
        Ok(self.members.iter().map(|member| member.name.to_string()).collect())
    }

    fn member(&self, file: &str) -> b2nd_frame::Result<Option<Bytes>> {
        let Ok(found) = self.members.binary_search_by(|member| (*member.name).cmp(file)) else { return Ok(None) };
        let member = &self.members[found];
        let place = member.place.as_ref().map_or_else(|| self.place.below(&member.name), |place| (**place).clone());
        Ok(Some(match place {
            Place::Disk(path) => Arc::new(Closed { path, size: member.size.unwrap_or(0) }),
            Place::Remote(store, path) => {
                let (etag, modified) = (member.etag.as_deref().map(str::to_owned), member.modified);
                let known = || member.size.map(|size| Found { size, etag, modified });
                let mut fetched = self.fetched.lock().unwrap_or_else(PoisonError::into_inner);
                let file = fetched.entry(member.name.clone());
                file.or_insert_with(|| Arc::new(Fetched::new(store, path, known(), OF_STORE))).clone()
            }
        }))
    }
}
