//! Helpers of the tests: values of arrays in row-major order, and a comparison of what both libraries read in a frame.
#![allow(dead_code)]

use std::path::Path;

use b2nd::{ArrayMeta, B2ndMeta, Geometry, Grid};
use b2nd_c_blosc2::{Array, Error, Meta, SuperChunk, decompress};
use b2nd_frame::{Chunk, File, Filter, Frame, FrameType, Header, Sizes, Special};
use fastrand::Rng;

/// A chunk's data, decompressed by C.
pub fn data(chunk: &Chunk) -> Result<Vec<u8>, Error> {
    let mut data = vec![0; chunk.header().nbytes()];
    decompress(chunk.bytes(), &mut data)?;
    Ok(data)
}

/// The metadata that C should read for an array.
pub fn meta(geometry: &Geometry, dtype: &str) -> Meta {
    Meta {
        shape: geometry.shape().to_vec(),
        chunkshape: geometry.chunkshape().to_vec(),
        blockshape: geometry.blockshape().to_vec(),
        dtype: Some(dtype.to_owned()),
        dtype_format: 0,
    }
}

/// The geometry of a small array with `ndim` dimensions: it usually has several chunks and blocks, and padding in both.
pub fn geometry(rng: &mut Rng, ndim: usize) -> Geometry {
    let most = [0, 300, 40, 14, 8, 6, 5, 4, 4][ndim];
    let shape: Vec<i64> = (0..ndim).map(|_| rng.i64(1..=most)).collect();
    let chunkshape: Vec<i32> = shape.iter().map(|&length| rng.i32(1..=length as i32 + 1)).collect();
    let blockshape: Vec<i32> = chunkshape.iter().map(|&length| rng.i32(1..=length)).collect();
    Geometry::new(&shape, &chunkshape, &blockshape).unwrap()
}

/// The coordinates of all elements, in row-major order.
fn elements(shape: &[i64]) -> impl Iterator<Item = Vec<i64>> {
    (0..shape.iter().product()).map(move |mut number: i64| {
        let mut element = vec![0; shape.len()];
        for (at, length) in element.iter_mut().zip(shape).rev() {
            (*at, number) = (number % length, number / length);
        }
        element
    })
}

/// The position of an element: the index of its chunk, and its byte offset in the chunk's data.
fn place(grid: &Grid, element: &[i64], itemsize: usize) -> (usize, usize) {
    (grid.chunk_index(element).unwrap() as usize, grid.item_index(element).unwrap() as usize * itemsize)
}

/// The data of an array's chunks, from the array's values in row-major order. Padding is zero.
pub fn to_chunks(geometry: &Geometry, itemsize: usize, values: &[u8]) -> Vec<Vec<u8>> {
    let grid = geometry.grid().unwrap();
    let mut chunks = vec![vec![0; grid.extchunknitems() as usize * itemsize]; grid.nchunks() as usize];
    for (element, value) in elements(geometry.shape()).zip(values.chunks(itemsize)) {
        let (chunk, at) = place(&grid, &element, itemsize);
        chunks[chunk][at..at + itemsize].copy_from_slice(value);
    }
    chunks
}

/// The inverse of [`to_chunks`].
pub fn from_chunks(geometry: &Geometry, itemsize: usize, chunks: &[Vec<u8>]) -> Vec<u8> {
    let grid = geometry.grid().unwrap();
    let value = |element: Vec<i64>| {
        let (chunk, at) = place(&grid, &element, itemsize);
        &chunks[chunk][at..at + itemsize]
    };
    elements(geometry.shape()).flat_map(value).copied().collect()
}

/// The header of an array's frame.
pub fn header(geometry: &Geometry, itemsize: usize, dtype: &str) -> Header {
    let grid = geometry.grid().unwrap();
    let lengths = [grid.extchunknitems(), grid.blocknitems()].map(|items| items as i32 * itemsize as i32);
    let mut header = Header::new(Sizes { typesize: itemsize as i32, chunksize: lengths[0], blocksize: lengths[1] }).unwrap();
    header.metalayers_mut().set(&B2ndMeta::new(*geometry, dtype)).unwrap();
    header
}

