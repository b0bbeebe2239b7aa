//! Finds the frames and stores that paths on the command line name.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use b2nd_store::walk::{self, Candidate};
use b2nd_store::{LocalFile, Location, SPARSE_FRAME, Store, Target, find, foreign, is_frame, is_store_directory, no_key};
use b2nd_view::json::FramePlace;
use b2nd_view::slice::Slice;
use b2nd_view::store::{Content, Leaf, StoreListing};
use b2nd_view::text::{View, parse_offset, printable};
use b2nd_view::{Frame, Kind, Source};
use clap::Args;
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::output::{self, Output};
use crate::progress;

/// The paths on the command line.
#[derive(Args, Default)]
pub(crate) struct Paths {
    /// A frame (.b2nd, .b2frame, .caterva, …), the directory of a sparse frame, a store (.b2z, .b2d, .b2e, .h5), a leaf of one
    /// (archive.b2z::/group/x), a URL (http://…), or - for standard input.
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Search directories and their subdirectories for frames and stores.
    #[arg(short, long, conflicts_with = "offset")]
    pub(crate) recursive: bool,

    /// Read only the frame that starts at this byte of the file, in decimal or as 0x….
    #[arg(long, value_name = "N", value_parser = parse_offset)]
    pub(crate) offset: Option<u64>,

    /// Whether `-r` leaves out subdirectories.
    #[arg(skip)]
    pub(crate) is_shallow: bool,

    /// Whether `-r` also includes files that are named like Blosc2 files but have other content.
    #[arg(skip)]
    pub(crate) by_name: bool,

    /// The number of files, directories and stores that `-r` has found.
    #[arg(skip)]
    pub(crate) taken: AtomicU64,
}

/// What was found at a path: a frame, a store or a leaf.
pub(crate) enum Found<'a, 's> {
    /// A frame, which can be a leaf of a store.
    Frame { place: FramePlace<'a>, frame: &'a Frame<'s> },
    /// A store, or a group of the store if `key` is given. Its leaves are found next, except with [`Leaves::Itself`].
    Store { path: &'a str, key: Option<&'a str>, store: &'a StoreListing, folder: &'a Arc<Store> },
    /// A leaf that is not a single frame: a table or a reference.
    Leaf { path: &'a str, leaf: &'a Leaf, store: &'a Arc<Store> },
}

impl Found<'_, '_> {
    /// Returns the path, and the key if a leaf or a group was found.
    pub(crate) fn place(&self) -> (&str, Option<&str>) {
        match self {
            Found::Frame { place, .. } => (place.path, place.key),
            Found::Store { path, key, .. } => (path, *key),
            Found::Leaf { path, leaf, .. } => (path, Some(&leaf.key)),
        }
    }

    /// Returns the path, followed by the key if a leaf or a group was found.
    pub(crate) fn name(&self) -> String {
        let (path, key) = self.place();
        key.map_or_else(|| path.to_owned(), |key| format!("{path}::{key}"))
    }
}

/// Which parts of a store to show: the store and its leaves (`Each`), only the store (`Itself`), or only the leaf that a key names
/// (`OneByKey`). Without a key, `OneByKey` shows a store that is a frame as this frame.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Leaves {
    Each,
    Itself,
    OneByKey,
}

/// A function that shows what was found. It returns false if a part could not be read.
pub(crate) type Show<'s> = dyn FnMut(&Found) -> Result<bool> + 's;

/// A function like [`Show`] that several threads can call. It writes to the writer that it is given.
pub(crate) type ShowAtOnce<'s> = dyn Fn(&Found, &mut dyn Write) -> Result<bool> + Sync + 's;

impl Paths {
    /// Prints the view of each frame, separated by empty lines.
    pub(crate) fn each_view(&self, output: &mut Output, show: fn(&Frame, &str) -> b2nd_frame::Result<View>) -> io::Result<bool> {
        let Output { out, err } = output;
        let mut gap = "";
        self.each(Leaves::OneByKey, err, &mut |found| {
            let Found::Frame { frame, .. } = found else {
                let is_table = matches!(found, Found::Leaf { leaf: Leaf { content: Content::Table(_), .. }, .. });
                let what = if is_table { "a table" } else { "a reference to an array on a server" };
                return Err(Error::new(format_args!("it is {what}, not a single frame")));
            };
            let view = show(frame, &found.name())?;
            writeln!(out, "{gap}{}", view.text).map_err(Error::Write)?;
            gap = "\n";
            Ok(view.is_complete)
        })
    }
}

/// [`Paths::each_at_once`] reads files in batches. A batch has at most this number of files for each thread. Larger batches would need
/// more memory.
const FILES_PER_THREAD: usize = 32;

impl Paths {
    /// Creates the arguments for one path, without options.
    pub(crate) fn of(path: &Path) -> Paths {
        Paths { paths: vec![path.to_owned()], ..Paths::default() }
    }

