//! [`Positioned`]: a file whose reads name their position, so that threads share one descriptor.

use std::fs;
use std::io;

/// A file that is open for reading.
#[derive(Debug)]
pub(super) struct Positioned {
    file: fs::File,
    /// On systems without positioned reads, one thread at a time moves the file's cursor and reads.
    #[cfg(not(any(unix, windows)))]
    cursor: std::sync::Mutex<()>,
}

impl Positioned {
    pub(super) fn new(file: fs::File) -> Positioned {
        Positioned {
            file,
            #[cfg(not(any(unix, windows)))]
            cursor: std::sync::Mutex::new(()),
        }
    }

    pub(super) fn file(&self) -> &fs::File {
        &self.file
    }

    /// The length of the file in bytes, as it is now.
    pub(super) fn len(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Reads once, and again if a signal interrupts it. It may return fewer bytes than the buffer holds.
    pub(super) fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        loop {
            match self.read_once(buffer, position) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => return done,
            }
        }
    }

    /// Fills the buffer.
    pub(super) fn read_exact_at(&self, buffer: &mut [u8], position: u64) -> io::Result<()> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.read_at(&mut buffer[filled..], position.saturating_add(filled as u64))? {
                0 => return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file became shorter while it was read")),
                read => filled += read,
            }
        }
        Ok(())
    }

    #[cfg(unix)]
    fn read_once(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(&self.file, buffer, position)
    }

    #[cfg(windows)]
    fn read_once(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(&self.file, buffer, position)
    }

    #[cfg(not(any(unix, windows)))]
    fn read_once(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        use std::io::{Read, Seek, SeekFrom};

        let _turn = self.cursor.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        (&self.file).seek(SeekFrom::Start(position))?;
        (&self.file).read(buffer)
    }
}
