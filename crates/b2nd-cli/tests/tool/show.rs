//! `b2nd show`: what is drawn of an array, in characters and as a PNG file, and what is refused.

use crate::harness::{Directory, five_by_seven, npy};

#[test]
fn a_map_without_colour_is_shades_with_range_and_statistics() {
    let tests = five_by_seven();
    let page = tests.ok(&["show", "a.b2nd"]);
    let lines: Vec<&str> = page.lines().collect();
    assert_eq!(lines[0], "a.b2nd  5 x 7  <i4");
    assert!(lines[1].starts_with("         0 "), "{page}");
    assert!(page.contains("min 0  max 34  mean 17.0  std 10.0995  count 35  NaN 0  zeros 1"), "{page}");
    assert!(!page.contains('\u{1b}'), "{page}");
    let colored = tests.ok(&["show", "a.b2nd", "--color", "always"]);
    assert!(colored.contains("▀") && colored.contains("\u{1b}[38;"), "{colored}");
}

#[test]
fn what_does_not_fit_is_drawn_in_steps_and_says_so() {
    let tests = Directory::new();
    let values: Vec<i32> = (0..1000).collect();
    tests.write("a.npy", npy("<i4", "(10, 100)", &values));
    tests.ok(&["import", "--chunks", "5,2", "a.npy", "a.b2nd"]);
    tests.ok(&["show", "a.b2nd", "--png", "a.png", "--size", "10x10"]);
    let page = tests.ok(&["show", "a.b2nd"]);
    assert!(page.contains("dimension 1 in steps of 2: 50 elements"), "{page}");
    assert!(tests.ok(&["show", "a.b2nd", "--histogram"]).lines().count() > 16);
}

#[test]
fn a_png_file_has_the_size_that_is_asked_for_and_replaces_nothing() {
    let tests = five_by_seven();
    tests.ok(&["show", "a.b2nd", "--png", "a.png"]);
    tests.ok(&["show", "a.b2nd", "--png", "b.png", "--size", "70x50"]);
    let size = |name: &str| {
        let bytes = tests.read(name);
        assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"));
        [16, 20].map(|at| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()))
    };
    assert_eq!((size("a.png"), size("b.png")), ([7, 5], [70, 50]));
    assert!(tests.refused(&["show", "a.b2nd", "--png", "a.png"]).ends_with("a.png exists, and nothing is overwritten"));
}

#[test]
fn fields_are_drawn_one_at_a_time() {
    let tests = Directory::new();
    tests.take("example.b2nd", "s.b2nd");
    let refused = tests.refused(&["show", "s.b2nd"]);
    assert_eq!(refused, "s.b2nd: elements are structures: name a field with --field: time, temp, rain");
    let page = tests.ok(&["show", "s.b2nd", "--field", "temp"]);
    assert!(page.starts_with("s.b2nd  temp  10 x 13 x 7  <f4\ndimension 0 at 0"), "{page}");
    let plot = tests.ok(&["show", "s.b2nd", "0,:,0", "--field", "temp"]);
    assert!(plot.chars().any(|char| ('\u{2801}'..='\u{28ff}').contains(&char)), "{plot}");
}

#[test]
fn a_picture_goes_to_standard_output() {
    let tests = five_by_seven();
    tests.ok(&["show", "a.b2nd", "--png", "a.png"]);
    let before = tests.names();
    assert_eq!(tests.pipe(&["show", "a.b2nd", "--png", "-"], &[]), tests.read("a.png"));
    assert_eq!(tests.names(), before);
}
