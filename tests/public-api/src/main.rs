//! Compares the public items of `b2nd` and `b2nd-frame`, with all features, with the lists in this directory. Writes the lists
//! if `--update` is given.
//!
//! The items come from rustdoc's JSON, which needs a nightly compiler and has a version that changes with it. The comparison
//! fails if the crate `public-api` reads another version.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::{env, fs};

/// For each crate, the name of its library, its manifest, and its list.
const CRATES: [(&str, &str, &str); 2] =
    [("b2nd", "../../Cargo.toml", "items.txt"), ("b2nd_frame", "../../crates/b2nd-frame/Cargo.toml", "frame.txt")];

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut all_known = true;
    for (library, manifest, list) in CRATES {
        all_known &= compare(library, manifest, list)?;
    }
    Ok(if all_known { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Compares the items of a crate with its list, or writes the list. Returns whether they are the same.
fn compare(library: &str, manifest: &str, list: &str) -> Result<bool, Box<dyn Error>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let Some(items) = items(library, &here.join(manifest))? else {
        println!(
            "this nightly does not write version {} of rustdoc's JSON: update it, or the crates public-api and rustdoc-types",
            rustdoc_types::FORMAT_VERSION
        );
        return Ok(false);
    };
    let snapshot = here.join(list);
    if env::args().any(|argument| argument == "--update") {
        fs::write(snapshot, items)?;
        return Ok(true);
    }
    // The order of the items does not matter: splitting an `impl` block does not change the API.
    let known = fs::read_to_string(snapshot)?;
    let (known, found): (BTreeSet<&str>, BTreeSet<&str>) = (known.lines().collect(), items.lines().collect());
    for item in known.difference(&found) {
        println!("- {item}");
    }
    for item in found.difference(&known) {
        println!("+ {item}");
    }
    if known != found {
        println!("public items have changed: if this is intended, run this with `-- --update` and say so in CHANGELOG.md");
        return Ok(false);
    }
    println!("{library}: {} public items, as before", found.len());
    Ok(true)
}

/// Returns the public items, one per line, without derived implementations, or `None` if the JSON has a different version.
fn items(library: &str, manifest: &Path) -> Result<Option<String>, Box<dyn Error>> {
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
    let path = target.join(format!("doc/{library}.json"));
    if !fs::read_to_string(&path)?.contains(&format!("\"format_version\":{}", rustdoc_types::FORMAT_VERSION)) {
        return Ok(None);
    }
    // Implementations that the compiler derives automatically (`Send`, `Freeze`, …) have names that change between nightlies.
    let api = public_api::Builder::from_rustdoc_json(path)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()?;
    let items = api.items().map(|item| format!("{item}\n"));
    // The modules of `docs` hold only pages for rustdoc.
    Ok(Some(items.filter(|item| !item.starts_with(&format!("pub mod {library}::docs"))).collect()))
}
