//! Safe functions that call the C library.
//!
//! C-Blosc2 does not check its input as closely as [`b2nd`](https://docs.rs/b2nd) does: give it only valid input.

use std::ffi::{CStr, CString};
use std::path::Path;
use std::sync::Once;
use std::{fmt, ptr, slice};

use blosc2_src as c;

mod array;
mod super_chunk;
mod sys;

pub use array::{Array, Fill};
pub use super_chunk::SuperChunk;

/// A function of the C library, and its return value: an error code, a wrong length, or 0 for a null pointer.
#[derive(Debug)]
pub struct Error(&'static str, i64);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} returned {}", self.0, self.1)
    }
}

impl std::error::Error for Error {}

/// The result of a function of the C library.
pub type Result<T> = std::result::Result<T, Error>;

fn check(function: &'static str, code: impl Into<i64>) -> Result<i64> {
    match code.into() {
        code if code < 0 => Err(Error(function, code)),
        code => Ok(code),
    }
}

/// Initializes the library once. Tests run in threads, and `blosc2_init` must not run twice at the same time.
fn init() {
    static ONCE: Once = Once::new();
    // SAFETY: this runs once.
    ONCE.call_once(|| unsafe { c::blosc2_init() });
}

fn c_path(path: &Path) -> CString {
    CString::new(path.to_str().expect("a path in UTF-8")).expect("a path without NUL")
}

fn c_string(name: &str) -> CString {
    CString::new(name).expect("a name without NUL")
}

fn int32(length: usize) -> i32 {
    i32::try_from(length).expect("a length in int32")
}

/// Copies a buffer that the library allocated, and frees it.
fn take(bytes: *mut u8, length: usize) -> Vec<u8> {
    // SAFETY: the library hands over a malloc'ed buffer of at least this length. The pointer may be null if the length is 0.
    unsafe {
        let copy = if length == 0 { Vec::new() } else { slice::from_raw_parts(bytes, length).to_vec() };
        sys::free(bytes.cast());
        copy
    }
}

/// Copies bytes into a buffer that the library can free.
fn malloced(bytes: &[u8]) -> *mut u8 {
    // SAFETY: the new buffer has the length of the bytes.
    unsafe {
        let copy = sys::malloc(bytes.len()).cast::<u8>();
        assert!(!copy.is_null());
        ptr::copy_nonoverlapping(bytes.as_ptr(), copy, bytes.len());
        copy
    }
}

/// Returns the version of the linked library.
pub fn version() -> &'static str {
    // SAFETY: the library returns a string constant.
    unsafe { CStr::from_ptr(sys::blosc2_get_version_string()) }.to_str().unwrap()
}

/// A metalayer as `b2nd_deserialize_meta` reads it.
#[derive(PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Meta {
    pub shape: Vec<i64>,
    pub chunkshape: Vec<i32>,
    pub blockshape: Vec<i32>,
    pub dtype: Option<String>,
    pub dtype_format: i8,
}

/// Encodes the metalayer `b2nd` as the library does. There are at most 8 dimensions.
pub fn serialize_meta(meta: &Meta) -> Result<Vec<u8>> {
    let (ndim, mut bytes) = (meta.shape.len(), ptr::null_mut());
    assert!(ndim <= sys::MAX_DIM && meta.chunkshape.len() == ndim && meta.blockshape.len() == ndim);
    let dtype = meta.dtype.as_deref().map(c_string);
    // SAFETY: the three lists have `ndim` numbers, and the dtype is a string or NULL.
    let length = unsafe {
        sys::b2nd_serialize_meta(
            ndim as i8,
            meta.shape.as_ptr(),
            meta.chunkshape.as_ptr(),
            meta.blockshape.as_ptr(),
            dtype.as_ref().map_or(ptr::null(), |dtype| dtype.as_ptr()),
            meta.dtype_format,
            &mut bytes,
        )
    };
    Ok(take(bytes, check("b2nd_serialize_meta", length)? as usize))
}

