//! Both libraries change the same file in turns: C changes it, we read and change it, C reads it, and so on.

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use b2nd::{B2ndMeta, Geometry};
use b2nd_c_blosc2::{Array, Compression, Fill, SuperChunk, compress};
use b2nd_frame::{Chunk, File, Special, Writer, rewrite};
use common::{assert_agree, bytes, geometry, geometry_of, header, meta, to_chunks};
use fastrand::Rng;
use tempfile::TempDir;

const ITEMSIZE: usize = 4;

/// A file and its expected contents.
struct Game {
    rng: Rng,
    path: PathBuf,
    user: Vec<u8>,
    vlmetalayers: BTreeMap<Vec<u8>, Vec<u8>>,
    values: Vec<u8>,
    log: Vec<&'static str>,
}

impl Game {
    fn start(seed: u64, path: PathBuf) -> Game {
        let mut rng = Rng::with_seed(seed);
        let ndim = rng.usize(1..=3);
        let geometry = geometry(&mut rng, ndim);
        let values = bytes(&mut rng, geometry.shape().iter().product::<i64>() as usize * ITEMSIZE);
        let user = vec![1; rng.usize(1..900)];
        let contiguous = rng.bool();
        if rng.bool() {
            // `Array::create` writes no user metalayers, so a rewrite adds one.
            let (how, fill) = (Compression::default(), Fill::Values(&values));
            drop(Array::create(&path, contiguous, &meta(&geometry, "<i4"), ITEMSIZE, how, fill).unwrap());
            rewrite(&path, |metalayers| metalayers.insert("user", user.as_slice()).map(drop)).unwrap();
        } else {
            let mut header = header(&geometry, ITEMSIZE, "<i4");
            header.metalayers_mut().insert("user", user.as_slice()).unwrap();
            let chunks = to_chunks(&geometry, ITEMSIZE, &values);
            let chunks = chunks.iter().map(|data| Chunk::store(data, ITEMSIZE).unwrap());
            if contiguous {
                let mut writer = Writer::create(&path, header).unwrap();
                chunks.for_each(|chunk| writer.append(&chunk).unwrap());
                writer.finish().unwrap();
            } else {
                let mut writer = Writer::create_sparse(&path, header).unwrap();
                chunks.for_each(|chunk| writer.append(&chunk).unwrap());
                writer.finish().unwrap();
            }
        }
        Game { rng, path, user, vlmetalayers: BTreeMap::new(), values, log: Vec::new() }
    }

    /// Checks that both libraries read the expected contents.
    fn check(&mut self, step: &'static str) {
        self.log.push(step);
        let file = File::open(&self.path).unwrap();
        assert_eq!(file.header().metalayers().get("user"), Some(self.user.as_slice()), "{:?}", self.log);
        assert_eq!(file.trailer().unwrap().vlmetalayers().len(), self.vlmetalayers.len(), "{:?}", self.log);
        let values = std::panic::catch_unwind(|| assert_agree(&self.path)).unwrap_or_else(|_| panic!("{:?}", self.log));
        assert!(values.unwrap() == self.values, "{:?}", self.log);
        let theirs: BTreeMap<_, _> = SuperChunk::open(&self.path).unwrap().vlmetalayers().unwrap().into_iter().collect();
        assert!(theirs == self.vlmetalayers, "{:?}", self.log);
    }

    fn vlmetalayer(&mut self) -> (String, Vec<u8>) {
        let limit = [10, 200, 9_000][self.rng.usize(..3)];
        let length = self.rng.usize(..limit);
        (format!("layer {}", self.rng.u8(..6)), bytes(&mut self.rng, length))
    }

