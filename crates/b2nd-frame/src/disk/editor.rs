//! [`Editor`]: changes a frame in its file. A crash at any moment leaves the old or the new content.

pub(super) mod chunks;
mod replace;

use alloc::vec::Vec;
use core::ops::Range;
use std::fs;
use std::io::{self, Read, SeekFrom};
use std::path::Path;

use serde::Serialize;

use super::file::File;
use super::lock::Claim;
use super::rewrite::index_end;
use super::source::frame_file;
use super::staged::{clean, replaceable, sync_parent};
use super::storage::Handle;
use crate::chunk::Offset;
use crate::error::{Error, ErrorKind, Result};
use crate::header::fit::ARRAY_NAMES;
use crate::header::{Header, HeaderField};
use crate::metalayers::{Place, encode};
use crate::trailer::Trailer;
use b2nd::{ArrayMeta, Metalayer};

/// The size of a sector in bytes. A write inside one aligned sector is assumed to be atomic.
const SECTOR: u64 = 512;

/// The bytes of a header that an edit of the trailer changes: from frame_len to has_vlmetalayers. They lie in one sector.
const CHANGED: Range<usize> = HeaderField::FRAME_LEN.value().start..HeaderField::HAS_VLMETALAYERS.marker() + 1;

/// A frame that is open for editing, by one editor at a time. [`file`](Editor::file) reads it.
///
/// # After a crash
///
/// A crash, a full disk or a failed write at any moment leaves a file that can be opened and has the old or the new content:
///
/// * If the changed bytes of a metalayer lie in one aligned sector of 512 bytes, they are overwritten in place by one write, which is
///   assumed to be atomic.
/// * If the trailer of a frame with data changes, a new trailer is written before or after the old trailer and synced. Then one write to
///   the header makes the new trailer valid, since the header gives the length of the frame. Bytes after the frame are removed.
/// * In all other cases, a new file is written under a temporary name in the same directory (`.a.b2nd.0.tmp` for `a.b2nd`), synced, and
///   renamed over the old file. If the path is a symbolic link, the file that it names is replaced. Bytes after the frame are not kept.
///
/// If a process is killed, its temporary file is removed when this crate creates the next file in the directory, and often by the next edit
/// of the same file, if the file system has locks.
///
/// After a failed write, the `Editor` shows what the file contains: the old or the new content. The edit can be tried again. If the disk
/// was full, the space that the edit used is freed. An edit that changes nothing still syncs the file.
///
/// # Several editors
///
/// An `Editor` locks the file until the `Editor` is dropped. In all processes, the lock blocks other editors,
/// [`rewrite`](crate::rewrite), any [`Writer`](crate::Writer) that replaces the file, and [`File::open_shared`].
/// [`File::open`] does not wait for the lock. The lock is advisory (`flock`; on Windows, the file is opened in such a way that no other
/// process can open it for writing). On a file system without locks, such as some network file systems, files are edited without a lock,
/// including the lock of C-Blosc2 described below. The same applies if the lock service of a network file system is down or the system's
/// table of locks is full, since the system reports these in the same way (`ENOLCK`). On such file systems, run only one editor at a time.
///
/// C-Blosc2 has its own advisory lock, which it uses with `locking=True` or if the environment variable `BLOSC_LOCKING` is set. It locks
/// the file `a.b2nd.b2lock` next to the frame `a.b2nd`, or `.b2lock` in the directory of a sparse frame. An `Editor` takes this lock too if
/// the lock file exists or `BLOSC_LOCKING` is set (to a value other than an empty string or `0`), and increments a counter in the lock
/// file, so that C-Blosc2 reads the frame again. If the lock file is a symbolic link (on Unix), not a regular file, or longer than a lock
/// file can be, the edit fails. Set `BLOSC_LOCKING` if C-Blosc2 may open the file during an edit.
///
/// If python-blosc2 4.14.1 with `locking=True` changes the same file, assignments to elements are safe, and so is all code inside
/// `schunk.holding_lock()`. Outside `holding_lock()`, assignments to `vlmeta` or `meta` and calls of `resize` are not safe: they write
/// metadata that Python read before it took the lock. Edits that were made after this read may be lost, and if such an edit changed the
/// length of the header, the frame may be destroyed. If C-Blosc2 changes the file without taking its lock, edits may be lost and the frame
/// may be destroyed at any time. Each edit checks that the file still has the header that was read and, on Unix, that the path still names
/// the file. If not, it returns [`ErrorKind::Changed`].
///
/// # Attributes of a replaced file
///
/// If a file is replaced, the new file gets the permissions of the old file and, as far as possible, the owner, group and extended
/// attributes (on Linux, these include access control lists) of the old file. If the group cannot be kept, the new group gets only the
/// permissions that both the old group and all other users have. Other hard links to the old file keep the old content. The creation time
/// is new. On Windows, the new file has the access control of its directory. Holes in the file are kept if the system can find them.
///
/// A read-only file cannot be edited.
#[derive(Debug)]
pub struct Editor {
    file: File,
    claim: Claim,
    /// A clone of the open file, which each change makes in advance: afterwards, the system may have no more file descriptors.
    spare: Option<fs::File>,
}

