//! The released layout of an array metalayer, defined in another crate with the modules that `b2nd` provides.

use b2nd::with::{dims, fixint};
use b2nd::{B2ndMeta, Dims, Geometry};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Released {
    #[serde(with = "fixint")]
    version: u8,
    ndim: u8,
    #[serde(with = "dims")]
    shape: Dims<i64>,
    #[serde(with = "dims")]
    chunkshape: Vec<i32>,
    #[serde(with = "dims")]
    blockshape: Vec<i32>,
    #[serde(with = "fixint")]
    dtype_format: u8,
    dtype: String,
}

#[test]
fn a_struct_of_this_crate_has_the_bytes_of_b2nd() {
    for ndim in 0..=16_u8 {
        let shape: Vec<i64> = (0..ndim).map(|axis| (1 << 40) + i64::from(axis)).collect();
        let chunkshape: Vec<i32> = (0..ndim).map(|axis| 100 + i32::from(axis)).collect();
        let geometry = Geometry::new(&shape, &chunkshape, &chunkshape).unwrap();
        for length in 0..400 {
            let dtype = format!("|V{}", "9".repeat(length));
            let bytes = b2nd::to_vec(&B2ndMeta::new(geometry, dtype.as_str())).unwrap();
            let ours: Released = b2nd::from_slice(&bytes).unwrap();
            assert_eq!((ours.ndim, &*ours.shape, &ours.dtype), (ndim, &shape[..], &dtype));
            assert_eq!(b2nd::to_vec(&ours).unwrap(), bytes, "{ndim} dimensions, {dtype}");
        }
    }
}
