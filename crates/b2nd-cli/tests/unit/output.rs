//! Tests that control characters are escaped.
#![allow(clippy::unwrap_used)]

use std::io::Write;

use super::Escaped;

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
