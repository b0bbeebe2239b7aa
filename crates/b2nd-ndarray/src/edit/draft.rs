//! [`Draft`]: an array in a file that is being edited. New chunks in the file become part of the array when they are committed.

use std::path::Path;

use b2nd::{ArrayMeta, B2ndMeta, Geometry};
use b2nd_frame::{Chunk, ChunkEditor, File, FrameType, Header, Offset};

use crate::array::Array;
use crate::error::{Error, Result};
use crate::shapes::check_fit;

/// An array whose metalayer has the layout that C-Blosc2 has written since 2.7.0. Its file is locked against other editors, and can contain
/// new chunks that are not yet part of the array.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) chunks: ChunkEditor,
    /// The array's metalayer.
    pub(crate) meta: B2ndMeta,
}

impl Draft {
    pub(crate) fn open(path: &Path) -> Result<Draft> {
        let in_file = |error| Error::in_file(path, error);
        let chunks = File::edit(path).and_then(ChunkEditor::new).map_err(|error| in_file(error.into()))?;
        let meta = current(chunks.file().header()).map_err(in_file)?;
        let draft = Draft { chunks, meta };
        // If blocks are longer than chunks, each chunk is padded to the length of a block, and could take minutes to compress.
        check_fit(&draft.meta.geometry).map_err(in_file)?;
        Ok(draft)
    }

    /// Opens the array as the file holds it, without the new chunks.
    pub(crate) fn array(&self) -> Result<Array> {
        Array::of_file(self.chunks.file())
    }

    pub(crate) fn is_sparse(&self) -> bool {
        self.chunks.file().header().frame_type() == FrameType::Sparse
    }

    /// Returns the array's metalayer, but with another shape.
    pub(crate) fn meta_of(&self, shape: &[i64]) -> Result<B2ndMeta> {
        let geometry = Geometry::new(shape, self.meta.geometry.chunkshape(), self.meta.geometry.blockshape())?;
        Ok(B2ndMeta { geometry, ..self.meta.clone() })
    }

    /// Returns the entries of the index of chunks.
    pub(crate) fn entries(&self) -> Result<Vec<Offset>> {
        Ok(self.chunks.file().offsets()?.iter().collect())
    }

    pub(crate) fn put_chunk(&mut self, chunk: &[u8]) -> Result<Offset> {
        Ok(self.chunks.put(&Chunk::from_slice(chunk)?)?)
    }

    /// Commits an array of this shape whose index has these entries. Returns when the change is on stable storage.
    pub(crate) fn commit(&mut self, shape: &[i64], entries: &[Offset]) -> Result<()> {
        let committed = self.chunks.commit(&self.meta_of(shape)?.into(), entries);
        // The metalayer is read again, since after an error the file may hold the old array or the new array.
        self.meta = current(self.chunks.file().header()).map_err(|error| Error::in_file(self.chunks.file().path(), error))?;
        Ok(committed?)
    }

    /// Checks that the header can hold this shape and be changed by a single write, before any chunk is written.
    pub(crate) fn can_take(&self, shape: &[i64]) -> Result<()> {
        Ok(self.chunks.check(&self.meta_of(shape)?.into())?)
    }
}

/// Returns the array's metalayer. Fails if it does not have the layout that C-Blosc2 has written since 2.7.0.
pub(crate) fn current(header: &Header) -> Result<B2ndMeta> {
    match header.array()?.ok_or(Error::NoArray)? {
        ArrayMeta::B2nd(meta) => Ok(meta.into_owned()),
        _ => Err(Error::custom("the array's metalayer has an old layout: `b2nd upgrade` converts files to the current one")),
    }
}

pub(crate) fn refused(path: &Path, why: &str) -> Error {
    Error::in_file(path, Error::custom(why))
}