    /// Removes and returns the last of several paths if it is not a file but a slice.
    pub(crate) fn take_slice(&mut self) -> Option<Slice> {
        let last = self.paths.last().filter(|last| self.paths.len() > 1 && !last.exists())?;
        let slice = last.to_str()?.parse().ok()?;
        self.paths.pop();
        Some(slice)
    }

    /// Shows everything that is found at the paths. Prints errors to `err`, and returns false if something could not be read. Fails if
    /// output cannot be written.
    pub(crate) fn each(&self, leaves: Leaves, err: &mut dyn Write, show: &mut Show) -> io::Result<bool> {
        let mut all = true;
        for path in &self.paths {
            if self.recursive {
                for candidate in walk::candidates_in(path, !self.is_shallow) {
                    let shown = self.candidate(&candidate, leaves, show, err);
                    all &= settle(&candidate.path, shown, err)?;
                }
            } else {
                let location = Location::new(path.as_os_str());
                let which = (location.key(), leaves);
                let target = location.open().map_err(Error::from);
                let shown = target.and_then(|target| self.target(&location.place(), &target, which, show, err));
                all &= settle(path, shown, err)?;
            }
        }
        Ok(all)
    }

    /// Like [`each`](Paths::each), but with `-r`, the files of a directory that are not named like stores are read on all cores. The order
    /// of the output is the same.
    pub(crate) fn each_at_once(&self, leaves: Leaves, output: &mut Output, show: &ShowAtOnce) -> io::Result<bool> {
        let Output { out, err } = output;
        if !self.recursive {
            return self.each(leaves, err, &mut |found| show(found, &mut **out));
        }
        let mut all = true;
        let bar = progress::files();
        for path in &self.paths {
            let mut candidates = walk::candidates(path);
            let count = FILES_PER_THREAD * rayon::current_num_threads();
            let mut take = || candidates.by_ref().take(count).collect::<Vec<_>>();
            let mut next = take();
            while !next.is_empty() {
                let shown = || next.par_iter().map(|candidate| self.show_apart(candidate, leaves, show)).collect::<Vec<_>>();
                let (shown, then) = rayon::join(shown, &mut take);
                bar.suspend(|| {
                    for (candidate, lines) in next.iter().zip(shown) {
                        let shown = match lines {
                            Some((lines, errors, shown)) => {
                                out.write_all(&lines)?;
                                err.write_all(&errors)?;
                                shown
                            }
                            None => self.candidate(candidate, leaves, &mut |found| show(found, &mut **out), err),
                        };
                        all &= settle(&candidate.path, shown, err)?;
                    }
                    out.flush()
                })?;
                bar.inc(next.len() as u64);
                next = then;
            }
        }
        Ok(all)
    }

    /// Calls `show` for a candidate without printing. Returns the output, the error messages and the result of `show`. Does nothing and
    /// returns `None` for a candidate that may be a store, because the output for a store may not fit into memory.
    fn show_apart(&self, candidate: &Candidate, leaves: Leaves, show: &ShowAtOnce) -> Option<(Vec<u8>, Vec<u8>, Result<bool>)> {
        if candidate.may_be_store() {
            return None;
        }
        let (mut lines, mut errors) = (Vec::new(), Vec::new());
        let shown = self.candidate(candidate, leaves, &mut |found| show(found, &mut lines), &mut errors);
        Some((lines, errors, shown))
    }

