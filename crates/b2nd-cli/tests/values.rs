//! `b2nd cat`, `export` and `import`: formats, steps, standard input and output, and what is left behind.
#![allow(clippy::unwrap_used)]

mod harness;

use std::fs;
use std::process::Stdio;

use harness::{Directory, npy};

/// Two rows of three numbers in `a.b2nd`.
fn two_rows(name: &str) -> Directory {
    let tests = Directory::new(name);
    tests.write("a.npy", npy("<i4", "(2, 3)", &[0, 1, 2, 3, 4, 5]));
    tests.ok(&["import", "a.npy", "a.b2nd"]);
    tests
}

#[test]
fn a_dash_is_standard_input_and_output() {
    let tests = two_rows("values-dash");
    let file = fs::read(tests.0.join("a.npy")).unwrap();
    let frame = fs::read(tests.0.join("a.b2nd")).unwrap();
    assert_eq!(tests.pipe(&["export", "a.b2nd", "-"], b""), file);
    assert_eq!(tests.pipe(&["export", "-", "-"], &frame), file);
    tests.pipe(&["import", "-", "b.b2nd"], &file);
    assert_eq!(tests.ok(&["cat", "b.b2nd"]), "0  1  2\n3  4  5\n");
    assert_eq!(tests.pipe(&["cat", "-"], &tests.pipe(&["import", "a.npy", "-"], b"")), b"0  1  2\n3  4  5\n");
    assert_eq!(tests.names(), ["a.b2nd", "a.npy", "b.b2nd"], "no file is called -");
}

#[test]
fn values_are_csv_or_json_by_the_name_of_the_file() {
    let tests = two_rows("values-formats");
    tests.take("example.b2nd", "s.b2nd");
    assert_eq!(tests.ok(&["cat", "--csv", "a.b2nd"]), "0,1,2\n3,4,5\n");
    assert_eq!(tests.ok(&["cat", "--json", "a.b2nd"]), "[[0,1,2],\n[3,4,5]]\n");
    assert_eq!(tests.ok(&["cat", "--csv", "a.b2nd", "1"]), "3\n4\n5\n", "a record for each element of one dimension");
    assert_eq!(tests.ok(&["cat", "--json", "a.b2nd", "1,1"]), "4\n");
    assert_eq!(tests.ok(&["cat", "--csv", "s.b2nd", "0,0,:2"]).lines().next(), Some("time,temp,rain"));
    assert!(tests.refused(&["cat", "--csv", "s.b2nd"]).ends_with("in one dimension, and these have 3: slice them"));
    for (name, expected) in [("a.csv", "0,1,2\n3,4,5\n"), ("a.json", "[[0,1,2],\n[3,4,5]]\n"), ("a.txt", "0  1  2\n3  4  5\n")] {
        tests.ok(&["export", "a.b2nd", name]);
        assert_eq!(fs::read_to_string(tests.0.join(name)).unwrap(), expected, "{name}");
    }
    let refused = tests.refused(&["export", "a.b2nd", "a.xls"]);
    assert_eq!(refused, "a.b2nd: a.xls: expected a name that ends in .npy, .csv, .json or .txt, or --format");
    assert!(!tests.0.join("a.xls").exists());
}

#[test]
fn a_step_takes_every_so_manyth_element() {
    let tests = Directory::new("values-steps");
    let values: Vec<i32> = (0..35).collect();
    tests.write("a.npy", npy("<i4", "(5, 7)", &values));
    tests.ok(&["import", "--chunks", "2,3", "--blocks", "1,2", "a.npy", "a.b2nd"]);
    assert_eq!(tests.ok(&["cat", "a.b2nd", "1::2,::3"]), "7  10  13\n21  24  27\n");
    assert_eq!(tests.ok(&["cat", "a.b2nd", "::4,6"]), "6\n34\n");
    assert_eq!(tests.ok(&["cat", "a.b2nd", "3:3:2"]), "");
    let touched = tests.ok(&["slice", "a.b2nd", "::4,::6"]);
    assert!(touched.contains("[0:5:4, 0:7:6] touches 4 of 9 chunks"), "{touched}");
    // What is listed is what has an element of the slice.
    for (slice, expected) in [("::2,:", 9), ("4:,::3", 3), ("1:2,1::5", 2)] {
        let json: serde_json::Value = serde_json::from_str(&tests.ok(&["info", "--json", "--slice", slice, "a.b2nd"])).unwrap();
        assert_eq!(json["array"]["grid"]["slice"]["chunks"].as_array().unwrap().len(), expected, "{slice}");
    }
}

