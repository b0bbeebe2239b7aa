//! What is drawn: pictures that are kept, and that no array makes one too large or breaks its XML.

use super::inspect::svg::axis::{Axis, Lengths};
use super::inspect::svg::canvas::{cut, escape};
use super::{EXAMPLE, TemporaryFile, assert_prints, frame_with, manifest, path, shown};

#[test]
fn an_array_is_drawn() {
    // The picture in README.md.
    assert_prints(&["--svg", "tests/data/grid/i4_2d.b2nd"], "i4_2d.svg");
    assert_prints(&["--svg", EXAMPLE], "example.svg");
    assert_prints(&["--svg", "tests/data/python-blosc2-3.9.0/huge__zeros_1d_2p42.b2nd"], "huge.svg");
    assert_prints(&["--svg", "tests/data/python-blosc2-3.9.0/squeeze__2to1_meta.b2nd"], "stale.svg");
    assert_prints(&["--svg", "tests/data/c-blosc2-3.3.5/clib-meta__rawnames.b2frame"], "names.svg");
}

#[test]
fn readme_shows_a_picture_that_is_kept() {
    let readme = std::fs::read_to_string("../../README.md").unwrap();
    assert!(readme.contains("](tests/data/inspect/i4_2d.svg)"));
}

#[test]
fn every_file_has_a_drawing_of_bounded_size() {
    for entry in manifest(&["cframe", "sframe"]) {
        let svg = shown(&["--svg", "--offset", &entry["offset"].to_string(), &path(&entry)]);
        let (rects, opened, closed) = (svg.matches("<rect").count(), svg.matches("<g ").count(), svg.matches("</g>").count());
        assert!(rects < 300 && opened == closed, "{}: {rects} rects, {opened} groups", entry["id"]);
    }
}

#[test]
fn a_dimension_fits_whatever_its_lengths() {
    const AVAILABLE: f64 = 292.0;
    let lengths = [1, 2, 3, 5, 6, 7, 30, 1000, 1 << 30];
    for array in lengths.into_iter().chain([i64::from(i32::MAX), 1 << 42]) {
        for chunk in lengths {
            for block in lengths.into_iter().filter(|&block| block <= chunk) {
                let lengths = Lengths { array, chunk, block };
                let axis = Axis::new(lengths, lengths.element_that_fits(AVAILABLE));
                assert!(axis.length() <= AVAILABLE + 0.1, "{array} {chunk} {block}: {}", axis.length());
                assert!(axis.array_end() <= axis.length() && axis.position(chunk) <= axis.padded_chunk());
                assert_eq!(axis.chunks[0], (0, 0.0));
                assert_eq!(axis.chunks.last().unwrap().0, (array - 1) / chunk);
            }
        }
    }
}

#[test]
fn names_cannot_break_the_document() {
    assert_eq!(escape("<a href=\"&\">\u{1}\u{ffff}é"), "&lt;a href=&quot;&amp;&quot;&gt;\u{fffd}\u{fffd}é");
    let file = TemporaryFile::new("svg-<&", &frame_with("</text>&", b""));
    let svg = shown(&["--svg", &file.0]);
    assert!(svg.contains(">inspect-svg-&lt;&amp;.b2nd</text>"), "{svg}");
    assert!(svg.contains(">&quot;&lt;/text&gt;&amp;&quot;</text>"), "{svg}");
}

#[test]
fn a_text_is_cut_to_its_columns() {
    assert_eq!(cut("four", 4), "four");
    assert_eq!(cut("fives", 4), "fiv…");
    assert_eq!(cut("日本語", 5), "日本…");
    assert_eq!(cut("日本語", 6), "日本語");
}