/// Random bytes, half of them in runs so that they can be compressed.
pub fn bytes(rng: &mut Rng, length: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(length);
    while bytes.len() < length {
        let run = rng.usize(1..=16).min(length - bytes.len());
        let (repeated, byte) = (rng.bool(), rng.u8(..));
        bytes.extend((0..run).map(|_| if repeated { byte } else { rng.u8(..) }));
    }
    bytes
}

fn owned<'a>(layers: impl Iterator<Item = (&'a [u8], &'a [u8])>) -> Vec<(Vec<u8>, Vec<u8>)> {
    layers.map(|(name, content)| (name.to_vec(), content.to_vec())).collect()
}

/// Reads a frame with both libraries and compares what they report. Returns the values if the frame holds an array and
/// all its values are defined.
#[track_caller]
pub fn assert_agree(path: &Path) -> Option<Vec<u8>> {
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let header = file.header();
    let theirs = SuperChunk::open(path).unwrap();
    assert_eq!(header.typesize() as usize, theirs.typesize());
    assert_eq!(header.chunksize() as usize, theirs.chunksize());
    assert_eq!(header.nbytes(), theirs.nbytes());
    assert_eq!(owned(header.metalayers().iter()), theirs.metalayers());

    let trailer = file.trailer().unwrap();
    let value = |content: &[u8]| data(&Chunk::from_slice(content).unwrap()).unwrap();
    let values = trailer.vlmetalayers().raw_chunks().iter().map(|(name, content)| (name.to_vec(), value(content)));
    assert_eq!(values.collect::<Vec<_>>(), theirs.vlmetalayers().unwrap());
    assert_eq!(header.has_vlmetalayers(), !trailer.vlmetalayers().is_empty());

    let offsets = file.offsets().unwrap();
    assert_eq!(offsets.len() as i64, theirs.nchunks());
    let bytes = (header.frame_type() == FrameType::Contiguous).then(|| std::fs::read(path).unwrap());
    let frame = bytes.as_deref().map(|bytes| Frame::from_slice(bytes).unwrap());
    if let Some(frame) = &frame {
        assert_eq!(frame.trailer().unwrap(), trailer);
        assert_eq!(frame.offsets().unwrap(), offsets);
    }
    let (mut defined, mut chunks) = (true, Vec::new());
    for number in 0..offsets.len() {
        let chunk = file.chunk(number).unwrap();
        if let Some(frame) = &frame {
            assert_eq!(frame.chunk(number).unwrap(), chunk);
        }
        let data = data(&chunk).unwrap();
        // This version of C-Blosc2 ignores the parameter of the shuffle filter, which newer versions use.
        if chunk.header().filters().all(|(filter, meta)| filter != Filter::Shuffle || meta == 0) {
            assert!(chunk.data().unwrap() == data, "chunk {number}: {:?}", chunk.header());
        }
        if chunk.header().special() == Some(Special::Uninitialized) {
            defined = false;
        } else {
            assert!(data == theirs.chunk_data(number, data.len()).unwrap(), "chunk {number}: {:?}", chunk.header());
        }
        chunks.push(data);
    }
    drop(theirs);

    let array = header.array().unwrap()?;
    let ours = Meta { dtype: array.dtype().map(str::to_owned), ..meta(array.geometry(), "") };
    let theirs = Array::open(path).unwrap();
    let theirs_in_memory = bytes.map(|bytes| Array::from_frame(&bytes).unwrap());
    for theirs in [Some(&theirs), theirs_in_memory.as_ref()].into_iter().flatten() {
        assert_eq!(ours, theirs.meta());
        let grid = array.geometry().grid().unwrap();
        let counts = [grid.nitems(), grid.extnitems(), grid.extchunknitems(), grid.chunknitems(), grid.blocknitems()];
        assert_eq!(counts, theirs.counts());
    }
    let values = from_chunks(array.geometry(), header.typesize() as usize, &chunks);
    for theirs in [Some(&theirs), theirs_in_memory.as_ref()].into_iter().flatten().filter(|_| defined) {
        assert!(values == theirs.values().unwrap(), "values of {:?}", array.geometry());
    }
    defined.then_some(values)
}

/// The geometry of the array in a file.
pub fn geometry_of(path: &Path) -> Geometry {
    *File::open(path).unwrap().header().array().unwrap().as_ref().map(ArrayMeta::geometry).unwrap()
}
