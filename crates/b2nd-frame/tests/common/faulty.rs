//! A storage that injects errors and crashes. It writes to a real disk and records which changes would survive a crash.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use b2nd_frame::testing::{Disk, Handle, Storage};

use super::scratch::walk;

const SECTOR: usize = 512;

/// What goes wrong with an operation, and with the operations after it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Fault {
    /// The operation is not done and returns an error.
    Nothing,
    /// A write writes this number of eighths of its bytes, then fails. A write inside one sector writes all of its bytes.
    Part(usize),
    /// The operation is done but returns an error.
    All,
    /// A write writes half of its bytes (inside one sector, all of them), or a read reads one byte, and returns that number.
    Short,
    /// A read finds the end of the file, as if another program had shortened it. A write fails after all of its bytes.
    End,
    /// The operation is not done and should be tried again (`ErrorKind::Interrupted`).
    Interrupted,
    /// A sync is done, and then another program sets the byte at this position of the file to 0.
    Overwritten(u64),
    /// The operation may be done or not, and all later operations fail.
    Crash,
}

/// A directory as it may be after a crash: the bytes of each file, or `None` for a directory.
pub type Tree = BTreeMap<PathBuf, Option<Vec<u8>>>;

#[derive(Clone, Debug)]
pub struct Faulty(Arc<Mutex<World>>);

#[derive(Debug)]
struct World {
    /// The index of the operation that fails, and how it fails.
    plan: Option<(usize, Fault)>,
    /// For each operation so far, true if it is a read or write that can be done in part.
    done: Vec<bool>,
    dead: bool,
    /// The node of each existing file and directory, by path.
    live: BTreeMap<PathBuf, usize>,
    /// The state of each node that survives a crash.
    durable: Vec<Node>,
    /// Changes that a crash may keep or lose.
    pending: Vec<Pending>,
}

#[derive(Clone, Debug)]
enum Node {
    Directory(BTreeMap<OsString, usize>),
    File(Vec<u8>),
}

#[derive(Clone, Debug)]
enum Pending {
    /// The part of a write that is inside one sector.
    Data { file: usize, at: usize, bytes: Vec<u8> },
    /// A change to a file's length.
    Length { file: usize, length: usize },
    /// Names in a directory that change atomically.
    Names { directory: usize, changes: Vec<(OsString, Option<usize>)> },
}

impl Faulty {
    /// Creates a storage for a directory whose current contents survive a crash.
    pub fn new(root: &Path, plan: Option<(usize, Fault)>) -> Self {
        let mut world =
            World { plan, done: Vec::new(), dead: false, live: BTreeMap::new(), durable: Vec::new(), pending: Vec::new() };
        world.add(root, Node::Directory(BTreeMap::new()));
        walk(root, &mut |path| {
            let node = if path.is_dir() { Node::Directory(BTreeMap::new()) } else { Node::File(fs::read(path).unwrap()) };
            let number = world.add(path, node);
            let (directory, name) = world.place(path).unwrap();
            let Node::Directory(names) = &mut world.durable[directory] else { panic!("a file holds a file") };
            names.insert(name, number);
        });
        Faulty(Arc::new(Mutex::new(world)))
    }

    /// A handle to the open file with this path, for tests that write to it.
    pub fn handle(&self, path: &Path, file: fs::File) -> impl Handle + use<> {
        Opened { storage: self.clone(), number: self.lock().live[path], file }
    }

    /// For each operation so far, true if it is a read or write that can be done in part.
    pub fn operations(&self) -> Vec<bool> {
        self.lock().done.clone()
    }

    fn lock(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap()
    }

    /// A directory that a crash at this moment could leave. Each pending change is kept if `lasts` returns true.
    pub fn crash(&self, mut lasts: impl FnMut() -> bool) -> Tree {
        let (world, mut tree) = (self.lock(), Tree::new());
        let mut durable = world.durable.clone();
        world.pending.iter().filter(|_| lasts()).for_each(|change| apply(&mut durable, change));
        collect(&durable, 0, Path::new(""), &mut tree);
        tree
    }

    /// Directories that a crash at this moment could leave: with each combination of the changes of names, and with some combinations of
    /// the parts of writes.
    pub fn crashes(&self) -> BTreeSet<Tree> {
        let world = self.lock();
        let (names, data): (Vec<_>, Vec<_>) = world.pending.iter().partition(|change| matches!(change, Pending::Names { .. }));
        assert!(names.len() <= 12, "too many for all combinations");
        let mut trees = BTreeSet::new();
        for kept in data_choices(&data) {
            for choice in 0..1usize << names.len() {
                let names = names.iter().enumerate().filter(|(index, _)| choice >> index & 1 != 0).map(|(_, change)| *change);
                let mut durable = world.durable.clone();
                kept.iter().copied().chain(names).for_each(|change| apply(&mut durable, change));
                let mut tree = Tree::new();
                collect(&durable, 0, Path::new(""), &mut tree);
                trees.insert(tree);
            }
        }
        trees
    }
}

