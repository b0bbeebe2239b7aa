//! Files that real programs wrote: those in `tests/data`, and those in the directory that `B2ND_CORPUS` names.
//!
//! A directory has a `manifest.json` with the contents of its files. Headers and array metalayers have the same values as in the
//! manifest, and are written back byte for byte. Every entry is checked according to its kind; the numbers of entries are
//! printed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::common::{Hex, message, report};
use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, LegacyB2ndMeta};
use b2nd_frame::{CodecId, File, Filter, FrameType, Header, SplitMode};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

#[derive(Deserialize)]
struct Entry {
    id: String,
    file: PathBuf,
    kind: Kind,
    offset: u64,
    size: usize,
    #[serde(default)]
    parsed: Parsed,
}

#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord, Clone, Copy, Debug)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Cframe,
    Sframe,
    FrameHeaderOnly,
    Metalayer,
    CframeBeta,
    BetaHeaderOnly,
    Hdf5,
    Other,
    FrameTrailerOnly,
}

#[derive(Deserialize, Default)]
struct Parsed {
    nd: Option<Array>,
    nd_error: Option<String>,
    #[serde(default)]
    metalayers: Vec<Content>,
    #[serde(flatten)]
    fields: BTreeMap<String, Value>,
}

/// A metalayer in a header.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    name: Option<String>,
    #[serde(deserialize_with = "from_hex")]
    name_hex: Vec<u8>,
    offset: usize,
    len: usize,
    content_hex: Bytes,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Bytes {
    Whole(#[serde(deserialize_with = "from_hex")] Vec<u8>),
    Digest { len: usize, sha256: String, first64: String },
}

/// An array metalayer.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Array {
    name: String,
    nfields: usize,
    #[serde(default)]
    version: u8,
    ndim: usize,
    shape: Vec<i64>,
    chunks: Vec<i32>,
    blocks: Vec<i32>,
    dtype_format: Option<u8>,
    dtype: Option<String>,
    layout: Option<String>,
    #[serde(default)]
    trailing: usize,
    /// What else is unusual about the file, in words.
    #[serde(rename = "deviations")]
    _deviations: Option<Vec<String>>,
}

fn from_hex<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ok((0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect())
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Metalayers with values that are not valid, which C-Blosc2 writes when told to.
const NOT_VALID: [&str; 1] = ["c-blosc2-2.7.1/clib-b2ndmeta/s_neg"];

#[test]
fn every_file_in_tests_data() {
    let counts = check_all(Path::new("../../tests/data"));
    let kinds = [Kind::Cframe, Kind::Sframe, Kind::Metalayer, Kind::CframeBeta, Kind::Hdf5];
    assert!(counts.keys().eq(&kinds), "{counts:?}");
}

#[test]
fn every_file_in_the_corpus() {
    let Some(directory) = std::env::var_os("B2ND_CORPUS") else {
        return report("B2ND_CORPUS names no directory: nothing but tests/data is checked");
    };
    let counts = check_all(Path::new(&directory));
    let kinds = [Kind::Cframe, Kind::Sframe, Kind::FrameHeaderOnly, Kind::Metalayer, Kind::CframeBeta, Kind::BetaHeaderOnly];
    assert!(kinds.iter().all(|kind| counts.contains_key(kind)), "{counts:?}");
}

/// Checks each entry in the manifest of a directory. Returns the number of entries of each kind.
fn check_all(directory: &Path) -> BTreeMap<Kind, usize> {
    let manifest = std::fs::read(directory.join("manifest.json")).unwrap();
    let entries: Vec<Entry> = serde_json::from_slice(&manifest).unwrap();
    let mut counts = BTreeMap::new();
    let mut arrays = BTreeMap::new();
    for entry in &entries {
        let path = directory.join(&entry.file);
        let checked = std::panic::catch_unwind(|| match entry.kind {
            Kind::Cframe | Kind::Sframe | Kind::FrameHeaderOnly => check_frame(entry, &path),
            Kind::Metalayer => check_metalayer(entry, &path),
            Kind::CframeBeta | Kind::BetaHeaderOnly => check_beta(entry, &path),
            Kind::Hdf5 | Kind::Other | Kind::FrameTrailerOnly => check_no_frame(entry, &path),
        });
        let layout = checked.unwrap_or_else(|_| panic!("{} ({})", entry.id, path.display()));
        *counts.entry(entry.kind).or_insert(0) += 1;
        *arrays.entry(layout).or_insert(0) += 1;
    }
    report(&format!("{}: {} entries, {counts:?}, {arrays:?}", directory.display(), entries.len()));
    counts
}

fn check_no_frame(entry: &Entry, path: &Path) -> &'static str {
    let error = File::open_at(path, entry.offset).unwrap_err();
    assert!(!error.is_eof(), "{error}");
    "no frame"
}

