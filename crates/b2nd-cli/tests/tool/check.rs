//! `b2nd check`: the findings, where they are, which libraries they affect, and the exit status.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use b2nd::{B2ndMeta, Geometry};
use b2nd_frame::{Chunk, File, Header, Sizes, Writer};
use b2nd_store::{Folder, Zip};
use serde_json::{Value, json};

use crate::harness::{Directory, Place, STORE, TemporaryFile, broken_data, check, findings, zip};

#[test]
fn the_exit_status_says_what_was_found() {
    assert_eq!(check(&["--data", "example.b2nd"]), (String::new(), String::new(), 0));
    let squeezed = "python-blosc2-3.9.0/squeeze__2to1_meta.b2nd";
    let line = "metalayer \"b2nd\" at byte 157: its metadata is followed by 19 bytes, usually left over from longer \
                metadata (not as specified, read by C-Blosc2 and python-blosc2)";
    assert_eq!(check(&["example.b2nd", squeezed]), (format!("{squeezed}: {line}\n"), String::new(), 1));
    assert_eq!(check(&[]).2, 2);
    assert_eq!(check(&["--nonsense", "example.b2nd"]).2, 2);
    let beta = "c-blosc2-2.0.0-beta.2/clib-beta__meta1.b2frame";
    let error = format!(
        "{beta}: header elements: expected 14 (C-Blosc2 2.0 betas wrote 11 to 13, which are not supported), found 13 at byte 0\n"
    );
    assert_eq!(check(&[beta, squeezed]), (format!("{squeezed}: {line}\n"), error, 3));
    assert_eq!(check(&["missing.b2nd"]).2, 3);
}

