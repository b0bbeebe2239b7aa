//! `b2nd draw`: the output is compared with stored pictures; no array makes a picture too large or breaks its XML.

use std::fs;

use crate::harness::{Directory, EXAMPLE, TemporaryFile, assert_prints, frame_with, manifest, path, shown};

#[test]
fn an_array_is_drawn() {
    // The README of the tool shows this picture.
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
    let geometry = b2nd::Geometry::new(&[3], &[2], &[2]).unwrap();
    let content = b2nd::to_vec(&b2nd::B2ndMeta::new(geometry, "[('</text>\"&', '<i4')]")).unwrap();
    tests.write("svg-<&.b2nd", frame_with("b2nd", &content));
    let svg = tests.ok(&["draw", "svg-<&.b2nd"]);
    assert!(svg.contains(">svg-&lt;&amp;.b2nd</text>"), "{svg}");
    assert!(svg.contains(">dtype [('&lt;/text&gt;&quot;&amp;', '&lt;i4')]</text>"), "{svg}");
}

/// A row of a chunk is drawn short, but the label with its length is long.
#[test]
fn no_length_is_cut_off() {
    let geometry = b2nd::Geometry::new(&[1_000_000, 1_000_000], &[1, 1_000_000], &[1, 1_000_000]).unwrap();
    let content = b2nd::to_vec(&b2nd::B2ndMeta::new(geometry, "|u1")).unwrap();
    let file = TemporaryFile::new(&frame_with("b2nd", &content));
    let svg = shown(&["draw", file.path()]);
    let number = |text: &str, name: &str| {
        let value = text.split_once(&format!(" {name}=\"")).unwrap().1.split_once('"').unwrap().0;
        value.parse::<f64>().unwrap()
    };
    // The rulers of the rows are rotated by 90 degrees, so their `x` is the distance above the first chunk, and the text extends
    // downwards from there.
    let rulers: Vec<f64> = svg
        .lines()
        .filter(|line| line.contains(" text-anchor=\"end\""))
        .map(|line| {
            let text = line.split_once('>').unwrap().1.split_once('<').unwrap().0;
            7.26 * text.len() as f64 - number(line, "x")
        })
        .collect();
    // The chunks are a nested SVG document, which starts 48 pixels above the first chunk.
    let chunks = svg.lines().filter(|line| line.starts_with("<svg ")).nth(1).unwrap();
    let lowest = rulers.iter().copied().fold(0.0, f64::max);
    assert!(lowest > 100.0 && lowest <= number(chunks, "height") - 48.0, "{rulers:?} {chunks}");
    assert!(number(&svg, "height") > 48.0 + number(chunks, "height"));
}
