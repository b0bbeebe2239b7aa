//! A page on a terminal.
#![allow(clippy::unwrap_used)]

use b2nd_view::json::Options;
use b2nd_view::{Frame, page};

/// The lines of a page without their styles.
fn lines(width: Option<usize>) -> Vec<String> {
    let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/example.b2nd")).unwrap();
    let frame = Frame::open(&file, 0).unwrap();
    let options = Options { width, ..Options::default() };
    let mut text = page::page(&frame, "example.b2nd", &options, &mut ()).unwrap().text;
    while let Some(start) = text.find('\x1b') {
        let end = start + text[start..].find('m').unwrap();
        text.replace_range(start..=end, "");
    }
    text.lines().map(str::to_owned).collect()
}

#[test]
fn what_can_be_cut_fits_the_terminal_and_fills_it() {
    for width in [60, 80, 140] {
        let lines = lines(Some(width));
        // An error is told to its end.
        let too_long = |line: &&String| line.chars().count() > width && !line.contains("cannot be read");
        assert_eq!(lines.iter().find(too_long), None, "{width}");
    }
    let processing = |lines: &[String]| lines.iter().find(|line| line.contains("\"processing\"")).unwrap().clone();
    assert_eq!(processing(&lines(Some(60))).chars().count(), 60);
    assert!(processing(&lines(Some(140))).ends_with("\"raw\": b\"\\x00\\xff\"}"));
    assert!(processing(&lines(None)).ends_with("\"raw\": …"));
    let dtype = |width| lines(width).iter().skip_while(|line| !line.contains(" dtype ")).take(2).cloned().collect::<Vec<_>>();
    assert_eq!(dtype(Some(60))[1].trim(), "('rain', '<f4')]");
    assert!(dtype(Some(80))[1].contains(" element "));
}
