//! `b2nd diff`: files, values, stores, and the exit status.

use std::fs;

use b2nd_frame::{Chunk, File, Header, Sizes, Writer};

use crate::harness::{Directory, Place, STORE, npy};

#[test]
fn diff_ends_as_diff_does() {
    let tests = Directory::with_example();
    tests.take("example.b2nd", "b.b2nd");
    assert_eq!(tests.run(&["diff", "--data", "a.b2nd", "b.b2nd"]), (String::new(), String::new(), 0));
    assert_eq!(tests.run(&["diff", "a.b2nd", "missing.b2nd"]).2, 3);
    assert_eq!(tests.run(&["diff", "a.b2nd"]).2, 2);
    tests.write("one.npy", npy("<i4", "(2, 3)", &[0, 1, 2, 3, 4, 5]));
    tests.write("two.npy", npy("<i4", "(2, 3)", &[0, 1, 2, 3, 9, 9]));
    tests.ok(&["import", "one.npy", "one.b2nd"]);
    tests.ok(&["import", "two.npy", "two.b2nd"]);
    let (out, _, status) = tests.run(&["diff", "--data", "one.b2nd", "two.b2nd"]);
    assert!(
        out.ends_with(
            "  values: 2 elements differ; the largest difference is 5.0 at [1, 1]\n    [1, 1]  4  9\n    [1, 2]  5  9\n"
        ) && status == 1,
        "{out}"
    );
    // If only one of the frames has an array, only the metadata is compared.
    tests.ok(&["rewrite", "a.b2nd", "none.b2nd", "--rm", "b2nd", "--rm", "units"]);
    let (out, error, status) = tests.run(&["diff", "--data", "a.b2nd", "none.b2nd"]);
    assert!(out.contains("- metalayers.units: ") && error.starts_with("values: not compared: ") && status == 3, "{out}{error}");
}

#[test]
fn values_are_compared_without_metadata_and_within_tolerances() {
    let tests = Directory::new();
    let floats = |values: [f32; 4]| values.map(|value| i32::from_le_bytes(value.to_le_bytes()));
    tests.write("one.npy", npy("<f4", "(4,)", &floats([1.0, 100.0, f32::NAN, 0.0])));
    tests.write("two.npy", npy("<f4", "(4,)", &floats([1.0, 101.0, f32::NAN, 0.25])));
    tests.ok(&["import", "one.npy", "one.b2nd"]);
    tests.ok(&["import", "two.npy", "two.b2nd"]);
    tests.ok(&["repack", "--codec", "lz4", "one.b2nd", "copy.b2nd"]);
    assert_eq!(tests.run(&["diff", "--values", "one.b2nd", "copy.b2nd"]), (String::new(), String::new(), 0));
    let (out, _, status) = tests.run(&["diff", "--data", "one.b2nd", "copy.b2nd"]);
    assert!(out.contains("\n- codec: \"zstd\"\n") && out.ends_with("\n  values: equal\n") && status == 1, "{out}");

    let (out, _, status) = tests.run(&["diff", "--values", "one.b2nd", "two.b2nd"]);
    let sentence = "2 elements differ; the largest difference is 1.0 at [1]\n    [1]  100.0  101.0\n    [3]    0.0   0.25";
    assert_eq!((out.as_str(), status), (format!("--- one.b2nd\n+++ two.b2nd\n  values: {sentence}\n").as_str(), 1));
    let (out, _, status) = tests.run(&["diff", "--values", "--rtol", "0.01", "one.b2nd", "two.b2nd"]);
    assert!(
        out.contains("1 element differs; the largest difference is 0.25 at [3]\n    [3]  0.0  0.25\n") && status == 1,
        "{out}"
    );
    assert_eq!(tests.run(&["diff", "--values", "--rtol", "0.01", "--atol", "0.25", "one.b2nd", "two.b2nd"]).2, 0);
    // No finite number is near infinity.
    tests.write("two.npy", npy("<f4", "(4,)", &floats([1.0, f32::INFINITY, f32::NAN, 0.0])));
    tests.ok(&["import", "--overwrite", "two.npy", "two.b2nd"]);
    for (one, other) in [("one.b2nd", "two.b2nd"), ("two.b2nd", "one.b2nd"), ("two.b2nd", "two.b2nd")] {
        let (out, _, status) = tests.run(&["diff", "--values", "--rtol", "0.5", one, other]);
        assert_eq!((out.contains("1 element differs"), status), (one != other, i32::from(one != other)), "{out}");
    }
    assert_eq!(tests.run(&["diff", "--values", "--rtol", "nan", "one.b2nd", "two.b2nd"]).2, 1);
}

