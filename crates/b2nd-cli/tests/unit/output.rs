//! Tests that control characters are escaped, and that lines are cut.
#![allow(clippy::unwrap_used)]

use std::io::Write;

use super::{Escaped, cut_to};

#[test]
fn control_characters_are_escaped_also_where_writes_divide_them() {
    let text = "a\u{1b}[31m\tb\u{9b}31m\u{a0}é\u{7f}\r\n";
    for size in 1..4 {
        let mut escaped = Escaped { out: Vec::new(), held: false };
        text.as_bytes().chunks(size).for_each(|chunk| escaped.write_all(chunk).unwrap());
        let printed = String::from_utf8(escaped.out).unwrap();
        assert_eq!(printed, "a\\x1b[31m\tb\\u{9b}31m\u{a0}é\\x7f\\x0d\n");
    }
}

#[test]
fn a_line_that_just_fits_is_not_cut() {
    for (width, expected) in [(5, "a\u{e9}cd"), (4, "a\u{e9}cd"), (3, "a\u{e9}\u{2026}"), (1, "\u{2026}")] {
        assert_eq!(cut_to("a\u{e9}cd".to_owned(), width), expected, "{width}");
    }
}
