//! `b2nd info`: pages, trees and JSON.

use std::collections::BTreeSet;
use std::fs;
use std::process::Stdio;

use b2nd_frame::File;
use serde_json::{Value, json};

use crate::harness::{
    Directory, EXAMPLE, Place, SPARSE, TemporaryFile, assert_prints, frame_with, json_of, manifest, path, run, shown,
};

const CATERVA: &str = "tests/data/python-caterva-0.7.3/resize__mixed.caterva";

const BETA: &str = "tests/data/c-blosc2-2.0.0-beta.2/clib-beta__meta1.b2frame";

const AT_BYTE_1: &str = "tests/data/python-blosc2-2.1.0/offset__1_0.bin";

#[test]
fn a_frame_is_shown_on_a_page() {
    assert_prints(&[EXAMPLE], "example.txt");
    assert_prints(&["--full", SPARSE], "sparse.txt");
    assert_prints(&["--full", CATERVA], "caterva.txt");
    assert_prints(&["--full", "tests/data/python-blosc2-3.9.0/squeeze__2to1_meta.b2nd"], "stale.txt");
    assert_prints(&["--full", "tests/data/c-blosc2-3.3.5/clib-meta__rawnames.b2frame"], "names.txt");
    assert_prints(&["tests/data/c-blosc2-3.3.5/clib-meta__b2nd_is_not_an_array.b2frame"], "no-array.txt");
    assert_prints(&["--full", "tests/data/python-blosc2-3.9.0/ndim__zeros_16.b2nd"], "16-dimensions.txt");
    assert_prints(&["tests/data/python-blosc2-3.9.0/ndim__asarray_0.b2nd"], "0-dimensions.txt");
    assert_prints(&["--full", "tests/data/python-blosc2-4.8.0/vlchunks__blocks.b2frame"], "variable.txt");
}

/// The array has 910 elements of 16 bytes, and its chunks hold more than twice as many because of padding.
#[test]
fn the_page_opens_with_the_array_and_a_full_page_has_the_frame() {
    let lines: Vec<String> = shown(&[EXAMPLE]).lines().map(str::to_owned).collect();
    assert_eq!(lines[1..3], ["  kind          ndarray", "  shape         10  13  7"]);
    assert!(lines.iter().any(|line| line == "  size          14,560 bytes (14.2 KiB)"), "{lines:?}");
    assert!(lines.iter().any(|line| line == "  in chunks     36,864 bytes (36.0 KiB) with padding"), "{lines:?}");
    assert!(lines.iter().any(|line| line == "  compressed    4,095 bytes (4.0 KiB), ratio 3.6"), "{lines:?}");
    let full = shown(&["--full", EXAMPLE]);
    for label in ["frame", "length", "codec", "filters", "threads", "trailer", "element", "blocks"] {
        let is_of = |line: &str| line.split_whitespace().next() == Some(label);
        assert!(full.lines().any(is_of) && !lines.iter().any(|line| is_of(line)), "{label}: {full}");
    }
    let tree = shown(&["--tree", EXAMPLE]);
    assert!(tree.ends_with("14.2 KiB  3.6x\n"), "{tree}");
}

#[test]
fn frames_are_shown_in_their_order_with_a_line_between() {
    let both = shown(&[CATERVA, EXAMPLE]);
    assert_eq!(both, format!("{}\n{}", shown(&[CATERVA]), shown(&[EXAMPLE])));
}

#[test]
fn colors_are_there_if_asked_for() {
    assert!(shown(&["--color", "always", EXAMPLE]).starts_with(&format!("\x1b[1m{EXAMPLE}\x1b[0m\n")));
    assert!(!shown(&[EXAMPLE]).contains('\x1b'));
}

