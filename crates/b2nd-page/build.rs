//! Lists the files of the page, which are embedded as they are.

#![allow(clippy::expect_used)]

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=page");
    let directory = fs::canonicalize("page").expect("the directory of the page exists");
    let mut paths: Vec<_> = fs::read_dir(&directory).expect("the page can be read").flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let mut list = String::from("&[\n");
    for path in paths.iter().filter(|path| path.is_file()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        writeln!(list, "    ({name:?}, include_bytes!({:?})),", path.display().to_string()).expect("a string grows");
        println!("cargo::rerun-if-changed={}", path.display());
    }
    list.push(']');
    let out = env::var_os("OUT_DIR").expect("Cargo sets it");
    fs::write(Path::new(&out).join("files.rs"), list).expect("the list can be written");
}
