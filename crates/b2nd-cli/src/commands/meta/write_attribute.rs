//! Changes an attribute or a metalayer: of a frame, of a store, or of a leaf, table or group in a store.

use std::path::Path;

use b2nd_frame::{Editor, File, Header, Sizes, Writer};
use b2nd_store::{Content, Folder, Kind, Leaf, Location, Store, Target, find, no_key};
use b2nd_view::text::quoted;

use crate::archive;
use crate::error::{Error, Result};
use crate::paths::group;
use crate::signals;

/// Opens a frame on this machine for changes.
pub(in crate::commands) fn edit(file: &Path) -> Result<Editor> {
    let location = Location::new(file.as_os_str());
    match location.path() {
        Some(path) if location.key().is_none() && !holds_store(path) => Ok(File::edit(path)?),
        Some(_) => Err(Error::new("it is a store or a leaf: digests are only written into frames outside of stores")),
        None if location.is_stdin() => Err(Error::new("it is standard input, but only local files can be changed")),
        None => Err(Error::new("it is a URL, but only local files can be changed")),
    }
}

/// Returns true if a path is a store that is not a frame, such as an archive. Returns false if the path cannot be read: the error is
/// reported when the path is opened for changes.
fn holds_store(path: &Path) -> bool {
    Target::local(path).is_ok_and(|target| Store::of_folder("", &target).is_ok_and(|store| store.is_some()))
}

/// Opens or creates the file that contains the attributes of a frame, of a store, or of a leaf, table or group in a store, and calls
/// `change` with an editor of this file.
fn change(file: &Path, change: impl FnOnce(&mut Editor) -> Result<()>) -> Result<()> {
    let location = Location::new(file.as_os_str());
    let Some(path) = location.path().filter(|path| location.key().is_some() || holds_store(path)) else {
        return change(&mut edit(file)?);
    };
    crate::hdf5::must_not_be_hdf5(path)?;
    signals::clean_up();
    let (new, store) = archive::lock(Store::open(path)?, path)?;
    let member = member_of(&store, location.key().unwrap_or("/"))?;
    let is_there = store.member(&member)?.is_some();
    let create = |path: &Path| -> Result<()> {
        // The new file for the attributes has no data, like the file that python-blosc2 would create.
        let header = Header::new(Sizes { typesize: 1, chunksize: 0, blocksize: 0 })?;
        Ok(Writer::create_new(path, header)?.finish()?)
    };
    let Some(new) = new else {
        let path = path.join(member);
        if !is_there {
            create(&path)?;
        }
        return change(&mut File::edit(path)?);
    };
    let (mut names, _) = archive::names(&store)?;
    names.extend((!is_there).then(|| member.clone()));
    let mut change = Some(change);
    archive::write(path, new, &names, |name, path| {
        if is_there || *name != member {
            archive::copy(&archive::member(&store, name)?, path)?;
        } else {
            create(path)?;
        }
        let Some(change) = change.take_if(|_| *name == member) else { return Ok(store.crc(name)) };
        store.verify(name)?;
        change(&mut File::edit(path)?).map(|()| None)
    })
}

/// Returns the name of the file for the attributes of a leaf, table or group of a store. This file may not exist yet.
fn member_of(store: &Store, key: &str) -> Result<String> {
    let (listing, name) = (store.list()?, key.trim_matches('/'));
    let embedded = || Error::new("b2nd cannot change its metadata, because it has no file of its own in the store");
    let is_tree = listing.kind == Some(Kind::TreeStore);
    let group = if name.is_empty() { Some(listing.clone()) } else { group(&listing, name) };
    match find(&listing.leaves, store, key) {
        Ok(Leaf { content: Content::Frame, member: Some(member), .. }) => Ok(member),
        Ok(Leaf { content: Content::Table(_), member: Some(member), .. }) => {
            member.strip_suffix("_meta.b2f").map(|folder| format!("{folder}_vlmeta.b2f")).ok_or_else(embedded)
        }
        Ok(_) => Err(embedded()),
        Err(_) if is_tree && group.is_some() => {
            let file = if name.is_empty() { "__vlmeta__.b2f".to_owned() } else { format!("{name}/__vlmeta__.b2f") };
            let is_embedded = group.is_some_and(|group| group.attributes.iter().next().is_some());
            if is_embedded && !store.files()?.contains(&file) { Err(embedded()) } else { Ok(file) }
        }
        Err(_) if name.is_empty() => Err(no_key(store.name(), &listing.leaves).into()),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn set(file: &Path, name: &str, bytes: &[u8], fixed: bool) -> Result<()> {
    change(file, |editor| {
        if fixed {
            editor.overwrite_metalayer_bytes(name, bytes)?
        } else {
            editor.set_vlmetalayer_bytes(name, bytes)?
        }
        Ok(())
    })
}

pub(super) fn remove(file: &Path, name: &str) -> Result<()> {
    change(file, |editor| match editor.remove_vlmetalayer(name)? {
        true => Ok(()),
        false => Err(Error::new(format_args!("there is no attribute {}: see `b2nd meta list`", quoted(name.as_bytes())))),
    })
}