fn check_beta(entry: &Entry, path: &Path) -> &'static str {
    let elements = &entry.parsed.fields["n_header_elems"];
    let expected = format!(
        "header elements: expected 14 (C-Blosc2 2.0 betas wrote 11 to 13, which are not supported), found {elements} at byte 0"
    );
    assert_eq!(message(File::open_at(path, entry.offset)), expected);
    "beta"
}

fn check_metalayer(entry: &Entry, path: &Path) -> &'static str {
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(bytes.len(), entry.size);
    if NOT_VALID.contains(&entry.id.as_str()) {
        let expected = "shape[0]: expected a length of 0 or more, found -1 at byte 4";
        assert_eq!(message(ArrayMeta::from_metalayer(&bytes)), expected);
        assert_eq!(message(b2nd::from_slice::<B2ndMeta>(&bytes)), expected);
        return "not valid";
    }
    assert!(entry.parsed.fields.is_empty() && entry.parsed.nd_error.is_none());
    check_array(entry.parsed.nd.as_ref().unwrap(), &bytes)
}

fn check_frame(entry: &Entry, path: &Path) -> &'static str {
    let file = File::open_at(path, entry.offset).unwrap();
    let start = usize::try_from(entry.offset).unwrap();
    let frame = std::fs::read(file.path()).unwrap().split_off(start);
    let header = file.header();
    assert_eq!(&Header::from_slice(&frame).unwrap(), header, "whatever follows the header");

    let bytes = &frame[..header.header_len()];
    assert_eq!(Hex(&b2nd::to_vec(header).unwrap()), Hex(bytes));
    assert_eq!(&Header::from_slice(bytes).unwrap(), header);
    assert_eq!(&b2nd::from_slice::<Header>(bytes).unwrap(), header);

    for (key, value) in &entry.parsed.fields {
        check_field(header, bytes, key, value);
    }
    let unusual =
        [("codec_meta", json!(0)), ("other_flags2", json!(0)), ("variable_chunks", json!(false)), ("vl_blocks", json!(false))];
    for (key, usual) in unusual.iter().filter(|(key, _)| !entry.parsed.fields.contains_key(*key)) {
        check_field(header, bytes, key, usual);
    }
    check_metalayers(header, bytes, &entry.parsed.metalayers);
    check_array_in(header, &entry.parsed)
}

/// Compares a field of the header with the manifest. Fields without a method are taken from the bytes.
fn check_field(header: &Header, bytes: &[u8], key: &str, expected: &Value) {
    let flags = header.raw_flags();
    let found = match key {
        "n_header_elems" => json!(bytes[0] & 0x0f),
        "header_len" => json!(header.header_len()),
        "frame_len" => json!(header.frame_len()),
        "flags_raw" => json!(flags),
        "frame_version" => json!(header.version()),
        "offset_width_code" => json!(flags[0] >> 4 & 3),
        "variable_chunks" => json!(header.has_variable_chunks()),
        "vl_blocks" => json!(header.has_variable_blocks()),
        "frame_type" => json!(u8::from(header.frame_type() == FrameType::Sparse)),
        "codec_format" => json!(flags[2] & 0x0f),
        "clevel" => json!(header.level()),
        "splitmode_raw" => match header.split_mode().unwrap() {
            SplitMode::Always => json!(0),
            SplitMode::Never => json!(1),
            SplitMode::Auto => json!(2),
            SplitMode::ForwardCompat => json!(3),
            other => panic!("{other}"),
        },
        "nbytes" => json!(header.nbytes()),
        "cbytes" => json!(header.cbytes()),
        "typesize" => json!(header.typesize()),
        "blocksize" => json!(header.blocksize()),
        "chunksize" => json!(header.chunksize()),
        "tcomp" => json!(header.compression_threads()),
        "tdecomp" => json!(header.decompression_threads()),
        "has_vlmetalayers" => json!(header.has_vlmetalayers()),
        "nfilters" => json!(bytes[0x46]),
        "filters" => {
            let codes: Vec<u8> = header.filters().map(|(filter, _)| filter.code()).collect();
            let used = bytes[0x47..0x4d].iter().filter(|&&code| Filter::from_code(code) != Filter::None);
            assert!(used.eq(&codes));
            json!(bytes[0x47..0x4d])
        }
        "filters_meta" => {
            let slots = bytes[0x47..0x4d].iter().zip(&bytes[0x4f..0x55]);
            let metas = slots.filter(|&(&code, _)| code != 0).map(|(_, &meta)| meta);
            assert!(header.filters().map(|(_, meta)| meta).eq(metas));
            json!(bytes[0x4f..0x55])
        }
        // For numbers below 6, the codec is in the flags too.
        "udcodec" => {
            let code = if flags[2] & 0x0f == 6 { bytes[0x4d] } else { flags[2] & 0x0f };
            assert_eq!((header.codec(), header.codec().code()), (CodecId::from_code(code), code));
            json!(bytes[0x4d])
        }
        "codec_meta" => json!(header.codec_meta()),
        "other_flags2" => json!(bytes[0x55]),
        "meta_idx_size" => json!(u16::from_be_bytes([bytes[0x59], bytes[0x5a]])),
        // These keys describe the trailer, the index, or the bytes after the frame.
        "trailer_len" | "trailer_version" | "vl_idx_size" | "vlmetalayers" => return,
        "nchunks_from_index" | "chunk_offsets" | "index_chunk" | "bytes_after_frame" => return,
        _ => panic!("{key} is not known"),
    };
    assert_eq!(&found, expected, "{key}");
}

