//! Embeds the built page that `B2ND_PAGE` names, for `b2nd view`; without it the program asks for `--page`.

#![allow(clippy::expect_used)]

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-env-changed=B2ND_PAGE");
    let mut list = String::from("pub(crate) const FILES: &[(&str, &[u8])] = &[\n");
    if let Some(directory) = env::var_os("B2ND_PAGE").filter(|_| env::var_os("CARGO_FEATURE_PAGE").is_some()) {
        let directory = fs::canonicalize(directory).expect("B2ND_PAGE names the directory of a built page");
        println!("cargo::rerun-if-changed={}", directory.display());
        let mut paths: Vec<_> =
            fs::read_dir(&directory).expect("the page can be read").flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.is_file()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            writeln!(list, "    ({name:?}, include_bytes!({:?})),", path.display().to_string()).expect("a string grows");
        }
    }
    list.push_str("];\n");
    let out = env::var_os("OUT_DIR").expect("Cargo sets it");
    fs::write(Path::new(&out).join("page.rs"), list).expect("the list can be written");
}
