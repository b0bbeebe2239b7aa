//! `b2nd check --data`: which chunks are decoded, and in which process; limits, digests and damage.

use std::fs;

use b2nd::B2ndMeta;
use b2nd_frame::{Chunk, Header, Sizes, Special, Writer};
use serde_json::{Value, json};

#[cfg(target_os = "linux")]
use crate::harness::on_terminal;
use crate::harness::{Directory, Place, TemporaryFile, check, findings};

/// The offsets in tests/data/example.b2nd of the first chunk and its last filter.
const CHUNK: usize = 320;

const LAST_FILTER: usize = CHUNK + 21;

#[test]
fn zstandard_is_decoded_by_a_worker_that_is_this_program() {
    let tests = Directory::new();
    tests.take("example.b2nd", "a.b2nd");
    assert!(tests.ok(&["check", "--strict", "--max-memory", "1M", "--max-time", "60", "a.b2nd"]).contains(": ok: "));
    // Without the feature `safe`, this is an error of the worker.
    let mut bytes = tests.read("a.b2nd");
    bytes[CHUNK + 32 + 4 * 12 + 5..][..400].fill(0xff);
    tests.write("b.b2nd", &bytes);
    let (out, err, status) = tests.run(&["check", "--data", "b.b2nd"]);
    assert!(out.starts_with("b.b2nd: chunk 0 at byte 320: zstd: "), "{out}");
    assert_eq!((err.as_str(), status), ("", 1));
}

#[test]
fn what_is_not_decoded_is_said_and_strict_refuses_it() {
    let tests = Directory::new();
    tests.take("example.b2nd", "a.b2nd");
    let mut bytes = tests.read("a.b2nd");
    bytes[LAST_FILTER] = 165;
    tests.write("a.b2nd", &bytes);
    let line = "a.b2nd: chunk 0 at byte 320: filter 165 is not supported (not decoded)\n".to_owned();
    assert_eq!(tests.run(&["check", "--data", "a.b2nd"]), (line.clone(), String::new(), 0));
    assert_eq!(tests.run(&["check", "--strict", "a.b2nd"]), (line, String::new(), 1));
    assert!(tests.ok(&["check", "a.b2nd"]).contains(": ok: "));
    let json: Value = serde_json::from_str(&tests.ok(&["check", "--data", "--json", "a.b2nd"])).unwrap();
    let found = &json["findings"];
    assert_eq!((found.as_array().unwrap().len(), &found[0]["not_decoded"]), (1, &json!(true)));
    assert_eq!(found[0]["finding"], "filter 165 is not supported");
    // It is unknown what other libraries do with this filter.
    assert_eq!(["document", "c_blosc2", "python_blosc2"].map(|who| &found[0][who]), [&Value::Null; 3]);
}

#[test]
fn limits_are_findings() {
    let tests = Directory::new();
    tests.take("example.b2nd", "a.b2nd");
    let (out, err, status) = tests.run(&["check", "--max-memory", "8K", "a.b2nd"]);
    assert!(out.starts_with("a.b2nd: chunk 0 at byte 320: it may need ") && out.contains("; the limit is 8,192 "), "{out}");
    assert_eq!((err.as_str(), status), ("", 1));
    let (out, _, status) = tests.run(&["check", "--max-time", "0", "a.b2nd"]);
    assert!(out.contains("the time limit of 0ns was reached at "), "{out}");
    assert_eq!(status, 1);
    for (option, word) in [("--max-memory", "1T"), ("--max-memory", "99999999999G"), ("--max-time", "-1"), ("--max-time", "nan")]
    {
        assert_eq!(tests.run(&["check", &format!("{option}={word}"), "a.b2nd"]).2, 2, "{word}");
    }
}

