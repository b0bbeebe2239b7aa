//! `b2nd repack` removes the gaps that edits leave, or recompresses files.

mod trial;

use std::fs;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use b2nd_frame::{FileSource, Frame, FrameType, NewDirectory, NewFile, SPARSE_FRAME, Source};
use b2nd_ndarray::RepackOptions;
use b2nd_store::{Bytes, Directory, Folder, Location, Store, is_store_directory, is_zip};
use b2nd_view::facts;
use b2nd_view::text::thousands;
use clap::Args;

use crate::archive;
use crate::compression::Compression;
use crate::error::{Error, Result};
use crate::output::{self, Output};
use crate::piped::Piped;
use crate::progress;
use crate::staged::{must_be_free, must_not_be_input, must_not_look_foreign};

/// Copies a frame or a store without the gaps that edits leave.
#[derive(Args)]
pub(crate) struct Repack {
    /// A frame, the directory of a sparse frame, a store (.b2z, .b2d), a leaf of a store, a URL, or `-` for standard input.
    pub(super) source: PathBuf,

    /// The new file, or `-` for standard output. For a store, the ending of this name selects an archive (.b2z) or a directory
    /// (.b2d). By default, the source, or each frame of a .b2d, is replaced when its copy is complete; the copy of standard
    /// input goes to standard output.
    target: Option<PathBuf>,

    #[command(flatten)]
    compression: Compression,

    /// Write a sparse frame: a directory in which chunks are files.
    #[arg(long)]
    sparse: bool,

    /// Write a frame in one file.
    #[arg(long, conflicts_with = "sparse")]
    contiguous: bool,

    /// Replace an existing file.
    #[arg(long)]
    overwrite: bool,

    /// Write nothing: compress a sample of the chunks with several codecs and filters, and print the ratios and the speeds.
    #[arg(long = "try", conflicts_with_all = ["target", "sparse", "contiguous", "overwrite", "chunks", "blocks"])]
    is_trial: bool,
}

impl Repack {
    pub(crate) fn run(&self, output: &mut Output) -> Result<u8> {
        if self.is_trial {
            return trial::print(&self.source, &self.compression, output).map(|()| 0);
        }
        crate::signals::clean_up();
        let files = Piped::new(&self.source, self.target.as_deref())?;
        crate::hdf5::must_not_be_hdf5(&files.source)?;
        let location = Location::new(files.source.as_os_str());
        let leaf = if location.key().is_some() || location.path().is_none() { Some(location.frame()?) } else { None };
        let store = if leaf.is_none() { store_at(&files.source)? } else { None };
        if let Some(target) = &self.target {
            must_not_look_foreign(target, store.is_some())?;
            must_not_be_input(target, &files.source)?;
        }
        files.target.as_ref().map_or(Ok(()), |target| must_be_free(target, self.overwrite))?;
        let target = files.target.as_ref().unwrap_or(&files.source);
        if leaf.is_some() && files.target.is_none() {
            return Err(Error::new("only whole local files and stores can be replaced: give a TARGET"));
        }
        let frame = leaf.as_ref().and_then(|leaf| Frame::open(&**leaf).ok());
        let apart = frame.filter(|one| one.header().frame_type() == FrameType::Sparse).map_or(0, |one| one.header().cbytes());
        let old = leaf.as_ref().map_or_else(|| length(&files.source), |leaf| Ok(leaf.len()?))?.saturating_add_signed(apart);
        let nbytes = || u64::try_from(b2nd_frame::File::open(&files.source).ok()?.header().nbytes()).ok();
        let bar = progress::bytes(nbytes().unwrap_or(old));
        let progress = |bytes| bar.inc(bytes);
        let options = RepackOptions {
            codec: self.compression.codec,
            level: self.compression.level,
            filters: self.compression.filters(),
            chunkshape: self.compression.chunks.clone(),
            blockshape: self.compression.blocks.clone(),
            frame_type: match (self.sparse, self.contiguous || leaf.is_some()) {
                (true, _) => Some(FrameType::Sparse),
                (_, true) => Some(FrameType::Contiguous),
                _ => None,
            },
            overwrite: self.overwrite,
            like: location.path(),
            progress: Some(&progress),
        };
        let done = match (leaf, store) {
            (Some(leaf), _) => b2nd_ndarray::repack_from(leaf, target, &options).map_err(Error::new),
            (None, Some(store)) => self.store(store, &files, &options),
            (None, None) => b2nd_ndarray::repack(&files.source, target, &options).map_err(Error::new),
        };
        done.map_err(|error| Error::new(files.named(&error.to_string())))?;
        let new = length(target)?;
        // A .b2z or .b2d is not a frame, so it has no ratio.
        let frame = b2nd_frame::File::open(target).ok();
        let ratio =
            frame.and_then(|frame| facts::ratio(frame.header())).map_or_else(String::new, |ratio| format!(", ratio {ratio}"));
        files.print()?;
        if !files.is_printed() {
            let line = format!("{} bytes, {} before{ratio}", thousands(new), thousands(old));
            let line = output::named(self.target.as_ref().unwrap_or(&self.source), line);
            writeln!(output.out, "{line}").map_err(Error::Write)?;
        }
        Ok(0)
    }

