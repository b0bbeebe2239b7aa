//! Small frames for tests that change frames.

use std::fs;
use std::path::Path;

use b2nd::{B2ndMeta, Geometry};
use b2nd_frame::{Chunk, File, Frame, Header, Sizes, Special, Target, Writer};

/// A header for elements of four bytes in chunks of 64 bytes, with three metalayers: an array, a small one, and a wide one.
pub fn header() -> Header {
    header_of(56)
}

/// A header for an array with this number of elements.
pub fn header_of(length: i64) -> Header {
    let mut header = Header::new(Sizes { typesize: 4, chunksize: 64, blocksize: 32 }).unwrap();
    header.metalayers_mut().set(&B2ndMeta::new(Geometry::new(&[length], &[16], &[8]).unwrap(), "<i4")).unwrap();
    header.metalayers_mut().insert("small", [1; 20]).unwrap();
    header.metalayers_mut().insert("wide", [2; 1100]).unwrap();
    header
}

/// The data of the chunk with this index.
pub fn data(number: u8, nbytes: usize) -> Vec<u8> {
    (0..nbytes).map(|index| number.wrapping_mul(37).wrapping_add(index as u8)).collect()
}

/// Appends four chunks: stored, special, stored, stored.
pub fn append<T: Target>(writer: &mut Writer<T>) -> b2nd_frame::Result<()> {
    writer.append(&Chunk::store(&data(0, 64), 4)?)?;
    writer.append_special(Special::Zeros, 64)?;
    writer.append(&Chunk::store(&data(2, 64), 4)?)?;
    writer.append(&Chunk::store(&data(3, 64), 4)?)
}

/// A contiguous frame with a vlmetalayer.
pub fn contiguous() -> Vec<u8> {
    with_header(header())
}

/// A frame with the given header.
pub fn with_header(header: Header) -> Vec<u8> {
    let mut writer = Writer::new(header);
    append(&mut writer).unwrap();
    writer.set_vlmetalayer_bytes("note", &[3; 100]).unwrap();
    writer.finish().unwrap()
}

/// A contiguous frame without a vlmetalayer.
pub fn bare() -> Vec<u8> {
    let mut writer = Writer::new(header());
    append(&mut writer).unwrap();
    writer.finish().unwrap()
}

/// A frame without chunks.
pub fn empty() -> Vec<u8> {
    let mut writer = Writer::new(header_of(0));
    writer.set_vlmetalayer_bytes("note", &[3; 100]).unwrap();
    writer.finish().unwrap()
}

/// An array metalayer that is shorter than that of [`contiguous`].
pub fn short_array() -> Vec<u8> {
    b2nd::to_vec(&B2ndMeta::new(Geometry::new(&[], &[], &[]).unwrap(), "|u1")).unwrap()
}

/// A frame with bytes after it.
pub fn followed() -> Vec<u8> {
    [contiguous(), vec![0x5a; 700]].concat()
}

/// A frame with 1,500 unused bytes before its trailer, as a longer, older trailer leaves them.
pub fn edited() -> Vec<u8> {
    let bytes = contiguous();
    let trailer = Frame::from_slice(&bytes).unwrap().trailer().unwrap().trailer_len();
    let (rest, valid) = bytes.split_at(bytes.len() - trailer);
    let mut bytes = [rest, &[0x94; 1500], valid].concat();
    let length = bytes.len() as u64;
    bytes[0x10..0x18].copy_from_slice(&length.to_be_bytes());
    bytes
}

/// A sparse frame.
pub fn sparse(path: &Path) {
    let mut writer = Writer::create_sparse(path, header()).unwrap();
    append(&mut writer).unwrap();
    writer.set_vlmetalayer_bytes("note", &[3; 100]).unwrap();
    writer.finish().unwrap();
}

/// A frame written by python-blosc2.
pub fn python() -> Vec<u8> {
    fs::read("../../tests/data/python-blosc2-3.0.0/storage__mem_contig_meta_vlmeta.cframe").unwrap()
}

/// A frame with two metalayers, two chunks of eight bytes, and a vlmetalayer. The header is at 0, the chunks are at 128 and 168,
/// the index is at 208, and the trailer is at 256.
pub fn small() -> Vec<u8> {
    let mut header = Header::new(Sizes { typesize: 4, chunksize: 8, blocksize: 8 }).unwrap();
    header.metalayers_mut().insert("a", [1, 2, 3]).unwrap();
    header.metalayers_mut().insert("b", [4, 5, 6, 7]).unwrap();
    let mut writer = Writer::new(header);
    writer.append(&Chunk::store(b"chunk  0", 4).unwrap()).unwrap();
    writer.append(&Chunk::store(b"chunk  1", 4).unwrap()).unwrap();
    writer.set_vlmetalayer_bytes("v", b"val").unwrap();
    let bytes = writer.finish().unwrap();
    assert_eq!(bytes.len(), 338);
    bytes
}

pub const INDEX: usize = 208;
pub const TRAILER: usize = 256;

/// Reads the header, trailer, index and up to 50 chunks of a frame in memory, until the first error.
pub fn read_memory(bytes: &[u8]) -> b2nd_frame::Result<()> {
    let frame = Frame::from_slice(bytes)?;
    let count = frame.offsets()?.len();
    (0..count.min(50)).try_for_each(|number| frame.chunk(number).map(|_| ()))
}

/// Reads a file in the same way.
pub fn read_file(path: &Path) -> b2nd_frame::Result<()> {
    let file = File::open(path)?;
    file.trailer()?;
    let count = file.offsets()?.len();
    (0..count.min(50)).try_for_each(|number| file.chunk(number).map(|_| ()))
}
