//! Tests of the processes that decode chunks.
#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use b2nd_frame::{Chunk, File};

use super::Apart;

/// Decodes an intact chunk with another program as the worker, within a time limit. Returns the error and the time that passed.
fn decode(program: &str, args: &[&str], limit: Duration) -> (String, Duration) {
    let file = File::open(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/example.b2nd")).unwrap();
    let chunk: Chunk = file.chunk(0).unwrap();
    let args = args.iter().map(|&arg| arg.into()).collect();
    let apart = Apart { program: Ok(program.into()), args, idle: Default::default() };
    let start = Instant::now();
    let deadline = Some(start + limit);
    let mut data = vec![0; chunk.header().nbytes()];
    let error = super::decompress(&apart, &[], deadline, chunk.bytes(), &mut data).unwrap_err();
    assert!(apart.idle.lock().unwrap().is_empty(), "it is asked again");
    (error.to_string(), start.elapsed())
}

#[test]
fn a_decoder_that_never_answers_is_killed_at_the_deadline() {
    let (error, time) = decode("sleep", &["60"], Duration::from_millis(300));
    assert_eq!(error, "the process that decodes zstd was stopped: the time limit was reached");
    assert!(time >= Duration::from_millis(300) && time < Duration::from_secs(30), "{time:?}");
}

#[test]
fn a_decoder_that_ends_or_answers_nonsense_is_an_error() {
    // These programs need no limit, and on a busy machine they can take long to start.
    let decode = |program| decode(program, &[], Duration::from_secs(30)).0;
    assert!(decode("true").starts_with("the process that decodes zstd failed: "));
    let nonsense = decode("yes");
    assert!(nonsense.starts_with("the process that decodes zstd failed: invalid value"), "{nonsense}");
    assert!(decode("/nowhere").starts_with("no process could be started to decode it: "));
}
