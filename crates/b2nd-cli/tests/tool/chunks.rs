//! `b2nd info --chunks` and `--slice`: what is shown of trailers, chunks and slices, and the lines for parts that cannot be read.

use b2nd_frame::{Chunk, Header, Sizes, Special, Writer};
use serde_json::{Value, json};

use crate::harness::{EXAMPLE, Place, SPARSE, TemporaryFile, assert_prints, json_of, manifest, path, run, shown};

#[test]
fn chunks_are_shown_in_a_table() {
    assert_prints(&["--chunks", "--slice=-1,3:9", EXAMPLE], "example-chunks.txt");
    assert_prints(&["--chunks", SPARSE], "sparse-chunks.txt");
    assert_prints(&["--chunks", "tests/data/python-blosc2-3.9.0/huge__zeros_1d_2p42.b2nd"], "huge-chunks.txt");
    assert_prints(&["--chunks", "tests/data/python-blosc2-4.8.0/vlchunks__chunks_vlmeta.b2frame"], "variable-chunks.txt");
    assert_prints(&["--chunks", "tests/data/c-blosc2-3.3.5/clib-frame__thirty.b2frame"], "compressed-index.txt");
}

#[test]
fn json_says_of_trailers_and_chunks_what_the_manifest_says() {
    let (mut values, mut offsets) = (0, 0);
    for entry in manifest(&["cframe", "sframe"]) {
        let out = shown(&["--json", "--chunks", "--offset", &entry["offset"].to_string(), &path(&entry)]);
        let json = json_of(out.lines().next().unwrap());
        let (trailer, parsed) = (&json["trailer"], &entry["parsed"]);
        assert_eq!(trailer["trailer_len"], parsed["trailer_len"], "{}", entry["id"]);
        let expected = parsed["vlmetalayers"].as_array().unwrap();
        assert_eq!(trailer["vlmetalayers"].as_array().unwrap().len(), expected.len());
        for (found, expected) in trailer["vlmetalayers"].as_array().unwrap().iter().zip(expected) {
            let chunk = &expected["chunk"];
            let names = [("name_hex", &expected["name_hex"]), ("nbytes", &chunk["nbytes"]), ("cbytes", &chunk["cbytes"])];
            names.iter().for_each(|&(name, value)| assert_eq!(&found[name], value, "{}", entry["id"]));
            assert_eq!(found["kind"] == "stored", chunk["memcpyed"] == true && chunk["special"] == 0);
            if found["kind"] == "stored" && expected["decoded_hex"].is_string() {
                assert_eq!(found["content"], expected["decoded_hex"], "{}", entry["id"]);
                values += 1;
            }
        }
        let chunks = json["chunks"].as_array().unwrap();
        let all: u64 = chunks.iter().map(|row| row["last"].as_u64().unwrap() - row["first"].as_u64().unwrap() + 1).sum();
        assert!(parsed["nchunks_from_index"].is_null() || parsed["nchunks_from_index"] == all, "{}", entry["id"]);
        let Some(expected) = parsed["chunk_offsets"].as_array() else { continue };
        let mut found = Vec::new();
        for chunk in chunks {
            let at = match (&chunk["offset"], &chunk["file"]) {
                (Value::Null, Value::Null) => Value::Null,
                (Value::Null, file) => i64::from_str_radix(&file.as_str().unwrap()[..8], 16).unwrap().into(),
                (offset, _) => offset.clone(),
            };
            let count = chunk["last"].as_u64().unwrap() - chunk["first"].as_u64().unwrap() + 1;
            found.extend(std::iter::repeat_n(at, count.min(16) as usize));
        }
        for (found, expected) in found.iter().zip(expected) {
            assert_eq!(*found, if expected.as_i64() < Some(0) { Value::Null } else { expected.clone() }, "{}", entry["id"]);
            offsets += 1;
        }
    }
    assert!(values > 20 && offsets > 200, "{values}, {offsets}");
}

/// The example with one byte changed.
fn damaged(position: usize, byte: u8) -> TemporaryFile {
    let mut frame = Place::root().read(EXAMPLE);
    frame[position] = byte;
    TemporaryFile::new(&frame)
}

/// The offsets of the example's first chunk, its index and its trailer.
const CHUNK: usize = 320;

const INDEX: usize = CHUNK + 4095;

const TRAILER: usize = INDEX + 96;

/// Compares the output with that for the example: the lines that are missing, and the lines that are there instead.
#[track_caller]
fn assert_differs(file: &TemporaryFile, args: &[&str], missing: &[&str], instead: &[&str]) {
    let (out, err, status) = run(&[args, &[file.path()]].concat());
    assert_eq!((err.as_str(), status), ("", 1));
    let whole = shown(&[args, &[EXAMPLE]].concat());
    let (whole, out): (Vec<&str>, Vec<&str>) = (whole.lines().skip(1).collect(), out.lines().skip(1).collect());
    let only = |these: &[&str], others: &[&str]| -> Vec<String> {
        these.iter().filter(|line| !others.contains(line)).map(|line| line.trim().to_owned()).collect()
    };
    assert_eq!(only(&out, &whole), instead);
    assert_eq!(only(&whole, &out), missing);
}

