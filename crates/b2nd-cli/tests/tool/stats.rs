//! `b2nd stats`: statistics of values, of slices, and arrays that are rejected.

use crate::harness::{Directory, five_by_seven, npy};

#[test]
fn integers_are_counted_exactly_over_all_chunks() {
    let tests = five_by_seven();
    assert_eq!(
        tests.ok(&["stats", "--json", "a.b2nd"]),
        "{\"path\":\"a.b2nd\",\"key\":null,\"column\":null,\"dtype\":\"<i4\",\"shape\":[5,7],\"count\":35,\"nan\":0,\"zeros\":1,\
         \"min\":0,\"max\":34,\"mean\":17.0,\"std\":10.099504938362077,\"values\":null}\n"
    );
    let page = tests.ok(&["stats", "a.b2nd"]);
    assert!(
        page.starts_with("a.b2nd\n  dtype   <i4\n  shape   5 x 7\n  count   35\n  NaN     0\n  zeros   1\n  min     0\n"),
        "{page}"
    );
}

#[test]
fn a_slice_counts_what_it_means_and_nothing_else() {
    let tests = five_by_seven();
    let line = tests.ok(&["stats", "--json", "--slice", "1::2,::3", "a.b2nd"]);
    assert!(line.contains("\"shape\":[2,3],\"count\":6,\"nan\":0,\"zeros\":0,\"min\":7,\"max\":27,\"mean\":17.0,"), "{line}");
    assert!(line.contains("\"values\":[[7,1],[10,1],[13,1],[21,1],[24,1],[27,1]]"), "{line}");
    let one = tests.ok(&["stats", "--json", "--slice", "4,-1", "a.b2nd"]);
    assert!(
        one.contains("\"shape\":[],\"count\":1,\"nan\":0,\"zeros\":0,\"min\":34,\"max\":34,\"mean\":34.0,\"std\":0.0"),
        "{one}"
    );
    let none = tests.ok(&["stats", "--json", "--slice", "3:3", "a.b2nd"]);
    assert!(none.contains("\"count\":0,\"nan\":0,\"zeros\":0,\"min\":null,\"max\":null,\"mean\":null,\"std\":null"), "{none}");
    let far = tests.ok(&["stats", "--json", "--slice", "::4,::6", "a.b2nd"]);
    assert!(far.contains("\"shape\":[2,2],\"count\":4,\"nan\":0,\"zeros\":1,\"min\":0,\"max\":34,\"mean\":17.0"), "{far}");
}

#[test]
fn chunks_that_repeat_a_value_count_as_their_elements() {
    let tests = Directory::new();
    tests.write("a.npy", npy("<i4", "(100, 70)", &[0; 7000]));
    tests.ok(&["import", "--chunks", "30,20", "a.npy", "a.b2nd"]);
    let line = tests.ok(&["stats", "--json", "--quantiles", "a.b2nd"]);
    let expected = "\"count\":7000,\"nan\":0,\"zeros\":7000,\"min\":0,\"max\":0,\"mean\":0.0,\"std\":0.0,\
                    \"values\":[[0,7000]],\"quantiles\":[0.0,0.0,0.0]";
    assert!(line.contains(expected), "{line}");
    let slice = tests.ok(&["stats", "--json", "--slice", "1:60:2,::3", "a.b2nd"]);
    assert!(slice.contains("\"shape\":[30,24],\"count\":720,\"nan\":0,\"zeros\":720,"), "{slice}");
}

/// A file of some hundred bytes with 64 chunks, each of which repeats one value as often as the buffer for quantiles allows.
#[cfg(target_os = "linux")]
#[test]
fn quantiles_of_too_many_values_take_no_memory() {
    let tests = Directory::new();
    let geometry = b2nd::Geometry::new(&[1 << 32], &[1 << 26], &[1 << 26]).unwrap();
    let header = b2nd_frame::Header::for_array(&b2nd::B2ndMeta::new(geometry, "|i1")).unwrap();
    let mut writer = b2nd_frame::Writer::create(tests.path("zeros.b2nd"), header).unwrap();
    (0..64).for_each(|_| writer.append_special(b2nd_frame::Special::Zeros, 1 << 26).unwrap());
    writer.finish().unwrap();
    let script = "ulimit -v 2000000; exec \"$B2ND\" stats --json --quantiles zeros.b2nd";
    let mut shell = std::process::Command::new("sh");
    let output =
        shell.arg("-c").arg(script).env("B2ND", env!("CARGO_BIN_EXE_b2nd")).current_dir(tests.path("")).output().unwrap();
    let [line, error] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert_eq!((error.as_str(), output.status.code()), ("", Some(0)));
    assert!(line.contains("\"count\":4294967296,") && !line.contains("quantiles"), "{line}");
}

