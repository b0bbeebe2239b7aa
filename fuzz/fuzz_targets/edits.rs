//! Edits of a frame in a file: after each edit, the file can be opened and equals a model. An edit that fails changes
//! nothing.
//!
//! Files are in the system's temporary directory; `TMPDIR=/dev/shm` keeps them in memory.
#![no_main]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use arbitrary::Arbitrary;
use b2nd::ArrayMeta;
use b2nd_frame::{Chunk, File, Frame, FrameType, Header, Metalayers, Sizes, Special, Writer, rewrite_to};
use b2nd_fuzz::writes;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Plan {
    sparse: bool,
    /// The size of the data in each chunk; 0 means a special chunk. With a chunksize, only the last chunk may be shorter.
    chunks: Vec<u8>,
    chunksize: u8,
    metalayers: Vec<(Name, Vec<u8>)>,
    vlmetalayers: Vec<(Name, Vec<u8>)>,
    edits: Vec<Edit>,
}

#[derive(Arbitrary, Debug)]
enum Edit {
    SetMetalayer(Name, Vec<u8>),
    SetVlmetalayer(Name, Vec<u8>),
    RemoveVlmetalayer(Name),
    Rewrite(Vec<Change>),
    RewriteElsewhere(Vec<Change>),
    Reopen,
}

#[derive(Arbitrary, Debug)]
enum Change {
    Insert(Name, Vec<u8>),
    /// Up to 2999 bytes, which can move the following bytes across a sector.
    InsertLong(Name, u16),
    Remove(Name),
}

/// One of a few names, so that names are repeated. One of them is a byte too long.
#[derive(Arbitrary, Clone, Copy, Debug)]
struct Name(u8);

impl Name {
    fn text(self) -> String {
        match self.0 % 24 {
            0 => String::new(),
            1 => "b2nd".into(),
            2 => "é".into(),
            3 => "x".repeat(31),
            4 => "x".repeat(32),
            other => format!("name {other}"),
        }
    }
}

/// The expected content of the file.
#[derive(Default)]
struct Model {
    metalayers: Named,
    vlmetalayers: Named,
    chunks: Vec<Chunk<'static>>,
}

#[derive(Clone, Default, PartialEq, Debug)]
struct Named(Vec<(String, Vec<u8>)>);

impl Named {
    fn get_mut(&mut self, name: &str) -> Option<&mut Vec<u8>> {
        self.0.iter_mut().find(|(this, _)| this == name).map(|(_, content)| content)
    }

    /// Inserts or replaces a metalayer. Returns `false` if the name is too long or there are 16 others.
    fn insert(&mut self, name: String, content: Vec<u8>) -> bool {
        if let Some(place) = self.get_mut(&name) {
            *place = content;
        } else if name.len() > 31 || self.0.len() == 16 {
            return false;
        } else {
            self.0.push((name, content));
        }
        true
    }

    fn remove(&mut self, name: &str) -> bool {
        let position = self.0.iter().position(|(this, _)| this == name);
        position.map(|position| self.0.remove(position)).is_some()
    }
}

static DIRECTORY: LazyLock<PathBuf> = LazyLock::new(|| std::env::temp_dir().join(format!("b2nd-fuzz-{}", std::process::id())));

fuzz_target!(|plan: Plan| {
    let _ = fs::remove_dir_all(&*DIRECTORY);
    fs::create_dir_all(&*DIRECTORY).expect("a temporary directory");
    run(plan);
    let _ = fs::remove_dir_all(&*DIRECTORY);
});

