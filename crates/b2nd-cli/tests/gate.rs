//! `b2nd check --data` as a gate: what is decoded, and where; limits; exit statuses. `b2nd salvage` for what does not pass.
#![allow(clippy::unwrap_used)]

mod harness;

use harness::Directory;
use serde_json::{Value, json};

/// A chunk of tests/data/example.b2nd, and its last filter.
const CHUNK: usize = 320;
const LAST_FILTER: usize = CHUNK + 21;

#[test]
fn zstandard_is_decoded_by_a_worker_that_is_this_program() {
    let tests = Directory::new("gate-worker");
    tests.take("example.b2nd", "a.b2nd");
    assert_eq!(tests.ok(&["check", "--strict", "--max-memory", "1M", "--max-time", "60", "a.b2nd"]), "");
    // What the worker refuses is told in its words.
    let mut bytes = std::fs::read(tests.0.join("a.b2nd")).unwrap();
    bytes[CHUNK + 32 + 4 * 12 + 5..][..400].fill(0xff);
    tests.write("b.b2nd", &bytes);
    let (out, err, status) = tests.run(&["check", "--data", "b.b2nd"]);
    assert!(out.starts_with("b.b2nd: chunk 0 at byte 320: zstd: "), "{out}");
    assert_eq!((err.as_str(), status), ("", 1));
}

#[test]
fn what_is_not_decoded_is_said_and_strict_refuses_it() {
    let tests = Directory::new("gate-strict");
    tests.take("example.b2nd", "a.b2nd");
    let mut bytes = std::fs::read(tests.0.join("a.b2nd")).unwrap();
    bytes[LAST_FILTER] = 165;
    tests.write("a.b2nd", &bytes);
    let line = "a.b2nd: chunk 0 at byte 320: b2nd-codec has no filter 165 (not decoded)\n".to_owned();
    assert_eq!(tests.run(&["check", "--data", "a.b2nd"]), (line.clone(), String::new(), 0));
    assert_eq!(tests.run(&["check", "--strict", "a.b2nd"]), (line, String::new(), 1));
    assert_eq!(tests.ok(&["check", "a.b2nd"]), "");
    let json: Value = serde_json::from_str(&tests.ok(&["check", "--data", "--json", "a.b2nd"])).unwrap();
    assert_eq!(json["findings"][0]["not_decoded"], json!(true));
}

#[test]
fn limits_are_findings() {
    let tests = Directory::new("gate-limits");
    tests.take("example.b2nd", "a.b2nd");
    let (out, err, status) = tests.run(&["check", "--max-memory", "8K", "a.b2nd"]);
    assert!(out.starts_with("a.b2nd: chunk 0 at byte 320: it needs ") && out.contains("at most 8,192 are allowed"), "{out}");
    assert_eq!((err.as_str(), status), ("", 1));
    let (out, _, status) = tests.run(&["check", "--max-time", "0", "a.b2nd"]);
    assert!(out.contains("no time is left for ") && out.contains("at most 0ns are allowed"), "{out}");
    assert_eq!(status, 1);
    for (option, word) in [("--max-memory", "1T"), ("--max-memory", "99999999999G"), ("--max-time", "-1"), ("--max-time", "nan")]
    {
        assert_eq!(tests.run(&["check", &format!("{option}={word}"), "a.b2nd"]).2, 2, "{word}");
    }
}

#[test]
fn what_is_whole_is_salvaged_and_nothing_is_overwritten() {
    let tests = Directory::new("gate-salvage");
    tests.take("example.b2nd", "a.b2nd");
    let bytes = std::fs::read(tests.0.join("a.b2nd")).unwrap();
    let header = b2nd::frame::Header::from_slice(&bytes).unwrap();
    let tail = usize::try_from(header.tail_range().start).unwrap();
    assert_eq!(tests.ok(&["salvage", "a.b2nd", "whole.b2nd"]), "whole.b2nd: 8 chunks of 8 and 3 attributes are kept\n");
    assert_eq!(tests.ok(&["check", "--strict", "whole.b2nd"]), "");
    assert_eq!(tests.ok(&["cat", "a.b2nd"]), tests.ok(&["cat", "whole.b2nd"]));
    assert_eq!(
        tests.ok(&["info", "--meta", "a.b2nd"]).replace("a.b2nd", ""),
        tests.ok(&["info", "--meta", "whole.b2nd"]).replace("whole.b2nd", "")
    );
    tests.write("cut.b2nd", &bytes[..tail - 1]);
    let (out, err, status) = tests.run(&["salvage", "cut.b2nd", "new.b2nd"]);
    let lines: Vec<_> = out.lines().collect();
    assert_eq!((lines[0], err.as_str(), status), ("new.b2nd: 3 chunks of 8 and 0 attributes are kept", "", 1));
    assert!(lines[1].starts_with("order: the index is lost") && lines[2].starts_with("lost: index: "), "{out}");
    assert!(lines[3].starts_with("lost: chunks 3 to 7: the chunk at byte "), "{out}");
    assert_eq!(tests.ok(&["check", "--strict", "new.b2nd"]), "");
    // Neither over a file, nor with what does not fit, nor without a header.
    let before = tests.names();
    assert!(tests.refused(&["salvage", "cut.b2nd", "new.b2nd"]).contains("exists, and nothing is overwritten"));
    assert!(tests.refused(&["salvage", "--fill", "nan", "cut.b2nd", "b.b2nd"]).contains("cannot be filled with NaN"));
    tests.write("cut.b2nd", &bytes[..200]);
    assert!(tests.refused(&["salvage", "cut.b2nd", "b.b2nd"]).contains("the frame's header needs "));
    assert_eq!(tests.names(), before);
}
