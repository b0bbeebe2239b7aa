//! [`Zip`]: a zip archive, read by ranges.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use b2nd_frame::{Error, Result, Source, Window};
use rawzip::{CompressionMethod, ReaderAt, ZipArchive};

use crate::attributes::MAX_VALUE;
use crate::folder::{EMBED, Folder, LeftOut, Why, same_crc};
use crate::frame::Bytes;
use crate::text::{count, printable};

/// The size of the buffer for reading the archive's directory, in bytes.
const BUFFER: usize = 1 << 16;

/// The number of bytes at the end of an archive that are searched for the end of the directory. A comment of up to 64 KiB may follow it.
const SEARCHED: u64 = 1 << 17;

/// The length of a member's local header without the name and the extra field, in bytes.
const LOCAL_HEADER: u64 = 30;

/// A zip archive. If several members have the same name, the last one is used, as by Python's `zipfile`.
pub struct Zip {
    source: Bytes,
    members: BTreeMap<String, Member>,
    left_out: Vec<LeftOut>,
    /// The decompressed members. Their total length is at most `MAX_VALUE` bytes.
    inflated: Mutex<BTreeMap<String, Arc<Vec<u8>>>>,
}

struct Member {
    /// The offset of the member's local header.
    start: u64,
    method: CompressionMethod,
    is_encrypted: bool,
    packed: u64,
    length: u64,
    crc: u32,
}

impl Zip {
    /// Reads the directory of an archive, which lists its members.
    ///
    /// # Errors
    ///
    /// Fails if the source cannot be read as an archive, or if two members overlap.
    pub fn open(source: impl Source + Send + Sync + 'static) -> Result<Zip> {
        let mut buffer = vec![0; BUFFER];
        let located = ZipArchive::with_max_search_space(SEARCHED).locate_in_reader(At(&source), &mut buffer, source.len()?);
        let archive = located.map_err(|(_, error)| wrong(error))?;
        let (mut members, mut left_out, mut places) = (BTreeMap::new(), Vec::new(), Vec::new());
        let mut entries = archive.entries(&mut buffer);
        while let Some(entry) = entries.next_entry().map_err(wrong)? {
            let path = entry.file_path();
            let start = entry.local_header_offset();
            let length = LOCAL_HEADER.saturating_add(path.as_ref().len() as u64).saturating_add(entry.compressed_size_hint());
            places.push(start..start.saturating_add(length));
            if entry.is_dir() {
                continue;
            }
            let mut leave_out = |why| left_out.push(LeftOut { name: String::from_utf8_lossy(path.as_ref()).into_owned(), why });
            let Ok(name) = std::str::from_utf8(path.as_ref()) else {
                leave_out(Why::NotUtf8);
                continue;
            };
            if name.starts_with('/') || name.split('/').any(|part| part == "..") {
                leave_out(Why::Outside);
            } else {
                let member = Member {
                    start,
                    method: entry.compression_method(),
                    is_encrypted: entry.flags().is_encrypted(),
                    packed: entry.compressed_size_hint(),
                    length: entry.uncompressed_size_hint(),
                    crc: entry.crc32(),
                };
                if members.insert(name.to_owned(), member).is_some() {
                    leave_out(Why::Duplicate);
                }
            }
        }
        places.sort_unstable_by_key(|place| place.start);
        if let Some(pair) = places.windows(2).find(|pair| pair[1].start < pair[0].end) {
            return Err(Error::custom(format_args!("two members of the archive overlap at byte {}", pair[1].start)));
        }
        Ok(Zip { source: Arc::new(source), members, left_out, inflated: Mutex::default() })
    }

    fn entry(&self, name: &str) -> Result<(&Member, Range<u64>)> {
        let Some(member) = self.members.get(name) else {
            return Err(Error::custom(format_args!("{name:?} is not in the archive")));
        };
        let end = member.start.saturating_add(LOCAL_HEADER).saturating_add(name.len() as u64);
        let header = self.source.read(member.start..end)?;
        let differs = |why| refused(name, &format!("damaged: its own header, which should match the archive's directory, {why}"));
        let after = member.check(name, &header).map_err(differs)?;
        let start = end.saturating_add(after);
        Ok((member, start..start.saturating_add(member.packed)))
    }