#[test]
fn what_cannot_be_read_is_a_line_in_its_place() {
    let trailer = damaged(TRAILER + 1, 0xc0);
    let error = "version: expected uint8 (00 to 7f, or cc for a number above 127), found nil (c0) at byte 4512";
    let missing = [
        "attributes    3",
        r#""author"       11 bytes  stored               "b2nd tests""#,
        r#""history"     783 bytes  zstd, 73 compressed  ["made", "checked", "made", "checked", "made", "checked", "made"…"#,
        r#""processing"   44 bytes  stored               {"version": 3, "factor": 0.5, "steps": [null, true, -1], "raw": …"#,
        "trailer       283 bytes, version 1",
    ];
    assert_differs(&trailer, &["--full", "--chunks"], &missing, &[&format!("trailer       cannot be read: {error}")]);
    let (out, _, status) = run(&["--json", trailer.path()]);
    assert_eq!((&json_of(&out)["trailer"], status), (&json!({"error": error}), 1));
    let (out, err, status) = run(&["hex", trailer.path()]);
    assert_eq!((err.as_str(), status), ("", 1));
    assert!(out.ends_with(&format!("\n  0140  the trailer cannot be read: {error}\n")), "{out}");

    let value = damaged(TRAILER + 0x3d, 0);
    let error = "typesize: expected 1 or more, found 0 at byte 3";
    assert_differs(&value, &["--full"], &[missing[1]], &[&format!("\"author\"                 cannot be read: {error}")]);
    assert_eq!(run(&["--json", value.path()]).2, 1);

    let index = damaged(INDEX + 12, 0);
    let error = "index.cbytes: expected 32 or more, found 0 at byte 4427";
    let (out, _, status) = run(&["--chunks", index.path()]);
    assert!(out.ends_with(&format!("\n  chunks        cannot be read: {error}\n")), "{out}");
    assert_eq!(status, 1);
    let (out, _, status) = run(&["--json", "--chunks", index.path()]);
    assert_eq!((&json_of(&out)["chunks"], status), (&json!({"error": error}), 1));
    assert_eq!(run(&[index.path()]).2, 0, "nobody asked for it");

    let chunk = damaged(CHUNK + 3, 0);
    let missing = ["0       0  4,608       1,507  zstd    3.1"];
    let instead = ["0       0                     chunk[0].typesize: expected 1 or more, found 0 at byte 323"];
    assert_differs(&chunk, &["--chunks"], &missing, &instead);
    assert_eq!(run(&["--json", "--chunks", chunk.path()]).2, 1);
}

#[test]
fn the_header_and_the_trailer_may_disagree_about_vlmetalayers() {
    let file = damaged(0x44, 0xc2);
    let page = shown(&[file.path()]);
    assert!(page.contains("\n  attributes    3 (the header says there are none)\n"), "{page}");
}

#[test]
fn a_slice_without_an_array_or_outside_of_it_is_a_line_too() {
    let slice_line = |args: &[&str]| {
        let (out, err, status) = run(args);
        assert_eq!((err.as_str(), status), ("", 1));
        out.lines().find(|line| line.starts_with("  slice")).unwrap().to_owned()
    };
    let none = "tests/data/python-blosc2-0.6.6/schunk__vlmeta.b2frame";
    assert_eq!(slice_line(&["--slice", "0", none]), "  slice         cannot be read: there is no array with valid shapes");
    let outside = format!("{EXAMPLE}: index 10 is outside dimension 0, whose length is 10\n");
    assert_eq!(run(&["--slice", "10", EXAMPLE]), (String::new(), outside, 1));
    let (out, _, status) = run(&["--json", "--slice", "10", EXAMPLE]);
    let expected = json!({"error": "index 10 is outside dimension 0, whose length is 10"});
    assert_eq!((&json_of(&out)["array"]["grid"]["slice"], status), (&expected, 1));
}

#[test]
fn special_chunks_in_a_row_are_one_line_but_a_shorter_last_one_has_its_own() {
    let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 10, blocksize: 10 }).unwrap());
    writer.append_special(Special::Uninitialized, 10).unwrap();
    writer.append(&Chunk::store(&[1; 10], 1).unwrap()).unwrap();
    for nbytes in [10, 10, 5] {
        writer.append_special(Special::Zeros, nbytes).unwrap();
    }
    let file = TemporaryFile::new(&writer.finish().unwrap());
    let page = shown(&["--chunks", file.path()]);
    let table: Vec<&str> = page.lines().skip_while(|line| !line.starts_with("  chunks  ")).collect();
    let expected = [
        "  chunks        5",
        "     chunk  offset  bytes  compressed  kind    ratio",
        "         0             10           0  uninitialized",
        "         1       0     10          42  stored    0.2",
        "    2 to 3             10           0  zeros",
        "         4              5           0  zeros",
    ];
    assert_eq!(table, expected);
}

#[test]
fn what_is_asked_for_is_not_left_out() {
    let commands: [&[&str]; 2] = [&["info", "--chunks", "--tree"], &["info", "--slice=0", "--tree"]];
    for command in commands {
        let (out, _, status) = Place::data().run(&[command, &["example.b2nd"]].concat());
        assert_eq!((out.as_str(), status), ("", 2), "{command:?}");
    }
}
