//! C-Blosc2 reads arrays of Caterva and of early b2nd after they are upgraded to the released layout.

mod common;

use std::path::Path;

use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, Geometry, LegacyB2ndMeta, Metalayer};
use b2nd_c_blosc2::Array;
use b2nd_frame::{Chunk, File, Writer, rewrite_to};
use common::{assert_agree, bytes, geometry_of, header, meta, to_chunks};
use fastrand::Rng;
use tempfile::TempDir;

/// Writes the frame of `source` to `target`, with its array's metadata in the released layout.
fn upgrade(source: &Path, target: &Path, dtype: &str) {
    let array = File::open(source).unwrap().header().array().unwrap().unwrap().into_owned();
    rewrite_to(source, target, |metalayers| {
        metalayers.remove(CatervaMeta::NAME);
        metalayers.set(&array.upgrade(Some(dtype))?)
    })
    .unwrap();
}

#[test]
fn files_of_caterva() {
    let dir = TempDir::new().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data");
    for (number, name) in [
        "iarray-community-0.0.4/iarray__np_int8.iarr",
        "python-caterva-0.5.0/ndim__asarray_0.caterva",
        "python-caterva-0.5.2/written__slice.caterva",
        "python-caterva-0.5.3/itemsize__str128.caterva",
        "python-caterva-0.6.0/parts__1.caterva",
        "python-caterva-0.7.0/meta__sframe.catsd",
        "python-caterva-0.7.3/cparams__ZSTD_9.caterva",
        "python-caterva-0.7.3/meta__b2nd.caterva",
        "python-caterva-0.7.3/ndim__sframe_8.catsd",
        "python-caterva-0.7.3/resize__mixed.caterva",
    ]
    .into_iter()
    .enumerate()
    {
        let source = data.join(name);
        // C-Blosc2 takes a user's metalayer called "b2nd" for the array's metadata, and does not look at Caterva's metalayer.
        let values = if name.contains("meta__b2nd") { None } else { Some(assert_agree(&source).unwrap()) };
        let geometry = geometry_of(&source);
        let target = dir.path().join(number.to_string());
        let dtype = format!("|V{}", File::open(&source).unwrap().header().typesize());
        upgrade(&source, &target, &dtype);
        let upgraded = assert_agree(&target).unwrap();
        assert!(values.is_none_or(|values| values == upgraded), "{name}");
        assert_eq!(Array::open(&target).unwrap().meta(), meta(&geometry, &dtype), "{name}");
    }
}

#[test]
fn layouts_of_early_b2nd() {
    let dir = TempDir::new().unwrap();
    let mut rng = Rng::with_seed(6);
    let geometry = Geometry::new(&[9, 5], &[4, 4], &[2, 3]).unwrap();
    let values = bytes(&mut rng, 9 * 5 * 4);
    let modern = B2ndMeta::new(geometry, "<i4");
    let legacy = LegacyB2ndMeta { version: 0, geometry, dtype: "int32".to_owned() };
    let early: [ArrayMeta; 3] = [
        ArrayMeta::MiscountedB2nd(modern),
        ArrayMeta::LegacyB2nd(legacy),
        ArrayMeta::Caterva(CatervaMeta { version: 0, geometry }),
    ];
    for (number, early) in early.into_iter().enumerate() {
        let mut header = header(&geometry, 4, "");
        header.metalayers_mut().insert("b2nd", b2nd::to_vec(&early).unwrap()).unwrap();
        let source = dir.path().join(number.to_string());
        let mut writer = Writer::create(&source, header).unwrap();
        for chunk in to_chunks(&geometry, 4, &values) {
            writer.append(&Chunk::store(&chunk, 4).unwrap()).unwrap();
        }
        writer.finish().unwrap();
        upgrade(&source, &source, "<i4");
        assert!(assert_agree(&source).unwrap() == values, "{early:?}");
        assert_eq!(Array::open(&source).unwrap().meta(), meta(&geometry, "<i4"));
    }
}
