//! The kind of a frame whose metalayers suggest several kinds.
#![allow(clippy::unwrap_used)]

use b2nd_frame::{Header, Sizes};
use b2nd_store::Kind;

#[test]
fn the_metalayer_that_python_looks_for_first_counts() {
    let kind = |names: &[&str]| {
        let mut header = Header::new(Sizes { typesize: 1, chunksize: 1, blocksize: 1 }).unwrap();
        for name in names {
            header.metalayers_mut().insert(name, [0x80]).unwrap();
        }
        Kind::of(&header, None).name()
    };
    assert_eq!(kind(&["vlarray"]), "object_array");
    assert_eq!(kind(&["batcharray"]), "batch_array");
    // A list array is stored as a frame of one of the other two kinds.
    assert_eq!(kind(&["vlarray", "listarray"]), "list_array");
    assert_eq!(kind(&["batcharray", "listarray"]), "list_array");
    assert_eq!(kind(&["b2nd", "proxy-source"]), "proxy");
    assert_eq!(kind(&["b2nd", "b2o"]), "b2object");
    assert_eq!(kind(&["b2o", "LazyArray"]), "b2object");
    assert_eq!(kind(&["other"]), "schunk");
}
