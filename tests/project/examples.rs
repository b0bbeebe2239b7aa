//! The short examples: each is run with the command in its first lines, and its output is compared with tests/data/examples.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The names of the examples in a directory that consist of one file.
fn names(directory: &str) -> Vec<String> {
    let paths = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

/// The arguments of the first `cargo run` in an example's docs.
fn arguments(directory: &str, name: &str) -> Vec<String> {
    let source = fs::read_to_string(format!("{directory}/{name}.rs")).unwrap();
    let command = source.lines().find_map(|line| line.strip_prefix("//! cargo ")).unwrap_or_default();
    assert!(command.contains(&format!("--example {name}")), "{directory}/{name}.rs does not say how to run it: {command:?}");
    command.split_whitespace().take_while(|word| !word.starts_with('#')).map(str::to_owned).collect()
}

#[test]
fn examples_print_what_they_did() {
    let frame = "crates/b2nd-frame/examples";
    assert_eq!(names("examples"), ["derive", "interop"]);
    assert_eq!(names(frame), ["json", "own_metalayer", "read_header", "remote", "write_header"]);
    let mut others = Vec::new();
    for (directory, name) in ["examples", frame].into_iter().flat_map(|it| names(it).into_iter().map(move |name| (it, name))) {
        let output = Command::new(env!("CARGO")).arg("--quiet").args(arguments(directory, &name)).output().unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{name}: {}\n{err}", output.status);
        let expected = Path::new("tests/data/examples").join(format!("{name}.txt"));
        if out != fs::read_to_string(&expected).unwrap_or_default() {
            others.push(format!("{name} does not print {}, but:\n{out}", expected.display()));
        }
    }
    assert!(others.is_empty(), "{}", others.join("\n"));
}
