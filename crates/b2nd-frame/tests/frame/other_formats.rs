//! The public types in other serde formats.

use std::fmt::Debug;

use crate::common::{cbor, header, layouts};
use b2nd_frame::{Frame, Header, Metalayers, Trailer};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Checks that the value survives JSON, CBOR, MessagePack and the format of `b2nd`.
#[track_caller]
fn survives<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let json = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&json).unwrap(), value, "{json}");
    assert_eq!(&serde_json::from_reader::<_, T>(json.as_bytes()).unwrap(), value, "{json}");
    assert_eq!(&serde_json::from_value::<T>(serde_json::to_value(value).unwrap()).unwrap(), value, "{json}");

    assert_eq!(&ciborium::from_reader::<T, _>(cbor(value).as_slice()).unwrap(), value);

    for packed in [rmp_serde::to_vec(value).unwrap(), rmp_serde::to_vec_named(value).unwrap()] {
        assert_eq!(&rmp_serde::from_slice::<T>(&packed).unwrap(), value);
        assert_eq!(&rmp_serde::from_read::<_, T>(packed.as_slice()).unwrap(), value);
    }

    let bytes = b2nd::to_vec(value).unwrap();
    assert_eq!(&b2nd::from_slice::<T>(&bytes).unwrap(), value);
    #[cfg(feature = "std")]
    assert_eq!(&b2nd::from_reader::<_, T>(bytes.as_slice()).unwrap(), value);
}

#[track_caller]
fn survives_postcard<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let bytes = postcard::to_stdvec(value).unwrap();
    assert_eq!(&postcard::from_bytes::<T>(&bytes).unwrap(), value);
    let mut buffer = vec![0; bytes.len()];
    assert_eq!(&postcard::from_io::<T, _>((bytes.as_slice(), &mut buffer)).unwrap().0, value);
}

#[test]
fn a_header_survives_every_format() {
    let [_, (_, miscounted), (_, stale), (_, array)] = layouts(2);
    let stale = [stale, vec![0xd2, 0]].concat();
    for metalayers in [
        &[][..],
        &[(&b"b2nd"[..], &array[..])],
        &[(b"caterva", &stale), (b"", b""), (b"\xff\xfe", b"\0\xff"), (b"b2nd", &miscounted), (b"b2nd again", b"again")],
    ] {
        let header = Header::from_slice(&header(metalayers)).unwrap();
        survives(&header);
        survives_postcard(&header);
    }
}

#[test]
fn metalayers_survive_every_format() {
    let bytes = header(&[(b"text", b"\x01\xff"), (b"", b""), (b"\xff", b"name that is not UTF-8"), (&[b'x'; 31], &[7; 300])]);
    let header = Header::from_slice(&bytes).unwrap();
    survives(header.metalayers());
    survives_postcard(header.metalayers());
    survives(&Metalayers::default());
    survives_postcard(&Metalayers::default());
}

#[test]
fn what_is_longer_than_a_buffer_survives_every_format() {
    let header = Header::from_slice(&header(&[(b"long", &[7; 10_000]), (b"b2nd", &[8; 5000])])).unwrap();
    survives(&header);
    survives(header.metalayers());
    let mut trailer = Trailer::new(Default::default());
    trailer.vlmetalayers_mut().set_bytes("long", &[9; 10_000]).unwrap();
    survives(&trailer);
}

#[track_caller]
fn survives_ron<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    for config in [ron::ser::PrettyConfig::new(), ron::ser::PrettyConfig::new().struct_names(true)] {
        let ron = ron::ser::to_string_pretty(value, config).unwrap();
        assert_eq!(&ron::from_str::<T>(&ron).unwrap(), value, "{ron}");
    }
}

#[test]
fn names_are_identifiers_in_formats_that_check_them() {
    let [.., (_, bytes)] = layouts(2);
    let header = Header::from_slice(&header(&[(b"b2nd", &bytes), (b"\xff", b""), (b"text", b"\x01\xff")])).unwrap();
    survives_ron(&header);
    survives_ron(header.metalayers());
}

/// Checks that the value survives RON and YAML, read from text and from a stream, with the same bytes.
#[track_caller]
fn is_the_same_bytes<T: Serialize + DeserializeOwned>(value: &T) {
    let bytes = b2nd::to_vec(value).unwrap();
    let check = |again: T, text: &str| assert_eq!(b2nd::to_vec(&again).unwrap(), bytes, "{text}");
    let compact = ron::to_string(value).unwrap();
    let pretty = ron::ser::to_string_pretty(value, ron::ser::PrettyConfig::new().struct_names(true)).unwrap();
    for text in [compact, pretty] {
        check(ron::from_str(&text).unwrap(), &text);
        check(ron::de::from_reader(text.as_bytes()).unwrap(), &text);
    }
    let yaml = serde_yaml_ng::to_string(value).unwrap();
    check(serde_yaml_ng::from_str(&yaml).unwrap(), &yaml);
    check(serde_yaml_ng::from_reader(yaml.as_bytes()).unwrap(), &yaml);
    check(serde_yaml_ng::from_value(serde_yaml_ng::to_value(value).unwrap()).unwrap(), &yaml);
}

