//! `b2nd view`: the server, with requests as a browser sends them and with malicious ones.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{Directory, Place, STORE};
use crate::remote;

/// A running server: its port, and the path of its page without the final slash.
struct Server {
    child: Child,
    port: u16,
    root: String,
}

impl Server {
    fn start(tests: &Directory, files: &[&str]) -> Server {
        Server::start_with(tests, files, "exec \"$0\" \"$@\"")
    }

    /// Starts a server from a shell script.
    fn start_with(tests: &Directory, files: &[&str], script: &str) -> Server {
        let arguments = [&["view", "--no-open"], files].concat();
        let mut command = Command::new("sh");
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

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    fn send(&self, stream: &mut TcpStream, method: &str, path: &str, headers: &str, body: &str) {
        let host = if headers.contains("Host: ") { String::new() } else { format!("Host: 127.0.0.1:{}\r\n", self.port) };
        let length = if method == "POST" { format!("Content-Length: {}\r\n", body.len()) } else { String::new() };
        // The server may reject a request before reading all of it.
        let _ = write!(stream, "{method} {path} HTTP/1.1\r\n{host}{headers}{length}\r\n{body}");
    }

    /// Sends a request. Returns the status, the headers and the body of the response.
    fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String, Vec<u8>) {
        let mut stream = self.connect();
        self.send(&mut stream, method, path, &format!("{headers}Connection: close\r\n"), body);
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap().to_lowercase();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head, bytes[end + 4..].to_vec())
    }

    fn get(&self, path: &str, headers: &str) -> (u16, String, Vec<u8>) {
        self.ask("GET", &format!("{}/{path}", self.root), headers, "")
    }

    /// Sends a request about a file, as the page does.
    fn question(&self, file: usize, question: &Value) -> (String, Vec<u8>) {
        let (status, head, body) = self.ask("POST", &format!("{}/ask/{file}", self.root), "", &question.to_string());
        assert_eq!(status, 200);
        (head, body)
    }

    fn json(&self, file: usize, question: Value) -> Value {
        let (head, body) = self.question(file, &question);
        assert!(head.contains("content-type: application/json") && head.contains("cache-control: no-store"), "{head}");
        serde_json::from_slice(&body).unwrap()
    }

    /// Requests a view of a file. Returns the JSON and the buffers after it.
    fn view(&self, file: usize, key: Option<&str>, view: Value) -> (Value, Vec<u8>) {
        let (head, body) = self.question(file, &json!({"values": [key, {"view": view}]}));
        assert!(head.contains("content-type: application/octet-stream"), "{head}");
        let (length, rest) = body.split_at(4);
        let (text, buffers) = rest.split_at(u32::from_le_bytes(length.try_into().unwrap()) as usize);
        (serde_json::from_slice(text).unwrap(), buffers.to_vec())
    }

    fn interrupt(&self) {
        assert!(Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap().success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_page_is_served_and_its_questions_are_answered() {
    let tests = Directory::with_example();
    tests.ok(&["repack", "a.b2nd", "sparse.b2nd", "--sparse"]);
    tests.write("store.b2z", Place::data().read(STORE));
    tests.take("grid/i4_2d.b2nd", "i4.b2nd");
    let server = Server::start(&tests, &["a.b2nd", "sparse.b2nd", "store.b2z", "i4.b2nd", "store.b2z::/g1/n3"]);
    let page = Place::root().path("web/page");
    for entry in std::fs::read_dir(&page).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(server.get(&name, "").2 == std::fs::read(page.join(&name)).unwrap(), "{name}");
    }
    assert!(server.get("", "").2 == std::fs::read(page.join("index.html")).unwrap());
    let (status, head, body) = server.ask("HEAD", &format!("{}/page.js", server.root), "", "");
    assert!(status == 200 && body.is_empty() && head.contains("content-type: text/javascript"), "{head}");

    let list: Value = serde_json::from_slice(&server.get("files.json", "").2).unwrap();
    assert_eq!(list[1], json!({"name": "sparse.b2nd", "door": "ask/1"}));
    // The metadata is the same as in `info --json`.
    let info = |path: &str| -> Vec<Value> {
        tests.ok(&["info", "--json", path]).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    for (file, path) in ["a.b2nd", "sparse.b2nd"].into_iter().enumerate() {
        assert_eq!(server.json(file, json!({"reader": [null, "look"]})), json!({"store": null}));
        assert_eq!(server.json(file, json!({"reader": [null, "info"]})), info(path)[0], "{path}");
    }
    let chunk = server.json(1, json!({"reader": [null, {"chunk": [true, [0, 0, 0]]}]}));
    let length = std::fs::metadata(tests.path("sparse.b2nd/00000000.chunk")).unwrap().len();
    assert_eq!(chunk["file"], json!(["00000000.chunk", length]));
    let store = server.json(2, json!({"reader": [null, "look"]}));
    let lines = info("store.b2z");
    assert_eq!((&store["store"], store["leaves"].as_array().unwrap().as_slice()), (&lines[0], &lines[1..]));
    assert_eq!(server.json(2, json!({"reader": [1, "info"]})), lines[2]);
    // The values are the same as in `cat --json`.
    let (answer, buffers) = server.view(3, None, json!({"start": [2, 0], "end": [4, 3], "forms": ["bytes"]}));
    assert_eq!((&answer["shape"], &answer["buffers"]), (&json!([2, 3]), &json!([["bytes", 24]])));
    let values: Vec<i32> = buffers.chunks_exact(4).map(|four| i32::from_le_bytes(four.try_into().unwrap())).collect();
    let printed: Value = serde_json::from_str(&tests.ok(&["cat", "--json", "i4.b2nd", "2:4,:3"])).unwrap();
    assert_eq!(json!([values[..3], values[3..]]), printed);
    let texts = json!({"start": [2], "end": [4], "rows": 0, "columns": -1, "forms": ["texts"]});
    for (file, key) in [(2, Some("/g1/n3")), (4, None)] {
        assert_eq!(server.view(file, key, texts.clone()).0["texts"], json!([["2"], ["3"]]));
    }
    // If a file was replaced, it is opened again when the page is loaded.
    tests.take("grid/i4_2d.b2nd", "new");
    std::fs::rename(tests.path("new"), tests.path("a.b2nd")).unwrap();
    server.json(0, json!({"reader": [null, "look"]}));
    assert_eq!(server.json(0, json!({"reader": [null, "info"]}))["array"]["dtype"], info("a.b2nd")[0]["array"]["dtype"]);
}

#[test]
fn nothing_else_is_served_and_to_nobody_else() {
    let tests = Directory::with_example();
    tests.write("secret.txt", "secret");
    let mut server = Server::start(&tests, &["a.b2nd"]);
    for path in ["../secret.txt", "%2e%2e/secret.txt", "ask/0/../../secret.txt", "secret.txt", "a.b2nd", "files/0"] {
        assert_eq!(server.get(path, "").0, 404, "{path}");
    }
    let other = format!("/{}/ask/0", "0".repeat(32));
    for path in ["/", "/files.json", &other, &server.root[..32]] {
        assert_eq!(server.ask("GET", path, "", "").0, 404, "{path}");
    }
    let port = server.port;
    let door = format!("{}/ask/0", server.root);
    let info = r#"{"reader": [null, "info"]}"#;
    let post = |path: &str, headers: &str, body: &str| server.ask("POST", path, headers, body).0;
    assert_eq!(post(&other, "", info), 404);
    assert_eq!(post(&door, "Host: evil.example\r\n", info), 403);
    assert_eq!(post(&door, "Origin: http://evil.example\r\n", info), 403);
    assert_eq!(post(&door, "Origin: null\r\n", info), 403);
    assert_eq!(post(&door, &format!("Host: localhost:{port}\r\nOrigin: http://localhost:{port}\r\n"), info), 200);
    assert_eq!(post(&format!("{}/ask/1", server.root), "", info), 404);
    assert_eq!(post(&format!("{}/page.js", server.root), "", info), 405);
    assert_eq!(server.get("ask/0", "").0, 405);
    assert_eq!(post(&door, "", &" ".repeat((1 << 16) + 1)), 413);
    let error = server.json(0, json!({"reader": [null, {"info": "/etc/passwd"}]}));
    assert!(error["error"].as_str().unwrap().starts_with("the page's request cannot be parsed: "), "{error}");
    let view = json!({"start": [0, 0, 0], "end": [1_u64 << 40, 1, 1], "forms": ["no"]});
    assert!(server.view(0, None, view).0["error"].is_string());
    assert!(server.json(0, json!({"reader": [null, "secret"]}))["error"].is_string());
    assert!(server.json(0, json!({"reader": [7, "info"]}))["error"].is_null(), "a frame has no leaves");

    assert!(Command::new("kill").arg(server.child.id().to_string()).status().unwrap().success());
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

/// A directory shows only frames and stores, and links are not followed.
#[test]
fn a_directory_shows_its_frames_and_no_links() {
    let tests = Directory::with_example();
    for directory in ["home", "home/.ssh", "home/x"] {
        std::fs::create_dir(tests.path(directory)).unwrap();
    }
    tests.write("home/.ssh/id_rsa", "secret");
    tests.take("example.b2nd", "home/x/z.b2nd");
    tests.take("example.b2nd", "home/x/replaced.b2nd");
    tests.take("grid/i4_2d.b2nd", "other.b2nd");
    let server = Server::start(&tests, &["home", "a.b2nd"]);
    let look = server.json(0, json!({"reader": [null, "look"]}));
    let keys: Vec<_> = look["leaves"].as_array().unwrap().iter().map(|leaf| leaf["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["/x/replaced", "/x/z"]);
    assert!(server.json(0, json!({"values": ["/.ssh/id_rsa", {"open": {"batches": false}}]}))["error"].is_string());
    for path in ["home/x/replaced.b2nd", "a.b2nd"] {
        std::fs::remove_file(tests.path(path)).unwrap();
        std::os::unix::fs::symlink(tests.path("other.b2nd"), tests.path(path)).unwrap();
    }
    for (file, key) in [(0, Some("/x/replaced")), (1, None)] {
        let error = server.json(file, json!({"values": [key, {"open": {"batches": false}}]}));
        assert!(error["error"].as_str().unwrap().contains("symbolic link"), "{error}");
    }
    assert!(server.json(0, json!({"values": ["/x/z", {"open": {"batches": false}}]}))["shape"].is_array());
}

/// A directory may contain more files than a process can have open, and files that cannot be read.
#[test]
fn files_below_a_directory_are_listed_without_opening_them() {
    let tests = Directory::with_example();
    for number in 0..100 {
        tests.take("example.b2nd", &format!("{number:02}.b2nd"));
    }
    tests.write("broken.b2nd", "");
    tests.write("text.txt", "text");
    std::os::unix::fs::symlink(tests.path("a.b2nd"), tests.path("link.b2nd")).unwrap();
    tests.ok(&["repack", "a.b2nd", "sparse", "--sparse"]);
    let server = Server::start_with(&tests, &["-r", "."], "ulimit -n 40 && exec \"$0\" \"$@\" 2>errors");
    let list: Value = serde_json::from_slice(&server.get("files.json", "").2).unwrap();
    let names: Vec<_> = list.as_array().unwrap().iter().map(|file| file["name"].as_str().unwrap()).collect();
    assert_eq!((names.len(), names[0], &names[100..]), (103, "00.b2nd", &["a.b2nd", "broken.b2nd", "sparse"][..]));
    for file in (0..101).chain([102]) {
        assert_eq!(server.json(file, json!({"reader": [null, "info"]}))["array"]["shape"], json!([10, 13, 7]));
    }
    assert!(server.json(101, json!({"reader": [null, "info"]}))["error"].is_string());
    assert!(String::from_utf8(tests.read("errors")).unwrap().contains("link.b2nd: it is a symbolic link"));
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let tests = Directory::with_example();
    assert!(tests.refused(&["view", "--no-open", "nothing.b2nd"]).starts_with("nothing.b2nd: "));
    std::fs::create_dir(tests.path("empty")).unwrap();
    let error = tests.refused(&["view", "--no-open", "empty"]);
    assert!(error.starts_with("empty: no Blosc2 frame was found in it: "), "{error}");
    assert!(error.ends_with("; to serve the frames and stores in the directory, use -r"), "{error}");
}

/// Waits until the server closes a connection. Returns the seconds that passed and the bytes that it sent.
fn closed(mut stream: TcpStream) -> (u64, Vec<u8>) {
    let (started, mut bytes) = (Instant::now(), Vec::new());
    let _ = stream.read_to_end(&mut bytes);
    (started.elapsed().as_secs(), bytes)
}

#[test]
fn idle_connections_are_closed_and_more_than_64_wait() {
    let tests = Directory::with_example();
    let server = Server::start(&tests, &["a.b2nd"]);
    let silent = server.connect();
    let mut started = server.connect();
    write!(started, "GET / HT").unwrap();
    let mut kept = server.connect();
    server.send(&mut kept, "GET", &format!("{}/files.json", server.root), "", "");
    let mut stalled = server.connect();
    write!(stalled, "POST {}/ask/0 HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: 100\r\n\r\n{{", server.root, server.port)
        .unwrap();
    let open: Vec<_> = (0..60).map(|_| server.connect()).collect();
    // The 65th connection is answered when others are closed.
    let began = Instant::now();
    assert_eq!(server.get("files.json", "").0, 200);
    let waited = began.elapsed().as_secs();
    assert!((10..25).contains(&waited), "{waited} s");
    for (stream, sent) in [(silent, ""), (started, ""), (kept, "HTTP/1.1 200"), (stalled, "HTTP/1.1 408")] {
        let (seconds, bytes) = closed(stream);
        assert!(seconds < 20 && bytes.starts_with(sent.as_bytes()), "{seconds} s, {sent}");
    }
    drop(open);
    let began = Instant::now();
    assert_eq!(server.get("files.json", "").0, 200);
    assert!(began.elapsed() < Duration::from_secs(5));
}

/// Starts another server that delays each response. Returns its URL and the counter of requests.
fn slow(bytes: Vec<u8>, delay: Arc<AtomicU64>) -> (String, Arc<AtomicU64>) {
    let asked = Arc::new(AtomicU64::new(0));
    let counted = asked.clone();
    let url = remote::serve(move |_, range| {
        counted.fetch_add(1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(delay.load(Ordering::SeqCst)));
        remote::part(&bytes, range)
    });
    (url + "/far.b2nd", asked)
}

#[test]
fn an_answer_that_nobody_waits_for_stops() {
    let tests = Directory::new();
    let geometry = b2nd::Geometry::new(&[2_000_000], &[20_000], &[20_000]).unwrap();
    let values: Vec<u8> = (0..2_000_000_u32).flat_map(u32::to_le_bytes).collect();
    let stored = b2nd_ndarray::Options { level: 0, ..b2nd_ndarray::Options::default() };
    b2nd_ndarray::write_bytes(tests.path("a.b2nd"), &b2nd::B2ndMeta::new(geometry, "<u4"), &values, &stored).unwrap();
    let delay = Arc::new(AtomicU64::new(0));
    let (url, asked) = slow(tests.read("a.b2nd"), delay.clone());
    let server = Server::start(&tests, &[&url]);
    server.json(0, json!({"reader": [null, "info"]}));
    delay.store(100, Ordering::SeqCst);
    let view = json!({"values": [null, {"view": {"start": [0], "end": [2_000_000], "forms": ["bytes"]}}]}).to_string();
    let mut stream = server.connect();
    server.send(&mut stream, "POST", &format!("{}/ask/0", server.root), "", &view);
    std::thread::sleep(Duration::from_millis(700));
    assert!(asked.load(Ordering::SeqCst) > 3);
    drop(stream);
    std::thread::sleep(Duration::from_millis(700));
    let then = asked.load(Ordering::SeqCst);
    std::thread::sleep(Duration::from_millis(1000));
    assert_eq!(asked.load(Ordering::SeqCst), then, "100 chunks in 10 s, if it goes on");
}

#[test]
fn a_signal_ends_it_at_once_while_a_server_elsewhere_does_not_answer() {
    let tests = Directory::with_example();
    let delay = Arc::new(AtomicU64::new(0));
    let (url, asked) = slow(tests.read("a.b2nd"), delay.clone());
    let mut server = Server::start(&tests, &[&url]);
    delay.store(60_000, Ordering::SeqCst);
    let before = asked.load(Ordering::SeqCst);
    let mut stream = server.connect();
    server.send(&mut stream, "POST", &format!("{}/ask/0", server.root), "", r#"{"reader": [null, "look"]}"#);
    while asked.load(Ordering::SeqCst) == before {
        std::thread::sleep(Duration::from_millis(10));
    }
    let began = Instant::now();
    server.interrupt();
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
}

#[test]
fn questions_about_a_file_that_stalls_leave_room_for_others() {
    let tests = Directory::with_example();
    let delay = Arc::new(AtomicU64::new(0));
    let (url, asked) = slow(tests.read("a.b2nd"), delay.clone());
    let server = Server::start(&tests, &[&url, "a.b2nd"]);
    delay.store(30_000, Ordering::SeqCst);
    let before = asked.load(Ordering::SeqCst);
    let stalled: Vec<TcpStream> = (0..6)
        .map(|_| {
            let mut stream = server.connect();
            server.send(&mut stream, "POST", &format!("{}/ask/0", server.root), "", r#"{"reader": [null, "look"]}"#);
            stream
        })
        .collect();
    while asked.load(Ordering::SeqCst) == before {
        std::thread::sleep(Duration::from_millis(10));
    }
    let began = Instant::now();
    assert!(server.json(1, json!({"reader": [null, "info"]}))["array"].is_object());
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    drop(stalled);
}
