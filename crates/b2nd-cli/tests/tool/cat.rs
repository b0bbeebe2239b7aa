//! `b2nd cat` and `export`: output formats, steps in slices, pipes, and files without values.

use std::fs;

use b2nd::{B2ndMeta, Geometry};
use b2nd_frame::{Chunk, Header, Sizes, Writer};

use crate::harness::{Directory, Place, npy};

/// A directory with an array of two rows and three columns in `a.b2nd`.
fn two_rows() -> Directory {
    let tests = Directory::new();
    tests.write("a.npy", npy("<i4", "(2, 3)", &[0, 1, 2, 3, 4, 5]));
    tests.ok(&["import", "a.npy", "a.b2nd"]);
    tests
}

#[test]
fn a_dash_is_standard_input_and_output() {
    let tests = two_rows();
    let file = tests.read("a.npy");
    let frame = tests.read("a.b2nd");
    assert_eq!(tests.pipe(&["export", "a.b2nd", "-"], b""), file);
    assert_eq!(tests.pipe(&["export", "-", "-"], &frame), file);
    tests.pipe(&["import", "-", "b.b2nd"], &file);
    assert_eq!(tests.ok(&["cat", "b.b2nd"]), "0  1  2\n3  4  5\n");
    assert_eq!(tests.pipe(&["cat", "-"], &tests.pipe(&["import", "a.npy", "-"], b"")), b"0  1  2\n3  4  5\n");
    assert_eq!(tests.names(), ["a.b2nd", "a.npy", "b.b2nd"], "no file is called -");
}

#[test]
fn values_are_csv_or_json_by_the_name_of_the_file() {
    let tests = two_rows();
    tests.take("example.b2nd", "s.b2nd");
    assert_eq!(tests.ok(&["cat", "--csv", "a.b2nd"]), "0,1,2\n3,4,5\n");
    assert_eq!(tests.ok(&["cat", "--json", "a.b2nd"]), "[[0,1,2],\n[3,4,5]]\n");
    assert_eq!(tests.ok(&["cat", "--csv", "a.b2nd", "1"]), "3\n4\n5\n", "a record for each element of one dimension");
    assert_eq!(tests.ok(&["cat", "--json", "a.b2nd", "1,1"]), "4\n");
    assert_eq!(tests.ok(&["cat", "--csv", "s.b2nd", "0,0,:2"]).lines().next(), Some("time,temp,rain"));
    assert!(tests.refused(&["cat", "--csv", "s.b2nd"]).ends_with("in one dimension, but these have 3: use indices, as in 0,:"));
    for (name, expected) in [("a.csv", "0,1,2\n3,4,5\n"), ("a.json", "[[0,1,2],\n[3,4,5]]\n"), ("a.txt", "0  1  2\n3  4  5\n")] {
        tests.ok(&["export", "a.b2nd", name]);
        assert_eq!(fs::read_to_string(tests.path(name)).unwrap(), expected, "{name}");
    }
    assert!(
        tests.refused(&["export", "a.npy", "a.npy"]).ends_with("a.npy: it is the input, or contains it: choose another name")
    );
    let refused = tests.refused(&["export", "a.b2nd", "a.xls"]);
    let endings = ".npy, .bin, .csv, .json, .jsonl, .ndjson, .txt, .arrow, .feather, .arrows, .parquet or .zarr";
    assert_eq!(refused, format!("a.b2nd: a.xls: expected a name that ends in {endings}, or --format"));
    assert!(!tests.path("a.xls").exists());
}

