//! Compares the data of chunks in real files with what blosc2-pure-rs decodes: the files in `tests/data`, and those in the
//! directory that B2ND_CORPUS names.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use b2nd_codec::{Blocks, Decompressor};
use b2nd_frame::{Chunk, File, FileSource, Frame};
use blosc2_pure_rs::compress::{DParams, decompress_chunk_into_with_dparams};

#[test]
fn chunks_of_tests_data_hold_what_blosc2_pure_rs_reads() {
    let tally = Tally::of(Path::new("../../tests/data"));
    assert_eq!((tally.equal, tally.refused.len()), (108, 0), "{tally:?}");
    assert!(tally.fronts > 50, "{tally:?}");
}

#[test]
fn chunks_of_the_corpus_hold_what_blosc2_pure_rs_reads() {
    if let Some(corpus) = std::env::var_os("B2ND_CORPUS") {
        Tally::of(Path::new(&corpus));
    }
}

#[derive(Default, Debug)]
struct Tally {
    equal: usize,
    codecs: BTreeMap<String, usize>,
    refused: BTreeMap<String, usize>,
    fronts: usize,
}

impl Tally {
    fn of(directory: &Path) -> Tally {
        let mut tally = Tally::default();
        let mut paths = vec![directory.to_path_buf()];
        while let Some(path) = paths.pop() {
            if path.is_dir() {
                paths.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
                if path.join("chunks.b2frame").exists() {
                    tally.frame(&path, 0);
                }
                continue;
            }
            let bytes = fs::read(&path).unwrap();
            // Reads every frame in the file, even if the file itself has another format.
            for offset in memchr(&bytes, b"\xa8b2frame\0") {
                tally.frame(&path, (offset - 1) as u64);
            }
        }
        let _ = writeln!(std::io::stderr(), "{}: {tally:#?}", directory.display());
        tally
    }

    fn frame(&mut self, path: &PathBuf, offset: u64) {
        let Ok(file) = File::open_at(path, offset) else { return };
        let metalayer = file.header().array().ok().flatten().and_then(|meta| b2nd::to_vec(&meta.upgrade(Some("|u1")).ok()?).ok());
        if let Ok(offsets) = file.offsets() {
            for number in 0..offsets.len() {
                if let Ok(chunk) = file.chunk(number) {
                    self.chunk(&chunk, metalayer.as_deref(), path);
                    self.front(&chunk, number, path, offset);
                }
            }
        }
        if let Ok(trailer) = file.trailer() {
            for (_, content) in trailer.vlmetalayers().raw_chunks().iter() {
                if let Ok(chunk) = Chunk::from_slice(content) {
                    self.chunk(&chunk, None, path);
                }
            }
        }
    }

    /// Checks that the front that is read of a chunk ends where its first block starts.
    fn front(&mut self, chunk: &Chunk<'_>, number: u64, path: &Path, offset: u64) {
        let (Ok(blocks), false) = (Blocks::new(chunk.bytes()), path.is_dir()) else { return };
        let frame = Frame::open_at(FileSource::open(path).unwrap(), offset).unwrap();
        let reader = frame.chunk_reader(number, 0).unwrap();
        let front = reader.read_block_table().unwrap();
        assert!(front[..] == chunk.bytes()[..front.len()], "{}", path.display());
        let first = (0..blocks.count()).map(|block| blocks.range(block).unwrap().start).min().unwrap();
        assert_eq!(front.len(), first, "{}", path.display());
        self.fronts += 1;
    }

    fn chunk(&mut self, chunk: &Chunk<'_>, metalayer: Option<&[u8]>, path: &Path) {
        let header = chunk.header();
        if header.is_stored() || header.special().is_some() || header.nbytes() > 64 << 20 {
            return;
        }
        let mut ours = vec![0; header.nbytes()];
        if let Err(error) = Decompressor::new().with_metalayer(metalayer.unwrap_or_default()).chunk(chunk.bytes(), &mut ours) {
            *self.refused.entry(error.to_string()).or_default() += 1;
            return;
        }
        let mut theirs = vec![0; header.nbytes()];
        let params = DParams { b2nd_metalayer: metalayer.map(<[u8]>::to_vec), ..DParams::default() };
        match decompress_chunk_into_with_dparams(chunk.bytes(), &mut theirs, &params) {
            Err(error) => *self.refused.entry(format!("{}: they: {error}", path.display())).or_default() += 1,
            Ok(_) => {
                assert!(ours == theirs, "{}: {header:?}", path.display());
                let filters: Vec<_> = header.filters().map(|(filter, meta)| format!("{filter} {meta}")).collect();
                let dictionary = if header.has_dictionary() { " with a dictionary" } else { "" };
                let name = format!("version {} {}{dictionary} after {}", header.version(), header.codec(), filters.join(", "));
                *self.codecs.entry(name).or_default() += 1;
                self.equal += 1;
            }
        }
        each_block(chunk, &ours);
    }
}

/// Decodes single blocks in reverse order, each from its own bytes only.
fn each_block(chunk: &Chunk<'_>, data: &[u8]) {
    let Ok(blocks) = Blocks::new(chunk.bytes()) else { return };
    let front = match Blocks::new(&chunk.bytes()[..Blocks::front_len(chunk.header())]) {
        Ok(blocks) => blocks,
        Err(error) => {
            assert!(chunk.header().has_dictionary(), "{error}");
            Blocks::new(&chunk.bytes()[..Blocks::front_len(chunk.header()) + error.needed().unwrap()]).unwrap()
        }
    };
    if blocks.are_variable() || b2nd_codec::accept(chunk.header()).is_err() {
        return;
    }
    let mut decompressor = Decompressor::new();
    let first = &data[..blocks.data_len(0).unwrap()];
    for number in (0..blocks.count()).rev() {
        let range = blocks.range(number).unwrap();
        assert_eq!(front.range(number).unwrap(), range);
        let mut block = vec![0; blocks.data_len(number).unwrap()];
        let reference = (number > 0).then_some(first);
        if decompressor.block(&front, &chunk.bytes()[range], reference, &mut block).is_err() {
            return;
        }
        assert!(block == data[number * chunk.header().blocksize()..][..block.len()], "block {number}");
    }
}

fn memchr(bytes: &[u8], needle: &[u8]) -> Vec<usize> {
    bytes.windows(needle.len()).enumerate().filter(|(_, window)| *window == needle).map(|(at, _)| at).collect()
}
