//! Layouts of array metalayers, compared with the specifications of Blosc2.

use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, Geometry, Layout, LegacyB2ndMeta, layout};

use crate::layout::lines;

fn geometry() -> Geometry {
    Geometry::new(&[400, 3], &[110, 3], &[57, 3]).unwrap()
}

fn caterva() -> CatervaMeta {
    CatervaMeta { version: 0, geometry: geometry() }
}

fn legacy() -> LegacyB2ndMeta<&'static str> {
    LegacyB2ndMeta { version: 0, geometry: geometry(), dtype: "u1" }
}

fn b2nd() -> B2ndMeta {
    B2ndMeta::new(geometry(), "|u1")
}

/// The entries in the order of the specifications, which draw them as `|-0-|-1-|` and so on.
const ENTRIES: [&str; 14] = [
    "version @1 00 1",
    "ndim @2 02 1",
    "shape @3 92 19",
    "shape[0] @4 d3 9",
    "shape[1] @13 d3 9",
    "chunkshape @22 92 11",
    "chunkshape[0] @23 d2 5",
    "chunkshape[1] @28 d2 5",
    "blockshape @33 92 11",
    "blockshape[0] @34 d2 5",
    "blockshape[1] @39 d2 5",
    "dtype_format @44 00 1",
    "dtype @45 db 8",
    "dtype @44 db 7",
];

#[test]
fn the_array_metalayers_are_laid_out_as_specified() {
    let of = |layout: Layout| lines(&layout);
    assert_eq!(of(layout(&caterva()).unwrap()), [&[" @0 95 44"], &ENTRIES[..11]].concat());
    assert_eq!(of(layout(&legacy()).unwrap()), [&[" @0 96 51"], &ENTRIES[..11], &ENTRIES[13..]].concat());
    let seven = [&[" @0 97 53"], &ENTRIES[..13]].concat();
    assert_eq!(of(layout(&b2nd()).unwrap()), seven);
    assert_eq!(of(layout(&ArrayMeta::B2nd(b2nd())).unwrap()), seven);
    assert_eq!(of(layout(&ArrayMeta::MiscountedB2nd(b2nd())).unwrap()), seven);
    let paths: Vec<String> = layout(&geometry()).unwrap().entries().iter().map(|entry| entry.path().to_owned()).collect();
    assert_eq!(paths[1..4], ["ndim", "shape", "shape[0]"]);
}

#[test]
fn the_list_of_16_dimensions_has_a_marker_of_its_own() {
    let most = Geometry::new(&[2; 16], &[2; 16], &[1; 16]).unwrap();
    let layout = layout(&B2ndMeta::new(most, "|b1")).unwrap();
    assert_eq!(layout.entries().len(), 1 + 7 + 48);
    let lists = layout.entries().iter().filter(|entry| entry.path().ends_with("shape"));
    assert!(lists.map(b2nd::Entry::marker).eq([0xa0; 3]));
}
