//! Reads the rows of stores.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use b2nd_store::{Bytes, Content, Folder, Leaf, LeftOut, Store, StoreListing};
use b2nd_view::{Frame, Kind};
use futures::stream::{self, StreamExt};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use super::disk::{Closed, OnDisk};
use super::fetched::{FETCHED, Fetched};
use super::{OF_STORE, found, spawned};
use crate::place::{FilePlace, Member, Object};
use crate::remote::{Found, HELD};
use crate::row::{CatalogRow, Extent};

/// The maximum number of leaves that are read together. Before each group of leaves, the bytes that were fetched earlier may be dropped.
const TOGETHER: usize = 2048;

/// The maximum number of fetched bytes of a `.b2d` store that stay in memory while the next rows are read.
const KEPT: u64 = 1 << 25;

/// Limits the number of stores on servers that are read at the same time. Each such store blocks a thread of tokio's pool for blocking
/// tasks, which is also needed for name resolution and for reading disks.
static STORES: Semaphore = Semaphore::const_new(64);

pub(super) async fn on_thread(object: Object, extent: Extent) -> Vec<CatalogRow> {
    let handle = Handle::current();
    let one = STORES.acquire().await;
    let thread = tokio::task::spawn_blocking(move || {
        let _one = one;
        let fetch = |files: &[Arc<Fetched>]| {
            let fetches: Vec<_> = files.iter().map(|file| file.fetch()).collect();
            let fetched = stream::iter(fetches).buffer_unordered(FETCHED).collect::<Vec<_>>();
            handle.block_on(fetched).contains(&true)
        };
        rows(&object, extent, &fetch)
    });
    spawned(thread).await
}

/// A function that fetches the missing bytes of remote files. It returns false if no bytes are missing.
type Fetch<'f> = dyn Fn(&[Arc<Fetched>]) -> bool + 'f;

/// Fetches the bytes that were missing in the last reads. Returns false if no bytes are missing.
type Wait<'w> = dyn Fn() -> bool + 'w;

/// Reads the rows of a store: first the row of the store itself, then its leaves in the order of their keys. Blocks the thread.
pub(super) fn rows(object: &Object, extent: Extent, fetch: &Fetch) -> Vec<CatalogRow> {
    b2nd_hdf5::open_as_stores();
    let mut row = CatalogRow::of(object);
    if !object.members.is_empty() {
        let files = Arc::new(Members::of(object));
        let store = Store::from_folder(&object.url, files.clone());
        return of_store(row, extent, Ok(store), &|| fetch(&files.remote()), &|| files.forget());
    }
    match &object.place {
        FilePlace::Disk(path) => {
            let opened = OnDisk::open(path).map_err(b2nd_frame::Error::from).and_then(|file| {
                file.identify(&mut row);
                Store::from_source(&object.url, Arc::new(file))
            });
            of_store(row, extent, opened, &|| false, &|| ())
        }
        FilePlace::Remote(store, path) => {
            let file = Arc::new(Fetched::new(store.clone(), path.clone(), found(object), OF_STORE));
            let wait = || fetch(std::slice::from_ref(&file));
            let opened = again(&wait, || Store::from_source(&object.url, file.clone()));
            file.identify(&mut row);
            of_store(row, extent, opened, &wait, &|| {
                // Listing an archive may have read the start of each member. These bytes are kept if they are few enough.
                if file.held() > HELD / 4 {
                    file.forget();
                }
            })
        }
    }
}

/// Reads the rows of an open store. A store that cannot be listed has no rows of leaves.
fn of_store(
    mut row: CatalogRow,
    extent: Extent,
    opened: b2nd_frame::Result<Store>,
    wait: &Wait,
    forget: &dyn Fn(),
) -> Vec<CatalogRow> {
    let listed = opened.and_then(|store| Ok((again(wait, || store.list())?, store)));
    let (StoreListing { kind, attributes, leaves, .. }, store) = match listed {
        Ok(listed) => listed,
        Err(error) => return vec![row.failed(&error)],
    };
    let mut own = CatalogRow { kind: kind.map(Kind::name), ..row.clone() };
    if extent.attributes
        && let Err(error) = own.attach(&attributes)
    {
        own = row.clone().failed(&error);
    }
    let mut rows = vec![own];
    // The column `size` contains the size of the whole store, so it is empty in the rows of leaves.
    row.size = None;
    for leaves in leaves.chunks(TOGETHER) {
        forget();
        let read = || leaves.iter().map(|leaf| of_leaf(row.clone(), leaf, &store, extent)).collect::<Vec<_>>();
        rows.append(&mut again(wait, read));
    }
    rows
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

fn of_leaf(mut row: CatalogRow, leaf: &Leaf, store: &Store, extent: Extent) -> CatalogRow {
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
    place: FilePlace,
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
    fn contents(&self) -> b2nd_frame::Result<(Vec<String>, Vec<LeftOut>)> {
        Ok((self.members.iter().map(|member| member.name.to_string()).collect(), Vec::new()))
    }

    fn member(&self, file: &str) -> b2nd_frame::Result<Option<Bytes>> {
        let Ok(found) = self.members.binary_search_by(|member| (*member.name).cmp(file)) else { return Ok(None) };
        let member = &self.members[found];
        Ok(Some(match self.place.below(&member.name) {
            FilePlace::Disk(path) => Arc::new(Closed { path, size: member.size }),
            FilePlace::Remote(store, path) => {
                let (etag, modified) = (member.etag.as_deref().map(str::to_owned), member.modified);
                let known = Found { size: member.size, etag, modified };
                let mut fetched = self.fetched.lock().unwrap_or_else(PoisonError::into_inner);
                let file = fetched.entry(member.name.clone());
                file.or_insert_with(|| Arc::new(Fetched::new(store, path, Some(known), OF_STORE))).clone()
            }
        }))
    }
}
