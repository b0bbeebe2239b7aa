//! Generic MessagePack: metalayers and values that Python packed are read into types and written back.

use std::collections::BTreeMap;

use crate::common::manifest::{Entry, frame, frames, unhex};
use crate::common::{Hex, message};
use b2nd::msgpack::{from_slice, to_vec};
use b2nd_frame::File;
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The value of a vlmetalayer that its writer stored.
#[track_caller]
fn value(entry: &Entry, name: &str) -> Vec<u8> {
    let vlmetalayers = entry.parsed["vlmetalayers"].as_array().unwrap();
    let found = vlmetalayers.iter().find(|vlmetalayer| vlmetalayer["name"] == name).unwrap();
    let expected = unhex(found["decoded_hex"].as_str().unwrap());
    // Some values need a codec, which this build may not have.
    if let Ok(value) = entry.open().trailer().unwrap().vlmetalayers().value(name) {
        assert_eq!(Hex(&value.unwrap()), Hex(&expected));
    }
    expected
}

/// Checks that the value is read from these bytes and written as the same bytes.
#[track_caller]
fn both_ways<T: Serialize + for<'de> Deserialize<'de> + PartialEq + std::fmt::Debug>(packed: &[u8], expected: T) {
    assert_eq!(from_slice::<T>(packed).unwrap(), expected);
    assert_eq!(Hex(&to_vec(&expected).unwrap()), Hex(packed));
}

#[test]
fn what_python_says_a_metalayer_holds() {
    let mut count = 0;
    for entry in frames() {
        let file = entry.open();
        let Some(expected) = entry.api["meta_values"].as_object() else { continue };
        for (name, expected) in expected.iter().filter(|(name, _)| !matches!(name.as_str(), "b2nd" | "caterva")) {
            let Some(content) = file.header().metalayers().get(name) else { continue };
            // The manifest encodes bytes, which JSON lacks, in another form. An error in Python is a string that starts with "!".
            let no_json = expected.to_string().contains("\"hex\"") || name == "truncated";
            if no_json || expected.as_str().is_some_and(|text| text.starts_with('!')) {
                continue;
            }
            let found: Value = from_slice(content).unwrap_or_else(|error| panic!("{} {name}: {error}", entry.id));
            assert_eq!(untupled(found.clone()), *expected, "{} {name}", entry.id);
            if !found.is_object() {
                assert_eq!(Hex(&to_vec(&found).unwrap()), Hex(content), "{} {name}", entry.id);
            }
            count += 1;
        }
    }
    println!("{count} metalayers");
    assert!(count > 30);
}

/// Python packs a tuple as a list that starts with "__tuple__". In the manifest's JSON it is a plain list.
fn untupled(value: Value) -> Value {
    match value {
        Value::Array(mut list) => {
            if list.first() == Some(&json!("__tuple__")) {
                list.remove(0);
            }
            list.into_iter().map(untupled).collect()
        }
        Value::Object(entries) => entries.into_iter().map(|(key, value)| (key, untupled(value))).collect(),
        other => other,
    }
}

