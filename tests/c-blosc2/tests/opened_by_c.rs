//! Files that we write and C opens: shapes, metalayers, variable-length metalayers and values.

mod common;

use b2nd::{B2ndMeta, Geometry};
use b2nd_c_blosc2::{Array, Compression, SuperChunk, compress};
use b2nd_frame::{Chunk, File, Header, Sizes, Special, Target, Writer};
use common::{assert_agree, bytes, geometry, header, meta, to_chunks};
use fastrand::Rng;
use tempfile::TempDir;

fn fill<T: Target>(writer: &mut Writer<T>, chunks: &[Vec<u8>], itemsize: usize, blocksize: usize, rng: &mut Rng) {
    for data in chunks {
        let chunk = match rng.u8(..3) {
            0 => compress(data, itemsize, blocksize, Compression::default()).unwrap(),
            _ => Chunk::store(data, itemsize).unwrap().into_bytes(),
        };
        writer.append(&Chunk::from_slice(&chunk).unwrap()).unwrap();
    }
    writer.set_vlmetalayer_bytes("title", b"North Sea").unwrap();
    writer.set_vlmetalayer_bytes("nothing", b"").unwrap();
}

#[test]
fn written_arrays_of_any_rank() {
    let dir = TempDir::new().unwrap();
    let mut rng = Rng::with_seed(3);
    for case in 0..72 {
        let geometry = geometry(&mut rng, case % 9);
        // This version of C-Blosc2 cannot copy elements of more than 255 bytes.
        let itemsize = [1, 2, 4, 8, 12, 255][rng.usize(..6)];
        let dtype = format!("|V{itemsize}");
        let values = bytes(&mut rng, geometry.shape().iter().product::<i64>() as usize * itemsize);
        let chunks = to_chunks(&geometry, itemsize, &values);
        let mut header = header(&geometry, itemsize, &dtype);
        let blocksize = header.blocksize() as usize;
        let user = bytes(&mut rng, case);
        header.metalayers_mut().insert("user", user.as_slice()).unwrap();

        let (file, sparse) = (dir.path().join(format!("{case}.b2nd")), dir.path().join(format!("{case}.b2sd")));
        let mut writer = Writer::create(&file, header.clone()).unwrap();
        fill(&mut writer, &chunks, itemsize, blocksize, &mut rng.clone());
        writer.finish().unwrap();
        let mut writer = Writer::new(header.clone());
        fill(&mut writer, &chunks, itemsize, blocksize, &mut rng.clone());
        assert_eq!(writer.finish().unwrap(), std::fs::read(&file).unwrap());
        let mut writer = Writer::create_sparse(&sparse, header).unwrap();
        fill(&mut writer, &chunks, itemsize, blocksize, &mut rng);
        writer.finish().unwrap();

        for path in [&file, &sparse] {
            assert!(assert_agree(path).unwrap() == values, "{geometry:?}");
            let array = Array::open(path).unwrap();
            assert_eq!(array.meta(), meta(&geometry, &dtype));
            assert_eq!(array.metalayers()[1], (b"user".to_vec(), user.clone()));
            let vlmetalayers = [("title", "North Sea"), ("nothing", "")].map(|(name, value)| (name.into(), value.into()));
            assert_eq!(array.vlmetalayers().unwrap(), vlmetalayers);
        }
    }
}

#[test]
fn special_chunks() {
    let dir = TempDir::new().unwrap();
    let geometry = Geometry::new(&[10, 7], &[4, 3], &[2, 3]).unwrap();
    for (itemsize, special) in
        [(1, Special::Zeros), (4, Special::Nan), (8, Special::Nan), (8, Special::Zeros), (4, Special::Uninitialized)]
    {
        let header = header(&geometry, itemsize, &format!("|V{itemsize}"));
        let nbytes = header.chunksize() as usize;
        let path = dir.path().join(format!("{special}-{itemsize}.b2nd"));
        let mut writer = Writer::create(&path, header.clone()).unwrap();
        let sparse = path.with_extension("b2sd");
        let mut sparse_writer = Writer::create_sparse(&sparse, header).unwrap();
        for number in 0..9 {
            let chunk = match number % 3 {
                0 => Chunk::special(special, nbytes, itemsize).unwrap(),
                1 => Chunk::store(&vec![number; nbytes], itemsize).unwrap(),
                _ => {
                    writer.append_special(special, nbytes).unwrap();
                    sparse_writer.append_special(special, nbytes).unwrap();
                    continue;
                }
            };
            writer.append(&chunk).unwrap();
            sparse_writer.append(&chunk).unwrap();
        }
        writer.finish().unwrap();
        sparse_writer.finish().unwrap();
        assert_eq!(assert_agree(&path).is_none(), special == Special::Uninitialized);
        assert_eq!(assert_agree(&path), assert_agree(&sparse));
    }
}

