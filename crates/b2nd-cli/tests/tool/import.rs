//! `b2nd import` and `export`: NumPy files, raw bytes and CSV in both directions, rejected input, and that failures leave no files.

use std::fs;
use std::io::Write;
use std::process::Command;
use std::process::Stdio;

use b2nd_frame::File;

use crate::harness::{Directory, STORE, npy};

#[test]
fn a_numpy_file_comes_back_as_it_was() {
    let tests = Directory::with_example();
    for (name, shape, values) in [
        ("two", "(2, 3)", &[0, 1, 2, 3, 4, 5][..]),
        ("one", "(4,)", &[7, -7, 8, -8]),
        ("none", "()", &[42]),
        ("empty", "(0, 3)", &[]),
    ] {
        let (file, array, back) = (format!("{name}.npy"), format!("{name}.b2nd"), format!("{name}.back.npy"));
        tests.write(&file, npy("<i4", shape, values));
        tests.ok(&["import", &file, &array]);
        tests.ok(&["export", &array, &back]);
        assert!(tests.read(&back) == tests.read(&file), "{name}");
        tests.fails(&["import", &file, &array], &format!("{file}: {array} already exists"));
        tests.fails(&["export", &array, &back], &format!("{array}: {back} already exists"));
    }
    assert_eq!(tests.ok(&["cat", "two.b2nd"]), "0  1  2\n3  4  5\n");
    assert_eq!(tests.ok(&["cat", "two.b2nd", "-1,1:"]), "4\n5\n");
    assert_eq!(tests.ok(&["cat", "two.b2nd", "...,0"]), "0\n3\n");
    tests.fails(&["cat", "two.b2nd", "7"], "two.b2nd: index 7 is outside dimension 0, whose length is 2");
    // As in Python, an index removes its dimension.
    for (slice, shape) in [("1", "(3,)"), ("...,0:1", "(2, 1)"), ("0,0", "()")] {
        tests.ok(&["export", "two.b2nd", "slice.npy", slice]);
        let file = tests.read("slice.npy");
        fs::remove_file(tests.path("slice.npy")).unwrap();
        let header = String::from_utf8_lossy(&file[10..128]).into_owned();
        assert!(header.contains(&format!("'shape': {shape}, }}")), "{slice}: {header}");
    }
    let (first, ..) = tests.run(&["cat", "a.b2nd", "0,0,0"]);
    assert!(first == "      time  temp  rain\n1700000000  15.0   1.0\n", "{first}");
}

#[test]
fn raw_bytes_and_csv_become_arrays() {
    let tests = Directory::new();
    tests.write("a.bin", (0..6_i16).flat_map(i16::to_be_bytes).collect::<Vec<u8>>());
    tests.ok(&["import", "--dtype", ">i2", "--shape", "2,3", "a.bin", "a.b2nd"]);
    assert_eq!(tests.ok(&["cat", "a.b2nd"]), "0  1  2\n3  4  5\n");
    let raw = tests.pipe(&["import", "--dtype", ">i2", "-", "-"], &tests.read("a.bin"));
    tests.write("one.b2nd", raw);
    assert_eq!(tests.ok(&["cat", "--json", "one.b2nd"]), "[0,1,2,3,4,5]\n");
    let error = "a.bin: an array of this shape and dtype has 8 bytes, found 12";
    tests.fails(&["import", "--dtype", ">i2", "--shape", "4", "a.bin", "b.b2nd"], error);
    let error = "a.bin: the elements of this shape need 2^64 bytes or more, which no file can hold";
    tests.fails(&["import", "--dtype", ">i2", "--shape", "9223372036854775807,2", "a.bin", "b.b2nd"], error);
    let error = "a.bin: shape: expected lengths of 0 or more, found -6";
    tests.fails(&["import", "--dtype", ">i2", "--shape=-6", "a.bin", "b.b2nd"], error);
    tests.fails(
        &["import", "--shape", "6", "a.bin", "b.b2nd"],
        "a.bin: --dtype is missing: raw bytes need it; for a NumPy file, leave out --shape and --format bin",
    );
    for name in ["a.npy", "a.NPY"] {
        tests.write(name, "");
        let error = format!("{name}: --dtype and --shape are only for raw bytes and CSV: leave them out");
        tests.fails(&["import", "--dtype", ">i2", name, "b.b2nd"], &error);
    }
    let error = "a.bin: the file has 12 bytes, not a multiple of an element's 8 bytes";
    tests.fails(&["import", "--dtype", "<f8", "a.bin", "b.b2nd"], error);
    for ending in ["npy", "ZARR", "b2z"] {
        let (name, ending) = (format!("b.{ending}"), ending.to_lowercase());
        let error = format!("a.bin: {name}: .{ending} is the ending of another format: choose a name that ends in .b2nd");
        tests.fails(&["import", "--dtype", ">i2", "a.bin", &name], &error);
    }
    for (csv, dtype, json) in [
        ("1,2\n3,4\n", "<i8", "[[1,2],\n[3,4]]"),
        ("x\n1\n\"2.5\"\nnan\n", "<f8", "[1.0,2.5,null]"),
        ("a,b\n1,\n", "<f8", "[[1.0,null]]"),
        ("é\nlong\n", "<U4", "[\"é\",\"long\"]"),
    ] {
        tests.write("a.csv", csv);
        assert_eq!(tests.run(&["import", "--overwrite", "a.csv", "c.b2nd"]).2, 0, "{csv}");
        assert_eq!(tests.ok(&["cat", "--json", "c.b2nd"]), format!("{json}\n"));
        assert!(tests.ok(&["info", "--json", "c.b2nd"]).contains(&format!("\"dtype\":\"{dtype}\"")), "{csv}");
    }
    tests.write("a.csv", "1\n300\n");
    tests.fails(&["import", "--dtype", "|u1", "a.csv", "d.b2nd"], "a.csv: record 2, column 1: \"300\" cannot be read as |u1");
    // Exporting and then importing an array gives an equal array.
    tests.ok(&["export", "a.b2nd", "b.csv"]);
    tests.ok(&["import", "--dtype", ">i2", "b.csv", "b.b2nd"]);
    tests.ok(&["diff", "--data", "a.b2nd", "b.b2nd"]);
}