#[test]
fn digests_find_damage_that_still_decodes() {
    let tests = Directory::new();
    let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 64, blocksize: 64 }).unwrap());
    for byte in 0..3 {
        writer.append(&Chunk::store(&[byte; 64], 1).unwrap()).unwrap();
    }
    (0..2).for_each(|_| writer.append_special(Special::Zeros, 64).unwrap());
    let bytes: Vec<u8> = writer.finish().unwrap();
    tests.write("a.b2nd", &bytes);
    assert_eq!(tests.ok(&["check", "a.b2nd"]), "a.b2nd: ok: 5 chunks not decoded (use --data)\n");
    assert_eq!(tests.ok(&["check", "--data", "a.b2nd"]), "a.b2nd: ok: 5 chunks decoded, no digests\n");
    let json = || -> Value { serde_json::from_str(&tests.ok(&["check", "--data", "--json", "a.b2nd"])).unwrap() };
    assert_eq!((&json()["decoded"], &json()["digests"]), (&5.into(), &false.into()), "a script learns that nothing was verified");
    assert_eq!(tests.ok(&["check", "--digest", "a.b2nd"]), "a.b2nd: 5 digests\n");
    assert_eq!(tests.ok(&["check", "--data", "a.b2nd"]), "a.b2nd: ok: 5 chunks decoded, digests match\n");
    assert_eq!(json()["digests"], true);
    assert!(tests.ok(&["check", "--data", "a.b2nd"]).contains(": ok: "));
    // An edit of an attribute keeps the values and their digests.
    tests.ok(&["meta", "set", "a.b2nd", "note", "--text", "hi"]);
    assert!(tests.ok(&["check", "--data", "a.b2nd"]).contains(": ok: "));
    let digested = tests.read("a.b2nd");
    let value: Value = serde_json::from_str(&tests.ok(&["meta", "get", "a.b2nd", "b2nd_digests"])).unwrap();
    assert_eq!((&value[0], &value[1]), (&json!(1), &json!("xxh3-64")));
    // Changes one byte of stored data.
    let header = Header::from_slice(&digested).unwrap();
    let mut damaged = digested.clone();
    damaged[header.header_len() + 96 + 40] ^= 1;
    tests.write("b.b2nd", &damaged);
    let others = "its values do not match its digest: one of them was damaged, or the values changed without a new digest";
    let line = format!("b.b2nd: chunk 1 at byte {}: {others} (read by C-Blosc2 and python-blosc2)\n", header.header_len() + 96);
    assert_eq!(tests.run(&["check", "--data", "b.b2nd"]), (line, String::new(), 1));
    assert!(tests.ok(&["check", "b.b2nd"]).contains(": ok: "));
    // The same chunks in another order.
    let digests = b2nd_frame::File::open(tests.path("a.b2nd")).unwrap().trailer().unwrap().clone();
    let digests = digests.vlmetalayers().value("b2nd_digests").unwrap().unwrap().into_owned();
    let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 64, blocksize: 64 }).unwrap());
    for byte in [Some(0), None, Some(2), None, Some(1)] {
        match byte {
            Some(byte) => writer.append(&Chunk::store(&[byte; 64], 1).unwrap()).unwrap(),
            None => writer.append_special(Special::Zeros, 64).unwrap(),
        }
    }
    writer.set_vlmetalayer_bytes("b2nd_digests", &digests).unwrap();
    tests.write("b.b2nd", writer.finish().unwrap());
    let (out, _, status) = tests.run(&["check", "--data", "b.b2nd"]);
    assert!(out.contains(&format!("chunk 1: {others}")) && out.contains("chunk 4 at byte ") && status == 1, "{out}");
    assert_eq!(out.lines().count(), 2, "{out}");
    // If the memory limit does not allow the comparison, the digests are not said to match.
    let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 1 << 20, blocksize: 1 << 16 }).unwrap());
    writer.append_special(Special::Zeros, 1 << 20).unwrap();
    tests.write("c.b2nd", writer.finish().unwrap());
    tests.ok(&["check", "--digest", "c.b2nd"]);
    assert!(tests.ok(&["check", "--data", "c.b2nd"]).ends_with("digests match\n"));
    let (out, _, status) = tests.run(&["check", "--data", "--max-memory", "100000", "c.b2nd"]);
    assert!(out.starts_with("c.b2nd: chunk 0: its digest is not compared: it may need ") && status != 0, "{out}");
    // Fewer digests than chunks, and an unknown algorithm.
    let with = |digests: &[u8]| {
        tests.write("b.b2nd", &digested);
        let mut editor = b2nd_frame::File::edit(tests.path("b.b2nd")).unwrap();
        editor.set_vlmetalayer_bytes("b2nd_digests", digests).unwrap();
        drop(editor);
        tests.run(&["check", "--data", "b.b2nd"]).0
    };
    let none = b"\x93\x01\xdb\0\0\0\x07xxh3-64\xc6\0\0\0\0";
    assert!(with(none).starts_with("b.b2nd: vlmetalayer \"b2nd_digests\": it has 0 digests, but the frame has 5 chunks ("));
    let other = b"\x93\x01\xdb\0\0\0\x07xxh4-64\xc6\0\0\0\0";
    let found = "expected version 1, the algorithm \"xxh3-64\" and a multiple of 8 bytes, found version 1,";
    assert!(with(other).contains(&format!("cannot be compared: {found} \"xxh4-64\" and 0 bytes")));
    let cut = [&none[..none.len() - 1], &[43], &[0; 43]].concat();
    assert!(with(&cut).contains(&format!("cannot be compared: {found} \"xxh3-64\" and 43 bytes")));
    assert!(with(b"\xc0").contains("its digests cannot be compared: "));
    // No digests are written if a chunk cannot be decoded.
    let mut broken = bytes.clone();
    broken[header.header_len() + 31] = 0x50;
    tests.write("b.b2nd", &broken);
    assert_eq!(tests.run(&["check", "--digest", "b.b2nd"]).2, 3);
    assert!(tests.read("b.b2nd") == broken);
}

