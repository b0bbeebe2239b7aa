//! Names that other readers or a terminal would misunderstand.

use b2nd::{B2ndMeta, Geometry};
use b2nd_frame::{File, Frame, Header, Metalayers, Sizes, Trailer, Writer};

use crate::common::message;
use crate::common::scratch::Scratch;

/// The metalayer of an array with `length` elements.
fn array(length: i64) -> Vec<u8> {
    b2nd::to_vec(&B2ndMeta::of::<u8>(Geometry::new(&[length], &[8], &[8]).unwrap())).unwrap()
}

/// A header with these metalayers. A NUL is written as `_` and replaced afterwards, because `insert` rejects it.
fn header(metalayers: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut header = Header::new(Sizes { typesize: 1, chunksize: 8, blocksize: 8 }).unwrap();
    for (name, content) in metalayers {
        header.metalayers_mut().insert(&name.replace('\0', "_"), content.as_slice()).unwrap();
    }
    let mut bytes = b2nd::to_vec(&header).unwrap();
    let mut at = 0x57 + 7;
    for (name, _) in metalayers {
        bytes[at + 1..at + 1 + name.len()].copy_from_slice(name.as_bytes());
        at += name.len() + 6;
    }
    bytes
}

#[test]
fn c_blosc2_ends_names_at_a_nul_and_takes_the_first() {
    let read = |metalayers: &[(&str, Vec<u8>)]| {
        let bytes = header(metalayers);
        let header = Header::from_slice(&bytes).unwrap();
        assert_eq!(b2nd::to_vec(&header).unwrap(), bytes, "what is read is written back");
        header.array().map(|array| array.map(|array| array.geometry().shape()[0]))
    };
    let refusal = |name: &str| format!("{name}: C-Blosc2 ends the name at its NUL and reads \"b2nd\"");
    assert_eq!(message(read(&[("b2nd\0", array(1)), ("b2nd", array(2))])), refusal("b2nd\\0"));
    assert_eq!(message(read(&[("b2nd\0x", array(1))])), refusal("b2nd\\0x"));
    // C-Blosc2 also uses the first of the two.
    assert_eq!(read(&[("b2nd", array(2)), ("b2nd\0", array(1))]).unwrap(), Some(2));
    assert_eq!(read(&[("b2nd_", array(1))]).unwrap(), None);

    let mut trailer = Trailer::new(Default::default());
    trailer.vlmetalayers_mut().set_bytes("k_", b"other").unwrap();
    trailer.vlmetalayers_mut().set_bytes("k", b"value").unwrap();
    let mut bytes = b2nd::to_vec(&trailer).unwrap();
    let at = bytes.windows(2).position(|name| name == b"k_").unwrap();
    bytes[at + 1] = 0;
    let refusal = "vlmetalayers.k\\0: C-Blosc2 ends the name at its NUL and reads \"k\"";
    assert_eq!(message(Trailer::from_slice(&bytes).unwrap().vlmetalayers().value("k")), refusal);
}

#[test]
fn a_name_with_a_nul_is_not_written() {
    let mut metalayers = Metalayers::default();
    let refusal = "metalayer \"b2nd\\0\": C-Blosc2 would end this name at its NUL";
    assert_eq!(message(metalayers.insert("b2nd\0", [1])), refusal);
    metalayers.insert("user", [1]).unwrap();
    assert_eq!(message(metalayers.rename("user", "b2nd\0")), refusal);
    assert_eq!(message(Trailer::new(Default::default()).vlmetalayers_mut().set_bytes("b2nd\0", b"")), refusal);
}

#[test]
fn nothing_that_a_terminal_acts_on_is_in_an_errors_sentence() {
    let mut bytes = header(&[("\x1b[31mFAKE\nOK\u{9b}\u{202e}", Vec::new())]);
    let at = bytes.windows(2).position(|two| two == b"\xae\xd2").unwrap() + 2;
    bytes[at] ^= 1;
    let error = Header::from_slice(&bytes).unwrap_err();
    let sentence = error.to_string();
    assert!(sentence.contains(r"metalayers.\u{1b}[31mFAKE\nOK\u{9b}\u{202e}.offset: expected "), "{sentence}");
    assert_eq!(format!("{error:?}"), sentence);
    assert_eq!(b2nd_frame::Error::custom("a\tb \"é\" \\").to_string(), "a\\tb \"é\" \\");
}

/// A frame without data, with the given trailers. C-Blosc2 reads the first trailer with the length of the last one.
fn without_data(trailers: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 8, blocksize: 8 }).unwrap()).finish().unwrap();
    bytes.truncate(97);
    bytes.extend(trailers.concat());
    let length = bytes.len() as u64;
    bytes[0x10..0x18].copy_from_slice(&length.to_be_bytes());
    bytes
}

#[test]
fn of_two_trailers_without_data_the_first_is_read() {
    let trailer = |value: &[u8]| {
        let mut trailer = Trailer::new(Default::default());
        trailer.vlmetalayers_mut().set_bytes("k", value).unwrap();
        b2nd::to_vec(&trailer).unwrap()
    };
    let scratch = Scratch::new();
    let path = scratch.join("f.b2nd");
    // Short trailers are in the first read; the longest is not.
    for length in [6, 100, 5000] {
        let bytes = without_data(&[&trailer(&vec![1; length - 1]), &trailer(&vec![2; length])]);
        std::fs::write(&path, &bytes).unwrap();
        let expected = vec![1; length - 1];
        let frame = Frame::from_slice(&bytes).unwrap();
        assert_eq!(frame.trailer().unwrap().vlmetalayers().value("k").unwrap().unwrap(), expected);
        assert_eq!(*File::open(&path).unwrap().trailer().unwrap(), *frame.trailer().unwrap());
    }
    let bytes = without_data(&[b"garbage!", &trailer(b"second")]);
    std::fs::write(&path, &bytes).unwrap();
    let refusal = "the frame's trailer: expected array (90 to 9f, dc, dd), found positive fixint (67) at byte 97";
    assert_eq!(message(Frame::from_slice(&bytes)), refusal);
    assert_eq!(message(File::open(&path).unwrap().trailer()), refusal);
}
