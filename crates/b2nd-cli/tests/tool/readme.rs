//! READMEs show what the tool prints: each command in a console block is run. With BLESS=1 in the environment the blocks are
//! written again.

use std::fmt::Write;
use std::fs;

use crate::harness::Place;

/// Runs the commands of a README at the root of the repository and compares their output. Returns their number.
#[track_caller]
fn compare(path: &str) -> usize {
    let path = Place::root().path(path);
    let readme = fs::read_to_string(&path).unwrap();
    let (mut printed, mut commands, mut in_block, mut is_run) = (String::new(), 0, false, true);
    for line in readme.lines() {
        match (in_block, line.strip_prefix("$ b2nd ")) {
            // Without the feature `hdf5`, commands on HDF5 files are skipped.
            (true, Some(arguments)) if cfg!(not(feature = "hdf5")) && arguments.contains(".h5") => {
                writeln!(printed, "{line}").unwrap();
                is_run = false;
            }
            (true, Some(arguments)) => {
                is_run = true;
                let (out, err, _) = Place::root().run(&arguments.split(' ').collect::<Vec<_>>());
                assert_eq!(err, "", "{line}");
                let trimmed: Vec<&str> = out.lines().map(str::trim_end).collect();
                writeln!(printed, "{line}\n{}", trimmed.join("\n")).unwrap();
                commands += 1;
            }
            // A line of the old output, which the new output replaces.
            (true, None) if line != "```" && is_run => {}
            _ => writeln!(printed, "{line}").unwrap(),
        }
        in_block = line == "```console" || in_block && line != "```";
    }
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &printed).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap() == printed,
        "{} is not what the tool prints; with BLESS=1 it is written again",
        path.display()
    );
    commands
}

#[cfg(feature = "arrow")]
#[test]
fn the_page_of_tables_is_what_the_tool_prints() {
    assert_eq!(compare("crates/b2nd-arrow/README.md"), 1);
}

#[test]
fn every_page_is_what_the_tool_prints() {
    let commands = compare("crates/b2nd-cli/README.md");
    assert!(commands > 7, "{commands}");
}

#[test]
fn the_first_page_is_what_the_tool_prints() {
    assert_eq!(compare("README.md"), if cfg!(feature = "hdf5") { 5 } else { 1 });
}
