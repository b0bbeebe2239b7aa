//! A user's struct in the format of Blosc2's metadata: its bytes, and the value that is read back.
//!
//! ```text
//! cargo run --example derive
//! ```

use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct GeoTransform {
    #[serde(with = "b2nd::with::fixint")]
    version: u8,
    origin: [f64; 2],
    rows: i32,
    name: String,
}

fn main() -> Result<(), b2nd::Error> {
    let value = GeoTransform { version: 1, origin: [0.5, -2.0], rows: 3, name: "utm".into() };
    let bytes = b2nd::to_vec(&value)?;
    println!("{bytes:02x?}\n");
    print!("{}", b2nd::layout(&value)?); // offset, length, marker and name of each entry
    assert_eq!(b2nd::from_slice::<GeoTransform>(&bytes)?, value);
    Ok(())
}
