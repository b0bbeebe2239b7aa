//! Files behind HTTP: which requests are sent, and how wrong responses are handled.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::ops::Range;
use std::sync::mpsc;
use std::thread;

use crate::harness::{Directory, Place};

/// A server's response: the status line with headers, and the body.
pub(crate) type Answer = (String, Vec<u8>);

/// Starts a server that calls `answer` with the path and range of each request. Returns its URL.
pub(crate) fn serve(answer: impl Fn(&str, Range<usize>) -> Answer + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let head: Vec<String> = lines.map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
            let path = head[0].split(' ').nth(1).unwrap();
            let range = head.iter().find_map(|line| line.to_lowercase().strip_prefix("range: bytes=").map(str::to_owned));
            let range = range.unwrap();
            let (start, last) = range.split_once('-').unwrap();
            let (head, body) = answer(path, start.parse().unwrap()..last.parse::<usize>().unwrap() + 1);
            let head = format!("HTTP/1.1 {head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
            // The client may close the connection early.
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
        }
    });
    format!("http://{address}")
}

/// The correct response to a request for a range of a file.
pub(crate) fn part(bytes: &[u8], range: Range<usize>) -> Answer {
    let end = range.end.min(bytes.len());
    let head = format!("206 Partial Content\r\ncontent-range: bytes {}-{}/{}", range.start, end - 1, bytes.len());
    (head, bytes[range.start..end].to_vec())
}

#[test]
fn an_address_is_read_by_ranges() {
    let same = |file: &str, args: &[&str]| {
        let bytes = Place::data().read(file);
        let url = serve(move |_, range| part(&bytes, range)) + "/file";
        let (remote, local) =
            (Place::data().run(&[args, &[url.as_str()]].concat()), Place::data().run(&[args, &[file]].concat()));
        assert_eq!(remote.1, "");
        assert_eq!(remote.0.replace(&url, file), local.0, "{file}");
    };
    same("example.b2nd", &["info", "--chunks"]);
    same("example.b2nd", &["hex"]);
    same("python-blosc2-4.14.1/treestore__dfltb2z.b2z", &["info", "--json"]);
    #[cfg(feature = "hdf5")]
    same("../../crates/b2nd-hdf5/tests/data/pytables.h5", &["info", "--full"]);
    let gone = "http://127.0.0.1:1/file";
    let (_, error, status) = Place::data().run(&[gone]);
    assert!(error.starts_with(&format!("{gone}: ")) && status == 1);
}

/// Of the chunks, only those that the slice touches are requested.
#[test]
fn a_slice_of_a_remote_array_is_what_is_fetched() {
    let tests = Directory::new();
    let place = tests.path("slice.b2nd");
    let values: Vec<u8> = (0..1_000_000_u32).flat_map(u32::to_le_bytes).collect();
    let geometry = b2nd::Geometry::new(&[1_000_000], &[100_000], &[100_000]).unwrap();
    let stored = b2nd_ndarray::Options { level: 0, ..b2nd_ndarray::Options::default() };
    b2nd_ndarray::write_bytes(&place, &b2nd::B2ndMeta::new(geometry, "<u4"), &values, &stored).unwrap();
    // A leaf is read without its neighbors, even if one of them is a table.
    tests.unpack("kinds.b2z", "store.b2d/table");
    for leaf in 'a'..='j' {
        std::fs::copy(&place, tests.path(format!("store.b2d/{leaf}.b2nd"))).unwrap();
    }
    tests.ok(&["repack", "store.b2d", "store.b2z"]);
    for (file, key, most) in [("slice.b2nd", "", 5), ("store.b2z", "::/e", 7)] {
        let bytes = tests.read(file);
        let (asked, questions) = mpsc::channel();
        let url = serve(move |_, range| {
            asked.send(range.len()).unwrap();
            part(&bytes, range)
        });
        let (out, error, _) = Place::data().run(&["cat", &format!("{url}/{file}{key}"), "700000:700003"]);
        assert_eq!((out.as_str(), error.as_str()), ("700000\n700001\n700002\n", ""));
        let asked: Vec<_> = questions.try_iter().collect();
        assert!(asked.len() <= most && asked.iter().sum::<usize>() < 800_000, "{file}: {asked:?}");
    }
}

