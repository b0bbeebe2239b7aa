//! Edits of a frame in its file: what a crash at any moment leaves is the old content or the new one.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use core::ops::{Deref, Range};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use super::file::File;
use super::storage::{Disk, Handle, Staged, Storage, sync_parent};
use crate::array::Metalayer;
use crate::error::{Error, Result};
use crate::frame::header::Header;
use crate::frame::metalayers::Place;
use crate::frame::trailer::Trailer;

/// A write inside one of these, aligned, is taken to happen as a whole or not at all.
const SECTOR: u64 = 512;

/// How much of a frame is copied at once, in bytes: what `io::copy` takes is too little for a large file.
const COPIED_AT_ONCE: usize = 1 << 20;

/// The position of frame_len's 8 bytes. What an edit changes, as far as has_vlmetalayers, is in one sector.
const FRAME_LEN_AT: usize = 0x10;

/// The position of has_vlmetalayers.
const HAS_VLMETALAYERS_AT: usize = 0x44;

/// A frame on disk that is open to change its metalayers. What a [`File`] reads, this reads too.
#[derive(Debug)]
pub struct Editor {
    file: File,
    storage: Arc<dyn Storage>,
}

impl Deref for Editor {
    type Target = File;

    fn deref(&self) -> &File {
        &self.file
    }
}

impl File {
    /// Opens a frame to read and to edit: a file, or a sparse frame's directory.
    ///
    /// # What a crash leaves
    ///
    /// A crash, a full disk or a failed write at any moment leaves a file that opens with the old content or the new one.
    /// Where the bytes that change are in one aligned sector of 512 bytes, they are overwritten in place, and that one write is
    /// taken to be atomic. A new trailer is appended after the old one and synced, and one write of frame_len makes it valid.
    /// Everything else is written to a temporary file beside the file (`.NAME.0.tmp`), synced, and renamed over it; of a
    /// symbolic link, over the file that it names. It has the permissions of the old one. What follows the frame in its file is
    /// no part of it, and is not kept.
    ///
    /// After an error the [`Editor`] is what the file holds, the old content or the new one, and the edit can be tried again. An edit
    /// that changes nothing still syncs.
    ///
    /// # Two writers
    ///
    /// No lock is taken, and `.b2lock` files are neither made nor honoured. Each edit makes sure that the header is still the
    /// one that was read, so a writer that comes second is refused; two in the same instant are not kept apart, and one edit is lost.
    ///
    /// ```
    /// # let path = std::env::temp_dir().join(format!("b2nd-edit-{}.b2nd", std::process::id()));
    /// # std::fs::copy("tests/data/example.b2nd", &path)?;
    /// let mut file = b2nd::frame::File::edit(&path)?;
    /// file.set_vlmetalayer("title", &b2nd::frame::encode_msgpack("North Sea, 2023")?)?;
    ///
    /// let trailer = b2nd::frame::File::open(&path)?.trailer()?;
    /// let value = trailer.value("title", ())?.expect("just written");
    /// assert_eq!(b2nd::frame::decode_msgpack::<String>(&value)?, "North Sea, 2023");
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`open`](File::open). Whether the file can be written is seen by the first edit.
    pub fn edit(path: impl AsRef<Path>) -> Result<Editor> {
        File::edit_in(Arc::new(Disk), path)
    }

    /// The same in a storage of your own, which sees every write. Reading goes to the file system.
    pub fn edit_in(storage: Arc<dyn Storage>, path: impl AsRef<Path>) -> Result<Editor> {
        Ok(Editor { file: File::open(path)?, storage })
    }
}

impl Editor {
    /// Replaces the content of the metalayer of a type's own name.
    ///
    /// # Errors
    ///
    /// Those of [`set_metalayer_bytes`](Editor::set_metalayer_bytes).
    pub fn set_metalayer<T: Metalayer + Serialize>(&mut self, value: &T) -> Result<()> {
        self.set_metalayer_bytes(T::NAME, &crate::to_vec(value)?)
    }

    /// Replaces the content of a metalayer. A shorter one keeps the old one's tail behind it, as with C-Blosc2.
    ///
    /// # Errors
    ///
    /// The header has no such metalayer, or what it holds is shorter than the new content: chunks follow the header, so it cannot grow.
    /// [`rewrite`](crate::frame::rewrite) adds and lengthens metalayers. [`ErrorKind::Io`](crate::ErrorKind::Io) where writing fails; see
    /// [`File::edit`] for what is then in the file.
    pub fn set_metalayer_bytes(&mut self, name: &str, content: &[u8]) -> Result<()> {
        let place = self.file.header.metalayers().get(name).ok_or_else(|| no_place(name))?;
        if content.len() > place.len() {
            return Err(too_long(name, content.len(), place.len()));
        }
        let mut whole = place.to_vec();
        whole[..content.len()].copy_from_slice(content);
        let Some(changed) = changed_range(place, &whole) else { return self.settle() };
        let start = self.file.header.metalayers().content_offset(name, Place::Header.start()).unwrap_or(0) + 5;
        let (first, last) = ((start + changed.start) as u64, (start + changed.end - 1) as u64);

        let mut header = self.file.header.clone();
        header.metalayers_mut().insert(name, whole.as_slice())?;
        let written = if first / SECTOR == last / SECTOR {
            self.checked_handle().and_then(|mut file| Ok(file.write_at(first, &whole[changed])?))
        } else {
            self.replace(&crate::to_vec(&header)?, header.header_len() as u64..header.frame_len())
        };
        self.adopt(header, written)
    }

