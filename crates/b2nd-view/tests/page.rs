//! Pages: lines that are wrapped or cut, the parameters of filters, and a dtype that is not valid text.
#![allow(clippy::unwrap_used)]

use b2nd_frame::{Filter, Header, Sizes, Special, Writer};
use b2nd_view::json::InfoOptions;
use b2nd_view::text::{LABEL, styled, wrapped};
use b2nd_view::{Frame, json, page, picture};
use hex_literal::hex;

/// The lines of a page without styles.
fn lines(width: Option<usize>) -> Vec<String> {
    let file = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/example.b2nd")).unwrap();
    let frame = Frame::open(&file).unwrap();
    let options = InfoOptions { width, height: width.map(|_| 100), ..InfoOptions::default() };
    unstyled(page::page(&frame, "example.b2nd", &options).unwrap().text).lines().map(str::to_owned).collect()
}

fn unstyled(mut text: String) -> String {
    while let Some(start) = text.find('\x1b') {
        let end = start + text[start..].find('m').unwrap();
        text.replace_range(start..=end, "");
    }
    text
}

#[test]
fn lines_are_broken_at_spaces_and_go_on_below_their_text() {
    assert_eq!(wrapped("a: one two three four", 12), "a: one two\n  three four");
    assert_eq!(wrapped("  label  one two\nshort", 14), "  label  one\n    two\nshort");
    assert_eq!(wrapped("  l  one two three", 12), "  l  one two\n     three");
    assert_eq!(wrapped("a /a/very/long/path is whole", 10), "a /a/very/long/path\n  is whole");
    assert_eq!(wrapped("  label  a_long_word", 12), "  label\n a_long_word", "a word has room left of the others");
    let line = format!("  {}  one two three", styled(LABEL, "l   "));
    assert_eq!(unstyled(wrapped(&line, 14)), "  l     one\n    two three");
    assert_eq!(wrapped(&line, 21), line, "styles take no room");
}

#[test]
fn what_can_be_cut_fits_the_terminal_and_fills_it() {
    for width in [60, 80, 140] {
        let lines = lines(Some(width));
        // Lines with errors are not checked.
        let too_long = |line: &&String| line.chars().count() > width && !line.contains("cannot be read");
        assert_eq!(lines.iter().find(too_long), None, "{width}");
    }
    let processing = |lines: &[String]| lines.iter().find(|line| line.contains("\"processing\"")).unwrap().clone();
    assert_eq!(processing(&lines(Some(60))).chars().count(), 60);
    assert!(processing(&lines(Some(140))).ends_with("\"raw\": b\"\\x00\\xff\"}"));
    assert!(processing(&lines(None)).ends_with("\"raw\": …"));
    let dtype = |width| lines(width).iter().skip_while(|line| !line.contains(" dtype ")).take(2).cloned().collect::<Vec<_>>();
    assert_eq!(dtype(Some(60))[1].trim(), "'<f4')]");
    assert!(dtype(Some(80))[1].contains(" attributes "));
}

#[test]
fn a_filters_parameter_is_the_same_number_for_people_and_programs() {
    let header = Header::new(Sizes { typesize: 4, chunksize: 4, blocksize: 4 }).unwrap();
    let header = header.with_filters(&[(Filter::TruncPrec, 10), (Filter::Other(36), 0xfb), (Filter::Other(200), 0xfb)]).unwrap();
    let file: Vec<u8> = Writer::new(header).finish().unwrap();
    let frame = Frame::open(&file).unwrap();
    let page = page::page(&frame, "a", &InfoOptions { full: true, ..InfoOptions::default() }).unwrap().text;
    assert!(page.contains("trunc_prec (meta 10), int_trunc (meta -5), filter 200 (meta 251)"), "{page}");
    let object = json::frame(&frame, "a", &InfoOptions::default()).unwrap();
    let parameters: Vec<_> = object["filters"].as_array().unwrap().iter().map(|slot| slot["meta"].as_i64().unwrap()).collect();
    assert_eq!(parameters, [10, -5, 251]);
}

/// This is allowed if dtype_format is not 0, and C-Blosc2 opens it.
#[test]
fn an_array_with_a_dtype_that_is_not_utf_8_has_its_shapes() {
    let content = hex!("97 00 01 91 d3000000000000000a 91 d200000005 91 d200000002 01 db00000002 7532");
    let mut header = Header::new(Sizes { typesize: 2, chunksize: 12, blocksize: 4 }).unwrap();
    header.metalayers_mut().insert("b2nd", content).unwrap();
    let mut writer = Writer::new(header);
    (0..2).for_each(|_| writer.append_special(Special::Zeros, 12).unwrap());
    let mut file: Vec<u8> = writer.finish().unwrap();
    // The bytes are changed afterwards, because a writer rejects an array metalayer that it cannot decode.
    let dtype = file.windows(2).position(|two| two == b"u2").unwrap();
    file[dtype..][..2].copy_from_slice(&[0xff, 0xfe]);
    let frame = Frame::open(&file).unwrap();
    let page = page::page(&frame, "a", &InfoOptions::default()).unwrap().text;
    assert!(page.contains("a string is not UTF-8") && page.contains("  20 bytes"), "{page}");
    let picture = picture::draw(&frame, "a").text;
    assert!(picture.contains("shape 10") && picture.contains("a string is not UTF-8"), "{picture}");
}
