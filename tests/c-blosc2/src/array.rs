//! [`Array`]: an array that the C library holds.

use std::ffi::{CStr, c_int, c_void};
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::ptr;

use blosc2_src as c;

use crate::{Compression, Meta, Result, SuperChunk, c_path, c_string, check, init, malloced, sys};

/// The elements of a new array.
#[allow(missing_docs)]
pub enum Fill<'a> {
    Values(&'a [u8]),
    Element(&'a [u8]),
    Zeros,
    Nan,
    Uninitialized,
}

/// An array that the library opened or created.
pub struct Array {
    raw: *mut sys::Array,
    frame: ManuallyDrop<SuperChunk>,
}

impl Array {
    fn new(function: &'static str, code: c_int, raw: *mut sys::Array) -> Result<Array> {
        check(function, code)?;
        // SAFETY: the library succeeded, so `raw` points to an array.
        let frame = ManuallyDrop::new(SuperChunk(unsafe { (*raw).sc }));
        Ok(Array { raw, frame })
    }

    /// Opens a file or the directory of a sparse frame, for reading and editing.
    pub fn open(path: &Path) -> Result<Array> {
        init();
        let mut raw = ptr::null_mut();
        // SAFETY: the path lives as long as the call.
        let code = unsafe { sys::b2nd_open(c_path(path).as_ptr(), &mut raw) };
        Array::new("b2nd_open", code, raw)
    }

    /// Opens a copy of a frame in memory.
    pub fn from_frame(frame: &[u8]) -> Result<Array> {
        init();
        let mut raw = ptr::null_mut();
        // SAFETY: the library owns the copy.
        let code = unsafe { sys::b2nd_from_cframe(malloced(frame), frame.len() as i64, false, &mut raw) };
        let array = Array::new("b2nd_from_cframe", code, raw)?;
        array.own_frame();
        Ok(array)
    }

    /// Creates an array on disk with elements of `typesize` bytes.
    pub fn create(path: &Path, contiguous: bool, meta: &Meta, typesize: usize, how: Compression, fill: Fill) -> Result<Array> {
        init();
        let urlpath = c_path(path);
        let (mut cparams, mut dparams) = (how.params(typesize, 0), c::blosc2_dparams::default());
        let storage = c::blosc2_storage {
            contiguous,
            urlpath: urlpath.as_ptr().cast_mut(),
            cparams: &mut cparams,
            dparams: &mut dparams,
            io: ptr::null_mut(),
        };
        let ndim = meta.shape.len();
        assert!(ndim <= sys::MAX_DIM && meta.chunkshape.len() == ndim && meta.blockshape.len() == ndim);
        let dtype = meta.dtype.as_deref().map(c_string);
        let (shape, chunkshape, blockshape) = (meta.shape.as_ptr(), meta.chunkshape.as_ptr(), meta.blockshape.as_ptr());
        let dtype = dtype.as_ref().map_or(ptr::null(), |dtype| dtype.as_ptr());
        let mut raw = ptr::null_mut();
        // SAFETY: the lists have `ndim` numbers, the dtype is a string or NULL, an element has `typesize` bytes, and the library checks the
        // length of values.
        let code = unsafe {
            let format = meta.dtype_format;
            let context =
                sys::b2nd_create_ctx(&storage, ndim as i8, shape, chunkshape, blockshape, dtype, format, ptr::null(), 0);
            let code = match fill {
                Fill::Values(values) => sys::b2nd_from_cbuffer(context, &mut raw, values.as_ptr().cast(), values.len() as i64),
                Fill::Element(element) => {
                    assert_eq!(element.len(), typesize);
                    sys::b2nd_full(context, &mut raw, element.as_ptr().cast())
                }
                Fill::Zeros => sys::b2nd_zeros(context, &mut raw),
                Fill::Nan => sys::b2nd_nans(context, &mut raw),
                Fill::Uninitialized => sys::b2nd_uninit(context, &mut raw),
            };
            sys::b2nd_free_ctx(context);
            code
        };
        Array::new("the array's constructor", code, raw)
    }

    fn get(&self) -> &sys::Array {
        // SAFETY: the pointer is not null, and only `Drop` frees it.
        unsafe { &*self.raw }
    }

    /// Returns the array's metadata.
    pub fn meta(&self) -> Meta {
        let raw = self.get();
        let ndim = raw.ndim as usize;
        // SAFETY: the pointer is NULL or a C string.
        let dtype = (!raw.dtype.is_null()).then(|| unsafe { CStr::from_ptr(raw.dtype) }.to_str().unwrap().to_owned());
        Meta {
            shape: raw.shape[..ndim].to_vec(),
            chunkshape: raw.chunkshape[..ndim].to_vec(),
            blockshape: raw.blockshape[..ndim].to_vec(),
            dtype,
            dtype_format: raw.dtype_format,
        }
    }

    /// Returns the numbers of elements in the array, in the array padded to whole chunks, in a chunk padded to whole blocks, in a chunk,
    /// and in a block.
    pub fn counts(&self) -> [i64; 5] {
        let raw = self.get();
        [raw.nitems, raw.extnitems, raw.extchunknitems, raw.chunknitems.into(), raw.blocknitems.into()]
    }

    /// Returns all elements in row-major order.
    pub fn values(&self) -> Result<Vec<u8>> {
        let mut values = vec![0; self.get().nitems as usize * self.typesize()];
        // SAFETY: the buffer has the length that is passed.
        check("b2nd_to_cbuffer", unsafe { sys::b2nd_to_cbuffer(self.raw, values.as_mut_ptr().cast(), values.len() as i64) })?;
        Ok(values)
    }

    /// Overwrites the slice from `start` to `stop` with values in row-major order.
    pub fn set_slice(&mut self, start: &[i64], stop: &[i64], values: &[u8]) -> Result<()> {
        let lengths: Vec<i64> = stop.iter().zip(start).map(|(stop, start)| stop - start).collect();
        assert!(start.len() == self.get().ndim as usize && stop.len() == start.len());
        assert_eq!(lengths.iter().product::<i64>() as usize * self.typesize(), values.len());
        let (buffer, length) = (values.as_ptr().cast(), values.len() as i64);
        // SAFETY: there is a number for each dimension, and the values fill the slice.
        let code =
            unsafe { sys::b2nd_set_slice_cbuffer(buffer, lengths.as_ptr(), length, start.as_ptr(), stop.as_ptr(), self.raw) };
        check("b2nd_set_slice_cbuffer", code).map(drop)
    }

    /// Changes the shape of the array. New elements are zero, or have the values of padding in the chunks.
    pub fn resize(&mut self, shape: &[i64]) -> Result<()> {
        assert_eq!(shape.len(), self.get().ndim as usize);
        // SAFETY: there is a number for each dimension.
        check("b2nd_resize", unsafe { sys::b2nd_resize(self.raw, shape.as_ptr(), ptr::null()) }).map(drop)
    }

    /// Appends values along a dimension.
    pub fn append(&mut self, values: &[u8], axis: usize) -> Result<()> {
        let (buffer, length) = (values.as_ptr().cast::<c_void>(), values.len() as i64);
        // SAFETY: the library checks the length.
        check("b2nd_append", unsafe { sys::b2nd_append(self.raw, buffer, length, axis as i8) }).map(drop)
    }

    /// Removes the dimensions of length 1.
    pub fn squeeze(&mut self) -> Result<()> {
        // SAFETY: the array is open.
        check("b2nd_squeeze", unsafe { sys::b2nd_squeeze(self.raw) }).map(drop)
    }
}

impl Deref for Array {
    type Target = SuperChunk;

    fn deref(&self) -> &SuperChunk {
        &self.frame
    }
}

impl DerefMut for Array {
    fn deref_mut(&mut self) -> &mut SuperChunk {
        &mut self.frame
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        // SAFETY: nothing else frees the array; the super-chunk is freed with it.
        unsafe { sys::b2nd_free(self.raw) };
    }
}