#[test]
fn values_that_are_no_numbers_or_exact_or_complex_differ_within_a_tolerance() {
    let tests = Directory::new();
    let big = |low: i32| [low, 1 << 21];
    for (descr, one, two, what) in [
        ("<U1", [97, 98], [97, 99], "\n    [1]  \"b\"  \"c\"\n"),
        ("<i8", big(0), big(1), "the largest difference is 1.0 at [0]"),
        ("<c8", [0x3f80_0000, 0], [0, 0x3f80_0000], "the largest difference is 1.4142136 at [0]"),
    ] {
        let shape = if descr == "<U1" { "(2,)" } else { "(1,)" };
        for (name, values) in [("one", one), ("two", two)] {
            tests.write(&format!("{name}.npy"), npy(descr, shape, &values));
            tests.ok(&["import", "--overwrite", &format!("{name}.npy"), &format!("{name}.b2nd")]);
        }
        let (out, err, status) = tests.run(&["diff", "--values", "--rtol", "0", "one.b2nd", "two.b2nd"]);
        assert!(out.contains(what) && status == 1, "{descr}: {out}{err}");
    }
    let accepted = tests.run(&["diff", "--values", "--atol", "1.5", "one.b2nd", "two.b2nd"]);
    assert_eq!(accepted, (String::new(), String::new(), 0));
}

#[test]
fn arrays_of_other_shapes_and_dtypes_are_not_comparable() {
    let tests = Directory::new();
    for (name, descr, values) in [("a", "<i4", &[1, 2][..]), ("b", "<i4", &[1, 2, 3]), ("c", "<f4", &[1, 2])] {
        tests.write(&format!("{name}.npy"), npy(descr, &format!("({},)", values.len()), values));
        tests.ok(&["import", &format!("{name}.npy"), &format!("{name}.b2nd")]);
    }
    for (other, what) in [("b", "shape 2 and 3"), ("c", "dtype <i4 and <f4")] {
        for option in ["--values", "--data"] {
            let (out, _, status) = tests.run(&["diff", option, "a.b2nd", &format!("{other}.b2nd")]);
            assert!(out.ends_with(&format!("  values: not comparable: {what}\n")) && status == 1, "{option}: {out}");
        }
    }
    tests.take(STORE, "s.b2z");
    tests.ok(&["rewrite", "a.b2nd", "a.b2frame", "--rm", "b2nd"]);
    let (out, err, status) = tests.run(&["diff", "--values", "s.b2z", "a.b2frame"]);
    assert!(out.contains("  values: of different kinds: ") && status == 1, "{out}{err}");
}

#[test]
fn stores_are_compared_leaf_by_leaf() {
    let tests = Directory::new();
    tests.take(STORE, "a.b2z");
    tests.take(STORE, "b.b2z");
    assert_eq!(tests.ok(&["diff", "--data", "a.b2z", "b.b2z"]), "");
    fs::create_dir_all(tests.path("c.b2d/g0")).unwrap();
    tests.take("example.b2nd", "c.b2d/g0/n0.b2nd");
    let (out, err, status) = tests.run(&["diff", "--data", "a.b2z", "c.b2d"]);
    assert_eq!((err.as_str(), status), ("", 1));
    assert!(out.contains("\n- /g1/n3: ndarray\n") && out.contains("\n- /g0/n0.array.dtype: \"<i8\"\n"), "{out}");
    // All leaves of a group are compared, by the rest of their keys.
    assert_eq!(tests.ok(&["diff", "--data", "a.b2z::/g0", "b.b2z::/g0"]), "");
    assert_eq!(tests.ok(&["diff", "--data", "a.b2z::/g0/", "b.b2z::/g0"]), "");
    let (out, err, status) = tests.run(&["diff", "--data", "a.b2z::/g0", "c.b2d::/g0"]);
    assert_eq!((err.as_str(), status), ("", 1));
    assert!(out.contains("\n- /n0.array.dtype: \"<i8\"\n"), "{out}");
}

