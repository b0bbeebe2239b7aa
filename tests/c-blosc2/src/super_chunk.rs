//! [`SuperChunk`]: a frame that the C library holds.

use std::ffi::{CStr, CString};
use std::path::Path;
use std::{ptr, slice};

use blosc2_src as c;

use crate::{Compression, Error, Result, c_path, c_string, check, init, int32, malloced, take};

/// A frame that the library opened or created.
pub struct SuperChunk(pub(crate) *mut c::blosc2_schunk);

impl SuperChunk {
    fn new(function: &'static str, raw: *mut c::blosc2_schunk) -> Result<SuperChunk> {
        if raw.is_null() { Err(Error(function, 0)) } else { Ok(SuperChunk(raw)) }
    }

    /// Opens a file or the directory of a sparse frame, for reading and editing.
    pub fn open(path: &Path) -> Result<SuperChunk> {
        init();
        // SAFETY: the path lives as long as the call.
        SuperChunk::new("blosc2_schunk_open", unsafe { c::blosc2_schunk_open(c_path(path).as_ptr()) })
    }

    /// Opens a copy of a frame in memory.
    pub fn from_frame(frame: &[u8]) -> Result<SuperChunk> {
        init();
        // SAFETY: the library owns the copy.
        let raw = unsafe { c::blosc2_schunk_from_buffer(malloced(frame), frame.len() as i64, false) };
        let super_chunk = SuperChunk::new("blosc2_schunk_from_buffer", raw)?;
        super_chunk.own_frame();
        Ok(super_chunk)
    }

    /// Lets the library grow and free the buffer of the frame.
    pub(crate) fn own_frame(&self) {
        // SAFETY: the super-chunk was opened from a buffer that `malloced` made.
        unsafe { c::blosc2_schunk_avoid_cframe_free(self.0, false) };
    }

    /// Creates a frame on disk, without chunks.
    pub fn create(path: &Path, contiguous: bool, typesize: usize, how: Compression) -> Result<SuperChunk> {
        init();
        let urlpath = c_path(path);
        let (mut cparams, mut dparams) = (how.params(typesize, 0), c::blosc2_dparams::default());
        let mut storage = c::blosc2_storage {
            contiguous,
            urlpath: urlpath.as_ptr().cast_mut(),
            cparams: &mut cparams,
            dparams: &mut dparams,
            io: ptr::null_mut(),
        };
        // SAFETY: the library copies the storage and what it points to.
        SuperChunk::new("blosc2_schunk_new", unsafe { c::blosc2_schunk_new(&mut storage) })
    }

    fn get(&self) -> &c::blosc2_schunk {
        // SAFETY: the pointer is not null, and only `Drop` frees it.
        unsafe { &*self.0 }
    }

    /// Returns the size of an element in bytes.
    pub fn typesize(&self) -> usize {
        self.get().typesize as usize
    }

    /// Returns the size of a chunk's data in bytes.
    pub fn chunksize(&self) -> usize {
        self.get().chunksize as usize
    }

    /// Returns the size of a block in bytes.
    pub fn blocksize(&self) -> usize {
        self.get().blocksize as usize
    }

    /// Returns the size of all data in bytes.
    pub fn nbytes(&self) -> i64 {
        self.get().nbytes
    }

    /// Returns the number of chunks.
    pub fn nchunks(&self) -> i64 {
        self.get().nchunks
    }

    /// Returns the names and contents of the header's metalayers.
    pub fn metalayers(&self) -> Vec<(Vec<u8>, Vec<u8>)> {
        let raw = self.get();
        // SAFETY: the first `nmetalayers` pointers are valid.
        raw.metalayers[..usize::from(raw.nmetalayers)].iter().map(|&layer| unsafe { name_and_content(layer) }).collect()
    }

