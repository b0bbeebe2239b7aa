//! Frames in files and directories: opening, editing, rewriting and writing them, and their state after crashes.
// `testing::replace_storage` exists only in debug builds.
#![cfg(all(feature = "std", debug_assertions))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

#[path = "../common/mod.rs"]
mod common;

#[cfg(unix)]
mod attributes;
mod chunks;
mod edit;
mod faults;
mod files;
mod locks;
mod rewrites;
mod sequences;
mod writer;

use std::fs;
use std::path::{Path, PathBuf};

use b2nd_frame::Metalayers;
use common::message;
use common::scratch::Scratch;

/// Writes a file with these bytes.
fn file(scratch: &Scratch, bytes: &[u8]) -> PathBuf {
    let path = scratch.join("f.b2nd");
    fs::write(&path, bytes).unwrap();
    path
}

/// The frames in `tests/data` that have their own file or directory.
fn real_frames() -> Vec<PathBuf> {
    let own = |path: &PathBuf| path.starts_with("../../tests/data");
    common::manifest::frames().into_iter().filter(|entry| entry.offset == 0).map(|entry| entry.path).filter(own).collect()
}

fn change(metalayers: &mut Metalayers) -> b2nd_frame::Result<()> {
    // If a frame has both names, removing one could leave an array that cannot be read.
    let is_only_one = ["b2nd", "caterva"].iter().any(|name| metalayers.get(name).is_none());
    let first = metalayers.iter().next().and_then(|(name, _)| core::str::from_utf8(name).ok()).filter(|_| is_only_one);
    let first = first.map(str::to_owned);
    if let Some(content) = first.and_then(|first| metalayers.remove(&first)) {
        metalayers.insert("renamed", [content.as_slice(), b"longer"].concat())?;
    }
    if metalayers.len() < 16 {
        metalayers.insert("added", [5; 1000])?;
    }
    Ok(())
}

/// The error of an edit without the path in front of it.
#[track_caller]
fn refusal<T: std::fmt::Debug>(path: &Path, result: b2nd_frame::Result<T>) -> String {
    let message = message(result);
    message.strip_prefix(&format!("{}: ", path.display())).unwrap_or_else(|| panic!("{message}")).to_owned()
}
