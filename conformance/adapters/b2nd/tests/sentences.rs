//! The cases cover the ways in which the library rejects a file: each kind of error, and each message that `custom`, `expected` or
//! `mismatch` gets in the source code that reads files, except those that are listed here.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use b2nd_conformance::Case;
use b2nd_conformance_adapter::{Refused, read};

/// Kinds of errors that no file can cause.
const NO_FILE: [(&str, &str); 8] = [
    ("TooLong", "of writing"),
    ("BufferTooSmall", "of writing"),
    ("Unsupported", "of types"),
    ("NoRoom", "of editing"),
    ("Changed", "of editing"),
    ("Missing", "of sources that are fetched piece by piece"),
    ("Locked", "of editing"),
    ("TooDeep", "no layer holds nested values"),
];

/// Source files whose messages are not about a file that is read, and what they are about instead.
const OTHER_FILES: [(&str, &str); 13] = [
    ("array/grid/pack.rs", "memory of a caller"),
    ("de/access.rs", "enums, which no layer has"),
    ("disk/", "writing"),
    ("header/build.rs", "writing"),
    ("header/fit.rs", "writing"),
    ("open/reader.rs", "a range of a caller"),
    ("writer", "writing"),
    ("layout", "types"),
    ("ser", "writing"),
    ("value/encode.rs", "writing"),
    ("value/json_", "JSON"),
    ("value/raw.rs", "types"),
    ("wire/item.rs", "writing"),
];

/// Messages that no case causes, and why.
const OTHER_SENTENCES: [(&str, &str); 20] = [
    ("expected 0 (NumPy), found", "a dtype of another language is valid, and a case for it would be about a program's choice"),
    ("{} (byte {} of the string)", "dtypes inside other formats"),
    ("the slice touches {count} chunks", "the sizes of an array with more chunks than this are refused earlier"),
    ("a metalayer in Caterva's layout has no dtype", "an upgrade"),
    ("no memory for", "a machine without memory"),
    ("`Special::Value` needs", "writing"),
    ("fingerprint: expected type 0", "writing"),
    ("nbytes: expected a multiple of", "writing"),
    ("nbytes: expected a positive multiple of", "writing"),
    ("chunk {chunk} is out of range", "a number of a caller"),
    ("expected at most {limit} offsets", "an index that claims more than 256 offsets for each of its bytes"),
    ("the chunks of a sparse frame are separate files: open", "asked of a frame in memory"),
    ("metalayer {", "writing"),
    ("{name:?} would be number", "writing"),
    ("the header has {} metalayers, but", "writing"),
    ("the {part} has {length} bytes", "a header, index or trailer of more than 256 MiB"),
    ("the chunks of a sparse frame are separate files, which", "asked of a source without them"),
    ("generic MessagePack needs the feature", "a build without the standard library"),
    ("msgpack: {error}", "contents of a user's type"),
    ("the source returned bytes from", "a source of the caller"),
];

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").join(path)
}

fn refusals() -> Vec<Refused> {
    let cases = Case::all(&here("conformance/cases")).unwrap();
    cases.iter().filter_map(|case| read(case.layer, case.path.as_ref()?).err()).collect()
}

/// The strings that follow a word in a source file, such as in `custom("…")` and `custom(format_args!("…"))`.
fn strings(source: &str, word: &str) -> Vec<String> {
    let code: String = source.lines().filter(|line| !line.trim_start().starts_with("//")).flat_map(|line| [line, "\n"]).collect();
    let literal = |rest: &str| {
        let rest = rest.trim_start();
        let rest = ["format_args!(", "format!("].iter().find_map(|start| rest.strip_prefix(start)).unwrap_or(rest).trim_start();
        let mut text = String::new();
        let mut chars = rest.strip_prefix('"')?.chars();
        loop {
            match chars.next()? {
                '"' => return Some(text),
                '\\' => match chars.next()? {
                    '\n' => chars = chars.as_str().trim_start().chars(),
                    char => text.push(char),
                },
                char => text.push(char),
            }
        }
    };
    code.split(word).skip(1).filter_map(literal).collect()
}

