//! Reads the parts of the previous catalogue that `--update` needs: which files have not changed, and the rows that are kept.

use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use arrow::array::{Array, AsArray, BooleanArray};
use arrow::compute::filter_record_batch;
use arrow::datatypes::{Int64Type, TimestampMicrosecondType};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use twox_hash::XxHash3_128;

use crate::catalog::{Notes, VERSION, Writer};
use crate::columns::SCHEMA;
use crate::place::{Object, is_below};
use crate::row::{Extent, UNREADABLE};

/// The files of the last catalogue, which an update compares with the listed files to find those that have changed. Each file takes about
/// 50 bytes of memory.
pub struct Known {
    path: PathBuf,
    /// The file of the existing catalogue. It stays locked until the new catalogue replaces it, so that two updates cannot overwrite each
    /// other's rows.
    file: File,
    roots: Vec<String>,
    files: HashMap<u128, Fate>,
}

/// What this scan found out about a file of the last catalogue.
#[derive(PartialEq, Eq)]
enum Fate {
    /// The file was not listed yet, or must be read again and was not read yet. Contains a hash of the file's size, ETag and time in the
    /// last catalogue, or `None` if the file or one of its leaves could not be read for the last catalogue.
    Unseen(Option<u64>),
    Unchanged,
    Replaced,
}

impl Known {
    /// Reads the parts of the last catalogue that an update needs. Returns `None` if there is no catalogue yet.
    ///
    /// # Errors
    ///
    /// Fails if the catalogue cannot be read or is locked, if it does not have the columns of a catalogue of this version, or if it is not
    /// marked with this choice of attributes and index.
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
            bail!("{} is not marked with this choice of --attributes and --index: change it or omit --update", path.display());
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
            let unreadable = |row: usize| error.is_valid(row) && error.value(row).starts_with(UNREADABLE);
            for row in (0..batch.num_rows()).filter(|&row| key.is_null(row) || unreadable(row)) {
                let size = size.is_valid(row).then(|| size.value(row));
                let modified = modified.is_valid(row).then(|| modified.value(row));
                let version = version(size, etag.is_valid(row).then(|| etag.value(row)), modified);
                files.insert(name(url.value(row)), Fate::Unseen((!unreadable(row)).then_some(version)));
            }
        }
        Ok(Some(Known { path: path.to_owned(), file, roots, files }))
    }

    /// Returns true if a listed file has not changed and was readable. In this case, its rows in the last catalogue are kept.
    pub fn is_unchanged(&mut self, object: &Object) -> bool {
        let size = object.size.and_then(|size| size.try_into().ok());
        let found = version(size, object.etag.as_deref(), object.modified);
        let Some(fate) = self.files.get_mut(&name(&object.url)) else { return false };
        if *fate == Fate::Unseen(Some(found)) {
            *fate = Fate::Unchanged;
        }
        *fate == Fate::Unchanged
    }

    /// Records that a file was read again, so that [`keep`](Known::keep) does not copy the rows that the last catalogue has for it.
    pub fn replace(&mut self, url: &str) {
        if let Some(known) = self.files.get_mut(&name(url)) {
            *known = Fate::Replaced;
        }
    }

    /// Copies the rows of the last catalogue that are still valid: those of unchanged files, of files outside this scan, and of files
    /// below locations that could not be listed. `unlisted` contains the URLs of these locations; it is `None` if the scan was
    /// interrupted, and then the rows of all files that were not read again are copied. Returns the number of files and other locations
    /// whose rows are dropped although they were not read again.
    ///
    /// # Errors
    ///
    /// Fails if the last catalogue cannot be read, or the new one cannot be written.
    pub fn keep(&self, writer: &mut Writer, unlisted: Option<&[String]>) -> Result<u64> {
        let is_open = |url: &str| unlisted.is_none_or(|unlisted| is_below(url, unlisted));
        let mut gone = 0;
        for batch in open(&self.file, &self.path)?.build()? {
            let batch = batch?;
            let (url, key) = (batch.column(0).as_string::<i32>(), batch.column(1));
            let kept: BooleanArray = (0..batch.num_rows())
                .map(|row| {
                    let kept = match self.files.get(&name(url.value(row))) {
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
            Err(TryLockError::WouldBlock) => bail!("{} is locked, probably by another scan: wait until it ends", path.display()),
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
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).with_context(|| format!("cannot read {}", path.display()))?;
    let names = |schema: &arrow::datatypes::Schema| {
        schema.fields().iter().map(|field| (field.name().clone(), field.data_type().clone())).collect::<Vec<_>>()
    };
    if names(reader.schema()) != names(&SCHEMA) {
        bail!("{}: not the columns of b2nd-catalog {VERSION}: scan without --update to replace it", path.display());
    }
    Ok(reader)
}

fn name(url: &str) -> u128 {
    XxHash3_128::oneshot(url.as_bytes())
}

fn version(size: Option<i64>, etag: Option<&str>, modified: Option<i64>) -> u64 {
    XxHash3_128::oneshot(format!("{size:?} {etag:?} {modified:?}").as_bytes()) as u64
}