/// The filter ndcell needs the shapes of the array, which are not in the chunk.
#[test]
fn a_filter_that_asks_for_shapes_has_them() {
    let tests = Directory::new();
    let path = tests.path("ndcell.b2nd");
    let options = b2nd_ndarray::Options {
        chunkshape: Some(vec![16, 16]),
        blockshape: Some(vec![8, 8]),
        filters: vec![(b2nd_frame::Filter::Other(32), 4)],
        ..b2nd_ndarray::Options::default()
    };
    let meta = B2ndMeta::new(options.geometry(&[32, 32], 4).unwrap(), "<i4".to_owned());
    let data: Vec<u8> = (0..1024_i32).flat_map(|n| (n / 7).to_le_bytes()).collect();
    let written = b2nd_ndarray::write_bytes(&path, &meta, &data, &options);
    if cfg!(feature = "plugins") {
        written.unwrap();
        assert_eq!(check(&["--data", path.to_str().unwrap()]), (String::new(), String::new(), 0));
    } else {
        let refused = "this build of b2nd has no filter ndcell: install a build of the tool that has it, with \
                       `cargo install --path crates/b2nd-cli --features full`, or enable the feature `plugins` of b2nd-codec in \
                       your own program";
        assert_eq!(written.unwrap_err().kind().to_string(), refused);
    }
}

