//! Headers: their array, user metalayers, codecs and filters; and opening files.

use crate::common::{Hex, both_ways, cat, header, layouts, message, writes};
use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, Metalayer};
use b2nd_frame::{CodecId, File, Filter, Header, MAX_METALAYERS, Metalayers, SplitMode, Trailer};
use serde::{Deserialize, Serialize};

/// A header with these metalayers that is read from its bytes.
fn read(metalayers: &[(&[u8], &[u8])]) -> Header {
    Header::from_slice(&header(metalayers)).unwrap()
}

#[test]
fn the_array_is_b2nd_if_it_decodes_and_else_caterva() {
    let [(caterva, caterva_bytes), .., (b2nd, b2nd_bytes)] = layouts(2);
    let array = |metalayers: &[(&[u8], &[u8])]| read(metalayers).array().map(|array| array.map(ArrayMeta::into_owned));
    let (b2nd, caterva) = (b2nd.into_owned(), caterva.into_owned());
    assert_eq!(array(&[]).unwrap(), None);
    assert_eq!(array(&[(b"other", &b2nd_bytes)]).unwrap(), None);
    assert_eq!(array(&[(b"b2nd", &b2nd_bytes)]).unwrap().as_ref(), Some(&b2nd));
    assert_eq!(array(&[(b"caterva", &caterva_bytes)]).unwrap().as_ref(), Some(&caterva));
    assert_eq!(array(&[(b"caterva", &caterva_bytes), (b"b2nd", &b2nd_bytes)]).unwrap().as_ref(), Some(&b2nd));
    assert_eq!(array(&[(b"caterva", b"mine"), (b"b2nd", &b2nd_bytes)]).unwrap().as_ref(), Some(&b2nd));
    assert_eq!(array(&[(b"caterva", &caterva_bytes), (b"b2nd", b"mine")]).unwrap().as_ref(), Some(&caterva));
    assert_eq!(
        message(array(&[(b"caterva", b"mine"), (b"b2nd", b"\xc0")])),
        "b2nd: expected array (90 to 9f, dc, dd), found nil (c0) at byte 134"
    );
    assert_eq!(
        message(array(&[(b"caterva", b"mine")])),
        "caterva: expected array (90 to 9f, dc, dd), found positive fixint (6d) at byte 115"
    );
}

#[test]
fn bytes_after_an_array_metalayer_are_accepted_in_a_header() {
    for (array, bytes) in layouts(3) {
        for stale in [&b"\0"[..], b"\xd2\0\0\0\x01", &[0xff; 95]] {
            let header = read(&[(b"b2nd", &cat(&[&bytes, stale]))]);
            assert_eq!(header.array().unwrap(), Some(array));
            assert_eq!(header.metalayers().get("b2nd").unwrap().len(), bytes.len() + stale.len());
        }
    }
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Note<'a> {
    number: u16,
    text: &'a str,
}

impl Metalayer for Note<'_> {
    const NAME: &'static str = "note";
}

#[test]
fn a_users_metalayer_is_read_by_its_type() {
    let note = Note { number: 7, text: "hi" };
    let content = b2nd::to_vec(&note).unwrap();
    let whole = read(&[(b"x", b""), (b"note", &content)]);
    assert_eq!(whole.metalayer::<Note>().unwrap(), Some(note));
    assert_eq!(whole.metalayer::<B2ndMeta>().unwrap(), None);
    let wrong = read(&[(b"note", b"\x92\x07")]);
    assert_eq!(message(wrong.metalayer::<Note>()), "note.number: expected uint16 (cd), found positive fixint (07) at byte 113");
    let short = read(&[(b"note", &content[..content.len() - 1])]);
    assert_eq!(message(short.metalayer::<Note>()), "note: the metalayer ends, but text needs 1 more byte at byte 122");
    assert_eq!((B2ndMeta::<&str>::NAME, CatervaMeta::NAME), ("b2nd", "caterva"));
}

#[test]
fn a_trailer_keeps_its_fingerprint() {
    let mut trailer = Trailer::new(Default::default());
    trailer.vlmetalayers_mut().set_bytes("v", b"content").unwrap();
    assert_eq!((trailer.vlmetalayers().value("v").unwrap().as_deref(), trailer.fingerprint()), (Some(&b"content"[..]), [0; 17]));
    let mut bytes = b2nd::to_vec(&trailer).unwrap();
    let fingerprint = core::array::from_fn(|index| index as u8 + 1);
    let start = bytes.len() - 17;
    bytes[start..].copy_from_slice(&fingerprint);
    let trailer = Trailer::from_slice(&bytes).unwrap();
    assert_eq!(trailer.fingerprint(), fingerprint);
    writes(&trailer, &bytes);
}

#[test]
fn a_header_says_how_many_threads_wrote() {
    let header = read(&[]);
    assert_eq!((header.compression_threads(), header.decompression_threads()), (1, 2));
}

