//! Reads frames over HTTP with range requests. [`Pieces`] holds the parts that have been fetched and lists the missing ones:
//! first 4 KiB, then the rest of a longer header, then the index and one chunk.
//!
//! ```text
//! cargo run -p b2nd-frame --example remote
//! ```
//!
//! The server is part of the example, so no network is needed. Object stores accept the same requests. A client can fetch all
//! missing parts at the same time.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::thread;

use b2nd::{B2ndMeta, Geometry};
use b2nd_frame::{Chunk, Frame, Header, Pieces, Writer};
use ureq::Agent;
use ureq::http::StatusCode;

/// A file behind HTTP, with the parts that have been fetched.
struct Remote {
    agent: Agent,
    url: String,
    pieces: Pieces,
    requests: usize,
}

impl Remote {
    fn new(url: String) -> Remote {
        let agent = Agent::config_builder().proxy(None).http_status_as_error(false).build().new_agent();
        Remote { agent, url, pieces: Pieces::default(), requests: 0 }
    }

    /// Calls `read` with the frame, fetches the parts that are missing, and repeats this until none is missing.
    fn read<T>(&mut self, read: impl Fn(Frame<&Pieces>) -> b2nd_frame::Result<T>) -> Result<T, Box<dyn Error>> {
        loop {
            let done = Frame::open(&self.pieces).and_then(&read);
            let missing = self.pieces.take_missing(4096);
            if missing.is_empty() {
                return Ok(done?);
            }
            for range in missing {
                let bytes = self.fetch(&range)?;
                self.pieces.put(range, bytes)?;
            }
        }
    }

    /// Fetches a range, or the part of it that is in the file.
    fn fetch(&mut self, range: &Range<u64>) -> Result<Vec<u8>, Box<dyn Error>> {
        let header = format!("bytes={}-{}", range.start, range.end - 1);
        let mut response = self.agent.get(&self.url).header("Range", header).call()?;
        self.requests += 1;
        match response.status() {
            StatusCode::PARTIAL_CONTENT => Ok(response.body_mut().read_to_vec()?),
            // The range starts at or after the end of the file.
            StatusCode::RANGE_NOT_SATISFIABLE => Ok(Vec::new()),
            status => Err(format!("expected a part of the file, found status {status}").into()),
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let example = std::fs::read("tests/data/example.b2nd")?;
    let files = BTreeMap::from([
        ("cut.b2nd", example[..200].to_vec()),
        ("example.b2nd", example),
        ("large.b2nd", array(1 << 23, 0)?),
        ("long-header.b2nd", array(1 << 20, 2048)?),
        ("longest-header.b2nd", array(1 << 20, 60_000)?),
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec()),
    ]);
    let names: Vec<(&str, usize)> = files.iter().map(|(name, bytes)| (*name, bytes.len())).collect();
    let address = serve(files)?;

    println!("file                   bytes  requests  fetched  header");
    for (name, length) in names {
        let mut remote = Remote::new(format!("http://{address}/{name}"));
        let header = remote.read(|frame| Ok(frame.header().clone()));
        print!("{name:20} {length:7}  {:8}  {:7}  ", remote.requests, remote.pieces.held());
        match header {
            Ok(header) => {
                let shape = header.array()?.map(|array| array.geometry().shape().to_vec()).unwrap_or_default();
                println!("{} bytes, array of {shape:?}", header.header_len());
            }
            Err(error) => println!("{error}"),
        }
        assert!(remote.requests <= 2);
    }

    let mut remote = Remote::new(format!("http://{address}/example.b2nd"));
    let chunk = remote.read(|frame| Ok(*frame.chunk(2)?.header()))?;
    println!("chunk 2 of example.b2nd: {} bytes, {} with {}", chunk.nbytes(), chunk.cbytes(), chunk.codec());
    println!("{} requests, {} bytes fetched", remote.requests, remote.pieces.held());
    Ok(())
}

/// A frame with an array of `length` bytes and, as an example of a serde type, a metalayer with a list of `wavelengths` numbers, unless
/// that is 0.
fn array(length: i32, wavelengths: u16) -> b2nd_frame::Result<Vec<u8>> {
    let meta = B2ndMeta::of::<u8>(Geometry::new(&[length.into()], &[length], &[1 << 16])?);
    let mut header = Header::for_array(&meta)?;
    if wavelengths > 0 {
        let nanometres: Vec<f64> = (0..wavelengths).map(|band| 400.0 + f64::from(band)).collect();
        header.metalayers_mut().insert("wavelengths", b2nd::to_vec(&nanometres)?)?;
    }
    let mut writer = Writer::new(header);
    let elements: Vec<u8> = (0..length).map(|element| (element % 251) as u8).collect();
    writer.append(&Chunk::store(&elements, 1)?)?;
    writer.finish()
}

/// Serves ranges of files on a free port of this machine until the process ends.
fn serve(files: BTreeMap<&'static str, Vec<u8>>) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for stream in listener.incoming() {
            if let Err(error) = stream.and_then(|stream| answer(stream, &files)) {
                eprintln!("server: {error}");
            }
        }
    });
    Ok(address)
}

/// Responds to `GET /name` with `Range: bytes=first-last`.
fn answer(mut stream: TcpStream, files: &BTreeMap<&str, Vec<u8>>) -> io::Result<()> {
    let lines = BufReader::new(&stream).lines().map_while(Result::ok);
    let head: Vec<String> = lines.take_while(|line| !line.is_empty()).map(|line| line.to_lowercase()).collect();
    let name = head.first().and_then(|line| line.split(' ').nth(1)).and_then(|path| path.strip_prefix('/'));
    let range = head.iter().find_map(|line| line.strip_prefix("range: bytes=")?.split_once('-'));
    let (Some(file), Some((first, last))) = (name.and_then(|name| files.get(name)), range) else {
        return stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    };
    let number = |text: &str| text.parse().map_err(io::Error::other);
    let (first, end): (usize, usize) = (number(first)?, number(last)? + 1);
    let part = file.get(first..end.min(file.len())).unwrap_or_default();
    let status = if part.is_empty() { "416 Range Not Satisfiable" } else { "206 Partial Content" };
    write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {}\r\n", part.len())?;
    write!(stream, "Content-Range: bytes {first}-{}/{}\r\nConnection: close\r\n\r\n", end - 1, file.len())?;
    stream.write_all(part)
}
