//! The published package: its files, and the crates that it depends on.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use serde_json::Value;

/// The licenses that deny.toml allows.
fn licenses() -> BTreeSet<&'static str> {
    let list = include_str!("../../deny.toml").split_once("allow = [").and_then(|(_, rest)| rest.split_once(']'));
    list.unwrap().0.split('"').skip(1).step_by(2).collect()
}

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).args(arguments).output().unwrap();
    assert!(output.status.success(), "cargo {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Every crate that the workspace may build on any platform, including its own.
fn packages() -> Vec<Value> {
    let metadata: Value =
        serde_json::from_str(&cargo(&["metadata", "--format-version=1", "--all-features", "--locked"])).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

fn text<'a>(package: &'a Value, key: &str) -> &'a str {
    package[key].as_str().unwrap_or_default()
}

#[test]
fn the_package_holds_the_files_that_its_docs_name() {
    let list = cargo(&["package", "--list", "--allow-dirty", "--package", "b2nd"]);
    let files: BTreeSet<&str> = list.lines().collect();
    let docs = files.iter().filter(|file| [".rs", ".md"].iter().any(|end| file.ends_with(end)));
    for file in docs {
        let source = fs::read_to_string(file).unwrap();
        // `crates/NAME/tests/data/` belongs to another package.
        for (start, _) in source.match_indices("tests/data/").filter(|(start, _)| !source[..*start].ends_with('/')) {
            let named = source[start..].split(|c: char| !(c.is_alphanumeric() || "/._-".contains(c))).next().unwrap();
            assert!(files.contains(named), "{file} names {named}, which is not in the package");
        }
    }
}

#[test]
fn the_package_holds_no_more_than_a_user_needs() {
    let list = cargo(&["package", "--list", "--allow-dirty", "--package", "b2nd"]);
    let is_example = |file: &str| file.starts_with("examples/") && file.ends_with(".rs");
    let others = list.lines().filter(|file| !file.starts_with("src/") && !is_example(file));
    let expected = [
        ".cargo_vcs_info.json",
        "CHANGELOG.md",
        "Cargo.lock",
        "Cargo.toml",
        "Cargo.toml.orig",
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "README.md",
        "tests/data/example.b2nd",
        "tests/data/grid/i4_2d.b2nd",
    ];
    // Cargo adds the first file if the package is built from a Git checkout.
    let expected = &expected[usize::from(!list.starts_with('.'))..];
    assert_eq!(others.collect::<Vec<_>>(), expected);
}

#[test]
fn the_library_depends_on_five_crates() {
    let packages = packages();
    let this = packages.iter().find(|package| text(package, "name") == "b2nd").unwrap();
    let dependencies = this["dependencies"].as_array().unwrap().iter();
    // `arbitrary` is for fuzz targets, and is enabled by a feature of that name.
    let dependencies = dependencies.filter(|dependency| text(dependency, "name") != "arbitrary");
    let of_users = dependencies.filter(|dependency| dependency["kind"].is_null());
    let names: Vec<_> = of_users.map(|it| (text(it, "name"), text(it, "target"))).collect();
    assert_eq!(names, ["rmp", "rmp-serde", "serde", "serde_bytes", "thiserror"].map(|name| (name, "")));
}

#[test]
fn what_a_published_crate_brings_has_a_license_of_the_list() {
    // `publish = false` is an empty list of registries in the metadata.
    for published in packages().iter().filter(|it| it["source"].is_null() && it["publish"].is_null()) {
        let name = text(published, "name");
        let tree = ["tree", "--package", name, "--edges=normal,build", "--all-features", "--target=all", "--prefix=none"];
        for package in cargo(&[&tree[..], &["--no-dedupe", "--format={p}: {l}"]].concat()).lines() {
            let (package, license) = package.rsplit_once(": ").unwrap();
            // Some old crates write a slash for "OR". A license with an exception counts as a license of its own.
            let words = license.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ").replace(" WITH ", "-WITH-");
            let mut words = words.split_whitespace().peekable();
            assert!(allowed(&mut words) && words.next().is_none(), "{name}: {package} is under {license:?}");
        }
    }
}

/// True if an SPDX expression can be satisfied with [`licenses`] only.
fn allowed<'a>(words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>) -> bool {
    let mut any = false;
    loop {
        let mut all = true;
        loop {
            all &= match words.next() {
                Some("(") => allowed(words) & (words.next() == Some(")")),
                Some(license) => licenses().contains(license),
                None => false,
            };
            if words.next_if_eq(&"AND").is_none() {
                break;
            }
        }
        any |= all;
        if words.next_if_eq(&"OR").is_none() {
            return any;
        }
    }
}

#[test]
fn an_expression_is_allowed_when_a_choice_of_it_is() {
    let expressions = [
        ("MIT", true),
        ("GPL-3.0-only", false),
        ("", false),
        ("GPL-3.0-only OR MIT", true),
        ("MIT AND GPL-3.0-only", false),
        ("GPL-3.0-only AND MIT", false),
        ("GPL-3.0-only AND MIT OR MIT", true),
        ("( MIT OR GPL-3.0-only ) AND Unicode-3.0", true),
        ("( MIT OR Apache-2.0 ) AND GPL-3.0-only", false),
        ("GPL-3.0-only-WITH-some-exception OR MIT", true),
    ];
    for (expression, expected) in expressions {
        assert_eq!(allowed(&mut expression.split_whitespace().peekable()), expected, "{expression}");
    }
}

/// Libraries behind features that are off by default, which need a newer Rust.
const OF_FEATURES: &[&str] = &["zarrs", "zrip"];

#[test]
fn no_dependency_asks_for_a_newer_rust() {
    let number = |version: &str| {
        let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap());
        (parts.next(), parts.next(), parts.next().unwrap_or(0))
    };
    let ours = number(env!("CARGO_PKG_RUST_VERSION"));
    for package in packages().iter().filter(|package| package["source"].is_string()) {
        // The crates of a library share the first word of their names.
        let library = text(package, "name").split(['_', '-']).next().unwrap();
        let is_optional = OF_FEATURES.contains(&library);
        if let Some(version) = package["rust_version"].as_str().filter(|_| !is_optional) {
            assert!(number(version) <= ours, "{} {} needs Rust {version}", text(package, "name"), text(package, "version"));
        }
    }
}
