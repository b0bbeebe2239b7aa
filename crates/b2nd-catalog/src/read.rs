//! Reads the rows of files, with as few range requests as possible.

mod disk;
mod fetched;
mod store;

use b2nd_view::store::Attributes;
use b2nd_view::{Frame, Source};
use tokio::sync::mpsc::{Sender, channel};

use crate::place::{Object, Place};
use crate::remote::Found;
use crate::row::{Extent, Row, UNREADABLE};
use disk::Disk;
use fetched::Fetched;

/// The maximum number of rows of a store in a batch.
pub const ROWS: usize = 2048;

/// The endings of files that have a row for each leaf. The leaves of an HDF5 file are its datasets.
const STORES: [&str; 4] = [".b2z", ".b2e", ".h5", ".hdf5"];

/// The minimum number of bytes that are read together from a store. More than one frame is read at a time, because small frames are often
/// adjacent.
const OF_STORE: u64 = 1 << 16;

/// The minimum number of bytes that are read from the end of a remote frame, which is enough for the attributes of most frames.
const OF_TAIL: u64 = 1 << 15;

/// Rows that were read together. A batch has all rows of each file, unless the file is a store with more than [`ROWS`] rows. The rows of a
/// store are adjacent: first the row of the store itself, then its leaves in the order of their keys.
#[derive(Default, Debug)]
pub struct Batch {
    pub rows: Vec<Row>,
    /// Whether the next batch begins with more rows of the store to which the last row belongs.
    pub goes_on: bool,
}

/// A function that receives each batch except the last. If it returns false, reading ends.
pub type Take<'t> = dyn FnMut(Batch) -> bool + 't;

/// Reads the rows of a file: a row for the file and, if it is a store, a row for each leaf. Sends all batches except the last to the
/// channel, and returns the last batch.
pub async fn rows(object: Object, extent: Extent, others: Sender<Batch>) -> Batch {
    if is_store(&object) {
        return store::on_thread(object, extent, others).await;
    }
    let Place::Remote(store, path) = &object.place else { return rows_on_disk(&[object], extent, &mut |_| true) };
    let file = Fetched::new(store.clone(), path.clone(), found(&object), OF_TAIL);
    loop {
        let mut row = Row::of(&object);
        file.identify(&mut row);
        let row = of_frame(row, &file, extent);
        // The row is read again each time missing bytes were fetched, until no bytes are missing.
        if !file.fetch().await {
            return Batch { rows: vec![row], goes_on: false };
        }
    }
}

/// Reads all rows of a file, and returns them together.
pub async fn all_rows(object: Object, extent: Extent) -> Vec<Row> {
    let (sender, mut others) = channel::<Batch>(1);
    let mut rows = Vec::new();
    let gather = async {
        while let Some(batch) = others.recv().await {
            rows.extend(batch.rows);
        }
    };
    let ((), last) = futures::join!(gather, self::rows(object, extent, sender));
    rows.extend(last.rows);
    rows
}

/// Reads the rows of files on a disk. Passes all batches except the last to `take`, and returns the last batch. Blocks the thread.
pub fn rows_on_disk(objects: &[Object], extent: Extent, take: &mut Take) -> Batch {
    let mut batch = Batch { rows: Vec::with_capacity(objects.len()), goes_on: false };
    let mut disk = Disk::default();
    for object in objects {
        if is_store(object) {
            if !store::rows(object, extent, &|_| false, &mut batch, take) {
                break;
            }
            continue;
        }
        let Place::Disk(path) = &object.place else { continue };
        batch.rows.push(match disk.open(path) {
            Ok(file) => {
                let mut row = Row::of(object);
                file.identify(&mut row);
                let row = of_frame(row, &file, extent);
                disk.close(file);
                row
            }
            Err(error) => Row::of(object).failed(&error.into()),
        });
    }
    batch
}

/// Returns true if a file may have more than one row.
fn is_store(object: &Object) -> bool {
    !object.members.is_empty() || STORES.iter().any(|ending| object.url.ends_with(ending))
}

/// Returns the size, tag and time that the listing has for a file, or `None` if the listing does not include the size.
fn found(object: &Object) -> Option<Found> {
    let (etag, modified) = (object.etag.clone(), object.modified);
    object.size.map(|size| Found { size, etag, modified })
}

/// Fills in the row of a file, as far as the necessary bytes have been fetched. An error becomes the error of the row.
fn of_frame(mut row: Row, file: &dyn Source, extent: Extent) -> Row {
    match Frame::open(file).and_then(|frame| row.describe(&frame, extent)) {
        Ok(()) => row,
        Err(error) => row.failed(&error),
    }
}

impl Row {
    /// Returns the part of a row that is known before the file is read.
    fn of(object: &Object) -> Row {
        Row {
            url: object.url.clone(),
            size: object.size.and_then(|size| size.try_into().ok()),
            etag: object.etag.clone(),
            modified: object.modified,
            ..Row::default()
        }
    }

    fn failed(mut self, error: &b2nd_frame::Error) -> Row {
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