#[test]
fn a_file_of_20_kb_takes_two_requests() {
    let tests = Directory::new();
    let values: Vec<u8> = (0..5000_u32).flat_map(u32::to_le_bytes).collect();
    let geometry = b2nd::Geometry::new(&[5000], &[1000], &[500]).unwrap();
    let stored = b2nd_ndarray::Options { level: 0, ..b2nd_ndarray::Options::default() };
    b2nd_ndarray::write_bytes(tests.path("a.b2nd"), &b2nd::B2ndMeta::new(geometry, "<u4"), &values, &stored).unwrap();
    let bytes = tests.read("a.b2nd");
    let (asked, questions) = mpsc::channel();
    let url = serve(move |_, range| {
        asked.send(range.clone()).unwrap();
        part(&bytes, range)
    });
    assert_eq!(Place::data().run(&["cat", &url]).0, tests.ok(&["cat", "a.b2nd"]));
    let asked: Vec<_> = questions.try_iter().collect();
    assert!(asked.len() <= 2, "{asked:?}");
}

/// Such a server is `python -m http.server`.
#[test]
fn a_server_without_ranges_gives_a_small_file_whole() {
    let bytes = Place::data().read("example.b2nd");
    let url = serve(move |_, _| ("200 OK".to_owned(), bytes.clone()));
    for command in ["info", "stats", "cat"] {
        let (remote, local) = (Place::data().run(&[command, &url]), Place::data().run(&[command, "example.b2nd"]));
        assert_eq!((remote.0.replace(&url, "example.b2nd"), remote.1), (local.0, local.1), "{command}");
    }
}

/// The query of a signed URL is kept byte for byte, and the key of a leaf follows it.
#[test]
fn a_query_is_passed_on_and_a_redirect_followed() {
    let store = Place::data().read("python-blosc2-4.14.1/treestore__dfltb2z.b2z");
    const QUERY: &str = "/there?X-Signature=a%2Bb%3D&n=1";
    let host = serve(move |path, range| match path {
        "/here" => (format!("302 Found\r\nlocation: {QUERY}"), Vec::new()),
        QUERY => part(&store, range),
        _ => ("404 Not Found".to_owned(), Vec::new()),
    });
    for path in ["/here", QUERY] {
        let (out, error, _) = Place::data().run(&["cat", &format!("{host}{path}::/g0/n0")]);
        assert_eq!((out.as_str(), error.as_str()), ("0\n1\n2\n3\n", ""), "{path}");
    }
    let other = format!("{host}/there?n=1");
    assert_eq!(Place::data().run(&[&other]).1, format!("{other}: the server answered 404 Not Found\n"));
}

#[test]
fn a_server_that_lies_is_refused() {
    let example = Place::data().read("example.b2nd");
    let refused = |answer: Answer, error: &str| {
        let url = serve(move |_, _| answer.clone());
        let (out, said, status) = Place::data().run(&[&url]);
        assert_eq!((out.as_str(), status), ("", 1));
        assert_eq!(said, format!("{url}: {error}\n"));
    };
    let partial = |range: &str| format!("206 Partial Content\r\ncontent-range: {range}");
    let whole = "the server answered a range request with the whole file, which has more than 16777216 bytes: download it first";
    refused(("200 OK".to_owned(), vec![0; (1 << 24) + 1]), whole);
    refused(
        (partial("bytes 1-4000/4794"), example[1..4001].to_vec()),
        "bytes 0-4095 were requested, but the server sent 4,000 bytes with Content-Range: bytes 1-4000/4794",
    );
    refused(
        (partial("bytes 0-4095/4794"), example[..100].to_vec()),
        "bytes 0-4095 were requested, but the server sent 100 bytes with Content-Range: bytes 0-4095/4794",
    );
    refused(
        (partial(&format!("bytes 0-3999/{}", u64::MAX)), example[..4000].to_vec()),
        "bytes 0-4095 were requested, but the server sent 4,000 bytes with Content-Range: bytes 0-3999/18446744073709551615",
    );
    let silent = "the server's answer: expected the header Content-Range with bytes START-END/LENGTH, found ";
    refused((partial("bytes 0-4793/*"), example.clone()), &format!("{silent}bytes 0-4793/*"));
    refused(("206 Partial Content".to_owned(), example.clone()), &format!("{silent}none"));
    refused((partial("bytes 0-4095/70000"), vec![0; 70_000]), "the response body is larger than request limit: 4097");
    refused(("302 Found\r\nlocation: /".to_owned(), Vec::new()), "too many redirects");
    // A server can answer a range of an empty file with 416.
    refused(("416 Range Not Satisfiable".to_owned(), Vec::new()), "it is an empty file");
}

