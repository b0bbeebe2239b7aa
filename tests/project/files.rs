//! The files that CONTRIBUTING.md names exist.

use std::fs;
use std::path::Path;

/// The words in backquotes that are paths of files or directories.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let roots = ["src/", "crates/", "web/", "examples/", "tests/", "benches/", "fuzz/", "conformance/", ".cargo/"];
    let quoted = text.lines().filter(|line| !line.starts_with("    ")).flat_map(|line| line.split('`').skip(1).step_by(2));
    quoted.filter(move |word| roots.iter().any(|root| word.starts_with(root)) && !word.contains(' '))
}

#[test]
fn every_file_that_contributing_names_exists() {
    let text = fs::read_to_string("CONTRIBUTING.md").unwrap();
    let table = text.split("### From a task to its file").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap();
    let tasks = table.lines().filter(|line| line.starts_with("| ") && line.contains('`')).count();
    assert!((10..=15).contains(&tasks), "{tasks} tasks");
    let missing: Vec<_> = paths(&text).filter(|path| !Path::new(path).exists()).collect();
    assert!(missing.is_empty(), "CONTRIBUTING.md names {missing:?}");
}
