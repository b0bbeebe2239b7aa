//! Several processes edit and rewrite the same file at the same time. Every edit that succeeded is in the file at the end.
#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)]

mod common;

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use b2nd_frame::{File, rewrite_to};
use common::frames;
use common::scratch::Scratch;
use common::state::State;

/// The duration of a round.
const ROUND: Duration = Duration::from_millis(250);

/// An environment variable for a child process: its job, its number, and the file.
const JOB: &str = "B2ND_TEST_JOB";

/// A job, called with the file, the child's number, and the value to write.
type Job = fn(&Path, u8, u8) -> b2nd_frame::Result<()>;

/// The jobs that a child repeats: set a vlmetalayer, overwrite a metalayer, overwrite one that spans three sectors, and rewrite
/// the frame.
const JOBS: [Job; 4] = [
    |path, child, value| File::edit(path)?.set_vlmetalayer_bytes(&own("v", child), &[value; 40]),
    |path, child, value| File::edit(path)?.overwrite_metalayer_bytes(&own("m", child), &[value; 40]),
    |path, child, value| File::edit(path)?.overwrite_metalayer_bytes(&own("w", child), &[value; 1100]),
    |path, child, value| {
        rewrite_to(path, path, |metalayers| {
            metalayers.insert(&own("r", child), vec![value; usize::from(value)])?;
            Ok(())
        })
    },
];

fn own(kind: &str, child: u8) -> String {
    format!("{kind}{child}")
}

/// The last value that a child wrote successfully, and the number of its edits.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Acknowledged {
    value: u8,
    count: u32,
}

#[test]
#[ignore = "the other tests run it as a process of its own"]
fn child() {
    let Ok(job) = std::env::var(JOB) else { return };
    let (job, rest) = job.split_once(' ').unwrap();
    let (number, path) = rest.split_once(' ').unwrap();
    let (number, act) = (number.parse().unwrap(), JOBS[job.parse::<usize>().unwrap()]);
    let (start, mut value, mut count) = (Instant::now(), 0u8, 0);
    while start.elapsed() < ROUND {
        let next = value % 250 + 1;
        act(Path::new(path), number, next).unwrap_or_else(|error| panic!("after {count}: {error}"));
        (value, count) = (next, count + 1);
    }
    println!("\nacknowledged {value} {count}");
}

fn start(job: usize, number: u8, path: &Path, locking: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["child", "--exact", "--ignored", "--nocapture"])
        .env(JOB, format!("{job} {number} {}", path.display()))
        .env("BLOSC_LOCKING", locking)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn finish(mut child: Child) -> Acknowledged {
    let (mut said, mut errors) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert!(child.wait().unwrap().success(), "{said}{errors}");
    let line = said.lines().find_map(|line| line.strip_prefix("acknowledged ")).expect("what was acknowledged");
    let (value, count) = line.split_once(' ').unwrap();
    Acknowledged { value: value.parse().unwrap(), count: count.parse().unwrap() }
}

/// Runs these jobs at the same time for a few rounds, and checks the file after each round.
#[track_caller]
fn at_once(jobs: &[usize], rounds: u32, locking: &str) {
    let scratch = Scratch::new();
    let path = scratch.join("f.b2nd");
    let mut header = frames::header();
    for number in 0..jobs.len() as u8 {
        header.metalayers_mut().insert(&own("m", number), [0; 40]).unwrap();
        header.metalayers_mut().insert(&own("w", number), [0; 1100]).unwrap();
    }
    std::fs::write(&path, frames::with_header(header)).unwrap();
    let before = State::read(&path).unwrap();
    let mut edits = 0;
    for round in 0..rounds {
        let children: Vec<_> = jobs.iter().enumerate().map(|(number, &job)| start(job, number as u8, &path, locking)).collect();
        let acknowledged: Vec<_> = children.into_iter().map(finish).collect();
        let after = State::read(&path).unwrap_or_else(|error| panic!("round {round}, {acknowledged:?}: {error}"));
        assert!(after.chunks == before.chunks, "round {round}: the chunks");
        for ((number, &job), said) in jobs.iter().enumerate().zip(&acknowledged) {
            let file = File::open(&path).unwrap();
            let name = own(["v", "m", "w", "r"][job], number as u8);
            let found = match job {
                0 => file.trailer().unwrap().vlmetalayers().value(&name).unwrap().map(|value| value.into_owned()),
                _ => file.header().metalayers().get(&name).map(<[u8]>::to_vec),
            };
            let length = [40, 40, 1100, usize::from(said.value)][job];
            assert!(found == Some(vec![said.value; length]), "round {round}, {name}: {said:?} was acknowledged, found {found:?}");
            edits += said.count;
        }
    }
    if locking == "1" {
        assert_eq!(scratch.names(), ["f.b2nd", "f.b2nd.b2lock"], "nothing is left next to the file");
        let counter = std::fs::read(scratch.join("f.b2nd.b2lock")).unwrap();
        assert_eq!(counter[8..], u64::from(edits).to_ne_bytes(), "each edit is counted");
    } else {
        assert_eq!(scratch.names(), ["f.b2nd"], "nothing is left next to the file");
    }
    println!("{edits} edits by {} processes", jobs.len());
}

#[test]
fn edits_of_two_processes_are_all_kept() {
    at_once(&[0, 0], 3, "");
    at_once(&[0, 1, 2], 2, "0");
}

#[test]
fn rewrites_of_two_processes_are_all_kept() {
    at_once(&[3, 3], 3, "");
}

#[test]
fn edits_beside_rewrites_are_all_kept() {
    at_once(&[0, 3], 2, "0");
    at_once(&[1, 2, 3, 0], 2, "1");
}