/// A limit on the size of files simulates a full disk.
#[cfg(unix)]
#[test]
fn what_cannot_be_written_is_named_and_not_left_half() {
    let tests = Directory::with_example();
    tests.write("in.npy", npy("<i4", "(3000,)", &(0..3000).map(|n| n * 40_503).collect::<Vec<i32>>()));
    tests.ok(&["import", "in.npy", "in.b2nd", "--level", "0"]);
    let before = tests.contents();
    for (args, error) in [
        ("import in.npy out.b2nd --level 0", "in.npy: out.b2nd: File too large (os error 27)\n"),
        ("export in.b2nd out.npy", "in.b2nd: out.npy: File too large (os error 27)\n"),
    ] {
        // The signal for writing beyond the limit ends a program unless it ignores or handles the signal.
        for trap in ["trap '' XFSZ;", ""] {
            let script = format!("{trap} ulimit -f 4; exec \"$B2ND\" {args}");
            let mut shell = Command::new("sh");
            let output =
                shell.arg("-c").arg(script).env("B2ND", env!("CARGO_BIN_EXE_b2nd")).current_dir(tests.path("")).output().unwrap();
            assert_eq!((String::from_utf8(output.stderr).unwrap().as_str(), output.status.code()), (error, Some(1)));
            assert!(tests.contents() == before, "{args} left something");
        }
    }
}

/// NumPy headers are Latin-1 in versions 1 and 2, and UTF-8 in version 3.
#[test]
fn a_numpy_field_may_have_an_accent() {
    let tests = Directory::with_example();
    let mut latin = npy("X", "(1,)", &[7]);
    let descr = b"[('\xe9', '<i4')]";
    let place = latin.windows(3).position(|bytes| bytes == b"'X'").unwrap();
    latin.splice(place..place + 3, descr.iter().copied());
    // The longer descr takes some of the padding.
    let end = latin.len() - 5;
    latin.drain(end - (descr.len() - 3)..end);
    tests.write("latin.npy", latin);
    tests.ok(&["import", "latin.npy", "latin.b2nd"]);
    let header = File::open(tests.path("latin.b2nd")).unwrap();
    assert_eq!(header.header().array().unwrap().unwrap().dtype(), Some("[('é', '<i4')]"));
    tests.ok(&["export", "latin.b2nd", "back.npy"]);
    tests.ok(&["import", "back.npy", "back.b2nd"]);
    assert_eq!(tests.ok(&["cat", "back.b2nd"]), "é\n7\n");
}

