//! [`Files`]: the files of a Zarr array in a directory.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use b2nd_store::Directory;
use zarrs::filesystem::FilesystemStore;
use zarrs::storage::byte_range::{ByteRange, ByteRangeIterator, InvalidByteRangeError};
use zarrs::storage::{MaybeBytesIterator, OffsetBytesIterator, ReadableStorageTraits, StorageError, StoreKey, StorePrefix};
use zarrs::storage::{WritableStorageTraits, store_set_partial_many};

use crate::bytes_codec::LARGEST;
use crate::error::Error;
use crate::storage::failed;

/// The files of a Zarr array that is not trusted. Only regular files inside the directory are read, and memory is allocated only for bytes
/// that a file has.
#[derive(Debug)]
pub(crate) struct Files {
    root: PathBuf,
    store: FilesystemStore,
}

impl Files {
    pub(crate) fn open(directory: &Path) -> Result<Files, Error> {
        let root = fs::canonicalize(directory).map_err(Error::zarr)?;
        Ok(Files { store: FilesystemStore::new(&root).map_err(Error::zarr)?, root })
    }

    /// Returns the sum of the lengths of all regular files in the directory and its subdirectories, in bytes.
    #[cfg(feature = "import")]
    pub(crate) fn total_length(&self) -> std::io::Result<u64> {
        let (mut sum, mut directories) = (0_u64, vec![self.root.clone()]);
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory)? {
                let entry = entry?;
                match entry.file_type()? {
                    found if found.is_dir() => directories.push(entry.path()),
                    found if found.is_file() => sum = sum.saturating_add(entry.metadata()?.len()),
                    _ => {}
                }
            }
        }
        Ok(sum)
    }
}

impl ReadableStorageTraits for Files {
    fn get_partial_many<'a>(
        &'a self,
        key: &StoreKey,
        ranges: ByteRangeIterator<'a>,
    ) -> Result<MaybeBytesIterator<'a>, StorageError> {
        let Some(length) = self.size_key(key)? else { return Ok(None) };
        let ranges: Vec<_> = ranges.collect();
        for range in &ranges {
            let end = match *range {
                ByteRange::FromStart(start, read) => start.checked_add(read.unwrap_or(0)),
                ByteRange::Suffix(read) => Some(read),
            };
            if end.is_none_or(|end| end > length) {
                return Err(InvalidByteRangeError::new(*range, length).into());
            }
            let read = range.length(length);
            if read > LARGEST {
                return Err(failed(format_args!("{key}: {read} bytes would be read at once; at most {LARGEST} are supported")));
            }
        }
        self.store.get_partial_many(key, Box::new(ranges.into_iter()))
    }

    fn size_key(&self, key: &StoreKey) -> Result<Option<u64>, StorageError> {
        let path = match fs::canonicalize(self.store.key_to_fspath(key)) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
            path => path?,
        };
        if !path.starts_with(&self.root) {
            return Err(failed(format_args!("{key}: a symbolic link leads out of the array's directory, and is not followed")));
        }
        let found = fs::metadata(&path)?;
        let what = if found.is_dir() { "directory" } else { "special file" };
        let wrong = || failed(format_args!("{key}: expected a regular file, found a {what}"));
        found.is_file().then_some(Some(found.len())).ok_or_else(wrong)
    }

    fn supports_get_partial(&self) -> bool {
        true
    }
}

/// Unlike zarrs' own store, `set` does not create the array's directory again after a signal has removed it.
impl WritableStorageTraits for Files {
    fn set(&self, key: &StoreKey, value: zarrs::storage::Bytes) -> Result<(), StorageError> {
        Ok(fs::write(Directory(self.root.clone()).place(key.as_str())?, value)?)
    }

    fn set_partial_many(&self, key: &StoreKey, values: OffsetBytesIterator) -> Result<(), StorageError> {
        store_set_partial_many(self, key, values)
    }

    fn erase(&self, key: &StoreKey) -> Result<(), StorageError> {
        self.store.erase(key)
    }

    fn erase_prefix(&self, prefix: &StorePrefix) -> Result<(), StorageError> {
        self.store.erase_prefix(prefix)
    }

    fn supports_set_partial(&self) -> bool {
        false
    }
}
