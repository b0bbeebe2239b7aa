//! Everything that a reader can see of a frame, for comparisons.

use std::path::Path;

use b2nd_frame::{File, Header, Offset, Trailer};

/// The contents of a frame as read from its file.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    pub header: Header,
    pub trailer: Trailer,
    /// The values of the vlmetalayers; `None` if a value cannot be read, for example because it needs a codec.
    pub values: Vec<Option<Vec<u8>>>,
    pub offsets: Vec<Offset>,
    pub chunks: Vec<Vec<u8>>,
}

impl State {
    /// Reads everything.
    pub fn read(path: &Path) -> b2nd_frame::Result<State> {
        State::of(&File::open(path)?)
    }

    pub fn of(file: &File) -> b2nd_frame::Result<State> {
        let trailer = file.trailer()?.clone();
        let values = trailer.vlmetalayers().raw_chunks().iter().map(|(name, _)| {
            let name = core::str::from_utf8(name).ok()?;
            trailer.vlmetalayers().value(name).ok()?.map(|value| value.into_owned())
        });
        let offsets: Vec<Offset> = file.offsets()?.iter().collect();
        let chunks =
            (0..offsets.len() as u64).map(|number| Ok(file.chunk(number)?.into_bytes())).collect::<b2nd_frame::Result<_>>()?;
        Ok(State { header: file.header().clone(), values: values.collect(), trailer, offsets, chunks })
    }
}
