//! The frames and stores that paths on the command line name.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use b2nd_store::walk::{self, Candidate};
use b2nd_store::{
    Attributes, LocalFile, Location, SPARSE_FRAME, Store, Target, find, foreign, is_frame, is_store_directory, no_key,
};
use b2nd_view::json::Place;
use b2nd_view::store::{Content, Leaf, StoreListing};
use b2nd_view::text::{View, parse_offset, printable};
use b2nd_view::{Frame, Kind, Source};
use clap::Args;
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::output::{self, Output};
use crate::progress;

/// Paths to look at.
#[derive(Args)]
pub(crate) struct Paths {
    /// A frame (.b2nd, .b2frame, .caterva, …), the directory of a sparse frame, a store (.b2z, .b2d, .b2e), a leaf of one
    /// (archive.b2z::/group/x), a URL (http://…), or - for standard input.
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Search directories, with their subdirectories, for frames and stores.
    #[arg(short, long, conflicts_with = "offset")]
    pub(crate) recursive: bool,

    /// Read only the frame that starts at this byte of the file, in decimal or as 0x….
    #[arg(long, value_name = "N", value_parser = parse_offset)]
    pub(crate) offset: Option<u64>,

    /// Whether `-r` also takes files that are none of Blosc2's, and are named so.
    #[arg(skip)]
    pub(crate) by_name: bool,

    /// The files, directories and stores that `-r` has taken.
    #[arg(skip)]
    pub(crate) taken: AtomicU64,
}