#[test]
fn every_value_of_a_vlmetalayer_is_one_value() {
    let mut count = 0;
    for entry in frames().iter().filter(|entry| entry.id.starts_with("python-blosc2")) {
        let trailer = entry.open().trailer().unwrap().clone();
        for (name, _) in trailer.vlmetalayers().raw_chunks().iter() {
            let name = core::str::from_utf8(name).unwrap();
            let Ok(Some(value)) = trailer.vlmetalayers().value(name) else { continue };
            from_slice::<IgnoredAny>(&value).unwrap_or_else(|error| panic!("{} {name}: {error}", entry.id));
            count += 1;
        }
    }
    println!("{count} values");
    assert!(count > 30);
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Reference {
    kind: String,
    version: u8,
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct RemoteArray {
    kind: String,
    version: u8,
    path: String,
    urlbase: String,
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct ListArray {
    version: u8,
    kind: String,
    item: Item,
    nullable: bool,
    serializer: String,
    batch_rows: u32,
    backend: String,
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Item {
    kind: String,
    max_length: u32,
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct BatchArray {
    version: u8,
    serializer: String,
    items_per_block: u32,
    arrow_schema: Option<String>,
}

#[test]
fn a_struct_is_a_dict() {
    let entry = frame("python-blosc2-4.14.1/c2array/offline");
    let file = entry.open();
    let reference = Reference { kind: "c2array".into(), version: 1 };
    both_ways(file.header().metalayers().get("b2o").unwrap(), reference);
    let remote = RemoteArray {
        kind: "c2array".into(),
        version: 1,
        path: "@public/dir/x.b2nd".into(),
        urlbase: "http://127.0.0.1:9/".into(),
    };
    both_ways(&value(&entry, "b2o"), remote);

    let entry = frame("python-blosc2-4.14.1/listarray/strings");
    let file = entry.open();
    let list = ListArray {
        version: 1,
        kind: "list".into(),
        item: Item { kind: "string".into(), max_length: 16 },
        nullable: true,
        serializer: "msgpack".into(),
        batch_rows: 2048,
        backend: "batch".into(),
    };
    both_ways(file.header().metalayers().get("listarray").unwrap(), list);
    let batch = BatchArray { version: 1, serializer: "msgpack".into(), items_per_block: 4, arrow_schema: None };
    both_ways(file.header().metalayers().get("batcharray").unwrap(), batch);
    both_ways(&value(&entry, "_batch_array_metadata"), BTreeMap::from([("batch_lengths".to_owned(), vec![4])]));
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Processing {
    version: u8,
    factor: f64,
    steps: (Option<u8>, bool, i8),
    #[serde(with = "serde_bytes")]
    raw: Vec<u8>,
}

#[test]
fn none_bool_float_negative_numbers_and_bytes() {
    let entry = frame("python-blosc2-4.14.1/example/example");
    let expected = Processing { version: 3, factor: 0.5, steps: (None, true, -1), raw: vec![0, 0xff] };
    both_ways(&value(&entry, "processing"), expected);
    both_ways(&value(&entry, "author"), "b2nd tests".to_owned());
    let history: Vec<String> = ["made", "checked"].iter().cycle().take(120).map(|&step| step.to_owned()).collect();
    both_ways(&value(&entry, "history"), history);
}

/// A Python tuple, which is packed as a list that starts with "__tuple__".
#[derive(PartialEq, Debug)]
struct Tuple(Vec<Value>);

impl<'de> Deserialize<'de> for Tuple {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Elements;
        impl<'de> Visitor<'de> for Elements {
            type Value = Tuple;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a Python tuple")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Tuple, A::Error> {
                if list.next_element()? != Some("__tuple__") {
                    return Err(serde::de::Error::custom("no tuple"));
                }
                let mut elements = Vec::new();
                while let Some(element) = list.next_element()? {
                    elements.push(element);
                }
                Ok(Tuple(elements))
            }
        }
        deserializer.deserialize_seq(Elements)
    }
}

#[test]
fn a_tuple_is_a_list_with_a_mark() {
    let packed = value(&frame("python-blosc2-3.9.0/pack/tensor_f8"), "__pack_tensor__");
    type Shape = (String, u64, u64);
    type Tensor = (String, String, Shape, String);
    let tuple = |mark: &str| mark.to_owned();
    both_ways::<Tensor>(&packed, (tuple("__tuple__"), "numpy".into(), (tuple("__tuple__"), 5, 6), "<f8".into()));
    let elements = vec![json!("numpy"), json!(["__tuple__", 5, 6]), json!("<f8")];
    assert_eq!(from_slice::<Tuple>(&packed).unwrap(), Tuple(elements));
    assert_eq!(message(from_slice::<Tuple>(b"\x91\xa1x")), "msgpack: no tuple");
}

#[test]
fn a_dict_of_dicts() {
    let packed = value(&frame("python-blosc2-4.8.0/embedstore/three"), "estore_metadata");
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Store {
        embed_map: BTreeMap<String, Place>,
        current_offset: u64,
    }
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Place {
        offset: u64,
        length: u64,
    }
    let nodes = [("/node0", 0, 0x125), ("/node1", 0x125, 0x120), ("/node2", 0x245, 0x125)];
    let embed_map = nodes.map(|(name, offset, length)| (name.to_owned(), Place { offset, length }));
    both_ways(&packed, Store { embed_map: BTreeMap::from(embed_map), current_offset: 0x36a });
}

#[test]
fn a_struct_in_a_file_of_ours() {
    let scratch = crate::common::scratch::Scratch::new();
    let path = scratch.join("f.b2nd");
    std::fs::write(&path, crate::common::frames::contiguous()).unwrap();
    let mut file = File::edit(&path).unwrap();
    let reference = Reference { kind: "ours".into(), version: 7 };
    file.set_vlmetalayer_bytes("ref", &to_vec(&reference).unwrap()).unwrap();
    let trailer = File::open(&path).unwrap().trailer().unwrap().clone();
    assert_eq!(trailer.vlmetalayers().get::<Reference>("ref").unwrap(), Some(reference));
    assert_eq!(trailer.vlmetalayers().get::<Reference>("none").unwrap(), None);
    let refusal = message(trailer.vlmetalayers().get::<String>("ref"));
    assert!(refusal.starts_with("vlmetalayers.ref: msgpack: "), "{refusal}");
    let text = "of twenty bytes: 19";
    file.overwrite_metalayer_bytes("small", &to_vec(text).unwrap()).unwrap();
    assert_eq!(from_slice::<String>(file.file().header().metalayers().get("small").unwrap()).unwrap(), text);
}

#[test]
fn what_is_no_msgpack_is_refused() {
    for packed in
        [b"".as_slice(), b"\xc1", b"\xd9\x05abc", b"\x92\x01", b"\x81\xa1a", b"\xdd\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff"]
    {
        let error = from_slice::<Value>(packed).unwrap_err();
        assert!(error.is_eof() || packed == b"\xc1", "{error}");
    }
    let deep = [vec![0x91; 100_000], vec![0xc0]].concat();
    for refusal in [message(from_slice::<Value>(&deep)), message(from_slice::<IgnoredAny>(&deep))] {
        assert!(refusal.ends_with("nested more than 128 levels deep at byte 128"), "{refusal}");
    }
}