/// True if a message contains the parts of a template in order. `{…}` matches any text.
fn says(sentence: &str, template: &str) -> bool {
    let mut rest = sentence;
    template
        .split('{')
        .enumerate()
        .map(|(index, part)| if index == 0 { part } else { part.split_once('}').map_or("", |(_, after)| after) })
        .all(|part| match rest.find(part) {
            Some(at) => {
                rest = &rest[at + part.len()..];
                true
            }
            None => false,
        })
}

#[test]
fn every_kind_of_error_is_reached() {
    let sources =
        ["src/error/kind.rs", "crates/b2nd-frame/src/error/kind.rs"].map(|file| fs::read_to_string(here(file)).unwrap());
    let variants = sources.iter().flat_map(|source| {
        let body = source.split("pub enum ErrorKind {").nth(1).unwrap().split("\n}\n").next().unwrap();
        body.lines().filter_map(|line| line.strip_prefix("    ")).filter(|line| line.starts_with(char::is_uppercase))
    });
    let kinds = variants.map(|line| line.split([' ', '(', ',', '{']).next().unwrap());
    // Instead of `Format`, the adapter reports the kind of the format's error.
    let kinds: BTreeSet<&str> = kinds.filter(|kind| *kind != "Format").collect();
    assert!(kinds.len() > 15, "{kinds:?}");
    let reached: BTreeSet<String> = refusals().into_iter().filter_map(|refused| refused.kind).collect();
    let excused: BTreeSet<&str> = NO_FILE.iter().map(|(kind, _)| *kind).collect();
    let missing: Vec<_> = kinds.iter().filter(|kind| !reached.contains(**kind) && !excused.contains(*kind)).collect();
    assert!(missing.is_empty(), "no case for {missing:?}");
    let needless: Vec<_> = excused.iter().filter(|kind| reached.contains(**kind) || !kinds.contains(*kind)).collect();
    assert!(needless.is_empty(), "there is a case for {needless:?}, or no such kind");
}

#[test]
fn every_sentence_of_what_reads_is_reached() {
    let sentences: Vec<String> = refusals().into_iter().map(|refused| refused.sentence).collect();
    let (mut missing, mut excused) = (Vec::new(), BTreeSet::new());
    let (library, frame, codec) = (here("src"), here("crates/b2nd-frame/src"), here("crates/b2nd-codec/src"));
    let in_codec = ["header.rs", "streams.rs", "leaf/blosclz"].map(|file| codec.join(file));
    let in_codec = files(&codec).into_iter().filter(|file| in_codec.iter().any(|front| file.starts_with(front)));
    for file in files(&library).into_iter().chain(files(&frame)).chain(in_codec) {
        let root = [&library, &frame, &codec].into_iter().find(|root| file.starts_with(root)).unwrap();
        let name = file.strip_prefix(root).unwrap().display().to_string();
        if OTHER_FILES.iter().any(|(other, _)| name.starts_with(other)) {
            continue;
        }
        let source = fs::read_to_string(&file).unwrap();
        let source = source.split("#[cfg(test)]\nmod").next().unwrap();
        let mut templates = strings(source, "custom(");
        templates.extend(strings(source, ".expected(").iter().map(|what| format!("expected {what}")));
        templates.extend(strings(source, "mismatch(").iter().map(|field| format!("{field}: expected ")));
        for template in templates {
            let is_told = template.chars().filter(char::is_ascii_alphabetic).count() > 3;
            if !is_told || sentences.iter().any(|sentence| says(sentence, &template)) {
                continue;
            }
            match OTHER_SENTENCES.iter().find(|(other, _)| template.starts_with(other)) {
                Some((other, _)) => drop(excused.insert(*other)),
                None => missing.push(format!("{name}: {template}")),
            }
        }
    }
    assert!(missing.is_empty(), "no case for\n{}", missing.join("\n"));
    let needless: Vec<_> = OTHER_SENTENCES.iter().filter(|(other, _)| !excused.contains(other)).collect();
    assert!(needless.is_empty(), "there is a case, or no such sentence: {needless:?}");
}

fn files(below: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(below).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}
