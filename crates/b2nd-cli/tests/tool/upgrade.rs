//! `b2nd upgrade`: the result for each layout, files that are rejected or stay unchanged, and pipes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use b2nd::{ArrayMeta, B2ndMeta, CatervaMeta, Geometry, LegacyB2ndMeta};
use b2nd_frame::{File, FrameType, Header, Sizes, Special, Writer};
use serde_json::Value;

use crate::early_frame::early;
use crate::harness::{Directory, Place};

/// A frame with Caterva's metalayer.
const PIPED: &str = "python-caterva-0.7.3/cparams__ZSTD_9.caterva";

const CATERVA: &str = "tests/data/python-caterva-0.7.3/resize__mixed.caterva";
const SPARSE: &str = "tests/data/python-caterva-0.7.0/meta__sframe.catsd";
const TAKEN: &str = "tests/data/python-caterva-0.7.3/meta__b2nd.caterva";
const RELEASED: &str = "tests/data/example.b2nd";
const NO_ARRAY: &str = "tests/data/python-blosc2-0.6.6/schunk__vlmeta.b2frame";

/// A temporary directory whose paths are text.
struct Temporary(Directory);

impl Temporary {
    fn new() -> Self {
        Temporary(Directory::new())
    }

    fn path(&self, name: &str) -> String {
        self.0.path(name).into_os_string().into_string().unwrap()
    }

    /// Copies a file, or a directory of files, into the directory.
    fn copy(&self, from: &str, name: &str) -> String {
        let (from, to) = (at(from), self.0.path(name));
        for (path, bytes) in contents(&from) {
            let below = path.strip_prefix(&from).unwrap();
            let place = if below.as_os_str().is_empty() { to.clone() } else { to.join(below) };
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            fs::write(place, bytes).unwrap();
        }
        self.path(name)
    }
}

/// A path relative to the root of the repository, or an absolute path.
fn at(path: impl AsRef<Path>) -> PathBuf {
    Place::root().path(path)
}

/// Every file at or below a path, with its bytes.
fn contents(path: impl AsRef<Path>) -> BTreeMap<PathBuf, Vec<u8>> {
    let path = at(path);
    if !path.is_dir() {
        return BTreeMap::from([(path.clone(), fs::read(path).unwrap())]);
    }
    fs::read_dir(path).unwrap().flat_map(|entry| contents(entry.unwrap().path())).collect()
}

/// Runs the command at the root. Returns its output, its errors, and whether it succeeded.
fn run(args: &[&str]) -> (String, String, bool) {
    let (out, err, status) = Place::root().run(&[&["upgrade"], args].concat());
    (out, err, status == 0)
}

#[track_caller]
fn assert_upgrades(args: &[&str], output: &str) {
    assert_eq!(run(args), (format!("{output}\n"), String::new(), true));
}

#[track_caller]
fn assert_refuses(args: &[&str], error: &str) {
    assert_eq!(run(args), (String::new(), format!("{error}\n"), false));
}

/// Compares an upgraded frame with the old one: the array, the order of the metalayers, the chunks, the index and the trailer.
#[track_caller]
fn assert_upgraded(old: &str, new: &str, dtype: &str) {
    let (old, new) = (File::open(at(old)).unwrap(), File::open(at(new)).unwrap());
    let array = old.header().array().unwrap().unwrap();
    let expected = B2ndMeta { version: array.version(), ..B2ndMeta::new(*array.geometry(), dtype) };
    assert_eq!(new.header().array().unwrap().unwrap().into_owned(), ArrayMeta::B2nd(expected.clone()));

    let expected = b2nd::to_vec(&expected).unwrap();
    let renamed = old.header().metalayers().iter().map(|(name, content)| match name {
        b"caterva" | b"b2nd" => (b"b2nd".as_slice(), expected.as_slice()),
        _ => (name, content),
    });
    assert!(new.header().metalayers().iter().eq(renamed));
    assert_eq!(new.header().raw_flags(), old.header().raw_flags());
    assert_eq!(new.trailer().unwrap(), old.trailer().unwrap());
    let tail = |file: &File| {
        let bytes = fs::read(file.path()).unwrap();
        bytes[file.header().header_len()..].to_vec()
    };
    assert!(tail(&old) == tail(&new));
    if old.header().frame_type() == FrameType::Sparse {
        let chunks = |file: &File| -> Vec<_> {
            let all = contents(file.path().parent().unwrap());
            all.into_iter()
                .map(|(path, bytes)| (path.file_name().unwrap().to_owned(), bytes))
                .filter(|(name, _)| name != "chunks.b2frame")
                .collect()
        };
        assert!(chunks(&old) == chunks(&new) && !chunks(&old).is_empty());
    }
}

