//! Elements that are not numbers: structures, text and times.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
// A slice of a one-dimensional array is one range.
#![allow(clippy::single_range_in_vec_init)]

use b2nd::{B2ndMeta, Geometry};
use b2nd_ndarray::{Array, Options};
use ndarray::array;

/// A one-dimensional array in chunks of two elements.
fn file(dtype: &str, count: i64, bytes: &[u8]) -> (tempfile::TempDir, Array) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("array.b2nd");
    let meta = B2ndMeta::new(Geometry::new(&[count], &[2], &[2]).unwrap(), dtype);
    b2nd_ndarray::write_bytes(&path, &meta, bytes, &Options::default()).unwrap();
    (directory, Array::open(path).unwrap())
}

#[test]
fn fields_are_read_at_their_offsets_and_in_their_order() {
    let dtype = "{'names': ['flag', 'value'], 'formats': ['?', '>f8'], 'offsets': [0, 8], 'itemsize': 16}";
    let bytes: Vec<u8> =
        (0..3_u8).flat_map(|n| [&[n % 2, 9, 9, 9, 9, 9, 9, 9][..], &(f64::from(n) + 0.5).to_be_bytes()].concat()).collect();
    let (_directory, array) = file(dtype, 3, &bytes);
    let elements = array.elements(&[1..3]).unwrap();
    assert_eq!(elements.bytes(), &bytes[16..]);
    assert_eq!(elements.field::<f64>("value").unwrap(), array![1.5, 2.5].into_dyn());
    assert_eq!(elements.field::<bool>("flag").unwrap(), array![true, false].into_dyn());
    let error = elements.field::<f32>("value").unwrap_err();
    assert_eq!(error.to_string(), "the elements are float64, big-endian, not float32");
    let error = elements.field::<f32>("wind").unwrap_err();
    assert_eq!(
        error.to_string(),
        "no field \"wind\" in the elements (structure of 2 fields, 16 bytes); their fields are [\"flag\", \"value\"]"
    );
}

#[test]
fn text_is_read_without_what_fills_it_up() {
    let (_directory, array) = file("|S4", 3, b"ab\0\0abcd\0\0\0\0");
    assert_eq!(
        array.elements(&array.whole()).unwrap().strings().unwrap(),
        array!["ab", "abcd", ""].mapv(String::from).into_dyn()
    );
    for big in [false, true] {
        let code = |code: u32| if big { code.to_be_bytes() } else { code.to_le_bytes() };
        let bytes: Vec<u8> = ['é', '\0', '日', '本'].into_iter().flat_map(|c| code(c as u32)).collect();
        let (_directory, array) = file(if big { ">U2" } else { "<U2" }, 2, &bytes);
        let strings = array.elements(&array.whole()).unwrap().strings().unwrap();
        assert_eq!(strings, array!["é", "日本"].mapv(String::from).into_dyn());
    }
    let (_directory, array) = file("|S2", 1, &[0xff, 0xfe]);
    let error = array.elements(&array.whole()).unwrap().strings().unwrap_err();
    assert_eq!(error.to_string(), "the elements (string of 2 bytes) are not valid Unicode");
}

#[test]
fn subarrays_text_and_structures_are_fields_too() {
    let dtype = "[('id', '<U2'), ('at', '>i2', (2, 3)), ('inner', [('a', 'u1'), ('b', 'S2')], (2,))]";
    let element = |n: u8| {
        let text = ['é', if n == 0 { '\0' } else { 'x' }].into_iter().flat_map(|c| (c as u32).to_le_bytes());
        let at = (0..6).flat_map(|k| (i16::from(n) * 100 - k).to_be_bytes());
        text.chain(at).chain([n, b'p', 0, n + 1, b'q', b'r']).collect::<Vec<u8>>()
    };
    let (_directory, array) = file(dtype, 2, &[element(0), element(1)].concat());
    let elements = array.elements(&array.whole()).unwrap();
    assert_eq!(elements.part("id").unwrap().strings().unwrap(), array!["é", "éx"].mapv(String::from).into_dyn());
    let at = array![[[0, -1, -2], [-3, -4, -5]], [[100, 99, 98], [97, 96, 95]]];
    assert_eq!(elements.field::<i16>("at").unwrap(), at.into_dyn());
    let inner = elements.part("inner").unwrap();
    assert_eq!(inner.shape(), [2, 2]);
    assert_eq!(inner.field::<u8>("a").unwrap(), array![[0, 1], [1, 2]].into_dyn());
    let strings = array![["p", "qr"], ["p", "qr"]].mapv(String::from).into_dyn();
    assert_eq!(inner.part("b").unwrap().strings().unwrap(), strings);
    assert!(elements.field::<i32>("at").is_err() && elements.field::<u8>("inner").is_err());
}

#[test]
fn times_are_their_integers() {
    let bytes: Vec<u8> = [-1_i64, 1 << 40].into_iter().flat_map(i64::to_le_bytes).collect();
    let (_directory, array) = file("<M8[25s]", 2, &bytes);
    assert_eq!(array.read::<i64>(&array.whole()).unwrap(), array![-1, 1 << 40].into_dyn());
    assert_eq!(array.dtype().unwrap().describe(), "datetime64[25s], little-endian");
    assert!(array.read::<u64>(&array.whole()).is_err());
}
