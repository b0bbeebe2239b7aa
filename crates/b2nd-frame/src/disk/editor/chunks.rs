//! [`ChunkEditor`]: writes new chunks to a frame on disk. A commit then makes them part of the frame.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use std::fs;
use std::io::{self, SeekFrom, Write};
use std::path::PathBuf;

use serde::Serialize;

use b2nd_codec::Special;

use super::{Editor, SECTOR, file_number, write_at};
use crate::chunk::{Chunk, Offset};
use crate::chunk_file_name;
use crate::disk::File;
use crate::disk::staged::directory;
use crate::disk::storage::storage;
use crate::disk::unfinished::{begin, unfinished};
use crate::error::{Error, Result};
use crate::header::fit::check;
use crate::header::{FrameType, Header};
use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, Metalayer};

/// An editor that replaces, adds and removes chunks of an array in its file. [`put`](ChunkEditor::put) writes new chunks, and
/// [`commit`](ChunkEditor::commit) then makes them part of the frame. [`file`](ChunkEditor::file) reads the frame.
///
/// In a contiguous frame, chunks, index and trailer are written after the end of the frame, and then a single write of at most the first
/// 512 bytes of the header makes them valid. Replaced chunks stay in the file as gaps. If no chunks remain, a new file replaces the old
/// one. In a sparse frame, new chunks are new files in the directory. They become valid when a new `chunks.b2frame` is renamed over the
/// old one.
///
/// # After an error
///
/// After a failed commit, the file holds the old or the new array. Like an [`Editor`], the `ChunkEditor` then shows the content of the
/// file: read the index again before the next commit.
///
/// ```
/// use b2nd_frame::{Chunk, ChunkEditor, File, Frame};
///
/// # let path = std::env::temp_dir().join(format!("b2nd-chunks-{}.b2nd", std::process::id()));
/// # std::fs::copy("../../tests/data/example.b2nd", &path)?;
/// let mut editor = ChunkEditor::new(File::edit(&path)?)?;
/// let mut offsets: Vec<_> = editor.file().offsets()?.iter().collect();
/// let elements = vec![7; editor.file().header().chunksize() as usize];
/// offsets[1] = editor.put(&Chunk::store(&elements, 16)?)?;
/// let array = editor.file().header().array()?.expect("it is an array").into_owned();
/// editor.commit(&array, &offsets)?;
///
/// assert_eq!(File::open(&path)?.chunk(1)?.stored(), Some(&elements[..]));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), b2nd_frame::Error>(())
/// ```
#[derive(Debug)]
pub struct ChunkEditor {
    editor: Editor,
    /// The location of the next chunk: a position in a contiguous frame, or the number of a file in a sparse frame.
    end: u64,
    /// The first location, counted like `end`, that may be overwritten. Chunks before it may be part of the frame.
    floor: u64,
    /// In a sparse frame, the numbers of the chunk files that were written since the last commit.
    made: BTreeSet<u64>,
    /// The offsets of the chunks that were written since the last commit.
    put: BTreeSet<u64>,
    /// In a sparse frame, the numbers of older chunk files that the index does not contain. Interrupted edits leave such files.
    unnamed: Vec<u64>,
}

impl ChunkEditor {
    /// Creates an editor for the chunks of the frame that `editor` has open.
    ///
    /// # Errors
    ///
    /// Fails if the frame is sparse, and its index or its directory cannot be read.
    pub fn new(editor: Editor) -> Result<ChunkEditor> {
        let mut chunks = Self { editor, end: 0, floor: 0, made: BTreeSet::new(), put: BTreeSet::new(), unnamed: Vec::new() };
        if chunks.is_sparse() {
            let (found, named) = (chunks.editor.files_of_chunks()?, chunks.editor.chunk_files()?);
            chunks.unnamed = found.difference(&named).copied().collect();
            chunks.end = chunks.editor.unused_number()?;
        }
        chunks.settle()?;
        Ok(chunks)
    }

