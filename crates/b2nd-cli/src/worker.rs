//! Decodes untrusted chunks in separate processes, because some decoders have `unsafe` code.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use b2nd_frame::{Chunk, ChunkHeader, Decompressor};
use b2nd_ndarray::codec;
use serde_bytes::{ByteBuf, Bytes};

/// The first argument that makes this program a worker.
const WORD: &str = "__decode";

/// The memory in bytes that a worker may use in addition to the user's limit. Codecs need it for their tables.
const OWN_MEMORY: u64 = 64 << 20;

/// The maximum length in bytes of an answer from a worker, without the decoded bytes.
const LONGEST: u64 = 1 << 12;

/// A request to a worker: the array metalayer, and the chunk to decode.
type Question<'a> = (&'a Bytes, &'a Bytes);

/// A worker's answer: an error message, or nothing. In the second case, the decoded bytes follow.
type Answer = Result<(), String>;

/// A pool of worker processes.
pub(crate) struct Apart {
    program: io::Result<PathBuf>,
    args: Vec<OsString>,
    idle: Mutex<Vec<Worker>>,
}

impl Apart {
    /// Creates an empty pool. Each worker will run this program, on Unix with a limit on its memory.
    pub(crate) fn new(max_memory: u64) -> Apart {
        let args = vec![WORD.into(), max_memory.saturating_add(OWN_MEMORY).to_string().into()];
        Apart { program: std::env::current_exe(), args, idle: Mutex::default() }
    }

    fn start(&self) -> io::Result<Worker> {
        let program = self.program.as_ref().map_err(|error| io::Error::new(error.kind(), error.to_string()))?;
        let mut command = Command::new(program);
        command.args(&self.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => Ok(Worker { child, input, output }),
            _ => Err(io::Error::other("the process has no pipes")),
        }
    }
}

/// Creates a decompressor with `Decompressor::safe`, and with a fallback that decompresses in workers. A worker that is still decoding at
/// the deadline is killed.
pub(crate) fn decompressor(apart: Arc<Apart>, metalayer: Vec<u8>, deadline: Option<Instant>) -> Decompressor {
    Decompressor::safe().with_fallback(move |chunk, data| decompress(&apart, &metalayer, deadline, chunk, data))
}

fn decompress(
    apart: &Apart,
    metalayer: &[u8],
    deadline: Option<Instant>,
    chunk: &[u8],
    data: &mut [u8],
) -> Result<(), codec::Error> {
    let header = ChunkHeader::from_slice(chunk)?;
    codec::accept(&header)?;
    let name = header.codec();
    let idle = || apart.idle.lock().unwrap_or_else(PoisonError::into_inner);
    let taken = idle().pop();
    let mut worker = taken.map_or_else(|| apart.start(), Ok).map_err(|error| codec::ErrorKind::NoCodec {
        codec: name.to_string(),
        reason: format!("no process could be started to decode it: {error}"),
    })?;
    match worker.ask((Bytes::new(metalayer), Bytes::new(chunk)), data, deadline) {
        Ok(answer) => {
            idle().push(worker);
            answer.map_err(codec::Error::custom)
        }
        Err(_) if deadline.is_some_and(|deadline| Instant::now() >= deadline) => {
            Err(codec::Error::custom(format_args!("the process that decodes {name} was stopped: the time limit was reached")))
        }
        Err(error) => Err(codec::Error::custom(format_args!("the process that decodes {name} failed: {error}"))),
    }
}

struct Worker {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
}

impl Worker {
    /// Asks the worker, and fills `data` with the decoded bytes. After an outer `Err`, the worker must not be used again.
    fn ask(&mut self, question: Question, data: &mut [u8], deadline: Option<Instant>) -> io::Result<Answer> {
        let Worker { child, input, output } = self;
        thread::scope(|scope| {
            let (done, is_done) = mpsc::channel::<()>();
            if let Some(deadline) = deadline {
                scope.spawn(move || {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if is_done.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
                        let _ = child.kill();
                    }
                });
            }
            let answer = exchange(input, output, question, data);
            drop(done);
            answer
        })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn exchange(input: &mut impl Write, output: &mut impl Read, question: Question, data: &mut [u8]) -> io::Result<Answer> {
    rmp_serde::encode::write(input, &question).map_err(io::Error::other)?;
    input.flush()?;
    let answer: Answer = rmp_serde::from_read(output.by_ref().take(LONGEST)).map_err(io::Error::other)?;
    answer.map_or_else(|error| Ok(Err(error)), |()| output.read_exact(data).map(Ok))
}

/// Runs this process as a worker, if the arguments are [`WORD`] and a number, the limit on the memory in bytes.
pub(crate) fn serve(words: &[OsString]) -> Option<ExitCode> {
    let [word, memory] = words else { return None };
    if word != WORD {
        return None;
    }
    limit(memory.to_str()?.parse().ok()?);
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    // The worker ends when its input ends.
    while answer(&mut input, &mut output).is_ok() {}
    Some(ExitCode::SUCCESS)
}

fn answer(input: &mut impl Read, output: &mut impl Write) -> Result<(), Box<dyn std::error::Error>> {
    let (metalayer, chunk): (ByteBuf, ByteBuf) = rmp_serde::from_read(input)?;
    let mut decompressor = Decompressor::new().with_metalayer(&metalayer);
    let decoded = Chunk::from_slice(&chunk).and_then(|chunk| Ok(chunk.into_data_with(&mut decompressor)?.into_owned()));
    let sentence = |error: b2nd_frame::Error| error.to_string().chars().take(LONGEST as usize / 8).collect::<String>();
    let (answer, data) = decoded.map_or_else(|error| (Err(sentence(error)), Vec::new()), |data| (Ok(()), data));
    rmp_serde::encode::write::<_, Answer>(output, &answer)?;
    output.write_all(&data)?;
    Ok(output.flush()?)
}

/// Limits the memory of this process and disables core dumps, if the system supports it.
#[cfg(unix)]
fn limit(memory: u64) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    for (resource, most) in [(Resource::Data, memory), (Resource::Core, 0)] {
        let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    }
}

#[cfg(not(unix))]
fn limit(_: u64) {}

#[cfg(all(test, unix))]
#[path = "../tests/unit/worker.rs"]
mod tests;