impl File {
    /// Opens a frame, which is a file or the directory of a sparse frame, for reading and editing. Waits while another editor, or a reader
    /// by [`open_shared`](File::open_shared), has the frame open, or C-Blosc2 has locked its lock file.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`open`](File::open). Also fails if the file is not a regular file or cannot be written, the lock file of
    /// C-Blosc2 cannot be opened or created, or the trailer has a fingerprint, which an edit cannot update. Returns [`ErrorKind::Locked`]
    /// if this thread has an [`Editor`] of the file or has it open by [`open_shared`](File::open_shared), since the thread would wait for
    /// itself forever.
    ///
    /// ```
    /// # let path = std::env::temp_dir().join(format!("b2nd-edit-{}.b2nd", std::process::id()));
    /// # std::fs::copy("../../tests/data/example.b2nd", &path)?;
    /// let mut editor = b2nd_frame::File::edit(&path)?;
    /// editor.set_vlmetalayer("title", "North Sea, 2023")?;
    ///
    /// let file = b2nd_frame::File::open(&path)?;
    /// assert_eq!(file.trailer()?.vlmetalayers().get::<String>("title")?.as_deref(), Some("North Sea, 2023"));
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), b2nd_frame::Error>(())
    /// ```
    pub fn edit(path: impl AsRef<Path>) -> Result<Editor> {
        Editor::open(path.as_ref(), true)
    }

    /// Opens a frame for reading and editing, like [`edit`](File::edit), but without waiting.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`edit`](File::edit), and [`ErrorKind::Locked`] if another editor has the file open, a reader has it open by
    /// [`open_shared`](File::open_shared), or C-Blosc2 has locked its lock file.
    ///
    /// ```
    /// # let path = std::env::temp_dir().join(format!("b2nd-try-edit-{}.b2nd", std::process::id()));
    /// # std::fs::copy("../../tests/data/example.b2nd", &path)?;
    /// let editor = b2nd_frame::File::edit(&path)?;
    /// let error = b2nd_frame::File::try_edit(&path).err().expect("there is an editor");
    /// assert!(matches!(error.kind(), b2nd_frame::ErrorKind::Locked { .. }));
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), b2nd_frame::Error>(())
    /// ```
    pub fn try_edit(path: impl AsRef<Path>) -> Result<Editor> {
        Editor::open(path.as_ref(), false)
    }
}

impl Editor {
    fn open(path: &Path, wait: bool) -> Result<Self> {
        let path = frame_file(path);
        let open = || -> Result<Editor> {
            let real = replaceable(&path)?;
            let claim = Claim::new(&path, &real, wait)?;
            clean(&real)?;
            let file = File::of_edited(path.clone(), claim.handle.file().try_clone()?, &real)?;
            // A damaged trailer does not prevent repairs of metalayers.
            file.trailer().map_or(Ok(()), Trailer::check_editable)?;
            Ok(Editor { file, claim, spare: None })
        };
        open().map_err(|error| error.in_file(&path))
    }

