//! The test harness: runs the tool in a temporary directory or in the repository, and builds frames.

use std::fs;
use std::io::Write as _;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use b2nd_frame::{File, Header, Writer};
use serde_json::{Value, json};

/// The path of a frame, from the root of the repository.
pub(crate) const EXAMPLE: &str = "tests/data/example.b2nd";

/// The path of a sparse frame, from the root of the repository.
pub(crate) const SPARSE: &str = "tests/data/python-blosc2-2.2.9/storage__sframe_2d_int32.b2sd";

/// A store in tests/data.
pub(crate) const STORE: &str = "python-blosc2-4.14.1/treestore__dfltb2z.b2z";

/// The output of a command, its errors, and its exit status.
pub(crate) type Printed = (String, String, i32);

/// A directory in which the tool is run.
pub(crate) struct Place(pub(crate) PathBuf);

impl Place {
    pub(crate) fn root() -> Place {
        Place(concat!(env!("CARGO_MANIFEST_DIR"), "/../..").into())
    }

    pub(crate) fn data() -> Place {
        Place(Place::root().path("tests/data"))
    }

    /// The test tables of b2nd-arrow.
    pub(crate) fn tables() -> Place {
        Place(Place::root().path("crates/b2nd-arrow/tests/data"))
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn read(&self, name: impl AsRef<Path>) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_b2nd"));
        command.args(args).current_dir(&self.0).stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Printed {
        printed(&mut self.command(args))
    }

    /// The same without the lines of `check` for files without findings.
    pub(crate) fn found(&self, args: &[&str]) -> Printed {
        let (out, err, status) = self.run(args);
        (out.lines().filter(|line| !line.contains(": ok: ")).map(|line| format!("{line}\n")).collect(), err, status)
    }

    /// The output of a command that succeeds without errors.
    #[track_caller]
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let (out, err, status) = self.run(args);
        assert_eq!((err.as_str(), status), ("", 0), "{args:?}");
        out
    }

    /// The error of a command that fails with a single line, without the newline.
    #[track_caller]
    pub(crate) fn refused(&self, args: &[&str]) -> String {
        let (out, err, status) = self.run(args);
        assert_eq!((out.as_str(), status, err.lines().count()), ("", 1, 1), "{args:?}: {err}");
        err.trim_end().to_owned()
    }

    /// Writes bytes to the standard input of a command and returns its standard output.
    #[track_caller]
    pub(crate) fn pipe(&self, args: &[&str], input: &[u8]) -> Vec<u8> {
        let mut child = self.command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!((String::from_utf8(output.stderr).unwrap(), output.status.code()), (String::new(), Some(0)), "{args:?}");
        output.stdout
    }
}

/// A temporary directory that is removed after the test.
pub(crate) struct Directory {
    place: Place,
    _until_dropped: tempfile::TempDir,
}

impl Deref for Directory {
    type Target = Place;

    fn deref(&self) -> &Place {
        &self.place
    }
}

impl Directory {
    pub(crate) fn new() -> Directory {
        let directory = tempfile::tempdir().unwrap();
        Directory { place: Place(directory.path().to_owned()), _until_dropped: directory }
    }

    /// A directory with tests/data/example.b2nd as `a.b2nd`.
    pub(crate) fn with_example() -> Directory {
        let directory = Directory::new();
        directory.take("example.b2nd", "a.b2nd");
        directory
    }

