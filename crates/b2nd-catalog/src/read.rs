//! Reads the rows of files, with few range requests.

mod disk;
mod fetched;
mod store;

use b2nd_view::store::Attributes;
use b2nd_view::{Frame, Source};
use tokio::task::JoinHandle;

use crate::place::{FilePlace, Object, is_store};
use crate::remote::Found;
use crate::row::{CatalogRow, Extent, UNREADABLE};
use disk::OnDisk;
use fetched::Fetched;

/// If only one range of a store is missing, and it is not the start of the file, it is usually extended to at least this number of bytes,
/// because small frames are often adjacent.
const OF_STORE: u64 = 1 << 16;

/// If only one range of a remote frame is missing, and it is not the start of the file, it is usually extended to at least this number of
/// bytes, which is enough for the attributes of most frames.
const OF_TAIL: u64 = 1 << 15;

/// Reads the rows of a file: a row for the file and, if it is a store, a row for each leaf, in the order of their keys.
pub async fn rows(object: Object, extent: Extent) -> Vec<CatalogRow> {
    if is_store(&object.url) {
        return store::on_thread(object, extent).await;
    }
    let FilePlace::Remote(store, path) = &object.place else { return rows_on_disk(&[object], extent) };
    let file = Fetched::new(store.clone(), path.clone(), found(&object), OF_TAIL);
    loop {
        let mut row = CatalogRow::of(&object);
        file.identify(&mut row);
        let row = of_frame(row, &file, extent);
        // The row is read again each time missing bytes have been fetched, until no bytes are missing.
        if !file.fetch().await {
            return vec![row];
        }
    }
}

/// Returns the result of a task. Panics if the task panicked.
pub(crate) async fn spawned<T>(task: JoinHandle<T>) -> T {
    match task.await {
        Ok(result) => result,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // A task is cancelled only when the runtime ends, and then its result is not needed.
            Err(_) => std::future::pending().await,
        },
    }
}

/// Reads the rows of files on a disk. Blocks the thread.
pub fn rows_on_disk(objects: &[Object], extent: Extent) -> Vec<CatalogRow> {
    let mut rows = Vec::with_capacity(objects.len());
    for object in objects {
        if is_store(&object.url) {
            rows.append(&mut store::rows(object, extent, &|_| false));
            continue;
        }
        let FilePlace::Disk(path) = &object.place else { continue };
        rows.push(match OnDisk::open(path) {
            Ok(file) => {
                let mut row = CatalogRow::of(object);
                file.identify(&mut row);
                of_frame(row, &file, extent)
            }
            Err(error) => CatalogRow::of(object).failed(&error.into()),
        });
    }
    rows
}

/// Returns the size, ETag and time that the listing has for a file, or `None` if the listing does not include the size.
fn found(object: &Object) -> Option<Found> {
    let (etag, modified) = (object.etag.clone(), object.modified);
    object.size.map(|size| Found { size, etag, modified })
}

/// Fills in the row of a file, as far as the necessary bytes have been fetched. An error becomes the error of the row.
fn of_frame(mut row: CatalogRow, file: &dyn Source, extent: Extent) -> CatalogRow {
    match Frame::open(file).and_then(|frame| row.describe(&frame, extent)) {
        Ok(()) => row,
        Err(error) => row.failed(&error),
    }
}

impl CatalogRow {
    /// Returns the part of a row that is known before the file is read.
    fn of(object: &Object) -> CatalogRow {
        CatalogRow {
            url: object.url.clone(),
            size: object.size.and_then(|size| size.try_into().ok()),
            etag: object.etag.clone(),
            modified: object.modified,
            ..CatalogRow::default()
        }
    }

    fn failed(mut self, error: &b2nd_frame::Error) -> CatalogRow {
        self.error = Some(match error.kind() {
            b2nd_frame::ErrorKind::Io(error) => format!("{UNREADABLE}{error}"),
            _ => error.to_string(),
        });
        self
    }

    pub(crate) fn attach(&mut self, attributes: &Attributes) -> b2nd_frame::Result<()> {
        self.attributes = Some(serde_json::to_string(attributes).map_err(std::io::Error::from)?);
        let string = |name| attributes.get(name).and_then(|value| value.as_str()).map(str::to_owned);
        self.units = string("units");
        self.long_name = string("long_name");
        self.dims = attributes.get("dims").and_then(|dims| serde_json::from_value(serde_json::to_value(dims).ok()?).ok());
        Ok(())
    }
}