#[test]
fn nan_is_counted_and_left_out_and_an_infinity_is_an_object() {
    let tests = Directory::new();
    let bits = [1.5_f32, f32::NAN, f32::INFINITY, -0.0].map(|value| i32::from_le_bytes(value.to_le_bytes()));
    tests.write("a.npy", npy("<f4", "(4,)", &bits));
    tests.ok(&["import", "a.npy", "a.b2nd"]);
    let line = tests.ok(&["stats", "--json", "a.b2nd"]);
    let expected = "\"count\":3,\"nan\":1,\"zeros\":1,\"min\":-0.0,\"max\":{\"float\":\"inf\"},\"mean\":{\"float\":\"inf\"},\
                    \"std\":{\"float\":\"nan\"}";
    assert!(line.contains(expected), "{line}");
    let finite = tests.ok(&["stats", "--json", "--slice", ":2", "a.b2nd"]);
    assert!(finite.contains("\"min\":1.5,\"max\":1.5,\"mean\":1.5,\"std\":0.0"), "{finite}");
}

#[test]
fn times_have_a_range_and_a_mean_and_nat_is_counted() {
    let tests = Directory::new();
    // 1970-01-01T00:01, NaT and 1970-01-01T00:04 in big-endian.
    let words = [0, 60_i32.swap_bytes(), i32::MIN.swap_bytes(), 0, 0, 240_i32.swap_bytes()];
    tests.write("a.npy", npy(">M8[s]", "(3,)", &words));
    tests.ok(&["import", "a.npy", "a.b2nd"]);
    let line = tests.ok(&["stats", "--json", "a.b2nd"]);
    let expected = "\"nan\":1,\"zeros\":0,\"min\":\"1970-01-01T00:01:00\",\"max\":\"1970-01-01T00:04:00\",\
                    \"mean\":\"1970-01-01T00:02:30\",\"std\":\"90.0 s\"";
    assert!(line.contains(expected), "{line}");
}

/// Rounding 12345678.875 to eight digits must not print 12345679.0.
#[test]
fn digits_that_a_number_does_not_have_are_not_printed_and_a_deviation_of_times_has_a_unit() {
    let tests = Directory::new();
    let halves = [288_675.13_f64, 12_345_678.875].map(|value| value.to_le_bytes());
    let words: Vec<i32> = halves
        .iter()
        .flat_map(|bytes| [&bytes[..4], &bytes[4..]].map(|half| i32::from_le_bytes(half.try_into().unwrap())))
        .collect();
    tests.write("a.npy", npy("<f8", "(2,)", &words));
    tests.ok(&["import", "a.npy", "a.b2nd"]);
    let page = tests.ok(&["stats", "a.b2nd"]);
    assert!(page.contains("\n  min     288675.13\n  max     12345679\n"), "{page}");

    let days: Vec<i32> = [0_i64, 200 * 86_400_000].iter().flat_map(|time| [*time as i32, (time >> 32) as i32]).collect();
    tests.write("t.npy", npy("<M8[ms]", "(2,)", &days));
    tests.ok(&["import", "t.npy", "t.b2nd"]);
    let page = tests.ok(&["stats", "t.b2nd"]);
    assert!(
        page.ends_with("\n  std     100.0 days\n  values  1970-01-01T00:00:00.000 (1), 1970-07-20T00:00:00.000 (1)\n"),
        "{page}"
    );
}

#[test]
fn quartiles_are_those_of_numpy_and_a_slice_follows_the_file() {
    let tests = five_by_seven();
    let line = tests.ok(&["stats", "--json", "--quantiles", "a.b2nd"]);
    assert!(line.contains("\"quantiles\":[8.5,17,25.5]"), "{line}");
    let page = tests.ok(&["stats", "--quantiles", "a.b2nd", ":2,:2"]);
    // The values of numpy.quantile([0, 1, 7, 8], [.25, .5, .75]).
    assert!(page.contains("\n  shape   2 x 2\n") && page.contains("\n  25%     0.75\n  50%     4.0\n  75%     7.25\n"), "{page}");
    assert!(!tests.ok(&["stats", "--json", "a.b2nd"]).contains("quantiles"));
    // A float cannot represent 2^53 + 1.
    tests.write("big.npy", npy("<i8", "(1,)", &[1, 1 << 21]));
    tests.ok(&["import", "big.npy", "big.b2nd"]);
    assert!(tests.ok(&["stats", "--quantiles", "big.b2nd"]).contains("\n  50%     9007199254740993\n"));
    assert!(tests.ok(&["stats", "--json", "--quantiles", "big.b2nd"]).contains("[9007199254740993,9007199254740993,"));
    let floats = [0.0, 1.0, f32::INFINITY, f32::INFINITY, f32::INFINITY].map(|float| i32::from_le_bytes(float.to_le_bytes()));
    tests.write("inf.npy", npy("<f4", "(5,)", &floats));
    tests.ok(&["import", "inf.npy", "inf.b2nd"]);
    let page = tests.ok(&["stats", "--quantiles", "inf.b2nd"]);
    assert!(page.contains("\n  25%     1.0\n  50%     inf\n  75%     inf\n"), "{page}");
    assert_eq!(tests.ok(&["stats", "a.b2nd", "0"]), tests.ok(&["stats", "--slice", "0", "a.b2nd"]));
    assert_eq!(tests.ok(&["info", "a.b2nd", "0"]), tests.ok(&["info", "--slice", "0", "a.b2nd"]));
}

