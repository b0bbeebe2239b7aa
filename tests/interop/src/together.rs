//! Edits a frame for a while, at the same time as other processes.

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use b2nd::msgpack::to_vec;
use b2nd_frame::File;
use serde_json::{Value, json};

/// Changes a vlmetalayer and a metalayer of this process, with contents that follow from increasing numbers. Sometimes also changes the
/// metalayer `wide` of several sectors or, by a rewrite, the length of the metalayer `longer`. The response has the last number, and the
/// number of edits of the first two.
pub fn together(path: &Path, number: u8, first: u64, duration: Duration) -> Result<Value, Box<dyn Error>> {
    let (start, mut value, mut edits) = (Instant::now(), first, 0u64);
    while start.elapsed() < duration {
        value += 1;
        let content = vec![(value % 251) as u8; (value % 700) as usize];
        let metalayer = to_vec(&format!("{value:09}"))?;
        let mut editor = File::edit(path)?;
        editor.set_vlmetalayer_bytes(&format!("rust {number}"), &content)?;
        if value % 2 == 0 {
            // Another process may edit the frame in between.
            drop(editor);
            editor = File::edit(path)?;
        }
        match value % 5 {
            0 => editor.rewrite(|metalayers| {
                metalayers.insert(&format!("m{number}"), metalayer.as_slice())?;
                metalayers.insert("longer", vec![7; content.len()])?;
                Ok(())
            })?,
            1 => {
                editor.overwrite_metalayer_bytes("wide", &to_vec(&format!("{value:02000}"))?)?;
                editor.overwrite_metalayer_bytes(&format!("m{number}"), &metalayer)?;
            }
            _ => editor.overwrite_metalayer_bytes(&format!("m{number}"), &metalayer)?,
        }
        edits += 2;
    }
    Ok(json!({ "value": value, "edits": edits }))
}