    /// Returns the frame, for reading, without the chunks that have not been committed.
    pub fn file(&self) -> &File {
        self.editor.file()
    }

    /// Writes a chunk and returns its offset. The chunk is not part of the frame until [`commit`](ChunkEditor::commit) is called with this
    /// offset. A special chunk of zeros is not written, since it needs only an entry in the index.
    ///
    /// # Errors
    ///
    /// Fails if the chunk's data is not as long as the chunksize in the header, or if the chunk is compressed in blocks of another
    /// blocksize. In a sparse frame, also fails if no number is left for a new file. Returns [`ErrorKind::Io`](crate::ErrorKind::Io) if
    /// writing fails. The frame is then unchanged.
    pub fn put(&mut self, chunk: &Chunk<'_>) -> Result<Offset> {
        let (header, found) = (self.file().header(), chunk.header());
        check("the chunk's data in bytes", "header", header.chunksize().into(), found.nbytes())?;
        if found.special().is_none() && !found.is_stored() {
            check("blocksize", "frame", header.blocksize_of_array().into(), found.blocksize())?;
        }
        if chunk.header().special() == Some(Special::Zeros) {
            return Ok(Offset::Special(Special::Zeros));
        }
        let place = self.end;
        if self.is_sparse() {
            if place > u64::from(u32::MAX) {
                return Err(Error::custom(
                    "no number is left for a new chunk file: `b2nd repack DIRECTORY NEW` makes a copy with new numbers",
                ));
            }
            self.made.insert(place);
            self.named(|chunks| Ok(chunks.write_file(place, chunk.bytes())?))?;
            self.end += 1;
            self.put.insert(place);
            return Ok(Offset::At(place));
        }
        self.named(|chunks| Ok(chunks.write(chunk.bytes())?))?;
        let offset = place - self.file().header().header_len() as u64;
        self.put.insert(offset);
        Ok(Offset::At(offset))
    }

    /// Returns the location of the next chunk, for a later call of [`rewind`](ChunkEditor::rewind).
    pub fn position(&self) -> u64 {
        self.end
    }

    /// Removes the chunks that were written since [`position`](ChunkEditor::position) returned this position, unless they have been
    /// committed, and frees their space.
    pub fn rewind(&mut self, position: u64) {
        self.end = position.max(self.floor);
        let first = if self.is_sparse() { self.end } else { self.end.saturating_sub(self.file().header().header_len() as u64) };
        self.put.split_off(&first);
        if self.is_sparse() {
            let gone = self.made.split_off(&self.end).into_iter().collect();
            self.remove(gone);
        } else {
            // Ignore errors, since these chunks are not part of the frame.
            let _ = self.editor.claim.handle.set_len(self.end);
        }
    }

    /// Replaces the array: the frame then holds the chunks at these offsets, and `array` is the metalayer that describes the array. Blocks
    /// until everything is on stable storage. Other metalayers and vlmetalayers are kept.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`check`](ChunkEditor::check) if `offsets` is not empty. Fails if the frame would not match `array`: another
    /// number of chunks, or another typesize, chunksize, blocksize, chunkshape or blockshape. Also fails if an [`Offset::At`] occurs
    /// twice, or is neither in the index nor from [`put`](ChunkEditor::put) since the last commit, or if the old index or the trailer
    /// cannot be read. Returns [`ErrorKind::Io`](crate::ErrorKind::Io) if writing fails: see [`ChunkEditor`] for the content of the file
    /// in this case.
    pub fn commit<S: AsRef<str> + Serialize>(&mut self, array: &ArrayMeta<S>, offsets: &[Offset]) -> Result<()> {
        self.named(|chunks| chunks.commit_unnamed(array, offsets))
    }

    /// Checks that a commit can write `array` to the header. In a contiguous frame, only the first 512 bytes of the header may change,
    /// since a commit changes the header by a single write.
    ///
    /// # Errors
    ///
    /// Fails if the frame is contiguous, and its header would change in length or after the first 512 bytes.
    pub fn check<S: AsRef<str> + Serialize>(&self, array: &ArrayMeta<S>) -> Result<()> {
        if self.is_sparse() { Ok(()) } else { self.in_one_sector(&self.header_with(array)?) }
    }