#[test]
fn fields_are_a_grid_with_a_row_each() {
    let tests = Directory::with_example();
    let grid = tests.ok(&["stats", "a.b2nd", ":3,0"]);
    let expected = "a.b2nd  3 x 7\n\
                    column  type  count  zeros         min         max       mean       std\n\
                    time    <i8      21      0  1700000000  1700112800  1.70006e9   44596.9\n\
                    temp    <f4      21      0        15.0       20.75    17.9286   2.09612\n\
                    rain    <f4      21     17         0.0         1.0   0.190476  0.392677\n";
    assert_eq!(grid, expected);
    let one = tests.ok(&["stats", "--columns", "temp", "a.b2nd"]);
    assert!(one.starts_with("a.b2nd  temp\n  dtype   <f4\n"), "{one}");
    assert_eq!(
        tests.refused(&["stats", "--columns", "none", "a.b2nd"]),
        "a.b2nd: there is no field none: `b2nd info` lists the fields of structures"
    );
}

#[test]
fn structures_are_counted_field_by_field() {
    let tests = Directory::new();
    tests.take("example.b2nd", "s.b2nd");
    let lines = tests.ok(&["stats", "--json", "s.b2nd"]);
    let columns: Vec<&str> =
        lines.lines().map(|line| line.split("\"column\":").nth(1).unwrap().split(',').next().unwrap()).collect();
    assert_eq!(columns, ["\"time\"", "\"temp\"", "\"rain\""]);
    assert!(lines.lines().all(|line| line.contains("\"shape\":[10,13,7],\"count\":910,")), "{lines}");
}

#[test]
fn a_store_has_a_line_for_each_array() {
    let tests = Directory::new();
    tests.take("python-blosc2-4.14.1/treestore__dfltb2z.b2z", "t.b2z");
    let lines = tests.ok(&["stats", "--json", "t.b2z"]);
    let keys: Vec<&str> = lines.lines().map(|line| line.split('"').nth(7).unwrap()).collect();
    assert_eq!(keys, ["/ext", "/g0/n0", "/g0/n2", "/g1/n1", "/g1/n3"]);
    assert!(tests.ok(&["stats", "--json", "t.b2z::/g0/n0"]).contains("\"min\":0,\"max\":3,\"mean\":1.5,"));
}

#[test]
fn what_holds_no_array_has_a_line_that_says_so() {
    let tests = five_by_seven();
    assert!(tests.refused(&["stats", "gone.b2nd"]).starts_with("gone.b2nd: "));
    let refused = tests.refused(&["stats", "--slice", "9", "a.b2nd"]);
    assert_eq!(refused, "a.b2nd: index 9 is outside dimension 0, whose length is 5");
    let (out, err, status) = tests.run(&["stats", "--json", "gone.b2nd", "a.b2nd"]);
    assert_eq!((out.lines().count(), err.lines().count(), status), (1, 1, 1), "the others are counted all the same");
}

#[test]
fn attributes_that_are_not_applied_to_the_values_are_named() {
    let tests = five_by_seven();
    let note = |args: &[&str]| tests.ok(args).lines().find(|line| line.contains("note")).map(str::to_owned);
    assert_eq!((note(&["stats", "a.b2nd"]), note(&["info", "a.b2nd"])), (None, None));
    for (name, value) in [("scale_factor", "0.01"), ("add_offset", "0"), ("_FillValue", "[-32768]"), ("missing_value", "3")] {
        tests.ok(&["meta", "set", "a.b2nd", name, "--json", value]);
    }
    let named = |names: &str| format!("  note    values are as stored, without applying {names}");
    assert_eq!(note(&["stats", "a.b2nd"]), Some(named("scale_factor, missing_value")), "-32768 is not among the values");
    let info = named("scale_factor, _FillValue, missing_value").replace("note    ", "note          ");
    assert_eq!(note(&["info", "a.b2nd"]), Some(info));
    for (name, value) in [("scale_factor", "1"), ("_FillValue", r#"{"float": "nan"}"#), ("missing_value", "\"none\"")] {
        tests.ok(&["meta", "set", "a.b2nd", name, "--json", value]);
    }
    assert_eq!((note(&["stats", "a.b2nd"]), note(&["info", "a.b2nd"])), (None, None));
}