    /// Returns the names and values of the variable-length metalayers.
    pub fn vlmetalayers(&self) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let raw = self.get();
        let names = raw.vlmetalayers[..usize::try_from(raw.nvlmetalayers).unwrap()].iter().map(|&layer| {
            // SAFETY: the first `nvlmetalayers` pointers are valid.
            unsafe { name_and_content(layer) }.0
        });
        let value = |name: Vec<u8>| {
            let (mut content, mut length) = (ptr::null_mut(), 0);
            let c_name = CString::new(name.clone()).unwrap();
            // SAFETY: the super-chunk is open, and the caller owns the content.
            let code = unsafe { c::blosc2_vlmeta_get(self.0, c_name.as_ptr(), &mut content, &mut length) };
            check("blosc2_vlmeta_get", code)?;
            Ok((name, take(content, length as usize)))
        };
        names.map(value).collect()
    }

    /// Adds a metalayer. Fails if the chunks of the frame have bytes (`cbytes` above 0).
    pub fn add_metalayer(&mut self, name: &str, content: &[u8]) -> Result<()> {
        let (name, content, length) = (c_string(name), content.as_ptr().cast_mut(), int32(content.len()));
        // SAFETY: the library copies the name and the content.
        check("blosc2_meta_add", unsafe { c::blosc2_meta_add(self.0, name.as_ptr(), content, length) }).map(drop)
    }

    /// Overwrites the content of a metalayer. The new content must not be longer than the old.
    pub fn update_metalayer(&mut self, name: &str, content: &[u8]) -> Result<()> {
        let (name, content, length) = (c_string(name), content.as_ptr().cast_mut(), int32(content.len()));
        // SAFETY: the library copies the content.
        check("blosc2_meta_update", unsafe { c::blosc2_meta_update(self.0, name.as_ptr(), content, length) }).map(drop)
    }

    /// Adds or replaces a variable-length metalayer, with the library's default compression.
    pub fn set_vlmetalayer(&mut self, name: &str, value: &[u8]) -> Result<()> {
        let (name, value, length) = (c_string(name), value.as_ptr().cast_mut(), int32(value.len()));
        // SAFETY: the library copies the name and the value.
        unsafe {
            if c::blosc2_vlmeta_exists(self.0, name.as_ptr()) < 0 {
                let code = c::blosc2_vlmeta_add(self.0, name.as_ptr(), value, length, ptr::null_mut());
                check("blosc2_vlmeta_add", code).map(drop)
            } else {
                let code = c::blosc2_vlmeta_update(self.0, name.as_ptr(), value, length, ptr::null_mut());
                check("blosc2_vlmeta_update", code).map(drop)
            }
        }
    }

    /// Removes a variable-length metalayer.
    pub fn delete_vlmetalayer(&mut self, name: &str) -> Result<()> {
        // SAFETY: the super-chunk is open.
        check("blosc2_vlmeta_delete", unsafe { c::blosc2_vlmeta_delete(self.0, c_string(name).as_ptr()) }).map(drop)
    }

    /// Returns the data of a chunk, which is at most `nbytes` long.
    pub fn chunk_data(&self, number: u64, nbytes: usize) -> Result<Vec<u8>> {
        let mut data = vec![0; nbytes];
        let (number, to) = (number as i64, data.as_mut_ptr().cast());
        // SAFETY: the buffer has the length that is passed.
        let code = unsafe { c::blosc2_schunk_decompress_chunk(self.0, number, to, int32(nbytes)) };
        data.truncate(check("blosc2_schunk_decompress_chunk", code)? as usize);
        Ok(data)
    }

    /// Compresses data and appends it as a chunk.
    pub fn append(&mut self, data: &[u8]) -> Result<()> {
        let (from, length) = (data.as_ptr().cast_mut().cast(), int32(data.len()));
        // SAFETY: the library only reads the data.
        check("blosc2_schunk_append_buffer", unsafe { c::blosc2_schunk_append_buffer(self.0, from, length) }).map(drop)
    }

    /// Replaces a chunk.
    pub fn update_chunk(&mut self, number: usize, chunk: &[u8]) -> Result<()> {
        let (number, chunk) = (number as i64, chunk.as_ptr().cast_mut());
        // SAFETY: the library copies the chunk, whose length is in its header.
        check("blosc2_schunk_update_chunk", unsafe { c::blosc2_schunk_update_chunk(self.0, number, chunk, true) }).map(drop)
    }

    /// Inserts a chunk before another.
    pub fn insert_chunk(&mut self, number: usize, chunk: &[u8]) -> Result<()> {
        let (number, chunk) = (number as i64, chunk.as_ptr().cast_mut());
        // SAFETY: the library copies the chunk, whose length is in its header.
        check("blosc2_schunk_insert_chunk", unsafe { c::blosc2_schunk_insert_chunk(self.0, number, chunk, true) }).map(drop)
    }

    /// Deletes a chunk.
    pub fn delete_chunk(&mut self, number: usize) -> Result<()> {
        // SAFETY: the super-chunk is open.
        let code = unsafe { c::blosc2_schunk_delete_chunk(self.0, number as i64) };
        check("blosc2_schunk_delete_chunk", code).map(drop)
    }
}

/// SAFETY: `layer` is one of the metalayers that an open super-chunk holds.
unsafe fn name_and_content(layer: *const c::blosc2_metalayer) -> (Vec<u8>, Vec<u8>) {
    unsafe {
        let name = CStr::from_ptr((*layer).name).to_bytes().to_vec();
        let length = (*layer).content_len as usize;
        let content = if length == 0 { Vec::new() } else { slice::from_raw_parts((*layer).content, length).to_vec() };
        (name, content)
    }
}

impl Drop for SuperChunk {
    fn drop(&mut self) {
        // SAFETY: nothing else frees the super-chunk.
        unsafe { c::blosc2_schunk_free(self.0) };
    }
}