/// Decodes a metalayer of at most 8 dimensions as the library does. The bytes must be valid, because the library checks little.
pub fn deserialize_meta(bytes: &[u8]) -> Result<Meta> {
    let (mut ndim, mut dtype_format, mut dtype) = (0, 0, ptr::null_mut());
    let (mut shape, mut chunkshape, mut blockshape) = ([0; sys::MAX_DIM], [0; sys::MAX_DIM], [0; sys::MAX_DIM]);
    // SAFETY: the bytes are valid and have at most 8 dimensions, as the caller promises.
    let length = unsafe {
        sys::b2nd_deserialize_meta(
            bytes.as_ptr(),
            int32(bytes.len()),
            &mut ndim,
            shape.as_mut_ptr(),
            chunkshape.as_mut_ptr(),
            blockshape.as_mut_ptr(),
            &mut dtype,
            &mut dtype_format,
        )
    };
    assert_eq!(check("b2nd_deserialize_meta", length)?, bytes.len() as i64, "the library reads all bytes");
    let ndim = ndim as usize;
    let dtype = (!dtype.is_null()).then(|| {
        // SAFETY: the library allocated this C string.
        let length = unsafe { CStr::from_ptr(dtype) }.count_bytes();
        String::from_utf8(take(dtype.cast(), length)).unwrap()
    });
    let (shape, chunkshape, blockshape) = (shape[..ndim].to_vec(), chunkshape[..ndim].to_vec(), blockshape[..ndim].to_vec());
    Ok(Meta { shape, chunkshape, blockshape, dtype, dtype_format })
}

/// The parameters of compression: the code of the codec, the level, filters with their parameters in six slots, and the split mode.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Compression {
    pub codec: u8,
    pub level: u8,
    pub filters: [u8; 6],
    pub filters_meta: [u8; 6],
    pub splitmode: i32,
}

impl Default for Compression {
    fn default() -> Self {
        let c::blosc2_cparams { compcode, clevel, filters, filters_meta, splitmode, .. } = c::BLOSC2_CPARAMS_DEFAULTS;
        Compression { codec: compcode, level: clevel, filters, filters_meta, splitmode }
    }
}

impl Compression {
    fn params(&self, typesize: usize, blocksize: usize) -> c::blosc2_cparams {
        let &Compression { codec: compcode, level: clevel, filters, filters_meta, splitmode } = self;
        let (typesize, blocksize) = (int32(typesize), int32(blocksize));
        c::blosc2_cparams { compcode, clevel, filters, filters_meta, splitmode, typesize, blocksize, ..Default::default() }
    }
}

/// Compresses data into a chunk. The library chooses the block size if `blocksize` is 0.
pub fn compress(data: &[u8], typesize: usize, blocksize: usize, how: Compression) -> Result<Vec<u8>> {
    init();
    let mut chunk = vec![0; data.len() + c::BLOSC2_MAX_OVERHEAD as usize];
    // SAFETY: both buffers have the lengths that are passed.
    let length = unsafe {
        let context = c::blosc2_create_cctx(how.params(typesize, blocksize));
        let (data, len) = (data.as_ptr().cast(), int32(data.len()));
        let length = c::blosc2_compress_ctx(context, data, len, chunk.as_mut_ptr().cast(), int32(chunk.len()));
        c::blosc2_free_ctx(context);
        length
    };
    chunk.truncate(check("blosc2_compress_ctx", length)? as usize);
    Ok(chunk)
}

/// Decompresses a chunk into a buffer of the length in the chunk's header.
pub fn decompress(chunk: &[u8], data: &mut [u8]) -> Result<()> {
    init();
    let (from, to) = (chunk.as_ptr().cast(), data.as_mut_ptr().cast());
    // SAFETY: both buffers have the lengths that are passed.
    let length = unsafe { c::blosc2_decompress(from, int32(chunk.len()), to, int32(data.len())) };
    match check("blosc2_decompress", length)? {
        length if length == data.len() as i64 => Ok(()),
        length => Err(Error("blosc2_decompress", length)),
    }
}
