//! Opens files and reads the metadata of their arrays.

use std::ffi::CString;
use std::fs;
use std::hint::black_box;
use std::io::Read;
use std::path::Path;

use b2nd::{B2ndMeta, Geometry};
use b2nd_frame::{Chunk, Header, Sizes, Writer};

use crate::{Operation, c};

/// The number of bytes in the first read of a file.
const FIRST_READ: usize = 4096;

/// Writes this number of files: three-dimensional arrays in one chunk, without user metalayers.
pub fn write(directory: &Path, count: usize) {
    let mut header = Header::new(Sizes { typesize: 4, chunksize: 256, blocksize: 256 }).unwrap();
    let geometry = Geometry::new(&[4; 3], &[4; 3], &[4; 3]).unwrap();
    header.metalayers_mut().set(&B2ndMeta::new(geometry, "<i4")).unwrap();
    let mut writer = Writer::new(header);
    writer.append(&Chunk::store(&[7; 256], 4).unwrap()).unwrap();
    let frame = writer.finish().unwrap();
    for number in 0..count {
        fs::write(directory.join(format!("{number}.b2nd")), &frame).unwrap();
    }
}

/// Returns an operation for each way to open the files in the directory. Each run opens the next file.
pub fn open(directory: &Path, count: usize) -> Vec<Operation> {
    c::init();
    let paths: Vec<_> = (0..count).map(|number| directory.join(format!("{number}.b2nd"))).collect();
    let mut c_paths = paths.clone().into_iter().map(|path| CString::new(path.to_str().unwrap()).unwrap()).cycle();
    let (mut ours, mut plain) = (paths.clone().into_iter().cycle(), paths.into_iter().cycle());
    let mut buffer = [0; FIRST_READ];
    vec![
        Operation::new("open_file", count, "open+read+close", move || {
            let mut file = fs::File::open(black_box(plain.next().unwrap())).unwrap();
            assert!(file.read(black_box(&mut buffer)).unwrap() > 0);
        }),
        Operation::new("open_file", count, "b2nd::File", move || {
            let file = b2nd_frame::File::open(black_box(ours.next().unwrap())).unwrap();
            assert!(black_box(file.header().array()).unwrap().is_some());
        }),
        Operation::new("open_file", count, "C", move || assert_eq!(c::open(black_box(&c_paths.next().unwrap())), 0)),
    ]
}
