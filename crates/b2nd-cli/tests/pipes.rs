//! `-` is standard input and output wherever a file may stand, and never the name of a file.
#![allow(clippy::unwrap_used)]

mod harness;

use harness::{DATA, Directory};

fn data(file: &str) -> Vec<u8> {
    std::fs::read(std::path::Path::new(DATA).join(file)).unwrap()
}

/// A frame with Caterva's metalayer.
const CATERVA: &str = "python-caterva-0.7.3/cparams__ZSTD_9.caterva";

#[test]
fn rewrite_reads_and_writes_pipes() {
    let directory = Directory::new("pipes-rewrite");
    directory.take("example.b2nd", "a.b2nd");
    let set = ["--set", r#"station={"id": 17}"#];
    directory.ok(&["rewrite", "a.b2nd", "b.b2nd", set[0], set[1]]);
    let expected = std::fs::read(directory.0.join("b.b2nd")).unwrap();
    let input = data("example.b2nd");
    assert_eq!(directory.pipe(&["rewrite", "-", set[0], set[1]], &input), expected);
    assert_eq!(directory.pipe(&["rewrite", "-", "-", set[0], set[1]], &input), expected);
    assert_eq!(directory.pipe(&["rewrite", "a.b2nd", "-", set[0], set[1]], &[]), expected);
    assert!(directory.pipe(&["rewrite", "-", "c.b2nd", set[0], set[1]], &input).is_empty());
    assert_eq!(std::fs::read(directory.0.join("c.b2nd")).unwrap(), expected);
    assert_eq!(directory.names(), ["a.b2nd", "b.b2nd", "c.b2nd"]);
    assert_eq!(directory.refused(&["rewrite", "-", "--rm", "nobody"]).matches("tmp").count(), 0);
}

#[test]
fn upgrade_reads_and_writes_pipes() {
    let directory = Directory::new("pipes-upgrade");
    directory.take(CATERVA, "old");
    directory.ok(&["upgrade", "old", "new.b2nd", "--dtype", "<i4"]);
    let expected = std::fs::read(directory.0.join("new.b2nd")).unwrap();
    for args in [["-", "-"], ["old", "-"]] {
        let mut child = directory.command(&["upgrade", args[0], args[1], "--dtype", "<i4"]);
        let old = std::fs::File::open(directory.0.join("old")).unwrap();
        let output = child.stdin(old).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.starts_with(&format!("{}: upgraded to -: ", args[0])), "{said}");
        assert_eq!((output.stdout == expected, output.status.code()), (true, Some(0)));
    }
    // What is left alone is passed on.
    let released = data("example.b2nd");
    std::fs::write(directory.0.join("released"), &released).unwrap();
    let output = directory.command(&["upgrade", "released", "-"]).output().unwrap();
    assert_eq!(output.stdout, released);
    assert_eq!(directory.names(), ["new.b2nd", "old", "released"]);
    let refused = directory.refused(&["upgrade", "-", "--in-place"]);
    assert_eq!(refused, "-: standard input has no place to put the new frame in");
}