    /// Copies a file from tests/data into the directory.
    pub(crate) fn take(&self, file: &str, name: &str) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::copy(Place::data().path(file), self.path(name)).unwrap();
    }

    /// Copies the members of a test archive of b2nd-arrow into a directory.
    pub(crate) fn unpack(&self, archive: &str, name: &str) {
        let archive = Place::tables().read(archive);
        let zip = b2nd_store::Zip::open(archive).unwrap();
        for file in b2nd_store::Folder::files(&zip).unwrap() {
            let member = b2nd_store::Folder::open(&zip, &file).unwrap();
            self.write(&format!("{name}/{file}"), member.read(0..member.len().unwrap()).unwrap());
        }
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.contents().into_iter().map(|(path, _)| path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
    }

    /// The paths and bytes of the files in the directory, sorted by path.
    pub(crate) fn contents(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut all: Vec<_> = fs::read_dir(self.path("")).unwrap().map(|entry| entry.unwrap().path()).collect();
        all.sort();
        all.into_iter().map(|path| (path.clone(), fs::read(path).unwrap_or_default())).collect()
    }

    /// Checks that a command fails with exactly this error and changes no file.
    #[track_caller]
    pub(crate) fn fails(&self, args: &[&str], error: &str) {
        let before = self.contents();
        assert_eq!(self.run(args), (String::new(), format!("{error}\n"), 1), "{args:?}");
        assert!(self.contents() == before, "{args:?} changed a file");
    }
}

/// A temporary file with a frame, which is removed after the test.
pub(crate) struct TemporaryFile(tempfile::NamedTempFile);

impl TemporaryFile {
    pub(crate) fn new(bytes: &[u8]) -> TemporaryFile {
        let mut file = tempfile::Builder::new().suffix(".b2nd").tempfile().unwrap();
        file.write_all(bytes).unwrap();
        TemporaryFile(file)
    }

    pub(crate) fn path(&self) -> &str {
        self.0.path().to_str().unwrap()
    }
}

/// The output of a command, its errors, and its exit status.
pub(crate) fn printed(command: &mut Command) -> Printed {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

/// The lines that a command prints on a terminal of this width, without styles, and its exit status. `None` if the program
/// `script`, which provides the terminal, is not installed; in CI this is a failure.
#[cfg(target_os = "linux")]
pub(crate) fn on_terminal(place: &Place, columns: usize, args: &[&str]) -> Option<(Vec<String>, i32)> {
    on_screen(place, (columns, 24), args)
}

/// The same on a terminal of this width and height.
#[cfg(target_os = "linux")]
pub(crate) fn on_screen(place: &Place, (columns, rows): (usize, usize), args: &[&str]) -> Option<(Vec<String>, i32)> {
    let quoted: Vec<String> = args.iter().map(|arg| format!("'{arg}'")).collect();
    let line = format!("stty cols {columns} rows {rows} && exec {} {}", env!("CARGO_BIN_EXE_b2nd"), quoted.join(" "));
    let mut script = Command::new("script");
    script.args(["-qec", line.as_str(), "/dev/null"]).current_dir(&place.0).stdin(Stdio::null()).env("TERM", "xterm");
    let output = match script.output() {
        Err(error) if std::env::var_os("CI").is_some() => panic!("script: {error}"),
        output => output.ok()?,
    };
    let text = String::from_utf8(output.stdout).unwrap();
    let mut parts = text.split('\x1b');
    let first = parts.next().unwrap_or_default().to_owned();
    let text = parts.fold(first, |text, part| text + part.split_once('m').map_or("", |(_, text)| text));
    let lines = text.lines().map(|line| line.trim_end_matches('\r').to_owned()).collect();
    Some((lines, output.status.code()?))
}

/// Runs the tool at the root of the repository, where paths start with `tests/data`.
pub(crate) fn run(args: &[&str]) -> Printed {
    Place::root().run(args)
}

/// The output of a command that succeeds at the root of the repository.
#[track_caller]
pub(crate) fn shown(args: &[&str]) -> String {
    Place::root().ok(args)
}

/// Runs `b2nd check` in tests/data. Returns the findings, errors and status.
pub(crate) fn check(args: &[&str]) -> Printed {
    Place::data().found(&[&["check"], args].concat())
}

pub(crate) fn findings(args: &[&str]) -> Vec<Value> {
    let (out, err, _) = check(&[&["--json"], args].concat());
    assert_eq!(err, "");
    out.lines().flat_map(|line| serde_json::from_str::<Value>(line).unwrap()["findings"].as_array().unwrap().clone()).collect()
}

/// The bytes of an example file with a first chunk that its codec cannot decode.
pub(crate) fn broken_data() -> Vec<u8> {
    let mut data = Place::data().read("example.b2nd");
    const CHUNK: usize = 320;
    data[CHUNK + 32 + 4 * 12 + 5..][..400].fill(0xff);
    data
}

/// Compares the whole output with a file; `b2nd ARGS > FILE` writes the file again.
#[track_caller]
pub(crate) fn assert_prints(args: &[&str], file: &str) {
    let out = shown(args);
    let path = Place::data().path("inspect").join(file);
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &out).unwrap();
    }
    let expected = fs::read_to_string(path).unwrap_or_default();
    assert!(out == expected, "b2nd {} does not print {file}, but:\n{out}", args.join(" "));
}

