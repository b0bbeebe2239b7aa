//! Stores: their rows, some at a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use b2nd_view::store::{self, Content, Folder, Leaf, StoreListing, Zip};
use b2nd_view::{Frame, Kind, Source};
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

/// The name under which a store's listing knows a frame that embeds others.
const EMBED: &str = "embed.b2e";

/// Fetched bytes of the files of a `.b2d` that are still held when its next rows are read.
const KEPT: u64 = 1 << 25;

/// Stores of servers that are read at the same time: each holds a thread of the pool that requests need too, for names and disks.
static STORES: Semaphore = Semaphore::const_new(64);

/// Reads a store on a thread of its own. All but the last batch go into the channel.
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
                    // Nobody waits for the rows any more.
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

/// Fetches what is missing in remote files; false if nothing is.
type Fetch<'f> = dyn Fn(&[Arc<Fetched>]) -> bool + 'f;

/// Reads the rows of a store. It blocks. False if a batch was not taken.
pub(super) fn rows(object: &Object, extent: Extent, fetch: &Fetch, batch: &mut Batch, take: &mut Take) -> bool {
    let row = Row::of(object);
    let mut rows = Rows { extent, batch, take };
    if !object.members.is_empty() {
        let files = Members::of(object);
        let wait = || fetch(&files.remote());
        return rows.of_folder(row, &files, &|_| (), &wait, &|| files.forget());
    }
    match &object.place {
        Place::Disk(path) => match Disk::default().open(path) {
            Ok(file) => rows.of_file(object, &file, &|row| file.identify(row), &|| false, &|| ()),
            Err(error) => rows.own(row.failed(&error.into())),
        },
        Place::Remote(store, path) => {
            let file = Arc::new(Fetched::new(store.clone(), path.clone(), found(object), OF_STORE));
            let (identify, wait) = (|row: &mut Row| file.identify(row), || fetch(std::slice::from_ref(&file)));
            rows.of_file(object, &*file, &identify, &wait, &|| {
                // Listing an archive has read the place of each member: what came with these is kept if it can be.
                if file.held() > HELD / 4 {
                    file.forget();
                }
            })
        }
    }
}

/// The rows that are read and not given away yet.
struct Rows<'r, 't> {
    extent: Extent,
    batch: &'r mut Batch,
    take: &'r mut Take<'t>,
}

/// Fetches what the last reads lacked; false if they lacked nothing.
type Wait<'w> = dyn Fn() -> bool + 'w;

impl Rows<'_, '_> {
    /// An archive, or a frame that embeds others.
    fn of_file(
        &mut self,
        object: &Object,
        file: &dyn Source,
        identify: &dyn Fn(&mut Row),
        wait: &Wait,
        forget: &dyn Fn(),
    ) -> bool {
        let row = Row::of(object);
        if object.url.ends_with(".b2e") {
            return self.of_folder(row, &One(file), identify, wait, forget);
        }
        match again(wait, || Zip::open(file)) {
            Ok(zip) => self.of_folder(row, &zip, identify, wait, forget),
            Err(error) => {
                let mut row = row;
                identify(&mut row);
                self.own(row.failed(&error))
            }
        }
    }

    /// The one row of a store that cannot be read.
    fn own(&mut self, row: Row) -> bool {
        self.batch.rows.push(row);
        true
    }

    fn of_folder(
        &mut self,
        mut row: Row,
        folder: &dyn Folder,
        identify: &dyn Fn(&mut Row),
        wait: &Wait,
        forget: &dyn Fn(),
    ) -> bool {
        let listed = again(wait, || store::list(folder));
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
        // The size and the time are the store's: a leaf has none of its own.
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
            let read = || now.iter().map(|leaf| of_leaf(row.clone(), leaf, folder, self.extent)).collect::<Vec<_>>();
            self.batch.rows.append(&mut again(wait, read));
            leaves = later;
        }
        true
    }
}

/// Reads once more for as long as bytes had to be fetched.
fn again<T>(wait: &Wait, read: impl Fn() -> T) -> T {
    loop {
        let done = read();
        if !wait() {
            return done;
        }
    }
}

fn of_leaf(mut row: Row, leaf: &Leaf, folder: &dyn Folder, extent: Extent) -> Row {
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
        _ => leaf.open(folder).and_then(|source| Frame::open(&*source).and_then(|frame| row.describe(&frame, extent))),
    };
    row.offset = leaf.offset.try_into().ok();
    match described {
        Ok(()) => row,
        Err(error) => row.failed(&error),
    }
}

/// A frame that embeds others, as the only file of a store.
struct One<'s>(&'s dyn Source);

impl Folder for One<'_> {
    fn files(&self) -> b2nd::Result<Vec<String>> {
        Ok(vec![EMBED.to_owned()])
    }

    fn open(&self, _: &str) -> b2nd::Result<Box<dyn Source + '_>> {
        Ok(Box::new(self.0))
    }
}

/// The files of a `.b2d`.
struct Members<'o> {
    place: &'o Place,
    /// In the order of their names.
    members: Vec<&'o Member>,
    /// Remote ones of which something was read.
    fetched: Mutex<HashMap<&'o str, Arc<Fetched>>>,
}

impl<'o> Members<'o> {
    fn of(object: &'o Object) -> Members<'o> {
        let mut members: Vec<_> = object.members.iter().collect();
        members.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        Members { place: &object.place, members, fetched: Mutex::default() }
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

impl Folder for Members<'_> {
    fn files(&self) -> b2nd::Result<Vec<String>> {
        Ok(self.members.iter().map(|member| member.name.to_string()).collect())
    }

    fn open(&self, file: &str) -> b2nd::Result<Box<dyn Source + '_>> {
        let Ok(found) = self.members.binary_search_by(|member| (*member.name).cmp(file)) else {
            return Err(b2nd::Error::custom(format_args!("{file:?} is not in the store")));
        };
        let member = self.members[found];
        let place = member.place.as_ref().map_or_else(|| self.place.below(&member.name), |place| (**place).clone());
        Ok(match place {
            Place::Disk(path) => Box::new(Closed { path, size: member.size.unwrap_or(0) }),
            Place::Remote(store, path) => {
                let known = || {
                    member.size.map(|size| Found {
                        size,
                        etag: member.etag.as_deref().map(str::to_owned),
                        modified: member.modified,
                    })
                };
                let mut fetched = self.fetched.lock().unwrap_or_else(PoisonError::into_inner);
                let file = fetched.entry(&member.name).or_insert_with(|| Arc::new(Fetched::new(store, path, known(), OF_STORE)));
                Box::new(file.clone())
            }
        })
    }
}
