//! The levels of the library. A file uses code only of its own level or lower ones, so that they can be read from the bottom up.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules of `src/` in levels, the lowest first.
const LEVELS: [&[&str]; 5] =
    [&["error", "hex", "marker"], &["wire"], &["ser", "de", "with", "layout", "msgpack", "value"], &["array"], &["arbitrary"]];

fn level_of(module: &str) -> Option<usize> {
    LEVELS.iter().position(|level| level.contains(&module))
}

fn rust_files(directory: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let files = paths.flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] });
    files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// The modules that code refers to by `crate::`.
fn named(source: &str) -> impl Iterator<Item = &str> {
    let code = source.lines().map(|line| line.split("//").next().unwrap_or_default());
    let paths = code.flat_map(|line| line.split("crate::").skip(1));
    paths.filter_map(|path| path.split(|c: char| !(c.is_alphanumeric() || c == '_')).next())
}

#[test]
fn no_file_of_the_library_imports_from_a_higher_level() {
    let mut found = Vec::new();
    for path in rust_files("src".as_ref()) {
        let module = path.components().nth(1).unwrap().as_os_str().to_str().unwrap().trim_end_matches(".rs");
        let Some(level) = level_of(module) else {
            assert!(["lib", "docs"].contains(&module), "{module} has no level");
            continue;
        };
        let source = fs::read_to_string(&path).unwrap();
        let higher = named(&source).filter(|name| level_of(name).is_some_and(|other| other > level));
        found.extend(higher.map(|name| format!("{} imports from {name}", path.display())));
    }
    assert!(found.is_empty(), "{found:?}");
}

/// Names that belong to array metalayers. In the files of the format, only comments may use them.
const OF_ARRAYS: [&str; 15] = [
    "ArrayMeta",
    "B2ndMeta",
    "CatervaMeta",
    "Geometry",
    "Grid",
    "Released",
    "Shapes",
    "blockshape",
    "caterva",
    "chunkshape",
    "dtype",
    "dtype_format",
    "geometry",
    "ndim",
    "shape",
];

#[test]
fn the_format_names_nothing_of_an_array() {
    let mut found = Vec::new();
    for path in rust_files("src".as_ref()) {
        let module = path.components().nth(1).unwrap().as_os_str().to_str().unwrap().trim_end_matches(".rs");
        if !["ser", "de", "wire", "marker", "with"].contains(&module) {
            continue;
        }
        let source = fs::read_to_string(&path).unwrap();
        for (number, line) in source.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let words = code.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            found.extend(
                words.filter(|word| OF_ARRAYS.contains(word)).map(|word| format!("{}:{}: {word}", path.display(), number + 1)),
            );
        }
    }
    assert!(found.is_empty(), "{found:?}");
}
