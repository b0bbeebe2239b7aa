//! `b2nd-proof` checks that frames which b2nd-check calls safe do not crash C-Blosc2 or python-blosc2. It damages fields of
//! frames, and opens the frames that b2nd-check finds readable and safe for a reader. C-Blosc2 runs under sanitizers, and its values
//! are compared with those that b2nd reads. python-blosc2 is called as users call it, and must not reject any frame.

mod mutate;
mod values;
mod worker;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{env, fs, io};

use b2nd_check::{CheckOptions, Does, FACTS, Library, Limits, Reader, check_frame};
use b2nd_frame::{Decompressor, HeaderField};
use b2nd_store::Frame;
use fastrand::Rng;
use mutate::{Mutant, Seed, mutant};
use worker::{Answer, Worker};

const HELP: &str = "\
Usage: b2nd-proof READER WORKER LIMIT SEED OUT DIRECTORY...
       b2nd-proof --facts WORKER CASES

Damages the frames below the directories. LIMIT is the number of damaged frames (such as 10000), or a time in seconds (such as
3600s). The same SEED damages the frames in the same way. READER is c-blosc2 or python-blosc2, optionally with a version, as in
c-blosc2@2.21.3. WORKER is the command that runs the reader: the program that conformance/proof/compile builds from worker.c, or a
Python interpreter and python.py. Frames on which the reader crashes (without a known report) or hangs, which it rejects or reads
differently, or which b2nd cannot read, are kept in OUT: of the rejected ones, the first three for each reason. With --facts, the
worker opens the files of b2nd-check's facts about python-blosc2. CASES is conformance/cases.
";

/// The maximum length of a file in bytes. Only short files are used, so that many mutants can be tried.
const LONGEST: u64 = 16 << 10;

/// Frames that claim more data are skipped: zeros take no bytes in a file, but decoding them takes time.
const MOST: u64 = 4 << 20;

/// Reports of sanitizers that are not about damage: words that identify them, and what they are about.
const KNOWN: [(&[&str], &str); 2] = [
    (
        &["runtime error: index -1", " in update_shape "],
        "an array without dimensions: an index of -1, for valid frames too (C-Blosc2 2.21.3, not 3.3)",
    ),
    (
        &["runtime error: signed integer overflow", " in sort_offset "],
        "blocks that vary in length: C-Blosc2 2.21.3 does not know frames of version 3, and subtracts data as if it were offsets of blocks",
    ),
];

/// Returns true if the report is known and not caused by damage in this frame.
fn is_known(words: &[&str], said: &str, frame: &[u8]) -> bool {
    let is_of_version_3 = frame.get(0x19).is_some_and(|flags| flags & 0x0f == 3);
    words.iter().all(|word| said.contains(word)) && (is_of_version_3 || !words.contains(&" in sort_offset "))
}

#[derive(Default)]
struct Counts {
    mutants: u64,
    passed: u64,
    read: u64,
    refused: BTreeMap<String, u64>,
    differ: u64,
    unread: u64,
    crashed: u64,
    known: BTreeMap<&'static str, u64>,
    hung: u64,
    /// For each field that was changed first, the number of mutants and the number of those that pass.
    fields: BTreeMap<&'static str, [u64; 2]>,
}

