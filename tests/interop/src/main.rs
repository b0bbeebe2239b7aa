//! Does with `b2nd` what a request says, for `interop.py` to compare with C-Blosc2. The request is a JSON object on the standard
//! input, the reply is one on the standard output: `{"ok": …}` or `{"error": "…"}`. Bytes are hexadecimal.

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
    /// All that a frame's metadata says, once every part of it has been written back as it was; and so many chunks.
    Read { path: PathBuf, chunks: u64 },
    /// A new frame.
    Write(write::NewFrame),
    /// Edits of one frame, in turn.
    Edit { path: PathBuf, edits: Vec<write::Edit> },
    /// The frame with other metalayers.
    Rewrite { path: PathBuf, target: PathBuf, insert: Vec<(String, Hex)>, remove: Vec<String> },
    /// Edits of one frame for a while, next to other processes.
    Together { path: PathBuf, number: u8, first: u64, milliseconds: u64 },
    /// The chunks' data of an array, whose elements come in C order.
    Pack { geometry: Geometry, itemsize: usize, elements: Hex },
    /// The elements of a slice in C order, out of all chunks' data.
    Unpack { geometry: Geometry, itemsize: usize, chunks: Vec<Hex>, slice: Vec<Range<i64>> },
    /// Values, read and written in each way.
    Values { contents: Vec<Hex> },
    /// The value of a vlmetalayer, written as another.
    CopyValue { path: PathBuf, from: String, to: String },
    /// Judges a frame: whether everything in it can be read, and what its array is.
    JudgeFrame { path: PathBuf },
    /// Judges a file as the content of a `b2nd` metalayer, and says what it holds.
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
