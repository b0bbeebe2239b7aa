//! Elements as text, and their statistics.
#![allow(clippy::unwrap_used)]

use b2nd::dtype::DType;
use b2nd_view::elements::{Column, Tally, columns, reader, significant, text};

/// NumPy 2 printed the expected texts.
#[test]
fn moments_are_as_in_numpy() {
    let moment = |unit: &str, number: i64| text(&format!("<M8[{unit}]").parse::<DType>().unwrap(), &number.to_le_bytes());
    let cases = [
        ("Y", -370, "1600"),
        ("M", -1, "1969-12"),
        ("W", 2000, "2008-05-01"),
        ("D", -719_162, "0001-01-01"),
        ("D", 11_016, "2000-02-29"),
        ("D", 19_782, "2024-02-29"),
        ("D", 19_783, "2024-03-01"),
        ("h", -1, "1969-12-31T23"),
        ("m", 1_234_567, "1972-05-07T08:07"),
        ("s", -1, "1969-12-31T23:59:59"),
        ("ms", -1, "1969-12-31T23:59:59.999"),
        ("us", 1_000_000_000_000_001, "2001-09-09T01:46:40.000001"),
        ("ns", 1 << 62, "2116-02-20T23:53:38.427387904"),
        ("as", -(1 << 62), "1969-12-31T23:59:55.388313981572612096"),
        ("25s", 7, "1970-01-01T00:02:55"),
        ("s", i64::MIN, "NaT"),
    ];
    for (unit, number, expected) in cases {
        assert_eq!(moment(unit, number), expected);
    }
    // Even the largest numbers can be formatted.
    assert!(moment(&format!("{}Y", i32::MAX), i64::MAX).len() > 20);
    assert!(moment(&format!("{}W", i32::MAX), i64::MIN + 1).starts_with('-'));
}

#[test]
fn floats_have_all_their_digits_in_both_byte_orders() {
    let cases: [(&str, &[u8], &str); 7] = [
        ("<f2", &[0x66, 0x2e], "0.099975586"),
        (">f4", &0.1_f32.to_be_bytes(), "0.1"),
        ("<f8", &(-0.0_f64).to_le_bytes(), "-0.0"),
        (">c8", &[0x3f, 0x80, 0, 0, 0x7f, 0xc0, 0, 0], "1.0+NaNj"),
        (">U2", &[0, 0, 0, 0x61, 0, 0, 0, 0], "\"a\""),
        ("<u8", &[0xff; 8], "18446744073709551615"),
        ("<i4", &[1, 2], "0102"),
    ];
    for (dtype, bytes, expected) in cases {
        assert_eq!(text(&dtype.parse::<DType>().unwrap(), bytes), expected);
    }
}

#[test]
fn a_number_has_no_more_digits_than_were_asked_for() {
    let cases = [
        (-17549.7812, "-17549.8"),
        (3_864_952.3, "3.86495e6"),
        (0.1, "0.1"),
        (1.0 / 3.0, "0.333333"),
        (17.0, "17.0"),
        (-0.000_012_345_678, "-1.23457e-5"),
        (1e300, "1e300"),
        (999_999.9, "1e6"),
        (f64::NAN, "NaN"),
    ];
    for (number, expected) in cases {
        assert_eq!(significant(number, 6), expected);
    }
    assert_eq!(significant(std::f64::consts::PI, usize::MAX), "3.141592653589793");
}

fn tally(numbers: &[i64], pieces: usize) -> Tally {
    let column = &columns(Some(&"<i8".parse().unwrap()), 8).unwrap()[0];
    let bytes: Vec<[u8; 8]> = numbers.iter().map(|number| number.to_le_bytes()).collect();
    let mut all = Tally::default();
    bytes.chunks(pieces).for_each(|piece| all.merge(column.tally(piece.as_flattened(), 8, 1, false)));
    all
}

#[test]
fn sums_of_the_largest_integers_are_exact() {
    let all = tally(&[i64::MAX, i64::MAX, i64::MIN, i64::MAX - 3], 1);
    assert_eq!(all.whole_mean(), Some((3 * i128::from(i64::MAX) - 3 + i128::from(i64::MIN)) / 4));
    let near = tally(&[i64::MAX, i64::MAX - 2, i64::MAX, i64::MAX - 2], 2);
    assert_eq!((near.std(), near.whole_mean()), (Some(1.0), Some(i128::from(i64::MAX) - 1)));
}