    fn change_with_c(&mut self) {
        let geometry = geometry_of(&self.path);
        let mut array = Array::open(&self.path).unwrap();
        let row = self.values.len() / geometry.shape()[0].max(1) as usize;
        let step = match self.rng.u8(..7) {
            0 => {
                let mut rows = self.rng.usize(1..=6);
                // If the values have the length of a chunk, this version of C-Blosc2 may append them as a chunk, even if the last
                // chunk is not full. The values are then in the wrong position.
                if rows * row == array.chunksize() {
                    rows += 1;
                }
                let new = bytes(&mut self.rng, rows * row);
                array.append(&new, 0).unwrap();
                self.values.extend(new);
                "C appends rows"
            }
            1 => {
                let shape: Vec<i64> =
                    geometry.shape().iter().map(|&length| (length + self.rng.i64(-4..=4)).clamp(1, 60)).collect();
                array.resize(&shape).unwrap();
                // New elements can come from the padding, whose values C does not define.
                self.values = array.values().unwrap();
                "C resizes"
            }
            2 => {
                let stop = self.rng.usize(1..=geometry.shape()[0] as usize);
                let start = self.rng.usize(..stop);
                let new = bytes(&mut self.rng, (stop - start) * row);
                let (mut from, mut to) = (vec![0; geometry.ndim()], geometry.shape().to_vec());
                (from[0], to[0]) = (start as i64, stop as i64);
                array.set_slice(&from, &to, &new).unwrap();
                self.values[start * row..stop * row].copy_from_slice(&new);
                "C overwrites rows"
            }
            3 | 4 => {
                let (name, value) = self.vlmetalayer();
                array.set_vlmetalayer(&name, &value).unwrap();
                self.vlmetalayers.insert(name.into(), value);
                "C sets a vlmetalayer"
            }
            5 => {
                let name = self.vlmetalayer().0;
                if self.vlmetalayers.remove(name.as_bytes()).is_some() {
                    array.delete_vlmetalayer(&name).unwrap();
                }
                "C deletes a vlmetalayer"
            }
            _ => {
                self.user.fill(self.rng.u8(..));
                array.update_metalayer("user", &self.user).unwrap();
                "C updates a metalayer"
            }
        };
        drop(array);
        self.check(step);
    }

    fn change_with_ours(&mut self) {
        let geometry = geometry_of(&self.path);
        let mut file = File::edit(&self.path).unwrap();
        let step = match self.rng.u8(..6) {
            0 => {
                let dtype = if self.rng.bool() { "<u4" } else { "<f4" };
                file.overwrite_metalayer(&B2ndMeta::new(geometry, dtype)).unwrap();
                "we set the array's metalayer"
            }
            1 => {
                self.user.fill(self.rng.u8(..));
                file.overwrite_metalayer_bytes("user", &self.user).unwrap();
                "we set a metalayer"
            }
            2 | 3 => {
                let (name, value) = self.vlmetalayer();
                file.set_vlmetalayer_bytes(&name, &value).unwrap();
                self.vlmetalayers.insert(name.into(), value);
                "we set a vlmetalayer"
            }
            4 => {
                let name = self.vlmetalayer().0;
                let removed = file.remove_vlmetalayer(&name).unwrap();
                assert_eq!(removed, self.vlmetalayers.remove(name.as_bytes()).is_some());
                "we remove a vlmetalayer"
            }
            _ => {
                self.user = vec![2; self.rng.usize(1..900)];
                let user = self.user.as_slice();
                file.rewrite(|metalayers| metalayers.insert("user", user).map(drop)).unwrap();
                "we rewrite the frame"
            }
        };
        self.check(step);
    }
}

#[test]
fn changes_in_turn() {
    let dir = TempDir::new().unwrap();
    let games = std::env::var("B2ND_GAMES").map_or(60, |games| games.parse().expect("B2ND_GAMES is a number"));
    for seed in 0..games {
        let mut game = Game::start(seed, dir.path().join(seed.to_string()));
        game.check("start");
        for _ in 0..8 {
            game.change_with_c();
            game.change_with_ours();
        }
    }
}

/// C inserts, updates and deletes chunks, which leaves them out of order, with gaps, and with different lengths than before.
#[test]
fn chunks_inserted_updated_and_deleted() {
    let dir = TempDir::new().unwrap();
    for contiguous in [true, false] {
        let mut rng = Rng::with_seed(7);
        let path = dir.path().join(contiguous.to_string());
        let mut theirs = SuperChunk::create(&path, contiguous, 4, Compression::default()).unwrap();
        theirs.add_metalayer("user", b"of a plain frame").unwrap();
        let mut model: Vec<Vec<u8>> = Vec::new();
        for _ in 0..5 {
            let data = bytes(&mut rng, 400);
            theirs.append(&data).unwrap();
            model.push(data);
        }
        drop(theirs);
        for round in 0..60 {
            let mut theirs = SuperChunk::open(&path).unwrap();
            let data = if rng.u8(..4) == 0 { vec![0; 400] } else { bytes(&mut rng, 400) };
            let chunk = compress(&data, 4, 0, Compression { level: rng.u8(..=9), ..Default::default() }).unwrap();
            let number = rng.usize(..model.len());
            match rng.u8(..3) {
                0 => {
                    theirs.insert_chunk(number, &chunk).unwrap();
                    model.insert(number, data);
                }
                1 if model.len() > 1 => {
                    theirs.delete_chunk(number).unwrap();
                    model.remove(number);
                }
                _ => {
                    theirs.update_chunk(number, &chunk).unwrap();
                    model[number] = data;
                }
            }
            drop(theirs);
            assert_eq!(assert_agree(&path), None);
            let mut file = File::edit(&path).unwrap();
            for (number, data) in (0..).zip(&model) {
                assert!(file.file().chunk(number).unwrap().data().unwrap() == *data, "round {round}");
            }
            file.set_vlmetalayer_bytes("round", &[round]).unwrap();
            if round % 10 == 9 {
                file.rewrite(|_| Ok(())).unwrap();
            }
            assert_eq!(assert_agree(&path), None);
        }
    }
}

