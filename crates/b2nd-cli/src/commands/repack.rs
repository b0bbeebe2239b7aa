//! `b2nd repack`: files without the gaps that edits leave, or recompressed.

use std::fmt::Display;
use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use b2nd::frame::{CodecId, FileSource, Filter, Frame, FrameType, NewDirectory, NewFile, SPARSE_FRAME, Source};
use b2nd_ndarray::RepackOptions;
use b2nd_store::{Bytes, Directory, Folder, Store, is_store_directory, is_zip};
use b2nd_view::text::thousands;
use clap::Args;
use rawzip::ZipArchiveWriter;

use crate::commands::import;
use crate::error::{Error, Result};
use crate::output::{self, Output};
use crate::piped::Piped;
use crate::progress;
use crate::staged::must_not_exist;

/// The most bytes that are copied at once.
const PART: u64 = 1 << 20;

/// Copies a frame or a store without the gaps that edits leave.
#[derive(Args)]
pub(crate) struct Repack {
    /// A frame, the directory of a sparse frame, a store (.b2z, .b2d), or `-` for standard input.
    source: PathBuf,

    /// The new file, or `-` for standard output; of a store the ending (.b2z, .b2d) says what it becomes. Without it the old file is
    /// replaced when the new one is complete.
    target: Option<PathBuf>,

    /// Compress anew with this codec: blosclz, lz4, lz4hc, zlib or zstd.
    #[arg(long, value_parser = import::codec)]
    codec: Option<CodecId>,

    /// Compress anew at this level, 0 to 9; 0 stores.
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..=9))]
    level: Option<u8>,

    /// Compress anew with these filters, in the order in which they run: shuffle, bitshuffle, delta, or none.
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', value_parser = import::filter)]
    filters: Option<Vec<Filter>>,

    /// Cut the array into chunks of these lengths: 100,100.
    #[arg(long, value_name = "SHAPE", value_delimiter = ',')]
    chunks: Option<Vec<i32>>,

    /// Cut its chunks into blocks of these lengths.
    #[arg(long, value_name = "SHAPE", value_delimiter = ',')]
    blocks: Option<Vec<i32>>,

    /// Write a sparse frame: a directory with a file for each chunk.
    #[arg(long)]
    sparse: bool,

    /// Write a frame in one file.
    #[arg(long, conflicts_with = "sparse")]
    contiguous: bool,

    /// Replace a file that is there.
    #[arg(long)]
    overwrite: bool,
}

impl Repack {
    pub(crate) fn run(&self, output: &mut Output) -> io::Result<bool> {
        crate::signals::clean_up();
        let done = self.repack();
        let Some(line) = output.settle(&self.source, done)? else { return Ok(false) };
        output.out.write_all(line.as_bytes()).map(|()| true)
    }

    /// Returns the line to print: none if standard output is for the frame.
    fn repack(&self) -> Result<String> {
        let files = Piped::new(&self.source, self.target.as_deref())?;
        let target = files.target.as_ref().unwrap_or(&files.source);
        if files.target.is_some() && !self.overwrite {
            must_not_exist(target)?;
        }
        let old = length(&files.source)?;
        let bar = progress::bytes(data_len(&files.source).unwrap_or(old));
        let progress = |bytes| bar.inc(bytes);
        let options = RepackOptions {
            codec: self.codec,
            level: self.level,
            filters: self.filters.as_ref().map(|all| all.iter().filter(|&&it| it != Filter::None).map(|&it| (it, 0)).collect()),
            chunkshape: self.chunks.clone(),
            blockshape: self.blocks.clone(),
            frame_type: match (self.sparse, self.contiguous) {
                (true, _) => Some(FrameType::Sparse),
                (_, true) => Some(FrameType::Contiguous),
                _ => None,
            },
            overwrite: self.overwrite,
            progress: Some(&progress),
        };
        let done = match store_at(&files.source)? {
            Some(store) => self.store(&store, &files, &options),
            None => b2nd_ndarray::repack(&files.source, target, &options).map_err(Error::new),
        };
        done.map_err(|error| Error::new(files.named(&error.to_string())))?;
        let new = length(target)?;
        files.print()?;
        if files.is_printed() {
            return Ok(String::new());
        }
        let line = format!("{} bytes, {} before, ratio {:.1}", thousands(new), thousands(old), old as f64 / new.max(1) as f64);
        Ok(output::named(self.target.as_ref().unwrap_or(&self.source), line) + "\n")
    }

    fn store(&self, store: &Store, files: &Piped, options: &RepackOptions<'_>) -> Result<()> {
        if self.chunks.is_some() || self.blocks.is_some() {
            return Err(Error::new(
                "it is a store, whose arrays have shapes of their own: --chunks and --blocks are for one array",
            ));
        }
        if self.sparse || self.contiguous {
            return Err(Error::new("it is a store: the ending of the new one, .b2z or .b2d, says what it becomes"));
        }
        let mut names = store.files()?;
        names.sort_unstable();
        let leads_out = |name: &&String| !Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        if let Some(name) = names.iter().find(leads_out) {
            return Err(Error::new(format_args!("the name of its member {name:?} leads out of it")));
        }
        let members = Members { store, names, directory: (!store.is_archive()).then_some(&files.source), options };
        match (&files.target, members.directory) {
            (None, Some(directory)) => members.in_place(directory),
            (None, None) => members.archive(&files.source, true),
            (Some(target), directory) => match target.extension().and_then(|ending| ending.to_str()) {
                Some("b2d") => members.write_directory(target),
                Some("b2z") => members.archive(target, self.overwrite),
                _ if directory.is_some() && !files.is_printed() => members.write_directory(target),
                _ => members.archive(target, self.overwrite),
            },
        }
    }
}

