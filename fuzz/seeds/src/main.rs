//! Writes a starting corpus for most targets, from test files: `cargo run -p b2nd-seeds`, in `fuzz`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use b2nd_frame::{ChunkHeader, Header};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let data = here.join("../../tests/data");
    let mut seeds: BTreeMap<&str, Vec<Vec<u8>>> = BTreeMap::new();
    let mut add = |target, bytes: &[u8]| seeds.entry(target).or_default().push(bytes.to_vec());
    for path in files(&data)? {
        let bytes = fs::read(&path)?;
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("b2ndmeta") => add("array", &bytes),
            Some("chunk") => add("chunk", &bytes),
            Some("json") if path.parent().is_some_and(|parent| parent.ends_with("dtype")) => {
                for entry in serde_json::from_slice::<Vec<serde_json::Value>>(&bytes)? {
                    add("dtype", entry["s"].as_str().unwrap_or_default().as_bytes());
                }
            }
            _ => {}
        }
        let Ok(header) = Header::from_slice(&bytes) else { continue };
        add("header", &bytes[..header.header_len()]);
        let Some(frame) = bytes.get(..header.frame_len() as usize) else { continue };
        add("frame", frame);
        let tail = &frame[header.tail_range().start as usize..];
        add("trailer", tail);
        if let Ok(trailer) = b2nd_frame::Trailer::from_tail(tail) {
            add("trailer", &tail[tail.len() - trailer.trailer_len()..]);
            trailer.vlmetalayers().raw_chunks().iter().for_each(|(_, content)| add("chunk", content));
        }
        if let Some(index) = ChunkHeader::from_slice(tail).ok().and_then(|index| index_seed(&index, tail)) {
            add("index", &index);
        }
        let chunks = &frame[header.header_len()..];
        add("chunk", &chunks[..chunks.len().min(1000)]);
        for (name, content) in header.metalayers().iter() {
            add("value", content);
            if matches!(name, b"b2nd" | b"caterva") {
                add("array", content);
            }
        }
    }
    for path in files(&here.join("../../crates/b2nd-arrow/tests/data"))? {
        if path.extension().is_some_and(|extension| extension == "b2z") {
            add("table", &fs::read(&path)?);
        }
    }
    // These are streams from the tests `ipc` of b2nd-arrow.
    for path in files(&here.join("ipc"))? {
        add("ipc", &fs::read(&path)?);
    }
    for (target, seeds) in seeds {
        let directory = here.join("../corpus").join(target);
        fs::create_dir_all(&directory)?;
        for (number, seed) in seeds.iter().enumerate() {
            fs::write(directory.join(format!("seed-{number}")), seed)?;
        }
        println!("{target}: {} seeds", seeds.len());
    }
    Ok(())
}

/// Returns the input of the target `index`: the number of chunks minus 1, the number of offsets in a block minus 1, whether blocks are
/// not split, and the streams.
fn index_seed(index: &ChunkHeader, tail: &[u8]) -> Option<Vec<u8>> {
    let count = u16::try_from((index.nbytes() / 8).checked_sub(1)?).ok()?.to_le_bytes();
    let block = u8::try_from((index.blocksize() / 8).checked_sub(1)?).ok()?;
    let is_whole = u8::from(index.raw_flags() & 0x10 != 0);
    let streams = tail.get(index.header_len()..index.cbytes())?;
    Some([&[count[0], count[1], block, is_whole], streams].concat())
}

/// Returns all files below a directory, sorted by path.
fn files(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() { found.extend(files(&path)?) } else { found.push(path) }
    }
    found.sort();
    Ok(found)
}