fn check_metalayers(header: &Header, bytes: &[u8], expected: &[Content]) {
    let metalayers = header.metalayers();
    assert_eq!((metalayers.len(), metalayers.is_empty()), (expected.len(), expected.is_empty()));
    for ((name, content), expected) in metalayers.iter().zip(expected) {
        assert_eq!(name, expected.name_hex);
        assert_eq!(content.len(), expected.len);
        assert_eq!((bytes[expected.offset], &bytes[expected.offset + 5..][..expected.len]), (0xc6, content));
        match &expected.content_hex {
            Bytes::Whole(whole) => assert_eq!(Hex(content), Hex(whole)),
            Bytes::Digest { len, sha256, first64 } => {
                assert_eq!((content.len(), &to_hex(&content[..64])), (*len, first64));
                assert_eq!(&to_hex(&Sha256::digest(content)), sha256);
            }
        }
        if let Some(name) = &expected.name {
            assert_eq!(metalayers.get(name), Some(content));
        }
    }
}

/// Checks that the header has the array in the manifest.
fn check_array_in(header: &Header, parsed: &Parsed) -> &'static str {
    let Some(expected) = &parsed.nd else {
        match &parsed.nd_error {
            None => assert_eq!(header.array().unwrap(), None),
            Some(_) => assert!(message(header.array()).starts_with("b2nd: expected array (90 to 9f, dc, dd), found")),
        }
        return "no array";
    };
    let array = header.array().unwrap().unwrap();
    let content = header.metalayers().get(&expected.name).unwrap();
    assert_eq!(ArrayMeta::from_metalayer(content).unwrap(), (array, &content[content.len() - expected.trailing..]));
    match array {
        ArrayMeta::B2nd(meta) => assert_eq!(header.metalayer::<B2ndMeta<&str>>().unwrap(), Some(meta)),
        ArrayMeta::LegacyB2nd(meta) => assert_eq!(header.metalayer::<LegacyB2ndMeta<&str>>().unwrap(), Some(meta)),
        ArrayMeta::Caterva(meta) if expected.name == "caterva" => assert_eq!(header.metalayer().unwrap(), Some(meta)),
        _ => {}
    }

    // The other of the two names can belong to a metalayer of a user.
    let other = if expected.name == "b2nd" { "caterva" } else { "b2nd" };
    let other = header.metalayers().get(other);
    assert_eq!(other.is_some(), parsed.nd_error.is_some());
    let layout = check_array(expected, content);
    match (other, expected.name.as_str()) {
        (None, _) => layout,
        (Some(other), "b2nd") => {
            assert!(b2nd::take_from_slice::<CatervaMeta>(other).is_err());
            "b2nd beside a user's caterva"
        }
        (Some(other), _) => {
            assert!(ArrayMeta::from_metalayer(other).is_err());
            "caterva beside a user's b2nd"
        }
    }
}

/// Checks an array metalayer, which may be followed by other bytes. Returns the name of its layout.
fn check_array(expected: &Array, content: &[u8]) -> &'static str {
    let (array, rest) = ArrayMeta::from_metalayer(content).unwrap();
    assert_eq!(rest.len(), expected.trailing);
    assert_eq!(Hex(&array.to_metalayer().unwrap()), Hex(&content[..content.len() - rest.len()]));
    assert_eq!(Hex(&array.into_owned().to_metalayer().unwrap()), Hex(&content[..content.len() - rest.len()]));

    let geometry = array.geometry();
    assert_eq!(geometry.ndim(), expected.ndim);
    assert_eq!(geometry.shape(), expected.shape);
    assert_eq!(geometry.chunkshape(), expected.chunks);
    assert_eq!(geometry.blockshape(), expected.blocks);
    assert_eq!((array.version(), array.dtype()), (expected.version, expected.dtype.as_deref()));

    let (nfields, dtype_format, layout) = match array {
        ArrayMeta::B2nd(meta) => (7, Some(meta.dtype_format), "b2nd"),
        ArrayMeta::MiscountedB2nd(meta) => (6, Some(meta.dtype_format), "miscounted b2nd"),
        ArrayMeta::LegacyB2nd(_) => (6, None, "six-entry b2nd"),
        ArrayMeta::Caterva(_) if expected.name == "b2nd" => (5, None, "five-entry b2nd"),
        ArrayMeta::Caterva(_) => (5, None, "caterva"),
        other => panic!("{other:?}"),
    };
    assert_eq!((nfields, dtype_format), (expected.nfields, expected.dtype_format));
    assert_eq!(layout == "miscounted b2nd", expected.layout.is_some());
    layout
}
