//! A frame with an early layout, for the tests of `upgrade`.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use b2nd_frame::{Chunk, Header, Sizes, Special, Writer};

/// Writes a one-dimensional frame with three metalayers, the second of which has the given name and content.
pub(crate) fn early(path: impl AsRef<Path>, name: &str, content: &[u8]) {
    let mut header = Header::new(Sizes { typesize: 4, chunksize: 20, blocksize: 20 }).unwrap();
    for (name, content) in [("before", b"1".as_slice()), (name, content), ("after", b"22")] {
        header.metalayers_mut().insert(name, content).unwrap();
    }
    let mut writer = Writer::create(path, header).unwrap();
    writer.append(&Chunk::store(&[7; 20], 4).unwrap()).unwrap();
    writer.append_special(Special::Zeros, 20).unwrap();
    writer.set_vlmetalayer_bytes("note", b"\xa4kept").unwrap();
    writer.finish().unwrap();
}
