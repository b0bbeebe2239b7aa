//! Behavior of all commands: what they print on a terminal, what they wait for, and the order of many files.

use std::fs;
use std::process::Command;

use b2nd::{B2ndMeta, Geometry};
use b2nd_frame::{Header, Sizes, Writer};

use crate::harness::{Directory, Place, printed};
#[cfg(target_os = "linux")]
use crate::harness::{five_by_seven, npy, on_terminal};

/// On a terminal this would set the window's title, change colors, begin a control sequence with one character, and reverse the
/// direction of text.
const HOSTILE: &str = "\x1b]0;t\x07\x1b[31m\u{9b}1m\u{202e}\r\n";

#[cfg(unix)]
#[test]
fn nothing_in_a_file_reaches_the_terminal_as_it_is() {
    let tests = Directory::new();
    let mut header = Header::new(Sizes { typesize: 1, chunksize: 4, blocksize: 4 }).unwrap();
    let dtype = format!("[('{HOSTILE}', 'i1')]");
    let array = b2nd::to_vec(&B2ndMeta::new(Geometry::new(&[4], &[4], &[4]).unwrap(), dtype.as_str())).unwrap();
    header.metalayers_mut().insert("b2nd", array).unwrap();
    let packed = [&[0xa0 | HOSTILE.len() as u8][..], HOSTILE.as_bytes()].concat();
    header.metalayers_mut().insert(HOSTILE, packed.as_slice()).unwrap();
    let mut writer = Writer::new(header);
    writer.append_special(b2nd_frame::Special::Zeros, 4).unwrap();
    writer.set_vlmetalayer_bytes(HOSTILE, &packed).unwrap();
    let name = format!("{}.b2nd", HOSTILE.trim_end());
    tests.write(&name, writer.finish().unwrap());
    let commands: [&[&str]; 12] = [
        &["info"],
        &["info", "--json"],
        &["meta", "list"],
        &["meta", "list", "--json"],
        &["info", "--tree"],
        &["hex"],
        &["draw"],
        &["info", "--chunks"],
        &["check"],
        &["check", "--json"],
        &["info", "--offset", "7"],
        &["upgrade", "--in-place"],
    ];
    for command in commands {
        let (out, err, _) = tests.run(&[command, &[name.as_str()]].concat());
        for shown in [out.as_str(), err.as_str()] {
            let misleads = |char: char| char != '\n' && (char.is_control() || char == '\u{202e}');
            assert!(!shown.contains(misleads), "{command:?}: {shown:?}");
        }
        assert!(!out.is_empty() || !err.is_empty(), "{command:?}");
    }
}

#[cfg(unix)]
#[test]
fn nobody_waits_for_a_pipe() {
    let tests = Directory::new();
    if !Command::new("mkfifo").arg(tests.path("pipe")).status().is_ok_and(|status| status.success()) {
        return eprintln!("no mkfifo here: nothing was tried");
    }
    for args in [&["pipe"][..], &["check", "pipe"], &["-r", "."]] {
        let (_, err, _) = tests.run(args);
        let expected = if args == ["-r", "."] { "" } else { "pipe: it is a pipe, a device or a socket, not a file\n" };
        assert_eq!(err.as_str(), expected);
    }
    for args in [&["cat", "pipe"][..], &["export", "pipe", "out.npy"]] {
        let (_, err, status) = tests.run(args);
        assert_eq!((err.as_str(), status), ("pipe: it is a pipe, a device or a socket, not a file\n", 1));
    }
    assert!(!tests.path("out.npy").exists());
}

