//! [`Draft`]: a frame in its file, with chunks that the next commit makes part of it.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use b2nd::frame::{Chunk, Editor, File, FrameType, Header, HeaderField, Offset, Special, Trailer};
use b2nd::{ArrayMeta, B2ndMeta, Geometry};

use crate::error::{Error, Result};

/// A disk writes so many bytes as a whole or not at all.
const SECTOR: usize = 512;

/// An array's frame in its file, locked against others that edit it.
///
/// Chunks, index and trailer are written behind a contiguous frame, and one write of the header's first 512 bytes makes them valid. Into
/// a sparse frame's directory chunks are written as new files, and a new `chunks.b2frame`, renamed over the old one, makes them valid.
#[derive(Debug)]
pub(crate) struct Draft {
    editor: Editor,
    /// The file to write to, opened when it is needed.
    file: Option<fs::File>,
    meta: B2ndMeta,
    trailer: Trailer,
    /// The place of the next chunk: a position in a contiguous frame, the number of a file in a sparse one.
    end: u64,
    /// The first position that no header names, neither the one in the file nor one that may have reached it.
    floor: u64,
    /// The length of all chunks of a sparse frame.
    cbytes: i64,
    /// The entries of the index for the chunk files that were written since the last commit.
    made: Vec<u64>,
}

impl Draft {
    /// Opens the frame of an array of the released layout.
    pub(crate) fn open(path: &Path) -> Result<Draft> {
        let editor = File::edit(path)?;
        let meta = match editor.header().array()?.ok_or(Error::NoArray)? {
            ArrayMeta::B2nd(meta) => meta.into_owned(),
            _ => return Err(refused(path, "only arrays of the released layout can grow and be edited: upgrade it first")),
        };
        let (trailer, cbytes) = (editor.trailer()?, editor.header().cbytes());
        let mut draft = Draft { file: None, meta, trailer, end: 0, floor: 0, cbytes, made: Vec::new(), editor };
        draft.settle()?;
        Ok(draft)
    }

    pub(crate) fn header(&self) -> &Header {
        self.editor.header()
    }

    pub(crate) fn meta(&self) -> &B2ndMeta {
        &self.meta
    }

    pub(crate) fn is_sparse(&self) -> bool {
        self.header().frame_type() == FrameType::Sparse
    }

    /// The metalayer of the array with another shape.
    pub(crate) fn meta_of(&self, shape: &[i64]) -> Result<B2ndMeta> {
        let geometry = Geometry::new(shape, self.meta.geometry.chunkshape(), self.meta.geometry.blockshape())?;
        Ok(B2ndMeta { geometry, ..self.meta.clone() })
    }

    /// The entries of the index.
    pub(crate) fn entries(&self) -> Result<Vec<i64>> {
        self.editor.offsets()?.iter().map(entry).collect()
    }

    /// A place to which [`rewind`](Draft::rewind) goes back.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Lets what was written since this end be written over.
    pub(crate) fn rewind(&mut self, end: u64) {
        self.end = end.max(self.floor);
    }

    /// Writes a chunk, and returns its entry of the index. A chunk of zeros has an entry alone.
    pub(crate) fn put_chunk(&mut self, chunk: &[u8]) -> Result<i64> {
        if Chunk::from_slice(chunk)?.header().special() == Some(Special::Zeros) {
            return entry(Offset::Special(Special::Zeros));
        }
        if self.is_sparse() {
            let number = self.end;
            self.made.push(number);
            self.put_file(number, chunk).map_err(b2nd::Error::from)?;
            self.end += 1;
            return entry(Offset::At(number));
        }
        let at = self.end - self.header().header_len() as u64;
        self.put(chunk)?;
        entry(Offset::At(at))
    }

