//! `b2nd meta` reads and changes attributes and metalayers.

use std::borrow::Cow;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use b2nd_store::{Attributes, Content, Leaf, Location, Table};
use b2nd_view::text::{columns, count, quoted, shortened};
use b2nd_view::value::{self, pack, pack_text, unhex};
use b2nd_view::{attributes, json};
use clap::{Args, Subcommand};

use crate::error::{Error, Result};
use crate::output::{Output, fitted, terminal};
use crate::paths::{Found, Leaves, Paths};
use crate::piped::is_standard;

pub(super) mod write_attribute;
use write_attribute::{remove, set};

/// Reads and changes attributes: the vlmetalayers of a frame, or with --fixed its metalayers.
#[derive(Subcommand)]
pub(crate) enum Meta {
    /// Lists metalayers and attributes: their names, places (such as `metalayer`) and values.
    #[command(after_help = "Examples:\n  b2nd meta list field.b2nd\n  b2nd meta list archive.b2z::/group/x")]
    List {
        /// A frame, a store, a leaf or a group: a path, a URL, - or STORE::KEY, as for `b2nd info`.
        file: PathBuf,
        /// Print a JSON object for each, on a line of its own, with its name, place and value.
        #[arg(long)]
        json: bool,
    },
    /// Prints the attribute with this name as JSON. If there is none, prints the metalayer, or the item of a table's metadata, that has
    /// this name.
    #[command(
        after_help = "Examples:\n  b2nd meta get field.b2nd units\n  b2nd meta get --fixed --raw field.b2nd b2nd > b2nd.msgpack"
    )]
    Get {
        /// A frame, a store, a leaf or a group: a path, a URL, - or STORE::KEY, as for `b2nd info`.
        file: PathBuf,
        /// The attribute's name. Without --raw, `history.version` is the field `version` of the attribute `history`, unless
        /// `history.version` is itself a name.
        name: String,
        /// Search only the metalayers in the header.
        #[arg(long)]
        fixed: bool,
        /// Write the bytes of the value, which are usually MessagePack, instead of JSON.
        #[arg(long)]
        raw: bool,
    },
    #[command(
        after_help = "Examples:\n  b2nd meta set field.b2nd units m/s\n  b2nd meta set field.b2nd origin --json '[0, 1.5]'"
    )]
    /// Sets an attribute. With --fixed, replaces a metalayer of the header by one of the same length; to change lengths, use
    /// `b2nd rewrite`.
    Set {
        /// A frame, the directory of a sparse frame, or in a .b2z or .b2d, a leaf with a file of its own, a table, or a treestore or one of
        /// its groups.
        file: PathBuf,
        /// The attribute's name.
        name: String,
        #[command(flatten)]
        value: Given,
        /// The value: a number, true, false, null, or a list, object or string as JSON. Other words are strings, unless they start with
        /// {, [ or ". `--text` makes any value a string.
        #[arg(allow_negative_numbers = true)]
        plain: Option<String>,
        /// Replace a metalayer in the header instead of an attribute.
        #[arg(long)]
        fixed: bool,
    },
    /// Removes an attribute.
    #[command(after_help = "Examples:\n  b2nd meta rm field.b2nd units\n  b2nd meta rm frame.b2frame note")]
    Rm {
        /// A frame, the directory of a sparse frame, or in a .b2z or .b2d, a leaf with a file of its own, a table, or a treestore or one of
        /// its groups.
        file: PathBuf,
        /// The attribute's name.
        name: String,
    },
    /// A first word that is not a subcommand: a file, or a misspelled subcommand. Always an error.
    #[command(external_subcommand)]
    Other(Vec<String>),
}

/// A value on the command line.
#[derive(Args)]
#[group(multiple = false)]
pub(crate) struct Given {
    // The brackets in the next comment are JSON, not links.
    #[allow(rustdoc::broken_intra_doc_links)]
    /// The value as JSON. Values that JSON lacks are written as `b2nd info --json` prints them: {"bytes": "00ff"},
    /// {"complex": [1, 2]}, {"set": [1]}.
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    json: Option<String>,
    /// The value as a string.
    #[arg(long, allow_hyphen_values = true)]
    text: Option<String>,
    /// The bytes to store, in hexadecimal. They are stored as they are, not packed as MessagePack.
    #[arg(long)]
    hex: Option<String>,
    /// A file with the bytes to store as they are, not packed as MessagePack, or - for standard input.
    #[arg(id = "content", long = "file", value_name = "PATH")]
    file: Option<PathBuf>,
}