    /// Returns the frame, for reading. It shows what the file contains after each edit.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Overwrites the metalayer whose name is `T::NAME` by a value of the same length, which keeps its position in the file. An array's
    /// metalayer may become shorter, as when C-Blosc2 squeezes an array. [`rewrite`](crate::rewrite) writes metalayers of any length.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`overwrite_metalayer_bytes`](Editor::overwrite_metalayer_bytes). Also fails if the value cannot be encoded.
    pub fn overwrite_metalayer<T: Metalayer + Serialize>(&mut self, value: &T) -> Result<()> {
        let content = encode(value)?;
        self.overwrite_metalayer_bytes(T::NAME, &content)
    }

    /// Overwrites the content of a metalayer by content of the same length. For the metalayer that describes an array, the new content may
    /// also be shorter: the end of the old content then stays after the new content, as after a squeeze in C-Blosc2.
    ///
    /// # Errors
    ///
    /// Fails if the header has no such metalayer, or if the length of the content would change in another way. Content cannot become
    /// longer, since other bytes follow it. Except in the metalayer of an array, content cannot become shorter either, since readers would
    /// find the end of the old content after the new content. To add or lengthen metalayers, use [`rewrite`](crate::rewrite).
    ///
    /// If the metalayer describes an array, also fails if the content cannot be decoded, does not match the frame's chunks, or would move,
    /// add or remove elements: to change the shape of an array, use [`ChunkEditor`](crate::ChunkEditor). Returns [`ErrorKind::Io`] if
    /// writing fails: see [`Editor`] for the content of the file in this case.
    pub fn overwrite_metalayer_bytes(&mut self, name: &str, content: &[u8]) -> Result<()> {
        self.named(|editor| editor.write_metalayer(name, content, true))
    }

    /// Overwrites the content of a metalayer like [`overwrite_metalayer_bytes`](Editor::overwrite_metalayer_bytes), but does not compare
    /// the metalayer of an array with the frame. Use this to repair files. Wrong content makes an array unreadable, or moves its elements.
    ///
    /// # Errors
    ///
    /// Fails if the header has no such metalayer, if the new content has a different length (the valid metalayer of an array may be
    /// shorter), or if writing fails.
    pub fn overwrite_metalayer_unchecked(&mut self, name: &str, content: &[u8]) -> Result<()> {
        self.named(|editor| editor.write_metalayer(name, content, false))
    }

    /// Sets the value of a vlmetalayer, in generic MessagePack: a struct becomes a map with the names of its fields, which
    /// Python reads as a `dict`. The value is stored uncompressed.
    ///
    /// The old trailer can stay in the file, as unused bytes, until a later edit overwrites or removes it.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Vlmetalayers::set`](crate::Vlmetalayers::set). In particular, a 17th vlmetalayer cannot be added: C-Blosc2
    /// can open a file with more than 16, but may destroy the file when it writes to it. Also fails if the trailer cannot be read.
    /// Returns [`ErrorKind::Io`] if writing fails: see [`Editor`] for the content of the file in this case.
    pub fn set_vlmetalayer<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<()> {
        self.named(|editor| editor.edit_trailer(|trailer| trailer.vlmetalayers_mut().set(name, value)))
    }

    /// Sets the bytes of a vlmetalayer's value, like [`set_vlmetalayer`](Editor::set_vlmetalayer). python-blosc2 expects
    /// generic MessagePack.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`set_vlmetalayer`](Editor::set_vlmetalayer).
    pub fn set_vlmetalayer_bytes(&mut self, name: &str, value: &[u8]) -> Result<()> {
        self.named(|editor| editor.edit_trailer(|trailer| trailer.vlmetalayers_mut().set_bytes(name, value)))
    }

