//! Replaces the file of a frame that is open for editing by a new file.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::ops::Range;
use std::fs;
use std::io;
use std::path::Path;

use super::{Editor, file_number};
use crate::chunk::chunk_file_name;
use crate::chunk::file_name::chunk_number;
use crate::disk::File;
use crate::disk::copy::copy;
use crate::disk::lock::is_at;
use crate::disk::rewrite::{rewritten, write_frame};
use crate::disk::staged::{Staged, directory, sync_parent};
use crate::disk::storage::{Handle, storage};
use crate::disk::unfinished::{begin, unfinished};
use crate::disk::writer::{Directory, OneFile};
use crate::error::{Error, Result};
use crate::header::{FrameType, Header};
use crate::metalayers::Metalayers;
use crate::writer::Writer;

impl Editor {
    /// Rewrites the frame and changes its metalayers, like the function [`rewrite`](crate::rewrite). This `Editor` then edits the
    /// new file.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`rewrite`](crate::rewrite).
    pub fn rewrite(&mut self, edit: impl FnOnce(&mut Metalayers) -> Result<()>) -> Result<()> {
        self.named(|editor| {
            let header = rewritten(&editor.file, edit)?;
            let (staged, mut new) = Staged::file(editor.claim.path())?;
            write_frame(&editor.file, header, &mut *new)?;
            editor.put(staged, new)
        })
    }

