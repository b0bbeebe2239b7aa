//! Frames that python-blosc2 or C-Blosc2 rejects: stores, batches, lists, values in MessagePack, and trailers far behind the index.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use b2nd_check::{Limits, Reader, verify};
use b2nd_frame::{Buffer, Chunk, Header, HeaderField, Result, Sizes, Source, Writer};
use serde::Serialize;

/// A frame with the given typesize, metalayer and attribute. Both values are packed with field names, as Python packs them.
fn frame(typesize: i32, metalayer: (&str, impl Serialize), attribute: (&str, impl Serialize)) -> Vec<u8> {
    let mut header = Header::new(Sizes { typesize, chunksize: 64, blocksize: 64 }).unwrap();
    header.metalayers_mut().insert(metalayer.0, b2nd::msgpack::to_vec(&metalayer.1).unwrap()).unwrap();
    let mut writer = Writer::new(header);
    writer.append(&Chunk::store(&[7; 64], usize::try_from(typesize).unwrap()).unwrap()).unwrap();
    writer.set_vlmetalayer_bytes(attribute.0, &b2nd::msgpack::to_vec(&attribute.1).unwrap()).unwrap();
    writer.finish().unwrap()
}

/// A list array with this metalayer. `others` names metalayers that mark batches or chunks.
fn list_array(list: impl Serialize, others: &[&str]) -> Vec<u8> {
    let mut header = Header::new(Sizes { typesize: 1, chunksize: 64, blocksize: 64 }).unwrap();
    header.metalayers_mut().insert("listarray", b2nd::msgpack::to_vec(&list).unwrap()).unwrap();
    for name in others {
        header.metalayers_mut().insert(name, b"\x80".as_slice()).unwrap();
    }
    let mut writer = Writer::new(header);
    writer.append(&Chunk::store(&[7; 64], 1).unwrap()).unwrap();
    let lengths = BTreeMap::from([("batch_lengths", [64])]);
    writer.set_vlmetalayer_bytes("_batch_array_metadata", &b2nd::msgpack::to_vec(&lengths).unwrap()).unwrap();
    writer.finish().unwrap()
}

/// The findings, and whether C-Blosc2 can read the frame safely despite them.
fn found(source: &dyn Source) -> (Vec<String>, bool) {
    let report = verify(source, &Limits::default());
    assert!(report.findings.iter().all(|found| found.python_blosc2 == Some(false)), "{:?}", report.findings);
    let sentences = report.findings.iter().map(|found| format!("{}: {}", found.place, found.finding)).collect();
    (sentences, report.is_readable() && report.is_safe_for(Reader::C_BLOSC2))
}

#[test]
fn batches_that_python_refuses_are_found() {
    let batches = |serializer: &str, lengths: &[i64]| {
        let serializer = BTreeMap::from([("serializer", serializer)]);
        frame(1, ("batcharray", serializer), ("_batch_array_metadata", BTreeMap::from([("batch_lengths", lengths)])))
    };
    assert_eq!(found(&batches("msgpack", &[3, 0, 1 << 40])), (vec![], true));
    // The chunks are not Arrow IPC messages. Without the feature `arrow`, the finding says that they were not read.
    let report = verify(&batches("arrow", &[3, 0, 1 << 40]), &Limits::default());
    assert!(matches!(&report.findings[..], [found] if found.place == "values" && found.unreadable), "{:?}", report.findings);
    let negative = "vlmetalayer \"_batch_array_metadata\": its batch_lengths: expected integers of 0 or more, found -1";
    assert_eq!(found(&batches("msgpack", &[3, -1])), (vec![negative.to_owned()], true));
    let pickle = "metalayer \"batcharray\": its serializer: expected \"msgpack\" or \"arrow\", found \"pickle\"";
    assert_eq!(found(&batches("pickle", &[3])), (vec![pickle.to_owned()], true));
}

/// The errors of python-blosc2 4.14.1 are "Unknown column kind" and "unexpected keyword argument".
#[test]
fn lists_of_items_that_python_refuses_are_found() {
    #[derive(Serialize)]
    struct List {
        item: BTreeMap<&'static str, &'static str>,
    }
    let list = |item: &[(&'static str, &'static str)]| {
        let list = List { item: item.iter().copied().collect() };
        found(&list_array(list, &["batcharray", "vlarray"]))
    };
    assert_eq!(list(&[("kind", "timestamp"), ("unit", "s")]), (vec![], true));
    let finding = |problem: &str| (vec![format!("metalayer \"listarray\": its items: {problem}")], true);
    assert_eq!(list(&[("kind", "day")]), finding("kind: \"day\" is unknown to python-blosc2"));
    assert_eq!(
        list(&[("kind", "int8"), ("unit", "s")]),
        finding(
            "\"unit\" is a setting of int8 that python-blosc2 does not \
                                                                  know"
        )
    );
}

