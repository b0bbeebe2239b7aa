//! Elements as text, and their statistics.
#![allow(clippy::unwrap_used)]

use b2nd::dtype::DType;
use b2nd_view::elements::{Number, Read, Tally, significant, text};

/// The expected texts were printed by NumPy 2.
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
    // Any number can be formatted, even the largest.
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
    let read: Read = |bytes| Number::Integer(i64::from_le_bytes(bytes.try_into().unwrap()).into());
    let bytes: Vec<[u8; 8]> = numbers.iter().map(|number| number.to_le_bytes()).collect();
    let mut all = Tally::default();
    for piece in bytes.chunks(pieces) {
        let mut tally = Tally::default();
        tally.add(piece.iter().map(|bytes| &bytes[..]), Some(read));
        all.merge(tally);
    }
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