#[test]
fn every_caterva_file_becomes_a_b2nd_file_with_the_same_chunks() {
    let tests = Temporary::new();
    let entries: Vec<Value> = serde_json::from_slice(&Place::data().read("manifest.json")).unwrap();
    let (mut files, mut directories) = (0, 0);
    for entry in entries.iter().filter(|entry| entry["parsed"]["nd"]["name"] == "caterva") {
        let path = format!("tests/data/{}", entry["file"].as_str().unwrap());
        if path == TAKEN || entry["kind"] == "cframe-beta" {
            continue;
        }
        let dtype = format!("|V{}", entry["parsed"]["typesize"]);
        let upgraded = format!("from Caterva, without a dtype, to b2nd with dtype {dtype}");
        let target = tests.path("new");
        assert_upgrades(&["--dtype", &dtype, &path, &target], &format!("{path}: upgraded to {target}: {upgraded}"));
        assert_upgraded(&path, &target, &dtype);

        let copy = tests.copy(&path, "copy");
        assert_upgrades(&["--dtype", &dtype, "--in-place", &copy], &format!("{copy}: upgraded in place: {upgraded}"));
        assert_upgraded(&path, &copy, &dtype);
        let relative = |root: &str| -> Vec<_> {
            contents(root).into_iter().map(|(path, bytes)| (path.strip_prefix(root).unwrap().to_owned(), bytes)).collect()
        };
        assert!(relative(&target) == relative(&copy));
        assert_eq!(fs::read_dir(tests.0.path("")).unwrap().count(), 2, "nothing else is left");

        let is_directory = Path::new(&copy).is_dir();
        for path in [copy, target] {
            if is_directory { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
        }
        files += u32::from(!is_directory);
        directories += u32::from(is_directory);
    }
    assert!(files > 5 && directories > 2, "{files}, {directories}");
}

#[test]
fn the_layouts_of_early_2023_become_the_released_one() {
    let tests = Temporary::new();
    let (old, new) = (tests.path("old"), tests.path("new"));
    let geometry = Geometry::new(&[10], &[5], &[5]).unwrap();
    let five = ArrayMeta::Caterva(CatervaMeta { version: 0, geometry });
    let six = ArrayMeta::LegacyB2nd(LegacyB2ndMeta { version: 0, geometry, dtype: "int32".to_owned() });
    let miscounted = ArrayMeta::MiscountedB2nd(B2ndMeta::new(geometry, "<u4"));
    let cases = [
        (&five, "b2nd", "b2nd of January 2023, without a dtype", "<f4"),
        (&five, "caterva", "Caterva, without a dtype", "<f4"),
        (&six, "b2nd", "b2nd of February 2023, without dtype_format", "<i4"),
        (&miscounted, "b2nd", "b2nd of February 2023, whose marker says 6 entries although there are 7", "<u4"),
    ];
    for (meta, name, layout, dtype) in cases {
        // The stale bytes that a squeeze leaves are not copied.
        let content = [meta.to_metalayer().unwrap(), vec![0xd2, 0]].concat();
        early(&old, name, &content);
        // The dtype in the file takes precedence over the one on the command line.
        assert_upgrades(
            &["--dtype", "<f4", &old, &new],
            &format!("{old}: upgraded to {new}: from {layout}, to b2nd with dtype {dtype}"),
        );
        assert_upgraded(&old, &new, dtype);
        fs::remove_file(&new).unwrap();
    }
}

#[test]
fn a_dry_run_says_the_same_and_touches_nothing() {
    let tests = Temporary::new();
    let (file, sparse, target) = (tests.copy(CATERVA, "file"), tests.copy(SPARSE, "sparse"), tests.path("new"));
    let before = contents(tests.0.path(""));
    let words = "from Caterva, without a dtype, to b2nd with dtype <i4";
    for path in [&file, &sparse] {
        let args = ["--dry-run", "--dtype", "<i4", path];
        assert_upgrades(&args, &format!("{path}: would be upgraded: {words}"));
        assert_upgrades(&[&args[..], &["--in-place"]].concat(), &format!("{path}: would be upgraded in place: {words}"));
        assert_upgrades(&[&args[..], &[&target]].concat(), &format!("{path}: would be upgraded to {target}: {words}"));
        assert_refuses(&[&args[..], &[&file]].concat(), &format!("{path}: {file} already exists"));
    }
    assert_refuses(&["--dry-run", &file], &no_dtype(&file));
    assert!(contents(tests.0.path("")) == before);
    assert_eq!(fs::read_dir(tests.0.path("")).unwrap().count(), 2);
}

fn no_dtype(path: &str) -> String {
    let message = "the file has no dtype, and its typesize is 4: give a dtype with --dtype, such as <f4, <i4, <u4, |S4, |V4";
    format!("{path}: {message}")
}

#[test]
fn dtypes_of_the_typesize_are_named() {
    let tests = Temporary::new();
    let file = tests.path("old");
    let geometry = Geometry::new(&[10], &[5], &[5]).unwrap();
    for typesize in [1, 2, 3, 4, 8, 12, 16, 255] {
        let mut header = Header::new(Sizes { typesize, chunksize: 5 * typesize, blocksize: 5 * typesize }).unwrap();
        let meta = b2nd::to_vec(&CatervaMeta { version: 0, geometry }).unwrap();
        header.metalayers_mut().insert("caterva", meta.as_slice()).unwrap();
        let mut writer = Writer::create(&file, header).unwrap();
        writer.append_special(Special::Zeros, 5 * typesize as usize).unwrap();
        writer.append_special(Special::Zeros, 5 * typesize as usize).unwrap();
        writer.finish().unwrap();
        let (_, error, _) = run(&["--dry-run", &file]);
        let candidates = error.trim_end().split_once("such as ").unwrap().1;
        if typesize == 8 {
            assert_eq!(candidates, "<f8, <i8, <u8, <c8, <M8[s], <U2, |S8, |V8");
        }
        for dtype in candidates.split(", ") {
            assert_eq!(dtype.parse::<b2nd::dtype::DType>().unwrap().itemsize(), typesize as usize, "{dtype}");
        }
    }
}

#[test]
fn what_is_refused_is_explained_and_stays_as_it_was() {
    let tests = Temporary::new();
    let (file, taken) = (tests.copy(CATERVA, "file"), tests.copy(TAKEN, "taken"));
    let (exists, target) = (tests.copy(RELEASED, "exists"), tests.path("new"));
    let before = contents(tests.0.path(""));
    assert_refuses(&[&file, &target], &no_dtype(&file));
    let longer =
        "the itemsize of <f8 is 8, but the file's typesize is 4: give a dtype of this size, such as <f4, <i4, <u4, |S4, |V4";
    assert_refuses(&["--dtype", "<f8", "--in-place", &file], &format!("{file}: {longer}"));
    for target in [&exists, &file] {
        let error = format!("{file}: {target} already exists");
        assert_refuses(&["--dtype", "<f4", &file, target], &error);
    }
    let name = "a user's metalayer has the name \"b2nd\", which the array's metalayer needs: remove it with `b2nd rewrite FILE --rm b2nd`";
    assert_refuses(&["--dtype", "<i4", "--in-place", &taken], &format!("{taken}: {name}"));
    let missing = tests.path("missing");
    assert_refuses(&[&missing, &target], &File::open(&missing).unwrap_err().to_string());

    assert!(contents(tests.0.path("")) == before);
}

#[test]
fn what_needs_no_upgrade_is_left_alone() {
    let tests = Temporary::new();
    let (released, none, target) = (tests.copy(RELEASED, "released"), tests.copy(NO_ARRAY, "none"), tests.path("new"));
    let before = contents(tests.0.path(""));
    for args in [vec!["--in-place"], vec![&*target], vec!["--dry-run"]] {
        let with = |path: &str| run(&[&[path], args.as_slice()].concat());
        let left = |path: &str, why: &str| (format!("{path}: {why}, not changed\n"), String::new(), true);
        assert_eq!(with(&released), left(&released, "already in the current layout"));
        assert_eq!(with(&none), left(&none, "no array"));
    }
    assert!(contents(tests.0.path("")) == before);
}

#[test]
fn a_tree_is_upgraded_frame_by_frame() {
    let tests = Temporary::new();
    let tree = tests.path("tree");
    let [file, sparse] = [tests.copy(CATERVA, "tree/a/file"), tests.copy(SPARSE, "tree/sparse")];
    tests.copy(RELEASED, "tree/released");
    tests.copy(NO_ARRAY, "tree/a/none");
    tests.copy("tests/data/README.md", "tree/text");
    let taken = tests.copy(TAKEN, "tree/taken");
    let refused = "a user's metalayer has the name \"b2nd\", which the array's metalayer needs: remove it with `b2nd rewrite FILE --rm b2nd`";
    let refused = format!("{taken}: {refused}\n");
    let words = "from Caterva, without a dtype, to b2nd with dtype <i4";
    let counts = "1 already in the current layout, 1 without an array, 1 failed";
    let before = contents(tests.0.path(""));

    let new = tests.path("new");
    let (new_file, new_sparse) = (tests.path("new/a/file"), tests.path("new/sparse"));
    let lines = |verb: &str, count: &str| {
        format!("{file}: {verb} to {new_file}: {words}\n{sparse}: {verb} to {new_sparse}: {words}\n2 {count}, {counts}\n")
    };
    let dry = run(&["--dry-run", "--dtype", "<i4", &tree, &new]);
    assert_eq!(dry, (lines("would be upgraded", "to upgrade"), refused.clone(), false));
    assert!(contents(tests.0.path("")) == before);
    assert_eq!(run(&["--dtype", "<i4", &tree, &new]), (lines("upgraded", "upgraded"), refused.clone(), false));
    assert!(contents(&tree).iter().all(|(path, bytes)| before[path] == *bytes));
    assert_upgraded(&file, &new_file, "<i4");
    assert_upgraded(&sparse, &new_sparse, "<i4");
    let files: Vec<_> = contents(&new).into_keys().filter(|path| path.extension().is_none()).collect();
    assert_eq!(files, [Path::new(&new_file)], "what needs no upgrade is not copied");

    let lines = format!("{file}: upgraded in place: {words}\n{sparse}: upgraded in place: {words}\n2 upgraded, {counts}\n");
    assert_eq!(run(&["--dtype", "<i4", "--in-place", &tree]), (lines, refused.clone(), false));
    assert_upgraded(CATERVA, &file, "<i4");
    assert_upgraded(SPARSE, &sparse, "<i4");

    // A second run in place finds nothing to upgrade.
    let counts = "0 upgraded, 3 already in the current layout, 1 without an array, 1 failed\n";
    assert_eq!(run(&["--in-place", &tree]), (counts.to_owned(), refused, false));
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_to_what_is_upgraded() {
    let tests = Temporary::new();
    let (file, link) = (tests.copy(CATERVA, "file"), tests.path("link"));
    std::os::unix::fs::symlink("file", &link).unwrap();
    assert!(run(&["--dtype", "<i4", "--in-place", &link]).2);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_upgraded(CATERVA, &file, "<i4");
}

#[test]
fn a_frame_that_cannot_be_read_to_its_end_is_not_replaced() {
    let tests = Temporary::new();
    let sparse = tests.copy(SPARSE, "sparse");
    let frame = fs::read(format!("{sparse}/chunks.b2frame")).unwrap();
    fs::write(format!("{sparse}/chunks.b2frame"), &frame[..frame.len() - 1]).unwrap();
    let before = contents(tests.0.path(""));
    for args in [["--in-place", &sparse].as_slice(), &[&sparse, &tests.path("new")]] {
        let (out, err, all) = run(&[&["--dtype", "<i4"], args].concat());
        assert_eq!((out.as_str(), all), ("", false));
        assert!(err.contains("the frame needs 1 more byte"), "{err}");
    }
    assert!(contents(tests.0.path("")) == before);
    assert_eq!(fs::read_dir(tests.0.path("")).unwrap().count(), 1);
}

/// A dtype may be given by its name, but its code is written.
#[test]
fn a_dtype_is_written_as_numpy_spells_it() {
    let tests = Temporary::new();
    for (given, written) in
        [("float32", "<f4"), ("=i4", "<i4"), ("[('a', '<i2'), ('b', 'u1', (2,))]", "[('a', '<i2'), ('b', 'u1', (2,))]")]
    {
        let file = tests.copy(CATERVA, "file");
        assert!(run(&["--dtype", given, "--in-place", &file]).2, "{given}");
        assert_upgraded(CATERVA, &file, written);
        fs::remove_file(&file).unwrap();
    }
}

#[test]
fn a_target_or_another_word_is_asked_for() {
    let status = |args: &[&str]| Place::root().run(&[&["upgrade"], args].concat()).2;
    assert_eq!(status(&[RELEASED]), 2);
    assert_eq!(status(&[RELEASED, "b", "--in-place"]), 2);
    assert_eq!(status(&[RELEASED, "--dry-run", "--in-place"]), 0);
}

#[test]
fn upgrade_reads_and_writes_pipes() {
    let directory = Directory::new();
    directory.take(PIPED, "old");
    directory.ok(&["upgrade", "old", "new.b2nd", "--dtype", "<i4"]);
    let expected = directory.read("new.b2nd");
    for args in [["-", "-"], ["old", "-"]] {
        let mut child = directory.command(&["upgrade", args[0], args[1], "--dtype", "<i4"]);
        let old = fs::File::open(directory.path("old")).unwrap();
        let output = child.stdin(old).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.starts_with(&format!("{}: upgraded to -: ", args[0])), "{said}");
        assert_eq!((output.stdout == expected, output.status.code()), (true, Some(0)));
    }
    // A file that needs no upgrade is copied to standard output.
    let released = Place::data().read("example.b2nd");
    fs::write(directory.path("released"), &released).unwrap();
    let output = directory.command(&["upgrade", "released", "-"]).output().unwrap();
    assert_eq!(output.stdout, released);
    assert_eq!(directory.names(), ["new.b2nd", "old", "released"]);
    let refused = directory.refused(&["upgrade", "-", "--in-place"]);
    assert_eq!(refused, "-: standard input cannot be upgraded with --in-place: give a TARGET instead");
}