/// The errors of python-blosc2 4.14.1: `serializer must be 'msgpack' or 'arrow'`, `batch_rows must be a positive integer`.
#[test]
fn settings_of_lists_that_python_refuses_are_found() {
    let list = |setting: &str, value: &str| {
        let item = r#""item": {"kind": "int8"}"#;
        let list: serde_json::Value = serde_json::from_str(&format!(r#"{{{item}, "{setting}": {value}}}"#)).unwrap();
        found(&list_array(list, &["batcharray", "vlarray"]))
    };
    for (setting, value) in [("serializer", r#""arrow""#), ("backend", r#""vl""#), ("batch_rows", "null"), ("batch_rows", "7")] {
        assert_eq!(list(setting, value), (vec![], true), "{setting}");
    }
    let finding = |problem: &str| (vec![format!("metalayer \"listarray\": {problem}")], true);
    let without = found(&list_array(BTreeMap::from([("backend", "vl")]), &["batcharray"]));
    assert_eq!(without, finding("the metalayer \"vlarray\", which would describe how its lists are stored, is missing"));
    let without = found(&list_array(BTreeMap::from([("backend", "batch")]), &["vlarray"]));
    assert_eq!(without, finding("the metalayer \"batcharray\", which would describe how its lists are stored, is missing"));
    assert_eq!(list("serializer", r#""arrov""#), finding("serializer: expected msgpack or arrow, found \"arrov\""));
    assert_eq!(list("backend", r#""v""#), finding("backend: expected batch or vl, found \"v\""));
    assert_eq!(list("batch_rows", "0"), finding("batch_rows: expected an integer of 1 or more, found 0"));
}

/// The errors of python-blosc2 4.14.1: `Encountered active serialized value`, `unpack requires a buffer of 16 bytes`,
/// `unhashable type`.
#[test]
fn extensions_that_python_refuses_are_found() {
    let found = |packed: &[u8]| {
        let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 64, blocksize: 64 }).unwrap());
        writer.append(&Chunk::store(&[7; 64], 1).unwrap()).unwrap();
        writer.set_vlmetalayer_bytes("note", packed).unwrap();
        let frame: Vec<u8> = writer.finish().unwrap();
        let report = verify(&frame, &Limits::default());
        let sentences: Vec<_> = report.findings.iter().map(|found| found.finding.clone()).collect();
        (sentences.join("; "), report.is_safe_for(Reader::PYTHON_BLOSC2))
    };
    let extension = |kind: u8, data: &[u8]| [&[0xc7, data.len() as u8, kind], data].concat();
    let array = |bytes: &[u8]| {
        let map = [b"\x83\xa5dtype\xa3<i2\xa5shape\x91\x02\xa4data\xc4", &[bytes.len() as u8][..], bytes].concat();
        extension(46, &map)
    };
    for good in [extension(44, &[0; 16]), extension(45, b"\x91\x91\xa9__tuple__"), array(b"1234"), extension(0xff, &[0; 8])] {
        assert_eq!(found(&good), (String::new(), true), "{good:x?}");
    }
    let active = "it holds a value (extension 105), which python-blosc2 opens only with deserialize=\"full\"";
    assert_eq!(found(&extension(105, b"x")), (active.to_owned(), false));
    let other = "its value is not MessagePack that python-blosc2 can unpack";
    let of_tuple = extension(45, b"\x91\x91\x91\xa9__tuple__");
    for bad in [extension(44, &[0; 15]), extension(45, b"\x91\x91\x01"), of_tuple, array(b"123"), extension(0xff, &[0; 7])] {
        assert_eq!(found(&bad), (other.to_owned(), false), "{bad:x?}");
    }
    let inside = extension(45, &[&[0x91][..], &extension(42, b"x")].concat());
    assert_eq!(found(&inside), (other.to_owned(), false));
}

#[test]
fn stores_that_python_refuses_are_found() {
    let store = |typesize: i32, keys: &[&str]| {
        let metadata: BTreeMap<&str, u8> = keys.iter().map(|&key| (key, 0)).collect();
        frame(typesize, ("b2embed", BTreeMap::from([("version", 1)])), ("estore_metadata", metadata))
    };
    assert_eq!(found(&store(1, &["embed_map", "current_offset"])), (vec![], true));
    let no_offset = "vlmetalayer \"estore_metadata\": it has no \"current_offset\", without which python-blosc2 cannot open the \
                     store";
    assert_eq!(found(&store(1, &["embed_map"])), (vec![no_offset.to_owned()], true));
    let wide = "header: typesize: expected 1 in a frame that embeds frames, found 8";
    assert_eq!(found(&store(8, &["embed_map", "current_offset"])), (vec![wide.to_owned()], true));
}

/// The error of python-blosc2 4.14.1 is `FormatError`.
#[test]
fn only_metadata_that_python_reads_must_be_messagepack() {
    let found = |marker: &str, [metalayer, attribute]: [&str; 2]| {
        let mut header = Header::new(Sizes { typesize: 1, chunksize: 64, blocksize: 64 }).unwrap();
        header.metalayers_mut().insert(marker, b"\x80".as_slice()).unwrap();
        header.metalayers_mut().insert(metalayer, b"\xc1".as_slice()).unwrap();
        let mut writer = Writer::new(header);
        writer.append(&Chunk::store(&[7; 64], 1).unwrap()).unwrap();
        writer.set_vlmetalayer_bytes(attribute, b"\xc1").unwrap();
        let frame: Vec<u8> = writer.finish().unwrap();
        let findings = verify(&frame, &Limits::default()).findings.into_iter().filter(|found| found.fact.is_none());
        findings.map(|found| format!("{}: {}", found.place, found.finding)).collect::<Vec<_>>()
    };
    let reason = "but it is not MessagePack that python-blosc2 can unpack";
    let finding = |place: &str, kind: &str| format!("{place}: python-blosc2 unpacks it to read a frame of kind {kind}, {reason}");
    for marker in ["vlarray", "batcharray", "b2embed"] {
        assert_eq!(found(marker, ["other", "other"]), [""; 0], "{marker}");
    }
    assert_eq!(found("other", ["vlarray", "_batch_array_metadata"]), [""; 0]);
    let batches = ["metalayer \"batcharray\"", "vlmetalayer \"_batch_array_metadata\""];
    let expected = batches.map(|place| finding(place, "batch_array"));
    assert_eq!(found("other", ["batcharray", "_batch_array_metadata"]), expected);
    let tensor = finding("vlmetalayer \"__pack_tensor__\"", "tensor");
    assert_eq!(found("other", ["more", "__pack_tensor__"]), [tensor]);
    // A lazy expression is an array for python-blosc2, which opens other frames with this metalayer as usual.
    assert_eq!(found("other", ["LazyArray", "more"]), [""; 0]);
    for (metalayer, kind) in [("b2o", "b2object"), ("proxy-source", "proxy")] {
        let expected = finding(&format!("metalayer {metalayer:?}"), kind);
        assert!(found("other", [metalayer, "more"]).contains(&expected), "{metalayer}");
    }
}

/// A source with a front, a back, and a gap of zeros in between that takes no memory.
struct Apart {
    front: Vec<u8>,
    gap: u64,
    back: Vec<u8>,
}

impl Source for Apart {
    fn len(&self) -> Result<u64> {
        Ok(self.front.len() as u64 + self.gap + self.back.len() as u64)
    }

    fn read(&self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        let end = range.end.min(self.len()?);
        assert!(end - range.start.min(end) <= 1 << 20, "{range:?} is read at once");
        let (front, back) = (self.front.len() as u64, self.front.len() as u64 + self.gap);
        let byte = |at: u64| match at {
            _ if at < front => self.front[at as usize],
            _ if at < back => 0,
            _ => self.back[(at - back) as usize],
        };
        Ok((range.start..end).map(byte).collect::<Vec<u8>>().into())
    }
}

#[test]
fn a_trailer_farther_behind_than_an_int32_counts_is_found_and_the_gap_is_not_read() {
    let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 64, blocksize: 64 }).unwrap());
    writer.append(&Chunk::store(&[7; 64], 1).unwrap()).unwrap();
    let whole: Vec<u8> = writer.finish().unwrap();
    let trailer = b2nd_frame::Frame::open(Buffer(&whole)).unwrap().trailer_range().unwrap().start as usize;
    let apart = |gap: u64| {
        let mut front = whole[..trailer].to_vec();
        front[HeaderField::FRAME_LEN.value()].copy_from_slice(&(whole.len() as u64 + gap).to_be_bytes());
        Apart { front, gap, back: whole[trailer..].to_vec() }
    };
    let most = i32::MAX as u64 - 40; // The index has 40 bytes.
    assert_eq!(found(&apart(most)), (vec![], true));
    let far = "trailer: it is 2,147,483,648 bytes after the start of the index; C-Blosc2's limit is 2,147,483,647";
    assert_eq!(found(&apart(most + 1)), (vec![far.to_owned()], false));
}
