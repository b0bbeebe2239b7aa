//! [`Case`]: a file or a directory, and the expected result.

use std::fmt::{self, Write as _};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::differ::Differ;
use crate::fact::{Fact, hex, quoted};

/// A part of the format that an implementation can read separately.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Layer {
    Metalayer,
    Header,
    Trailer,
    Index,
    Chunk,
    Frame,
    Sparse,
    Dtype,
    Grid,
    Store,
    Table,
}

impl Layer {
    /// Every layer.
    pub const ALL: [Layer; 11] = [
        Layer::Metalayer,
        Layer::Header,
        Layer::Trailer,
        Layer::Index,
        Layer::Chunk,
        Layer::Frame,
        Layer::Sparse,
        Layer::Dtype,
        Layer::Grid,
        Layer::Store,
        Layer::Table,
    ];

    /// Returns the name of the layer, which is also the name of its folder.
    pub fn name(self) -> &'static str {
        match self {
            Layer::Metalayer => "metalayer",
            Layer::Header => "header",
            Layer::Trailer => "trailer",
            Layer::Index => "index",
            Layer::Chunk => "chunk",
            Layer::Frame => "frame",
            Layer::Sparse => "sparse",
            Layer::Dtype => "dtype",
            Layer::Grid => "grid",
            Layer::Store => "store",
            Layer::Table => "table",
        }
    }

    /// Returns the layer with this name, or `None` if there is none.
    pub fn parse(name: &str) -> Option<Layer> {
        Layer::ALL.into_iter().find(|layer| layer.name() == name)
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The expected result of a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The file is valid and has these facts.
    Accept(Fact),
    /// The file is not valid.
    Reject,
}

/// A part of a file that is too long to be stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The number of times that the bytes are written, one after another.
    pub times: u64,
}

/// The file or files that a recipe creates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// A file: its extension and its bytes. If the extension is empty, the file is `NAME.bin`.
    File(&'static str, Vec<u8>),
    /// A directory: its extension, which may be empty, and its files.
    Folder(&'static str, Vec<(String, Vec<u8>)>),
    /// A long file, which the runner creates from these parts.
    Parts(Vec<Part>),
}

/// A case that a recipe created.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Made {
    /// The layer.
    pub layer: Layer,
    /// The name, which is unique in the layer.
    pub name: String,
    /// What is special about the file, in words.
    pub what: String,
    /// The file or files.
    pub content: Content,
    /// The expected result.
    pub verdict: Verdict,
    /// Whether encoding the facts must give the same bytes.
    pub encode: bool,
}

impl Made {
    /// Returns the name of the file or directory, or an empty text if the runner creates the file from parts.
    pub fn file(&self) -> String {
        match &self.content {
            Content::File(end, _) | Content::Folder(end, _) if !end.is_empty() => format!("{}.{end}", self.name),
            Content::File(..) => format!("{}.bin", self.name),
            Content::Folder(..) => self.name.clone(),
            Content::Parts(_) => String::new(),
        }
    }

    /// Returns the content of `NAME.json`.
    pub fn json(&self, differences: &[Differ]) -> String {
        let id = format!("{}/{}", self.layer, self.name);
        let differ: Vec<&Differ> = differences.iter().filter(|differ| differ.matches(&id)).collect();
        let should = if matches!(self.verdict, Verdict::Reject) { "reject" } else { "accept" };
        let mut text = String::from("{\n");
        let mut line = |name: &str, value: String| {
            let _ = writeln!(text, "  {}: {value},", quoted(name));
        };
        line("what", quoted(&self.what));
        match &self.content {
            Content::Parts(parts) => {
                let parts =
                    parts.iter().map(|part| format!("{{\"bytes\": \"{}\", \"times\": \"{}\"}}", hex(&part.bytes), part.times));
                line("parts", format!("[{}]", parts.collect::<Vec<_>>().join(", ")));
            }
            _ => line("file", quoted(&self.file())),
        }
        line("writer", quoted("b2nd-conformance"));
        line("version", quoted("1"));
        line("licence", quoted("MIT OR Apache-2.0"));
        if differ.is_empty() {
            line("expect", quoted(should));
        } else {
            line("expect", quoted("differ"));
            line("should", quoted(should));
            let list = differ.iter().map(|differ| {
                let does: Vec<String> = differ.does.iter().map(|does| quoted(&does.to_string())).collect();
                format!(
                    "    {{\"who\": {}, \"does\": [{}], \"why\": {}}}",
                    quoted(&differ.who),
                    does.join(", "),
                    quoted(&differ.why)
                )
            });
            line("differ", format!("[\n{}\n  ]", list.collect::<Vec<_>>().join(",\n")));
        }
        if let Verdict::Accept(fact) = &self.verdict {
            if matches!(self.layer, Layer::Metalayer | Layer::Header | Layer::Trailer) {
                line("encode", self.encode.to_string());
            }
            line("value", lines(fact));
        }
        text.truncate(text.trim_end().trim_end_matches(',').len());
        text + "\n}\n"
    }

