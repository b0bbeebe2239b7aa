//! Reads stores.

use std::path::Path;

use b2nd_conformance::Fact;
use b2nd_ndarray::Array;
use b2nd_store::{Content, Frame, Kind, Source, Store, StoreListing};

use crate::frame::array_facts;
use crate::{Result, refuse};

pub(crate) fn read(path: &Path) -> Result {
    let store = Store::open(path)?;
    say(&store.list()?, &store)
}

fn say(found: &StoreListing, store: &Store) -> Result {
    let Some(kind) = found.kind else {
        return Err(refuse("expected a store of a known kind, such as TreeStore, DictStore or CTable"));
    };
    let mut leaves = Vec::new();
    for leaf in &found.leaves {
        let fact = Fact::map([("key", Fact::text(&leaf.key))]);
        if let Content::Table(_) = leaf.content {
            leaves.push(fact.with("kind", Fact::text("ctable")));
            continue;
        }
        let source = leaf.open(store)?;
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