#[test]
fn headers_and_trailers_are_the_same_bytes_through_ron_and_yaml() {
    let [.., (_, array)] = layouts(2);
    // Contents and names that a format could confuse with numbers, null, or its own syntax.
    let entries: &[(&[u8], &[u8])] = &[
        (b"b2nd", &array),
        (b"", b""),
        (b"\xff\xfe", b"\0\xff"),
        (b"null", b"\x12\x34"),
        (b"1e3", b"\x1e\x30"),
        (b"a: \"b\"\n", b"\x0e"),
        (b"long", &[0xab; 5000]),
    ];
    let header = Header::from_slice(&header(entries)).unwrap();
    is_the_same_bytes(&header);
    is_the_same_bytes(header.metalayers());

    let mut trailer = Trailer::new(Default::default());
    is_the_same_bytes(&trailer);
    for (name, content) in [("text", &b"\x01\xff"[..]), ("12", b""), ("~", b"\x12"), ("long", &[0x77; 70_000])] {
        trailer.vlmetalayers_mut().set_bytes(name, content).unwrap();
    }
    is_the_same_bytes(&trailer);

    let bytes = include_bytes!("../../../../tests/data/example.b2nd");
    let frame = Frame::from_slice(bytes).unwrap();
    is_the_same_bytes(frame.header());
    is_the_same_bytes(frame.trailer().unwrap());
}

#[test]
fn metalayers_in_json() {
    let header = Header::from_slice(&header(&[(b"text", b"\x01\xff"), (b"\xff", b"")])).unwrap();
    assert_eq!(serde_json::to_string(header.metalayers()).unwrap(), r#"[["text","01ff"],[[255],""]]"#);
    let error = serde_json::from_str::<Metalayers>(&format!(r#"[["{}",""]]"#, "x".repeat(32))).unwrap_err();
    assert_eq!(error.to_string(), "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: a metalayer's name: expected at most 31 bytes, found 32");
}

#[test]
fn a_header_in_json() {
    let header = Header::from_slice(&header(&[(b"a", b"b")])).unwrap();
    let json = serde_json::to_string(&header).unwrap();
    assert_eq!(
        json,
        concat!(
            r#"{"frame_len":512,"flags":[18,0,21,3],"nbytes":3744,"cbytes":100,"typesize":1,"blocksize":171,"chunksize":330,"#,
            r#""compression_threads":1,"decompression_threads":2,"has_vlmetalayers":false,"#,
            r#""pipeline":[6,0,0,0,0,0,1,5,0,0,0,0,0,0,0,0,0],"metalayers":[["a","62"]]}"#
        )
    );
    let refuses = |from: &str, to: &str, expected: &str| {
        assert!(json.contains(from));
        let error = serde_json::from_str::<Header>(&json.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    };
    refuses("[18,", "[20,", "frame version: expected 2 or 3, found 4");
    refuses("[18,0,", "[18,2,", "frame type: expected 0 (contiguous) or 1 (sparse), found 2");
    refuses("[6,", "[7,", "filter slots: expected at most 6, found 7");
    refuses("\"nbytes\"", "\"bytes\"", "unknown field `bytes`");
    refuses("\"nbytes\":3744,", "", "missing field `nbytes`");
}

#[test]
fn long_contents_come_back_from_a_stream() {
    // The long values are longer than the buffers that some formats use when they read a stream.
    let mut header = Header::from_slice(&header(&[(b"long", &[7; 5000]), (b"short", b"x")])).unwrap();
    header.metalayers_mut().set(&b2nd::B2ndMeta::of::<u8>(b2nd::Geometry::new(&[8], &[8], &[8]).unwrap())).unwrap();
    survives(&header);
    let mut trailer = Trailer::new(Default::default());
    trailer.vlmetalayers_mut().set_bytes("long", &[8; 70_000]).unwrap();
    survives(&trailer);
}

#[test]
fn hexadecimal_digits_are_two_for_each_byte() {
    let read = |content: &str| serde_json::from_str::<Metalayers>(&format!(r#"[["a","{content}"]]"#));
    assert_eq!(read("00fFA0").unwrap().get("a"), Some(&[0, 0xff, 0xa0][..]));
    for content in ["0", "000", "0g", "+1", " 1", "é"] {
        let error = read(content).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("invalid value: string \"{content}\", expected two hexadecimal digits for each byte")),
            "{error}"
        );
    }
}
