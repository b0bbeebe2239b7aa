//! Grids compared with python-blosc2, and with files written by other libraries.
#![cfg(feature = "std")]

use std::fs;
use std::ops::Range;
use std::path::Path;

use b2nd::Geometry;
use b2nd_frame::{File, Header};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

const REFERENCE: &str = "../../tests/data/grid";

fn rows<T: DeserializeOwned>(path: impl AsRef<Path>) -> Vec<T> {
    let rows: Vec<T> = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    assert!(!rows.is_empty());
    rows
}

#[derive(Deserialize)]
struct Elements {
    file: String,
    shape: Vec<i64>,
    chunkshape: Vec<i32>,
    blockshape: Vec<i32>,
    chunks: Vec<String>,
    elements: Vec<Element>,
}

#[derive(Deserialize)]
struct Element {
    index: Vec<i64>,
    hex: String,
}

#[test]
fn elements_lie_where_their_bytes_are() {
    let mut compared = 0;
    for row in rows::<Elements>(format!("{REFERENCE}/elements.json")) {
        let frame = fs::read(format!("{REFERENCE}/{}", row.file)).unwrap();
        let header = Header::from_slice(&frame).unwrap();
        let geometry = *header.array().unwrap().unwrap().geometry();
        assert_eq!(geometry, Geometry::new(&row.shape, &row.chunkshape, &row.blockshape).unwrap(), "{}", row.file);
        let (grid, itemsize) = (geometry.grid().unwrap(), header.typesize() as usize);
        let chunks = chunks(&frame, &header);
        assert_eq!(
            chunks.iter().map(|(kind, _)| kind).collect::<Vec<_>>(),
            row.chunks.iter().collect::<Vec<_>>(),
            "{}",
            row.file
        );
        assert_eq!(chunks.len() as u64, grid.nchunks(), "{}", row.file);
        for (_, chunk) in &chunks {
            assert_eq!(chunk.len(), grid.extchunknitems() as usize * itemsize, "{}", row.file);
        }
        for Element { index, hex } in row.elements {
            let (_, chunk) = &chunks[grid.chunk_index(&index).unwrap() as usize];
            let start = grid.item_index(&index).unwrap() as usize * itemsize;
            let found: String = chunk[start..start + itemsize].iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(found, hex, "{}: {index:?}", row.file);
            compared += 1;
        }
    }
    assert_ne!(compared, 0);
    println!("{compared} elements");
}

#[derive(Deserialize)]
struct Slices {
    file: String,
    slices: Vec<Unpacked>,
}

#[derive(Deserialize)]
struct Unpacked {
    slice: Vec<(i64, i64)>,
    nbytes: usize,
    sha256: String,
}

#[test]
fn unpacked_slices_are_those_of_python_blosc2() {
    let mut compared = 0;
    for row in rows::<Slices>(format!("{REFERENCE}/slices.json")) {
        let frame = fs::read(format!("{REFERENCE}/{}", row.file)).unwrap();
        let header = Header::from_slice(&frame).unwrap();
        let grid = header.array().unwrap().unwrap().geometry().grid().unwrap();
        let (chunks, itemsize) = (chunks(&frame, &header), header.typesize() as usize);
        for Unpacked { slice, nbytes, sha256 } in row.slices {
            let slice: Vec<Range<i64>> = slice.iter().map(|&(start, stop)| start..stop).collect();
            let mut found = vec![0; nbytes];
            for number in grid.chunks_in(&slice).unwrap() {
                grid.unpack(number, &slice, itemsize, &chunks[number as usize].1, &mut found).unwrap();
            }
            let hash: String = Sha256::digest(&found).iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(hash, sha256, "{}: {slice:?}", row.file);
            compared += 1;
        }
    }
    assert_eq!(compared, 72);
}

