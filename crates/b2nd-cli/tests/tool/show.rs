//! `b2nd show`: pictures of arrays in characters and as PNG files, and arrays that are rejected.

use crate::harness::{Directory, five_by_seven, npy};

#[test]
fn a_map_without_color_is_shades_with_range_and_statistics() {
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
    tests.ok(&["meta", "set", "a.b2nd", "dims", r#"["time", "lat"]"#]);
    let page = tests.ok(&["show", "a.b2nd"]);
    assert!(page.contains("lat in steps of 2: 50 elements") && !page.contains("dimension"), "{page}");
    assert!(tests.ok(&["show", "a.b2nd", "--histogram"]).lines().count() > 16);
    for args in [&["--log", "--range", "-1:5"][..], &["--log", "--range", "-1:5", "--histogram"]] {
        let refused = tests.refused(&[&["show", "a.b2nd"], args].concat());
        assert_eq!(refused, "a.b2nd: --log needs a --range that starts above 0, found -1:5");
    }
    assert!(tests.refused(&["show", "a.b2nd", "--columns", "x"]).starts_with("a.b2nd: --columns is only for tables"));
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
    assert_eq!((size("a.png"), size("b.png")), ([1200, 754], [70, 50]));
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
    assert!(page.starts_with("s.b2nd [0, :, :]  temp  10 x 13 x 7  <f4\n         0 "), "{page}");
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

/// A map has axes and a color bar. Only lines and text are black.
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
    // There are numbers and names to the left and below, numbers to the right of the color bar, and a title above. Elements
    // are square.
    assert_eq!(pixels.len(), 4 * 1200 * (44 + 642 + 68));
    for area in [
        (0..24, 40..680),
        (30..120, 40..680),
        (130..1030, 692..714),
        (130..1030, 720..750),
        (1096..1200, 40..680),
        (130..1030, 0..40),
    ] {
        assert!(black(area.clone()) > 50, "{area:?}");
    }
    // The colors of the first and last value, and of both ends of the color bar.
    assert_eq!((pixel(140, 60), pixel(1020, 675)), (&[68, 1, 84][..], &[253, 231, 37][..]));
    assert_eq!((pixel(1070, 684), pixel(1070, 44)), (&[68, 1, 84][..], &[253, 231, 37][..]));
}

/// Decodes a PNG file into its width and its pixels.
fn png(bytes: &[u8]) -> (usize, Vec<[u8; 4]>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let width = reader.next_frame(&mut pixels).unwrap().width as usize;
    (width, pixels.chunks(4).map(|pixel| pixel.try_into().unwrap()).collect())
}

#[test]
fn a_histogram_counts_all_values_of_all_planes() {
    let tests = Directory::new();
    tests.write("a.npy", npy("<i4", "(20, 60, 100)", &(0..120_000).collect::<Vec<_>>()));
    tests.ok(&["import", "--chunks", "3,60,100", "a.npy", "a.b2nd"]);
    let bars = |args: &[&str]| -> (String, u64) {
        let page = tests.ok(&[&["show", "a.b2nd", "--histogram"], args].concat());
        let lines: Vec<&str> = page.lines().collect();
        let counts = lines[1..17].iter().map(|line| line.rsplit(' ').next().unwrap().replace(',', "").parse::<u64>().unwrap());
        let sum = counts.sum();
        (page, sum)
    };
    let (page, sum) = bars(&[]);
    assert!(
        sum == 120_000 && page.starts_with("a.b2nd  20 x 60 x 100  <i4\n") && page.contains("count 120,000  "),
        "{sum} {page}"
    );
    let (page, sum) = bars(&["::5"]);
    assert!(
        sum == 24_000 && page.starts_with("a.b2nd [0:20:5, :, :]  20 x 60 x 100  <i4\n"),
        "a part is in the title: {sum} {page}"
    );
    let (page, sum) = bars(&["--range", "0:999"]);
    assert!(sum == 1000 && page.contains(" 936.562 "), "{sum} {page}");
}

#[test]
fn a_title_names_the_slice_and_a_picture_the_dimensions_and_the_unit() {
    let tests = Directory::new();
    tests.write("a.npy", npy("<i4", "(3, 10, 10)", &(0..300).collect::<Vec<_>>()));
    tests.ok(&["import", "a.npy", "a.b2nd"]);
    assert!(tests.ok(&["show", "a.b2nd"]).starts_with("a.b2nd [0, :, :]  3 x 10 x 10  <i4\n"));
    assert!(tests.ok(&["show", "a.b2nd", "2,:,:5"]).starts_with("a.b2nd [2, :, 0:5]  3 x 10 x 10  <i4\n"));
    assert_eq!(tests.refused(&["show", "a.b2nd", "0,0,0"]), "a.b2nd: a single value has no picture: print it with `b2nd cat`");
    tests.ok(&["show", "a.b2nd", "--png", "plain.png"]);
    tests.ok(&["meta", "set", "a.b2nd", "units", "--text", "K"]);
    tests.ok(&["show", "a.b2nd", "--png", "unit.png"]);
    tests.ok(&["meta", "set", "a.b2nd", "dims", "--json", r#"["t", "lat", "lon"]"#]);
    tests.ok(&["show", "a.b2nd", "--png", "named.png"]);
    // The unit is above the color bar; the names are below and to the left.
    let places = |one: &str, other: &str| -> Vec<(usize, usize)> {
        let ((width, one), (_, other)) = (png(&tests.read(one)), png(&tests.read(other)));
        let differing = one.iter().zip(&other).enumerate().filter(|(_, (one, other))| one != other);
        differing.map(|(place, _)| (place % width, place / width)).collect()
    };
    let unit = places("plain.png", "unit.png");
    assert!(!unit.is_empty() && unit.iter().all(|&(x, y)| x > 800 && y < 44), "{unit:?}");
    let names = places("unit.png", "named.png");
    assert!(names.iter().any(|&(x, _)| x < 30) && names.iter().any(|&(_, y)| y > 740), "{}", names.len());
    assert!(names.iter().all(|&(x, y)| x < 30 || y > 740), "the rest is the same");
}

/// Square elements keep round shapes round.
#[test]
fn elements_are_square_unless_they_are_stretched() {
    let tests = Directory::new();
    tests.write("a.npy", npy("<i4", "(20, 40)", &(0..800).map(|at| i32::from(at % 40 < 20)).collect::<Vec<_>>()));
    tests.ok(&["import", "a.npy", "a.b2nd"]);
    let frame = |args: &[&str]| {
        tests.ok(&[&["show", "a.b2nd", "--png", "a.png", "--overwrite", "--size", "800x700"], args].concat());
        let (width, pixels) = png(&tests.read("a.png"));
        let colored = |pixel: &[u8; 4]| [[68, 1, 84, 255], [253, 231, 37, 255]].contains(pixel);
        // `down` is counted in a column of pixels in the left half, `across` in a row of the upper part of the map.
        let down = (0..pixels.len() / width).filter(|y| colored(&pixels[y * width + 200])).count();
        let across = (140..620).filter(|x| colored(&pixels[100 * width + x])).count();
        (across, down)
    };
    let (across, down) = frame(&[]);
    assert!((245..=255).contains(&down) && across > 470, "{across} {down}");
    assert!(frame(&["--stretch"]).1 > 560);

    tests.write("a.npy", npy("<i4", "(4, 40)", &(0..160).map(|at| i32::from(at % 40 < 20)).collect::<Vec<_>>()));
    tests.ok(&["import", "--overwrite", "a.npy", "a.b2nd"]);
    let (_, down) = frame(&[]);
    assert!((45..=55).contains(&down), "an array ten times wider than high is so in the picture: {down}");
}

#[test]
fn colors_ranges_and_what_has_no_color_are_as_requested() {
    let tests = Directory::new();
    let floats = [0.0_f32, 1.0, 10.0, f32::NAN].map(|value| i32::from_le_bytes(value.to_le_bytes()));
    tests.write("a.npy", npy("<f4", "(2, 2)", &floats));
    tests.ok(&["import", "a.npy", "a.b2nd"]);
    let colors = |args: &[&str]| {
        tests.ok(&[&["show", "a.b2nd", "--png", "a.png", "--overwrite", "--size", "800x700"], args].concat());
        let (width, pixels) = png(&tests.read("a.png"));
        [(200, 100), (500, 100), (200, 450), (500, 450)].map(|(x, y)| pixels[y * width + x][..3].to_vec())
    };
    let (gray, black, white) = (vec![200; 3], vec![0; 3], vec![255; 3]);
    assert_eq!(colors(&["--cmap", "gray"]), [black.clone(), vec![26; 3], white.clone(), gray.clone()]);
    assert_eq!(colors(&["--cmap", "gray", "--range", "0:1"]), [black.clone(), white.clone(), white.clone(), gray.clone()]);
    assert_eq!(colors(&["--cmap", "gray", "--log"]), [gray.clone(), black, white, gray]);
    assert!(tests.ok(&["show", "a.b2nd"]).contains(" max   blank: NaN, inf\n"));
    assert_eq!(tests.run(&["show", "a.b2nd", "--cmap", "rainbow"]).2, 2);
    assert_eq!(tests.run(&["show", "a.b2nd", "--range", "3:1"]).2, 2);
    let refused = tests.refused(&["show", "a.b2nd", "0,:1", "--log", "--png", "b.png"]);
    assert_eq!(refused, "a.b2nd: no value to draw is finite and above 0");
}

#[cfg(feature = "arrow")]
#[test]
fn a_column_of_a_table_is_drawn_and_the_others_are_named() {
    let tests = Directory::new();
    let out = tests.path("t.png").to_str().unwrap().to_owned();
    let tables = crate::harness::Place::tables();
    let refused = tables.refused(&["show", "blocks.b2z", "--png", &out]);
    let found = "found n, m, z, x, y, t, o";
    assert_eq!(refused, format!("blocks.b2z: a PNG file shows one column, which --columns selects; {found}"));
    let refused = tables.refused(&["show", "kinds.b2z", "--columns", "u", "--png", &out]);
    assert_eq!(refused, "kinds.b2z: none of the selected columns has numbers or times: there is nothing to draw");
    assert!(tables.ok(&["show", "kinds.b2z", "--columns", "u"]).starts_with("kinds.b2z  6 rows, 1 column\n"));
    tables.ok(&["show", "blocks.b2z", "--columns", "y", "--png", &out]);
    assert!(tests.read("t.png").starts_with(b"\x89PNG"));
    let page = tables.ok(&["show", "blocks.b2z", "--columns", "y,n"]);
    assert!(page.lines().count() == 4 && page.contains("300 rows, 2 columns") || page.contains("275 rows, 2 columns"), "{page}");
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
    let cases: [(&str, &str, &[i32], &str); 8] = [
        ("<i4", "(1, 500)", &[7; 500], ""),
        ("<i4", "(500, 1)", &[7; 500], ""),
        ("<i4", "(1, 1)", &[7], ""),
        ("<f4", "(2,)", &[0x7f7f_ffff, -0x80_0001], ""),
        ("<i4", "(0,)", &[], "there are no elements to draw"),
        ("<i4", "(0, 5)", &[], "there are no elements to draw"),
        ("<f4", "(3,)", &[NAN; 3], "no value to draw is finite"),
        ("<f4", "(2, 2)", &[NAN; 4], "no value to draw is finite"),
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

#[test]
fn stored_values_that_are_not_scaled_have_no_unit_in_a_picture() {
    let tests = five_by_seven();
    let picture = |attributes: &[(&str, &str)], name: &str| {
        attributes.iter().for_each(|(key, value)| drop(tests.ok(&["meta", "set", "a.b2nd", key, value])));
        tests.ok(&["show", "a.b2nd", "--png", name]);
        tests.read(name)
    };
    let in_degrees = picture(&[("units", "degC")], "unit.png");
    let packed = picture(&[("scale_factor", "0.01")], "packed.png");
    tests.ok(&["meta", "rm", "a.b2nd", "scale_factor"]);
    assert!(packed != in_degrees && packed == picture(&[("units", "as stored")], "named.png"));
}
