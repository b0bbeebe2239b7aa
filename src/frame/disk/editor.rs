//! Edits a frame in its file. A crash at any moment leaves the old content or the new one.

pub(super) mod chunks;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::{Deref, Range};
use std::io::{self, Read, SeekFrom};
use std::path::Path;

use serde::Serialize;

use super::copy::copy;
use super::file::File;
use super::growth::explained;
use super::lock::{Claim, is_at, named};
use super::rewrite::{index_end, rewritten, write_frame};
use super::source::frame_file;
use super::staged::{Staged, clean, replaceable, sync_parent};
use super::storage::Handle;
use super::writer::OneFile;
use crate::array::{ArrayMeta, B2ndMeta, CatervaMeta, Metalayer};
use crate::error::{Error, ErrorKind, Result};
use crate::frame::header::{FrameType, Header, HeaderField};
use crate::frame::metalayers::{Metalayers, Place};
use crate::frame::trailer::Trailer;
use crate::frame::writer::Writer;
use crate::layout::Layout;

/// The size of a sector. A write inside one aligned sector is taken to be atomic.
const SECTOR: u64 = 512;

/// The bytes of a header that an edit of the trailer changes, from frame_len to has_vlmetalayers. All of them are in one sector.
const CHANGED: Range<usize> = HeaderField::FRAME_LEN.value().start..HeaderField::HAS_VLMETALAYERS.marker() + 1;

/// A frame opened for editing, by one editor at a time. It dereferences to [`File`] for reading.
///
/// # After a crash
///
/// A crash, a full disk or a failed write at any moment leaves a file that opens with the old content or the new one.
/// If the changed bytes are in one aligned sector of 512 bytes, they are overwritten in place, and that one write is taken to be
/// atomic. A new trailer is written before or after the old one and synced, and one write of frame_len makes it valid. Everything else
/// is written to a temporary file next to the file (`.NAME.0.tmp`), synced, and renamed over it. A symbolic link is followed: the file
/// that it names is replaced. Bytes after the frame are not part of it and are not kept. The next edit removes what a killed process
/// left of this file, and the next new file in the directory what was left of any `.b2nd` or `.b2frame`.
///
/// After an error the `Editor` shows what the file holds, the old content or the new one, and the edit can be tried again. Space
/// taken on a full disk is freed. An edit that changes nothing still syncs.
///
/// # Several editors
///
/// An `Editor` locks the file until it is dropped. The lock keeps out every other editor, [`rewrite`](crate::frame::rewrite), any
/// [`Writer`](crate::frame::Writer) that replaces the file, and [`File::open_shared`], in this process and in others.
/// [`File::open`] takes no lock and reads the current content. The lock is advisory (`flock`; on Windows the file is opened so that
/// no other process can open it to write). On a file system without locks, such as some network file systems, files are edited unlocked.
///
/// C-Blosc2 has an advisory lock of its own, with `locking=True` or the environment variable `BLOSC_LOCKING`: on the file
/// `NAME.b2lock` next to the frame, in a sparse frame's directory `.b2lock`. An `Editor` takes it too if the file exists or
/// `BLOSC_LOCKING` is set (to neither nothing nor `0`), and makes C-Blosc2 read the frame again. A symbolic link under its name, or a
/// file that is longer than a lock file, is an error. Set `BLOSC_LOCKING` if C-Blosc2 may open the file during an edit.
///
/// Together with python-blosc2 4.14.1 with `locking=True`, nothing is lost by assignments to elements, nor by anything inside
/// `schunk.holding_lock()`. Outside it, an assignment to `vlmeta` or `meta` and a `resize` write the metadata that Python read before
/// it took the lock: edits made in between are lost, and after a rewrite to a header of another length the frame is destroyed.
/// A C-Blosc2 without its lock may do the same at any time. Each edit checks that the header is still the one that was read, and that
/// the path still names the file.
///
/// # Attributes of a replaced file
///
/// A replaced file keeps its permissions, and its owner, group and extended attributes (access control lists among them) as far as
/// the system lets this process set them. If the group cannot be kept, it loses the permissions that others do not have. Other hard
/// links to it keep the old content; its creation time is new; on Windows it has its directory's access control. Holes stay holes. A
/// read-only file is refused.
pub struct Editor {
    file: File,
    claim: Claim,
}

