//! Safe wrappers of functions of C-Blosc2. The benchmarks call C only in this file.

use std::ffi::{CStr, c_char, c_int};
use std::hint::black_box;
use std::ptr;

use b2nd::Geometry;

// Shares the declarations with the tests against C.
#[allow(dead_code, missing_docs)]
#[path = "../../tests/c-blosc2/src/sys.rs"]
mod sys;

/// Initializes the library. Must be called before [`open`].
pub fn init() {
    // SAFETY: there is only one thread.
    unsafe { blosc2_src::blosc2_init() }
}

/// Returns the version of the linked library.
pub fn version() -> &'static str {
    // SAFETY: the library returns a string constant.
    unsafe { CStr::from_ptr(sys::blosc2_get_version_string()) }.to_str().unwrap()
}

/// Encodes with `b2nd_serialize_meta`, passes the bytes to `then`, and frees them. C's function does not check `ndim`, so it
/// supports 16 dimensions, although arrays of this version of C-Blosc2 have at most 8.
#[inline]
pub fn encode<R>(geometry: &Geometry, dtype: &CStr, then: impl FnOnce(&[u8]) -> R) -> R {
    let mut bytes = ptr::null_mut();
    // SAFETY: the lists have `ndim` numbers and the dtype is a C string. The function returns the length of the bytes, which we
    // own.
    unsafe {
        let (shape, chunkshape, blockshape) = (geometry.shape(), geometry.chunkshape(), geometry.blockshape());
        let (shape, chunkshape, blockshape) = (shape.as_ptr(), chunkshape.as_ptr(), blockshape.as_ptr());
        let length =
            sys::b2nd_serialize_meta(geometry.ndim() as i8, shape, chunkshape, blockshape, dtype.as_ptr(), 0, &mut bytes);
        let result = then(std::slice::from_raw_parts(bytes, length as usize));
        sys::free(bytes.cast());
        result
    }
}

/// The output of [`decode`].
#[derive(Default)]
#[allow(missing_docs)]
pub struct Decoded {
    pub ndim: i8,
    pub shape: [i64; 16],
    pub chunkshape: [i32; 16],
    pub blockshape: [i32; 16],
    pub dtype_format: i8,
}

/// Decodes valid bytes with `b2nd_deserialize_meta`, and frees the dtype. The function reads as many dimensions as the bytes
/// have.
#[inline]
pub fn decode(bytes: &[u8], place: &mut Decoded) {
    let dtype = black_box(deserialize(bytes, place));
    // SAFETY: `b2nd_deserialize_meta` allocated the dtype with `malloc`, and nothing else frees it.
    unsafe { sys::free(dtype.cast()) }
}

/// Decodes valid bytes like `decode`, and returns the dtype as a string.
pub fn decode_with_dtype(bytes: &[u8], place: &mut Decoded) -> String {
    let dtype = deserialize(bytes, place);
    // SAFETY: the dtype is a C string that we own.
    unsafe {
        let string = CStr::from_ptr(dtype).to_str().unwrap().to_owned();
        sys::free(dtype.cast());
        string
    }
}

#[inline(always)]
fn deserialize(bytes: &[u8], place: &mut Decoded) -> *mut c_char {
    let mut dtype = ptr::null_mut();
    let (shape, chunkshape) = (place.shape.as_mut_ptr(), place.chunkshape.as_mut_ptr());
    let (blockshape, format) = (place.blockshape.as_mut_ptr(), &mut place.dtype_format);
    let length = bytes.len() as i32;
    // SAFETY: the bytes are valid and have at most 16 dimensions.
    unsafe {
        sys::b2nd_deserialize_meta(bytes.as_ptr(), length, &mut place.ndim, shape, chunkshape, blockshape, &mut dtype, format)
    };
    dtype
}

/// Opens a file with `b2nd_open` and frees the array. Returns the error code.
pub fn open(path: &CStr) -> c_int {
    let mut array = ptr::null_mut();
    // SAFETY: the path is a C string, and the function allocated the array.
    unsafe {
        let code = sys::b2nd_open(path.as_ptr(), &mut array);
        if code >= 0 {
            sys::b2nd_free(array);
        }
        code
    }
}