#[test]
fn a_name_stands_once() {
    let bytes = header(&[(b"a", b"first"), (b"", b""), (b"a", b"second")]);
    assert_eq!(message(Header::from_slice(&bytes)), "metalayers.a: the name is repeated at byte 107");
    let pairs = r#"[["a", "01"], [[97], "02"]]"#;
    assert_eq!(serde_json::from_str::<Metalayers>(pairs).unwrap_err().to_string(), "a: the name is repeated");
}

#[test]
fn any_number_of_metalayers_is_read() {
    let names: Vec<String> = (0..200).map(|number| format!("metalayer {number}")).collect();
    let pairs: Vec<(&[u8], &[u8])> = names.iter().map(|name| (name.as_bytes(), &b"content"[..])).collect();
    both_ways(read(&pairs), &header(&pairs));
    let longest = [(&[0xff; 31][..], &[0; 70_000][..]), (b"", b"")];
    both_ways(read(&longest), &header(&longest));
}

#[test]
fn metalayers_are_kept_in_order() {
    let mut metalayers = Metalayers::default();
    assert!(metalayers.is_empty());
    assert_eq!(metalayers.insert("a", *b"1").unwrap(), None);
    assert_eq!(metalayers.insert("", vec![]).unwrap(), None);
    assert_eq!(metalayers.insert("a", *b"22").unwrap(), Some(b"1".to_vec()));
    assert_eq!(metalayers.insert("b", *b"4444").unwrap(), None);
    assert_eq!(metalayers.insert(&"x".repeat(31), *b"333").unwrap(), None);
    let pairs: Vec<_> = metalayers.iter().collect();
    assert_eq!(pairs, [(&b"a"[..], &b"22"[..]), (b"", b""), (b"b", b"4444"), (&[b'x'; 31], b"333")]);
    assert_eq!(metalayers.iter().len(), 4);
    assert_eq!(metalayers.remove(""), Some(vec![]));
    assert_eq!(metalayers.remove(""), None);
    assert_eq!((metalayers.len(), metalayers.get("a"), metalayers.get("")), (3, Some(&b"22"[..]), None));
    assert_eq!(format!("{metalayers:?}"), format!("{{\"a\": 2, \"b\": 4, \"{}\": 3}}", "x".repeat(31)));
    assert_eq!(format!("{:?}", read(&[(b"\xff\"", b"")]).metalayers()), "{\"\u{fffd}\\\"\": 0}");
    assert_eq!(MAX_METALAYERS, 16);
}

#[test]
fn a_metalayer_is_renamed_in_its_place() {
    let mut metalayers = Metalayers::default();
    metalayers.insert("a", *b"first").unwrap();
    metalayers.insert("b", *b"second").unwrap();
    for (from, to, found) in [("a", "c", true), ("c", "c", true), ("a", "d", false), ("none", "b", false)] {
        assert_eq!(metalayers.rename(from, to).unwrap(), found, "{from} to {to}");
        assert!(metalayers.iter().eq([(&b"c"[..], &b"first"[..]), (b"b", b"second")]), "{metalayers:?}");
    }
    let taken = "metalayer \"b\" cannot be called \"c\": that name is already used";
    assert_eq!(message(metalayers.rename("b", "c")), taken);
    let long = format!("{}: a metalayer's name: expected at most 31 bytes, found 32", "n".repeat(32));
    assert_eq!(message(metalayers.rename("b", &"n".repeat(32))), long);
}

#[test]
fn codecs_and_filters_keep_their_numbers() {
    for code in 0..=255 {
        assert_eq!((CodecId::from_code(code).code(), Filter::from_code(code).code()), (code, code));
    }
    let codecs = [0, 1, 2, 3, 4, 5, 32, 33, 34, 35, 36, 37, 38, 39, 40, 200].map(|code| CodecId::from_code(code).to_string());
    let names = ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd", "ndlz", "zfp_fixed_accuracy", "zfp_fixed_precision"];
    assert_eq!(codecs[..9], names);
    assert_eq!(codecs[9..], ["zfp_fixed_rate", "openhtj2k", "grok", "openzl", "j2k", "htj2k", "codec 200"]);
    let filters = [0, 1, 2, 3, 4, 5, 32, 33, 34, 35, 36, 200].map(|code| Filter::from_code(code).to_string());
    assert_eq!(filters[..6], ["none", "shuffle", "bitshuffle", "delta", "trunc_prec", "filter 5"]);
    assert_eq!(filters[6..], ["ndcell", "ndmean", "bytedelta_buggy", "bytedelta", "int_trunc", "filter 200"]);
    let modes = [SplitMode::Always, SplitMode::Never, SplitMode::Auto, SplitMode::ForwardCompat].map(|mode| mode.to_string());
    assert_eq!(modes, ["always", "never", "auto", "forward_compat"]);
}

#[test]
fn a_codec_of_a_user_stands_beside_the_flags() {
    let file = File::open("../../tests/data/python-blosc2-3.9.0/cparams__ucodec200_nochunks.b2frame").unwrap();
    assert_eq!(file.header().raw_flags()[2] & 0x0f, 6);
    assert_eq!(file.header().codec(), CodecId::Other(200));
}

