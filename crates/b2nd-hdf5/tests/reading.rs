//! Reading: lists of datasets, attributes, parts of chunks, and datasets that are rejected.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use b2nd_frame::{CodecId, ErrorKind, Header, Source};
use b2nd_hdf5::File;
use b2nd_ndarray::Error;
use b2nd_store::{Frame, LocalFile, Store, attributes, value};

fn open(name: &str) -> File {
    File::open(Arc::new(LocalFile::open(format!("tests/data/{name}").as_ref()).unwrap())).unwrap()
}

/// A source that counts the bytes that are read.
struct Counted(LocalFile, Arc<AtomicU64>);

impl Source for Counted {
    fn len(&self) -> b2nd_frame::Result<u64> {
        self.0.len()
    }

    fn read(&self, range: Range<u64>) -> b2nd_frame::Result<Cow<'_, [u8]>> {
        self.1.fetch_add(range.end - range.start, Ordering::Relaxed);
        self.0.read(range)
    }
}

#[test]
fn groups_in_a_cycle_of_links_are_listed_once() {
    let names = open("h5py.h5").datasets().unwrap();
    let of_links: Vec<_> = names.iter().filter(|name| name.starts_with("/links")).collect();
    assert_eq!(of_links, ["/links/again", "/links/soft"]);
    assert_eq!(names.len(), 27);
    // A path that goes through a cycle of links names the same dataset.
    let through = open("h5py.h5").array("/links/up/links/up/cube").unwrap();
    assert_eq!(through.geometry().shape(), [6, 20, 30]);
}

#[test]
fn what_has_no_form_as_an_array_is_refused_by_name() {
    let file = open("h5py.h5");
    let error = |path: &str| file.array(path).unwrap_err().to_string();
    assert_eq!(error("/refused/strings"), "the values are strings of variable length, which are not supported");
    assert_eq!(error("/refused/sequences"), "the values are sequences of variable length, which are not supported");
    assert_eq!(error("/refused/references"), "the values are references to objects, which are not supported");
    assert_eq!(error("/refused/null"), "the dataset has a null dataspace, which has no elements and no shape");
    assert_eq!(error("/refused/external"), "the data is in other files, which are not read");
    assert_eq!(error("/links/other"), "/links/other: dataset not found: other");
    assert_eq!(error("/nothing"), "/nothing: dataset not found: nothing");
}

#[test]
fn numbers_with_unused_bits_are_refused() {
    let file = open("unusual/unusual.h5");
    for name in ["bits20", "shifted", "bfloat16", "record", "explicit"] {
        let expected = "numbers with unused bits, and floats other than those of IEEE 754, are not supported";
        assert_eq!(file.array(name).unwrap_err().to_string(), expected, "{name}");
    }
    let usual = file.array("usual").unwrap();
    let attributes = usual.attributes().unwrap();
    assert!(attributes.names().eq([b"usual", &b"hdf5"[..]]), "the other one is listed in hdf5");
    assert_eq!(attributes.get::<f64>("usual").unwrap(), Some(1.5));
}

#[test]
fn a_virtual_dataset_is_refused_by_name() {
    let file = open("virtual/virtual.h5");
    let expected = ": virtual datasets are not read; other datasets are, by their paths";
    assert!(file.array("/virtual").unwrap_err().to_string().ends_with(expected));
    assert!(file.datasets().unwrap_err().to_string().ends_with(expected));
    assert_eq!(file.array("/real").unwrap().geometry().shape(), [10]);
}

#[test]
fn attributes_are_those_of_the_frame() {
    let store = Store::from_folder("h5py.h5", Arc::new(open("h5py.h5")));
    let values = |key: &str| {
        let source = store.leaf(key).unwrap();
        let frame = Frame::open(&*source).unwrap();
        let all = attributes::of(frame.trailer().unwrap()).into_iter().map(|it| {
            let value = it.value.unwrap();
            (String::from_utf8(it.name.to_vec()).unwrap(), serde_json::to_value(value::read(&value).unwrap()).unwrap())
        });
        all.collect::<serde_json::Map<_, _>>()
    };
    let expected = serde_json::json!({
        "units": "K", "scale": 0.5, "range": [1, -2], "_FillValue": -1.0, "flag": true, "names": ["a", "bc"],
        "hdf5": {"filters": ["blosc2"], "unsupported attributes": ["to"]},
    });
    assert_eq!(serde_json::Value::from(values("/cube")), expected);
    // At most 14 attributes are separate; the others are in the attribute `hdf5`.
    let many = values("/flat");
    assert_eq!((many.len(), &many["number13"]), (15, &13.into()));
    assert_eq!(
        many["hdf5"]["attributes"],
        serde_json::json!({"number14": 14, "number15": 15, "number16": 16, "number17": 17, "number18": 18, "number19": 19})
    );
    let listing = store.list().unwrap();
    assert_eq!(serde_json::to_value(&listing.attributes).unwrap(), serde_json::json!({"title": "made for tests"}));
    let groups: Vec<_> =
        listing.groups.iter().map(|(key, attributes)| (key.as_str(), serde_json::to_value(attributes).unwrap())).collect();
    assert_eq!(groups, [("/types", serde_json::json!({"about": "types"}))]);
}

