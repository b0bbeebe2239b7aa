//! Converts a header to JSON, edits the JSON, and converts it back to bytes. Only the intended bytes change.
//!
//! ```text
//! cargo run -p b2nd-frame --example json
//! ```

use b2nd::B2ndMeta;
use b2nd_frame::{File, Header};
use serde_json::Value;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let header = File::open("tests/data/example.b2nd")?.header().clone();
    let before = b2nd::to_vec(&header)?;

    // The fields of the header, with the metalayers as names and bytes.
    let mut json = serde_json::to_value(&header)?;
    for (field, value) in json.as_object().into_iter().flatten() {
        let text = value.to_string();
        println!("{field:22} {text:.80}{}", if text.len() > 80 { "…" } else { "" });
    }
    assert_eq!(b2nd::to_vec(&serde_json::from_value::<Header>(json.clone())?)?, before);

    // The header contains the number of threads that wrote the file, so two machines can write different files for equal arrays. Here it
    // is set to a fixed value.
    json["compression_threads"] = 4.into();
    let mut header: Header = serde_json::from_value(json)?;
    println!("\nwith 4 threads, {}", changes(&before, &b2nd::to_vec(&header)?));

    // The metadata of the array, as named fields.
    let mut array: Value = serde_json::to_value(header.array()?)?;
    println!("\n{array}");
    array["shape"][0] = 12.into();
    let meta: B2ndMeta = serde_json::from_value(array.clone())?;
    let before = b2nd::to_vec(&header)?;
    header.metalayers_mut().set(&meta)?;
    println!("\nwith 12 rows, {}", changes(&before, &b2nd::to_vec(&header)?));

    // JSON is checked too: a geometry that is not possible is an error.
    array["chunkshape"][1] = 0.into();
    if let Err(error) = serde_json::from_value::<B2ndMeta>(array) {
        println!("\nrefused: {error}");
    }
    Ok(())
}

/// The differences between two headers of the same length.
fn changes(before: &[u8], after: &[u8]) -> String {
    assert_eq!(before.len(), after.len());
    let changed = (0..before.len()).filter(|&at| before[at] != after[at]);
    Vec::from_iter(changed.map(|at| format!("byte {at:#x} is {:02x}, was {:02x}", after[at], before[at]))).join("; ")
}
