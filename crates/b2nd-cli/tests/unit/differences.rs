//! Tests of the lines that show differences.

use super::Lines;

#[test]
fn long_texts_are_shown_around_their_first_difference_and_no_wider_than_the_terminal() {
    let mut lines = Lines::new(Some(30));
    let a: String = ('a'..='z').chain('a'..='z').collect();
    lines.both("key", &a, &a.replacen("mn", "mN", 1));
    lines.both("key", &format!("{a}1"), &format!("{a}2"));
    lines.both("key", "short", "shorter");
    let expected = [
        "- key: abcdefghijklmnopqrstuv…",
        "+ key: abcdefghijklmNopqrstuv…",
        "- key: …fghijklmnopqrstuvwxyz1",
        "+ key: …fghijklmnopqrstuvwxyz2",
        "- key: short",
        "+ key: shorter",
    ];
    assert_eq!(lines.lines, expected);
    assert!(lines.lines.iter().all(|line| line.chars().count() <= 30));
    let mut whole = Lines::new(None);
    whole.one('+', "key", &a);
    assert_eq!(whole.lines, [format!("+ key: {a}")]);
}