/// Every frame of these kinds in tests/data/manifest.json.
pub(crate) fn manifest(kinds: &[&str]) -> Vec<Value> {
    let entries: Vec<Value> = serde_json::from_slice(&Place::data().read("manifest.json")).unwrap();
    entries.into_iter().filter(|entry| kinds.contains(&entry["kind"].as_str().unwrap())).collect()
}

pub(crate) fn path(entry: &Value) -> String {
    format!("tests/data/{}", entry["file"].as_str().unwrap())
}

pub(crate) fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// A frame without chunks and with one metalayer.
pub(crate) fn frame_with(name: &str, content: &[u8]) -> Vec<u8> {
    // The writer rejects an array without its chunks, so the metalayer gets its name afterwards.
    let written = name.replace("b2nd", "c2nd");
    let mut frame = Writer::new(header_with(&written, content)).finish().unwrap();
    let place = frame.windows(written.len()).position(|bytes| bytes == written.as_bytes()).unwrap();
    frame[place..place + name.len()].copy_from_slice(name.as_bytes());
    frame
}

/// The header of the example with one metalayer instead of its own.
pub(crate) fn header_with(name: &str, content: &[u8]) -> Header {
    let mut json = serde_json::to_value(File::open(Place::root().path(EXAMPLE)).unwrap().header()).unwrap();
    let content: String = content.iter().map(|byte| format!("{byte:02x}")).collect();
    json["metalayers"] = json!([[name, content]]);
    serde_json::from_value(json).unwrap()
}

/// A NumPy file with these values.
pub(crate) fn npy(descr: &str, shape: &str, values: &[i32]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}").into_bytes();
    header.resize(117, b' ');
    header.push(b'\n');
    let bytes = values.iter().flat_map(|value| value.to_le_bytes());
    b"\x93NUMPY\x01\x00\x76\x00".iter().copied().chain(header).chain(bytes).collect()
}

/// A directory with a 5 x 7 array in chunks of 2 x 3.
pub(crate) fn five_by_seven() -> Directory {
    let tests = Directory::new();
    let values: Vec<i32> = (0..35).collect();
    tests.write("a.npy", npy("<i4", "(5, 7)", &values));
    tests.ok(&["import", "--chunks", "2,3", "--blocks", "1,2", "a.npy", "a.b2nd"]);
    tests
}

/// A zip archive with one member, which is deflated as a single stored block.
pub(crate) fn zip(name: &str, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len()).unwrap();
    let deflated = [&[1][..], &length.to_le_bytes(), &(!length).to_le_bytes(), data].concat();
    let crc = data.iter().fold(!0_u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    });
    let sizes = [&(!crc).to_le_bytes()[..], &(deflated.len() as u32).to_le_bytes(), &(data.len() as u32).to_le_bytes()].concat();
    let name_len = (name.len() as u16).to_le_bytes();
    let mut zip = [&b"PK\x03\x04\x14\0\0\0\x08\0\0\0\0\0"[..], &sizes, &name_len, &[0; 2], name.as_bytes(), &deflated].concat();
    let start = zip.len() as u32;
    zip.extend([&b"PK\x01\x02\x14\0\x14\0\0\0\x08\0\0\0\0\0"[..], &sizes, &name_len, &[0; 16], name.as_bytes()].concat());
    let length = zip.len() as u32 - start;
    zip.extend([&b"PK\x05\x06\0\0\0\0\x01\0\x01\0"[..], &length.to_le_bytes(), &start.to_le_bytes(), &[0; 2]].concat());
    zip
}
