//! Array metalayers: each type writes back what it accepts, and `ArrayMeta` accepts a layout if and only if the layout's own type
//! does.
#![no_main]

use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, Geometry, LegacyB2ndMeta};
use b2nd_fuzz::{explains, reencodes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let caterva = reencodes::<CatervaMeta>(input);
    let legacy = reencodes::<LegacyB2ndMeta>(input);
    let b2nd = reencodes::<B2ndMeta>(input);
    assert_eq!(b2nd, reencodes::<B2ndMeta<&str>>(input).map(B2ndMeta::into_owned));
    let array = match ArrayMeta::from_metalayer(input) {
        Ok((array, [])) => {
            assert_eq!(array.to_metalayer().expect("decoded metadata can be encoded"), input);
            Some(array.into_owned())
        }
        Ok(_) => None,
        Err(error) => {
            explains(error, input);
            None
        }
    };
    match &array {
        Some(ArrayMeta::B2nd(meta)) => assert_eq!(Some(meta), b2nd.as_ref()),
        Some(ArrayMeta::LegacyB2nd(meta)) => assert_eq!(Some(meta), legacy.as_ref()),
        Some(ArrayMeta::Caterva(meta)) => assert_eq!(Some(*meta), caterva),
        Some(_) => assert!(b2nd.is_none() && legacy.is_none() && caterva.is_none()),
        None => assert!(b2nd.is_none() && legacy.is_none() && caterva.is_none()),
    }
    if let Some(geometry) = array.as_ref().map(|array| *array.geometry()).or_else(|| reencodes::<Geometry>(input)) {
        consistent(&geometry);
    }
    if let Some(array) = array {
        let released = array.clone().upgrade(Some("|u1")).expect("every layout can be upgraded with a dtype");
        let bytes = b2nd::to_vec(&released).expect("decoded metadata can be encoded");
        assert_eq!(reencodes::<B2ndMeta>(&bytes), Some(released));
    }
});

/// Checks that the grid, if there is one, has the numbers that follow from the geometry, also for the first and last element.
fn consistent(geometry: &Geometry) {
    let same = Geometry::new(geometry.shape(), geometry.chunkshape(), geometry.blockshape());
    assert_eq!(same.expect("a decoded geometry is valid"), *geometry);
    let Ok(grid) = geometry.grid() else { return };
    assert!((0..=grid.extnitems()).contains(&grid.nitems()));
    assert!((0..=grid.extchunknitems()).contains(&grid.chunknitems()));
    let last: Vec<i64> = geometry.shape().iter().map(|length| length - 1).collect();
    if grid.nitems() == 0 {
        assert_eq!(grid.chunk_index(&last), None);
        return;
    }
    assert_eq!(grid.chunk_index(&last), Some(grid.nchunks() - 1));
    assert!(grid.item_index(&last).is_some_and(|item| (0..grid.extchunknitems()).contains(&item)));
    assert_eq!(grid.item_index(&vec![0; last.len()]), Some(0));
    assert_eq!(grid.chunk_index(geometry.shape()), if last.is_empty() { Some(0) } else { None });
}
