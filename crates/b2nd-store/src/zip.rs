//! [`Zip`]: an archive that is read in ranges.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

use b2nd::{Error, Result};
use rawzip::{CompressionMethod, ReaderAt, ZipArchive, ZipArchiveEntryWayfinder};

use crate::attributes::MAX_VALUE;
use crate::folder::{EMBED, Folder};
use b2nd::frame::{Source, Window};

/// How much of the directory is read at once.
const BUFFER: usize = 1 << 16;

/// How far before its end an archive's directory is looked for: a comment may be 64 KiB long.
const SEARCHED: u64 = 1 << 17;

/// A zip archive.
pub struct Zip<'s> {
    source: &'s dyn Source,
    archive: ZipArchive<At<'s>>,
    members: BTreeMap<String, Member>,
}

struct Member {
    place: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    is_encrypted: bool,
    length: u64,
}

impl<'s> Zip<'s> {
    /// Reads the directory of an archive.
    ///
    /// # Errors
    ///
    /// The source is not an archive, or fails.
    pub fn open(source: &'s dyn Source) -> Result<Zip<'s>> {
        let mut buffer = vec![0; BUFFER];
        let located = ZipArchive::with_max_search_space(SEARCHED).locate_in_reader(At(source), &mut buffer, source.len()?);
        let archive = located.map_err(|(_, error)| wrong(error))?;
        let mut members = BTreeMap::new();
        let mut entries = archive.entries(&mut buffer);
        while let Some(entry) = entries.next_entry().map_err(wrong)? {
            let path = entry.file_path();
            let Ok(name) = std::str::from_utf8(path.as_ref()) else { continue };
            // A path that leads out of the archive is nobody's leaf.
            let leads_out = name.starts_with('/') || name.split('/').any(|part| part == "..");
            if !entry.is_dir() && !leads_out {
                let member = Member {
                    place: entry.wayfinder(),
                    method: entry.compression_method(),
                    is_encrypted: entry.flags().is_encrypted(),
                    length: entry.uncompressed_size_hint(),
                };
                members.insert(name.to_owned(), member);
            }
        }
        Ok(Zip { source, archive, members })
    }

    fn member(&self, name: &str) -> Result<(&Member, Range<u64>)> {
        let Some(member) = self.members.get(name) else {
            return Err(Error::custom(format_args!("{name:?} is not in the archive")));
        };
        let (start, end) = self.archive.get_entry(member.place).map_err(wrong)?.compressed_data_range();
        Ok((member, start..end))
    }
}

impl Folder for Zip<'_> {
    fn files(&self) -> Result<Vec<String>> {
        Ok(self.members.keys().cloned().collect())
    }

    fn open(&self, name: &str) -> Result<Box<dyn Source + '_>> {
        let (member, range) = self.member(name)?;
        let refused = |what: &str| Err(Error::custom(format_args!("the member {name:?} is {what}")));
        if member.is_encrypted {
            return refused("encrypted");
        }
        match member.method {
            CompressionMethod::STORE => Ok(Box::new(Window::new(self.source, range))),
            CompressionMethod::DEFLATE if name == EMBED => refused("deflated, and python-blosc2 reads none but a stored one"),
            CompressionMethod::DEFLATE if member.length <= MAX_VALUE as u64 => {
                let packed = self.source.read(range)?;
                match miniz_oxide::inflate::decompress_to_vec_with_limit(&packed, member.length as usize) {
                    Ok(data) if data.len() as u64 == member.length => Ok(Box::new(data)),
                    Ok(data) => refused(&format!("deflated: expected {} bytes, found {}", member.length, data.len())),
                    Err(error) => refused(&format!("deflated, and cannot be inflated: {error}")),
                }
            }
            CompressionMethod::DEFLATE => refused("deflated, and too long to be inflated into memory"),
            other => refused(&format!("compressed with the method {other}")),
        }
    }

    fn offset(&self, name: &str) -> Result<u64> {
        Ok(self.member(name)?.1.start)
    }
}

/// A source as rawzip reads it.
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
