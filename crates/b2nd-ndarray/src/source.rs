//! [`Source`]: where the bytes of a frame are.

use std::fs;
use std::io::{self, ErrorKind};

/// Bytes that are read by their position: a file, a buffer, a connection. Several threads read at once.
///
/// [`std::fs::File`] implements it, and [`Memory`] for any buffer.
pub trait Source: Send + Sync {
    /// How many bytes there are.
    ///
    /// # Errors
    ///
    /// The length cannot be found out.
    fn length(&self) -> io::Result<u64>;

    /// Fills `buffer` with the bytes from `offset` on.
    ///
    /// # Errors
    ///
    /// The source ends before the buffer is full (`UnexpectedEof`), or cannot be read.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
}

impl Source for fs::File {
    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    #[cfg(unix)]
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, buffer, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, mut offset: u64, mut buffer: &mut [u8]) -> io::Result<()> {
        while !buffer.is_empty() {
            match std::os::windows::fs::FileExt::seek_read(self, buffer, offset) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => {
                    buffer = &mut buffer[count..];
                    offset += count as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    // One thread alone: WebAssembly.
    #[cfg(not(any(unix, windows)))]
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        use std::io::{Read, Seek};
        let mut file = self;
        file.seek(io::SeekFrom::Start(offset))?;
        file.read_exact(buffer)
    }
}

/// A buffer as a [`Source`]: `Memory(vec)`, or of anything else that is bytes, such as a memory map.
#[derive(Clone, Debug)]
pub struct Memory<T>(pub T);

impl<T: AsRef<[u8]> + Send + Sync> Source for Memory<T> {
    fn length(&self) -> io::Result<u64> {
        Ok(self.0.as_ref().len() as u64)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let end = start.saturating_add(buffer.len());
        let bytes = self.0.as_ref().get(start..end).ok_or(ErrorKind::UnexpectedEof)?;
        buffer.copy_from_slice(bytes);
        Ok(())
    }
}
