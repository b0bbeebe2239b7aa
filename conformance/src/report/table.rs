//! The results as a table for a terminal.

use std::fmt::Write as _;

use super::{Column, count};
use crate::case::{Case, Layer};
use crate::run::Outcome;

/// Returns the table: the numbers for each layer and adapter, and the failures.
pub fn table(cases: &[Case], columns: &[Column]) -> String {
    let mut text = format!("{:<10} {:>5}", "layer", "cases");
    for (name, _) in columns {
        let _ = write!(text, "  {name:>30}");
    }
    text.push('\n');
    let all = Layer::ALL.into_iter().map(Some).chain([None]);
    for layer in all {
        let total = cases.iter().filter(|case| layer.is_none_or(|layer| layer == case.layer)).count();
        let _ = write!(text, "{:<10} {total:>5}", layer.map_or("all", Layer::name));
        for (_, outcomes) in columns {
            let count = count(cases, outcomes, layer);
            let said = if count.skipped == total {
                "-".to_owned()
            } else {
                format!("{} passed, {} known, {} failed", count.passed, count.known, count.failed)
            };
            let _ = write!(text, "  {said:>30}");
        }
        text.push('\n');
    }
    for (name, outcomes) in columns {
        for (case, outcome) in cases.iter().zip(outcomes) {
            match outcome {
                Outcome::Failed(how) => {
                    let _ = writeln!(text, "{name}: {}: {how}", case.id());
                }
                Outcome::Outdated(why) => {
                    let _ = writeln!(text, "{name}: {}: gives the expected result, but a difference is listed: {why}", case.id());
                }
                _ => {}
            }
        }
    }
    text
}