#[test]
fn a_step_takes_every_so_manyth_element() {
    let tests = Directory::new();
    let values: Vec<i32> = (0..35).collect();
    tests.write("a.npy", npy("<i4", "(5, 7)", &values));
    tests.ok(&["import", "--chunks", "2,3", "--blocks", "1,2", "a.npy", "a.b2nd"]);
    assert_eq!(tests.ok(&["cat", "a.b2nd", "1::2,::3"]), " 7  10  13\n21  24  27\n");
    assert_eq!(tests.ok(&["cat", "a.b2nd", "::4,6"]), "6\n34\n");
    assert_eq!(tests.ok(&["cat", "a.b2nd", "3:3:2"]), "");
    assert_eq!(tests.ok(&["cat", "a.b2nd", "::-2,5:2:-1"]), "33  32  31\n19  18  17\n 5   4   3\n");
    assert_eq!(tests.ok(&["cat", "a.b2nd", "0,-2::-3"]), "5\n2\n");
    assert_eq!(tests.ok(&["head", "-n", "1", "a.b2nd", "::-1,::-1"]), "34  33  32  31  30  29  28\n… [4, 6::-1] of 5 x 7\n");
    assert_eq!(tests.ok(&["cat", "a.b2nd", "1:3:-1"]), "");
    let touched = tests.ok(&["info", "a.b2nd", "--slice", "::4,::6"]);
    assert!(touched.contains("[0:5:4, 0:7:6] touches 4 of 9 chunks"), "{touched}");
    // Only chunks that have an element of the slice are listed.
    for (slice, expected) in [("::2,:", 9), ("4:,::3", 3), ("1:2,1::5", 2)] {
        let json: serde_json::Value = serde_json::from_str(&tests.ok(&["info", "--json", "--slice", slice, "a.b2nd"])).unwrap();
        assert_eq!(json["array"]["grid"]["slice"]["chunks"].as_array().unwrap().len(), expected, "{slice}");
    }
}

#[test]
fn head_of_long_elements_shows_a_part_of_them() {
    let tests = Directory::new();
    let zeros = fs::File::create(tests.path("zeros.bin")).unwrap();
    zeros.set_len(20 << 20).unwrap();
    tests.ok(&["import", "--dtype", "|S1048576", "zeros.bin", "z.b2nd"]);
    assert!(tests.ok(&["head", "-n", "20", "z.b2nd"]).ends_with("… the first 10 of 20\n"));
    assert!(tests.ok(&["tail", "-n", "20", "z.b2nd"]).ends_with("… the last 10 of 20\n"));
}

#[test]
fn what_info_calls_a_recipe_has_no_values() {
    let tests = two_rows();
    let recipe = b"\x81\xa4kind\xa3new";
    let [array, file] = ["a.b2nd", "r.b2nd"].map(|name| tests.path(name));
    b2nd_frame::rewrite_to(array, file, |metalayers| metalayers.insert("b2o", recipe).map(drop)).unwrap();
    let json: serde_json::Value = serde_json::from_str(&tests.ok(&["info", "--json", "r.b2nd"])).unwrap();
    assert_eq!(json["kind"], "b2object");
    let refused = tests.refused(&["cat", "r.b2nd"]);
    assert!(refused.ends_with("computes or fetches them (metalayer b2o)"), "{refused}");
}

#[test]
fn a_frame_inside_a_file_has_its_values_read() {
    let tests = two_rows();
    let frame = tests.read("a.b2nd");
    tests.write("in.h5", [&b"\x89HDF\r\n\x1a\n"[..], &frame].concat());
    for args in [&["cat"][..], &["info"], &["stats"], &["export"]] {
        let out: &[&str] = if args[0] == "export" { &["none.npy"] } else { &[] };
        for at in ["0", "5", "99999"] {
            let refused = tests.refused(&[args, &["--offset", at, "in.h5"], out].concat());
            assert_eq!(
                refused,
                format!("in.h5: no frame starts at byte {at} of the file: without --offset, the file itself is opened"),
                "{args:?}"
            );
        }
    }
    assert_eq!(tests.ok(&["cat", "--offset", "8", "in.h5"]), "0  1  2\n3  4  5\n");
    tests.ok(&["export", "--offset", "0x8", "in.h5", "b.npy"]);
    assert_eq!(tests.read("b.npy"), tests.read("a.npy"));
}

#[test]
fn nobody_waits_for_chunks_that_are_not_there() {
    let tests = Directory::new();
    let mut header = Header::new(Sizes { typesize: 1, chunksize: 2, blocksize: 2 }).unwrap();
    header.metalayers_mut().set(&B2ndMeta::new(Geometry::new(&[4], &[2], &[2]).unwrap(), "|i1")).unwrap();
    let mut writer = Writer::new(header);
    for _ in 0..2 {
        writer.append_special(b2nd_frame::Special::Zeros, 2).unwrap();
    }
    let mut frame: Vec<u8> = writer.finish().unwrap();
    tests.write("good.b2nd", &frame);
    assert_eq!(tests.run(&["cat", "good.b2nd"]).0, "0\n0\n0\n0\n");
    let length = frame.windows(9).rposition(|bytes| bytes == [0xd3, 0, 0, 0, 0, 0, 0, 0, 4]).unwrap();
    frame[length + 3] = 1;
    tests.write("bad.b2nd", &frame);
    let (_, err, status) = tests.run(&["cat", "bad.b2nd"]);
    let last = (1 << 25) - 1;
    let expected = format!("bad.b2nd: chunk {last}: the frame has only 2 chunks\n");
    assert_eq!((err.as_str(), status), (expected.as_str(), 1));
}