#[test]
fn objects_are_refused_by_name() {
    let tests = Directory::new("values-objects");
    tests.write("o.npy", npy("|O", "(2,)", &[1]));
    let refused = tests.refused(&["import", "o.npy", "o.b2nd"]);
    assert!(refused.starts_with("o.npy: its elements are Python objects"), "{refused}");
}

#[test]
fn what_info_calls_a_recipe_has_no_values() {
    let tests = two_rows("values-recipe");
    let recipe = b"\x81\xa4kind\xa3new";
    let [array, file] = ["a.b2nd", "r.b2nd"].map(|name| tests.0.join(name));
    b2nd::frame::rewrite(array, file, |metalayers| metalayers.insert("b2o", recipe).map(drop)).unwrap();
    let json: serde_json::Value = serde_json::from_str(&tests.ok(&["info", "--json", "r.b2nd"])).unwrap();
    assert_eq!(json["kind"], "b2object");
    let refused = tests.refused(&["cat", "r.b2nd"]);
    assert!(refused.starts_with("r.b2nd: the file holds the metalayer b2o: "), "{refused}");
}

#[test]
fn a_frame_inside_a_file_has_its_values_read() {
    let tests = two_rows("values-offset");
    let frame = fs::read(tests.0.join("a.b2nd")).unwrap();
    tests.write("in.h5", [&b"\x89HDF\r\n\x1a\n"[..], &frame].concat());
    assert_eq!(tests.ok(&["cat", "--offset", "8", "in.h5"]), "0  1  2\n3  4  5\n");
    tests.ok(&["export", "--offset", "0x8", "in.h5", "b.npy"]);
    assert_eq!(fs::read(tests.0.join("b.npy")).unwrap(), fs::read(tests.0.join("a.npy")).unwrap());
}

/// A signal takes the temporary file away; what a killed process left, the next one takes.
#[cfg(unix)]
#[test]
fn nothing_is_left_of_a_run_that_was_stopped() {
    let tests = Directory::new("values-stopped");
    tests.write(".b2nd-left.tmp", "a remnant");
    tests.write("a.npy", npy("<i4", "(2,)", &[1, 2]));
    tests.ok(&["import", "a.npy", "a.b2nd"]);
    tests.ok(&["export", "a.b2nd", "b.npy"]);
    assert_eq!(tests.names(), ["a.b2nd", "a.npy", "b.npy"]);
    // An import that waits for more of its input.
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
    // It notices when more comes.
    while import.try_wait().unwrap().is_none() {
        let _ = std::io::Write::write_all(&mut input, &[0; 1 << 16]);
    }
    assert_eq!(tests.names(), ["a.b2nd", "a.npy", "b.npy"]);
    assert_eq!(import.wait().unwrap().code(), None, "it ended by the signal");
}

#[test]
fn info_shows_the_values_at_the_corners_as_numpy_prints_them() {
    let tests = Directory::new("info-values");
    let values: Vec<i32> = (0..2000).collect();
    tests.write("a.npy", npy("<i4", "(40, 50)", &values));
    tests.ok(&["import", "--chunks", "7,9", "a.npy", "a.b2nd"]);
    let page = tests.ok(&["info", "--values", "a.b2nd"]);
    let expected = "\n  values\n    [[   0    1    2 ...   47   48   49]\n     [  50   51   52 ...   97   98   99]\n     \
                    [ 100  101  102 ...  147  148  149]\n     ...\n     [1850 1851 1852 ... 1897 1898 1899]\n     \
                    [1900 1901 1902 ... 1947 1948 1949]\n     [1950 1951 1952 ... 1997 1998 1999]]\n";
    assert!(page.ends_with(expected), "{page}");
    let part = tests.ok(&["info", "--values", "--slice", "::39,-1", "a.b2nd"]);
    assert!(part.ends_with("\n  values\n    [  49 1999]\n"), "{part}");
    let (_, refused, status) = tests.run(&["info", "--values", "--json", "a.b2nd"]);
    assert!(refused.contains("cannot be used with") && status == 2, "{refused}");
}