#[test]
fn data_of_frames_that_are_no_arrays_are_compared() {
    let tests = Directory::new();
    for (name, values) in [("one", [0, 1, 2, 3, 4, 5]), ("two", [0, 1, 2, 3, 9, 9])] {
        tests.write(&format!("{name}.npy"), npy("<i4", "(6,)", &values));
        tests.ok(&["import", &format!("{name}.npy"), &format!("{name}.b2nd")]);
        tests.ok(&["rewrite", &format!("{name}.b2nd"), &format!("{name}.b2frame"), "--rm", "b2nd"]);
    }
    assert_eq!(tests.run(&["diff", "--data", "one.b2frame", "one.b2frame"]), (String::new(), String::new(), 0));
    let (out, err, status) = tests.run(&["diff", "--data", "one.b2frame", "two.b2frame"]);
    assert_eq!((err.as_str(), status), ("", 1));
    assert!(out.ends_with("  values: 2 elements differ, the first at [4]\n"), "{out}");
    // The same data in other chunks.
    for (name, chunks) in [("whole", "6"), ("parts", "2")] {
        tests.ok(&["import", "--chunks", chunks, "one.npy", &format!("{name}.b2nd")]);
        tests.ok(&["rewrite", &format!("{name}.b2nd"), &format!("{name}.b2frame"), "--rm", "b2nd"]);
    }
    let (out, err, status) = tests.run(&["diff", "--data", "whole.b2frame", "parts.b2frame"]);
    assert!(out.contains("- chunksize: ") && out.ends_with("\n  values: equal\n") && status == 1, "{out}{err}");
    // In an object array, each chunk is one value.
    let mut objects = Place::tables().read("objects.b2b");
    tests.write("one.b2b", &objects);
    let at = objects.windows(4).position(|word| word == b"text").unwrap();
    objects[at] = b'n';
    tests.write("two.b2b", &objects);
    let (out, err, status) = tests.run(&["diff", "--data", "one.b2b", "two.b2b"]);
    let expected = "--- one.b2b\n+++ two.b2b\n  values: 1 chunk differs, the first at [1]\n";
    assert_eq!((out.as_str(), err.as_str(), status), (expected, "", 1));
    // If a chunk cannot be decompressed, the status is not 0.
    let mut broken = tests.read("one.b2frame");
    let at = broken.windows(4).rposition(|word| word == [4, 0, 0, 0]).unwrap();
    broken[at - 40] = 0xff;
    tests.write("broken.b2frame", &broken);
    assert_ne!(tests.run(&["diff", "--data", "one.b2frame", "broken.b2frame"]).2, 0);
}

/// A packed tensor with a structured dtype, the metadata of a table, and frames with different element sizes.
#[test]
fn bytes_are_compared_if_they_do_not_open_as_elements_of_one_size() {
    let tests = Directory::new();
    let packed = &b"\x94\xa9__tuple__\xa5numpy\x93\xa9__tuple__\x02\x03\x91\x92\xa1x\xa3<i2"[..];
    let write = |name: &str, typesize: i32, last: u8, attributes: &[(&str, &[u8])]| {
        let mut writer = Writer::new(Header::new(Sizes { typesize, chunksize: 8, blocksize: 8 }).unwrap());
        writer.append(&Chunk::store(&[0, 0, 1, 0, 2, 0, 3, 0], typesize as usize).unwrap()).unwrap();
        writer.append(&Chunk::store(&[4, 0, 5, last], typesize as usize).unwrap()).unwrap();
        attributes.iter().for_each(|(name, value)| writer.set_vlmetalayer_bytes(name, value).unwrap());
        tests.write(name, writer.finish().unwrap());
    };
    let table: [(&str, &[u8]); 2] = [("kind", b"\xa6ctable"), ("schema", b"\xa2{}")];
    for attributes in [&[("__pack_tensor__", packed)][..], &table] {
        write("a.b2f", 2, 0, attributes);
        write("b.b2f", 2, 0, attributes);
        write("c.b2f", 2, 1, attributes);
        assert_eq!(tests.run(&["diff", "--data", "a.b2f", "b.b2f"]), (String::new(), String::new(), 0));
        let (out, err, status) = tests.run(&["diff", "--data", "a.b2f", "c.b2f"]);
        assert!(out.ends_with("\n  values: 1 chunk differs, the first at [1]\n") && status == 1, "{out}{err}");
    }
    write("a.b2f", 2, 0, &[]);
    write("b.b2f", 4, 0, &[]);
    write("c.b2f", 4, 1, &[]);
    write("d.b2f", 2, 0, &[("__pack_tensor__", packed)]);
    assert_eq!(tests.run(&["diff", "--values", "a.b2f", "b.b2f"]), (String::new(), String::new(), 0));
    assert_eq!(tests.run(&["diff", "--values", "a.b2f", "d.b2f"]), (String::new(), String::new(), 0));
    let (out, err, status) = tests.run(&["diff", "--values", "a.b2f", "c.b2f"]);
    assert!(out.contains("  values: 1 element differs") && out.contains("[11]") && status == 1, "{out}{err}");
}

