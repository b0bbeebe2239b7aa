//! Declarations of `b2nd.h`, which the crate blosc2-src omits, and of a few other functions.

use std::ffi::{c_char, c_int, c_void};
use std::mem::offset_of;

use blosc2_src::{blosc2_metalayer, blosc2_schunk, blosc2_storage};

/// `B2ND_MAX_DIM`.
pub(crate) const MAX_DIM: usize = 8;

/// `b2nd_array_t`.
#[repr(C)]
pub(crate) struct Array {
    pub(crate) sc: *mut blosc2_schunk,
    pub(crate) shape: [i64; MAX_DIM],
    pub(crate) chunkshape: [i32; MAX_DIM],
    pub(crate) extshape: [i64; MAX_DIM],
    pub(crate) blockshape: [i32; MAX_DIM],
    pub(crate) extchunkshape: [i64; MAX_DIM],
    pub(crate) nitems: i64,
    pub(crate) chunknitems: i32,
    pub(crate) extnitems: i64,
    pub(crate) blocknitems: i32,
    pub(crate) extchunknitems: i64,
    pub(crate) ndim: i8,
    cache_data: *mut u8,
    cache_nchunk: i64,
    strides: [[i64; MAX_DIM]; 6],
    pub(crate) dtype: *mut c_char,
    pub(crate) dtype_format: i8,
}

// The same values as `sizeof` and `offsetof` in C.
const _: () = assert!(size_of::<Array>() == 728 && offset_of!(Array, ndim) == 304 && offset_of!(Array, dtype) == 712);

/// `b2nd_context_t`, opaque.
#[repr(C)]
pub(crate) struct Context {
    _private: [u8; 0],
}

unsafe extern "C" {
    pub(crate) fn malloc(size: usize) -> *mut c_void;
    pub(crate) fn free(pointer: *mut c_void);
    pub(crate) fn blosc2_get_version_string() -> *const c_char;
    pub(crate) fn b2nd_create_ctx(
        storage: *const blosc2_storage,
        ndim: i8,
        shape: *const i64,
        chunkshape: *const i32,
        blockshape: *const i32,
        dtype: *const c_char,
        dtype_format: i8,
        metalayers: *const blosc2_metalayer,
        nmetalayers: i32,
    ) -> *mut Context;
    pub(crate) fn b2nd_free_ctx(context: *mut Context) -> c_int;
    pub(crate) fn b2nd_uninit(context: *mut Context, array: *mut *mut Array) -> c_int;
    pub(crate) fn b2nd_zeros(context: *mut Context, array: *mut *mut Array) -> c_int;
    pub(crate) fn b2nd_nans(context: *mut Context, array: *mut *mut Array) -> c_int;
    pub(crate) fn b2nd_full(context: *mut Context, array: *mut *mut Array, value: *const c_void) -> c_int;
    pub(crate) fn b2nd_from_cbuffer(
        context: *mut Context,
        array: *mut *mut Array,
        buffer: *const c_void,
        buffersize: i64,
    ) -> c_int;
    pub(crate) fn b2nd_free(array: *mut Array) -> c_int;
    pub(crate) fn b2nd_open(urlpath: *const c_char, array: *mut *mut Array) -> c_int;
    pub(crate) fn b2nd_from_cframe(frame: *mut u8, len: i64, copy: bool, array: *mut *mut Array) -> c_int;
    pub(crate) fn b2nd_to_cbuffer(array: *const Array, buffer: *mut c_void, buffersize: i64) -> c_int;
    pub(crate) fn b2nd_set_slice_cbuffer(
        buffer: *const c_void,
        buffershape: *const i64,
        buffersize: i64,
        start: *const i64,
        stop: *const i64,
        array: *mut Array,
    ) -> c_int;
    pub(crate) fn b2nd_resize(array: *mut Array, shape: *const i64, start: *const i64) -> c_int;
    pub(crate) fn b2nd_append(array: *mut Array, buffer: *const c_void, buffersize: i64, axis: i8) -> c_int;
    pub(crate) fn b2nd_squeeze(array: *mut Array) -> c_int;
    pub(crate) fn b2nd_serialize_meta(
        ndim: i8,
        shape: *const i64,
        chunkshape: *const i32,
        blockshape: *const i32,
        dtype: *const c_char,
        dtype_format: i8,
        smeta: *mut *mut u8,
    ) -> c_int;
    pub(crate) fn b2nd_deserialize_meta(
        smeta: *const u8,
        smeta_len: i32,
        ndim: *mut i8,
        shape: *mut i64,
        chunkshape: *mut i32,
        blockshape: *mut i32,
        dtype: *mut *mut c_char,
        dtype_format: *mut i8,
    ) -> c_int;
}
