//! The chunks of a frame, as its index and their own headers have them.

use b2nd::frame::{ChunkHeader, File, FrameType, Offset, Offsets, Special};

use super::text::{columns, thousands};

/// A chunk, or several in a row that the index says the same of.
pub(crate) struct Row {
    pub(crate) first: u64,
    pub(crate) last: u64,
    pub(crate) content: Content,
}

pub(crate) enum Content {
    /// No bytes: the index says what all elements are. The length of the data, where the header says one.
    Special(Special, Option<usize>),
    /// Where it starts after the header, or in a sparse frame the number of its file.
    At(u64, b2nd::Result<ChunkHeader>),
}

/// The rows of all chunks, in order. Reading a chunk checks its header against its place.
pub(crate) fn rows(file: &File, offsets: &Offsets) -> impl Iterator<Item = Row> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let first = next;
        let (last, content) = match offsets.get(first)? {
            Offset::Special(special) => {
                let same = |chunk: &u64| offsets.get(*chunk) == Some(Offset::Special(special));
                let (length, mut last) = (special_length(file, first), (first..).take_while(same).last()?);
                if last != first && special_length(file, last) != length {
                    // The last chunk of all may be shorter.
                    last -= 1;
                }
                (last, Content::Special(special, length))
            }
            Offset::At(at) => (first, Content::At(at, file.chunk(first).map(|chunk| *chunk.header()))),
            _ => return None,
        };
        next = last + 1;
        Some(Row { first, last, content })
    })
}

fn special_length(file: &File, chunk: u64) -> Option<usize> {
    Some(file.chunk(chunk).ok()?.header().nbytes())
}

/// How a chunk holds its data, in a word.
pub(crate) fn kind(header: &ChunkHeader) -> String {
    match header.special() {
        Some(special) => special.to_string(),
        None if header.is_stored() => "stored".to_owned(),
        None => header.codec().to_string(),
    }
}

/// The name of the file of a sparse frame's chunk.
pub(crate) fn file_name(number: u64) -> String {
    format!("{number:08X}.chunk")
}

/// The rows as a table with a line of names, and whether all chunks could be read.
pub(crate) fn table(file: &File, offsets: &Offsets) -> (Vec<String>, bool) {
    let place = match file.header().frame_type() {
        FrameType::Contiguous => "offset",
        FrameType::Sparse => "file",
    };
    let mut complete = true;
    let mut cells = vec![["chunk", place, "bytes", "compressed", "kind", "ratio"].map(str::to_owned).to_vec()];
    for Row { first, last, content } in rows(file, offsets) {
        let number = if first == last { thousands(first) } else { format!("{} to {}", thousands(first), thousands(last)) };
        cells.push(match content {
            Content::Special(special, length) => {
                vec![number, String::new(), length.map_or_else(String::new, thousands), "0".to_owned(), special.to_string()]
            }
            Content::At(at, header) => {
                let place = if place == "file" { file_name(at) } else { thousands(at) };
                match header {
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
    (columns(&cells, &[0, 1, 2, 3, 5]), complete)
}