/// Arrays with each kind of filling that C has are copied chunk by chunk.
#[test]
fn arrays_of_c_copied_chunk_by_chunk() {
    let dir = TempDir::new().unwrap();
    let mut rng = Rng::with_seed(8);
    let geometry = Geometry::new(&[10, 9], &[4, 5], &[2, 3]).unwrap();
    let values = bytes(&mut rng, 10 * 9 * 8);
    let element = 1.5f64.to_le_bytes();
    let fills = [Fill::Values(&values), Fill::Element(&element), Fill::Zeros, Fill::Nan, Fill::Uninitialized];
    for (number, fill) in fills.into_iter().enumerate() {
        let path = dir.path().join(number.to_string());
        let contiguous = number % 2 == 0;
        drop(Array::create(&path, contiguous, &meta(&geometry, "<f8"), 8, Compression::default(), fill).unwrap());
        let read = assert_agree(&path);
        let file = File::open(&path).unwrap();
        let copy = dir.path().join(format!("copy of {number}"));
        let mut writer = Writer::create(&copy, file.header().clone()).unwrap();
        for number in 0..file.offsets().unwrap().len() {
            let chunk = file.chunk(number).unwrap();
            assert!(chunk.header().special() != Some(Special::Value) || chunk.value() == Some(&element));
            writer.append(&chunk).unwrap();
        }
        writer.finish().unwrap();
        assert_eq!(assert_agree(&copy), read);
        match number {
            0 => assert!(read.unwrap() == values),
            1 => assert!(read.unwrap() == element.repeat(90)),
            2 => assert!(read.unwrap() == [0; 720]),
            3 => assert!(read.unwrap() == f64::NAN.to_le_bytes().repeat(90)),
            _ => assert_eq!(read, None),
        }
    }
}

/// An array is resized to no elements, and then grown again.
#[test]
fn arrays_emptied_and_filled_again() {
    let dir = TempDir::new().unwrap();
    for contiguous in [true, false] {
        let path: &Path = &dir.path().join(contiguous.to_string());
        let geometry = Geometry::new(&[9, 4], &[2, 3], &[2, 2]).unwrap();
        let (how, fill) = (Compression::default(), Fill::Values(&[3; 9 * 4 * 2]));
        drop(Array::create(path, contiguous, &meta(&geometry, "<i2"), 2, how, fill).unwrap());
        for round in 0..3 {
            Array::open(path).unwrap().resize(&[0, 4]).unwrap();
            assert_eq!(assert_agree(path).unwrap(), b"");
            let mut file = File::edit(path).unwrap();
            file.set_vlmetalayer_bytes("round", &[round; 200]).unwrap();
            assert_eq!(assert_agree(path).unwrap(), b"");
            file.rewrite(|metalayers| metalayers.insert("user", vec![1; 3]).map(drop)).unwrap();
            assert_eq!(assert_agree(path).unwrap(), b"");

            let mut array = Array::open(path).unwrap();
            array.resize(&[5, 4]).unwrap();
            array.set_slice(&[0, 0], &[5, 4], &[round; 40]).unwrap();
            drop(array);
            assert!(assert_agree(path).unwrap() == [round; 40]);
        }
    }
}

/// A squeeze makes the metalayer shorter, so the end of the old one remains after the new one.
#[test]
fn arrays_squeezed() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("squeezed");
    let geometry = Geometry::new(&[1, 6, 1, 5], &[1, 4, 1, 2], &[1, 2, 1, 2]).unwrap();
    let values: Vec<u8> = (0..30).collect();
    let (how, fill) = (Compression::default(), Fill::Values(&values));
    let mut array = Array::create(&path, true, &meta(&geometry, "|u1"), 1, how, fill).unwrap();
    array.squeeze().unwrap();
    drop(array);
    assert_eq!(geometry_of(&path), Geometry::new(&[6, 5], &[4, 2], &[2, 2]).unwrap());
    let before = b2nd::to_vec(&B2ndMeta::new(geometry, "|u1")).unwrap();
    assert_eq!(File::open(&path).unwrap().header().metalayers().get("b2nd").unwrap().len(), before.len());
    assert!(assert_agree(&path).unwrap() == values);
}