fn run(plan: Plan) {
    let mut path = DIRECTORY.join("0.b2nd");
    let mut model = create(&plan, &path);
    check(&path, &model);
    let mut file = File::edit(&path).expect("a new file");
    for (number, edit) in plan.edits.into_iter().enumerate().take(12) {
        let before = contents(&path);
        let (done, expected) = match edit {
            Edit::SetMetalayer(name, content) => {
                // The metalayer of an array may become shorter, and then the end of the old content remains.
                let shorter = name.text() == "b2nd" && matches!(ArrayMeta::from_metalayer(&content), Ok((_, [])));
                let fits = |place: &usize| *place == content.len() || (shorter && content.len() < *place);
                let place = model.metalayers.get_mut(&name.text()).filter(|place| fits(&place.len()));
                let expected = place.map(|place| place[..content.len()].copy_from_slice(&content)).is_some();
                (file.overwrite_metalayer_unchecked(&name.text(), &content), expected)
            }
            Edit::SetVlmetalayer(name, value) => {
                let done = file.set_vlmetalayer_bytes(&name.text(), &value);
                (done, model.vlmetalayers.insert(name.text(), value))
            }
            Edit::RemoveVlmetalayer(name) => {
                let removed = file.remove_vlmetalayer(&name.text()).expect("the vlmetalayer is removed or does not exist");
                assert_eq!(removed, model.vlmetalayers.remove(&name.text()));
                (Ok(()), true)
            }
            Edit::Rewrite(changes) => {
                let done = file.rewrite(|metalayers| apply(&changes, metalayers));
                let expected = model_of(&changes, &mut model.metalayers, done.is_err());
                (done, expected)
            }
            Edit::RewriteElsewhere(changes) => {
                let target = DIRECTORY.join(format!("{}.b2nd", number + 1));
                drop(file);
                let done = rewrite_to(&path, &target, |metalayers| apply(&changes, metalayers));
                assert_eq!(contents(&path), before, "the source is as it was");
                let expected = model_of(&changes, &mut model.metalayers, done.is_err());
                assert_eq!(target.exists(), done.is_ok());
                if done.is_ok() {
                    path = target;
                }
                file = File::edit(&path).expect("a rewritten file");
                (done, expected)
            }
            Edit::Reopen => {
                drop(file);
                file = File::edit(&path).expect("an edited file");
                (Ok(()), true)
            }
        };
        assert_eq!(done.is_ok(), expected, "{done:?}");
        if done.is_err() {
            assert_eq!(contents(&path), before, "an edit that failed changes nothing");
        }
        check(&path, &model);
        assert_eq!(file.file().header(), File::open(&path).expect("an edited file").header());
    }
}

fn apply(changes: &[Change], metalayers: &mut Metalayers) -> b2nd_frame::Result<()> {
    for change in changes {
        match change {
            Change::Insert(name, content) => drop(metalayers.insert(&name.text(), content.as_slice())?),
            Change::InsertLong(name, length) => drop(metalayers.insert(&name.text(), long(*length))?),
            Change::Remove(name) => drop(metalayers.remove(&name.text())),
        }
    }
    Ok(())
}

/// Makes the same changes in the model. Returns whether they are possible. A new metalayer of an array may have been rejected,
/// because it must match the chunks.
fn model_of(changes: &[Change], model: &mut Named, is_refused: bool) -> bool {
    let mut named = model.clone();
    let done = changes.iter().all(|change| match change {
        Change::Insert(name, content) => named.insert(name.text(), content.clone()),
        Change::InsertLong(name, length) => named.insert(name.text(), long(*length)),
        Change::Remove(name) => {
            named.remove(&name.text());
            true
        }
    });
    let done = done && !(is_refused && named.get_mut("b2nd") != model.get_mut("b2nd"));
    if done {
        *model = named;
    }
    done
}

fn long(length: u16) -> Vec<u8> {
    (0..length % 3000).map(|byte| byte as u8).collect()
}

