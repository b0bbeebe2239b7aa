//! No circles: a file imports from its own floor or a lower one, so that it can be read after what it stands on.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A path of a `use` or in code, and the name that it gives.
struct Import {
    path: Vec<String>,
    name: String,
}

/// The files of one crate, by their module's path.
struct Crate(BTreeMap<Vec<String>, (PathBuf, Vec<Import>)>);

impl Crate {
    fn read(src: &Path) -> Crate {
        let mut modules = BTreeMap::new();
        for path in rust_files(src) {
            let relative = path.strip_prefix(src).unwrap().with_extension("");
            let mut module: Vec<String> = relative.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
            if matches!(module.last().unwrap().as_str(), "lib" | "main" | "mod") {
                module.pop();
            }
            let found = imports(&fs::read_to_string(&path).unwrap(), &module);
            // A binary beside a library has a root of its own, which imports nothing by `crate`.
            modules.entry(module).or_insert((path, found));
        }
        Crate(modules)
    }

    /// The file that defines what a path from the root names.
    fn file_of(&self, path: &[String], depth: usize) -> Option<&Path> {
        let length = (0..=path.len()).rev().find(|&length| self.0.contains_key(&path[..length]))?;
        let (file, imports) = &self.0[&path[..length]];
        let Some(item) = path.get(length) else { return Some(file) };
        let passed_on = imports.iter().find(|import| import.name == *item && import.path.len() > 1 && depth > 0);
        let further = passed_on.and_then(|import| {
            let mut next = self.absolute(&path[..length], &import.path)?;
            next.extend_from_slice(&path[length + 1..]);
            (next != path).then(|| self.file_of(&next, depth - 1))?
        });
        Some(further.unwrap_or(file))
    }

    /// The path from the root for one that a module writes. `None` for other crates.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Vec<String>> {
        let mut start = module.to_vec();
        let mut rest = path;
        match path[0].as_str() {
            "crate" => {
                start.clear();
                rest = &path[1..];
            }
            "self" => rest = &path[1..],
            "super" => {
                while rest.first().is_some_and(|step| step == "super") {
                    start.pop()?;
                    rest = &rest[1..];
                }
            }
            child => {
                start.push(child.to_owned());
                let is_module = self.0.contains_key(&start);
                start.pop();
                if !is_module {
                    return None;
                }
            }
        }
        start.extend_from_slice(rest);
        Some(start)
    }

    /// True if a path leads into a module below this one.
    fn is_child(&self, module: &[String], path: &[String]) -> bool {
        path.len() > module.len() + 1 && path.starts_with(module) && self.0.contains_key(&path[..=module.len()])
    }

    /// Which files each file imports from, by `crate` or `super`: that a file names its own children is no import.
    fn edges(&self) -> BTreeMap<&Path, BTreeSet<&Path>> {
        let mut edges: BTreeMap<&Path, BTreeSet<&Path>> = BTreeMap::new();
        for (module, (file, imports)) in &self.0 {
            let others = imports.iter().filter(|import| matches!(import.path[0].as_str(), "crate" | "super"));
            let paths = others.filter_map(|import| self.absolute(module, &import.path));
            let outside = paths.filter(|path| !self.is_child(module, path));
            let targets: Vec<&Path> = outside.filter_map(|path| self.file_of(&path, 8)).collect();
            edges.entry(file).or_default().extend(targets.into_iter().filter(|target| target != file));
        }
        edges
    }

    fn circles(&self) -> Vec<String> {
        let edges = self.edges();
        let reach = |from: &Path| {
            let mut seen: BTreeSet<&Path> = BTreeSet::new();
            let mut next: Vec<&Path> = edges[from].iter().copied().collect();
            while let Some(file) = next.pop() {
                if seen.insert(file) {
                    next.extend(&edges[file]);
                }
            }
            seen
        };
        let reached: BTreeMap<&Path, BTreeSet<&Path>> = edges.keys().map(|file| (*file, reach(file))).collect();
        let circle = |file: &Path| -> Vec<String> {
            let both = reached[file].iter().filter(|other| reached[**other].contains(file));
            both.map(|file| file.display().to_string()).collect()
        };
        let found: BTreeSet<Vec<String>> = edges.keys().map(|file| circle(file)).filter(|circle| circle.len() > 1).collect();
        found.into_iter().map(|circle| circle.join(", ")).collect()
    }
}