#[test]
fn only_local_files_are_imported_and_upgraded() {
    let tests = Directory::new();
    tests.take(STORE, "s.b2z");
    for (word, to_do) in [
        ("http://localhost:1/a.npy", "from a server: download the file first"),
        ("s.b2z::/g0/n0", "by its key: `b2nd repack` copies an array in a store to a file"),
    ] {
        for command in ["import", "upgrade"] {
            let error = format!("{word}: `b2nd {command}` cannot read it {to_do}");
            tests.fails(&[command, word, "out.b2nd"], &error);
        }
    }
}

#[test]
fn what_is_no_numpy_file_is_refused() {
    let tests = Directory::with_example();
    let good = npy("<i4", "(2, 3)", &[0, 1, 2, 3, 4, 5]);
    // If every quote were compared with the rest of the header, this header would take far too long.
    let quotes = [b"\x93NUMPY\x02\x00\x40\x42\x0f\x00", &*b"\\'".repeat(500_000)].concat();
    let cases: [(&str, Vec<u8>, &str); 6] = [
        ("quotes", quotes, "the header has no 'descr'"),
        ("text", b"text".to_vec(), "not a NumPy file: it does not begin with \\x93NUMPY"),
        ("cut", good[..40].to_vec(), "the file ends before the end of its NumPy header"),
        ("short", good[..good.len() - 1].to_vec(), "an array of this shape and dtype has 24 bytes, found 23"),
        ("dtype", npy("<x4", "(1,)", &[1]), "descr: dtype: expected a type code, found 'x' at byte 1"),
        ("lengths", npy("<i4", "(x,)", &[1]), "shape: expected a length, found \"x\""),
    ];
    for (name, bytes, error) in cases {
        tests.write(name, bytes);
        tests.fails(&["import", name, "out.b2nd"], &format!("{name}: {error}"));
    }
    tests.write("good", &good);
    let wide = "blockshape[1] is 7, but chunkshape[1] is 3: blocks must fit in chunks";
    tests.fails(&["import", "good", "out.b2nd", "--chunks", "2,3", "--blocks", "1,7"], &format!("good: {wide}"));
    // Objects are stored as addresses or as a pickle, and the tool reads neither.
    tests.write("objects", npy("|O", "(1,)", &[0, 0]));
    let objects = "its elements are or contain Python objects, stored as memory addresses or as a pickle, which cannot be read";
    tests.fails(&["import", "objects", "out.b2nd"], &format!("objects: {objects}"));
    let array = b2nd::B2ndMeta::new(b2nd::Geometry::new(&[1], &[1], &[1]).unwrap(), "[('a', '|O')]");
    b2nd_ndarray::write_bytes(tests.path("objects.b2nd"), &array, &[0; 8], &b2nd_ndarray::Options::default()).unwrap();
    tests.fails(&["cat", "objects.b2nd"], &format!("objects.b2nd: {objects}"));
    tests.fails(&["export", "objects.b2nd", "out.npy"], &format!("objects.b2nd: {objects}"));
    for length in 0..good.len() {
        tests.write("cut", &good[..length]);
        assert_eq!(tests.run(&["import", "cut", "out.b2nd"]).2, 1, "{length}");
    }
    assert!(!tests.path("out.b2nd").exists());
}

