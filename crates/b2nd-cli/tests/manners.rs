//! What a terminal may be shown, what is waited for, and where bytes may come from.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use b2nd::frame::{Chunk, Header, Sizes, Writer};
use b2nd::{B2ndMeta, Geometry};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data");

fn run(args: &[&str], directory: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_b2nd")).args(args).current_dir(directory).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A directory that is gone after its test.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Temporary {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("manners-{name}"));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).unwrap();
        Temporary(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// It would set a window's title, colour what follows, begin a control sequence in one character, and turn text around.
const HOSTILE: &str = "\x1b]0;t\x07\x1b[31m\u{9b}1m\u{202e}\r\n";

#[cfg(unix)]
#[test]
fn nothing_in_a_file_reaches_the_terminal_as_it_is() {
    let tests = Temporary::new("hostile");
    let mut header = Header::new(Sizes { typesize: 1, chunksize: 4, blocksize: 4 }).unwrap();
    let dtype = format!("[('{HOSTILE}', 'i1')]");
    let array = b2nd::to_vec(&B2ndMeta::new(Geometry::new(&[4], &[4], &[4]).unwrap(), dtype.as_str())).unwrap();
    header.metalayers_mut().insert("b2nd", array).unwrap();
    let packed = [&[0xa0 | HOSTILE.len() as u8][..], HOSTILE.as_bytes()].concat();
    header.metalayers_mut().insert(HOSTILE, packed.as_slice()).unwrap();
    let mut writer = Writer::new(header);
    writer.append_special(b2nd::frame::Special::Zeros, 4).unwrap();
    writer.set_vlmetalayer(HOSTILE, &packed).unwrap();
    let name = format!("{}.b2nd", HOSTILE.trim_end());
    fs::write(tests.0.join(&name), writer.finish().unwrap()).unwrap();
    let commands: [&[&str]; 12] = [
        &["info"],
        &["info", "--json"],
        &["info", "--meta"],
        &["info", "--meta", "--json"],
        &["info", "--tree"],
        &["hex"],
        &["draw"],
        &["chunks"],
        &["check"],
        &["check", "--json"],
        &["info", "--offset", "7"],
        &["upgrade", "--in-place"],
    ];
    for command in commands {
        let output = run(&[command, &[name.as_str()]].concat(), &tests.0);
        for shown in [text(&output.stdout), text(&output.stderr)] {
            let misleads = |char: char| char != '\n' && (char.is_control() || char == '\u{202e}');
            assert!(!shown.contains(misleads), "{command:?}: {shown:?}");
        }
        assert!(!output.stdout.is_empty() || !output.stderr.is_empty(), "{command:?}");
    }
}

#[cfg(unix)]
#[test]
fn nobody_waits_for_a_pipe() {
    let tests = Temporary::new("pipe");
    if !Command::new("mkfifo").arg(tests.0.join("pipe")).status().is_ok_and(|status| status.success()) {
        return eprintln!("no mkfifo here: nothing was tried");
    }
    for args in [&["pipe"][..], &["check", "pipe"], &["-r", "."]] {
        let output = run(args, &tests.0);
        let expected = if args == ["-r", "."] { "" } else { "pipe: neither a file nor a directory\n" };
        assert_eq!(text(&output.stderr), expected);
    }
    for args in [&["cat", "pipe"][..], &["export", "pipe", "out.npy"]] {
        let output = run(args, &tests.0);
        assert_eq!((text(&output.stderr), output.status.code()), ("pipe: neither a file nor a directory\n", Some(1)));
    }
    assert!(!tests.0.join("out.npy").exists());
}

#[test]
fn nobody_waits_for_chunks_that_are_not_there() {
    let tests = Temporary::new("missing");
    let mut header = Header::new(Sizes { typesize: 1, chunksize: 2, blocksize: 2 }).unwrap();
    header.metalayers_mut().set(&B2ndMeta::new(Geometry::new(&[4], &[2], &[2]).unwrap(), "|i1")).unwrap();
    let mut writer = Writer::new(header);
    for _ in 0..2 {
        writer.append_special(b2nd::frame::Special::Zeros, 2).unwrap();
    }
    let mut frame: Vec<u8> = writer.finish().unwrap();
    fs::write(tests.0.join("good.b2nd"), &frame).unwrap();
    assert_eq!(text(&run(&["cat", "good.b2nd"], &tests.0).stdout), "0  0  0  0\n");
    let length = frame.windows(9).rposition(|bytes| bytes == [0xd3, 0, 0, 0, 0, 0, 0, 0, 4]).unwrap();
    frame[length + 3] = 1;
    fs::write(tests.0.join("bad.b2nd"), &frame).unwrap();
    let output = run(&["cat", "bad.b2nd"], &tests.0);
    let last = (1 << 25) - 1;
    let expected = format!("bad.b2nd: chunk {last}: the frame has no more than 2\n");
    assert_eq!((text(&output.stderr), output.status.code()), (expected.as_str(), Some(1)));
}

#[test]
fn an_embed_store_without_leaves_is_whole() {
    let tests = Temporary::new("embed");
    let mut header = Header::new(Sizes { typesize: 1, chunksize: 4, blocksize: 4 }).unwrap();
    header.metalayers_mut().insert("b2embed", [0x81, 0xa7, b'v', b'e', b'r', b's', b'i', b'o', b'n', 1]).unwrap();
    let mut writer = Writer::new(header);
    writer.append_special(b2nd::frame::Special::Zeros, 4).unwrap();
    fs::write(tests.0.join("empty.b2e"), writer.finish().unwrap()).unwrap();
    for command in ["info", "check"] {
        let output = run(&[command, "empty.b2e"], &tests.0);
        assert_eq!((text(&output.stderr), output.status.code()), ("", Some(0)));
    }
}

/// A frame whose data are frames, each under a key with its offset and length.
fn embed_store(metalayer: &str, data: &[u8], map: &str) -> Vec<u8> {
    let length = i32::try_from(data.len()).unwrap();
    let mut header = Header::new(Sizes { typesize: 1, chunksize: length, blocksize: length }).unwrap();
    header.metalayers_mut().insert(metalayer, b2nd_view::value::pack(r#"{"version": 1}"#).unwrap()).unwrap();
    let mut writer = Writer::new(header);
    writer.append(&Chunk::store(data, 1).unwrap()).unwrap();
    let map = b2nd_view::value::pack(&format!(r#"{{"embed_map": {{{map}}}, "current_offset": {length}}}"#)).unwrap();
    writer.set_vlmetalayer("estore_metadata", &map).unwrap();
    writer.finish().unwrap()
}

/// Small frames are embedded, and the attributes of a store and its groups are such frames.
#[test]
fn embedded_attributes_are_no_leaves() {
    let tests = Temporary::new("embedded-attributes");
    let frame = |number: u8| -> Vec<u8> {
        let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 4, blocksize: 4 }).unwrap());
        writer.set_vlmetalayer("number", &[number]).unwrap();
        writer.finish().unwrap()
    };
    let frames = [frame(1), frame(2), frame(3)];
    let mut start = 0;
    let mut place = |key: &str, frame: &Vec<u8>| {
        let place = format!(r#""{key}": {{"offset": {start}, "length": {}}}"#, frame.len());
        start += frame.len();
        place
    };
    let keys = ["/__vlmeta__", "/g/__vlmeta__", "/g/x"];
    let map: Vec<_> = keys.iter().zip(&frames).map(|(key, frame)| place(key, frame)).collect();
    fs::create_dir(tests.0.join("t.b2d")).unwrap();
    fs::write(tests.0.join("t.b2d/embed.b2e"), embed_store("b2tree", &frames.concat(), &map.join(","))).unwrap();
    let output = run(&["info", "--json", "t.b2d"], &tests.0);
    let lines: Vec<&str> = text(&output.stdout).lines().collect();
    assert_eq!(lines[0], r#"{"path":"t.b2d","kind":"treestore","vlmeta":{"number":1},"leaves":1,"groups":{"/g":{"number":2}}}"#);
    assert!(lines.len() == 2 && lines[1].contains(r#""key":"/g/x""#), "{lines:?}");
}

/// A store in which a leaf is a store whose leaves are itself, and one that says so a thousand times.
#[test]
fn an_embed_map_that_leads_to_itself_has_an_end() {
    let tests = Temporary::new("cycle");
    let store = |data: &[u8], map: &str| embed_store("b2embed", data, map);
    let inner: Vec<u8> = store(b"data", r#""/a": {"offset": 0, "length": 4}"#);
    let whole = format!(r#"{{"offset": 0, "length": {}}}"#, inner.len());
    let map: Vec<_> = (0..1000).map(|n| format!(r#""/{n}": {whole}"#)).collect();
    fs::write(tests.0.join("same.b2e"), store(&inner, &map.join(","))).unwrap();
    let output = run(&["info", "--json", "same.b2e"], &tests.0);
    assert_eq!((text(&output.stderr), text(&output.stdout).lines().count()), ("", 1001));
    assert_eq!(run(&["check", "--data", "same.b2e"], &tests.0).status.code(), Some(0));
    // Offsets count in the data: this is where the store itself would be.
    let beyond = store(&inner, r#""/self": {"offset": 0, "length": 100000}"#);
    fs::write(tests.0.join("beyond.b2e"), beyond).unwrap();
    let error = format!("beyond.b2e::/self: 100000 bytes at 0 are not in the frame's data, which are {}\n", inner.len());
    assert_eq!(text(&run(&["check", "beyond.b2e"], &tests.0).stderr), error);
}

#[test]
fn a_tree_has_an_end() {
    let tests = Temporary::new("deep");
    let deep = tests.0.join("deep.b2d").join("d/".repeat(100));
    fs::create_dir_all(&deep).unwrap();
    fs::copy(format!("{DATA}/example.b2nd"), deep.join("x.b2nd")).unwrap();
    let output = run(&["info", "--tree", "deep.b2d"], &tests.0);
    assert_eq!(text(&output.stdout).lines().count(), 65, "{}", text(&output.stderr));
    assert!(text(&output.stdout).ends_with("d/  1 leaf\n"));
}

/// Several are read at once, and a store is read while others wait.
#[test]
fn what_is_below_comes_in_the_order_of_names() {
    let tests = Temporary::new("order");
    let mut names = Vec::new();
    for number in 0..150 {
        let (source, name) = match number % 50 {
            20 => ("python-blosc2-4.14.1/treestore__dfltb2z.b2z", format!("{number:03}.b2z")),
            30 => ("README.md", format!("{number:03}.txt")),
            _ => ("example.b2nd", format!("{number:03}.b2nd")),
        };
        let mut bytes = fs::read(Path::new(DATA).join(source)).unwrap();
        if number % 50 == 40 {
            bytes.truncate(300);
        }
        fs::write(tests.0.join(&name), bytes).unwrap();
        if number % 50 != 30 {
            names.push(name);
        }
    }
    for command in [&["info", "--json"][..], &["info", "--meta", "--json"], &["check"], &["check", "--json"], &["info", "--tree"]]
    {
        let each = run(&[command, &names.iter().map(String::as_str).collect::<Vec<_>>()].concat(), &tests.0);
        let below = run(&[command, &["-r", "."]].concat(), &tests.0);
        let without_dot = |bytes: &[u8]| text(bytes).replace("./", "");
        assert_eq!(without_dot(&below.stdout), text(&each.stdout), "{command:?}");
        assert_eq!(without_dot(&below.stderr), text(&each.stderr), "{command:?}");
        assert_eq!((below.status, text(&each.stderr).lines().count()), (each.status, 3), "{command:?}");
    }
}

#[test]
fn what_is_asked_for_is_not_left_out() {
    let commands: [&[&str]; 4] =
        [&["chunks", "--meta"], &["chunks", "--tree"], &["chunks", "--slice=0"], &["slice", "0", "--meta"]];
    for command in commands {
        let output = run(&[command, &["example.b2nd"]].concat(), Path::new(DATA));
        assert_eq!((text(&output.stdout), output.status.code()), ("", Some(2)), "{command:?}");
    }
}

#[test]
fn standard_input_is_a_file() {
    let bytes = fs::File::open(format!("{DATA}/example.b2nd")).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_b2nd")).arg("-").stdin(bytes).output().unwrap();
    let named = run(&["example.b2nd"], Path::new(DATA));
    assert_eq!(text(&output.stdout).replacen("-\n", "example.b2nd\n", 1), text(&named.stdout));
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_may_be_any_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let tests = Temporary::new("bytes");
    let name = std::ffi::OsStr::from_bytes(b"a\xff.b2nd");
    fs::copy(format!("{DATA}/example.b2nd"), tests.0.join(name)).unwrap();
    for command in ["info", "check", "hex", "chunks"] {
        let output = Command::new(env!("CARGO_BIN_EXE_b2nd")).arg(command).arg(name).current_dir(&tests.0).output().unwrap();
        assert_eq!((text(&output.stderr), output.status.code()), ("", Some(0)), "{command}");
    }
}

#[test]
fn what_has_no_values_is_named() {
    let store = "python-blosc2-4.14.1/treestore__dfltb2z.b2z";
    let said = |args: &[&str]| text(&run(args, Path::new(DATA)).stderr).to_owned();
    assert_eq!(said(&["cat", store]), format!("{store}: it is a store: name a leaf, as in {store}::/KEY\n"));
    let table = "python-blosc2-4.14.1/ctable__to_cframe.b2frame";
    // With the feature arrow its rows are printed.
    if !cfg!(feature = "arrow") {
        assert!(said(&["cat", table]).contains("the frame holds no array"), "{}", said(&["cat", table]));
    }
}

#[test]
fn a_leaf_has_a_key() {
    let store = "python-blosc2-4.14.1/treestore__dfltb2z.b2z";
    let leaf = format!("{store}::/g0/n0");
    let output = run(&[&leaf], Path::new(DATA));
    assert!(text(&output.stdout).starts_with(&format!("{leaf}\n  kind          ndarray\n")));
    let output = run(&[&format!("{store}::/none")], Path::new(DATA));
    assert_eq!(
        text(&output.stderr),
        format!("{store}::/none: there is no /none in it; there are /ext, /g0/n0, /g0/n2, /g1/n1, /g1/n3\n")
    );
    let output = run(&["hex", store], Path::new(DATA));
    assert_eq!(text(&output.stderr), format!("{store}: it is a store: name a leaf, as in {store}::/KEY\n"));
    let output = run(&["example.b2nd::/a"], Path::new(DATA));
    assert_eq!(text(&output.stderr), "example.b2nd::/a: it is no store, so there is no /a in it\n");
}

/// An archive's `embed.b2e` that is deflated is refused by name, as python-blosc2 refuses it; other members are inflated.
#[test]
fn deflated_members_are_read_or_named() {
    let tests = Temporary::new("deflated");
    let example = fs::read(format!("{DATA}/example.b2nd")).unwrap();
    fs::write(tests.0.join("good.zip"), zip("data/a.b2nd", &example)).unwrap();
    let output = run(&["good.zip::/data/a"], &tests.0);
    assert!(text(&output.stdout).contains("  element     structure of 3 fields"), "{}", text(&output.stderr));
    fs::write(tests.0.join("bad.b2z"), zip("embed.b2e", &example)).unwrap();
    let output = run(&["bad.b2z"], &tests.0);
    let error = "the member \"embed.b2e\" is deflated, and python-blosc2 reads none but a stored one";
    assert_eq!((text(&output.stderr), output.status.code()), (format!("bad.b2z: embed.b2e: {error}\n").as_str(), Some(1)));
    // A member's name is a key as it stands.
    fs::write(tests.0.join("colons.zip"), zip("a::b.b2nd", &example)).unwrap();
    assert!(run(&["colons.zip::/a::b"], &tests.0).status.success());
    assert_eq!(text(&run(&["info", "--tree", "colons.zip"], &tests.0).stdout).matches("a::b").count(), 1);
    let mut cut = zip("data/a.b2nd", &example);
    cut.truncate(cut.len() - 30);
    fs::write(tests.0.join("cut.zip"), cut).unwrap();
    assert_eq!(run(&["cut.zip"], &tests.0).status.code(), Some(1));
}

/// An archive of one member, deflated into one stored block.
fn zip(name: &str, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len()).unwrap();
    let deflated = [&[1][..], &length.to_le_bytes(), &(!length).to_le_bytes(), data].concat();
    let crc = data.iter().fold(!0_u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    });
    let sizes = [&(!crc).to_le_bytes()[..], &(deflated.len() as u32).to_le_bytes(), &(data.len() as u32).to_le_bytes()].concat();
    let name_len = (name.len() as u16).to_le_bytes();
    let mut zip = [&b"PK\x03\x04\x14\0\0\0\x08\0\0\0\0\0"[..], &sizes, &name_len, &[0; 2], name.as_bytes(), &deflated].concat();
    let start = zip.len() as u32;
    zip.extend([&b"PK\x01\x02\x14\0\x14\0\0\0\x08\0\0\0\0\0"[..], &sizes, &name_len, &[0; 16], name.as_bytes()].concat());
    let length = zip.len() as u32 - start;
    zip.extend([&b"PK\x05\x06\0\0\0\0\x01\0\x01\0"[..], &length.to_le_bytes(), &start.to_le_bytes(), &[0; 2]].concat());
    zip
}