    /// Replaces this frame by a new frame with the given header. This calls `fill` with the old frame and a writer of the new frame. `fill`
    /// must append the chunks to the writer. The new file keeps the permissions of the old file, and this `Editor` then edits the new file.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Writer::create`], of `fill` and of [`Writer::finish`]. Also fails if the frame is sparse: see
    /// [`replace_sparse_with`](Editor::replace_sparse_with). If `fill` fails or the frame is sparse, the old frame is unchanged.
    pub fn replace_with<E: From<Error>>(
        &mut self,
        header: Header,
        fill: impl FnOnce(&File, &mut Writer<OneFile>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.file.header().frame_type() == FrameType::Sparse {
            return Err(Error::custom("the frame is sparse, so it is a directory: call `replace_sparse_with`").into());
        }
        let mut writer = Writer::create(self.claim.path(), header)?;
        fill(&self.file, &mut writer)?;
        Ok(self.named(|editor| {
            let (target, header, tail) = writer.ended()?;
            let (staged, new) = target.complete(&header, &tail)?;
            editor.put(staged, new)
        })?)
    }

    /// Replaces this sparse frame by a new sparse frame with the given header, in the same directory, like
    /// [`replace_with`](Editor::replace_with). New chunks get numbers that the old index does not have, and are valid as soon as a new
    /// `chunks.b2frame` is renamed over the old one. Then all other chunk files in the directory are removed, except for the one with
    /// the highest number if no new chunk has a file. Programs that have read the old index must read it again.
    ///
    /// # Errors
    ///
    /// Returns the errors of `fill` and of [`Writer::finish`]. Also fails if the frame is not sparse, its index or its directory cannot be
    /// read, or a temporary file or directory cannot be created. After an error, the old frame is unchanged, unless only the last sync
    /// failed.
    pub fn replace_sparse_with<E: From<Error>>(
        &mut self,
        header: Header,
        fill: impl FnOnce(&File, &mut Writer<Directory>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.file.header().frame_type() != FrameType::Sparse {
            return Err(Error::custom("the frame is one file, not a sparse frame: call `replace_with`").into());
        }
        let old = self.chunk_files()?;
        let first = self.unused_number()?;
        let mut writer = Writer::inside(self.claim.path(), first, header)?;
        fill(&self.file, &mut writer)?;
        Ok(self.named(|editor| {
            let (target, header, tail) = writer.ended()?;
            // The temporary file of the new index is created before chunks are moved: if `remove_temporary_files` removes moved chunks, it
            // also removes this file, so the index is not replaced.
            let (staged, new) = editor.written(&[header, tail].concat(), 0..0)?;
            let replaced = editor.move_here(target.staged.path()).and_then(|()| editor.put(staged, new));
            if let Ok(mut kept) = editor.chunk_files() {
                // After a failed sync, a crash may restore the old index, so also keep the files of the old chunks.
                kept.extend(replaced.is_err().then_some(old).into_iter().flatten());
                // If no new chunk has a file, keep the last old file: see `unused_number`.
                kept.extend(first.checked_sub(1).filter(|last| kept.last() <= Some(last)));
                editor.remove_chunks_except(&kept);
            }
            replaced
        })?)
    }

    /// Moves all files of a directory to the directory of this sparse frame.
    fn move_here(&self, from: &Path) -> Result<()> {
        for entry in fs::read_dir(from)? {
            let path = entry?.path();
            let to = self.claim.path().with_file_name(path.file_name().unwrap_or_default());
            begin(&to, |to| storage().rename(&path, to))?;
        }
        Ok(sync_parent(self.claim.path())?)
    }

    /// Removes the chunk files in the directory of a sparse frame whose numbers are not in `kept`. Errors are ignored.
    fn remove_chunks_except(&self, kept: &BTreeSet<u64>) {
        let _all = unfinished();
        for number in self.files_of_chunks().unwrap_or_default().difference(kept) {
            let _ = storage().remove(&self.claim.path().with_file_name(chunk_file_name(*number)));
        }
    }

    /// Returns the numbers of all chunk files in the directory of this sparse frame, including those that its index does not contain.
    pub(super) fn files_of_chunks(&self) -> Result<BTreeSet<u64>> {
        let names = fs::read_dir(directory(self.claim.path()))?.map(|entry| Ok(chunk_number(&entry?.file_name())));
        Ok(names.collect::<io::Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    /// Returns the first number for new chunk files of this sparse frame. Unless another program has removed chunk files, it is higher than
    /// the numbers of all chunk files that the frame ever had: with a used number, readers of an older index would read a new chunk instead
    /// of the old one. Therefore the file with the highest number is never removed after it was part of the frame.
    pub(super) fn unused_number(&self) -> Result<u64> {
        let last = self.files_of_chunks()?.last().copied().max(self.chunk_files()?.last().copied());
        Ok(last.map_or(0, |last| last.saturating_add(1)))
    }

    /// Returns the numbers of the chunk files of this sparse frame, as its index gives them.
    pub(super) fn chunk_files(&self) -> Result<BTreeSet<u64>> {
        Ok(self.file.offsets()?.iter().filter_map(file_number).collect())
    }

    /// Replaces the file by a new file that holds the bytes `front`, followed by the range `rest` of the old file.
    pub(super) fn replace(&mut self, front: &[u8], rest: Range<u64>) -> Result<()> {
        let (staged, new) = self.written(front, rest)?;
        self.put(staged, new)
    }

    /// Writes these bytes and a range of the old file to a temporary file.
    pub(super) fn written(&mut self, front: &[u8], rest: Range<u64>) -> Result<(Staged, Box<dyn Handle>)> {
        self.checked_handle()?;
        let (staged, mut new) = Staged::file(self.claim.path())?;
        new.write_all(front)?;
        copy(&mut *self.claim.handle, rest, &mut *new)?;
        Ok((staged, new))
    }

    /// Renames a complete new file over the edited file. The new file then becomes the edited file.
    pub(super) fn put(&mut self, staged: Staged, mut new: Box<dyn Handle>) -> Result<()> {
        new.sync()?;
        self.checked_handle()?;
        let spare = new.file().try_clone()?;
        let put = staged.replace(&mut self.claim);
        // Even after an error, the new file may have the final name, which can be checked only on Unix. If so, continue with the new file.
        if put.is_ok() || cfg!(unix) && is_at(new.file(), self.claim.path())? {
            self.claim.handle = new;
            self.spare = Some(spare);
            self.file = self.reopened()?;
        }
        put
    }
}
