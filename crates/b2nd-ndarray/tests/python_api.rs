//! Functions that reject wrong uses write correct files otherwise: python-blosc2 reads them in the interpreter that B2ND_PYTHON
//! names. See `python/api.py`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::process::Command;

use b2nd::{B2ndMeta, Geometry, Metalayer};
use b2nd_frame::{Chunk, ChunkEditor, CodecId, File, Header, Writer};
use b2nd_ndarray::{Array, ConcatOptions, Options, concat, write, write_from, write_slabs};
use ndarray::{Array2, Axis};
use serde::{Deserialize, Serialize};

/// A metalayer that Python reads as a dict.
#[derive(Serialize, Deserialize)]
struct Station {
    id: u8,
    name: String,
}

impl Metalayer for Station {
    const NAME: &'static str = "station";
    const NAMED: bool = true;
}

/// A metalayer that Python reads as a list.
#[derive(Serialize, Deserialize)]
struct Pair(u32, f64);

impl Metalayer for Pair {
    const NAME: &'static str = "pair";
}

#[test]
fn what_is_written_is_what_python_reads() {
    let Some(python) = std::env::var_os("B2ND_PYTHON") else { return };
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);

    let values = Array2::from_shape_fn((1000, 7), |(row, column)| (row * 7 + column) as f64);
    let options = Options { chunkshape: Some(vec![100, 4]), blockshape: Some(vec![10, 4]), ..Options::default() };
    write_slabs(path("write_slabs.b2nd"), &[1000, 7], values.axis_chunks_iter(Axis(0), 33), &options).unwrap();
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let meta = B2ndMeta::new(Geometry::new(&[1000, 7], &[100, 4], &[10, 4]).unwrap(), "<f8");
    write_from(path("write_from.b2nd"), &meta, bytes.as_slice(), &options).unwrap();
    for (name, at, recompress) in [("concat.b2nd", 300, false), ("recompressed.b2nd", 333, true)] {
        let (first, second) = values.view().split_at(Axis(0), at);
        write(path("first.b2nd"), &first, &Options { overwrite: true, ..options.clone() }).unwrap();
        write(path("second.b2nd"), &second, &Options { overwrite: true, ..options.clone() }).unwrap();
        let parts = ["first.b2nd", "second.b2nd"].map(|name| Array::open(path(name)).unwrap());
        concat(&parts, 0, path(name), &ConcatOptions { recompress, ..ConcatOptions::default() }).unwrap();
    }

    let elements = |first: i32, count: i32| (first..first + count).flat_map(i32::to_le_bytes).collect::<Vec<u8>>();
    let station = |id| Station { id, name: "K1".to_owned() };
    let header = |shape: &[i64], chunk: &[i32]| {
        let meta = B2ndMeta::of::<i32>(Geometry::new(shape, chunk, chunk).unwrap());
        Header::for_array(&meta).unwrap().with_codec(CodecId::Zstd).unwrap().with_level(9).unwrap()
    };
    let mut one = header(&[12], &[12]);
    one.metalayers_mut().set(&station(17)).unwrap();
    one.metalayers_mut().set(&Pair(7, 1.5)).unwrap();
    let mut writer = Writer::create(path("metadata.b2nd"), one).unwrap();
    writer.append(&Chunk::store(&elements(0, 12), 4).unwrap()).unwrap();
    writer.set_vlmetalayer("title", "North Sea").unwrap();
    writer.set_vlmetalayer("station", &station(17)).unwrap();
    writer.finish().unwrap();
    let mut editor = File::edit(path("metadata.b2nd")).unwrap();
    editor.overwrite_metalayer(&station(18)).unwrap();
    editor.set_vlmetalayer("unit", "m").unwrap();

    let mut writer = Writer::create(path("squeezed.b2nd"), header(&[1, 12], &[1, 4])).unwrap();
    (0..3).for_each(|at| writer.append(&Chunk::store(&elements(4 * at, 4), 4).unwrap()).unwrap());
    writer.finish().unwrap();
    let squeezed = B2ndMeta::of::<u32>(Geometry::new(&[12], &[4], &[4]).unwrap());
    File::edit(path("squeezed.b2nd")).unwrap().overwrite_metalayer(&squeezed).unwrap();

    let mut writer = Writer::create(path("committed.b2nd"), header(&[12], &[4])).unwrap();
    (0..3).for_each(|at| writer.append(&Chunk::store(&elements(4 * at, 4), 4).unwrap()).unwrap());
    writer.finish().unwrap();
    let mut editor = ChunkEditor::new(File::edit(path("committed.b2nd")).unwrap()).unwrap();
    let mut offsets: Vec<_> = editor.file().offsets().unwrap().iter().collect();
    offsets.swap(0, 1);
    offsets[2] = editor.put(&Chunk::store(&9_i32.to_le_bytes().repeat(4), 4).unwrap()).unwrap();
    let array = editor.file().header().array().unwrap().unwrap().into_owned();
    editor.commit(&array, &offsets).unwrap();

    let done = Command::new(python).args(["-B", "python/api.py"]).arg(directory.path()).status().unwrap();
    assert!(done.success());
}
