//! Files and directories on the local disk.

use std::borrow::Cow;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use b2nd_frame::{Error, ErrorKind, FIRST_READ, FileSource, Result, Source};

use crate::folder::{Folder, LeftOut, Why};
use crate::frame::{Bytes, Frame};
use crate::kind::Kind;

pub use b2nd_frame::SPARSE_FRAME;

/// A file on the local disk. Its first bytes are read when it is opened. For a sparse frame, this is the file that contains the header; the
/// chunk files are in the same directory.
pub struct LocalFile {
    path: PathBuf,
    file: FileSource,
    length: u64,
    first: Vec<u8>,
}

impl LocalFile {
    /// Opens a file, or the file with the header in a sparse frame's directory. Anything else, such as a pipe, is rejected without opening
    /// it.
    ///
    /// # Errors
    ///
    /// Fails if the path does not exist, cannot be read, or is neither a file nor the directory of a sparse frame.
    pub fn open(path: &Path) -> Result<LocalFile> {
        let metadata = fs::metadata(path)?;
        if metadata.is_dir() {
            let frame = path.join(SPARSE_FRAME);
            return match fs::metadata(&frame) {
                Ok(metadata) if metadata.is_file() => LocalFile::regular(&frame),
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
                _ => Err(io::Error::new(io::ErrorKind::IsADirectory, format!("a directory with no file {SPARSE_FRAME}")).into()),
            };
        }
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a pipe, a device or a socket, not a file").into());
        }
        LocalFile::regular(path)
    }

    /// Opens a regular file. The length of a small file is known from the first read.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn regular(path: &Path) -> Result<LocalFile> {
        let file = FileSource::open_file(path)?;
        let first = file.read(0..FIRST_READ)?.into_owned();
        let length = if (first.len() as u64) < FIRST_READ { first.len() as u64 } else { file.len()? };
        Ok(LocalFile { path: path.to_owned(), file, length, first })
    }
}

impl Source for LocalFile {
    fn len(&self) -> Result<u64> {
        Ok(self.length)
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        let end = range.end.min(self.length);
        let start = range.start.min(end);
        let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        match self.first.get(place(start)..place(end)) {
            Some(bytes) => Ok(Cow::Borrowed(bytes)),
            None => self.file.read(start..end),
        }
    }

    fn read_into(&self, start: u64, buffer: &mut [u8]) -> Result<()> {
        self.file.read_into(start, buffer)
    }

    fn chunk_file(&self, number: u64, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        let is_it = |path: &Path| path.file_name().is_some_and(|name| name == SPARSE_FRAME);
        if is_it(&self.path) || fs::canonicalize(&self.path).is_ok_and(|path| is_it(&path)) {
            return self.file.chunk_file(number, range);
        }
        // The file does not have the name of a sparse frame, so it has no chunk files, like bytes in memory.
        self.first.chunk_file(number, range)
    }
}

/// A directory, with the files below it.
#[derive(Clone, Debug)]
pub struct Directory(
    /// The path of the directory.
    pub PathBuf,
);

impl Directory {
    /// Creates the directories that contain the file `name`, and returns the path of the file. Unlike `create_dir_all`, this does not
    /// create the directory itself again, because the handler of a signal may have removed it.
    ///
    /// # Errors
    ///
    /// Fails if a directory cannot be created. A path that exists already is not checked: it may be a file.
    pub fn place(&self, name: &str) -> io::Result<PathBuf> {
        let mut path = self.0.clone();
        let (directories, name) = name.rsplit_once('/').unwrap_or(("", name));
        for part in directories.split_terminator('/') {
            path.push(part);
            match fs::create_dir(&path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
        }
        Ok(path.join(name))
    }
}

impl Folder for Directory {
    fn contents(&self) -> Result<(Vec<String>, Vec<LeftOut>)> {
        let (mut files, mut left_out, mut waiting) = (Vec::new(), Vec::new(), vec![String::new()]);
        while let Some(below) = waiting.pop() {
            for entry in fs::read_dir(self.0.join(&below))? {
                let entry = entry?;
                let (name, kind) = (entry.file_name(), entry.file_type()?);
                let text = name.to_string_lossy();
                let path = if below.is_empty() { text.into_owned() } else { format!("{below}/{text}") };
                match kind {
                    _ if kind.is_symlink() => left_out.push(LeftOut { name: path, why: Why::Link }),
                    _ if name.to_str().is_none() => left_out.push(LeftOut { name: path, why: Why::NotUtf8 }),
                    _ if kind.is_dir() => waiting.push(path),
                    _ => files.push(path),
                }
            }
        }
        files.sort_unstable();
        Ok((files, left_out))
    }

    fn member(&self, file: &str) -> Result<Option<Bytes>> {
        // A path such as `../x`, which could be that of a file outside of the directory, is not the path of a file of the store.
        if !Path::new(file).components().all(|part| matches!(part, Component::Normal(_))) {
            return Ok(None);
        }
        if let Some(link) = link_in(&self.0, file) {
            return Err(Error::custom(LeftOut { name: link.display().to_string(), why: Why::Link }));
        }
        let is_absent = |error: &io::Error| matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
        match LocalFile::open(&self.0.join(file)) {
            Ok(file) => Ok(Some(Arc::new(file))),
            Err(error) if matches!(error.kind(), ErrorKind::Io(error) if is_absent(error)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Returns the first part of a path below a directory that is a symbolic link. Links in the path of the directory are allowed.
fn link_in<'a>(directory: &Path, below: &'a str) -> Option<&'a Path> {
    let is_link = |path: &Path| fs::symlink_metadata(directory.join(path)).is_ok_and(|found| found.is_symlink());
    Path::new(below).ancestors().filter(|&path| path != Path::new("") && is_link(path)).last()
}

/// Returns true if a path is the directory of a store: its name ends in `.b2d`, or it contains the file `_meta.b2f` of a table or the file
/// `embed.b2e` of a `DictStore` or a `TreeStore`.
pub fn is_store_directory(path: &Path) -> bool {
    let is_named_so = path.extension().is_some_and(|end| end == "b2d") && path.is_dir();
    is_named_so || path.join("_meta.b2f").is_file() || is_store(&path.join("embed.b2e")).unwrap_or(false)
}

/// Returns true if a file `embed.b2e` belongs to a store that consists of its whole directory, and false if the file is a store by itself.
/// `embed` is the path of the file.
fn is_store(embed: &Path) -> Result<bool> {
    let file = LocalFile::open(embed)?;
    let frame = Frame::open(&file)?;
    Ok(matches!(Kind::of(frame.header(), None), Kind::DictStore | Kind::TreeStore))
}
