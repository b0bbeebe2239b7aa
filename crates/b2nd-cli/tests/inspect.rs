//! `b2nd info`: what it prints for files, and that its dump leaves no byte of a header out.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use b2nd::frame::{File, Header, Writer};
use clap::Parser;
use serde_json::{Value, json};

#[allow(dead_code)]
#[path = "../src/inspect/mod.rs"]
mod inspect;

#[path = "inspect/contents.rs"]
mod contents;
#[path = "inspect/hex.rs"]
mod hex;
#[path = "inspect/svg.rs"]
mod svg;

const EXAMPLE: &str = "tests/data/example.b2nd";
const SPARSE: &str = "tests/data/python-blosc2-2.2.9/storage__sframe_2d_int32.b2sd";
const CATERVA: &str = "tests/data/python-caterva-0.7.3/resize__mixed.caterva";
const BETA: &str = "tests/data/c-blosc2-2.0.0-beta.2/clib-beta__meta1.b2frame";
const AT_BYTE_1: &str = "tests/data/python-blosc2-2.1.0/offset__1_0.bin";

/// What a command printed, without colours.
struct Output {
    out: String,
    err: String,
    status: u8,
}

/// Runs the tool with these arguments, in this process.
fn run(args: &[&str]) -> Output {
    let args = inspect::Args::try_parse_from([&["inspect"], args].concat()).unwrap();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let shown = inspect::run(&args, &mut out, &mut err);
    let status = inspect::status(shown, &mut err);
    let plain = |bytes: Vec<u8>| anstream::adapter::strip_str(&String::from_utf8(bytes).unwrap()).to_string();
    Output { out: plain(out), err: plain(err), status }
}

/// The output of a command that shows everything it is asked for.
#[track_caller]
fn shown(args: &[&str]) -> String {
    let Output { out, err, status } = run(args);
    assert_eq!((err.as_str(), status), ("", 0));
    out
}

/// Compares whole output with a file; `b2nd info ARGS > FILE` makes it again.
#[track_caller]
fn assert_prints(args: &[&str], file: &str) {
    let out = shown(args);
    let expected = fs::read_to_string(Path::new("tests/data/inspect").join(file)).unwrap_or_default();
    assert!(out == expected, "inspect {} does not print {file}, but:\n{out}", args.join(" "));
}

/// Every frame that tests/data/manifest.json describes and this crate reads, or refuses because it is a beta's.
fn manifest(kinds: &[&str]) -> Vec<Value> {
    let entries: Vec<Value> = serde_json::from_slice(&fs::read("tests/data/manifest.json").unwrap()).unwrap();
    entries.into_iter().filter(|entry| kinds.contains(&entry["kind"].as_str().unwrap())).collect()
}

fn path(entry: &Value) -> String {
    format!("tests/data/{}", entry["file"].as_str().unwrap())
}

#[test]
fn a_frame_is_shown_on_a_page() {
    assert_prints(&[EXAMPLE], "example.txt");
    assert_prints(&[SPARSE], "sparse.txt");
    assert_prints(&[CATERVA], "caterva.txt");
    assert_prints(&["tests/data/python-blosc2-3.9.0/squeeze__2to1_meta.b2nd"], "stale.txt");
    assert_prints(&["tests/data/c-blosc2-3.3.5/clib-meta__rawnames.b2frame"], "names.txt");
    assert_prints(&["tests/data/c-blosc2-3.3.5/clib-meta__b2nd_is_not_an_array.b2frame"], "no-array.txt");
    assert_prints(&["tests/data/python-blosc2-3.9.0/ndim__zeros_16.b2nd"], "16-dimensions.txt");
    assert_prints(&["tests/data/python-blosc2-3.9.0/ndim__asarray_0.b2nd"], "0-dimensions.txt");
    assert_prints(&["tests/data/python-blosc2-4.8.0/vlchunks__blocks.b2frame"], "variable.txt");
}

#[test]
fn a_header_is_shown_byte_by_byte() {
    assert_prints(&["--hex", EXAMPLE], "example-hex.txt");
    assert_prints(&["--hex", "tests/data/python-blosc2-3.9.0/squeeze__2to1_meta.b2nd"], "stale-hex.txt");
    assert_prints(&["--hex", "tests/data/python-blosc2-3.0.0/meta__bigstr.b2nd"], "long-hex.txt");
    assert_prints(&["--hex", "tests/data/c-blosc2-3.3.5/clib-vlmeta__rawnames.b2frame"], "names-hex.txt");
}