#[test]
fn what_has_no_values_is_named() {
    let store = "python-blosc2-4.14.1/treestore__dfltb2z.b2z";
    let said = |args: &[&str]| Place::data().run(args).1;
    assert_eq!(said(&["cat", store]), format!("{store}: it is a store: name a leaf, as in {store}::/ext\n"));
    let table = "python-blosc2-4.14.1/ctable__to_cframe.b2frame";
    // With the feature `arrow`, the rows of the table are printed instead.
    if !cfg!(feature = "arrow") {
        let sentence = format!("{table}: it is a table, which this build of b2nd cannot read: ");
        assert!(said(&["cat", table]).starts_with(&sentence), "{}", said(&["cat", table]));
    }
}

#[test]
fn what_info_shows_of_a_table_cat_reads() {
    let tests = Directory::new();
    let Some(table) = fs::read_dir(Place::data().path("python-blosc2-4.14.1")).unwrap().find_map(|entry| {
        let path = entry.unwrap().path();
        path.to_str().filter(|name| name.contains("ctable") && name.ends_with(".b2z")).map(str::to_owned)
    }) else {
        return;
    };
    let wrong = format!("{table}::/_cols/none");
    assert!(tests.refused(&["info", &wrong]).contains("there is no /_cols/none in it"));
    assert!(tests.refused(&["cat", &wrong]).contains("there is no /_cols/none in it"));
}

#[test]
fn a_directory_that_is_no_store_is_listed_or_refused() {
    let tests = Directory::new();
    tests.unpack("empty.b2z", "mixed/table.b2d");
    tests.take("example.b2nd", "mixed/example.b2nd");
    tests.write("zarr/.zarray", "{}");
    tests.write("zarr/0.0", "");
    let directory = "a directory with no file chunks.b2frame";
    let below = format!("mixed: {directory} (`b2nd info -r` and other commands with -r search it for frames)");
    let zarr = format!("zarr: {directory}: it is a Zarr store, or a part of one: `b2nd ls` and `b2nd import` read its directory");
    assert_eq!(tests.ok(&["info", "mixed"]), tests.ok(&["ls", "mixed"]));
    for args in [&["cat"][..], &["head"], &["export"], &["cat", "--csv"]] {
        for (name, error) in [("mixed", &below), ("zarr", &zarr)] {
            let out: &[&str] = if args[0] == "export" { &[name, "out.csv"] } else { &[name] };
            assert_eq!(tests.refused(&[args, out].concat()), *error, "{args:?}");
        }
    }
}

/// With the feature `arrow` these files are read.
#[test]
#[cfg(not(feature = "arrow"))]
fn batches_of_values_are_refused_with_the_command_that_installs_what_reads_them() {
    let tests = Directory::new();
    for (file, what) in [("list", "a list array"), ("objects", "an object array"), ("batches", "a batch array")] {
        let file = format!("{file}.b2b");
        let why = "which this build of b2nd cannot read: install one that can, with `cargo install --path crates/b2nd-cli --features full`";
        let out = tests.path("out.csv");
        for args in [&["cat", &file][..], &["export", &file, out.to_str().unwrap()], &["stats", &file]] {
            assert_eq!(Place::tables().refused(args), format!("{file}: it is {what}, {why}"), "{args:?}");
        }
    }
}