impl Given {
    /// Returns the bytes to store for the value. Without an option, a value that is not JSON and does not start like JSON is stored as a
    /// string.
    ///
    /// # Errors
    ///
    /// Fails if there is no value or two, or if the value is invalid or cannot be read.
    fn bytes(&self, file: &Path, name: &str, plain: Option<&str>) -> Result<Vec<u8>> {
        match (self, plain) {
            (Given { json: Some(json), .. }, None) => pack(json).map_err(Error::new),
            (Given { text: Some(text), .. }, None) => Ok(pack_text(text)),
            (Given { hex: Some(digits), .. }, None) => unhex(digits)
                .ok_or_else(|| Error::new(format_args!("--hex: expected pairs of hexadecimal digits, found {digits:?}"))),
            (Given { file: Some(path), .. }, None) => {
                let named = |error: std::io::Error| std::io::Error::new(error.kind(), format!("{}: {error}", path.display()));
                if !is_standard(path) {
                    return Ok(fs::read(path).map_err(named)?);
                }
                let mut bytes = Vec::new();
                std::io::stdin().lock().read_to_end(&mut bytes)?;
                Ok(bytes)
            }
            (Given { json: None, text: None, hex: None, file: None }, Some(plain)) => {
                let is_json = plain.starts_with(['{', '[', '"']) || serde_json::from_str::<serde_json::Value>(plain).is_ok();
                if is_json { pack(plain).map_err(Error::new) } else { Ok(pack_text(plain)) }
            }
            _ => Err(Error::new(format_args!("give one value, as in `b2nd meta set {} {name} VALUE`", file.display()))),
        }
    }
}

impl Meta {
    pub(crate) fn run(&self, output: &mut Output) -> std::io::Result<bool> {
        match self {
            Meta::List { file, json } => list(file, *json, output),
            Meta::Get { file, name, fixed, raw } => get(file, name, *fixed, *raw, output),
            Meta::Set { file, name, value, plain, fixed } => {
                let done = value.bytes(file, name, plain.as_deref()).and_then(|bytes| set(file, name, &bytes, *fixed));
                Ok(output.settle(file, done)?.is_some())
            }
            Meta::Other(words) => {
                let file = words.first().map(String::as_str).unwrap_or_default();
                let error = match Location::new(file.as_ref()).path() {
                    Some(path) if !path.exists() => {
                        Error::new("it is neither a file nor a subcommand of meta: list, get, set or rm")
                    }
                    _ => Error::new(format_args!("meta needs a subcommand, as in `b2nd meta list {file}`")),
                };
                Ok(output.settle(Path::new(file), Err::<(), _>(error))?.is_some())
            }
            Meta::Rm { file, name } => Ok(output.settle(file, remove(file, name))?.is_some()),
        }
    }
}

/// The minimum number of characters of a value that are shown on a terminal. If the output is not a terminal, values are not cut.
const NARROWEST: usize = 16;

/// An entry of the list: a metalayer of a header, an attribute, or an item of a table's metadata.
struct Entry<'a> {
    name: &'a [u8],
    place: &'static str,
    value: b2nd_frame::Result<Cow<'a, [u8]>>,
}

/// Returns the entries of a frame, a store or a leaf. With `fixed`, the attributes of a frame are left out.
fn entries<'a>(found: &'a Found, fixed: bool) -> Result<Vec<Entry<'a>>> {
    fn of<'a>(attributes: &'a Attributes, place: &'static str) -> impl Iterator<Item = Entry<'a>> {
        attributes.iter().map(move |(name, _)| {
            let value = attributes.bytes(name).unwrap_or_default();
            Entry { name: name.as_bytes(), place, value: Ok(value.into()) }
        })
    }
    let of_table = |table: &'a Table| of(&table.metadata, "metadata").chain(of(&table.attributes, "attribute")).collect();
    Ok(match found {
        Found::Frame { frame, .. } => {
            let metalayers = frame.header().metalayers().iter();
            let metalayers = metalayers.map(|(name, value)| Entry { name, place: "metalayer", value: Ok(value.into()) });
            let attributes = if fixed { Vec::new() } else { attributes::of(frame.trailer()?) };
            let attributes = attributes.into_iter();
            let attributes = attributes.map(|it| Entry { name: it.name, place: "attribute", value: it.value });
            metalayers.chain(attributes).collect()
        }
        Found::Store { store, .. } => match store.leaves.iter().find(|leaf| leaf.key == "/").map(|leaf| &leaf.content) {
            Some(Content::Table(table)) => of_table(table),
            _ => of(&store.attributes, "attribute").collect(),
        },
        Found::Leaf { leaf: Leaf { content: Content::Table(table), .. }, .. } => of_table(table),
        Found::Leaf { .. } => return Err(Error::new("it is a reference to an array on a server, not a frame")),
    })
}

