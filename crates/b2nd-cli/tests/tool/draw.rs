//! `b2nd draw`: pictures that are kept, and that no array makes one too large or breaks its XML.

use std::fs;

use crate::harness::{Directory, EXAMPLE, TemporaryFile, assert_prints, frame_with, manifest, path, shown};

#[test]
fn an_array_is_drawn() {
    // The picture in the tool's README.
    assert_prints(&["draw", "tests/data/grid/i4_2d.b2nd"], "i4_2d.svg");
    assert_prints(&["draw", EXAMPLE], "example.svg");
    assert_prints(&["draw", "tests/data/python-blosc2-3.9.0/huge__zeros_1d_2p42.b2nd"], "huge.svg");
    assert_prints(&["draw", "tests/data/python-blosc2-3.9.0/squeeze__2to1_meta.b2nd"], "stale.svg");
    assert_prints(&["draw", "tests/data/c-blosc2-3.3.5/clib-meta__rawnames.b2frame"], "names.svg");
}

#[test]
fn readme_shows_a_picture_that_is_kept() {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    assert!(readme.contains("](../../tests/data/inspect/i4_2d.svg)"));
}

#[test]
fn every_file_has_a_drawing_of_bounded_size() {
    for entry in manifest(&["cframe", "sframe"]) {
        let svg = shown(&["draw", "--offset", &entry["offset"].to_string(), &path(&entry)]);
        let (rects, opened, closed) = (svg.matches("<rect").count(), svg.matches("<g ").count(), svg.matches("</g>").count());
        assert!(rects < 300 && opened == closed, "{}: {rects} rects, {opened} groups", entry["id"]);
    }
}

#[test]
fn names_cannot_break_the_document() {
    let tests = Directory::new();
    tests.write("svg-<&.b2nd", frame_with("</text>&", b""));
    let svg = tests.ok(&["draw", "svg-<&.b2nd"]);
    assert!(svg.contains(">svg-&lt;&amp;.b2nd</text>"), "{svg}");
    assert!(svg.contains(">&quot;&lt;/text&gt;&amp;&quot;</text>"), "{svg}");
}

/// A row of a chunk is short, and its length is long.
#[test]
fn no_length_stands_on_the_caption() {
    let geometry = b2nd::Geometry::new(&[1_000_000, 1_000_000], &[1, 1_000_000], &[1, 1_000_000]).unwrap();
    let content = b2nd::to_vec(&b2nd::B2ndMeta::new(geometry, "|u1")).unwrap();
    let file = TemporaryFile::new(&frame_with("b2nd", &content));
    let svg = shown(&["draw", file.path()]);
    let number = |text: &str| {
        text.split(|c: char| !(c.is_ascii_digit() || c == '.')).find(|part| !part.is_empty()).unwrap().parse::<f64>().unwrap()
    };
    // Texts that run upwards end at their place and begin below it; the grid is moved down by 46.
    let upwards = svg.lines().filter(|line| line.contains("rotate(-90)\" text-anchor=\"end\""));
    let lowest = upwards.map(|line| {
        let y = number(line.split_once("translate(").unwrap().1.split_once(' ').unwrap().1);
        let text = line.split_once('>').unwrap().1.split_once('<').unwrap().0;
        46.0 + y + 7.26 * text.len() as f64
    });
    let lowest = lowest.fold(0.0, f64::max);
    let caption = svg.lines().find(|line| line.contains("not to scale")).unwrap();
    let caption = number(caption.split_once(" y=\"").unwrap().1);
    assert!(caption - 12.0 >= lowest && lowest > 150.0, "{caption} {lowest}");
}