/// Writes the frame of the plan. Returns its expected content.
fn create(plan: &Plan, path: &Path) -> Model {
    let mut model = Model::default();
    let mut header =
        Header::new(Sizes { typesize: 1, chunksize: i32::from(plan.chunksize), blocksize: 0 }).expect("a chunksize of 0 or more");
    for (name, content) in &plan.metalayers {
        let done = header.metalayers_mut().insert(&name.text(), content.as_slice());
        assert_eq!(done.is_ok(), model.metalayers.insert(name.text(), content.clone()));
    }
    if plan.sparse {
        let mut writer = Writer::create_sparse(path, header).expect("a new directory");
        fill(plan, &mut model, &mut writer);
        writer.skip_array_check();
        writer.finish().expect("a frame in a new directory");
    } else {
        let mut writer = Writer::create(path, header).expect("a new file");
        fill(plan, &mut model, &mut writer);
        writer.skip_array_check();
        writer.finish().expect("a frame in a new file");
    }
    model
}

fn fill<T: b2nd_frame::Target>(plan: &Plan, model: &mut Model, writer: &mut Writer<T>) {
    for &length in plan.chunks.iter().take(8) {
        let done = if length == 0 {
            let nbytes = usize::from(plan.chunksize);
            let chunk = Chunk::special(Special::Zeros, nbytes, 1).expect("a short special chunk");
            writer.append_special(Special::Zeros, nbytes).map(|()| chunk)
        } else {
            let data: Vec<u8> = (0..length).collect();
            let chunk = Chunk::store(&data, 1).expect("a short chunk");
            writer.append(&chunk).map(|()| chunk)
        };
        model.chunks.extend(done.ok());
    }
    for (name, value) in &plan.vlmetalayers {
        let done = writer.set_vlmetalayer_bytes(&name.text(), value);
        assert_eq!(done.is_ok(), model.vlmetalayers.insert(name.text(), value.clone()));
    }
}

/// Checks that the file can be opened and equals the model, and that no temporary file is left.
fn check(path: &Path, model: &Model) {
    let file = File::open(path).expect("the file opens");
    let (header, trailer) = (file.header(), file.trailer().expect("the file has a trailer"));
    let bytes = fs::read(file.path()).expect("the file can be read");
    assert_eq!(bytes.len() as u64, header.frame_len());
    writes(header, &bytes[..header.header_len()]);
    writes(&trailer, &bytes[bytes.len() - trailer.trailer_len()..]);

    let text = |name: &[u8]| String::from_utf8(name.to_vec()).expect("a name of ours");
    let metalayers = header.metalayers().iter().map(|(name, content)| (text(name), content.to_vec()));
    assert_eq!(Named(metalayers.collect()), model.metalayers);
    let vlmetalayers = trailer.vlmetalayers().raw_chunks().iter().map(|(name, content)| {
        (text(name), Chunk::from_slice(content).expect("a chunk").stored().expect("a stored one").to_vec())
    });
    assert_eq!(Named(vlmetalayers.collect()), model.vlmetalayers);
    assert_eq!(header.has_vlmetalayers(), !model.vlmetalayers.0.is_empty());

    assert_eq!(file.offsets().expect("the file has an index").len(), model.chunks.len() as u64);
    for (number, expected) in (0..).zip(&model.chunks) {
        let found = file.chunk(number).expect("the chunk is there");
        assert_eq!(found.data().expect("no codec is needed"), expected.data().expect("no codec is needed"));
    }
    if header.frame_type() == FrameType::Contiguous {
        assert_eq!(Frame::from_slice(&bytes).expect("the same in memory").trailer().expect("it was read"), trailer);
    }
    for entry in fs::read_dir(&*DIRECTORY).expect("our directory") {
        let name = entry.expect("our directory").file_name();
        assert!(name.to_string_lossy().ends_with(".b2nd"), "{name:?} was left behind");
    }
}

/// The bytes of a file, or of the files in a directory, with their paths.
fn contents(path: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = match path.is_dir() {
        true => fs::read_dir(path).expect("our directory").map(|entry| entry.expect("our directory").path()).collect(),
        false => vec![path.to_path_buf()],
    };
    files.sort();
    files.into_iter().map(|path| (path.clone(), fs::read(path).expect("our file"))).collect()
}