#[test]
fn a_file_that_changes_meanwhile_is_refused() {
    let mut bytes = Place::data().read("example.b2nd");
    bytes.resize(70_000, 0);
    // The file is longer than the first block that is fetched, so the trailer needs another request.
    bytes[0x10..0x18].copy_from_slice(&70_000_u64.to_be_bytes());
    let url = serve(move |_, range| match range.start {
        0 => part(&bytes, range),
        _ => part(&[&bytes[..], &[0; 9]].concat(), range),
    });
    let error = format!("{url}: the file changed while it was read: it had 70,000 bytes, and has 70009 now\n");
    assert_eq!(Place::data().run(&[&url]), (String::new(), error, 1));
}

/// While it is read, the file is replaced by another file of the same length.
#[test]
fn a_file_that_is_replaced_meanwhile_is_refused() {
    for (field, value) in [("etag", "\"1\""), ("last-modified", "Mon, 01 Jan 2024 00:00:00 GMT")] {
        let mut bytes = Place::data().read("example.b2nd");
        bytes.resize(70_000, 0);
        bytes[0x10..0x18].copy_from_slice(&70_000_u64.to_be_bytes());
        let url = serve(move |_, range| {
            let first = range.start == 0;
            let (head, body) = part(&bytes, range);
            (format!("{head}\r\n{field}: {}", if first { value } else { "another" }), body)
        });
        let name = if field == "etag" { "ETag" } else { "Last-Modified" };
        let error =
            format!("the file was replaced while it was read: its {name} was {value}, and is another now\n").replace('"', "\"");
        assert_eq!(Place::data().run(&[&url]), (String::new(), format!("{url}: {error}"), 1));
    }
}

#[test]
fn a_failure_for_a_moment_is_asked_again_and_a_missing_file_once() {
    let bytes = Place::data().read("example.b2nd");
    let (asked, questions) = mpsc::channel();
    let mut failures = 2;
    let answer = std::sync::Mutex::new(move || {
        failures -= 1;
        failures >= 0
    });
    let url = serve(move |path, range| {
        asked.send(path.to_owned()).unwrap();
        match path {
            "/there" if !answer.lock().unwrap()() => part(&bytes, range),
            "/there" => ("503 Service Unavailable".to_owned(), Vec::new()),
            _ => ("404 Not Found".to_owned(), Vec::new()),
        }
    });
    let (_, error, status) = Place::data().run(&[&format!("{url}/there")]);
    // Four requests: two failures, the first bytes, and the rest.
    assert_eq!((error.as_str(), status, questions.try_iter().count()), ("", 0, 4));
    for command in ["info", "cat"] {
        let missing = format!("{url}/gone");
        let error = format!("{missing}: the server answered 404 Not Found\n");
        assert_eq!(Place::data().run(&[command, &missing]), (String::new(), error, 1));
        assert_eq!(questions.try_iter().count(), 1, "{command}");
    }
}