#[test]
fn tables_are_compared_by_column_or_said_not_to_be() {
    let tests = Directory::new();
    tests.unpack("blocks.b2z", "one.b2d");
    tests.unpack("blocks.b2z", "two.b2d");
    let same = tests.run(&["diff", "--data", "one.b2d", "two.b2d"]);
    if cfg!(not(feature = "arrow")) {
        assert!(
            same.1.starts_with("/.values: not compared: it is a table, which this build of b2nd cannot read: "),
            "{}",
            same.1
        );
        assert_eq!((same.0.as_str(), same.2), ("", 3));
        return;
    }
    assert_eq!(same, (String::new(), String::new(), 0));
    // Rows 100 and 101 are the live rows 75 and 76, since 25 rows before them are deleted. Values of deleted rows are ignored.
    tests.ok(&["export", "two.b2d::/_cols/n", "n.npy"]);
    let mut numbers = tests.read("n.npy");
    for row in [60, 100, 101] {
        numbers[128 + 4 * row] ^= 0xff;
    }
    tests.write("n.npy", numbers);
    fs::remove_file(tests.path("two.b2d/_cols/n.b2nd")).unwrap();
    tests.ok(&["import", "--chunks", "7", "n.npy", "two.b2d/_cols/n.b2nd"]);
    let (out, err, status) = tests.run(&["diff", "--data", "one.b2d", "two.b2d"]);
    let expected = "--- one.b2d\n+++ two.b2d\n  /.values.n: 2 rows differ; the largest difference is 155.0 at [75]\n    [75]  50  205\n    [76]  50  205\n";
    assert_eq!((out.as_str(), err.as_str(), status), (expected, "", 1));
    let (out, _, status) = tests.run(&["diff", "--data", "one.b2d::/", "two.b2d::/"]);
    assert!(out.contains("  values.n: 2 rows differ; the largest difference is 155.0 at [75]\n") && status == 1, "{out}");
    let near = |tolerance: &str| tests.run(&["diff", "--values", "--atol", tolerance, "one.b2d", "two.b2d"]);
    assert_eq!((near("155"), near("154").2), ((String::new(), String::new(), 0), 1));
    // Deletes one more row.
    tests.ok(&["export", "two.b2d::/_valid_rows", "live.npy"]);
    let mut live = tests.read("live.npy");
    live[128] = 0;
    tests.write("live.npy", live);
    fs::remove_file(tests.path("two.b2d/_valid_rows.b2nd")).unwrap();
    tests.ok(&["import", "live.npy", "two.b2d/_valid_rows.b2nd"]);
    let (out, _, status) = tests.run(&["diff", "--data", "one.b2d", "two.b2d"]);
    assert!(out.ends_with("  /.values: 275 rows in the first, 274 in the second\n") && status == 1, "{out}");
    // Objects and complex numbers are compared; computed columns are skipped because their values are not stored.
    tests.unpack("refused.b2z", "refused.b2d");
    let (out, err, status) = tests.run(&["diff", "--data", "refused.b2d", "refused.b2d"]);
    assert_eq!((out.as_str(), err.as_str(), status), ("", "", 0));
}

