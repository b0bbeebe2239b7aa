//! Stores as the first versions of python-blosc2 wrote them.
#![allow(clippy::unwrap_used)]

use b2nd::Result;
use b2nd::frame::{Chunk, Header, Sizes, Writer};
use b2nd_codec::Codec;
use b2nd_store::{Content, Folder, Kind, Source, Zip, list};

/// An archive whose `embed.b2e` is another frame.
struct WithEmbed<'z>(&'z Zip<'z>, Vec<u8>);

impl Folder for WithEmbed<'_> {
    fn files(&self) -> Result<Vec<String>> {
        self.0.files()
    }

    fn open(&self, file: &str) -> Result<Box<dyn Source + '_>> {
        if file == "embed.b2e" { Ok(Box::new(&self.1)) } else { self.0.open(file) }
    }
}

#[test]
fn beside_a_table_a_frame_that_does_not_say_what_it_embeds_embeds_nothing() {
    let archive = std::fs::read("../b2nd-arrow/tests/data/empty.b2z").unwrap();
    let zip = Zip::open(&archive).unwrap();
    let mut writer = Writer::new(Header::new(Sizes { typesize: 1, blocksize: 32, chunksize: 32 }).unwrap());
    writer.append(&Chunk::store(&[0; 32], 1).unwrap()).unwrap();
    let old = WithEmbed(&zip, writer.finish().unwrap());
    let store = list(&old, &mut Codec::default()).unwrap();
    assert_eq!(store.kind, Some(Kind::CTable));
    assert!(matches!(store.leaves.as_slice(), [leaf] if matches!(leaf.content, Content::Table(_))));
}
