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

#[test]
fn digests_find_damage_that_still_decodes() {
    use b2nd::frame::{Chunk, Header, Sizes, Special, Writer};
    let tests = Directory::new("gate-digests");
    let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 64, blocksize: 64 }).unwrap());
    for byte in 0..3 {
        writer.append(&Chunk::store(&[byte; 64], 1).unwrap()).unwrap();
    }
    (0..2).for_each(|_| writer.append_special(Special::Zeros, 64).unwrap());
    let bytes: Vec<u8> = writer.finish().unwrap();
    tests.write("a.b2nd", &bytes);
    assert_eq!(tests.ok(&["check", "--digest", "a.b2nd"]), "a.b2nd: 5 digests\n");
    assert_eq!(tests.ok(&["check", "--data", "a.b2nd"]), "");
    // The same values in the same place: an edit of something else.
    tests.ok(&["meta", "set", "a.b2nd", "note", "--text", "hi"]);
    assert_eq!(tests.ok(&["check", "--data", "a.b2nd"]), "");
    let digested = std::fs::read(tests.0.join("a.b2nd")).unwrap();
    let value: Value = serde_json::from_str(&tests.ok(&["meta", "get", "a.b2nd", "b2nd_digests"])).unwrap();
    assert_eq!((&value[0], &value[1]), (&json!(1), &json!("xxh3-64")));
    // One byte of stored data.
    let header = Header::from_slice(&digested).unwrap();
    let mut damaged = digested.clone();
    damaged[header.header_len() + 96 + 40] ^= 1;
    tests.write("b.b2nd", &damaged);
    let others = "its values are others than those of its digest: they were damaged, or changed without it";
    let line = format!("b.b2nd: chunk 1 at byte {}: {others} (read by C-Blosc2 and python-blosc2)\n", header.header_len() + 96);
    assert_eq!(tests.run(&["check", "--data", "b.b2nd"]), (line, String::new(), 1));
    assert_eq!(tests.ok(&["check", "b.b2nd"]), "");
    // Entries of the index that changed places.
    let digests = b2nd::frame::File::open(tests.0.join("a.b2nd")).unwrap().trailer().unwrap();
    let digests = digests.value("b2nd_digests", ()).unwrap().unwrap().into_owned();
    let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 64, blocksize: 64 }).unwrap());
    for byte in [Some(0), None, Some(2), None, Some(1)] {
        match byte {
            Some(byte) => writer.append(&Chunk::store(&[byte; 64], 1).unwrap()).unwrap(),
            None => writer.append_special(Special::Zeros, 64).unwrap(),
        }
    }
    writer.set_vlmetalayer("b2nd_digests", &digests).unwrap();
    tests.write("b.b2nd", writer.finish().unwrap());
    let (out, _, status) = tests.run(&["check", "--data", "b.b2nd"]);
    assert!(out.contains(&format!("chunk 1: {others}")) && out.contains("chunk 4 at byte ") && status == 1, "{out}");
    assert_eq!(out.lines().count(), 2, "{out}");
    // Fewer digests than chunks, and other algorithms.
    let with = |digests: &[u8]| {
        tests.write("b.b2nd", &digested);
        let mut editor = b2nd::frame::File::edit(tests.0.join("b.b2nd")).unwrap();
        editor.set_vlmetalayer("b2nd_digests", digests).unwrap();
        drop(editor);
        tests.run(&["check", "--data", "b.b2nd"]).0
    };
    let none = b"\x93\x01\xdb\0\0\0\x07xxh3-64\xc6\0\0\0\0";
    assert!(with(none).starts_with("b.b2nd: vlmetalayer \"b2nd_digests\": it has 0 digests, the frame 5 chunks ("));
    let other = b"\x93\x01\xdb\0\0\0\x07xxh4-64\xc6\0\0\0\0";
    assert!(with(other).contains("its digests are not compared: expected version 1 of xxh3-64, found version 1 of \"xxh4-64\""));
    assert!(with(b"\xc0").contains("its digests are not compared: "));
    // Nothing is written where a chunk does not decode, or where there is no frame.
    let mut broken = bytes.clone();
    broken[header.header_len() + 31] = 0x50;
    tests.write("b.b2nd", &broken);
    assert_eq!(tests.run(&["check", "--digest", "b.b2nd"]).2, 3);
    assert!(std::fs::read(tests.0.join("b.b2nd")).unwrap() == broken);
}
