//! The adapter's side of the protocol, for adapters written in Rust.

use std::io::{BufRead, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use crate::{Fact, Layer};

/// The facts about a file, or why it was rejected. `None` if the implementation cannot read the layer.
pub type Said = Option<Result<Fact, String>>;

/// The encoded facts, or why they could not be encoded. `None` if the implementation does not encode the layer.
pub type Encoded = Option<Result<Vec<u8>, String>>;

/// Runs the command line of an adapter: `LAYER PATH`, `--encode LAYER`, or `--serve`.
pub fn main(read: impl Fn(Layer, &Path) -> Said, encode: impl Fn(Layer, &Fact) -> Encoded) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let answer = match arguments[..] {
        ["--serve"] => return serve(read),
        ["--encode", layer] => Layer::parse(layer).and_then(|layer| match facts() {
            Ok(facts) => encode(layer, &facts),
            Err(error) => Some(Err(error)),
        }),
        [layer, path] => {
            let said = Layer::parse(layer).and_then(|layer| read(layer, Path::new(path)));
            said.map(|said| said.map(|fact| format!("{fact}\n").into_bytes()))
        }
        _ => None,
    };
    match answer.map(|bytes| bytes.and_then(|bytes| std::io::stdout().write_all(&bytes).map_err(|error| error.to_string()))) {
        Some(Ok(())) => ExitCode::SUCCESS,
        Some(Err(error)) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
        None => ExitCode::from(2),
    }
}

/// Reads tagged JSON from standard input.
fn facts() -> Result<Fact, String> {
    let mut json = String::new();
    std::io::stdin().read_to_string(&mut json).map_err(|error| error.to_string())?;
    Fact::from_json(&serde_json::from_str(&json).map_err(|error| error.to_string())?)
}

fn serve(read: impl Fn(Layer, &Path) -> Said) -> ExitCode {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let (layer, path) = line.split_once('\t').unwrap_or((&line, ""));
        match Layer::parse(layer).and_then(|layer| read(layer, Path::new(path))) {
            Some(Ok(fact)) => println!("ok {fact}"),
            Some(Err(error)) => println!("no {}", error.replace('\n', " ")),
            None => println!("skip"),
        }
    }
    ExitCode::SUCCESS
}