fn main() -> ExitCode {
    match run() {
        Ok(is_clean) => ExitCode::from(u8::from(!is_clean)),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, String> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [flag, worker, cases] = &arguments[..]
        && flag == "--facts"
    {
        return facts(worker, Path::new(cases));
    }
    let [reader, program, limit, seed, out, directories @ ..] = &arguments[..] else { return Err(HELP.to_owned()) };
    let reader: Reader = reader.parse().map_err(|error| format!("{reader}: {error}"))?;
    // C-Blosc2 may reject frames, because the default, C-Blosc2 2.21.3, cannot read all frames whose format has version 3.
    let refuses = reader.library() == Library::CBlosc2;
    let number = |name: &str, text: &str| text.parse::<u64>().map_err(|_| format!("{name}: expected a uint64, found {text:?}"));
    let (most, time) = match limit.strip_suffix('s') {
        Some(seconds) => (u64::MAX, Duration::from_secs(number("LIMIT, in seconds", seconds)?)),
        None => (number("LIMIT", limit)?, Duration::MAX),
    };
    let seed = number("SEED", seed)?;
    let out = PathBuf::from(out);
    fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    let mut files = Vec::new();
    for directory in directories {
        find(Path::new(directory), &mut files).map_err(|error| format!("{directory}: {error}"))?;
    }
    files.sort();
    // The limits avoid decoding gigabytes of zeros.
    let options = CheckOptions { data: true, limits: Limits { max_memory: 16 << 20, max_time: Some(Duration::from_secs(10)) } };
    let mut seeds = Vec::new();
    for file in &files {
        let bytes = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        seeds.extend(Seed::new(file.display().to_string(), bytes));
    }
    if seeds.is_empty() {
        return Err(format!("no file below the directories could be opened as a contiguous frame of at most {LONGEST} bytes"));
    }
    println!("{} of {} short files could be opened as contiguous frames, such as {}", seeds.len(), files.len(), seeds[0].name);

    let mut worker = Worker::new(program);
    let mut rng = Rng::with_seed(seed);
    let (mut counts, start) = (Counts::default(), Instant::now());
    let file = out.join("mutant.b2nd");
    while counts.mutants < most && start.elapsed() < time {
        let Mutant { bytes, field } = mutant(&seeds, &mut rng);
        if claims(&bytes) > MOST {
            continue;
        }
        counts.mutants += 1;
        let of_field = counts.fields.entry(field).or_default();
        of_field[0] += 1;
        if !passes(&bytes, &options, reader) {
            continue;
        }
        counts.passed += 1;
        of_field[1] += 1;
        let told = values::digest(&bytes);
        fs::write(&file, &bytes).map_err(|error| error.to_string())?;
        let answer = worker.ask(&file).map_err(|error| format!("{program}: {error}"))?;
        let keep = |why: &str, said: &str| -> Result<(), String> {
            let name = out.join(format!("{why}-{seed}-{}.b2nd", counts.mutants));
            fs::write(&name, &bytes).and_then(|()| fs::write(name.with_extension("txt"), said)).map_err(|error| error.to_string())
        };
        let told = match told {
            Ok(told) => told,
            Err(error) => {
                counts.unread += 1;
                keep("unread", &error.to_string())?;
                None
            }
        };
        match answer {
            Answer::Read(digest) => {
                if let Some((told, digest)) = told.map(|told| format!("{told:016x}")).zip(digest)
                    && told != digest
                {
                    keep("differs", &format!("the digest of what b2nd reads is {told}, of what the reader reads {digest}"))?;
                    counts.differ += 1;
                }
                counts.read += 1;
            }
            Answer::Refused(why) => {
                let count = counts.refused.entry(why.clone()).or_default();
                *count += 1;
                if *count <= 3 {
                    keep("refused", &why)?;
                }
            }
            Answer::Crashed(said) => match KNOWN.iter().find(|(words, _)| is_known(words, &said, &bytes)) {
                Some((_, why)) => *counts.known.entry(*why).or_default() += 1,
                None => {
                    keep("crashed", &said)?;
                    counts.crashed += 1;
                }
            },
            Answer::Hung => {
                keep("hung", "")?;
                counts.hung += 1;
            }
        }
    }
    let Counts { mutants, passed, read, refused, differ, unread, crashed, known, hung, fields } = counts;
    let time = start.elapsed().as_secs();
    for (field, [mutants, passed]) in fields {
        println!("  {field}: mutants: {mutants}, pass the check: {passed}");
    }
    println!("mutants in {time} s: {mutants}, pass the check: {passed}, of these read by {reader}: {read}");
    let refusals: u64 = refused.values().sum();
    for (why, count) in refused {
        println!("  rejected, or not compared, {count}: {why}");
    }
    for (why, count) in known {
        println!("  known reports, {count}: {why}");
    }
    println!("read differently: {differ}, not read by b2nd: {unread}, crashes: {crashed}, hangs: {hung}");
    // A worker that rejects everything would prove nothing.
    Ok(crashed + hung + differ + unread == 0 && (refuses || refusals == 0) && read > passed / 2)
}

/// Checks that python-blosc2 behaves with the cases as the facts about [`Reader::PYTHON_BLOSC2`] say.
fn facts(program: &str, cases: &Path) -> Result<bool, String> {
    let mut worker = Worker::new(program);
    let mut all = true;
    for fact in FACTS.iter().filter(|fact| fact.is_of(Reader::PYTHON_BLOSC2)) {
        let file = cases.join(fact.case).with_extension("bin");
        let is_so = match (worker.ask(&file).map_err(|error| format!("{program}: {error}"))?, fact.does) {
            (Answer::Crashed(_), Does::Crashes) | (Answer::Refused(_), Does::Refuses) => true,
            // Values are not compared here.
            (answer, does) => matches!((answer, does), (Answer::Read(_), Does::ReadsOtherwise)),
        };
        println!("{}: {:?}: {}", fact.case, fact.does, if is_so { "confirmed" } else { "NOT CONFIRMED" });
        all &= is_so;
    }
    Ok(all)
}

/// Returns true if the frame is readable and safe for this reader.
fn passes(frame: &Vec<u8>, options: &CheckOptions, reader: Reader) -> bool {
    let Ok(opened) = Frame::open(frame) else { return false };
    let mut decompressor = Decompressor::safe().with_fallback(|chunk, data| Decompressor::new().chunk(chunk, data));
    let report = check_frame(&opened, options, &mut decompressor);
    report.is_ok_and(|report| report.is_readable() && report.is_safe_for(reader))
}

/// Returns the field `nbytes` of the header.
fn claims(frame: &[u8]) -> u64 {
    let bytes = frame.get(HeaderField::NBYTES.value()).and_then(|bytes| bytes.try_into().ok());
    bytes.map_or(0, u64::from_be_bytes)
}

fn find(below: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(below)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            find(&entry.path(), files)?;
        } else if (1..=LONGEST).contains(&entry.metadata()?.len()) {
            files.push(entry.path());
        }
    }
    Ok(())
}