/// The combinations of parts of writes that a crash keeps: none, all, every other, one, all but one, and some at the start or
/// at the end.
fn data_choices<'a>(data: &[&'a Pending]) -> Vec<Vec<&'a Pending>> {
    let count = data.len();
    let choose = |keep: &dyn Fn(usize) -> bool| (0..count).filter(|&index| keep(index)).map(|index| data[index]).collect();
    let mut choices: Vec<Vec<_>> = vec![choose(&|_| false), choose(&|_| true), choose(&|index| index % 2 == 0)];
    for chosen in 0..count {
        choices.push(choose(&|index| index == chosen));
        choices.push(choose(&|index| index != chosen));
        choices.push(choose(&|index| index < chosen));
        choices.push(choose(&|index| index > chosen));
    }
    choices
}

fn apply(durable: &mut [Node], change: &Pending) {
    match change {
        Pending::Data { file, at, bytes } => {
            let Node::File(content) = &mut durable[*file] else { panic!("a write into a directory") };
            content.resize(content.len().max(at + bytes.len()), 0);
            content[*at..at + bytes.len()].copy_from_slice(bytes);
        }
        Pending::Length { file, length } => {
            let Node::File(content) = &mut durable[*file] else { panic!("a length of a directory") };
            content.resize(*length, 0);
        }
        Pending::Names { directory, changes } => {
            let Node::Directory(names) = &mut durable[*directory] else { panic!("a name in a file") };
            for (name, node) in changes {
                match node {
                    Some(node) => names.insert(name.clone(), *node),
                    None => names.remove(name),
                };
            }
        }
    }
}

fn collect(durable: &[Node], number: usize, path: &Path, tree: &mut Tree) {
    match &durable[number] {
        Node::File(content) => {
            tree.insert(path.to_path_buf(), Some(content.clone()));
        }
        Node::Directory(names) => {
            tree.insert(path.to_path_buf(), None);
            names.iter().for_each(|(name, &number)| collect(durable, number, &path.join(name), tree));
        }
    }
}

/// Replaces the contents of a directory by those of the tree.
pub fn materialize(tree: &Tree, root: &Path) {
    fs::remove_dir_all(root).unwrap();
    for (path, content) in tree {
        match content {
            Some(content) => fs::write(root.join(path), content).unwrap(),
            None => fs::create_dir(root.join(path)).unwrap(),
        }
    }
}

impl World {
    fn add(&mut self, path: &Path, node: Node) -> usize {
        self.durable.push(node);
        self.live.insert(path.to_path_buf(), self.durable.len() - 1);
        self.durable.len() - 1
    }

    fn path(&self, file: usize) -> &Path {
        self.live.iter().find(|(_, number)| **number == file).map(|(path, _)| path).unwrap()
    }

    /// The directory that contains a path, and the last component of the path.
    fn place(&self, path: &Path) -> Option<(usize, OsString)> {
        Some((*self.live.get(path.parent()?)?, path.file_name()?.to_owned()))
    }

    fn names(&mut self, paths: &[(&Path, Option<usize>)]) {
        let places: Vec<_> = paths.iter().map(|(path, node)| (self.place(path).unwrap(), *node)).collect();
        let directory = places[0].0.0;
        assert!(places.iter().all(|((other, _), _)| *other == directory), "a rename inside one directory");
        let changes = places.into_iter().map(|((_, name), node)| (name, node)).collect();
        self.pending.push(Pending::Names { directory, changes });
    }

    fn write(&mut self, file: usize, mut at: usize, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (piece, rest) = bytes.split_at(bytes.len().min(SECTOR - at % SECTOR));
            self.pending.push(Pending::Data { file, at, bytes: piece.to_vec() });
            at += piece.len();
            bytes = rest;
        }
    }

    /// Makes the pending changes to a file or directory survive a crash.
    fn sync(&mut self, number: usize) {
        let is_its = |change: &Pending| match *change {
            Pending::Data { file, .. } | Pending::Length { file, .. } => file == number,
            Pending::Names { directory, .. } => directory == number,
        };
        for change in self.pending.iter().filter(|change| is_its(change)) {
            apply(&mut self.durable, change);
        }
        self.pending.retain(|change| !is_its(change));
    }

    /// Counts an operation and returns its fault.
    fn step(&mut self, moves_bytes: bool) -> io::Result<Option<Fault>> {
        if self.dead {
            return Err(io::Error::other("the machine is off"));
        }
        let fault = self.plan.filter(|(at, _)| *at == self.done.len()).map(|(_, fault)| fault);
        self.done.push(moves_bytes);
        self.dead = fault == Some(Fault::Crash);
        match fault {
            Some(Fault::Nothing) => Err(failed()),
            fault => Ok(fault),
        }
    }
}

fn failed() -> io::Error {
    io::Error::other("injected")
}

/// Applies a fault to the result of an operation that is not a write.
fn plain<T>(fault: Option<Fault>, result: io::Result<T>) -> io::Result<T> {
    match fault {
        Some(Fault::All | Fault::Crash) => result.and_then(|_| Err(failed())),
        _ => result,
    }
}

