//! Cases of stores: `.b2z`, `.b2d` and `.b2e`.

use super::bytes::{le32, patched};
use super::chunk;
use super::frame::{Frame, Place};
use super::frames::array_facts;
use super::header::Header;
use super::meta::Meta;
use super::{Suite, pack, zip};
use crate::case::{Content, Layer, Verdict};
use crate::fact::Fact;

pub(crate) type Files = Vec<(String, Vec<u8>)>;

/// Returns an array with this number of elements, and its facts as a leaf.
fn leaf(key: &str, length: usize) -> (Vec<u8>, Fact) {
    let built = Frame::array(length).build();
    let elements: Vec<u8> = (0..length).flat_map(|value| le32(value * 1001)).collect();
    let meta = Meta::new(&[i64::try_from(length).unwrap_or(0)], &[16], &[8], "<i4");
    let says = array_facts(Fact::Map(Vec::new()), &meta, &elements);
    let fact = Fact::map([("key", Fact::text(key)), ("kind", Fact::text("ndarray"))]);
    let with = |fact: Fact, name: &str| fact.with(name, says.get(name).cloned().unwrap_or(Fact::Null));
    (built.bytes, ["shape", "dtype", "elements"].into_iter().fold(fact, with))
}

/// Returns the member `embed.b2e` without embedded leaves. Its metalayer determines the kind of the store.
pub(crate) fn embed(metalayer: &str) -> Vec<u8> {
    let header = Header::new(1, 1 << 13, 1 << 13).with(metalayer, &version());
    let map = pack::map(&[("embed_map", pack::map(&[])), ("current_offset", pack::int(0))]);
    Frame::new(header).note("estore_metadata", &map).build().bytes
}

fn version() -> Vec<u8> {
    pack::map(&[("version", pack::int(1))])
}

fn says(kind: &str, leaves: Vec<Fact>, attributes: Vec<(&str, Vec<u8>)>) -> Fact {
    let attributes =
        attributes.into_iter().map(|(name, value)| Fact::List(vec![Fact::text(name), Fact::bytes(&value)])).collect();
    Fact::map([("kind", Fact::text(kind)), ("leaves", Fact::List(leaves)), ("attributes", Fact::List(attributes))])
}

/// Adds a store as an archive and as a directory.
fn both(suite: &mut Suite, name: &str, what: &str, files: &Files, verdict: &Verdict) {
    suite.add(
        Layer::Store,
        format!("{name}-zip"),
        format!("{what}, as a zip archive"),
        Content::File("b2z", zip::stored(files)),
        verdict.clone(),
    );
    suite.add(
        Layer::Store,
        format!("{name}-directory"),
        format!("{what}, as a directory"),
        Content::Folder("b2d", files.clone()),
        verdict.clone(),
    );
}

pub(crate) fn add(suite: &mut Suite) {
    let (one, one_says) = leaf("/one", 20);
    let (two, two_says) = leaf("/group/two", 40);
    let tree = |kind: &str| -> Files {
        vec![("embed.b2e".into(), embed(kind)), ("group/two.b2nd".into(), two.clone()), ("one.b2nd".into(), one.clone())]
    };
    let leaves = || vec![two_says.clone(), one_says.clone()];
    both(
        suite,
        "tree",
        "a TreeStore with two arrays",
        &tree("b2tree"),
        &Verdict::Accept(says("treestore", leaves(), Vec::new())),
    );
    both(
        suite,
        "dict",
        "a DictStore with two arrays",
        &tree("b2dict"),
        &Verdict::Accept(says("dictstore", leaves(), Vec::new())),
    );
    both(
        suite,
        "tree-empty",
        "a TreeStore without leaves",
        &vec![("embed.b2e".into(), embed("b2tree"))],
        &Verdict::Accept(says("treestore", Vec::new(), Vec::new())),
    );
    let mut with_attributes = tree("b2tree");
    let attributes = Frame::new(Header::new(1, 1, 1)).note("author", &pack::text("somebody")).build().bytes;
    with_attributes.push(("__vlmeta__.b2f".into(), attributes));
    both(
        suite,
        "tree-attributes",
        "a TreeStore with two arrays and an attribute",
        &with_attributes,
        &Verdict::Accept(says("treestore", leaves(), vec![("author", pack::text("somebody"))])),
    );
    embedded(suite);
    wrong(suite, &tree("b2tree"));
}

