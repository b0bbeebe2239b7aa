//! `b2nd show`: what is drawn of an array, in characters and as a PNG file, and what is refused.

use crate::harness::{Directory, five_by_seven, npy};

#[test]
fn a_map_without_colour_is_shades_with_range_and_statistics() {
    let tests = five_by_seven();
    let page = tests.ok(&["show", "a.b2nd"]);
    let lines: Vec<&str> = page.lines().collect();
    assert_eq!(lines[0], "a.b2nd  5 x 7  <i4");
    assert!(lines[1].starts_with("         0 "), "{page}");
    assert!(page.contains("min 0  max 34  mean 17.0  std 10.099505  count 35  NaN 0  zeros 1"), "{page}");
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
    assert_eq!((size("a.png"), size("b.png")), ([1200, 800], [70, 50]));
    tests.ok(&["show", "a.b2nd", "--png", "b.png", "--size", "500x300", "--histogram", "--overwrite"]);
    let small = tests.refused(&["show", "a.b2nd", "--png", "b.png", "--size", "200x100", "--histogram", "--overwrite"]);
    assert_eq!(small, "a.b2nd: a histogram has axes, which need a picture of at least 400x240: give a larger --size");
    assert_eq!(size("b.png"), [500, 300]);
    assert!(tests.refused(&["show", "a.b2nd", "--png", "a.png"]).ends_with("a.png already exists"));
}

#[test]
fn fields_are_drawn_one_at_a_time() {
    let tests = Directory::new();
    tests.take("example.b2nd", "s.b2nd");
    let refused = tests.refused(&["show", "s.b2nd"]);
    assert_eq!(refused, "s.b2nd: the elements are structures: choose one of their fields with --field (time, temp, rain)");
    let page = tests.ok(&["show", "s.b2nd", "--field", "temp"]);
    assert!(page.starts_with("s.b2nd  temp  10 x 13 x 7  <f4\nindex 0 of dimension 0"), "{page}");
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

/// A map has its axes and a colour bar next to it: black lines, and text that is neither black nor white nowhere else.
#[test]
fn a_png_file_has_axes() {
    let tests = five_by_seven();
    tests.ok(&["show", "a.b2nd", "--png", "a.png"]);
    let decoder = png::Decoder::new(std::io::Cursor::new(tests.read("a.png")));
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    let pixel = |x: usize, y: usize| &pixels[4 * (y * 1200 + x)..][..3];
    let black = |area: (std::ops::Range<usize>, std::ops::Range<usize>)| {
        let (across, down) = area;
        down.flat_map(|y| across.clone().map(move |x| (x, y))).filter(|&(x, y)| pixel(x, y) == [0; 3]).count()
    };
    // Numbers to the left, below, and behind the colour bar; a title above.
    for area in [(0..120, 40..760), (130..1030, 764..800), (1096..1200, 40..760), (130..1030, 0..40)] {
        assert!(black(area.clone()) > 50, "{area:?}");
    }
    // The first value and the last, and the ends of the colours.
    assert_eq!((pixel(140, 60), pixel(1020, 745)), (&[68, 1, 84][..], &[253, 231, 37][..]));
    assert_eq!((pixel(1070, 755), pixel(1070, 44)), (&[68, 1, 84][..], &[253, 231, 37][..]));
}

#[test]
fn statistics_are_of_all_values_or_said_to_be_of_a_sample() {
    let tests = Directory::new();
    let values: Vec<i32> = (0..1000).collect();
    tests.write("a.npy", npy("<i4", "(10, 100)", &values));
    tests.ok(&["import", "a.npy", "a.b2nd"]);
    let page = tests.ok(&["show", "a.b2nd"]);
    assert!(page.contains("steps of 2") && page.contains("max 999  mean 499.5  std 288.67499  count 1,000  "), "{page}");
}

#[test]
fn odd_shapes_are_drawn_and_a_picture_of_nothing_is_refused() {
    const NAN: i32 = 0x7fc0_0000;
    let tests = Directory::new();
    let cases: [(&str, &str, &[i32], &str); 9] = [
        ("<i4", "(1, 500)", &[7; 500], ""),
        ("<i4", "(500, 1)", &[7; 500], ""),
        ("<i4", "(1, 1)", &[7], ""),
        ("<i4", "()", &[7], ""),
        ("<f4", "(2,)", &[0x7f7f_ffff, -0x80_0001], ""),
        ("<i4", "(0,)", &[], "there are no elements to draw"),
        ("<i4", "(0, 5)", &[], "there are no elements to draw"),
        ("<f4", "(3,)", &[NAN; 3], "none of the values is a finite number: there is nothing to draw"),
        ("<f4", "(2, 2)", &[NAN; 4], "none of the values is a finite number: there is nothing to draw"),
    ];
    for (dtype, shape, values, refused) in cases {
        tests.write("a.npy", npy(dtype, shape, values));
        tests.ok(&["import", "--overwrite", "a.npy", "a.b2nd"]);
        assert!(!tests.ok(&["show", "a.b2nd"]).is_empty(), "{shape}");
        for size in [&[][..], &["--size", "1x1"], &["--size", "3000x240"], &["--histogram"]] {
            let args = [&["show", "a.b2nd", "--png", "a.png", "--overwrite"], size].concat();
            match refused {
                "" => assert!(
                    {
                        tests.ok(&args);
                        tests.read("a.png").starts_with(b"\x89PNG")
                    },
                    "{shape}"
                ),
                sentence => assert_eq!(tests.refused(&args), format!("a.b2nd: {sentence}"), "{shape} {size:?}"),
            }
        }
    }
}