/// The Rust files below a directory, but for what a build made.
pub(crate) fn rust_files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("target") {
                found.extend(rust_files(&path));
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Imports of a file, and the paths that its code spells out.
fn imports(source: &str, module: &[String]) -> Vec<Import> {
    let mut found = Vec::new();
    let mut inside: Vec<usize> = Vec::new();
    let mut statement = String::new();
    for line in source.lines() {
        let indent = line.len() - line.trim_start().len();
        let line = line.trim();
        if statement.is_empty() {
            if line == "}" && inside.last() == Some(&indent) {
                inside.pop();
            }
            let bare = line.strip_prefix("pub").map_or(line, |rest| rest.trim_start_matches(|c| c != ' ').trim_start());
            if bare.starts_with("mod ") && bare.ends_with('{') {
                inside.push(indent);
            }
            let Some(path) = bare.strip_prefix("use ") else {
                found.extend(
                    written_out(line).map(|path| Import { path: in_file(path, inside.len(), module), name: String::new() }),
                );
                continue;
            };
            statement.push_str(path);
        } else {
            statement.push_str(line);
        }
        if let Some(end) = statement.find(';') {
            let mut paths = Vec::new();
            expand(&statement[..end], &[], &mut paths);
            found.extend(
                paths.into_iter().map(|Import { path, name }| Import { path: in_file(path, inside.len(), module), name }),
            );
            statement.clear();
        }
    }
    found
}

/// A path as the file itself would write it: in each module inside the file, `super` is one step shorter.
fn in_file(mut path: Vec<String>, modules: usize, module: &[String]) -> Vec<String> {
    for _ in 0..modules {
        if path[0] == "super" {
            path.remove(0);
            if path.first().is_none_or(|step| step != "super") {
                path.insert(0, "crate".to_owned());
                path.splice(1..1, module.iter().cloned());
            }
        }
    }
    path
}

/// The paths from `crate` and `super` in a line of code. What follows `//` is none.
fn written_out(line: &str) -> impl Iterator<Item = Vec<String>> {
    let code = line.split("//").next().unwrap_or_default();
    let words = code.split(|c: char| !(c.is_alphanumeric() || "_:$".contains(c)));
    let paths = words.filter(|word| word.starts_with("crate::") || word.starts_with("super::"));
    paths.map(|path| path.split("::").filter(|step| !step.is_empty()).map(str::to_owned).collect())
}

/// Takes a tree of a `use` apart.
fn expand(tree: &str, before: &[String], found: &mut Vec<Import>) {
    let (path, group) = tree.split_once('{').map_or((tree, None), |(path, group)| (path, Some(group.trim_end_matches(' '))));
    let (path, name) = path.split_once(" as ").map_or((path, None), |(path, name)| (path, Some(name.trim())));
    let mut steps = before.to_vec();
    steps.extend(
        path.split("::")
            .map(str::trim)
            .filter(|step| !step.is_empty() && *step != "self" || before.is_empty() && *step == "self")
            .map(str::to_owned),
    );
    let Some(group) = group else {
        if let Some(last) = steps.last().cloned() {
            found.push(Import { path: steps, name: name.map_or(last, str::to_owned) });
        }
        return;
    };
    let (mut depth, mut start) = (0, 0);
    let group = group.strip_suffix('}').unwrap_or(group);
    for (at, c) in group.char_indices().chain([(group.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !group[start..at].trim().is_empty() {
                    expand(group[start..at].trim(), &steps, found);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

#[test]
fn no_files_import_from_each_other_in_a_circle() {
    let mut crates = vec![PathBuf::from("src"), PathBuf::from("web/wasm/src")];
    crates.extend(fs::read_dir("crates").unwrap().map(|entry| entry.unwrap().path().join("src")).filter(|src| src.is_dir()));
    crates.sort();
    let circles: Vec<String> = crates.iter().flat_map(|src| Crate::read(src).circles()).collect();
    assert_eq!(circles, [""; 0], "a circle: what both files need belongs into one below them");
}

#[test]
fn a_circle_is_found_behind_other_names_and_in_modules_inside_a_file() {
    let directory = std::env::temp_dir().join(format!("b2nd-circles-{}", std::process::id()));
    let write = |name: &str, text: &str| {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let circles =
        || -> Vec<usize> { Crate::read(&directory).circles().iter().map(|circle| circle.split(", ").count()).collect() };
    write("lib.rs", "mod a;\nmod b;\npub use a::A;\n");
    write("a.rs", "mod deep;\npub use deep::{\n    self as low,\n    Deep,\n};\nuse crate::b::B;\npub struct A;\n");
    write("a/deep.rs", "use core::fmt;\npub struct Deep;\n");
    write("b.rs", "use crate::a::Deep;\npub struct B;\n");
    assert_eq!(circles(), [0usize; 0]);
    // The root passes on what `a` defines, and `a` imports from `b`.
    write("b.rs", "use crate::{a::Deep, A as Other};\npub struct B;\n");
    assert_eq!(circles(), [2]);
    write("b.rs", "use crate::a::Deep;\nmod inner {\n    use super::super::a::A;\n}\npub struct B;\n");
    assert_eq!(circles(), [2]);
    write("b.rs", "use crate::a::Deep;\nmod inner {\n    use super::B;\n}\npub struct B;\n");
    assert_eq!(circles(), [0usize; 0]);
    write("a/deep.rs", "use crate::b::B;\npub struct Deep;\n");
    assert_eq!(circles(), [2]);
    // A path in a function is an import; one in a comment or a macro's own is none.
    write("a/deep.rs", "pub struct Deep;\nfn make() -> Deep {\n    crate::b::make()\n}\n");
    assert_eq!(circles(), [2]);
    write("a/deep.rs", "pub struct Deep;\n/// [`B`](crate::b::B)\nfn make() { $crate::b::make() } // crate::b::make()\n");
    assert_eq!(circles(), [0usize; 0]);
    fs::remove_dir_all(&directory).unwrap();
}
