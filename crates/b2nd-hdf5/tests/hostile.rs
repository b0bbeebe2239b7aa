//! Damaged files cause no panics.
//!
//! `B2ND_MUTANTS=N` sets the number of mutants of each file, and `B2ND_LAST` a directory for the last mutant. If `B2ND_HDF5`
//! names a directory, copies of its files are changed too.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;

use b2nd_hdf5::File;
use b2nd_store::Folder;
use fastrand::Rng;

fn mutant(file: &[u8], numbers: &mut Rng) -> Vec<u8> {
    let mut bytes = file.to_vec();
    for _ in 0..=numbers.usize(..4) {
        let at = numbers.usize(..bytes.len());
        match numbers.usize(..8) {
            0 => bytes[at] ^= 1 << numbers.usize(..8),
            1 => bytes[at] = 0xff,
            2 => bytes[at] = 0,
            3 => bytes[at] = numbers.usize(..256) as u8,
            4 => bytes[at] = bytes[at].wrapping_add(1),
            5 => {
                let end = bytes.len().min(at + 1 + numbers.usize(..8));
                bytes[at..end].fill([0, 0xff, 0x7f][numbers.usize(..3)]);
            }
            6 => {
                let (from, length) = (numbers.usize(..bytes.len()), 1 + numbers.usize(..16));
                let (from, to) = (from..bytes.len().min(from + length), at);
                let part = bytes[from].to_vec();
                let end = bytes.len().min(to + part.len());
                bytes[to..end].copy_from_slice(&part[..end - to]);
            }
            _ => bytes.truncate(at.max(8)),
        }
    }
    bytes
}

/// Lists a file, and reads the elements at the start and at the end of each dataset. Returns the number of datasets that could be read.
fn read(bytes: Vec<u8>) -> usize {
    let Ok(file) = File::with_limit(Arc::new(bytes), 1 << 24) else { return 0 };
    let Ok(members) = file.files() else { return 0 };
    let mut read = 0;
    for member in members {
        if !member.ends_with(".b2nd") {
            let _ = file.member(&member);
            continue;
        }
        let Ok(array) = file.array(member.trim_end_matches(".b2nd")) else { continue };
        let first = array.geometry().shape().iter().map(|&length| 0..length.min(3)).collect::<Vec<_>>();
        let last = array.geometry().shape().iter().map(|&length| (length - 3).max(0)..length).collect::<Vec<_>>();
        read += usize::from(array.read_bytes(&first).is_ok() && array.read_bytes(&last).is_ok());
    }
    read
}

#[test]
fn changed_bytes_cause_no_panic() {
    let count = std::env::var("B2ND_MUTANTS").ok().and_then(|count| count.parse().ok()).unwrap_or(30);
    let mut directories = vec!["tests/data".into()];
    directories.extend(std::env::var_os("B2ND_HDF5").map(std::path::PathBuf::from));
    let (mut total, last) = (0, std::env::var_os("B2ND_LAST"));
    for directory in directories {
        let mut files: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|ending| ending == "h5"));
        files.sort();
        for path in files {
            let file = std::fs::read(&path).unwrap();
            let sound = read(file.clone());
            assert!(sound > 0, "{}", path.display());
            let (mut read_some, mut numbers) = (0, Rng::with_seed(total as u64));
            for number in 0..count {
                let changed = mutant(&file, &mut numbers);
                if let Some(directory) = &last {
                    std::fs::write(std::path::Path::new(directory).join("last.h5"), &changed).unwrap();
                }
                let result = std::panic::catch_unwind(|| read(changed));
                assert!(result.is_ok(), "mutant {number} of {}", path.display());
                read_some += usize::from(result.is_ok_and(|read| read > 0));
                total += 1;
            }
            println!("{}: {read_some} of {count} mutants could be read in part", path.display());
            assert!(read_some > 0);
        }
    }
    println!("{total} mutants");
}