#[test]
fn passwords_and_impossible_ports_are_refused_and_passwords_are_not_printed() {
    for (url, shown, why) in [
        (
            "http://user:s3cret@127.0.0.1:1/x.b2nd",
            "http://***@127.0.0.1:1/x.b2nd",
            "user names and passwords in URLs are not supported",
        ),
        (
            "http://127.0.0.1:99999/x.b2nd",
            "http://127.0.0.1:99999/x.b2nd",
            "the port in \"127.0.0.1:99999\" is not a number from 0 to 65535",
        ),
    ] {
        for command in [&["info", url][..], &["info", "--json", url], &["cat", url], &["export", url, "out.npy"], &["check", url]]
        {
            let (out, error, status) = Place::data().run(command);
            assert_eq!((out.as_str(), status != 0), ("", true), "{command:?}");
            assert!(error.starts_with(&format!("{shown}: {why}")) && !error.contains("s3cret"), "{error}");
        }
    }
}

/// A signal ends a command that waits for a server at once, and its temporary file is removed.
#[cfg(unix)]
#[test]
fn a_signal_ends_the_wait_for_a_server() {
    let tests = Directory::new();
    let values: Vec<i64> = (0..400_000).map(|value| value * 7919 % 100_003).collect();
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let header = "{'descr': '<i8', 'fortran_order': False, 'shape': (400000,), }";
    let header = format!("{header:<117}\n");
    tests.write("a.npy", [b"\x93NUMPY\x01\x00\x76\x00", header.as_bytes(), &bytes].concat());
    tests.ok(&["import", "a.npy", "a.b2nd", "--chunks", "1000"]);
    std::fs::remove_file(tests.path("a.npy")).unwrap();
    let frame = tests.read("a.b2nd");
    let (asked, questions) = mpsc::channel();
    let length = frame.len();
    let url = serve(move |_, range| {
        // The server sends the start and the end of the file, but no other part.
        if range.start > 0 && range.end < length {
            asked.send(()).unwrap();
            thread::sleep(std::time::Duration::from_secs(600));
        }
        part(&frame, range)
    });
    let mut export = tests.command(&["export", &format!("{url}/a.b2nd"), "out.csv"]).spawn().unwrap();
    questions.recv_timeout(std::time::Duration::from_secs(60)).unwrap();
    assert!(tests.names().iter().any(|name| name.ends_with(".tmp")), "{:?}", tests.names());
    let start = std::time::Instant::now();
    assert!(std::process::Command::new("kill").arg(export.id().to_string()).status().unwrap().success());
    assert_eq!(export.wait().unwrap().code(), None, "it ended by the signal");
    assert!(start.elapsed() < std::time::Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(tests.names(), ["a.b2nd"]);
}

#[cfg(feature = "arrow")]
#[test]
fn a_table_whose_types_cannot_be_read_says_so() {
    use crate::harness::npy;

    // The tool first fetches the start and the end of an archive. Long files before and after the columns keep the columns out of these
    // parts.
    let tests = Directory::new();
    tests.write("table.b2z", Place::tables().read("kinds.b2z"));
    tests.ok(&["repack", "table.b2z", "table.b2d"]);
    tests.write("long.npy", npy("<i4", "(100000,)", &[7; 100_000]));
    for name in ["table.b2d/_cols/aa.b2nd", "table.b2d/_cols/zz.b2nd"] {
        tests.ok(&["import", "long.npy", name, "--level", "0"]);
    }
    tests.ok(&["repack", "table.b2d", "long.b2z"]);
    let bytes = tests.read("long.b2z");
    let count = std::sync::atomic::AtomicUsize::new(0);
    let url = serve(move |_, range| match count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
        0..=2 => part(&bytes, range),
        _ => ("404 Not Found".to_owned(), Vec::new()),
    });
    let (out, _, status) = tests.run(&[&format!("{url}/table.b2z")]);
    assert!(out.contains("types and nulls could not be read: "), "{out}");
    assert!(out.contains("404 Not Found"), "{out}");
    assert_eq!(status, 1);
}