    /// Removes a vlmetalayer. Returns `false` if no vlmetalayer has this name.
    ///
    /// # Errors
    ///
    /// Fails if the trailer cannot be read. Returns [`ErrorKind::Io`] if writing fails: see [`Editor`] for the content of the file in this
    /// case.
    pub fn remove_vlmetalayer(&mut self, name: &str) -> Result<bool> {
        self.named(|editor| editor.edit_trailer(|trailer| Ok(trailer.vlmetalayers_mut().remove(name))))
    }

    /// Calls `edit`, and adds the path of the file to its error.
    fn named<T>(&mut self, edit: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        edit(self).map_err(|error| error.in_file(self.file.path()))
    }

    fn write_metalayer(&mut self, name: &str, content: &[u8], is_checked: bool) -> Result<()> {
        let place = self.file.header().metalayers().get(name).ok_or_else(|| no_room(name, 0, None))?;
        // In an array's metalayer, the value may be followed by the end of a longer, old value, as after a squeeze in C-Blosc2. In other
        // metalayers, readers expect no bytes after the value.
        let may_be_shorter = ARRAY_NAMES.contains(&name) && matches!(ArrayMeta::from_metalayer(content), Ok((_, [])));
        if content.len() > place.len() || (content.len() < place.len() && !may_be_shorter) {
            return Err(no_room(name, content.len(), Some(place.len())));
        }
        let mut whole = place.to_vec();
        whole[..content.len()].copy_from_slice(content);
        let Some(changed) = changed_range(place, &whole) else { return self.settle() };
        let start = self.file.header().metalayers().content_offset(name, Place::HEADER.start).unwrap_or(0) + 5;
        let (first, last) = ((start + changed.start) as u64, (start + changed.end - 1) as u64);

        let mut header = self.file.header().clone();
        header.metalayers_mut().insert(name, whole.as_slice())?;
        if is_checked {
            header.check_replaced_array(self.file.header(), || Ok(self.file.offsets()?.len()))?;
        }
        if first / SECTOR == last / SECTOR {
            let written = self.checked_handle().and_then(|file| Ok(write_at(file, first, &whole[changed])?));
            self.adopt(header, written)
        } else {
            self.replace(&b2nd::to_vec(&header)?, header.header_len() as u64..header.frame_len())
        }
    }

    fn edit_trailer<T>(&mut self, edit: impl FnOnce(&mut Trailer) -> Result<T>) -> Result<T> {
        let old = self.current_trailer()?;
        let mut trailer = old.clone();
        let edited = edit(&mut trailer)?;
        if trailer == old {
            self.settle()?;
            self.file = self.reopened()?;
            return Ok(edited);
        }
        let bytes = b2nd::to_vec(&trailer)?;
        let mut header = self.file.header().clone();
        header.set_has_vlmetalayers(!trailer.vlmetalayers().is_empty());
        if header.nbytes() == 0 {
            // If the frame has no data, C-Blosc2 reads the trailer that follows the header, even if frame_len is larger. So the new trailer
            // must follow the header directly.
            header.set_frame_len(header.header_len() as u64 + bytes.len() as u64);
            self.replace(&[b2nd::to_vec(&header)?, bytes].concat(), 0..0)?;
            return Ok(edited);
        }
        // Overwrite older, unused trailers if the new trailer fits into their space. Otherwise write the new trailer after the valid
        // trailer.
        let (end, old_len) = (header.frame_len(), b2nd::to_vec(&old)?.len() as u64);
        let fits = |free: &u64| free + bytes.len() as u64 <= end - old_len;
        let at = index_end(&self.file, old_len).ok().filter(fits).unwrap_or(end);
        header.set_frame_len(at + bytes.len() as u64);
        let written = self.write_trailer(at, &bytes, &header);
        self.adopt(header, written)?;
        Ok(edited)
    }