    fn candidate(&self, candidate: &Candidate, leaves: Leaves, show: &mut Show, err: &mut dyn Write) -> Result<bool> {
        let target = match candidate.open() {
            Some(target) => target,
            // A file that is named like a Blosc2 file is not left out, because after a crash, the file of a frame can be empty or contain
            // only zeros.
            None if self.by_name && candidate.is_named_so() => {
                LocalFile::open(&candidate.path).map(|file| Target::File(Arc::new(file)))
            }
            None => return Ok(true),
        };
        self.taken.fetch_add(1, Ordering::Relaxed);
        self.target(&candidate.path.to_string_lossy(), &target?, (None, leaves), show, err)
    }

    fn target(
        &self,
        path: &str,
        target: &Target,
        which: (Option<&str>, Leaves),
        show: &mut Show,
        err: &mut dyn Write,
    ) -> Result<bool> {
        let in_folder = |folder: &Arc<Store>, show: &mut Show, err: &mut dyn Write| {
            let store = folder.list()?;
            let group = which.0.filter(|_| which.1 != Leaves::OneByKey).and_then(|key| group(&store, key));
            let (key, store) = match (which, group) {
                // A group is shown like a store.
                ((key, _), Some(group)) => (key.map(|key| format!("/{}", key.trim_matches('/'))), group),
                ((Some(key), _), None) => return show_leaf(path, folder, &find(&store.leaves, &**folder, key)?, show),
                ((None, Leaves::OneByKey), None) => return Err(no_key(path, &store.leaves).into()),
                ((None, _), None) => (None, store),
            };
            let shown = show(&Found::Store { path, key: key.as_deref(), store: &store, folder })?;
            Ok(shown & (which.1 == Leaves::Itself || leaves(path, folder, &store.leaves, show, err)?))
        };
        if let (Some(offset), Target::File(source)) = (self.offset, target) {
            let frame = Frame::open_at(&**source, offset).map_err(|error| what_is_at(&**source, offset, error))?;
            return show(&Found::Frame { place: FramePlace { path, offset, ..FramePlace::default() }, frame: &frame });
        }
        if let Some(store) = Store::of_folder(path, target)? {
            return in_folder(&Arc::new(store), show, err);
        }
        let Target::File(source) = target else { return Ok(true) };
        let frame = Frame::open(&**source).map_err(|error| what_it_is(&**source, error))?;
        let kind = Kind::of(frame.header(), None);
        let whole = |show: &mut Show| {
            let place = FramePlace { path, ..FramePlace::default() };
            show(&Found::Frame { place, frame: &frame })
        };
        if !kind.is_store() {
            return match which {
                (Some(key), _) => Err(Error::new(format_args!("it is not a store, so it has no {key}"))),
                (None, _) => whole(show),
            };
        }
        if matches!(which, (None, Leaves::OneByKey | Leaves::Itself)) {
            return whole(show);
        }
        let store = Arc::new(Store::of(path, target.clone())?);
        match which.0 {
            Some(_) => in_folder(&store, show, err),
            None => Ok(whole(show)? & leaves(path, &store, &store.list()?.leaves, show, err)?),
        }
    }
}

/// Returns an error that names the format of a file. If the file is a frame, or its format is not known, returns the given error.
pub(crate) fn what_it_is(source: &dyn Source, error: b2nd_frame::Error) -> Error {
    match foreign::describe_source(source) {
        Some(what) => Error::new(format_args!("it is {what}")),
        None => error.into(),
    }
}

/// Returns an error which says that no frame starts at the byte `offset`. If a frame starts at this byte, returns the given error, which is
/// about the frame.
pub(crate) fn what_is_at(source: &dyn Source, offset: u64, error: b2nd_frame::Error) -> Error {
    match source.read(offset..offset.saturating_add(10)) {
        Ok(first) if !is_frame(&first) => {
            Error::new(format_args!("no frame starts at byte {offset} of the file: without --offset, the file itself is opened"))
        }
        _ => error.into(),
    }
}

/// Returns the group with this key as if it were a store. Returns `None` if the key names a leaf or the whole
/// store, or if there is no such group.
pub(crate) fn group(store: &StoreListing, key: &str) -> Option<StoreListing> {
    let place = |key: &str| format!("/{}/", key.trim_matches('/'));
    let group = place(key);
    let (own, others): (Vec<_>, Vec<_>) =
        store.groups.iter().filter(|(key, _)| place(key).starts_with(&group)).cloned().partition(|(key, _)| place(key) == group);
    let leaves: Vec<_> = store.leaves.iter().filter(|leaf| place(&leaf.key).starts_with(&group)).cloned().collect();
    let is_leaf = leaves.iter().any(|leaf| place(&leaf.key) == group);
    if group == "//" || is_leaf || leaves.is_empty() && own.is_empty() {
        return None;
    }
    let attributes = own.into_iter().next().map(|(_, attributes)| attributes).unwrap_or_default();
    Some(StoreListing { attributes, groups: others, leaves, has_embed: store.has_embed, ..StoreListing::default() })
}

/// Returns an error for a group without leaves.
pub(crate) fn no_leaf() -> Error {
    Error::new("it is a group without leaves")
}

/// Shows the leaves `all`. If a leaf has an error, prints the error to `err` and continues with the next leaf.
fn leaves(path: &str, store: &Arc<Store>, all: &[Leaf], show: &mut Show, err: &mut dyn Write) -> Result<bool> {
    let mut complete = true;
    for leaf in all {
        match show_leaf(path, store, leaf, show) {
            Ok(shown) => complete &= shown,
            Err(error @ Error::Write(_)) => return Err(error),
            Err(error) => {
                complete = false;
                writeln!(err, "{}", printable(&format!("{path}::{}: {error}", leaf.key))).map_err(Error::Write)?;
            }
        }
    }
    Ok(complete)
}

fn show_leaf(path: &str, store: &Arc<Store>, leaf: &Leaf, show: &mut Show) -> Result<bool> {
    if matches!(leaf.content, Content::Table(_) | Content::Remote { .. }) {
        return show(&Found::Leaf { path, leaf, store });
    }
    let source = leaf.open(&**store)?;
    let frame = Frame::open(&*source)?;
    let place = FramePlace { path, key: Some(&leaf.key), member: leaf.member.as_deref(), offset: leaf.offset };
    show(&Found::Frame { place, frame: &frame })
}

/// If something could not be read, prints the error to `err`. Returns whether everything could be read.
fn settle(path: &Path, shown: Result<bool>, err: &mut dyn Write) -> io::Result<bool> {
    let error = match shown {
        Ok(complete) => return Ok(complete),
        Err(Error::Write(error)) => return Err(error),
        Err(error) => error,
    };
    let hint = of_directory(path);
    writeln!(err, "{}{hint}", output::named(path, error))?;
    Ok(false)
}

/// Returns a hint for a directory that is neither a sparse frame nor a store: the format of the directory, or the commands that search it.
/// For other paths, and for a directory that cannot be read, the hint is empty.
pub(crate) fn of_directory(path: &Path) -> String {
    if !is_plain(path) || path.join(".").read_dir().is_err() {
        return String::new();
    }
    match foreign::describe_directory(path) {
        Some(what) => format!(": it is {what}"),
        None => " (`b2nd info -r` and other commands with -r search it for frames)".to_owned(),
    }
}

fn is_plain(path: &Path) -> bool {
    path.is_dir() && !path.join(SPARSE_FRAME).exists() && !is_store_directory(path)
}

/// Returns true if a path is a directory that is neither a sparse frame nor a store, and that has no other known format.
pub(crate) fn is_listed(path: &Path) -> bool {
    is_plain(path) && foreign::describe_directory(path).is_none()
}