impl File {
    /// Opens a frame for reading and editing: a file, or a sparse frame's directory. Waits until no other editor has it open.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`open`](File::open). Also fails if the path does not name a regular file, or the file is read-only.
    /// Returns [`ErrorKind::Locked`] if this thread itself holds an [`Editor`] of it or has it open by
    /// [`open_shared`](File::open_shared), and so would wait forever.
    ///
    /// ```
    /// # let path = std::env::temp_dir().join(format!("b2nd-edit-{}.b2nd", std::process::id()));
    /// # std::fs::copy("tests/data/example.b2nd", &path)?;
    /// let mut editor = b2nd::frame::File::edit(&path)?;
    /// editor.set_vlmetalayer("title", &b2nd::frame::encode_msgpack("North Sea, 2023")?)?;
    ///
    /// let trailer = b2nd::frame::File::open(&path)?.trailer()?;
    /// let value = trailer.value("title")?.expect("just written");
    /// assert_eq!(b2nd::frame::decode_msgpack::<String>(&value)?, "North Sea, 2023");
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), b2nd::Error>(())
    /// ```
    pub fn edit(path: impl AsRef<Path>) -> Result<Editor> {
        Editor::open(path.as_ref(), true)
    }

    /// Opens a frame for reading and editing, without waiting.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`edit`](File::edit), and [`ErrorKind::Locked`] if the file is being edited.
    ///
    /// ```
    /// # let path = std::env::temp_dir().join(format!("b2nd-try-edit-{}.b2nd", std::process::id()));
    /// # std::fs::copy("tests/data/example.b2nd", &path)?;
    /// let editor = b2nd::frame::File::edit(&path)?;
    /// let error = b2nd::frame::File::try_edit(&path).err().expect("there is an editor");
    /// assert!(matches!(error.kind(), b2nd::ErrorKind::Locked));
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), b2nd::Error>(())
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
            let file = File::of(path.clone(), claim.handle.file().try_clone()?, 0)?;
            Ok(Editor { file, claim })
        };
        open().map_err(|error| named(error, &path))
    }

    /// Replaces the content of the metalayer under the name of type `T`.
    ///
    /// [`Layout::is_fixed`](crate::Layout::is_fixed) returns beforehand whether all values of a type have one length, and so always fit.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`set_metalayer_bytes`](Editor::set_metalayer_bytes). The fields whose lengths differ are given by
    /// their names.
    pub fn set_metalayer<T: Metalayer + Serialize>(&mut self, value: &T) -> Result<()> {
        let content = crate::to_vec(value)?;
        self.named(|editor| editor.write_metalayer(T::NAME, &content, || crate::layout(value).ok()))
    }

    /// Replaces the content of a metalayer with one of the same length. An array's metalayer may be replaced by that of a shorter
    /// array: the tail of the old one stays after it, as after a squeeze in C-Blosc2.
    ///
    /// # Errors
    ///
    /// Fails if the header has no such metalayer, or its content has another length: it cannot grow, since chunks follow the
    /// header, and after a shorter one readers would find the tail of the old; the sentence names the entries whose lengths
    /// differ. [`rewrite`](Editor::rewrite) adds and lengthens metalayers. [`ErrorKind::Io`] if writing fails; see [`Editor`] for
    /// what the file then holds.
    pub fn set_metalayer_bytes(&mut self, name: &str, content: &[u8]) -> Result<()> {
        self.named(|editor| editor.write_metalayer(name, content, || None))
    }

    /// Sets the value of a variable-length metalayer, uncompressed.
    ///
    /// The old trailer stays in the file until a later edit overwrites it.
    ///
    /// # Errors
    ///
    /// Fails if the name is longer than 31 bytes or has a NUL, the value takes 2 GiB or more, or it is the 17th vlmetalayer
    /// (C-Blosc2 opens such a file, and destroys it at its next write). [`ErrorKind::Io`] if writing fails; see [`Editor`] for
    /// what the file then holds.
    pub fn set_vlmetalayer(&mut self, name: &str, value: &[u8]) -> Result<()> {
        self.named(|editor| editor.edit_trailer(|trailer| trailer.set_value(name, value)))
    }

    /// Removes a variable-length metalayer. Returns `false` if there is none of this name.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Io`] if writing fails; see [`Editor`] for what the file then holds.
    pub fn remove_vlmetalayer(&mut self, name: &str) -> Result<bool> {
        self.named(|editor| editor.edit_trailer(|trailer| Ok(trailer.vlmetalayers_mut().remove(name).is_some())))
    }

    /// Rewrites the frame with other metalayers, as [`rewrite`](crate::frame::rewrite) does, and continues with the new file.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`rewrite`](crate::frame::rewrite).
    pub fn rewrite(&mut self, edit: impl FnOnce(&mut Metalayers) -> Result<()>) -> Result<()> {
        self.rewrite_checked(edit, |_| Ok(()))
    }

    pub(super) fn rewrite_checked(
        &mut self,
        edit: impl FnOnce(&mut Metalayers) -> Result<()>,
        check: impl FnOnce(&File) -> Result<()>,
    ) -> Result<()> {
        self.named(|editor| {
            let header = rewritten(editor, edit)?;
            let (staged, mut new) = Staged::file(editor.claim.path())?;
            staged.keep_attributes(editor.claim.path())?;
            write_frame(&editor.file, header, &mut *new)?;
            check(&File::of(staged.path().to_path_buf(), new.file().try_clone()?, 0)?)?;
            editor.put(staged, new)
        })
    }

    /// Replaces this frame by a new one, and continues with it. `fill` gets the old frame, and the writer of the new one, which
    /// has this header and keeps the file's permissions.
    ///
    /// # Errors
    ///
    /// Returns the errors of `fill` and of [`Writer::finish`]. Also fails if it is a sparse frame, which is many files. The old
    /// frame is then as it was.
    pub fn replace_with<E: From<Error>>(
        &mut self,
        header: Header,
        fill: impl FnOnce(&File, &mut Writer<OneFile>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.header().frame_type() == FrameType::Sparse {
            return Err(Error::custom("it is a sparse frame, which cannot be replaced in one step: choose another name").into());
        }
        let mut writer = Writer::create(self.claim.path(), header)?;
        fill(&self.file, &mut writer)?;
        Ok(self.named(|editor| {
            let (target, header, tail) = writer.ended()?;
            let (staged, new) = target.complete(&header, &tail)?;
            editor.put(staged, new)
        })?)
    }

    /// Adds the path to an error.
    fn named<T>(&mut self, edit: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        edit(self).map_err(|error| named(error, self.file.path()))
    }

    fn write_metalayer(&mut self, name: &str, content: &[u8], layout: impl FnOnce() -> Option<Layout>) -> Result<()> {
        let place = self.header().metalayers().get(name).ok_or_else(|| no_room(name, 0, None))?;
        // The array's metalayer may be followed by the tail of a longer one, as after a squeeze in C-Blosc2. Others are read to their end.
        let may_be_shorter =
            [B2ndMeta::<&str>::NAME, CatervaMeta::NAME].contains(&name) && crate::from_slice::<ArrayMeta<&str>>(content).is_ok();
        if content.len() > place.len() || (content.len() < place.len() && !may_be_shorter) {
            return Err(explained(no_room(name, content.len(), Some(place.len())), place, content, layout()));
        }
        let mut whole = place.to_vec();
        whole[..content.len()].copy_from_slice(content);
        let Some(changed) = changed_range(place, &whole) else { return self.settle() };
        let start = self.header().metalayers().content_offset(name, Place::Header.start()).unwrap_or(0) + 5;
        let (first, last) = ((start + changed.start) as u64, (start + changed.end - 1) as u64);

        let mut header = self.header().clone();
        header.metalayers_mut().insert(name, whole.as_slice())?;
        if first / SECTOR == last / SECTOR {
            let written = self.checked_handle().and_then(|file| Ok(file.write_at(first, &whole[changed])?));
            self.adopt(header, written)
        } else {
            self.replace(&crate::to_vec(&header)?, header.header_len() as u64..header.frame_len())
        }
    }

    fn edit_trailer<T>(&mut self, edit: impl FnOnce(&mut Trailer) -> Result<T>) -> Result<T> {
        let old = self.trailer()?;
        let mut trailer = old.clone();
        let edited = edit(&mut trailer)?;
        if trailer == old {
            self.settle()?;
            return Ok(edited);
        }
        let bytes = crate::to_vec(&trailer)?;
        let mut header = self.header().clone();
        header.set_has_vlmetalayers(!trailer.vlmetalayers().is_empty());
        if header.nbytes() == 0 {
            // C-Blosc2 then looks for the trailer after the header, whatever frame_len says.
            header.set_frame_len(header.header_len() as u64 + bytes.len() as u64);
            self.replace(&[crate::to_vec(&header)?, bytes].concat(), 0..0)?;
            return Ok(edited);
        }
        // Over older trailers if the new one fits there, otherwise after the valid one.
        let (end, old_len) = (header.frame_len(), crate::to_vec(&old)?.len() as u64);
        let fits = |free: &u64| free + bytes.len() as u64 <= end - old_len;
        let at = index_end(self, old_len).ok().filter(fits).unwrap_or(end);
        header.set_frame_len(at + bytes.len() as u64);
        let written = self.write_trailer(at, &bytes, &header);
        self.adopt(header, written)?;
        Ok(edited)
    }

    /// Writes a trailer, and then the header's fields that make it valid.
    fn write_trailer(&mut self, at: u64, trailer: &[u8], header: &Header) -> Result<()> {
        let fields = &crate::to_vec(header)?[CHANGED];
        let end = header.frame_len();
        let file = self.checked_handle()?;
        let length = file.file().metadata()?.len();
        let mut write = || -> Result<()> {
            self.claim.handle.write_at(at, trailer)?;
            let file = self.checked_handle()?;
            file.write_at(CHANGED.start as u64, fields)?;
            // C-Blosc2 refuses a frame in memory that is followed by anything.
            if end < length {
                file.set_len(end)?;
            }
            Ok(())
        };
        let written = write();
        if written.is_err() && !self.reopened().is_ok_and(|file| file.header() == header) {
            // Free the space that was taken on a full disk.
            let _ = self.claim.handle.set_len(length);
        }
        written
    }

    /// Adopts the header that was written, which the file may hold even after an error.
    fn adopt(&mut self, header: Header, written: Result<()>) -> Result<()> {
        match self.reopened() {
            Ok(file) if file.header() == &header => self.file = file,
            Ok(_) if written.is_ok() => return Err(changed()),
            Err(error) if written.is_ok() => return Err(error),
            _ => {}
        }
        written
    }

    /// Returns the frame as its file holds it now.
    fn reopened(&self) -> Result<File> {
        File::of(self.file.path().to_path_buf(), self.claim.handle.file().try_clone()?, 0)
    }

    /// Syncs if there is nothing to change, since an earlier edit may have failed after its last write.
    fn settle(&mut self) -> Result<()> {
        self.checked_handle()?.sync()?;
        Ok(sync_parent(self.claim.path())?)
    }

    /// Returns the file, if its path still names it and its header is still the one that was read.
    fn checked_handle(&mut self) -> Result<&mut dyn Handle> {
        self.claim.renew()?;
        let known = crate::to_vec(self.file.header())?;
        let file = &mut *self.claim.handle;
        let mut found = Vec::with_capacity(known.len());
        file.seek(SeekFrom::Start(0))?;
        (&mut *file).take(known.len() as u64).read_to_end(&mut found)?;
        if found != known {
            return Err(changed());
        }
        Ok(file)
    }

    /// Replaces the file with a new one: `front`, then a part of the old file.
    fn replace(&mut self, front: &[u8], rest: Range<u64>) -> Result<()> {
        self.checked_handle()?;
        let (staged, mut new) = Staged::file(self.claim.path())?;
        staged.keep_attributes(self.claim.path())?;
        new.write_all(front)?;
        copy(&mut *self.claim.handle, rest, &mut *new)?;
        self.put(staged, new)
    }

    /// Renames a complete new file over this one, and continues with it.
    fn put(&mut self, staged: Staged, mut new: Box<dyn Handle>) -> Result<()> {
        new.sync()?;
        self.checked_handle()?;
        let put = staged.replace(&mut self.claim);
        // Even after an error it may have the name.
        if is_at(new.file(), self.claim.path())? {
            self.claim.handle = new;
            self.file = self.reopened()?;
        }
        put
    }
}

impl Deref for Editor {
    type Target = File;

    fn deref(&self) -> &File {
        &self.file
    }
}

impl core::fmt::Debug for Editor {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Editor").field(&self.file.path()).finish()
    }
}

trait WriteAt {
    fn write_at(&mut self, position: u64, bytes: &[u8]) -> io::Result<()>;
}

impl WriteAt for dyn Handle + '_ {
    /// Writes at a position and syncs.
    fn write_at(&mut self, position: u64, bytes: &[u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(position))?;
        self.write_all(bytes)?;
        self.sync()
    }
}

/// Returns the range in which two contents of the same length differ.
fn changed_range(old: &[u8], new: &[u8]) -> Option<Range<usize>> {
    let differs = |(old, new): (&u8, &u8)| old != new;
    let first = old.iter().zip(new).position(differs)?;
    let last = old.iter().zip(new).rposition(differs)?;
    Some(first..last + 1)
}

#[cold]
fn changed() -> Error {
    Error::new(ErrorKind::Changed)
}

#[cold]
fn no_room(name: &str, length: usize, room: Option<usize>) -> Error {
    Error::new(ErrorKind::NoRoom { name: name.into(), length, room })
}