#[test]
fn the_flags_say_what_varies() {
    for (flags, variable_chunks, variable_blocks) in
        [(0x12, false, false), (0x53, true, false), (0x93, false, true), (0xd3, true, true)]
    {
        let mut bytes = header(&[]);
        bytes[0x19] = flags;
        let header = Header::from_slice(&bytes).unwrap();
        assert_eq!((header.has_variable_chunks(), header.has_variable_blocks()), (variable_chunks, variable_blocks));
        assert_eq!(header.version(), flags & 0x0f);
        writes(&header, &bytes);
    }
    let mut bytes = header(&[]);
    bytes[0x1c] = 4;
    assert_eq!(Header::from_slice(&bytes).unwrap().split_mode(), None);
}

#[test]
fn a_file_is_opened_at_its_start_at_an_offset_and_in_a_directory() {
    let example = File::open("../../tests/data/example.b2nd").unwrap();
    assert_eq!((example.path().to_str(), example.position()), (Some("../../tests/data/example.b2nd"), 0));
    let bytes = std::fs::read("../../tests/data/example.b2nd").unwrap();
    assert_eq!(Hex(&b2nd::to_vec(example.header()).unwrap()), Hex(&bytes[..example.header().header_len()]));

    let inside = File::open_at("../../tests/data/python-blosc2-2.1.0/offset__1_0.bin", 1).unwrap();
    assert_eq!((inside.position(), inside.header().array().unwrap().is_some()), (1, true));

    let sparse = File::open("../../tests/data/python-blosc2-3.9.0/meta__sframe_fifteen.b2sd").unwrap();
    assert!(sparse.path().ends_with("meta__sframe_fifteen.b2sd/chunks.b2frame"));
    assert_eq!(sparse.header().frame_type(), b2nd_frame::FrameType::Sparse);
    assert_eq!(File::open(sparse.path()).unwrap().header(), sparse.header());
}

#[test]
fn a_header_longer_than_the_first_read_is_read_whole() {
    let path = "../../tests/data/python-blosc2-3.0.0/meta__bigstr.b2nd";
    let file = File::open(path).unwrap();
    assert!(file.header().header_len() > 70_000);
    assert_eq!(Hex(&b2nd::to_vec(file.header()).unwrap()), Hex(&std::fs::read(path).unwrap()[..file.header().header_len()]));
}

#[test]
fn sizes_that_no_frame_has_are_refused() {
    let cases: [(usize, &[u8], &str); 3] = [
        (0x1e, &(-1i64).to_be_bytes(), "nbytes: expected 0 or more, found -1 at byte 29"),
        (0x30, &0i32.to_be_bytes(), "typesize: expected 1 or more, found 0 at byte 47"),
        (0x3a, &(-1i32).to_be_bytes(), "chunksize: expected 0 or more, found -1 at byte 57"),
    ];
    for (at, number, expected) in cases {
        let mut bytes = header(&[]);
        bytes[at..at + number.len()].copy_from_slice(number);
        assert_eq!(message(Header::from_slice(&bytes)), expected);
    }
    let mut empty = header(&[]);
    empty[0x1e..0x26].fill(0);
    empty[0x3a..0x3e].fill(0xff);
    let empty = Header::from_slice(&empty).unwrap();
    assert_eq!((empty.chunksize(), empty.nchunks()), (-1, Some(0)));
}

#[test]
fn a_frame_that_its_file_does_not_hold_has_no_end() {
    let directory = std::env::temp_dir().join(format!("b2nd-cut-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join("cut.b2nd");
    let mut bytes = std::fs::read("../../tests/data/example.b2nd").unwrap();
    let length = bytes.len() as u64;
    bytes[0x10..0x18].copy_from_slice(&(length + 1).to_be_bytes());
    std::fs::write(&path, &bytes).unwrap();
    let file = File::open(&path).unwrap();
    let expected = format!("unexpected end of input at byte {length}: the frame needs 1 more byte");
    assert_eq!(message(file.trailer()), expected);
    assert_eq!(message(file.offsets()), expected);
    let edited = message(File::edit(&path).unwrap().set_vlmetalayer_bytes("name", b"value"));
    assert_eq!(edited, format!("{}: {expected}", path.display()));
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn a_trailer_has_four_elements() {
    let trailer = b2nd::to_vec(&Trailer::new(Default::default())).unwrap();
    let refused = |first: u8| message(Trailer::from_slice(&[&[first], &trailer[1..]].concat()));
    assert_eq!(refused(0x93), "the frame's trailer: invalid length 3, expected a trailer of 4 elements at byte 0");
    assert_eq!(refused(0x95), "the frame's trailer: expected 4 elements, found 5 at byte 0");
}

#[test]
fn a_b2nd_metalayer_of_five_entries_is_an_array_too() {
    let [(array, bytes), ..] = layouts(2);
    let header = Header::from_slice(&header(&[(b"b2nd", &bytes)])).unwrap();
    assert_eq!(header.array().unwrap(), Some(array));
}