#[test]
fn what_python_refuses_is_found() {
    let lazy = findings(&["python-blosc2-4.8.0/lazy__udf.b2nd"]);
    assert_eq!((lazy.len(), &lazy[0]["python_blosc2"]), (1, &json!(false)));
    let references = findings(&["python-blosc2-4.14.1/vlobj__refs_in_vlmeta.b2frame"]);
    let of: Vec<_> = references.iter().map(|finding| finding["place"].as_str().unwrap()).collect();
    assert_eq!(of, [r#"vlmetalayer "ref""#, r#"vlmetalayer "c2""#, r#"vlmetalayer "nd""#]);
}

/// The frame of an array of shape 4 with two chunks of int16, but with the given dtype. If `chunks` is 4, the shape is 8, which needs four
/// chunks.
fn array(dtype: &str, chunks: usize) -> Vec<u8> {
    let mut header = Header::new(Sizes { typesize: 2, chunksize: 4, blocksize: 4 }).unwrap();
    header.metalayers_mut().set(&B2ndMeta::new(Geometry::new(&[4], &[2], &[2]).unwrap(), "<i2")).unwrap();
    let mut writer = Writer::new(header);
    for _ in 0..2 {
        writer.append(&Chunk::store(&[1; 4], 2).unwrap()).unwrap();
    }
    writer.set_vlmetalayer_bytes("n", b"\x01").unwrap();
    let frame = writer.finish().unwrap();
    let mut frame: Vec<u8> = frame;
    let place = frame.windows(3).position(|bytes| bytes == b"<i2").unwrap();
    frame[place..place + 3].copy_from_slice(dtype.as_bytes());
    if chunks == 4 {
        // Doubles the length in the shape, so that there are fewer chunks than the shape needs.
        let place = frame.windows(9).position(|bytes| bytes == [0xd3, 0, 0, 0, 0, 0, 0, 0, 4]).unwrap();
        frame[place + 8] = 8;
    }
    frame
}

#[test]
fn the_array_is_compared_with_its_frame() {
    assert_eq!(findings(&[TemporaryFile::new(&array("<i2", 2)).path()]), Vec::<Value>::new());
    let only = |bytes: &[u8]| {
        let found = findings(&[TemporaryFile::new(bytes).path()]);
        assert_eq!(found.len(), 1, "{found:?}");
        format!("{}: {}", found[0]["place"].as_str().unwrap(), found[0]["finding"].as_str().unwrap())
    };
    assert_eq!(only(&array("<i4", 2)), "dtype: its itemsize is 4 bytes, but the frame's typesize is 2");
    assert_eq!(only(&array("<i2", 4)), "array: it has 4 chunks, but the header says 2");
    let mut flag = array("<i2", 2);
    flag[0x44] = 0xc2;
    assert_eq!(only(&flag), "header: it says that there are no vlmetalayers, but there are some");
    let longer = [array("<i2", 2), vec![0; 3]].concat();
    assert_eq!(only(&longer), "file: the frame is followed by 3 bytes, which an edit may remove");
    let cut = &array("<i2", 2)[..200];
    let found = findings(&[TemporaryFile::new(cut).path()]);
    let all: Vec<_> = found.iter().map(|finding| finding["place"].as_str().unwrap()).collect();
    assert_eq!(all, ["trailer", "index"]);
}

#[test]
fn every_chunk_is_looked_at_and_with_data_decompressed() {
    let good = Place::data().read("example.b2nd");
    const CHUNK: usize = 320;
    let mut header = good;
    header[CHUNK + 3] = 0;
    let file = TemporaryFile::new(&header);
    let found = findings(&[file.path()]);
    assert_eq!((found.len(), &found[0]["place"], &found[0]["offset"]), (1, &json!("chunk 0"), &json!(320)));
    let file = TemporaryFile::new(&broken_data());
    assert_eq!(findings(&[file.path()]), Vec::<Value>::new());
    assert_eq!(findings(&["--data", file.path()])[0]["place"], "chunk 0");
}

/// Each case changes one byte of a good file. The verdicts are those of python-blosc2 4.14.1.
#[test]
fn a_header_that_contradicts_itself_or_its_frame_is_found() {
    let good = array("<i2", 2);
    let first = usize::from(good[14]);
    let second = first + 36;
    const FLAGS: usize = 2;
    let lazy = "its flags say that its data is stored elsewhere (a lazy chunk)";
    let vary = "its flags say that its blocks vary in length, but the frame's header says that they do not";
    let cases = [
        (0x47, 8, "header", 0x47, "its pipeline has filter 8, which C-Blosc2 does not know", false),
        (0x4c, 5, "header", 0x4c, "its pipeline has filter 5, which C-Blosc2 does not know", false),
        (0x50, 128, "header", 0x50, "its pipeline has the filter parameter 128, but python-blosc2 expects 0 to 127", false),
        (
            first + FLAGS,
            good[first + FLAGS] & !1,
            "chunk 0",
            first,
            "it is stored without compression, but its cbytes is 36 instead of 20",
            false,
        ),
        (second + 8, 2, "chunk 1", second, "its blocksize: expected 4, found 2 (2 blocks instead of 1)", false),
        (first + 31, 0x10, "chunk 0", first, "it is special (zeros), but its cbytes is 36 instead of 32", false),
        (second + 31, 0x40, "chunk 1", second, "it is special (uninitialized), but its cbytes is 36 instead of 32", false),
        (
            second + 31,
            0x01,
            "chunk 1",
            second,
            "it is stored without compression, but its flags say that it has a dictionary",
            false,
        ),
        (first + 31, 0x08, "chunk 0", first, lazy, false),
        (first + 30, 0x01, "chunk 0", first, vary, false),
    ];
    for (at, byte, place, offset, finding, python) in cases {
        let mut frame = good.clone();
        frame[at] = byte;
        let found = findings(&[TemporaryFile::new(&frame).path()]);
        assert_eq!(found.len(), 1, "{finding}: {found:?}");
        let found = &found[0];
        assert_eq!((&found["place"], &found["finding"]), (&json!(place), &json!(finding)));
        assert_eq!((&found["offset"], &found["python_blosc2"]), (&json!(offset), &json!(python)), "{finding}");
    }
    // Registered and user-defined filters are not errors.
    for filter in [32, 36, 160, 255] {
        let mut frame = good.clone();
        frame[0x47] = filter;
        assert_eq!(findings(&[TemporaryFile::new(&frame).path()]), Vec::<Value>::new());
    }
}

/// Compares the findings with the results of opening each of these frames with C-Blosc2 3.3.5. They are in `../shared/corpus/malformed`.
#[test]
fn what_c_blosc2_opens_is_told_right() {
    let corpus = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus/malformed"));
    let Ok(manifest) = fs::read(corpus.join("manifest.json")) else { return eprintln!("no corpus here: nothing was compared") };
    let manifest: Vec<Value> = serde_json::from_slice(&manifest).unwrap();
    let mut compared = 0;
    for entry in manifest.iter().filter(|entry| entry["in_frame"].is_string()) {
        let name = entry["name"].as_str().unwrap();
        // C-Blosc2 opens some of these files, which python-blosc2 rejects because of the dtype.
        if name.starts_with("dtype") {
            continue;
        }
        let file = corpus.join(entry["in_frame"].as_str().unwrap());
        let refused = findings(&[file.to_str().unwrap()]).iter().any(|finding| finding["c_blosc2"] == json!(false));
        let opened = entry["blosc2.open"] == "ok" || entry["blosc2.open"]["result"] == "ok";
        assert_eq!(refused, !opened, "{name}");
        compared += 1;
    }
    assert!(compared > 90, "{compared}");
}

#[test]
fn what_a_metalayer_holds_is_nobodys_business() {
    let mut header = Header::new(Sizes { typesize: 1, chunksize: 4, blocksize: 4 }).unwrap();
    header.metalayers_mut().insert("mine", [0xc1, 0xff, 7]).unwrap();
    header.metalayers_mut().insert("after", [1, 2]).unwrap();
    let mut writer = Writer::new(header);
    writer.append_special(b2nd_frame::Special::Zeros, 4).unwrap();
    writer.set_vlmetalayer_bytes("theirs", b"plain text").unwrap();
    let frame: Vec<u8> = writer.finish().unwrap();
    assert_eq!(check(&[TemporaryFile::new(&frame).path()]), (String::new(), String::new(), 0));
}

/// Only a sparse frame can have a `cbytes` that is too small: in a contiguous frame it determines where the index is looked
/// for.
#[test]
fn the_header_counts_what_the_chunks_have() {
    let tests = Directory::new();
    for entry in fs::read_dir(Place::data().path("python-blosc2-2.2.9/storage__sframe_2d_int32.b2sd")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, tests.path(path.file_name().unwrap())).unwrap();
    }
    let directory = tests.path("");
    let path = directory.to_str().unwrap();
    assert_eq!(findings(&[path]), Vec::<Value>::new());
    let mut frame = tests.read("chunks.b2frame");
    let cbytes = 0x26 + 1..0x26 + 9;
    frame[cbytes.clone()].copy_from_slice(&33_i64.to_be_bytes());
    tests.write("chunks.b2frame", frame);
    let found = findings(&[path]);
    assert_eq!((found.len(), &found[0]["finding"]), (1, &json!("cbytes: the chunks have 576 bytes, but the header says 33")));
}

/// Writes an empty `embed.b2e`. Without this file, python-blosc2 cannot open a store.
fn write_embed(store: &Path) {
    let mut header = Header::new(Sizes { typesize: 1, chunksize: 4, blocksize: 4 }).unwrap();
    header.metalayers_mut().insert("b2embed", b2nd_view::value::pack(r#"{"version": 1}"#).unwrap()).unwrap();
    let mut writer = Writer::new(header);
    writer.append_special(b2nd_frame::Special::Zeros, 4).unwrap();
    let frame: Vec<u8> = writer.finish().unwrap();
    fs::write(store.join("embed.b2e"), frame).unwrap();
}

/// The verdicts are those of python-blosc2 4.14.1.
#[test]
fn a_store_without_its_embedded_leaves_is_found() {
    let tests = Directory::new();
    let archive = Place::data().read(STORE);
    let store = Zip::open(archive).unwrap();
    let files = store.files().unwrap();
    let member = |name: &str| {
        let member = store.open(name).unwrap();
        member.read(0..member.len().unwrap()).unwrap().into_owned()
    };
    assert!(files.iter().any(|name| name == "embed.b2e"), "{files:?}");
    files.iter().for_each(|name| tests.write(&format!("store.b2d/{name}"), member(name)));
    assert!(tests.ok(&["check", "store.b2d", "store.b2d::/g0"]).lines().all(|line| line.contains(": ok: ")));
    fs::remove_file(tests.path("store.b2d/embed.b2e")).unwrap();
    let line = "store: it has no embed.b2e, without which python-blosc2 cannot open the store (rejected by python-blosc2)\n";
    assert_eq!(tests.found(&["check", "store.b2d"]), (format!("store.b2d: {line}"), String::new(), 1));
    assert_eq!(tests.found(&["check", "-r", "."]), (format!("./store.b2d: {line}"), "1 file checked\n".to_owned(), 1));
    // python-blosc2 opens the table in a `.b2d` directory as a store too.
    write_table(&tests.path("table.b2d"));
    fs::remove_file(tests.path("table.b2d/embed.b2e")).unwrap();
    assert_eq!(tests.found(&["check", "table.b2d/"]), (format!("table.b2d/: {line}"), String::new(), 1));
    let of_one = zip("one.b2nd", &Place::data().read("example.b2nd"));
    tests.write("store.b2z", &of_one);
    assert_eq!(tests.found(&["check", "store.b2z"]), (format!("store.b2z: {line}"), String::new(), 1));
    // A name without the ending `.b2z` or `.b2d` has no such finding.
    tests.write("archive.zip", &of_one);
    assert!(tests.ok(&["check", "archive.zip"]).lines().all(|line| line.contains(": ok: ")));
    fs::rename(tests.path("table.b2d"), tests.path("table")).unwrap();
    assert!(tests.ok(&["check", "table"]).lines().all(|line| line.contains(": ok: ")));
}

/// C-Blosc2 3.3.5 and python-blosc2 4.14.1 open each of these files and cut the name at the NUL.
#[test]
fn a_name_with_a_nul_is_read_under_another() {
    let mut header = Header::new(Sizes { typesize: 1, chunksize: 4, blocksize: 4 }).unwrap();
    header.metalayers_mut().insert("us_er", [1]).unwrap();
    let mut writer = Writer::new(header);
    writer.append_special(b2nd_frame::Special::Zeros, 4).unwrap();
    writer.set_vlmetalayer_bytes("at_tr", &[2]).unwrap();
    let frame: Vec<u8> = writer.finish().unwrap();
    for (name, line) in [
        ("us_er", "metalayer \"us\\0er\": its name contains a NUL, so C-Blosc2 reads the name as \"us\""),
        ("at_tr", "vlmetalayer \"at\\0tr\": its name contains a NUL, so C-Blosc2 reads the name as \"at\""),
    ] {
        let mut frame = frame.clone();
        let at = frame.windows(5).position(|bytes| bytes == name.as_bytes()).unwrap();
        frame[at + 2] = 0;
        let file = TemporaryFile::new(&frame);
        let line = format!("{}: {line} (not as specified)\n", file.path());
        assert_eq!(check(&[file.path()]), (line, String::new(), 1));
    }
}

/// Writes the members of an archive with a table into a directory.
fn write_table(directory: &Path) {
    let archive = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../b2nd-arrow/tests/data/names.b2z")).unwrap();
    let zip = Zip::open(archive).unwrap();
    let _ = fs::remove_dir_all(directory);
    for name in zip.files().unwrap() {
        let (path, file) = (directory.join(&name), zip.open(&name).unwrap());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, file.read(0..file.len().unwrap()).unwrap()).unwrap();
    }
}

#[test]
fn the_files_of_a_table_are_checked_as_frames() {
    let tests = Directory::new();
    let store = tests.path("columns.b2d");
    for (table, key) in [(store.clone(), "/"), (store.join("g/t"), "/g/t")] {
        write_table(&table);
        write_embed(&store);
        let path = store.to_str().unwrap();
        let (out, err, status) = check(&["--data", path]);
        assert_eq!((without_rows(&out), err.as_str(), status), (String::new(), "", 0));
        fs::write(table.join("_cols/100%25.b2nd"), broken_data()).unwrap();
        fs::write(table.join("_cols/a/b.b2nd"), b"").unwrap();
        let meta = fs::read(table.join("_meta.b2f")).unwrap();
        fs::write(table.join("_meta.b2f"), [&meta, &b"abc"[..]].concat()).unwrap();
        let places = |args: &[&str]| {
            let (out, err, status) = check(&[&["--json"], args].concat());
            assert_eq!((err.as_str(), status), ("", 1));
            let line: Value = serde_json::from_str(&out).unwrap();
            assert_eq!(line["key"], key);
            let findings = line["findings"].as_array().unwrap().iter();
            let places = findings.map(|finding| finding["place"].as_str().unwrap().to_owned());
            places.filter(|place| place != "values" || cfg!(feature = "arrow")).collect::<Vec<_>>()
        };
        let file = |name: &str| format!("{}{name}", key.trim_start_matches('/').replace("g/t", "g/t/"));
        let (full, ab, meta) = (file("_cols/100%25.b2nd, chunk 0"), file("_cols/a/b.b2nd"), file("_meta.b2f, file"));
        assert_eq!(places(&[path]), [ab.clone(), meta.clone()]);
        assert_eq!(places(&["--data", path]), [full, ab.clone(), meta.clone()]);
        #[cfg(unix)]
        {
            fs::remove_file(table.join("_cols/100%25.b2nd")).unwrap();
            std::os::unix::fs::symlink("nowhere", table.join("_cols/100%25.b2nd")).unwrap();
            let (out, err, status) = check(&[path]);
            assert_eq!((err.as_str(), status), ("", 1));
            assert!(out.contains("it is a symbolic link") && out.contains("column \"100%\": it has no readable file"), "{out}");
        }
        fs::remove_dir_all(&store).unwrap();
    }
}

#[test]
fn a_table_has_the_columns_of_its_schema() {
    let tests = Directory::new();
    let directory = tests.path("table.b2d");
    write_table(&directory);
    let path = directory.to_str().unwrap();
    assert_eq!(check(&[path]), (String::new(), String::new(), 0));
    fs::rename(directory.join("_cols/100%25.b2nd"), directory.join("_cols/100%.b2nd")).unwrap();
    fs::remove_file(directory.join("_cols/a/b.b2nd")).unwrap();
    let lines = format!(
        "{path}::/: column \"a.b\": it has no readable file (rejected by python-blosc2)\n\
         {path}::/: column \"100%\": its file has the name that python-blosc2 4.2.0 used; later versions expect another name \
         (rejected by python-blosc2)\n"
    );
    assert_eq!(check(&[path]), (lines, String::new(), 1));
}

#[test]
fn a_table_that_cannot_be_read_is_found_however_it_is_asked_for() {
    let cases = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/cases/table"));
    let decoded: [&[&str]; 4] = [&["--data"], &["--strict"], &["--data", "--max-memory", "1G"], &["--data", "--max-time", "600"]];
    let all = [&[&[][..]], &decoded[..]].concat();
    // With the feature `arrow`, the lengths of the columns are compared too.
    let short = if cfg!(feature = "arrow") { &decoded[..] } else { &[] };
    for (case, modes, finding) in [
        ("schema-cut", &all[..], "schema: it cannot be read as JSON"),
        ("no-valid-rows", &all[..], "_valid_rows.b2nd: it is missing"),
        ("column-short", short, "column \""),
    ] {
        for end in ["directory.b2d", "zip.b2z"] {
            let path = cases.join(format!("{case}-{end}"));
            for mode in modes {
                let (out, err, status) = check(&[*mode, &[path.to_str().unwrap()]].concat());
                assert!(out.contains(finding), "{case} {mode:?}: {out}{err}");
                assert_eq!((err.as_str(), status), ("", 1), "{case} {mode:?}");
            }
        }
    }
}

#[test]
fn a_good_table_is_good_whatever_its_place_is_called() {
    let tests = Directory::new();
    let archive = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../b2nd-arrow/tests/data/names.b2z")).unwrap();
    fs::create_dir(tests.path("a::b")).unwrap();
    tests.write("a::b/names.b2z", &archive);
    let (out, err, status) = tests.found(&["check", "--data", "a::b/names.b2z"]);
    assert_eq!((without_rows(&out), err.as_str(), status), (String::new(), "", 0));
}

/// Removes the line that is printed only by builds that do not read tables.
fn without_rows(out: &str) -> String {
    let unread = ": values: this build lacks the feature `arrow`, which reads the rows of tables (not decoded)\n";
    let rest: String = out.split_inclusive('\n').filter(|line| !line.ends_with(unread)).collect();
    assert_eq!(rest == out, cfg!(feature = "arrow"), "{out}");
    rest
}

/// `n_rows` in the schema is a cache, and the first versions of python-blosc2 did not write it.
#[test]
#[cfg(feature = "arrow")]
fn the_rows_of_a_table_are_counted_where_its_schema_does_not_say_them_rightly() {
    let tests = Directory::new();
    let directory = tests.path("table.b2d");
    let said = |schema: fn(&str) -> String| {
        write_table(&directory);
        let path = directory.join("_meta.b2f");
        let file = File::open(&path).unwrap();
        let trailer = file.trailer().unwrap();
        let value = trailer.vlmetalayers().value("schema").unwrap().unwrap();
        let text: String = b2nd::msgpack::from_slice(&value).unwrap();
        assert!(text.contains("\"n_rows\": 1"), "{text}");
        let text = b2nd::msgpack::to_vec(&schema(&text)).unwrap();
        File::edit(&path).unwrap().set_vlmetalayer_bytes("schema", &text).unwrap();
        let info: Value = serde_json::from_str(tests.run(&["info", "--json", "table.b2d"]).0.lines().last().unwrap()).unwrap();
        (info["rows"].clone(), tests.found(&["check", "--data", "table.b2d"]).0)
    };
    assert_eq!(said(str::to_owned), (json!(1), String::new()));
    assert_eq!(said(|text| text.replace("n_rows", "no_rows")), (json!(1), String::new()));
    let line = "table.b2d::/: schema: n_rows: expected 1 as in _valid_rows.b2nd, found 7 (read by python-blosc2)\n";
    assert_eq!(said(|text| text.replace("\"n_rows\": 1", "\"n_rows\": 7")), (json!(7), line.to_owned()));
    // The rows are also read if a file has a harmless problem.
    let meta = directory.join("_meta.b2f");
    fs::write(&meta, [&fs::read(&meta).unwrap(), &b"abc"[..]].concat()).unwrap();
    let found = tests.found(&["check", "--data", "table.b2d"]).0;
    assert!(found.contains("_meta.b2f, file") && found.ends_with(line), "{found}");
}

/// Checks every chunk in every file that released versions wrote.
#[test]
fn good_files_are_not_against_the_document() {
    let corpus = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus/public"));
    if !corpus.is_dir() {
        return eprintln!("no corpus here: nothing was compared");
    }
    let (out, _, status) = check(&["--data", "--json", "-r", corpus.to_str().unwrap()]);
    let mut frames = 0;
    for line in out.lines() {
        let frame: Value = serde_json::from_str(line).unwrap();
        let of_chunks =
            |found: &&Value| found["document"] == json!(false) && found["place"].as_str().unwrap().starts_with("chunk ");
        assert_eq!(frame["findings"].as_array().unwrap().iter().find(of_chunks), None, "{}", frame["path"]);
        frames += 1;
    }
    // The status is 3 because frames of beta versions cannot be read.
    assert!(status == 3 && frames > 1500, "{frames} frames");
}

/// The exit status counts all findings even if the output is closed early.
#[test]
fn a_closed_pipe_does_not_change_what_check_says() {
    let tests = Directory::new();
    let odd = "python-blosc2-3.9.0/squeeze__2to1_meta.b2nd";
    tests.take(odd, "odd.b2nd");
    let files = vec!["odd.b2nd"; 2000];
    let mut check =
        tests.command(&[&["check"], files.as_slice()].concat()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = check.stdout.take().unwrap();
    out.read_exact(&mut [0; 10]).unwrap();
    drop(out);
    let output = check.wait_with_output().unwrap();
    assert_eq!((String::from_utf8(output.stderr).unwrap(), output.status.code()), (String::new(), Some(1)));
}

/// A crash can leave files that are empty, cut off or full of zeros. A check of a directory reports them.
#[test]
fn files_that_are_only_named_as_blosc2s_are_reported_below_a_directory() {
    let tests = Directory::new();
    tests.take("example.b2nd", "good.b2nd");
    tests.write("empty.b2nd", b"");
    tests.write("text.b2frame", b"some text");
    tests.write("zeros.b2nd", vec![0; 2000]);
    tests.write("notes.txt", b"some text");
    let (out, err, status) = tests.found(&["check", "-r", "."]);
    let lines: Vec<_> = err.lines().map(|line| line.split(": ").next().unwrap()).collect();
    assert_eq!(lines, ["./empty.b2nd", "./text.b2frame", "./zeros.b2nd", "4 files checked"], "{err}");
    assert_eq!((out.as_str(), status), ("", 3));
}

#[test]
fn a_schema_that_contradicts_itself_is_found() {
    let tests = Directory::new();
    let directory = tests.path("table.b2d");
    let said = |from: &str, to: &str| {
        write_table(&directory);
        write_embed(&directory);
        let path = directory.join("_meta.b2f");
        let value = File::open(&path).unwrap().trailer().unwrap().vlmetalayers().value("schema").unwrap().unwrap().into_owned();
        let text: String = b2nd::msgpack::from_slice(&value).unwrap();
        let text = b2nd::msgpack::to_vec(&text.replacen(from, to, 1)).unwrap();
        File::edit(&path).unwrap().set_vlmetalayer_bytes("schema", &text).unwrap();
        tests.found(&["check", "table.b2d"]).0
    };
    assert_eq!(said("", ""), "");
    let negative = "table.b2d::/: schema: n_rows: expected an integer of 0 or more, found -1 (rejected by python-blosc2)\n";
    assert_eq!(said("\"n_rows\": 1", "\"n_rows\": -1"), negative);
    let list = said("\"columns\": [", "\"other\": [");
    assert!(
        list.starts_with("table.b2d::/: schema: columns: expected a list, found none (rejected by python-blosc2)\n"),
        "{list}"
    );
    let twice = said("\"columns\": [", "\"columns\": [{\"name\": \"100%\", \"kind\": \"int64\"}, ");
    assert!(twice.contains("column \"100%\": the schema has this name more than once (read by python-blosc2)\n"), "{twice}");
    // python-blosc2 4.14.1 rejects these schemas: KeyError, "Unknown column kind", and an unexpected keyword argument.
    let refused = [
        ("\"name\": ", "\"called\": ", "schema: columns[0].name: expected a string, found none"),
        ("\"kind\": \"int8\"", "\"kind\": \"int7\"", "column \"a.b\": kind: \"int7\" is unknown to python-blosc2"),
        (
            "\"kind\": ",
            "\"colour\": 1, \"kind\": ",
            "column \"a.b\": \"colour\" is a setting of int8 that python-blosc2 does \
                                                     not know",
        ),
        (
            "\"kind\": ",
            "\"unit\": \"s\", \"kind\": ",
            "column \"a.b\": \"unit\" is a setting of int8 that python-blosc2 does \
                                                       not know",
        ),
    ];
    for (from, to, finding) in refused {
        let found = said(from, to);
        assert!(found.contains(&format!("table.b2d::/: {finding} (rejected by python-blosc2)\n")), "{found}");
    }
    assert_eq!(said("\"kind\": ", "\"ge\": 0, \"null_storage\": \"mask\", \"chunks\": [7], \"kind\": "), "");
}

/// One damaged bit in an archive's directory can hide the mask of nulls of a column. The values would then be read without
/// nulls.
#[test]
fn a_file_that_belongs_to_no_column_is_found() {
    let tests = Directory::new();
    let directory = tests.path("table.b2d");
    write_table(&directory);
    write_embed(&directory);
    fs::copy(directory.join("_valid_rows.b2nd"), directory.join("_cols/100%25.notnull.b2nD")).unwrap();
    let line = "table.b2d::/: file \"_cols/100%25.notnull.b2nD\": no column that could be read from the schema has this file; \
                the file's name may be damaged, or the schema (read by \
                python-blosc2)\n";
    assert_eq!(tests.found(&["check", "table.b2d"]), (line.to_owned(), String::new(), 1));
}
