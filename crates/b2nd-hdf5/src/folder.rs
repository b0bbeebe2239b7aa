//! [`File`] as a [`Folder`], which `b2nd_store` opens like a store.

use std::collections::HashSet;
use std::sync::Arc;

use b2nd_frame::{Header, Result, Sizes, Writer};
use b2nd_store::{Bytes, Folder, LeftOut};
use hdf5_reader::error::Error as Fault;

use crate::attributes::set_attributes;
use crate::error::fault;
use crate::file::{File, attributes_of};
use crate::frame::DatasetFrame;

/// The ending that a dataset has as a member of a [`Folder`].
const LEAF: &str = ".b2nd";

/// The name that the attributes of a group have as a member of a [`Folder`].
const ATTRIBUTES: &str = "__vlmeta__.b2f";

/// Makes [`Store`](b2nd_store::Store) and [`Location::frame`](b2nd_store::Location::frame) open HDF5 files like stores, and
/// [`walk`](b2nd_store::walk) find them, everywhere in this process.
pub fn open_as_stores() {
    b2nd_store::foreign::open_hdf5_with(|source| Ok(Arc::new(File::open(source)?)));
}

impl File {
    /// Returns the paths of the datasets, such as `/group/name`.
    ///
    /// # Errors
    ///
    /// Fails if the metadata of a group or of a dataset cannot be read, or if the file has a virtual dataset.
    pub fn datasets(&self) -> Result<Vec<String>> {
        let files = self.files()?;
        Ok(files.iter().filter_map(|file| file.strip_suffix(LEAF)).map(|path| format!("/{path}")).collect())
    }
}

impl Folder for File {
    fn contents(&self) -> Result<(Vec<String>, Vec<LeftOut>)> {
        let mut files = Vec::new();
        let root = self.hdf5.root_group().map_err(fault)?;
        // Hard links can make a cycle, and any number of paths to one group.
        let mut seen = HashSet::from([root.address()]);
        let mut todo = vec![(String::new(), root)];
        while let Some((path, group)) = todo.pop() {
            let (groups, datasets) = group.member_names().map_err(fault)?;
            for name in groups {
                let inner = group.group(&name).map_err(fault)?;
                if seen.insert(inner.address()) {
                    todo.push((format!("{path}{name}/"), inner));
                }
            }
            if !attributes_of(&group)?.is_empty() {
                files.push(format!("{path}{ATTRIBUTES}"));
            }
            files.extend(datasets.into_iter().map(|name| format!("{path}{name}{LEAF}")));
        }
        Ok((files, Vec::new()))
    }

    fn member(&self, file: &str) -> Result<Option<Bytes>> {
        if let Some(group) = file.strip_suffix(ATTRIBUTES) {
            let mut writer = Writer::new(Header::new(Sizes { typesize: 1, chunksize: 1, blocksize: 1 })?);
            set_attributes(&mut writer, &self.group_attributes(group)?, self.is_pytables, Vec::new())?;
            return Ok(Some(Arc::new(writer.finish()?)));
        }
        let Some(path) = file.strip_suffix(LEAF) else { return Ok(None) };
        match self.hdf5.dataset(path) {
            Err(error) if is_absent(&error) => Ok(None),
            _ => Ok(Some(DatasetFrame::open(self.dataset(path)?)?)),
        }
    }
}

fn is_absent(error: &Fault) -> bool {
    match error {
        Fault::Context { source, .. } => is_absent(source),
        error => matches!(error, Fault::DatasetNotFound(_) | Fault::GroupNotFound(_)),
    }
}