#[test]
fn what_cannot_be_read_has_a_line_and_does_not_stop_the_others() {
    let missing = fs::File::open("tests/data/missing.b2nd").unwrap_err();
    let (out, err, status) = run(&["tests/data/missing.b2nd", EXAMPLE, BETA, "tests", CATERVA]);
    let expected = format!(
        "tests/data/missing.b2nd: {missing}\n\
         {BETA}: {}\n\
         tests: a directory with no file chunks.b2frame (`b2nd info -r` and other commands with -r search it for frames)\n",
        File::open(Place::root().path(BETA)).unwrap_err(),
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
    assert_eq!(run(&[AT_BYTE_1]).2, 1);
}

#[test]
fn a_tree_is_walked_for_every_frame_in_it() {
    let at_start = |kinds: &[&str]| -> BTreeSet<String> {
        manifest(kinds).iter().filter(|entry| entry["offset"] == 0).map(path).filter(|path| path != EXAMPLE).collect()
    };
    let (frames, betas) = (at_start(&["cframe", "sframe"]), at_start(&["cframe-beta"]));
    let writers: BTreeSet<&str> = frames.iter().chain(&betas).map(|path| path.rsplit_once('/').unwrap().0).collect();
    let (out, err, status) = run(&[&["-r", "--json"], Vec::from_iter(writers).as_slice()].concat());

    let lines = out.lines().map(json_of);
    let of_files = lines.filter(|line| line["key"].is_null() && line["groups"].is_null());
    let found: Vec<String> = of_files.map(|line| line["path"].as_str().unwrap().to_owned()).collect();
    assert_eq!(found, Vec::from_iter(frames));
    let refused: Vec<&str> = err.lines().map(|line| line.split_once(": ").unwrap().0).collect();
    assert_eq!(refused, Vec::from_iter(betas));
    assert_eq!(status, 1);

    // A frame given by name is shown as without `-r`, including a sparse frame.
    assert_eq!(shown(&["-r", SPARSE, EXAMPLE]), shown(&[SPARSE, EXAMPLE]));
    assert_eq!(shown(&["-r", "tests/data/recipes"]), "");
}

#[cfg(unix)]
#[test]
fn links_below_a_directory_are_not_followed() {
    let tests = Directory::new();
    let tree = tests.path("");
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(Place::root().path(to), tree.join(name)).unwrap();
    link(tree.to_str().unwrap(), "loop");
    link(SPARSE, "sparse");
    link(EXAMPLE, "file");
    assert_eq!(run(&["-r", "--json", tree.to_str().unwrap()]), (String::new(), String::new(), 0));
    link(EXAMPLE, "file.b2nd");
    let (out, err, status) = run(&["-r", "--json", tree.to_str().unwrap()]);
    assert!(out.is_empty() && err.contains("file.b2nd: it is a symbolic link, which is not followed"), "{out}{err}");
    assert_eq!(status, 1);
    assert_eq!(shown(&["--json", tree.join("file").to_str().unwrap()]).lines().count(), 1, "the path itself may be a link");
}

#[test]
fn json_says_what_the_manifest_says() {
    let mut arrays = 0;
    for entry in manifest(&["cframe", "sframe"]) {
        let out = shown(&["--json", "--offset", &entry["offset"].to_string(), &path(&entry)]);
        // The lines after the first one are for the leaves of an embedded store.
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

/// The number of chunks that follows from the shapes.
fn expected_chunks(nd: &Value) -> i64 {
    let numbers = |name: &str| nd[name].as_array().unwrap().iter().map(|n| n.as_i64().unwrap()).collect::<Vec<_>>();
    numbers("shape")
        .iter()
        .zip(numbers("chunks"))
        .map(|(&length, chunk)| if chunk == 0 { 0 } else { (length + chunk - 1) / chunk })
        .product()
}

/// `b2nd info --json --chunks "--slice=9, 3:-4" tests/data/example.b2nd | jq . > tests/data/inspect/example.json` writes the file again.
#[test]
fn json_of_the_example_is_this() {
    let json = json_of(&shown(&["--json", "--chunks", "--slice=9, 3:-4", EXAMPLE]));
    let expected = fs::read_to_string(Place::data().path("inspect/example.json")).unwrap();
    assert_eq!(json, json_of(&expected));
}

#[test]
fn json_says_why_a_metalayer_is_no_array_and_gives_any_name() {
    let json = json_of(&shown(&["--json", "tests/data/c-blosc2-3.3.5/clib-meta__b2nd_is_not_an_array.b2frame"]));
    assert_eq!(json["array"], Value::Null);
    assert_eq!(json["array_error"], "b2nd: expected array (90 to 9f, dc, dd), found positive fixint (6e) at byte 112");

    let json = json_of(&shown(&["--json", "tests/data/c-blosc2-3.3.5/clib-meta__rawnames.b2frame"]));
    let name = |index: usize| (&json["metalayers"][index]["name"], &json["metalayers"][index]["name_hex"]);
    assert_eq!(name(0), (&Value::Null, &json!("fffe80")));
    assert_eq!(name(1), (&json!("é"), &json!("c3a9")));
}

#[test]
fn output_that_nobody_reads_ends_quietly() {
    let many = vec![EXAMPLE; 200];
    let mut child = Place::root().command(&many).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    for word in [EXAMPLE, "--help", "--version"] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = Place::root().command(&[word]).stdout(full).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(err.starts_with("b2nd: cannot write: No space left on device"), "{word}: {err}");
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn a_long_dtype_is_cut() {
    let fields: Vec<String> = (0..60).map(|index| format!("('field{index:02}', '<f8')")).collect();
    let geometry = b2nd::Geometry::new(&[5], &[2], &[1]).unwrap();
    let content = b2nd::to_vec(&b2nd::B2ndMeta::new(geometry, format!("[{}]", fields.join(", ")))).unwrap();
    let file = TemporaryFile::new(&frame_with("b2nd", &content));
    let page = shown(&[file.path()]);
    let lines: Vec<&str> = page.lines().skip_while(|line| !line.starts_with("  dtype")).collect();
    let dtype = format!("[{}]", fields.join(", "));
    assert_eq!(lines[0], format!("  dtype         {}…", &dtype[..600]));
    let element = "structure of 60 fields, 480 bytes; the frame's typesize is 16, but the dtype's itemsize is 480";
    assert_eq!(lines[1], format!("  element       {element}"));
    assert_eq!(lines[2], "  size          80 bytes");
}

/// Three layouts of early 2023, of which there are no test files.
#[test]
fn every_layout_of_an_array_has_its_words() {
    assert_layout(0x95, b"", "b2nd of January 2023, without a dtype", "b2nd_without_dtype");
    let without = "b2nd of February 2023, without dtype_format";
    assert_layout(0x96, b"\xdb\0\0\0\x05uint8", without, "b2nd_without_dtype_format");
    let miscounted = "b2nd of February 2023, whose marker says 6 entries although there are 7";
    assert_layout(0x96, b"\0\xdb\0\0\0\x03<i4", miscounted, "b2nd_miscounted");
}

/// Checks how a `b2nd` metalayer with this number of entries and this end is described on the page and in JSON.
#[track_caller]
fn assert_layout(count: u8, after_blockshape: &[u8], words: &str, layout: &str) {
    let geometry = hex_literal::hex!("00 01 91 d3 0000000000000005 91 d2 00000002 91 d2 00000001");
    let content = [&[count], &geometry[..], after_blockshape].concat();
    let file = TemporaryFile::new(&frame_with("b2nd", &content));
    let page = shown(&[file.path()]);
    assert!(page.contains(&format!("\n  array         {words}, version 0, 1 dimension\n")), "{page}");
    assert_eq!(json_of(&shown(&["--json", file.path()]))["array"]["layout"], layout);
}