    fn commit_unnamed<S: AsRef<str> + Serialize>(&mut self, array: &ArrayMeta<S>, offsets: &[Offset]) -> Result<()> {
        let mut header = self.header_with(array)?;
        header.check_array(offsets.len() as u64)?;
        self.check_offsets(offsets)?;
        if let Ok(Some(old)) = self.file().header().geometry() {
            header.check_same_chunks(&old)?;
        }
        let chunksize = u64::try_from(header.chunksize()).unwrap_or(0);
        let nbytes = (offsets.len() as u64).saturating_mul(chunksize);
        // `to_raw` returns `None` only for positions that `check_offsets` refuses. If the frame has no chunks, it has no index.
        let index: Vec<u8> = offsets.iter().filter_map(|offset| offset.to_raw()).flat_map(i64::to_le_bytes).collect();
        let mut tail = if index.is_empty() { Vec::new() } else { Chunk::index(&index)?.into_bytes() };
        tail.extend_from_slice(&b2nd::to_vec(&self.editor.current_trailer()?)?);
        if self.is_sparse() {
            self.commit_sparse(header, nbytes, &tail, offsets)?;
        } else if offsets.is_empty() {
            header.set_sizes(FrameType::Contiguous, 0, 0, tail.len() as u64)?;
            self.editor.replace(&[b2nd::to_vec(&header)?, tail].concat(), 0..0)?;
        } else {
            self.commit_behind(header, nbytes, &tail)?;
        }
        self.settle()
    }

    fn commit_behind(&mut self, mut header: Header, nbytes: u64, tail: &[u8]) -> Result<()> {
        let start = self.end;
        let mut put = || -> Result<()> {
            let cbytes = start - header.header_len() as u64;
            header.set_sizes(FrameType::Contiguous, nbytes, cbytes, tail.len() as u64)?;
            self.in_one_sector(&header)?;
            self.write(tail)?;
            self.editor.claim.handle.set_len(self.end)?;
            Ok(self.editor.claim.handle.sync()?)
        };
        put().inspect_err(|_| self.rewind(start))?;
        // From here on, the file may hold the new array even after an error, so do not overwrite any of it.
        self.floor = self.end;
        let mut sector = b2nd::to_vec(&header)?;
        sector.truncate(SECTOR as usize);
        let written = self.editor.checked_handle().and_then(|file| Ok(write_at(file, 0, &sector)?));
        self.editor.adopt(header, written)
    }

    fn commit_sparse(&mut self, mut header: Header, nbytes: u64, tail: &[u8], offsets: &[Offset]) -> Result<()> {
        let kept: BTreeSet<u64> = offsets.iter().copied().filter_map(file_number).collect();
        let dropped: Vec<u64> = self.editor.chunk_files()?.difference(&kept).copied().collect();
        let length = |number: &u64| fs::metadata(self.chunk_path(*number)).map_or(0, |file| file.len());
        let gone: u64 = dropped.iter().map(length).sum();
        let new: u64 = self.made.iter().filter(|number| kept.contains(number)).map(length).sum();
        let cbytes = u64::try_from(header.cbytes()).unwrap_or(0).saturating_sub(gone).saturating_add(new);
        header.set_sizes(FrameType::Sparse, nbytes, cbytes, tail.len() as u64)?;
        storage().sync_dir(directory(self.editor.claim.path()))?;
        // From here on, the index in the file may contain the new chunks even after an error, so do not remove them.
        self.made.clear();
        self.floor = self.end;
        self.editor.replace(&[&b2nd::to_vec(&header)?, tail].concat(), 0..0)?;
        self.unnamed.extend(dropped);
        self.remove_unnamed();
        Ok(())
    }

