//! The public types in other serde formats.

use std::fmt::Debug;

use crate::common::{cbor, geometry, layouts};
use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, Geometry, LegacyB2ndMeta};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Checks that the value survives each self-describing format, read from a slice and from a stream.
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
fn array_metadata_survives_every_format() {
    for ndim in 0..=16 {
        let caterva = CatervaMeta { version: 1, geometry: geometry(ndim) };
        let legacy = LegacyB2ndMeta { version: 2, geometry: geometry(ndim), dtype: "uint8".to_owned() };
        let meta = B2ndMeta { version: 3, dtype_format: 4, ..B2ndMeta::new(geometry(ndim), "[('é', '<i4')]") };
        survives(&geometry(ndim));
        survives_postcard(&geometry(ndim));
        survives(&caterva);
        survives_postcard(&caterva);
        survives(&legacy);
        survives_postcard(&legacy);
        survives(&meta);
        survives_postcard(&meta);
        // An `ArrayMeta` of any layout is written like the metadata inside it.
        assert_eq!(cbor(&ArrayMeta::<String>::Caterva(caterva)), cbor(&caterva));
        assert_eq!(cbor(&ArrayMeta::LegacyB2nd(legacy.clone())), cbor(&legacy));
        assert_eq!(cbor(&ArrayMeta::B2nd(meta.clone())), cbor(&meta));
        assert_eq!(cbor(&ArrayMeta::MiscountedB2nd(meta.clone())), cbor(&meta));
    }
}

#[test]
fn rmp_serde_reads_what_is_written_here() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Plain(u8, u8, Vec<i64>, Vec<i32>, Vec<i32>, u8, String);
    for ndim in 0..=15 {
        let [(caterva, five), (legacy, six), _, (b2nd, seven)] = layouts(ndim);
        assert_eq!(ArrayMeta::Caterva(rmp_serde::from_slice(&five).unwrap()), caterva);
        assert_eq!(ArrayMeta::LegacyB2nd(rmp_serde::from_slice(&six).unwrap()), legacy);
        assert_eq!(ArrayMeta::B2nd(rmp_serde::from_slice(&seven).unwrap()), b2nd);
        let plain: Plain = rmp_serde::from_slice(&seven).unwrap();
        assert_eq!((plain.1, plain.2.as_slice()), (ndim, geometry(ndim).shape()));
    }
    let value = serde_json::json!({"a": [1, -1, 0.5, null, true, "x"], "b": {"c": []}});
    assert_eq!(rmp_serde::from_slice::<serde_json::Value>(&b2nd::to_vec(&value).unwrap()).unwrap(), value);
}

#[test]
fn sixteen_dimensions_are_msgpack_for_nobody_else() {
    let [.., (_, bytes)] = layouts(16);
    assert!(rmp_serde::from_slice::<B2ndMeta>(&bytes).is_err());
}

#[test]
fn what_rmp_serde_writes_is_too_short_here() {
    let packed = rmp_serde::to_vec(&B2ndMeta::new(Geometry::new(&[400], &[110], &[57]).unwrap(), "|u1")).unwrap();
    crate::common::refused::<B2ndMeta>(&packed, "shape[0]: expected int64 (d3), found uint16 (cd) at byte 4");
}

#[test]
fn what_is_longer_than_a_buffer_survives_every_format() {
    let names: Vec<String> = (0..500).map(|number| format!("('field {number}', '<i4')")).collect();
    let dtype = format!("[{}]", names.join(", "));
    assert!(dtype.len() > 8192);
    let meta = B2ndMeta::new(geometry(2), dtype.as_str());
    survives(&meta);
    survives_postcard(&meta);
    survives(&LegacyB2ndMeta { version: 0, geometry: geometry(2), dtype: dtype.clone() });
    survives(&dtype.parse::<b2nd::dtype::DType>().unwrap());
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
    survives_ron(&geometry(3));
    survives_ron(&B2ndMeta::new(geometry(3), "|u1"));
    survives_ron(&LegacyB2ndMeta { version: 0, geometry: geometry(1), dtype: "uint8".to_owned() });
    let meta = B2ndMeta::new(geometry(3), "|u1");
    let yaml = serde_yaml_ng::to_string(&ArrayMeta::B2nd(meta.clone())).unwrap();
    assert_eq!(serde_yaml_ng::from_str::<B2ndMeta>(&yaml).unwrap(), meta, "{yaml}");
}
