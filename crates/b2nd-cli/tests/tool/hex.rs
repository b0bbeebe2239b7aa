//! `b2nd hex`: each byte of headers and trailers.

use crate::harness::{EXAMPLE, assert_prints};

#[test]
fn a_header_is_shown_byte_by_byte() {
    assert_prints(&["hex", EXAMPLE], "example-hex.txt");
    assert_prints(&["hex", "tests/data/python-blosc2-3.9.0/squeeze__2to1_meta.b2nd"], "stale-hex.txt");
    assert_prints(&["hex", "tests/data/python-blosc2-3.0.0/meta__bigstr.b2nd"], "long-hex.txt");
    assert_prints(&["hex", "tests/data/c-blosc2-3.3.5/clib-vlmeta__rawnames.b2frame"], "names-hex.txt");
}