#[test]
fn arrays_of_special_chunks_alone() {
    let dir = TempDir::new().unwrap();
    for (number, nchunks) in [1, 2, 100].into_iter().enumerate() {
        let geometry = Geometry::new(&[nchunks * 5], &[5], &[3]).unwrap();
        let header = header(&geometry, 4, "<f4");
        for special in [Special::Zeros, Special::Nan] {
            let path = dir.path().join(format!("{special}-{number}"));
            let mut writer = Writer::create_sparse(&path, header.clone()).unwrap();
            for _ in 0..nchunks {
                writer.append_special(special, header.chunksize() as usize).unwrap();
            }
            writer.finish().unwrap();
            let element = if special == Special::Nan { f32::NAN } else { 0.0 };
            assert_eq!(assert_agree(&path).unwrap(), element.to_le_bytes().repeat(nchunks as usize * 5));
        }
    }
}

#[test]
fn empty_arrays() {
    let dir = TempDir::new().unwrap();
    let cases: [(&[i64], &[i32]); 4] = [(&[0], &[1]), (&[0, 5], &[1, 5]), (&[3, 0, 2], &[3, 4, 2]), (&[0, 0], &[7, 1])];
    for (number, (shape, parts)) in cases.into_iter().enumerate() {
        let geometry = Geometry::new(shape, parts, parts).unwrap();
        let header = header(&geometry, 8, "<f8");
        let (file, sparse) = (dir.path().join(format!("{number}.b2nd")), dir.path().join(format!("{number}.b2sd")));
        Writer::create(&file, header.clone()).unwrap().finish().unwrap();
        let mut writer = Writer::create_sparse(&sparse, header).unwrap();
        writer.set_vlmetalayer_bytes("title", b"empty").unwrap();
        writer.finish().unwrap();
        for path in [file, sparse] {
            assert_eq!(assert_agree(&path).unwrap(), b"");
            let mut edited = File::edit(&path).unwrap();
            edited.set_vlmetalayer_bytes("more", &[7; 1000]).unwrap();
            edited.overwrite_metalayer(&B2ndMeta::new(geometry, "<i8")).unwrap();
            assert_agree(&path);
            edited.remove_vlmetalayer("more").unwrap();
            assert_agree(&path);
            assert_eq!(Array::open(&path).unwrap().meta(), meta(&geometry, "<i8"));
        }
    }
}

#[test]
fn frames_that_hold_no_array() {
    let dir = TempDir::new().unwrap();
    let mut rng = Rng::with_seed(4);
    for (number, blocksize) in [0, 100, 1000].into_iter().enumerate() {
        let path = dir.path().join(number.to_string());
        let mut writer =
            Writer::create(&path, Header::new(Sizes { typesize: 300, chunksize: 1000, blocksize }).unwrap()).unwrap();
        let data = bytes(&mut rng, 3_210);
        for chunk in data.chunks(1000) {
            writer.append(&Chunk::store(chunk, 300).unwrap()).unwrap();
        }
        writer.finish().unwrap();
        assert_eq!(assert_agree(&path), None);
        let theirs = SuperChunk::open(&path).unwrap();
        let read: Vec<u8> = (0..4).flat_map(|number| theirs.chunk_data(number, 1000).unwrap()).collect();
        assert!(read == data);
    }
}

