//! Results of adapters, as a table for a terminal, as a Markdown page, and as JUnit XML.

mod junit;
mod markdown;
mod table;

pub use junit::junit;
pub use markdown::markdown;
pub use table::table;

use crate::case::{Case, Layer};
use crate::run::Outcome;

/// The name of an adapter, and its outcomes in the order of the cases.
pub type Column = (String, Vec<Outcome>);

/// The number of outcomes of each kind, in a layer or in total. An outdated difference counts as failed.
struct Count {
    passed: usize,
    known: usize,
    failed: usize,
    skipped: usize,
}

fn count(cases: &[Case], outcomes: &[Outcome], layer: Option<Layer>) -> Count {
    let mut count = Count { passed: 0, known: 0, failed: 0, skipped: 0 };
    for (case, outcome) in cases.iter().zip(outcomes) {
        if layer.is_some_and(|layer| layer != case.layer) {
            continue;
        }
        match outcome {
            Outcome::Passed => count.passed += 1,
            Outcome::Known(..) => count.known += 1,
            Outcome::Failed(_) | Outcome::Outdated(_) => count.failed += 1,
            Outcome::Skipped => count.skipped += 1,
        }
    }
    count
}
