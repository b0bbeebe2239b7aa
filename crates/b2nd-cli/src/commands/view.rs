//! `b2nd view`: files in the page, which a server on this machine gives to the browser.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use b2nd_store::walk::frames;
use b2nd_store::{Bytes, Location, Target};
use clap::Args;

use crate::error::{Error, Result};
use crate::output::Output;

/// Opens files in the browser.
#[derive(Args)]
pub(crate) struct View {
    /// Files, stores, directories of sparse frames, or URLs.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Look for frames and stores in directories and below them.
    #[arg(short, long)]
    recursive: bool,

    /// The port; a free one by default.
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    port: u16,

    /// Print the URL and start no browser.
    #[arg(long)]
    no_open: bool,

    /// Serve another build of the page: a directory that `web/build` made.
    #[arg(long, value_name = "DIR")]
    page: Option<PathBuf>,
}

/// What is served under one name.
#[cfg_attr(not(feature = "page"), allow(dead_code))]
pub(crate) enum Item {
    /// A file or a URL.
    File { name: String, source: Bytes },
    /// The files of a directory: their paths below it, with `/` between the parts, and their lengths.
    Folder { name: String, files: Vec<(String, PathBuf, u64)> },
}

impl View {
    pub(crate) fn run(&self, output: &mut Output) -> io::Result<bool> {
        let served = self.items().and_then(|items| self.serve(items, output));
        match served {
            Ok(()) => Ok(true),
            Err(Error::Write(error)) => Err(error),
            Err(error) => writeln!(output.err, "{error}").map(|()| false),
        }
    }

    fn items(&self) -> Result<Vec<Item>> {
        let mut items = Vec::new();
        for path in &self.files {
            if self.recursive && path.is_dir() {
                for (path, target) in frames(path) {
                    target.map_err(|error| at(&path, error))?;
                    items.push(item(&path)?);
                }
            } else {
                items.push(item(path)?);
            }
        }
        if items.is_empty() { Err(Error::new("there are no frames or stores in these directories")) } else { Ok(items) }
    }

    #[cfg(not(feature = "page"))]
    fn serve(&self, _: Vec<Item>, _: &mut Output) -> Result<()> {
        let _ = (self.port, self.no_open, &self.page);
        Err(Error::new(
            "this build of b2nd has no server for the page: `cargo install b2nd-cli --features full` or `pip install b2nd`",
        ))
    }

    #[cfg(feature = "page")]
    fn serve(&self, items: Vec<Item>, output: &mut Output) -> Result<()> {
        let page = crate::server::page(self.page.as_deref())?;
        crate::server::serve(page, items, self.port, |url| {
            writeln!(output.out, "{url}\nCtrl-C ends it.").and_then(|()| output.out.flush()).map_err(Error::Write)?;
            if !self.no_open {
                crate::server::open(url);
            }
            Ok(())
        })
    }
}

fn at(path: &Path, error: impl std::fmt::Display) -> Error {
    Error::new(format_args!("{}: {error}", path.display()))
}

/// What a path or a URL names.
fn item(path: &Path) -> Result<Item> {
    let location = Location::new(path.as_os_str());
    let place = location.place().into_owned();
    let name = place.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
    match location.path() {
        Some(directory) if directory.is_dir() && location.key().is_none() => {
            let mut files = Vec::new();
            below(directory, "", &mut files).map_err(|error| at(path, error))?;
            if !files.iter().any(|(path, ..)| {
                path.ends_with(".b2frame") || path.ends_with(".b2nd") || path.ends_with(".b2f") || path.ends_with(".b2e")
            }) {
                return Err(at(path, "a directory without a frame or a store: -r looks below it"));
            }
            Ok(Item::Folder { name, files })
        }
        _ => {
            let source = match location.key() {
                Some(_) => crate::values::source(path).map_err(|error| at(path, error))?,
                // A store is given as it is: the page lists what is in it.
                None => match location.open().map_err(|error| at(path, error))? {
                    Target::File(source) => source,
                    Target::Directory(_) => return Err(at(path, "a directory: -r looks below it")),
                },
            };
            Ok(Item::File { name, source })
        }
    }
}

/// Collects the regular files below a directory; symbolic links are left out.
fn below(directory: &Path, prefix: &str, files: &mut Vec<(String, PathBuf, u64)>) -> io::Result<()> {
    let mut entries: Vec<_> = std::fs::read_dir(directory)?.collect::<io::Result<_>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (kind, name) = (entry.file_type()?, entry.file_name());
        let path = format!("{prefix}{}", name.to_string_lossy());
        if kind.is_dir() {
            below(&entry.path(), &format!("{path}/"), files)?;
        } else if kind.is_file() {
            files.push((path, entry.path(), entry.metadata()?.len()));
        }
    }
    Ok(())
}
