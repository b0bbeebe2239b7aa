//! [`HasDType`]: Rust types that can be elements of an array.

/// A Rust type whose values have the same bytes in memory as the elements of an array.
///
/// This trait is implemented for `bool`, `i8` to `i64`, `u8` to `u64`, `f32` and `f64`, in the byte order of the machine. Implement it for
/// your own types. On 64-bit machines, a `#[repr(C)]` struct has the layout that NumPy calls aligned.
///
/// ```
/// use b2nd::dtype::{DType, HasDType};
///
/// struct Complex32 {
///     re: f32,
///     im: f32,
/// }
///
/// impl HasDType for Complex32 {
///     const DTYPE: &'static str = "<c8";
/// }
///
/// let dtype: DType = Complex32::DTYPE.parse()?;
/// assert_eq!(dtype.itemsize(), size_of::<Complex32>());
/// assert_eq!(u8::DTYPE, "|u1");
/// # Ok::<(), b2nd::Error>(())
/// ```
pub trait HasDType {
    /// The dtype string. The itemsize of this dtype must equal the size of the Rust type.
    const DTYPE: &'static str;
}

macro_rules! elements {
    ($($ty:ty: $little:literal $big:literal;)*) => {
        $(
            impl HasDType for $ty {
                const DTYPE: &'static str = if cfg!(target_endian = "little") { $little } else { $big };
            }
        )*
    };
}

elements! {
    bool: "|b1" "|b1";
    i8: "|i1" "|i1";
    i16: "<i2" ">i2";
    i32: "<i4" ">i4";
    i64: "<i8" ">i8";
    u8: "|u1" "|u1";
    u16: "<u2" ">u2";
    u32: "<u4" ">u4";
    u64: "<u8" ">u8";
    f32: "<f4" ">f4";
    f64: "<f8" ">f8";
}
