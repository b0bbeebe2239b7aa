//! The results as JUnit XML.

use std::fmt::Write as _;

use super::{Column, count};
use crate::case::Case;
use crate::run::Outcome;

/// Returns the results as XML, with a test suite for each adapter and a test for each case.
pub fn junit(cases: &[Case], columns: &[Column]) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (name, outcomes) in columns {
        let all = count(cases, outcomes, None);
        let (tests, failures, skipped) = (cases.len(), all.failed, all.skipped);
        let _ = writeln!(
            text,
            "  <testsuite name=\"{}\" tests=\"{tests}\" failures=\"{failures}\" skipped=\"{skipped}\">",
            escaped(name)
        );
        for (case, outcome) in cases.iter().zip(outcomes) {
            let _ = write!(text, "    <testcase classname=\"{}\" name=\"{}\"", case.layer, escaped(&case.name));
            let _ = match outcome {
                Outcome::Passed => writeln!(text, "/>"),
                Outcome::Skipped => writeln!(text, "><skipped/></testcase>"),
                Outcome::Known(does, why) => writeln!(text, "><system-out>{does}: {}</system-out></testcase>", escaped(why)),
                Outcome::Failed(how) => writeln!(text, "><failure message=\"{}\"/></testcase>", escaped(how)),
                Outcome::Outdated(why) => {
                    writeln!(text, "><failure message=\"no longer differs: {}\"/></testcase>", escaped(why))
                }
            };
        }
        text.push_str("  </testsuite>\n");
    }
    text + "</testsuites>\n"
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML 1.0 does not allow most control characters below U+0020.
            char if char.is_control() => out.push(' '),
            char => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn what_xml_cannot_hold_is_escaped() {
        assert_eq!(escaped("<a b=\"c\">&\u{1b}"), "&lt;a b=&quot;c&quot;&gt;&amp; ");
    }
}