#[test]
fn chunks_are_shown_in_a_table() {
    assert_prints(&["--chunks", "--slice=-1,3:9", EXAMPLE], "example-chunks.txt");
    assert_prints(&["--chunks", SPARSE], "sparse-chunks.txt");
    assert_prints(&["--chunks", "tests/data/python-blosc2-3.9.0/huge__zeros_1d_2p42.b2nd"], "huge-chunks.txt");
    assert_prints(&["--chunks", "tests/data/python-blosc2-4.8.0/vlchunks__chunks_vlmeta.b2frame"], "variable-chunks.txt");
    assert_prints(&["--chunks", "tests/data/c-blosc2-3.3.5/clib-frame__thirty.b2frame"], "compressed-index.txt");
}

#[test]
fn frames_are_shown_in_their_order_with_a_line_between() {
    let both = shown(&[CATERVA, EXAMPLE]);
    assert_eq!(both, format!("{}\n{}", shown(&[CATERVA]), shown(&[EXAMPLE])));
}

#[test]
fn colours_are_there_to_be_stripped() {
    let mut out = Vec::new();
    assert!(inspect::run(&inspect::Args::parse_from(["inspect", EXAMPLE]), &mut out, &mut Vec::new()).unwrap());
    assert!(out.starts_with(format!("\x1b[1m{EXAMPLE}\x1b[0m\n").as_bytes()));
}

#[test]
fn what_cannot_be_read_has_a_line_and_does_not_stop_the_others() {
    let missing = fs::File::open("tests/data/missing.b2nd").unwrap_err();
    let Output { out, err, status } = run(&["tests/data/missing.b2nd", EXAMPLE, BETA, "tests", CATERVA]);
    let expected = format!(
        "tests/data/missing.b2nd: {missing}\n\
         {BETA}: {}\n\
         tests: {} (no sparse frame: -r looks below)\n",
        File::open(BETA).unwrap_err(),
        File::open("tests").unwrap_err()
    );
    assert_eq!(err, expected);
    assert_eq!(out, shown(&[EXAMPLE, CATERVA]));
    assert_eq!(status, 1);
}

#[test]
fn a_frame_may_start_inside_its_file() {
    let page = shown(&["--offset", "1", AT_BYTE_1]);
    assert!(page.starts_with(&format!("{AT_BYTE_1} at byte 1\n  frame ")), "{page}");
    assert_eq!(page, shown(&["--offset", "0x1", AT_BYTE_1]));
    assert_eq!(inspect::text::parse_offset("0x1f"), Ok(31));
    assert_eq!(run(&[AT_BYTE_1]).status, 1);
}

#[test]
fn a_tree_is_walked_for_every_frame_in_it() {
    let at_start = |kinds: &[&str]| -> BTreeSet<String> {
        manifest(kinds).iter().filter(|entry| entry["offset"] == 0).map(path).filter(|path| path != EXAMPLE).collect()
    };
    let (frames, betas) = (at_start(&["cframe", "sframe"]), at_start(&["cframe-beta"]));
    let writers: BTreeSet<&str> = frames.iter().chain(&betas).map(|path| path.rsplit_once('/').unwrap().0).collect();
    let Output { out, err, status } = run(&[&["-r", "--json"], Vec::from_iter(writers).as_slice()].concat());

    let found: Vec<String> = out.lines().map(|line| json_of(line)["path"].as_str().unwrap().to_owned()).collect();
    assert_eq!(found, Vec::from_iter(frames));
    let refused: Vec<&str> = err.lines().map(|line| line.split_once(": ").unwrap().0).collect();
    assert_eq!(refused, Vec::from_iter(betas));
    assert_eq!(status, 1);

    // A tree of one: a frame that is named is shown, and so is a sparse one.
    assert_eq!(shown(&["-r", SPARSE, EXAMPLE]), shown(&[SPARSE, EXAMPLE]));
    assert_eq!(shown(&["-r", "tests/data/recipes"]), "");
}

