//! `b2nd rewrite`: changes to metalayers, and pipes.

use crate::harness::{Directory, Place};

#[test]
fn a_metalayer_keeps_its_length_unless_the_frame_is_rewritten() {
    let tests = Directory::with_example();
    assert_eq!(tests.ok(&["meta", "get", "--fixed", "a.b2nd", "units"]), "[\"s\",\"°C\",\"mm\"]\n");
    tests.ok(&["meta", "set", "--fixed", "a.b2nd", "units", "--json", r#"["h","°F","in"]"#]);
    assert_eq!(tests.ok(&["meta", "get", "--fixed", "a.b2nd", "units"]), "[\"h\",\"°F\",\"in\"]\n");
    let longer = ["meta", "set", "--fixed", "a.b2nd", "units", "--text", "much longer"];
    let (_, err, status) = tests.run(&longer);
    assert!(err.contains("its space in the header has 10 bytes") && status == 1, "{err}");

    tests.ok(&["rewrite", "a.b2nd", "b.b2nd", "--set", r#"units="much longer""#, "--set", "new=[1, 2]", "--rm", "station"]);
    assert_eq!(tests.ok(&["meta", "get", "--fixed", "b.b2nd", "new"]), "[1,2]\n");
    tests.fails(&["rewrite", "a.b2nd", "b.b2nd"], "a.b2nd: b.b2nd already exists");
    tests.fails(&["rewrite", "a.b2nd", "--rm", "none"], r#"a.b2nd: no metalayer "none": see `b2nd meta list`"#);
    let (out, err, status) = tests.run(&["diff", "--data", "a.b2nd", "b.b2nd"]);
    assert_eq!((err.as_str(), status), ("", 1));
    let lines: Vec<&str> = out.lines().filter(|line| line.contains("metalayers")).collect();
    let station = r#"- metalayers.station: {"id":17,"name":"Zürich","lat":47.38,"lon":8.54}"#;
    let expected =
        ["+ metalayers.new: [1,2]", station, r#"- metalayers.units: ["h","°F","in"]"#, r#"+ metalayers.units: "much longer""#];
    assert_eq!(lines, expected);
    assert!(out.ends_with("\n  values: equal\n"), "{out}");
}

#[test]
fn rewrite_reads_and_writes_pipes() {
    let directory = Directory::new();
    directory.take("example.b2nd", "a.b2nd");
    let set = ["--set", r#"station={"id": 17}"#];
    directory.ok(&["rewrite", "a.b2nd", "b.b2nd", set[0], set[1]]);
    let expected = directory.read("b.b2nd");
    let input = Place::data().read("example.b2nd");
    assert_eq!(directory.pipe(&["rewrite", "-", set[0], set[1]], &input), expected);
    assert_eq!(directory.pipe(&["rewrite", "-", "-", set[0], set[1]], &input), expected);
    assert_eq!(directory.pipe(&["rewrite", "a.b2nd", "-", set[0], set[1]], &[]), expected);
    assert!(directory.pipe(&["rewrite", "-", "c.b2nd", set[0], set[1]], &input).is_empty());
    assert_eq!(directory.read("c.b2nd"), expected);
    assert_eq!(directory.names(), ["a.b2nd", "b.b2nd", "c.b2nd"]);
    assert_eq!(directory.refused(&["rewrite", "-", "--rm", "nobody"]).matches("tmp").count(), 0);
}