/// The files of a store.
struct Members<'a> {
    store: &'a Store,
    names: Vec<String>,
    /// Where they are, if they are in no archive.
    directory: Option<&'a PathBuf>,
    options: &'a RepackOptions<'a>,
}

impl Members<'_> {
    /// Opens a member, and says whether it is a whole frame: not a part of a sparse one, and no other file.
    fn open(&self, name: &str) -> Result<(Bytes, bool)> {
        let bytes = self.store.member(name)?.ok_or_else(|| Error::new(format_args!("{name} is gone")))?;
        let is_frame = Frame::open(&*bytes).is_ok_and(|frame| frame.header().frame_type() == FrameType::Contiguous);
        Ok((bytes, is_frame))
    }

    /// Writes a member to a path where nothing is: a frame without its gaps, another file as it is.
    fn write(&self, name: &str, path: &Path) -> Result<()> {
        let (bytes, is_frame) = self.open(name)?;
        if !is_frame {
            let mut file = NewFile::create_new(path)?;
            copy(&*bytes, &mut file)?;
            return Ok(file.finish()?);
        }
        let done = match self.directory {
            // Whoever edits it is waited for.
            Some(directory) => b2nd_ndarray::repack(directory.join(name), path, self.options),
            None => b2nd_ndarray::repack_from(bytes, path, self.options),
        };
        done.map_err(|error| in_member(name, &error))
    }

    /// Replaces every frame.
    fn in_place(&self, directory: &Path) -> Result<()> {
        for name in &self.names {
            if self.open(name)?.1 {
                let path = directory.join(name);
                b2nd_ndarray::repack(&path, &path, self.options)?;
            }
        }
        Ok(())
    }

    fn write_directory(&self, target: &Path) -> Result<()> {
        let new = NewDirectory::create_new(target)?;
        for name in &self.names {
            let path = new.path().join(name);
            fs::create_dir_all(path.parent().unwrap_or(new.path()))?;
            self.write(name, &path)?;
        }
        Ok(new.finish()?)
    }

    /// Writes an archive whose members are stored as they are, since python-blosc2 reads no others.
    fn archive(&self, target: &Path, overwrite: bool) -> Result<()> {
        let mut file = if overwrite { NewFile::create(target)? } else { NewFile::create_new(target)? };
        // One member at a time is in this directory, which never gets its name.
        let mut name = target.file_name().unwrap_or_default().to_owned();
        name.push(".members");
        let scratch = NewDirectory::create_new(target.with_file_name(name))?;
        let path = scratch.path().join("member.b2nd");
        let mut archive = ZipArchiveWriter::new(io::BufWriter::new(&mut file));
        for name in &self.names {
            self.write(name, &path)?;
            let (mut entry, config) = archive.new_file(name).start()?;
            let mut writer = config.wrap(&mut entry);
            io::copy(&mut fs::File::open(&path)?, &mut writer)?;
            let (_, written) = writer.finish()?;
            entry.finish(written)?;
            fs::remove_file(&path)?;
        }
        archive.finish()?.flush()?;
        Ok(file.finish()?)
    }
}

fn in_member(name: &str, error: &dyn Display) -> Error {
    Error::new(format_args!("{name}: {error}"))
}

/// The store at a path, if it is an archive or a store's directory.
fn store_at(path: &Path) -> Result<Option<Store>> {
    let is_store = match path.is_dir() {
        true => is_store_directory(path) && !path.join(SPARSE_FRAME).exists(),
        false => is_zip(&FileSource::open(path)?.read(0..4)?),
    };
    if is_store { Ok(Some(Store::open(path)?)) } else { Ok(None) }
}

/// The length of a frame's data, which progress is counted in.
fn data_len(path: &Path) -> Option<u64> {
    u64::try_from(b2nd::frame::File::open(path).ok()?.header().nbytes()).ok()
}

fn copy(source: &dyn Source, target: &mut dyn Write) -> Result<()> {
    let mut start = 0;
    loop {
        let part = source.read(start..start.saturating_add(PART))?;
        if part.is_empty() {
            return Ok(());
        }
        target.write_all(&part)?;
        start += part.len() as u64;
    }
}

/// The length of a file, or of all that is in a directory.
fn length(path: &Path) -> Result<u64> {
    if !path.is_dir() {
        return Ok(fs::metadata(path)?.len());
    }
    let files = Directory(path.to_owned()).files()?;
    files.into_iter().map(|name| Ok(fs::metadata(path.join(name))?.len())).sum()
}
