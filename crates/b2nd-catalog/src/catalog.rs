//! Writes a catalogue, and reads the parts of the previous catalogue that an update needs.

use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use anyhow::{Context, Result, bail};
use arrow::array::{Array, AsArray, BooleanArray, RecordBatch};
use arrow::compute::filter_record_batch;
use arrow::datatypes::{Int64Type, TimestampMicrosecondType};
use b2nd_frame::NewFile;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use twox_hash::XxHash3_128;

use crate::columns::{SCHEMA, batch};
use crate::place::{Object, is_below};
use crate::row::{Extent, Row, UNREADABLE};

/// The maximum number of rows in a row group. Scanned rows are sorted by URL in parts of about this length, so that the statistics of each
/// page cover a narrow range of URLs.
const GROUP: usize = 1 << 15;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The minimum number of rows that are sent to the writing thread together.
const HANDED: usize = 1 << 10;

/// The maximum number of [`Piece`]s that wait for the writing thread, so that files can be read while a row group is encoded.
const WAITING: usize = 16;

/// Writes a catalogue to a temporary file in the directory of its path, and renames the file when it is complete. A separate thread encodes
/// the rows while files are read.
pub struct Writer {
    new: NewFile,
    rows: Vec<Row>,
    pieces: SyncSender<Piece>,
    thread: Option<JoinHandle<Result<ArrowWriter<File>>>>,
}

enum Piece {
    /// Rows in any order. The writing thread sorts them.
    Rows(Vec<Row>),
    /// Rows that are written in this order.
    Batch(RecordBatch),
}

impl Writer {
    /// Starts a catalogue that will be renamed to `target`.
    ///
    /// # Errors
    ///
    /// Fails if the directory of `target` is not writable. To protect other files, also fails if `target` exists and is neither a Parquet
    /// file nor empty.
    pub fn new(target: &Path) -> Result<Writer> {
        let target = &replaceable(target)?;
        let new = NewFile::create(target).context("cannot write the catalogue")?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
            // A dictionary does not help, because most URLs occur only once. The encoding `DELTA_BYTE_ARRAY` stores only the part in which
            // a URL differs from the previous URL.
            .set_column_dictionary_enabled("url".into(), false)
            .set_column_encoding("url".into(), Encoding::DELTA_BYTE_ARRAY)
            .set_statistics_enabled(EnabledStatistics::Page)
            .set_max_row_group_row_count(Some(GROUP))
            .set_created_by(format!("b2nd-catalog {VERSION}"))
            .build();
        let writer = ArrowWriter::try_new(new.file().try_clone()?, SCHEMA.clone(), Some(properties))?;
        let (pieces, received) = sync_channel(WAITING);
        let thread = Some(std::thread::spawn(move || encode(received, writer)));
        Ok(Writer { new, rows: Vec::new(), pieces, thread })
    }

    /// Adds rows.
    ///
    /// # Errors
    ///
    /// Fails if the catalogue cannot be written, for example because the disk is full.
    pub fn push(&mut self, rows: Vec<Row>) -> Result<()> {
        self.rows.extend(rows);
        if self.rows.len() >= HANDED { self.hand_over() } else { Ok(()) }
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
        // Sending fails only if the thread has ended early because of an error.
        self.pieces.send(piece).or_else(|_| encoded(self.thread.take()).map(drop))
    }

    /// Completes the catalogue, and renames it atomically, which replaces an existing catalogue.
    ///
    /// # Errors
    ///
    /// Fails if the disk is full or the directory is not writable.
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
        bail!("{} is not a catalogue, so it is not replaced", target.display());
    }
    Ok(target.canonicalize()?)
}

/// Writes the received pieces to the catalogue until the channel is closed.
fn encode(pieces: Receiver<Piece>, mut writer: ArrowWriter<File>) -> Result<ArrowWriter<File>> {
    let mut gathered = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Rows(rows) => gathered.extend(rows),
            Piece::Batch(batch) => writer.write(&batch)?,
        }
        if gathered.len() >= GROUP {
            write(&mut gathered, &mut writer)?;
        }
    }
    write(&mut gathered, &mut writer)?;
    Ok(writer)
}

