//! `b2nd view`: the server, asked as a browser asks and as others might.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use crate::harness::{Directory, Place, STORE};

/// A running server: its port, and the path of its page without the slash at the end.
struct Server {
    child: Child,
    port: u16,
    root: String,
}

impl Server {
    fn start(tests: &Directory, files: &[&str]) -> Server {
        Server::start_with(tests, files, "exec \"$0\" \"$@\"")
    }

    /// Starts one from a script.
    fn start_with(tests: &Directory, files: &[&str], script: &str) -> Server {
        std::fs::create_dir(tests.path("page")).unwrap();
        tests.write("page/index.html", "the page");
        tests.write("page/page.js", "0");
        let arguments = [&["view", "--no-open", "--page", "page"], files].concat();
        let mut command = std::process::Command::new("sh");
        command.args(["-c", script, env!("CARGO_BIN_EXE_b2nd")]).args(&arguments).current_dir(tests.path(""));
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("http://127.0.0.1:").unwrap();
        let (port, path) = url.split_once('/').unwrap();
        let root = path.strip_suffix("/?list=files.json").unwrap();
        assert_eq!(root.len(), 32, "{line}");
        Server { child, port: port.parse().unwrap(), root: format!("/{root}") }
    }

    /// The status, the headers and the body of an answer.
    fn ask(&self, method: &str, path: &str, headers: &str) -> (u16, String, Vec<u8>) {
        let host = if headers.contains("Host: ") { String::new() } else { format!("Host: 127.0.0.1:{}\r\n", self.port) };
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(stream, "{method} {path} HTTP/1.1\r\n{host}{headers}Connection: close\r\n\r\n").unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap().to_lowercase();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head, bytes[end + 4..].to_vec())
    }

    fn get(&self, path: &str, headers: &str) -> (u16, String, Vec<u8>) {
        self.ask("GET", &format!("{}/{path}", self.root), headers)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_page_and_the_named_files_are_served() {
    let tests = Directory::with_example();
    tests.ok(&["repack", "a.b2nd", "sparse.b2nd", "--sparse"]);
    tests.write("store.b2z", Place::data().read(STORE));
    let server = Server::start(&tests, &["a.b2nd", "sparse.b2nd", "store.b2z"]);
    assert_eq!(server.get("", "").2, b"the page");
    let (status, head, body) = server.get("page.js", "");
    assert_eq!((status, body.as_slice()), (200, &b"0"[..]));
    assert!(head.contains("content-type: text/javascript") && head.contains("cache-control: no-store"), "{head}");

    let list: serde_json::Value = serde_json::from_slice(&server.get("files.json", "").2).unwrap();
    assert_eq!((&list[0]["name"], &list[0]["url"]), (&"a.b2nd".into(), &"files/0".into()));
    assert_eq!((&list[1]["name"], &list[1]["files"][0]["path"]), (&"sparse.b2nd".into(), &"00000000.chunk".into()));

    let file = tests.read("a.b2nd");
    assert!(server.get("files/0", "").2 == file);
    let (status, head, body) = server.get("files/0", "Range: bytes=100-199\r\n");
    assert_eq!((status, body.as_slice()), (206, &file[100..200]));
    assert!(head.contains(&format!("content-range: bytes 100-199/{}", file.len())), "{head}");
    assert!(server.get("files/0", "Range: bytes=-10\r\n").2 == file[file.len() - 10..]);
    assert_eq!(server.get("files/0", "Range: bytes=9999999-\r\n").0, 416);
    let (status, head, body) = server.ask("HEAD", &format!("{}/files/0", server.root), "");
    assert!(status == 200 && body.is_empty() && head.contains(&format!("content-length: {}", file.len())), "{head}");
    assert!(server.get("files/2", "").2 == tests.read("store.b2z"));
    assert!(server.get("files/1/0", "").2 == tests.read("sparse.b2nd/00000000.chunk"));
}

#[test]
fn nothing_else_is_served_and_to_nobody_else() {
    let tests = Directory::with_example();
    tests.write("secret.txt", "secret");
    let mut server = Server::start(&tests, &["a.b2nd"]);
    for path in ["../secret.txt", "%2e%2e/secret.txt", "files/0/../../secret.txt", "files/1", "secret.txt", "files/0/0"] {
        assert_eq!(server.get(path, "").0, 404, "{path}");
    }
    for path in ["/", "/files.json", "/00000000000000000000000000000000/files.json", &server.root[..32]] {
        assert_eq!(server.ask("GET", path, "").0, 404, "{path}");
    }
    let port = server.port;
    assert_eq!(server.get("files/0", "Host: evil.example\r\n").0, 403);
    assert_eq!(server.get("files/0", "Origin: http://evil.example\r\n").0, 403);
    assert_eq!(server.get("files/0", &format!("Host: localhost:{port}\r\nOrigin: http://localhost:{port}\r\n")).0, 200);
    assert_eq!(server.ask("POST", &format!("{}/files/0", server.root), "").0, 405);

    let id = server.child.id().to_string();
    assert!(std::process::Command::new("kill").arg(id).status().unwrap().success());
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

/// Below a directory may be more files than a program can hold open.
#[test]
fn files_below_a_directory_are_not_held_open() {
    let tests = Directory::with_example();
    for number in 0..100 {
        tests.take("example.b2nd", &format!("{number}.b2nd"));
    }
    let server = Server::start_with(&tests, &["-r", "."], "ulimit -n 40 && exec \"$0\" \"$@\"");
    let list: serde_json::Value = serde_json::from_slice(&server.get("files.json", "").2).unwrap();
    assert_eq!(list.as_array().unwrap().len(), 101);
    assert!(server.get("files/100", "").2 == tests.read("a.b2nd"));
}

#[test]
fn without_a_page_it_says_where_to_get_one() {
    let tests = Directory::with_example();
    let error = tests.refused(&["view", "--no-open", "--page", ".", "a.b2nd"]);
    assert_eq!(error, ".: it has no index.html");
    assert!(tests.refused(&["view", "--no-open", "nothing.b2nd"]).starts_with("nothing.b2nd: "));
}
