//! Reading: from a file to its rows, with as few range requests as it takes.

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

/// The most rows of a store in a batch.
pub const ROWS: usize = 2048;

/// The bytes of a store that are read at a time: small frames lie side by side in it.
const OF_STORE: u64 = 1 << 16;

/// The bytes of a frame's end that are read at a time. Most attributes fit.
const OF_TAIL: u64 = 1 << 15;

/// Rows that were read together: all rows of each file, but for a store with more than [`ROWS`]. Those of one store follow each other:
/// its own row, then its leaves in the order of their keys.
#[derive(Default, Debug)]
pub struct Batch {
    pub rows: Vec<Row>,
    /// True if the last row's store has more rows, with which the next batch of this reading begins.
    pub goes_on: bool,
}

/// Takes a batch after which others follow. False ends the reading.
pub type Take<'t> = dyn FnMut(Batch) -> bool + 't;

/// Reads a file's rows: one, and of a store one more for each leaf. All but the last batch go into the channel.
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
        // Once the missing bytes are fetched, it is read again.
        if !file.fetch().await {
            return Batch { rows: vec![row], goes_on: false };
        }
    }
}

/// Reads all rows of a file, and holds them together.
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

/// Reads the rows of files on a disk: all but the last batch are given away. It blocks.
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

/// True if a file may have more than one row.
fn is_store(object: &Object) -> bool {
    !object.members.is_empty() || [".b2z", ".b2e"].iter().any(|ending| object.url.ends_with(ending))
}

/// The state of a file, as the listing knows it.
fn found(object: &Object) -> Option<Found> {
    let (etag, modified) = (object.etag.clone(), object.modified);
    object.size.map(|size| Found { size, etag, modified })
}

/// Returns the row of a file, as far as its bytes have been fetched.
fn of_frame(mut row: Row, file: &dyn Source, extent: Extent) -> Row {
    match Frame::open(file).and_then(|frame| row.describe(&frame, extent)) {
        Ok(()) => row,
        Err(error) => row.failed(&error),
    }
}

impl Row {
    /// The part of a row that is known before a file is read.
    fn of(object: &Object) -> Row {
        Row {
            url: object.url.clone(),
            size: object.size.and_then(|size| size.try_into().ok()),
            etag: object.etag.clone(),
            modified: object.modified,
            ..Row::default()
        }
    }

    fn failed(mut self, error: &b2nd::Error) -> Row {
        self.error = Some(match error.kind() {
            b2nd::ErrorKind::Io(error) => format!("{UNREADABLE}{error}"),
            _ => error.to_string(),
        });
        self
    }

    pub(crate) fn attach(&mut self, attributes: &Attributes) -> b2nd::Result<()> {
        self.attributes = Some(serde_json::to_string(attributes).map_err(std::io::Error::from)?);
        let string = |name| attributes.get(name).and_then(|value| value.as_str()).map(str::to_owned);
        self.units = string("units");
        self.long_name = string("long_name");
        self.dims = attributes.get("dims").and_then(|dims| serde_json::from_value(serde_json::to_value(dims).ok()?).ok());
        Ok(())
    }
}