    /// Makes chunks with these entries the array, whose shape this is, and blocks until that is on stable storage.
    pub(crate) fn commit(&mut self, shape: &[i64], entries: &[i64]) -> Result<()> {
        let meta = self.meta_of(shape)?;
        let count = i64::try_from(entries.len()).unwrap_or(i64::MAX);
        let nbytes = count.saturating_mul(i64::from(self.header().chunksize()));
        let bytes: Vec<u8> = entries.iter().flat_map(|entry| entry.to_le_bytes()).collect();
        // Without chunks the trailer follows the header.
        let mut tail = if entries.is_empty() { Vec::new() } else { Chunk::store(&bytes, 8)?.into_bytes() };
        tail.extend_from_slice(&b2nd::to_vec(&self.trailer)?);
        if self.is_sparse() {
            self.commit_sparse(&meta, nbytes, &tail, entries)?;
        } else if entries.is_empty() {
            let header_len = self.header().header_len() as u64;
            let header = self.header_with(&meta, 0, 0, header_len.saturating_add(tail.len() as u64))?;
            self.file = None;
            self.editor.put_frame(&[header, tail].concat())?;
        } else {
            self.commit_behind(&meta, nbytes, &tail)?;
        }
        self.meta = meta;
        self.settle()
    }

    fn commit_behind(&mut self, meta: &B2ndMeta, nbytes: i64, tail: &[u8]) -> Result<()> {
        let start = self.end;
        let put = |this: &mut Draft| -> Result<Header> {
            let cbytes = i64::try_from(start - this.header().header_len() as u64).unwrap_or(i64::MAX);
            this.put(tail)?;
            let header = this.header_with(meta, nbytes, cbytes, this.end)?;
            this.check_header(&header)?;
            let end = this.end;
            let sync = |file: &mut fs::File| file.set_len(end).and_then(|()| file.sync_data());
            this.file().and_then(sync).map_err(b2nd::Error::from)?;
            Ok(Header::from_slice(&header)?)
        };
        let header = put(self).inspect_err(|_| self.rewind(start))?;
        // From here on the file may hold the new array even after an error: nothing of it is written over.
        self.floor = self.end;
        Ok(self.editor.put_header(header)?)
    }

    fn commit_sparse(&mut self, meta: &B2ndMeta, nbytes: i64, tail: &[u8], entries: &[i64]) -> Result<()> {
        let mut kept: Vec<_> = entries.iter().filter_map(|&entry| u64::try_from(entry).ok()).collect();
        kept.sort_unstable();
        let dropped: Vec<_> = self.files()?.filter(|number| kept.binary_search(number).is_err()).collect();
        let length = |number: &u64| fs::metadata(self.chunk_path(*number)).map_or(0, |file| file.len());
        let (gone, new): (u64, u64) = (dropped.iter().map(length).sum(), self.made.iter().map(length).sum());
        let signed = |length: u64| i64::try_from(length).unwrap_or(i64::MAX);
        let cbytes = self.cbytes.saturating_sub(signed(gone)).saturating_add(signed(new)).max(0);
        let header_len = self.header().header_len() as u64;
        let header = self.header_with(meta, nbytes, cbytes, header_len.saturating_add(tail.len() as u64))?;
        sync_directory(self.directory())?;
        // From here on the file may name them even after an error.
        self.made.clear();
        self.floor = self.end;
        self.editor.put_frame(&[&header, tail].concat())?;
        self.cbytes = cbytes;
        for number in dropped {
            // Nothing names it any more.
            let _ = fs::remove_file(self.chunk_path(number));
        }
        Ok(())
    }

    /// Gives back the space of what was written since the last commit.
    pub(crate) fn discard(&mut self) {
        for number in std::mem::take(&mut self.made) {
            let _ = fs::remove_file(self.chunk_path(number));
        }
        self.end = self.floor;
        if !self.is_sparse() {
            let floor = self.floor;
            let _ = self.file().map(|file| file.set_len(floor));
        }
    }

    /// Checks that the header of an array of this shape differs from the one in the file within the first sector alone.
    pub(crate) fn can_take(&self, shape: &[i64]) -> Result<()> {
        self.check_header(&self.header_with(&self.meta_of(shape)?, i64::MAX, i64::MAX, u64::MAX >> 1)?)
    }

