//! Writes a message that contains an array's metalayer in five formats. This crate's format keeps the bytes of the metalayer. Other binary
//! formats keep them if the field is a byte string.
//!
//! ```text
//! cargo run --example interop
//! ```

use std::error::Error;
use std::fmt::Debug;

use b2nd::{B2ndMeta, Geometry};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A message in which the array is a struct. Other formats write its fields in their own way.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Plain {
    id: u16,
    array: B2ndMeta,
}

/// A message in which the array is the bytes of its metalayer. Binary formats keep them as a byte string.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Embedded {
    id: u16,
    #[serde(with = "serde_bytes")]
    array: Vec<u8>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let array = B2ndMeta::of::<u8>(Geometry::new(&[400, 3], &[110, 3], &[57, 3])?);
    let bytes = b2nd::to_vec(&array)?;
    println!("The metalayer has {} bytes. The length of a message with it, and its bytes in the message:", bytes.len());
    println!("{:24}{:28}as bytes", "", "as fields");
    let plain = through_all(&Plain { id: 7, array: array.clone() }, &bytes)?;
    let embedded = through_all(&Embedded { id: 7, array: bytes.clone() }, &bytes)?;
    for ((format, plain), (_, embedded)) in plain.iter().zip(&embedded) {
        println!("{format:24}{plain:28}{embedded}");
    }

    // A frame needs the bytes that b2nd writes: the metalayer that rmp-serde writes is not valid.
    let packed = rmp_serde::to_vec(&array)?;
    println!("\nrmp-serde writes it in {} bytes. Read as a metalayer:", packed.len());
    if let Err(error) = b2nd::from_slice::<B2ndMeta>(&packed) {
        println!("    {error}");
    }
    Ok(())
}

/// Writes and reads a value in each format, and describes what was written. Every format keeps the value, but not every one the bytes of the
/// metalayer.
fn through_all<T>(value: &T, metalayer: &[u8]) -> Result<Vec<(&'static str, String)>, Box<dyn Error>>
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let json = serde_json::to_vec(value)?;
    assert_eq!(&serde_json::from_slice::<T>(&json)?, value);
    let mut cbor = Vec::new();
    ciborium::into_writer(value, &mut cbor)?;
    assert_eq!(&ciborium::from_reader::<T, _>(cbor.as_slice())?, value);
    let binary = postcard::to_stdvec(value)?;
    assert_eq!(&postcard::from_bytes::<T>(&binary)?, value);
    let packed = rmp_serde::to_vec(value)?;
    assert_eq!(&rmp_serde::from_slice::<T>(&packed)?, value);
    let own = b2nd::to_vec(value)?;
    assert_eq!(&b2nd::from_slice::<T>(&own)?, value);

    let all = [("JSON", json), ("CBOR", cbor), ("postcard", binary), ("rmp-serde", packed), ("this crate", own)];
    let describe = |bytes: Vec<u8>| {
        let kept = bytes.windows(metalayer.len()).any(|window| window == metalayer);
        format!("{:3} bytes, {}", bytes.len(), if kept { "byte for byte" } else { "re-encoded" })
    };
    Ok(all.map(|(format, bytes)| (format, describe(bytes))).into())
}