impl Storage for Faulty {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Handle>> {
        let mut world = self.lock();
        let fault = world.step(false)?;
        let file = fs::OpenOptions::new().read(true).write(true).open(path)?;
        let number = world.live[path];
        plain(fault, Ok(Box::new(Opened { storage: self.clone(), number, file })))
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn Handle>> {
        let mut world = self.lock();
        let fault = world.step(false)?;
        // For `All`, the file counts as created and removed again, so nothing is done.
        if fault == Some(Fault::All) {
            return Err(failed());
        }
        let file = fs::OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        let number = world.add(path, Node::File(Vec::new()));
        world.names(&[(path, Some(number))]);
        plain(fault, Ok(Box::new(Opened { storage: self.clone(), number, file })))
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        let mut world = self.lock();
        let fault = world.step(false)?;
        if fault == Some(Fault::All) {
            return Err(failed());
        }
        fs::create_dir(path)?;
        let number = world.add(path, Node::Directory(BTreeMap::new()));
        world.names(&[(path, Some(number))]);
        plain(fault, Ok(()))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut world = self.lock();
        let fault = world.step(false)?;
        fs::rename(from, to)?;
        let number = world.live[from];
        if from.parent() == to.parent() {
            world.names(&[(from, None), (to, Some(number))]);
        } else {
            world.names(&[(to, Some(number))]);
            world.names(&[(from, None)]);
        }
        let moved =
            |path: &Path| path.strip_prefix(from).map(|rest| if rest == Path::new("") { to.into() } else { to.join(rest) });
        let live = std::mem::take(&mut world.live);
        world.live = live.into_iter().filter(|(path, _)| path != to).collect();
        world.live =
            std::mem::take(&mut world.live).into_iter().map(|(path, node)| (moved(&path).unwrap_or(path), node)).collect();
        plain(fault, Ok(()))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut world = self.lock();
        let fault = world.step(false)?;
        Disk.remove(path)?;
        world.names(&[(path, None)]);
        world.live.retain(|other, _| !other.starts_with(path));
        plain(fault, Ok(()))
    }

    fn copy_attributes(&self, from: &Path, to: &Path) -> io::Result<()> {
        let fault = self.lock().step(false)?;
        plain(fault, Disk.copy_attributes(from, to))
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        let mut world = self.lock();
        let fault = world.step(false)?;
        if fault != Some(Fault::Crash) {
            let number = world.live[path];
            world.sync(number);
        }
        plain(fault, Ok(()))
    }
}

#[derive(Debug)]
struct Opened {
    storage: Faulty,
    number: usize,
    file: fs::File,
}

impl Handle for Opened {
    fn sync(&mut self) -> io::Result<()> {
        let mut world = self.storage.lock();
        let fault = world.step(false)?;
        if fault != Some(Fault::Crash) {
            world.sync(self.number);
            // Writes to the underlying file that bypass this storage are synced too.
            let (position, mut content) = (self.file.stream_position()?, Vec::new());
            self.file.rewind()?;
            self.file.read_to_end(&mut content)?;
            self.file.seek(SeekFrom::Start(position))?;
            world.durable[self.number] = Node::File(content);
        }
        if let Some(Fault::Overwritten(position)) = fault {
            let mut other = fs::OpenOptions::new().write(true).open(world.path(self.number))?;
            other.seek(SeekFrom::Start(position))?;
            other.write_all(&[0])?;
        }
        plain(fault, Ok(()))
    }

    fn set_len(&mut self, length: u64) -> io::Result<()> {
        let mut world = self.storage.lock();
        let fault = world.step(false)?;
        self.file.set_len(length)?;
        world.pending.push(Pending::Length { file: self.number, length: length as usize });
        plain(fault, Ok(()))
    }

    fn file(&self) -> &fs::File {
        &self.file
    }
}

impl Read for Opened {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.storage.lock().step(true)? {
            Some(Fault::Interrupted) => Err(io::ErrorKind::Interrupted.into()),
            Some(Fault::Short) => self.file.read(&mut buffer[..1]),
            Some(Fault::End) => Ok(0),
            fault => plain(fault, self.file.read(buffer)),
        }
    }
}

impl Write for Opened {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut world = self.storage.lock();
        let fault = world.step(true)?;
        let at = self.file.stream_position()? as usize;
        let length = match fault {
            Some(Fault::Interrupted) => return Err(io::ErrorKind::Interrupted.into()),
            Some(Fault::Part(_) | Fault::Short) if at / SECTOR == (at + bytes.len() - 1) / SECTOR => bytes.len(),
            Some(Fault::Part(eighths)) => bytes.len() * eighths / 8,
            Some(Fault::Short) => bytes.len().div_ceil(2),
            _ => bytes.len(),
        };
        self.file.write_all(&bytes[..length])?;
        world.write(self.number, at, &bytes[..length]);
        match fault {
            None | Some(Fault::Short | Fault::Overwritten(_)) => Ok(length),
            _ => Err(failed()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Opened {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}