/// One of the things that the paths name.
pub(crate) enum Found<'a, 's> {
    /// A frame: a file, or a leaf.
    Frame { place: Place<'a>, frame: &'a Frame<'s> },
    /// A store, or the group of it that a key names, before its leaves.
    Store { path: &'a str, key: Option<&'a str>, store: &'a StoreListing },
    /// A leaf that is not one frame.
    Leaf { path: &'a str, leaf: &'a Leaf, store: &'a Arc<Store> },
}

impl Found<'_, '_> {
    /// Its name on a page: its path, and its key in a store.
    pub(crate) fn name(&self) -> String {
        match self {
            Found::Frame { place: Place { path, key: Some(key), .. }, .. } | Found::Store { path, key: Some(key), .. } => {
                format!("{path}::{key}")
            }
            Found::Frame { place: Place { path, .. }, .. } | Found::Store { path, .. } => (*path).to_owned(),
            Found::Leaf { path, leaf, .. } => format!("{path}::{}", leaf.key),
        }
    }
}

/// The part of a store that is shown: it and its leaves, itself alone, or nothing, and it is refused. A key names a leaf in any case.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Leaves {
    Each,
    Itself,
    OneByKey,
}

/// Shows each, and says whether all of it could be shown.
pub(crate) type Show<'s> = dyn FnMut(&Found) -> Result<bool> + 's;

/// Shows several at once, each into a writer of its own.
pub(crate) type ShowAtOnce<'s> = dyn Fn(&Found, &mut dyn Write) -> Result<bool> + Sync + 's;

impl Paths {
    /// Shows frames as a person reads them, an empty line between two.
    pub(crate) fn each_view(&self, output: &mut Output, show: fn(&Frame, &str) -> b2nd::Result<View>) -> io::Result<bool> {
        let Output { out, err } = output;
        let mut gap = "";
        self.each(Leaves::OneByKey, err, &mut |found| {
            let Found::Frame { frame, .. } = found else {
                return Err(Error::new("it is a table, which has several frames"));
            };
            let view = show(frame, &found.name())?;
            writeln!(out, "{gap}{}", view.text).map_err(Error::Write)?;
            gap = "\n";
            Ok(view.is_complete)
        })
    }
}

/// The most files that `-r` reads before the first is shown, and then ahead.
const FIRST_AT_ONCE: usize = 64;
const MOST_AT_ONCE: usize = 256;

impl Paths {
    /// One path.
    pub(crate) fn of(path: &Path) -> Paths {
        Paths { paths: vec![path.to_owned()], recursive: false, offset: None, by_name: false, taken: AtomicU64::new(0) }
    }

    /// Shows everything that can be, and says whether that was all. What cannot be read has a line in `err`.
    ///
    /// The error is one of writing.
    pub(crate) fn each(&self, leaves: Leaves, err: &mut dyn Write, show: &mut Show) -> io::Result<bool> {
        let mut all = true;
        for path in &self.paths {
            if self.recursive {
                for candidate in walk::candidates(path) {
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

    /// Shows everything that can be, as [`each`](Paths::each) does and in the same order. What `-r` finds is shown on all cores.
    pub(crate) fn each_at_once(&self, leaves: Leaves, output: &mut Output, show: &ShowAtOnce) -> io::Result<bool> {
        let Output { out, err } = output;
        if !self.recursive {
            return self.each(leaves, err, &mut |found| show(found, &mut **out));
        }
        let mut all = true;
        let mut files = progress::Files::new();
        for path in &self.paths {
            let mut candidates = walk::candidates(path);
            let mut take = |count| candidates.by_ref().take(count).collect::<Vec<_>>();
            let mut next = take(FIRST_AT_ONCE);
            while !next.is_empty() {
                let count = (2 * next.len()).min(MOST_AT_ONCE);
                let shown = || next.par_iter().map(|candidate| self.show_apart(candidate, leaves, show)).collect::<Vec<_>>();
                let (shown, then) = rayon::join(shown, || take(count));
                files.add(next.len(), || {
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
                next = then;
            }
        }
        Ok(all)
    }

    /// Shows one frame, and says why one cannot be read. `None` for what may be a store: it may have more leaves
    /// than fit into memory.
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
            // What a crash leaves is empty, or zeros.
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
            match which {
                (Some(key), Leaves::Itself) if group(&store, key).is_some() => {
                    // A group is shown as a store of its own, of which nothing else is asked.
                    let attributes = group(&store, key).cloned().unwrap_or_default();
                    let store = StoreListing { kind: None, attributes, leaves: Vec::new(), ..store };
                    show(&Found::Store { path, key: Some(key), store: &store })
                }
                (Some(key), Leaves::Each) if is_group(&store, key) => {
                    let store = within(&store, key);
                    let shown = show(&Found::Store { path, key: Some(key), store: &store })?;
                    Ok(shown & leaves(path, folder, &store.leaves, show, err)?)
                }
                (Some(key), _) => one_leaf(path, folder, &store.leaves, key, show),
                (None, Leaves::OneByKey) => Err(no_key(path).into()),
                (None, Leaves::Itself) => show(&Found::Store { path, key: None, store: &store }),
                (None, Leaves::Each) => {
                    Ok(show(&Found::Store { path, key: None, store: &store })? & leaves(path, folder, &store.leaves, show, err)?)
                }
            }
        };
        if let (Some(offset), Target::File(source)) = (self.offset, target) {
            let frame = Frame::open_at(&**source, offset).map_err(|error| what_is_at(&**source, offset, error))?;
            return show(&Found::Frame { place: Place { path, offset, ..Place::default() }, frame: &frame });
        }
        if let Some(store) = Store::of_folder(path, target)? {
            return in_folder(&Arc::new(store), show, err);
        }
        let Target::File(source) = target else { return Ok(true) };
        let frame = Frame::open(&**source).map_err(|error| what_it_is(&**source, error))?;
        let kind = Kind::of(frame.header(), None);
        let whole = |show: &mut Show| {
            let place = Place { path, ..Place::default() };
            show(&Found::Frame { place, frame: &frame })
        };
        if !matches!(kind, Kind::EmbedStore | Kind::DictStore | Kind::TreeStore) {
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

/// Names the format of a file that is not a frame, if its first bytes show it.
pub(crate) fn what_it_is(source: &dyn Source, error: b2nd::Error) -> Error {
    match foreign::describe_source(source) {
        Some(what) => Error::new(format_args!("it is {what}")),
        None => error.into(),
    }
}

/// Says that no frame starts at a byte that was named, where that is so.
pub(crate) fn what_is_at(source: &dyn Source, offset: u64, error: b2nd::Error) -> Error {
    match source.read(offset..offset.saturating_add(10)) {
        Ok(first) if !is_frame(&first) => Error::new(format_args!("no frame starts at byte {offset} of the file")),
        _ => error.into(),
    }
}

/// A group as a store of its own.
fn within(store: &StoreListing, key: &str) -> StoreListing {
    let prefix = format!("/{}/", key.trim_matches('/'));
    let is_within = |key: &str| format!("/{}/", key.trim_matches('/')).starts_with(&prefix);
    let is_below = |key: &str| is_within(key) && key.trim_matches('/') != prefix.trim_matches('/');
    StoreListing {
        kind: None,
        attributes: group(store, key).cloned().unwrap_or_default(),
        groups: store.groups.iter().filter(|(key, _)| is_below(key)).cloned().collect(),
        leaves: store.leaves.iter().filter(|leaf| is_within(&leaf.key)).cloned().collect(),
        ..StoreListing::default()
    }
}

/// True for the key of a group: no leaf has it, and some are below it.
pub(crate) fn is_group(store: &StoreListing, key: &str) -> bool {
    let prefix = format!("{}/", key.trim_matches('/'));
    let key = |leaf: &Leaf| leaf.key.trim_matches('/').to_owned();
    prefix != "/"
        && store.leaves.iter().all(|leaf| key(leaf) != prefix.trim_matches('/'))
        && store.leaves.iter().any(|leaf| key(leaf).starts_with(&prefix))
}

/// The attributes of the group with this key.
pub(crate) fn group<'s>(store: &'s StoreListing, key: &str) -> Option<&'s Attributes> {
    let (key, mut groups) = (key.trim_matches('/'), store.groups.iter());
    // A leaf of the same key comes first.
    if store.leaves.iter().any(|leaf| leaf.key.trim_matches('/') == key) {
        return None;
    }
    groups.find(|(group, _)| group.trim_matches('/') == key).map(|(_, attributes)| attributes)
}

fn one_leaf(path: &str, store: &Arc<Store>, all: &[Leaf], key: &str, show: &mut Show) -> Result<bool> {
    show_leaf(path, store, &find(all, &**store, key)?, show)
}

/// Shows all leaves. What cannot be read has a line in `err`, and the others are shown all the same.
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
    let place = Place { path, key: Some(&leaf.key), member: leaf.member.as_deref(), offset: leaf.offset };
    show(&Found::Frame { place, frame: &frame })
}

/// Says in a line of `err` what could not be read.
fn settle(path: &Path, shown: Result<bool>, err: &mut dyn Write) -> io::Result<bool> {
    let error = match shown {
        Ok(complete) => return Ok(complete),
        Err(Error::Write(error)) => return Err(error),
        Err(error) => error,
    };
    let hint = of_directory(path, "-r");
    writeln!(err, "{}{hint}", output::named(path, error))?;
    Ok(false)
}

/// A hint behind the error about a directory that is neither a sparse frame nor a store, with the words that look below it.
pub(crate) fn of_directory(path: &Path, below: &str) -> String {
    let is_plain = path.is_dir() && !path.join(SPARSE_FRAME).exists() && !is_store_directory(path);
    match foreign::describe_directory(path) {
        Some(what) if is_plain => format!(": it is {what}"),
        _ if is_plain => format!(" ({below} looks for frames below it)"),
        _ => String::new(),
    }
}
