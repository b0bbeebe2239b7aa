//! Files and directories as sources.

use std::borrow::Cow;
use std::fs;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use b2nd::Result;

use crate::folder::Folder;
use crate::frame::{Frame, chunk_file_name};
use crate::kind::Kind;
use crate::source::Source;

/// The file that makes a directory a sparse frame.
pub const SPARSE_FRAME: &str = "chunks.b2frame";

/// How much is read when a file is opened: what most headers need, and all of a small file.
const FIRST_READ: usize = 4096;

/// A file. Of a sparse frame it is the one with the header, and those of the chunks are beside it.
pub struct LocalFile {
    file: fs::File,
    length: u64,
    first: Vec<u8>,
    path: PathBuf,
}

impl LocalFile {
    /// Opens a file, or the frame of a sparse frame's directory. What is neither is refused without opening it: a pipe would
    /// wait for somebody to write.
    ///
    /// # Errors
    ///
    /// There is no file, or it cannot be read.
    pub fn open(path: &Path) -> io::Result<LocalFile> {
        let metadata = fs::metadata(path)?;
        if metadata.is_dir() {
            let frame = path.join(SPARSE_FRAME);
            return match fs::metadata(&frame) {
                Ok(metadata) if metadata.is_file() => LocalFile::regular(frame),
                _ => Err(io::Error::new(io::ErrorKind::IsADirectory, format!("a directory without {SPARSE_FRAME}"))),
            };
        }
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "neither a file nor a directory"));
        }
        LocalFile::regular(path.to_owned())
    }

    /// Opens what is known to be a regular file. Of a small one the first read tells the length too.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn regular(path: PathBuf) -> io::Result<LocalFile> {
        let file = fs::File::open(&path)?;
        let mut first = Vec::with_capacity(FIRST_READ);
        (&file).take(FIRST_READ as u64).read_to_end(&mut first)?;
        let length = if first.len() < FIRST_READ { first.len() as u64 } else { file.metadata()?.len() };
        Ok(LocalFile { file, length, first, path })
    }
}

impl Source for LocalFile {
    fn len(&self) -> u64 {
        self.length
    }

    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        let end = range.end.min(self.length);
        let start = range.start.min(end);
        let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        if let Some(bytes) = self.first.get(place(start)..place(end)) {
            return Ok(Cow::Borrowed(bytes));
        }
        let mut bytes = vec![0; place(end - start)];
        read_exact_at(&self.file, &mut bytes, start)?;
        Ok(Cow::Owned(bytes))
    }

    fn chunk_file(&self, number: u64, length: usize) -> io::Result<Vec<u8>> {
        let name = chunk_file_name(number);
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{name}: {error}"));
        let mut bytes = Vec::new();
        let path = self.path.with_file_name(&name);
        if !fs::metadata(&path).map_err(named)?.is_file() {
            return Err(named(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")));
        }
        let file = fs::File::open(path).map_err(named)?;
        file.take(length as u64).read_to_end(&mut bytes).map_err(named)?;
        Ok(bytes)
    }
}

#[cfg(unix)]
fn read_exact_at(file: &fs::File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(not(unix))]
fn read_exact_at(mut file: &fs::File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    use std::io::Seek;
    file.seek(io::SeekFrom::Start(at))?;
    file.read_exact(bytes)
}

/// A directory with files in it and below.
pub struct Directory(
    /// Its path.
    pub PathBuf,
);

impl Folder for Directory {
    fn files(&self) -> Result<Vec<String>> {
        let (mut files, mut waiting) = (Vec::new(), vec![String::new()]);
        while let Some(below) = waiting.pop() {
            for entry in fs::read_dir(self.0.join(&below))? {
                let entry = entry?;
                let name = entry.file_name().to_string_lossy().into_owned();
                let path = if below.is_empty() { name } else { format!("{below}/{name}") };
                // Links to directories may lead in a circle.
                if entry.file_type()?.is_dir() { waiting.push(path) } else { files.push(path) }
            }
        }
        Ok(files)
    }

    fn open(&self, file: &str) -> Result<Box<dyn Source + '_>> {
        Ok(Box::new(LocalFile::open(&self.0.join(file))?))
    }
}

/// Whether a directory is a store and no sparse frame: by its name, or by what it holds.
pub fn is_store_directory(path: &Path) -> bool {
    let is_named_so = path.extension().is_some_and(|end| end == "b2d") && path.is_dir();
    is_named_so || path.join("_meta.b2f").is_file() || is_store(&path.join("embed.b2e")).unwrap_or(false)
}

/// Whether an `embed.b2e` belongs to the directory around it. One that does not is a store of its own.
fn is_store(embed: &Path) -> Result<bool> {
    let file = LocalFile::open(embed)?;
    let frame = Frame::open(&file, 0)?;
    Ok(matches!(Kind::of(frame.header(), None, &mut ()), Kind::DictStore | Kind::TreeStore))
}