    fn store(&self, store: Store, files: &Piped, options: &RepackOptions<'_>) -> Result<()> {
        if self.compression.chunks.is_some() || self.compression.blocks.is_some() {
            return Err(Error::new("it is a store: --chunks and --blocks are only for single arrays"));
        }
        if self.sparse || self.contiguous {
            return Err(Error::new(
                "it is a store: --sparse and --contiguous are only for single frames; the name of the new store selects an archive (.b2z) or \
                 a directory (.b2d)",
            ));
        }
        let (new, store) = if files.target.is_none() { archive::lock(store, &files.source)? } else { (None, store) };
        let (names, links) = if files.target.is_none() && new.is_none() { store.contents()? } else { archive::names(&store)? };
        links.iter().for_each(|link| eprintln!("{}", output::named(&files.source, link)));
        let is_inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if let Some(name) = names.iter().find(|name| !Path::new(name).components().all(is_inside)) {
            return Err(Error::new(format_args!("its member {name:?} has an absolute path, or a path with `..`")));
        }
        let members = Members { store: &store, names, directory: files.source.is_dir().then_some(&files.source), options };
        match (&files.target, new) {
            (None, Some(new)) => members.archive(&files.source, new),
            (None, None) => members.in_place(&files.source),
            (Some(target), _) if is_archive(&store, target, files) => {
                let new = if self.overwrite { NewFile::create(target)? } else { NewFile::create_new(target)? };
                options.like.map_or(Ok(()), |source| new.copy_attributes(source))?;
                members.archive(target, new)
            }
            (Some(target), _) => members.write_directory(target),
        }
    }
}

/// Returns true if the copy of a store is an archive, and false if it is a directory.
fn is_archive(store: &Store, target: &Path, files: &Piped) -> bool {
    match target.extension().and_then(|ending| ending.to_str()) {
        Some("b2d") => false,
        Some("b2z") => true,
        _ => store.is_archive() || files.is_printed(),
    }
}

/// The files of a store to repack.
struct Members<'a> {
    store: &'a Store,
    names: Vec<String>,
    /// The directory of the store, or `None` if the store is an archive.
    directory: Option<&'a PathBuf>,
    options: &'a RepackOptions<'a>,
}

impl Members<'_> {
    /// Opens a member of the store. Also returns whether the member is a frame in one file, which can be repacked.
    fn open(&self, name: &str) -> Result<(Bytes, bool)> {
        let bytes = archive::member(self.store, name)?;
        let is_frame = Frame::open(&*bytes).is_ok_and(|frame| frame.header().frame_type() == FrameType::Contiguous);
        Ok((bytes, is_frame))
    }

    /// Writes a member of the store to a new path. A frame is written without gaps; any other file is copied unchanged. If the
    /// store is an archive, returns the CRC-32 that it stores for a file that is copied.
    fn write(&self, name: &str, path: &Path) -> Result<Option<u32>> {
        let (bytes, is_frame) = self.open(name)?;
        if !is_frame {
            return archive::copy(&bytes, path).map(|()| self.store.crc(name));
        }
        self.store.verify(name)?;
        let done = match self.directory {
            // Unlike `repack_from`, `repack` locks the file.
            Some(directory) => b2nd_ndarray::repack(directory.join(name), path, self.options),
            None => b2nd_ndarray::repack_from(bytes, path, self.options),
        };
        done.map(|()| None).map_err(|error| Error::new(format_args!("{name}: {error}")))
    }

    /// Replaces each file of the store that is a frame by a copy without gaps.
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
        self.options.like.map_or(Ok(()), |source| new.copy_attributes(source))?;
        for name in &self.names {
            self.write(name, &Directory(new.path().to_owned()).place(name)?)?;
        }
        Ok(new.finish()?)
    }

    fn archive(&self, target: &Path, new: NewFile) -> Result<()> {
        archive::write(target, new, &self.names, |name, path| self.write(name, path))
    }
}

/// Opens the store at a path. Returns `None` if the path is neither an archive nor the directory of a store.
fn store_at(path: &Path) -> Result<Option<Store>> {
    let is_store = match path.is_dir() {
        true => is_store_directory(path) && !path.join(SPARSE_FRAME).exists(),
        false => is_zip(&FileSource::open(path)?.read(0..4)?),
    };
    if is_store { Ok(Some(Store::open(path)?)) } else { Ok(None) }
}

/// Returns the length of a file, or of all files in a directory.
fn length(path: &Path) -> Result<u64> {
    if !path.is_dir() {
        return Ok(fs::metadata(path)?.len());
    }
    let files = Directory(path.to_owned()).files()?;
    files.into_iter().map(|name| Ok(fs::metadata(path.join(name))?.len())).sum()
}
