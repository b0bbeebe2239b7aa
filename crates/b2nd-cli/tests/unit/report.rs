//! Tests of the summary of columns.

use super::*;

#[test]
fn the_heading_of_a_summary_names_a_sample() {
    let heading = |rows: u64| summary(&[], rows).remove(0).pop();
    assert_eq!(heading(SAMPLE as u64).as_deref(), Some("distribution"));
    assert_eq!(heading(SAMPLE as u64 + 1).as_deref(), Some("distribution of a sample"));
}
