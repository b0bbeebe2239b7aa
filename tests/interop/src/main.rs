//! Runs a request with `b2nd`, so that `interop.py` can compare the result with C-Blosc2. The request is a JSON object on
//! standard input; the response is a JSON object on standard output: `{"ok": …}` or `{"error": "…"}`. Bytes are hexadecimal.

mod hex;
mod pack;
mod read;
mod together;
mod values;
mod verdict;
mod write;

use std::error::Error;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use b2nd::Geometry;
use serde::Deserialize;
use serde_json::{Value, json};

use hex::Hex;

#[derive(Deserialize)]
#[serde(tag = "request", rename_all = "snake_case", deny_unknown_fields)]
enum Request {
    /// Reads the metadata and the first `chunks` chunks of a frame, and checks that header, array metalayer and trailer are written back
    /// unchanged.
    Read { path: PathBuf, chunks: u64 },
    /// Writes a new frame.
    Write(write::NewFrame),
    /// Applies edits to a frame, one after the other.
    Edit { path: PathBuf, edits: Vec<write::Edit> },
    /// Rewrites a frame with other metalayers.
    Rewrite { path: PathBuf, target: PathBuf, insert: Vec<(String, Hex)>, remove: Vec<String> },
    /// Edits a frame for a while, at the same time as other processes.
    Together { path: PathBuf, number: u8, first: u64, milliseconds: u64 },
    /// Packs elements in C order into the data of an array's chunks.
    Pack { geometry: Geometry, itemsize: usize, elements: Hex },
    /// Returns the elements of a slice in C order from the data of all chunks.
    Unpack { geometry: Geometry, itemsize: usize, chunks: Vec<Hex>, slice: Vec<Range<i64>> },
    /// Reads and writes values in each way.
    Values { contents: Vec<Hex> },
    /// Copies the value of a vlmetalayer to another name.
    CopyValue { path: PathBuf, from: String, to: String },
    /// Checks whether the metadata and the first chunks of a frame can be read, and describes its array.
    JudgeFrame { path: PathBuf },
    /// Decodes a file as the content of a `b2nd` metalayer, and describes it.
    JudgeMetalayer { path: PathBuf },
}

fn answer(request: &str) -> Result<Value, Box<dyn Error>> {
    match serde_json::from_str(request)? {
        Request::Read { path, chunks } => read::read(&path, chunks),
        Request::Write(frame) => frame.write(),
        Request::Edit { path, edits } => write::edit(&path, edits),
        Request::Rewrite { path, target, insert, remove } => write::rewrite(&path, &target, insert, remove),
        Request::Together { path, number, first, milliseconds } => {
            together::together(&path, number, first, Duration::from_millis(milliseconds))
        }
        Request::Pack { geometry, itemsize, elements } => pack::pack(&geometry, itemsize, &elements),
        Request::Unpack { geometry, itemsize, chunks, slice } => pack::unpack(&geometry, itemsize, &chunks, &slice),
        Request::Values { contents } => values::all_ways(&contents),
        Request::CopyValue { path, from, to } => values::copy(&path, &from, &to),
        Request::JudgeFrame { path } => verdict::frame(&path),
        Request::JudgeMetalayer { path } => verdict::metalayer(&path),
    }
}

fn main() -> std::io::Result<()> {
    let reply = match answer(&std::io::read_to_string(std::io::stdin())?) {
        Ok(value) => json!({ "ok": value }),
        Err(error) => json!({ "error": error.to_string() }),
    };
    println!("{reply}");
    Ok(())
}
