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

/// The first argument that makes this program a worker.
const WORD: &str = "__decode";

/// The memory in bytes that a worker may use in addition to the user's limit. Codecs need it for their tables.
const OWN_MEMORY: u64 = 64 << 20;

/// The maximum length in bytes of an error message from a worker.
const LONGEST: usize = 1 << 12;

/// The first byte of an answer from a worker that has decoded a chunk. The decoded bytes follow.
const DECODED: u8 = 0;

/// The first byte of an answer from a worker that could not decode a chunk. The length of an error message and the message follow.
const REFUSED: u8 = 1;

/// A pool of worker processes.
pub(crate) struct Apart {
    program: io::Result<PathBuf>,
    args: Vec<OsString>,
    idle: Mutex<Vec<Worker>>,
}

impl Apart {
    /// Creates an empty pool. Each worker will run this program with a limit on its memory.
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

/// Creates a decompressor that runs the codecs of `Decompressor::safe` in this process, and all other codecs in workers. The workers are
/// killed at the deadline.
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
    match worker.ask([metalayer, chunk], data, deadline) {
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
    /// Sends `parts`, which are the array metalayer and the chunk, to the worker. Fills `data` with the decoded bytes, or returns the
    /// worker's error message. After an outer `Err`, the worker must not be used again.
    fn ask(&mut self, parts: [&[u8]; 2], data: &mut [u8], deadline: Option<Instant>) -> io::Result<Result<(), String>> {
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
            let answer = exchange(input, output, parts, data);
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

fn exchange(
    input: &mut impl Write,
    output: &mut impl Read,
    parts: [&[u8]; 2],
    data: &mut [u8],
) -> io::Result<Result<(), String>> {
    for part in parts {
        input.write_all(&(part.len() as u64).to_le_bytes())?;
        input.write_all(part)?;
    }
    input.flush()?;
    let mut first = [0];
    output.read_exact(&mut first)?;
    if first == [DECODED] {
        return output.read_exact(data).map(Ok);
    }
    let sentence = match first {
        [REFUSED] => read_part(output, LONGEST)?,
        [other] => return Err(io::Error::other(format!("it answered {other}"))),
    };
    Ok(Err(String::from_utf8_lossy(&sentence).into_owned()))
}

/// Reads a length, and then this number of bytes. Fails if the length is greater than `most`.
fn read_part(from: &mut impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut length = [0; 8];
    from.read_exact(&mut length)?;
    let length = usize::try_from(u64::from_le_bytes(length)).ok().filter(|&length| length <= most);
    let length = length.ok_or_else(|| io::Error::other("it sent too much"))?;
    let mut part = Vec::new();
    part.try_reserve_exact(length).map_err(|_| io::Error::other(format!("no memory for {length} bytes")))?;
    part.resize(length, 0);
    from.read_exact(&mut part)?;
    Ok(part)
}

/// Runs this process as a worker, if the first argument is `WORD`.
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

fn answer(input: &mut impl Read, output: &mut impl Write) -> io::Result<()> {
    let metalayer = read_part(input, usize::MAX)?;
    let chunk = read_part(input, usize::MAX)?;
    let mut decompressor = Decompressor::new().with_metalayer(&metalayer);
    let decoded = Chunk::from_slice(&chunk).and_then(|chunk| Ok(chunk.into_data_with(&mut decompressor)?.into_owned()));
    match decoded {
        Ok(data) => {
            output.write_all(&[DECODED])?;
            output.write_all(&data)?;
        }
        Err(error) => {
            let sentence = error.to_string();
            let sentence = sentence.as_bytes().get(..sentence.len().min(LONGEST)).unwrap_or_default();
            output.write_all(&[REFUSED])?;
            output.write_all(&(sentence.len() as u64).to_le_bytes())?;
            output.write_all(sentence)?;
        }
    }
    output.flush()
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