    /// Puts a value under a name among the variable-length metalayers, uncompressed.
    ///
    /// The old trailer stays in the file, before the new one: [`rewrite`](crate::frame::rewrite) drops it.
    ///
    /// # Errors
    ///
    /// A name longer than 31 bytes, a value of 2 GiB, a 17th vlmetalayer (C-Blosc2 opens such a file, and destroys it when
    /// it writes next).
    pub fn set_vlmetalayer(&mut self, name: &str, value: &[u8]) -> Result<()> {
        self.edit_trailer(|trailer| trailer.set_value(name, value))
    }

    /// Removes a variable-length metalayer; `false` where there is none of this name.
    pub fn remove_vlmetalayer(&mut self, name: &str) -> Result<bool> {
        self.edit_trailer(|trailer| Ok(trailer.vlmetalayers_mut().remove(name).is_some()))
    }

    fn edit_trailer<T>(&mut self, edit: impl FnOnce(&mut Trailer) -> Result<T>) -> Result<T> {
        let old = self.reopened()?.trailer()?;
        let mut trailer = old.clone();
        let edited = edit(&mut trailer)?;
        if trailer == old {
            self.settle()?;
            return Ok(edited);
        }
        let bytes = crate::to_vec(&trailer)?;
        let old_len = self.file.header.frame_len();
        let mut header = self.file.header.clone();
        header.set_has_vlmetalayers(!trailer.vlmetalayers().is_empty());
        let written = if header.nbytes() == 0 {
            // C-Blosc2 then looks for the trailer after the header, whatever frame_len says.
            header.set_frame_len(header.header_len() as u64 + bytes.len() as u64);
            self.replace(&[crate::to_vec(&header)?, bytes].concat(), 0..0)
        } else {
            header.set_frame_len(old_len + bytes.len() as u64);
            let fields = &crate::to_vec(&header)?[FRAME_LEN_AT..=HAS_VLMETALAYERS_AT];
            self.checked_handle().and_then(|mut file| {
                file.write_at(old_len, &bytes)?;
                Ok(file.write_at(FRAME_LEN_AT as u64, fields)?)
            })
        };
        self.adopt(header, written)?;
        Ok(edited)
    }

    /// Takes over the header that was written, and the file that it is in. After an error the file may hold it all the same.
    fn adopt(&mut self, header: Header, written: Result<()>) -> Result<()> {
        match File::open(self.path()) {
            Ok(file) if file.header == header => self.file = file,
            Ok(_) if written.is_ok() => return Err(changed()),
            Err(error) if written.is_ok() => return Err(error),
            _ => {}
        }
        written
    }

    /// Where there is nothing to change: what an edit that failed after its last write had changed lasts now.
    fn settle(&self) -> Result<()> {
        self.checked_handle()?.sync()?;
        Ok(sync_parent(&*self.storage, self.path())?)
    }

    /// The file as it is now, if its header is still the one that was read: another editor may have put a new file in its place.
    fn reopened(&self) -> Result<File> {
        let file = File::open(self.path())?;
        if file.header != self.file.header { Err(changed()) } else { Ok(file) }
    }

    /// The file, opened to write, if its header is still the one that was read.
    fn checked_handle(&self) -> Result<Box<dyn Handle>> {
        let mut file = self.storage.open(self.path())?;
        let known = crate::to_vec(self.header())?;
        let mut found = Vec::with_capacity(known.len());
        (&mut file).take(known.len() as u64).read_to_end(&mut found)?;
        if found != known {
            return Err(changed());
        }
        Ok(file)
    }

    /// Puts a new file in the place of this one: `front`, then a part of this one.
    fn replace(&self, front: &[u8], rest: Range<u64>) -> Result<()> {
        let mut old = self.checked_handle()?;
        let (staged, mut file) = Staged::file(self.storage.clone(), self.path())?;
        staged.keep_permissions()?;
        file.write_all(front)?;
        old.seek(SeekFrom::Start(rest.start))?;
        copy(old, &mut file, rest.end - rest.start)?;
        file.sync()?;
        drop(file);
        Ok(staged.finish()?)
    }
}

/// Copies exactly so many bytes, in constant memory.
pub(super) fn copy(mut from: impl Read, to: &mut impl Write, length: u64) -> Result<()> {
    let mut buffer = alloc::vec![0; usize::try_from(length).unwrap_or(usize::MAX).min(COPIED_AT_ONCE)];
    let mut left = length;
    while left > 0 {
        let part = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        match from.read(&mut buffer[..part]) {
            Ok(0) => {
                let message = format!("the file ends {left} bytes before the frame does");
                return Err(Error::from(io::Error::new(io::ErrorKind::UnexpectedEof, message)));
            }
            Ok(read) => {
                to.write_all(&buffer[..read])?;
                left -= read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

trait WriteAt {
    fn write_at(&mut self, position: u64, bytes: &[u8]) -> io::Result<()>;
}

impl WriteAt for Box<dyn Handle> {
    /// One write, which has happened when this returns.
    fn write_at(&mut self, position: u64, bytes: &[u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(position))?;
        self.write_all(bytes)?;
        self.sync()
    }
}

/// The part in which two contents of one length differ.
fn changed_range(old: &[u8], new: &[u8]) -> Option<Range<usize>> {
    let differs = |(old, new): (&u8, &u8)| old != new;
    let first = old.iter().zip(new).position(differs)?;
    let last = old.iter().zip(new).rposition(differs)?;
    Some(first..last + 1)
}

#[cold]
fn changed() -> Error {
    Error::message("the header has changed since the frame was opened: open it again")
}

#[cold]
fn no_place(name: &str) -> Error {
    Error::message(format!("metalayer {name:?} is not in the header: it can be added by a rewrite, not in the file"))
}

#[cold]
fn too_long(name: &str, length: usize, place: usize) -> Error {
    Error::message(format!(
        "metalayer {name:?} is {length} bytes, its place in the header holds {place}: a metalayer in a file keeps its length"
    ))
}
