//! Formats the list of a frame's chunks for `b2nd info --chunks`.

use b2nd_frame::{ChunkHeader, FrameType, Offsets, Result};
use b2nd_store::chunks::{ChunkRun, Content, rows};
use b2nd_store::{Frame, chunk_file_name, readable};

use crate::text::{columns, thousands};

/// Returns how a chunk stores its data: as a special value, uncompressed, or with a codec.
pub(crate) fn kind(header: &ChunkHeader) -> String {
    match header.special() {
        Some(special) => special.to_string(),
        None if header.is_stored() => "stored".to_owned(),
        None => header.codec().to_string(),
    }
}

/// Returns the lines of the table, and whether the headers of all chunks could be read. The first line contains the column names.
pub(crate) fn table(frame: &Frame, offsets: &Offsets) -> Result<(Vec<String>, bool)> {
    let place = match frame.header().frame_type() {
        FrameType::Contiguous => "offset",
        FrameType::Sparse => "file",
    };
    let mut complete = true;
    let mut cells = vec![["chunk", place, "bytes", "compressed", "kind", "ratio"].map(str::to_owned).to_vec()];
    for ChunkRun { first, last, content } in rows(frame, offsets) {
        let number = if first == last { thousands(first) } else { format!("{} to {}", thousands(first), thousands(last)) };
        cells.push(match content {
            Content::Special(special, length) => {
                vec![number, String::new(), length.map_or_else(String::new, thousands), "0".to_owned(), special.to_string()]
            }
            Content::At(at, header) => {
                let place = if place == "file" { chunk_file_name(at) } else { thousands(at) };
                match readable(header)? {
                    Ok(header) => {
                        let (nbytes, cbytes) = (header.nbytes(), header.cbytes());
                        let ratio = format!("{:.1}", nbytes as f64 / cbytes as f64);
                        vec![number, place, thousands(nbytes), thousands(cbytes), kind(&header), ratio]
                    }
                    Err(error) => {
                        complete = false;
                        vec![number, place, String::new(), String::new(), error.to_string()]
                    }
                }
            }
        });
    }
    Ok((columns(&cells, &[0, 1, 2, 3, 5]), complete))
}
