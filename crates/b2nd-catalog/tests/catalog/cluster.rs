//! A scheduler and two executors as processes, one of which dies.

use std::net::TcpListener;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::files::{ask, frame, program};
use crate::server::Server;

/// A process that does not outlive its test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(arguments: &[&str]) -> Process {
    Process(program(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
}

/// A port that is free together with the next one.
fn port() -> u16 {
    loop {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        if port < u16::MAX && TcpListener::bind(("127.0.0.1", port + 1)).is_ok() {
            return port;
        }
    }
}

#[test]
fn every_file_has_its_row_once_when_an_executor_is_killed() {
    const FILES: i64 = 20_000;
    let server =
        Server::start((0..FILES).map(|number| (format!("{number}.b2nd"), frame(number % 10 + 1))), Duration::from_millis(20));
    let directory = tempfile::tempdir().unwrap();
    let address = format!("127.0.0.1:{}", port());
    let _scheduler = start(&["scheduler", "--listen", &address]);
    let executor = || {
        let listen = format!("127.0.0.1:{}", port());
        start(&["executor", "--scheduler", &address, "--listen", &listen, "--parts", "1", "--jobs", "64"])
    };
    wait(|| std::net::TcpStream::connect(&address).is_ok());
    let (mut victim, _other) = (executor(), executor());
    std::thread::sleep(Duration::from_secs(2));
    let out = directory.path().join("out.parquet");
    let manifest = directory.path().to_str().unwrap();
    let mut scan =
        program(&["scan", &server.url(), "--cluster", &address, "--manifest", manifest, "--out", out.to_str().unwrap()]);
    let mut scan = Process(scan.spawn().unwrap());
    wait(|| server.answered() > FILES as u64 / 4);
    victim.0.kill().unwrap();
    assert!(server.answered() < FILES as u64, "the executor was killed too late");
    assert!(scan.0.wait().unwrap().success());
    let counted =
        ask(&out, "select count(*) as n, count(distinct url) as urls, count(error) as errors, sum(shape[1]) as sum from arrays");
    assert_eq!(counted, [json!({"n": FILES, "urls": FILES, "errors": 0, "sum": FILES / 10 * 55})]);
}

#[track_caller]
fn wait(ready: impl Fn() -> bool) {
    let started = Instant::now();
    while !ready() {
        assert!(started.elapsed() < Duration::from_secs(60), "it takes too long");
        std::thread::sleep(Duration::from_millis(20));
    }
}
