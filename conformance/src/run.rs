//! The runner, which runs adapters on cases within limits.

mod adapter;
mod limits;
mod process;

use std::collections::VecDeque;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::case::{Case, Part, Verdict};
use crate::differ::Does;

pub use adapter::Adapter;
use adapter::{Answer, Session};
pub use limits::Limits;

/// The outcome of a case with an adapter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The expected result.
    Passed,
    /// A different result that the case lists, and the reason. If the case lists several results, the expected result is also reported as
    /// `Known`, with [`Does::Accepts`].
    Known(Does, String),
    /// A different result that the case does not list, and a description of it.
    Failed(String),
    /// The expected result, although the case lists a difference. The text is the listed reason.
    Outdated(String),
    /// The adapter does not support the layer, or the case is in the adapter's skip list.
    Skipped,
}

impl Outcome {
    /// Returns true if the outcome fails the run.
    pub fn is_failure(&self) -> bool {
        matches!(self, Outcome::Failed(_) | Outcome::Outdated(_))
    }
}

/// Runs an adapter on all cases. Returns the outcomes in the order of the cases.
///
/// # Errors
///
/// Fails if a process cannot be started, waited for or killed, or a temporary file or directory cannot be created, written or removed.
/// On Unix, a command that does not exist is not an error, but counts as a crash with the exit code 127 for each case that is not skipped.
pub fn run(adapter: &Adapter, cases: &[Case], limits: Limits) -> io::Result<Vec<Outcome>> {
    let scratch = std::env::temp_dir().join(format!("b2nd-conformance-{}-{}", std::process::id(), adapter.file_name()));
    fs::create_dir_all(&scratch)?;
    let queue: Mutex<VecDeque<usize>> = Mutex::new((0..cases.len()).collect());
    let outcomes = Mutex::new(vec![Outcome::Skipped; cases.len()]);
    let failed = Mutex::new(Ok(()));
    std::thread::scope(|scope| {
        for _ in 0..limits.jobs.max(1) {
            scope.spawn(|| {
                let mut session = Session::new(adapter, limits);
                while let Some(index) = lock(&queue).pop_front() {
                    let Some(case) = cases.get(index) else { break };
                    match one(&mut session, adapter, case, &scratch) {
                        Ok(outcome) => {
                            if let Some(place) = lock(&outcomes).get_mut(index) {
                                *place = outcome;
                            }
                        }
                        Err(error) => *lock(&failed) = Err(error),
                    }
                }
            });
        }
    });
    fs::remove_dir_all(&scratch)?;
    failed.into_inner().unwrap_or_else(PoisonError::into_inner)?;
    Ok(outcomes.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn one(session: &mut Session, adapter: &Adapter, case: &Case, scratch: &Path) -> io::Result<Outcome> {
    if adapter.skips(&case.id()) {
        return Ok(Outcome::Skipped);
    }
    let path = match &case.path {
        Some(path) => path.clone(),
        None => long_file(scratch, &case.id(), &case.parts)?,
    };
    let mut answer = session.ask(case.layer, &path)?;
    if case.encode && matches!(&answer, Answer::Accepted(_)) && judge(case, &answer).is_none() {
        answer = session.encode(case, answer)?;
    }
    if case.path.is_none() {
        fs::remove_file(path)?;
    }
    if matches!(answer, Answer::Unsupported) {
        return Ok(Outcome::Skipped);
    }
    let known = case.differ.iter().find(|differ| differ.who == adapter.name);
    Ok(match (judge(case, &answer), known) {
        (None, None) => Outcome::Passed,
        (None, Some(known)) if known.does.len() > 1 => Outcome::Known(Does::Accepts, known.why.clone()),
        (None, Some(known)) => Outcome::Outdated(known.why.clone()),
        (Some((does, _)), Some(known)) if known.does.contains(&does) => Outcome::Known(does, known.why.clone()),
        (Some((does, how)), _) => Outcome::Failed(format!("{does}: {how}")),
    })
}

/// Returns the difference between an adapter's answer and the expected result, or `None` if there is none.
fn judge(case: &Case, answer: &Answer) -> Option<(Does, String)> {
    match (answer, &case.verdict) {
        (Answer::Crashed(how), _) => Some((Does::Crashes, how.clone())),
        (Answer::Hung, _) => Some((Does::Hangs, "the process did not answer or did not end in time".into())),
        (Answer::Unsupported, _) | (Answer::Rejected(_), Verdict::Reject) => None,
        (Answer::Rejected(why), Verdict::Accept(_)) => Some((Does::Rejects, why.clone())),
        (Answer::Accepted(said), Verdict::Reject) => Some((Does::Accepts, said.to_string().chars().take(200).collect())),
        (Answer::Accepted(said), Verdict::Accept(expected)) => {
            let differences = expected.differences(said);
            (!differences.is_empty()).then(|| (Does::ReadsAnother, differences.join("; ")))
        }
        (Answer::Encoded(bytes), _) => {
            let expected = case.path.as_ref().and_then(|path| fs::read(path).ok());
            (expected.as_ref() != Some(bytes)).then(|| (Does::ReadsAnother, format!("encoded as {}", crate::hex(bytes))))
        }
    }
}

fn long_file(scratch: &Path, id: &str, parts: &[Part]) -> io::Result<PathBuf> {
    let path = scratch.join(id.replace('/', "-"));
    let mut file = io::BufWriter::new(fs::File::create(&path)?);
    for part in parts {
        for _ in 0..part.times {
            file.write_all(&part.bytes)?;
        }
    }
    file.flush()?;
    Ok(path)
}