    /// Removes chunk files that the index does not contain, except for the file with the highest number: see `Editor::unused_number`.
    fn remove_unnamed(&mut self) {
        let last = self.end.saturating_sub(1);
        let (kept, gone) = std::mem::take(&mut self.unnamed).into_iter().partition(|&number| number == last);
        self.unnamed = kept;
        self.remove(gone);
    }

    fn header_with<S: AsRef<str> + Serialize>(&self, array: &ArrayMeta<S>) -> Result<Header> {
        let mut header = self.file().header().clone();
        header.set_blocksize_of_array();
        let name = if matches!(array, ArrayMeta::Caterva(_)) { CatervaMeta::NAME } else { B2ndMeta::<S>::NAME };
        header.metalayers_mut().insert(name, array.to_metalayer()?)?;
        Ok(header)
    }

    /// Checks that an index can hold these offsets: each [`Offset::At`] is in the old index or from `put`, and none occurs twice.
    fn check_offsets(&self, offsets: &[Offset]) -> Result<()> {
        if offsets.contains(&Offset::Special(Special::Value)) {
            return Err(Error::custom("an index cannot hold `Special::Value`: put a `Chunk::repeated`"));
        }
        let known: BTreeSet<u64> = self.file().offsets()?.iter().filter_map(file_number).collect();
        let mut used = BTreeSet::new();
        for (number, place) in offsets.iter().enumerate().filter_map(|(number, &offset)| Some((number, file_number(offset)?))) {
            let wrong = match (used.insert(place), known.contains(&place) || self.put.contains(&place)) {
                (true, true) => continue,
                (false, _) => "belongs to an earlier chunk too",
                (true, false) => "does not belong to a chunk in this frame: put the chunk first",
            };
            return Err(Error::custom(format_args!("the offset {place} {wrong}")).in_chunk(number as u64));
        }
        Ok(())
    }

    fn in_one_sector(&self, new: &Header) -> Result<()> {
        let (old, new) = (b2nd::to_vec(self.file().header())?, b2nd::to_vec(new)?);
        if new.len() == old.len() && new.get(SECTOR as usize..) == old.get(SECTOR as usize..) {
            return Ok(());
        }
        Err(Error::custom(format_args!(
            "the edit would change the header's length or the bytes after its first {SECTOR}, which must not change: copy the array to \
             a sparse frame with `b2nd repack --sparse`, and edit the copy"
        )))
    }

    /// Sets the location of the next chunk to the end of the frame or, if the frame is sparse, to a number after those of its chunk files.
    fn settle(&mut self) -> Result<()> {
        let free = match self.is_sparse() {
            true => self.end.max(self.editor.chunk_files()?.last().map_or(0, |last| last.saturating_add(1))),
            false => self.file().header().frame_len(),
        };
        (self.end, self.floor) = (free, free);
        self.put.clear();
        Ok(())
    }

    fn is_sparse(&self) -> bool {
        self.file().header().frame_type() == FrameType::Sparse
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let file = &mut *self.editor.claim.handle;
        file.seek(SeekFrom::Start(self.end))?;
        file.write_all(bytes)?;
        self.end += bytes.len() as u64;
        Ok(())
    }

    fn write_file(&self, number: u64, chunk: &[u8]) -> io::Result<()> {
        let path = self.chunk_path(number);
        // A failed `put` of this editor, or a `rewind` that could not remove the file, may have left a chunk file with this number.
        if fs::symlink_metadata(&path).is_ok() {
            storage().remove(&path)?;
        }
        let mut file = begin(&path, |path| storage().create(path))?;
        file.write_all(chunk)?;
        file.sync()
    }

    /// Removes the chunk files with these numbers, which are not in the index. Errors are ignored.
    fn remove(&self, numbers: Vec<u64>) {
        let _all = unfinished();
        for number in numbers {
            let _ = storage().remove(&self.chunk_path(number));
        }
    }

    fn chunk_path(&self, number: u64) -> PathBuf {
        self.editor.claim.path().with_file_name(chunk_file_name(number))
    }

    fn named<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        work(self).map_err(|error| error.in_file(self.file().path()))
    }
}