/// Changes a byte of a good frame in ways, most of which python-blosc2 rejects, and checks the findings.
#[test]
fn damage_that_python_refuses_is_found() {
    let example = fs::read(Place::data().path("example.b2nd")).unwrap();
    let header = Header::from_slice(&example).unwrap();
    let index = usize::try_from(header.tail_range().start).unwrap();
    let found = |name: &str, place: usize, byte: u8| {
        let mut bytes = example.clone();
        bytes[place] = byte;
        let file = TemporaryFile::new(&bytes);
        let all = findings(&["--data", file.path()]);
        assert!(!all.is_empty() && all.iter().any(|finding| finding["python_blosc2"] == json!(false)), "{name}: {all:?}");
        all.iter()
            .map(|finding| format!("{}: {}", finding["place"].as_str().unwrap(), finding["finding"].as_str().unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!(found("typesize", index + 3, 9), ["index: its typesize: expected 8, found 9"]);
    // The index is not compressed here, so its bytes do not depend on the typesize.
    let shorter = TemporaryFile::new(&[&example[..index + 3], &[4], &example[index + 4..]].concat());
    let finding = &findings(&["--data", shorter.path()])[0];
    assert_eq!(
        (&finding["document"], &finding["c_blosc2"], &finding["python_blosc2"]),
        (&json!(false), &json!(null), &json!(null))
    );
    let varies = "its flags say that its blocks vary in length, but the frame's header says that they do not";
    assert_eq!(found("flag30", index + 30, 1), [format!("index: {varies}")]);
    // This byte, after the marker, is the first of a blocksize of 384.
    let negative = found("blocksize", 0x35, 0x80);
    assert!(negative.contains(&"header: blocksize: expected 0 or more, found -2,147,483,264".to_owned()), "{negative:?}");
    let start = example.len() - 283;
    let chunk = (start..example.len()).find(|&at| example[at..].starts_with(&[5, 1])).unwrap();
    let flagged = found("vl", chunk + 30, 1);
    assert_eq!(flagged, [format!("vlmetalayer \"author\": {varies}")]);
}

#[test]
fn digests_are_not_written_into_standard_input() {
    let (out, err, status) = Directory::new().run(&["check", "--digest", "-"]);
    assert_eq!((out.as_str(), status), ("", 3));
    assert_eq!(err, "-: it is standard input, but only local files can be changed\n");
}

#[test]
fn an_attribute_of_the_users_with_that_name_is_kept() {
    let tests = Directory::new();
    tests.take("example.b2nd", "a.b2nd");
    tests.ok(&["meta", "set", "a.b2nd", "b2nd_digests", "--text", "mine"]);
    let before = tests.read("a.b2nd");
    let (out, err, status) = tests.run(&["check", "--digest", "a.b2nd"]);
    assert!(err.starts_with("a.b2nd: its attribute \"b2nd_digests\" cannot be read as digests: remove it first"), "{err}");
    assert_eq!((out.as_str(), status), ("", 3));
    assert!(tests.read("a.b2nd") == before);
}

/// The hint is printed only on a terminal, and once for any number of files.
#[test]
#[cfg(target_os = "linux")]
fn a_person_is_told_once_that_digests_would_find_damage() {
    let tests = Directory::new();
    tests.take("example.b2nd", "a.b2nd");
    tests.take("example.b2nd", "b.b2nd");
    let hints = |args: &[&str]| {
        let (lines, status) = on_terminal(&tests, 200, &[&["check"], args].concat())?;
        assert_eq!(status, 0, "{lines:#?}");
        Some(lines.iter().filter(|line| line.contains("`b2nd check --digest` adds them")).count())
    };
    let Some(once) = hints(&["--data", "a.b2nd", "b.b2nd"]) else { return eprintln!("no script here: nothing was tried") };
    assert_eq!(once, 1);
    assert_eq!(hints(&["a.b2nd", "b.b2nd"]), Some(0), "nothing was verified");
    assert!(tests.ok(&["check", "--data", "a.b2nd"]).contains(": ok: "));
    tests.ok(&["check", "--digest", "a.b2nd", "b.b2nd"]);
    assert_eq!(hints(&["--data", "a.b2nd", "b.b2nd"]), Some(0));
}

/// pyarrow does not check the offsets in Arrow IPC batches, and python-blosc2 crashes on bad ones.
#[test]
#[cfg(feature = "arrow")]
fn batches_of_arrow_are_read() {
    let tests = Directory::new();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../b2nd-arrow/tests/data");
    let mut batches = fs::read(format!("{data}/arrow.b2b")).unwrap();
    tests.write("a.b2b", &batches);
    assert!(tests.ok(&["check", "--data", "a.b2b"]).contains(": ok: "));
    batches[300] ^= 0x7f;
    tests.write("a.b2b", &batches);
    let line = "a.b2b: values: the Arrow IPC stream has a message that ends early or has a negative length (effect on readers unknown)\n";
    assert_eq!(tests.run(&["check", "--data", "a.b2b"]), (line.to_owned(), String::new(), 1));
    assert_eq!(tests.run(&["check", "--for", "python-blosc2", "a.b2b"]).2, 1);
    assert_eq!(tests.run(&["check", "a.b2b"]).2, 0, "nothing is decoded");
    let held = tests.run(&["check", "--max-memory", "900", "a.b2b"]).0;
    assert!(held.contains("a.b2b: "), "{held}");
    // The same with a sparse frame.
    let sparse = tests.path("sparse.b2b");
    fs::create_dir(&sparse).unwrap();
    for name in ["00000000.chunk", "00000001.chunk", "chunks.b2frame"] {
        fs::copy(format!("{data}/sparse.b2b/{name}"), sparse.join(name)).unwrap();
    }
    assert!(tests.ok(&["check", "--data", "sparse.b2b"]).contains(": ok: "));
    let chunk = fs::read(sparse.join("00000000.chunk")).unwrap();
    fs::write(sparse.join("00000000.chunk"), [&chunk[..200], &[chunk[200] ^ 0x7f], &chunk[201..]].concat()).unwrap();
    assert_eq!(tests.run(&["check", "--data", "sparse.b2b"]).2, 1);
}

/// The file is valid, but python-blosc2 crashes when a user reads its chunks of variable length.
#[test]
fn a_sound_file_that_a_reader_crashes_on_has_a_status_of_its_own() {
    let tests = Directory::new();
    tests.write(
        "a.b2frame",
        fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/cases/frame/variable-chunks.bin")).unwrap(),
    );
    assert!(tests.ok(&["check", "--data", "a.b2frame"]).contains(": ok: "));
    for words in [&["--strict"][..], &["--for", "c-blosc2"], &["--for=python-blosc2@4.14.1"], &["--for", "c-blosc2@2.21.3"]] {
        let (out, err, status) = tests.run(&[&["check"], words, &["a.b2frame"]].concat());
        assert!(out.starts_with("a.b2frame: header: its chunks vary in length (as specified, "), "{out}");
        assert_eq!((err.as_str(), status), ("", 4), "{words:?}");
    }
    let json = |words: &[&str]| -> Value {
        let (out, ..) = tests.run(&[&["check", "--json"], words, &["a.b2frame"]].concat());
        serde_json::from_str(&out).unwrap()
    };
    let both = json(&["--data"]);
    assert_eq!((&both["readable"], &both["findings"]), (&json!(true), &json!([])));
    assert_eq!(both["safe_for"], json!({"C-Blosc2 3.3.5": false, "python-blosc2 4.14.1": false}));
    assert_eq!(json(&["--for", "c-blosc2"])["findings"][0]["fact"], "variable-chunks");
    assert_eq!(json(&[])["readable"], Value::Null);
    tests.take("grid/i4_2d.b2nd", "good.b2nd");
    assert!(tests.ok(&["check", "--strict", "--for", "python-blosc2", "good.b2nd"]).contains(": ok: "));
    assert_eq!(tests.run(&["check", "--for", "hdf5", "good.b2nd"]).2, 2);
}
