//! Compares the public items of `b2nd`, all features on, with `items.txt`; with `--update` writes that file.
//!
//! rustdoc says what is public, and says so on nightly compilers only. Its JSON changes with them: where it is of another version
//! than the one that the crate `public-api` reads, this fails.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::{env, fs};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let Some(items) = items(&here.join("../../Cargo.toml"))? else {
        println!(
            "this nightly's rustdoc JSON is not of version {}: other versions of two crates read it",
            rustdoc_types::FORMAT_VERSION
        );
        return Ok(ExitCode::FAILURE);
    };
    let snapshot = here.join("items.txt");
    if env::args().any(|argument| argument == "--update") {
        fs::write(snapshot, items)?;
        return Ok(ExitCode::SUCCESS);
    }
    // Their order is not the API's: an `impl` block that is split changes nothing.
    let known = fs::read_to_string(snapshot)?;
    let (known, found): (BTreeSet<&str>, BTreeSet<&str>) = (known.lines().collect(), items.lines().collect());
    for item in known.difference(&found) {
        println!("- {item}");
    }
    for item in found.difference(&known) {
        println!("+ {item}");
    }
    if known != found {
        println!("public items have changed: if they should, run this with `-- --update` and say so in CHANGELOG.md");
        return Ok(ExitCode::FAILURE);
    }
    println!("{} public items, as before", found.len());
    Ok(ExitCode::SUCCESS)
}

/// One item a line, without derived implementations; `None` where the JSON has another version.
fn items(manifest: &Path) -> Result<Option<String>, Box<dyn Error>> {
    let target = env::current_exe()?.with_file_name("rustdoc-json");
    let status = Command::new("cargo")
        .args(["+nightly", "rustdoc", "--quiet", "--lib", "--all-features", "--manifest-path"])
        .arg(manifest)
        .arg("--target-dir")
        .arg(&target)
        .args(["--", "-Zunstable-options", "--output-format=json"])
        .env_remove("RUSTC")
        .env_remove("RUSTDOC")
        .status()?;
    if !status.success() {
        return Err(format!("cargo +nightly rustdoc: {status}").into());
    }
    let path = target.join("doc/b2nd.json");
    if !fs::read_to_string(&path)?.contains(&format!("\"format_version\":{}", rustdoc_types::FORMAT_VERSION)) {
        return Ok(None);
    }
    // What the compiler derives by itself (`Send`, `Freeze`, …) has names that come and go with nightlies.
    let api = public_api::Builder::from_rustdoc_json(path)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()?;
    let items = api.items().map(|item| format!("{item}\n"));
    // Pages, which only rustdoc sees.
    Ok(Some(items.filter(|item| !item.starts_with("pub mod b2nd::docs")).collect()))
}