/// Prints the name, the place (such as `attribute`) and the value of each entry.
fn list(file: &Path, is_json: bool, output: &mut Output) -> std::io::Result<bool> {
    let Output { out, err } = output;
    let width = terminal().map(|(columns, _)| columns);
    Paths::of(file).each(Leaves::Itself, err, &mut |found| {
        let entries = entries(found, false)?;
        let all_read = entries.iter().all(|entry| entry.value.is_ok());
        if is_json {
            for Entry { name, place, value } in &entries {
                let found = value.as_ref().ok().and_then(|bytes| value::read(bytes));
                let mut line = serde_json::json!({"name": String::from_utf8_lossy(name), "place": place, "value": found});
                if let Err(error) = value {
                    line["error"] = error.to_string().into();
                }
                json::write_line(out, &line).map_err(Error::Write)?;
            }
            return Ok(all_read);
        }
        let widest = entries.iter().map(|entry| quoted(entry.name).chars().count()).max().unwrap_or(0);
        // Columns have two spaces between them, and the ellipsis needs one character.
        let room = width.map_or(usize::MAX, |width| width.saturating_sub(widest + "metalayer".len() + 5).max(NARROWEST));
        let rows = entries.iter().map(|entry| {
            let value = match &entry.value {
                Ok(bytes) => value::read(bytes).map_or_else(|| count(bytes.len(), "byte"), |found| value::text(&found, room)),
                Err(error) => format!("cannot be read: {error}"),
            };
            vec![quoted(entry.name), entry.place.to_owned(), shortened(value, room)]
        });
        let rows: Vec<_> = rows.collect();
        columns(&rows, &[]).iter().try_for_each(|line| writeln!(out, "{}", fitted(line))).map_err(Error::Write)?;
        Ok(all_read)
    })
}

fn get(file: &Path, name: &str, fixed: bool, raw: bool, output: &mut Output) -> std::io::Result<bool> {
    let Output { out, err } = output;
    Paths::of(file).each(Leaves::Itself, err, &mut |found| {
        let all = entries(found, fixed)?;
        let exists = |name: &str| all.iter().any(|entry| entry.name == name.as_bytes());
        let inside = || name.match_indices('.').map(|(dot, _)| (&name[..dot], &name[dot + 1..])).find(|(outer, _)| exists(outer));
        let (outer, inner) = if exists(name) { (name, "") } else { inside().filter(|_| !raw).unwrap_or((name, "")) };
        let mut named: Vec<_> = all.into_iter().filter(|entry| entry.name == outer.as_bytes()).collect();
        named.retain(|entry| !fixed || entry.place == "metalayer");
        // If several entries have this name, an attribute is preferred.
        named.sort_by_key(|entry| entry.place != "attribute");
        let what = if fixed { "metalayer" } else { "attribute or metalayer" };
        let missing = || Error::new(format_args!("there is no {what} {}: see `b2nd meta list`", quoted(name.as_bytes())));
        let value = named.into_iter().next().ok_or_else(missing)?.value?;
        if raw {
            out.write_all(&value).map_err(Error::Write)?;
            return Ok(true);
        }
        let value = value::read(&value).ok_or_else(|| {
            Error::new(format_args!("{} cannot be decoded as MessagePack: --raw writes its bytes", quoted(outer.as_bytes())))
        })?;
        if inner.is_empty() {
            return json::write_line(out, &value).map(|()| true).map_err(Error::Write);
        }
        let value = serde_json::to_value(value)?;
        let pointer = format!("/{}", inner.replace('~', "~0").replace('/', "~1").replace('.', "/"));
        let missing = || Error::new(format_args!("there is no {inner:?} in {}", quoted(outer.as_bytes())));
        let found = value.pointer(&pointer).ok_or_else(missing)?;
        json::write_line(out, found).map(|()| true).map_err(Error::Write)
    })
}