#[cfg(unix)]
#[test]
fn links_to_files_are_followed_and_links_to_directories_are_not() {
    let tree = Path::new(env!("CARGO_TARGET_TMPDIR")).join("inspect-links");
    let _ = fs::remove_dir_all(&tree);
    fs::create_dir(&tree).unwrap();
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(fs::canonicalize(to).unwrap(), tree.join(name)).unwrap();
    link(tree.to_str().unwrap(), "loop");
    link(SPARSE, "sparse");
    link(EXAMPLE, "file");
    let out = shown(&["-r", "--json", tree.to_str().unwrap()]);
    let found: Vec<Value> = out.lines().map(|line| json_of(line)["path"].take()).collect();
    assert_eq!(found, [json!(tree.join("file"))]);
    fs::remove_dir_all(&tree).unwrap();
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn json_says_what_the_manifest_says() {
    let mut arrays = 0;
    for entry in manifest(&["cframe", "sframe"]) {
        let out = shown(&["--json", "--offset", &entry["offset"].to_string(), &path(&entry)]);
        assert_eq!(out.find('\n'), Some(out.len() - 1), "one line");
        let (json, parsed) = (json_of(&out), &entry["parsed"]);
        let names = [
            ("header_len", "header_len"),
            ("frame_len", "frame_len"),
            ("version", "frame_version"),
            ("level", "clevel"),
            ("nbytes", "nbytes"),
            ("cbytes", "cbytes"),
            ("typesize", "typesize"),
            ("blocksize", "blocksize"),
            ("chunksize", "chunksize"),
            ("compression_threads", "tcomp"),
            ("decompression_threads", "tdecomp"),
            ("has_vlmetalayers", "has_vlmetalayers"),
        ];
        for (name, parsed_name) in names {
            assert_eq!(json[name], parsed[parsed_name], "{name} of {}", entry["id"]);
        }
        let metalayers = json["metalayers"].as_array().unwrap();
        assert_eq!(metalayers.len(), parsed["metalayers"].as_array().unwrap().len());
        for (metalayer, parsed) in metalayers.iter().zip(parsed["metalayers"].as_array().unwrap()) {
            assert_eq!((&metalayer["name_hex"], &metalayer["length"]), (&parsed["name_hex"], &parsed["len"]));
            assert_eq!(metalayer["content"].as_str().unwrap().len() as u64, 2 * parsed["len"].as_u64().unwrap());
            assert!(!parsed["content_hex"].is_string() || metalayer["content"] == parsed["content_hex"], "{}", entry["id"]);
        }
        let (array, nd) = (&json["array"], parsed.get("nd"));
        assert_eq!(array.is_null(), nd.is_none(), "{}", entry["id"]);
        if let Some(nd) = nd {
            arrays += 1;
            let shapes = [("ndim", "ndim"), ("shape", "shape"), ("chunkshape", "chunks"), ("blockshape", "blocks")];
            for (name, parsed_name) in shapes.into_iter().chain([("dtype", "dtype"), ("layout", "name")]) {
                assert_eq!(array[name], nd[parsed_name], "{name} of {}", entry["id"]);
            }
            assert_eq!(array["grid"]["nchunks"], expected_chunks(nd), "{}", entry["id"]);
            let stale = nd["trailing"].as_u64().unwrap_or(0);
            assert_eq!(array["stale_bytes"], stale, "{}", entry["id"]);
        }
    }
    assert!(arrays > 50, "{arrays}");
}

/// How many chunks the shapes come to.
fn expected_chunks(nd: &Value) -> i64 {
    let numbers = |name: &str| nd[name].as_array().unwrap().iter().map(|n| n.as_i64().unwrap()).collect::<Vec<_>>();
    numbers("shape")
        .iter()
        .zip(numbers("chunks"))
        .map(|(&length, chunk)| if chunk == 0 { 0 } else { (length + chunk - 1) / chunk })
        .product()
}

/// `b2nd info --json --chunks "--slice=9, 3:-4" tests/data/example.b2nd | jq .` makes the file again.
#[test]
fn json_of_the_example_is_this() {
    let json = json_of(&shown(&["--json", "--chunks", "--slice=9, 3:-4", EXAMPLE]));
    let expected = fs::read_to_string("tests/data/inspect/example.json").unwrap();
    assert_eq!(json, json_of(&expected));
}

#[test]
fn json_says_why_a_metalayer_is_no_array_and_gives_any_name() {
    let json = json_of(&shown(&["--json", "tests/data/c-blosc2-3.3.5/clib-meta__b2nd_is_not_an_array.b2frame"]));
    assert_eq!(json["array"], Value::Null);
    assert_eq!(json["array_error"], "b2nd: expected fixarray (90 to 9f), found positive fixint (6e) at byte 112");

    let json = json_of(&shown(&["--json", "tests/data/c-blosc2-3.3.5/clib-meta__rawnames.b2frame"]));
    let name = |index: usize| (&json["metalayers"][index]["name"], &json["metalayers"][index]["name_hex"]);
    assert_eq!(name(0), (&Value::Null, &json!("fffe80")));
    assert_eq!(name(1), (&json!("é"), &json!("c3a9")));
}

/// Fails as a pipe does whose reader is gone, or as a disk that is full.
struct Broken(io::ErrorKind);

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn output_that_nobody_reads_ends_quietly() {
    let args = inspect::Args::parse_from(["inspect", EXAMPLE, "tests/data/missing.b2nd"]);
    let ends = |kind| {
        let mut err = Vec::new();
        let shown = inspect::run(&args, &mut Broken(kind), &mut err);
        let status = inspect::status(shown, &mut err);
        (status, String::from_utf8(err).unwrap())
    };
    assert_eq!(ends(io::ErrorKind::BrokenPipe), (0, String::new()));
    let full = io::Error::from(io::ErrorKind::StorageFull);
    assert_eq!(ends(full.kind()), (1, format!("b2nd: cannot write: {full}\n")));
}

/// A frame without chunks, with this as its only metalayer.
fn frame_with(name: &str, content: &[u8]) -> Vec<u8> {
    Writer::new(header_with(name, content)).finish().unwrap()
}

/// The example's header with this as its only metalayer.
fn header_with(name: &str, content: &[u8]) -> Header {
    let mut json = serde_json::to_value(File::open(EXAMPLE).unwrap().header()).unwrap();
    json["metalayers"] = json!([[name, content]]);
    serde_json::from_value(json).unwrap()
}

#[test]
fn a_long_dtype_is_folded_under_its_label_and_cut() {
    let fields: Vec<String> = (0..60).map(|index| format!("('field{index:02}', '<f8')")).collect();
    let geometry = b2nd::Geometry::new(&[5], &[2], &[1]).unwrap();
    let content = b2nd::to_vec(&b2nd::B2ndMeta::new(geometry, format!("[{}]", fields.join(", ")))).unwrap();
    let file = TemporaryFile::new("dtype", &frame_with("b2nd", &content));
    let page = shown(&[&file.0]);
    let lines: Vec<&str> = page.lines().skip_while(|line| !line.starts_with("    dtype")).collect();
    assert_eq!(lines[0], format!("    dtype       [{},", fields[..4].join(", ")));
    assert_eq!(lines[7], format!("{:16}{},", "", fields[28..32].join(", ")));
    assert_eq!(lines[8], format!("{:16}… and 559 characters", ""));
    assert_eq!(lines[9], "    element     structure of 60 fields, 480 bytes; the frame's typesize is 16");
    assert_eq!(lines[10], "    elements    5 in 80 bytes");
}

#[test]
fn lengths_are_given_in_the_unit_that_fits() {
    let cases: [(i128, &str); 6] = [
        (-1, "-1 bytes"),
        (1, "1 byte"),
        (1023, "1,023 bytes"),
        (1024, "1,024 bytes (1.0 KiB)"),
        (-123_456, "-123,456 bytes"),
        (35_184_372_088_832, "35,184,372,088,832 bytes (32.0 TiB)"),
    ];
    for (bytes, expected) in cases {
        assert_eq!(inspect::text::size(bytes), expected);
    }
}

/// A file that is gone after its test.
struct TemporaryFile(String);

impl TemporaryFile {
    fn new(name: &str, content: &[u8]) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("inspect-{name}.b2nd"));
        fs::write(&path, content).unwrap();
        TemporaryFile(path.into_os_string().into_string().unwrap())
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
