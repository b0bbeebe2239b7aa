//! Messages: both formats contain the unchanged bytes of the metalayer.

use b2nd::{B2ndMeta, Geometry};
use tile_catalogue::{Entry, GeoTransform};

fn entry() -> Entry {
    Entry {
        id: "T32TMT/2023-11-14".into(),
        array: B2ndMeta::of::<u16>(Geometry::new(&[2, 10_980, 10_980], &[1, 1_098, 1_098], &[1, 128, 128]).unwrap()),
        geo: GeoTransform { origin: [600_000.0, 5_300_040.0], pixel: [10.0, -10.0], crs: "EPSG:32632".into() },
    }
}

fn holds(message: &[u8], entry: &Entry) -> bool {
    let metalayer = b2nd::to_vec(&entry.array).unwrap();
    message.windows(metalayer.len()).any(|window| window == metalayer)
}

#[test]
fn cbor_holds_the_metalayer() {
    let message = entry().to_cbor().unwrap();
    assert!(holds(&message, &entry()));
    assert_eq!(Entry::from_cbor(&message).unwrap(), entry());
}

#[cfg(feature = "std")]
#[test]
fn msgpack_holds_the_metalayer() {
    let message = entry().to_msgpack().unwrap();
    assert!(holds(&message, &entry()));
    assert_eq!(Entry::from_msgpack(&message).unwrap(), entry());
}

/// The message with the marker of the shape's first int64 replaced by that of an int32.
fn damaged(mut message: Vec<u8>) -> Vec<u8> {
    let shape = message.windows(4).position(|window| window == [0x97, 0, 3, 0x93]).unwrap() + 4;
    message[shape] = 0xd2;
    message
}

const DAMAGE: &str = "shape[0]: expected int64 (d3), found int32 (d2) at byte 4";

#[test]
fn cbor_tells_what_is_damaged_in_the_metalayer() {
    let error = Entry::from_cbor(&damaged(entry().to_cbor().unwrap())).unwrap_err().to_string();
    assert!(error.starts_with("CBOR message: ") && error.contains(DAMAGE), "{error}");
}

#[cfg(feature = "std")]
#[test]
fn msgpack_tells_what_is_damaged_in_the_metalayer() {
    let error = Entry::from_msgpack(&damaged(entry().to_msgpack().unwrap())).unwrap_err();
    assert_eq!(error.to_string(), format!("MessagePack message: {DAMAGE}"));
}