#[test]
fn names_of_dimensions_are_those_of_their_scales() {
    let file = open("scales.h5");
    let attributes = |path: &str| file.dataset(path).unwrap().attributes;
    let dims =
        |path: &str| attributes(path).into_iter().find(|(name, _)| name == "dims").map(|(_, value)| value.unwrap().to_string());
    assert_eq!(dims("/tas").as_deref(), Some(r#"["time", "lat", "lon"]"#));
    assert_eq!(dims("group/inner/depth").as_deref(), Some(r#"["level", "lat"]"#));
    assert_eq!(dims("/square").as_deref(), Some(r#"["lat", "lat"]"#));
    assert_eq!(dims("/lon").as_deref(), Some(r#"["lon"]"#));
    // A dimension has no scale, or one in a group that does not contain the dataset.
    assert_eq!((dims("/part"), dims("/far")), (None, None));
    // An attribute of this name is not replaced.
    assert_eq!(dims("/named").as_deref(), Some(r#""of the user""#));
    // `/tas` has more attributes than the 14 that become separate attributes, so the names come first. The names replace the references.
    assert_eq!(attributes("/tas")[0].0, "dims");
    let has_references = |path: &str| attributes(path).contains(&("DIMENSION_LIST".to_owned(), None));
    assert_eq!(["/tas", "/part", "/named"].map(has_references), [false, true, true]);
}

/// A source that fails once, if the counter of its remaining reads says so.
struct FailsOnce(LocalFile, Arc<AtomicU64>);

impl Source for FailsOnce {
    fn len(&self) -> b2nd_frame::Result<u64> {
        self.0.len()
    }

    fn read(&self, range: Range<u64>) -> b2nd_frame::Result<Cow<'_, [u8]>> {
        match self.1.fetch_sub(1, Ordering::Relaxed) {
            1 => Err(std::io::Error::other("it fails once").into()),
            _ => self.0.read(range),
        }
    }
}

#[test]
fn a_failed_read_is_an_error_and_hides_no_name_from_the_next() {
    for count in 1.. {
        let left = Arc::new(AtomicU64::new(u64::MAX));
        let source = FailsOnce(LocalFile::open("tests/data/scales.h5".as_ref()).unwrap(), left.clone());
        let file = File::open(Arc::new(source)).unwrap();
        left.store(count, Ordering::Relaxed);
        let error = file.dataset("group/inner/depth").err();
        if (1..=count).contains(&left.swap(u64::MAX, Ordering::Relaxed)) {
            // Each read has failed once, including the last ones, which search the root for the names of the dimensions.
            assert!(count > 20, "{count}");
            break;
        }
        assert!(error.is_some_and(|error| b2nd_store::is_of_source(&error)), "read {count}");
        assert_eq!(file.dataset("group/inner/depth").unwrap().attributes[0].0, "dims", "read {count}");
    }
}

#[test]
fn attributes_of_pytables_are_apart_from_those_of_the_user() {
    let store = Store::from_folder("pytables.h5", Arc::new(open("pytables.h5")));
    let source = store.leaf("/group/events").unwrap();
    let frame = Frame::open(&*source).unwrap();
    let names: Vec<_> = attributes::of(frame.trailer().unwrap()).iter().map(|it| it.name.to_vec()).collect();
    assert_eq!(names, [b"units".to_vec(), b"pytables".to_vec(), b"hdf5".to_vec()]);
    let value = attributes::get(frame.trailer().unwrap(), "pytables").unwrap();
    let value = serde_json::to_value(value::read(&value).unwrap()).unwrap();
    assert_eq!((&value["CLASS"], &value["TITLE"]), (&"TABLE".into(), &"what was seen".into()));
    assert_eq!(value["FIELD_0_NAME"], "id");
}

/// If a block were much longer than its chunk, its padding would take unlimited memory.
#[test]
fn a_blockshape_that_multiplies_the_length_of_a_chunk_is_not_used() {
    let mut file = std::fs::read("tests/data/h5py.h5").unwrap();
    let blockshape = [2, 10, 15_i32].map(|length| [&[0xd2][..], &length.to_be_bytes()].concat()).concat();
    let places: Vec<_> = (0..file.len() - 15).filter(|&at| file[at..at + 15] == blockshape).collect();
    // The chunkshape and the blockshape of each of the 12 chunks are equal.
    assert_eq!(places.len(), 24);
    for at in places {
        file[at + 1..at + 5].copy_from_slice(&i32::to_be_bytes(1 << 20));
    }
    let array = File::open(Arc::new(file)).unwrap().array("/cube").unwrap();
    assert_eq!(array.geometry().blockshape(), [2, 10, 15]);
}

#[test]
fn an_unknown_filter_is_an_unsupported_codec_and_no_damage() {
    let mut file = std::fs::read("tests/data/h5py.h5").unwrap();
    let ids: Vec<_> = (0..file.len() - 14).filter(|&at| file[at..].starts_with(&32026_u16.to_le_bytes())).collect();
    for at in ids {
        file[at..at + 2].copy_from_slice(&32013_u16.to_le_bytes());
    }
    let array = File::open(Arc::new(file)).unwrap().array("/cube").unwrap();
    let error = array.read_bytes(&[0..1, 0..1, 0..1]).unwrap_err();
    assert!(matches!(error.kind(), Error::B2nd(error) if matches!(error.kind(), ErrorKind::NoCodec { .. })), "{error:?}");
    assert_eq!(error.to_string(), "chunk[0]: filter id 32013 is not supported");
}

#[test]
fn a_slice_reads_no_more_than_the_chunks_that_it_touches() {
    let count = Arc::new(AtomicU64::new(0));
    let source = Counted(LocalFile::open("tests/data/h5py.h5".as_ref()).unwrap(), count.clone());
    let array = File::open(Arc::new(source)).unwrap().array("/cube").unwrap();
    let before = count.load(Ordering::Relaxed);
    array.read_bytes(&[0..1, 0..1, 0..1]).unwrap();
    // The chunk has 675 bytes. Its position in the file is already known, because the dataset is open.
    assert_eq!(count.load(Ordering::Relaxed) - before, 675);
    // h5py reads about 7,000 bytes of the file for this element. This crate reads metadata in pieces of 512 bytes, and the header of
    // the first frame for the blockshape.
    assert!(count.load(Ordering::Relaxed) < 11_000, "{count:?}");
}

/// Some codecs, such as zfp, need their parameter for decompression.
#[test]
fn a_dataset_has_the_codec_and_the_parameter_of_its_frames() {
    let with_codec = |change: &dyn Fn(&Header) -> Vec<u8>| {
        let mut file = std::fs::read("tests/data/h5py.h5").unwrap();
        let starts: Vec<_> = (0..file.len() - 10).filter(|&at| file[at..].starts_with(b"\x9e\xa8b2frame\0")).collect();
        assert!(starts.len() >= 12);
        for at in starts {
            let header = Header::from_slice(&file[at..]).unwrap();
            let bytes = change(&header);
            file[at..][..bytes.len()].copy_from_slice(&bytes);
        }
        File::open(Arc::new(file)).unwrap().array("/cube").unwrap().header().clone()
    };
    let of = |header: &Header, code| b2nd::to_vec(&header.clone().with_codec(CodecId::Other(code)).unwrap()).unwrap();
    let header = with_codec(&|header| {
        let header = header.clone().with_codec(CodecId::Other(33)).unwrap().with_codec_meta(5).unwrap();
        b2nd::to_vec(&header).unwrap()
    });
    assert_eq!((header.codec().code(), header.codec_meta()), (33, 5));

    // An unknown codec.
    with_codec(&|header| {
        let mut bytes = of(header, 40);
        let place = bytes.iter().zip(of(header, 41)).position(|(&one, other)| one != other).unwrap();
        bytes[place] = 7;
        bytes
    });
}
