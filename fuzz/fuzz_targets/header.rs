//! Headers: accepted bytes are written back unchanged, and only the first header_len bytes are read.
#![no_main]

use b2nd_frame::Header;
use b2nd_fuzz::{explains, reencodes, writes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let header = match Header::from_slice(input) {
        Ok(header) => header,
        Err(error) => {
            if error.is_eof() {
                let needed = error.needed().unwrap_or(0);
                assert!(input.len() >= 15 || needed == 15 - input.len(), "{error}");
            }
            return explains(error, input);
        }
    };
    let bytes = &input[..header.header_len()];
    writes(&header, bytes);
    assert_eq!(reencodes::<Header>(bytes).as_ref(), Some(&header));
    for length in [0, 14, 15, bytes.len() - 1] {
        let error = Header::from_slice(&bytes[..length]).expect_err("a part of a header is no header");
        let whole = if length < 15 { 15 } else { bytes.len() };
        assert_eq!(error.needed(), Some(whole - length), "{error}");
    }
    let range = header.tail_range();
    assert!(range.start <= range.end && range.end == header.frame_len());
    for (name, _) in header.metalayers().iter() {
        if let Ok(name) = str::from_utf8(name) {
            assert!(header.metalayers().get(name).is_some());
        }
    }
    if let Err(error) = header.array() {
        assert!(!error.is_eof());
        explains(error, bytes);
    }
    let (codec, filters) = (header.codec(), header.filters().count());
    assert!(filters <= 6 && !codec.to_string().is_empty());
});
