//! The table of a frame's chunks, which `b2nd chunks` prints, and its rows, as the index and the chunks' own headers have them.

use b2nd::Result;
use b2nd::frame::{ChunkHeader, FrameType, Header, Offset, Offsets, Special};

use crate::text::{columns, thousands};
pub(crate) use b2nd_store::chunk_file_name as file_name;
use b2nd_store::{Frame, readable};

/// A chunk, or several in a row that the index says the same of.
pub struct Row {
    /// The number of the first of them.
    pub first: u64,
    /// The number of the last of them.
    pub last: u64,
    /// Its place, and what its header says.
    pub content: Content,
}

/// A chunk, as far as it is known.
pub enum Content {
    /// No bytes: the index says what all elements are. The length of the data, where the header says one.
    Special(Special, Option<u64>),
    /// The byte at which it starts after the header, or in a sparse frame the number of its file.
    At(u64, Result<ChunkHeader>),
}

/// The rows of all chunks, in order. The header of each chunk is read and compared with its place and the frame's header.
pub fn rows(frame: &Frame, offsets: &Offsets) -> impl Iterator<Item = Row> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let first = next;
        let (last, content) = match offsets.get(first)? {
            Offset::Special(special) => {
                let same = |chunk: &u64| offsets.get(*chunk) == Some(Offset::Special(special));
                let (length, mut last) = (nbytes(frame.header(), first), (first..).take_while(same).last()?);
                if last != first && nbytes(frame.header(), last) != length {
                    // The last chunk of all may be shorter.
                    last -= 1;
                }
                (last, Content::Special(special, length))
            }
            Offset::At(at) => (first, Content::At(at, frame.chunk_header(first))),
            _ => return None,
        };
        next = last + 1;
        Some(Row { first, last, content })
    })
}

/// The number of bytes of data that a chunk holds, as the frame's header says.
fn nbytes(header: &Header, chunk: u64) -> Option<u64> {
    let (all, chunksize) = (u64::try_from(header.nbytes()).ok()?, u64::try_from(header.chunksize()).ok()?);
    if header.has_variable_chunks() || chunksize == 0 {
        return None;
    }
    Some(all.checked_sub(chunk.checked_mul(chunksize)?)?.min(chunksize))
}

/// One word for how a chunk holds its data.
pub(crate) fn kind(header: &ChunkHeader) -> String {
    match header.special() {
        Some(special) => special.to_string(),
        None if header.is_stored() => "stored".to_owned(),
        None => header.codec().to_string(),
    }
}

/// The rows as a table with a line of names, and whether all chunks could be read.
pub(crate) fn table(frame: &Frame, offsets: &Offsets) -> Result<(Vec<String>, bool)> {
    let place = match frame.header().frame_type() {
        FrameType::Contiguous => "offset",
        FrameType::Sparse => "file",
    };
    let mut complete = true;
    let mut cells = vec![["chunk", place, "bytes", "compressed", "kind", "ratio"].map(str::to_owned).to_vec()];
    for Row { first, last, content } in rows(frame, offsets) {
        let number = if first == last { thousands(first) } else { format!("{} to {}", thousands(first), thousands(last)) };
        cells.push(match content {
            Content::Special(special, length) => {
                vec![number, String::new(), length.map_or_else(String::new, thousands), "0".to_owned(), special.to_string()]
            }
            Content::At(at, header) => {
                let place = if place == "file" { file_name(at) } else { thousands(at) };
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
