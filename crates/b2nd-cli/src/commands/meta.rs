//! `b2nd meta` and `b2nd rewrite`: attributes and metalayers, read and changed.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use b2nd::frame::{Editor, File};
use b2nd::{Error, Result};
use b2nd_ndarray::codec::Codec;
use b2nd_store::Location;
use b2nd_view::store::Content;
use b2nd_view::text::quoted;
use b2nd_view::value::{Value, pack, pack_text, unhex};
use b2nd_view::{attributes, json};
use clap::{Args, Subcommand};

use crate::output::{self, Output};
use crate::paths::{Found, Leaves, Paths, unwritable};

/// Reads and changes attributes: the vlmetalayers of a frame, or with --fixed its metalayers.
#[derive(Subcommand)]
pub(crate) enum Meta {
    /// Prints the value of an attribute as JSON.
    Get {
        /// A frame, a store or a leaf; as `b2nd info` takes it.
        file: PathBuf,
        /// The attribute's name.
        name: String,
        /// Look among the metalayers in the header.
        #[arg(long)]
        fixed: bool,
        /// Write the value's bytes as they are.
        #[arg(long)]
        raw: bool,
    },
    /// Sets an attribute, in place. A metalayer of the header (--fixed) keeps its length: see `b2nd rewrite`.
    Set {
        /// A frame, or the directory of a sparse frame.
        file: PathBuf,
        /// The attribute's name.
        name: String,
        #[command(flatten)]
        value: Given,
        /// Replace a metalayer in the header.
        #[arg(long)]
        fixed: bool,
    },
    /// Removes an attribute, in place.
    Rm {
        /// A frame, or the directory of a sparse frame.
        file: PathBuf,
        /// The attribute's name.
        name: String,
    },
}

/// A value on the command line.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Given {
    // The help of a command line, and no links.
    #[allow(rustdoc::broken_intra_doc_links)]
    /// The value as JSON; what JSON lacks as `b2nd info --json` prints it: {"bytes": "00ff"}, {"complex": [1, 2]}, {"set": [1]}.
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    json: Option<String>,
    /// The value as a string.
    #[arg(long, allow_hyphen_values = true)]
    text: Option<String>,
    /// The content's bytes in hexadecimal, not packed.
    #[arg(long)]
    hex: Option<String>,
    /// A file with the content's bytes, not packed.
    #[arg(id = "content", long = "file", value_name = "PATH")]
    file: Option<PathBuf>,
}

impl Given {
    fn bytes(&self) -> Result<Vec<u8>> {
        match self {
            Given { json: Some(json), .. } => pack(json).map_err(Error::custom),
            Given { text: Some(text), .. } => Ok(pack_text(text)),
            Given { hex: Some(digits), .. } => {
                unhex(digits).ok_or_else(|| Error::custom("--hex: expected pairs of hexadecimal digits"))
            }
            Given { file: Some(path), .. } => {
                let named = |error: std::io::Error| std::io::Error::new(error.kind(), format!("{}: {error}", path.display()));
                Ok(fs::read(path).map_err(named)?)
            }
            _ => Ok(Vec::new()),
        }
    }
}

impl Meta {
    pub(crate) fn run(&self, output: &mut Output) -> std::io::Result<bool> {
        let (file, done) = match self {
            Meta::Get { file, name, fixed, raw } => return get(file, name, *fixed, *raw, output),
            Meta::Set { file, name, value, fixed } => (file, set(file, name, value, *fixed)),
            Meta::Rm { file, name } => (file, remove(file, name)),
        };
        report(file, done, output)
    }
}

/// Says what went wrong, if something did.
pub(crate) fn report(file: &Path, done: Result<()>, output: &mut Output) -> std::io::Result<bool> {
    if let Err(error) = &done {
        writeln!(output.err, "{}", output::named(file, error))?;
    }
    Ok(done.is_ok())
}

fn get(file: &Path, name: &str, fixed: bool, raw: bool, output: &mut Output) -> std::io::Result<bool> {
    let Output { out, err } = output;
    Paths::of(file).each(Leaves::Itself, err, &mut |found| {
        let missing = |what: &str| Error::custom(format_args!("there is no {what} {}", quoted(name.as_bytes())));
        let value = match found {
            Found::Frame { frame, .. } if fixed => {
                frame.header().metalayers().get(name).ok_or_else(|| missing("metalayer"))?.to_vec()
            }
            Found::Frame { frame, .. } => {
                let mut all = attributes::of(&frame.tail()?.trailer, &mut Codec::default()).into_iter();
                let attribute = all.find(|attribute| attribute.name == name.as_bytes()).ok_or_else(|| missing("attribute"))?;
                attribute.value?.into_owned()
            }
            Found::Store { store, .. } => {
                store.attributes.bytes(name).filter(|_| !fixed).ok_or_else(|| missing("attribute"))?.to_vec()
            }
            Found::Leaf { leaf, .. } => match &leaf.content {
                Content::Table(table) if !fixed => table.attributes.bytes(name).ok_or_else(|| missing("attribute"))?.to_vec(),
                _ => return Err(Error::custom("it is not one frame")),
            },
        };
        if raw {
            out.write_all(&value).map_err(unwritable)?;
            return Ok(true);
        }
        let value = Value::from_slice(&value).ok_or_else(|| {
            Error::custom(format_args!("{} is not MessagePack: --raw writes its bytes", quoted(name.as_bytes())))
        })?;
        json::write_line(out, &value).map_err(unwritable)?;
        Ok(true)
    })
}

/// A frame that may be changed: a file or a directory on this machine.
fn edit(file: &Path) -> Result<Editor> {
    let location = Location::new(file.as_os_str());
    if location.key().is_some() {
        return Err(Error::custom("it names a leaf of a store, and only files and sparse frames are changed"));
    }
    match location.path() {
        Some(path) => File::edit(path),
        None if location.is_stdin() => Err(Error::custom("it is standard input, and only files of this machine are changed")),
        None => Err(Error::custom("it is on a server, and only files of this machine are changed")),
    }
}

fn set(file: &Path, name: &str, value: &Given, fixed: bool) -> Result<()> {
    let bytes = value.bytes()?;
    let mut editor = edit(file)?;
    if !fixed {
        return editor.set_vlmetalayer(name, &bytes);
    }
    editor.set_metalayer_bytes(name, &bytes)
}

fn remove(file: &Path, name: &str) -> Result<()> {
    if edit(file)?.remove_vlmetalayer(name)? {
        return Ok(());
    }
    Err(Error::custom(format_args!("there is no attribute {}", quoted(name.as_bytes()))))
}