    /// Writes `NAME.json`, and the file or files unless the runner creates them, to the folder of the layer below `below`.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be written.
    pub fn write(&self, below: &Path, differences: &[Differ]) -> std::io::Result<()> {
        let folder = below.join(self.layer.name());
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(format!("{}.json", self.name)), self.json(differences))?;
        match &self.content {
            Content::File(_, bytes) => fs::write(folder.join(self.file()), bytes),
            Content::Parts(_) => Ok(()),
            Content::Folder(_, files) => {
                let folder = folder.join(self.file());
                fs::create_dir_all(&folder)?;
                for (name, bytes) in files {
                    let path = folder.join(name);
                    if let Some(parent) = path.parent() {
                        fs::create_dir_all(parent)?;
                    }
                    fs::write(path, bytes)?;
                }
                Ok(())
            }
        }
    }
}

/// Formats facts as a JSON object with a line for each entry.
fn lines(fact: &Fact) -> String {
    let Fact::Map(entries) = fact else { return fact.to_string() };
    let entries: Vec<String> = entries.iter().map(|(name, fact)| format!("    {}: {fact}", quoted(name))).collect();
    format!("{{\n{}\n  }}", entries.join(",\n"))
}

/// A case that is read from disk.
#[derive(Clone, Debug)]
pub struct Case {
    /// The layer.
    pub layer: Layer,
    /// The name.
    pub name: String,
    /// What is special about the file, in words.
    pub what: String,
    /// The path of the file or directory, or `None` if the runner creates the file from [`parts`](Case::parts).
    pub path: Option<PathBuf>,
    /// The parts of a long file.
    pub parts: Vec<Part>,
    /// The expected result.
    pub verdict: Verdict,
    /// Whether encoding the facts must give the same bytes.
    pub encode: bool,
    /// Implementations that are known to give a different result.
    pub differ: Vec<Differ>,
}

impl Case {
    /// Returns `layer/name`.
    pub fn id(&self) -> String {
        format!("{}/{}", self.layer, self.name)
    }

    /// Reads all cases below a directory, in the order of [`Layer::ALL`] and then of their JSON files' names.
    ///
    /// # Errors
    ///
    /// Fails if the folder of a layer or a JSON file in it cannot be read, or the file is not a case. The message names the folder or the
    /// file.
    pub fn all(below: &Path) -> Result<Vec<Case>, String> {
        let mut cases = Vec::new();
        for layer in Layer::ALL {
            let folder = below.join(layer.name());
            let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
            let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
            paths.retain(|path| path.is_file() && path.extension().is_some_and(|end| end == "json"));
            paths.sort();
            for path in paths {
                cases.push(Case::read(layer, &path).map_err(|error| format!("{}: {error}", path.display()))?);
            }
        }
        Ok(cases)
    }

    fn read(layer: Layer, path: &Path) -> Result<Case, String> {
        let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
        let json: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let field = |name: &str| json.get(name).and_then(Value::as_str);
        let name = path.file_stem().and_then(|stem| stem.to_str()).ok_or("the name of the file is not UTF-8")?.to_owned();
        let should = match field("expect") {
            Some("differ") => field("should"),
            other => other,
        };
        let verdict = match should {
            Some("accept") => {
                Verdict::Accept(Fact::from_json(json.get("value").ok_or("\"accept\" needs the key `value`, which is missing")?)?)
            }
            Some("reject") => Verdict::Reject,
            _ => {
                let (expect, should) = (&json["expect"], &json["should"]);
                return Err(format!(
                    "expected `expect`, or `should` if `expect` is \"differ\", to be \"accept\" or \"reject\"; \
                     found `expect`: {expect}, `should`: {should}"
                ));
            }
        };
        let differ = json.get("differ").map_or(Ok(Vec::new()), Differ::list)?;
        let parts = match json.get("parts") {
            Some(Value::Array(parts)) => {
                let wrong = |json: &Value| {
                    format!("expected a part with the strings `bytes` (hexadecimal) and `times` (decimal), found {json}")
                };
                parts.iter().map(|json| part(json).ok_or_else(|| wrong(json))).collect::<Result<_, _>>()?
            }
            _ => Vec::new(),
        };
        let path = field("file").map(|file| path.with_file_name(file));
        if path.is_none() && parts.is_empty() {
            return Err("expected a string `file` or a list `parts` that is not empty, found neither".into());
        }
        Ok(Case {
            layer,
            name,
            what: field("what").unwrap_or_default().to_owned(),
            path,
            parts,
            verdict,
            encode: json.get("encode").and_then(Value::as_bool).unwrap_or(false),
            differ,
        })
    }
}

fn part(json: &Value) -> Option<Part> {
    let Ok(Fact::Bytes(bytes)) = Fact::from_json(&serde_json::json!({ "bytes": json.get("bytes")? })) else { return None };
    Some(Part { bytes, times: json.get("times")?.as_str()?.parse().ok()? })
}
