//! Decodes headers and trailers in memory.

use std::hint::black_box;

use b2nd::{B2ndMeta, Geometry};
use b2nd_frame::{Header, Metalayers, Sizes, Trailer, Vlmetalayers};

use crate::{Operation, forever};

/// Returns the bytes of a header with an array and `more` metalayers of this length.
fn header(more: usize, length: usize) -> &'static [u8] {
    let mut header = Header::new(Sizes { typesize: 4, chunksize: 64, blocksize: 32 }).unwrap();
    header.metalayers_mut().set(&B2ndMeta::new(Geometry::new(&[56], &[16], &[8]).unwrap(), "<i4")).unwrap();
    for number in 0..more {
        header.metalayers_mut().insert(&format!("metalayer{number}"), vec![number as u8; length]).unwrap();
    }
    let bytes = forever(b2nd::to_vec(&header).unwrap());
    assert_eq!(Header::from_slice(bytes).unwrap(), header);
    bytes
}

/// Returns the bytes of a trailer with this number of vlmetalayers.
fn trailer(count: usize) -> &'static [u8] {
    let mut metalayers = Metalayers::default();
    for number in 0..count {
        metalayers.insert(&format!("metalayer{number}"), vec![number as u8; 64]).unwrap();
    }
    let trailer = Trailer::new(Vlmetalayers::from_raw_chunks(metalayers));
    let bytes = forever(b2nd::to_vec(&trailer).unwrap());
    assert_eq!(Trailer::from_slice(bytes).unwrap(), trailer);
    bytes
}

/// Returns operations on headers with different numbers of metalayers, on headers of different lengths, and on trailers with
/// different numbers of vlmetalayers.
pub(crate) fn all() -> Vec<Operation> {
    let mut operations = Vec::new();
    for count in [1, 2, 4, 8, 16] {
        let bytes = header(count - 1, 64);
        operations.extend(decode_header("header_metalayers", count, bytes));
    }
    for length in [0, 1024, 4096, 16384, 65536] {
        let bytes = header(1, length);
        operations.extend(decode_header("header_bytes", bytes.len(), bytes));
    }
    for count in [0, 1, 2, 4, 8, 16] {
        let bytes = trailer(count);
        operations.push(Operation::new("trailer_vlmetalayers", count, "copy", move || black_box(bytes).to_vec()));
        operations
            .push(Operation::new("trailer_vlmetalayers", count, "b2nd::Trailer", move || Trailer::from_slice(black_box(bytes))));
    }
    operations
}

fn decode_header(task: &'static str, size: usize, bytes: &'static [u8]) -> [Operation; 3] {
    let decoded = forever(Header::from_slice(bytes).unwrap());
    [
        Operation::new(task, size, "copy", move || black_box(bytes).to_vec()),
        Operation::new(task, size, "b2nd::Header", move || Header::from_slice(black_box(bytes))),
        Operation::new(task, size, "b2nd::Header::array", move || black_box(decoded).array()),
    ]
}
