//! `b2nd salvage`: which parts of a damaged frame are kept.

use std::fs::File;

use crate::harness::{Directory, Place};

#[test]
fn what_is_whole_is_salvaged_and_nothing_is_overwritten() {
    let tests = Directory::new();
    tests.take("example.b2nd", "a.b2nd");
    let bytes = tests.read("a.b2nd");
    let header = b2nd_frame::Header::from_slice(&bytes).unwrap();
    let tail = usize::try_from(header.tail_range().start).unwrap();
    assert_eq!(tests.ok(&["salvage", "a.b2nd", "whole.b2nd"]), "whole.b2nd: kept 8 of 8 chunks and 3 attributes\n");
    assert!(tests.ok(&["check", "--strict", "whole.b2nd"]).contains(": ok: "));
    assert_eq!(tests.ok(&["cat", "a.b2nd"]), tests.ok(&["cat", "whole.b2nd"]));
    assert_eq!(tests.ok(&["meta", "list", "--json", "a.b2nd"]), tests.ok(&["meta", "list", "--json", "whole.b2nd"]));
    tests.write("cut.b2nd", &bytes[..tail - 1]);
    let (out, err, status) = tests.run(&["salvage", "cut.b2nd", "new.b2nd"]);
    let lines: Vec<_> = out.lines().collect();
    assert_eq!((lines[0], err.as_str(), status), ("new.b2nd: kept 3 of 8 chunks and 0 attributes", "", 1));
    assert!(lines[1].starts_with("order: the index is lost") && lines[2].starts_with("lost: index: "), "{out}");
    assert!(lines[3].starts_with("lost: chunks 3 to 7: the chunk at byte "), "{out}");
    assert!(tests.ok(&["check", "--strict", "new.b2nd"]).contains(": ok: "));
    // `salvage` does not overwrite a file, does not fill with a value that the dtype lacks, and needs a readable header.
    let before = tests.names();
    assert!(tests.refused(&["salvage", "cut.b2nd", "new.b2nd"]).contains("already exists"));
    assert!(tests.refused(&["salvage", "--fill", "nan", "cut.b2nd", "b.b2nd"]).contains("cannot be filled with NaN"));
    tests.write("cut.b2nd", &bytes[..200]);
    assert!(tests.refused(&["salvage", "cut.b2nd", "b.b2nd"]).contains("the frame's header needs "));
    assert_eq!(tests.names(), before);
}

#[test]
fn salvage_reads_and_writes_pipes() {
    let directory = Directory::with_example();
    directory.ok(&["salvage", "a.b2nd", "b.b2nd"]);
    let expected = directory.read("b.b2nd");
    for broken in ["-", "a.b2nd"] {
        let mut command = directory.command(&["salvage", broken, "-"]);
        let output = command.stdin(File::open(directory.path("a.b2nd")).unwrap()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.stdout == expected, said.as_str()), (true, "-: kept 8 of 8 chunks and 3 attributes\n"));
    }
    assert!(!directory.pipe(&["salvage", "-", "c.b2nd"], &Place::data().read("example.b2nd")).is_empty());
    assert_eq!(directory.read("c.b2nd"), expected);
    assert_eq!(directory.names(), ["a.b2nd", "b.b2nd", "c.b2nd"]);
    directory.write("none", "none");
    assert_eq!(directory.refused(&["salvage", "none", "-"]).matches("tmp").count(), 0);
}
