//! Reads and writes values that python-blosc2 packed, in each way that `b2nd` has for a `Value`.

use std::error::Error;
use std::path::Path;

use b2nd::{Value, msgpack};
use b2nd_frame::File;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::hex::{self, Hex};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A struct of the format that contains a value in generic MessagePack.
#[derive(Serialize, Deserialize)]
struct Named(u8, #[serde(with = "b2nd::with::named")] Value);

/// Returns the bytes of a value after reading and writing it in each way.
pub fn ways(content: &[u8]) -> Result<serde_json::Value> {
    let named = [&[0x92, 7], content].concat();
    let named = b2nd::to_vec(&b2nd::from_slice::<Named>(&named)?)?;
    let wrong = || format!("expected 92 07 before the value, found {}", hex::of(&named));
    Ok(json!({
        "Value::to_vec": hex::of(&Value::from_slice(content)?.to_vec()?),
        "to_vec": hex::of(&b2nd::to_vec(&b2nd::from_slice::<Value>(content)?)?),
        "msgpack::to_vec": hex::of(&msgpack::to_vec(&msgpack::from_slice::<Value>(content)?)?),
        "with::named": hex::of(named.strip_prefix(&[0x92, 7]).ok_or_else(wrong)?),
    }))
}

pub fn all_ways(contents: &[Hex]) -> Result<serde_json::Value> {
    contents.iter().map(|Hex(content)| ways(content)).collect()
}

/// Copies the value of a vlmetalayer to a new name.
pub fn copy(path: &Path, from: &str, to: &str) -> Result<serde_json::Value> {
    let value: Value =
        File::open(path)?.trailer()?.vlmetalayers().get(from)?.ok_or_else(|| format!("no vlmetalayer {from:?} to copy"))?;
    File::edit(path)?.set_vlmetalayer(to, &value)?;
    Ok(serde_json::Value::Null)
}
