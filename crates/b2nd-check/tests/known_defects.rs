//! Rows of `FACTS`. For each there is a file in the conformance suite with that finding, which is reported as unsafe for the
//! affected readers.
#![allow(clippy::unwrap_used)]

use std::fs;

use b2nd_check::{FACTS, Library, Limits, Reader, verify};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/cases");

#[test]
fn each_fact_has_a_file_that_is_readable_and_not_safe_for_whom_it_is_about() {
    assert!(FACTS.len() >= 14);
    for fact in FACTS {
        let report = verify(&fs::read(format!("{CASES}/{}.bin", fact.case)).unwrap(), &Limits::default());
        let of = |library: Library, (since, _)| Reader::new(library, since);
        let readers = [of(Library::CBlosc2, fact.c_blosc2), of(Library::PythonBlosc2, fact.python_blosc2)];
        let mut minds = 0;
        for reader in readers.into_iter().filter(|&reader| fact.is_of(reader)) {
            let found = report.findings.iter().any(|finding| finding.known(reader).is_some_and(|known| known.name == fact.name));
            assert!(found && !report.is_safe_for(reader), "{}: {reader}: {:?}", fact.name, report.findings);
            minds += 1;
        }
        assert!(minds > 0, "{}", fact.name);
        // Zstandard is decoded only with the feature `safe`.
        assert!(report.findings.iter().all(|finding| finding.not_decoded || !finding.unreadable), "{:?}", report.findings);
    }
}

#[test]
fn a_version_without_the_fact_reads_the_file() {
    let report = verify(&fs::read(format!("{CASES}/frame/variable-chunks-batch.bin")).unwrap(), &Limits::default());
    let c = |version| report.is_safe_for(Reader::new(Library::CBlosc2, version));
    assert!(report.is_readable() && !c([2, 21, 3]) && !c([3, 3, 5]), "{:?}", report.findings);
    assert!(report.is_safe_for(Reader::PYTHON_BLOSC2));
    assert!(!report.is_safe_for("python-blosc2@3.9".parse().unwrap()));
}