#[test]
fn pieces_do_not_change_what_is_counted() {
    let numbers: Vec<i64> = (0..10_000).map(|number| number * number % 11).collect();
    let [one, many] = [tally(&numbers, 10_000), tally(&numbers, 7)];
    assert_eq!((one.count, one.zeros, one.few()), (many.count, many.zeros, many.few()));
    assert_eq!((one.mean(), one.range()), (many.mean(), many.range()));
    assert!((one.std().unwrap() - many.std().unwrap()).abs() < 1e-14);
}

/// All statistics of the elements as text.
fn said(column: &Column, elements: &[u8], times: u64) -> String {
    let mut tally = column.tally(elements, column.itemsize, times, true);
    let quantiles = tally.quantiles(reader(column.dtype.as_ref().unwrap()).unwrap(), &[0.25, 0.5]);
    let (counts, moments) = ([tally.count, tally.nan, tally.zeros], (tally.mean(), tally.whole_mean(), tally.std()));
    format!("{counts:?} {:?} {moments:?} {:?} {quantiles:?}", tally.range(), tally.few())
}

#[test]
fn an_element_that_occurs_many_times_counts_as_many_elements() {
    let cases: [(&str, &[u8]); 12] = [
        ("|b1", &[1]),
        ("|i1", &[0x80]),
        (">i2", &[0xff, 0xfe]),
        ("<u8", &[0xff; 8]),
        ("<f2", &[0, 0x3c]),
        ("<f4", &0.1_f32.to_le_bytes()),
        (">f8", &(-0.0_f64).to_be_bytes()),
        ("<f8", &f64::NAN.to_le_bytes()),
        ("<f8", &f64::INFINITY.to_le_bytes()),
        ("<c8", &[0, 0, 0x80, 0x3f, 0, 0, 0, 0x40]),
        ("<M8[s]", &60_i64.to_le_bytes()),
        ("<m8[s]", &i64::MIN.to_le_bytes()),
    ];
    for (dtype, element) in cases {
        let column = &columns(Some(&dtype.parse().unwrap()), element.len()).unwrap()[0];
        assert_eq!(said(column, element, 5000), said(column, &element.repeat(5000), 1), "{dtype}");
    }
}

#[test]
fn numbers_of_every_type_have_the_same_statistics() {
    let numbers = [0_u8, 3, 127, 3, 1, 2, 40, 0, 9, 77, 8, 11, 100];
    let of = |dtype: &str, bytes: &dyn Fn(u8) -> Vec<u8>| {
        let elements: Vec<u8> = numbers.iter().cycle().take(9000).flat_map(|&number| bytes(number)).collect();
        let itemsize = elements.len() / 9000;
        let tally = columns(Some(&dtype.parse().unwrap()), itemsize).unwrap()[0].tally(&elements, itemsize, 1, false);
        let few = tally.few().unwrap().into_iter().map(|(_, count)| count).collect::<Vec<_>>();
        let [least, greatest] = [0, 127].map(bytes);
        assert_eq!(tally.range(), Some((&least[..], &greatest[..])), "{dtype}");
        (tally.count, tally.zeros, tally.mean(), few, format!("{:.12}", tally.std().unwrap()))
    };
    let expected = of("|u1", &|number| vec![number]);
    let same = |dtype: &str, bytes: &dyn Fn(u8) -> Vec<u8>| assert_eq!(of(dtype, bytes), expected, "{dtype}");
    same("|i1", &|number| vec![number]);
    same("<u2", &|number| u16::from(number).to_le_bytes().to_vec());
    same(">i2", &|number| i16::from(number).to_be_bytes().to_vec());
    same("<i4", &|number| i32::from(number).to_le_bytes().to_vec());
    same(">u4", &|number| u32::from(number).to_be_bytes().to_vec());
    same("<i8", &|number| i64::from(number).to_le_bytes().to_vec());
    same(">u8", &|number| u64::from(number).to_be_bytes().to_vec());
    same("<f4", &|number| f32::from(number).to_le_bytes().to_vec());
    same(">f4", &|number| f32::from(number).to_be_bytes().to_vec());
    same("<f8", &|number| f64::from(number).to_le_bytes().to_vec());
    same(">f8", &|number| f64::from(number).to_be_bytes().to_vec());
}