fn write(rows: &mut Vec<Row>, writer: &mut ArrowWriter<File>) -> Result<()> {
    let mut sorted: Vec<&Row> = rows.iter().collect();
    sorted.sort_unstable_by(|one, other| (&one.url, &one.key).cmp(&(&other.url, &other.key)));
    // The rows are converted in parts, to limit the memory for a second copy of their text.
    for rows in sorted.chunks(GROUP / 8) {
        writer.write(&batch(rows)?)?;
    }
    rows.clear();
    Ok(())
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
    fn pairs(&self) -> [(&'static str, String); 4] {
        [
            ("b2nd-catalog.version", VERSION.to_owned()),
            ("b2nd-catalog.complete", self.is_complete.to_string()),
            ("b2nd-catalog.attributes", self.extent.attributes.to_string()),
            ("b2nd-catalog.index", self.extent.index.to_string()),
        ]
    }
}

/// The files of the last catalogue, which an update compares with the listed files to find those that have changed. Each file takes about
/// 50 bytes of memory.
pub struct Known {
    path: PathBuf,
    /// The file of the existing catalogue. It stays locked until the new catalogue replaces it, so that two updates cannot overwrite each
    /// other's rows.
    file: File,
    roots: Vec<String>,
    files: HashMap<u128, Seen>,
}

/// A file of the last catalogue.
struct Seen {
    /// A hash of the file's size, tag and time, or `None` if the file could not be read and must be read again.
    version: Option<u64>,
    fate: Fate,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Unseen,
    Unchanged,
    Replaced,
}

impl Known {
    /// Reads the parts of the last catalogue that an update needs. Returns `None` if there is no catalogue yet.
    ///
    /// # Errors
    ///
    /// Fails if the file does not have the columns of a catalogue of this version, if it was made with other options, or if another scan is
    /// updating it.
    pub fn load(path: &Path, roots: Vec<String>, extent: Extent) -> Result<Option<Known>> {
        let Some(file) = lock(path)? else { return Ok(None) };
        let reader = open(&file, path)?;
        let notes = Notes { extent, is_complete: true };
        let found = reader.metadata().file_metadata().key_value_metadata();
        let has = |name: &str, value: &str| {
            found.is_some_and(|pairs| pairs.iter().any(|pair| pair.key == name && pair.value.as_deref() == Some(value)))
        };
        let [_, _, attributes, index] = notes.pairs();
        if !has(attributes.0, &attributes.1) || !has(index.0, &index.1) {
            bail!("{} was made with other options: use the same --attributes and --index, or leave out --update", path.display());
        }
        let names = ["url", "key", "error", "size", "etag", "modified"];
        let mask = ProjectionMask::columns(reader.parquet_schema(), names);
        let mut files = HashMap::new();
        for batch in reader.with_projection(mask).build()? {
            let batch = batch?;
            let column = |name| batch.column_by_name(name).with_context(|| format!("{} has no column {name}", path.display()));
            let (url, key, error, etag) = (
                column("url")?.as_string::<i32>(),
                column("key")?,
                column("error")?.as_string::<i32>(),
                column("etag")?.as_string::<i32>(),
            );
            let (size, modified) =
                (column("size")?.as_primitive::<Int64Type>(), column("modified")?.as_primitive::<TimestampMicrosecondType>());
            for row in (0..batch.num_rows()).filter(|&row| key.is_null(row)) {
                let unreadable = error.is_valid(row) && error.value(row).starts_with(UNREADABLE);
                let size = size.is_valid(row).then(|| size.value(row));
                let modified = modified.is_valid(row).then(|| modified.value(row));
                let version = version(size, etag.is_valid(row).then(|| etag.value(row)), modified);
                files.insert(name(url.value(row)), Seen { version: (!unreadable).then_some(version), fate: Fate::Unseen });
            }
        }
        Ok(Some(Known { path: path.to_owned(), file, roots, files }))
    }

    /// Returns true if a listed file has not changed. In this case, the file's rows in the last catalogue are kept.
    pub fn is_unchanged(&mut self, object: &Object) -> bool {
        let size = object.size.and_then(|size| size.try_into().ok());
        let found = version(size, object.etag.as_deref(), object.modified);
        let Some(known) = self.files.get_mut(&name(&object.url)) else { return false };
        let unchanged = known.version == Some(found);
        if unchanged {
            known.fate = Fate::Unchanged;
        }
        unchanged
    }

    /// Records that a file was read again, so that [`keep`](Known::keep) does not copy the rows that the last catalogue has for it.
    pub fn replace(&mut self, url: &str) {
        if let Some(known) = self.files.get_mut(&name(url)) {
            known.fate = Fate::Replaced;
        }
    }

    /// Copies the rows of the last catalogue that are still valid: those of unchanged files, of files outside this scan, and of files below
    /// locations that could not be listed. `unlisted` contains the URLs of these locations; it is `None` if the scan was interrupted, and
    /// then the rows of all files that were not listed are copied. Returns the number of files that no longer exist.
    ///
    /// # Errors
    ///
    /// Fails if the last catalogue cannot be read or the disk is full.
    pub fn keep(&self, writer: &mut Writer, unlisted: Option<&[String]>) -> Result<u64> {
        let is_open = |url: &str| unlisted.is_none_or(|unlisted| is_below(url, unlisted));
        let mut gone = 0;
        for batch in open(&self.file, &self.path)?.build()? {
            let batch = batch?;
            let (url, key) = (batch.column(0).as_string::<i32>(), batch.column(1));
            let kept: BooleanArray = (0..batch.num_rows())
                .map(|row| {
                    let kept = match self.files.get(&name(url.value(row))).map(|known| known.fate) {
                        Some(Fate::Unchanged) => true,
                        Some(Fate::Replaced) => false,
                        _ => {
                            let kept = is_open(url.value(row)) || !is_below(url.value(row), &self.roots);
                            gone += u64::from(!kept && key.is_null(row));
                            kept
                        }
                    };
                    Some(kept)
                })
                .collect();
            writer.push_batch(filter_record_batch(&batch, &kept)?)?;
        }
        Ok(gone)
    }
}

/// Opens and locks the catalogue. Returns `None` if it does not exist.
fn lock(path: &Path) -> Result<Option<File>> {
    loop {
        let file = match File::open(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            file => file.with_context(|| format!("cannot open {}", path.display()))?,
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => bail!("{} is being updated by another scan", path.display()),
            // If the file system has no locks, the catalogue is read without a lock.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        // If another scan replaced the file before it was locked, the new file is opened and locked.
        let (locked, now) = (file.metadata()?, path.metadata()?);
        if (locked.dev(), locked.ino()) == (now.dev(), now.ino()) {
            return Ok(Some(file));
        }
    }
}

fn open(file: &File, path: &Path) -> Result<ParquetRecordBatchReaderBuilder<File>> {
    let file = file.try_clone()?;
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).with_context(|| format!("{} is not Parquet", path.display()))?;
    let names = |schema: &arrow::datatypes::Schema| {
        schema.fields().iter().map(|field| (field.name().clone(), field.data_type().clone())).collect::<Vec<_>>()
    };
    if names(reader.schema()) != names(&SCHEMA) {
        bail!("{} does not have the columns of a catalogue of b2nd-catalog {VERSION}: scan without --update", path.display());
    }
    Ok(reader)
}

fn name(url: &str) -> u128 {
    XxHash3_128::oneshot(url.as_bytes())
}

fn version(size: Option<i64>, etag: Option<&str>, modified: Option<i64>) -> u64 {
    XxHash3_128::oneshot(format!("{size:?} {etag:?} {modified:?}").as_bytes()) as u64
}