#[test]
fn packed_chunks_are_those_of_python_blosc2() {
    let mut compared = 0;
    for row in rows::<Slices>(format!("{REFERENCE}/slices.json")) {
        let frame = fs::read(format!("{REFERENCE}/{}", row.file)).unwrap();
        let header = Header::from_slice(&frame).unwrap();
        let grid = header.array().unwrap().unwrap().geometry().grid().unwrap();
        let itemsize = header.typesize() as usize;
        let whole: Vec<Range<i64>> = grid.shape().iter().map(|&length| 0..length).collect();
        let mut elements = vec![0; row.slices[0].nbytes];
        for (number, (kind, theirs)) in (0..).zip(chunks(&frame, &header)) {
            grid.unpack(number, &whole, itemsize, &theirs, &mut elements).unwrap();
            let mut data = vec![0; theirs.len()];
            grid.pack(number, &whole, itemsize, &elements, &mut data).unwrap();
            // The padding of a special chunk repeats its value, while that of other chunks is zero. So only stored chunks are
            // compared.
            if kind == "stored" {
                assert_eq!(data, theirs, "{}: chunk {number}", row.file);
                compared += 1;
            }
        }
    }
    assert_ne!(compared, 0);
}

/// The kind and bytes of each chunk in a contiguous frame. The chunks must not be compressed.
fn chunks(frame: &[u8], header: &Header) -> Vec<(&'static str, Vec<u8>)> {
    let start = header.header_len();
    let (_, index) = decompressed(&frame[start + header.cbytes() as usize..]);
    let chunk = |offset: &[u8]| match i64::from_le_bytes(offset.try_into().unwrap()) {
        offset @ 0.. => decompressed(&frame[start + offset as usize..]),
        special => special_chunk(special.to_be_bytes()[0] & 0x7f, header.chunksize() as usize, header.typesize() as usize, &[]),
    };
    index.chunks_exact(8).map(chunk).collect()
}

fn decompressed(chunk: &[u8]) -> (&'static str, Vec<u8>) {
    let (header, data) = chunk.split_at(32);
    let nbytes = i32::from_le_bytes(header[4..8].try_into().unwrap()) as usize;
    match header[31] >> 4 & 7 {
        0 => {
            assert_ne!(header[2] & 2, 0, "the chunk is compressed");
            ("stored", data[..nbytes].to_vec())
        }
        special => special_chunk(special, nbytes, header[3].into(), data),
    }
}

fn special_chunk(special: u8, nbytes: usize, typesize: usize, value: &[u8]) -> (&'static str, Vec<u8>) {
    match (special, typesize) {
        (1, _) => ("zeros", vec![0; nbytes]),
        (2, 4) => ("nan", f32::NAN.to_le_bytes().repeat(nbytes / 4)),
        (2, 8) => ("nan", f64::NAN.to_le_bytes().repeat(nbytes / 8)),
        (3, _) => ("value", value[..typesize].repeat(nbytes / typesize)),
        _ => panic!("special value {special} of {typesize} bytes"),
    }
}

#[derive(Deserialize)]
struct Entry {
    id: String,
    file: String,
    #[serde(default)]
    offset: u64,
    parsed: Option<Parsed>,
}

#[derive(Deserialize)]
struct Parsed {
    nchunks_from_index: Option<u64>,
    nd: Option<serde::de::IgnoredAny>,
}

/// Compares the number of chunks and bytes in a file with the grid, for every array in a manifest.
#[track_caller]
fn check_corpus(directory: &Path) {
    let (mut agreed, mut differing) = (0, Vec::new());
    for Entry { id, file, offset, parsed } in rows::<Entry>(directory.join("manifest.json")) {
        let Some(Parsed { nchunks_from_index: Some(nchunks), nd: Some(_) }) = parsed else { continue };
        let file = File::open_at(directory.join(file), offset).unwrap();
        let header = file.header();
        let geometry = *header.array().unwrap().unwrap().geometry();
        let grid = geometry.grid().unwrap();
        let nbytes = grid.nchunks() as i64 * grid.extchunknitems() * i64::from(header.typesize());
        if (grid.nchunks(), nbytes) == (nchunks, header.nbytes()) {
            agreed += 1;
        } else {
            let (chunks, bytes) = (grid.nchunks(), header.nbytes());
            differing.push(format!("{id}, {geometry:?}: {chunks} chunks of {nbytes} bytes, {nchunks} of {bytes} in the file"));
        }
    }
    println!("{}: {agreed} arrays agree, {} do not", directory.display(), differing.len());
    assert!(differing.is_empty(), "{differing:#?}");
    assert_ne!(agreed, 0);
}

#[test]
fn files_hold_the_chunks_and_bytes_of_the_grid() {
    check_corpus(Path::new("../../tests/data"));
    if let Some(directory) = std::env::var_os("B2ND_CORPUS") {
        check_corpus(Path::new(&directory));
    }
}
