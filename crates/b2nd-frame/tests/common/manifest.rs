//! The frames in manifests: those in `tests/data`, and those in the directory that B2ND_CORPUS names.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use b2nd_frame::File;
use serde_json::Value;

/// A frame and the facts about it in a manifest.
pub struct Entry {
    pub id: String,
    pub path: PathBuf,
    pub offset: u64,
    pub sparse: bool,
    /// The values that another reader found in the bytes.
    pub parsed: Value,
    /// The values that the API of the writer returned.
    pub api: Value,
}

impl Entry {
    /// The path of the file with the frame; `chunks.b2frame` for a sparse frame.
    pub fn frame_path(&self) -> PathBuf {
        if self.sparse { self.path.join("chunks.b2frame") } else { self.path.clone() }
    }

    /// The frame's bytes, and those that follow it in the file.
    pub fn bytes(&self) -> Vec<u8> {
        let bytes = fs::read(self.frame_path()).unwrap();
        bytes[self.offset as usize..].to_vec()
    }

    #[track_caller]
    pub fn open(&self) -> File {
        File::open_at(&self.path, self.offset).unwrap_or_else(|error| panic!("{}: {error}", self.id))
    }
}

/// Every complete frame of version 2 or 3 in the manifests.
pub fn frames() -> Vec<Entry> {
    let mut directories = vec![PathBuf::from("../../tests/data")];
    directories.extend(env::var_os("B2ND_CORPUS").map(PathBuf::from));
    directories.iter().flat_map(|directory| read(directory)).collect()
}

/// The frame in `tests/data` with this id.
#[track_caller]
pub fn frame(id: &str) -> Entry {
    let found = read(Path::new("../../tests/data")).into_iter().find(|entry| entry.id == id);
    found.unwrap_or_else(|| panic!("{id} is not in the manifest"))
}

fn read(directory: &Path) -> Vec<Entry> {
    let manifest = directory.join("manifest.json");
    let text = fs::read_to_string(&manifest).unwrap_or_else(|error| panic!("{}: {error}", manifest.display()));
    let Value::Array(entries) = serde_json::from_str(&text).unwrap() else { panic!("the manifest is no list") };
    let entries = entries.into_iter().filter_map(|mut entry| {
        let kind = entry["kind"].as_str()?;
        if !matches!(kind, "cframe" | "sframe") {
            return None;
        }
        Some(Entry {
            id: entry["id"].as_str()?.to_owned(),
            path: directory.join(entry["file"].as_str()?),
            offset: entry["offset"].as_u64().unwrap_or(0),
            sparse: kind == "sframe",
            parsed: entry["parsed"].take(),
            api: entry["api"].take(),
        })
    });
    entries.collect()
}

/// A field that must be a number.
#[track_caller]
pub fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Decodes hexadecimal digits.
pub fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().map(|digit| digit.to_digit(16).unwrap() as u8).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// True if the content is the one in a manifest, which is either hexadecimal or, for long content, the length, the SHA-256 and
/// the first bytes.
pub fn is_content(content: &[u8], expected: &Value) -> bool {
    use sha2::{Digest, Sha256};
    match expected {
        Value::String(hex) => content == unhex(hex),
        Value::Object(long) => {
            let digest: String = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
            long["len"].as_u64() == Some(content.len() as u64) && long["sha256"].as_str() == Some(&digest)
        }
        _ => false,
    }
}
