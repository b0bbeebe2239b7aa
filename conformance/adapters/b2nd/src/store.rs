//! Stores. All access to them is in this file and its child.

use std::fs;
use std::path::Path;

use b2nd_conformance::Fact;
use b2nd_ndarray::Array;
use b2nd_store::{Content, Directory, Folder, Frame, Kind, Source, StoreListing, Zip, embedded, list};

use crate::frame::array_facts;
use crate::{Result, refuse};

/// Opens a directory or an archive, and asks about it.
pub(crate) fn with_folder<T>(path: &Path, ask: impl FnOnce(&dyn Folder) -> Result<T>) -> Result<T> {
    if path.is_dir() {
        return ask(&Directory(path.to_owned()));
    }
    let bytes = fs::read(path)?;
    ask(&Zip::open(&bytes)?)
}

pub(crate) fn read(path: &Path) -> Result {
    if path.extension().is_some_and(|end| end == "b2e") {
        let bytes = fs::read(path)?;
        let found = embedded(&Frame::open(&bytes)?)?;
        let folder = One(bytes.clone());
        let found = StoreListing {
            kind: Some(found.kind),
            has_embed: true,
            attributes: found.attributes,
            groups: Vec::new(),
            leaves: found.leaves,
            duplicates: Vec::new(),
        };
        return say(&found, &folder);
    }
    with_folder(path, |folder| say(&list(folder)?, folder))
}

/// One frame, which embeds others.
struct One(Vec<u8>);

impl Folder for One {
    fn files(&self) -> b2nd::Result<Vec<String>> {
        Ok(vec![String::new()])
    }

    fn open(&self, _file: &str) -> b2nd::Result<Box<dyn Source + '_>> {
        Ok(Box::new(self.0.clone()))
    }
}

fn say(found: &StoreListing, folder: &dyn Folder) -> Result {
    let Some(kind) = found.kind else { return Err(refuse("it is no store")) };
    let mut leaves = Vec::new();
    for leaf in &found.leaves {
        let fact = Fact::map([("key", Fact::text(&leaf.key))]);
        if let Content::Table(_) = leaf.content {
            leaves.push(fact.with("kind", Fact::text("ctable")));
            continue;
        }
        let source = leaf.open(folder)?;
        let frame = Frame::open(&*source)?;
        let own = Kind::of(frame.header(), Some(frame.trailer()?));
        let fact = fact.with("kind", Fact::text(own.name()));
        if own != Kind::NdArray {
            leaves.push(fact);
            continue;
        }
        let array = Array::from_frame(source.read(0..u64::MAX)?.into_owned())?;
        let meta = frame.header().array()?;
        let all = array_facts(Fact::Map(Vec::new()), &array, meta.as_ref().and_then(|meta| meta.dtype()))?;
        let with = |fact: Fact, name: &str| fact.with(name, all.get(name).cloned().unwrap_or(Fact::Null));
        leaves.push(["shape", "dtype", "elements"].into_iter().fold(fact, with));
    }
    let own = |name: &str| !matches!(name, "estore_metadata");
    let attributes = found.attributes.iter().filter(|(name, _)| own(name));
    let attributes = attributes
        .map(|(name, _)| Fact::List(vec![Fact::text(name), Fact::bytes(found.attributes.bytes(name).unwrap_or_default())]));
    Ok(Fact::map([
        ("kind", Fact::text(kind.name())),
        ("leaves", Fact::List(leaves)),
        ("attributes", Fact::List(attributes.collect())),
    ]))
}
