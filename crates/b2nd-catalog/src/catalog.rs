//! Writes a catalogue. `update.rs` reads the previous catalogue.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use anyhow::{Context, Result, bail};
use arrow::array::RecordBatch;
use b2nd_frame::NewFile;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};

use crate::columns::{SCHEMA, batch};
use crate::row::{CatalogRow, Extent};

/// The maximum number of rows in a row group. Scanned rows are sorted by URL in parts of at least this length (the last part may be
/// shorter), so that the statistics of each page cover a narrow range of URLs.
const GROUP: usize = 1 << 15;

pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Writes a catalogue to a temporary file, and renames the file when it is complete. A separate thread encodes the rows while files are
/// read.
pub struct Writer {
    new: NewFile,
    rows: Vec<CatalogRow>,
    pieces: SyncSender<Piece>,
    thread: Option<JoinHandle<Result<ArrowWriter<File>>>>,
}

enum Piece {
    /// Rows in any order. The writing thread sorts them.
    Rows(Vec<CatalogRow>),
    /// Rows that are written in this order.
    Batch(RecordBatch),
}

impl Writer {
    /// Starts a catalogue that will be renamed to `target`, or to the path to which `target` links.
    ///
    /// # Errors
    ///
    /// Fails if the catalogue cannot be created. To protect other files, also fails if `target` exists and is neither a Parquet file nor
    /// empty.
    pub fn new(target: &Path) -> Result<Writer> {
        let target = &replaceable(target)?;
        let new = NewFile::create(target).context("cannot write the catalogue")?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
            // A dictionary does not help, because most URLs occur only once. The encoding `DELTA_BYTE_ARRAY` omits the prefix that a URL
            // shares with the previous URL.
            .set_column_dictionary_enabled("url".into(), false)
            .set_column_encoding("url".into(), Encoding::DELTA_BYTE_ARRAY)
            .set_statistics_enabled(EnabledStatistics::Page)
            .set_max_row_group_row_count(Some(GROUP))
            .set_created_by(format!("b2nd-catalog {VERSION}"))
            .build();
        let writer = ArrowWriter::try_new(new.file().try_clone()?, SCHEMA.clone(), Some(properties))?;
        let (pieces, received) = sync_channel(0);
        let thread = Some(std::thread::spawn(move || encode(received, writer)));
        Ok(Writer { new, rows: Vec::new(), pieces, thread })
    }

    /// Adds rows.
    ///
    /// # Errors
    ///
    /// Fails if the catalogue cannot be written, for example because the disk is full.
    pub fn push(&mut self, rows: Vec<CatalogRow>) -> Result<()> {
        self.rows.extend(rows);
        if self.rows.len() >= GROUP { self.hand_over() } else { Ok(()) }
    }

    fn hand_over(&mut self) -> Result<()> {
        let rows = std::mem::take(&mut self.rows);
        self.send(Piece::Rows(rows))
    }

    /// Adds rows of another catalogue, or of a query with the same columns.
    ///
    /// # Errors
    ///
    /// Fails if the catalogue cannot be written, for example because the disk is full.
    pub fn push_batch(&mut self, batch: RecordBatch) -> Result<()> {
        self.send(Piece::Batch(batch))
    }

    fn send(&mut self, piece: Piece) -> Result<()> {
        // Sending fails only if the thread has ended early.
        self.pieces.send(piece).or_else(|_| encoded(self.thread.take()).map(drop))
    }

    /// Completes the catalogue, and renames it atomically, which replaces an existing catalogue.
    ///
    /// # Errors
    ///
    /// Fails if the catalogue cannot be written, for example because the disk is full, or because another process has created the file
    /// since [`Writer::new`].
    pub fn finish(mut self, notes: &Notes) -> Result<()> {
        self.hand_over()?;
        let Writer { new, pieces, thread, .. } = self;
        drop(pieces);
        let mut writer = encoded(thread)?;
        for (name, value) in notes.pairs() {
            writer.append_key_value_metadata(KeyValue::new(name.to_owned(), value));
        }
        writer.close()?;
        new.finish().context("cannot write the catalogue")
    }
}

/// Returns the path of the file to replace: `target`, or the path to which `target` links. Fails if the file is neither a Parquet file nor
/// empty.
fn replaceable(target: &Path) -> Result<PathBuf> {
    let Ok(found) = target.metadata() else { return Ok(target.to_owned()) };
    let mut first = Vec::new();
    if found.is_file() {
        let file = File::open(target).with_context(|| format!("cannot open {}", target.display()))?;
        file.take(4).read_to_end(&mut first)?;
    }
    if !found.is_file() || !(first.is_empty() || first == b"PAR1") {
        bail!("{} is not a Parquet file, so it is not replaced: give another --out", target.display());
    }
    Ok(target.canonicalize()?)
}

/// Writes the received pieces to the catalogue until the channel is closed.
fn encode(pieces: Receiver<Piece>, mut writer: ArrowWriter<File>) -> Result<ArrowWriter<File>> {
    for piece in pieces {
        match piece {
            Piece::Rows(rows) => {
                let mut sorted: Vec<&CatalogRow> = rows.iter().collect();
                sorted.sort_unstable_by(|one, other| (&one.url, &one.key).cmp(&(&other.url, &other.key)));
                // The rows are converted in parts, to limit the memory for a second copy of their text.
                for rows in sorted.chunks(GROUP / 8) {
                    writer.write(&batch(rows)?)?;
                }
            }
            Piece::Batch(batch) => writer.write(&batch)?,
        }
    }
    Ok(writer)
}

/// Returns the result of the writing thread. Panics if the thread panicked.
fn encoded(thread: Option<JoinHandle<Result<ArrowWriter<File>>>>) -> Result<ArrowWriter<File>> {
    match thread.map(JoinHandle::join) {
        Some(Ok(written)) => written.context("the catalogue cannot be written"),
        Some(Err(panic)) => std::panic::resume_unwind(panic),
        None => bail!("the catalogue could not be written"),
    }
}

/// Facts about a catalogue, which are stored in its Parquet metadata.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notes {
    pub extent: Extent,
    /// Whether everything could be listed, and the scan was not interrupted.
    pub is_complete: bool,
}

impl Notes {
    pub(crate) fn pairs(&self) -> [(&'static str, String); 4] {
        [
            ("b2nd-catalog.version", VERSION.to_owned()),
            ("b2nd-catalog.complete", self.is_complete.to_string()),
            ("b2nd-catalog.attributes", self.extent.attributes.to_string()),
            ("b2nd-catalog.index", self.extent.index.to_string()),
        ]
    }
}
