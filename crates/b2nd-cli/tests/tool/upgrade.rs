//! `b2nd upgrade`: pipes. Its files are tested beside it.

use std::fs;

use crate::harness::{Directory, Place};

/// A frame with Caterva's metalayer.
const CATERVA: &str = "python-caterva-0.7.3/cparams__ZSTD_9.caterva";

#[test]
fn upgrade_reads_and_writes_pipes() {
    let directory = Directory::new();
    directory.take(CATERVA, "old");
    directory.ok(&["upgrade", "old", "new.b2nd", "--dtype", "<i4"]);
    let expected = directory.read("new.b2nd");
    for args in [["-", "-"], ["old", "-"]] {
        let mut child = directory.command(&["upgrade", args[0], args[1], "--dtype", "<i4"]);
        let old = fs::File::open(directory.path("old")).unwrap();
        let output = child.stdin(old).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.starts_with(&format!("{}: upgraded to -: ", args[0])), "{said}");
        assert_eq!((output.stdout == expected, output.status.code()), (true, Some(0)));
    }
    // What is not upgraded is copied.
    let released = Place::data().read("example.b2nd");
    fs::write(directory.path("released"), &released).unwrap();
    let output = directory.command(&["upgrade", "released", "-"]).output().unwrap();
    assert_eq!(output.stdout, released);
    assert_eq!(directory.names(), ["new.b2nd", "old", "released"]);
    let refused = directory.refused(&["upgrade", "-", "--in-place"]);
    assert_eq!(refused, "-: --in-place needs a file: name a TARGET for standard input");
}
