//! The results as a Markdown page.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Column, count};
use crate::case::{Case, Layer};
use crate::run::Outcome;

/// Returns the page: the numbers for each layer and adapter, and the reasons for differences, each with up to six cases.
pub fn markdown(cases: &[Case], columns: &[Column]) -> String {
    let mut text = String::from(
        "# Results\n\nThe results of implementations for the cases of this suite. `conformance/ci --update` writes RESULTS.md; `conformance/ci` fails if a \
         result in it changes.\n\nA cell has the number of cases with the expected result, plus those that differ for a known reason. A dash means that the \
         adapter reads no case of this layer.\n\n| layer | cases |",
    );
    columns.iter().for_each(|(name, _)| text.push_str(&format!(" {name} |")));
    text.push_str("\n| --- | ---: |");
    columns.iter().for_each(|_| text.push_str(" --- |"));
    text.push('\n');
    for layer in Layer::ALL.into_iter().map(Some).chain([None]) {
        let total = cases.iter().filter(|case| layer.is_none_or(|layer| layer == case.layer)).count();
        let _ = write!(text, "| {} | {total} |", layer.map_or("all", Layer::name));
        for (_, outcomes) in columns {
            let count = count(cases, outcomes, layer);
            let _ = match (count.skipped == total, count.known, count.failed) {
                (true, ..) => write!(text, " - |"),
                (_, 0, 0) => write!(text, " {} |", count.passed),
                (_, known, 0) => write!(text, " {} + {known} |", count.passed),
                (_, known, failed) => write!(text, " {} + {known}, **{failed} unexplained** |", count.passed),
            };
        }
        text.push('\n');
    }
    for (name, outcomes) in columns {
        let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (case, outcome) in cases.iter().zip(outcomes) {
            match outcome {
                Outcome::Known(_, why) => reasons.entry(why).or_default().push(case.id()),
                Outcome::Failed(_) | Outcome::Outdated(_) => reasons.entry("Unexplained.").or_default().push(case.id()),
                _ => {}
            }
        }
        if reasons.is_empty() {
            continue;
        }
        let _ = write!(text, "\n## {name}\n\n| why it differs | cases | |\n| --- | ---: | --- |\n");
        for (why, ids) in reasons {
            let shown = if ids.len() > 6 { format!("{}, …", ids[..6].join(", ")) } else { ids.join(", ") };
            let _ = writeln!(text, "| {} | {} | {shown} |", why.replace('|', "\\|"), ids.len());
        }
    }
    text
}
