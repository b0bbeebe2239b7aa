//! Dtype strings: a parsed dtype is printed as the same string, and its sizes are within NumPy's limits.
#![no_main]

use b2nd::dtype::DType;
use libfuzzer_sys::fuzz_target;

/// NumPy's limit, which is a C int.
const LARGEST: usize = 0x7fff_ffff;

fuzz_target!(|text: &str| {
    let dtype = match text.parse::<DType>() {
        Ok(dtype) => dtype,
        Err(error) => {
            assert!(error.offset().is_some_and(|offset| text.is_char_boundary(offset)), "{error}");
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    assert_eq!(dtype.to_string(), text);
    assert!(!dtype.describe().is_empty());
    sizes(&dtype);
    let canonical = dtype.clone().into_canonical();
    assert_eq!(canonical.itemsize(), dtype.itemsize());
    assert_eq!(canonical.to_string().parse::<DType>().expect("NumPy's spelling can be read"), canonical);
    assert_eq!(canonical.clone().into_canonical(), canonical);
    assert_eq!(b2nd::from_slice::<DType>(&b2nd::to_vec(&dtype).expect("a string")).expect("the same string"), dtype);
});

/// Checks that each field or base is inside its dtype, at any depth.
fn sizes(dtype: &DType) {
    assert!(dtype.itemsize() <= LARGEST);
    for field in dtype.fields() {
        assert!(field.offset() + field.dtype().itemsize() <= dtype.itemsize());
        sizes(field.dtype());
    }
    if !dtype.shape().is_empty() {
        assert_eq!(dtype.shape().iter().product::<usize>() * dtype.base().itemsize(), dtype.itemsize());
        sizes(dtype.base());
    }
}
