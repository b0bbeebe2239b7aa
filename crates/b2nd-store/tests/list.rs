//! Unusual stores, such as those that the first versions of python-blosc2 with tables wrote.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;

use b2nd_frame::{Chunk, Error, Header, Result, Sizes, Writer};
use b2nd_store::{Bytes, Content, Folder, Kind, LeftOut, Zip, list};

/// An archive with another `embed.b2e`. Its other files are in this folder, whose name is empty or ends with `/`.
struct WithEmbed<'z> {
    zip: &'z Zip,
    folder: &'static str,
    embed: Vec<u8>,
}

impl Folder for WithEmbed<'_> {
    fn contents(&self) -> Result<(Vec<String>, Vec<LeftOut>)> {
        let place = |file: String| if file == "embed.b2e" { file } else { format!("{}{file}", self.folder) };
        Ok((self.zip.files()?.into_iter().map(place).collect(), Vec::new()))
    }

    fn member(&self, file: &str) -> Result<Option<Bytes>> {
        if file == "embed.b2e" {
            return Ok(Some(Arc::new(self.embed.clone())));
        }
        self.zip.member(file.strip_prefix(self.folder).unwrap())
    }
}

struct Empty;

impl Folder for Empty {
    fn contents(&self) -> Result<(Vec<String>, Vec<LeftOut>)> {
        Ok((Vec::new(), Vec::new()))
    }

    fn member(&self, _: &str) -> Result<Option<Bytes>> {
        Ok(None)
    }
}

#[test]
fn an_empty_store_has_no_leaf() {
    let error = b2nd_store::find(&[], &Empty, "x").map(drop).unwrap_err();
    assert_eq!(error.to_string(), "it has no leaf /x: the store has no leaves");
}

/// A frame with one chunk and this metalayer.
fn frame(metalayer: &str) -> Vec<u8> {
    let mut header = Header::new(Sizes { typesize: 1, blocksize: 32, chunksize: 32 }).unwrap();
    header.metalayers_mut().insert(metalayer, *b"\x81\xa7version\x01").unwrap();
    let mut writer = Writer::new(header);
    writer.append(&Chunk::store(&[0; 32], 1).unwrap()).unwrap();
    writer.finish().unwrap()
}

#[test]
fn beside_tables_a_frame_that_does_not_say_what_it_embeds_embeds_nothing() {
    let archive = std::fs::read("../b2nd-arrow/tests/data/empty.b2z").unwrap();
    let zip = Zip::open(archive).unwrap();
    for (folder, metalayer, kind, key) in [
        ("", "b2embed", Kind::CTable, "/"),
        ("a/table/", "b2tree", Kind::TreeStore, "/a/table"),
        ("z/", "b2dict", Kind::DictStore, "/z"),
    ] {
        let store = list(&WithEmbed { zip: &zip, folder, embed: frame(metalayer) }).unwrap();
        assert_eq!(store.kind, Some(kind));
        assert!(matches!(store.leaves.as_slice(), [leaf] if leaf.key == key && matches!(leaf.content, Content::Table(_))));
    }
}

/// python-blosc2 recognizes leaves without the ending of a leaf by their content, and prints a warning.
#[test]
fn leaves_of_a_store_are_found_by_their_content() {
    let directory = std::env::temp_dir().join(format!("b2nd-list-{}.b2d", std::process::id()));
    std::fs::create_dir_all(directory.join("dir.1")).unwrap();
    for (file, content) in [
        ("embed.b2e", frame("b2embed")),
        ("dir.1/node3.weird", frame("plain")),
        ("dir.1/.hidden", frame("plain")),
        ("dir.1/renamed", frame("plain")),
        ("dir.1/array.b2nd", frame("plain")),
        ("notes.txt", b"b2frame, but no frame".to_vec()),
    ] {
        std::fs::write(directory.join(file), content).unwrap();
    }
    let store = b2nd_store::Store::open(&directory).unwrap();
    let keys: Vec<_> = store.list().unwrap().leaves.iter().map(|leaf| leaf.key.clone()).collect();
    std::fs::remove_dir_all(&directory).unwrap();
    assert_eq!(keys, ["/dir.1/.hidden", "/dir.1/array", "/dir.1/node3", "/dir.1/renamed"]);
}

/// A store with a table and two files with these names, which are not opened.
struct Named<'z>(&'z Zip, [&'static str; 2]);

impl Folder for Named<'_> {
    fn contents(&self) -> Result<(Vec<String>, Vec<LeftOut>)> {
        let metadata = ["_meta.b2f"].into_iter().chain(self.1);
        Ok((metadata.map(str::to_owned).collect(), Vec::new()))
    }

    fn member(&self, file: &str) -> Result<Option<Bytes>> {
        self.0.member(file)
    }
}

#[test]
fn a_column_whose_file_has_its_plain_name_is_not_missing() {
    let archive = std::fs::read("../b2nd-arrow/tests/data/names.b2z").unwrap();
    let zip = Zip::open(archive).unwrap();
    let store = list(&Named(&zip, ["_cols/a.b.b2nd", "_cols/100%25.b2nd"])).unwrap();
    let [leaf] = store.leaves.as_slice() else { panic!("{} leaves", store.leaves.len()) };
    let Content::Table(table) = &leaf.content else { panic!("no table") };
    assert_eq!(table.plainly_named, ["a.b"]);
    assert_eq!(table.missing, ["é/ü", r"esc\.dot"]);
}

/// An archive of three files. `NOTES` cannot be opened, and `packed` is compressed.
struct Unreadable(Vec<u8>);

impl Folder for Unreadable {
    fn contents(&self) -> Result<(Vec<String>, Vec<LeftOut>)> {
        Ok((["NOTES", "embed.b2e", "packed"].map(str::to_owned).to_vec(), Vec::new()))
    }

    fn member(&self, file: &str) -> Result<Option<Bytes>> {
        assert_ne!(file, "packed", "it is decompressed for its first bytes");
        if file == "NOTES" { Err(Error::custom("it is encrypted")) } else { Ok(Some(Arc::new(self.0.clone()))) }
    }

    fn is_stored(&self, file: &str) -> bool {
        file != "packed"
    }
}

#[test]
fn a_file_that_cannot_be_opened_is_no_leaf() {
    let store = list(&Unreadable(frame("b2embed"))).unwrap();
    assert!(store.has_embed && store.leaves.is_empty());
}