    /// The header with these in it.
    fn header_with(&self, meta: &B2ndMeta, nbytes: i64, cbytes: i64, frame_len: u64) -> Result<Vec<u8>> {
        let mut header = self.header().clone();
        header.metalayers_mut().set(meta)?;
        let mut bytes = b2nd::to_vec(&header)?;
        for (field, value) in [
            (HeaderField::FRAME_LEN, frame_len.to_be_bytes()),
            (HeaderField::NBYTES, nbytes.to_be_bytes()),
            (HeaderField::CBYTES, cbytes.to_be_bytes()),
        ] {
            if let Some(place) = bytes.get_mut(field.value()) {
                place.copy_from_slice(&value);
            }
        }
        Ok(bytes)
    }

    fn check_header(&self, new: &[u8]) -> Result<()> {
        let old = b2nd::to_vec(self.header())?;
        if new.len() == old.len() && new.get(SECTOR..) == old.get(SECTOR..) {
            return Ok(());
        }
        let message =
            format!("the array's metalayer does not lie in the first {SECTOR} bytes: its shape cannot change without a risk");
        Err(b2nd::Error::custom(message).into())
    }

    /// Finds where chunks can be written that no index names.
    fn settle(&mut self) -> Result<()> {
        let free = match self.is_sparse() {
            true => self.files()?.max().map_or(0, |number| number.saturating_add(1)),
            false => self.header().frame_len(),
        };
        (self.end, self.floor) = (free, free);
        Ok(())
    }

    /// The files of a sparse frame's chunks.
    fn files(&self) -> Result<impl Iterator<Item = u64>> {
        let number = |offset| if let Offset::At(number) = offset { Some(number) } else { None };
        Ok(self.editor.offsets()?.iter().filter_map(number))
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        let end = self.end;
        let put = |file: &mut fs::File| file.seek(SeekFrom::Start(end)).and_then(|_| file.write_all(bytes));
        self.file().and_then(put).map_err(b2nd::Error::from)?;
        self.end += bytes.len() as u64;
        Ok(())
    }

    fn file(&mut self) -> std::io::Result<&mut fs::File> {
        match &mut self.file {
            Some(file) => Ok(file),
            none => Ok(none.insert(fs::OpenOptions::new().read(true).write(true).open(self.editor.path())?)),
        }
    }

    fn put_file(&self, number: u64, chunk: &[u8]) -> std::io::Result<()> {
        let path = self.chunk_path(number);
        // A crash may have left one that nothing names.
        if let Err(error) = fs::remove_file(&path) {
            if error.kind() != std::io::ErrorKind::NotFound {
                return Err(error);
            }
        }
        let mut file = fs::OpenOptions::new().write(true).create_new(true).open(path)?;
        file.write_all(chunk)?;
        file.sync_all()
    }

    fn chunk_path(&self, number: u64) -> PathBuf {
        self.directory().join(format!("{number:08X}.chunk"))
    }

    fn directory(&self) -> &Path {
        self.editor.path().parent().unwrap_or(Path::new("."))
    }
}

pub(crate) fn refused(path: &Path, why: &str) -> Error {
    Error::B2nd(b2nd::Error::custom(format_args!("{}: {why}", path.display())))
}

/// True if an entry of the index stands for a chunk of zeros, its padding included.
pub(crate) fn is_zeros(entry: i64) -> bool {
    entry.to_be_bytes().first() == Some(&0x81)
}

/// An offset as the index holds it.
fn entry(offset: Offset) -> Result<i64> {
    let special = match offset {
        Offset::At(at) => return Ok(i64::try_from(at).unwrap_or(i64::MAX)),
        Offset::Special(special) => special,
        _ => return Err(b2nd::Error::custom("an offset of an unknown kind").into()),
    };
    let code = match special {
        Special::Zeros => 0x81,
        Special::Nan => 0x82,
        Special::Uninitialized => 0x84,
        other => return Err(b2nd::Error::custom(format_args!("the index cannot say {other}")).into()),
    };
    Ok(i64::from_be_bytes([code, 0, 0, 0, 0, 0, 0, 0]))
}

/// Blocks until the names in a directory are on stable storage.
fn sync_directory(directory: &Path) -> Result<()> {
    if cfg!(unix) {
        fs::File::open(directory).and_then(|directory| directory.sync_all()).map_err(b2nd::Error::from)?;
    }
    Ok(())
}
