//! `b2nd info`, `hex` and `draw`: what they print.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use b2nd::frame::{File, Header, Writer};
use serde_json::{Value, json};

#[path = "info/contents.rs"]
mod contents;
#[path = "info/picture.rs"]
mod picture;

const EXAMPLE: &str = "tests/data/example.b2nd";
const SPARSE: &str = "tests/data/python-blosc2-2.2.9/storage__sframe_2d_int32.b2sd";
const CATERVA: &str = "tests/data/python-caterva-0.7.3/resize__mixed.caterva";
const BETA: &str = "tests/data/c-blosc2-2.0.0-beta.2/clib-beta__meta1.b2frame";
const AT_BYTE_1: &str = "tests/data/python-blosc2-2.1.0/offset__1_0.bin";

/// What a command printed, without colours.
struct Output {
    out: String,
    err: String,
    status: i32,
}

/// Runs the tool at the root of the repository, where paths start with tests/data.
fn run(args: &[&str]) -> Output {
    at_root();
    let output = Command::new(env!("CARGO_BIN_EXE_b2nd")).args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Output { out: text(output.stdout), err: text(output.stderr), status: output.status.code().unwrap() }
}

fn at_root() {
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
}

/// The output of a command that shows everything it is asked for.
#[track_caller]
fn shown(args: &[&str]) -> String {
    let Output { out, err, status } = run(args);
    assert_eq!((err.as_str(), status), ("", 0));
    out
}

/// Compares whole output with a file; `b2nd ARGS > FILE` makes it again.
#[track_caller]
fn assert_prints(args: &[&str], file: &str) {
    let out = shown(args);
    let path = Path::new("tests/data/inspect").join(file);
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &out).unwrap();
    }
    let expected = fs::read_to_string(path).unwrap_or_default();
    assert!(out == expected, "b2nd {} does not print {file}, but:\n{out}", args.join(" "));
}

/// Every frame that tests/data/manifest.json describes and this crate reads, or refuses because it is a beta's.
fn manifest(kinds: &[&str]) -> Vec<Value> {
    at_root();
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
    assert_prints(&["hex", EXAMPLE], "example-hex.txt");
    assert_prints(&["hex", "tests/data/python-blosc2-3.9.0/squeeze__2to1_meta.b2nd"], "stale-hex.txt");
    assert_prints(&["hex", "tests/data/python-blosc2-3.0.0/meta__bigstr.b2nd"], "long-hex.txt");
    assert_prints(&["hex", "tests/data/c-blosc2-3.3.5/clib-vlmeta__rawnames.b2frame"], "names-hex.txt");
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
fn colours_are_there_if_asked_for() {
    assert!(shown(&["--color", "always", EXAMPLE]).starts_with(&format!("\x1b[1m{EXAMPLE}\x1b[0m\n")));
    assert!(!shown(&[EXAMPLE]).contains('\x1b'));
}

#[test]
fn what_cannot_be_read_has_a_line_and_does_not_stop_the_others() {
    at_root();
    let missing = fs::File::open("tests/data/missing.b2nd").unwrap_err();
    let Output { out, err, status } = run(&["tests/data/missing.b2nd", EXAMPLE, BETA, "tests", CATERVA]);
    let expected = format!(
        "tests/data/missing.b2nd: {missing}\n\
         {BETA}: {}\n\
         tests: a directory without chunks.b2frame (-r looks for frames below it)\n",
        File::open(BETA).unwrap_err(),
    );
    assert_eq!(err, expected);
    assert_eq!(out, shown(&[EXAMPLE, CATERVA]));
    assert_eq!(status, 1);
}

#[test]
fn a_frame_may_start_inside_its_file() {
    let page = shown(&["--offset", "1", AT_BYTE_1]);
    assert!(page.starts_with(&format!("{AT_BYTE_1} at byte 1\n  kind ")), "{page}");
    assert_eq!(page, shown(&["--offset", "0x1", AT_BYTE_1]));
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

    let lines = out.lines().map(json_of);
    let of_files = lines.filter(|line| line["key"].is_null() && line["groups"].is_null());
    let found: Vec<String> = of_files.map(|line| line["path"].as_str().unwrap().to_owned()).collect();
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
    let tree = Path::new(env!("CARGO_TARGET_TMPDIR")).join("info-links");
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
        // The leaves of an embedded store have lines of their own.
        let (json, parsed) = (json_of(out.lines().next().unwrap()), &entry["parsed"]);
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
    let path = "tests/data/inspect/example.json";
    let expected = fs::read_to_string(path).unwrap();
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

#[test]
fn output_that_nobody_reads_ends_quietly() {
    at_root();
    let many = vec![EXAMPLE; 200];
    let mut child =
        Command::new(env!("CARGO_BIN_EXE_b2nd")).args(many).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    at_root();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_b2nd")).arg(EXAMPLE).stdout(full).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(err.starts_with("b2nd: cannot write: No space left on device"), "{err}");
    assert_eq!(output.status.code(), Some(1));
}

/// A frame without chunks, with this as its only metalayer.
fn frame_with(name: &str, content: &[u8]) -> Vec<u8> {
    // A writer refuses an array without its chunks, so the name is put in its place afterwards.
    let written = name.replace("b2nd", "c2nd");
    let mut frame = Writer::new(header_with(&written, content)).finish().unwrap();
    let place = frame.windows(written.len()).position(|bytes| bytes == written.as_bytes()).unwrap();
    frame[place..place + name.len()].copy_from_slice(name.as_bytes());
    frame
}

/// The example's header with this as its only metalayer.
fn header_with(name: &str, content: &[u8]) -> Header {
    let mut json = serde_json::to_value(File::open(EXAMPLE).unwrap().header()).unwrap();
    let content: String = content.iter().map(|byte| format!("{byte:02x}")).collect();
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

/// A file that is gone after its test.
struct TemporaryFile(String);

impl TemporaryFile {
    fn new(name: &str, content: &[u8]) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("info-{name}.b2nd"));
        fs::write(&path, content).unwrap();
        TemporaryFile(path.into_os_string().into_string().unwrap())
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// The three layouts of early 2023, which no test file has.
#[test]
fn every_layout_of_an_array_has_its_words() {
    assert_layout(0x95, b"", "b2nd of January 2023, without a dtype", "b2nd_without_dtype");
    let without = "b2nd of February 2023, without dtype_format";
    assert_layout(0x96, b"\xdb\0\0\0\x05uint8", without, "b2nd_without_dtype_format");
    let miscounted = "b2nd of February 2023, says 6 entries and has 7";
    assert_layout(0x96, b"\0\xdb\0\0\0\x03<i4", miscounted, "b2nd_miscounted");
}

/// Looks at a b2nd metalayer of this count, one dimension and what follows: on the page and in JSON.
#[track_caller]
fn assert_layout(count: u8, after_blockshape: &[u8], words: &str, layout: &str) {
    let geometry = hex_literal::hex!("00 01 91 d3 0000000000000005 91 d2 00000002 91 d2 00000001");
    let content = [&[count], &geometry[..], after_blockshape].concat();
    let file = TemporaryFile::new(layout, &frame_with("b2nd", &content));
    let page = shown(&[&file.0]);
    assert!(page.contains(&format!("\n  array         {words}, version 0, 1 dimension\n")), "{page}");
    assert_eq!(json_of(&shown(&["--json", &file.0]))["array"]["layout"], layout);
}
