//! The recipes. They create every case byte by byte, without the writer of any implementation.

mod bytes;
mod chunk;
mod chunks;
mod dtype;
mod found;
mod frame;
mod frames;
mod gate;
mod grid;
mod header;
mod headers;
mod index;
mod meta;
mod metalayers;
mod pack;
mod sparse;
mod store;
mod stream;
mod table;
mod trailer;
mod zip;

use crate::case::{Content, Layer, Made, Verdict};
use crate::fact::Fact;

/// The cases that have been created so far.
#[derive(Default)]
pub(crate) struct Suite(Vec<Made>);

impl Suite {
    fn add(&mut self, layer: Layer, name: impl Into<String>, what: impl Into<String>, content: Content, verdict: Verdict) {
        let encode = matches!((layer, &verdict), (Layer::Metalayer | Layer::Header | Layer::Trailer, Verdict::Accept(_)));
        self.0.push(Made { layer, name: name.into(), what: what.into(), content, verdict, encode });
    }

    /// Adds a valid file with its facts.
    pub(crate) fn accept(&mut self, layer: Layer, name: impl Into<String>, what: impl Into<String>, bytes: Vec<u8>, says: Fact) {
        self.add(layer, name, what, Content::File("", bytes), Verdict::Accept(says));
    }

    /// Adds a file that is not valid.
    pub(crate) fn reject(&mut self, layer: Layer, name: impl Into<String>, what: impl Into<String>, bytes: Vec<u8>) {
        self.add(layer, name, what, Content::File("", bytes), Verdict::Reject);
    }
}

/// Returns all cases, sorted by layer and name.
pub fn all() -> Vec<Made> {
    let mut suite = Suite::default();
    metalayers::add(&mut suite);
    headers::add(&mut suite);
    trailer::add(&mut suite);
    index::add(&mut suite);
    chunks::add(&mut suite);
    frames::add(&mut suite);
    found::add(&mut suite);
    gate::add(&mut suite);
    sparse::add(&mut suite);
    dtype::add(&mut suite);
    grid::add(&mut suite);
    store::add(&mut suite);
    table::add(&mut suite);
    suite.0.sort_by(|one, other| (one.layer, &one.name).cmp(&(other.layer, &other.name)));
    suite.0
}