#[cfg(feature = "arrow")]
#[test]
fn a_column_that_only_one_table_has_is_a_difference() {
    let tests = Directory::new();
    tests.unpack("nested.b2z", "one.b2d");
    tests.unpack("refused.b2z", "two.b2d");
    let (out, err, status) = tests.run(&["diff", "--values", "one.b2d", "two.b2d"]);
    let expected = "--- one.b2d\n+++ two.b2d\n- /.values.id: Int64\n- /.values.trip: Struct(\"x\": Int32, \"deep\": Struct(\"s\": Utf8))\n+ /.values.i: Int16\n\
        + /.values.c: Struct(\"re\": non-null Float32, \"im\": non-null Float32)\n+ /.values.o: Utf8\n";
    assert_eq!((out.as_str(), err.as_str(), status), (expected, "", 1));
}

#[cfg(feature = "arrow")]
#[test]
fn a_column_of_structures_is_compared_within_a_tolerance_for_its_numbers() {
    let tests = Directory::new();
    for table in ["one.b2d", "two.b2d"] {
        tests.unpack("nested.b2z", table);
    }
    let change = |field: &str, at: usize, byte: u8| {
        let (key, path) = (format!("two.b2d::/_cols/trip/{field}"), format!("two.b2d/_cols/trip/{field}.b2nd"));
        tests.ok(&["export", &key, "field.npy", "--overwrite"]);
        let mut values = tests.read("field.npy");
        values[128 + at] = byte;
        tests.write("field.npy", values);
        fs::remove_file(tests.path(&path)).unwrap();
        tests.ok(&["import", "field.npy", &path]);
    };
    let near = |tolerance: &str| tests.run(&["diff", "--values", "--atol", tolerance, "one.b2d", "two.b2d"]).2;
    // Changes the third number from 2 to 5.
    change("x", 8, 5);
    let (out, err, status) = tests.run(&["diff", "--data", "one.b2d", "two.b2d"]);
    let expected = "--- one.b2d\n+++ two.b2d\n  /.values.trip: 1 row differs, the first at [2]\n";
    assert_eq!((out.as_str(), err.as_str(), status), (expected, "", 1));
    assert_eq!((near("3"), near("2")), (0, 1));
    // A null differs from every number.
    change("x.notnull", 2, 0);
    assert_eq!(near("3"), 1);
}

#[test]
fn ten_values_that_differ_are_shown_and_the_others_counted() {
    let tests = Directory::new();
    let mut values: Vec<i32> = (0..600).collect();
    tests.write("one.npy", npy("<i4", "(2, 300)", &values));
    values[290..302].iter_mut().for_each(|value| *value += 1);
    values[301] += 8;
    tests.write("two.npy", npy("<i4", "(2, 300)", &values));
    for name in ["one", "two"] {
        tests.ok(&["import", "--chunks", "1,100", &format!("{name}.npy"), &format!("{name}.b2nd")]);
    }
    let (out, err, status) = tests.run(&["diff", "--values", "one.b2nd", "two.b2nd"]);
    let row = |at: i32| format!("    [0, {at}]  {at}  {}\n", at + 1);
    let sentence = "  values: 12 elements differ; the largest difference is 9.0 at [1, 1]\n";
    let expected = format!("--- one.b2nd\n+++ two.b2nd\n{sentence}{}    … and 2 more\n", (290..300).map(row).collect::<String>());
    assert_eq!((out, err.as_str(), status), (expected, "", 1));
}

#[test]
fn arrays_that_repeat_one_value_are_compared() {
    let tests = Directory::new();
    tests.write("zeros.npy", npy("<i4", "(16,)", &[0; 16]));
    tests.ok(&["import", "zeros.npy", "zeros.b2nd"]);
    let header = File::open(tests.path("zeros.b2nd")).unwrap().header().clone();
    for (name, value) in [("sixes", 6), ("sevens", 7), ("again", 7)] {
        let mut writer = Writer::new(header.clone());
        writer.append(&Chunk::repeated(&i32::to_le_bytes(value), 64).unwrap()).unwrap();
        tests.write(&format!("{name}.b2nd"), writer.finish().unwrap());
    }
    assert_eq!(tests.run(&["diff", "--values", "sevens.b2nd", "again.b2nd"]), (String::new(), String::new(), 0));
    let (out, _, status) = tests.run(&["diff", "--values", "sixes.b2nd", "sevens.b2nd"]);
    assert!(out.contains("values: 16 elements differ") && status == 1, "{out}");
}