    /// Writes a trailer at the position `at`, and then the fields of the header that make the trailer valid.
    fn write_trailer(&mut self, at: u64, trailer: &[u8], header: &Header) -> Result<()> {
        let fields = &b2nd::to_vec(header)?[CHANGED];
        let end = header.frame_len();
        let file = self.checked_handle()?;
        let length = file.file().metadata()?.len();
        let mut write = || -> Result<()> {
            write_at(&mut *self.claim.handle, at, trailer)?;
            let file = self.checked_handle()?;
            write_at(file, CHANGED.start as u64, fields)?;
            // Remove the bytes after the frame, since C-Blosc2 refuses a frame in memory if any bytes follow it.
            if end < length {
                file.set_len(end)?;
            }
            Ok(())
        };
        let written = write();
        if written.is_err() && !self.reopened().is_ok_and(|file| file.header() == header) {
            // Free the space of the new trailer, since the disk may be full.
            let _ = self.claim.handle.set_len(length);
        }
        written
    }

    /// Opens the file again if it has the new header, which it may have even if writing failed. Returns `written`, the result of writing,
    /// or an error if writing succeeded but the file cannot be opened or has another header.
    fn adopt(&mut self, header: Header, written: Result<()>) -> Result<()> {
        match self.reopened() {
            Ok(file) if file.header() == &header => self.file = file,
            Ok(_) if written.is_ok() => return Err(Error::new(ErrorKind::Changed)),
            Err(error) if written.is_ok() => return Err(error),
            _ => {}
        }
        written
    }

    /// Opens the frame again, with the current content of the file.
    fn reopened(&mut self) -> Result<File> {
        let file = self.spare.take().map_or_else(|| self.claim.handle.file().try_clone(), Ok)?;
        File::of_edited(self.file.path().to_path_buf(), file, self.claim.path())
    }

    /// Reads the trailer from the file again. C-Blosc2 can replace a vlmetalayer by one of the same length, which changes no header.
    fn current_trailer(&mut self) -> Result<Trailer> {
        self.checked_handle()?;
        Ok(self.reopened()?.trailer()?.clone())
    }

    /// Syncs the file after an edit that changes nothing, since an earlier edit may have failed between its last write and the sync.
    fn settle(&mut self) -> Result<()> {
        self.checked_handle()?.sync()?;
        Ok(sync_parent(self.claim.path())?)
    }

    /// Checks that the path still names the file, and that the file still has the header that was read. Returns the file.
    fn checked_handle(&mut self) -> Result<&mut dyn Handle> {
        self.claim.renew()?;
        self.spare = Some(self.claim.handle.file().try_clone()?);
        let known = b2nd::to_vec(self.file.header())?;
        let file = &mut *self.claim.handle;
        let mut found = Vec::with_capacity(known.len());
        file.seek(SeekFrom::Start(0))?;
        (&mut *file).take(known.len() as u64).read_to_end(&mut found)?;
        if found == known { Ok(file) } else { Err(Error::new(ErrorKind::Changed)) }
    }
}

/// Returns the number of a chunk's file (in a contiguous frame, the chunk's position), or `None` if the chunk has no bytes in the frame.
fn file_number(offset: Offset) -> Option<u64> {
    if let Offset::At(number) = offset { Some(number) } else { None }
}

/// Writes bytes at a position and syncs the file.
fn write_at(file: &mut dyn Handle, position: u64, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(position))?;
    file.write_all(bytes)?;
    file.sync()
}

/// Returns the range from the first to the last byte in which two contents of the same length differ, or `None` if they are equal.
fn changed_range(old: &[u8], new: &[u8]) -> Option<Range<usize>> {
    let differs = |(old, new): (&u8, &u8)| old != new;
    let first = old.iter().zip(new).position(differs)?;
    let last = old.iter().zip(new).rposition(differs)?;
    Some(first..last + 1)
}

fn no_room(name: &str, length: usize, room: Option<usize>) -> Error {
    Error::new(ErrorKind::NoRoom { name: name.into(), length, room })
}