/// The chunks have three elements of two bytes each; the last chunk has only one.
#[test]
fn a_frame_without_an_array_is_one_of_one_dimension() {
    let tests = Directory::new();
    let mut writer = Writer::new(Header::new(Sizes { typesize: 2, chunksize: 6, blocksize: 6 }).unwrap());
    for chunk in [&[1, 0, 2, 0, 3, 0][..], &[4, 0, 5, 0, 6, 0], &[0xff, 0xff]] {
        writer.append(&Chunk::store(chunk, 2).unwrap()).unwrap();
    }
    tests.write("s.b2frame", writer.finish().unwrap());
    assert_eq!(tests.ok(&["cat", "s.b2frame", "2:4"]), "0300\n0400\n", "bytes of a type that is not said");
    assert_eq!(tests.ok(&["cat", "s.b2frame", "--dtype", "<i2", "::3"]), "1\n4\n-1\n");
    assert_eq!(tests.ok(&["head", "-n", "2", "s.b2frame", "--dtype", "|u1"]), "1  0\n… the first 2 of 14\n");
    tests.ok(&["export", "s.b2frame", "s.bin"]);
    assert_eq!(tests.read("s.bin"), [1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 0xff, 0xff]);
    assert!(
        tests.ok(&["stats", "--json", "--dtype", "<i2", "s.b2frame"]).contains("\"count\":7,\"nan\":0,\"zeros\":0,\"min\":-1,")
    );
    let refused = tests.refused(&["cat", "s.b2frame", "--dtype", "<i4"]);
    assert_eq!(refused, "s.b2frame: the data has 14 bytes, which is not a multiple of the itemsize, 4");
    let refused = two_rows().refused(&["cat", "a.b2nd", "--dtype", "<i4"]);
    assert!(refused.ends_with("this array has a dtype: leave out --dtype"), "{refused}");
    let caterva = "python-caterva-0.7.3/cparams__ZSTD_9.caterva";
    let refused = Place::data().refused(&["cat", caterva, "--dtype", "<i4"]);
    let expected = "--dtype is not for arrays: `b2nd info` shows their dtype, `b2nd upgrade` adds one to Caterva arrays";
    assert_eq!(refused, format!("{caterva}: {expected}"));
}

/// A tensor as `blosc2.save_tensor(np.arange(6, dtype="<i2").reshape(2, 3), ..)` writes it, and one with a structured dtype.
#[test]
fn a_packed_tensor_has_its_shape() {
    let tests = Directory::new();
    for (name, dtype) in [("t.bl2", &b"\xa3<i2"[..]), ("fields.bl2", b"\x91\x92\xa1x\xa3<i2")] {
        let mut writer = Writer::new(Header::new(Sizes { typesize: 2, chunksize: 8, blocksize: 8 }).unwrap());
        writer.append(&Chunk::store(&[0, 0, 1, 0, 2, 0, 3, 0], 2).unwrap()).unwrap();
        writer.append(&Chunk::store(&[4, 0, 5, 0], 2).unwrap()).unwrap();
        let described = [&b"\x94\xa9__tuple__\xa5numpy\x93\xa9__tuple__\x02\x03"[..], dtype].concat();
        writer.set_vlmetalayer_bytes("__pack_tensor__", &described).unwrap();
        tests.write(name, writer.finish().unwrap());
    }
    assert_eq!(tests.ok(&["cat", "t.bl2"]), "0  1  2\n3  4  5\n");
    assert_eq!(tests.ok(&["cat", "t.bl2", ":, 1"]), "1\n4\n");
    assert!(tests.ok(&["stats", "--json", "t.bl2"]).contains("\"dtype\":\"<i2\",\"shape\":[2,3],\"count\":6,"));
    assert!(tests.refused(&["cat", "t.bl2", "--dtype", "<i2"]).ends_with("this array has a dtype: leave out --dtype"));
    assert!(tests.refused(&["cat", "fields.bl2"]).ends_with("`blosc2.load_tensor` may read it"));
}

#[test]
fn json_has_the_fields_of_structures_in_their_order() {
    let tests = Directory::with_example();
    let json = tests.ok(&["cat", "--json", "a.b2nd", "0,0,0"]);
    let places = ["time", "temp", "rain"].map(|name| json.find(&format!("\"{name}\"")));
    assert!(places.is_sorted() && places[0].is_some(), "{json}");
    let json = tests.ok(&["meta", "get", "--fixed", "a.b2nd", "station"]);
    let places = ["id", "name", "lat", "lon"].map(|name| json.find(&format!("\"{name}\"")));
    assert!(places.is_sorted() && places[0].is_some(), "{json}");
    let json = tests.run(&["diff", "a.b2nd", Place::data().path("grid/i4_2d.b2nd").to_str().unwrap()]).0;
    assert!(json.contains(r#"- metalayers.station: {"id":17,"name":"Z"#), "{json}");
}