/// Adds cases of stores whose leaves are frames inside the data of a frame.
fn embedded(suite: &mut Suite) {
    let (one, one_says) = leaf("/one", 20);
    let (two, two_says) = leaf("/two", 40);
    let place = |offset: usize, length: usize| pack::map(&[("offset", pack::int(offset)), ("length", pack::int(length))]);
    let build = |places: &[(&str, Vec<u8>)]| {
        let mut data = [&one[..], &two].concat();
        let length = data.len();
        let chunksize = 1024;
        data.resize(length.div_ceil(chunksize) * chunksize, 0);
        let header = Header::new(1, 1024, 1024).with("b2embed", &version());
        let map = pack::map(&[("embed_map", pack::map(places)), ("current_offset", pack::int(length))]);
        let places = data.chunks(chunksize).map(|data| Place::Chunk(chunk::stored(data, 1))).collect();
        Frame { places, ..Frame::new(header) }.note("estore_metadata", &map).build().bytes
    };
    let good = build(&[("/one", place(0, one.len())), ("/two", place(one.len(), two.len()))]);
    let verdict = Verdict::Accept(says("embedstore", vec![one_says, two_says], Vec::new()));
    suite.add(
        Layer::Store,
        "embedded",
        "an EmbedStore: two arrays in the data of one frame",
        Content::File("b2e", good),
        verdict,
    );
    let empty = Frame::new(Header::new(1, 1024, 1024).with("b2embed", &version())).build().bytes;
    suite.add(
        Layer::Store,
        "embedded-empty",
        "an empty EmbedStore, without the vlmetalayer estore_metadata",
        Content::File("b2e", empty),
        Verdict::Accept(says("embedstore", Vec::new(), Vec::new())),
    );
    for (name, what, places) in [
        ("beyond", "an EmbedStore with a leaf that ends after the end of the data", place(0, 1_000_000)),
        ("no-length", "an EmbedStore with a leaf that has no length", pack::map(&[("offset", pack::int(0))])),
        ("not-a-frame", "an EmbedStore with a leaf that does not start at the start of a frame", place(5, 100)),
    ] {
        let bytes = build(&[("/one", places)]);
        suite.add(Layer::Store, format!("embedded-{name}"), what, Content::File("b2e", bytes), Verdict::Reject);
    }
}

fn wrong(suite: &mut Suite, files: &Files) {
    let good = zip::stored(files);
    let mut reject = |name: &str, what: &str, bytes: Vec<u8>| {
        suite.add(Layer::Store, name, what, Content::File("b2z", bytes), Verdict::Reject)
    };
    reject("zip-cut", "a zip archive without its last 30 bytes", good[..good.len() - 30].to_vec());
    reject("zip-text", "text instead of a zip archive", b"this is no archive".to_vec());
    reject("zip-empty", "an empty file", Vec::new());
    let mut damaged = files.clone();
    damaged[2].1.truncate(300);
    reject("zip-leaf-cut", "an array that is cut off, in a valid zip archive", zip::stored(&damaged));
    let method = patched(&good, 8, &[99, 0]);
    let directory = good.windows(4).position(|bytes| bytes == [b'P', b'K', 1, 2]).unwrap_or(0);
    reject("zip-method", "a zip archive with a member of compression method 99", patched(&method, directory + 10, &[99, 0]));
    let mut escaping = files.clone();
    escaping[2].0 = "one.b2nd".into();
    escaping[2].1 = b"no frame at all, though its name says so".to_vec();
    both(suite, "leaf-text", "a TreeStore with a leaf that contains text instead of a frame", &escaping, &Verdict::Reject);
}