/// Lines are broken at spaces. All words here are shorter than a line.
#[cfg(target_os = "linux")]
#[test]
fn no_line_is_wider_than_the_terminal() {
    let tests = five_by_seven();
    tests.take("example.b2nd", "e.b2nd");
    tests.take("python-blosc2-4.8.0/lazy__udf.b2nd", "lazy.b2nd");
    let mut bytes = tests.read("a.b2nd");
    fs::write(tests.path("v.b2nd"), &bytes).unwrap();
    tests.ok(&["meta", "set", "v.b2nd", "note", "--text", &"so many words ".repeat(20)]);
    bytes.truncate(bytes.len() - 20);
    tests.write("broken.b2nd", bytes);
    let values: Vec<i32> = (0..90).collect();
    tests.write("wide.npy", npy("<i4", "(2, 45)", &values));
    tests.ok(&["import", "wide.npy", "w.b2nd"]);
    let commands = [
        "info e.b2nd",
        "info v.b2nd",
        "info -r .",
        "info --chunks e.b2nd",
        "hex e.b2nd",
        "check lazy.b2nd",
        "check -r .",
        "meta list v.b2nd",
        "stats w.b2nd",
        "stats e.b2nd",
        "show w.b2nd",
        "cat w.b2nd",
        "head w.b2nd",
        "tail e.b2nd",
        "diff a.b2nd v.b2nd",
        "salvage broken.b2nd new.b2nd",
    ];
    for columns in [60, 80] {
        for command in commands {
            let args: Vec<_> = command.split(' ').collect();
            let _ = fs::remove_file(tests.path("new.b2nd"));
            let (_, _, expected) = tests.run(&args);
            let _ = fs::remove_file(tests.path("new.b2nd"));
            let Some((lines, status)) = on_terminal(&tests, columns, &args) else {
                return eprintln!("no script here: nothing was tried");
            };
            assert_eq!(status, expected, "{command}: {lines:#?}");
            let wide = lines.iter().find(|line| line.chars().count() > columns);
            assert!(wide.is_none() && !lines.is_empty(), "{command}, {columns}: {lines:#?}");
        }
    }
    // All values are printed, and only the first line of a row starts in the first column.
    let Some((lines, _)) = on_terminal(&tests, 60, &["cat", "w.b2nd"]) else { return };
    let starts = lines.iter().filter(|line| !line.starts_with(' ')).map(|line| line.split(' ').next());
    assert!(starts.eq([Some("45")]), "{lines:#?}");
    assert_eq!(lines.iter().flat_map(|line| line.split_whitespace()).count(), 90);
    assert_eq!(tests.ok(&["cat", "w.b2nd"]).lines().count(), 2, "where there is no terminal, a row is a line");
}

/// Several files are read at the same time, and a store is read while others wait.
#[test]
fn what_is_below_comes_in_the_order_of_names() {
    let tests = Directory::new();
    let mut names = Vec::new();
    for number in 0..150 {
        let (source, name) = match number % 50 {
            20 => ("python-blosc2-4.14.1/treestore__dfltb2z.b2z", format!("{number:03}.b2z")),
            30 => ("README.md", format!("{number:03}.txt")),
            _ => ("example.b2nd", format!("{number:03}.b2nd")),
        };
        let mut bytes = fs::read(Place::data().path(source)).unwrap();
        if number % 50 == 40 {
            bytes.truncate(300);
        }
        tests.write(&name, bytes);
        if number % 50 != 30 {
            names.push(name);
        }
    }
    for command in [&["info", "--json"][..], &["check"], &["check", "--json"], &["info", "--tree"]] {
        let each = tests.run(&[command, &names.iter().map(String::as_str).collect::<Vec<_>>()].concat());
        let below = tests.run(&[command, &["-r", "."]].concat());
        let without_dot = |text: &str| text.replace("./", "");
        assert_eq!(without_dot(&below.0), each.0, "{command:?}");
        let count = if command[0] == "check" { "147 files checked\n" } else { "" };
        assert_eq!(without_dot(&below.1), format!("{}{count}", each.1), "{command:?}");
        assert_eq!((below.2, each.1.lines().count()), (each.2, 3), "{command:?}");
        if command == ["check"] {
            let is_ok =
                |name: &&String| below.0.lines().any(|line| line.starts_with(&format!("./{name}")) && line.contains(": ok: "));
            assert_eq!(names.iter().filter(is_ok).count(), 144, "{}", below.0);
        }
    }
}

#[test]
fn standard_input_is_a_file() {
    let bytes = fs::File::open(Place::data().path("example.b2nd")).unwrap();
    let (out, ..) = printed(Place::data().command(&["-"]).stdin(bytes));
    assert_eq!(out.replacen("-\n", "example.b2nd\n", 1), Place::data().run(&["example.b2nd"]).0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_may_be_any_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let tests = Directory::new();
    let name = std::ffi::OsStr::from_bytes(b"a\xff.b2nd");
    fs::copy(Place::data().path("example.b2nd"), tests.path(name)).unwrap();
    for command in ["info", "check", "hex"] {
        let (_, err, status) = printed(tests.command(&[command]).arg(name));
        assert_eq!((err.as_str(), status), ("", 0), "{command}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_not_replaced_by_a_file() {
    let tests = Directory::with_example();
    let mut script = Command::new("sh");
    let line = format!("{:?} export --overwrite --format npy a.b2nd /dev/stdout | cat", env!("CARGO_BIN_EXE_b2nd"));
    let (_, error, _) = printed(script.args(["-c", &line]).current_dir(tests.path("")));
    assert_eq!(error, "a.b2nd: /dev/stdout: it is not a regular file: use `-` for standard output\n");
}
