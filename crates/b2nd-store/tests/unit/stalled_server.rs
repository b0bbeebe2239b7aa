//! A server that stalls: a single deadline applies to all requests.
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

use super::open_within;

const BLOCK: u64 = 4096;

/// Starts a server that answers the first request. After that it sends nothing, or a header and then a byte at a time.
fn stalling(trickles: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let mut open = Vec::new();
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = stream.unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            lines.map_while(Result::ok).take_while(|line| !line.is_empty()).for_each(drop);
            let head = |start| {
                format!(
                    "HTTP/1.1 206 Partial Content\r\ncontent-range: bytes {start}-{}/{}\r\ncontent-length: {BLOCK}\r\nconnection: close\r\n\r\n",
                    start + BLOCK - 1,
                    9 * BLOCK
                )
            };
            if number == 0 {
                stream.write_all(head(0).as_bytes()).unwrap();
                stream.write_all(&vec![7; BLOCK as usize]).unwrap();
            } else if trickles {
                stream.write_all(head(BLOCK).as_bytes()).unwrap();
                thread::spawn(move || {
                    while stream.write_all(&[7]).is_ok() {
                        thread::sleep(Duration::from_millis(20))
                    }
                });
            } else {
                open.push(stream);
            }
        }
    });
    format!("http://{address}/file")
}

#[test]
fn a_server_that_stalls_has_one_deadline_for_all_that_is_asked() {
    for trickles in [false, true] {
        let file = open_within(&stalling(trickles), Duration::from_millis(500)).unwrap();
        let start = Instant::now();
        for block in 1..9 {
            let error = file.read(block * BLOCK..(block + 1) * BLOCK).unwrap_err();
            assert!(error.to_string().contains("timeout"), "{error}");
        }
        assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
        assert_eq!(file.read(0..4).unwrap()[..], [7; 4], "what is at hand can be read");
    }
}