/// A signal removes the temporary file; a killed process leaves it, and the next run removes it.
#[cfg(unix)]
#[test]
fn nothing_is_left_of_a_run_that_was_stopped() {
    let tests = Directory::new();
    tests.write(".left.npy.b2nd.0.tmp", "a remnant");
    tests.write("a.npy", npy("<i4", "(2,)", &[1, 2]));
    tests.ok(&["import", "a.npy", "a.b2nd"]);
    tests.ok(&["export", "a.b2nd", "b.npy"]);
    assert_eq!(tests.names(), ["a.b2nd", "a.npy", "b.npy"]);
    // This import waits for the rest of its input.
    let mut import = tests.command(&["import", "-", "c.b2nd"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = import.stdin.take().unwrap();
    let header = npy("<i4", "(100000000,)", &[]);
    std::io::Write::write_all(&mut input, &header).unwrap();
    let begun = || tests.names().iter().any(|name| name.ends_with(".tmp"));
    while !begun() {
        assert_eq!(import.try_wait().unwrap(), None);
        std::thread::yield_now();
    }
    let killed = std::process::Command::new("kill").arg(import.id().to_string()).status().unwrap();
    assert!(killed.success());
    // Writing fails once the import has ended.
    while import.try_wait().unwrap().is_none() {
        let _ = std::io::Write::write_all(&mut input, &[0; 1 << 16]);
    }
    assert_eq!(tests.names(), ["a.b2nd", "a.npy", "b.npy"]);
    assert_eq!(import.wait().unwrap().code(), None, "it ended by the signal");
}

#[test]
fn no_value_of_a_csv_file_is_lost() {
    let tests = Directory::new();
    for (csv, args, json) in [
        ("18446744073709551615\n5\n", "", "[18446744073709551615,5]"),
        ("18446744073709551615\n5\n", "--dtype=<u8", "[18446744073709551615,5]"),
        ("id\n18446744073709551615\n", "", "[18446744073709551615]"),
        ("abc\n1\n", "--dtype=<U3", "[\"abc\",\"1\"]"),
        ("0x10\n1\n", "", "[\"0x10\",\"1\"]"),
        ("NA\n1\n", "", "[\"NA\",\"1\"]"),
        ("1,x\n3,4\n", "", "[{\"f0\":1,\"f1\":\"x\"},{\"f0\":3,\"f1\":\"4\"}]"),
        ("id,name,t\n1,\"a,b\",2.5\n2,,\n", "", "[{\"id\":1,\"name\":\"a,b\",\"t\":2.5},{\"id\":2,\"name\":\"\",\"t\":null}]"),
        ("\" a \"\r\n\"\"\r\n", "", "[\" a \",\"\"]"),
        (" 1, 2\n", "", "[[1,2]]"),
        ("x\n1\n", "--header=false", "[\"x\",\"1\"]"),
        ("7\n1\n", "--header", "[1]"),
        ("x,y\n1,a\n", "--header", "[{\"x\":1,\"y\":\"a\"}]"),
    ] {
        tests.write("a.csv", csv);
        let args: Vec<_> = ["import", "--overwrite", "a.csv", "a.b2nd"].into_iter().chain(args.split_whitespace()).collect();
        assert_eq!(tests.run(&args).2, 0, "{csv}");
        assert_eq!(tests.ok(&["cat", "--json", "a.b2nd"]), format!("{json}\n"), "{csv}");
    }
    for (csv, line) in [("a\n\nc\n", 2), ("a\r\n\r\nc\r\n", 2), ("\na\n", 1), ("\"a\n\"\nb\n\n", 3)] {
        tests.write("a.csv", csv);
        let what = "expected a value, found a blank line: write \"\" for an empty value, or remove the line";
        tests.fails(&["import", "a.csv", "b.b2nd"], &format!("a.csv: record {line}: {what}"));
    }
    // A note tells what is skipped or guessed.
    tests.write("a.csv", "x,y\n1,2\n");
    let note = "a.csv: record 1 (\"x,y\") is a heading, so it is left out: to keep it as values, use --header=false\n";
    assert_eq!(tests.run(&["import", "a.csv", "c.b2nd"]).1, note);
    tests.write("a.csv", "x,y\n1,b\n2,c\n");
    let what = "each record becomes a structure: [('x', '<i8'), ('y', '<U1')]";
    let note = format!("a.csv: {what}; record 1 is a heading: to keep it as values, use --header=false\n");
    assert_eq!(tests.run(&["import", "a.csv", "d.b2nd"]).1, note);
    assert_eq!(tests.run(&["import", "--header", "a.csv", "d.b2nd", "--overwrite"]).1, format!("a.csv: {what}\n"));
    tests.write("b.csv", "1,b\n2,c\n");
    let note = "b.csv: each record becomes a structure: [('f0', '<i8'), ('f1', '<U1')]; if record 1 is a heading, use --header\n";
    assert_eq!(tests.run(&["import", "b.csv", "e.b2nd", "--overwrite"]).1, note);
    tests.write("a.csv", "x,y\n1,2\n");
    let args = ["import", "--dtype=[('x', '>i2'), ('y', '<U1')]", "a.csv", "e.b2nd", "--overwrite"];
    let note = "a.csv: record 1 (\"x,y\") is a heading, so it is left out\n";
    assert_eq!(tests.run(&args), (String::new(), note.to_owned(), 0));
    assert_eq!(tests.ok(&["cat", "--json", "e.b2nd"]), "[{\"x\":1,\"y\":\"2\"}]\n");
    let error = tests.run(&["import", "--dtype=[('x', '<i8')]", "b.csv", "e.b2nd", "--overwrite"]).1;
    assert!(error.ends_with("b.csv: the dtype has 1 field, but a record has 2 values\n"), "{error}");
    // If the dtype is a structure, a line that fits it is not a heading, and a file without lines is an empty array.
    tests.write("a.csv", "a,b\n1,c\n2,d\n");
    tests.ok(&["import", "--dtype=[('p', '<U1'), ('q', '<U1')]", "a.csv", "e.b2nd", "--overwrite"]);
    assert_eq!(tests.ok(&["cat", "--csv", "e.b2nd"]), "p,q\na,b\n1,c\n2,d\n");
    tests.write("a.csv", "");
    tests.ok(&["import", "--dtype=[('p', '<U1'), ('q', '<U1')]", "a.csv", "e.b2nd", "--overwrite"]);
    assert_eq!(tests.ok(&["cat", "--csv", "e.b2nd"]), "p,q\n");
    // A missing or repeated name is replaced.
    for (csv, names) in [("a,a\n1,x\n", "a,f1"), ("f1,\n1,x\n", "f1,f2"), ("f1,a,a\n1,x,y\n", "f1,a,f2"), (",f0\n1,x\n", "f1,f0")]
    {
        tests.write("a.csv", csv);
        assert_eq!(tests.run(&["import", "--header", "a.csv", "e.b2nd", "--overwrite"]).2, 0, "{csv}");
        let values = csv.lines().nth(1).unwrap();
        assert_eq!(tests.ok(&["cat", "--csv", "e.b2nd"]), format!("{names}\n{values}\n"));
    }
    // A single column of text survives export and import.
    let text: Vec<u8> = ["a", "", " d", "\r"]
        .iter()
        .flat_map(|text| {
            let mut bytes: Vec<u8> = text.chars().flat_map(|char| u32::from(char).to_le_bytes()).collect();
            bytes.resize(8, 0);
            bytes
        })
        .collect();
    let written = tests.pipe(&["import", "--dtype", "<U2", "-", "-"], &text);
    tests.write("e.b2nd", written);
    tests.ok(&["export", "e.b2nd", "e.csv"]);
    assert_eq!(tests.read("e.csv"), b"a\n\"\"\n\" d\"\n\"\r\"\n");
    tests.ok(&["import", "--dtype", "<U2", "e.csv", "f.b2nd"]);
    tests.ok(&["diff", "--data", "e.b2nd", "f.b2nd"]);
}

/// All elements are as wide as the widest cell, so 1,000 lines of 2 bytes become 240 MB of elements.
#[cfg(target_os = "linux")]
#[test]
fn an_import_keeps_only_a_part_of_the_elements_in_memory() {
    let tests = Directory::new();
    tests.write("wide.csv", "a".repeat(60_000) + "\n" + &"b\n".repeat(2000));
    let script = "ulimit -v 300000; exec \"$B2ND\" import wide.csv wide.b2nd";
    let mut shell = Command::new("sh");
    let output =
        shell.arg("-c").arg(script).env("B2ND", env!("CARGO_BIN_EXE_b2nd")).current_dir(tests.path("")).output().unwrap();
    assert_eq!((String::from_utf8(output.stderr).unwrap().as_str(), output.status.code()), ("", Some(0)));
    // This is in another directory because `fails` reads all files in the test's directory.
    let device = Directory::new();
    std::os::unix::fs::symlink("/dev/zero", device.path("zero.csv")).unwrap();
    let zero = device.path("zero.csv").display().to_string();
    tests.fails(
        &["import", &zero, "zero.b2nd"],
        &format!("{zero}: expected a regular file, found a pipe or device; to read a pipe, give it as standard input (-)"),
    );
}

#[test]
fn standard_input_may_be_csv() {
    let tests = Directory::new();
    tests.pipe(&["import", "-", "a.b2nd", "--format", "csv"], b"1,2.5\n3,4\n");
    assert_eq!(tests.ok(&["cat", "--json", "a.b2nd"]), "[[1.0,2.5],\n[3.0,4.0]]\n");
    tests.write("values.txt", "1\n2\n");
    tests.ok(&["import", "values.txt", "b.b2nd", "--format", "csv"]);
    assert_eq!(tests.ok(&["cat", "b.b2nd"]), "1\n2\n");
}

#[test]
fn json_lines_have_a_row_each() {
    let tests = Directory::new();
    tests.write("a.npy", npy("<i4", "(2, 1, 2)", &[1, 2, 3, 4]));
    tests.ok(&["import", "a.npy", "a.b2nd"]);
    tests.ok(&["export", "a.b2nd", "a.jsonl"]);
    assert_eq!(String::from_utf8(tests.read("a.jsonl")).unwrap(), "[[1,2]]\n[[3,4]]\n");
    tests.ok(&["export", "a.b2nd", "a.ndjson", "0,0"]);
    assert_eq!(String::from_utf8(tests.read("a.ndjson")).unwrap(), "1\n2\n");
}

#[test]
fn fortran_order_is_read_from_files_and_pipes() {
    let tests = Directory::new();
    let (mut fortran, mut values) = (Vec::new(), Vec::new());
    for z in 0..4 {
        for y in 0..3 {
            for x in 0..2 {
                fortran.push(100 * x + 10 * y + z);
            }
        }
    }
    for x in 0..2 {
        for y in 0..3 {
            values.extend((0..4).map(|z| 100 * x + 10 * y + z));
        }
    }
    let file = npy("<i4", "(2, 3, 4)", &fortran);
    let text: Vec<u8> = String::from_utf8_lossy(&file[10..128]).replace("False", "True ").into_bytes();
    tests.write("f.npy", [&file[..10], &text, &file[128..]].concat());
    tests.write("c.npy", npy("<i4", "(2, 3, 4)", &values));
    for name in ["f", "c"] {
        tests.ok(&["import", &format!("{name}.npy"), &format!("{name}.b2nd")]);
    }
    tests.ok(&["diff", "--data", "f.b2nd", "c.b2nd"]);
    let piped = tests.pipe(&["import", "-", "-"], &tests.read("f.npy"));
    tests.write("p.b2nd", piped);
    tests.ok(&["diff", "--data", "p.b2nd", "c.b2nd"]);
    let mut short = tests.command(&["import", "-", "s.b2nd"]).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    short.stdin.take().unwrap().write_all(&tests.read("f.npy")[..200]).unwrap();
    let output = short.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "-: an array of this shape and dtype has 96 bytes, found 72\n");
}

/// The keys of the header may be in any order and in single or double quotes, and names may contain any characters.
#[test]
fn headers_of_numpy_files_are_read_as_python_reads_them() {
    let tests = Directory::new();
    let numpy = |header: &str, elements: &[u8]| {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend(u16::try_from(header.len() + 1).unwrap().to_le_bytes());
        [&bytes, header.as_bytes(), b"\n", elements].concat()
    };
    for header in [
        "{'fortran_order': False, 'shape': (2,), 'descr': '<i2', }",
        "{\"descr\": \"<i2\", \"fortran_order\": False, \"shape\": (2,)}",
    ] {
        tests.write("k.npy", numpy(header, &[1, 0, 2, 0]));
        tests.ok(&["import", "--overwrite", "k.npy", "k.b2nd"]);
        assert_eq!(tests.ok(&["cat", "--json", "k.b2nd"]), "[1,2]\n", "{header}");
    }
    for name in ["'cr\\rx'", "'nul\\x00x'", "\"('', '|V\"", "\"a', 'fortran_order'\"", "'\\\\'"] {
        let header = |name: &str| format!("{{'descr': [({name}, '<i2')], 'fortran_order': False, 'shape': (1,), }}");
        tests.write("n.npy", numpy(&header(name), &[7, 0]));
        tests.ok(&["import", "--overwrite", "n.npy", "n.b2nd"]);
        tests.ok(&["export", "--overwrite", "n.b2nd", "m.npy"]);
        let written = tests.read("m.npy");
        let text = &written[10..written.len() - 3];
        assert!(text.iter().all(|byte| (b' '..=b'~').contains(byte)), "{name}");
        tests.ok(&["import", "--overwrite", "m.npy", "m.b2nd"]);
        tests.ok(&["diff", "n.b2nd", "m.b2nd"]);
    }
    let header = "{'descr': [('a', [(('title', 'n'), '<i2')]), ('', '|V2')], 'fortran_order': False, 'shape': (1,), }";
    tests.write("p.npy", numpy(header, &[7, 0, 0, 0]));
    tests.ok(&["import", "p.npy", "p.b2nd"]);
    let dtype = "{'names': ['a'], 'formats': [[(('title', 'n'), '<i2')]], 'offsets': [0], 'itemsize': 4}";
    let file = File::open(tests.path("p.b2nd")).unwrap();
    assert_eq!(file.header().array().unwrap().unwrap().dtype(), Some(dtype));
}
