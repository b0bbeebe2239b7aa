//! Doc comments say what a thing is within their first three words.

use std::fs;

use crate::circles::rust_files;

/// Folders with sources.
const FOLDERS: [&str; 8] = ["src", "crates", "examples", "tests", "benches", "conformance", "fuzz", "web/wasm"];

/// Openings that make the reader wait.
const LATE: [&str; 6] = ["Of", "What", "How", "Where", "Whether", "The same"];

/// The first lines of a source's doc comments and of their paragraphs that open late.
fn late(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let texts = source.lines().map(|line| {
        let line = line.trim_start();
        line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))
    });
    let mut before = None;
    texts.enumerate().filter_map(move |(number, text)| {
        let opens = before.replace(text).flatten().is_none_or(|above: &str| above.trim().is_empty());
        let text = text?.trim_start();
        let is_late = LATE.iter().any(|word| text.strip_prefix(word).is_some_and(|rest| rest.starts_with([' ', ',', ':'])));
        (opens && is_late).then_some((number + 1, text))
    })
}

#[test]
fn doc_comments_say_what_a_thing_is_first() {
    let mut found = Vec::new();
    for folder in FOLDERS {
        for path in rust_files(folder.as_ref()) {
            let source = fs::read_to_string(&path).unwrap();
            found.extend(late(&source).map(|(line, text)| format!("{}:{line}: {text}", path.display())));
        }
    }
    assert!(found.is_empty(), "these open with one of {LATE:?}:\n{}", found.join("\n"));
}

#[test]
fn an_opening_is_the_first_line_of_a_paragraph() {
    let lines = |source| late(source).map(|(line, _)| line).collect::<Vec<_>>();
    assert_eq!(
        lines("/// How many there are.\nconst A: u8 = 1;\n/// Their number.\n/// How it is counted.\n///\n/// The same again.\n"),
        [1, 6]
    );
    assert_eq!(lines("//! Whatever is read.\n// What a comment says.\n    /// Whether: no.\n"), [3]);
}