#[test]
fn edits_and_rewrites() {
    let dir = TempDir::new().unwrap();
    let mut rng = Rng::with_seed(5);
    for case in 0..18 {
        let geometry = geometry(&mut rng, case % 9);
        let values = bytes(&mut rng, geometry.shape().iter().product::<i64>() as usize * 2);
        let mut header = header(&geometry, 2, "<i2");
        header.metalayers_mut().insert("user", [1; 600]).unwrap();
        let path = dir.path().join(case.to_string());
        let (chunks, blocksize) = (to_chunks(&geometry, 2, &values), header.blocksize() as usize);
        if case < 9 {
            let mut writer = Writer::create(&path, header).unwrap();
            fill(&mut writer, &chunks, 2, blocksize, &mut rng);
            writer.finish().unwrap();
        } else {
            let mut writer = Writer::create_sparse(&path, header).unwrap();
            fill(&mut writer, &chunks, 2, blocksize, &mut rng);
            writer.finish().unwrap();
        }

        let mut file = File::edit(&path).unwrap();
        file.overwrite_metalayer(&B2ndMeta::new(geometry, "<u2")).unwrap();
        file.overwrite_metalayer_bytes("user", &[2; 600]).unwrap();
        assert!(file.overwrite_metalayer_bytes("user", b"shorter").is_err(), "what follows the value is an error for Python");
        let long = bytes(&mut rng, 10_000);
        file.set_vlmetalayer_bytes("long", &long).unwrap();
        file.set_vlmetalayer_bytes("title", b"Baltic Sea").unwrap();
        assert!(file.remove_vlmetalayer("nothing").unwrap());
        drop(file);
        assert!(assert_agree(&path).unwrap() == values);
        let array = Array::open(&path).unwrap();
        assert_eq!(array.meta(), meta(&geometry, "<u2"));
        assert_eq!(array.metalayers()[1].1, [2; 600]);
        assert_eq!(array.vlmetalayers().unwrap(), [("title".into(), b"Baltic Sea".to_vec()), ("long".into(), long)]);

        let target = if case % 2 == 0 { path.clone() } else { dir.path().join(format!("{case}.rewritten")) };
        b2nd_frame::rewrite_to(&path, &target, |metalayers| {
            metalayers.remove("user");
            metalayers.set(&B2ndMeta::new(geometry, "[('a dtype', '<i1'), ('of another length', '<i1')]"))?;
            (2..=16).try_for_each(|number| metalayers.insert(&format!("layer {number}"), vec![0; number]).map(drop))
        })
        .unwrap();
        assert!(assert_agree(&target).unwrap() == values);
        assert_eq!(Array::open(&target).unwrap().metalayers().len(), 16);
        let mut file = File::edit(&target).unwrap();
        assert!(file.remove_vlmetalayer("title").unwrap() && file.remove_vlmetalayer("long").unwrap());
        assert!(assert_agree(&target).unwrap() == values);
    }
}

/// One block of an index holds 2,048 offsets.
#[test]
fn written_indexes_of_several_blocks() {
    let mut rng = Rng::with_seed(5);
    for nchunks in [1, 10, 300, 2048, 2049, 5001u64] {
        let mut writer = Writer::new(Header::new(Sizes { typesize: 8, chunksize: 8, blocksize: 8 }).unwrap());
        let mut values: Vec<u64> = Vec::new();
        for number in 0..nchunks {
            if rng.u8(..4) == 0 {
                values.push(0);
                writer.append_special(Special::Zeros, 8).unwrap();
            } else {
                values.push(number);
                writer.append(&Chunk::store(&number.to_le_bytes(), 8).unwrap()).unwrap();
            }
        }
        let mut super_chunk = SuperChunk::from_frame(&writer.finish().unwrap()).unwrap();
        let read = |super_chunk: &SuperChunk, number| super_chunk.chunk_data(number, 8).unwrap();
        for (number, value) in (0..).zip(&values) {
            assert_eq!(read(&super_chunk, number), value.to_le_bytes(), "chunk {number} of {nchunks}");
        }
        super_chunk.append(&7u64.to_le_bytes()).unwrap();
        assert_eq!(super_chunk.nchunks() as u64, nchunks + 1);
        assert_eq!(read(&super_chunk, nchunks), 7u64.to_le_bytes());
        assert_eq!(read(&super_chunk, nchunks - 1), values[nchunks as usize - 1].to_le_bytes());
    }
}
