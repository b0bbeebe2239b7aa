//! Frames with a changed byte, and a directory of malformed frames: each is rejected, or its header is written back unchanged.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::frames::{TRAILER, read_memory, small};
use crate::common::{Hex, report};
use b2nd_frame::{Chunk, File, Frame, Header, Trailer};

#[test]
fn a_changed_byte_is_refused_or_kept() {
    let good = small();
    let (mut refusals, mut kept) = (0, 0);
    for at in 0..good.len() {
        for change in 1..=255 {
            let mut bytes = good.clone();
            bytes[at] ^= change;
            match Frame::from_slice(&bytes) {
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    refusals += 1;
                }
                Ok(frame) => {
                    // A wrong frame_len or trailer_len is rejected, so header and trailer are in the same place as before.
                    assert_eq!(Hex(&b2nd::to_vec(frame.header()).unwrap()), Hex(&bytes[..128]), "byte {at} ^ {change:#x}");
                    assert_eq!(
                        Hex(&b2nd::to_vec(frame.trailer().unwrap()).unwrap()),
                        Hex(&bytes[TRAILER..]),
                        "byte {at} ^ {change:#x}"
                    );
                    let _ = read_memory(&bytes);
                    kept += 1;
                }
            }
        }
    }
    println!("{refusals} refused, {kept} kept");
    assert!(refusals > 10_000 && kept > 10_000);
}

/// Reads the header, the trailer, the index and up to 50 chunks. Nothing may panic.
fn read_everything(path: &Path) -> b2nd_frame::Result<()> {
    if let Ok(bytes) = fs::read(path) {
        if let Ok(header) = Header::from_slice(&bytes) {
            assert_eq!(Hex(&b2nd::to_vec(&header).unwrap()), Hex(&bytes[..header.header_len()]), "{}", path.display());
        }
        let _ = Trailer::from_tail(&bytes);
        let _ = read_memory(&bytes);
    }
    let file = File::open(path)?;
    let array = file.header().array().map(|_| ());
    let trailer = file.trailer()?;
    for (_, content) in trailer.vlmetalayers().raw_chunks().iter() {
        read_data(&Chunk::from_slice(content)?)?;
    }
    let count = file.offsets()?.len();
    for number in 0..count.min(50) {
        read_data(&file.chunk(number)?)?;
    }
    array
}

fn read_data(chunk: &Chunk) -> b2nd_frame::Result<()> {
    if chunk.header().nbytes() < 1 << 20 && (chunk.header().is_stored() || chunk.header().special().is_some()) {
        assert_eq!(chunk.data()?.len(), chunk.header().nbytes());
    }
    Ok(())
}

#[test]
fn malformed_files_are_errors_and_nothing_else() {
    let Some(root) = env::var_os("B2ND_MALFORMED").map(PathBuf::from) else {
        return report("B2ND_MALFORMED names no directory: no malformed files but those that the tests make are checked");
    };
    let (mut good, mut bad) = (0, 0);
    for directory in ["frame", "metalayer_in_frame"] {
        for entry in fs::read_dir(root.join(directory)).unwrap() {
            let path = entry.unwrap().path();
            match read_everything(&path) {
                Ok(()) => good += 1,
                Err(error) => {
                    println!("{}: {error}", path.display());
                    bad += 1;
                }
            }
        }
    }
    println!("{good} read, {bad} refused");
    assert!(good > 50 && bad > 200);
}