    fn inflate(&self, name: &str, member: &Member, range: Range<u64>) -> Result<Arc<Vec<u8>>> {
        let mut inflated = self.inflated.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(data) = inflated.get(name) {
            return Ok(data.clone());
        }
        let room = MAX_VALUE.saturating_sub(inflated.values().map(|data| Vec::len(data)).sum());
        let Some(length) = usize::try_from(member.length).ok().filter(|&length| length <= room) else {
            let why = format!("compressed, and all decompressed members together would exceed the limit of {MAX_VALUE} bytes");
            return Err(refused(name, &why));
        };
        let packed = self.source.read(range)?;
        let data = miniz_oxide::inflate::decompress_to_vec_with_limit(&packed, length)
            .map_err(|error| refused(name, &format!("compressed, and decompression to the length {length} failed: {error}")))?;
        if data.len() != length {
            let [expected, found] = [length, data.len()].map(|length| count(length, "byte"));
            return Err(refused(name, &format!("compressed: expected {expected} after decompression, found {found}")));
        }
        same_crc(name, member.crc, rawzip::crc32(&data))?;
        let data = Arc::new(data);
        inflated.insert(name.to_owned(), data.clone());
        Ok(data)
    }
}

impl Member {
    /// Compares a member's local header with its entry in the archive's directory. Returns the length of the extra field, which follows the
    /// name in the local header.
    fn check(&self, name: &str, header: &[u8]) -> std::result::Result<u64, String> {
        let number = |at: usize, width: usize| {
            let bytes = header.get(at..at + width).unwrap_or_default();
            bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
        };
        let Some(found) = header.get(LOCAL_HEADER as usize..).filter(|_| header.starts_with(b"PK\x03\x04")) else {
            return Err("is missing".to_owned());
        };
        if number(26, 2) != name.len() as u64 || found != name.as_bytes() {
            return Err("has a different name".to_owned());
        }
        let (flags, method) = (number(6, 2), number(8, 2));
        if u16::try_from(method).map(CompressionMethod::from) != Ok(self.method) {
            return Err(format!("has the compression method {method}, not {}", self.method));
        }
        // The local header may lack the lengths, which can also be stored after the data or in the extra field.
        let differs = |said: u64, length: u64| flags & 8 == 0 && said != u64::from(u32::MAX) && said != length;
        let (packed, length) = (number(18, 4), number(22, 4));
        if differs(packed, self.packed) || differs(length, self.length) {
            let (expected, unpacked) = (self.packed, self.length);
            return Err(format!(
                "gives a compressed length of {packed} (expected {expected}) and a length of {length} (expected {unpacked})"
            ));
        }
        Ok(number(28, 2))
    }
}

impl Folder for Zip {
    fn member(&self, name: &str) -> Result<Option<Bytes>> {
        if !self.members.contains_key(name) {
            return Ok(None);
        }
        let (member, range) = self.entry(name)?;
        match member.method {
            _ if member.is_encrypted => Err(refused(name, "encrypted, which is not supported")),
            CompressionMethod::STORE => Ok(Some(Arc::new(Window::new(self.source.clone(), range)))),
            CompressionMethod::DEFLATE if name == EMBED => {
                Err(refused(name, "compressed, but python-blosc2 needs it uncompressed: pack the files again with `zip -0`"))
            }
            CompressionMethod::DEFLATE => Ok(Some(self.inflate(name, member, range)?)),
            other => Err(refused(name, &format!("compressed with the method {other}, which is not supported"))),
        }
    }

    fn offset(&self, name: &str) -> Result<u64> {
        Ok(self.entry(name)?.1.start)
    }

    fn contents(&self) -> Result<(Vec<String>, Vec<LeftOut>)> {
        Ok((self.members.keys().cloned().collect(), self.left_out.clone()))
    }

    fn is_stored(&self, file: &str) -> bool {
        self.members.get(file).is_some_and(|member| member.method == CompressionMethod::STORE && !member.is_encrypted)
    }

    fn crc(&self, file: &str) -> Option<u32> {
        self.members.get(file).map(|member| member.crc)
    }
}

fn refused(name: &str, what: &str) -> Error {
    Error::custom(format_args!("the member \"{}\" is {what}", printable(name)))
}

/// A wrapper around a source. The crate rawzip can read from it, because it implements rawzip's trait `ReaderAt`.
#[derive(Clone, Copy)]
struct At<'s>(&'s dyn Source);

impl ReaderAt for At<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let bytes = self.0.read(offset..offset.saturating_add(buffer.len() as u64)).map_err(io::Error::from)?;
        buffer.get_mut(..bytes.len()).unwrap_or_default().copy_from_slice(&bytes);
        Ok(bytes.len())
    }
}

fn wrong(error: rawzip::Error) -> Error {
    match error.kind() {
        rawzip::ErrorKind::IO(error) => io::Error::new(error.kind(), error.to_string()).into(),
        _ => Error::custom(format_args!("the zip archive cannot be read: {error}")),
    }
}
